import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/**
 * The button at the beginning of a page's bar, which goes back to where the page was opened.
 *
 * @param {() => void} run
 */
export function backButton(run) {
  return h("button", { class: "icon-button", type: "button", "aria-label": t("back"), "data-test": "back", onclick: run }, icon("back"));
}
