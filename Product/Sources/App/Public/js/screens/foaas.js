import { save } from "../components/download.js";
import { favoriteButton } from "../components/favorite-button.js";
import { icon } from "../components/icon.js";
import { phrasePicture, phraseText } from "../components/phrase.js";
import { canShare, share } from "../components/share.js";
import { errorBanner } from "../components/states.js";
import { announce, toast } from "../components/toast.js";
import { drawOnce, h, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { memory } from "../memory.js";
import { dashed } from "../logic/phrase.js";
import { ModelScreen } from "../screen.js";

/**
 * One phrase, large. A tap anywhere asks for another.
 *
 * @extends {ModelScreen<"foaas">}
 */
export class FoaasScreen extends ModelScreen {
  #title = h("h1", { class: "visually-hidden", tabindex: "-1", "data-test": "title" });
  #links = h("div", { class: "phrase-links" });
  #text = phraseText();
  #hint = h("span", { class: "phrase-hint" });
  #tap = h("button", { class: "phrase-tap", type: "button", "data-test": "phrase", onclick: () => this.#ask() }, this.#text.element, this.#hint);
  #note = h("p", { class: "phrase-note", role: "status", hidden: true, "data-test": "phrase-note" });
  #offline = h("div", { role: "status" });
  #actions = h("div", { class: "phrase-actions" });
  #alert = h("div", { role: "alert" });
  #heart = favoriteButton((isOn) => this.#favor(isOn), { class: "phrase-heart", test: "favorite" });
  element = h("section", { class: "screen phrase-screen", "data-test": "screen-foaas" },
    this.#title, this.#links, this.#alert, this.#tap, this.#note, this.#offline, this.#actions);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("foaas");
    this.shell = shell;
    this.render({ title: t("nav.foaas"), isLoading: true, phrase: null, error: null, lastSeen: [], palette: "ink", notice: null, operation: null, isFavorite: null, favoriteError: null });
    this.element.dataset.palette = memory.get("palette") || "ink";
  }

  get title() {
    return t("nav.foaas");
  }

  show() {
    super.show();
    addEventListener("keydown", this.#key);
  }

  hide() {
    super.hide();
    removeEventListener("keydown", this.#key);
    this.shell.busy(this, false);
  }

  /**
   * @param {Wire.FoaasState} state
   * @param {Wire.FoaasState | null} [before]
   */
  render(state, before) {
    this.element.dataset.palette = state.palette;
    // The next page begins on this ground, before its first state has come.
    if (before !== undefined) memory.set("palette", state.palette);
    setText(this.#title, state.title);
    this.shell.busy(this, state.isLoading);
    this.#text.draw(state.phrase);
    this.#tap.classList.toggle("is-loading", state.isLoading);
    // A phrase names the button by itself, in its own language.
    if (state.phrase) this.#tap.removeAttribute("aria-label");
    else this.#tap.setAttribute("aria-label", t("foaas.another"));
    this.#tap.hidden = !state.phrase && !state.isLoading && Boolean(state.error);
    setText(this.#hint, state.isLoading ? t("foaas.asking") : t("foaas.hint"));
    setText(this.#note, state.notice ?? "");
    this.#note.hidden = !state.notice;
    drawOnce(this.#links, () => [
      h("a", { class: "button", href: "/foaas/operations", "data-link": true, "data-test": "to-operations" }, icon("list"), t("foaas.operations")),
      h("a", { class: "icon-button", href: "/foaas/settings", "data-link": true, "data-test": "to-foaas-settings", "aria-label": t("foaas.settings"), title: t("foaas.settings") }, icon("palette"))]);
    replaceWhen(this.#alert, state.favoriteError ?? "", () => errorBanner(state.favoriteError, () => this.dismiss()));
    this.#drawActions(state);
    this.#drawOffline(state);
    if (before && state.phrase && before.phrase?.text !== state.phrase.text) announce(state.phrase.text);
  }

  reload() {
    return this.#ask();
  }

  /** A favorite that was not kept says nothing about the phrase: its error is dismissed by itself. */
  get dismissal() {
    return this.state?.favoriteError ? "dismissFavorite" : super.dismissal;
  }

  /**
   * Names the phrase that the page shows: the server may have another one by now.
   *
   * @param {boolean} isOn
   */
  #favor(isOn) {
    const id = this.state?.operation;
    if (id) this.send("favorite", { id, on: String(isOn) });
  }

  /** @param {Wire.FoaasState} state */
  #drawActions(state) {
    this.#actions.hidden = !state.phrase;
    /**
     * @param {"share" | "copy" | "picture"} name
     * @param {() => void} run
     */
    const action = (name, run) => h("button", { class: "button phrase-action", type: "button", "data-test": name, onclick: run }, icon(name), t(`foaas.${name}`));
    this.#heart.element.hidden = state.isFavorite === null;
    this.#heart.draw(state.isFavorite === true);
    drawOnce(this.#actions, () => [
      this.#heart.element,
      canShare() && action("share", () => this.#share()),
      action("copy", () => this.#copy()),
      action("picture", () => this.#picture())]);
  }

  /**
   * A phrase needs a connection: what is offered without one is what was seen before.
   *
   * @param {Wire.FoaasState} state
   */
  #drawOffline({ error, lastSeen, isLoading }) {
    const key = error && !isLoading ? `${error.message} ${lastSeen.map((seen) => seen.id + seen.message + seen.dateText).join("|")}` : "";
    replaceWhen(this.#offline, key, () => error && !isLoading && h("div", { class: "phrase-offline", "data-test": "phrase-offline" },
      h("p", { class: "phrase-why" }, icon(error.kind === "connectivity" ? "offline" : "alert"), h("span", {}, error.message)),
      h("button", { class: "button phrase-action", type: "button", "data-test": "phrase-retry", onclick: () => this.#ask() }, icon("reload"), t("retry")),
      lastSeen.length > 0 && h("h2", {}, t("foaas.seen")),
      lastSeen.length > 0 && h("ul", { class: "phrase-seen" }, lastSeen.slice(0, 8).map((seen) =>
        h("li", {}, h("button", { type: "button", class: "phrase-old", "data-test": "seen", onclick: () => this.#again(seen.id) },
          h("span", { class: "phrase-old-text", lang: "en", dir: "auto" }, seen.message), h("span", { class: "phrase-old-date" }, `${dashed(seen.subtitle)} · ${seen.dateText}`)))))));
  }

  #ask() {
    if (this.state?.isLoading) return null;
    return this.send("random", {}, "random");
  }

  /** @param {string} id */
  async #again(id) {
    await this.send("show", { id });
    this.#title.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  /** The text of the phrase that is shown. */
  get #phrase() {
    return this.state?.phrase?.text ?? "";
  }

  #share() {
    share(() => ({ text: this.#phrase }), () => toast(t("foaas.share.failed"), "danger"));
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#phrase);
      toast(t("foaas.copied"));
    } catch {
      toast(t("foaas.copy.failed"), "danger");
    }
  }

  #picture() {
    const phrase = this.state?.phrase;
    if (!phrase) return;
    save(async () => ({ blob: await phrasePicture(phrase, this.element), name: "phrase.png" }),
      (isSaved) => (isSaved ? toast(t("foaas.picture.saved")) : toast(t("foaas.picture.failed"), "danger")));
  }

  /** Enter and space ask for another, wherever the focus is not on something of its own. */
  #key = (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented || event.repeat || event.metaKey || event.ctrlKey || event.altKey) return;
    const free = document.activeElement === document.body || document.activeElement === this.#title;
    if (!free || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    this.#ask();
  };
}
