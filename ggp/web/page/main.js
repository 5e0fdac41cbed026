// Which page is shown: the part of the address after `#` says so.

import { fill, h, notice } from "./dom.js";

/** @type {Record<string, () => Promise<{ show: (place: HTMLElement, parts: string[]) => (() => void) | void }>>} */
const PAGES = {
  games: () => import("./lobby.js"),
  matches: () => import("./matches.js"),
  match: () => import("./match.js"),
  records: () => import("./records.js"),
  standings: () => import("./standings.js"),
  record: () => import("./replay.js"),
  experiments: () => import("./experiments.js"),
  studio: () => import("./studio.js"),
};
/** @type {(() => void) | void} */
let leave;
let visits = 0;

async function route() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const name = parts[0] || "games";
  if (location.hash === "#main") return;
  const visit = ++visits;
  const place = /** @type {HTMLElement} */ (document.getElementById("main"));
  leave?.();
  leave = undefined;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("data-page") === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!PAGES[name]) {
    fill(place, h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "#/" }, "To the games")));
    return;
  }
  const page = await PAGES[name]();
  if (visit === visits) {
    fill(place);
    leave = page.show(place, parts.slice(1));
  }
}

/**
 * A part of the address as it was meant; as it is where it means nothing.
 * @param {string} part
 */
function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

addEventListener("hashchange", route);
addEventListener("unhandledrejection", (event) => {
  notice(event.reason?.message ?? String(event.reason));
  event.preventDefault();
});
route();
