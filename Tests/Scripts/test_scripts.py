"""The scripts themselves."""

import datetime
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
import yaml


def test_every_python_file_compiles(root):
    files = [*root.glob("Scripts/**/*.py"), *root.glob("Tests/**/*.py"), root / "Scripts/check-readme"]
    assert len(files) > 10
    for file in files:
        compile(file.read_text(), str(file), "exec", dont_inherit=True)


def test_every_script_can_be_run_and_every_shell_script_is_well_formed(root):
    scripts = [file for file in (root / "Scripts").iterdir() if file.is_file() and not file.suffix]
    assert {"setup", "test", "check", "crash", "docs", "check-readme"} <= {script.name for script in scripts}
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
    for target in ("setup", "run", "test", "check", "format", "bench", "bench-compare", "crash", "docs", "screenshots", "clean"):
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


def test_ci_prints_the_times_of_its_parts(root, tmp_path):
    (tmp_path / ".ci").mkdir()
    shutil.copy(root / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / "Makefile").write_text(
        "test:\n\t@mkdir -p .build/results; printf 'Lab\\t12\\n' > .build/results/times; echo '1 passed, 0 failed'\n"
        "check:\n\t@printf 'format\\t3\\n' > .build/results/checks\n")
    result = subprocess.run([str(tmp_path / ".ci/run")], capture_output=True, text=True, timeout=30)
    assert "     12  Lab\n      3  check: format\n      0  in all\n" in result.stdout, result.stdout + result.stderr


@pytest.mark.parametrize("seconds, status, word", [(2399, 0, None), (2401, 0, "more than 40 minutes"), (3601, 1, "more than 60 minutes")])
def test_ci_that_takes_too_long_says_so_and_fails(root, tmp_path, seconds, status, word):
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/run").write_text((root / ".ci/run").read_text().replace("took=$SECONDS", f"took={seconds}"))
    (tmp_path / "Makefile").write_text("test:\n\t@echo '1 passed, 0 failed'\ncheck:\n\t@true\n")
    result = subprocess.run(["bash", str(tmp_path / ".ci/run")], capture_output=True, text=True, timeout=30)
    assert result.returncode == status and result.stdout.splitlines()[-1] == f"1 passed, {status} failed"
    assert ("minutes" in result.stdout) == (word is not None) and (word or "") in result.stdout


