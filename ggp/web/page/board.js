// Draws a position: grids of squares or hexes with what stands on them, and groups of facts beside them.

import { colours } from "./colours.js";
import { h, s, words } from "./dom.js";
import { lineKey } from "./moves.js";
import { piece } from "./pieces.js";

/**
 * @typedef {import("./pieces.js").Item} Item
 * @typedef {import("./moves.js").Action} Action
 * @typedef {{ id: string, column: number, row: number, items: Item[], ground: Item[], mark: string | null }} Cell
 * @typedef {{ start: number[], end: number[], item: Item, mark: string | null }} Edge
 * @typedef {{ name: string, columns: string[], rows: string[], cells: Cell[], shape: string, slant: number,
 *   links: string[][], edges: Edge[], has_edges: boolean, across: number, down: number }} Grid
 * @typedef {{ kind: string, name: string, entries: { label: string, values: string[], facts: string[] }[] }} Group
 * @typedef {{ roles: string[], to_move: string[], grids: Grid[], groups: Group[], last: Action[], legal: Action[][],
 *   possible?: number }} Board
 * @typedef {{ next?: Set<string>, chosen?: string[], arrows?: { from: string | null, to: string, weight: number }[],
 *   onPlace?: (place: string) => void, onDrag?: (from: string, to: string) => void, kinds?: Set<string>, small?: boolean }} Options
 */

const UNIT = 100;
const HEX = UNIT / Math.sqrt(3);

/**
 * The whole board.
 * @param {Board} board
 * @param {Options} [options]
 * @returns {HTMLElement}
 */
export function drawBoard(board, options = {}) {
  const kinds = options.kinds ?? new Set();
  for (const grid of board.grids) for (const cell of grid.cells) for (const item of cell.items) if (item.kind) kinds.add(item.kind);
  const style = { colours: colours(board.roles), kinds };
  const grids = board.grids.map((grid) => drawGrid(grid, style, options));
  const across = Math.max(1, ...board.grids.map((grid) => grid.across + 1));
  const place = h("div.grids", { class: grids.length > 1 ? "many" : null }, grids);
  const columns = across > 1 ? across : Math.min(3, grids.length);
  if (grids.length > 1) {
    place.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
    place.style.setProperty("--down", String(Math.ceil(grids.length / columns)));
  }
  const groups = board.groups.filter((group) => !(options.small && grids.length && group.kind !== "piles"));
  const element = h("div.board", {}, place, groups.length ? h("div.groups", {}, groups.map((group) => drawGroup(group, style))) : null);
  if (options.onPlace) wire(element, options.onPlace);
  if (options.onDrag) wireDrag(element, options.onDrag);
  return element;
}

/**
 * @param {Grid} grid
 * @param {import("./pieces.js").Style} style
 * @param {Options} options
 */
function drawGrid(grid, style, options) {
  const hexes = grid.shape === "hexes";
  /** @param {{ column: number, row: number }} cell */
  const centre = (cell) => hexes
    ? [(cell.column + (grid.slant * cell.row) / 2) * UNIT, cell.row * UNIT * Math.sqrt(0.75)]
    : [cell.column * UNIT, cell.row * UNIT];
  const centres = new Map(grid.cells.map((cell) => [cell.id, centre(cell)]));
  const lined = grid.links.length > 0;
  const cells = grid.cells.map((cell) => drawCell(cell, grid, centre(cell), style, options, lined));
  const links = grid.links.map(([a, b]) => {
    const from = centres.get(a), to = centres.get(b);
    return from && to && s("path.link", { d: `M${from}L${to}` });
  });
  const edges = grid.has_edges ? drawEdges(grid, style, options) : [];
  const arrows = (options.arrows ?? []).map((arrow) => drawArrow(arrow, centres)).filter(Boolean);
  const all = [...centres.values()];
  if (!all.length) all.push([0, 0]);
  const half = hexes ? HEX + 4 : UNIT / 2 + 4, label = options.small ? 0 : 34;
  const left = Math.min(...all.map(([x]) => x)) - half - label, right = Math.max(...all.map(([x]) => x)) + half;
  const top = Math.min(...all.map(([, y]) => y)) - half, bottom = Math.max(...all.map(([, y]) => y)) + half + label;
  const svg = s("svg", {
    viewBox: `${left} ${top} ${right - left} ${bottom - top}`, class: `grid ${grid.shape}`,
    role: options.onPlace ? "group" : "img", "aria-label": grid.name ? `board ${words(grid.name)}` : "board",
  }, s("g", {}, lined ? links : cells, lined ? cells : links), s("g", {}, edges), options.small ? [] : labels(grid, centres, half, hexes), s("g.arrows", {}, arrows));
  svg.style.setProperty("--wide", String(Math.max(2, (right - left) / UNIT)));
  return grid.name && !options.small ? h("figure", {}, svg, h("figcaption", {}, words(grid.name))) : svg;
}

