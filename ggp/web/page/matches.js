// The matches of this server: those under way can be watched, the others looked at.

import { fill, h, words } from "./dom.js";
import { get } from "./net.js";

/** @param {HTMLElement} place */
export function show(place) {
  const list = h("div", {});
  fill(place, h("h1", {}, "Matches"), h("p.lead", {}, "Matches of this server since it was started; ", h("a", { href: "#/records" }, "records"), " keep all."), list);
  const draw = async () => {
    const { matches } = await get("/api/matches");
    if (!matches.length) fill(list, h("p", {}, "There is none yet. ", h("a", { href: "#/" }, "Play a game.")));
    else fill(list, h("table.list", {}, h("thead", {}, h("tr", {}, ["game", "players", "steps", "state", "watchers"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, matches.map((/** @type {any} */ match) => h("tr", {}, h("td", {}, h("a", { href: `#/match/${match.id}` }, words(match.game))),
        h("td", {}, match.names.join(", ")), h("td", {}, match.steps), h("td", {}, match.ending || match.state), h("td", {}, match.watchers))))));
  };
  draw();
  const timer = setInterval(() => draw().catch(() => {}), 2000);
  return () => clearInterval(timer);
}
