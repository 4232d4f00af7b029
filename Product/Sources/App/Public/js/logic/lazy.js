/**
 * A value that is loaded when it is first needed, and stays.
 *
 * @template Value
 */
export class Lazy {
  #load;
  /** @type {{ value: Value } | null} */
  #loaded = null;
  /** @type {Promise<void> | null} */
  #loading = null;

  /** @param {() => Promise<Value>} load */
  constructor(load) {
    this.#load = load;
  }

  get isReady() {
    return this.#loaded !== null;
  }

  /** The value. It must be ready. */
  get value() {
    if (!this.#loaded) throw new Error("a lazy value is used before it is loaded");
    return this.#loaded.value;
  }

  /** Loads the value, once. After a failure the next call tries again. */
  load() {
    if (this.#loaded) return Promise.resolve();
    this.#loading ??= this.#load().then((value) => {
      this.#loaded = { value };
    }).finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }
}

/** Acts one after the other, each as soon as its values are loaded. An act that is overtaken by a later one is left out. */
export class Latest {
  #turn = 0;

  /**
   * Acts at once if all values are ready, and otherwise when they are.
   *
   * @param {Lazy<unknown>[]} needs
   * @param {() => void} act
   * @param {(error: unknown) => void} failed is called if a value cannot be loaded, or the act throws, unless a later act has begun
   */
  async when(needs, act, failed) {
    this.#turn += 1;
    const turn = this.#turn;
    const missing = needs.filter((need) => !need.isReady);
    try {
      if (missing.length > 0) await Promise.all(missing.map((need) => need.load()));
      if (turn === this.#turn) act();
    } catch (error) {
      if (turn === this.#turn) failed(error);
    }
  }
}
