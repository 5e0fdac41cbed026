// The editor of rules: a text with the numbers of its lines, and words that are offered while one types.

import { completion } from "./completion.js";
import { fill, h } from "./dom.js";

/**
 * @param {() => void} onType
 * @returns {{ element: HTMLElement, text: HTMLTextAreaElement, mark: (wrong: number[]) => void, goTo: (at: number) => void }}
 */
export function editor(onType) {
  const text = h("textarea", { spellcheck: false, autocapitalize: "off", autocomplete: "off", "aria-label": "rules", wrap: "off" });
  const lines = h("pre", { "aria-hidden": "true" });
  const words = completion(text);
  /** @param {number[]} wrong lines with problems */
  const mark = (wrong) => {
    const count = text.value.split("\n").length, marked = new Set(wrong);
    fill(lines, Array.from({ length: count }, (_, n) => [marked.has(n + 1) ? h("b", {}, `${n + 1}`) : `${n + 1}`, "\n"]));
    lines.scrollTop = text.scrollTop;
  };
  /** @param {number} at how many characters stand before the place */
  const goTo = (at) => {
    const before = [...text.value].slice(0, at).join(""); // the server counts characters, a browser halves of some
    text.focus();
    text.setSelectionRange(before.length, before.length);
    text.scrollTop = Math.max(0, (before.split("\n").length - 1) * parseFloat(getComputedStyle(text).lineHeight) - text.clientHeight / 2);
  };
  text.addEventListener("input", () => { mark([]); onType(); });
  text.addEventListener("scroll", () => { lines.scrollTop = text.scrollTop; });
  return { element: h("div.editing", {}, h("div.editor", {}, lines, text), words), text, mark, goTo };
}
