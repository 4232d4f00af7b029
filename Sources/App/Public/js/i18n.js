import { memory } from "./dom.js";

export const languages = { "en": "English", "pt-BR": "Português" };

/** The chosen language, else the first one of the browser's that there is. */
function preferred() {
  const chosen = memory.get("language");
  if (chosen in languages) return chosen;
  for (const wish of navigator.languages ?? []) {
    if (wish.toLowerCase().startsWith("pt")) return "pt-BR";
    if (wish.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

// A page has one language from its beginning to its end: a change loads it again.
const current = preferred();
document.documentElement.lang = current;
const words = await fetch(`/assets/words/${current}.json`).then((response) => response.json());
const plurals = new Intl.PluralRules(current);

export const language = () => current;

/** The text for a key; `values` fill its placeholders, and `values.count` chooses its plural form. */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  const { count } = values;
  const form = typeof text === "string" ? text : text[`=${count}`] ?? text[plurals.select(count)] ?? text.other;
  return form.replace(/\{(\w+)\}/g, (gap, name) => String(values[name] ?? gap));
}

/** True if another tab has chosen another language since this page was loaded. */
export const isOutdated = () => preferred() !== current;

/** Loads the page again in another language. */
export function setLanguage(code) {
  memory.set("language", code);
  location.reload();
}

/** Bytes as people read them: `12 kB`, `1.4 MB`. */
export function size(bytes) {
  const [value, unit] =
    bytes < 1000 ? [bytes, "byte"] : bytes < 1e6 ? [bytes / 1000, "kilobyte"] : [bytes / 1e6, "megabyte"];
  const digits = value < 10 && unit !== "byte" ? 1 : 0;
  return new Intl.NumberFormat(current, {
    style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: digits,
  }).format(value);
}
