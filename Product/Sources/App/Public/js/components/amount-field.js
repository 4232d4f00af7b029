import { h, setText } from "../dom.js";
import { t } from "../i18n.js";
import { money } from "./mask.js";

/** More digits than any amount that may be sent has. */
const LONGEST = 11;

/** An amount that grows from the right as digits are typed: `R$ 0,07`, `R$ 0,79`, `R$ 7,90`. */
export class AmountField {
  #label = h("label", { class: "amount-label", for: "pay-amount" });
  #input = h("input", {
    id: "pay-amount", class: "amount-input", type: "text", inputmode: "numeric", autocomplete: "off", enterkeyhint: "next", spellcheck: "false",
    "aria-describedby": "pay-amount-error", "data-test": "amount", onbeforeinput: (event) => this.#typing(event), oninput: () => this.#typed(this.#input.value), onpaste: (event) => this.#pasted(event),
    onfocus: () => this.#toEnd(), onpointerup: () => this.#toEnd(), onkeyup: () => this.#toEnd(),
  });
  #error = h("p", { class: "field-error amount-error", id: "pay-amount-error", role: "status", "data-test": "amount-error", hidden: true });
  #changed;
  #read;
  /** Typed here, and perhaps not yet in the states that arrive. */
  #isEdited = false;
  #timer = 0;
  #latest = null;
  /** The typed amount in cents, without leading zeros; null while the model parses a pasted text. */
  digits = "";
  element = h("div", { class: "amount" }, this.#label, this.#input, this.#error);

  /** `changed(digits)` hears what is typed, `read(text)` what is pasted: what it is worth, the model says. */
  constructor(changed, read) {
    this.#changed = changed;
    this.#read = read;
    this.#show(money(""));
  }

  /** Shows the model's amount; what was just typed is newer than a state that does not have it. */
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

  set isLocked(locked) {
    this.#input.readOnly = locked;
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }

  /** Digits are added and removed on the right, wherever the caret is. */
  #typing(event) {
    const { selectionStart, selectionEnd, value } = this.#input;
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    if (this.#input.readOnly || !["insertText", "deleteContentBackward", "deleteContentForward"].includes(event.inputType)) return;
    event.preventDefault();
    if (event.inputType === "insertText") this.#typed((isWhole ? "" : this.#shown) + (event.data ?? ""));
    else this.#typed(isWhole ? "" : this.#shown.slice(0, -1));
  }

  // Input methods, drops and autofill tell only the new text, after the change.
  #typed(text) {
    this.#set(text.replace(/\D/g, "").replace(/^0+/, "").slice(0, LONGEST));
  }

  get #shown() {
    return this.digits ?? this.#latest?.digits ?? "";
  }

  #pasted(event) {
    event.preventDefault();
    if (this.#input.readOnly) return;
    this.digits = null;
    this.#heard(this.#read(event.clipboardData.getData("text").slice(0, 200)));
  }

  #set(digits) {
    const isNew = digits !== this.digits;
    this.digits = digits;
    this.#show(money(digits));
    if (isNew) this.#heard(this.#changed(digits));
  }

  /** Until the model has heard of it, what stands here is newer than a state that does not have it. */
  #heard(sent) {
    clearTimeout(this.#timer);
    this.#isEdited = true;
    Promise.resolve(sent).then(() => {
      clearTimeout(this.#timer);
      // A model that refuses an amount is right in the end.
      this.#timer = setTimeout(() => this.settle(), this.digits === null ? 100 : 800);
    });
  }

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
