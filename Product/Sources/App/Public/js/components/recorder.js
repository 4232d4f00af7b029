const SHAPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

/** True if this browser can record. (An insecure page has no microphone.) */
export const canRecord = () => Boolean(navigator.mediaDevices?.getUserMedia && window.MediaRecorder);

/**
 * Records from the microphone. `start({ onLevel })` asks for it and throws a DOMException if there is none;
 * `stop()` returns the recording, `cancel()` forgets it. The level is 0…1, some sixty times a second.
 */
export class Recorder {
  #recorder = null;
  #stream = null;
  #context = null;
  #frame = 0;
  #started = 0;
  #pieces = [];
  #isWanted = false;

  /** In seconds. */
  get elapsed() {
    return this.#started ? (performance.now() - this.#started) / 1000 : 0;
  }

  /** Returns false when it was cancelled before it began. */
  async start({ onLevel }) {
    this.#isWanted = true;
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    if (!this.#isWanted) {
      this.#release();
      return false;
    }
    const mimeType = SHAPES.find((shape) => MediaRecorder.isTypeSupported(shape));
    this.#recorder = new MediaRecorder(this.#stream, mimeType ? { mimeType } : {});
    this.#pieces = [];
    this.#recorder.addEventListener("dataavailable", (event) => event.data.size > 0 && this.#pieces.push(event.data));
    this.#recorder.start(1000);
    this.#started = performance.now();
    this.#listen(onLevel);
    return true;
  }

  async stop() {
    const recorder = this.#recorder;
    if (!recorder) return null;
    const ended = new Promise((resolve) => recorder.addEventListener("stop", resolve, { once: true }));
    recorder.stop();
    await ended;
    this.#release();
    return new Blob(this.#pieces, { type: recorder.mimeType.split(";")[0] });
  }

  cancel() {
    this.#isWanted = false;
    if (this.#recorder?.state === "recording") this.#recorder.stop();
    this.#release();
  }

  #listen(onLevel) {
    this.#context = new AudioContext();
    // Made after a question that took its time, it may begin asleep.
    this.#context.resume();
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = 1024;
    this.#context.createMediaStreamSource(this.#stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const measure = () => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
      // Ears hear ratios: -60 dB is nothing, 0 dB everything.
      onLevel(Math.max(0, Math.min(1, 1 + (10 * Math.log10(power + 1e-9)) / 60)));
      this.#frame = requestAnimationFrame(measure);
    };
    measure();
  }

  #release() {
    cancelAnimationFrame(this.#frame);
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#context?.close();
    [this.#recorder, this.#stream, this.#context, this.#started] = [null, null, null, 0];
  }
}

const ENDINGS = { "audio/webm": "webm", "audio/mp4": "m4a", "audio/ogg": "ogg" };

/** `recording-2026-11-21-0942.webm` */
export function recordingName(type, now = new Date()) {
  const two = (number) => String(number).padStart(2, "0");
  const stamp = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}-${two(now.getHours())}${two(now.getMinutes())}`;
  return `recording-${stamp}.${ENDINGS[type] ?? "webm"}`;
}
