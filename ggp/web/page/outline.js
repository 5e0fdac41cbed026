// What a text is made of: its names, each with a click that leads there.

import { h } from "./dom.js";

/** @typedef {{ what: string, name: string, arity?: number, rules?: number, at: number, line: number | null }} Entry */

/** @type {[string, string][]} */
const KINDS = [
  ["role", "Roles"], ["fluent", "What positions are made of"], ["move", "Moves"], ["language", "Words of the language"],
  ["relation", "Relations of this game"],
];

/**
 * @param {Entry[]} entries
 * @param {(at: number) => void} goTo
 */
export function outlineView(entries, goTo) {
  return KINDS.map(([what, title]) => {
    const found = entries.filter((entry) => entry.what === what);
    return found.length ? [h("h2", {}, title), h("div.chips", { role: "group", "aria-label": title }, found.map((entry) => chip(entry, goTo)))] : null;
  });
}

/**
 * @param {Entry} entry
 * @param {(at: number) => void} goTo
 */
function chip(entry, goTo) {
  const name = entry.arity === undefined ? entry.name : `${entry.name}/${entry.arity}`;
  const title = [entry.line === null ? "" : `line ${entry.line}`, entry.rules ? `${entry.rules} rule${entry.rules === 1 ? "" : "s"} and facts` : ""].filter(Boolean).join(", ");
  if (entry.line === null) return h("span.chip", {}, name);
  return h("button.chip", { title, onclick: () => goTo(entry.at) }, name, entry.rules ? h("small", {}, ` ${entry.rules}`) : null);
}
