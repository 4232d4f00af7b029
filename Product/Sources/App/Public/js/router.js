import { load, scrolled } from "./carried.js";
import { target } from "./dom.js";
import { routeOf } from "./logic/routes.js";

/** The rest after which a place counts, in milliseconds: browsers limit how often a history is written. */
const SCROLLED = 200;

/**
 * Paths to screens. A click on a link with `data-link` changes the address without loading the page.
 * `onRoute(route, cause)` hears every change.
 */
export class Router {
  #onRoute;
  /** True if the next page is loaded instead of drawn, because this one is out of date. */
  #loads;
  /** Pages of ours that are behind this one: closing goes back to them, and leaves the site alone. */
  depth = 0;
  #scrolled = 0;

  /**
   * @param {(route: import("./logic/routes.js").Route, cause: Cause) => void} onRoute
   * @param {() => boolean} loads
   */
  constructor(onRoute, loads) {
    this.#onRoute = onRoute;
    this.#loads = loads;
    history.scrollRestoration = "manual";
    this.depth = history.state?.depth ?? 0;
    this.#keep(history.state?.scroll);
    // The place stays with the address, so that back, forward and reload find it again.
    addEventListener("scroll", () => {
      clearTimeout(this.#scrolled);
      this.#scrolled = setTimeout(() => this.#keep(scrolled()), SCROLLED);
    }, { passive: true });
    addEventListener("pagehide", () => this.#keep(scrolled()));
    addEventListener("popstate", (event) => {
      clearTimeout(this.#scrolled);
      this.depth = event.state?.depth ?? 0;
      this.#resolve("history");
    });
    document.addEventListener("click", (event) => {
      const path = target(event)?.closest("a[data-link]")?.getAttribute("href");
      if (!path || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.go(path);
    });
  }

  /**
   * @param {number | undefined} scroll
   */
  #keep(scroll) {
    clearTimeout(this.#scrolled);
    history.replaceState({ depth: this.depth, scroll }, "");
  }

  start() {
    this.#resolve("start");
  }

  /** @param {string} path */
  go(path) {
    if (path !== location.pathname + location.search) {
      if (this.#loads()) return load(path);
      this.#keep(scrolled());
      this.depth += 1;
      history.pushState({ depth: this.depth }, "", path);
    }
    this.#resolve("link");
  }

  /**
   * Gives the page that is shown another address: going back leads to the one before it.
   *
   * @param {string} path
   */
  rename(path) {
    history.replaceState({ depth: this.depth }, "", path);
  }

  /**
   * Back to the page before, or to `path` when this one was opened by its address.
   *
   * @param {string} path
   */
  back(path) {
    if (this.depth > 0) return history.back();
    history.replaceState({ depth: 0 }, "", path);
    this.#resolve("history");
  }

  /** @param {Cause} cause */
  #resolve(cause) {
    this.#onRoute(routeOf(location.pathname, location.search), cause);
  }
}
