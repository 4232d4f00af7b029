"""A suite that hangs is ended, and the test that hung is named."""

import pathlib
import subprocess
import time

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "Scripts/watched"


def watched(patience, program):
    run = subprocess.run(
        [SCRIPT, str(patience), "bash", "-c", program], capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout


@pytest.mark.parametrize("status", [0, 1, 65])
def test_output_and_status_are_those_of_the_command(status):
    assert watched(30, f"echo out; echo err >&2; exit {status}") == (status, "out\nerr\n")


def test_a_command_that_prints_for_ever_is_ended_too():
    status, output = watched(0.9, "while true; do echo alive; sleep 0.1; done")
    assert status == 125 and output.startswith("alive\n") and "took longer than 0.9 s" in output


def test_what_hangs_is_ended_and_the_test_that_did_not_end_is_named(tmp_path):
    program = """
        echo '◇ Test "One that passes" started.'
        echo '✔ Test "One that passes" passed after 0.001 seconds.'
        echo '◇ Test "One of cases" started.'
        echo '◇ Test case passing 1 argument number → 1 to "One of cases" started.'
        echo '✔ Test "One of cases" with 1 test case passed after 0.001 seconds.'
        echo '◇ Test "One that hangs" started.'
        bash -c 'echo $$ > %s; sleep 1000; true'; echo 'the rest of what it had to say'; exit 1
    """ % (tmp_path / "child")
    status, output = watched(0.5, program)
    assert status == 125
    assert "the rest of what it had to say" in output
    assert output.splitlines()[-1] == 'watched: begun and not ended: "One that hangs"'
    assert output.count("begun and not ended") == 1
    assert any(line.startswith("watched: ") and "sleep 1000" in line for line in output.splitlines())
    child = int((tmp_path / "child").read_text())
    assert not pathlib.Path(f"/proc/{child}").exists()


def test_the_tests_that_a_crash_has_cut_off_are_named():
    status, output = watched(30, """echo '◇ Test "One that crashes" started.'; exit 1""")
    assert (status, output.splitlines()[-1]) == (1, 'watched: begun and not ended: "One that crashes"')


def test_a_process_that_is_left_behind_holds_nobody_up():
    began = time.monotonic()
    status, output = watched(1, "sleep 40 & echo done")
    assert status == 0 and output.startswith("done\n") and "keeps its output open" in output
    assert time.monotonic() - began < 30
