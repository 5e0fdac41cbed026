// Draws what stands on a cell, in a box of 100 by 100: symbols for kinds that many games have, letters for all else.

import { named } from "./colours.js";
import { s } from "./dom.js";

/**
 * @typedef {import("./colours.js").Colour} Colour
 * @typedef {{ name: string, kind: string | null, owner: string | null, symbol: string, facts: string[] }} Item
 * @typedef {{ colours: Map<string, Colour>, kinds: Set<string> }} Style  `kinds`: all that were seen in this game
 */

const BASE = "M24 80h52v9h-52z";
/** @type {Record<string, string>} outlines of chess men */
const MEN = {
  pawn: "M50 18a13 13 0 0 1 8 23l7 7h-8c1 14 8 20 13 30H30c5-10 12-16 13-30h-8l7-7a13 13 0 0 1 8-23z",
  rook: "M27 18h11v8h7v-8h10v8h7v-8h11v19l-8 8v24l8 9H27l8-9V45l-8-8z",
  knight: "M33 78c0-17 17-22 16-35-6 5-12 9-18 9-7 0-9-6-5-12l12-16 2-11 9 6c20 2 28 24 26 59z",
  bishop: "M50 10a6 6 0 0 1 4 10c11 8 14 20 7 31-3 5-2 13 3 27H36c5-14 6-22 3-27-7-11-4-23 7-31a6 6 0 0 1 4-10z",
  queen: "M22 30l15 20 3-28 10 24 10-24 3 28 15-20-9 32-3 16H34l-3-16z",
  king: "M46 6h8v7h7v7h-7v8h-8v-8h-7v-7h7zM50 38c8-12 29-9 27 7-1 11-11 16-11 33H34c0-17-10-22-11-33-2-16 19-19 27-7z",
};
/** @type {Record<string, string>} other words for them */
const SAME = { amazon: "queen", horse: "knight", castle: "rook", tower: "rook", monarch: "king" };
/** @type {Record<string, string>} letters for them, in games whose kinds are no others */
const LETTERS = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const DISCS = new Set(["man", "men", "disc", "disk", "stone", "checker", "piece", "cell", "marble", "peg", "counter", "token", "ball"]);
const BLOCKS = new Set(["wall", "walls", "burnt", "blocked", "block", "brick", "trail", "rock", "obstacle", "arrow", "hole"]);
const RINGS = new Set(["goal", "target", "exit", "destination", "home", "spot", "store", "storage"]);
const PEOPLE = new Set(["keeper", "player", "robot", "agent", "explorer", "hero", "pacman"]);
const NOTHING = new Set(["gap", "empty", "blank", "b", "none"]);

/** @type {Colour} */
const PLAIN = { fill: "#7d8590", edge: "#2b2f35", ink: "#fff" };

/**
 * @param {Item} item
 * @param {Style} style
 * @returns {SVGElement | null}
 */
export function piece(item, style) {
  const word = (item.kind ?? (item.name === "piece" || item.name === "at" ? item.owner ?? item.name : item.name)).toLowerCase();
  if (!item.symbol && !item.owner) return null;
  const colour = (item.owner !== null && style.colours.get(item.owner)) || named(word) || PLAIN;
  const man = SAME[word] ?? (lettered(style.kinds) ? LETTERS[word] : undefined) ?? word;
  if (item.owner === null && NOTHING.has(word)) return null;
  if (man === "king" && style.kinds.has("man")) return s("g", {}, disc(colour), crown(colour));
  if (MEN[man]) return s("path", { d: MEN[man] + BASE, fill: colour.fill, stroke: colour.edge, "stroke-width": 3, "stroke-linejoin": "round" });
  if (BLOCKS.has(word)) return s("rect.block", { x: 6, y: 6, width: 88, height: 88, rx: 8 });
  if (PEOPLE.has(word)) return person(colour);
  if (RINGS.has(word)) return s("circle.ring", { cx: 50, cy: 50, r: 30 });
  if (word === "box" || word === "crate") return crate();
  if (word === "lit" || word === "lamp" || word === "light") return s("circle", { cx: 50, cy: 50, r: 36, fill: "#f7c948", stroke: "#7a5a00", "stroke-width": 3 });
  if (word === "visited" || word === "seen") return s("circle.trace", { cx: 50, cy: 50, r: 10 });
  const cross = item.owner?.match(/^([xo])(_?player)?$/i);
  if (cross) return mark(cross[1].toLowerCase(), colour);
  if (item.owner !== null && (item.kind === null || DISCS.has(word))) return disc(colour);
  if (item.owner !== null) return s("g", {}, disc(colour), letters(item.symbol, colour.ink, 44));
  if (/^\d+$/.test(word)) return s("text.number", { x: 50, y: 52 }, word);
  if (DISCS.has(word) || named(word)) return disc(colour);
  return s("g", {}, s("rect.tile", { x: 14, y: 14, width: 72, height: 72, rx: 12 }), letters(item.symbol, "currentColor", 42));
}

/**
 * Whether the kinds of a game are letters of chess men, the king among them.
 * @param {Set<string>} kinds
 */
function lettered(kinds) {
  return kinds.has("k") && [...kinds].every((kind) => kind in LETTERS);
}

/** @param {Colour} colour */
function disc(colour) {
  return s("g", {},
    s("circle", { cx: 50, cy: 50, r: 38, fill: colour.fill, stroke: colour.edge, "stroke-width": 3.5 }),
    s("circle", { cx: 50, cy: 50, r: 27, fill: "none", stroke: colour.edge, "stroke-width": 1.5, opacity: 0.35 }));
}

/** @param {Colour} colour */
function crown(colour) {
  return s("path", { d: "M28 64V36l12 12 10-16 10 16 12-12v28z", fill: colour.ink, opacity: 0.9 });
}

/**
 * @param {string} owner
 * @param {Colour} colour
 */
function mark(owner, colour) {
  const drawn = { fill: "none", stroke: colour.fill, "stroke-width": 13, "stroke-linecap": "round" };
  return owner === "x" ? s("path", { d: "M26 26L74 74M74 26L26 74", ...drawn }) : s("circle", { cx: 50, cy: 50, r: 27, ...drawn });
}

/** @param {Colour} colour */
function person(colour) {
  return s("path", { d: "M50 16a15 15 0 0 1 0 31 15 15 0 0 1 0-31zM22 86c0-24 12-36 28-36s28 12 28 36z", fill: colour.fill, stroke: colour.edge, "stroke-width": 3.5 });
}

function crate() {
  return s("path", { d: "M16 16h68v68h-68zM16 16L84 84M84 16L16 84", fill: "#b9814a", stroke: "#4d2f12", "stroke-width": 4 });
}

/**
 * @param {string} text
 * @param {string} fill
 * @param {number} size
 */
function letters(text, fill, size) {
  return s("text.letters", { x: 50, y: 53, fill, "font-size": text.length > 2 ? (size * 2) / text.length : size }, text);
}