/**
 * @param {Cell} cell
 * @param {Grid} grid
 * @param {number[]} centre
 * @param {import("./pieces.js").Style} style
 * @param {Options} options
 * @param {boolean} lined
 */
function drawCell(cell, grid, [x, y], style, options, lined) {
  const ready = options.next?.has(cell.id), chosen = options.chosen?.includes(cell.id);
  const classes = [
    "cell", grid.shape === "squares" && (cell.column + cell.row) % 2 ? "dark" : "", cell.mark ? `mark-${cell.mark}` : "",
    ready ? "ready" : "", chosen ? "chosen" : "", lined ? "point" : "",
  ].filter(Boolean).join(" ");
  const shape = lined
    ? s("circle.shape", { cx: x, cy: y, r: cell.items.length ? 36 : 24 })
    : grid.shape === "hexes"
      ? s("path.shape", { d: `M${[0, 1, 2, 3, 4, 5].map((n) => corner(x, y, n)).join("L")}Z` })
      : s("rect.shape", { x: x - UNIT / 2, y: y - UNIT / 2, width: UNIT, height: UNIT });
  const size = grid.shape === "hexes" ? 0.86 : 0.94;
  const standing = [...cell.ground, ...[...cell.items].reverse()].map((item) => {
    const drawn = piece(item, style);
    return drawn && s("g.piece", { transform: `translate(${x - 50 * size} ${y - 50 * size}) scale(${size})` }, drawn);
  });
  const signs = [
    cell.mark ? s("circle.last", { cx: x + 36 * size, cy: y - 36 * size, r: 6 }) : null,
    ready ? s("circle.dot", { cx: x, cy: y, r: 13 }) : null,
  ];
  return s("g", {
    class: classes, "data-place": cell.id, "data-x": x, "data-y": y,
    ...(options.onPlace ? { role: "button", tabindex: -1, "aria-label": spokenCell(cell, ready, chosen) } : {}),
  }, shape, standing, signs);
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} n
 */
function corner(x, y, n) {
  const angle = (Math.PI / 3) * n + Math.PI / 6;
  return `${(x + HEX * Math.cos(angle)).toFixed(1)} ${(y + HEX * Math.sin(angle)).toFixed(1)}`;
}

/**
 * What somebody hears who does not see the cell.
 * @param {Cell} cell
 * @param {boolean | undefined} ready
 * @param {boolean | undefined} chosen
 */
function spokenCell(cell, ready, chosen) {
  const items = [...cell.items, ...cell.ground].filter((item) => item.symbol || item.owner)
    .map((item) => [item.owner, item.kind ?? (item.owner ? "" : item.name)].filter(Boolean).join(" "));
  const state = [chosen ? "chosen" : "", ready ? "can be played" : "", cell.mark === "to" ? "last move" : ""].filter(Boolean);
  return words([cell.id, items.join(" and ") || "empty", ...state].join(", "));
}

/**
 * The lines between cells: those that are there, and those that can be drawn.
 * @param {Grid} grid
 * @param {import("./pieces.js").Style} style
 * @param {Options} options
 */
