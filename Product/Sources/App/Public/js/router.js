/**
 * Paths to screens. A click on a link with `data-link` changes the address without loading the page.
 * `onRoute({ name, id, query }, cause)` hears every change; the cause is start, link or history.
 */
export class Router {
  #routes;
  #onRoute;
  /** True if the next page is loaded instead of drawn, because this one is out of date. */
  loads = () => false;
  /** Pages of ours that are behind this one: closing goes back to them, and leaves the site alone. */
  depth = 0;

  constructor(routes, onRoute) {
    this.#routes = routes;
    this.#onRoute = onRoute;
    history.scrollRestoration = "manual";
    this.depth = history.state?.depth ?? 0;
    history.replaceState({ depth: this.depth }, "");
    addEventListener("popstate", (event) => {
      this.depth = event.state?.depth ?? 0;
      this.#resolve("history");
    });
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[data-link]");
      if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.go(link.getAttribute("href"));
    });
  }

  start() {
    this.#resolve("start");
  }

  go(path) {
    if (path !== location.pathname + location.search) {
      if (this.loads()) return location.assign(path);
      this.depth += 1;
      history.pushState({ depth: this.depth }, "", path);
    }
    this.#resolve("link");
  }

  /** Back to the page before, or to `path` when this one was opened by its address. */
  back(path) {
    if (this.depth > 0) return history.back();
    history.replaceState({ depth: 0 }, "", path);
    this.#resolve("history");
  }

  #resolve(cause) {
    for (const [name, pattern] of Object.entries(this.#routes)) {
      const match = pattern.exec(location.pathname);
      if (match) return this.#onRoute({ name, id: match[1] && decodeURIComponent(match[1]), query: new URLSearchParams(location.search) }, cause);
    }
    this.#onRoute({ name: "notFound", query: new URLSearchParams() }, cause);
  }
}
