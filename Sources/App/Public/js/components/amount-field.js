import { h, setText } from "../dom.js";
import { t } from "../i18n.js";
import { announce } from "./toast.js";
import { money, pastedCents } from "./mask.js";

/** More digits than any amount that may be sent has. */
const LONGEST = 11;

/** An amount that grows from the right as digits are typed: `R$ 0,07`, `R$ 0,79`, `R$ 7,90`. */
export class AmountField {
  #label = h("label", { class: "amount-label", for: "pay-amount" });
  #input = h("input", {
    id: "pay-amount", class: "amount-input", type: "text", inputmode: "numeric", autocomplete: "off", enterkeyhint: "next", spellcheck: "false",
    "data-test": "amount", onbeforeinput: (event) => this.#typing(event), oninput: () => this.#typed(this.#input.value), onpaste: (event) => this.#pasted(event),
    onfocus: () => this.#toEnd(), onpointerup: () => this.#toEnd(), onkeyup: () => this.#toEnd(),
  });
  #changed;
  /** Typed here, and perhaps not yet in the states that arrive. */
  #isEdited = false;
  #timer = 0;
  #latest = null;
  /** What was typed, as cents without leading zeros. */
  digits = "";
  element = h("div", { class: "amount" }, this.#label, this.#input);

  constructor(changed) {
    this.#changed = changed;
    this.#show(money(""));
  }

  /** Shows the model's amount; what was just typed is newer than a state that does not have it. */
  draw(amount) {
    setText(this.#label, t("pay.amount"));
    this.#latest = amount;
    if (amount.digits !== this.digits && this.#isEdited) return;
    this.digits = amount.digits;
    this.#show(amount.text);
  }

  /** What was typed has been heard or is over: the next state counts. */
  settle() {
    clearTimeout(this.#timer);
    this.#isEdited = false;
    if (this.#latest) this.draw(this.#latest);
  }

  set isLocked(locked) {
    this.#input.readOnly = locked;
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }

  /** Wherever the caret was put: digits come in, and go, on the right. */
  #typing(event) {
    const { selectionStart, selectionEnd, value } = this.#input;
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    if (this.#input.readOnly || !["insertText", "deleteContentBackward", "deleteContentForward"].includes(event.inputType)) return;
    event.preventDefault();
    if (event.inputType === "insertText") this.#typed((isWhole ? "" : this.digits) + (event.data ?? ""));
    else this.#typed(isWhole ? "" : this.digits.slice(0, -1));
  }

  // What only ever says that it has happened: an input method, a drop, an autofill.
  #typed(text) {
    this.#set(text.replace(/\D/g, "").replace(/^0+/, "").slice(0, LONGEST));
  }

  #pasted(event) {
    event.preventDefault();
    if (this.#input.readOnly) return;
    const cents = pastedCents(event.clipboardData.getData("text"));
    if (cents === null || cents.length > LONGEST) return announce(t("pay.amount.paste"));
    this.#set(cents);
  }

  #set(digits) {
    const isNew = digits !== this.digits;
    this.digits = digits;
    this.#show(money(digits));
    if (!isNew) return;
    clearTimeout(this.#timer);
    this.#isEdited = true;
    Promise.resolve(this.#changed(digits)).then(() => {
      clearTimeout(this.#timer);
      // A model that refuses an amount is right in the end.
      this.#timer = setTimeout(() => this.settle(), 800);
    });
  }

  #show(text) {
    if (this.#input.value !== text) this.#input.value = text;
    this.#input.classList.toggle("is-zero", this.digits === "");
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
