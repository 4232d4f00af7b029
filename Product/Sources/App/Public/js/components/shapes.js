import { memory } from "../memory.js";
import { LARGEST, shapeOf } from "./shape-of.js";

/** Longer sounds are played, but not drawn: their samples would fill the memory. In seconds. */
const LONGEST = 900;
/** The shapes that are kept for the next visit. */
const KEPT = 60;

/**
 * The shapes of sounds that no server has drawn, as one's own are: drawn here from the sound itself, one after the other, and each once.
 * It sends `change` when one more is known.
 */
class Shapes extends EventTarget {
  /** @type {Map<string, number[]>} */
  #known = new Map(kept());
  /** @type {Set<string>} */
  #asked = new Set();
  /** @type {Promise<void>} */
  #drawing = Promise.resolve();

  /**
   * The bars of a clip: the server's, or those drawn here; none while there are none.
   *
   * @param {Wire.AudioClip} clip
   */
  of({ id, ownID, waveform }) {
    if (waveform.length > 0) return waveform;
    const bars = this.#known.get(id) ?? this.#known.get(ownID);
    // The server has given the clip an identity of its own, which is all that is known of it after the next start.
    if (bars && !this.#known.has(ownID)) this.#keep(ownID, bars);
    return bars ?? [];
  }

  /**
   * @param {string} id
   * @param {number[]} bars
   */
  #keep(id, bars) {
    this.#known.set(id, bars);
    memory.set("shapes", JSON.stringify([...this.#known].slice(-KEPT)));
  }

  /**
   * Draws a clip that nobody has drawn.
   *
   * @param {Wire.AudioClip} clip
   */
  draw({ id, ownID, waveform, audio, duration }) {
    if (waveform.length > 0 || duration > LONGEST || this.#known.has(id) || this.#known.has(ownID) || this.#asked.has(id)) return;
    this.#asked.add(id);
    this.#drawing = this.#drawing.then(async () => {
      const bars = await barsAt(audio);
      if (bars.length === 0) return;
      this.#keep(id, bars);
      this.dispatchEvent(new Event("change"));
    });
  }
}

/** @returns {[string, number[]][]} */
function kept() {
  try {
    const found = JSON.parse(memory.get("shapes") ?? "[]");
    return Array.isArray(found) ? found.filter((entry) => Array.isArray(entry) && typeof entry[0] === "string" && Array.isArray(entry[1]) && entry[1].every(Number.isFinite)) : [];
  } catch {
    // What another version has kept is drawn again.
    return [];
  }
}

/**
 * The bars of the sound at an address; none if it cannot be had or read, or is too large.
 *
 * @param {string} address
 * @returns {Promise<number[]>}
 */
async function barsAt(address) {
  try {
    const response = await fetch(address);
    if (!response.ok || Number(response.headers.get("Content-Length")) > LARGEST) {
      await response.body?.cancel();
      return [];
    }
    return (await shapeOf(await response.blob()))?.bars ?? [];
  } catch {
    // The sound does not come now.
    return [];
  }
}

export const shapes = new Shapes();
