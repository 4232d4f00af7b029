import { ApiError, fetchOwn, refusal } from "../api.js";
import { author } from "../components/author.js";
import { save } from "../components/download.js";
import { icon } from "../components/icon.js";
import { showModal } from "../components/modal.js";
import { canShare, share } from "../components/share.js";
import { failed, message, spinner } from "../components/states.js";
import { h, nameButton, replaceWhen, setText } from "../dom.js";
import { language, t } from "../i18n.js";
import { LOOK_ON, searched } from "../logic/searched.js";
import { CLOSE, STEP, fileName, gesture, heldAt, limited, MOST } from "../logic/zoom.js";
import { altText, commentsName, commentsText, itemName, place } from "./feed.js";

/** The time for which a message stands, in milliseconds. */
const SAID = 4000;
/** The way that an arrow key moves a large picture, in pixels. */
const PAN = 80;
/** The titles of a window that has no picture. */
const TITLES = /** @type {const} */ ({ item: "loading", loading: "loading", failed: "viewer.failed.title", missing: "comments.missing.title" });

/**
 * The ways from the viewer.
 *
 * @typedef {object} Ways
 * @property {() => void} close
 * @property {(id: string) => void} moved the viewer shows another picture now
 */

/** One picture, whole, as large as the window and larger. Its neighbours are those of the feed. */
export class Viewer {
  route = "picture";
  isWorking = false;
  #feed;
  #ways;
  #scale = 1;
  #isClosing = false;
  #searches = 0;
  /** @type {import("../logic/zoom.js").Touch | null} */
  #touch = null;
  /** @type {import("../logic/zoom.js").Touch | null} */
  #tap = null;
  /**
   * The distance of two fingers, and the size that the picture had.
   *
   * @type {{ distance: number, scale: number } | null}
   */
  #pinch = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #saidEnd;
  #title = h("h1", { id: "viewer-title", class: "viewer-title", tabindex: "-1", lang: "", dir: "auto", "data-test": "viewer-title" });
  #close = this.#button("viewer-close", "close", t("close"), () => this.#ways.close());
  #zoomOut = this.#button("viewer-zoom-out", "zoomOut", t("viewer.zoomOut"), () => this.#zoomTo(this.#scale / STEP));
  #zoomIn = this.#button("viewer-zoom-in", "zoomIn", t("viewer.zoomIn"), () => this.#zoomTo(this.#scale * STEP));
  #full = this.#button("viewer-full", "expand", t("viewer.full"), () => this.#toggleFull());
  #share = this.#button("viewer-share", "share", t("viewer.share"), () => this.#shareLink());
  #save = this.#button("viewer-save", "download", t("viewer.save"), () => this.#savePicture());
  #previous = this.#button("viewer-previous", "back", t("viewer.previous"), () => this.#move(-1));
  #next = this.#button("viewer-next", "next", t("viewer.next"), () => this.#move(1));
  #sheet = h("div", { class: "viewer-sheet" });
  #stage = h("div", { class: "viewer-stage", tabindex: "0", role: "group", "aria-labelledby": "viewer-title", "data-test": "viewer-stage" }, this.#sheet);
  #instead = h("div", { class: "viewer-instead" });
  #author = author();
  #where = h("p", { class: "place", lang: "" });
  #text = h("p", { class: "description", lang: "", dir: "auto" });
  #comments = h("span");
  #link = h("a", { class: "viewer-comments", "data-link": true, "data-test": "viewer-comments" }, icon("comment"), this.#comments);
  #caption = h("div", { class: "viewer-caption", "data-test": "viewer-caption" }, this.#author, this.#where, this.#text, this.#link);
  #said = h("p", { class: "viewer-said", role: "status", "data-test": "viewer-said" });
  #frame = h("div", { class: "viewer-frame" },
    h("div", { class: "viewer-bar" }, this.#close, this.#title,
      h("div", { class: "viewer-tools" }, this.#zoomOut, this.#zoomIn, document.fullscreenEnabled && this.#full, this.#share, this.#save)),
    h("div", { class: "viewer-middle" }, this.#previous, this.#stage, this.#instead, this.#next),
    this.#caption, this.#said);
  element = h("dialog", { class: "viewer", "aria-labelledby": "viewer-title", "data-test": "viewer" }, this.#frame);

  /**
   * @param {import("./feed.js").FeedScreen} feed
   * @param {string} id
   * @param {Ways} ways
   */
  constructor(feed, id, ways) {
    this.#feed = feed;
    this.id = id;
    this.#ways = ways;
    this.#previous.classList.add("viewer-side");
    this.#next.classList.add("viewer-side");
    this.element.addEventListener("cancel", (event) => {
      event.preventDefault();
      ways.close();
    });
    // A browser may close it without asking.
    this.element.addEventListener("close", () => !this.#isClosing && ways.close());
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.#frame.addEventListener("fullscreenchange", () => this.#drawFull());
    this.#listen();
  }

  get title() {
    return this.#title.textContent ?? "";
  }

  reload() {
    this.#searches = 0;
    return this.#feed.reload();
  }

  open() {
    showModal(this.element);
    this.draw();
    this.#stage.focus({ focusVisible: false });
  }

  close() {
    this.#isClosing = true;
    clearTimeout(this.#saidEnd);
    // A browser that has left it by itself needs nothing.
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    this.element.close();
    this.element.remove();
    this.#feed.focusPicture(this.id);
  }

  /** Draws the picture as the feed has it now. */
  draw() {
    const { items, at } = this.#position;
    const item = items[at];
    const found = item ? "item" : this.#lookOn();
    const trouble = found === "failed" ? this.#trouble : null;
    replaceWhen(this.#instead, `${found} ${trouble?.message}`, () => {
      if (found === "item") return [];
      if (found === "loading") return spinner(t("loading"), "viewer-loading");
      if (found === "failed") return failed({ trouble, title: t("viewer.failed.title"), text: t("feed.failed.text"), test: "viewer-failed", run: () => this.reload() });
      return message({ glyph: "question", title: t("comments.missing.title"), text: t("comments.missing.text"), test: "viewer-missing",
        action: { title: t("notFound.home"), run: () => this.#ways.close() } });
    });
    for (const part of [this.#stage, this.#caption, this.#zoomOut, this.#zoomIn, this.#full, this.#share, this.#save]) part.hidden = !item;
    this.#previous.hidden = this.#next.hidden = !item;
    setText(this.#title, item ? itemName(item) : t(TITLES[found]));
    if (item) this.#drawItem(item);
    able(this.#previous, at > 0);
    able(this.#next, at >= 0 && at < items.length - 1);
    if (at >= 0 && at >= items.length - 2) this.#feed.wantMore();
  }

  /** The items of the feed, and which of them is shown. */
  get #position() {
    const items = this.#feed.state?.items ?? [];
    return { items, at: items.findIndex((item) => item.id === this.id) };
  }

  /** Asks for the next page of the feed while the picture may be there. Returns what is known of the picture, which no page had so far. */
  #lookOn() {
    const found = searched(this.#feed.state, this.#searches);
    if (found !== LOOK_ON) return found;
    if (this.#feed.wantMore()) this.#searches += 1;
    return "loading";
  }

  /** The reason why the feed, or its next page, could not be loaded. */
  get #trouble() {
    const { message = null } = this.#feed.state?.more ?? {};
    return message ? { kind: "connectivity", message } : this.#feed.trouble;
  }

  /** @param {Wire.FeedItem} item */
  #drawItem(item) {
    replaceWhen(this.#sheet, item.image, () => {
      this.#zoomTo(1);
      return h("aq-image", { src: item.image, alt: altText(item), foreign: Boolean(item.description), "data-test": "viewer-picture" });
    });
    this.#author.draw(item);
    this.#where.hidden = !item.location;
    replaceWhen(this.#where, item.location ?? "", () => (item.location ? place(item.location) : []));
    this.#text.hidden = !item.description;
    setText(this.#text, item.description ?? "");
    this.#link.href = `/feed/${encodeURIComponent(item.id)}`;
    this.#link.setAttribute("aria-label", commentsName(item));
    setText(this.#comments, commentsText(item));
  }

  /**
   * @param {string} test
   * @param {import("../components/icon.js").Glyph} glyph
   * @param {string} name
   * @param {() => unknown} run
   */
  #button(test, glyph, name, run) {
    const button = h("button", { class: "viewer-button", type: "button", "data-test": test }, icon(glyph));
    button.addEventListener("click", () => button.getAttribute("aria-disabled") !== "true" && run());
    nameButton(button, name);
    return button;
  }

  /**
   * Shows a neighbour.
   *
   * @param {1 | -1} step
   */
  #move(step) {
    const { items, at } = this.#position;
    const item = items[at + step];
    if (at < 0 || !item) return;
    this.id = item.id;
    this.draw();
    this.#say(itemName(item), true);
    this.#ways.moved(item.id);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const isLarge = this.#scale > 1;
    const pan = (/** @type {number} */ x, /** @type {number} */ y) => this.#stage.scrollBy({ left: x * PAN, top: y * PAN });
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => (isLarge ? pan(-1, 0) : this.#move(-1)),
      ArrowRight: () => (isLarge ? pan(1, 0) : this.#move(1)),
      "+": () => this.#zoomTo(this.#scale * STEP),
      "=": () => this.#zoomTo(this.#scale * STEP),
      "-": () => this.#zoomTo(this.#scale / STEP),
      0: () => this.#zoomTo(1),
      ...(isLarge && { ArrowUp: () => pan(0, -1), ArrowDown: () => pan(0, 1) }),
    };
    const run = keys[event.key];
    if (!run || this.#stage.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  }

  /**
   * Gives the picture another size. The point stays where it is in the window.
   *
   * @param {number} scale
   * @param {{ x: number, y: number }} [point]
   */
  #zoomTo(scale, point = { x: this.#stage.clientWidth / 2, y: this.#stage.clientHeight / 2 }) {
    const next = limited(scale), ratio = next / this.#scale;
    const { scrollLeft, scrollTop } = this.#stage;
    const before = this.#scale;
    this.#scale = next;
    this.#sheet.style.setProperty("--zoom", String(next));
    this.#stage.classList.toggle("is-large", next > 1);
    this.#stage.scrollTo({ left: heldAt(scrollLeft, point.x, ratio), top: heldAt(scrollTop, point.y, ratio) });
    able(this.#zoomOut, next > 1);
    able(this.#zoomIn, next < MOST);
    if (next !== before) this.#say(new Intl.NumberFormat(language(), { style: "percent" }).format(next), true);
  }

  /**
   * The point of the stage where something happens.
   *
   * @param {{ clientX: number, clientY: number }} event
   */
  #point({ clientX, clientY }) {
    const { left, top } = this.#stage.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {{ clientX: number, clientY: number }} event */
  #toggleZoom(event) {
    this.#zoomTo(this.#scale > 1 ? 1 : CLOSE, this.#point(event));
  }

  /** Wheel, mouse and fingers. */
  #listen() {
    const stage = this.#stage;
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#zoomTo(this.#scale * Math.exp(-event.deltaY / 200), this.#point(event));
    }, { passive: false });
    stage.addEventListener("dblclick", (event) => this.#toggleZoom(event));
    stage.addEventListener("pointerdown", (event) => this.#drag(event));
    stage.addEventListener("touchstart", (event) => this.#touchBegan(event), { passive: true });
    stage.addEventListener("touchmove", (event) => this.#touchMoved(event), { passive: false });
    stage.addEventListener("touchend", (event) => this.#touchEnded(event));
    stage.addEventListener("touchcancel", () => this.#letGo());
  }

  /**
   * A mouse takes a large picture along; fingers do so by themselves.
   *
   * @param {PointerEvent} start
   */
  #drag(start) {
    if (start.pointerType !== "mouse" || start.button !== 0 || this.#scale === 1) return;
    start.preventDefault();
    const stage = this.#stage;
    stage.focus({ focusVisible: false });
    stage.setPointerCapture(start.pointerId);
    const end = new AbortController();
    stage.addEventListener("pointermove", (event) => stage.scrollBy({ left: -event.movementX, top: -event.movementY }), { signal: end.signal });
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) stage.addEventListener(name, () => end.abort(), { signal: end.signal });
  }

  /** @param {TouchEvent} event */
  #touchBegan({ touches, timeStamp }) {
    const [first, second] = touches;
    this.#touch = second ? null : { x: first.clientX, y: first.clientY, time: timeStamp };
    this.#pinch = second ? { distance: apart(first, second), scale: this.#scale } : null;
    if (second) this.#tap = null;
  }

  /** @param {TouchEvent} event */
  #touchMoved(event) {
    const [first, second] = event.touches;
    if (this.#pinch && second) {
      event.preventDefault();
      const point = this.#point({ clientX: (first.clientX + second.clientX) / 2, clientY: (first.clientY + second.clientY) / 2 });
      return this.#zoomTo(this.#pinch.scale * (apart(first, second) / this.#pinch.distance), point);
    }
    if (!this.#touch || this.#scale > 1) return;
    event.preventDefault();
    const across = first.clientX - this.#touch.x;
    this.#sheet.style.translate = Math.abs(across) > 10 ? `${across}px` : "";
  }

  /** @param {TouchEvent} event */
  #touchEnded(event) {
    const from = this.#touch;
    const [last] = event.changedTouches;
    const to = { x: last.clientX, y: last.clientY, time: event.timeStamp };
    this.#letGo();
    if (!from || event.touches.length > 0) return;
    const what = gesture(from, to);
    if (what === "tap") return this.#tapped(event, to, last);
    this.#tap = null;
    if (what && this.#scale === 1) this.#move(what === "next" ? 1 : -1);
  }

  /**
   * The second of two taps in one place changes the size.
   *
   * @param {TouchEvent} event
   * @param {import("../logic/zoom.js").Touch} now
   * @param {Touch} touch
   */
  #tapped(event, now, touch) {
    const before = this.#tap;
    this.#tap = now;
    if (!before || now.time - before.time > 350 || Math.hypot(now.x - before.x, now.y - before.y) > 40) return;
    this.#tap = null;
    // The browser makes no double click of it besides.
    event.preventDefault();
    this.#toggleZoom(touch);
  }

  #letGo() {
    this.#touch = null;
    this.#pinch = null;
    this.#sheet.style.translate = "";
  }

  async #toggleFull() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await this.#frame.requestFullscreen();
    } catch {
      // The browser does not want to: the picture stays as large as the window.
    }
  }

  #drawFull() {
    const isFull = document.fullscreenElement === this.#frame;
    nameButton(this.#full, t(isFull ? "viewer.full.exit" : "viewer.full"));
    replaceWhen(this.#full, `${isFull}`, () => icon(isFull ? "shrink" : "expand"));
  }

  async #shareLink() {
    const url = new URL(`/feed/${encodeURIComponent(this.id)}/picture`, location.href).href;
    const failed = () => this.#say(t("viewer.share.failed"));
    if (canShare()) return share(() => ({ title: this.title, url }), failed);
    try {
      await navigator.clipboard.writeText(url);
      this.#say(t("viewer.copied"));
    } catch {
      failed();
    }
  }

  #savePicture() {
    const item = this.#feed.item(this.id);
    if (!item) return;
    save(async () => {
      // Offline a smaller form stands in for the picture; it is not saved in its place.
      const response = await fetchOwn(`${item.image}&exact=1`);
      if (!response.ok) throw await refusal(response);
      const blob = await response.blob();
      return { blob, name: fileName(item.location || item.description ? itemName(item) : t("viewer.file"), blob.type) };
    }, (isSaved, error) => this.#say(t(isSaved ? "viewer.saved" : error instanceof ApiError && error.kind === "connectivity" ? "viewer.save.offline" : "viewer.save.failed")));
  }

  /**
   * Says something for some seconds. The toasts of the page are behind this window.
   *
   * @param {string} text
   * @param {boolean} [isQuiet] true if it is only read out: it is seen anyway
   */
  #say(text, isQuiet = false) {
    clearTimeout(this.#saidEnd);
    this.#said.classList.toggle("visually-hidden", isQuiet);
    setText(this.#said, text);
    this.#saidEnd = setTimeout(() => setText(this.#said, ""), SAID);
  }
}

/**
 * A button that has nothing to do keeps its place, and the focus.
 *
 * @param {HTMLElement} button
 * @param {boolean} isAble
 */
function able(button, isAble) {
  button.setAttribute("aria-disabled", String(!isAble));
}

/**
 * @param {Touch} first
 * @param {Touch} second
 */
const apart = (first, second) => Math.max(1, Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY));
