import { isRunning } from "../api.js";
import { loadAgain } from "../carried.js";
import { find, h, nameButton } from "../dom.js";
import { chooseLanguage, chosen, isOutdated, language, languages, t } from "../i18n.js";
import { memory } from "../memory.js";
import { icon } from "./icon.js";
import { choices, mark, popover } from "./popover.js";
import { user } from "./user.js";

/** @param {string} theme */
function setTheme(theme) {
  memory.set("theme", theme);
  applyTheme(theme);
}

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** True unless the user has turned off the key that reloads: a key without a second one beside it can be pressed, or said, by accident. */
export const hasShortcut = () => memory.get("shortcut") !== "off";

/**
 * Theme, language, shortcut and the user. A new language loads the page again: `isHeld()` says that this would lose something, and then the
 * user is asked first; `settle()` ends when everything that was typed has arrived where it is kept. While Aquifer is not
 * running there is nothing to load: the page follows when it runs again. `changed()` hears of a change that is drawn elsewhere.
 *
 * @param {{ isHeld: () => boolean, settle: () => Promise<void>, changed: () => void, more: HTMLElement }} options `more` stands below
 */
export function settings({ isHeld, settle, changed, more }) {
  const button = h("button", { class: "icon-button", type: "button", "data-test": "settings-button" }, icon("settings"));
  const panel = h("div", { id: "settings-panel", "data-test": "settings-panel" });
  const who = user();
  nameButton(button, t("settings"));
  /** True if a chosen language waits for the server. */
  let waits = false;
  const focus = () => find(panel, "input[name=language]:checked")?.focus({ focusVisible: false });
  const keep = () => {
    draw();
    focus();
  };
  /** @param {string} value */
  const setShortcut = (value) => {
    memory.set("shortcut", value);
    changed();
  };
  /** @param {string} code */
  const change = async (code) => {
    await settle();
    chooseLanguage(code);
    if (await isRunning()) return loadAgain();
    waits = true;
    keep();
    document.dispatchEvent(new Event("aquifer:lost"));
  };
  /** @param {string} code */
  const want = (code) => {
    waits = false;
    for (const note of panel.querySelectorAll("[role=alert], [role=status]")) note.remove();
    if (code === language()) return chooseLanguage(code);
    if (!isHeld()) return change(code);
    const question = ask(code);
    panel.append(question);
    find(question, "[data-test=language-keep]")?.focus();
  };
  document.addEventListener("aquifer:found", () => waits && isOutdated() && want(chosen()));
  /** @param {string} code */
  const ask = (code) => h("div", { class: "popover-question", role: "alert", "data-test": "language-ask" },
    h("p", { class: "popover-hint" }, t("language.ask")),
    h("div", { class: "drop-buttons" },
      h("button", { class: "button button-primary", type: "button", "data-test": "language-keep", onclick: keep }, t("language.keep")),
      h("button", { class: "button", type: "button", "data-test": "language-change", onclick: () => change(code) }, t("language.change"))));
  const draw = () => {
    panel.replaceChildren(
      choices({
        name: "theme", title: t("theme"), value: document.documentElement.dataset.theme ?? "auto", className: "choices-segments",
        options: ["auto", "light", "dark"].map((id) => ({ id, label: t(`theme.${id}`) })), onChange: setTheme,
      }),
      choices({
        name: "language", title: t("language"), value: waits ? chosen() : language(), className: "choices-segments",
        options: Object.entries(languages).map(([id, label]) => ({ id, label, lang: id })), onChange: want,
      }),
      waits ? h("p", { class: "popover-hint", role: "status", "data-test": "language-waits" }, t("language.waits")) : "",
      choices({
        name: "shortcut", title: t("shortcut"), value: hasShortcut() ? "on" : "off", className: "choices-segments choices-shortcut",
        options: ["on", "off"].map((id) => ({ id, label: t(`shortcut.${id}`) })), onChange: setShortcut,
      }),
      who, more);
  };
  draw();
  // Another tab has chosen a theme.
  addEventListener("storage", ({ key }) => {
    if (key !== null && key !== "aquifer.theme") return;
    const theme = memory.get("theme") ?? "auto";
    applyTheme(theme);
    mark(panel, "theme", theme);
  });
  // The name of the user is not needed before the panel, and is there when it opens.
  for (const name of ["pointerenter", "focus", "click"]) button.addEventListener(name, () => who.load());
  const element = popover({ button, panel, onOpen: draw });
  /** Opens it as it was before the page was loaded again. */
  const reopen = () => {
    button.click();
    focus();
  };
  return Object.assign(element, { reopen });
}
