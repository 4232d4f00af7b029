import { bearer, decide, tokenIn } from "./logic/token.js";
import { memory, tabMemory } from "./memory.js";

/**
 * The token that the server wants to see. The printed link carries it behind its `#`; from there it goes into this
 * origin's own storage, which no other port can read, and out of the address bar.
 */
let token = memory.get("token");

/**
 * A token that a link has brought while another one is known, for every page can hold such a link. It takes the place of the known one
 * only if the server knows whose it is, and the user agrees to be somebody else.
 *
 * @type {string | null}
 */
let offered = null;

/** Takes the token out of the address, if one is there. Returns whether the page knew none. */
function take() {
  const given = tokenIn(location.hash);
  if (!given) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (given === token) return false;
  if (token) {
    offered = given;
    return false;
  }
  keep(given);
  return true;
}

/** @param {string} given */
function keep(given) {
  token = given;
  memory.set("token", given);
}

/**
 * The browser belongs to another user, or to nobody (an empty token), from now on: nothing of the former one stays in it.
 *
 * @param {string} given
 */
export function become(given) {
  memory.forgetUser();
  keep(given);
}

take();

// The link was opened in a tab that is here already: no page is loaded for what changes behind a `#`.
addEventListener("hashchange", () => {
  if (take()) return begin();
  examine();
});
// Another tab was given it, or has logged out.
addEventListener("storage", ({ key, newValue }) => {
  if (key !== "aquifer.token" || newValue === null || newValue === token) return;
  tabMemory.forget();
  token = newValue;
  if (token === "") document.dispatchEvent(new CustomEvent("aquifer:signed-out", { detail: "loggedOut" }));
  else begin();
});
// The server was not there to be asked.
document.addEventListener("aquifer:found", () => examine());

/** With another token everything is asked for again. */
function begin() {
  if (memory.get("token") === token) location.reload();
}

/**
 * Asks the server whose the known and the offered token are. `aquifer:link` then tells the shell what there is to say; its detail has
 * `accept()` if there is a question.
 */
export async function examine() {
  const given = offered;
  if (!given) return;
  const [known, other] = await Promise.all([whose(token), whose(given)]);
  // Another link came meanwhile, or the server does not answer: it is asked again later.
  if (offered !== given || known === undefined || other === undefined) return;
  offered = null;
  const accept = () => {
    if (known && known.name === other?.name) keep(given);
    else become(given);
    begin();
  };
  const decision = decide(known, other);
  if (decision === "take") return accept();
  const detail = { decision, current: known?.name ?? null, name: other?.name ?? null, accept: decision === "ask" ? accept : null };
  document.dispatchEvent(new CustomEvent("aquifer:link", { detail }));
}

/**
 * The user whom a token lets in; null if it lets in nobody, undefined without an answer.
 *
 * @param {string | null} token
 * @returns {Promise<Wire.UserAnswer | null | undefined>}
 */
async function whose(token) {
  try {
    const response = await fetch("/api/user", { headers: bearer(token) });
    if (response.ok) return await response.json();
    return response.status === 401 ? null : undefined;
  } catch {
    return undefined;
  }
}

/** The header that shows the token. */
export const authorization = () => bearer(token);

/** True if this browser was let in and has logged out. */
export const hasLoggedOut = () => memory.get("token") === "";
