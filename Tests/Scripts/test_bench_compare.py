"""The comparison of two commits, with workers that only tell figures."""

import os
import shutil
import subprocess
import sys

import pytest

#: Answers each command with the next of its figures, over and over.
WORKER = """#!{python}
import itertools, os, sys
assert os.path.isdir(sys.argv[1])
figures = itertools.cycle({figures})
for line in sys.stdin:
    print(next(figures), flush=True)
"""
STEADY = [1.00, 1.01, 0.99, 1.02, 0.98]


@pytest.fixture
def compare(root, tmp_path):
    """Compares a worker of the base with one of now; the status and what was printed."""
    def compare(base, now, *words):
        programs = []
        for name, figures in (("base", base), ("now", now)):
            program = tmp_path / name
            program.write_text(WORKER.format(python=sys.executable, figures=figures))
            program.chmod(0o755)
            programs += [f"--{name}", str(program)]
        result = subprocess.run(
            [sys.executable, str(root / "Benchmarks/driver/compare.py"), *programs, *words], capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout, result.stderr
    return compare


def test_two_that_are_equal_but_for_noise_pass(compare):
    status, table, _ = compare(STEADY, STEADY[2:] + STEADY[:2], "retrieve-1k", "cached-20")
    assert status == 0 and "SLOWER" not in table
    assert [line.split(" | ")[0] for line in table.splitlines()[2:]] == ["| retrieve-1k", "| cached-20"]


def test_one_that_is_slower_in_all_rounds_fails_and_is_named(compare):
    status, table, errors = compare(STEADY, [figure * 1.1 for figure in STEADY], "retrieve-1k")
    assert status == 1
    assert "slower beyond the spread: retrieve-1k" in errors and "retrieve-1k, once more" in errors
    assert "| 1 s | 1.1 s | 1.10 |" in table and "SLOWER" in table


def test_one_that_is_faster_passes_and_says_so(compare):
    status, table, _ = compare(STEADY, [figure / 2 for figure in STEADY], "insert-1k")
    assert status == 0 and "| 0.50 |" in table and "faster" in table


def test_a_median_that_is_worse_within_the_spread_passes(compare):
    # Worse by a tenth in most rounds, better by as much in every fifth.
    status, _, _ = compare([1.0], [1.1, 1.1, 0.9, 1.1, 1.1], "retrieve-1k", "--rounds", "10")
    assert status == 0


def test_a_loss_that_is_gone_at_the_second_look_passes(compare):
    # The first figure warms up, ten rounds are worse; then they are better.
    status, table, errors = compare([1.0], [1.0] + [1.2] * 10 + [0.9] * 11, "retrieve-1k", "--rounds", "10")
    assert status == 0 and "once more" in errors and "SLOWER" not in table


def test_each_round_runs_both_and_the_order_alternates(root, tmp_path):
    log = tmp_path / "log"
    programs = []
    for name in ("base", "now"):
        program = tmp_path / name
        program.write_text(
            f"#!{sys.executable}\nimport sys\nfor line in sys.stdin:\n    open({str(log)!r}, 'a').write('{name[0]}')\n    print(1, flush=True)\n")
        program.chmod(0o755)
        programs += [f"--{name}", str(program)]
    subprocess.run(
        [sys.executable, str(root / "Benchmarks/driver/compare.py"), *programs, "--rounds", "4", "enqueue"], check=True, timeout=60,
        capture_output=True)
    assert log.read_text() == "bn" + "bnnbbnnb"


def test_an_unknown_work_is_named(compare):
    status, _, errors = compare([1], [1], "flight")
    assert status == 2 and "unknown: flight" in errors


@pytest.fixture
def project(root, tmp_path):
    """A folder with the script, and two commits whose workers tell the figure of their commit."""
    def git(*words):
        return subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words], cwd=tmp_path, check=True, capture_output=True, text=True,
            timeout=60).stdout.strip()

    for name in ("Scripts/bench-compare", "Benchmarks/driver/compare.py", "Benchmarks/driver/peers.py", "Benchmarks/driver/table.py", "Benchmarks/driver/goals.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    (tmp_path / ".gitignore").write_text(".build\n")
    git("init", "--quiet")
    commits = []
    for figure in (1.0, 2.0, 2.0):
        (tmp_path / "Benchmarks/worker.py").write_text(WORKER.format(python=sys.executable, figures=[figure]))
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", "A commit")
        commits.append(git("rev-parse", "HEAD"))
    swift = tmp_path / ".build/swift"
    swift.parent.mkdir()
    swift.write_text('#!/bin/sh\nmkdir -p "$5/.build/release"\ncp "$5/worker.py" "$5/.build/release/Worker"\nchmod +x "$5/.build/release/Worker"\n')
    swift.chmod(0o755)

    def run(*words):
        return subprocess.run(
            [str(tmp_path / "Scripts/bench-compare"), *words], capture_output=True, text=True, timeout=60,
            env={**os.environ, "SWIFT": str(swift)})
    return run, commits, tmp_path


def test_the_worker_of_the_commit_is_built_beside_the_one_of_this_folder(project):
    run, (first, second, _), folder = project
    result = run(first, "--rounds", "4", "retrieve-1k")
    assert result.returncode == 1 and "| 1 s | 2 s | 2.00 |" in result.stdout, result.stderr
    # The same checkout serves for another base.
    (folder / ".build/compare/tree/Benchmarks/.build/kept").touch()
    result = run(second, "--rounds", "4", "retrieve-1k")
    assert result.returncode == 0 and "| 2 s | 2 s | 1.00 |" in result.stdout, result.stderr
    assert (folder / ".build/compare/tree/Benchmarks/.build/kept").exists()


@pytest.mark.parametrize("words, said", [([], "which commit?"), ([""], "which commit?"), (["nowhere"], "there is no commit nowhere")])
def test_without_a_commit_it_says_what_is_missing(project, words, said):
    run, _, _ = project
    result = run(*words)
    assert result.returncode == 64 and said in result.stderr
