import { loudness } from "../logic/waveform.js";

const SHAPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

/** True if this browser can record. (An insecure page has no microphone.) */
export const canRecord = () => "mediaDevices" in navigator && "MediaRecorder" in window;

/**
 * Records from the microphone. `start(onLevel)` asks for it and throws a DOMException if there is none;
 * `stop()` returns the recording, `cancel()` forgets it. The level is 0…1, some sixty times a second.
 */
export class Recorder {
  /** @type {MediaRecorder | null} */
  #recorder = null;
  /** @type {MediaStream | null} */
  #stream = null;
  /** @type {AudioContext | null} */
  #context = null;
  #frame = 0;
  #started = 0;
  /** @type {Blob[]} */
  #pieces = [];
  #isWanted = false;

  /** In seconds. */
  get elapsed() {
    return this.#started ? (performance.now() - this.#started) / 1000 : 0;
  }

  /**
   * Returns false when it was cancelled before it began.
   *
   * @param {(level: number) => void} onLevel
   */
  async start(onLevel) {
    this.#isWanted = true;
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    this.#stream = stream;
    if (!this.#isWanted) {
      this.#release();
      return false;
    }
    const mimeType = SHAPES.find((shape) => MediaRecorder.isTypeSupported(shape));
    const recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {});
    this.#recorder = recorder;
    this.#pieces = [];
    recorder.addEventListener("dataavailable", (event) => event.data.size > 0 && this.#pieces.push(event.data));
    recorder.start(1000);
    this.#started = performance.now();
    this.#listen(stream, onLevel);
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

  /**
   * @param {MediaStream} stream
   * @param {(level: number) => void} onLevel
   */
  #listen(stream, onLevel) {
    const context = new AudioContext();
    this.#context = context;
    // Made after a question that took its time, it may begin asleep.
    context.resume();
    const analyser = context.createAnalyser();
    analyser.fftSize = 1024;
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const measure = () => {
      analyser.getFloatTimeDomainData(samples);
      onLevel(loudness(samples));
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
