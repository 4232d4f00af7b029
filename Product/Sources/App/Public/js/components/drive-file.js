import { find, focusedIn, h, onEscape, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { harmless } from "../logic/harmless.js";
import { clampedName } from "./clamped-name.js";
import { icon } from "./icon.js";
import { menu } from "./menu.js";

/** @typedef {(file: Wire.DriveAccountFile) => void} Act */

/**
 * The actions that a file allows now; `doing` is the one under way, `problem` says why the last one did not work.
 *
 * @typedef {{ mayChange: boolean, isAsking: boolean, isBusy: boolean, doing: string | null, problem: string }} Doable
 */

/**
 * A file of a storage account.
 *
 * @param {{ onOpen: Act, onReplace: Act, onAsk: Act, onKeep: Act, onDelete: Act }} acts
 */
export function driveFile({ onOpen, onReplace, onAsk, onKeep, onDelete }) {
  /** @type {Wire.DriveAccountFile | null} */
  let shown = null;
  const words = clampedName();
  const open = h("button", { class: "drive-file-open", type: "button", "aria-haspopup": "dialog", "data-test": "open-file", onclick: () => shown && onOpen(shown) }, words);
  const name = h("h3", { class: "drive-file-name", "data-test": "file-name" }, open);
  const picture = h("span", { class: "file-glyph", "aria-hidden": "true", "data-test": "file-picture" });
  const more = menu("file-menu");
  const size = h("p", { class: "drive-file-size", "data-test": "file-size" });
  const actions = h("div", { class: "drive-file-actions" });
  const failure = h("p", { class: "field-error", role: "status", hidden: true, "data-test": "file-problem" });
  const row = h("li", { class: "drive-file", "data-test": "file" },
    picture, h("div", { class: "file-text" }, name, size), actions, failure);
  /**
   * @param {Wire.DriveAccountFile} file
   * @param {Doable} now
   */
  const draw = (file, { mayChange, isAsking, isBusy, doing, problem }) => {
    const wasReplaced = doing !== "replacing" && row.dataset.doing === "replacing";
    shown = file;
    row.dataset.name = file.name;
    row.dataset.doing = doing ?? "";
    const named = { name: harmless(file.name) };
    words.draw(named.name);
    open.setAttribute("aria-label", t("drive.open", named));
    if (wasReplaced) picture.dataset.turn = String(Number(picture.dataset.turn ?? 0) + 1);
    // A new signature of the same address is no new picture.
    replaceWhen(picture, [file.name, file.size, Boolean(file.thumbnail), picture.dataset.turn].join("/"), () => [icon("document"), thumbnail(file)]);
    setText(size, doing ? t(`drive.doing.${doing}`) : file.sizeText);
    setText(failure, problem);
    failure.hidden = problem === "";
    row.classList.toggle("is-busy", Boolean(doing));
    const focused = focusedIn(actions);
    replaceWhen(actions, JSON.stringify([isAsking, Boolean(doing)]), () => doing ? h("span", { class: "spinner", "aria-hidden": "true" }) : isAsking ? question() : more);
    more.draw(t("drive.more.name", named), t("drive.more"), [
      ...(file.link ? /** @type {import("./menu.js").Item[]} */ ([{ test: "download", glyph: "download", label: t("drive.download"), name: t("drive.download.name", named), href: file.link, download: named.name }]) : []),
      ...(mayChange ? /** @type {import("./menu.js").Item[]} */ ([
        { test: "replace", glyph: "swap", label: t("drive.replace"), name: t("drive.replace.name", named), isDisabled: isBusy, run: () => onReplace(file) },
        { test: "delete", glyph: "trash", label: t("drive.delete"), name: t("drive.delete.name", named), isDisabled: isBusy, isDanger: true, run: () => onAsk(file) }]) : []),
    ]);
    // While it is deleted there is nothing to press: the focus waits at the name.
    if (focused && !actions.contains(document.activeElement)) (find(actions, `[data-test="${focused}"]`) ?? open).focus({ focusVisible: false });
  };

  /** Asks about the file that the row has when the answer comes. */
  function question() {
    const run = (/** @type {Act} */ act) => () => shown && act(shown);
    return h("div", { class: "card-question", role: "group", "aria-label": t("drive.delete.ask"), onkeydown: onEscape(run(onKeep)) },
      h("span", { class: "card-question-text" }, t("drive.delete.ask")),
      h("button", { class: "button", type: "button", "data-test": "delete-cancel", onclick: run(onKeep) }, t("drive.keep")),
      h("button", { class: "button button-danger", type: "button", "data-test": "delete-confirm", "aria-label": t("drive.delete.confirm", { name: harmless(shown?.name ?? "") }), onclick: run(onDelete) }, t("drive.delete")));
  }
  return Object.assign(row, { draw });
}

/**
 * A small picture over the icon, once it has come. A file that is no picture, or is not here, keeps the icon.
 *
 * @param {Wire.DriveAccountFile} file
 */
function thumbnail({ thumbnail }) {
  if (!thumbnail) return null;
  /** @type {HTMLImageElement} */
  const image = h("img", { class: "file-thumbnail", loading: "lazy", decoding: "async", alt: "", src: thumbnail, "data-test": "thumbnail", onerror: () => image.remove() });
  return image;
}
