import { h, setText } from "../dom.js";
import { t } from "../i18n.js";
import { digitsOf } from "../logic/mask.js";

/** The code on the back of a card. It is typed for each payment, masked, and never saved. */
export class CodeField {
  #label;
  #hint;
  #error;
  /** @type {HTMLInputElement} */
  #input;
  #length = 3;
  #wasLeft = false;
  element;

  /**
   * @param {string} id
   * @param {(code: string) => void} changed hears what is typed
   * @param {() => void} entered hears the Enter key
   */
  constructor(id, changed, entered) {
    this.#label = h("label", { class: "field-label", for: id });
    this.#hint = h("p", { class: "field-hint", id: `${id}-hint` });
    this.#error = h("p", { class: "field-error", id: `${id}-error`, role: "status", "data-test": "code-error" });
    this.#input = h("input", {
      id, class: "field-input code-input", type: "text", inputmode: "numeric", autocomplete: "cc-csc", spellcheck: "false", enterkeyhint: "done",
      "aria-describedby": `${id}-hint ${id}-error`, "data-test": "code",
      oninput: () => {
        this.#input.value = digitsOf(this.#input.value).slice(0, this.#length);
        changed(this.#input.value);
      },
      onblur: () => (this.#wasLeft = this.#input.value !== ""),
      onkeydown: (event) => event.key === "Enter" && !event.isComposing && (event.preventDefault(), entered()),
    });
    this.element = h("div", { class: "field code-field" },
      h("div", { class: "code-words" }, this.#label, this.#hint), this.#input, this.#error);
  }

  get input() {
    return this.#input;
  }

  get value() {
    return this.#input.value;
  }

  get isComplete() {
    return this.#input.value.length === this.#length;
  }

  /** @param {Wire.PaymentCode} code */
  draw({ length, error }) {
    this.#length = length;
    this.#input.maxLength = length;
    this.#input.placeholder = "CVV";
    setText(this.#label, t("pay.code"));
    setText(this.#hint, t(length === 4 ? "pay.code.front" : "pay.code.back", { length }));
    const shown = error && this.#input.value !== "" && (this.#wasLeft || this.isComplete) ? error : "";
    setText(this.#error, shown);
    this.#error.hidden = shown === "";
    this.#input.setAttribute("aria-invalid", String(shown !== ""));
  }

  /** @param {boolean} locked */
  set isLocked(locked) {
    this.#input.readOnly = locked;
  }

  clear() {
    this.#input.value = "";
    this.#wasLeft = false;
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }
}
