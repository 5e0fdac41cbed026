// Which relation uses which: each stands right of those that it uses, and each stratum has a ground of its own.

import { fill, h, s } from "./dom.js";

/**
 * @typedef {{ name: string, arity: number, column: number, row: number, stratum: number, kind: string, recursive: boolean, at: number }} Relation
 * @typedef {{ from: number, to: number, negative: boolean }} Use
 * @typedef {{ nodes: Relation[], edges: Use[] }} Picture
 */

const WIDE = 132, HIGH = 26, ACROSS = 56, DOWN = 12, TOP = 26, LETTERS = 17;

/**
 * @param {Picture} picture
 * @param {(at: number) => void} goTo where a relation is defined
 */
export function dependencyView(picture, goTo) {
  const { nodes, edges } = picture;
  const told = h("p.note", { role: "status" });
  const right = Math.max(...nodes.map((node) => left(node) + WIDE)) + ACROSS / 2, bottom = Math.max(...nodes.map((node) => top(node) + HIGH)) + DOWN;
  const lines = edges.map((edge) => s("path.use", { class: edge.negative ? "negative" : null, d: curve(nodes[edge.from], nodes[edge.to]) }));
  /** @param {number} at the relation that is looked at: its edges stand out */
  const look = (at) => {
    const uses = edges.filter((edge) => edge.from === at), users = edges.filter((edge) => edge.to === at);
    edges.forEach((edge, n) => lines[n].classList.toggle("seen", edge.from === at || edge.to === at));
    fill(told, h("b", {}, title(nodes[at])), ` uses ${named(nodes, uses, "to")}; used by ${named(nodes, users, "from")}`);
  };
  const boxes = nodes.map((node, n) => {
    const go = () => { look(n); if (node.at >= 0) goTo(node.at); };
    return s("g.relation", {
      class: node.kind, tabindex: 0, role: "button", "aria-label": `${title(node)}, stratum ${node.stratum}${node.recursive ? ", recursive" : ""}`,
      transform: `translate(${left(node)} ${top(node)})`, onclick: go, onfocus: () => look(n), onpointerenter: () => look(n),
      onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } },
    }, s("rect", { width: WIDE, height: HIGH, rx: 5, class: node.recursive ? "recursive" : null }), s("title", {}, title(node)),
    s("text", { x: 7, y: 17 }, shortened(title(node)) + (node.recursive ? " ↻" : "")));
  });
  return [
    h("p.note", {}, "An arrow leads from a relation to what it uses. ", h("span.key.negative", {}, "dashed"), ": under ", h("code", {}, "not"), ". ",
      h("span.key.fixed", {}, "always the same"), " ", h("span.key.state", {}, "depends on the position"), " ", h("span.key.moves", {}, "on the moves, too"), " ↻ uses itself."),
    h("div.scroll.uses", { tabindex: 0, role: "region", "aria-label": "which relation uses which" },
      s("svg", { viewBox: `0 0 ${right} ${bottom}`, width: right, height: bottom, role: "group", "aria-label": "relations" },
        s("defs", {}, s("marker", { id: "tip", viewBox: "0 0 8 8", refX: 8, refY: 4, markerUnits: "userSpaceOnUse", markerWidth: 9, markerHeight: 9, orient: "auto-start-reverse" }, s("path.tip", { d: "M0 0L8 4L0 8Z" }))),
        strata(nodes, bottom), lines, boxes)),
    told,
  ];
}

/** @param {Relation} node */
function left(node) {
  return ACROSS / 2 + node.column * (WIDE + ACROSS);
}

/** @param {Relation} node */
function top(node) {
  return TOP + node.row * (HIGH + DOWN);
}

/** @param {Relation} node */
function title(node) {
  return `${node.name}/${node.arity}`;
}

/** @param {string} text */
function shortened(text) {
  return text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text;
}

/**
 * @param {Relation[]} nodes
 * @param {Use[]} edges
 * @param {"from" | "to"} end
 */
function named(nodes, edges, end) {
  return edges.map((edge) => (edge.negative ? "not " : "") + nodes[edge[end]].name).join(", ") || "nothing";
}

/**
 * A band behind the columns of each stratum.
 * @param {Relation[]} nodes
 * @param {number} bottom
 */
function strata(nodes, bottom) {
  const last = Math.max(...nodes.map((node) => node.stratum));
  return Array.from({ length: last + 1 }, (_, stratum) => {
    const here = nodes.filter((node) => node.stratum === stratum);
    if (!here.length) return null;
    const from = Math.min(...here.map(left)) - ACROSS / 2, to = Math.max(...here.map(left)) + WIDE + ACROSS / 2;
    return s("g.stratum", { class: stratum % 2 ? "odd" : null }, s("rect", { x: from, y: 0, width: to - from, height: bottom }), s("text", { x: from + 8, y: 17 }, `stratum ${stratum}`));
  });
}

/**
 * The way of an arrow: to the left, within a column around it, and to itself in a loop.
 * @param {Relation} from
 * @param {Relation} to
 */
function curve(from, to) {
  const [x1, y1, y2] = [left(from), top(from) + HIGH / 2, top(to) + HIGH / 2];
  const x2 = left(to) + WIDE;
  if (from === to) return `M${x2} ${y1 - 6}C${x2 + 26} ${y1 - 14} ${x2 + 26} ${y1 + 14} ${x2} ${y1 + 6}`;
  if (to.column >= from.column) return `M${left(from) + WIDE} ${y1}C${x2 + 30} ${y1} ${x2 + 30} ${y2} ${x2} ${y2}`;
  const middle = ACROSS * 0.6;
  return `M${x1} ${y1}C${x1 - middle} ${y1} ${x2 + middle} ${y2} ${x2} ${y2}`;
}