function drawEdges(grid, style, options) {
  /** @param {number[]} corner */
  const at = ([x, y]) => [(x - 0.5) * UNIT, (y - 0.5) * UNIT];
  /**
   * @param {number[]} start
   * @param {number[]} end
   */
  const path = (start, end) => `M${at(start)}L${at(end)}`;
  const there = grid.edges.map((edge) => s("path", { d: path(edge.start, edge.end), class: `edge ${edge.mark ? "last" : ""}` }));
  const able = [...(options.next ?? [])].filter((place) => place.startsWith("line ")).map((place) => {
    const [a, b, c, d] = place.split(" ").slice(1).map(Number);
    const [x, y] = at([(a + c) / 2, (b + d) / 2]);
    const [start, end] = [at([a, b]), at([c, d])];
    const [wide, high] = [(end[1] - start[1]) / 3, (end[0] - start[0]) / 3]; // a diamond around the line is easy to hit
    return s("g.edge-place", { "data-place": place, "data-x": x, "data-y": y, role: "button", tabindex: -1, "aria-label": `draw ${place}` },
      s("path.able", { d: path([a, b], [c, d]) }), s("path.touch", { d: `M${start}L${x + wide} ${y - high}L${end}L${x - wide} ${y + high}Z` }));
  });
  return [...able, ...there];
}

/**
 * The names of columns and rows.
 * @param {Grid} grid
 * @param {Map<string, number[]>} centres
 * @param {number} half
 * @param {boolean} hexes
 */
function labels(grid, centres, half, hexes) {
  /** @type {SVGElement[]} */
  const found = [];
  const last = grid.rows.length - 1;
  grid.rows.forEach((label, row) => {
    const here = grid.cells.filter((cell) => cell.row === row).map((cell) => /** @type {number[]} */ (centres.get(cell.id)));
    if (!here.length) return;
    const x = hexes ? Math.min(...here.map(([at]) => at)) : 0;
    found.push(s("text.label", { x: x - half - 14, y: here[0][1] + 2 }, label));
  });
  grid.columns.forEach((label, column) => {
    const x = hexes ? (column + (grid.slant * last) / 2) * UNIT + (grid.slant * UNIT) / 4 : column * UNIT;
    const y = (hexes ? last * UNIT * Math.sqrt(0.75) : last * UNIT) + half + 18;
    if (!hexes || grid.cells.some((cell) => cell.row === last && cell.column === column)) found.push(s("text.label", { x, y }, label));
  });
  return found;
}

/**
 * @param {{ from: string | null, to: string, weight: number }} arrow
 * @param {Map<string, number[]>} centres
 */
