import { ApiError, fetchOwn, refusal } from "../api.js";
import { h, setText } from "../dom.js";
import { size, t } from "../i18n.js";
import { harmless } from "../logic/harmless.js";
import { TEXT_LIMIT, textOf } from "../logic/preview.js";
import { Rate } from "../logic/rate.js";
import { icon } from "./icon.js";
import { showModal } from "./modal.js";
import { speedText } from "./speed.js";
import { message } from "./states.js";

/**
 * The bytes of a file, or its first ones, as they came: the list may be older. `length` is that of the whole file, if it is known.
 *
 * @typedef {{ bytes: Uint8Array, type: string, notice: string | null, isWhole: boolean, length: number | null }} Content
 */

/**
 * A window that shows a file: a picture, the beginning of a text, or what is known of it. Text is put in as text, and nothing of a file is run.
 */
export class DrivePreview {
  #title = h("h1", { class: "sheet-title preview-name", id: "preview-title", dir: "auto", tabindex: "-1", "data-test": "preview-name" });
  #facts = h("p", { class: "preview-facts", "data-test": "preview-facts" });
  #close = h("button", { class: "icon-button", type: "button", "aria-label": t("close"), title: t("close"), "data-test": "preview-close", onclick: () => this.close() }, icon("close"));
  #body = h("div", { class: "preview-body", "data-test": "preview-body" });
  #download = h("a", { class: "button button-primary", "data-test": "preview-download" }, icon("download"), t("drive.download"));
  #controller = new AbortController();
  /** The address of the picture that is shown, which the browser keeps until it is given back. */
  #picture = "";
  element = h("dialog", { class: "preview", "aria-labelledby": "preview-title", "data-test": "preview" },
    h("div", { class: "preview-frame" },
      h("div", { class: "sheet-head" }, h("div", { class: "preview-heading" }, this.#title, this.#facts), this.#close), this.#body,
      h("div", { class: "preview-foot" }, this.#download)));

  constructor() {
    this.element.addEventListener("close", () => {
      this.#controller.abort();
      this.#give();
      this.#body.replaceChildren();
      this.element.remove();
    });
  }

  close() {
    if (this.element.open) this.element.close();
  }

  /** @param {Wire.DriveAccountFile} file */
  open(file) {
    setText(this.#title, harmless(file.name));
    this.#download.hidden = !file.link;
    this.#download.href = file.link;
    this.#download.download = harmless(file.name);
    showModal(this.element, () => this.close());
    this.#title.focus({ focusVisible: false });
    this.#show(file);
  }

  /** @param {Wire.DriveAccountFile} file */
  async #show(file) {
    this.#controller.abort();
    const controller = this.#controller = new AbortController();
    setText(this.#facts, file.sizeText);
    if (!file.link) return this.#body.replaceChildren(message({ glyph: "alert", title: t("drive.preview.failed.title"), text: t("drive.file.badName.this"), test: "preview-failed" }));
    const progress = meter(file);
    this.#body.replaceChildren(progress);
    try {
      const content = await load(file, controller.signal, progress.draw);
      if (controller.signal.aborted) return;
      setText(this.#facts, [content.length === null ? file.sizeText : size(content.length), content.notice].filter(Boolean).join(" · "));
      this.#body.replaceChildren(this.#view(file, content));
    } catch (error) {
      if (!controller.signal.aborted) this.#body.replaceChildren(this.#failure(file, error));
    }
  }

  /**
   * @param {Wire.DriveAccountFile} file
   * @param {Content} content
   */
  #view(file, { bytes, type, isWhole, length }) {
    if (isWhole && bytes.length === 0) return h("p", { class: "preview-note", "data-test": "preview-none" }, t("drive.preview.empty"));
    if (type.startsWith("image/")) {
      this.#give();
      this.#picture = URL.createObjectURL(new Blob([bytes], { type }));
      return h("img", { class: "preview-picture", src: this.#picture, alt: harmless(file.name), "data-test": "preview-picture" });
    }
    const text = textOf(bytes, isWhole);
    if (text === null) return h("div", { class: "preview-note", "data-test": "preview-none" }, h("span", { class: "message-glyph", "aria-hidden": "true" }, icon("document")), h("p", {}, t(isWhole ? "drive.preview.none" : "drive.preview.large")));
    const isPart = !isWhole || bytes.length > TEXT_LIMIT;
    const part = size(Math.min(bytes.length, TEXT_LIMIT));
    return h("div", { class: "preview-text", tabindex: "0", role: "region", "aria-labelledby": "preview-title" },
      isPart && h("p", { class: "preview-part", "data-test": "preview-part" }, length === null ? t("drive.preview.part.only", { part }) : t("drive.preview.part", { part, whole: size(length) })),
      h("pre", { dir: "auto", "data-test": "preview-text" }, text));
  }

  /**
   * @param {Wire.DriveAccountFile} file
   * @param {unknown} error
   */
  #failure(file, error) {
    const isOffline = error instanceof ApiError && error.kind === "connectivity";
    const text = isOffline ? t("drive.preview.offline.text") : error instanceof ApiError && error.status > 0 ? error.message : t("error.request");
    return message({ glyph: isOffline ? "offline" : "alert", title: t(isOffline ? "drive.preview.offline.title" : "drive.preview.failed.title"), text, test: "preview-failed",
      action: { title: t("retry"), run: () => {
        this.#title.focus({ focusVisible: false });
        this.#show(file);
      } } });
  }

  #give() {
    if (this.#picture) URL.revokeObjectURL(this.#picture);
    this.#picture = "";
  }
}

/**
 * Loads a file; of one that is too large to be saved, as much as a text shows.
 *
 * @param {Wire.DriveAccountFile} file
 * @param {AbortSignal} signal
 * @param {(done: number) => void} told
 * @returns {Promise<Content>}
 */
async function load(file, signal, told) {
  const wantsWhole = file.preview !== null;
  let isWhole = false;
  let response;
  try {
    response = await fetchOwn(file.preview ?? file.link, { signal });
  } catch (error) {
    throw signal.aborted ? error : new ApiError(0, "gateway", String(error));
  }
  if (!response.ok) throw await refusal(response);
  const reader = response.body?.getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let length = 0;
  // The end has to be seen: as many bytes as are shown may be all of them.
  while (!isWhole && (wantsWhole || length <= TEXT_LIMIT)) {
    const { done, value } = reader ? await reader.read() : { done: true, value: undefined };
    isWhole = done;
    if (!value) continue;
    parts.push(value);
    told(length += value.length);
  }
  if (!isWhole) await reader?.cancel();
  const announced = Number(response.headers.get("Content-Length"));
  const bytes = new Uint8Array(length);
  parts.reduce((at, part) => {
    bytes.set(part, at);
    return at + part.length;
  }, 0);
  const notice = response.headers.get("Aquifer-Notice");
  return { bytes, type: response.headers.get("Content-Type") ?? "", notice: notice && decodeURIComponent(notice), isWhole, length: isWhole ? length : [announced, file.size].find((size) => size > length) ?? null };
}

/**
 * The progress of a file on its way.
 *
 * @param {Wire.DriveAccountFile} file
 */
function meter(file) {
  const rate = new Rate();
  const bar = h("div", { class: "meter is-waiting", role: "progressbar", "aria-label": t("loading"), "aria-valuemin": "0", "aria-valuemax": "100" }, h("span", { class: "meter-part" }));
  const words = h("p", { class: "preview-facts", "data-test": "preview-rate" });
  const element = h("div", { class: "preview-note", "data-test": "preview-loading" }, bar, words);
  /** @param {number} done */
  const draw = (done) => {
    const percent = Math.min(100, Math.floor((done / Math.max(1, file.size)) * 100));
    bar.classList.remove("is-waiting");
    bar.style.setProperty("--part", `${percent}%`);
    bar.setAttribute("aria-valuenow", String(percent));
    setText(words, [`${percent} %`, speedText(rate.note(done, file.size))].filter(Boolean).join(" · "));
  };
  return Object.assign(element, { draw });
}
