import { drawOnce, find, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { cardLine } from "./card-face.js";
import { icon } from "./icon.js";

/** Which card to pay with: a sheet from below on a phone, a window elsewhere. */
export class CardSheet {
  #title = h("h1", { id: "card-sheet-title", class: "sheet-title" });
  #close = h("button", { class: "icon-button", type: "button", "data-test": "sheet-close", onclick: () => this.close() }, icon("close"));
  #list = h("ul", { class: "sheet-list" });
  #add = h("a", { class: "card-line card-line-add", "data-link": true, "data-test": "add-card" });
  #choose;
  element = h("dialog", { class: "sheet", "aria-labelledby": "card-sheet-title", "data-test": "card-sheet" },
    h("div", { class: "sheet-frame" }, h("div", { class: "sheet-head" }, this.#title, this.#close), this.#list, this.#add));

  /** @param {(id: string) => void} choose */
  constructor(choose) {
    this.#choose = choose;
    // Only the backdrop is outside the frame.
    this.element.addEventListener("click", (event) => event.target === this.element && this.close());
    this.#add.addEventListener("click", () => this.close());
  }

  open() {
    const root = document.documentElement;
    root.style.setProperty("--scroll-bar", `${innerWidth - root.clientWidth}px`);
    this.element.showModal();
    (find(this.#list, "[aria-current]") ?? find(this.#list, "button") ?? this.#add).focus({ focusVisible: false });
  }

  close() {
    if (this.element.open) this.element.close();
  }

  /**
   * @param {Wire.CardLine[]} cards
   * @param {string} addHref
   */
  draw(cards, addHref) {
    setText(this.#title, t("pay.card.choose"));
    this.#close.setAttribute("aria-label", t("close"));
    this.#add.href = addHref;
    drawOnce(this.#add, () => [h("span", { class: "brand-mark brand-mark-add", "aria-hidden": "true" }, icon("plus")),
      h("span", { class: "card-line-text" }, h("span", { class: "card-line-name" }, t("cards.add")))]);
    replaceWhen(this.#list, JSON.stringify([cards]), () => cards.map((card) => h("li", {},
      h("button", {
        class: "card-line", type: "button", "aria-current": card.isChosen ? "true" : null, "data-test": "choose-card", "data-id": card.id,
        onclick: () => {
          this.close();
          this.#choose(card.id);
        },
      }, cardLine(card), card.isChosen && icon("check", "card-line-check")))));
  }
}
