// A match of this server: people play it here, others look on.

import { fill, h, notice, words } from "./dom.js";
import { Picker, pathOf } from "./moves.js";
import { get, live, post } from "./net.js";
import { Viewer } from "./viewer.js";
import { setUp } from "./lobby.js";

const FEW = 60;
const HINT = 2;

/**
 * @param {HTMLElement} place
 * @param {string[]} parts the match, the keys of our seats, those of others
 */
export function show(place, [id, mine = "", invited = ""]) {
  let match = /** @type {Match | null} */ (null), gone = false;
  get(`/api/matches/${encodeURIComponent(id)}`).then((header) => {
    if (!gone) match = new Match(place, header, mine.split(",").filter(Boolean), invited.split(",").filter(Boolean));
  }, (error) => fill(place, h("h1", {}, "Match"), h("p", {}, error.message), h("p", {}, h("a", { href: "#/records" }, "Records"))));
  return () => { gone = true; match?.close(); };
}

class Match {
  /**
   * @param {HTMLElement} place
   * @param {any} header
   * @param {string[]} keys
   * @param {string[]} invited
   */
  constructor(place, header, keys, invited) {
    this.header = header;
    this.keys = keys;
    this.looking = 0;
    this.invited = invited;
    this.path = `/api/matches/${encodeURIComponent(header.id)}`;
    /** @type {any} */
    this.status = { state: "", asked: [], chosen: [], mine: [], over: false };
    this.connected = true;
    this.lost = "";
    /** @type {Picker | null} */
    this.picker = null;
    this.viewer = new Viewer(place, header, {
      where: (step) => ({ match: header.id, keys: this.seen, step }),
      board: (step) => post(`${this.path}/board`, { keys: this.seen, step }),
      branch: (step) => setUp({}, `${words(header.game)}, from step ${step}`, { branch: { match: header.id, keys: this.seen, step } }),
    });
    this.viewer.onShown = () => this.prepare();
    /** @type {string | undefined} what the buttons were drawn for */
    this.drawn = undefined;
    this.due = 0;
    this.ticking = setInterval(() => this.drawClock(), 200);
    this.connect();
  }

  /** The keys that are shown to the server: of games with hidden information one at a time. */
  get seen() {
    return this.header.hidden ? this.keys.slice(this.looking, this.looking + 1) : this.keys;
  }

  connect() {
    this.closing?.();
    this.closing = live(`${this.path}/live`, { keys: this.seen }, {
      message: (news) => this.hear(news),
      state: (connected, reason) => {
        this.connected = connected;
        this.lost = reason;
        this.drawStatus();
      },
    });
  }

  /** @param {any} news */
  hear(news) {
    this.status = news.status;
    this.header.names = news.status.names;
    this.due = news.status.left === null ? 0 : Date.now() + news.status.left * 1000;
    if (news.steps.length || news.from < this.viewer.steps.length) this.viewer.extend(news.from, news.steps, news.board);
    else this.prepare();
    this.drawButtons();
    if (news.status.rematch && !this.offered) this.offer(news.status.rematch);
  }

  /** The role that chooses next at this screen; undefined where nobody here is asked. */
  get role() {
    return this.status.asked.find((/** @type {number} */ role) => this.status.mine.includes(role));
  }

  /** Make ready what can be done at the position that is shown. */
  prepare() {
    const viewer = this.viewer, board = viewer.shown, role = this.role;
    viewer.hand = null;
    this.picker = null;
    const notes = this.header.roles.map((/** @type {string} */ _, /** @type {number} */ n) => this.note(n));
    viewer.drawPeople(notes);
    if (board && viewer.isNewest && role !== undefined && !this.status.over) {
      this.picker = new Picker(board.legal[role]);
      this.take();
    } else fill(viewer.choices);
    viewer.draw();
    this.drawStatus();
  }

