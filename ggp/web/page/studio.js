// The rules studio: rules on one side, what they mean on the other, checked while one types.

import { drawBoard } from "./board.js";
import { dependencyView } from "./dependencies.js";
import { fill, h, notice, words } from "./dom.js";
import { editor } from "./editor.js";
import { setUp } from "./lobby.js";
import { get, post } from "./net.js";
import { numbersView } from "./numbers.js";
import { outlineView } from "./outline.js";

const PAUSE = 500;
const KEPT = "ggp-studio";
const FIRST = `; Whoever takes the last of five stones wins.

(role left)
(role right)
(init (stones 5))
(init (control left))
(less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(<= (take ?n 1 ?m) (less ?n ?m))
(<= (take ?n 2 ?m) (less ?n ?k) (less ?k ?m))
(<= (legal ?p (remove ?i)) (true (control ?p)) (true (stones ?n)) (take ?n ?i ?m))
(<= (legal left noop) (true (control right)))
(<= (legal right noop) (true (control left)))
(<= (next (stones ?m)) (true (stones ?n)) (does ?p (remove ?i)) (take ?n ?i ?m))
(<= (next (control right)) (true (control left)))
(<= (next (control left)) (true (control right)))
(<= terminal (true (stones 0)))
(<= (goal left 100) (true (stones 0)) (true (control right)))
(<= (goal left 0) (true (stones 0)) (true (control left)))
(<= (goal right 100) (true (stones 0)) (true (control left)))
(<= (goal right 0) (true (stones 0)) (true (control right)))
`;

/**
 * @param {HTMLElement} place
 * @param {string[]} parts a game to begin with
 */
export function show(place, [name]) {
  const problems = h("ul.problems", {}), state = h("p.status", { role: "status", "aria-live": "polite" });
  const board = h("div.place", {}), walk = h("div.walk", {}), outline = h("div.outline", {}), uses = h("div", {});
  const file = h("input", { "aria-label": "name of the file", value: name ?? "my_game", size: 14, maxlength: 60 });
  const kinds = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  /** @type {any} */
  let newest = null;

  const check = async () => {
    const mine = ++asked;
    try { localStorage.setItem(KEPT, text.value); } catch { /* a browser that keeps nothing */ }
    try {
      const rules = text.value, found = await post("/api/studio/check", { text: rules });
      if (mine === asked) draw({ ...found, rules });
    } catch (error) {
      if (mine === asked) state.textContent = /** @type {Error} */ (error).message;
    }
  };
  const { element: editing, text, mark, goTo } = editor(() => {
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  });
  const numbers = numbersView();

  /** @param {any} found */
  const draw = (found) => {
    newest = found;
    state.textContent = verdict(found);
    mark(found.problems.map((/** @type {any} */ p) => p.line));
    fill(problems, found.problems.map((/** @type {any} */ p) => h("li", { class: p.severity },
      h("button", { onclick: () => goTo(p.at) }, `${p.line ? `line ${p.line}, column ${p.column}: ` : ""}${p.message} [law ${p.law}]`),
      p.excerpt ? h("pre", {}, p.excerpt) : null)));
    if (found.outline.length) fill(outline, outlineView(found.outline, goTo)); // where nothing can be read, that of before stays
    drawUses();
    board.classList.toggle("stale", !found.board);
    if (found.board) fill(board, drawBoard(found.board, { kinds }), moves(found.board));
    else if (!board.firstChild) fill(board, h("p.nothing", {}, "The first position is shown here as soon as the rules have a meaning."));
    if (found.board && sizes.open) numbers.measure(found.rules);
  };
  const drawUses = () => {
    if (!dependencies.open || !newest) return;
    uses.classList.toggle("stale", !("picture" in newest));
    if (newest.picture) fill(uses, dependencyView(newest.picture, goTo));
    else if (newest.picture === null) fill(uses, h("p.note", {}, "These are too many relations to be drawn."));
    else if (!uses.firstChild) fill(uses, h("p.note", {}, "It is drawn as soon as the rules have no errors."));
  };
  const dependencies = h("details", { ontoggle: () => drawUses() }, h("summary", {}, "Which relation uses which"), uses);
  const sizes = h("details", { open: true, ontoggle: () => { if (sizes.open && newest?.board) numbers.measure(newest.rules); } }, h("summary", {}, "Sizes, speed, tree"), numbers.element);

  const random = async () => {
    fill(walk, walkView(await post("/api/studio/walk", { text: text.value, seed: Math.floor(Math.random() * 1e9) }), kinds));
    walk.querySelector("input").focus();
  };
  const doing = (/** @type {() => Promise<void>} */ work) => () => work().catch((error) => notice(error.message));
  const lay = async () => { text.value = (await post("/api/studio/format", { text: text.value })).text; check(); };
  const save = async (replace = false) => {
    try {
      notice(`Saved as ${(await post(`/api/games/${encodeURIComponent(file.value)}`, { text: text.value, replace })).file}.`);
    } catch (error) {
      const message = /** @type {Error} */ (error).message;
      if (!replace && message.includes("there already") && confirm(`${message}. Replace it?`)) await save(true);
      else notice(message);
    }
  };

  fill(place, h("h1", {}, "Write rules"), h("div.studio", {},
    h("section", { "aria-label": "rules" }, h("div.buttons", {},
      h("button.main", { onclick: doing(() => setUp({ text: text.value }, words(file.value))) }, "Play this"),
      h("button", { onclick: doing(random) }, "Random play"), h("button", { onclick: doing(lay) }, "Format"),
      file, h("button", { onclick: () => save() }, "Save")),
    editing, h("details", {}, h("summary", {}, "Outline"), outline), dependencies),
    h("section", { "aria-label": "meaning" }, state, problems, board, sizes, walk)));
  const begin = (/** @type {string} */ rules) => { text.value = rules; mark([]); check(); };
  if (name) get(`/api/games/${encodeURIComponent(name)}`).then((game) => begin(game.text), (error) => { state.textContent = error.message; });
  else begin(kept() || FIRST);
  return () => clearTimeout(timer);
}

