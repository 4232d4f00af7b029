const EMOJI = "(?![\\0-\\x7f])\\p{Emoji}";
/** A joiner between two emoji, a selector after one, and one that makes a key cap: without them the emoji would be others. */
const KEPT = `(?<=${EMOJI}|\\ufe0f)\\u200d(?=${EMOJI})|(?<=${EMOJI})[\\ufe0e\\ufe0f]|[\\ufe0e\\ufe0f](?=\\u20e3)`;
const SPACING = "[\\t-\\r\\x85\\u2028\\u2029]";
const HARMFUL = `(?!${SPACING})[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]`;
const PARTS = new RegExp(`(${KEPT})|((?:${SPACING})+)|(?:${HARMFUL})+`, "gu");
const MARKS = /([\p{Mn}\p{Me}]{8})[\p{Mn}\p{Me}]+/gu;

/**
 * A name on one line, without characters that turn the direction of what follows, or are invisible: “gpj.exe” must not look like “exe.jpg”.
 * The command line shows the same (`String.harmless`). What is shown, said or saved of a name goes through this. Intents carry the name itself.
 *
 * @param {string} name
 */
export const harmless = (name) => name.replace(PARTS, (_, kept, space) => kept ?? (space ? " " : "\ufffd")).replace(MARKS, "$1");
