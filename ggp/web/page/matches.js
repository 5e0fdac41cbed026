// Matches under way: those of this server and those that other commands play and record in the folder; and who is here.

import { fill, h, table, words } from "./dom.js";
import { get } from "./net.js";

/** @param {HTMLElement} place */
export function show(place) {
  const list = h("div", {});
  fill(place, h("h1", {}, "Matches"), h("p.lead", {}, "What is played here, and what ", h("code", {}, "ggp match"), ", ", h("code", {}, "ggp master"), " and others record in this folder. ",
    h("a", { href: "#/records" }, "Records"), " has all that is over, ", h("a", { href: "#/standings" }, "Standings"), " what the players are worth."), list);
  let drawn = "";
  const draw = async () => {
    const found = await get("/api/matches");
    const text = JSON.stringify(found);
    if (text !== drawn) fill(list, sections(found)); // else a link would lose the focus
    drawn = text;
  };
  draw();
  const timer = setInterval(() => draw().catch(() => {}), 2000);
  return () => clearInterval(timer);
}

/** @param {{ matches: any[], elsewhere: any[], hall: any }} found */
function sections({ matches, elsewhere, hall }) {
  const ours = matches.map((match) => ({ ...match, href: `#/match/${match.id}` }));
  const playing = [...ours.filter((match) => !match.over),
    ...elsewhere.map((record) => ({ game: record.game, names: record.players, steps: record.moves, state: "playing elsewhere", href: watching(record.file) }))];
  const over = ours.filter((match) => match.over);
  return [
    playing.length ? rows("Under way", playing) : h("p", {}, "Nothing is being played. ", h("a", { href: "#/" }, "Play a game.")),
    over.length ? rows("Over", over) : null, hall ? players(hall) : null,
  ];
}

/**
 * @param {string} title
 * @param {any[]} matches
 */
function rows(title, matches) {
  return [h("h2", {}, title), table(title, ["game", "players", "steps", "state", "watchers"], matches.map((match) => [
    h("a", { href: match.href }, words(match.game)), match.names.join(", "), match.steps, match.ending || match.state, match.watchers ?? "",
  ]))];
}

/** @param {any} hall what a game server that runs beside the page says of itself */
function players(hall) {
  const title = "Players of this game server";
  return [h("h2", {}, title), h("p.note", {}, `${hall.begun} matches were begun, ${hall.finished} are over.`),
    hall.players.length ? table(title, ["player", "address", "state", "matches"], hall.players.map((/** @type {any} */ player) => [
      player.name, player.address, player.match ? h("a", { href: watching(`${player.match}.json`) }, "playing") : player.status, player.matches,
    ])) : h("p", {}, "No player has announced itself yet.")];
}

/** @param {string} file */
function watching(file) {
  return `#/record/${encodeURIComponent(file)}`;
}
