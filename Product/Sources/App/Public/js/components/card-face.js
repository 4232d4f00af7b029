import { h, replaceWhen, setText, svg } from "../dom.js";
import { t } from "../i18n.js";
import { icon } from "./icon.js";

/** @typedef {[path: string, fill: string, width?: number]} Stroke */

/**
 * Marks of our own in the brands' colours, on a plate of 44 × 28. `[path, fill]`, or `[path, fill, stroke width]`.
 *
 * @type {Partial<Record<NonNullable<Wire.CardLine["brand"]>, Stroke[]>>}
 */
const MARKS = {
  mastercard: [["M18 5a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "#eb001b"], ["M26 5a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "#f79e1b"], ["M22 5.940a9 9 0 0 1 0 16.120 9 9 0 0 1 0-16.120z", "#ff5f00"]],
  diners: [["M22 4a10 10 0 1 0 0 20 10 10 0 0 0 0-20z", "#0b4f8a"], ["M19.500 7.900a6.600 6.600 0 0 0 0 12.200z", "#ffffff"], ["M24.500 7.900a6.600 6.600 0 0 1 0 12.200z", "#ffffff"]],
  discover: [["M44 12v16H12c15-2 26-7 32-16z", "#f58220"], ["M22 6a7 7 0 1 0 0 14 7 7 0 0 0 0-14z", "#f58220"], ["M8 7h5M8 13h5M8 19h5", "#26303a", 2]],
  hipercard: [["M0 0h44v28H0z", "#b3131b"], ["M15 7v14M29 7v14M15 14h14", "#ffffff", 4]],
  elo: [["M0 0h44v28H0z", "#16161a"], ["M16.500 8.100a8 8 0 0 1 9.100-1.200", "#ffcb05", 4], ["M28.600 9.900a8 8 0 0 1-1.600 10", "#00a4e0", 4], ["M24 21.700a8 8 0 0 1-9.600-5", "#ef4123", 4]],
};
/** @type {Partial<Record<NonNullable<Wire.CardLine["brand"]>, string>>} */
const WORDS = { visa: "VISA", amex: "AMEX" };

/**
 * The small plate that shows whose card it is. Decorative: the brand's name stands beside it.
 *
 * @param {Wire.CardLine["brand"]} brand
 */
export function brandMark(brand, isTestCard = false) {
  const kind = isTestCard ? "test" : brand ?? "none";
  const plate = h("span", { class: `brand-mark brand-mark-${kind}`, "aria-hidden": "true", "data-test": "brand-mark", "data-brand": kind });
  if (kind === "test" || kind === "none") plate.append(icon(kind === "test" ? "flask" : "card"));
  else plate.append(WORDS[kind] ?? drawing(MARKS[kind] ?? []));
  return plate;
}

/** @param {Stroke[]} strokes */
const drawing = (strokes) => svg("svg", { viewBox: "0 0 44 28" }, ...strokes.map(([d, colour, width]) =>
  svg("path", width ? { d, fill: "none", stroke: colour, "stroke-width": String(width), "stroke-linecap": "round" } : { d, fill: colour })));

/**
 * Says that a card is none: with words, not with a colour alone.
 *
 * @param {string | null | undefined} label
 */
export const testBadge = (label) => label && h("span", { class: "test-badge", "data-test": "test-label" }, icon("flask"), label);

/**
 * The parts of a card that its picture shows; `number` is what may be shown of it.
 *
 * @typedef {Pick<Wire.CardLine, "brand" | "holder" | "expiry" | "isTestCard" | "testLabel" | "isExpired"> &
 *   { brandName: string | null, number: string }} Face
 */

/** A card as a picture of a card. */
export function cardFace({ isPreview = false } = {}) {
  const brand = h("span", { class: "face-brand" });
  const number = h("span", { class: "face-number" });
  const holder = h("span", { class: "face-holder" });
  const expiry = h("span", { class: "face-expiry" });
  const holderTitle = h("span", { class: "face-title" });
  const expiryTitle = h("span", { class: "face-title" });
  const face = h("div", { class: "face", "aria-hidden": isPreview ? "true" : null, "data-test": isPreview ? "card-preview" : "card-face" },
    h("div", { class: "face-top" }, h("span", { class: "face-chip", "aria-hidden": "true" }), brand),
    number,
    h("div", { class: "face-foot" },
      h("span", { class: "face-holder-box" }, holderTitle, holder), h("span", {}, expiryTitle, expiry)));
  /** @param {Face} card */
  const draw = (card) => {
    face.dataset.brand = card.isTestCard ? "test" : card.brand ?? "none";
    replaceWhen(brand, `${card.brand} ${card.isTestCard} ${card.testLabel} ${card.isExpired}`, () => [
      card.isExpired && h("span", { class: "face-expired" }, t("card.expired")),
      testBadge(card.testLabel), brandMark(card.brand, card.isTestCard),
      !isPreview && h("span", { class: "visually-hidden" }, card.brandName ?? "")]);
    setText(number, card.number);
    setText(holderTitle, t("card.holder"));
    setText(holder, card.holder || t("card.holder.example"));
    setText(expiryTitle, t("card.expiry"));
    setText(expiry, card.expiry || t("card.expiry.example"));
  };
  return Object.assign(face, { draw });
}

/**
 * A card in one line: mark, brand, masked number, and what is special about it.
 *
 * @param {Wire.CardLine} card
 */
export function cardLine(card) {
  return [brandMark(card.brand, card.isTestCard),
    h("span", { class: "card-line-text" },
      h("span", { class: "card-line-name" }, h("span", {}, `${card.brandName} `, h("span", { class: "card-line-number" }, card.masked)), testBadge(card.testLabel)),
      h("span", { class: "card-line-more" }, card.isExpired ? t("card.expired") : t("card.until", { expiry: card.expiry })))];
}
