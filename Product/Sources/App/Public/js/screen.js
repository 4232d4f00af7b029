import { ApiError, STARTING, address, request } from "./api.js";
import { IntentQueue } from "./logic/intent-queue.js";
import { Patience } from "./logic/patience.js";
import { endWish } from "./logic/told.js";
import { ScreenStream } from "./stream.js";
import { carried, carries } from "./carried.js";
import { message } from "./components/states.js";
import { toast, toastOnce } from "./components/toast.js";
import { t } from "./i18n.js";

/** The time in which a stream shows that a server is gone, in milliseconds. */
const MOMENT = 1000;
/** A loss so long after the last one, and its rest, does not wait; and the longest rest; in milliseconds. */
const [CALM, LONGEST_REST] = [60_000, 300_000];

/**
 * The screens that this page has shown, since it was loaded by its user.
 *
 * @type {Set<string>}
 */
const shown = new Set(carried?.shown);
carries("shown", () => [...shown]);

/**
 * A screen whose model lives in the server: it draws the states that arrive and sends intents back.
 * Subclasses make `element` and implement `render(state)`.
 *
 * @template {keyof Wire.States} Name
 */
export class ModelScreen {
  /** @type {Wire.States[Name] | null} */
  state = null;
  /** @type {HTMLElement | undefined} */
  element;
  scroll = 0;
  /**
   * The error of the last failed load. Dismissing the error does not change it.
   *
   * @type {Wire.ScreenError | null}
   */
  trouble = null;
  #name;
  #query;
  #stream;
  #intents;
  /**
   * The edits that did not arrive, by what they replace.
   *
   * @type {Set<string>}
   */
  #lost = new Set();
  #patience = new Patience();
  /**
   * The name of the edit that is on its way.
   *
   * @type {string | null}
   */
  #posting = null;
  /** True if this is the first look at the screen since its user loaded the page. */
  isFirstLook = false;
  /** True until something is said beside that the screen is looked at. */
  #isUntouched = true;
  /** True if the model was asked to load what is lost, and has shown nothing since. */
  #isAsked = false;
  /** When it was asked last, and how long the next loss has to wait after that, in milliseconds. */
  #askedAt = -Infinity;
  #rest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting;

