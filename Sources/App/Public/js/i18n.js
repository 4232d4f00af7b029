import { memory } from "./dom.js";
import en from "./strings/en.js";
import ptBR from "./strings/pt-BR.js";

export const languages = { "en": "English", "pt-BR": "Português" };
const tables = { "en": en, "pt-BR": ptBR };

function preferred() {
  const chosen = memory.get("language");
  if (chosen in tables) return chosen;
  for (const wish of navigator.languages ?? []) {
    if (wish.toLowerCase().startsWith("pt")) return "pt-BR";
    if (wish.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

let current = preferred();
document.documentElement.lang = current;

export const language = () => current;

/** The text for a key in the chosen language; `values` fill its gaps. */
export function t(key, values) {
  const text = tables[current][key] ?? en[key] ?? key;
  return typeof text === "function" ? text(values) : text;
}

/** Changes the language and tells everyone who listens for `aquifer:language` on the document. */
export function setLanguage(code) {
  if (!(code in tables) || code === current) return;
  current = code;
  memory.set("language", code);
  document.documentElement.lang = code;
  document.dispatchEvent(new Event("aquifer:language"));
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
