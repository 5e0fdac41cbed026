// The records of the folder, the newest first.

import { fill, h, words } from "./dom.js";
import { get } from "./net.js";

/** @param {HTMLElement} place */
export async function fillIn(place) {
  const { records, count } = await get("/api/records");
  const head = ["date", "game", "players", "goals", "moves", "ending", "faults"];
  fill(place, h("h1", {}, "Records"),
    h("p.lead", {}, records.length ? `${count} matches in this folder${count > records.length ? `, the newest ${records.length} are listed` : ""}.` : "No match has been recorded in this folder yet."),
    records.length ? h("div.scroll", { tabindex: 0, role: "region", "aria-label": "records" }, h("table.list", {}, h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, records.map(row)))) : null);
}

/** @param {any} record */
function row(record) {
  if (record.problem) return h("tr", {}, h("td", {}, ""), h("td", { colspan: 6 }, h("span.problem", {}, record.problem)));
  return h("tr", {}, h("td", {}, new Date(record.time).toLocaleString()),
    h("td", {}, h("a", { href: `#/record/${encodeURIComponent(record.file)}` }, words(record.game))), h("td", {}, record.players.join(", ")),
    h("td", {}, (record.goals ?? ["–"]).join(" ")), h("td", {}, record.moves), h("td", {}, record.ending), h("td", {}, record.faults || ""));
}

/** @param {HTMLElement} place */
export function show(place) {
  fillIn(place);
}
