// The records of the folder, the newest first.

import { fill, h, table, words } from "./dom.js";
import { get } from "./net.js";

const HEAD = ["date", "game", "players", "goals", "moves", "ending", "faults"];

/** @param {HTMLElement} place */
export function show(place) {
  get("/api/records").then(({ records, count }) => fill(place, h("h1", {}, "Records"),
    h("p.lead", {}, records.length ? `${count} matches in this folder${count > records.length ? `, the newest ${records.length} are listed` : ""}.` : "No match has been recorded in this folder yet."),
    records.length ? table("records", HEAD, records.map(row)) : null));
}

/** @param {any} record */
function row(record) {
  if (record.problem) return ["", h("span.problem", {}, record.problem), "", "", "", "", ""];
  return [new Date(record.time).toLocaleString(), h("a", { href: `#/record/${encodeURIComponent(record.file)}` }, words(record.game)), record.players.join(", "),
    (record.goals ?? ["–"]).join(" "), record.moves, record.ending, record.faults || ""];
}
