// Words that may stand where one types: variables of the rule, words of the language, names of the text.
// Arrow keys choose one, Tab and Enter take it (Enter only after an arrow key), Escape leaves; Ctrl and space ask for them.

import { fill, h } from "./dom.js";
import { post } from "./net.js";

/** @typedef {[string, string, string]} Word  a word, what it is, and what it means if it is one of the language */

const MOST = 60;
const PAUSE = 120;
const BEGUN = /[^\s();]*$/;

/**
 * @param {HTMLTextAreaElement} text
 * @returns {HTMLElement} where the words are shown
 */
export function completion(text) {
  const list = h("ul.words", { id: "words", role: "listbox", "aria-label": "words", hidden: true });
  const said = h("p.unseen", { role: "status" });
  text.setAttribute("aria-autocomplete", "list");
  text.setAttribute("aria-controls", "words");
  /** @type {{ start: number, words: Word[] } | null} what the server said of the word that begins at a place */
  let known = null;
  /** @type {Word[]} */
  let shown = [];
  let chosen = -1, asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Where the word begins in which the caret is. */
  const start = () => {
    const before = text.value.slice(0, text.selectionStart);
    return before.length - (BEGUN.exec(before)?.[0].length ?? 0);
  };
  const close = () => {
    clearTimeout(timer);
    asked++;
    known = null;
    shown = [];
    chosen = -1;
    list.hidden = true;
    said.textContent = "";
    text.removeAttribute("aria-activedescendant");
  };
  const ask = async () => {
    const mine = ++asked, from = start();
    const { words } = await post("/api/studio/complete", { text: text.value, at: [...text.value.slice(0, text.selectionStart)].length });
    if (mine !== asked || from !== start()) return;
    known = { start: from, words };
    narrow();
  };
  /** Show those of the known words that begin with what is typed; after a parenthesis what has arguments comes first. */
  const narrow = () => {
    const at = start();
    if (known?.start !== at) return;
    const begun = text.value.slice(at, text.selectionStart).toLowerCase(), opened = text.value[at - 1] === "(";
    /** @param {Word} word */
    const fits = ([, what]) => Number((what === "name" || what === "variable") === opened);
    shown = known.words.filter(([name]) => name.startsWith(begun) && name !== begun).sort((a, b) => fits(a) - fits(b)).slice(0, MOST);
    if (!shown.length) close();
    else draw();
  };
  const draw = () => {
    fill(list, shown.map(([name, what, meaning], n) => h("li", {
      id: `word-${n}`, role: "option", "aria-selected": n === chosen ? "true" : "false",
      onpointerdown: (/** @type {Event} */ event) => { event.preventDefault(); take(n); },
    }, h("b", {}, name), " ", h("small", {}, meaning.replaceAll("`", "") || what))));
    list.hidden = false;
    said.textContent = `${shown.length} word${shown.length === 1 ? "" : "s"}`;
    if (chosen >= 0) text.setAttribute("aria-activedescendant", `word-${chosen}`);
    else text.removeAttribute("aria-activedescendant");
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    place();
  };
  /** Put the list under the caret: each letter is as wide as the others. */
  const place = () => {
    const style = getComputedStyle(text), high = parseFloat(style.lineHeight);
    const before = text.value.slice(0, start()).split("\n");
    const ruler = h("span.ruler", {}, "0".repeat(50));
    list.parentElement.append(ruler);
    const wide = ruler.getBoundingClientRect().width / 50;
    ruler.remove();
    const left = text.offsetLeft + parseFloat(style.paddingLeft) + (before.at(-1)?.length ?? 0) * wide - text.scrollLeft;
    const top = text.offsetTop + parseFloat(style.paddingTop) + before.length * high - text.scrollTop;
    const below = top + list.offsetHeight <= text.clientHeight || top < list.offsetHeight + high;
    list.style.left = `${Math.max(0, Math.min(left, text.offsetLeft + text.clientWidth - list.offsetWidth))}px`;
    list.style.top = `${below ? top : top - high - list.offsetHeight}px`;
  };
  /** @param {number} number */
  const take = (number) => {
    const [name] = shown[number];
    text.setSelectionRange(start(), text.selectionStart);
    taking = true;
    if (!document.execCommand("insertText", false, name)) { // which can be taken back
      text.setRangeText(name, text.selectionStart, text.selectionEnd, "end");
      text.dispatchEvent(new Event("input"));
    }
    taking = false;
    close();
  };
  let taking = false;

  text.addEventListener("input", () => {
    if (taking) return;
    chosen = -1;
    clearTimeout(timer);
    const at = start();
    if (known?.start === at) narrow();
    else {
      close();
      if (at < text.selectionStart) timer = setTimeout(() => ask().catch(close), PAUSE);
    }
  });
  text.addEventListener("keydown", (event) => {
    if (event.ctrlKey && event.key === " ") {
      event.preventDefault();
      ask().catch(close);
    } else if (shown.length && !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const count = shown.length + 1; // one of the places is none
        chosen = ((chosen + 1 + (event.key === "ArrowDown" ? 1 : count - 1)) % count) - 1;
        draw();
      } else if (event.key === "Tab" || (event.key === "Enter" && chosen >= 0)) take(Math.max(0, chosen));
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
    }
  });
  text.addEventListener("blur", close);
  text.addEventListener("click", close);
  text.addEventListener("scroll", () => { if (shown.length) place(); });
  return h("div", {}, list, said);
}