/**
 * What is said of a text in a few words.
 * @param {any} found
 */
function verdict(found) {
  const errors = found.problems.filter((/** @type {any} */ p) => p.severity === "error").length, warnings = found.problems.length - errors;
  if (errors) return `${errors} error${errors > 1 ? "s" : ""}`;
  return found.trouble ?? (warnings ? `no errors, ${warnings} warning${warnings > 1 ? "s" : ""}` : "no problems");
}

/**
 * The legal moves of each role.
 * @param {any} shown
 */
function moves(shown) {
  return shown.roles.map((/** @type {string} */ role, /** @type {number} */ n) => {
    const legal = shown.legal[n] ?? [];
    return h("details", {}, h("summary", {}, `${words(role)}: ${legal.length} legal move${legal.length === 1 ? "" : "s"}`), h("div.chips", {}, legal.slice(0, 100).map((/** @type {any} */ a) => h("span.chip", {}, a.move))));
  });
}

/**
 * A random play, step by step.
 * @param {{ steps: any[] }} played
 * @param {Set<string>} kinds
 */
function walkView({ steps }, kinds) {
  const at = h("input", { type: "range", min: 0, max: steps.length - 1, value: 0, "aria-label": "step of the random play" });
  const told = h("span.note", {}), shown = h("div", {});
  const go = () => {
    const step = steps[Number(at.value)];
    const last = step.board.last.filter((/** @type {any} */ a) => a.move !== "noop").map((/** @type {any} */ a) => `${words(a.role)}: ${a.move}`).join("  ");
    told.textContent = ` step ${at.value} of ${steps.length - 1}. ${last} ${step.ending ? `— ${step.ending}, goals ${step.goals.join(" ")}` : ""}`;
    fill(shown, drawBoard(step.board, { kinds }));
  };
  at.addEventListener("input", go);
  go();
  return [h("h2", {}, "A random play"), h("p", {}, at, told), shown];
}

function kept() {
  try { return localStorage.getItem(KEPT); } catch { return null; }
}
