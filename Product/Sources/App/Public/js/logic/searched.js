/** The pages of a feed that are loaded to find one of its items. */
export const SEARCHES = 10;
/** The item may be on the next page: that is to be asked for. */
export const LOOK_ON = "lookOn";

/**
 * What is known of an item that a feed does not have so far: it may come (`loading`), nobody can say (`failed`), it is not there
 * (`missing`), or the next page tells (`LOOK_ON`).
 *
 * @param {Pick<Wire.FeedState, "phase" | "isLoading" | "items" | "more"> | null} state
 * @param {number} searches the pages that were asked for to find it
 * @returns {"loading" | "failed" | "missing" | typeof LOOK_ON}
 */
export function searched(state, searches) {
  if (!state || state.isLoading || state.phase === "idle" || state.more.phase === "loading") return "loading";
  if (state.more.phase === "failed") return "failed";
  if (state.items.length > 0 && state.more.phase === "idle" && searches < SEARCHES) return LOOK_ON;
  // The end of a saved feed says nothing of what the server has.
  return state.phase === "failed" ? "failed" : "missing";
}
