import { stepOf } from "./logic/replay.js";

/** The step of a recording that this page shows, from its beginning to its end; null for any other page. */
export const replayed = stepOf(location.search);
