import { ApiError, address, fetchOwn, refusal, request } from "../api.js";
import { carries } from "../carried.js";
import { t } from "../i18n.js";
import { memory } from "../memory.js";

/** @typedef {Wire.AudioClip} Clip */
/** @typedef {"idle" | "loading" | "playing" | "paused" | "failed"} Status */

const EVENTS = /** @type {const} */ (["playing", "pause", "waiting", "timeupdate", "durationchange", "seeked", "ended", "error", "canplaythrough"]);
/** The seconds of a step within a clip. */
export const STEP = 15;
/** The speeds that can be chosen. */
export const RATES = [0.8, 1, 1.2, 1.5, 2];

/**
 * The length of a sound in seconds; 0 if it does not tell.
 *
 * @param {string} source
 * @returns {Promise<number>}
 */
const lengthOf = (source) => new Promise((done) => {
  const audio = new Audio();
  audio.preload = "metadata";
  const end = () => {
    done(Number.isFinite(audio.duration) ? audio.duration : 0);
    audio.removeAttribute("src");
  };
  audio.addEventListener("loadedmetadata", end, { once: true });
  audio.addEventListener("error", end, { once: true });
  audio.src = source;
});

/**
 * Plays one clip at a time, and goes on while other pages are looked at. It sends `change` when the clip, what it
 * does or its length changes, and `time` as it proceeds.
 */
class Player extends EventTarget {
  /** The element that is heard. The other one holds the next clip ready; then they change places. */
  #audio = new Audio();
  #spare = new Audio();
  /** @type {string | null} */
  #spareFor = null;
  /** @type {Clip[]} */
  #queue = [];
  /**
   * The positions at which clips were left, by id.
   *
   * @type {Map<string, number>}
   */
  #positions = new Map();
  /**
   * Why clips could not be played, by id.
   *
   * @type {Map<string, string>}
   */
  #failures = new Map();
  /**
   * The lengths of clips that no server has measured, in seconds, by id; 0 if it is not known.
   *
   * @type {Map<string, number>}
   */
  #lengths = new Map();
  /** @type {Promise<void>} */
  #measuring = Promise.resolve();
  #frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #sleeping;
  /** The moment of that, by `performance.now()`. */
  #sleepEnd = 0;
  /** @type {Clip | null} */
  clip = null;
  /** The speed, as it was chosen last, also in another visit. */
  rate = RATES.find((rate) => String(rate) === memory.get("rate")) ?? 1;
  /** The time at which the sound ends by itself: minutes from when it was chosen, "clip" for the end of the clip, or "off". */
  sleep = "off";
  /** @type {Status} */
  status = "idle";

