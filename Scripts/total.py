"""Adds up the test reports of a folder; the last line is the plain total."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def main(folder: str) -> int:
    passed = failed = skipped = 0
    reports = sorted(pathlib.Path(folder).glob("*.xml"))
    for report in reports:
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                print(f"failed: {case.get('classname')} {case.get('name')}")
            elif case.find("skipped") is not None:
                skipped += 1
                print(f"skipped: {case.get('classname')} {case.get('name')}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
