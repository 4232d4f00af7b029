import { frame, h } from "../dom.js";

const SECONDS = 5;

/**
 * Says something in passing: shown for some seconds, and read out once.
 *
 * @param {string} text
 */
export function toast(text, tone = "neutral") {
  const item = h("div", { class: `toast toast-${tone}`, "data-test": "toast" }, text);
  frame("toasts").append(item);
  announce(text);
  setTimeout(() => {
    item.classList.add("leaving");
    setTimeout(() => item.remove(), 400);
  }, SECONDS * 1000);
}

/**
 * The same, unless it is being said.
 *
 * @param {string} text
 */
export function toastOnce(text, tone = "neutral") {
  if (![...frame("toasts").children].some((item) => item.textContent === text)) toast(text, tone);
}

/**
 * Reads out without showing.
 *
 * @param {string} text
 */
export function announce(text) {
  const region = frame("announcer");
  region.textContent = "";
  // The same sentence twice is news only when the region was empty in between.
  setTimeout(() => (region.textContent = text), 60);
}
