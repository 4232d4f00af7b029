import { h, setText } from "../dom.js";

/**
 * The used share of a storage account: a bar, and its text.
 *
 * @param {string} test
 */
export function usage(test) {
  const part = h("span", { class: "usage-part" });
  const bar = h("div", { class: "usage-bar", role: "meter", "aria-valuemin": "0", "aria-valuemax": "100", "data-test": `${test}-bar` }, part);
  const words = h("p", { class: "usage-text", "data-test": `${test}-text` });
  const element = h("div", { class: "usage" }, bar, words);
  /** @param {{ label: string, text: string, percent: number }} now */
  const draw = ({ label, text, percent }) => {
    bar.setAttribute("aria-label", label);
    bar.setAttribute("aria-valuenow", String(percent));
    bar.setAttribute("aria-valuetext", text);
    bar.classList.toggle("is-nearly-full", percent >= 90);
    part.style.setProperty("--part", `${percent}%`);
    setText(words, text);
  };
  return Object.assign(element, { draw });
}
