import { holdScroll, within } from "./hold-scroll.js";
import { tabMemory } from "./memory.js";

const KEY = "carried";
/** The time for which a place is held, in milliseconds. */
const HOLD = 5000;

/**
 * The things that a page takes along when it is loaded again: it then goes on where it was. `path` names the page that it is for.
 *
 * @typedef {object} Carried
 * @property {string} path
 * @property {boolean} isSamePage true for the same page in another language, false for the next one
 * @property {boolean} isChosenHere true if its user has just chosen that language in the settings, which are then opened again
 * @property {number} scroll
 * @property {string[]} shown the screens that have looked already
 * @property {Playing | null} playing
 */

/**
 * The clip that is played, where it is, the clips beside it, and the sleep timer with the milliseconds that are left.
 *
 * @typedef {{ clips: Wire.AudioClip[], id: string, at: number, isPlaying: boolean, sleep: { after: string, left: number } }} Playing
 */

/**
 * The things that the page before this one has given along; null if it was not loaded again by itself.
 *
 * @type {Carried | null}
 */
export const carried = take();

/** @type {{ [Part in "shown" | "playing"]?: () => Carried[Part] }} */
const givers = {};

/**
 * Names who tells a part of what is taken along.
 *
 * @template {"shown" | "playing"} Part
 * @param {Part} part
 * @param {() => Carried[Part]} give
 */
export function carries(part, give) {
  Object.assign(givers, { [part]: give });
}

let leaves = false;

/** True if this page loads one by itself, and has asked before if there was something to ask. */
export const isLeaving = () => leaves;

/** Loads this page again: the same one, in another language. */
export function loadAgain({ isChosenHere = true } = {}) {
  keep(location.pathname + location.search, true, isChosenHere);
  location.reload();
}

/**
 * Loads another page instead of drawing it.
 *
 * @param {string} path
 */
export function load(path) {
  keep(path, false, false);
  location.assign(path);
}

/**
 * @param {string} path
 * @param {boolean} isSamePage
 * @param {boolean} isChosenHere
 */
function keep(path, isSamePage, isChosenHere) {
  leaves = true;
  /** @type {Carried} */
  const all = { path, isSamePage, isChosenHere, scroll: scrolled(), shown: givers.shown?.() ?? [], playing: givers.playing?.() ?? null };
  // Without storage, or with too much to keep, the page begins anew.
  tabMemory.set(KEY, JSON.stringify(all));
}

/** @returns {Carried | null} */
function take() {
  try {
    const text = tabMemory.get(KEY);
    tabMemory.set(KEY, null);
    /** @type {Carried | null} */
    const all = text === null ? null : JSON.parse(text);
    return all?.path === location.pathname + location.search ? all : null;
  } catch {
    return null;
  }
}

/** The place that a page goes back to, until it is there to stay; null if there is none. */
let place = /** @type {number | null} */ (null);
let end = new AbortController();

/** The place of the page: where it is, or will be in a moment. */
export const scrolled = () => place ?? scrollY;

/** Another page is shown: nothing scrolls it to where this one was. */
export const stopScrolling = () => end.abort();

/**
 * Scrolls to where the page was as soon as it is long enough, unless the user scrolls first.
 *
 * @param {HTMLElement} main
 * @param {number} top
 */
export function scrollBack(main, top) {
  stopScrolling();
  place = top;
  end = holdScroll(main, () => within(top), HOLD);
  end.signal.addEventListener("abort", () => (place = null));
}
