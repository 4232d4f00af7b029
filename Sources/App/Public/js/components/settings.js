import { h, memory } from "../dom.js";
import { language, languages, setLanguage, t } from "../i18n.js";
import { icon } from "./icon.js";
import { choices, popover } from "./popover.js";

function setTheme(theme) {
  memory.set("theme", theme);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Theme and language. */
export function settings() {
  const button = h("button", { class: "icon-button", type: "button", "data-test": "settings-button" }, icon("settings"));
  const panel = h("div", { id: "settings-panel", "data-test": "settings-panel" });
  const draw = () => {
    button.setAttribute("aria-label", t("settings"));
    button.title = t("settings");
    const focused = document.activeElement?.dataset?.test;
    panel.replaceChildren(
      choices({
        name: "theme", title: t("theme"), value: document.documentElement.dataset.theme ?? "auto", className: "choices-segments",
        options: ["auto", "light", "dark"].map((id) => ({ id, label: t(`theme.${id}`) })), onChange: setTheme,
      }),
      choices({
        name: "language", title: t("language"), value: language(), className: "choices-segments",
        options: Object.entries(languages).map(([id, label]) => ({ id, label, lang: id })), onChange: setLanguage,
      }));
    if (focused) panel.querySelector(`[data-test="${CSS.escape(focused)}"]`)?.focus();
  };
  draw();
  document.addEventListener("aquifer:language", draw);
  return popover({ button, panel });
}
