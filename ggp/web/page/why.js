// Why something holds in the position that is shown, or why it does not: asked by a click on a cell, or by its name.

import { fill, h } from "./dom.js";
import { post } from "./net.js";

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @returns {{ element: any, ask: (place: string) => void, moved: () => void }}
 */
export function whyPanel(viewer) {
  const atom = h("input", { "aria-label": "what to explain", placeholder: "(legal white (mark 1 1)), terminal, …", maxlength: 500 });
  const suggestions = h("div.chips", {});
  const answer = h("pre.why", { tabindex: 0, "aria-label": "explanation" });
  const element = h("details", {}, h("summary", {}, "Why?"),
    h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); explain(atom.value); } }, atom, h("button", {}, "Explain")), suggestions, answer);

  /** @param {string} text */
  const explain = async (text) => {
    atom.value = text;
    answer.textContent = "…";
    try {
      answer.textContent = (await post("/api/why", { ...viewer.source.where(viewer.cursor), atom: text })).text;
    } catch (error) {
      answer.textContent = /** @type {Error} */ (error).message;
    }
  };

  return {
    element,
    /** Offer what can be asked about a cell: what stands there, and the moves that name it. */
    ask: (/** @type {string} */ place) => {
      if (!element.open) return;
      const board = viewer.shown;
      const cell = board?.grids.flatMap((grid) => grid.cells).find((one) => one.id === place);
      const facts = (cell?.items ?? []).flatMap((item) => item.facts).map((fact) => `(true ${fact})`);
      const moves = (board?.legal ?? []).flat().filter((action) => [action.source, action.target].includes(place)).slice(0, 12).map((action) => `(legal ${action.role} ${action.move})`);
      fill(suggestions, [...facts, ...moves, "terminal"].map((text) => h("button.chip", { onclick: () => explain(text) }, text)));
    },
    moved: () => {
      fill(suggestions);
      answer.textContent = "";
    },
  };
}
