import { peaks } from "../logic/waveform.js";

/** The bars of a shape. */
const BARS = 96;
/** Larger sounds are played, but not drawn: their samples would fill the memory. In bytes. */
export const LARGEST = 24e6;

/**
 * The bars of a sound, and its length in seconds; null if it is too large, or cannot be read: it is then drawn as a plain bar, and can
 * be heard all the same.
 *
 * @param {Blob} sound
 */
export async function shapeOf(sound) {
  if (sound.size > LARGEST) return null;
  try {
    const samples = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(await sound.arrayBuffer());
    return { bars: peaks(samples.getChannelData(0), BARS), duration: samples.duration };
  } catch {
    return null;
  }
}
