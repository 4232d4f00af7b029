import { backButton } from "../components/back-button.js";
import { cardFace } from "../components/card-face.js";
import { icon } from "../components/icon.js";
import { errorBanner, message } from "../components/states.js";
import { toast } from "../components/toast.js";
import { drawOnce, h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/** The cards that are kept: which one pays, and away with those that are no longer wanted. */
export class CardsScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/contacts"));
  #add = h("a", { class: "button button-primary", href: "/cards/new", "data-link": true, "data-test": "add-card" });
  #alert = h("div", { role: "alert" });
  #list = h("ul", { class: "card-grid", "data-test": "cards" });
  #instead = h("div", {});
  /** The row that asks whether its card should go. */
  #asking = null;
  #isDiscarding = false;
  #removed = null;
  element = h("section", { class: "screen cards-screen", "data-test": "screen-cards" },
    h("header", { class: "screen-bar" }, this.#back, this.#title, this.#add), this.#alert, this.#list, this.#instead);

  constructor(shell) {
    super("cards");
    this.shell = shell;
    this.#draw({ title: t("cards.title"), cards: [], isEmpty: false, error: null, message: null });
  }

  get title() {
    return this.state?.title ?? t("cards.title");
  }

  hide() {
    super.hide();
    this.#asking = null;
    if (this.state) this.#draw(this.state);
  }

  render(state) {
    this.#draw(state);
    if (this.#removed && !state.cards.some((card) => card.id === this.#removed.id)) {
      toast(t("cards.removed", { card: this.#removed.name }));
      this.#removed = null;
      (this.#list.querySelector("[data-test=remove]") ?? this.#title).focus({ focusVisible: false });
    }
  }

  #draw(state) {
    setText(this.#title, state.title);
    drawOnce(this.#add, () => [icon("plus"), t("cards.add")]);
    this.#add.hidden = state.cards.length === 0;
    const trouble = state.error?.message;
    replaceWhen(this.#alert, `${state.error?.kind} ${trouble} ${state.isOlderCopy} ${state.isLost} ${this.#isDiscarding}`, () => trouble && (state.isOlderCopy
      ? this.#olderCopy(trouble) : state.isLost
      ? this.#lost(trouble)
      : errorBanner(trouble, () => this.dismiss())));
    keyed(this.#list, state.cards, (card) => card.id, () => this.#tile(), (tile, card) => tile.draw(card));
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

  /** The user decides what becomes of an older copy; nothing else can be done with the cards before. */
  #olderCopy(text) {
    const decide = (intent) => this.send(intent);
    return h("div", { class: "notice older-copy", "data-test": "older-copy" }, icon("alert"), h("div", {}, h("p", {}, text),
      this.#isDiscarding
        ? h("div", { class: "card-question", role: "group", "aria-label": t("cards.older.ask") }, h("span", { class: "card-question-text" }, t("cards.older.ask")),
          h("button", { class: "button", type: "button", "data-test": "older-cancel", onclick: () => this.#askDiscard(false) }, t("cancel")),
          h("button", { class: "button button-danger", type: "button", "data-test": "older-discard-confirm", onclick: () => decide("discardOlder") }, t("cards.older.discard")))
        : h("div", { class: "card-question" },
          h("button", { class: "button", type: "button", "data-test": "older-accept", onclick: () => decide("acceptOlder") }, t("cards.older.accept")),
          h("button", { class: "button button-quiet", type: "button", "data-test": "older-discard", onclick: () => this.#askDiscard(true) }, t("cards.older.discard")))));
  }

  /** The file of the cards was deleted: the user puts it back, or begins without them. */
  #lost(text) {
    return h("div", { class: "notice older-copy", "data-test": "lost-cards" }, icon("alert"), h("div", {}, h("p", {}, text),
      h("div", { class: "card-question" },
        h("button", { class: "button", type: "button", "data-test": "lost-begin", onclick: () => this.send("discardOlder") }, t("cards.lost.begin")))));
  }

  #askDiscard(isAsking) {
    this.#isDiscarding = isAsking;
    this.#draw(this.state);
    this.#alert.querySelector(isAsking ? "[data-test=older-cancel]" : "[data-test=older-discard]")?.focus();
  }

  #tile() {
    const face = cardFace();
    const foot = h("div", { class: "card-foot" });
    const tile = h("li", { class: "card-tile", "data-test": "card" }, face, foot);
    tile.draw = (card) => {
      tile.dataset.id = card.id;
      tile.dataset.chosen = card.isChosen;
      face.draw({ ...card, number: card.masked });
      const isAsking = this.#asking === card.id;
      replaceWhen(foot, JSON.stringify([card, isAsking]), () => (isAsking ? this.#question(card) : this.#actions(card)));
    };
    return tile;
  }

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

  #question(card) {
    const name = `${card.brandName} ${card.masked}`;
    const box = h("div", { class: "card-question", role: "group", "aria-label": t("cards.remove.ask") },
      h("span", { class: "card-question-text" }, t("cards.remove.ask")),
      h("button", { class: "button", type: "button", "data-test": "remove-cancel", onclick: () => this.#cancel() }, t("cancel")),
      h("button", { class: "button button-danger", type: "button", "aria-label": t("cards.remove.confirm", { card: name }), "data-test": "remove-confirm", onclick: () => this.#remove(card, name) }, t("cards.remove")));
    box.addEventListener("keydown", (event) => event.key === "Escape" && (event.stopPropagation(), this.#cancel()));
    return box;
  }

  async #choose(card) {
    const tile = this.#list.querySelector(`[data-id="${CSS.escape(card.id)}"]`);
    await this.send("choose", { id: card.id });
    tile?.querySelector("[data-test=remove]")?.focus({ focusVisible: false });
  }

  #ask(id) {
    this.#asking = id;
    this.#draw(this.state);
    this.#list.querySelector("[data-test=remove-cancel]")?.focus();
  }

  #cancel() {
    const id = this.#asking;
    this.#asking = null;
    this.#draw(this.state);
    this.#list.querySelector(`[data-id="${CSS.escape(id)}"] [data-test=remove]`)?.focus();
  }

  async #remove(card, name) {
    this.#removed = { id: card.id, name };
    if (!(await this.send("remove", { id: card.id }))) this.#removed = null;
  }
}
