import { find, h, memory, nameButton } from "../dom.js";
import { language, languages, setLanguage, t } from "../i18n.js";
import { icon } from "./icon.js";
import { choices, popover } from "./popover.js";

/** @param {string} theme */
function setTheme(theme) {
  memory.set("theme", theme);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/**
 * Theme and language. A new language loads the page again: `isHeld()` says that this would lose something, and then the
 * user is asked first; `settle()` ends when everything that was typed has arrived where it is kept.
 *
 * @param {{ isHeld: () => boolean, settle: () => Promise<void> }} options
 */
export function settings({ isHeld, settle }) {
  const button = h("button", { class: "icon-button", type: "button", "data-test": "settings-button" }, icon("settings"));
  const panel = h("div", { id: "settings-panel", "data-test": "settings-panel" });
  nameButton(button, t("settings"));
  const keep = () => {
    draw();
    find(panel, "input[name=language]:checked")?.focus({ focusVisible: false });
  };
  /** @param {string} code */
  const change = (code) => settle().then(() => setLanguage(code));
  /** @param {string} code */
  const ask = (code) => h("div", { role: "alert", "data-test": "language-ask" },
    h("p", { class: "popover-hint" }, t("language.ask")),
    h("div", { class: "drop-buttons" },
      h("button", { class: "button button-primary", type: "button", "data-test": "language-change", onclick: () => change(code) }, t("language.change")),
      h("button", { class: "button", type: "button", "data-test": "language-keep", onclick: keep }, t("cancel"))));
  const draw = () => {
    panel.replaceChildren(
      choices({
        name: "theme", title: t("theme"), value: document.documentElement.dataset.theme ?? "auto", className: "choices-segments",
        options: ["auto", "light", "dark"].map((id) => ({ id, label: t(`theme.${id}`) })), onChange: setTheme,
      }),
      choices({
        name: "language", title: t("language"), value: language(), className: "choices-segments",
        options: Object.entries(languages).map(([id, label]) => ({ id, label, lang: id })), onChange: (code) => {
          panel.querySelector("[data-test=language-ask]")?.remove();
          if (code === language()) return;
          if (isHeld()) panel.append(ask(code));
          else change(code);
        },
      }));
  };
  draw();
  return popover({ button, panel, onOpen: draw });
}
