// The rules studio: rules on one side, what they mean on the other, checked while one types.

import { drawBoard } from "./board.js";
import { fill, h, notice, words } from "./dom.js";
import { setUp } from "./lobby.js";
import { get, post } from "./net.js";

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
  const text = h("textarea", { spellcheck: false, autocapitalize: "off", autocomplete: "off", "aria-label": "rules", wrap: "off" });
  const lines = h("pre", { "aria-hidden": "true" });
  const problems = h("ul.problems", {}), state = h("p.status", { role: "status", "aria-live": "polite" });
  const board = h("div.place", {}), walk = h("div.walk", {}), outline = h("div.chips", {}), measured = h("p.note", { role: "status" });
  const file = h("input", { "aria-label": "name of the file", value: name ?? "my_game", size: 14 });
  const kinds = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;

  const check = async () => {
    const mine = ++asked;
    try { localStorage.setItem(KEPT, text.value); } catch { /* a browser that keeps nothing */ }
    try {
      const found = await post("/api/studio/check", { text: text.value });
      if (mine === asked) draw(found);
    } catch (error) {
      if (mine === asked) state.textContent = /** @type {Error} */ (error).message;
    }
  };
  const typed = () => {
    number([]);
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  };
  /** @param {number[]} wrong lines with problems */
  const number = (wrong) => {
    const count = text.value.split("\n").length;
    fill(lines, Array.from({ length: count }, (_, n) => [wrong.includes(n + 1) ? h("b", {}, `${n + 1}`) : `${n + 1}`, "\n"]));
    lines.scrollTop = text.scrollTop;
  };
  /** @param {number} at */
  const goTo = (at) => {
    const before = text.value.slice(0, at).split("\n").length - 1;
    text.focus();
    text.setSelectionRange(at, at);
    text.scrollTop = Math.max(0, before * 20.3 - text.clientHeight / 2);
  };

  /** @param {any} found */
  const draw = (found) => {
    const errors = found.problems.filter((/** @type {any} */ p) => p.severity === "error").length;
    state.textContent = errors ? `${errors} error${errors > 1 ? "s" : ""}` : found.trouble ?? (found.problems.length ? `no errors, ${found.problems.length} warning${found.problems.length > 1 ? "s" : ""}` : "no problems");
    number(found.problems.map((/** @type {any} */ p) => p.line));
    fill(problems, found.problems.map((/** @type {any} */ p) => h("li", { class: p.severity },
      h("button", { onclick: () => goTo(p.at) }, `${p.line ? `line ${p.line}, column ${p.column}: ` : ""}${p.message} [law ${p.law}]`),
      p.excerpt ? h("pre", {}, p.excerpt) : null)));
    fill(outline, found.outline.map((/** @type {any} */ one) => h("button.chip", { onclick: () => goTo(one.at) }, `${one.name}/${one.arity}`, h("small", {}, ` ${one.rules}`))));
    board.classList.toggle("stale", !found.board);
    if (found.board) fill(board, drawBoard(found.board, { kinds }), moves(found.board));
    else if (!board.firstChild) fill(board, h("p.nothing", {}, "The first position is shown here as soon as the rules have a meaning."));
  };
  /** @param {any} shown */
  const moves = (shown) => shown.roles.map((/** @type {string} */ role, /** @type {number} */ n) => {
    const legal = shown.legal[n] ?? [];
    return h("details", {}, h("summary", {}, `${words(role)}: ${legal.length} legal move${legal.length === 1 ? "" : "s"}`), h("div.chips", {}, legal.slice(0, 100).map((/** @type {any} */ a) => h("span.chip", {}, a.move))));
  });

  const random = async () => {
    const { steps } = await post("/api/studio/walk", { text: text.value, seed: Math.floor(Math.random() * 1e9) });
    const at = h("input", { type: "range", min: 0, max: steps.length - 1, value: 0, "aria-label": "step of the random play" });
    const told = h("span.note", {}), shown = h("div", {});
    const go = () => {
      const step = steps[Number(at.value)];
      const last = step.board.last.filter((/** @type {any} */ a) => a.move !== "noop").map((/** @type {any} */ a) => `${words(a.role)}: ${a.move}`).join("  ");
      told.textContent = ` step ${at.value} of ${steps.length - 1}. ${last} ${step.ending ? `— ${step.ending}, goals ${step.goals.join(" ")}` : ""}`;
      fill(shown, drawBoard(step.board, { kinds }));
    };
    at.addEventListener("input", go);
    fill(walk, h("h2", {}, "A random play"), h("p", {}, at, told), shown);
    go();
    at.focus();
  };
  const doing = (/** @type {() => Promise<void>} */ work) => () => work().catch((error) => notice(error.message));
  const lay = async () => { text.value = (await post("/api/studio/format", { text: text.value })).text; check(); };
  const measure = async () => {
    measured.textContent = "compiling …";
    try {
      const found = await post("/api/studio/measure", { text: text.value });
      measured.textContent = `${found.gates.toLocaleString()} gates; ${Math.round(found.playouts / Math.max(1e-6, found.seconds)).toLocaleString()} random playouts a second of ${found.steps.toFixed(1)} steps each`;
    } catch (error) {
      measured.textContent = /** @type {Error} */ (error).message;
    }
  };
  const save = async (replace = false) => {
    try {
      notice(`Saved as ${(await post(`/api/games/${encodeURIComponent(file.value)}`, { text: text.value, replace })).file}.`);
    } catch (error) {
      const message = /** @type {Error} */ (error).message;
      if (!replace && message.includes("there already") && confirm(`${message}. Replace it?`)) await save(true);
      else notice(message);
    }
  };

  text.addEventListener("input", typed);
  text.addEventListener("scroll", () => { lines.scrollTop = text.scrollTop; });
  fill(place, h("h1", {}, "Write rules"), h("div.studio", {},
    h("section", { "aria-label": "rules" }, h("div.buttons", {},
      h("button.main", { onclick: doing(() => setUp({ text: text.value }, words(file.value))) }, "Play this"),
      h("button", { onclick: doing(random) }, "Random play"), h("button", { onclick: doing(lay) }, "Format"), h("button", { onclick: measure }, "Measure"),
      file, h("button", { onclick: () => save() }, "Save")),
    h("div.editor", {}, lines, text), h("details", {}, h("summary", {}, "Relations"), outline)),
    h("section", { "aria-label": "meaning" }, state, measured, problems, board, walk)));
  const begin = (/** @type {string} */ rules) => { text.value = rules; number([]); check(); };
  if (name) get(`/api/games/${encodeURIComponent(name)}`).then((game) => begin(game.text), (error) => { state.textContent = error.message; });
  else begin(kept() || FIRST);
  return () => clearTimeout(timer);
}

function kept() {
  try { return localStorage.getItem(KEPT); } catch { return null; }
}
