"""The scripts themselves."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest


def test_every_python_file_compiles(root):
    files = [*root.glob("Scripts/**/*.py"), *root.glob("Tests/**/*.py"), root / "Scripts/check-readme"]
    assert len(files) > 10
    for file in files:
        compile(file.read_text(), str(file), "exec", dont_inherit=True)


def test_every_script_can_be_run_and_every_shell_script_is_well_formed(root):
    scripts = [file for file in (root / "Scripts").iterdir() if file.is_file() and not file.suffix]
    assert {"setup", "test", "check", "crash", "stress", "docs", "check-readme"} <= {script.name for script in scripts}
    for script in [*scripts, root / ".ci/run"]:
        assert os.access(script, os.X_OK), script
        if "bash" in script.read_text().splitlines()[0]:
            subprocess.run(["bash", "-n", str(script)], check=True, timeout=30)


def test_setup_says_nothing_when_nothing_is_missing(root):
    """These tests run after `make setup`: a second time there is nothing to do, and no need of a network."""
    environment = {**os.environ, "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    result = subprocess.run(
        [str(root / "Scripts/setup")], capture_output=True, text=True, timeout=30, env=environment)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_help_lists_every_target(root):
    listed = subprocess.run(["make", "help"], cwd=root, capture_output=True, text=True, timeout=30, check=True).stdout
    for target in ("setup", "run", "test", "check", "format", "bench", "bench-compare", "crash", "stress", "docs", "screenshots", "clean"):
        assert f"make {target} " in listed


@pytest.mark.parametrize(
    "test, check, status, total",
    [
        ("echo '3 passed, 0 failed'", "true", 0, "3 passed, 0 failed"),
        ("echo '3 passed, 0 failed, 1 skipped'", "true", 0, "3 passed, 0 failed"),
        ("echo '2 passed, 1 failed'; false", "true", 1, "2 passed, 1 failed"),
        ("echo '3 passed, 0 failed'", "false", 1, "3 passed, 1 failed"),
        ("echo '2 passed, 1 failed'; false", "false", 1, "2 passed, 2 failed"),
        ("echo 'error: it does not build'; false", "true", 1, "0 passed, 1 failed"),
    ],
)
def test_the_last_line_of_ci_is_the_total_and_its_status_tells_the_same(root, tmp_path, test, check, status, total):
    (tmp_path / ".ci").mkdir()
    shutil.copy(root / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / "Makefile").write_text(f"test:\n\t@{test}\ncheck:\n\t@{check}\n")
    result = subprocess.run([str(tmp_path / ".ci/run")], capture_output=True, text=True, timeout=30)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (status, total), result.stdout + result.stderr


def test_ci_tells_at_its_end_what_failed(root, tmp_path):
    (tmp_path / ".ci").mkdir()
    shutil.copy(root / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / "Makefile").write_text(
        "test:\n\t@echo 'failed: Suite bad()'; echo '    no'; echo '1 passed, 1 failed'; false\n"
        "check:\n\t@echo 'check: format'; echo 'a.swift: error: wrong'; false\n"
    )
    result = subprocess.run([str(tmp_path / ".ci/run")], capture_output=True, text=True, timeout=30)
    end = result.stdout.splitlines()[-4:]
    assert end == ["make check failed: see above", "failed: Suite bad()", "    no", "1 passed, 2 failed"]
    assert "a.swift: error: wrong" in result.stdout


@pytest.mark.parametrize(
    "seconds, said, status, word",
    [
        ("30", "✔ Test a passed", 0, "it was not built, and no test ran"),
        ("900", "✔ Test a passed", 0, "1 tests passed without a race"),
        ("900", "✘ Test a failed", 1, "✘ Test a failed"),
        ("900", "WARNING: ThreadSanitizer: data race", 1, "data race"),
    ],
)
def test_a_sanitizer_that_had_too_little_time_says_so_and_hides_no_failure(root, tmp_path, seconds, said, status, word):
    # All parts but the sanitizer's tests pass at once. These end as `timeout` ends them.
    (tmp_path / "Scripts").mkdir()
    for name in ("check", "watched"):
        shutil.copy(root / "Scripts" / name, tmp_path / "Scripts" / name)
    swift = f"""case "$*" in test*) echo "{said}"; exit 124 ;; esac"""
    files = {"swift": swift, "timeout": 'shift 3; exec "$@"', ".build/venv/bin/python": "exit 0"}
    steps = set(re.findall(r"^Scripts/[\w-]+", (root / "Scripts/check").read_text(), re.MULTILINE))
    assert steps, "Scripts/check calls its steps in another way"
    files |= dict.fromkeys(steps - {"Scripts/check", "Scripts/watched"}, "exit 0")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "AQUIFER_CHECK_SECONDS": seconds}
    result = subprocess.run(
        [tmp_path / "Scripts/check"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=30
    )
    assert result.returncode == status and word in result.stdout, result.stdout + result.stderr
    assert ("NOT FINISHED" in result.stdout) == (status == 0)


#: These stand in for pytest, node, swift and the worlds. Each writes a report of one test that passed, or ends before.
PYTHON = """#!/bin/bash
[ "$1" = -m ] || exec {python} "$@"
folder=${{@: -1}}
echo "tests of $folder"
[ "$(basename "$folder")" != "$CRASHES" ] || exit 139
while [ "$1" != --junit-xml ]; do shift; done
echo '<testsuite><testcase name="good()"/></testsuite>' > "$2"
"""
NODE = """#!/bin/bash
for word; do
    case "$word" in --test-reporter-destination=*) report=${word#*=} ;; esac
done
echo '<testsuite><testcase name="page"/></testsuite>' > "$report"
"""
SWIFT = """#!/bin/bash
[ "$1" != "$CRASHES" ] || kill -INT $$
while [ $# != 0 ] && [ "$1" != --xunit-output ]; do shift; done
[ $# = 0 ] || echo '<testsuite><testcase name="swift()"/></testsuite>' > "${2%.xml}-swift-testing.xml"
"""
WORLDS = """#!/bin/bash
if [ "$1" = --help ]; then echo '  --world NAME     one of: fair, stormy'; exit; fi
[ "$2" != "$CRASHES" ] || exit 139
[ "$2" != "$UNSUPPORTED" ] || exit 3
if [ "$2" = "$FAILS" ]; then
    printf '%s\\n' "$2, seed 7: FAILED: it rains" '  history:' '    0.1 world: FAILED: it rains' \
        '  schedule, the last 1 of 30 steps:' '    30 0.1 rain: a job (1 of 1)' "  replay: --world $2 --seed 7" "$2: 6 passed, $4 on, 30 steps, trace a1" 'faults: kill 2'
    exit 1
fi
printf '%s\\n' "$2: $6 passed, $4 on, 100 steps, trace a1" 'faults: kill 3, bitFlip 1'
"""


@pytest.mark.parametrize(
    "crashes, end",
    [
        ("nothing", ["8 passed, 0 failed"]),
        ("test", ["failed: swift ended with status 130", "7 passed, 1 failed"]),
        ("Scripts", ["failed: Scripts ended with status 139", "7 passed, 1 failed"]),
        ("stormy", ["failed: Worlds stormy", "7 passed, 1 failed"]),
        ("Browser", ["failed: Browser ended with status 139", "7 passed, 1 failed"]),
        ("build", ["failed: build ended with status 130", "1 passed, 1 failed"]),
    ],
)
def test_every_suite_runs_and_one_that_crashes_counts_also_beside_others(root, tmp_path, crashes, end):
    stand_in(
        tmp_path,
        {
            "bin/swift": SWIFT, "bin/node": NODE, ".build/venv/bin/python": PYTHON.format(python=sys.executable),
            ".build/debug/Worlds": WORLDS,
        })
    (tmp_path / "Scripts").mkdir()
    for name in ("test", "total.py", "simulate", "twice", "watched"):
        shutil.copy(root / "Scripts" / name, tmp_path / "Scripts" / name)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "CRASHES": crashes}
    result = subprocess.run(
        [str(tmp_path / "Scripts/test")], capture_output=True, text=True, timeout=30, env=environment)
    lines = result.stdout.splitlines()
    assert [line for line in lines if line.startswith("failed: ") or line == lines[-1]] == end, result.stdout + result.stderr
    assert result.returncode == (1 if crashes != "nothing" else 0)
    if crashes != "build":
        said = [line.removeprefix("tests of ") for line in lines if line.startswith("tests of ")]
        assert said == ["Tests/Scripts", "Product/Tests/Acceptance", "Product/Tests/Lab", "Product/Tests/Browser"]


def stand_in(folder, programs):
    for name, text in programs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)


def simulate(root, folder, *options, **environment):
    stand_in(folder, {"Worlds": WORLDS})
    result = subprocess.run(
        [str(root / "Scripts/simulate"), "--program", str(folder / "Worlds"), "--junit", str(folder / "Worlds.xml"), *options],
        capture_output=True, text=True, timeout=30, env={**os.environ, **environment})
    cases = ElementTree.parse(folder / "Worlds.xml").getroot().iter("testcase")
    return result, {case.get("name"): case for case in cases}


def test_seeds_are_spread_over_the_worlds_and_what_they_showed_is_added_up(root, tmp_path):
    result, cases = simulate(root, tmp_path, "--seeds", "500", "--jobs", "1")
    assert result.returncode == 0, result.stdout + result.stderr
    faults, total = result.stdout.splitlines()
    # 250 seeds of each world, in pieces of 200 and 50.
    assert faults == "faults: bitFlip 4, kill 12"
    assert total.startswith("fair, stormy: 500 seeds passed, 0 worlds failed; 400 steps, ")
    assert {name: len(case) for name, case in cases.items()} == {"fair": 0, "stormy": 0}


def test_a_seed_that_fails_is_printed_and_reported_with_the_command_that_replays_it(root, tmp_path):
    result, cases = simulate(root, tmp_path, FAILS="stormy")
    replay = f"replay: {tmp_path}/Worlds --world stormy --seed 7"
    assert result.returncode == 1
    assert "stormy, seed 7: FAILED: it rains" in result.stdout and replay in result.stdout
    failure = cases["stormy"].find("failure")
    assert failure.text.splitlines()[2:4] == ["    0.1 world: FAILED: it rains", f"  {replay}"]
    assert cases["fair"].find("failure") is None


def test_a_system_that_cannot_run_simulations_skips_the_worlds(root, tmp_path):
    result, cases = simulate(root, tmp_path, UNSUPPORTED="fair")
    assert result.returncode == 0
    assert "fair: skipped" in result.stdout
    assert cases["fair"].find("skipped") is not None and cases["stormy"].find("skipped") is None
