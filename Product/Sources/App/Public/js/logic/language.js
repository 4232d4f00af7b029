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

/**
 * Bytes as people read them: `12 kB`, `1.4 MB`.
 *
 * @param {number} count
 * @param {string} language
 */
export function bytes(count, language) {
  const [value, unit] =
    count < 1000 ? [count, "byte"] : count < 1e6 ? [count / 1000, "kilobyte"] : [count / 1e6, "megabyte"];
  const digits = value < 10 && unit !== "byte" ? 1 : 0;
  return new Intl.NumberFormat(language, {
    style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: digits,
  }).format(value);
}
