import { find, h, onEscape, replaceWhen, setText, testOf } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/** @typedef {(file: Wire.DriveAccountFile) => void} Act */

/**
 * The actions that a file allows now; `doing` is the one under way.
 *
 * @typedef {{ mayChange: boolean, isAsking: boolean, isBusy: boolean, doing: string | null }} Doable
 */

/**
 * A file of a storage account.
 *
 * @param {{ onReplace: Act, onAsk: Act, onKeep: Act, onDelete: Act }} acts
 */
export function driveFile({ onReplace, onAsk, onKeep, onDelete }) {
  const name = h("h3", { class: "drive-file-name", tabindex: "-1", dir: "auto", "data-test": "file-name" });
  const size = h("p", { class: "drive-file-size", "data-test": "file-size" });
  const actions = h("div", { class: "drive-file-actions" });
  const row = h("li", { class: "drive-file", "data-test": "file" },
    h("span", { class: "file-glyph", "aria-hidden": "true" }, icon("document")), h("div", { class: "file-text" }, name, size), actions);
  /**
   * @param {Wire.DriveAccountFile} file
   * @param {Doable} now
   */
  const draw = (file, { mayChange, isAsking, isBusy, doing }) => {
    row.dataset.name = file.name;
    setText(name, file.name);
    setText(size, doing ? t(`drive.doing.${doing}`) : file.sizeText);
    row.classList.toggle("is-busy", Boolean(doing));
    const focused = testOf(actions);
    replaceWhen(actions, JSON.stringify([file.name, file.link, mayChange, isAsking, isBusy, doing]), () => {
      if (doing) return h("span", { class: "spinner", "aria-hidden": "true" });
      if (isAsking) return question(file);
      /**
       * @param {string} what
       * @param {import("./icon.js").Glyph} glyph
       * @param {Act} run
       */
      const button = (what, glyph, run) => h("button", { class: `icon-button drive-${what}`, type: "button", "data-test": what, title: t(`drive.${what}`),
        "aria-label": t(`drive.${what}.name`, file), "aria-disabled": String(isBusy), onclick: () => isBusy || run(file) }, icon(glyph));
      return [
        h("a", { class: "icon-button", href: file.link, download: file.name, "data-test": "download", title: t("drive.download"), "aria-label": t("drive.download.name", file) }, icon("download")),
        mayChange && button("replace", "swap", onReplace),
        mayChange && button("delete", "trash", onAsk)];
    });
    // While it is deleted there is nothing to press: the focus waits at the name.
    if (focused && !actions.contains(document.activeElement)) (find(actions, `[data-test="${focused}"]`) ?? name).focus({ focusVisible: false });
  };

  /** @param {Wire.DriveAccountFile} file */
  function question(file) {
    return h("div", { class: "card-question", role: "group", "aria-label": t("drive.delete.ask"), onkeydown: onEscape(() => onKeep(file)) },
      h("span", { class: "card-question-text" }, t("drive.delete.ask")),
      h("button", { class: "button", type: "button", "data-test": "delete-cancel", onclick: () => onKeep(file) }, t("drive.keep")),
      h("button", { class: "button button-danger", type: "button", "data-test": "delete-confirm", "aria-label": t("drive.delete.confirm", file), onclick: () => onDelete(file) }, t("drive.delete")));
  }
  return Object.assign(row, { draw });
}
