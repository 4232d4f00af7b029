import { fetchOwn, refusal } from "../api.js";
import { h } from "../dom.js";
import { Lacking } from "../logic/lacking.js";
import { fitting } from "../logic/srcset.js";
import { t } from "../i18n.js";
import { memory } from "../memory.js";
import { icon } from "./icon.js";

/** The number of pictures outside the view that are fetched at once. The other connections are for visible pictures. */
const PRELOADS = 3;

const lacking = new Lacking(memory.get("lacking"));
/** @param {string} path */
const isLacking = (path) => lacking.has(path, Date.now());

/** @param {string} path */
function lacks(path) {
  lacking.add(path, Date.now());
  memory.set("lacking", lacking.text);
}

/** @type {Set<AquiferImage>} */
const waiting = new Set();
/** @type {Set<AquiferImage>} */
const preloading = new Set();

function startWaiting() {
  for (const image of waiting) {
    if (preloading.size >= PRELOADS) return;
    waiting.delete(image);
    preloading.add(image);
    image.fetchNow("low");
  }
}

/**
 * Tells pictures whether they have come to a place.
 *
 * @param {(image: AquiferImage, isThere: boolean) => void} tell
 * @param {IntersectionObserverInit} [place]
 */
const observer = (tell, place) => new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (target instanceof AquiferImage) tell(target, isIntersecting);
}, place);
const near = observer((image, isNear) => image.nearChanged(isNear), { rootMargin: "100% 0px" });
const visible = observer((image, isVisible) => image.visibleChanged(isVisible));
const sized = new ResizeObserver((entries) => {
  for (const { target } of entries) if (target instanceof AquiferImage) target.grow();
});

/**
 * A picture with a life of its own: fetched when it comes near, aborted when it is gone, first in line
 * when it is seen, and kept once it is there. `data-state` is idle, waiting, loading, loaded or failed. With `srcset` it fetches the
 * form that fits its width on this display, and a larger one when it has grown; `src` is for places that no form is wide enough for.
 * With `quiet` it shows the picture or nothing: for what stands before something that can stay. With `foreign` its text is
 * somebody's own, in a language that nobody has named.
 */
export class AquiferImage extends HTMLElement {
  static observedAttributes = ["src", "alt"];
  /** @type {AbortController | null} */
  #controller = null;
  /** @type {string | null} */
  #url = null;
  #near = false;
  #visible = false;
  /** @type {HTMLImageElement | null} */
  #picture = null;
  /** The width of the form that is shown; Infinity for the whole picture. */
  #width = 0;

  connectedCallback() {
    if (!this.dataset.state) this.#set("idle");
    near.observe(this);
    visible.observe(this);
    sized.observe(this);
  }