  /** @param {number} role */
  note(role) {
    if (this.status.goals) return `${this.status.goals[role]} points`;
    if (this.status.mine.includes(role)) return this.status.chosen.includes(role) ? "has chosen" : "you";
    if (this.header.hidden && !/^human$|:\d+$|:\/\//.test(this.header.specs[role])) return "knows the whole position";
    return this.status.chosen.includes(role) ? "has chosen" : "";
  }

  /** The board is in our hands: what can be clicked, and the moves as a list. */
  take() {
    const picker = /** @type {Picker} */ (this.picker), board = this.viewer.shown, role = /** @type {number} */ (this.role);
    if (!board) return;
    this.viewer.hand = { next: picker.next, chosen: picker.chosen, onPlace: (place) => this.click(place), onDrag: (from, to) => this.drag(from, to) };
    this.viewer.arrows = [];
    const moves = board.legal[role];
    const open = picker.chosen.length ? picker.open.map((way) => way.action) : moves;
    this.list(open, picker.chosen.length ? "Moves from there" : "Your moves");
  }

  /** @param {string} place */
  click(place) {
    const decided = /** @type {Picker} */ (this.picker).click(place);
    if (decided.length === 1) {
      this.play(decided[0].move);
      return;
    }
    this.take();
    if (decided.length) {
      this.list(decided, "Which of these?");
      this.viewer.choices.querySelector("button")?.focus();
    }
    this.viewer.draw();
  }

  /**
   * A piece was dragged from one place to another.
   * @param {string} from
   * @param {string} to
   */
  drag(from, to) {
    const picker = /** @type {Picker} */ (this.picker);
    if (!picker.ways.some((way) => way.path[0] === from && way.path[1] === to)) return;
    picker.chosen = [];
    this.click(from);
    this.click(to);
  }

  /**
   * @param {any[]} actions
   * @param {string} title
   */
  list(actions, title) {
    const off = actions.filter((action) => !pathOf(action).length).length;
    const shown = actions.slice(0, FEW);
    const typed = h("input", { "aria-label": "type a move", placeholder: "or type a move", maxlength: 500 });
    const form = h("form", { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (typed.value.trim()) this.play(typed.value); } }, typed);
    fill(this.viewer.choices, h("details", { open: off > 0 || title !== "Your moves" },
      h("summary", {}, `${title} (${actions.length})`),
      h("div.chips", {}, shown.map((action) => h("button.chip", { onclick: () => this.play(action.move) }, spoken(action.move))),
        actions.length > FEW ? h("small", {}, `and ${actions.length - FEW} more`) : null), form));
  }

  /** @param {string} move */
  async play(move) {
    const key = this.keyOf(/** @type {number} */ (this.role));
    const step = this.viewer.steps.length - 1;
    this.viewer.hand = this.picker = null; // until the server has answered: a second click is none
    fill(this.viewer.choices);
    this.viewer.draw();
    try {
      await post(`${this.path}/move`, { key, step, move });
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
      this.prepare();
    }
  }

  /** @param {number} role */
  keyOf(role) {
    return this.seen[this.status.mine.indexOf(role)] ?? this.keys[0];
  }

  drawStatus() {
    const status = this.status, role = this.role;
    let text = "";
    if (status.over) text = status.ending;
    else if (!this.connected) text = this.lost ? `Not connected: ${this.lost}` : "The connection is lost; trying again …";
    else if (role !== undefined) text = `${words(this.header.roles[role])}: your move`;
    else if (status.asked.length) text = `waiting for ${status.asked.map((/** @type {number} */ n) => words(this.header.roles[n])).join(" and ")}`;
    else text = status.state === "playing" ? "thinking …" : "setting up …";
    const newest = this.viewer.isNewest ? "" : ` (shown: step ${this.viewer.cursor} of ${this.viewer.steps.length - 1})`;
    if (this.viewer.status.textContent !== text + newest) this.viewer.status.textContent = text + newest;
    document.title = role !== undefined && !status.over ? `your move · ${words(this.header.game)}` : words(this.header.game);
    this.drawClock();
  }

