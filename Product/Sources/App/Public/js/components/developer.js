import { h } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";
import { showModal } from "./modal.js";

/**
 * The drawer for developers, beside the page so that the page is seen to react, and the way to it: a button, or only the way to the inspector
 * where there is no simulator.
 *
 * @param {{ simulator: HTMLElement, closed: () => void }} options `closed` gives the focus back
 */
export function developer({ simulator, closed }) {
  let isLeaving = false;
  const leave = () => {
    isLeaving = true;
    drawer.close();
  };
  const close = h("button", { class: "icon-button", type: "button", "aria-label": t("close"), title: t("close"), "data-test": "developer-close", onclick: () => drawer.close() }, icon("close"));
  /** @type {HTMLDialogElement} */
  const drawer = h("dialog", { class: "drawer", "aria-labelledby": "developer-title", "data-test": "developer" },
    h("div", { class: "drawer-frame" },
      h("div", { class: "sheet-head" }, h("h1", { class: "sheet-title", id: "developer-title" }, t("developer")), close),
      h("p", { class: "drawer-text" }, t("developer.text")),
      simulator,
      h("a", { class: "drawer-link", href: "/inspector", "data-link": true, "data-test": "to-inspector", onclick: leave },
        icon("inspector"), h("span", { class: "choice-text" }, t("nav.inspector"), h("small", {}, t("developer.inspector.text"))), icon("next"))));
  drawer.addEventListener("close", () => {
    // The page that it leads to has the focus already.
    if (!isLeaving) closed();
    isLeaving = false;
  });

  const way = h("div", { class: "settings-developer", hidden: true });
  /** @param {boolean} isOffered */
  const draw = (isOffered) => {
    way.hidden = false;
    way.replaceChildren(isOffered
      ? h("button", { class: "button button-quiet", type: "button", "aria-haspopup": "dialog", "data-test": "developer-open", onclick: () => showModal(drawer, () => drawer.close()) }, icon("flask"), t("developer.open"))
      : h("a", { class: "button button-quiet", href: "/inspector", "data-link": true, "data-test": "settings-inspector" }, icon("inspector"), t("nav.inspector")));
    if (!isOffered && drawer.open) drawer.close();
  };
  return { way, draw };
}