@pytest.fixture
def nightly(root, tmp_path, load_script):
    """The nightly run with two parts of its own, in a repository with one commit."""
    script = load_script("nightly")
    (tmp_path / "Scripts").mkdir()
    shutil.copy(root / "Scripts/watched", tmp_path / "Scripts/watched")
    (tmp_path / ".gitignore").write_text(".build\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    script.ROOT, script.LOGS = tmp_path, tmp_path / ".build/nightly"
    script.PARTS = {"good": (1, "echo ran >> .build/good"), "bad": (1, "echo what is wrong; exit 3")}
    return script


def test_the_nightly_run_goes_on_with_what_has_not_passed_and_ends_with_a_table(nightly, tmp_path, capsys, monkeypatch):
    for arguments, runs in (([], 1), ([], 1), (["--fresh", "good"], 2)):
        monkeypatch.setattr(sys, "argv", ["nightly", *arguments])
        status = nightly.main()
        output = capsys.readouterr().out
        assert (tmp_path / ".build/good").read_text() == "ran\n" * runs
        if not arguments:
            assert status == 1 and "    what is wrong\n" in output
            assert re.search(r"seconds  result  part\n +\d+  passed  good\n +\d+  failed  bad\n1 passed, 1 failed\n$", output), output


def test_the_workflow_runs_each_part_of_the_nightly_run_and_leaves_time_to_build(root, load_script):
    workflow = yaml.safe_load((root / ".github/workflows/nightly.yml").read_text())
    job, parts = workflow["jobs"]["linux"], load_script("nightly").PARTS
    assert "schedule" in workflow[True]  # `on` is a boolean in YAML 1.1
    assert job["strategy"]["matrix"]["part"] == list(parts)
    assert {"run": "make nightly PART=${{ matrix.part }}"} in job["steps"]
    assert max(minutes for minutes, _ in parts.values()) + 30 <= job["timeout-minutes"] <= 360


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
[ "build-$AQUIFER_TESTS" != "$CRASHES" ] || kill -INT $$
"""
MAKE = """#!/bin/bash
[ "$1 $2 $CRASHES" != "-s program build-program" ] || exit 2
"""
#: The tests of a half of Swift's. The thread sanitizer ends a process in which it has found a race with this status.
XCTEST = """#!/bin/bash
while [ "$1" != --xunit-output ]; do shift; done
echo '<testsuite><testcase name="swift()"/></testsuite>' > "$2"
case "$0" in *-tsan/*) [ engine != "$CRASHES" ] || exit 66 ;; esac
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
        ("nothing", ["9 passed, 0 failed"]),
        ("engine", ["failed: engine ended with status 66", "9 passed, 1 failed"]),
        ("Scripts", ["failed: Scripts ended with status 139", "8 passed, 1 failed"]),
        ("stormy", ["failed: Worlds stormy", "8 passed, 1 failed"]),
        ("Browser", ["failed: Browser ended with status 139", "8 passed, 1 failed"]),
        ("build-engine", [
            "failed: build-engine ended with status 130", "failed: engine ended with status nothing: it never ran", "8 passed, 2 failed"]),
        ("build-program", [
            *(f"failed: {suite} ended with status nothing: it never ran" for suite in ("Acceptance", "Browser", "Lab", "Scripts")),
            "failed: build-program ended with status 2", "5 passed, 5 failed"]),
    ],
)
def test_every_suite_runs_and_one_that_crashes_counts_also_beside_others(root, tmp_path, crashes, end):
    stand_in(
        tmp_path,
        {
            "bin/swift": SWIFT, "bin/make": MAKE, "bin/node": NODE, ".build/venv/bin/python": PYTHON.format(python=sys.executable),
            ".build/debug/Worlds": WORLDS, ".build/debug/AquiferPackageTests.xctest": XCTEST,
            ".build-tsan/debug/AquiferPackageTests.xctest": XCTEST,
        })
    (tmp_path / "Scripts").mkdir()
    for name in ("test", "total.py", "simulate", "watched"):
        shutil.copy(root / "Scripts" / name, tmp_path / "Scripts" / name)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "CRASHES": crashes}
    result = subprocess.run(
        [str(tmp_path / "Scripts/test")], cwd=tmp_path, capture_output=True, text=True, timeout=30, env=environment)
    lines = result.stdout.splitlines()
    assert [line for line in lines if line.startswith("failed: ") or line == lines[-1]] == end, result.stdout + result.stderr
    assert result.returncode == (1 if crashes != "nothing" else 0)
    if crashes != "build-program":
        said = [line.removeprefix("tests of ") for line in lines if line.startswith("tests of ")]
        assert said == ["Tests/Scripts", "Product/Tests/Acceptance", "Product/Tests/Lab", "Product/Tests/Browser"]


def test_the_scripts_are_tested_unless_nothing_of_them_has_changed_within_a_day(root, tmp_path):
    text = (root / "Scripts/test").read_text()
    function = text[text.index("scripts_have_changed() {"):]
    asked = function[:function.index("\n}\n") + 3] + "scripts_have_changed"

    def commit(name, date):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(date)
        environment = {**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        for words in (["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", name]):
            subprocess.run(["git", *words], cwd=tmp_path, check=True, env=environment)

    def has_changed():
        return subprocess.run(["bash", "-c", asked], cwd=tmp_path).returncode == 0

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    commit("Scripts/test", f"{now - datetime.timedelta(days=3):%Y-%m-%dT%H:%M:%SZ}")
    assert has_changed(), "an old head was never tested by the rule"
    commit("Sources/a.swift", f"{now - datetime.timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}")
    assert not has_changed()
    commit("README.md", f"{now - datetime.timedelta(minutes=1):%Y-%m-%dT%H:%M:%SZ}")
    assert has_changed()


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
