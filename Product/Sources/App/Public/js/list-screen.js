import { PullToRefresh } from "./components/pull.js";
import { errorBanner, notice } from "./components/states.js";
import { h, replaceWhen } from "./dom.js";
import { shownOf } from "./logic/list.js";
import { ModelScreen } from "./screen.js";

/** @typedef {"feed" | "contacts" | "foaas-operations" | "audio" | "drive"} ListName */

/**
 * A screen that shows a loaded list: a notice, an error, pull to refresh, and something instead of a list without rows.
 *
 * @template {ListName} Name
 * @extends {ModelScreen<Name>}
 */
export class ListScreen extends ModelScreen {
  alert = h("div", { role: "alert" });
  notice = h("div", { role: "status" });
  instead = h("div");
  /** @type {PullToRefresh} */
  #pull;

  /**
   * @param {Name} name
   * @param {import("./shell.js").Shell} shell
   */
  constructor(name, shell) {
    super(name);
    this.shell = shell;
    this.#pull = new PullToRefresh(() => shell.isFront(this), () => this.reload(), () => Boolean(this.state?.isLoading));
  }

  hide() {
    super.hide();
    this.shell.busy(this, false);
  }

  /**
   * Draws what all lists have in common. Returns true if a load has ended with this state.
   *
   * @param {Wire.States[Name]} state
   * @param {Wire.States[Name] | null | undefined} before
   * @param {unknown[]} rows
   */
  drawFrame(state, before, rows) {
    this.shell.busy(this, state.isLoading);
    replaceWhen(this.notice, state.notice ?? "", () => notice(state.notice));
    // One failure is told once: the page that stands instead of the list tells its own.
    const trouble = shownOf(state, rows) === "failed" ? null : state.error?.message;
    replaceWhen(this.alert, trouble ?? "", () => errorBanner(trouble, () => this.dismiss()));
    const hasEnded = Boolean(before?.isLoading) && !state.isLoading;
    if (hasEnded) this.#pull.done();
    return hasEnded;
  }
}
