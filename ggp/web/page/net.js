// Asks the server. Every answer is JSON; errors come as exceptions whose message is for people.

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export function get(path) {
  return answered(fetch(path));
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return answered(fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** @param {Promise<Response>} asking */
async function answered(asking) {
  let response;
  try {
    response = await asking;
  } catch {
    throw new Error("The server does not answer. Is `ggp web` still running?");
  }
  const text = await response.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(text.trim() || `The server answered ${response.status}.`);
  }
  if (!response.ok) throw new Error(value.error ?? `The server answered ${response.status}.`);
  return value;
}

/** What a socket of ours closes with where trying again makes no sense. */
const FINAL = 4400;

/**
 * A socket that comes back by itself when the connection is lost.
 * @param {string} path
 * @param {object} hello the first message, said again after each new connection
 * @param {{ message: (value: any) => void, state: (is_connected: boolean, reason: string) => void, again?: boolean }} on
 * @returns {(() => void) & { say: (text: string) => void }} closes it; `say` sends a further message
 */
export function live(path, hello, on) {
  let closed = false, wait = 250;
  /** @type {WebSocket} */
  let socket;
  const open = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    socket.onopen = () => {
      wait = 250;
      socket.send(JSON.stringify(hello));
      on.state(true, "");
    };
    socket.onmessage = (event) => { if (!closed) on.message(JSON.parse(event.data)); };
    socket.onclose = (event) => {
      if (closed) return;
      const final = event.code >= FINAL || on.again === false;
      on.state(false, final ? event.reason || "closed" : "");
      if (final) return;
      setTimeout(() => { if (!closed) open(); }, wait);
      wait = Math.min(4000, wait * 2);
    };
  };
  open();
  return Object.assign(() => { closed = true; socket.close(); }, { say: (/** @type {string} */ text) => socket.send(text) });
}
