// What the players of the recorded matches are worth.

import { fill, h, table } from "./dom.js";
import { get } from "./net.js";

const HEAD = ["player", "Elo", "matches", "won", "even", "lost", "mean goal", "faults"];

/** @param {HTMLElement} place */
export function show(place) {
  get("/api/standings").then(({ players, matches, records }) => {
    const rated = players.some((/** @type {any} */ line) => line.elo !== null);
    fill(place, h("h1", {}, "Standings"),
      h("p.lead", {}, matches ? `From the newest ${matches} matches that were played to their end, of ${records} records in this folder, whatever the game.` : "No match that is recorded in this folder was played to its end."),
      players.length ? table("standings", HEAD, players.map(row)) : null,
      players.length && !rated ? h("p.note", {}, "There is no Elo: some players never met, not even through others.") : null,
      rated ? h("p.note", {}, "Elo with the half width of its 95 % interval; the mean of all is 0. Whoever has the higher goal has won, against each of the others. Faults are moves that were late, illegal or missing.") : null);
  });
}

/** @param {any} line */
function row(line) {
  const elo = line.elo === null ? "–" : `${line.elo.toFixed(0)} ± ${line.error.toFixed(0)}`;
  return [line.player, elo, line.matches, line.won, line.even, line.lost, line.goal.toFixed(1), line.faults];
}
