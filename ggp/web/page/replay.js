// A record: stepped through, charted, analysed, and played on from; watched while it is still being written.

import { fill, h, words } from "./dom.js";
import { setUp } from "./lobby.js";
import { get, live } from "./net.js";
import { Viewer } from "./viewer.js";

/**
 * @param {HTMLElement} place
 * @param {string[]} parts the name of the file
 */
export function show(place, [name]) {
  /** @type {Viewer | null} */
  let viewer = null;
  /** @type {(() => void) | null} */
  let closing = null;
  let gone = false;
  fill(place, h("p.note", {}, "reading the record …"));
  const path = `/api/records/${encodeURIComponent(name)}`;

  get(path).then((header) => {
    if (gone) return;
    const made = viewer = new Viewer(place, header, {
      where: (step) => ({ record: name, step }),
      board: (step) => get(`${path}/board/${step}`),
      branch: (step) => setUp({}, `${words(header.game)}, from step ${step}`, { branch: { record: name, step } }),
    });
    made.onShown = () => made.drawPeople(header.goals?.map((/** @type {number} */ goal) => `${goal} points`) ?? []);
    tell(made, header);
    made.extend(0, header.steps, undefined);
    if (header.ending === "partial") closing = follow(made, header);
    else made.go(0);
  }, (error) => fill(place, h("h1", {}, "Record"), h("p.problem", {}, error.message), h("p", {}, h("a", { href: "#/records" }, "All records"))));

  /**
   * Show each new step as soon as it is written.
   * @param {Viewer} viewer
   * @param {any} header
   */
  const follow = (viewer, header) => live(`${path}/live`, { keys: [] }, {
    message: ({ status, from, steps, board }) => {
      Object.assign(header, status);
      if (steps.length || from < viewer.steps.length) viewer.extend(from, steps, board ?? undefined);
      tell(viewer, header);
      viewer.onShown();
      if (status.over) closing?.();
    },
    state: (connected, reason) => { if (!connected) viewer.status.textContent = reason ? `Not connected: ${reason}` : "The connection is lost; trying again …"; },
  });

  return () => { gone = true; closing?.(); viewer?.close(); };
}

/**
 * @param {Viewer} viewer
 * @param {any} header
 */
function tell(viewer, header) {
  const { time, ending, reason, complaints } = header;
  const state = ending === "partial" ? "not over yet" : `${ending}${reason ? ` (${reason})` : ""}${complaints.length ? "" : ", verified by the rules"}`;
  viewer.status.textContent = `${new Date(time).toLocaleString()}, ${state}`;
  fill(viewer.choices, complaints.map((/** @type {string} */ text) => h("p.problem", {}, text)));
}
