import { backButton } from "../components/back-button.js";
import { driveHandOver } from "../components/drive-hand-over.js";
import { Form, drawReady, field } from "../components/form.js";
import { icon } from "../components/icon.js";
import { announce } from "../components/toast.js";
import { find, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { harmless } from "../logic/harmless.js";
import { ModelScreen } from "../screen.js";

/**
 * A new storage account: its name, its size, what that costs, and what became of it.
 *
 * @extends {ModelScreen<"drive-create">}
 */
export class DriveCreateScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/drive"));
  #hint = h("p", { class: "field-hint", id: "drive-size-hint" });
  #name = field({ id: "drive-name", test: "create-name", attributes: ATTRIBUTES });
  #size = field({ id: "drive-size", test: "create-size", attributes: ATTRIBUTES, hint: this.#hint });
  #cost = h("div", { class: "drive-cost", role: "status", "data-test": "cost" });
  #balance = h("p", { class: "field-hint", "data-test": "balance" });
  #after = h("p", { class: "field-hint", hidden: true, role: "status", "data-test": "spend-after" });
  #verdict = h("div", { role: "alert" });
  #progress = h("div", { role: "status" });
  #submit = h("button", { class: "button button-primary", type: "submit", "data-test": "create" });
  #form = h("form", { class: "compose-form", novalidate: true, "data-test": "create-form" },
    this.#name.element, this.#size.element, this.#cost, this.#verdict, this.#progress, h("div", { class: "compose-buttons" }, this.#submit),
    // Below the button, which nothing that comes later moves.
    h("div", { class: "drive-balance" }, this.#balance, this.#after));
  #instead = h("div", { role: "status" });
  #handOver = driveHandOver({ send: this.send.bind(this), isSettled: () => this.isSettled, isLost: () => this.isLost("transaction") });
  /** @type {Form} */
  #fields;
  #isFirst = true;
  element = h("section", { class: "screen drive-create-screen", "data-test": "screen-drive-create" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#form, this.#instead, this.#handOver);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("drive-create");
    this.shell = shell;
    this.#name.error.dataset.test = "name-error";
    this.#size.error.dataset.test = "size-error";
    for (const [name, { input }] of this.#typed) input.addEventListener("input", () => this.send(name, { text: input.value }, name));
    this.#fields = new Form([
      { ...this.#name, certain: () => (this.#fields.wasMissed ? this.state?.nameError : null), problem: () => this.state?.nameError ?? (this.#name.input.value ? "" : t("drive.limit.noName")) },
      { ...this.#size, certain: () => (this.#fields.wasMissed ? this.state?.sizeError : null), problem: () => this.state?.sizeError ?? (this.#size.input.value ? "" : t("drive.create.size.missing")) },
    ], {
      // The state brings the text back that the model has heard.
      isHeard: () => this.isSettled && this.state?.name === this.#name.input.value && this.state.size === this.#size.input.value,
      tell: () => this.#tell(), isReady: () => Boolean(this.state?.canCreate), isBusy: () => this.state?.phase === "creating" || this.state?.phase === "created",
      // What is confirmed is what this page shows: another price, or the size of another tab, creates nothing.
      send: () => this.send("create", { size: this.#size.input.value, cost: this.state?.spend?.shades ?? "" }),
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#fields.attempt();
    });
    this.#draw();
  }

  get title() {
    return t(this.state?.phase === "created" ? "drive.created.title" : "drive.create");
  }

  get #typed() {
    return /** @type {const} */ ([["name", this.#name], ["size", this.#size]]);
  }

  /** Says again what did not arrive. */
  #tell() {
    for (const [name, { input }] of this.#typed) if (this.isLost(name)) this.send(name, { text: input.value }, name);
  }

  opened() {
    super.opened();
    this.#tell();
    this.#handOver.tell();
  }

  hide() {
    super.hide();
    if (this.state?.phase === "created") this.send("again");
  }

  /**
   * @param {Wire.DriveCreateState} state
   * @param {Wire.DriveCreateState | null} [before]
   */
  render(state, before) {
    // The user has seen an account that this tab created before it was loaded again: the page begins with the form.
    if (this.#isFirst && state.phase === "created") this.send("again");
    this.#isFirst = false;
    for (const [name, { input }] of this.#typed) settle(input, state[name], this.isSettled && !this.isLost(name), state.phase === "created");
    if (before?.phase !== state.phase) this.shell.titleChanged();
    if (before && before.phase !== state.phase) this.#changed(before.phase, state);
    this.#draw();
    this.#fields.answered();
  }

  settled() {
    this.#draw();
    this.#fields.answered();
  }

  /**
   * @param {Wire.DriveCreateState["phase"]} before
   * @param {Wire.DriveCreateState} state
   */
  #changed(before, { phase, message }) {
    if (phase === "created") queueMicrotask(() => find(this.#instead, "h2")?.focus({ focusVisible: false }));
    if (before === "created") this.#fields.reset();
    if (phase === "failed" && message) announce(message);
  }

  #draw() {
    /** @type {Partial<Wire.DriveCreateState>} */
    const state = this.state ?? { phase: "editing" };
    const isBusy = state.phase === "creating";
    const isForm = state.phase !== "created" && !state.needsKey;
    setText(this.#title, this.title);
    this.#form.hidden = !isForm;
    for (const [{ label, input }, words, example] of /** @type {const} */ ([[this.#name, "drive.create.name", t("drive.create.name.example")], [this.#size, "drive.create.size", "100\u00a0MB"]])) {
      setText(label, t(words));
      input.placeholder = example;
      input.readOnly = isBusy;
    }
    setText(this.#hint, t("drive.create.size.hint"));
    const cost = state.spend ? t("drive.cost", state.spend) : state.isPriceKnown === false && this.#size.input.value && !state.sizeError ? t("drive.cost.unknown") : "";
    replaceWhen(this.#cost, cost || " ", () => [icon("card"), h("span", {}, cost || t("drive.cost.none"))]);
    this.#cost.classList.toggle("is-open", !cost);
    this.#cost.title = state.spend?.costExact ?? "";
    const { after, afterExact, before, beforeExact, isTooMuch } = state.spend ?? {};
    setText(this.#after, isTooMuch ? t("drive.spend.short") : after ? t("drive.balance.after", { after }) : "");
    this.#after.hidden = !this.#after.textContent;
    this.#after.classList.toggle("field-error", Boolean(isTooMuch));
    this.#after.title = [before && t("drive.spend.before"), beforeExact, after && t("drive.spend.after"), afterExact].filter(Boolean).join(" ");
    this.#balance.title = state.balanceExact ?? "";
    setText(this.#balance, state.balanceText ? t("drive.balance", state) : "");
    this.#balance.hidden = !state.balanceText;
    this.#handOver.draw(state);
    replaceWhen(this.#verdict, `${state.phase} ${state.message} ${state.handed}`, () => state.phase === "failed" && !state.handed && h("div", { class: "verdict", "data-test": "create-failed" },
      h("p", { class: "verdict-text" }, icon("alert"), h("span", {}, state.message ?? "")),
      state.isUnknown && h("div", { class: "verdict-actions" }, h("a", { class: "button", href: "/drive", "data-link": true, "data-test": "look" }, t("drive.create.look")))));
    const step = isBusy ? state.step ?? "" : "";
    replaceWhen(this.#progress, step, () => step && h("div", { class: "drive-step", "data-test": "step" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, step)));
    const isUnpriced = Boolean(state.canCreate) && !state.spend;
    replaceWhen(this.#submit, `${state.phase} ${isUnpriced} ${state.isPriceChanged}`, () => [icon("plus"), t(isBusy ? "drive.create.busy" : isUnpriced ? "drive.create.unknown" : state.phase === "failed" && !state.isPriceChanged ? "retry" : "drive.create.do")]);
    drawReady(this.#submit, true, isBusy);
    this.#drawInstead(state);
  }

  /** @param {Partial<Wire.DriveCreateState>} state */
  #drawInstead(state) {
    const { created } = state;
    replaceWhen(this.#instead, `${created?.address} ${state.needsKey} ${state.message} ${state.keyText}`, () => {
      if (state.needsKey) return h("div", { class: "message", "data-test": "drive-key" }, h("div", { class: "message-glyph" }, icon("key")), h("h2", { class: "message-title" }, t("drive.key.title")), h("p", { class: "message-text" }, state.keyText));
      if (!created) return [];
      return h("div", { class: "message", "data-test": "created" },
        h("div", { class: "message-glyph result-sent" }, icon("check")),
        h("h2", { class: "message-title", tabindex: "-1" }, t("drive.created", { name: harmless(created.name) })),
        h("p", { class: "message-text" }, state.message ?? t("drive.created.text", created)),
        h("code", { class: "drive-address", "data-test": "created-address" }, created.address),
        h("div", { class: "result-buttons" },
          h("a", { class: "button button-primary", href: `/drive/${created.address}`, "data-link": true, "data-test": "to-account" }, icon("drive"), t("drive.created.open")),
          h("button", { class: "button", type: "button", "data-test": "again", onclick: () => this.send("again").then(() => this.#name.input.focus()) }, icon("plus"), t("drive.created.again"))));
    });
  }
}

/** @type {Properties} */
const ATTRIBUTES = { autocomplete: "off", autocapitalize: "off", "data-kept": true };

/**
 * Shows the model's text, unless it is being typed.
 *
 * @param {HTMLInputElement} input
 * @param {string} text
 * @param {boolean} isSettled
 * @param {boolean} isOver
 */
function settle(input, text, isSettled, isOver) {
  if (isSettled && (document.activeElement !== input || isOver)) input.value = text;
}
