import { address, request } from "./api.js";
import { ScreenStream } from "./stream.js";
import { toast } from "./components/toast.js";
import { t } from "./i18n.js";

/** The screens that this page has shown, since it was loaded. */
const shown = new Set();

/**
 * A screen whose model lives in the server: it draws the states that arrive and sends intents back.
 * Subclasses make `element` and implement `render(state)`.
 */
export class ModelScreen {
  state = null;
  scroll = 0;
  /** The kind of error of the last failed load. Dismissing the error does not change it. */
  trouble = null;
  #name;
  #query;
  #stream;
  /** Intents that wait for the one before them, oldest first. */
  #waiting = [];
  #sending = null;
  /** True until something is said beside that the screen is looked at. */
  #isUntouched = true;

  constructor(name, query = {}) {
    this.#name = name;
    this.#query = query;
    this.#stream = new ScreenStream(`/api/screens/${name}/events`, query, {
      // A server that started anew has new models: they too must hear that they are looked at.
      onOpen: () => this.opened(),
      onState: (state) => {
        const before = this.state;
        this.state = state;
        this.trouble = state.error?.kind ?? this.trouble;
        this.render(state, before);
      },
    });
  }

  show() {
    this.#stream.open();
  }

  hide() {
    this.#stream.close();
  }

  /**
   * The stream is there, for the first time or again. The model of this tab may be older than the page: what it shows
   * may be, too, so the first time after the page was loaded it looks again.
   */
  opened() {
    const key = JSON.stringify([this.#name, this.#query]);
    if (shown.has(key)) return this.send("appear");
    shown.add(key);
    return this.send("appear", { load: "true" });
  }

  /**
   * Sends an intent with its fields, after the earlier intents. Returns true if it arrived.
   * A waiting intent is replaced by a later one with the same `replaces`, as the texts typed in one field have.
   */
  send(intent, fields = {}, replaces = null) {
    if (intent !== "appear") this.#isUntouched = false;
    if (replaces) {
      // An intent after an action, such as a payment, is never moved before that action.
      const act = this.#waiting.findLastIndex((entry) => !entry.replaces);
      const older = this.#waiting.slice(act + 1).find((entry) => entry.replaces === replaces);
      if (older) {
        older.body = { intent, ...fields };
        return older.done;
      }
    }
    const entry = { body: { intent, ...fields }, replaces };
    entry.done = new Promise((resolve) => (entry.resolve = resolve));
    this.#waiting.push(entry);
    this.#sending ??= this.#sendWaiting();
    return entry.done;
  }

  /** True if the model has received all intents: until then its state may be older than the page. */
  get isSettled() {
    return this.#sending === null;
  }

  /** Ends when everything that was said has arrived, or cannot. */
  async settle() {
    await this.#sending;
  }

  async #sendWaiting() {
    while (this.#waiting.length > 0) {
      const { body, resolve } = this.#waiting.shift();
      try {
        await request("POST", address(`/api/screens/${this.#name}/intents`, this.#query), body);
        resolve(true);
      } catch (error) {
        // A server that is gone is shown by the stream, for the whole page.
        if (error.status !== 0 && error.status !== 401) toast(t("error.request"), "danger");
        resolve(false);
      }
    }
    this.#sending = null;
    // A field shows the model's text once all is settled; the only state of a page just loaded may have come before that.
    if (this.#isUntouched && this.state) this.render(this.state, this.state);
    this.settled();
  }

  /** Everything that was said has arrived. The state that says so may have come before, or comes soon. */
  settled() {}

  reload() {
    return this.send("refresh");
  }

  dismiss() {
    if (!this.state?.error) return false;
    this.send("dismissError");
    return true;
  }
}
