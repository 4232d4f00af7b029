import { find, h, setText, target } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/**
 * Up and down go through the links of a list; up from the first one goes to the search field.
 *
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} field
 */
function arrowKeys(event, field) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const row = target(event)?.closest("li");
  const next = event.key === "ArrowDown" ? row?.nextElementSibling : row?.previousElementSibling;
  event.preventDefault();
  if (next) find(next, "a")?.focus();
  else if (event.key === "ArrowUp") field.focus();
}

/**
 * A field that a list is searched with, and a button that empties it. Escape empties it, down goes into the list, and
 * Enter opens what is found when it is the only one.
 */
export class SearchBar {
  #label;
  #clear = h("button", { class: "icon-button search-clear", type: "button", hidden: true, "data-test": "search-clear", onclick: () => this.empty() }, icon("close"));
  #list;
  #search;
  #field;

  /**
   * `search` is told what is typed; `answered` says for what the list is.
   *
   * @param {string} id
   * @param {HTMLElement} list
   * @param {{ search: (text: string) => void, answered: () => string | undefined }} options
   */
  constructor(id, list, { search, answered }) {
    this.#list = list;
    this.#search = search;
    this.answered = answered;
    this.#label = h("label", { class: "visually-hidden", for: id });
    this.#field = h("input", {
      id, class: "search-field", type: "text", inputmode: "search", enterkeyhint: "search", autocomplete: "off", autocapitalize: "none",
      spellcheck: "false", "data-test": "search", oninput: () => this.#typed(), onkeydown: (event) => this.#key(event),
    });
    list.addEventListener("keydown", (event) => arrowKeys(event, this.#field));
    this.element = h("div", { class: "search", role: "search" }, this.#label, icon("search"), this.#field, this.#clear);
  }

  /**
   * `query` is what the model has heard, once it has heard all; what is being typed is newer.
   *
   * @param {{ label: string, query: string, isSettled: boolean }} state
   */
  draw({ label, query, isSettled }) {
    setText(this.#label, label);
    this.#field.placeholder = label;
    this.#clear.setAttribute("aria-label", t("contacts.search.clear"));
    if (isSettled && document.activeElement !== this.#field) this.#field.value = query;
    this.#clear.hidden = this.isEmpty;
  }

  get isEmpty() {
    return this.#field.value === "";
  }

  empty() {
    this.forget();
    this.#field.focus();
  }

  /** Empties it without leading anybody there. */
  forget() {
    this.#field.value = "";
    this.#typed();
  }

  #typed() {
    this.#clear.hidden = this.isEmpty;
    this.#search(this.#field.value);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Escape" && !this.isEmpty) this.empty();
    else if (event.key === "ArrowDown") find(this.#list, "a")?.focus();
    else if (event.key === "Enter" && this.#list.children.length === 1 && this.answered() === this.#field.value) find(this.#list, "a")?.click();
    else return;
    event.preventDefault();
  }
}