function drawArrow(arrow, centres) {
  const to = centres.get(arrow.to), from = arrow.from === null ? undefined : centres.get(arrow.from);
  if (!to) return null;
  const drawn = { opacity: 0.35 + 0.6 * arrow.weight };
  if (!from) return s("circle.wish", { cx: to[0], cy: to[1], r: 30, ...drawn });
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const [dx, dy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const [x, y] = [to[0] - dx * 18, to[1] - dy * 18];
  const head = `M${x + dx * 18} ${y + dy * 18}L${x - dx * 12 - dy * 14} ${y - dy * 12 + dx * 14}L${x - dx * 12 + dy * 14} ${y - dy * 12 - dx * 14}Z`;
  return s("g", drawn, s("path.shaft", { d: `M${from}L${x - dx * 8} ${y - dy * 8}` }), s("path.head", { d: head }));
}

/**
 * Facts that are on no grid.
 * @param {Group} group
 * @param {import("./pieces.js").Style} style
 */
function drawGroup(group, style) {
  const title = words(group.name);
  if (group.kind === "turn" || group.kind === "counter") {
    return h("p.fact", {}, `${title}: `, group.entries.map((entry) => valued(entry.values, style)));
  }
  if (group.kind === "table") {
    return h("table.facts", {}, h("caption", {}, title), h("tbody", {}, group.entries.map((entry) =>
      h("tr", {}, h("th", { scope: "row" }, valued([entry.label], style)), h("td", {}, heap(entry.values) ?? valued(entry.values, style))))));
  }
  if (group.kind === "piles") {
    return h("div.piles", {}, h("p", {}, title), h("div.row", {}, group.entries.map((entry) =>
      h("div.pile", {}, [...entry.values].map((value) => h("span.chip", {}, words(value))), h("b", {}, words(entry.label))))));
  }
  const values = group.entries.map((entry) => h("span.chip", {}, words([entry.label, ...entry.values].filter(Boolean).join(" "))));
  return h("div.set", {}, h("p", {}, title), h("div.chips", {}, values));
}

/**
 * A number of things as that many dots, where that can be taken in at a glance.
 * @param {string[]} values
 */
function heap(values) {
  const count = values.length === 1 && /^\d{1,2}$/.test(values[0]) ? Number(values[0]) : 0;
  if (count < 1 || count > 12) return null;
  return h("span.heap", {}, `${count} `, h("span", { "aria-hidden": "true" }, "●".repeat(count)));
}

/**
 * @param {string[]} values
 * @param {import("./pieces.js").Style} style
 */
function valued(values, style) {
  return values.map((value) => {
    const colour = style.colours.get(value);
    const dot = colour && h("i.dot", { "aria-hidden": "true" });
    if (colour) dot.style.background = colour.fill;
    return h("span.value", {}, dot, words(value), " ");
  });
}

/**
 * Clicks and keys: Tab comes to the board, arrows go from place to place, Enter and the space bar choose.
 * @param {HTMLElement} element
 * @param {(place: string) => void} onPlace
 */
function wire(element, onPlace) {
  const places = /** @type {SVGElement[]} */ ([...element.querySelectorAll("[data-place]")]);
  const first = places.find((place) => place.classList.contains("ready")) ?? places[0];
  first?.setAttribute("tabindex", "0");
  element.addEventListener("click", (event) => {
    const place = /** @type {Element} */ (event.target).closest("[data-place]");
    if (place) onPlace(/** @type {string} */ (place.getAttribute("data-place")));
  });
  element.addEventListener("keydown", (event) => {
    const place = /** @type {Element} */ (event.target).closest("[data-place]");
    if (!place) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onPlace(/** @type {string} */ (place.getAttribute("data-place")));
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = nearest(places, place, way);
    if (next) focusOn(element, /** @type {string} */ (next.getAttribute("data-place")));
  });
}

/**
 * Pieces can be dragged as well.
 * @param {HTMLElement} element
 * @param {(from: string, to: string) => void} onDrag
 */
function wireDrag(element, onDrag) {
  /** @type {string | null | undefined} */
  let from;
  /** @param {PointerEvent} event */
  const placeAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-place]")?.getAttribute("data-place");
  element.addEventListener("pointerdown", (event) => { from = placeAt(event); });
  element.addEventListener("pointerup", (event) => {
    const to = placeAt(event);
    if (from && to && from !== to) onDrag(from, to);
    from = undefined;
  });
}

/**
 * The nearest place in a direction.
 * @param {Element[]} places
 * @param {Element} from
 * @param {number[]} way
 */
function nearest(places, from, [dx, dy]) {
  /** @param {Element} place */
  const at = (place) => [Number(place.getAttribute("data-x")), Number(place.getAttribute("data-y"))];
  const [x, y] = at(from);
  const same = places.filter((place) => place.closest("svg") === from.closest("svg"));
  const scored = same.map((place) => {
    const [px, py] = at(place);
    const along = (px - x) * dx + (py - y) * dy, aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    return { place, along, cost: along + 2 * aside };
  }).filter(({ place, along }) => place !== from && along > 1).sort((a, b) => a.cost - b.cost);
  return scored[0]?.place;
}

/**
 * Bring the focus to a place; true if it is there.
 * @param {Element} element
 * @param {string} id
 */
export function focusOn(element, id) {
  const places = [...element.querySelectorAll("[data-place]")];
  const wanted = /** @type {SVGElement | undefined} */ (places.find((place) => place.getAttribute("data-place") === id));
  if (!wanted) return false;
  for (const place of places) place.setAttribute("tabindex", place === wanted ? "0" : "-1");
  wanted.focus();
  return true;
}
