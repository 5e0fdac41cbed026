// Shows the reports of experiments: the little Markdown that they are written in, as elements. What is no sign of it is text.

import { h, table } from "./dom.js";

/**
 * @param {string} text
 * @param {(file: string) => string} address of a figure
 * @returns {HTMLElement[]}
 */
export function shown(text, address) {
  return text.split(/\n{2,}/).map((block) => block.trim()).filter(Boolean).map((block) => {
    const heading = block.match(/^(#+) (.*)$/);
    if (heading) return h(`h${Math.min(heading[1].length, 4)}`, {}, inline(heading[2]));
    const picture = block.match(/^!\[(.*)\]\(([\w.-]+)\)$/);
    if (picture) return h("img.figure", { src: address(picture[2]), alt: picture[1] });
    if (block.startsWith("|")) return rows(block);
    if (block.startsWith("- ")) return h("ul", {}, block.split(/\n- /).map((line) => h("li", {}, inline(line.replace(/^- /, "")))));
    return h("p", {}, inline(block));
  });
}

/** @param {string} block */
function rows(block) {
  const lines = block.split("\n").map((line) => line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")));
  return table("table", lines[0], lines.slice(2).map((cells) => cells.map(inline)));
}

/** @param {string} text */
function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return h("b", {}, part.slice(2, -2));
    return part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part;
  });
}
