"""The total counts what ran, and what should have."""

import subprocess
import sys

import pytest

PASSED = '<testcase classname="Suite" name="good()" time="0.1"/>'
FAILED = '<testcase classname="Suite" name="bad()"><failure message="no"/></testcase>'
ERROR = '<testcase classname="Suite" name="worse()"><error message="no"/></testcase>'
SKIPPED = '<testcase classname="Suite" name="later()"><skipped/></testcase>'


@pytest.fixture
def total(root, tmp_path):
    def total(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        script = str(root / "Scripts/total.py")
        result = subprocess.run([sys.executable, script, str(tmp_path)], capture_output=True, text=True, timeout=30)
        return result.returncode, result.stdout.splitlines()

    return total


def report(*cases):
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


def test_adds_up_all_reports(total):
    status, lines = total({"a.xml": report(PASSED, PASSED), "b.xml": report(PASSED), "a.status": "0\n"})
    assert (status, lines) == (0, ["3 passed, 0 failed"])


@pytest.mark.parametrize("case, name", [(FAILED, "bad()"), (ERROR, "worse()")])
def test_a_failing_case_is_named_and_fails(total, case, name):
    status, lines = total({"a.xml": report(PASSED, case), "a.status": "1\n"})
    assert (status, lines) == (1, [f"failed: Suite {name}", "    no", "1 passed, 1 failed"])


def test_the_end_of_a_long_report_is_told(total):
    trace = "\n".join(f"line {number}" for number in range(100))
    status, lines = total({"a.xml": report(f'<testcase name="bad()"><failure message="no">{trace}</failure></testcase>')})
    assert status == 1
    assert lines[1:-1] == [f"    line {number}" for number in range(70, 100)]


def test_a_skipped_case_is_named_and_counted_apart(total):
    status, lines = total({"a.xml": report(PASSED, SKIPPED)})
    assert (status, lines) == (0, ["skipped: Suite later()", "1 passed, 0 failed, 1 skipped"])


def test_no_test_at_all_is_a_failure(total):
    assert total({"a.xml": report()}) == (1, ["failed: no test ran", "0 passed, 1 failed"])


def test_only_skipped_tests_are_a_failure(total):
    status, lines = total({"a.xml": report(SKIPPED)})
    assert (status, lines[-1]) == (1, "0 passed, 1 failed, 1 skipped")


def test_a_suite_that_crashed_is_a_failure(total):
    status, lines = total({"a.xml": report(PASSED), "a.status": "0\n", "b.status": "139\n"})
    assert (status, lines) == (1, ["failed: b ended with status 139", "1 passed, 1 failed"])


def test_a_suite_without_a_report_has_tested_nothing(total):
    status, lines = total({"a.xml": report(PASSED), "b.status": "0\n", "build-c.status": "0\n", "d.xml": report(), "d.status": "0\n"})
    assert (status, lines) == (1, ["failed: b reported no test", "failed: d reported no test", "1 passed, 2 failed"])


def test_a_data_race_fails_a_suite_whose_tests_have_passed(total):
    said = "WARNING: ThreadSanitizer: data race"
    status, lines = total({"a.xml": report(PASSED), "a.status": "66\n", "a.log": said})
    assert (status, lines) == (1, ["failed: a ended with status 66", f"    {said}", "1 passed, 1 failed"])


def test_a_report_that_breaks_off_is_a_failure(total):
    status, lines = total({"a.xml": report(PASSED), "b.xml": "<testsuites>", "b.status": "1\n"})
    assert status == 1
    assert lines[0].startswith("failed: b.xml is no report")
    assert lines[-1] == "1 passed, 1 failed"


def test_a_crash_is_told_with_the_place_in_the_output_that_tells_of_it_and_with_its_end(total):
    log = [f"test {number}" for number in range(200)]
    log[50] = "Suite.swift:12: Fatal error: Index out of range"
    status, lines = total({"b.xml": "<testsuites>", "b.status": "1\n", "b.log": "\n".join(log)})
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")
    assert lines[1:-1] == [f"    {line}" for line in (*log[50:90], "…", *log[160:])]
