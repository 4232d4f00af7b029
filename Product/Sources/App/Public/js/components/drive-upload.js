import { drawOnce, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/** The outcome of all uploads, in a sentence. */
export const uploadVerdict = ({ stored, files }) => (stored < files ? t("drive.upload.partly", { stored, files }) : t("drive.upload.done", { count: files }));

/** The place to choose or drop files, with the progress and the outcome of each upload. */
export function driveUpload({ onFiles, onStop, onDismiss, onReplace, onKeep }) {
  const input = h("input", { type: "file", multiple: true, hidden: true, "data-test": "upload-input", onchange: () => {
    const files = [...input.files];
    input.value = "";
    onFiles(files);
  } });
  const pick = h("button", { class: "button button-primary", type: "button", "data-test": "upload", onclick: () => pick.getAttribute("aria-disabled") === "true" || input.click() });
  const text = h("p", { class: "drop-text" });
  const zone = h("div", { class: "drop-zone drive-zone", "data-test": "drop-zone" },
    h("span", { class: "drop-glyph", "aria-hidden": "true" }, icon("share")), text, h("div", { class: "drop-buttons" }, pick));
  const asked = h("div", { role: "status" });
  const percent = h("span", { class: "meter-percent", "data-test": "upload-percent" });
  const words = h("span", { "data-test": "upload-bytes" });
  const meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "data-test": "upload-progress" }, h("span", { class: "meter-part" }));
  const stop = h("button", { class: "button", type: "button", "data-test": "upload-stop", onclick: onStop });
  const progress = h("div", { class: "drive-progress", hidden: true }, h("p", { class: "meter-line" }, percent, words), meter, stop);
  const results = h("div", { role: "status" });
  const element = h("div", { class: "drive-upload", hidden: true }, input, zone, asked, progress, results);

  element.mark = (isIt) => zone.classList.toggle("is-over", isIt);
  element.focusQuestion = () => asked.querySelector("button")?.focus();
  element.focusPick = () => pick.focus({ focusVisible: false });
  element.draw = ({ state, handing, offered, mayUpload, mayReplace }) => {
    const { upload } = state;
    const isSending = Boolean(upload && !upload.isDone);
    zone.hidden = !mayUpload || Boolean(offered) || isSending || Boolean(handing);
    pick.setAttribute("aria-disabled", String(Boolean(state.action)));
    drawOnce(pick, () => [icon("plus"), t("drive.upload")]);
    setText(text, t(matchMedia("(hover: hover)").matches ? "drive.upload.drop" : "drive.upload.choose"));
    replaceWhen(asked, `${offered?.twice.map(({ name }) => name).join("/")}`, () => offered && question(offered, mayReplace));
    const hadFocus = progress.contains(document.activeElement);
    progress.hidden = !isSending && !handing;
    meter.classList.toggle("is-waiting", !isSending);
    const label = isSending ? t("drive.upload.sending", { done: upload.done, count: upload.files })
      : handing ? t("drive.upload.reading", { name: handing.name, number: handing.done + 1, count: handing.files }) : "";
    meter.setAttribute("aria-label", label);
    if (isSending) meter.setAttribute("aria-valuenow", String(upload.percent));
    else meter.removeAttribute("aria-valuenow");
    meter.style.setProperty("--part", `${isSending ? upload.percent : 0}%`);
    setText(percent, isSending ? `${upload.percent} %` : label);
    setText(words, isSending ? `${label} · ${upload.sentText}` : "");
    drawOnce(stop, () => [icon("close"), t("cancel")]);
    replaceWhen(results, `${JSON.stringify(upload?.isDone && upload)}`, () => upload?.isDone && list(upload));
    if (hadFocus && progress.hidden) (results.querySelector("button") ?? pick).focus({ focusVisible: false });
  };

  function question({ twice }, mayReplace) {
    const box = h("div", { class: "drive-asked", role: "group", "aria-label": t("drive.twice", { count: twice.length, name: twice[0].name }), "data-test": "twice" },
      h("p", {}, t("drive.twice", { count: twice.length, name: twice[0].name })),
      h("div", { class: "drop-buttons" },
        mayReplace && h("button", { class: "button button-primary", type: "button", "data-test": "twice-replace", onclick: onReplace }, t("drive.twice.replace")),
        h("button", { class: "button", type: "button", "data-test": "twice-keep", onclick: onKeep }, t("drive.twice.keep"))));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      onKeep();
    });
    return box;
  }

  function list(upload) {
    const isGood = upload.stored === upload.files;
    const failed = upload.results.filter((result) => !result.isStored);
    return h("div", { class: `drive-results ${isGood ? "is-good" : "is-bad"}`, "data-test": "upload-results" },
      h("div", { class: "drive-results-head" }, icon(isGood ? "check" : "alert"), h("p", { "data-test": "upload-verdict" }, uploadVerdict(upload)),
        h("button", { class: "icon-button", type: "button", "aria-label": t("dismiss"), title: t("dismiss"), "data-test": "upload-dismiss", onclick: onDismiss }, icon("close"))),
      failed.length > 0 && h("ul", {}, failed.map(({ name, message }) => h("li", { "data-test": "upload-failure" }, h("strong", { dir: "auto" }, name), h("span", {}, message)))));
  }
  return element;
}
