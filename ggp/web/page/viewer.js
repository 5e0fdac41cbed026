// A match to look at, under way or over: the board of one step, the steps, what the players told, analysis, explanations.

import { analysisPanel } from "./analysis.js";
import { drawBoard, focusOn } from "./board.js";
import { chart } from "./chart.js";
import { colours } from "./colours.js";
import { fill, h, words } from "./dom.js";
import { whyPanel } from "./why.js";

/**
 * @typedef {import("./board.js").Board} Board
 * @typedef {{ number: number, moves: (string | null)[] | null, seconds?: number[], faults?: (string | null)[], reports?: any[],
 *   seen?: Record<string, string[]> }} Step
 * @typedef {{ game: string, roles: string[], names: string[], chance: boolean[], hidden?: boolean }} Header
 * @typedef {{ where: (step: number) => object, board: (step: number) => Promise<Board | null>, branch?: (step: number) => void }} Source
 */

const PACE = 900;

/** The page of a match. */
export class Viewer {
  /**
   * @param {HTMLElement} place
   * @param {Header} header
   * @param {Source} source
   */
  constructor(place, header, source) {
    this.header = header;
    this.source = source;
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Map<number, Board | null>} */
    this.boards = new Map();
    this.cursor = 0;
    this.kinds = new Set();
    /** @type {{ from: string | null, to: string, weight: number }[]} */
    this.arrows = [];
    /** @type {{ next: Set<string>, chosen: string[], onPlace: (place: string) => void, onDrag: (from: string, to: string) => void } | null} what a person at the board may do */
    this.hand = null;
    /** @type {{ board: Board, after: string } | null} a position that was not played, shown in place of the step's */
    this.aside = null;
    /** @type {() => void} */
    this.onShown = () => {};
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    this.colours = colours(header.roles);
    this.analysis = analysisPanel(this);
    this.why = whyPanel(this);
    this.build(place);
  }

  /** @param {HTMLElement} place */
  build(place) {
    this.board = h("div.place", {});
    this.status = h("p.status", { role: "status", "aria-live": "polite" });
    this.people = h("ul.people", {});
    this.buttons = h("div.buttons", {});
    this.choices = h("div.choices", {});
    this.list = h("ol.steps", { "aria-label": "steps", tabindex: 0 });
    this.charts = h("div.charts", {});
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) => h("button", { "aria-label": text.length > 1 ? null : label, title: label, onclick }, text);
    this.player = button("play", "play the steps", () => this.toggle());
    const controls = h("div.controls", { role: "group", "aria-label": "steps" },
      button("«", "first step", () => this.go(0)), button("‹", "step back", () => this.go(this.cursor - 1)), this.player,
      button("›", "step forward", () => this.go(this.cursor + 1)), button("»", "newest step", () => this.go(this.steps.length - 1)));
    this.branching = this.source.branch && h("button", { onclick: () => this.source.branch?.(this.cursor) }, "Play on from here");
    fill(place, h("h1.title", {}, words(this.header.game)), h("div.match", {},
      h("section.stage", { "aria-label": "board" }, this.status, this.board, controls),
      h("section.side", { "aria-label": "match" }, this.people, this.buttons, this.choices,
        h("details", { open: true }, h("summary", {}, "Steps"), this.list, this.branching),
        this.analysis.element, this.why.element,
        h("details", { ontoggle: () => this.drawCharts() }, h("summary", {}, "Charts"), this.charts))));
    place.addEventListener("keydown", (event) => this.key(event));
    this.drawPeople([]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const inside = /** @type {Element} */ (event.target).closest("input, textarea, select, [data-place], [data-node], ol");
    if (event.altKey || event.ctrlKey || event.metaKey || (inside && inside !== this.list)) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) {
      event.preventDefault();
      this.go(this.cursor + by);
    }
  }

  /** Whether the newest step is shown. */
  get isNewest() {
    return this.cursor >= this.steps.length - 1;
  }

  /**
   * Steps from one on are these now.
   * @param {number} from
   * @param {Step[]} steps
   * @param {Board | null | undefined} newest the board of the last one, if it is known
   */
  extend(from, steps, newest) {
    const follows = this.isNewest;
    this.steps.length = from;
    this.steps.push(...steps);
    for (const number of [...this.boards.keys()]) if (number >= from) this.boards.delete(number);
    const last = this.steps.length - 1;
    if (newest !== undefined && last >= 0) this.boards.set(last, newest);
    this.drawSteps();
    this.drawCharts();
    if (follows || this.cursor > last) this.go(last);
  }

  /**
   * Show a step.
   * @param {number} step
   */
  async go(step) {
    const wanted = Math.max(0, Math.min(this.steps.length - 1, step));
    if (wanted !== this.cursor) this.arrows = [];
    this.cursor = wanted;
    this.aside = null;
    this.markStep();
    if (!this.boards.has(wanted) && this.steps.length) {
      const board = await this.source.board(wanted);
      this.boards.set(wanted, board);
      if (this.cursor !== wanted) return;
    }
    this.hand = null;
    this.onShown();
    this.draw();
    this.analysis.moved();
    this.why.moved();
  }

  /** The position that is shown. */
  get shown() {
    return this.boards.get(this.cursor) ?? null;
  }

  /**
   * Show a position that was not played, or with null the step's again.
   * @param {Board | null} board
   * @param {string} after the moves that lead there
   */
  lookAside(board, after) {
    this.aside = board && { board, after };
    this.draw();
  }

  /** Draw the board anew, the focus stays where it is. */
  draw() {
    const board = this.shown;
    const focused = this.board.contains(document.activeElement) ? document.activeElement?.getAttribute("data-place") : null;
    if (!board) {
      fill(this.board, h("p.nothing", {}, this.steps.length ? "What is on the board is known to the players alone, until the match is over." : "The game is being set up …"));
      return;
    }
    if (this.aside) {
      fill(this.board, drawBoard(this.aside.board, { kinds: this.kinds }), h("p.note", {}, `Not played: after ${this.aside.after}. `,
        h("button", { onclick: () => this.lookAside(null, "") }, "Back")));
      return;
    }
    const hand = this.hand;
    const drawn = drawBoard(board, {
      arrows: this.arrows, kinds: this.kinds, next: hand?.next, chosen: hand?.chosen, onDrag: hand?.onDrag,
      onPlace: (place) => (hand ? hand.onPlace(place) : this.why.ask(place)),
    });
    const doubt = board.possible && board.possible > 1 ? h("p.note", {}, `What all ${board.possible} positions that agree with what you know have in common.`) : null;
    fill(this.board, drawn, doubt);
    if (focused) focusOn(this.board, focused);
  }

  drawSteps() {
    fill(this.list, this.steps.slice(1).map((step) => {
      const parts = (step.moves ?? []).map((move, role) => this.told(step, move, role)).filter(Boolean);
      return h("li", {}, h("button.step", { onclick: () => this.go(step.number), "data-step": step.number }, parts.length ? parts : "…"));
    }));
    this.markStep();
  }

  /**
   * A role's part of a step.
   * @param {Step} step
   * @param {string | null} move
   * @param {number} role
   */
  told(step, move, role) {
    const fault = step.faults?.[role], seen = step.seen?.[role];
    const waits = (step.moves ?? []).some((other) => other !== null && other !== "noop");
    if (move === null || (move === "noop" && waits && !fault)) return null;
    const sign = h("i.dot", { "aria-hidden": "true" });
    sign.style.background = this.colours.get(this.header.roles[role])?.fill ?? "";
    return h("span", { title: this.header.roles[role] }, sign, h("span.unseen", {}, `${words(this.header.roles[role])}: `), move,
      seen?.length ? h("small", {}, ` saw ${seen.join(", ")}`) : null, fault ? h("small.fault", {}, ` ${fault}`) : null);
  }

  markStep() {
    for (const button of this.list.querySelectorAll("button")) {
      const current = Number(button.getAttribute("data-step")) === this.cursor;
      if (!current) button.removeAttribute("aria-current");
      else {
        button.setAttribute("aria-current", "step");
        this.list.scrollTop = button.offsetTop - this.list.clientHeight / 2;
      }
    }
  }

  /** @param {string[]} notes what is said of each role's player */
  drawPeople(notes) {
    fill(this.people, this.header.roles.map((role, n) => {
      if (this.header.chance[n]) return null;
      const sign = h("i.dot", { "aria-hidden": "true" });
      sign.style.background = this.colours.get(role)?.fill ?? "";
      const moves = this.shown?.to_move.includes(role);
      return h("li", { class: moves ? "moving" : null }, sign, h("b", {}, words(role)), " ", h("span.name", {}, this.header.names[n] ?? "?"), h("span.note", {}, notes[n] ?? ""));
    }));
  }

  drawCharts() {
    if (this.charts.closest("details")?.open) fill(this.charts, chart(this.header, this.steps, this.colours, (step) => this.go(step)));
  }

  toggle() {
    if (this.timer) this.pause();
    else {
      if (this.isNewest) this.go(0);
      this.player.textContent = "stop";
      this.timer = setInterval(() => (this.isNewest ? this.pause() : this.go(this.cursor + 1)), PACE);
    }
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.player.textContent = "play";
  }

  close() {
    this.pause();
    this.analysis.close();
  }
}
