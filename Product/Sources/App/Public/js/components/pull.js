import { h } from "../dom.js";
import { icon } from "./icon.js";

const TRIGGER = 76;
const LIMIT = 130;

/** Pull to refresh: a drop that follows the finger at the top of the page, and spins until `done()`. */
export class PullToRefresh {
  #element = h("div", { class: "pull", "data-test": "pull-indicator", "aria-hidden": "true", "data-phase": "rest" },
    h("div", { class: "pull-disc" }, icon("down"), h("span", { class: "spinner" })));
  /** @type {{ x: number, y: number } | null} */
  #start = null;
  #distance = 0;
  #enabled;
  #refresh;
  #isLoading;

  /**
   * @param {() => boolean} enabled says whether the page is the one that is pulled
   * @param {() => unknown} refresh loads the list again
   * @param {() => boolean} isLoading says whether the model still loads after that
   */
  constructor(enabled, refresh, isLoading) {
    this.#enabled = enabled;
    this.#refresh = refresh;
    this.#isLoading = isLoading;
    document.body.append(this.#element);
    addEventListener("touchstart", this.#began, { passive: true });
    addEventListener("touchmove", this.#moved, { passive: false });
    addEventListener("touchend", this.#ended);
    addEventListener("touchcancel", this.#ended);
  }

  /** Called when the model has finished loading. */
  done() {
    if (this.#element.dataset.phase === "loading") this.#rest();
  }

  /** @param {TouchEvent} event */
  #began = (event) => {
    const at = event.touches[0];
    const usable = event.touches.length === 1 && scrollY <= 0 && this.#enabled() && this.#element.dataset.phase === "rest";
    this.#start = usable ? { x: at.clientX, y: at.clientY } : null;
  };

  /** @param {TouchEvent} event */
  #moved = (event) => {
    if (!this.#start) return;
    const at = event.touches[0];
    const down = at.clientY - this.#start.y;
    if (this.#distance === 0 && (down < 8 || Math.abs(at.clientX - this.#start.x) > down)) {
      if (down < -4) this.#start = null;
      return;
    }
    if (event.cancelable) event.preventDefault();
    // The further it is pulled, the heavier it gets.
    this.#distance = Math.min(LIMIT, Math.max(1, (down - 8) * 0.6));
    this.#element.dataset.phase = this.#distance >= TRIGGER ? "ready" : "pulling";
    this.#draw(this.#distance);
  };

  #ended = () => {
    if (!this.#start) return;
    this.#start = null;
    if (this.#element.dataset.phase !== "ready") return this.#rest();
    this.#distance = 0;
    this.#element.dataset.phase = "loading";
    this.#draw(TRIGGER * 0.8);
    // The state that ends a refresh may be the very next one.
    Promise.resolve(this.#refresh()).finally(() => setTimeout(() => this.#enabled() && !this.#isLoading() && this.done(), 400));
  };

  #rest() {
    this.#distance = 0;
    this.#element.dataset.phase = "rest";
    this.#draw(0);
  }

  /** @param {number} distance */
  #draw(distance) {
    this.#element.style.setProperty("--pull", `${distance}px`);
    this.#element.style.setProperty("--turn", `${Math.min(1, distance / TRIGGER) * 180}deg`);
  }
}
