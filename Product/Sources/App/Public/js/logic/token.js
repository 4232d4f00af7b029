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