  constructor() {
    super();
    for (const audio of [this.#audio, this.#spare]) {
      audio.preload = "auto";
      for (const name of EVENTS) audio.addEventListener(name, () => audio === this.#audio && this.#heard(name));
    }
    document.addEventListener("visibilitychange", () => this.#animate());
    carries("playing", () => this.clip && {
      clips: this.#queue, id: this.clip.id, at: this.position(this.clip.id), isPlaying: this.status === "playing" || this.status === "loading",
      sleep: { after: this.sleep, left: Math.max(0, this.#sleepEnd - performance.now()) },
    });
  }

  /**
   * Goes on with what the page before this one has played. A browser that lets no page begin by itself leaves it paused.
   *
   * @param {import("../carried.js").Playing} playing
   */
  resume({ clips, id, at, isPlaying, sleep }) {
    this.setQueue(clips);
    const clip = clips.find((clip) => clip.id === id);
    if (!clip) return;
    this.#positions.set(id, at);
    this.#take(clip);
    this.setSleep(sleep.after, sleep.left);
    this.#set(isPlaying ? "loading" : "paused");
    if (isPlaying) this.#begin();
  }

  /**
   * The clips as they are listed: what comes before and after the one that is played.
   *
   * @param {Clip[]} clips
   */
  setQueue(clips) {
    for (const { id, offline } of clips) {
      // A file that was missing may be there now.
      if (offline === "done" && this.#queue.find((clip) => clip.id === id)?.offline !== "done") this.#failures.delete(id);
    }
    this.#queue = clips;
    const known = clips.find(({ id }) => id === this.clip?.id);
    if (known) this.clip = known;
    this.#tell("change");
  }

  /** @param {string} id */
  isCurrent(id) {
    return this.clip?.id === id;
  }

  /**
   * The status of a clip: idle for all but the current one.
   *
   * @param {string} id
   */
  statusOf(id) {
    return this.isCurrent(id) ? this.status : "idle";
  }

  /** @param {string} id */
  failure(id) {
    return this.#failures.get(id) ?? null;
  }

  /** @param {string} id */
  position(id) {
    return this.isCurrent(id) && this.status !== "failed" ? this.#audio.currentTime : this.#positions.get(id) ?? 0;
  }

  /** @param {Clip} clip */
  duration(clip) {
    const exact = this.isCurrent(clip.id) ? this.#audio.duration : NaN;
    return Number.isFinite(exact) && exact > 0 ? exact : clip.duration || (this.#lengths.get(clip.id) ?? 0);
  }

  /**
   * The length of a clip as it is told: what the list says stays true while it plays, though a decoder counts a little more or less.
   *
   * @param {Clip} clip
   */
  length(clip) {
    return clip.duration > 0 ? clip.duration : this.duration(clip);
  }

  /**
   * Reads the length of a clip that no server has measured yet, once, from the sound on this machine; one after the other.
   *
   * @param {Clip} clip
   */
  measure({ id, audio, duration }) {
    if (duration > 0 || this.#lengths.has(id)) return;
    this.#lengths.set(id, 0);
    this.#measuring = this.#measuring.then(() => lengthOf(audio)).then((length) => {
      this.#lengths.set(id, length);
      if (length > 0) this.#tell("change");
    });
  }

  /** @param {number} rate */
  setRate(rate) {
    this.rate = rate;
    memory.set("rate", String(rate));
    for (const audio of [this.#audio, this.#spare]) audio.playbackRate = rate;
    this.#describePosition();
    this.#tell("change");
  }

  /**
   * Ends the sound after so many minutes, or at the end of the clip.
   *
   * @param {string} after
   * @param {number} left the milliseconds that are left of them
   */
  setSleep(after, left = Number(after) * 60_000) {
    clearTimeout(this.#sleeping);
    this.sleep = after;
    if (Number(after) > 0) {
      this.#sleepEnd = performance.now() + left;
      this.#sleeping = setTimeout(() => {
        this.pause();
        this.setSleep("off");
      }, left);
    }
    this.#tell("change");
  }

  /**
   * A step forward or back within the clip.
   *
   * @param {number} seconds
   */
  step(seconds) {
    if (this.clip) this.seek(this.clip.id, this.position(this.clip.id) + seconds);
  }

  /** @param {number} step */
  neighbour(step) {
    const index = this.#queue.findIndex(({ id }) => id === this.clip?.id);
    return index < 0 ? null : this.#queue[index + step] ?? null;
  }

  /** @param {string | undefined} id */
  toggle(id = this.clip?.id) {
    if (id === undefined) return;
    if (this.isCurrent(id) && (this.status === "playing" || this.status === "loading")) this.pause();
    else this.play(id);
  }

  /**
   * @param {string | undefined} id
   * @param {number | null} at
   */
  play(id = this.clip?.id, at = null) {
    if (id === undefined) return;
    const clip = this.#queue.find((clip) => clip.id === id) ?? (this.isCurrent(id) ? this.clip : null);
    if (!clip) return;
    if (at !== null) this.#positions.set(id, at);
    if (!this.isCurrent(id)) this.#take(clip);
    else if (this.status === "failed") this.#load(this.#audio, clip, this.#positions.get(id));
    else if (at !== null) this.#audio.currentTime = at;
    this.#failures.delete(id);
    this.#set("loading");
    this.#begin();
  }

  pause() {
    this.#audio.pause();
    if (this.status === "loading") this.#set("paused");
  }

  /**
   * Moves within a clip, whether it is the one that is played or not.
   *
   * @param {string} id
   * @param {number} seconds
   */
  seek(id, seconds) {
    const clip = this.isCurrent(id) ? this.clip : this.#queue.find((clip) => clip.id === id);
    if (!clip) return;
    const at = Math.min(Math.max(0, seconds), this.duration(clip));
    this.#positions.set(id, at);
    if (this.isCurrent(id) && this.status !== "failed") this.#audio.currentTime = at;
    this.#tell("change");
  }

  /**
   * The clip before or after. Going back within a clip that has begun starts it anew.
   *
   * @param {number} step
   */
  skip(step) {
    if (step < 0 && this.clip && this.position(this.clip.id) > 3) return this.seek(this.clip.id, 0);
    const clip = this.neighbour(step);
    if (clip) this.play(clip.id, 0);
    else if (step < 0 && this.clip) this.seek(this.clip.id, 0);
  }

  stop() {
    if (!this.clip) return;
    this.setSleep("off");
    this.#leave();
    this.clip = null;
    release(this.#audio);
    release(this.#spare);
    this.#spareFor = null;
    this.#set("idle");
    if (navigator.mediaSession) navigator.mediaSession.metadata = null;
  }

  #leave() {
    if (this.clip) this.#positions.set(this.clip.id, this.#audio.ended ? 0 : this.position(this.clip.id));
    this.#audio.pause();
  }

  /** @param {Clip} clip */
  #take(clip) {
    this.#leave();
    const old = this.#audio;
    this.#audio = this.#spare;
    this.#spare = old;
    const isReady = this.#spareFor === clip.id && !this.#audio.error;
    this.#spareFor = null;
    release(old);
    this.clip = clip;
    const at = this.#positions.get(clip.id) ?? 0;
    if (!isReady) this.#load(this.#audio, clip, at);
    else if (at > 0) this.#audio.currentTime = at;
    this.#describe(clip);
  }

  /**
   * @param {HTMLAudioElement} audio
   * @param {Clip} clip
   */
  #load(audio, clip, at = 0) {
    // As it was signed: the browser cannot show the token with it.
    audio.src = clip.audio;
    // Loading sets the speed back to the usual one.
    audio.defaultPlaybackRate = this.rate;
    audio.load();
    if (at > 0) audio.currentTime = at;
  }

  #begin() {
    const audio = this.#audio;
    audio.play().catch((error) => {
      // A failure to load is an event of its own; a pause meanwhile is none at all.
      if (audio === this.#audio && error.name === "NotAllowedError") this.#set("paused");
    });
    if (!this.#spareFor) this.#spare.load(); // Some browsers let an element play by itself only after a touch began it.
  }

  /** @param {(typeof EVENTS)[number]} name */
  #heard(name) {
    if (!this.clip) return;
    switch (name) {
      case "playing": return this.#set("playing");
      case "pause": return this.#audio.ended || this.status === "failed" || this.#audio.error ? null : this.#set("paused");
      case "waiting": return this.#audio.paused ? null : this.#set("loading");
      case "durationchange": return this.#tell("change");
      case "canplaythrough": return this.#prepareNext();
      case "ended": return this.#ended();
      case "error": return this.#failed(this.clip);
      default: return this.#proceeded();
    }
  }

  #ended() {
    const next = this.neighbour(1);
    const wasPlaying = this.status === "playing" || this.status === "loading";
    if (this.sleep === "clip") {
      this.setSleep("off");
      this.#audio.currentTime = 0;
      return this.#set("paused");
    }
    if (wasPlaying && next) return this.play(next.id, 0);
    if (wasPlaying) this.#audio.currentTime = 0;
    this.#set("paused");
  }

  /** @param {Clip} clip */
  async #failed(clip) {
    const audio = this.#audio;
    const at = audio.currentTime;
    const isMine = () => audio === this.#audio && this.isCurrent(clip.id);
    this.#positions.set(clip.id, at);
    const wasHeard = this.status === "playing" || this.status === "loading";
    // Addresses end while a clip plays, or waits: then it goes on with a new one, where it was.
    const renewed = await renew(audio.src);
    if (!isMine()) return;
    if (renewed) {
      this.clip = { ...clip, audio: renewed };
      this.#load(audio, this.clip, at);
      return wasHeard && !this.#isPaused ? this.#begin() : this.#set("paused");
    }
    this.#set("failed");
    this.#failures.set(clip.id, await why(clip));
    this.#tell("change");
  }

  /** Fetches the next clip once this one has all it needs. */
  #prepareNext() {
    const next = this.neighbour(1);
    if (!next || this.#spareFor === next.id || navigator.connection?.saveData) return;
    this.#spareFor = next.id;
    this.#load(this.#spare, next);
  }

  #proceeded() {
    this.#tell("time");
    this.#describePosition();
  }

  /** Another click may have paused it meanwhile. */
  get #isPaused() {
    return this.status === "paused";
  }

  /** @param {Status} status */
  #set(status) {
    this.status = status;
    this.#animate();
    this.#tell("change");
    if (!navigator.mediaSession) return;
    navigator.mediaSession.playbackState = status === "idle" ? "none" : status === "playing" || status === "loading" ? "playing" : "paused";
    this.#describePosition();
  }

  /** Between the four times a second at which a browser says where it is, the bars would jerk. */
  #animate() {
    cancelAnimationFrame(this.#frame);
    const moves = this.status === "playing" && document.visibilityState === "visible" && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!moves) return;
    const step = () => {
      this.#tell("time");
      this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** @param {"change" | "time"} name */
  #tell(name) {
    this.dispatchEvent(new Event(name));
  }

  /**
   * Sets the texts on the system's lock screen and the actions of its media keys.
   *
   * @param {Clip} clip
   */
  #describe(clip) {
    const session = navigator.mediaSession;
    if (!session) return;
    session.metadata = new MediaMetadata({
      title: clip.title, artist: clip.author ?? "", album: "Aquifer",
      artwork: [{ src: "/assets/icons/icon-512.png", sizes: "512x512", type: "image/png" }],
    });
    /** @type {[MediaSessionAction, MediaSessionActionHandler][]} */
    const handlers = [
      ["play", () => this.play()],
      ["pause", () => this.pause()],
      ["stop", () => this.stop()],
      ["previoustrack", () => this.skip(-1)],
      ["nexttrack", () => this.skip(1)],
      ["seekbackward", ({ seekOffset }) => this.step(-(seekOffset ?? STEP))],
      ["seekforward", ({ seekOffset }) => this.step(seekOffset ?? STEP)],
      ["seekto", ({ seekTime }) => this.clip && this.seek(this.clip.id, seekTime ?? 0)],
    ];
    for (const [action, handler] of handlers) {
      try {
        session.setActionHandler(action, handler);
      } catch {
        // A browser that does not know the action has no key for it.
      }
    }
  }

