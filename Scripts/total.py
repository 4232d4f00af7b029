"""Adds up the test reports of a folder; the last line is the plain total.

Beside the reports `NAME*.xml` of a suite lies `NAME.status` with its exit status: a suite that failed without
reporting a failed test has crashed, or never begun, and counts as one failed test. Failures are told with the end
of their report, and a crash with the end of what the suite has printed (`NAME.log`), because often only the last lines of
a run are seen.

A suite that ended well and reported nothing has failed, too: it has tested nothing. Only builds, `build-NAME`, report nothing.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


#: The words of Swift and its runtime when a program crashes, of the thread sanitizer, and of a build.
CRASH = re.compile(
    r"Fatal error|Precondition failed|Assertion failed|Program crashed|xited with unexpected signal|^\*\*\* |WARNING: ThreadSanitizer|error: ")


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def reasons(case, lines=30):
    """The last lines of what the report says of a case that failed, indented."""
    for failure in (*case.findall("failure"), *case.findall("error")):
        text = failure.text if failure.text and failure.text.strip() else failure.get("message", "")
        for line in text.strip().splitlines()[-lines:]:
            yield f"    {line}"


def end_of(said, lines):
    """The lines of an output that tell of a crash, and the last ones."""
    crashes = [at for at, line in enumerate(said) if CRASH.search(line)]
    last = max(0, len(said) - lines)
    if crashes and crashes[0] < last:
        yield from said[crashes[0] : min(crashes[0] + lines, last)]
        yield "…"
    yield from said[last:]


def end_of_log(folder, suite, lines=40):
    """Those lines of the log of a suite, indented."""
    log = pathlib.Path(folder) / f"{suite}.log"
    if log.is_file():
        yield from (f"    {line}" for line in end_of(log.read_text(errors="replace").splitlines(), lines))


def main(folder: str) -> int:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    reports_with_failures = set()
    reports_with_tests = set()
    for report in sorted(pathlib.Path(folder).glob("*.xml")):
        try:
            cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        except ElementTree.ParseError as error:
            print(f"failed: {report.name} is no report: {error}", *end_of_log(folder, report.stem), sep="\n")
            counts["failed"] += 1
            reports_with_failures.add(report.name)
            continue
        if cases:
            reports_with_tests.add(report.name)
        for case in cases:
            kind = outcome(case)
            counts[kind] += 1
            if kind != "passed":
                print(f"{kind}: {case.get('classname')} {case.get('name')}")
            if kind == "failed":
                print(*reasons(case), sep="\n")
                reports_with_failures.add(report.name)
    for suite in sorted(pathlib.Path(folder).glob("*.status")):
        status = suite.read_text().strip()
        said = f"ended with status {status}"
        if status == "0" and not suite.stem.startswith("build-") and suite.with_suffix(".xml").name not in reports_with_tests | reports_with_failures:
            said = "reported no test"
        elif status == "0" or suite.with_suffix(".xml").name in reports_with_failures:
            continue
        print(f"failed: {suite.stem} {said}", *end_of_log(folder, suite.stem), sep="\n")
        counts["failed"] += 1
    if not counts["passed"] and not counts["failed"]:
        print("failed: no test ran")
        counts["failed"] = 1
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