  /**
   * @param {Name} name
   * @param {Record<string, string>} query names what the screen shows
   */
  constructor(name, query = {}) {
    this.#name = name;
    this.#query = query;
    this.#intents = new IntentQueue((message, replaces) => this.#post(message, replaces), () => this.#heard());
    this.#stream = new ScreenStream(`/api/screens/${name}/events`, query, {
      // A server that started anew has new models: they too must hear that they are looked at. The request itself says so: an intent
      // of its own would arrive a round trip later.
      headers: () => ({ "Aquifer-Appear": this.#isShown ? "again" : "load" }),
      onOpen: (isFirst) => {
        // A press that the loss of a connection kept waiting does nothing later by itself. Its user is told so.
        if (!isFirst && endWish()) toast(t("error.request"), "danger");
        // `opened` says it again.
        if (this.#patience.streamOpened() && this.#posting !== null) this.#lost.add(this.#posting);
        this.#isAsked = true;
        this.opened();
      },
      onState: (text) => {
        const before = this.state;
        /** @type {Wire.States[Name]} */
        const state = JSON.parse(text);
        this.state = state;
        this.trouble = this.#error ?? this.trouble;
        this.render(state, before);
        this.#askAgain();
      },
      onSeen: () => this.#askAgain(),
      onMissing: () => this.missing(),
    });
  }

  /**
   * Draws a state. `before` is the one that was drawn before it; null for the first one.
   *
   * @param {Wire.States[Name]} state
   * @param {Wire.States[Name] | null} [before]
   */
  render(state, before) {}

  /** True if something is done, or asked, that would be lost if the page was loaded again. Nothing is, on most screens. */
  get isWorking() {
    return false;
  }

  /** The server knows no such thing: the screen says so in its own words, and nothing is asked for again. */
  missing() {
    this.element?.replaceChildren(message({ glyph: "question", title: t("notFound.title"), text: t("notFound.text"), test: "screen-missing", level: "h1" }));
  }

  /**
   * What was shown is lost: it has expired, or was deleted or denied elsewhere. A page that is seen has its model load it, once for
   * each loss. One that soon follows another waits, each time for longer: two servers whose clocks differ may take a copy from each other.
   */
  async #askAgain() {
    clearTimeout(this.#resting);
    const isIdle = /** @type {{ phase?: string } | null} */ (this.state)?.phase === "idle";
    if (isIdle && (this.#isAsked || document.visibilityState === "hidden")) return;
    if (isIdle) {
      const since = performance.now() - this.#askedAt;
      if (since < this.#rest) {
        this.#resting = setTimeout(() => this.#askAgain(), this.#rest - since);
        return;
      }
      this.#rest = since < this.#rest + CALM ? Math.min(Math.max(1_000, 2 * this.#rest), LONGEST_REST) : 0;
      this.#askedAt = performance.now();
    }
    this.#isAsked = isIdle;
    if (!isIdle || (await this.#intents.add({ intent: "appear" }, "appear"))) return;
    this.#isAsked = false;
    this.#resting = setTimeout(() => this.#askAgain(), Math.max(this.#rest, MOMENT));
  }

  /** The error that the state tells; some screens never have one. */
  get #error() {
    return /** @type {{ error?: Wire.ScreenError | null } | null} */ (this.state)?.error ?? null;
  }

  show() {
    this.#stream.open();
  }

  hide() {
    clearTimeout(this.#resting);
    this.#stream.close();
    endWish();
    this.#lost.clear();
  }

  /**
   * The stream is there, for the first time or again. The model of this tab may be older than the page: what it shows
   * may be, too, so the first time after the page was loaded it looks again.
   */
  opened() {
    this.isFirstLook = !this.#isShown;
    shown.add(this.#key);
    queueMicrotask(() => this.isSettled && this.#heard());
  }

  get #key() {
    return JSON.stringify([this.#name, this.#query]);
  }

  /** True if this page has shown the screen since its user loaded the page. */
  get #isShown() {
    return shown.has(this.#key);
  }

  /**
   * Sends an intent with its fields, after the earlier intents. Returns true if it arrived.
   * A waiting intent is replaced by a later one with the same `replaces`, as the texts typed in one field have.
   *
   * @template {keyof Wire.Intents[Name] & string} Intent
   * @param {Intent} intent
   * @param {Said<Wire.Intents[Name][Intent]>} said
   */
  send(intent, ...said) {
    const [fields, replaces = null] = said;
    return this.#say({ intent, ...fields }, replaces);
  }

  /**
   * @param {import("./logic/intent-queue.js").Message} message
   * @param {string | null} replaces
   */
  #say(message, replaces = null) {
    this.#isUntouched = false;
    return this.#intents.add(message, replaces);
  }

  /** True if the model has received all intents: until then its state may be older than the page. */
  get isSettled() {
    return this.#intents.isEmpty;
  }

  /**
   * True if the last edit of this name did not arrive: the model has an older text than the page. The page's text is then not replaced by the
   * model's, and is said again.
   *
   * @param {string} replaces
   */
  isLost(replaces) {
    return this.#lost.has(replaces);
  }

  /** Ends when everything that was said has arrived, or cannot. */
  settle() {
    return this.#intents.settle();
  }

  /** The replica that has the model of this screen; null if it says no name. */
  get replica() {
    return this.#stream.replica;
  }

  /**
   * Another replica gets now what this page says, and has refused it: nothing was done. The stream goes to that one, and `opened` then
   * tells it again what was typed.
   */
  misdirected() {
    this.#stream.renew();
  }

  /**
   * @param {import("./logic/intent-queue.js").Message} message
   * @param {string | null} replaces
   */
  async #post(message, replaces) {
    const signal = this.#patience.begin(this.#stream.isOpen);
    this.#posting = replaces;
    try {
      await request("POST", address(`/api/screens/${this.#name}/intents`, this.#query), message, this.replica, signal);
      if (replaces !== null) this.#lost.delete(replaces);
      return true;
    } catch (error) {
      // A form that waits for it is not sent: the model has something else than the page shows.
      const wasWished = endWish();
      if (replaces !== null) this.#lost.add(replaces);
      const isAct = replaces === null || wasWished;
      if (error instanceof ApiError && error.status === 421) {
        this.misdirected();
        // `opened` tells again what was typed. An act is its user's to repeat, when the page shows how things stand.
        if (isAct) toast(t("error.request"), "danger");
        return false;
      }
      const isUnanswered = signal.aborted || (error instanceof ApiError && error.status === 0);
      // One that knows no such screen is told by the screen itself.
      const isShown = isUnanswered || (error instanceof ApiError && ([401, 404].includes(error.status) || error.kind === STARTING));
      // The user has not asked for what the page looks for by itself.
      if (!isShown && message.intent !== "appear") toast(t("error.request"), "danger");
      else if (isUnanswered && isAct) setTimeout(() => this.#tellUnanswered(), MOMENT);
      return false;
    } finally {
      this.#patience.end();
      this.#posting = null;
    }
  }

  /** A server that is gone is shown by the stream, for the whole page. A request that was lost alone is shown by nothing else. */
  #tellUnanswered() {
    if (this.#stream.isOpen) toastOnce(t("error.unanswered"), "danger");
  }

  #heard() {
    // A field shows the model's text once all is settled; the only state of a page just loaded may have come before that.
    if (this.#isUntouched && this.state) this.render(this.state, this.state);
    this.settled();
  }

  /** Everything that was said has arrived. The state that says so may have come before, or comes soon. */
  settled() {}

  /** @returns {unknown} */
  reload() {
    return this.#say({ intent: "refresh" });
  }

  /**
   * The intent by which the error that stands in a banner is dismissed; null if there is no banner.
   *
   * @returns {(keyof Wire.Intents[Name] & string) | "dismissError" | null}
   */
  get dismissal() {
    return this.#error ? "dismissError" : null;
  }

  dismiss() {
    const intent = this.dismissal;
    if (intent) this.#say({ intent });
    return intent !== null;
  }
}
