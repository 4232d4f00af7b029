import { h } from "../dom.js";
import { t } from "../i18n.js";
import { playButton } from "./play-button.js";
import { clock, player } from "./player.js";
import { seekBar } from "./seek-bar.js";

const BARS = 96;
/** Larger files are played, but not drawn: their sound would fill the memory. */
const DRAWN = 24e6;

/** Plays a file of this machine before it is sent: `load(file)`, `unload()`. It is silent while clips are heard, and they while it is. */
export function previewPlayer() {
  const audio = new Audio();
  let [url, status, waveform, known, turn, name] = [null, "idle", [], 0, 0, ""];
  const play = playButton({ test: "preview-play", onToggle: () => (audio.paused ? start() : audio.pause()) });
  const time = h("span", { class: "clip-time", "data-test": "preview-time" });
  const bar = seekBar({ test: "preview-seek", onSeek: (seconds) => (audio.currentTime = seconds), onPreview: (seconds) => drawTime(seconds) });
  const element = h("div", { class: "preview-player", hidden: true, "data-test": "preview-player" }, play, bar, time);

  const duration = () => (Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration : known);
  const drawTime = (seconds) => {
    const text = `${clock(seconds ?? audio.currentTime)} / ${clock(duration())}`;
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

  element.unload = () => {
    turn += 1;
    audio.pause();
    if (url) URL.revokeObjectURL(url);
    [url, status, waveform, known] = [null, "idle", [], 0];
    audio.removeAttribute("src");
    audio.load();
    element.hidden = true;
  };
  element.load = async (file) => {
    element.unload();
    const mine = turn;
    url = URL.createObjectURL(file);
    name = file.name ?? "";
    audio.src = url;
    element.hidden = false;
    draw();
    if (file.size > DRAWN) return;
    try {
      const sound = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(await file.arrayBuffer());
      if (mine !== turn) return;
      [waveform, known] = [peaks(sound.getChannelData(0)), sound.duration];
      draw();
    } catch {
      // It is then drawn as a plain bar.
    }
  };
  element.redraw = draw;
  element.pause = () => audio.pause();
  return element;
}

function peaks(samples) {
  const width = Math.max(1, Math.floor(samples.length / BARS));
  const found = Array.from({ length: BARS }, (_, bar) => {
    let most = 0;
    for (let place = bar * width; place < Math.min(samples.length, (bar + 1) * width); place += 4) most = Math.max(most, Math.abs(samples[place]));
    return most;
  });
  const highest = Math.max(...found, 0.001);
  return found.map((value) => Math.round((value / highest) * 100));
}
