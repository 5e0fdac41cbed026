// The top of the search's graph: the position that is looked at, what follows it, and all ways that lead to it.

import { fill, h, s } from "./dom.js";

/**
 * @typedef {{ to: number, moves: string[], said: string, visits: number, means: number[] }} Way
 * @typedef {{ visits: number, rest: number, exact: number[] | null, end: boolean, ways: Way[] }} Spot
 * @typedef {{ node: number, x: number, y: number, way: Way | null, from: number }} Seat  where a node is drawn, and the way by which it is shown
 */

const LEVELS = [1, 6, 9];
const WIDE = 190, HIGH = 40, GAP = 70, ROOM = 10, LETTERS = 25;

/**
 * @param {Spot[]} graph
 * @param {boolean[]} chance which roles are no players
 * @param {(line: Way[]) => void} look the position after some joint moves is looked at
 */
export function graphView(graph, chance, look) {
  const into = waysInto(graph);
  const element = h("div.graph", {});
  /** @param {Way[]} trail the joint moves from the root to the position that is looked at */
  const walk = (trail) => {
    const focus = trail.at(-1)?.to ?? 0;
    const seats = arrange(graph, focus);
    const go = (/** @type {number} */ node) => { walk([...trail, ...pathTo(seats, node)]); look([...trail, ...pathTo(seats, node)]); element.querySelector("[data-node]")?.focus(); };
    const back = (/** @type {Way[]} */ line) => { walk(line); look(line); };
    const others = into[focus].length > 1 ? into[focus].map(({ from, way }) => [...shortest(graph, into, from), way]) : [];
    fill(element,
      h("p.chips", { role: "group", "aria-label": "moves to this position" }, h("button.chip", { onclick: () => back([]) }, "start"),
        trail.map((way, n) => h("button.chip", { onclick: () => back(trail.slice(0, n + 1)) }, way.said))),
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "top of the graph" }, drawn(graph, seats, into, chance, go)),
      others.length ? h("p.note", {}, `${others.length} ways lead to this position:`) : null,
      others.length ? h("p.chips.ways", {}, others.map((line) => h("button.chip", { onclick: () => back(line) }, line.map((way) => way.said).join(", ")))) : null);
  };
  walk([]);
  return element;
}

/**
 * For each node the edges that lead to it.
 * @param {Spot[]} graph
 */
function waysInto(graph) {
  const into = graph.map(() => /** @type {{ from: number, way: Way }[]} */ ([]));
  graph.forEach((spot, from) => spot.ways.forEach((way) => into[way.to].push({ from, way })));
  return into;
}

/**
 * The nodes that are drawn: level by level the most visited ones that follow.
 * @param {Spot[]} graph
 * @param {number} focus
 */
function arrange(graph, focus) {
  /** @type {Map<number, Seat>} */
  const seats = new Map([[focus, { node: focus, x: ROOM, y: ROOM, way: null, from: -1 }]]);
  let last = [focus];
  LEVELS.slice(1).forEach((most, level) => {
    const following = last.flatMap((from) => graph[from].ways.map((way) => ({ from, way }))).sort((a, b) => b.way.visits - a.way.visits);
    last = [];
    for (const { from, way } of following) {
      if (seats.has(way.to) || last.length >= most) continue;
      seats.set(way.to, { node: way.to, x: ROOM + (level + 1) * (WIDE + GAP), y: ROOM + last.length * (HIGH + ROOM), way, from });
      last.push(way.to);
    }
  });
  return seats;
}

/**
 * The edges by which a node was reached from the one that is looked at.
 * @param {Map<number, Seat>} seats
 * @param {number} node
 */
function pathTo(seats, node) {
  /** @type {Way[]} */
  const path = [];
  for (let seat = seats.get(node); seat?.way; seat = seats.get(seat.from)) path.unshift(seat.way);
  return path;
}

/**
 * A shortest line from the root to a node.
 * @param {Spot[]} graph
 * @param {{ from: number, way: Way }[][]} into
 * @param {number} wanted
 */
function shortest(graph, into, wanted) {
  const reached = new Map([[0, /** @type {Way[]} */ ([])]]);
  for (const [node, line] of reached) { // a map goes on with what is added to it
    if (node === wanted) return line;
    for (const way of graph[node].ways) if (!reached.has(way.to)) reached.set(way.to, [...line, way]);
  }
  return [];
}

/**
 * @param {Spot[]} graph
 * @param {Map<number, Seat>} seats
 * @param {{ from: number, way: Way }[][]} into
 * @param {boolean[]} chance
 * @param {(node: number) => void} go
 */
function drawn(graph, seats, into, chance, go) {
  const most = Math.max(1, ...[...seats.keys()].flatMap((node) => graph[node].ways.map((way) => way.visits)));
  const edges = [...seats.values()].flatMap((seat) => graph[seat.node].ways.flatMap((way) => {
    const end = seats.get(way.to);
    if (!end || end.x <= seat.x) return [];
    const [x1, y1, y2] = [seat.x + WIDE, seat.y + HIGH / 2, end.y + HIGH / 2], middle = (x1 + end.x) / 2;
    return s("path.way", { d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${end.x} ${y2}`, "stroke-width": (0.7 + (4 * way.visits) / most).toFixed(1) }, s("title", {}, way.said));
  }));
  const nodes = [...seats.values()].map((seat) => {
    const spot = graph[seat.node], ways = into[seat.node].length;
    const means = seat.way?.means.filter((_, role) => !chance[role]).map((mean) => mean.toFixed(0)).join("/");
    const sure = spot.exact ? `${spot.end ? "end" : "proven"} ${spot.exact.filter((_, role) => !chance[role]).join("/")}` : means;
    const title = seat.way?.said ?? "this position";
    const numbers = [(seat.way?.visits ?? spot.visits).toLocaleString(), sure, ways > 1 ? `${ways} ways` : ""].filter(Boolean).join(" · ");
    return s("g.node", {
      "data-node": seat.node, class: ways > 1 ? "met" : null, tabindex: 0, role: "button", "aria-label": `${title}: ${numbers}`,
      transform: `translate(${seat.x} ${seat.y})`, onclick: () => go(seat.node),
      onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(seat.node); } },
    }, s("title", {}, title), s("rect", { width: WIDE, height: HIGH, rx: 6 }),
    s("text", { x: 8, y: 16 }, title.length > LETTERS ? `${title.slice(0, LETTERS - 1)}…` : title), s("text.numbers", { x: 8, y: 32 }, numbers));
  });
  const right = Math.max(...[...seats.values()].map((seat) => seat.x)) + WIDE + ROOM, down = Math.max(...[...seats.values()].map((seat) => seat.y)) + HIGH + ROOM;
  return s("svg", { viewBox: `0 0 ${right} ${down}`, width: right, height: down, role: "group", "aria-label": "most visited positions" }, edges, nodes);
}
