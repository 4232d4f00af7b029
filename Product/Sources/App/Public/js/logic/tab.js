/** A new id of a tab. */
export function newTab() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Not every address counts as secure; the id has only to be unlikely.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The id that this tab keeps; null if it cannot keep one. */
export function keptTab() {
  try {
    const id = sessionStorage.getItem("aquifer.tab") ?? newTab();
    sessionStorage.setItem("aquifer.tab", id);
    return id;
  } catch {
    return null;
  }
}
