/** Tells the newest of the values that come together: those before it are out of date already. */
export class Newest {
  #tell;
  #failed;
  #isAwaited = false;
  /** @type {string} */
  #value = "";

  /**
   * @param {(value: string) => void} tell
   * @param {(error: unknown) => void} failed hears what `tell` throws
   */
  constructor(tell, failed) {
    this.#tell = tell;
    this.#failed = failed;
  }

  /** @param {string} value */
  tell(value) {
    this.#value = value;
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    queueMicrotask(() => {
      this.#isAwaited = false;
      try {
        this.#tell(this.#value);
      } catch (error) {
        this.#failed(error);
      }
    });
  }
}
