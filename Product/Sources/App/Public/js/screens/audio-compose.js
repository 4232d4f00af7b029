import { ApiError, address, fetchOwn, refusal, upload } from "../api.js";
import { backButton } from "../components/back-button.js";
import { FileDrop } from "../components/file-drop.js";
import { Form, fieldError } from "../components/form.js";
import { icon } from "../components/icon.js";
import { player } from "../components/player.js";
import { previewPlayer } from "../components/preview-player.js";
import { Recorder, canRecord } from "../components/recorder.js";
import { announce } from "../components/toast.js";
import { drawOnce, find, h, nameButton, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { clock, recordingName } from "../logic/time.js";
import { memory } from "../memory.js";
import { ModelScreen } from "../screen.js";

/** @typedef {Partial<Wire.AudioComposeState>} State */

/** Nothing larger is even begun: the server would hang up in the middle. The model says what is too large below this. */
const HOPELESS = 100 * 1024 * 1024;

const FILE = "/api/screens/audio-compose/file";

/**
 * A clip of one's own: a file or a recording, a title, and off it goes, now or when there is a connection.
 *
 * @extends {ModelScreen<"audio-compose">}
 */
export class AudioComposeScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/audio"));
  #picker = h("input", { type: "file", accept: "audio/*", hidden: true, "data-test": "file-input", onchange: () => this.#picked() });
  #pick = h("button", { class: "button button-primary", type: "button", "data-test": "pick", onclick: () => this.#picker.click() });
  #record = h("button", { class: "button", type: "button", "data-test": "record", onclick: () => this.#startRecording() });
  #dropText = h("p", { class: "drop-text" });
  #drop = h("div", { class: "drop-zone", "data-test": "drop-zone" },
    h("span", { class: "drop-glyph", "aria-hidden": "true" }, icon("audio")), this.#dropText, h("div", { class: "drop-buttons" }, this.#pick, this.#record));
  #level = h("span", { class: "level-bar" });
  #recordTime = h("span", { class: "record-time", "data-test": "record-time" });
  #recordText = h("span", { class: "record-text", role: "status" });
  #recordStop = h("button", { class: "button button-primary", type: "button", "data-test": "record-stop", onclick: () => this.#stopRecording() });
  #recordCancel = h("button", { class: "button", type: "button", "data-test": "record-cancel", onclick: () => this.#cancelRecording() });
  #recording = h("div", { class: "recording", hidden: true, "data-test": "recording" },
    h("div", { class: "recording-line" }, h("span", { class: "record-dot", "aria-hidden": "true" }), this.#recordText, this.#recordTime),
    h("div", { class: "level", "aria-hidden": "true", "data-test": "level" }, this.#level),
    h("div", { class: "drop-buttons" }, this.#recordStop, this.#recordCancel));
  #fileName = h("p", { class: "file-name", "data-test": "file-name" });
  #fileMore = h("p", { class: "file-more", "data-test": "file-more" });
  #fileRemove = h("button", { class: "icon-button", type: "button", "data-test": "remove-file", onclick: () => this.#removeFile() }, icon("trash"));
  #preview = previewPlayer();
  #file = h("div", { class: "file-card", hidden: true, "data-test": "file" },
    h("div", { class: "file-head" }, h("span", { class: "file-glyph", "aria-hidden": "true" }, icon("file")),
      h("div", { class: "file-text" }, this.#fileName, this.#fileMore), this.#fileRemove), this.#preview);
  #fileError = fieldError("clip-file-error", "file-error");
  #label = h("label", { class: "field-label", for: "clip-title" });
  #field = h("input", {
    id: "clip-title", class: "field-input", type: "text", dir: "auto", autocomplete: "off", enterkeyhint: "send", "aria-describedby": "clip-title-error", "data-kept": true, "data-test": "clip-title",
    oninput: () => this.#typed(),
  });
  #titleError = fieldError("clip-title-error", "clip-title-error");
  #authorLabel = h("label", { class: "field-label", for: "clip-author" });
  /**
   * Not told to the model before the clip goes off. It is the same for the next clip, also in another visit.
   *
   * @type {HTMLInputElement}
   */
  #author = h("input", {
    id: "clip-author", class: "field-input", type: "text", dir: "auto", autocomplete: "name", maxlength: "100", enterkeyhint: "send", "data-test": "clip-author-field",
    oninput: () => memory.set("author", this.#author.value.trim()),
  });
  #meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "data-test": "send-progress" }, h("span", { class: "meter-part" }));
  #percent = h("span", { class: "meter-percent", "data-test": "send-percent" });
  #bytes = h("span", { "data-test": "send-bytes" });
  #sending = h("div", { class: "sending", hidden: true }, h("p", { class: "meter-line" }, this.#percent, this.#bytes), this.#meter);
  #verdict = h("div", { role: "alert" });
  #buttons = h("div", { class: "compose-buttons" });
  #form = h("form", { class: "compose-form", novalidate: true, "data-test": "compose-form" },
    this.#picker, this.#drop, this.#recording, this.#file, this.#fileError,
    h("div", { class: "field" }, this.#label, this.#field, this.#titleError),
    h("div", { class: "field" }, this.#authorLabel, this.#author), this.#sending, h("div", { class: "compose-foot" }, this.#verdict, this.#buttons));
  #result = h("div", { role: "status" });
  #recorder = new Recorder();
  /**
   * The microphone.
   *
   * @type {"idle" | "asking" | "on"}
   */
  #mic = "idle";
  #ticking = 0;
  /** @type {string | null} */
  #localError = null;
  /** @type {AbortController | null} */
  #upload = null;
  /**
   * The file that this page has given to the form, as long as the form is to keep it.
   *
   * @type {File | null}
   */
  #chosen = null;
  /** True from the click that sends until the model says what became of it. */
  #isActing = false;
  /** True from the click that cancels until the post has ended. */
  #isCancelling = false;
  /** True until the first state of a connection that is not the page's first one. */
  #isBack = false;
  /** True if the page was left since its last state: another visit may have typed another title. */
  #wasLeft = false;
  /** True if the replica that was to send is gone: nobody here knows what became of the clip. */
  #isInDoubt = false;
  #parts = new Form([
    { input: this.#pick, error: this.#fileError, certain: () => this.state?.fileError ?? this.#localError, problem: () => this.state?.fileError ?? this.#localError ?? (this.state?.file ? "" : t("compose.missing.file")) },
    // The model says nothing about a title that nobody has typed.
    { input: this.#field, error: this.#titleError, certain: () => this.state?.titleError, problem: () => this.state?.titleError ?? (this.#field.value === "" ? t("clip.noTitle") : "") },
  ], {
    // The clip is sent with the title that stands here.
    isHeard: () => this.isSettled && this.#upload === null && this.state?.title === this.#field.value, tell: () => this.isSettled && this.#tellTitle(), isReady: () => Boolean(this.state?.canSend), isBusy: () => this.state?.phase === "sending" || this.#hasEnded,
    send: () => this.#send("send"),
  });
  #dropping;
  element = h("section", { class: "screen compose-screen", "data-test": "screen-compose" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#form, this.#result);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("audio-compose");
    this.#author.value = memory.get("author") ?? "";
    this.shell = shell;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#parts.attempt();
    });
    this.#dropping = new FileDrop(this.element, {
      mark: (isOver) => this.#drop.classList.toggle("is-over", isOver), drop: ([file]) => this.#dropped(file),
    });
    this.#draw();
  }

  get title() {
    return t("compose.title");
  }

  show() {
    super.show();
    this.#dropping.start();
  }

  get isWorking() {
    return this.#upload !== null || this.#isRecording;
  }

  get #isRecording() {
    return this.#mic === "on";
  }

  hide() {
    super.hide();
    this.#isInDoubt = false;
    this.#wasLeft = true;
    this.#dropping.stop();
    this.#cancelRecording();
    this.#preview.pause();
    if (this.#hasEnded) this.send("again");
  }

  opened() {
    super.opened();
    this.#isBack = this.state !== null;
  }

  misdirected() {
    super.misdirected();
    this.#isActing = false;
  }

  /**
   * The form may be another one, in a replica that has never heard of it: it is filled in again, unless the clip may be on its way. A title
   * that did not arrive is told again to any form.
   *
   * @param {Wire.AudioComposeState} state
   * @param {Wire.AudioComposeState | null} [before]
   */
  #tellAgain(state, before) {
    const wasLeft = this.#wasLeft;
    this.#isBack = this.#wasLeft = false;
    if (this.#isInDoubt || [state.phase, before?.phase].some((phase) => phase === "sent" || phase === "queued")) return;
    const isEmpty = state.phase === "empty" && !state.fileError;
    if (isEmpty && state.title === "" && (this.#isActing || before?.phase === "sending")) {
      this.#isInDoubt = true;
      this.#forgetFile();
      this.#field.value = "";
      return;
    }
    if (isEmpty || !wasLeft) this.#tellTitle();
    if (isEmpty && this.#chosen) this.#take(this.#chosen, true);
  }

  /** Says the title again, unless the model has it. */
  #tellTitle() {
    if (this.state && this.state.phase !== "sending" && this.state.title !== this.#field.value) this.send("title", { text: this.#field.value }, "title");
  }

  #forgetFile() {
    this.#chosen = null;
    this.#isActing = false;
    this.#preview.unload();
  }

  get #hasEnded() {
    return this.state?.phase === "sent" || this.state?.phase === "queued";
  }

  /**
   * @param {Wire.AudioComposeState} state
   * @param {Wire.AudioComposeState | null} [before]
   */
  render(state, before) {
    if (this.#isBack) this.#tellAgain(state, before);
    if (!state.file && before?.file && !this.#upload) this.#preview.unload();
    if (before && before.phase !== state.phase) this.#isActing = false;
    // Only what this page has not read itself comes back from the server: the file of the page before it.
    if (state.file && !before && !this.#upload) this.#preview.restore(state.file.name, kept);
    if (this.isSettled && !this.isLost("title") && document.activeElement !== this.#field) this.#field.value = state.title;
    if (before && before.phase !== state.phase) this.#changed(before.phase, state);
    this.#draw();
    this.#parts.answered();
  }

  settled() {
    this.#draw();
    this.#parts.answered();
  }

  /**
   * @param {Wire.AudioComposeState["phase"]} before
   * @param {Wire.AudioComposeState} state
   */
  #changed(before, { phase, message }) {
    if (phase === "sent" || phase === "queued") {
      this.#field.value = "";
      this.#parts.reset();
      this.#forgetFile();
      queueMicrotask(() => find(this.#result, "h2")?.focus({ focusVisible: false }));
    }
    // A form that another replica has kept is ready, too: nobody has cancelled it.
    if (before === "sending" && phase === "ready" && this.#isCancelling) announce(message ?? t("compose.cancelled"));
    this.#isCancelling = false;
  }

  async #cancel() {
    this.#isCancelling = true;
    if (!(await this.send("cancel"))) this.#isCancelling = false;
  }

  #draw() {
    /** @type {State} */
    const state = this.state ?? { phase: "empty" };
    const isSending = state.phase === "sending";
    const hasEnded = this.#hasEnded;
    setText(this.#title, t("compose.title"));
    this.#form.hidden = hasEnded;
    this.#drawSource(state, isSending);
    setText(this.#label, t("compose.field"));
    this.#field.placeholder = t("compose.field.example");
    this.#field.readOnly = this.#author.readOnly = isSending;
    setText(this.#authorLabel, t("compose.author"));
    this.#author.placeholder = t("compose.author.example");
    this.#drawSending(state, isSending);
    const failure = state.phase === "failed" ? state.message ?? t("compose.failed") : this.#isInDoubt ? t("compose.doubt") : "";
    replaceWhen(this.#verdict, failure, () => failure && h("div", { class: "verdict", "data-test": this.#isInDoubt ? "compose-doubt" : "compose-failed" },
      h("p", { class: "verdict-text" }, icon("alert"), h("span", {}, failure)),
      this.#isInDoubt && h("div", { class: "verdict-actions" },
        h("a", { class: "button", href: "/outbox", "data-link": true, "data-test": "doubt-outbox" }, icon("outbox"), t("compose.queued.outbox")))));
    this.#drawButtons(state);
    this.#drawResult(state);
  }

  /**
   * @param {State} state
   * @param {boolean} isSending
   */
  #drawSource(state, isSending) {
    const isRecording = this.#mic === "on";
    drawOnce(this.#pick, () => [icon("file"), t("compose.pick")]);
    replaceWhen(this.#record, `${this.#mic}`, () => [icon("mic"), t(this.#mic === "asking" ? "compose.record.asking" : "compose.record")]);
    this.#record.hidden = !canRecord();
    this.#record.setAttribute("aria-disabled", String(this.#mic === "asking"));
    setText(this.#dropText, this.#upload ? t("compose.reading") : invitation());
    this.#drop.classList.toggle("is-busy", Boolean(this.#upload));
    this.#drop.hidden = Boolean(state.file) || isRecording;
    this.#recording.hidden = !isRecording;
    setText(this.#recordText, t("compose.recording"));
    drawOnce(this.#recordStop, () => [icon("stop", "icon-solid"), t("compose.record.stop")]);
    drawOnce(this.#recordCancel, () => t("cancel"));
    this.#file.hidden = !state.file || isRecording;
    setText(this.#fileName, state.file?.name ?? "");
    this.#fileName.title = state.file?.name ?? "";
    setText(this.#fileMore, state.file?.sizeText ?? "");
    nameButton(this.#fileRemove, t("compose.file.remove"));
    this.#fileRemove.hidden = isSending;
    if (!this.#preview.hidden) this.#preview.redraw();
    this.#parts.draw();
  }

  /**
   * @param {State} state
   * @param {boolean} isSending
   */
  #drawSending({ percent = null, sentBytesText }, isSending) {
    this.#sending.hidden = !isSending;
    if (!isSending) return;
    this.#meter.setAttribute("aria-label", t("compose.sending"));
    this.#meter.classList.toggle("is-waiting", percent === null);
    if (percent === null) this.#meter.removeAttribute("aria-valuenow");
    else this.#meter.setAttribute("aria-valuenow", String(percent));
    this.#meter.style.setProperty("--part", `${percent ?? 0}%`);
    setText(this.#percent, percent === null ? t("compose.sending") : `${percent} %`);
    setText(this.#bytes, sentBytesText ?? "");
  }

  /** @param {State} state */
  #drawButtons({ phase, canSend = false }) {
    const hadFocus = this.#buttons.contains(document.activeElement);
    /**
     * @param {string} name
     * @param {import("../components/icon.js").Glyph} glyph
     * @param {string} title
     * @param {(() => void) | null} run
     */
    const button = (name, glyph, title, run, primary = false) => h("button", {
      class: `button ${primary ? "button-primary" : ""}`.trim(), type: primary ? "submit" : "button", "data-test": name,
      onclick: primary ? null : run, "data-ready": String(canSend || name === "cancel-send"),
    }, icon(glyph), title);
    replaceWhen(this.#buttons, `${phase === "sending" || phase === "failed" ? phase : ""} ${canSend}`, () => (phase === "sending"
      ? [button("cancel-send", "close", t("cancel"), () => this.#cancel())]
      : [button(phase === "failed" ? "retry-send" : "send", phase === "failed" ? "reload" : "sent", t(phase === "failed" ? "retry" : "compose.send"), null, true),
        button("later", "outbox", t("compose.later"), () => this.#parts.attempt(() => this.#send("later")))]));
    if (hadFocus && !this.#buttons.contains(document.activeElement)) find(this.#buttons, "button")?.focus({ focusVisible: false });
  }

  /** @param {State} state */
  #drawResult({ phase, sent, message }) {
    const isSent = phase === "sent";
    replaceWhen(this.#result, this.#hasEnded ? `${phase} ${sent?.id} ${message}` : "", () => this.#hasEnded && h("div", { class: "message", "data-test": `compose-${phase}` },
      h("div", { class: `message-glyph result-${phase}` }, icon(isSent ? "check" : "clock")),
      h("h2", { class: "message-title", tabindex: "-1" }, t(isSent ? "compose.sent.title" : "compose.queued.title")),
      isSent && sent?.title && h("p", { class: "result-clip", "data-test": "sent-title" }, sent.title),
      h("p", { class: "message-text" }, message ?? t(isSent ? "compose.sent.text" : "compose.queued.text")),
      h("div", { class: "result-buttons" },
        h("a", { class: "button button-primary", href: "/audio", "data-link": true, "data-test": "to-audio" }, icon("audio"), t("compose.sent.hear")),
        !isSent && h("a", { class: "button", href: "/outbox", "data-link": true, "data-test": "result-outbox" }, icon("outbox"), t("compose.queued.outbox")),
        h("button", { class: "button", type: "button", "data-test": "again", onclick: () => this.send("again") }, icon("plus"), t("compose.again")))));
  }

  #typed() {
    this.#isInDoubt = false;
    this.send("title", { text: this.#field.value }, "title");
    this.#draw();
  }

  /** @param {"send" | "later"} intent */
  #send(intent) {
    if (!this.state) return;
    player.pause();
    this.#preview.pause();
    this.#isActing = true;
    this.send(intent === "send" && this.state.phase === "failed" ? "retry" : intent, { title: this.#field.value, author: this.#author.value });
  }

  #picked() {
    const [file] = this.#picker.files ?? [];
    this.#picker.value = "";
    if (file) this.#take(file);
  }

  /**
   * Gives the form a file.
   *
   * @param {File} file
   * @param {boolean} isAgain True if the user has chosen it before, and knows nothing of this.
   */
  async #take(file, isAgain = false) {
    this.#upload?.abort();
    this.#localError = null;
    this.#isInDoubt = false;
    this.#parts.edited(this.#pick);
    if (!isAgain) this.#preview.unload();
    if (file.size > HOPELESS) {
      this.#localError = t("compose.tooLarge");
      return this.#draw();
    }
    const controller = new AbortController();
    this.#upload = controller;
    this.#chosen = file;
    this.#draw();
    try {
      await upload(address(FILE, { name: file.name }), file, controller.signal, this.replica);
      if (isAgain) return;
      this.#preview.load(file);
      this.#field.focus({ preventScroll: true });
    } catch (error) {
      if (controller.signal.aborted) return;
      if (error instanceof ApiError && error.status === 421) return this.misdirected();
      // The model reports errors of the file itself.
      if (!(error instanceof ApiError && error.kind === "file")) this.#localError = t(error instanceof ApiError && error.kind === "quota" ? "quota.full" : "compose.unread");
    } finally {
      if (this.#upload === controller) this.#upload = null;
      this.#draw();
      this.#parts.answered();
    }
  }

  #removeFile() {
    this.#forgetFile();
    this.#localError = null;
    this.send("removeFile").then(() => this.#pick.focus({ focusVisible: false }));
  }

  /** @param {File | undefined} file */
  #dropped(file) {
    if (file && this.state?.phase !== "sending" && !this.#hasEnded) this.#take(file);
  }

  async #startRecording() {
    if (this.#mic !== "idle") return;
    player.pause();
    this.#localError = null;
    this.#mic = "asking";
    this.#draw();
    try {
      const began = await this.#recorder.start((level) => this.#level.style.setProperty("--level", level.toFixed(3)));
      this.#mic = began ? "on" : "idle";
    } catch (error) {
      this.#recorder.cancel();
      this.#mic = "idle";
      const isRefused = error instanceof DOMException && error.name === "NotAllowedError";
      this.#localError = t(isRefused ? "compose.record.refused" : "compose.record.none");
    }
    this.#draw();
    if (!this.#isRecording) return;
    const tick = () => setText(this.#recordTime, clock(this.#recorder.elapsed));
    tick();
    this.#ticking = setInterval(tick, 250);
    this.#recordStop.focus({ focusVisible: false });
  }

  async #stopRecording() {
    clearInterval(this.#ticking);
    const blob = await this.#recorder.stop();
    this.#mic = "idle";
    if (!blob) return this.#draw();
    await this.#take(new File([blob], recordingName(blob.type), { type: blob.type }));
  }

  #cancelRecording() {
    clearInterval(this.#ticking);
    if (this.#mic === "idle") return;
    this.#recorder.cancel();
    this.#mic = "idle";
    this.#draw();
    if (!this.element.hidden) this.#record.focus({ focusVisible: false });
  }
}

/** The file that the form keeps. */
async function kept() {
  const response = await fetchOwn(address(FILE));
  if (!response.ok) throw await refusal(response);
  return response.blob();
}

/** The invitation to drop, choose or record, as this pointer and this browser allow. */
function invitation() {
  const canDrop = matchMedia("(hover: hover)").matches;
  if (canRecord()) return t(canDrop ? "compose.drop.record" : "compose.choose.record");
  return t(canDrop ? "compose.drop" : "compose.choose");
}
