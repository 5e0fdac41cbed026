// The games: small boards to choose from, and who plays.

import { drawBoard } from "./board.js";
import { fill, h, notice, words } from "./dom.js";
import { get, post } from "./net.js";

/**
 * @typedef {{ name: string, title: string, kind: string, tags: string[], length: string }} Game
 * @typedef {{ game?: string, text?: string }} Wanted
 */

export const PLAYERS = [
  ["me", "you"], ["guest", "somebody else, by a link"], ["ucd", "ucd, the strongest"], ["ucd:simulations=2000", "ucd, thinking little"],
  ["uct", "uct"], ["mc", "mc: flat Monte Carlo"], ["greedy", "greedy"], ["random", "random"], ["legal", "legal: the first move"],
];
/** What most people know comes first, what only tests machines last. */
const FIRST = ["connect_four", "chess", "othello", "hex_9x9", "english_draughts", "go_9x9", "breakthrough", "tic_tac_toe", "merrills", "tron", "roshambo", "sokoban"];
const LAST = /^stress_/;

/** @param {Game} game */
function rank(game) {
  if (game.kind === "yours") return -1;
  const known = FIRST.indexOf(game.name);
  return known >= 0 ? known : FIRST.length + Number(LAST.test(game.name));
}

/**
 * @param {HTMLElement} place
 * @param {string[]} parts the game to set up, if any
 */
export function show(place, parts) {
  const search = h("input", { type: "search", placeholder: "Search: chess, race, simultaneous …", "aria-label": "Search games" });
  const list = h("ul.games", {});
  const file = h("input", { type: "file", accept: ".kif,.gdl,.txt", "aria-label": "A file of rules from this computer" });
  fill(place, h("h1", {}, "Play a game"),
    h("p.lead", {}, "Any game written in GDL. The boards are found from the rules alone."),
    h("div.bar", {}, search, h("label.file", {}, "or your own file: ", file)), list);
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      preview(entry.target);
    }
  }, { rootMargin: "200px" });
  /** @type {Game[]} */
  let games = [];
  const draw = () => {
    const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    /** @param {Game} game */
    const fits = (game) => asked.every((/** @type {string} */ word) => `${game.title} ${game.name} ${game.kind} ${game.tags.join(" ")}`.toLowerCase().includes(word));
    const found = games.filter(fits);
    fill(list, found.length ? found.map(card) : h("li.note", {}, "No game fits that."));
    for (const picture of list.querySelectorAll("[data-game]")) seen.observe(picture);
  };
  search.addEventListener("input", draw);
  file.addEventListener("change", () => {
    if (file.files[0]) take(file.files[0]);
    file.value = ""; // else the same file, mended, could not be chosen again
  });
  place.ondragover = (event) => event.preventDefault();
  place.ondrop = (event) => {
    event.preventDefault();
    const dropped = event.dataTransfer?.files[0];
    if (dropped) take(dropped);
  };
  get("/api/games").then((answer) => {
    games = answer.games.sort((/** @type {Game} */ a, /** @type {Game} */ b) => rank(a) - rank(b));
    draw();
    if (parts[0]) setUp({ game: parts[0] }, words(parts[0]));
  });
  return () => { seen.disconnect(); place.ondragover = place.ondrop = null; };
}

/** @param {Game} game */
function card(game) {
  return h("li", {}, h("button.card", { onclick: () => setUp({ game: game.name }, game.title) },
    h("span.picture", { "data-game": game.name, "aria-hidden": "true" }), h("b", {}, game.title), h("small", {}, game.kind)));
}

/** @param {Element} picture */
async function preview(picture) {
  try {
    fill(picture, drawBoard(await get(`/api/games/${picture.getAttribute("data-game")}/board`), { small: true }));
  } catch (error) {
    fill(picture, h("small", {}, /** @type {Error} */ (error).message));
  }
}

/** @param {File} file */
async function take(file) {
  const name = file.name.length > 60 ? `${file.name.slice(0, 59)}…` : file.name;
  if (file.size > 400000) return notice(`${name} is too long for rules`);
  const text = await file.text();
  if (/[\0\uFFFD]/.test(text)) return notice(`${name} is no text in UTF-8`);
  try {
    await setUp({ text }, name);
  } catch (error) {
    notice(/** @type {Error} */ (error).message.replaceAll("your_game.kif", name));
  }
}

