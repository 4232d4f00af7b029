import { PullToRefresh } from "./components/pull.js";
import { errorBanner, notice } from "./components/states.js";
import { h, replaceWhen } from "./dom.js";
import { ModelScreen } from "./screen.js";

/** A screen that shows a loaded list: a notice, an error, pull to refresh, and something instead of a list without rows. */
export class ListScreen extends ModelScreen {
  alert = h("div", { role: "alert" });
  notice = h("div", { role: "status" });
  instead = h("div", {});
  #pull;

  constructor(name, shell) {
    super(name);
    this.shell = shell;
    this.#pull = new PullToRefresh(() => shell.isFront(this), () => this.reload());
    this.#pull.settle = () => this.state?.isLoading || this.#pull.done();
  }

  hide() {
    super.hide();
    this.shell.busy(this, false);
  }

  /** Draws what all lists have in common. Returns true if a load has ended with this state. */
  drawFrame(state, before) {
    this.shell.busy(this, state.isLoading);
    replaceWhen(this.notice, state.notice ?? "", () => notice(state.notice));
    replaceWhen(this.alert, state.error?.message ?? "", () => errorBanner(state.error?.message, () => this.dismiss()));
    const hasEnded = Boolean(before?.isLoading) && !state.isLoading;
    if (hasEnded) this.#pull.done();
    return hasEnded;
  }

  /** The thing to show: `list`, or `none`, `key`, `empty`, `failed` or `loading` instead of it. */
  shown(state, rows) {
    if (rows.length > 0) return "list";
    if (state.noMatch) return "none";
    if (state.needsKey) return "key";
    if (state.isEmpty) return "empty";
    return state.phase === "failed" && !state.isLoading ? "failed" : "loading";
  }
}
