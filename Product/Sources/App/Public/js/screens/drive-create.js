import { backButton } from "../components/back-button.js";
import { driveHandOver } from "../components/drive-hand-over.js";
import { icon } from "../components/icon.js";
import { announce } from "../components/toast.js";
import { find, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/**
 * A new storage account: its name, its size, what that costs, and what became of it.
 *
 * @extends {ModelScreen<"drive-create">}
 */
export class DriveCreateScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/drive"));
  #name = field("name", (text) => this.#typed("name", text));
  #size = field("size", (text) => this.#typed("size", text));
  #hint = h("p", { class: "field-hint", id: "drive-size-hint" });
  #cost = h("div", { class: "drive-cost", role: "status", "data-test": "cost" });
  #balance = h("p", { class: "field-hint", "data-test": "balance" });
  #verdict = h("div", { role: "alert" });
  #progress = h("div", { role: "status" });
  #submit = h("button", { class: "button button-primary", type: "submit", "data-test": "create" });
  #form = h("form", { class: "compose-form", novalidate: true, "data-test": "create-form" },
    this.#name, this.#size, this.#cost, this.#balance, this.#verdict, this.#progress, h("div", { class: "compose-buttons" }, this.#submit));
  #instead = h("div", { role: "status" });
  #handOver = driveHandOver({ send: this.send.bind(this) });
  #isMissed = false;
  #wants = false;
  #isFirst = true;
  element = h("section", { class: "screen drive-create-screen", "data-test": "screen-drive-create" },
    h("header", { class: "screen-bar" }, this.#back, this.#title), this.#form, this.#instead, this.#handOver);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("drive-create");
    this.shell = shell;
    this.#size.input.after(this.#hint);
    this.#size.input.setAttribute("aria-describedby", "drive-size-hint drive-size-error");
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#create();
    });
    this.#draw();
  }

  get title() {
    return t("drive.create");
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
    this.#name.settle(state.name, this.isSettled, state.phase === "created");
    this.#size.settle(state.size, this.isSettled, state.phase === "created");
    if (before && before.phase !== state.phase) this.#changed(before.phase, state);
    this.#draw();
    if (this.#wants) this.#create();
  }

  settled() {
    this.#draw();
    if (this.#wants) this.#create();
  }

  /**
   * @param {Wire.DriveCreateState["phase"]} before
   * @param {Wire.DriveCreateState} state
   */
  #changed(before, { phase, message }) {
    if (phase === "created") queueMicrotask(() => find(this.#instead, "h2")?.focus({ focusVisible: false }));
    if (before === "created") this.#isMissed = false;
    if (phase === "failed" && message) announce(message);
  }

  /**
   * @param {"name" | "size"} name
   * @param {string} text
   */
  #typed(name, text) {
    this.#wants = false;
    this.send(name, { text }, name);
  }

  #create() {
    if (this.state?.phase === "creating" || this.state?.phase === "created") return;
    // The model receives the typed text first, and its state brings the text back.
    this.#wants = !this.isSettled || this.state?.name !== this.#name.input.value || this.state?.size !== this.#size.input.value;
    if (this.#wants) return;
    if (!this.state?.canCreate) {
      this.#isMissed = true;
      this.#draw();
      const wrong = [this.#name, this.#size].find((part) => part.input.getAttribute("aria-invalid") === "true");
      wrong?.input.focus();
      return;
    }
    this.send("create");
  }

  #draw() {
    /** @type {Partial<Wire.DriveCreateState>} */
    const state = this.state ?? { phase: "editing" };
    const isBusy = state.phase === "creating";
    const isForm = state.phase !== "created" && !state.needsKey;
    setText(this.#title, t("drive.create"));
    this.#form.hidden = !isForm;
    this.#name.draw({ label: t("drive.create.name"), example: t("drive.create.name.example"), isBusy,
      error: state.nameError ?? (this.#isMissed && !this.#name.input.value ? t("drive.limit.noName") : "") });
    this.#size.draw({ label: t("drive.create.size"), example: "100MB", isBusy,
      error: state.sizeError ?? (this.#isMissed && !this.#size.input.value ? t("drive.create.size.missing") : "") });
    setText(this.#hint, t("drive.create.size.hint"));
    const cost = state.costText ? t("drive.cost", { cost: state.costText }) : state.isPriceKnown === false && this.#size.input.value && !state.sizeError ? t("drive.cost.unknown") : "";
    replaceWhen(this.#cost, cost, () => cost && [icon("card"), h("span", {}, cost)]);
    this.#cost.hidden = !cost;
    this.#balance.title = state.balanceExact ?? "";
    setText(this.#balance, state.balanceText ? t("drive.balance", state) : "");
    this.#balance.hidden = !state.balanceText;
    this.#handOver.draw(state);
    replaceWhen(this.#verdict, `${state.phase} ${state.message} ${state.handed}`, () => state.phase === "failed" && !state.handed && h("div", { class: "verdict", "data-test": "create-failed" },
      h("p", { class: "verdict-text" }, icon("alert"), h("span", {}, state.message ?? "")),
      state.isUnknown && h("div", { class: "verdict-actions" }, h("a", { class: "button", href: "/drive", "data-link": true, "data-test": "look" }, t("drive.create.look")))));
    const step = isBusy ? state.step ?? "" : "";
    replaceWhen(this.#progress, step, () => step && h("div", { class: "drive-step", "data-test": "step" }, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", {}, step)));
    replaceWhen(this.#submit, `${state.phase}`, () => [icon("plus"), t(isBusy ? "drive.create.busy" : state.phase === "failed" ? "retry" : "drive.create.do")]);
    this.#submit.setAttribute("aria-disabled", String(isBusy));
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
        h("h2", { class: "message-title", tabindex: "-1" }, t("drive.created", created)),
        h("p", { class: "message-text" }, state.message ?? t("drive.created.text", created)),
        h("code", { class: "drive-address", "data-test": "created-address" }, created.address),
        h("div", { class: "result-buttons" },
          h("a", { class: "button button-primary", href: `/drive/${created.address}`, "data-link": true, "data-test": "to-account" }, icon("share"), t("drive.created.open")),
          h("button", { class: "button", type: "button", "data-test": "again", onclick: () => this.send("again").then(() => this.#name.input.focus()) }, icon("plus"), t("drive.created.again"))));
    });
  }
}

/**
 * @param {string} name
 * @param {(text: string) => void} onInput
 */
function field(name, onInput) {
  const id = `drive-${name}`;
  const label = h("label", { class: "field-label", for: id });
  const error = h("p", { class: "field-error", id: `${id}-error`, role: "status", hidden: true, "data-test": `${name}-error` });
  /** @type {HTMLInputElement} */
  const input = h("input", { id, class: "field-input", type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", "aria-describedby": `${id}-error`, "data-test": `create-${name}`, "data-kept": true, oninput: () => onInput(input.value) });
  const element = h("div", { class: "field" }, label, input, error);
  /** @param {{ label: string, example: string, isBusy: boolean, error: string }} now */
  const draw = (now) => {
    setText(label, now.label);
    input.placeholder = now.example;
    input.readOnly = now.isBusy;
    input.setAttribute("aria-invalid", String(Boolean(now.error)));
    setText(error, now.error);
    error.hidden = !now.error;
  };
  /**
   * Shows the model's text, unless it is being typed.
   *
   * @param {string} text
   * @param {boolean} isSettled
   * @param {boolean} isOver
   */
  const settle = (text, isSettled, isOver) => {
    if (isSettled && (document.activeElement !== input || isOver)) input.value = text;
  };
  return Object.assign(element, { input, draw, settle });
}
