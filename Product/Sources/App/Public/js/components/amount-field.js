import { h, setText } from "../dom.js";
import { t } from "../i18n.js";
import { amountAfter, amountDigits, money } from "../logic/amount.js";

/** An amount that grows from the right as digits are typed: `R$ 0,07`, `R$ 0,79`, `R$ 7,90`. */
export class AmountField {
  #label = h("label", { class: "amount-label", for: "pay-amount" });
  /** @type {HTMLInputElement} */
  #input = h("input", {
    id: "pay-amount", class: "amount-input", type: "text", inputmode: "numeric", autocomplete: "off", enterkeyhint: "next", spellcheck: "false",
    "aria-describedby": "pay-amount-error", "data-test": "amount", onbeforeinput: (event) => this.#typing(event), oninput: () => this.#set(amountDigits(this.#input.value)), onpaste: (event) => this.#pasted(event),
    onfocus: () => this.#toEnd(), onpointerup: () => this.#toEnd(), onkeyup: () => this.#toEnd(),
  });
  #error = h("p", { class: "field-error amount-error", id: "pay-amount-error", role: "status", "data-test": "amount-error", hidden: true });
  #changed;
  #read;
  /** Typed here, and perhaps not yet in the states that arrive. */
  #isEdited = false;
  #timer = 0;
  /** @type {Wire.PaymentAmount | null} */
  #latest = null;
  /**
   * The typed amount in cents, without leading zeros; null while the model parses a pasted text.
   *
   * @type {string | null}
   */
  digits = "";
  element = h("div", { class: "amount" }, this.#label, this.#input, this.#error);

  /**
   * The model computes the amount of a typed or pasted text.
   *
   * @param {(digits: string) => Promise<boolean>} changed hears what is typed
   * @param {(text: string) => Promise<boolean>} read hears what is pasted
   */
  constructor(changed, read) {
    this.#changed = changed;
    this.#read = read;
    this.#show(money(""));
  }

  /**
   * Shows the model's amount; what was just typed is newer than a state that does not have it.
   *
   * @param {Wire.PaymentAmount} amount
   */
  draw(amount) {
    setText(this.#label, t("pay.amount"));
    this.#latest = amount;
    setText(this.#error, amount.error ?? "");
    this.#error.hidden = !amount.error;
    this.#input.setAttribute("aria-invalid", String(!!amount.error));
    if (amount.digits !== this.digits && this.#isEdited) return;
    this.digits = amount.digits;
    this.#show(amount.text);
  }

  /** The model has received the typed amount, or the payment is over: the next state is shown. */
  settle() {
    clearTimeout(this.#timer);
    this.#isEdited = false;
    if (this.#latest) this.draw(this.#latest);
  }

  /** @param {boolean} locked */
  set isLocked(locked) {
    this.#input.readOnly = locked;
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }

  /**
   * Digits are added and removed on the right, wherever the caret is. An input method, a drop and an autofill only say
   * that they have happened.
   *
   * @param {InputEvent} event
   */
  #typing(event) {
    const { selectionStart, selectionEnd, value } = this.#input;
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    const digits = amountAfter(isWhole ? "" : this.#shown, event.inputType, event.data);
    if (this.#input.readOnly || digits === null) return;
    event.preventDefault();
    this.#set(digits);
  }

  get #shown() {
    return this.digits ?? this.#latest?.digits ?? "";
  }

  /** @param {ClipboardEvent} event */
  #pasted(event) {
    event.preventDefault();
    if (this.#input.readOnly) return;
    this.digits = null;
    this.#heard(this.#read(event.clipboardData?.getData("text").slice(0, 200) ?? ""));
  }

  /** @param {string} digits */
  #set(digits) {
    const isNew = digits !== this.digits;
    this.digits = digits;
    this.#show(money(digits));
    if (isNew) this.#heard(this.#changed(digits));
  }

  /**
   * Until the model has heard of it, what stands here is newer than a state that does not have it.
   *
   * @param {Promise<boolean>} sent
   */
  #heard(sent) {
    clearTimeout(this.#timer);
    this.#isEdited = true;
    sent.then(() => {
      clearTimeout(this.#timer);
      // A model that refuses an amount is right in the end.
      this.#timer = setTimeout(() => this.settle(), this.digits === null ? 100 : 800);
    });
  }

  /** @param {string} text */
  #show(text) {
    if (this.#input.value !== text) this.#input.value = text;
    this.#input.classList.toggle("is-zero", this.#shown === "");
    this.#input.classList.toggle("is-long", text.length > 9);
    this.#input.classList.toggle("is-longer", text.length > 12);
    if (document.activeElement === this.#input) this.#toEnd();
  }

  // Digits come in on the right; only a selection of everything is left alone, to be typed over.
  #toEnd() {
    const { selectionStart, selectionEnd, value } = this.#input;
    if (selectionStart === 0 && selectionEnd === value.length) return;
    if (selectionStart !== value.length) this.#input.setSelectionRange(value.length, value.length);
  }
}
