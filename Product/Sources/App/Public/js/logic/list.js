/**
 * The state of a list beside its rows.
 *
 * @typedef {{ isLoading: boolean, phase?: string, isEmpty?: boolean, noMatch?: string | null, needsKey?: boolean }} ListState
 */

/**
 * The thing to show: `list`, or `none`, `key`, `empty`, `failed` or `loading` instead of it.
 *
 * @param {ListState} state
 * @param {unknown[]} rows
 */
export function shownOf(state, rows) {
  if (rows.length > 0) return "list";
  if (state.noMatch) return "none";
  if (state.needsKey) return "key";
  if (state.isEmpty) return "empty";
  return state.phase === "failed" && !state.isLoading ? "failed" : "loading";
}
