import { chosenLanguage } from "./logic/language.js";

// Runs before the first paint, as a script of its own (see `LinkedPages.swift`): a chosen theme never flashes the other one, and the texts
// are on their way while the modules come.

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

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const link = document.createElement("link");
  link.rel = "preload";
  link.as = "fetch";
  link.crossOrigin = "anonymous";
  link.href = new URL(`../words/${chosenLanguage(kept("language"), navigator.languages ?? [])}.json`, script.src).href;
  document.head.append(link);
}

/** In milliseconds. */
const RETRY = 3000;
// A file of this page does not come, as while another version of the server begins: the page is asked for again.
addEventListener("error", ({ target }) => {
  const isPart = target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === "stylesheet");
  if (isPart) setTimeout(() => location.reload(), RETRY);
}, { capture: true });
