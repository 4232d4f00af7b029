import { find, h, nameButton, replaceWhen, setText, target } from "../dom.js";
import { t } from "../i18n.js";
import { clock, lengthText } from "../logic/time.js";
import { icon } from "./icon.js";
import { STEP, player } from "./player.js";
import { playerOptions } from "./player-options.js";
import { playButton } from "./play-button.js";
import { seekBar } from "./seek-bar.js";

/** The clip that is played, at the foot of every page. */
export class MiniPlayer {
  #seek = seekBar({
    className: "mini-seek", test: "mini-seek", onPreview: (seconds) => this.#time(seconds),
    onSeek: (seconds) => player.clip && player.seek(player.clip.id, seconds),
  });
  #title = h("a", { class: "mini-title", lang: "", dir: "auto", href: "/audio", "data-link": true, "data-test": "mini-title" });
  #author = h("span", { class: "mini-author", "data-test": "mini-author" });
  #elapsed = h("span", { class: "mini-time", "data-test": "mini-time" });
  #previous = h("button", { class: "icon-button mini-step", type: "button", "data-test": "mini-previous", onclick: () => player.skip(-1) }, icon("previous", "icon-solid"));
  #rewind = h("button", { class: "icon-button mini-jump", type: "button", "data-test": "mini-rewind", onclick: () => player.step(-STEP) }, icon("rewind"), h("span", { "aria-hidden": "true" }, String(STEP)));
  #forward = h("button", { class: "icon-button mini-jump", type: "button", "data-test": "mini-forward", onclick: () => player.step(STEP) }, icon("forward"), h("span", { "aria-hidden": "true" }, String(STEP)));
  #options = playerOptions();
  #play = playButton({ className: "mini-play", test: "mini-play", onToggle: () => player.toggle() });
  #next = h("button", { class: "icon-button mini-step", type: "button", "data-test": "mini-next", onclick: () => player.skip(1) }, icon("following", "icon-solid"));
  #close = h("button", { class: "icon-button mini-close", type: "button", "data-test": "mini-close", onclick: () => this.#stop() }, icon("close"));
  element = h("section", { class: "mini-player", hidden: true, "data-test": "mini-player" },
    h("div", { class: "mini-inner" }, this.#seek,
      h("div", { class: "mini-text" }, this.#title, this.#author),
      this.#elapsed, h("div", { class: "mini-buttons" }, this.#previous, this.#rewind, this.#play, this.#forward, this.#next, this.#options, this.#close)));

  constructor() {
    player.addEventListener("change", () => this.#draw());
    player.addEventListener("time", () => this.#move());
    document.addEventListener("aquifer:signed-out", () => player.stop());
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== " " || target(event)?.closest("button, a")) return;
      event.preventDefault();
      player.toggle();
    });
  }

  #draw() {
    const { clip, status } = player;
    this.element.hidden = !clip;
    document.body.classList.toggle("has-player", Boolean(clip));
    if (!clip) return;
    const failure = player.failure(clip.id);
    this.element.setAttribute("aria-label", t("audio.player"));
    this.element.dataset.state = status;
    setText(this.#title, clip.title);
    replaceWhen(this.#author, `${failure} ${clip.author}`, () => (failure ? [icon("alert"), h("span", {}, failure)] : h("span", {}, clip.author ?? "")));
    this.#author.classList.toggle("is-failure", Boolean(failure));
    this.#play.draw(status, clip.title);
    nameButton(this.#previous, t("audio.previous"));
    nameButton(this.#next, t("audio.next"));
    nameButton(this.#rewind, t("audio.rewind", { count: STEP }));
    nameButton(this.#forward, t("audio.forward", { count: STEP }));
    nameButton(this.#close, t("audio.stop"));
    this.#next.setAttribute("aria-disabled", String(!player.neighbour(1)));
    this.#seek.draw({ label: t("audio.seek", clip), position: player.position(clip.id), duration: player.length(clip) });
    this.#time(null);
  }

  #move() {
    const { clip } = player;
    if (!clip) return;
    this.#seek.move(player.position(clip.id));
    this.#time(null);
  }

  /** @param {number | null} preview */
  #time(preview) {
    const { clip } = player;
    if (clip) setText(this.#elapsed, `${clock(Math.min(preview ?? player.position(clip.id), player.length(clip)))} / ${lengthText(player.length(clip))}`);
  }

  #stop() {
    player.stop();
    find(document.body, "main h1")?.focus({ preventScroll: true, focusVisible: false });
  }
}
