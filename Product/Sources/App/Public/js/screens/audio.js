import { downloadButton } from "../components/download-button.js";
import { icon } from "../components/icon.js";
import { pendingClip, pendingNews } from "../components/pending-clip.js";
import { playButton } from "../components/play-button.js";
import { player } from "../components/player.js";
import { seekBar } from "../components/seek-bar.js";
import { shapes } from "../components/shapes.js";
import { failed, message } from "../components/states.js";
import { announce, toast } from "../components/toast.js";
import { h, keyed, replaceWhen, rows, setText, target } from "../dom.js";
import { t } from "../i18n.js";
import { ListScreen } from "../list-screen.js";
import { shownOf } from "../logic/list.js";
import { clock, lengthText } from "../logic/time.js";

/** @typedef {ReturnType<AudioScreen["makeRow"]>} Row */

/**
 * Clips to be heard, here and now or later without a connection.
 *
 * @extends {ListScreen<"audio">}
 */
export class AudioScreen extends ListScreen {
  #title = h("h1", { tabindex: "-1", "data-test": "title" });
  #kept = h("p", { class: "page-intro", hidden: true, "data-test": "kept" });
  #links = h("div", { class: "page-links" });
  #list = h("ul", { class: "clip-list", "data-test": "clips" });
  element = h("section", { class: "screen audio-screen", "data-test": "screen-audio" },
    h("header", { class: "page-header" }, h("div", {}, this.#title, this.#kept), this.#links), this.alert, this.notice, this.#list, this.instead);

  /** @param {import("../shell.js").Shell} shell */
  constructor(shell) {
    super("audio", shell);
    player.addEventListener("change", () => this.#drawRows());
    shapes.addEventListener("change", () => this.#drawRows());
    player.addEventListener("time", () => this.#rows.find((row) => row.dataset.key === player.clip?.id)?.move());
    this.render({ phase: "idle", isLoading: true, clips: [], notice: null, error: null, isEmpty: false, outboxCount: 0, sizeText: null });
  }

  get title() {
    return t("nav.audio");
  }

  /**
   * @param {Wire.AudioState} state
   * @param {Wire.AudioState | null} [before]
   */
  render(state, before) {
    this.drawFrame(state, before, state.clips);
    setText(this.#title, t("nav.audio"));
    setText(this.#kept, state.sizeText ? t("audio.kept", { size: state.sizeText }) : "");
    this.#kept.hidden = !state.sizeText;
    const count = state.outboxCount;
    replaceWhen(this.#links, `${count}`, () => [
      h("a", { class: "button outbox-link", href: "/outbox", "data-link": true, "data-test": "to-outbox", "aria-label": t("audio.outbox", { count }) },
        icon("outbox"), h("span", {}, t("outbox.title")), count > 0 && h("span", { class: "badge", "data-test": "outbox-count" }, String(count))),
      h("a", { class: "button button-primary", href: "/audio/new", "data-link": true, "data-test": "to-compose" }, icon("plus"), t("compose.title"))]);
    if (this.state) player.setQueue(state.clips);
    const hadFocus = this.#list.contains(document.activeElement);
    for (const row of this.#rows) if (!state.clips.some(({ id }) => id === row.dataset.key)) row.gone();
    keyed(this.#list, state.clips, (clip) => clip.id, (clip) => this.makeRow(clip), (row, clip) => row.draw(clip));
    if (hadFocus && !this.#list.contains(document.activeElement)) this.#title.focus({ preventScroll: true, focusVisible: false });
    this.#list.hidden = state.clips.length === 0;
    this.#drawInstead(state);
    if (before) this.#tell(before.clips, state.clips);
  }

  /** @param {Wire.AudioState} state */
  #drawInstead(state) {
    const what = shownOf(state, state.clips);
    replaceWhen(this.instead, `${what} ${this.trouble?.message}`, () => {
      if (what === "list") return [];
      if (what === "loading") return skeleton();
      if (what === "empty") {
        return message({ glyph: "audio", title: t("audio.empty.title"), text: t("audio.empty.text"), test: "audio-empty",
          action: { title: t("compose.title"), run: () => this.shell.go("/audio/new") } });
      }
      return failed({ trouble: this.trouble, title: t("audio.failed.title"), text: t("audio.failed.text"), test: "audio-failed", run: () => this.reload() });
    });
  }

  /**
   * The badge shows it; whoever does not see it hears it.
   *
   * @param {Wire.AudioClip[]} before
   * @param {Wire.AudioClip[]} after
   */
  #tell(before, after) {
    for (const clip of after) {
      const old = before.find(({ id }) => id === clip.id);
      if (old && old.offline !== "done" && clip.offline === "done") announce(t("audio.download.done", clip));
      // Each try without a connection is no news.
      if (old?.pending && clip.pending?.state === "refused" && old.pending.state !== "refused") announce(pendingNews(clip, clip.pending));
      if (old?.pending && !clip.pending) announce(t("audio.pending.posted", { title: clip.title }));
      if (old && old.offline !== "failed" && clip.offline === "failed") announce(`${clip.title}: ${clip.offlineText ?? t("audio.download.failed")}`);
    }
    for (const gone of before.filter(({ id }) => !after.some((clip) => clip.id === id))) {
      if (this.#discarded.delete(gone.id)) toast(t("outbox.discarded", { title: gone.title }));
    }
  }

  /**
   * The clips that the user has discarded here.
   *
   * @type {Set<string>}
   */
  #discarded = new Set();

  /** @param {string} id */
  async #discard(id) {
    this.#discarded.add(id);
    const isDone = await this.send("discard", { id });
    if (!isDone) this.#discarded.delete(id);
    return isDone;
  }

  #drawRows() {
    for (const row of this.#rows) row.redraw();
  }

  get #rows() {
    return /** @type {Row[]} */ (rows(this.#list));
  }

  /** @param {Wire.AudioClip} clip */
  makeRow(clip) {
    const play = playButton({ test: "play", onToggle: () => player.toggle(clip.id) });
    const title = h("h2", { class: "clip-title", lang: "", dir: "auto", "data-test": "clip-title" });
    const author = h("span", { class: "clip-author", dir: "auto", "data-test": "clip-author" });
    const date = h("span", { "data-test": "clip-date" });
    const badge = h("span", { class: "chip chip-approved", hidden: true, "data-test": "offline-badge" });
    const download = downloadButton((intent) => this.send(intent, { id: clip.id }));
    const pending = pendingClip({
      retry: (id) => this.send("retry", { id }),
      edit: (id, title) => this.send("edit", { id, title }),
      discard: (id) => this.#discard(id),
    });
    const time = h("span", { class: "clip-time", "data-test": "clip-time" });
    const bar = seekBar({
      onSeek: (seconds, isPointer) => (isPointer ? player.play(clip.id, seconds) : player.seek(clip.id, seconds)),
      onPreview: (seconds) => drawTime(seconds),
    });
    const problem = h("p", { class: "clip-problem", role: "status", hidden: true, "data-test": "clip-problem" });
    const row = h("li", { class: "clip", "data-test": "clip" },
      play, h("div", { class: "clip-text" }, title, h("p", { class: "clip-more" }, author, date, pending.chip, badge)), download,
      h("div", { class: "clip-bar" }, bar, time), problem, pending.part);
    /** @param {number | null} preview */
    const drawTime = (preview) => {
      const length = player.length(clip);
      const at = Math.min(preview ?? player.position(clip.id), length);
      setText(time, at > 0 || player.isCurrent(clip.id) ? `${clock(at)} / ${lengthText(length)}` : lengthText(length));
      // A recording may have a length that only playing tells.
      time.classList.toggle("is-unknown", clip.pending !== null && length === 0);
    };
    /** @param {Wire.AudioClip} now */
    const draw = (now) => {
      clip = now;
      if (clip.pending) player.measure(clip);
      // Only what is on this machine, or heard anyway: nothing is fetched to be drawn.
      if (clip.pending || clip.offline === "done") shapes.draw(clip);
      row.dataset.id = clip.id;
      row.dataset.offline = clip.offline;
      if (clip.pending) row.dataset.pending = clip.pending.state;
      else delete row.dataset.pending;
      setText(title, clip.title);
      title.title = clip.title;
      setText(author, clip.author ?? "");
      author.title = clip.author ?? "";
      author.hidden = !clip.author;
      setText(date, clip.dateText);
      const isExpired = clip.offline === "expired";
      setText(badge, t(isExpired ? "audio.expired" : "audio.offline"));
      badge.classList.toggle("chip-approved", !isExpired);
      badge.classList.toggle("chip-waiting", isExpired);
      badge.title = isExpired ? clip.offlineText ?? "" : "";
      badge.hidden = !isExpired && clip.offline !== "done";
      // It is on this machine anyway.
      download.hidden = Boolean(clip.pending);
      download.draw(clip);
      pending.draw(clip);
      redraw();
    };
    const redraw = () => {
      const status = player.statusOf(clip.id);
      row.dataset.state = status;
      row.classList.toggle("is-current", player.isCurrent(clip.id));
      if (status === "playing") shapes.draw(clip);
      play.draw(status, clip.title);
      bar.draw({ label: t("audio.seek", clip), position: player.position(clip.id), duration: player.length(clip), waveform: shapes.of(clip) });
      const words = player.failure(clip.id) ?? (clip.offline === "failed" ? clip.offlineText ?? t("audio.download.failed") : null);
      replaceWhen(problem, words ?? "", () => words && [icon("alert"), h("span", {}, words)]);
      const isNews = problem.hidden && Boolean(words);
      problem.hidden = !words;
      // The player at the foot of the screen would cover it.
      if (isNews && player.isCurrent(clip.id)) problem.scrollIntoView({ block: "nearest" });
      drawTime(null);
    };
    const move = () => {
      bar.move(player.position(clip.id));
      drawTime(null);
    };
    row.addEventListener("keydown", (event) => {
      if (event.key !== " " || target(event)?.closest("button, a")) return;
      event.preventDefault();
      if (!event.repeat) player.toggle(clip.id);
    });
    return Object.assign(row, { draw, redraw, move, gone: pending.gone });
  }
}

function skeleton() {
  return [h("p", { class: "visually-hidden", role: "status" }, t("loading")),
    h("div", { class: "clip-list", "aria-hidden": "true" }, Array.from({ length: 6 }, () => h("div", { class: "clip", "data-test": "skeleton" },
      h("span", { class: "shimmer clip-skeleton-play" }),
      h("div", { class: "clip-text" }, h("span", { class: "shimmer contact-line" }), h("span", { class: "shimmer contact-line short" })),
      h("div", { class: "clip-bar" }, h("span", { class: "shimmer clip-skeleton-bar" })))))];
}
