// What the players told of their moves, step by step: expected goals, time, simulations.

import { h, s, words } from "./dom.js";

const WIDE = 320, HIGH = 110, ROOM = 30;
/** @type {[string, (step: any, role: number) => number | undefined][]} */
const KINDS = [
  ["expected goal", (step, role) => step.reports?.[role]?.expected],
  ["seconds used", (step, role) => (step.seconds?.[role] > 0 ? step.seconds[role] : undefined)],
  ["simulations", (step, role) => step.reports?.[role]?.simulations || undefined],
];

/**
 * @param {import("./viewer.js").Header} header
 * @param {import("./viewer.js").Step[]} steps
 * @param {Map<string, import("./colours.js").Colour>} colours
 * @param {(step: number) => void} go
 */
export function chart(header, steps, colours, go) {
  const charts = KINDS.map(([title, value]) => {
    const lines = header.roles.map((_, role) => steps.map((step, n) => [n, value(step, role)]).filter(([, y]) => y !== undefined));
    const most = Math.max(0, ...lines.flat().map(([, y]) => /** @type {number} */ (y)));
    if (!lines.flat().length) return null;
    const top = title === "expected goal" ? Math.max(100, most) : most || 1;
    /** @param {number[]} point */
    const at = ([x, y]) => [ROOM + ((WIDE - ROOM - 6) * x) / Math.max(1, steps.length - 1), 6 + (HIGH - 12) * (1 - y / top)];
    const drawn = lines.flatMap((points, role) => {
      const colour = colours.get(header.roles[role]);
      const places = points.map((point) => at(/** @type {number[]} */ (point)));
      const line = places.length > 1 && s("polyline", { points: places.join(" "), stroke: colour?.fill, class: "line" });
      const under = places.length > 1 && s("polyline", { points: places.join(" "), stroke: colour?.edge, class: "under" });
      return [under, line, ...places.map(([x, y]) => s("circle", { cx: x, cy: y, r: 2.4, fill: colour?.fill, stroke: colour?.edge }))];
    });
    const svg = s("svg.chart", {
      viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${title} by step`,
      onclick: (/** @type {MouseEvent} */ event) => {
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * WIDE;
        go(Math.round(((x - ROOM) / (WIDE - ROOM - 6)) * Math.max(1, steps.length - 1)));
      },
    }, s("path.axis", { d: `M${ROOM} 6V${HIGH - 6}H${WIDE - 6}` }), s("text", { x: ROOM - 3, y: 12, class: "end" }, short(top)),
    s("text", { x: ROOM - 3, y: HIGH - 6, class: "end" }, "0"), drawn);
    return h("figure", {}, h("figcaption", {}, title), svg);
  }).filter(Boolean);
  if (!charts.length) return h("p.note", {}, "The players have told nothing that could be drawn.");
  const names = header.roles.filter((_, n) => !header.chance[n]).map((role) => {
    const sign = h("i.dot", { "aria-hidden": "true" });
    sign.style.background = colours.get(role)?.fill ?? "";
    return h("span.value", {}, sign, words(role), " ");
  });
  return h("div", {}, h("p", {}, names), charts);
}

/** @param {number} value */
function short(value) {
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e3 ? `${(value / 1e3).toFixed(0)}k` : value >= 10 ? value.toFixed(0) : value.toFixed(1);
}
