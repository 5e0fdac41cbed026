// How large the rules are that are being written, and how fast they play: measured whenever they have changed.

import { fill, h } from "./dom.js";
import { post } from "./net.js";

const SHORT = 0.2, LONG = 3;

/** @returns {{ element: HTMLElement, measure: (text: string) => void }} `measure` is told rules without errors */
export function numbersView() {
  const shown = h("div.numbers", { role: "status" });
  let text = "", measured = "", working = false;
  /** @param {number} seconds */
  const measure = async (seconds) => {
    if (working || !text || (text === measured && seconds === SHORT)) return;
    const wanted = text;
    working = true;
    shown.classList.add("stale");
    if (!shown.firstChild) fill(shown, h("p.note", {}, "compiling …"));
    try {
      fill(shown, told(await post("/api/studio/measure", { text: wanted, seconds })));
      shown.classList.remove("stale");
    } catch (error) {
      fill(shown, h("p.problem", {}, /** @type {Error} */ (error).message));
    }
    measured = wanted;
    working = false;
    measure(SHORT); // if the rules are others by now
  };
  const longer = h("button", { onclick: () => measure(LONG) }, `Measure for ${LONG} seconds`);
  return { element: h("div", {}, shown, longer), measure: (rules) => { text = rules; measure(SHORT); } };
}

/** @param {any} found */
function told(found) {
  const size = found.circuit, rate = found.playouts / Math.max(1e-6, found.seconds);
  const slow = found.trouble[0] ?? "the circuit takes longer than we wait here";
  const rows = [
    size && ["grounding", `${many(size.atoms)} atoms, ${many(size.rules)} rules`],
    size && ["circuit", `${many(size.gates)} gates, ${many(size.bases)} fluents, ${many(size.inputs)} moves`],
    !size && ["circuit", `none: ${slow}. Prolog plays`],
    ["random play", found.playouts ? `${many(rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate))} playouts a second, ${found.steps.toFixed(1)} steps each` : "none came to an end"],
    found.unfinished ? ["without an end", `${many(found.unfinished)} playouts`] : null,
  ];
  return [
    h("table.facts", {}, h("tbody", {}, rows.filter(Boolean).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))))),
    h("table.list.tree", {}, h("caption", {}, "the tree, level by level (perft)"),
      h("thead", {}, h("tr", {}, ["depth", "nodes", "ends"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, found.tree.map((/** @type {any} */ level, /** @type {number} */ depth) => h("tr", {}, h("td", {}, depth), h("td", {}, many(level.nodes)), h("td", {}, many(level.ends)))))),
  ];
}

/** @param {number} value */
function many(value) {
  return value.toLocaleString("en");
}
