// Colours of the roles: the one that their name says, else one each. Each has a fill, and an edge that shows on any board.

/** @typedef {{ fill: string, edge: string, ink: string }} Colour */

/** @type {Record<string, Colour>} */
const NAMED = {
  white: { fill: "#fdfcf7", edge: "#3a3a3a", ink: "#222" },
  black: { fill: "#26262b", edge: "#b9b9c2", ink: "#fff" },
  red: { fill: "#d1383d", edge: "#5c1013", ink: "#fff" },
  blue: { fill: "#2f6fd6", edge: "#0f2c5c", ink: "#fff" },
  green: { fill: "#2e9e5b", edge: "#0c4022", ink: "#fff" },
  yellow: { fill: "#f4c92c", edge: "#6b5300", ink: "#222" },
  orange: { fill: "#ee8434", edge: "#6b3000", ink: "#222" },
  purple: { fill: "#8b55c7", edge: "#37175c", ink: "#fff" },
  pink: { fill: "#ea7ab1", edge: "#6e1f46", ink: "#222" },
  teal: { fill: "#1f9e9e", edge: "#064040", ink: "#fff" },
  brown: { fill: "#8a5a36", edge: "#3a2210", ink: "#fff" },
};
const OTHERS = ["blue", "orange", "green", "purple", "teal", "red", "pink", "yellow", "brown"];

/**
 * @param {string} word
 * @returns {Colour | undefined}
 */
export function named(word) {
  const found = Object.keys(NAMED).find((name) => word.startsWith(name));
  return found === undefined ? undefined : NAMED[found];
}

/**
 * A colour for each role, none twice as long as there are enough.
 * @param {string[]} roles
 * @returns {Map<string, Colour>}
 */
export function colours(roles) {
  const found = new Map();
  for (const role of roles) {
    const colour = named(role);
    if (colour) found.set(role, colour);
  }
  const free = OTHERS.filter((name) => ![...found.values()].includes(NAMED[name]));
  let next = 0;
  for (const role of roles) if (!found.has(role)) found.set(role, NAMED[free[next++ % free.length]]);
  return found;
}
