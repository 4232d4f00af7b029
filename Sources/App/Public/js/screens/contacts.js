import { avatar } from "../components/avatar.js";
import { icon } from "../components/icon.js";
import { PullToRefresh } from "../components/pull.js";
import { arrowKeys } from "../components/search.js";
import { errorBanner, message, notice } from "../components/states.js";
import { announce } from "../components/toast.js";
import { h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ModelScreen } from "../screen.js";

/** The people whom one can pay. */
export class ContactsScreen extends ModelScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #links = h("div", { class: "page-links" });
  #label = h("label", { class: "visually-hidden", for: "contacts-search" });
  #field = h("input", {
    id: "contacts-search", class: "search-field", type: "text", inputmode: "search", enterkeyhint: "search", autocomplete: "off", autocapitalize: "none",
    spellcheck: "false", "data-test": "search", oninput: () => this.#search(), onkeydown: (event) => this.#searchKey(event),
  });
  #clear = h("button", { class: "icon-button search-clear", type: "button", hidden: true, "data-test": "search-clear", onclick: () => this.#empty() }, icon("close"));
  #notice = h("div", { role: "status" });
  #alert = h("div", { role: "alert" });
  #list = h("ul", { class: "contact-list", "data-test": "contacts", onkeydown: (event) => arrowKeys(event, this.#field) });
  #instead = h("div", {});
  #bar = h("div", { class: "search", role: "search" }, this.#label, icon("search"), this.#field, this.#clear);
  #pull;
  element = h("section", { class: "screen contacts-screen", "data-test": "screen-contacts" },
    h("header", { class: "page-header" }, this.#title, this.#links),
    h("div", { class: "search-stick" }, this.#bar), this.#alert, this.#notice, this.#list, this.#instead);

  constructor(shell) {
    super("contacts");
    this.shell = shell;
    this.#pull = new PullToRefresh(() => shell.isFront(this), () => this.reload());
    this.#pull.settle = () => this.state?.isLoading || this.#pull.done();
    this.render({ title: t("nav.contacts"), isLoading: true, contacts: [], query: "", notice: null, error: null, noMatch: null, isEmpty: false });
  }

  get title() {
    return this.state?.title ?? t("nav.contacts");
  }

  render(state, before) {
    const lang = document.documentElement.lang;
    setText(this.#title, state.title);
    setText(this.#label, t("contacts.search"));
    this.#field.placeholder = t("contacts.search");
    this.#clear.setAttribute("aria-label", t("contacts.search.clear"));
    replaceWhen(this.#links, lang, () => [["cards", "/cards", "card"], ["payments", "/payments", "history"]].map(([name, href, glyph]) =>
      h("a", { class: "button", href, "data-link": true, "data-test": `to-${name}` }, icon(glyph), t(`${name}.title`))));
    this.shell.busy(this, state.isLoading);
    // What is being typed is newer than what the model has heard.
    if (this.isSettled && document.activeElement !== this.#field) this.#field.value = state.query;
    this.#clear.hidden = this.#field.value === "";
    keyed(this.#list, state.contacts, (contact) => String(contact.id), () => this.#row(), (row, contact) => row.draw(contact));
    this.#list.hidden = state.contacts.length === 0;
    replaceWhen(this.#notice, state.notice ?? "", () => notice(state.notice));
    replaceWhen(this.#alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    this.#drawInstead(state, lang);
    if (before && before.query !== state.query) announce(state.noMatch ?? t("contacts.found", { count: state.contacts.length }));
    if (before?.isLoading && !state.isLoading) {
      this.#pull.done();
      if (!state.error) this.#list.querySelectorAll("aq-image[data-state=failed]").forEach((image) => image.retry());
    }
  }

  #drawInstead(state, lang) {
    const what = state.contacts.length > 0 ? "list" : state.noMatch ? "none" : state.isEmpty ? "empty"
      : state.phase === "failed" && !state.isLoading ? "failed" : "loading";
    this.#bar.hidden = (what === "empty" || what === "failed") && this.#field.value === "";
    replaceWhen(this.#instead, `${what} ${state.noMatch} ${lang}`, () => {
      if (what === "list") return [];
      if (what === "loading") return this.#skeleton();
      if (what === "none") {
        return message({ glyph: "search", title: state.noMatch, text: t("contacts.none.text"), test: "no-match",
          action: { title: t("contacts.search.clear"), run: () => this.#empty() } });
      }
      return message({ glyph: what === "empty" ? "contacts" : "offline", title: t(`contacts.${what}.title`), text: t(`contacts.${what}.text`),
        test: `contacts-${what}`, action: { title: t(what === "empty" ? "reload" : "retry"), run: () => this.reload() } });
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
    row.draw = (contact) => {
      link.href = `/pay/${contact.id}`;
      link.dataset.id = contact.id;
      link.setAttribute("aria-label", t("contacts.pay", contact));
      setText(name, contact.name);
      setText(username, contact.username);
      picture.draw(contact);
    };
    return row;
  }

  #search() {
    this.#clear.hidden = this.#field.value === "";
    this.send("search", { query: this.#field.value }, "search");
  }

  /** After a payment the next one begins with everyone. */
  forgetSearch() {
    this.#field.value = "";
    this.#search();
  }

  #empty() {
    this.#field.value = "";
    this.#search();
    this.#field.focus();
  }

  #searchKey(event) {
    if (event.key === "Escape" && this.#field.value) this.#empty();
    else if (event.key === "ArrowDown") this.#list.querySelector("a")?.focus();
    else if (event.key === "Enter" && this.#list.children.length === 1 && this.state?.query === this.#field.value) this.#list.querySelector("a").click();
    else return;
    event.preventDefault();
  }
}
