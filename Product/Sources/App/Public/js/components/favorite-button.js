import { icon } from "./icon.js";
import { h } from "../dom.js";
import { t } from "../i18n.js";

/**
 * A heart that makes something a favorite, and takes that back: `draw(isOn)`. A second tap undoes the first.
 *
 * @param {(isOn: boolean) => void} choose
 * @param {{ class?: string, test: string }} options
 */
export function favoriteButton(choose, { class: name = "", test }) {
  /** @type {HTMLButtonElement} */
  const element = h("button", { class: `icon-button favorite ${name}`, type: "button", "data-test": test, onclick: () => choose(element.getAttribute("aria-pressed") !== "true") }, icon("heart"));
  /**
   * @param {boolean} isOn
   * @param {string} [of] what it is about, for those who hear the page
   */
  const draw = (isOn, of = "") => {
    element.setAttribute("aria-pressed", String(isOn));
    // The name says what it is, and stays; `aria-pressed` says how it is.
    element.setAttribute("aria-label", of ? `${t("foaas.favorite")}: ${of}` : t("foaas.favorite"));
    element.title = t(isOn ? "foaas.favorite.remove" : "foaas.favorite.add");
  };
  return { element, draw };
}
