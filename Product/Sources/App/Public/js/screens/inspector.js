import { ApiError, address, request } from "../api.js";
import { backButton } from "../components/back-button.js";
import { icon } from "../components/icon.js";
import { LiveEvents } from "../components/live-events.js";
import { message } from "../components/states.js";
import { toast } from "../components/toast.js";
import { drawOnce, find, h, keyed, onEscape, replaceWhen, rows, setText } from "../dom.js";
import { size, t } from "../i18n.js";

const COLUMNS = /** @type {const} */ (["key", "kind", "size", "age", "hits", "validity", "actions"]);

/** The data that is saved on this machine: list, validate, delete. */
export class InspectorScreen {
  scroll = 0;
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #back = backButton(() => this.shell.back("/"));
  #intro = h("p", { class: "page-intro" });
  #summary = h("p", { class: "inspector-summary", "data-test": "inspector-summary" });
  #validate = h("button", { class: "button button-primary", type: "button", "data-test": "validate", onclick: () => this.#runValidation() });
  #head = h("div", { class: "inspector-row inspector-head", role: "row" });
  #rows = h("div", { role: "rowgroup", "data-test": "inspector" });
  #table = h("div", { class: "inspector-table", role: "table", "aria-labelledby": "inspector-title", hidden: true },
    h("div", { role: "rowgroup" }, this.#head), this.#rows);
  #failures = h("div", { class: "inspector-failures", role: "alert", "data-test": "inspector-failures" });
  #instead = h("div", {});
  /** @type {Wire.InspectorList | null} */
  #answer = null;
  #failed = false;
  #live = new LiveEvents();
  #shown = false;
  element = h("section", { class: "screen inspector-screen", "data-test": "screen-inspector" },
    h("header", { class: "page-header" }, h("div", { class: "page-heading" }, h("div", { class: "inspector-title" }, this.#back, this.#title), this.#intro), this.#validate),
    this.#live.element, this.#summary, this.#failures, this.#table, this.#instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    this.shell = shell;
    this.#title.id = "inspector-title";
    document.addEventListener("aquifer:found", () => this.#shown && this.#failed && this.reload());
    this.#draw();
  }

  get title() {
    return t("inspector.title");
  }

  show() {
    this.#shown = true;
    this.#live.show();
    this.reload();
  }

  hide() {
    this.#shown = false;
    this.#live.hide();
    this.shell.busy(this, false);
  }

  dismiss() {
    return false;
  }

  get isWorking() {
    return false;
  }

  async reload() {
    this.shell.busy(this, true);
    try {
      this.#answer = /** @type {Wire.InspectorList} */ (await request("GET", address("/api/inspector")));
      this.#failed = false;
    } catch (error) {
      this.#failed = true;
      if (error instanceof ApiError && error.status === 0) this.shell.lost();
    }
    this.shell.busy(this, false);
    this.#draw();
  }

  #draw() {
    setText(this.#title, t("inspector.title"));
    setText(this.#intro, t("inspector.text"));
    drawOnce(this.#validate, () => [icon("check"), t("inspector.validate")]);
    drawOnce(this.#head, () => COLUMNS.map((name) => h("div", { role: "columnheader", class: `cell-${name}` },
      name === "actions" ? h("span", { class: "visually-hidden" }, t("inspector.actions")) : t(name === "hits" ? "inspector.hits.title" : `inspector.${name}`))));
    const entries = this.#answer?.entries ?? [];
    this.#table.hidden = entries.length === 0;
    this.#summary.hidden = entries.length === 0;
    this.#validate.hidden = entries.length === 0;
    const failures = this.#answer?.failures ?? [];
    replaceWhen(this.#failures, `${JSON.stringify(failures)}`, () => failures.map(({ store, reason }) =>
      h("p", {}, h("strong", {}, t("inspector.store.failed", { store })), " ", h("span", { lang: "en" }, reason))));
    setText(this.#summary, this.#answer ? `${t("inspector.entries", { count: entries.length })} · ${size(this.#answer.totalBytes)}` : "");
    keyed(this.#rows, entries, (entry) => entry.key, () => this.#row(), (row, entry) => row.draw(entry));
    const what = entries.length > 0 || failures.length > 0 ? "list" : this.#failed ? "failed" : this.#answer ? "empty" : "loading";
    replaceWhen(this.#instead, `${what}`, () => {
      if (what === "empty") return message({ glyph: "inspector", title: t("inspector.empty.title"), text: t("inspector.empty.text"), test: "inspector-empty" });
      if (what === "failed") {
        return message({ glyph: "alert", title: t("inspector.failed.title"), test: "inspector-failed", action: { title: t("retry"), run: () => this.reload() } });
      }
      return [];
    });
  }

  #row() {
    const [key, kind, bytes, age, hits, validity, actions] = COLUMNS.map((name) => h("div", { role: "cell", class: `cell-${name}` }));
    const row = h("div", { class: "inspector-row", role: "row", "data-test": "inspector-row" }, key, kind, bytes, age, hits, validity, actions);
    /** @param {Wire.InspectorEntry} entry */
    const draw = (entry) => {
      row.dataset.entry = entry.key;
      row.dataset.validity = entry.validity;
      setText(key, entry.key);
      setText(kind, t(`inspector.kind.${entry.kind}`));
      setText(bytes, size(entry.size));
      replaceWhen(age, `${entry.age}`, () => (entry.savedAt ? h("time", { datetime: entry.savedAt, title: entry.savedAt }, entry.age) : []));
      replaceWhen(hits, `${entry.hits}`, () => [
        h("span", { class: "only-wide" }, String(entry.hits)), h("span", { class: "only-phone" }, t("inspector.hits", { count: entry.hits }))]);
      replaceWhen(validity, `${entry.validity}`, () =>
        h("span", { class: `chip chip-${entry.validity}`, "data-test": "validity" }, t(`inspector.${entry.validity}`)));
      replaceWhen(actions, entry.key, () => this.#trash(actions, entry.key));
    };
    return Object.assign(row, { draw });
  }

  /**
   * @param {HTMLElement} cell
   * @param {string} key
   */
  #trash(cell, key) {
    return h("button", {
      class: "icon-button", type: "button", "aria-label": t("inspector.delete.name", { key }), title: t("inspector.delete"), "data-test": "delete",
      onclick: () => this.#askToDelete(cell, key),
    }, icon("trash"));
  }

  /**
   * @param {HTMLElement} cell
   * @param {string} key
   */
  #askToDelete(cell, key) {
    const cancel = () => {
      const trash = this.#trash(cell, key);
      cell.replaceChildren(trash);
      trash.focus();
    };
    const yes = h("button", {
      class: "button button-danger", type: "button", "aria-label": t("inspector.delete.confirm", { key }), "data-test": "delete-confirm",
      onclick: () => this.#remove(key, cancel),
    }, t("inspector.delete"));
    const no = h("button", { class: "button", type: "button", "data-test": "delete-cancel", onclick: cancel }, t("cancel"));
    cell.replaceChildren(h("div", { class: "confirm", role: "group", "aria-label": t("inspector.delete.ask"), onkeydown: onEscape(cancel) },
      h("span", { class: "confirm-text" }, t("inspector.delete.ask")), no, yes));
    no.focus();
  }

  /**
   * @param {string} key
   * @param {() => void} cancel
   */
  async #remove(key, cancel) {
    const all = rows(this.#rows);
    const index = all.findIndex((row) => row.dataset.entry === key);
    const next = all[index + 1] ?? all[index - 1];
    try {
      await request("DELETE", address("/api/inspector/entries", { key }));
    } catch {
      toast(t("error.request"), "danger");
      return cancel();
    }
    toast(t("inspector.deleted", { key }));
    await this.reload();
    (next?.isConnected ? find(next, "[data-test=delete]") : this.#title)?.focus();
  }

  async #runValidation() {
    try {
      const { removed } = /** @type {Wire.InspectorValidation} */ (await request("POST", address("/api/inspector/validate")));
      toast(t("inspector.validated", { count: removed.length }));
      await this.reload();
    } catch {
      toast(t("error.request"), "danger");
    }
  }
}