  drawClock() {
    if (!this.clock) {
      this.clock = h("span.clock", {});
      this.viewer.status.after(this.clock);
    }
    this.clock.textContent = this.due && !this.status.over ? `${Math.max(0, (this.due - Date.now()) / 1000).toFixed(0)} s` : "";
  }

  drawButtons() {
    const { over, mine, record, rematch } = this.status;
    const act = (/** @type {string} */ what, key = this.keys[0]) => post(`${this.path}/${what}`, { key }).catch((error) => notice(error.message));
    const playing = mine.length > 0 && !over;
    const seats = this.header.hidden && this.keys.length > 1 && !over;
    const key = `${playing} ${over} ${record} ${mine} ${Boolean(rematch)} ${this.looking}`;
    if (key === this.drawn) return;
    this.drawn = key;
    fill(this.viewer.buttons,
      playing && h("button", { onclick: () => act("undo") }, "Undo"),
      playing && h("button", { onclick: () => this.hint() }, "Hint"),
      playing && h("button", { onclick: () => this.resign(act) }, "Resign"),
      mine.length > 0 && over && h("button.main", { onclick: () => this.again() }, "Rematch, seats swapped"),
      over && record && h("a.button", { href: `#/record/${encodeURIComponent(record)}` }, "Record"),
      seats && h("button", { onclick: () => { this.looking = (this.looking + 1) % this.keys.length; this.connect(); } }, "Look as the next role"),
      this.invited.map((secret) => h("button", { onclick: () => this.invite(secret) }, "Copy the link for the other seat")),
      h("button", { onclick: () => this.invite("") }, "Copy the link to watch"));
  }

  /**
   * Give up for the role whose turn it is; while the others think, for the first of ours.
   * @param {(what: string, key: string) => Promise<any>} act
   */
  async resign(act) {
    const role = this.role ?? this.status.mine[0];
    if (!confirm(`Give up this match as ${words(this.header.roles[role])}?`)) return;
    await act("resign", this.keyOf(role));
    if (this.role === undefined && !this.status.over) notice("The match ends as soon as the others have moved.");
  }

  /** @param {string} secret */
  async invite(secret) {
    const link = `${location.origin}/#/match/${this.header.id}${secret ? `/${secret}` : ""}`;
    try {
      await navigator.clipboard.writeText(link);
      notice("The link is copied.");
    } catch {
      prompt("The link:", link);
    }
  }

  async hint() {
    const role = this.role;
    if (role === undefined) return notice("It is not your turn.");
    const thinking = this.viewer.status.textContent;
    this.viewer.status.textContent = "thinking about a hint …";
    try {
      const { moves } = await post(`${this.path}/hint`, { key: this.keyOf(role), seconds: HINT });
      const best = moves[0];
      const action = this.viewer.shown?.legal[role].find((one) => one.move === best.move);
      const path = action ? pathOf(action) : [];
      if (action?.target) this.viewer.arrows = [{ from: action.source, to: action.target, weight: 1 }];
      this.viewer.draw();
      notice(`Hint: ${spoken(best.move)}, expected goal ${best.goal}${path.length ? " (marked on the board)" : ""}`);
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
    }
    this.viewer.status.textContent = thinking;
  }

  async again() {
    try {
      const made = await post(`${this.path}/rematch`, { key: this.keys[0] });
      if (this.keys.length === 1) location.hash = `#/match/${made.id}/${made.key}`;
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
    }
  }

  /** @param {{ id: string, keys: string[] }} rematch */
  offer(rematch) {
    this.offered = true;
    const link = `#/match/${rematch.id}${rematch.keys.length ? `/${rematch.keys.join(",")}` : ""}`;
    fill(this.viewer.choices, h("p", {}, h("a.button.main", { href: link }, "To the rematch")));
  }

  close() {
    clearInterval(this.ticking);
    this.closing?.();
    this.viewer.close();
    document.title = "ggp";
  }
}

/**
 * A move as people say it.
 * @param {string} move
 */
export function spoken(move) {
  return move.startsWith("(") ? move.slice(1, -1) : move;
}
