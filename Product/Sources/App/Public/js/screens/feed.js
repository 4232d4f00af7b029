import { carried } from "../carried.js";
import { author } from "../components/author.js";
import { retryAll } from "../components/image.js";
import { Masonry } from "../components/masonry.js";
import { ReadingPlace } from "../components/reading-place.js";
import { spinner, failed, message } from "../components/states.js";
import { icon } from "../components/icon.js";
import { find, h, keyed, replaceWhen, rowOf, rows, setText } from "../dom.js";
import { shortNumber, t } from "../i18n.js";
import { ListScreen } from "../list-screen.js";
import { shownOf } from "../logic/list.js";
import { nearEnd } from "../logic/near-end.js";
import { placeLines } from "../logic/names.js";
import { LOOK_ON, searched } from "../logic/searched.js";

/**
 * The name of a picture, where one is needed.
 *
 * @param {Wire.FeedItem} item
 */
export function itemName(item) {
  return placeLines(item.location)[0] ?? item.description ?? t("feed.item");
}

/** @param {Wire.FeedItem} item */
export function altText(item) {
  if (item.description) return item.description;
  return item.location ? t("image.alt", { place: placeLines(item.location).join(", ") }) : t("image.alt.unknown");
}

/**
 * A place in two lines: the name, and where that is.
 *
 * @param {string} location
 */
export function place(location) {
  const [first, ...rest] = placeLines(location);
  const region = rest.join(", ");
  return [icon("pin"), h("span", { class: "place-text" }, h("span", { class: "place-name", title: first }, first),
    rest.length > 0 && h("span", { class: "place-region", title: region }, region))];
}

/** @param {number} count */
const counted = (count) => ({ count, number: shortNumber(count) });

/**
 * The text of the way to the comments: their number, if the remote tells it.
 *
 * @param {Wire.FeedItem} item
 */
export const commentsText = (item) => (item.commentCount === null ? t("comments") : t("comments.count", counted(item.commentCount)));

/**
 * The name of the way to the comments.
 *
 * @param {Wire.FeedItem} item
 */
export function commentsName(item) {
  const name = itemName(item);
  return item.commentCount === null ? t("comments.open", { name }) : t("comments.open.count", { name, ...counted(item.commentCount) });
}

/** The cards that fill the window of a phone. They are drawn first: the others follow when these are seen. */
const FIRST = 2;
const phone = matchMedia("(max-width: 44rem)");

/** The narrowest and the widest frame of a card, in heights. A picture beyond it is whole within the frame. */
const FRAMES = [0.5, 2.5];

/** @param {number} ratio */
const framed = (ratio) => String(Math.min(FRAMES[1], Math.max(FRAMES[0], ratio)));

/** Counts the cards, for their names. */
let cards = 0;

/**
 * A row of the list, and the item that it shows or stands before.
 *
 * @typedef {{ key: string, kind: "card" | "gap" | "age", item: Wire.FeedItem }} FeedRow
 */

/**
 * The rows of an item: the gap before it, its age if that is another, and its card.
 *
 * @param {Wire.FeedItem} item
 * @returns {FeedRow[]}
 */
function rowsOf(item) {
  const rows = [/** @type {FeedRow} */ ({ key: item.id, kind: "card", item })];
  if (item.age) rows.unshift({ key: `age ${item.id}`, kind: "age", item });
  if (item.gap) rows.unshift({ key: `gap ${item.gap.id}`, kind: "gap", item });
  return rows;
}

