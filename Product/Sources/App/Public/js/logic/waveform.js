/**
 * The loudest of each of `count` parts of a sound, in hundredths of the loudest of all.
 *
 * @param {Float32Array} samples
 * @param {number} count
 */
export function peaks(samples, count) {
  const width = Math.max(1, Math.floor(samples.length / count));
  const found = Array.from({ length: count }, (_, bar) => {
    let most = 0;
    for (let place = bar * width; place < Math.min(samples.length, (bar + 1) * width); place += 4) most = Math.max(most, Math.abs(samples[place]));
    return most;
  });
  const highest = Math.max(...found, 0.001);
  return found.map((value) => Math.round((value / highest) * 100));
}

/**
 * At most `count` bars; each is as high as the highest of those it stands for.
 *
 * @param {number[]} values
 * @param {number} count
 */
export function pooled(values, count) {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [index, index + 1].map((place) => Math.floor((place * values.length) / count));
    return Math.max(...values.slice(from, Math.max(to, from + 1)));
  });
}

/**
 * The path of a drawing of bars.
 *
 * @param {number[]} bars
 * @param {number} width
 * @param {number} height
 */
export function outline(bars, width, height) {
  const pitch = width / bars.length;
  const room = height / 2 - 2;
  return bars.map((value, index) => {
    const half = Math.max(0.75, (Math.min(100, Math.max(0, value)) / 100) * room);
    return `M${((index + 0.5) * pitch).toFixed(1)} ${(height / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
  }).join("");
}

/**
 * The loudness of samples to an ear, from 0 to 1. Ears hear ratios: -60 dB is nothing, 0 dB everything.
 *
 * @param {Float32Array} samples
 */
export function loudness(samples) {
  const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
  return Math.max(0, Math.min(1, 1 + (10 * Math.log10(power + 1e-9)) / 60));
}
