/**
 * The token that a link carries behind its `#`: `#token=abc`. Null if there is none.
 *
 * @param {string} hash
 */
export const tokenIn = (hash) => new URLSearchParams(hash.slice(1)).get("token") || null;

/**
 * The header that shows a token.
 *
 * @param {string | null} token
 * @returns {Record<string, string>}
 */
export const bearer = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

/**
 * Says what becomes of a token that a link has brought, when another one is known. Each is of a user, or lets in nobody (null).
 *
 * @param {{ name: string | null } | null} known
 * @param {{ name: string | null } | null} offered
 * @returns {"take" | "ask" | "refuse"}
 */
export function decide(known, offered) {
  if (!offered) return "refuse";
  return known && known.name !== offered.name ? "ask" : "take";
}
