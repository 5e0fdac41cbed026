// Experiments and tournaments of the folder: how far they are, and their reports.

import { fill, h, table } from "./dom.js";
import { shown } from "./markdown.js";
import { get } from "./net.js";

const PACE = 3000;

/**
 * @param {HTMLElement} place
 * @param {string[]} parts nothing, or `run` and its name, or `report`, its folder and its name
 */
export function show(place, [kind, ...parts]) {
  const path = `/api/experiments/${[kind, ...parts].join("/")}`;
  if (kind === "report") {
    get(`${path}.md`).then(({ text }) => fill(place, shown(text, (file) => `/api/experiments/report/${parts.slice(0, -1).join("/")}/${file}`)), (error) => fail(place, error));
    return undefined;
  }
  let seen = "";
  const draw = async () => {
    const found = await get(kind ? path : "/api/experiments");
    const state = JSON.stringify([found.done, found.runs?.map((/** @type {any} */ run) => [run.name, run.done, ago(run.age)]), found.reports]);
    if (state === seen) return; // else pictures would be drawn anew
    seen = state;
    fill(place, kind ? run(found, path) : list(found));
  };
  draw().catch((error) => fail(place, error));
  const timer = setInterval(() => draw().catch(() => {}), PACE);
  return () => clearInterval(timer);
}

/** @param {{ runs: any[], reports: any[] }} found */
function list({ runs, reports }) {
  return [h("h1", {}, "Experiments"),
    h("p.lead", {}, "What ", h("code", {}, "ggp tournament"), ", ", h("code", {}, "ggp experiment"), " and ", h("code", {}, "ggp strength"), " keep in ", h("code", {}, "results/"), " of this folder, and reports that were written."),
    runs.length ? table("results", ["name", "jobs done", "newest result"], runs.map((one) => [h("a", { href: `#/experiments/run/${one.name}` }, one.name), one.done, ago(one.age)])) : h("p", {}, "There are no results in this folder."),
    reports.length ? [h("h2", {}, "Reports"), h("ul", {}, reports.map((one) => h("li", {}, h("a", { href: `#/experiments/report/${one.folder}/${one.name}` }, `${one.folder}/${one.name}`))))] : null];
}

/**
 * @param {any} found
 * @param {string} path
 */
function run(found, path) {
  const bar = h("progress", { value: found.done, max: found.jobs, "aria-label": "jobs done" });
  bar.value = found.done;
  return [h("p.note", {}, bar, ` ${found.done} of ${found.jobs} jobs done, the newest result ${ago(found.age)}`),
    shown(found.text, (file) => `${path}/${file}?${found.done}`)];
}

/**
 * @param {HTMLElement} place
 * @param {Error} error
 */
function fail(place, error) {
  fill(place, h("h1", {}, "Experiments"), h("p.problem", {}, error.message), h("p", {}, h("a", { href: "#/experiments" }, "All experiments")));
}

/** @param {number} seconds */
function ago(seconds) {
  /** @type {[number, string][]} */
  const units = [[86400, "days"], [3600, "hours"], [60, "minutes"]];
  const unit = units.find(([size]) => seconds >= 2 * size);
  return unit ? `${Math.floor(seconds / unit[0])} ${unit[1]} ago` : "just now";
}
