import { backButton } from "../components/back-button.js";
import { cardFace } from "../components/card-face.js";
import { icon } from "../components/icon.js";
import { errorBanner, message } from "../components/states.js";
import { toast } from "../components/toast.js";
import { drawOnce, find, focusedIn, h, keyed, onEscape, replaceWhen, rowOf, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/**
 * The cards that are kept: which one pays, and away with those that are no longer wanted.
 *
 * @extends {ModelScreen<"cards">}
 */
export class CardsScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/contacts"));
  #add = h("a", { class: "button button-primary", href: "/cards/new", "data-link": true, "data-test": "add-card" });
  #alert = h("div", { role: "alert" });
  #list = h("ul", { class: "card-grid", "data-test": "cards" });
  #instead = h("div", {});
  /**
   * The card of the row that asks whether it should go.
   *
   * @type {string | null}
   */
  #asking = null;
  #isDiscarding = false;
  /** @type {{ id: string, name: string } | null} */
  #removed = null;
  element = h("section", { class: "screen cards-screen", "data-test": "screen-cards" },
    h("header", { class: "screen-bar" }, this.#back, this.#title, this.#add), this.#alert, this.#list, this.#instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("cards");
    this.shell = shell;
    this.#draw({ title: t("cards.title"), cards: [], isEmpty: false, isOlderCopy: false, isLost: false, error: null });
  }

  get title() {
    return this.state?.title ?? t("cards.title");
  }

  hide() {
    super.hide();
    this.#asking = null;
    this.#redraw();
  }

  #redraw() {
    if (this.state) this.#draw(this.state);
  }

  /** @param {Wire.CardsState} state */
  render(state) {
    this.#draw(state);
    const added = rowOf(this.#list, this.shell.savedCard);
    if (added) {
      this.shell.savedCard = null;
      added.focus({ focusVisible: false });
    }
    const removed = this.#removed;
    if (removed && !state.cards.some((card) => card.id === removed.id)) {
      toast(t("cards.removed", { card: removed.name }));
      this.#removed = null;
      (find(this.#list, "[data-test=remove]") ?? this.#title).focus({ focusVisible: false });
    }
  }

  /** @param {Wire.CardsState} state */
  #draw(state) {
    setText(this.#title, state.title);
    drawOnce(this.#add, () => [icon("plus"), t("cards.add")]);
    this.#add.hidden = state.cards.length === 0;
    const trouble = state.error?.message;
    replaceWhen(this.#alert, `${state.error?.kind} ${trouble} ${state.isOlderCopy} ${state.isLost} ${this.#isDiscarding}`, () => trouble && (state.isOlderCopy
      ? this.#olderCopy(trouble) : state.isLost
      ? this.#lost(trouble)
      : errorBanner(trouble, () => this.dismiss())));
    const [focused, place] = [focusedIn(this.#list), document.activeElement?.closest("[data-test=card]")];
    keyed(this.#list, state.cards, (card) => card.id, () => this.#tile(), (tile, card) => tile.draw(card));
    // Another tab or a command may have changed the card under the focus.
    if (focused && !this.#list.contains(document.activeElement)) {
      const tile = place instanceof HTMLElement && this.#list.contains(place) ? place : null;
      (find(tile, `[data-test="${focused}"]`) ?? find(tile, "[data-test=remove]") ?? find(this.#list, "[data-test=remove]") ?? this.#title).focus({ preventScroll: true, focusVisible: false });
    }
    this.#list.hidden = state.cards.length === 0;
    const what = state.cards.length > 0 ? "list" : state.isEmpty ? "empty" : trouble ? "failed" : "loading";
    replaceWhen(this.#instead, `${what}`, () => {
      if (what === "empty") {
        return message({ glyph: "card", title: t("cards.empty.title"), text: t("cards.empty.text"), test: "cards-empty",
          action: { title: t("cards.add"), run: () => this.shell.go("/cards/new") } });
      }
      if (what !== "loading") return [];
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "card-grid", "aria-hidden": "true" }, h("span", { class: "shimmer face-skeleton", "data-test": "skeleton" }), h("span", { class: "shimmer face-skeleton" }))];
    });
  }

  /**
   * The user decides what becomes of an older copy; nothing else can be done with the cards before.
   *
   * @param {string} text
   */
  #olderCopy(text) {
    return h("div", { class: "notice older-copy", "data-test": "older-copy" }, icon("alert"), h("div", {}, h("p", {}, text),
      this.#isDiscarding
        ? h("div", { class: "card-question", role: "group", "aria-label": t("cards.older.ask") }, h("span", { class: "card-question-text" }, t("cards.older.ask")),
          h("button", { class: "button", type: "button", "data-test": "older-cancel", onclick: () => this.#askDiscard(false) }, t("cancel")),
          h("button", { class: "button button-danger", type: "button", "data-test": "older-discard-confirm", onclick: () => this.send("discardOlder") }, t("cards.older.discard")))
        : h("div", { class: "card-question" },
          h("button", { class: "button", type: "button", "data-test": "older-accept", onclick: () => this.send("acceptOlder") }, t("cards.older.accept")),
          h("button", { class: "button button-quiet", type: "button", "data-test": "older-discard", onclick: () => this.#askDiscard(true) }, t("cards.older.discard")))));
  }

  /**
   * The file of the cards was deleted: the user puts it back, or begins without them.
   *
   * @param {string} text
   */
  #lost(text) {
    return h("div", { class: "notice older-copy", "data-test": "lost-cards" }, icon("alert"), h("div", {}, h("p", {}, text),
      h("div", { class: "card-question" },
        h("button", { class: "button", type: "button", "data-test": "lost-begin", onclick: () => this.send("discardOlder") }, t("cards.lost.begin")))));
  }

  /** @param {boolean} isAsking */
  #askDiscard(isAsking) {
    this.#isDiscarding = isAsking;
    this.#redraw();
    find(this.#alert, isAsking ? "[data-test=older-cancel]" : "[data-test=older-discard]")?.focus();
  }

  #tile() {
    const face = cardFace();
    const foot = h("div", { class: "card-foot" });
    const tile = h("li", { class: "card-tile", tabindex: "-1", "data-test": "card" }, face, foot);
    /** @param {Wire.CardLine} card */
    const draw = (card) => {
      tile.dataset.id = card.id;
      tile.dataset.chosen = String(card.isChosen);
      face.draw({ ...card, number: card.masked });
      const isAsking = this.#asking === card.id;
      replaceWhen(foot, JSON.stringify([card, isAsking]), () => (isAsking ? this.#question(card) : this.#actions(card)));
    };
    return Object.assign(tile, { draw });
  }

  /** @param {Wire.CardLine} card */
  #actions(card) {
    const name = `${card.brandName} ${card.masked}`;
    return [
      card.isChosen
        ? h("span", { class: "card-chosen", "data-test": "chosen" }, icon("check"), t("cards.chosen"))
        : h("button", { class: "button button-quiet", type: "button", "aria-label": t("cards.choose.name", { card: name }), "data-test": "choose", onclick: () => this.#choose(card) }, t("cards.choose")),
      h("button", { class: "button button-quiet card-remove", type: "button", "aria-label": t("cards.remove.name", { card: name }), "data-test": "remove", onclick: () => this.#ask(card.id) },
        icon("trash"), t("cards.remove")),
    ];
  }

  /** @param {Wire.CardLine} card */
  #question(card) {
    const name = `${card.brandName} ${card.masked}`;
    return h("div", { class: "card-question", role: "group", "aria-label": t("cards.remove.ask"), onkeydown: onEscape(() => this.#cancel()) },
      h("span", { class: "card-question-text" }, t("cards.remove.ask")),
      h("button", { class: "button", type: "button", "data-test": "remove-cancel", onclick: () => this.#cancel() }, t("cancel")),
      h("button", { class: "button button-danger", type: "button", "aria-label": t("cards.remove.confirm", { card: name }), "data-test": "remove-confirm", onclick: () => this.#remove(card, name) }, t("cards.remove")));
  }

  /** @param {Wire.CardLine} card */
  async #choose(card) {
    const tile = rowOf(this.#list, card.id);
    await this.send("choose", { id: card.id });
    find(tile, "[data-test=remove]")?.focus({ focusVisible: false });
  }

  /** @param {string} id */
  #ask(id) {
    this.#asking = id;
    this.#redraw();
    find(this.#list, "[data-test=remove-cancel]")?.focus();
  }

  #cancel() {
    const id = this.#asking;
    this.#asking = null;
    this.#redraw();
    find(rowOf(this.#list, id), "[data-test=remove]")?.focus();
  }

  /**
   * @param {Wire.CardLine} card
   * @param {string} name
   */
  async #remove(card, name) {
    this.#removed = { id: card.id, name };
    if (!(await this.send("remove", { id: card.id }))) this.#removed = null;
  }
}
