// Makes elements. Whatever comes from rules, players or people becomes text here and never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {any} Child  a node, a text or a number, or a list of these; null, undefined and false are left out
 * @typedef {Record<string, any>} Attributes  `onclick` and the like are listeners; null, undefined and false are left out
 */

/**
 * An HTML element.
 * @param {string} name a tag, with classes after dots: "p.note"
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  return filled(document.createElement(tag), classes, attributes, children);
}

/**
 * An SVG element.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function s(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  return filled(document.createElementNS(SVG, tag), classes, attributes, children);
}

/**
 * @param {Element} element
 * @param {string[]} classes
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function filled(element, classes, attributes, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.classList.add(...String(value).split(" ").filter(Boolean)); // beside those of the name
    else if (key === "value" || key === "checked" || key === "selected") /** @type {any} */ (element)[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

/** @param {Child[]} children */
function nodes(children) {
  return /** @type {(Node | string)[]} */ (
    children.flat(3).filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child)))
  );
}

/**
 * Replace what is in an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * A table that scrolls sideways where there is no room for it.
 * @param {string} name what it is called by those who do not see it
 * @param {string[]} head
 * @param {Child[][]} rows
 */
export function table(name, head, rows) {
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": name }, h("table.list", {},
    h("thead", {}, h("tr", {}, head.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))));
}

/**
 * Tell people something for a while.
 * @param {string} text
 */
export function notice(text) {
  const place = /** @type {HTMLElement} */ (document.getElementById("notice"));
  place.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { place.textContent = ""; }, 6000);
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * A name of the rules as people read it.
 * @param {string} name
 */
export function words(name) {
  return name.replaceAll("_", " ");
}
