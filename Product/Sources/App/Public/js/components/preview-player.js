import { h } from "../dom.js";
import { t } from "../i18n.js";
import { clock, lengthText } from "../logic/time.js";
import { playButton } from "./play-button.js";
import { player } from "./player.js";
import { seekBar } from "./seek-bar.js";
import { shapeOf } from "./shape-of.js";

/** Plays a file of this machine before it is sent. It is silent while clips are heard, and they while it is. */
export function previewPlayer() {
  const audio = new Audio();
  /** @type {string | null} */
  let url = null;
  /** @type {import("./player.js").Status} */
  let status = "idle";
  /** @type {number[]} */
  let waveform = [];
  let [known, turn, name] = [0, 0, ""];
  let isFetching = false;
  const play = playButton({ test: "preview-play", onToggle: () => (audio.paused ? start() : audio.pause()) });
  const time = h("span", { class: "clip-time", "data-test": "preview-time" });
  const bar = seekBar({ test: "preview-seek", onSeek: (seconds) => (audio.currentTime = seconds), onPreview: (seconds) => drawTime(seconds) });
  const element = h("div", { class: "preview-player", hidden: true, "data-test": "preview-player" }, play, bar, time);

  const duration = () => (Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration : known);
  /** @param {number | null} seconds */
  const drawTime = (seconds) => {
    const text = `${clock(seconds ?? audio.currentTime)} / ${lengthText(duration())}`;
    if (time.textContent !== text) time.textContent = text;
  };
  const draw = () => {
    play.draw(status, name);
    bar.draw({ label: t("audio.seek", { title: name }), position: audio.currentTime, duration: duration(), waveform });
    drawTime(null);
  };
  const start = () => {
    player.pause();
    // A clip that cannot be played fires an error event.
    audio.play().catch(() => {});
  };
  /** @param {"playing" | "paused"} now */
  const set = (now) => {
    status = now;
    draw();
  };
  audio.addEventListener("playing", () => set("playing"));
  audio.addEventListener("pause", () => set("paused"));
  audio.addEventListener("ended", () => {
    audio.currentTime = 0;
    set("paused");
  });
  audio.addEventListener("error", () => url && (element.hidden = true));
  for (const event of ["timeupdate", "seeked", "durationchange"]) audio.addEventListener(event, draw);
  player.addEventListener("change", () => player.status === "playing" && audio.pause());

  const unload = () => {
    turn += 1;
    audio.pause();
    if (url) URL.revokeObjectURL(url);
    [url, status, waveform, known] = [null, "idle", [], 0];
    audio.removeAttribute("src");
    audio.load();
    element.hidden = true;
  };
  /**
   * Shows a file that it does not have itself, once: as a page that is loaded again finds it.
   *
   * @param {string} fileName
   * @param {() => Promise<Blob>} fetch
   */
  const restore = async (fileName, fetch) => {
    if (url || isFetching) return;
    isFetching = true;
    const mine = turn;
    try {
      const blob = await fetch();
      if (mine === turn) await load(new File([blob], fileName));
    } catch {
      // The file can be sent without being heard before.
    } finally {
      isFetching = false;
    }
  };
  /** @param {File} file */
  const load = async (file) => {
    unload();
    const mine = turn;
    url = URL.createObjectURL(file);
    name = file.name;
    audio.src = url;
    element.hidden = false;
    draw();
    const shape = await shapeOf(file);
    if (!shape || mine !== turn) return;
    [waveform, known] = [shape.bars, shape.duration];
    draw();
  };
  const pause = () => audio.pause();
  return Object.assign(element, { load, restore, unload, redraw: draw, pause });
}
