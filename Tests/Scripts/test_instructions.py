"""The check of the instructions of hot paths, with a valgrind and a program that only pretend."""

import json
import os
import re
import subprocess
import sys

import pytest

#: Prints what valgrind would: the cost of the preparations, and that of so many walks.
VALGRIND = """#!{python}
import json, os, sys, time
costs = json.load(open({costs!r}))
if sys.argv[1:] == ["--version"]:
    print("valgrind-3.19.0")
    raise SystemExit
path, count, folder = sys.argv[-3:]
assert os.path.isdir(folder) and "AVX2" in os.environ["GLIBC_TUNABLES"]
time.sleep(costs.get("delay", 0))
if costs.get("broken") == path:
    print("HotPaths: it failed", file=sys.stderr)
    raise SystemExit(1)
print(f"==1== I   refs:      {{20_000_000 + costs[path] * int(count):,}}", file=sys.stderr)
"""
PATHS = ["retrieve", "insert", "calibration"]


@pytest.fixture
def check(root, tmp_path):
    """Runs the script with these costs of the paths; its status and output. `file` has the recorded counts."""
    tools = tmp_path / "tools"
    tools.mkdir()

    def program(name, text):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
        return tools / name

    costs = tmp_path / "costs.json"
    program("valgrind", VALGRIND.format(python=sys.executable, costs=str(costs)))
    swift = program("swift", "#!/bin/sh\necho Swift version 6.3.1\n")
    hot = program("HotPaths", "#!/bin/sh\n" + "".join(f"echo {path}\n" for path in PATHS))

    def check(*words, file=tmp_path / "instructions.json", path=f"{tools}:{os.environ['PATH']}", **found):
        costs.write_text(json.dumps(found))
        result = subprocess.run(
            [sys.executable, str(root / "Scripts/instructions"), "--program", str(hot), "--kept", str(file), "--swift", str(swift), *words],
            capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": path})
        return result.returncode, result.stdout + result.stderr

    check.file = tmp_path / "instructions.json"
    return check


@pytest.fixture
def recorded(check):
    """The check, over recorded counts: 10 000 and 50 000."""
    status, said = check("--record", retrieve=10_000, insert=50_000, calibration=2_000)
    assert status == 0, said
    return check


def test_a_count_that_rose_by_four_percent_fails(recorded):
    status, said = recorded(retrieve=10_400, insert=50_000, calibration=2_000)
    assert status == 1
    assert "error: retrieve: +4.0%" in said and "insert:" not in said


def test_a_count_that_rose_by_two_percent_passes(recorded):
    status, said = recorded(retrieve=10_200, insert=50_000, calibration=2_000)
    assert (status, "error" in said) == (0, False), said


def test_a_count_that_fell_passes_and_wants_to_be_recorded(recorded):
    status, said = recorded(retrieve=9_000, insert=50_000, calibration=2_000)
    assert status == 0
    assert "retrieve: -10.0%. Run `Scripts/instructions --record`" in said


def test_what_is_recorded_is_what_the_next_run_compares_with(recorded):
    assert recorded("--record", retrieve=20_000, insert=50_000, calibration=2_000)[0] == 0
    assert json.loads(recorded.file.read_text())["counts"] == {"retrieve": 20_000, "insert": 50_000, "calibration": 2_000}
    assert recorded(retrieve=20_100, insert=50_000, calibration=2_000)[0] == 0
    assert recorded(retrieve=21_000, insert=50_000, calibration=2_000)[0] == 1


def test_a_path_whose_count_is_not_recorded_fails(recorded):
    kept = json.loads(recorded.file.read_text())
    del kept["counts"]["insert"]
    recorded.file.write_text(json.dumps(kept))
    status, said = recorded(retrieve=10_000, insert=50_000, calibration=2_000)
    assert status == 1 and "insert: its count is not recorded" in said


@pytest.mark.parametrize("name", ["architecture", "libc", "sqlite", "swift", "valgrind"])
def test_counts_of_another_system_are_shown_and_decide_nothing(recorded, name):
    kept = json.loads(recorded.file.read_text())
    kept["machine"][name] = "another"
    recorded.file.write_text(json.dumps(kept))
    status, said = recorded(retrieve=15_000, insert=50_000, calibration=2_000)
    assert status == 0
    assert re.search(r"retrieve +15,000 +10,000 +\+50.0%", said)
    assert f"decides nothing, because the counts come from another system: {name} is" in said


def test_a_system_that_counts_foreign_work_otherwise_decides_nothing(recorded):
    status, said = recorded(retrieve=15_000, insert=50_000, calibration=2_030)
    assert status == 0
    assert "the path that calls nothing of Aquifer differs by +1.5%" in said


def test_a_path_that_fails_is_an_error(recorded):
    status, said = recorded(retrieve=10_000, insert=50_000, calibration=2_000, broken="insert")
    assert status == 1 and "HotPaths: it failed" in said


def test_it_ends_when_its_time_is_up_and_says_so(recorded):
    status, said = recorded("--within", "2", retrieve=10_000, insert=50_000, calibration=2_000, delay=30)
    assert status == 0 and "NOT FINISHED after 2 s: 3 of 3 paths were not counted" in said


def test_without_valgrind_it_says_so(recorded, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    status, said = recorded(retrieve=10_000, insert=50_000, calibration=2_000, path=str(empty))
    assert status == 0 and "valgrind is not installed" in said


def test_the_recorded_counts_are_those_of_the_program(root):
    """Each path of `HotPath.swift` has a count, and each count a path."""
    source = (root / "Benchmarks/Sources/HotPaths/HotPath.swift").read_text()
    paths = re.findall(r'^    case \w+ = "(.+)"$', source, re.MULTILINE)
    assert len(paths) >= 10
    counts = json.loads((root / "Benchmarks/instructions.json").read_text())["counts"]
    assert list(counts) == [*paths, "calibration"]
