"""A suite that has not come to its end is run once more, and told."""

import subprocess
import sys

import pytest

REPORT = '<testsuites><testcase classname="A" name="a()"/></testsuites>'
#: A suite that counts its runs. It comes to its end in run `{ends}`.
SUITE = """
cd {folder}; echo run >> runs
echo '<testsuites>' > swift-swift-testing.xml
case $(wc -l < runs) in {ends}) ;; *) echo "{said}"; exit {breaks} ;; esac
echo '{report}' > swift-swift-testing.xml
exit {status}
"""


@pytest.fixture
def twice(root, tmp_path):
    def twice(ends, status=0, breaks=3, said="begun: the test that \x01 crashes"):
        program = SUITE.format(folder=tmp_path, ends=ends, report=REPORT, status=status, breaks=breaks, said=said)
        command = [sys.executable, str(root / "Scripts/twice"), str(tmp_path / "swift"), "bash", "-c", program]
        result = subprocess.run(command, capture_output=True, text=True, timeout=30)
        (tmp_path / "swift.status").write_text(str(result.returncode))
        total = subprocess.run(
            [sys.executable, str(root / "Scripts/total.py"), str(tmp_path)], capture_output=True, text=True, timeout=30)
        return result.returncode, len((tmp_path / "runs").read_text().split()), total.stdout.splitlines()

    return twice


def test_a_suite_that_ends_is_run_once_whatever_it_finds(twice):
    assert twice("1") == (0, 1, ["1 passed, 0 failed"])


def test_a_suite_with_failures_is_not_run_again(twice):
    assert twice("1", status=1) == (1, 1, ["failed: swift ended with status 1", "1 passed, 1 failed"])


def test_a_suite_that_broke_off_is_run_again_and_told_as_unsteady(twice):
    assert twice("2") == (0, 2, [
        "unsteady: swift the whole suite", "    It broke off with status 3, and was run again.",
        "    begun: the test that \ufffd crashes", "2 passed, 0 failed"])


def test_a_suite_that_breaks_off_twice_has_failed(twice):
    status, runs, lines = twice("3")
    assert (status, runs, lines[-1]) == (3, 2, "0 passed, 1 failed")


def test_a_suite_without_a_report_has_failed_whatever_its_status(twice):
    status, runs, lines = twice("3", breaks=0)
    assert (status, runs, lines[-1]) == (1, 2, "0 passed, 1 failed")


def test_a_suite_that_broke_off_after_a_failed_test_is_not_run_again(twice):
    status, runs, lines = twice("2", said='✘ Test "of another" failed after 0.1 seconds with 1 issue.')
    assert (status, runs, lines[-1]) == (3, 1, "0 passed, 1 failed")


def test_the_total_tells_of_the_second_crash_if_there_are_two(root, tmp_path):
    (tmp_path / "swift-swift-testing.xml").write_text("<testsuites>")
    log = ["Fatal error: crash number 1", *["frame"] * 100, "twice: the suite has not come to its end, and is run once more"]
    (tmp_path / "swift.log").write_text("\n".join([*log, "Fatal error: crash number 2", *["frame"] * 100]))
    total = subprocess.run(
        [sys.executable, str(root / "Scripts/total.py"), str(tmp_path)], capture_output=True, text=True, timeout=30)
    assert "crash number 2" in total.stdout and "crash number 1" not in total.stdout