  #describePosition() {
    const { duration, currentTime } = this.#audio;
    if (!this.clip || !Number.isFinite(duration) || duration <= 0) return;
    navigator.mediaSession?.setPositionState?.({ duration, position: Math.min(currentTime, duration), playbackRate: this.rate });
  }
}

/** @param {HTMLAudioElement} audio */
function release(audio) {
  audio.pause();
  audio.removeAttribute("src");
  audio.load();
}

/**
 * A new address in place of one that has ended; null if it has not, or there is none.
 *
 * @param {string} old
 */
async function renew(old) {
  const url = new URL(old);
  try {
    const { status } = await beginning((options) => fetch(url, options));
    if (status !== 401) return null;
    const answer = await request("POST", address("/api/addresses"), { address: url.pathname + url.search });
    return /** @type {{ address: string }} */ (answer).address;
  } catch {
    return null;
  }
}

/**
 * An audio element does not say why it failed; the address does.
 *
 * @param {Clip} clip
 */
async function why(clip) {
  try {
    const response = await beginning((options) => fetchOwn(clip.audio, options));
    if (!response.ok) throw await refusal(response);
    return t("audio.unplayable");
  } catch (error) {
    return t(error instanceof ApiError && error.kind === "connectivity" ? "audio.notDownloaded" : "audio.unplayable");
  }
}

/**
 * Asks for the first bytes only, and not for more where the server has no ranges.
 *
 * @param {(options: { headers: Record<string, string>, signal: AbortSignal }) => Promise<Response>} ask
 */
async function beginning(ask) {
  const controller = new AbortController();
  const response = await ask({ headers: { Range: "bytes=0-1" }, signal: controller.signal });
  if (response.ok) controller.abort();
  return response;
}

export const player = new Player();