/**
 * Ask who plays, and begin.
 * @param {Wanted} wanted
 * @param {string} title
 * @param {object} [more] further wishes for the match
 */
export async function setUp(wanted, title, more = {}) {
  const { roles, programs, hall } = await post("/api/seats", { ...wanted, ...more });
  const deciding = roles.filter((/** @type {string} */ role) => role !== "random");
  const dialog = h("dialog", { "aria-labelledby": "setup-title" });
  const choices = [...PLAYERS, ...programs.map((/** @type {string} */ spec) => [spec, `${spec.split(":")[1]}, which plays this game only`]),
    ...(hall?.players ?? []).map((/** @type {any} */ player) => [player.address, `${player.name}, announced here`])];
  const selects = deciding.map((/** @type {string} */ role, /** @type {number} */ n) =>
    h("select", { id: `seat-${n}`, name: role }, choices.map(([value, text]) => h("option", { value, selected: value === (n ? "ucd" : "me") }, text)),
      h("option", { value: "other" }, "other …")));
  const others = deciding.map((/** @type {string} */ role) =>
    h("input", { hidden: true, maxlength: 200, placeholder: "ucd:seconds=5 or http://localhost:9147", "aria-label": `player for ${role}` }));
  selects.forEach((/** @type {HTMLSelectElement} */ select, /** @type {number} */ n) =>
    select.addEventListener("change", () => { others[n].hidden = select.value !== "other"; }));
  const seconds = h("input", { id: "clock", type: "number", min: 0.1, max: 3600, step: "any", value: 1 });
  const timed = h("input", { id: "timed", type: "checkbox" });
  const name = h("input", { id: "name", maxlength: 40, value: stored("name"), placeholder: "human", autocomplete: "nickname" });
  const problem = h("p.problem", { role: "alert" });
  const start = async () => {
    const chosen = selects.map((/** @type {HTMLSelectElement} */ select, /** @type {number} */ n) => (select.value === "other" ? others[n].value : select.value));
    const players = chosen.map((/** @type {string} */ value) => (value === "me" || value === "guest" ? "human" : value));
    const names = chosen.map((/** @type {string} */ value) => (value === "me" ? name.value : ""));
    store("name", name.value);
    try {
      const made = await post("/api/matches", { ...wanted, ...more, players, names, playclock: Number(seconds.value), timed: timed.checked });
      /** @type {string[][]} */
      const [mine, invited] = [[], []];
      for (const [role, key] of Object.entries(made.keys)) {
        const seat = deciding.indexOf(roles[Number(role)]);
        (chosen[seat] === "me" ? mine : invited).push(key);
      }
      dialog.close();
      location.hash = `#/match/${made.id}/${mine.join(",")}${invited.length ? `/${invited.join(",")}` : ""}`;
    } catch (error) {
      problem.textContent = /** @type {Error} */ (error).message;
    }
  };
  fill(dialog, h("form", { method: "dialog", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); start(); } },
    h("h2", { id: "setup-title" }, title),
    deciding.map((/** @type {string} */ role, /** @type {number} */ n) => h("p", {}, h("label", { for: `seat-${n}` }, words(role)), selects[n], others[n])),
    h("p", {}, h("label", { for: "clock" }, "seconds for a move of a program"), seconds),
    h("p", {}, h("label", { for: "timed" }, "people have that clock, too"), timed),
    h("p", {}, h("label", { for: "name" }, "your name"), name), problem,
    h("p.buttons", {}, h("button.main", { type: "submit" }, "Start"),
      h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      wanted.game ? h("a", { href: `#/studio/${wanted.game}`, onclick: () => dialog.close() }, "the rules") : null)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("button.main")?.focus();
}

/** @param {string} key */
function stored(key) {
  try { return localStorage.getItem(`ggp-${key}`) ?? ""; } catch { return ""; }
}

/**
 * @param {string} key
 * @param {string} value
 */
function store(key, value) {
  try { localStorage.setItem(`ggp-${key}`, value); } catch { /* a browser that keeps nothing */ }
}
