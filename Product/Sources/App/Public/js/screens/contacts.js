import { avatar } from "../components/avatar.js";
import { retryAll } from "../components/image.js";
import { brandMark } from "../components/card-face.js";
import { icon } from "../components/icon.js";
import { SearchBar } from "../components/search.js";
import { failed, message } from "../components/states.js";
import { announce } from "../components/toast.js";
import { drawOnce, find, h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ListScreen } from "../list-screen.js";
import { shownOf } from "../logic/list.js";

/**
 * The people whom one can pay.
 *
 * @extends {ListScreen<"contacts">}
 */
export class ContactsScreen extends ListScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #links = h("div", { class: "page-links" });
  #badge = h("b", { class: "count-badge", hidden: true, "aria-hidden": "true" });
  #wallet = h("div", { class: "wallet", hidden: true });
  #people = h("ul", { class: "recent-list", "data-test": "recent" });
  #recentTitle = h("h2", { class: "list-heading" });
  #allTitle = h("h2", { class: "list-heading" });
  #recent = h("section", { class: "recent", hidden: true }, this.#recentTitle, this.#people, this.#allTitle);
  #list = h("ul", { class: "contact-list", "data-test": "contacts" });
  #search = new SearchBar("contacts-search", this.#list, {
    search: (query) => this.send("search", { query }, "search"), answered: () => this.state?.query,
  });
  element = h("section", { class: "screen contacts-screen", "data-test": "screen-contacts" },
    h("header", { class: "page-header" }, this.#title, this.#links),
    this.#wallet, h("div", { class: "search-stick" }, this.#search.element), this.alert, this.notice, this.#recent, this.#list, this.instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("contacts", shell);
    this.render({ title: t("nav.contacts"), phase: "idle", isLoading: true, contacts: [], query: "", notice: null, error: null, noMatch: null, isEmpty: false, unresolved: 0, recent: [], card: null });
  }

  get title() {
    return this.state?.title ?? t("nav.contacts");
  }

  /**
   * @param {Wire.ContactsState} state
   * @param {Wire.ContactsState | null} [before]
   */
  render(state, before) {
    const hasEnded = this.drawFrame(state, before, state.contacts);
    setText(this.#title, state.title);
    drawOnce(this.#links, () => [
      h("a", { class: "button", href: "/cards", "data-link": true, "data-test": "to-cards" }, icon("card"), t("cards.title")),
      h("a", { class: "button", href: "/payments", "data-link": true, "data-test": "to-payments" }, icon("history"), t("payments.title"), this.#badge)]);
    this.#badge.hidden = state.unresolved === 0;
    setText(this.#badge, String(state.unresolved));
    const payments = find(this.#links, "[data-test=to-payments]");
    if (payments && state.unresolved > 0) payments.setAttribute("aria-label", t("payments.unresolved", { count: state.unresolved }));
    else payments?.removeAttribute("aria-label");
    this.#search.draw({ label: t("contacts.search"), query: state.query, isSettled: this.isSettled });
    keyed(this.#list, state.contacts, (contact) => String(contact.id), () => this.#row(), (row, contact) => row.draw(contact));
    this.#list.hidden = state.contacts.length === 0;
    this.#drawWallet(state.card);
    setText(this.#recentTitle, t("contacts.recent"));
    setText(this.#allTitle, t("contacts.all"));
    keyed(this.#people, state.recent, (contact) => String(contact.id), () => recentPerson(), (person, contact) => person.draw(contact));
    this.#recent.hidden = state.recent.length === 0;
    this.#drawInstead(state);
    if (before && before.query !== state.query) announce(state.noMatch ?? t("contacts.found", { count: state.contacts.length }));
    if (hasEnded && !state.error) retryAll(this.#list);
  }

  /**
   * The card that pays unless another one is chosen.
   *
   * @param {Wire.CardLine | null} card
   */
  #drawWallet(card) {
    this.#wallet.hidden = !card;
    replaceWhen(this.#wallet, JSON.stringify([card]), () => card && h("a", { class: "wallet-card", href: "/cards", "data-link": true, "data-test": "default-card" },
      brandMark(card.brand, card.isTestCard), h("span", { class: "wallet-text" }, h("span", {}, `${card.brandName} ${card.masked}`), card.isChosen && h("span", { class: "wallet-more" }, t("cards.chosen"))), icon("next", "contact-next")));
  }

  /** @param {Wire.ContactsState} state */
  #drawInstead(state) {
    const what = shownOf(state, state.contacts);
    this.#search.element.hidden = (what === "empty" || what === "failed") && this.#search.isEmpty;
    replaceWhen(this.instead, `${what} ${this.trouble?.message} ${state.noMatch}`, () => {
      if (what === "list") return [];
      if (what === "loading") return this.#skeleton();
      if (what === "none") {
        return message({ glyph: "search", title: state.noMatch ?? "", text: t("contacts.none.text"), test: "no-match",
          action: { title: t("contacts.search.clear"), run: () => this.#search.empty() } });
      }
      if (what === "failed") return failed({ trouble: this.trouble, title: t("contacts.failed.title"), text: t("contacts.failed.text"), test: "contacts-failed", run: () => this.reload() });
      return message({ glyph: "contacts", title: t("contacts.empty.title"), text: t("contacts.empty.text"), test: "contacts-empty",
        action: { title: t("reload"), run: () => this.reload() } });
    });
  }

  #skeleton() {
    return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
      h("div", { class: "contact-list", "aria-hidden": "true" }, Array.from({ length: 9 }, () =>
        h("div", { class: "contact-row", "data-test": "skeleton" }, h("span", { class: "shimmer avatar" }),
          h("span", { class: "contact-text" }, h("span", { class: "shimmer contact-line" }), h("span", { class: "shimmer contact-line short" })))))];
  }

  #row() {
    const picture = avatar();
    const name = h("span", { class: "contact-name" });
    const username = h("span", { class: "contact-username" });
    const link = h("a", { class: "contact-row", "data-link": true, "data-test": "contact" }, picture,
      h("span", { class: "contact-text" }, name, username), icon("next", "contact-next"));
    const row = h("li", {}, link);
    /** @param {Wire.ContactLine} contact */
    const draw = (contact) => {
      link.href = `/pay/${contact.id}`;
      link.dataset.id = String(contact.id);
      link.setAttribute("aria-label", t("contacts.pay", contact));
      setText(name, contact.name);
      setText(username, contact.username);
      picture.draw(contact);
    };
    return Object.assign(row, { draw });
  }

  /** After a payment the next one begins with everyone. */
  forgetSearch() {
    this.#search.forget();
  }
}

/** Somebody who was paid lately. */
function recentPerson() {
  const picture = avatar("avatar-large");
  const name = h("span", { class: "recent-name" });
  const link = h("a", { class: "recent-person", "data-link": true, "data-test": "recent-contact" }, picture, name);
  const row = h("li", {}, link);
  /** @param {Wire.ContactLine} contact */
  const draw = (contact) => {
    link.href = `/pay/${contact.id}`;
    link.setAttribute("aria-label", t("contacts.pay", contact));
    setText(name, contact.name.split(" ")[0]);
    picture.draw(contact);
  };
  return Object.assign(row, { draw });
}
