// What the search thinks of the position that is shown: its moves with bars, and the line that it expects.

import { fill, h, words } from "./dom.js";
import { graphView } from "./graph.js";
import { live, post } from "./net.js";

const TOP = 12;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @returns {{ element: any, moved: () => void, close: () => void }}
 */
export function analysisPanel(viewer) {
  const body = h("div.analysis", {});
  const seconds = h("select", { "aria-label": "seconds of analysis" }, [2, 5, 20, 60].map((n) => h("option", { value: n, selected: n === 5 }, `${n} s`)));
  const button = h("button", { onclick: () => (closing ? finish() : start()) }, "Analyse");
  const graph = h("div", {});
  const element = h("details", {}, h("summary", {}, "Analysis"), h("div.buttons", {}, button, seconds), body, graph);
  /** @type {ReturnType<typeof live> | null} */
  let closing = null;
  let at = -1, looks = 0;

  const stop = () => {
    closing?.();
    closing = null;
    button.textContent = "Analyse";
  };
  /** End the search early: it tells what it has found, its graph as well. */
  const finish = () => {
    button.textContent = "Stopping …";
    try { closing?.say("stop"); } catch { stop(); } // it has not even begun
  };
  const start = () => {
    stop();
    at = viewer.cursor;
    fill(body, h("p.note", {}, "getting ready …"));
    fill(graph);
    button.textContent = "Stop";
    closing = live("/api/analysis/live", { ...viewer.source.where(at), seconds: Number(seconds.value) }, {
      again: false,
      message: (found) => {
        if (found.error) fill(body, h("p.problem", {}, found.error));
        else if (viewer.cursor === at) draw(found);
        if (found.graph && viewer.cursor === at) drawGraph(found);
        if (found.done) stop();
      },
      state: (connected, reason) => {
        if (connected) return;
        stop();
        if (viewer.cursor === at) fill(body, h("p.problem", {}, `The analysis was cut off: ${reason}`));
      },
    });
  };

  /** @param {any} found */
  const draw = (found) => {
    const rate = found.seconds > 0 ? found.simulations / found.seconds : 0;
    fill(body, h("p.note", {}, `${found.simulations.toLocaleString()} simulations in ${found.seconds.toFixed(1)} s, ${Math.round(rate).toLocaleString()} a second${found.solved ? ", solved" : ""}${found.note ? `; ${found.note}` : ""}`),
      found.tables.map((/** @type {any} */ table) => moves(table)),
      found.line.length ? h("p", {}, h("b", {}, "expected: "), found.line.map((/** @type {string} */ move) => h("span.chip", {}, move))) : null);
    const board = viewer.shown;
    viewer.arrows = found.tables.flatMap((/** @type {any} */ table) => table.moves.slice(0, 3).flatMap((/** @type {any} */ row) => {
      const action = board?.legal[table.role]?.find((one) => one.move === row.move);
      const most = Math.max(1, table.moves[0].visits);
      return action?.target ? [{ from: action.source, to: action.target, weight: row.visits / most }] : [];
    }));
    viewer.draw();
  };

  /** @param {any} found */
  const drawGraph = (found) => fill(graph, h("details", {}, h("summary", {}, "Graph of the search"), graphView(found.graph, viewer.header.chance, look)));

  /**
   * Show the position that some joint moves of the search lead to.
   * @param {import("./graph.js").Way[]} line
   */
  const look = async (line) => {
    const step = at, wanted = ++looks;
    const board = line.length ? await post("/api/analysis/board", { ...viewer.source.where(step), line: line.map((way) => way.moves) }) : null;
    if (viewer.cursor === step && wanted === looks) viewer.lookAside(board, line.map((way) => way.said).join(", "));
  };

  /** @param {any} table */
  const moves = (table) => {
    const most = Math.max(1, ...table.moves.map((/** @type {any} */ row) => row.visits));
    return h("table.moves", {}, h("caption", {}, words(viewer.header.roles[table.role])),
      h("thead", {}, h("tr", {}, ["move", "visits", "mean", "95 %", "proven"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, table.moves.slice(0, TOP).map((/** @type {any} */ row) => {
        const bar = h("span.bar", {});
        bar.style.width = `${(100 * row.visits) / most}%`;
        return h("tr", { class: row.chosen ? "best" : null }, h("td", {}, row.move.replace(/^\((.*)\)$/, "$1"), bar), h("td", {}, row.visits.toLocaleString()),
          h("td", {}, row.mean.toFixed(1)), h("td", {}, `${row.low.toFixed(0)}–${row.high.toFixed(0)}`), h("td", {}, row.proven ?? ""));
      })));
  };

  return {
    element,
    moved: () => {
      if (viewer.cursor === at) return;
      const was = closing !== null;
      stop();
      at = -1;
      fill(body);
      fill(graph);
      if (was) start();
    },
    close: stop,
  };
}