  disconnectedCallback() {
    near.unobserve(this);
    visible.unobserve(this);
    sized.unobserve(this);
    // A move within the page disconnects for a moment only.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#abort();
      if (this.#url) URL.revokeObjectURL(this.#url);
      this.#url = null;
      this.#set("idle");
    });
  }

  /**
   * @param {string} name
   * @param {string | null} before
   * @param {string | null} after
   */
  attributeChangedCallback(name, before, after) {
    if (name === "alt" && this.#picture) this.#picture.alt = after ?? "";
    if (name !== "src" || before === after || before === null) return;
    this.#abort();
    this.#set("idle");
    if (this.#near) this.#want();
  }

  /** @param {boolean} isNear */
  nearChanged(isNear) {
    this.#near = isNear;
    if (!isNear) this.#abort();
    else if (this.dataset.state === "idle" || this.dataset.state === "failed") this.#want();
    else this.grow();
  }

  /** @param {boolean} isVisible */
  visibleChanged(isVisible) {
    this.#visible = isVisible;
    if (!isVisible) return;
    if (this.dataset.state === "waiting") this.#want();
    // A fetch that is under way no longer counts as a preload.
    if (preloading.delete(this)) startWaiting();
  }

  /** Fetches a larger form if the one that is shown is too small: the place has grown, or it stood in for what could not be had. */
  grow() {
    if (this.dataset.state !== "loaded" || this.#controller || !this.#near || this.clientWidth === 0) return;
    if (this.#form.width > this.#width) this.fetchNow("low");
  }

  /** Tries again a picture that failed, or that a smaller one stands in for. */
  retry() {
    if (this.dataset.state === "failed" && this.#near) this.#want();
    else this.grow();
  }

  /** The form of the picture that fits its place. */
  get #form() {
    const src = this.getAttribute("src") ?? "";
    const form = fitting(this.getAttribute("srcset"), this.clientWidth * devicePixelRatio);
    return form && form.src !== src ? form : { src, width: Infinity };
  }

  /** The address without the tab and the language that ask. */
  get #path() {
    return (this.getAttribute("src") ?? "").split("?")[0];
  }

  #want() {
    waiting.delete(this);
    if (this.hasAttribute("quiet") && isLacking(this.#path)) return this.#set("failed");
    if (this.#visible || this.getBoundingClientRect().top < innerHeight) return this.fetchNow("high");
    this.#set("waiting");
    waiting.add(this);
    startWaiting();
  }

  #abort() {
    waiting.delete(this);
    this.#controller?.abort();
    this.#controller = null;
    if (preloading.delete(this)) startWaiting();
    if (this.dataset.state === "loading" || this.dataset.state === "waiting") this.#set("idle");
  }

  /** @param {"high" | "low"} priority */
  async fetchNow(priority) {
    const controller = new AbortController();
    this.#controller?.abort();
    this.#controller = controller;
    // A picture that is shown stays until a larger one is there.
    const isLarger = this.dataset.state === "loaded";
    if (!isLarger) this.#set("loading");
    const { src, width } = this.#form;
    let url = null;
    try {
      const response = await fetchOwn(src, { signal: controller.signal, priority });
      if (!response.ok) throw await refusal(response);
      if (response.status === 204) {
        lacks(this.#path);
        throw new Error("there is no picture");
      }
      url = URL.createObjectURL(await response.blob());
      const picture = h("img", { alt: this.getAttribute("alt") ?? "", lang: this.hasAttribute("foreign") ? "" : null, draggable: "false", decoding: "async", "data-test": "picture" });
      picture.src = url;
      await picture.decode();
      if (controller.signal.aborted) throw controller.signal.reason;
      this.#width = response.headers.get("Aquifer-Picture") === "stand-in" ? picture.naturalWidth : width;
      this.#keep(picture, url);
    } catch {
      // The bytes may have been no image at all; for the reader both are a picture that did not come.
      if (url) URL.revokeObjectURL(url);
      if (!controller.signal.aborted && !isLarger) this.#set("failed");
    } finally {
      if (this.#controller === controller) {
        this.#controller = null;
        if (preloading.delete(this)) startWaiting();
      }
    }
  }

  /**
   * @param {HTMLImageElement} picture
   * @param {string} url
   */
  #keep(picture, url) {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = url;
    this.#picture = picture;
    if (this.dataset.state === "loaded") {
      picture.style.animation = "none";
      this.replaceChildren(picture);
    }
    this.#set("loaded");
    this.dispatchEvent(new Event("load"));
  }

  /** The width of the picture in its heights; null until it is there. */
  get ratio() {
    const { naturalWidth: width, naturalHeight: height } = this.#picture ?? { naturalWidth: 0, naturalHeight: 0 };
    return this.dataset.state === "loaded" && width > 0 && height > 0 ? width / height : null;
  }

  /** @param {"idle" | "waiting" | "loading" | "loaded" | "failed"} state */
  #set(state) {
    if (this.dataset.state === state) return;
    const hadFocus = this.contains(document.activeElement);
    this.dataset.state = state;
    this.toggleAttribute("aria-busy", false);
    if (state === "loaded" && this.#picture) this.replaceChildren(this.#picture);
    else if (this.hasAttribute("quiet")) this.replaceChildren();
    else if (state === "failed") this.replaceChildren(this.#failure());
    else if (!this.querySelector(".shimmer")) {
      this.replaceChildren(h("span", { class: "shimmer", "data-test": "shimmer", "aria-hidden": "true" }));
    }
    if (state === "loading") this.setAttribute("aria-busy", "true");
    if (hadFocus && state === "failed") this.querySelector("button")?.focus();
  }

  #failure() {
    const name = this.getAttribute("alt");
    return h("div", { class: "image-failure" }, icon("broken"),
      h("span", {}, t("image.failed")),
      h("button", {
        class: "button", type: "button", "aria-label": t("image.retry", { name }), "data-test": "image-retry",
        onclick: () => this.#want(),
      }, icon("reload"), t("retry")));
  }
}

customElements.define("aq-image", AquiferImage);

/**
 * Tries the pictures in an element again that failed, or that smaller ones stand in for.
 *
 * @param {Element} element
 */
export function retryAll(element) {
  for (const image of element.querySelectorAll("aq-image")) image.retry();
}
