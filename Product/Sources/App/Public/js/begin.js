import { firstRequest, keyOf } from "./logic/early.js";
import { chosenLanguage } from "./logic/language.js";
import { keptTab } from "./logic/tab.js";

// Runs before the first paint, as a script of its own (see `LinkedPages.swift`): a chosen theme never flashes the other one, and the texts
// and the first states are on their way while the modules come.

/** @param {string} name */
const kept = (name) => {
  try {
    return localStorage.getItem(`aquifer.${name}`);
  } catch {
    // Storage can be switched off; the system's theme and language are then used.
    return null;
  }
};

const theme = kept("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

const language = chosenLanguage(kept("language"), navigator.languages ?? []);

/** True if the page before this one has given something along: its screens may have looked already. */
function isCarried() {
  try {
    return sessionStorage.getItem("aquifer.carried") !== null;
  } catch {
    return false;
  }
}

// The modules take longer to begin than the states to come: who is asked last is waited for.
const { pathname: path, search, hash } = location;
const first = firstRequest({ path, search, hash, isCarried: isCarried(), tab: keptTab(), language, token: kept("token") });
if (first) {
  const connection = new AbortController();
  const response = fetch(first.url, { headers: first.headers, cache: "no-store", signal: connection.signal });
  // Who takes it hears of its failure.
  response.catch(() => {});
  window.aquiferEarly = { key: keyOf(first.url, first.headers), connection, response };
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const link = document.createElement("link");
  link.rel = "preload";
  link.as = "fetch";
  link.crossOrigin = "anonymous";
  link.href = new URL(`../words/${language}.json`, script.src).href;
  document.head.append(link);
}

/** In milliseconds. */
const RETRY = 3000;
// A file of this page does not come, as while another version of the server begins: the page is asked for again.
addEventListener("error", ({ target }) => {
  const isPart = target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === "stylesheet");
  if (isPart) setTimeout(() => location.reload(), RETRY);
}, { capture: true });
