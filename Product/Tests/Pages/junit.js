// Writes the report that Scripts/total.py reads: a JUnit document of node's own test runner. (Debian's node has no such reporter.)

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[^\t\n\r\x20-\uffff]/g, "");

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* junit(events) {
  yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite name="pages">\n';
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A file counts only if it fails before its first test; a suite never does.
    const isFile = /[\\/]/.test(data.name) && data.name.endsWith(".js");
    if (data.details?.type === "suite" || (isFile && type === "test:pass")) continue;
    const cause = data.details?.error?.cause ?? data.details?.error;
    if (isFile && cause?.failureType === "subtestsFailed") continue;
    const words = type === "test:fail" ? `<failure>${escaped(String(cause?.stack ?? cause))}</failure>` : "";
    yield `<testcase classname="pages" name="${escaped(data.name)}">${data.skip !== undefined ? "<skipped/>" : words}</testcase>\n`;
  }
  yield "</testsuite></testsuites>\n";
}