/** @extends {ListScreen<"feed">} */
export class FeedScreen extends ListScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #list = h("div", { class: "feed-grid", "data-test": "feed" });
  #masonry = new Masonry(this.#list);
  #place = new ReadingPlace(this.#list, "[data-test=feed-item]", "feed");
  #more = h("div", { class: "feed-more" });
  #sentinel = h("div", { class: "sentinel", "aria-hidden": "true", "data-test": "sentinel" });
  #atEnd = false;
  /** The pages that were asked for to find the row that was read. */
  #searches = 0;
  /** True if the next pictures are wanted, wherever the page is. */
  #wantsMore = false;
  /**
   * The number of pictures after which the next page was asked for; null if nothing is asked.
   *
   * @type {number | null}
   */
  #askedAfter = null;
  /** True while only the first cards are drawn. */
  #isPart = false;
  /**
   * Hears every state.
   *
   * @type {(() => void) | null}
   */
  onState = null;
  element = h("section", { class: "screen feed-screen", "data-test": "screen-feed" },
    h("header", { class: "page-header" }, this.#title),
    this.alert, this.notice, this.#list, this.instead, this.#more, this.#sentinel);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("feed", shell);
    nearEnd(this.#sentinel, (isNear) => {
      this.#atEnd = isNear;
      // A user who goes up and down again asks again: the answer may have been lost.
      if (!this.#atEnd) this.#askedAfter = null;
      this.#askForMore();
    });
    setText(this.#title, t("nav.feed"));
    this.#drawInstead({ isLoading: true, items: [] });
  }

  get title() {
    return this.state?.title ?? t("nav.feed");
  }

  /**
   * The picture with this id, if the feed has it.
   *
   * @param {string} id
   */
  item(id) {
    return this.state?.items.find((item) => item.id === id) ?? null;
  }

  /** Asks for the next pictures, as the end of the page does when it is seen. Returns true unless they were asked for before. */
  wantMore() {
    this.#wantsMore = true;
    return this.#askForMore();
  }

  /**
   * Gives the focus to the picture with this id, and shows it.
   *
   * @param {string} id
   */
  focusPicture(id) {
    const link = find(rowOf(this.#list, id), "[data-test=open-picture]");
    link?.focus({ preventScroll: true });
    link?.scrollIntoView({ block: "nearest" });
  }

  show() {
    super.show();
    // The shell scrolls there: other pictures may stand above by now.
    this.scroll = this.#place.seek() ?? this.scroll;
  }

  hide() {
    this.#place.keep();
    super.hide();
  }

  /**
   * @param {Wire.FeedState} state
   * @param {Wire.FeedState | null} [before]
   */
  render(state, before) {
    const hasEnded = this.drawFrame(state, before, state.items);
    setText(this.#title, state.title);
    const items = this.#drawn(state.items);
    keyed(this.#list, items.flatMap(rowsOf), (row) => row.key, (row) => this.#masonry.add(this.#row(row)), (element, row) => element.draw(row));
    this.#list.hidden = state.items.length === 0;
    this.#masonry.settle();
    this.#drawInstead(state);
    this.#drawMore(state);
    // The pictures in a window over the feed are tried again, too.
    if (hasEnded && !state.error) retryAll(document.body);
    this.#findPlace(state);
    this.#askForMore();
    this.onState?.();
  }

  /**
   * The items that are drawn now: on a phone the first ones only, as long as nothing was seen yet.
   *
   * @param {Wire.FeedItem[]} items
   */
  #drawn(items) {
    if (this.#isPart) return items.slice(0, FIRST);
    const isWhole = items.length <= FIRST || rows(this.#list).length > 0 || !phone.matches || document.hidden || this.#place.isWaiting || carried !== null;
    if (isWhole) return items;
    this.#isPart = true;
    // The end of a list that has not been drawn is no wish for more.
    this.#sentinel.hidden = this.#more.hidden = true;
    const drawAll = () => {
      clearTimeout(late);
      if (!this.#isPart) return;
      this.#sentinel.hidden = this.#more.hidden = this.#isPart = false;
      if (this.state) this.render(this.state, this.state);
    };
    // A window that is covered meanwhile has no next frame.
    const late = setTimeout(drawAll, 500);
    // The frame that comes first draws them; once the next one begins, they are seen.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawAll)));
    return items.slice(0, FIRST);
  }

  /**
   * Looks on the next pages for the row that was read. It may have been removed, so the search has an end.
   *
   * @param {Wire.FeedState} state
   */
  #findPlace(state) {
    if (!this.#place.isWaiting) {
      this.#searches = 0;
      return;
    }
    const found = searched(state, this.#searches);
    if (found === LOOK_ON && this.wantMore()) this.#searches += 1;
    if (found === "missing") this.#place.giveUp();
  }

  /**
   * Draws the first load, an empty feed or an error in place of the list.
   *
   * @param {import("../logic/list.js").ListState & { items: Wire.FeedItem[] }} state
   */
  #drawInstead(state) {
    const what = shownOf(state, state.items);
    replaceWhen(this.instead, `${what} ${this.trouble?.message}`, () => {
      if (what === "list") return [];
      if (what === "empty") {
        return message({ glyph: "drop", title: t("feed.empty.title"), text: t("feed.empty.text"), test: "empty",
          action: { title: t("reload"), run: () => this.reload() } });
      }
      if (what === "failed") return failed({ trouble: this.trouble, title: t("feed.failed.title"), text: t("feed.failed.text"), test: "failed", run: () => this.reload() });
      return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
        h("div", { class: "feed-grid", "aria-hidden": "true" }, Array.from({ length: 6 }, () =>
          h("div", { class: "card skeleton", "data-test": "skeleton" },
            h("span", { class: "shimmer skeleton-picture" }),
            h("span", { class: "shimmer skeleton-line" }), h("span", { class: "shimmer skeleton-line short" }))))];
    });
  }

  /** @param {Wire.FeedState} state */
  #drawMore(state) {
    const { phase, message: text } = state.more;
    const shown = state.items.length === 0 ? "idle" : phase;
    replaceWhen(this.#more, `${shown} ${text}`, () => {
      if (shown === "loading") return spinner(t("feed.more"), "more-spinner");
      if (shown === "failed") {
        return h("button", { class: "more-retry", type: "button", "data-test": "more-retry", onclick: () => this.send("loadMore") },
          h("span", {}, text ?? t("feed.more.failed")), h("strong", {}, icon("reload"), t("feed.more.retry")));
      }
      if (shown === "end") return h("p", { class: "end-mark", "data-test": "end-mark" }, icon("drop"), t("feed.end"));
      return [];
    });
  }

  /** Asks for the next page, if it is wanted. Asks once, until a state shows that the page came, is being loaded or could not be. */
  #askForMore() {
    if (!this.state) return false;
    const { items, more, isLoading } = this.state;
    const isReady = more.phase === "idle" && items.length > 0 && !isLoading;
    if (!isReady || this.#askedAfter !== items.length) this.#askedAfter = null;
    if (!isReady || this.#askedAfter !== null || this.#isPart || !(this.#atEnd || this.#wantsMore)) return false;
    this.#askedAfter = items.length;
    this.#wantsMore = false;
    this.send("loadMore").then((hasArrived) => {
      if (!hasArrived) this.#askedAfter = null;
    });
    return true;
  }

  /**
   * The element of a row: a card, the age of what follows, or a gap.
   *
   * @param {FeedRow} row
   */
  #row(row) {
    if (row.kind === "card") return this.#card();
    return row.kind === "gap" ? this.#gap() : this.#age();
  }

  #age() {
    const text = h("p", { class: "feed-age", "data-test": "feed-age" });
    /** @param {FeedRow} row */
    const draw = ({ item }) => setText(text, item.age ?? "");
    return Object.assign(text, { draw });
  }

  #gap() {
    const button = h("button", { class: "more-retry", type: "button", "data-test": "gap-load" });
    const element = h("div", { class: "feed-gap", "data-test": "gap" }, h("div", { class: "feed-gap-line" }, button));
    /** @param {FeedRow} row */
    const draw = ({ item }) => {
      const { id, more } = /** @type {Wire.FeedGap} */ (item.gap);
      const isLoading = more.phase === "loading";
      button.onclick = () => { if (!isLoading) this.send("fill", { gap: id }); };
      // The button stays while its page loads, so that it keeps the focus.
      button.setAttribute("aria-disabled", String(isLoading));
      replaceWhen(button, `${more.phase} ${more.message}`, () => {
        if (isLoading) return [h("span", {}, t("feed.gap")), spinner(t("feed.more"), "gap-spinner")];
        if (more.phase === "failed") return [h("span", {}, more.message ?? t("feed.more.failed")), h("strong", {}, icon("reload"), t("feed.more.retry"))];
        return [h("span", {}, t("feed.gap")), h("strong", {}, icon("reload"), t("feed.gap.load"))];
      });
    };
    return Object.assign(element, { draw });
  }

  #card() {
    const line = author();
    const picture = h("aq-image", {});
    const open = h("a", { class: "card-open", "data-link": true, "data-test": "open-picture" });
    const heading = h("h2", { id: `card-${++cards}`, lang: "" });
    const where = h("span", { class: "place", "data-test": "item-location" });
    const name = h("span", { class: "visually-hidden" });
    const text = h("p", { class: "description", lang: "", dir: "auto", "data-test": "item-description" });
    const label = h("span", {});
    const link = h("a", { class: "card-link", "data-link": true, "data-test": "open-comments" }, icon("comment"), label);
    const card = h("article", { class: "card", "aria-labelledby": heading.id, "data-test": "feed-item" }, line,
      h("div", { class: "card-picture" }, picture, open),
      h("div", { class: "card-body" }, heading, text, link));
    heading.append(where, name);
    /** True if the remote has told the size. */
    let isSized = false;
    // Without a size the room stays as it is once the picture is seen: nothing moves under the eyes of its reader.
    picture.addEventListener("load", () => {
      if (!isSized && picture.ratio && picture.getBoundingClientRect().top >= innerHeight) picture.style.aspectRatio = framed(picture.ratio);
    });
    /** @param {FeedRow} row */
    const draw = ({ item }) => {
      card.dataset.id = item.id;
      line.draw(item);
      isSized = item.size !== null;
      if (item.size) picture.style.aspectRatio = framed(item.size.width / item.size.height);
      open.href = `/feed/${encodeURIComponent(item.id)}/picture`;
      open.setAttribute("aria-label", t("viewer.open", { name: itemName(item) }));
      picture.setAttribute("alt", altText(item));
      if (item.srcset) picture.setAttribute("srcset", item.srcset);
      else picture.removeAttribute("srcset");
      picture.setAttribute("src", item.image);
      where.hidden = !item.location;
      // Without a place the heading is only heard: its words stand below.
      setText(name, item.location ? "" : itemName(item));
      picture.toggleAttribute("foreign", Boolean(item.description));
      text.hidden = !item.description;
      replaceWhen(where, item.location ?? "", () => (item.location ? place(item.location) : []));
      setText(text, item.description ?? "");
      link.href = `/feed/${encodeURIComponent(item.id)}`;
      link.setAttribute("aria-label", commentsName(item));
      setText(label, commentsText(item));
    };
    return Object.assign(card, { draw });
  }
}
