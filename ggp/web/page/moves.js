// Finds moves from clicks: a move is a path of cells, and whoever clicks goes along until one move is left.

/**
 * @typedef {{ role: string, move: string, source: string | null, target: string | null, more: string[], line: number[][] | null }} Action
 * @typedef {{ action: Action, path: string[] }} Way
 */

/**
 * The key of a line between two corners.
 * @param {number[][]} line
 */
export function lineKey(line) {
  return `line ${line.flat().join(" ")}`;
}

/**
 * The places that a move names, in the order in which they are clicked.
 * @param {Action} action
 * @returns {string[]}
 */
export function pathOf(action) {
  if (action.line) return [lineKey(action.line)];
  return [action.source, action.target, ...action.more].filter((cell) => cell !== null);
}

/** The choice of a move, click by click. */
export class Picker {
  /** @param {Action[]} actions */
  constructor(actions) {
    /** @type {Way[]} */
    this.ways = actions.map((action) => ({ action, path: pathOf(action) })).filter((way) => way.path.length);
    /** @type {string[]} */
    this.chosen = [];
  }

  /** The ways that begin with what was clicked. */
  get open() {
    return this.ways.filter((way) => this.chosen.every((cell, n) => way.path[n] === cell));
  }

  /** Where can be clicked now. */
  get next() {
    return new Set(this.open.map((way) => way.path[this.chosen.length]).filter((cell) => cell !== undefined));
  }

  /**
   * A place was clicked: the moves that this decides for, of which people choose one; none if there is more to click.
   * @param {string} cell
   * @returns {Action[]}
   */
  click(cell) {
    if (!this.next.has(cell)) {
      const again = this.chosen.length === 0 || this.chosen.at(-1) === cell;
      this.chosen = [];
      if (again || !this.next.has(cell)) return [];
    }
    this.chosen.push(cell);
    const done = this.open.filter((way) => way.path.length === this.chosen.length);
    if (done.length === 0) return [];
    const open = this.open;
    return open.length === done.length ? done.map((way) => way.action) : open.map((way) => way.action);
  }
}
