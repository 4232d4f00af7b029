import { h, setText } from "../dom.js";
import { fieldError } from "./form.js";
import { t } from "../i18n.js";
import { amountAfter, amountDigits, money } from "../logic/amount.js";

/** Amounts that are often paid, in cents. */
const CHIPS = ["1000", "2000", "5000", "10000"];

/** An amount that grows from the right as digits are typed: `R$ 0,07`, `R$ 0,79`, `R$ 7,90`. */
export class AmountField {
  #label = h("label", { class: "amount-label", for: "pay-amount" });
  /** @type {HTMLInputElement} */
  #input = h("input", {
    id: "pay-amount", class: "amount-input", type: "text", inputmode: "numeric", autocomplete: "off", enterkeyhint: "next", spellcheck: "false",
    "aria-describedby": "pay-amount-error", "data-test": "amount", onbeforeinput: (event) => this.#typing(event), oninput: () => this.#set(amountDigits(this.#input.value)), onpaste: (event) => this.#pasted(event),
    onfocus: () => this.#toEnd(), onpointerup: () => this.#toEnd(), onkeyup: () => this.#toEnd(),
  });
  error = fieldError("pay-amount-error", "amount-error", "amount-error");
  #chips = h("div", { class: "amount-chips", role: "group", "data-test": "amount-chips" },
    CHIPS.map((digits) => h("button", { class: "amount-chip", type: "button", "data-test": "amount-chip", onclick: () => this.#input.readOnly || this.#set(digits) }, money(digits).replace(/,00$/, ""))));
  #changed;
  #read;
  /** Typed here, and perhaps not yet in the states that arrive. */
  #isEdited = false;
  /** Begins by chance: the model may know edits of another page. */
  #edits = Math.floor(Math.random() * 1e9);
  /** @type {Wire.PaymentAmount | null} */
  #latest = null;
  /**
   * The typed amount in cents, without leading zeros; null while the model parses a pasted text.
   *
   * @type {string | null}
   */
  digits = "";
  /** The text that was pasted last, and the amount over which it was: it stays if the text is none. */
  pasted = { text: "", digits: "" };
  element = h("div", { class: "amount" }, this.#label, this.#input, this.error, this.#chips);

  /**
   * The model computes the amount of a typed or pasted text.
   *
   * @param {(digits: string, edit: string) => void} changed sends a typed amount
   * @param {(pasted: { text: string, digits: string }, edit: string) => void} read sends a pasted text
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
    this.#chips.setAttribute("aria-label", t("pay.chips"));
    this.#latest = amount;
    if (amount.edit === this.edit) this.#isEdited = false;
    if (amount.digits !== this.digits && this.#isEdited) return;
    this.digits = amount.digits;
    this.#show(amount.text);
  }

  /** The amount is told to a model that may not have it: until it does, the page's is newer. */
  retell() {
    this.#isEdited = true;
  }

  /** The model has received the typed amount, or the payment is over: the next state is shown. */
  settle() {
    this.#isEdited = false;
    if (this.#latest) this.draw(this.#latest);
  }

  /** The page is left: a pasted text that the model has not read is forgotten. */
  leave() {
    if (this.digits === null) this.settle();
  }

  /** @param {boolean} locked */
  set isLocked(locked) {
    this.#input.readOnly = locked;
    for (const chip of this.#chips.children) chip.setAttribute("aria-disabled", String(locked));
  }

  get input() {
    return this.#input;
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

  /** The mark of the last edit. */
  get edit() {
    return String(this.#edits);
  }

  get #shown() {
    return this.digits ?? this.#latest?.digits ?? "";
  }

  /** @param {ClipboardEvent} event */
  #pasted(event) {
    event.preventDefault();
    if (this.#input.readOnly) return;
    // What was typed just before may still wait to be sent, and this takes its place.
    this.pasted = { text: event.clipboardData?.getData("text").slice(0, 200) ?? "", digits: this.digits ?? this.pasted.digits };
    this.digits = null;
    this.#edited(() => this.#read(this.pasted, this.edit));
  }

  /** @param {string} digits */
  #set(digits) {
    const isNew = digits !== this.digits;
    this.digits = digits;
    this.#show(money(digits));
    if (isNew) this.#edited(() => this.#changed(digits, this.edit));
  }

  /**
   * Sends an edit. Until the model's state has its mark, the text typed here is newer than that state, also if the edit does not arrive.
   *
   * @param {() => void} send
   */
  #edited(send) {
    this.#edits += 1;
    this.#isEdited = true;
    send();
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
