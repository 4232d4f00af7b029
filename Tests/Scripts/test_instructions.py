"""The count of the instructions of hot paths, with a valgrind and a program that only pretend."""

import json
import os
import re
import subprocess
import sys

import pytest

#: Prints what valgrind would: the cost of the preparations, and that of so many walks.
VALGRIND = """#!{python}
import json, os, sys
costs = json.load(open({costs!r}))
if sys.argv[1:] == ["--version"]:
    print("valgrind-3.19.0")
    raise SystemExit
path, count, folder = sys.argv[-3:]
assert os.path.isdir(folder) and "AVX2" in os.environ["GLIBC_TUNABLES"]
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


@pytest.mark.parametrize("count, change", [(14_000, "+40.0%"), (9_000, "-10.0%")])
def test_a_count_that_differs_is_told_and_fails_nothing(recorded, count, change):
    status, said = recorded(retrieve=count, insert=50_000, calibration=2_000)
    assert status == 0
    assert f"instructions: retrieve: {change}. If it is wanted, run `Scripts/instructions --record`" in said and "insert:" not in said


def test_a_count_that_rose_by_two_percent_is_in_the_table_only(recorded):
    status, said = recorded(retrieve=10_200, insert=50_000, calibration=2_000)
    assert status == 0 and re.search(r"retrieve +10,200 +10,000 +\+2.0%", said)
    assert "instructions:" not in said


def test_what_is_recorded_is_what_the_next_run_compares_with(recorded):
    assert recorded("--record", retrieve=20_000, insert=50_000, calibration=2_000)[0] == 0
    assert json.loads(recorded.file.read_text())["counts"] == {"retrieve": 20_000, "insert": 50_000, "calibration": 2_000}
    assert "retrieve: " not in recorded(retrieve=20_100, insert=50_000, calibration=2_000)[1]
    assert "retrieve: +5.0%" in recorded(retrieve=21_000, insert=50_000, calibration=2_000)[1]


def test_a_path_whose_count_is_not_recorded_is_new(recorded):
    kept = json.loads(recorded.file.read_text())
    del kept["counts"]["insert"]
    recorded.file.write_text(json.dumps(kept))
    status, said = recorded(retrieve=10_000, insert=50_000, calibration=2_000)
    assert status == 0 and re.search(r"insert +50,000 +0 +new", said)


@pytest.mark.parametrize("name", ["architecture", "libc", "sqlite", "swift", "valgrind"])
def test_what_differs_in_the_system_of_the_recorded_counts_is_told(recorded, name):
    kept = json.loads(recorded.file.read_text())
    kept["machine"][name] = "another"
    recorded.file.write_text(json.dumps(kept))
    status, said = recorded(retrieve=15_000, insert=50_000, calibration=2_000)
    assert status == 0
    assert re.search(r"retrieve +15,000 +10,000 +\+50.0%", said)
    assert f"the recorded counts come from another system: {name} is" in said


def test_a_system_that_counts_foreign_work_otherwise_is_told(recorded):
    status, said = recorded(retrieve=15_000, insert=50_000, calibration=2_030)
    assert status == 0
    assert "the path that calls nothing of Aquifer differs by +1.5%" in said


def test_a_path_that_fails_is_an_error(recorded):
    status, said = recorded(retrieve=10_000, insert=50_000, calibration=2_000, broken="insert")
    assert status == 1 and "HotPaths: it failed" in said


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
