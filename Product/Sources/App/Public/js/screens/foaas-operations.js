import { backButton } from "../components/back-button.js";
import { favoriteButton } from "../components/favorite-button.js";
import { icon } from "../components/icon.js";
import { SearchBar } from "../components/search.js";
import { byline, plain, sentence } from "../components/sentence.js";
import { errorBanner, failed, message } from "../components/states.js";
import { announce } from "../components/toast.js";
import { h, keyed, replaceWhen, rows, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ListScreen } from "../list-screen.js";
import { inView } from "../logic/in-view.js";
import { shownOf } from "../logic/list.js";

/** @type {Wire.FoaasOperationsState["filter"][]} */
const FILTERS = ["all", "favorites"];

/**
 * Everything that can be said, as the sentences that it makes. Those of the rows in view are loaded.
 *
 * @extends {ListScreen<"foaas-operations">}
 */
export class FoaasOperationsScreen extends ListScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/foaas"));
  #list = h("ul", { class: "operation-list", "data-test": "operations" });
  #search = new SearchBar("operations-search", this.#list, {
    search: (query) => this.send("search", { query }, "search"), answered: () => this.state?.query,
  });
  #filters = h("div", { class: "filters", role: "group", hidden: true, "data-test": "filters" });
  #eye = inView((ids) => this.send("look", { ids: ids.join("\n") }, "look"));
  #alert = h("div", { role: "alert" });
  #skipped = h("p", { class: "operation-skipped", hidden: true, "data-test": "skipped" });
  element = h("section", { class: "screen contacts-screen", "data-test": "screen-foaas-operations" },
    h("header", { class: "screen-bar" }, this.#back, this.#title),
    h("div", { class: "search-stick" }, this.#search.element), this.#filters, this.alert, this.#alert, this.notice, this.#list, this.#skipped, this.instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("foaas-operations", shell);
    this.render({ title: t("foaas.operations"), phase: "idle", isLoading: true, operations: [], query: "", filter: "all", favoriteCount: 0, favoriteError: null, notice: null, error: null, noMatch: null, isEmpty: false, skippedText: null });
  }

  get title() {
    return this.state?.title ?? t("foaas.operations");
  }

  /**
   * @param {Wire.FoaasOperationsState} state
   * @param {Wire.FoaasOperationsState | null} [before]
   */
  render(state, before) {
    this.drawFrame(state, before, state.operations);
    setText(this.#title, state.title);
    replaceWhen(this.#alert, state.favoriteError ?? "", () => errorBanner(state.favoriteError, () => this.dismiss()));
    this.#search.draw({ label: t("foaas.search"), query: state.query, isSettled: this.isSettled });
    keyed(this.#list, state.operations, (operation) => operation.id, () => this.#row(), (row, operation) => row.draw(operation));
    this.#list.hidden = state.operations.length === 0;
    this.#eye.follow(rows(this.#list).map((row) => [row, row.dataset.key ?? ""]));
    this.#drawFilters(state);
    setText(this.#skipped, state.skippedText ?? "");
    this.#skipped.hidden = !state.skippedText || state.filter !== "all" || state.operations.length === 0;
    this.#drawInstead(state);
    if (before && before.query !== state.query) announce(state.noMatch ?? t("foaas.found", { count: state.operations.length }));
  }

  get dismissal() {
    return this.state?.favoriteError ? "dismissFavorite" : super.dismissal;
  }

  /** A server that began anew has not heard what is in view. */
  opened() {
    super.opened();
    this.#eye.again();
  }

  /** @param {Wire.FoaasOperationsState} state */
  #drawFilters({ filter, favoriteCount, operations, query, phase }) {
    // There is nothing to choose between before anything is there.
    this.#filters.hidden = operations.length === 0 && !favoriteCount && filter === "all" && query === "" && phase !== "loaded";
    this.#filters.setAttribute("aria-label", t("foaas.filter.label"));
    keyed(this.#filters, FILTERS, (name) => name, (name) => this.#filter(name), (button, name) => button.draw(name === filter, favoriteCount));
  }

  /** @param {Wire.FoaasOperationsState["filter"]} name */
  #filter(name) {
    const count = h("span", { class: "filter-count" });
    const button = h("button", { class: "filter", type: "button", "data-test": `filter-${name}`, onclick: () => this.#choose(name) },
      name === "favorites" && icon("heart"), t(`foaas.filter.${name}`), name === "favorites" && count);
    /**
     * @param {boolean} isChosen
     * @param {number | null} favorites null if they cannot be read
     */
    const draw = (isChosen, favorites) => {
      button.setAttribute("aria-pressed", String(isChosen));
      setText(count, favorites ? String(favorites) : "");
    };
    return Object.assign(button, { draw });
  }

  /** @param {Wire.FoaasOperationsState["filter"]} filter */
  #choose(filter) {
    scrollTo({ top: 0 });
    return this.send("show", { filter }, "show");
  }

  /** @param {Wire.FoaasOperationsState} state */
  #drawInstead(state) {
    const hasNoFavorites = state.filter === "favorites" && state.operations.length === 0 && !state.noMatch;
    const what = hasNoFavorites ? (state.favoriteCount === null ? "unread" : "favorites") : shownOf(state, state.operations);
    this.#search.element.hidden = (what === "empty" || what === "failed") && this.#search.isEmpty;
    replaceWhen(this.instead, `${what} ${this.trouble?.message} ${state.noMatch}`, () => {
      switch (what) {
        case "list": return [];
        case "loading": return h("div", { class: "operation-list", "aria-hidden": "true" }, Array.from({ length: 12 }, () =>
          h("div", { class: "operation-row", "data-test": "skeleton" }, h("span", { class: "contact-text" },
            h("span", { class: "shimmer contact-line" }), h("span", { class: "shimmer contact-line short" })))));
        case "none": return message({ glyph: "search", title: state.noMatch ?? "", text: t("foaas.none.text"), test: "no-match",
          action: { title: t("contacts.search.clear"), run: () => this.#search.empty() } });
        case "unread": return message({ glyph: "alert", title: t("foaas.favorites.unread.title"), text: t("foaas.favorites.unread.text"), test: "favorites-unread",
          action: { title: t("retry"), run: () => this.reload() } });
        case "favorites": return message({ glyph: "heart", title: t("foaas.favorites.empty.title"), text: t("foaas.favorites.empty.text"), test: "favorites-empty",
          action: { title: t("foaas.operations"), run: () => this.#choose("all") } });
        case "empty": return message({ glyph: "phrase", title: t("foaas.empty.title"), text: t("foaas.empty.text"), test: "operations-empty" });
        default: return failed({ trouble: this.trouble, title: t("foaas.failed.title"), text: t("contacts.failed.text"), test: "operations-failed", run: () => this.reload() });
      }
    });
  }

  #row() {
    const name = h("span", { class: "operation-sentence", lang: "en", dir: "auto", "data-test": "sentence" });
    const fields = h("span", { class: "operation-byline", dir: "auto", "data-test": "byline" });
    const link = h("a", { class: "contact-row operation-row", "data-link": true, "data-test": "operation" }, h("span", { class: "contact-text" }, name, fields));
    let id = "";
    const heart = favoriteButton((isOn) => this.send("favorite", { id, on: String(isOn) }), { test: "favorite" });
    const row = h("li", { class: "operation" }, link, heart.element);
    /** @param {Wire.FoaasOperationsOperation} operation */
    const draw = (operation) => {
      id = operation.id;
      link.href = `/foaas/operations/${encodeURIComponent(operation.id)}`;
      const isKnown = operation.sentence.length > 0;
      row.dataset.known = String(isKnown);
      const said = byline(operation.byline);
      // A name that the sentence replaces in a moment is not shown; it still names the link.
      const { isAwaited } = operation;
      row.dataset.awaited = String(isAwaited);
      replaceWhen(name, JSON.stringify(isKnown ? operation.sentence : [operation.name, isAwaited]), () => (isKnown ? sentence(operation.sentence)
        : isAwaited ? [h("span", { class: "visually-hidden" }, operation.name), h("span", { class: "shimmer contact-line" })] : operation.name));
      replaceWhen(fields, JSON.stringify(isKnown ? said : [operation.fieldsText, isAwaited]), () => (isKnown ? sentence(said)
        : isAwaited ? h("span", { class: "shimmer contact-line short" }) : operation.fieldsText));
      if (isKnown) fields.lang = "en";
      else fields.removeAttribute("lang");
      // Nobody knows whether it is one while the favorites cannot be read.
      heart.element.hidden = operation.isFavorite === null;
      heart.draw(operation.isFavorite === true, isKnown ? plain(operation.sentence) : operation.name);
    };
    return Object.assign(row, { draw });
  }
}
