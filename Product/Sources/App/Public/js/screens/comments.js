import { errorBanner, failed, message, notice, spinner } from "../components/states.js";
import { author } from "../components/author.js";
import { icon } from "../components/icon.js";
import { showModal } from "../components/modal.js";
import { h, keyed, nameButton, replaceWhen, setText } from "../dom.js";
import { t } from "../i18n.js";
import { initials, tint } from "../logic/names.js";
import { shownOf } from "../logic/list.js";
import { ModelScreen } from "../screen.js";
import { altText, place } from "./feed.js";

/**
 * One picture and what people say about it: a page on a phone, a window over the feed elsewhere.
 *
 * @extends {ModelScreen<"comments">}
 */
export class CommentsScreen extends ModelScreen {
  route = "comments";
  #title = h("h1", { id: "comments-title", tabindex: "-1", "data-test": "comments-title" });
  #back = h("button", { class: "icon-button", type: "button", "data-test": "comments-back", onclick: () => this.shell.closeComments() }, icon("back"));
  #reload = h("button", { class: "icon-button", type: "button", "data-test": "comments-reload", onclick: () => this.reload() }, icon("reload"));
  #stage = h("div", { class: "comments-stage" });
  #story = h("div", { class: "comments-story" });
  #notice = h("div", { role: "status" });
  #alert = h("div", { role: "alert" });
  #list = h("ol", { class: "comment-list", "data-test": "comment-list" });
  #instead = h("div", {});
  #bar = h("div", { class: "progress progress-inline", hidden: true, "data-test": "comments-progress" });
  #side = h("div", { class: "comments-side", role: "group", "aria-labelledby": "comments-title" }, this.#story, this.#alert, this.#notice, this.#list, this.#instead);
  #scroll = h("div", { class: "comments-scroll", role: "group", "aria-labelledby": "comments-title" }, this.#stage, this.#side);
  #column = matchMedia("(max-width: 52rem)");
  element = h("dialog", { class: "comments", "aria-labelledby": "comments-title", "data-test": "comments" },
    h("div", { class: "comments-frame" },
      h("header", { class: "comments-bar" }, this.#back, this.#title, this.#reload, this.#bar),
      this.#scroll));

  /**
   * @param {import("../shell.js").Shell} shell
   * @param {string} id
   */
  constructor(shell, id) {
    super("comments", { image: id });
    this.shell = shell;
    this.id = id;
    this.#column.onchange = () => this.#drawStops();
    this.#drawStops();
    this.element.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!this.dismiss()) shell.closeComments();
    });
    // Only the backdrop is outside the frame.
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) shell.closeComments();
    });
    nameButton(this.#back, t("back"));
    nameButton(this.#reload, t("reload"));
    this.render({ title: t("comments"), phase: "idle", isLoading: true, comments: [], notice: null, error: null, isEmpty: false });
  }

  /** Keys scroll what has the focus: the comments, or all of the page where it is one column. */
  #drawStops() {
    for (const [part, scrolls] of /** @type {[HTMLElement, boolean][]} */ ([[this.#scroll, this.#column.matches], [this.#side, !this.#column.matches]])) {
      if (scrolls) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  }

  missing() {
    this.#bar.hidden = true;
    this.#list.hidden = true;
    this.#list.setAttribute("aria-busy", "false");
    replaceWhen(this.#instead, "missing", () => message({ glyph: "question", title: t("comments.missing.title"), text: t("comments.missing.text"), test: "comments-missing",
      action: { title: t("notFound.home"), run: () => this.shell.closeComments() } }));
  }

  get title() {
    return this.state?.title ?? t("comments");
  }

  open() {
    showModal(this.element);
    this.#title.focus({ focusVisible: false });
    this.show();
  }

  close() {
    this.hide();
    this.#column.onchange = null;
    this.element.close();
    this.element.remove();
  }

  /**
   * The feed knows the picture; a page opened by its address learns it when the feed has come.
   *
   * @param {Wire.FeedItem | null} item
   */
  drawItem(item) {
    this.element.classList.toggle("without-picture", !item);
    if (!item) return;
    replaceWhen(this.#stage, item.image, () => h("aq-image", { src: item.image, srcset: item.srcset, alt: altText(item), foreign: Boolean(item.description), "data-test": "comments-picture" }));
    replaceWhen(this.#story, `${item.author} ${item.date} ${item.location} ${item.description}`, () => {
      const line = author();
      line.draw(item);
      return [!line.hidden && line, ...this.#words(item)];
    });
  }

  /** @param {Wire.FeedItem} item */
  #words(item) {
    return [
      item.location && h("p", { class: "place", lang: "" }, ...place(item.location)),
      item.description && h("p", { class: "description", lang: "", dir: "auto" }, item.description)];
  }

  get dismissal() {
    return this.state && shownOf(this.state, this.state.comments) !== "failed" ? super.dismissal : null;
  }

  /** @param {Wire.CommentsState} state */
  render(state) {
    setText(this.#title, state.title);
    this.#bar.hidden = !state.isLoading;
    this.#list.setAttribute("aria-busy", String(state.isLoading));
    keyed(this.#list, state.comments, (comment) => comment.id, (comment) => this.#row(comment), (row, comment) => row.draw(comment));
    this.#list.hidden = state.comments.length === 0;
    replaceWhen(this.#notice, state.notice ?? "", () => notice(state.notice));
    const what = shownOf(state, state.comments);
    const trouble = what === "failed" ? null : state.error?.message;
    replaceWhen(this.#alert, trouble ?? "", () => errorBanner(trouble, () => this.dismiss()));
    replaceWhen(this.#instead, `${what} ${this.trouble?.message}`, () => {
      if (what === "list") return [];
      if (what === "loading") return spinner(t("loading"), "comments-loading");
      if (what === "failed") return failed({ trouble: this.trouble, title: t("comments.failed.title"), text: t("comments.failed.text"), test: "comments-failed", run: () => this.reload() });
      return message({ glyph: "comment", title: t("comments.empty.title"), text: t("comments.empty.text"), test: "comments-empty" });
    });
  }

  /** @param {Wire.CommentsComment} comment */
  #row(comment) {
    const when = h("time", {});
    const text = h("p", { class: "comment-text", lang: "", dir: "auto" });
    const row = h("li", { class: "comment", "data-test": "comment" },
      h("span", { class: `avatar tint-${tint(comment.author)}`, "aria-hidden": "true" }, initials(comment.author)),
      h("div", { class: "comment-body" },
        h("p", { class: "comment-head" }, h("span", { class: "comment-author", title: comment.author }, comment.author), when), text));
    /** @param {Wire.CommentsComment} now */
    const draw = (now) => {
      setText(text, now.message);
      setText(when, now.date);
      when.dateTime = now.createdAt;
    };
    return Object.assign(row, { draw });
  }
}
