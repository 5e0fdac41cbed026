// Colours every game of the library and compares each word with what a plain splitter says of it.
const fs = require("fs");
const path = require("path");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const GRAMMAR = path.join(__dirname, "syntaxes", "gdl.tmLanguage.json");
const GAMES = path.join(__dirname, "..", "..", "games");
const CONNECTIVES = new Set(["not", "or", "and", "distinct"]);
const RELATIONS = new Set("role init true next legal does goal terminal base input sees".split(" "));

function expected(word, before) {
  const name = word.toLowerCase();
  if (word[0] === ";") return "comment.line.semicolon.gdl";
  if (word === "(" || word === ")") return "punctuation.section.parens.gdl";
  if (word === "<=") return "keyword.operator.rule.gdl";
  if (CONNECTIVES.has(name)) return "keyword.control.connective.gdl";
  if (RELATIONS.has(name)) return "support.function.relation.gdl";
  if (word[0] === "?") return "variable.parameter.gdl";
  if (/^[0-9]+$/.test(word)) return "constant.numeric.gdl";
  return before === "(" ? "entity.name.function.gdl" : "constant.other.gdl";
}

async function main() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(GRAMMAR, "utf8"), GRAMMAR),
  });
  const grammar = await registry.loadGrammar("source.gdl");
  const files = fs.readdirSync(GAMES).filter((name) => name.endsWith(".kif"));
  let words = 0;
  let wrong = 0;
  for (const name of files) {
    let state = INITIAL;
    for (const [number, line] of fs.readFileSync(path.join(GAMES, name), "utf8").split(/\r?\n/).entries()) {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      for (const found of line.matchAll(/;.*$|[()]|[^\s();]+/g)) {
        const token = tokens.find((token) => token.startIndex <= found.index && found.index < token.endIndex);
        const scope = token.scopes.at(-1);
        const wanted = expected(found[0], line[found.index - 1]);
        words += 1;
        if (scope !== wanted || token.endIndex < found.index + found[0].length) {
          wrong += 1;
          console.error(`${name}:${number + 1}: ${found[0]} is ${scope}, not ${wanted}`);
        }
      }
    }
  }
  console.log(`${files.length} games, ${words} words, ${wrong} wrong`);
  process.exitCode = wrong || !files.length ? 1 : 0;
}

main();
