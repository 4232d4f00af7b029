import { keyOf } from "./logic/early.js";

/**
 * The request for the first states, which `begin.js` has sent before the modules were there. It is given once, to the first who asks
 * for the same in the same way; to anybody else it is of no use, and ends. Null if there is none.
 *
 * @param {string} url
 * @param {Record<string, string>} headers
 */
export function takeEarly(url, headers) {
  const early = window.aquiferEarly;
  delete window.aquiferEarly;
  if (!early) return null;
  if (early.key === keyOf(url, headers)) return early;
  early.connection.abort();
  return null;
}
