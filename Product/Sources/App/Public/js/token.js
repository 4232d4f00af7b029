import { memory } from "./dom.js";
import { bearer, tokenIn } from "./logic/token.js";

/**
 * The token that the server wants to see. The printed link carries it behind its `#`; from there it goes into this
 * origin's own storage, which no other port can read, and out of the address bar.
 */
let token = memory.get("token");

/** Takes the token out of the address, if one is there. Returns whether the page did not know it. */
function take() {
  const given = tokenIn(location.hash);
  if (!given) return false;
  const isNew = given !== token;
  token = given;
  memory.set("token", given);
  history.replaceState(history.state, "", location.pathname + location.search);
  return isNew;
}

take();

// The link was opened in a tab that is here already: no page is loaded for what changes behind a `#`.
addEventListener("hashchange", () => take() && begin());
// Another tab was given it.
addEventListener("storage", ({ key, newValue }) => {
  if (key !== "aquifer.token" || !newValue || newValue === token) return;
  token = newValue;
  begin();
});

/** With another token everything is asked for again. */
function begin() {
  if (memory.get("token") === token) location.reload();
}

/** The header that shows the token. */
export const authorization = () => bearer(token);
