import { backButton } from "../components/back-button.js";
import { brandMark, cardFace, testBadge } from "../components/card-face.js";
import { Form, drawReady, field } from "../components/form.js";
import { icon } from "../components/icon.js";
import { masked } from "../components/mask.js";
import { errorBanner } from "../components/states.js";
import { toast, toastOnce } from "../components/toast.js";
import { h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { dated, digitsOf, expiryDigits, grouped } from "../logic/mask.js";
import { ModelScreen } from "../screen.js";

/** @typedef {keyof Wire.CardFormFields} Field */

const GAPS = [4, 8, 12];
const LONGEST = 19;
/** @type {Field[]} */
const FIELDS = ["number", "holder", "expiry"];
/** The typed texts, except the number, of a form that was left without being saved. */
const draft = { holder: "", expiry: "" };

/**
 * A new card. Typed text stays in these fields and is sent to the model. The model never sends it back. The number is
 * gone with the screen; name and date wait in this page until the card is saved.
 *
 * @extends {ModelScreen<"card-form">}
 */
export class CardFormScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back(this.#target));
  #alert = h("div", { role: "alert" });
  #face = cardFace({ isPreview: true });
  #fields = {
    number: cardField("number", { inputmode: "numeric", autocomplete: "cc-number", placeholder: "0000 0000 0000 0000" }),
    holder: cardField("holder", { autocomplete: "cc-name", autocapitalize: "characters", maxlength: "60" }),
    expiry: cardField("expiry", { inputmode: "numeric", autocomplete: "cc-exp" }),
  };
  #brand = h("span", { class: "field-mark" });
  #badge = h("div", { class: "form-test", role: "status" });
  #save = h("button", { class: "button button-primary pay-button", type: "submit", "data-test": "save" });
  #promise = h("p", { class: "pay-safety" });
  #mask;
  /** @type {string} */
  #target;
  #form;
  #isSaving = false;
  /** False until this screen has sent its card: cards that were saved earlier are ignored. */
  #hasSent = false;
  /** True if the stream came back while the card was being sent: the model, perhaps another one, has not heard the fields again. */
  #isUntold = false;
  #isFresh = true;
  element;

  /**
   * @param {import("../shell.js").Shell} shell
   * @param {string | null} contact is who is paid with the card afterwards.
   */
  constructor(shell, contact) {
    super("card-form");
    this.shell = shell;
    this.#target = contact ? `/pay/${contact}` : "/cards";
    const { number, holder, expiry } = this.#fields;
    number.box.append(this.#brand);
    this.#form = new Form(FIELDS.map((name) => ({
      input: this.#fields[name].input, error: this.#fields[name].error, text: () => this.#text(name), problem: () => this.#hint(name)?.problem,
      certain: () => (name !== "holder" && this.#fields[name].input.value !== "" ? this.#hint(name)?.error : null),
    })), {
      isHeard: () => this.state !== null && this.isSettled && this.#lost.length === 0, tell: () => this.#lost.forEach((name) => this.#tell(name)),
      isReady: () => Boolean(this.state?.canSave), isBusy: () => this.#isSaving || this.#hasSent, send: () => this.#send(),
    });
    // Without names, nothing in this form could reach an address even if it were ever submitted.
    const form = h("form", { class: "card-form", novalidate: true, autocomplete: "on", "data-test": "card-form" },
      this.#alert, number.element, this.#badge, holder.element, expiry.element, this.#save, this.#promise);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#form.attempt();
    });
    this.element = h("section", { class: "screen card-form-screen", "data-test": "screen-card-form" },
      h("header", { class: "screen-bar" }, this.#back, this.#title),
      h("div", { class: "card-form-panel" }, h("div", { class: "preview-stage" }, this.#face), form));
    this.#mask = masked(number.input, {
      digits: (text) => digitsOf(text).slice(0, this.#hint("number")?.maxLength ?? LONGEST),
      draw: (digits) => grouped(digits, this.#hint("number")?.gaps ?? GAPS),
      changed: () => this.#edit("number"),
    });
    masked(expiry.input, { digits: expiryDigits, draw: dated, changed: () => this.#edit("expiry") });
    holder.input.addEventListener("input", () => this.#edit("holder"));
    holder.input.value = draft.holder;
    expiry.input.value = draft.expiry;
    this.#draw();
  }

  get title() {
    return this.state?.title ?? t("cardForm.title");
  }

  /** Begins with an empty model; a server that started anew hears what stands in the fields. */
  opened() {
    super.opened();
    if (this.#isFresh) this.send("reset");
    this.#isFresh = false;
    // A model that hears a field forgets the card that it has saved: the next state may tell of that first.
    if (this.#hasSent) this.#isUntold = true;
    else this.#tellAll();
  }

  #tellAll() {
    this.#isUntold = false;
    for (const name of FIELDS) if (this.#fields[name].input.value || this.isLost(`edit ${name}`)) this.#tell(name);
  }

  /** The fields whose last text did not arrive. */
  get #lost() {
    return FIELDS.filter((name) => this.isLost(`edit ${name}`));
  }

  hide() {
    super.hide();
    this.shell.busy(this, false);
    draft.holder = this.#fields.holder.input.value;
    draft.expiry = this.#fields.expiry.input.value;
    for (const { input } of Object.values(this.#fields)) input.value = "";
    this.#form.reset();
    this.#drawFace();
    if (!this.#isSaving) this.send("reset");
  }

  /**
   * @param {Wire.CardFormState} state
   * @param {Wire.CardFormState | null} [before]
   */
  render(state, before) {
    if (before?.isSaving && !state.isSaving && !state.saved) this.#hasSent = false;
    if (this.#hasSent && state.saved) {
      this.#hasSent = false;
      for (const { input } of Object.values(this.#fields)) input.value = "";
      toast(t("cardForm.saved"));
      if (this.#target === "/cards") this.shell.savedCard = state.saved;
      return this.shell.back(this.#target);
    }
    if (this.#isUntold && this.isSettled && !state.isSaving) this.#goOn(state);
    this.#isSaving = state.isSaving;
    this.shell.busy(this, state.isSaving);
    this.#mask.redraw();
    this.#draw();
    this.#form.answered();
  }

  settled() {
    this.#form.answered();
  }

  /**
   * The card was sent, and whoever was to save it is gone. Sent once more it is saved once.
   *
   * @param {Wire.CardFormState} state
   */
  #goOn(state) {
    this.#hasSent = false;
    this.#tellAll();
    if (!state.error) toastOnce(t("error.unanswered"), "danger");
  }

  /**
   * The model's state of a field; null before its first state.
   *
   * @template {Field} Name
   * @param {Name} name
   * @returns {Wire.CardFormFields[Name] | null}
   */
  #hint(name) {
    return this.state?.fields[name] ?? null;
  }

  #draw() {
    const state = this.state;
    setText(this.#title, this.title);
    replaceWhen(this.#alert, state?.error?.message ?? "", () => errorBanner(state?.error?.message, () => this.dismiss()));
    for (const name of FIELDS) this.#drawField(name);
    const hint = this.#hint("number");
    const isTest = Boolean(state?.testLabel);
    replaceWhen(this.#brand, `${hint?.brand} ${isTest}`, () => [brandMark(hint?.brand ?? null, isTest), h("span", { class: "visually-hidden" }, hint?.brandName ?? "")]);
    replaceWhen(this.#badge, `${state?.testLabel}`, () => (state?.testLabel ? [testBadge(state.testLabel), h("span", {}, t("cardForm.test"))] : []));
    this.#badge.hidden = !state?.testLabel;
    drawReady(this.#save, Boolean(state?.canSave), this.#isSaving);
    replaceWhen(this.#save, `${this.#isSaving}`, () => (this.#isSaving
      ? [h("span", { class: "spinner", "aria-hidden": "true" }), t("cardForm.saving")] : [icon("lock"), t("cardForm.save")]));
    setText(this.#promise, t("cardForm.promise"));
    this.#drawFace();
  }

  /** @param {Field} name */
  #drawField(name) {
    const part = this.#fields[name];
    const hint = this.#hint(name);
    setText(part.label, t(`cardForm.${name}`));
    if (name === "expiry") part.input.placeholder = t("card.expiry.example");
    if (name === "holder") part.input.placeholder = t("cardForm.holder.example");
    part.element.classList.toggle("is-valid", Boolean(hint?.isValid) && part.input.value !== "");
  }

  #drawFace() {
    const hint = this.#hint("number");
    const digits = digitsOf(this.#fields.number.input.value);
    const length = Math.max(digits.length, Math.min(hint?.maxLength ?? 16, 16));
    this.#face.draw({
      brand: digits ? hint?.brand ?? null : null, brandName: hint?.brandName ?? null, number: grouped(digits.padEnd(length, "•"), hint?.gaps ?? GAPS), holder: this.#fields.holder.input.value,
      expiry: this.#fields.expiry.input.value, isTestCard: Boolean(this.state?.testLabel) && digits !== "", testLabel: null, isExpired: false,
    });
  }

  /** @param {Field} name */
  #edit(name) {
    this.#tell(name);
    this.#drawFace();
  }

  /** @param {Field} name */
  #tell(name) {
    this.send("edit", { field: name, value: this.#text(name) }, `edit ${name}`);
  }

  /**
   * The text of a field as the model has it.
   *
   * @param {Field} name
   */
  #text(name) {
    const { value } = this.#fields[name].input;
    return name === "number" ? digitsOf(value) : value;
  }

  async #send() {
    this.#hasSent = true;
    // The card is saved as it stands here. The number is told by `edit` alone: a form whose number did not arrive is not sent.
    for (const name of /** @type {const} */ (["holder", "expiry"])) this.#tell(name);
    if (await this.send("save", { holder: this.#text("holder"), expiry: this.#text("expiry") })) return;
    this.#hasSent = false;
    if (this.#isUntold) this.#tellAll();
  }
}

/**
 * @param {Field} name
 * @param {Properties} attributes
 */
const cardField = (name, attributes) => field({ id: `card-${name}`, className: `field-${name}`, attributes });
