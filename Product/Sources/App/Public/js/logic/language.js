/** The languages of the pages, by their codes. */
export const languages = { "en": "English", "pt-BR": "Português" };

/**
 * The language of a page: the chosen one, else the first of the browser's wishes that there is.
 *
 * @param {string | null} chosen
 * @param {readonly string[]} wishes
 */
export function chosenLanguage(chosen, wishes) {
  if (chosen !== null && Object.hasOwn(languages, chosen)) return chosen;
  for (const wish of wishes) {
    if (wish.toLowerCase().startsWith("pt")) return "pt-BR";
    if (wish.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

/**
 * A text of the catalogue: a sentence, or one for each plural form.
 *
 * @typedef {string | Record<string, string>} Text
 */

/**
 * The sentence of a text; `values` fill its placeholders, and `values.count` chooses its plural form.
 *
 * @param {Text} text
 * @param {object} values
 * @param {Intl.PluralRules} plurals
 */
export function sentence(text, values, plurals) {
  const named = /** @type {Record<string, unknown>} */ (values);
  const count = Number(named.count);
  const form = typeof text === "string" ? text : text[`=${count}`] ?? text[plurals.select(count)] ?? text.other;
  return form.replace(/\{(\w+)\}/g, (gap, name) => String(named[name] ?? gap));
}

/** The largest count that is told digit by digit. */
const EXACT = 9999;

/**
 * A count that anyone may have sent: as it is up to 9999, in short above: `12K`, `12 mil`.
 *
 * @param {number} count
 * @param {string} language
 */
export function short(count, language) {
  if (count <= EXACT) return String(count);
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1, maximumSignificantDigits: 3 }).format(count);
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

/**
 * Bytes in units of 1024, as Swift writes them (`Language.size`): `512 B`, `13.7 KB`.
 *
 * @param {number} count
 * @param {string} language
 */
export function bytes(count, language) {
  let [value, unit] = [count, 0];
  for (; value >= 1023.95 && unit < UNITS.length - 1; unit += 1) value /= 1024;
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1, useGrouping: false }).format(value);
  return `${number}\u00a0${UNITS[unit]}`;
}
