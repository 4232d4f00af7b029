import { icon } from "../components/icon.js";
import { failed, message } from "../components/states.js";
import { usage } from "../components/usage.js";
import { drawOnce, h, keyed, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { harmless } from "../logic/harmless.js";
import { ListScreen } from "../list-screen.js";
import { shownOf } from "../logic/list.js";

/**
 * The storage accounts of whoever has the key.
 *
 * @extends {ListScreen<"drive">}
 */
export class DriveScreen extends ListScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #total = h("p", { class: "page-intro", hidden: true, "data-test": "drive-total" });
  #links = h("div", { class: "page-links" });
  #partial = h("div", { role: "status" });
  #list = h("ul", { class: "drive-list", "data-test": "accounts" });
  #owner = h("p", { class: "drive-owner" });
  element = h("section", { class: "screen drive-screen", "data-test": "screen-drive" },
    h("header", { class: "page-header" }, h("div", {}, this.#title, this.#total), this.#links),
    this.alert, this.notice, this.#partial, this.#list, this.instead, this.#owner);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("drive", shell);
    this.render({
      phase: "idle", isLoading: true, accounts: [], notice: null, error: null, isEmpty: false,
      owner: null, needsKey: false, keyText: null, totalText: null, partialText: null,
    });
  }

  get title() {
    return t("nav.drive");
  }

  /**
   * @param {Wire.DriveState} state
   * @param {Wire.DriveState | null} [before]
   */
  render(state, before) {
    this.drawFrame(state, before, state.accounts);
    setText(this.#title, t("nav.drive"));
    setText(this.#total, state.totalText ?? "");
    this.#total.hidden = !state.totalText;
    replaceWhen(this.#links, `${state.needsKey}`, () => !state.needsKey &&
      h("a", { class: "button button-primary", href: "/drive/new", "data-link": true, "data-test": "to-create" }, icon("plus"), t("drive.create.short")));
    keyed(this.#list, state.accounts, (account) => account.address, makeRow, (row, account) => row.draw(account));
    this.#list.hidden = state.accounts.length === 0;
    replaceWhen(this.#partial, state.partialText ?? "", () => state.partialText && h("p", { class: "drive-hint", "data-test": "partial" }, icon("history"), h("span", {}, state.partialText)));
    this.#drawInstead(state);
    replaceWhen(this.#owner, `${state.owner}`, () => state.owner && [h("span", {}, t("drive.owner")), h("code", { "data-test": "owner" }, state.owner)]);
    this.#owner.hidden = !state.owner;
  }

  /** @param {Wire.DriveState} state */
  #drawInstead(state) {
    const what = shownOf(state, state.accounts);
    replaceWhen(this.instead, `${what} ${this.trouble?.message} ${state.keyText}`, () => {
      if (what === "list") return [];
      if (what === "key") return message({ glyph: "key", title: t("drive.key.title"), text: state.keyText, test: "drive-key" });
      if (what === "empty") {
        return message({ glyph: "drive", title: t("drive.empty.title"), text: t("drive.empty.text"), test: "drive-empty",
          action: { title: t("drive.create"), run: () => this.shell.go("/drive/new") } });
      }
      if (what === "failed") {
        return failed({ trouble: this.trouble, title: t("drive.failed.title"), text: t("drive.failed.text"), test: "drive-failed", run: () => this.reload() });
      }
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "drive-list", "aria-hidden": "true" }, Array.from({ length: 3 }, () => h("span", { class: "shimmer drive-skeleton", "data-test": "skeleton" })))];
    });
  }
}

function makeRow() {
  const name = h("h2", { class: "drive-name", dir: "auto", "data-test": "account-name" });
  const badge = h("span", { class: "chip chip-locked", "data-test": "immutable-badge" });
  const gone = h("span", { class: "chip chip-declined", "data-test": "deletion-badge" });
  const link = h("a", { class: "drive-link", "data-link": true, "data-test": "account-link" }, h("span", { class: "drive-glyph", "aria-hidden": "true" }, icon("drive")), name);
  const meter = usage("usage");
  const saved = h("p", { class: "drive-saved", hidden: true, "data-test": "account-saved" });
  const row = h("li", { class: "drive-row", "data-test": "account" },
    link, h("div", { class: "drive-badges" }, badge, gone), meter, saved, icon("next", "drive-next"));
  /** @param {Wire.DriveAccount} account */
  const draw = (account) => {
    row.dataset.address = account.address;
    link.setAttribute("href", `/drive/${account.address}`);
    setText(name, harmless(account.name));
    drawOnce(badge, () => [icon("lock"), t("drive.immutable")]);
    badge.hidden = !account.isImmutable;
    setText(gone, t("drive.deleting"));
    gone.hidden = !account.isToBeDeleted;
    setText(saved, account.savedText ?? "");
    saved.hidden = !account.savedText;
    meter.draw({ label: t("drive.usage", account), text: account.usageText, percent: account.percent });
  };
  return Object.assign(row, { draw });
}
