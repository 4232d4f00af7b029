import { backButton } from "../components/back-button.js";
import { icon } from "../components/icon.js";
import { SearchBar } from "../components/search.js";
import { failed, message } from "../components/states.js";
import { announce } from "../components/toast.js";
import { h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { ListScreen } from "../list-screen.js";
import { shownOf } from "../logic/list.js";

/**
 * Everything that can be said.
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
  #skipped = h("p", { class: "operation-skipped", hidden: true, "data-test": "skipped" });
  element = h("section", { class: "screen contacts-screen", "data-test": "screen-foaas-operations" },
    h("header", { class: "screen-bar" }, this.#back, this.#title),
    h("div", { class: "search-stick" }, this.#search.element), this.alert, this.notice, this.#list, this.#skipped, this.instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("foaas-operations", shell);
    this.render({ title: t("foaas.operations"), phase: "idle", isLoading: true, operations: [], query: "", notice: null, error: null, noMatch: null, isEmpty: false, skippedText: null });
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
    this.#search.draw({ label: t("foaas.search"), query: state.query, isSettled: this.isSettled });
    keyed(this.#list, state.operations, (operation) => operation.id, () => this.#row(), (row, operation) => row.draw(operation));
    this.#list.hidden = state.operations.length === 0;
    setText(this.#skipped, state.skippedText ?? "");
    this.#skipped.hidden = !state.skippedText || state.operations.length === 0;
    this.#drawInstead(state);
    if (before && before.query !== state.query) announce(state.noMatch ?? t("foaas.found", { count: state.operations.length }));
  }

  /** @param {Wire.FoaasOperationsState} state */
  #drawInstead(state) {
    const what = shownOf(state, state.operations);
    this.#search.element.hidden = (what === "empty" || what === "failed") && this.#search.isEmpty;
    replaceWhen(this.instead, `${what} ${this.trouble?.message} ${state.noMatch}`, () => {
      switch (what) {
        case "list": return [];
        case "loading": return h("div", { class: "operation-list", "aria-hidden": "true" }, Array.from({ length: 12 }, () =>
          h("div", { class: "operation-row", "data-test": "skeleton" }, h("span", { class: "contact-text" },
            h("span", { class: "shimmer contact-line" }), h("span", { class: "shimmer contact-line short" })))));
        case "none": return message({ glyph: "search", title: state.noMatch ?? "", text: t("foaas.none.text"), test: "no-match",
          action: { title: t("contacts.search.clear"), run: () => this.#search.empty() } });
        case "empty": return message({ glyph: "phrase", title: t("foaas.empty.title"), text: t("foaas.empty.text"), test: "operations-empty" });
        default: return failed({ trouble: this.trouble, title: t("foaas.failed.title"), text: t("contacts.failed.text"), test: "operations-failed", run: () => this.reload() });
      }
    });
  }

  #row() {
    const name = h("span", { class: "contact-name", lang: "en", dir: "auto" });
    const fields = h("span", { class: "contact-username" });
    const link = h("a", { class: "contact-row operation-row", "data-link": true, "data-test": "operation" },
      h("span", { class: "contact-text" }, name, fields), icon("next", "contact-next"));
    const row = h("li", {}, link);
    /** @param {Wire.FoaasOperationsOperation} operation */
    const draw = (operation) => {
      link.href = `/foaas/operations/${encodeURIComponent(operation.id)}`;
      setText(name, operation.name);
      setText(fields, operation.fieldsText);
    };
    return Object.assign(row, { draw });
  }
}
