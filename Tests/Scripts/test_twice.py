"""A suite that has not come to its end is run once more, and told."""

import subprocess
import sys

import pytest

REPORT = '<testsuites><testcase classname="A" name="a()"/></testsuites>'
#: A suite that counts its runs. `{}` says what happens in which run.
SUITE = """
cd {folder}; echo run >> runs
echo '<testsuites>' > swift-swift-testing.xml
case $(wc -l < runs) in {ends}) ;; *) echo "begun: the test that \x01 crashes"; exit 3 ;; esac
echo '{report}' > swift-swift-testing.xml
exit {status}
"""


@pytest.fixture
def twice(root, tmp_path):
    def twice(ends, status=0):
        program = SUITE.format(folder=tmp_path, ends=ends, report=REPORT, status=status)
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
