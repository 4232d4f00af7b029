import { backButton } from "../components/back-button.js";
import { icon } from "../components/icon.js";
import { errorBanner, message, notice } from "../components/states.js";
import { titleEditor } from "../components/title-editor.js";
import { announce, toast } from "../components/toast.js";
import { find, focusedIn, h, keyed, letGo, onEscape, refocus, replaceWhen, rowOf, setText, target } from "../dom.js";
import { t } from "../i18n.js";
import { steady } from "../logic/steady.js";
import { ModelScreen } from "../screen.js";

/** @typedef {"discard" | "edit"} Doing */

/** @type {Record<Wire.OutboxItem["state"], import("../components/icon.js").Glyph>} */
const GLYPHS = { waiting: "clock", sending: "sent", failed: "alert", paused: "pause" };

/**
 * The items that wait to be sent, with their states.
 *
 * @extends {ModelScreen<"outbox">}
 */
export class OutboxScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/audio"));
  #tools = h("div", { class: "outbox-tools" });
  /** @type {Wire.OutboxState | null} */
  #asked = null;
  #steadyTools = steady((/** @type {Wire.OutboxState} */ state) => this.#drawTools(state), (before, state) => {
    if (state.items.length === 0 || state.isPaused !== before.isPaused) return null;
    const isBeginning = state.isDraining && !state.items.some(({ percent }) => percent);
    const isTry = before.items.length > 0 && !before.isDraining && isBeginning;
    return isTry || (before === this.#asked && (isBeginning || !state.isDraining)) ? before : null;
  });
  #alert = h("div", { role: "alert" });
  #notice = h("div", { role: "status" });
  #list = h("ul", { class: "outbox-list", "data-test": "outbox" });
  #instead = h("div", {});
  /**
   * The item that is to be discarded or edited.
   *
   * @type {{ id: string, doing: Doing } | null}
   */
  #open = null;
  element = h("section", { class: "screen outbox-screen", "data-test": "screen-outbox" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#tools, this.#alert, this.#notice, this.#list, this.#instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("outbox");
    this.shell = shell;
    this.render({ items: [], isPaused: false, isDraining: false, isEmpty: false, notice: null, sent: [], error: null });
  }

  get title() {
    return t("outbox.title");
  }

  /**
   * @param {Wire.OutboxState} state
   * @param {Wire.OutboxState | null} [before]
   */
  render(state, before) {
    setText(this.#title, t("outbox.title"));
    this.#steadyTools.next(state);
    replaceWhen(this.#notice, `${state.isPaused} ${state.notice ?? ""}`, () => notice(state.notice, state.isPaused ? "pause" : "alert"));
    replaceWhen(this.#alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    const hadFocus = this.#list.contains(document.activeElement);
    keyed(this.#list, state.items, (item) => item.id, () => this.#makeRow(), (row, item) => row.draw(item));
    this.#list.hidden = state.items.length === 0;
    const what = state.items.length > 0 ? "list" : state.isEmpty ? "empty" : "loading";
    replaceWhen(this.#instead, `${what}`, () => {
      if (what === "list") return [];
      if (what === "empty") {
        return message({ glyph: "check", title: t("outbox.empty.title"), text: t("outbox.empty.text"), test: "outbox-empty",
          action: { title: t("compose.title"), run: () => this.shell.go("/audio/new") } });
      }
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "outbox-list", "aria-hidden": "true" }, Array.from({ length: 3 }, () => h("span", { class: "shimmer payment-skeleton", "data-test": "skeleton" })))];
    });
    if (hadFocus && !this.#list.contains(document.activeElement)) this.#title.focus({ preventScroll: true, focusVisible: false });
    if (before) this.#tell(before.items, state);
  }

  /** @param {Wire.OutboxState} state */
  #drawTools({ items, isPaused, isDraining }) {
    this.#tools.hidden = items.length === 0 && !isPaused;
    const focused = focusedIn(this.#tools);
    replaceWhen(this.#tools, `${isPaused} ${isDraining} ${items.length > 0}`, () => [
      items.length > 0 && h("button", { class: "button button-primary", type: "button", "data-test": "send-all", "aria-disabled": String(isDraining), onclick: () => this.#sendAll() },
        isDraining ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("sent"), t(isDraining ? "outbox.draining" : "outbox.send")),
      h("button", { class: "button", type: "button", "data-test": isPaused ? "resume" : "pause", onclick: () => this.send(isPaused ? "resume" : "pause") },
        icon(isPaused ? "play" : "pause", isPaused ? "icon-solid" : "icon-thick"), t(isPaused ? "outbox.resume" : "outbox.pause"))]);
    if (focused && !this.#tools.contains(document.activeElement)) {
      (find(this.#tools, `[data-test="${focused}"]`) ?? find(this.#tools, "button:last-child"))?.focus({ focusVisible: false });
    }
  }

  #sendAll() {
    if (!this.state || this.state.isDraining) return;
    this.send("send");
    this.#asked = { ...this.state, isPaused: false, isDraining: true };
    this.#steadyTools.ask(this.#asked);
  }

  /**
   * @param {Wire.OutboxItem[]} before
   * @param {Wire.OutboxState} state
   */
  #tell(before, { items, sent }) {
    for (const item of items) {
      const old = before.find(({ id }) => id === item.id);
      // Each try without a connection is no news.
      if (old && old.state !== "failed" && item.state === "failed") announce(`${item.title}: ${[t("outbox.failed"), item.reason].filter(Boolean).join(". ")}`);
    }
    for (const gone of before.filter(({ id }) => !items.some((item) => item.id === id))) {
      const wasAsked = this.#discarded.delete(gone.id);
      // Other items that left the outbox, such as a post made without a connection, are reported by their own screen.
      if (wasAsked || sent.includes(gone.id)) toast(t(wasAsked ? "outbox.discarded" : "outbox.sent", gone));
    }
  }

  /** @type {Set<string>} */
  #discarded = new Set();

  #makeRow() {
    const row = h("li", { class: "outbox-item", "data-test": "outbox-item" });
    const glyph = h("span", { class: "payment-glyph", "aria-hidden": "true" });
    const head = h("div", { class: "outbox-head" });
    const meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", hidden: true, "data-test": "outbox-progress" }, h("span", { class: "meter-part" }));
    const more = h("div", {});
    const actions = h("div", { class: "outbox-actions" });
    row.append(glyph, head, meter, more, actions);
    /** @param {Wire.OutboxItem} item */
    const draw = (item) => {
      const doing = this.#open?.id === item.id ? this.#open.doing : null;
      row.dataset.id = item.id;
      row.dataset.state = item.state;
      replaceWhen(glyph, item.state, () => icon(GLYPHS[item.state]));
      glyph.className = `payment-glyph glyph-${item.state}`;
      replaceWhen(head, doing === "edit" ? "edit" : JSON.stringify([item.title, item.detail]), () => (doing === "edit" ? titleEditor({
        id: `outbox-title-${item.id}`, title: item.title, close: () => this.#close("edit"), save: (title) => this.send("edit", { id: item.id, title }),
      }) : [
        h("h2", { class: "outbox-title", lang: "", dir: "auto", "data-test": "outbox-title" }, item.title),
        h("p", { class: "outbox-detail" }, item.detail)]));
      const isSending = item.state === "sending";
      meter.hidden = !isSending;
      meter.setAttribute("aria-label", t("outbox.progress", item));
      meter.classList.toggle("is-waiting", item.percent === null);
      if (item.percent === null) meter.removeAttribute("aria-valuenow");
      else meter.setAttribute("aria-valuenow", String(item.percent));
      meter.style.setProperty("--part", `${item.percent ?? 0}%`);
      replaceWhen(more, JSON.stringify([item.state, item.percent, item.whenText, item.reason, item.attempts]), () => [
        h("p", { class: "outbox-state" },
          h("span", { class: `chip chip-${item.state}`, "data-test": "outbox-state" }, isSending && item.percent !== null ? t("outbox.sending.percent", item) : t(`outbox.${item.state}`)),
          item.attempts > 0 && !isSending && h("span", {}, t("outbox.attempts", { count: item.attempts }))),
        item.reason && h("p", { class: "outbox-reason", "data-test": "outbox-reason" }, item.whenText ? `${item.reason} ${item.whenText}.` : item.reason)]);
      this.#drawActions(actions, item, doing);
    };
    /** @type {Wire.OutboxItem | null} */
    let asked = null;
    const drawn = steady(draw, (old, item) => {
      const isBeginning = item.state === "sending" && !item.percent;
      const isTry = old.state === "waiting" && old.reason !== null && isBeginning;
      return isTry || (old === asked && (isBeginning || item.state === "waiting")) ? old : null;
    });
    row.addEventListener("click", (event) => {
      const item = this.state?.items.find(({ id }) => id === row.dataset.id);
      if (!item || !target(event)?.closest("[data-test=retry]")) return;
      asked = { ...item, state: "sending", percent: null, reason: null, whenText: null };
      drawn.ask(asked);
    });
    return Object.assign(row, { draw: drawn.next });
  }

  /**
   * @param {HTMLElement} actions
   * @param {Wire.OutboxItem} item
   * @param {Doing | null} doing
   */
  #drawActions(actions, item, doing) {
    const focused = focusedIn(actions);
    /**
     * @param {"retry" | Doing} name
     * @param {import("../components/icon.js").Glyph} glyph
     * @param {() => void} run
     */
    const button = (name, glyph, run, className = "") => h("button", { class: `button button-quiet ${className}`.trim(), type: "button", "data-test": name,
      "aria-label": t(`outbox.${name}.name`, item), onclick: run }, icon(glyph), t(`outbox.${name}`));
    // A question stays the same while the item's state changes: a button that is replaced between press and release is
    // never clicked.
    const drawn = doing ? [doing, item.title] : [item.state, item.canEdit, item.canRetry, item.whenText !== null, item.title];
    replaceWhen(actions, JSON.stringify(drawn), () => {
      if (doing === "edit") return [];
      if (doing === "discard") {
        return h("div", { class: "card-question", role: "group", "aria-label": t("outbox.discard.ask"), onkeydown: onEscape(() => this.#close("discard")) },
          h("span", { class: "card-question-text" }, t("outbox.discard.ask")),
          h("button", { class: "button", type: "button", "data-test": "discard-cancel", onclick: () => this.#close("discard") }, t("outbox.keep")),
          h("button", { class: "button button-danger", type: "button", "aria-label": t("outbox.discard.confirm", item), "data-test": "discard-confirm", onclick: () => this.#discard(item) }, t("outbox.discard")));
      }
      return [
        (["failed", "paused"].includes(item.state) || (item.state === "waiting" && item.whenText)) && item.canRetry && button("retry", "reload", () => this.send("retry", { id: item.id })),
        item.canEdit && button("edit", "edit", () => this.#begin(item, "edit")),
        button("discard", "trash", () => this.#begin(item, "discard"), "outbox-discard")];
    });
    if (doing !== "edit") refocus(actions, focused);
  }

  /**
   * @param {Wire.OutboxItem} item
   * @param {Doing} doing
   */
  #begin(item, doing) {
    this.#open = { id: item.id, doing };
    letGo(this.#list);
    if (this.state) this.render(this.state);
    const target = find(rowOf(this.#list, item.id), doing === "edit" ? "[data-test=edit-field]" : "[data-test=discard-cancel]");
    target?.focus();
    if (target instanceof HTMLInputElement) target.select();
  }

  /** @param {Doing} doing */
  #close(doing) {
    const id = this.#open?.id;
    this.#open = null;
    if (!this.state) return;
    letGo(this.#list);
    this.render(this.state);
    find(rowOf(this.#list, id), `[data-test=${doing}]`)?.focus();
  }

  /** @param {Wire.OutboxItem} item */
  async #discard({ id }) {
    this.#discarded.add(id);
    this.#open = null;
    if (!(await this.send("discard", { id }))) {
      this.#discarded.delete(id);
      if (this.state) this.render(this.state);
    }
  }
}
