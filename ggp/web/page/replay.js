// A record: stepped through, charted, analysed, and played on from.

import { fill, h, words } from "./dom.js";
import { setUp } from "./lobby.js";
import { get } from "./net.js";
import { Viewer } from "./viewer.js";

/**
 * @param {HTMLElement} place
 * @param {string[]} parts the name of the file
 */
export function show(place, [name]) {
  /** @type {Viewer | null} */
  let viewer = null;
  let gone = false;
  fill(place, h("p.note", {}, "reading the record …"));
  const path = `/api/records/${encodeURIComponent(name)}`;
  get(path).then((header) => {
    if (gone) return;
    viewer = new Viewer(place, header, {
      where: (step) => ({ record: name, step }),
      board: (step) => get(`${path}/board/${step}`),
      branch: (step) => setUp({}, `${words(header.game)}, from step ${step}`, { branch: { record: name, step } }, header.roles),
    });
    const good = header.complaints.length === 0;
    viewer.status.textContent = `${new Date(header.time).toLocaleString()}, ${header.ending}${good ? ", verified by the rules" : ""}`;
    fill(viewer.choices, header.complaints.map((/** @type {string} */ text) => h("p.problem", {}, text)));
    const goals = header.goals?.map((/** @type {number} */ goal) => `${goal} points`) ?? [];
    viewer.onShown = () => viewer?.drawPeople(goals);
    viewer.extend(0, header.steps, undefined);
    viewer.go(0);
  }, (error) => fill(place, h("h1", {}, "Record"), h("p.problem", {}, error.message), h("p", {}, h("a", { href: "#/records" }, "All records"))));
  return () => { gone = true; viewer?.close(); };
}
