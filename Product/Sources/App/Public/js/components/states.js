import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/**
 * A calm page for when there is nothing to list: empty, failed, signed out, not found.
 *
 * @param {object} page
 * @param {import("./icon.js").Glyph} page.glyph
 * @param {string} page.title
 * @param {string | null} [page.text]
 * @param {{ title: string, run: () => void }} [page.action]
 * @param {string} page.test
 * @param {"h1" | "h2"} [page.level]
 */
export function message({ glyph, title, text, action, test, level = "h2" }) {
  return h("div", { class: "message", "data-test": test },
    h("div", { class: "message-glyph" }, icon(glyph)),
    h(level, { class: "message-title" }, title),
    text && h("p", { class: "message-text" }, text),
    action && h("button", { class: "button button-primary", type: "button", onclick: action.run, "data-test": `${test}-action` }, action.title));
}

/**
 * Nothing can be shown, for this reason: for want of a connection, or because the server has a problem, which a connection does not end.
 * No banner says the same.
 *
 * @param {{ trouble: Wire.ScreenError | null, title: string, text: string, test: string, run: () => void }} page `text` stands for a reason
 *   that is not known any more
 */
export function failed({ trouble, title, text, test, run }) {
  const page = message({ glyph: trouble?.kind === "invalidData" ? "alert" : "offline", title, text: trouble?.message ?? text, test, action: { title: t("retry"), run } });
  page.setAttribute("role", "alert");
  return page;
}

/**
 * Says what the reader is looking at, such as a saved copy. Draws nothing without text.
 *
 * @param {string | null} text
 * @param {import("./icon.js").Glyph} glyph
 */
export function notice(text, glyph = "offline") {
  return text && h("div", { class: "notice", "data-test": "notice" }, icon(glyph), h("span", {}, text));
}

/**
 * An error that goes away when it is tapped. It stands in a container with `role=alert`.
 *
 * @param {string | null | undefined} text
 * @param {() => void} dismiss
 */
export function errorBanner(text, dismiss) {
  return text && h("button", { class: "error-banner", type: "button", "data-test": "error-banner", onclick: dismiss },
    icon("alert"), h("span", { class: "error-text" }, text),
    h("span", { class: "error-dismiss" }, t("dismiss"), h("kbd", { "aria-hidden": "true" }, "Esc")));
}

/**
 * A spinner with a name.
 *
 * @param {string} name
 * @param {string} test
 */
export function spinner(name, test) {
  return h("div", { class: "spinner-row", role: "status", "data-test": test },
    h("span", { class: "spinner", "aria-hidden": "true" }), h("span", { class: "visually-hidden" }, name));
}
