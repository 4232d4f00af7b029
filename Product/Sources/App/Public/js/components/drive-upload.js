import { drawOnce, find, h, onEscape, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { harmless } from "../logic/harmless.js";
import { Rate } from "../logic/rate.js";
import { clampedName } from "./clamped-name.js";
import { fieldError } from "./form.js";
import { icon } from "./icon.js";
import { speedText } from "./speed.js";

/**
 * The outcome of all uploads, in a sentence.
 *
 * @param {Outcomes} outcomes
 */
export const uploadVerdict = ({ stored, files }) => (stored < files ? t("drive.upload.partly", { stored, count: files }) : t("drive.upload.done", { count: files }));

/**
 * The outcomes of all files of a batch.
 *
 * @typedef {Pick<Wire.DriveAccountUpload, "stored" | "files" | "results">} Outcomes
 */

/**
 * The outcomes of an upload, with those of the files that the server on this machine did not get; null before they are known.
 *
 * @param {Wire.DriveAccountUpload | null | undefined} upload
 * @param {Wire.DriveAccountOutcome[]} refused
 * @returns {Outcomes | null}
 */
export function outcomes(upload, refused) {
  if (upload ? !upload.isDone : refused.length === 0) return null;
  return { stored: upload?.stored ?? 0, files: (upload?.files ?? 0) + refused.length, results: [...(upload?.results ?? []), ...refused] };
}

/**
 * Files that were chosen, and those of them that the account has already.
 *
 * @typedef {{ files: File[], twice: File[] }} Offer
 */

/**
 * A file that is handed over to the server on this machine, of a number of files.
 *
 * @typedef {{ name: string, done: number, files: number }} Handing
 */

/**
 * The place to choose or drop files, with the progress and the outcome of each upload.
 *
 * @param {{ onFiles: (files: File[]) => void, onStop: () => void, onDismiss: () => void, onReplace: () => void, onKeep: () => void }} options
 */
export function driveUpload({ onFiles, onStop, onDismiss, onReplace, onKeep }) {
  const input = h("input", { type: "file", multiple: true, hidden: true, "data-test": "upload-input", onchange: () => {
    const files = [...input.files ?? []];
    input.value = "";
    onFiles(files);
  } });
  /** @type {HTMLButtonElement} */
  const pick = h("button", { class: "button button-primary", type: "button", "data-test": "upload", onclick: () => pick.getAttribute("aria-disabled") === "true" || input.click() });
  const text = h("p", { class: "drop-text" });
  const zone = h("div", { class: "drop-zone drive-zone", "data-test": "drop-zone" },
    h("span", { class: "drop-glyph", "aria-hidden": "true" }, icon("share")), text, h("div", { class: "drop-buttons" }, pick));
  const error = fieldError("drive-upload-error", "upload-error", "drive-upload-error");
  pick.setAttribute("aria-describedby", error.id);
  const asked = h("div", { role: "status" });
  const percent = h("span", { class: "meter-percent", "data-test": "upload-percent" });
  const words = h("span", { "data-test": "upload-bytes" });
  const speed = h("span", { "data-test": "upload-rate" });
  const rate = new Rate();
  const meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "data-test": "upload-progress" }, h("span", { class: "meter-part" }));
  const stop = h("button", { class: "button", type: "button", "data-test": "upload-stop", onclick: onStop });
  const progress = h("div", { class: "drive-progress", hidden: true }, h("p", { class: "meter-line" }, percent, words, speed), meter, stop);
  const results = h("div", { role: "status" });
  const element = h("div", { class: "drive-upload", hidden: true }, input, zone, error, asked, progress, results);

  /** @param {boolean} isIt */
  const mark = (isIt) => zone.classList.toggle("is-over", isIt);
  const focusQuestion = () => find(asked, "[data-test=twice-keep]")?.focus();
  const focusPick = () => pick.focus({ focusVisible: false });
  /**
   * @param {{ state: Partial<Wire.DriveAccountState>, handing: Handing | null, offered: Offer | null, refused: Wire.DriveAccountOutcome[], problem: string | null, mayUpload: boolean, mayReplace: boolean }} now
   */
  const draw = ({ state, handing, offered, refused, problem, mayUpload, mayReplace }) => {
    const { upload } = state;
    const sending = upload && !upload.isDone ? upload : null;
    const isSending = sending !== null;
    zone.hidden = !mayUpload || Boolean(offered) || isSending || Boolean(handing);
    pick.setAttribute("aria-disabled", String(Boolean(state.action)));
    drawOnce(pick, () => [icon("plus"), t("drive.upload")]);
    setText(text, t(matchMedia("(hover: hover)").matches ? "drive.upload.drop" : "drive.upload.choose"));
    setText(error, problem ?? "");
    error.hidden = !problem;
    replaceWhen(asked, `${offered?.twice.map(({ name }) => name).join("/")}`, () => offered && question(offered, mayReplace));
    const hadFocus = progress.contains(document.activeElement);
    progress.hidden = !isSending && !handing;
    meter.classList.toggle("is-waiting", !isSending);
    const label = sending ? t("drive.upload.sending", { done: sending.done, count: sending.files })
      : handing ? t("drive.upload.reading", { name: harmless(handing.name), number: handing.done + 1, count: handing.files }) : "";
    meter.setAttribute("aria-label", label);
    if (sending) meter.setAttribute("aria-valuenow", String(sending.percent));
    else meter.removeAttribute("aria-valuenow");
    meter.style.setProperty("--part", `${sending?.percent ?? 0}%`);
    setText(percent, sending ? `${sending.percent}\u00a0%` : "");
    setText(speed, sending ? speedText(rate.note(sending.sent, sending.total)) : "");
    setText(words, sending ? `${label} · ${sending.sentText}` : label);
    drawOnce(stop, () => [icon("close"), t("cancel")]);
    const told = outcomes(upload, refused);
    replaceWhen(results, JSON.stringify(told), () => (told ? list(told) : []));
    if (hadFocus && progress.hidden) (find(results, "button") ?? pick).focus({ focusVisible: false });
  };

  /**
   * @param {Offer} offer
   * @param {boolean} mayReplace
   */
  function question({ twice }, mayReplace) {
    const text = t("drive.twice", { count: twice.length, name: harmless(twice[0].name) });
    return h("div", { class: "drive-asked", role: "group", "aria-label": text, "data-test": "twice", onkeydown: onEscape(onKeep) },
      h("p", {}, text),
      h("div", { class: "drop-buttons" },
        mayReplace && h("button", { class: "button button-primary", type: "button", "data-test": "twice-replace", onclick: onReplace }, t("drive.twice.replace")),
        h("button", { class: "button", type: "button", "data-test": "twice-keep", onclick: onKeep }, t("drive.twice.keep"))));
  }

  /** @param {Outcomes} told */
  function list(told) {
    const isGood = told.stored === told.files;
    const failed = told.results.filter((result) => !result.isStored);
    return h("div", { class: `drive-results ${isGood ? "is-good" : "is-bad"}`, "data-test": "upload-results" },
      h("div", { class: "drive-results-head" }, icon(isGood ? "check" : "alert"), h("p", { "data-test": "upload-verdict" }, uploadVerdict(told)),
        h("button", { class: "icon-button", type: "button", "aria-label": t("dismiss"), title: t("dismiss"), "data-test": "upload-dismiss", onclick: onDismiss }, icon("close"))),
      failed.length > 0 && h("ul", {}, failed.map(failure)));
  }
  /** @param {Wire.DriveAccountOutcome} outcome */
  function failure({ name, message }) {
    const words = clampedName();
    words.draw(harmless(name));
    return h("li", { "data-test": "upload-failure" }, h("strong", {}, words), h("span", {}, message));
  }
  return Object.assign(element, { mark, focusQuestion, focusPick, draw });
}
