"""Fuzzing: each target has kept inputs, all kept inputs have a target, and they are few."""

import re
import stat
import subprocess

import pytest


@pytest.fixture
def fuzz(load_script):
    return load_script("fuzz")


@pytest.fixture
def stand_in(tmp_path):
    """A program in the place of the fuzzer, with this body."""
    def make(body):
        path = tmp_path / "fuzzer"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path
    return make


def test_each_target_has_kept_inputs_and_each_file_of_inputs_a_target(fuzz):
    assert sorted(f"{name}.txt" for name in fuzz.target_names()) == sorted(path.name for path in fuzz.CORPORA.iterdir())
    assert all(any(fuzz.kept_inputs(name)) for name in fuzz.target_names())


def test_each_file_of_inputs_is_written_as_the_script_writes_it(fuzz):
    for name in fuzz.target_names():
        assert (fuzz.CORPORA / f"{name}.txt").read_text("ascii") == fuzz.kept_text(*fuzz.kept_inputs(name))


def test_every_target_that_the_sources_declare_is_found(fuzz):
    sources = "".join(path.read_text() for path in (fuzz.TESTS / "Targets").glob("*.swift"))
    declared = len(re.findall(r"""\.(?:now|later)\(\s*\"""", sources))
    assert len(fuzz.target_names()) == declared


def test_the_kept_inputs_are_few_and_small(fuzz):
    inputs = [sum(fuzz.kept_inputs(name), []) for name in fuzz.target_names()]
    assert all(len(each) <= fuzz.INPUTS for each in inputs)
    assert sum(map(len, sum(inputs, []))) <= 200_000


def test_what_reached_something_new_is_kept_beside_the_seeds_and_replaces_what_was_found(
    fuzz, stand_in, tmp_path, monkeypatch
):
    monkeypatch.setattr(fuzz, "CORPORA", tmp_path)
    kept = tmp_path / "feed.txt"
    kept.write_text(fuzz.kept_text([b"a seed\r\n"], [b"#100% ", b"\xff"]))
    assert kept.read_text() == f"{fuzz.SEEDS}\na seed%0D%0A\n{fuzz.FOUND}\n%23100%25%20\n%FF\n"
    # The fuzzer is given a folder with the kept inputs and one for new ones; to merge, one for the result before them.
    program = stand_in('if [ "$5" = -merge=1 ]; then cp "$7"/0 "$7"/2 "$8"/* "$6"; else printf "\\0\\\\" > "$9"/new; fi')
    fuzz.fuzz(program, "feed", 1, True)
    assert fuzz.kept_inputs("feed") == [[b"a seed\r\n"], [b"\xff", b"\0\\"]]


def test_a_run_that_finds_nothing_ends_well_and_prints_its_figures(fuzz, stand_in, root):
    program = stand_in(
        'echo "#2 INITED cov: 10 ft: 1" >&2; echo "#9 DONE cov: 15" >&2;'
        'echo "stat::number_of_executed_units: 900" >&2; echo "stat::average_exec_per_sec: 450" >&2')
    ran = subprocess.run(
        [root / "Scripts/fuzz", "--program", program, "--time", "1", "--target", "feed"], capture_output=True, text=True)
    assert ran.returncode == 0
    assert re.search(r"feed +900 inputs +450/s +covered +15, new +5", ran.stdout)


def test_an_input_that_ends_the_process_fails_the_run_and_is_told_with_the_command_that_runs_it_again(
    fuzz, stand_in, root, tmp_path
):
    crash = tmp_path / "crash-1"
    program = stand_in(
        f'echo input > {crash}; echo "Fatal error: feed: broken" >&2; echo "Test unit written to {crash}" >&2; exit 77')
    ran = subprocess.run(
        [root / "Scripts/fuzz", "--program", program, "--time", "1", "--target", "feed"], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "Fatal error: feed: broken" in ran.stdout
    assert f"FUZZ_TARGET=feed SWIFT_BACKTRACE=enable=no {program} {crash}" in ran.stdout


def test_a_fuzzer_that_cannot_run_is_no_success(fuzz, stand_in, root):
    ran = subprocess.run(
        [root / "Scripts/fuzz", "--program", stand_in("exit 1"), "--time", "1", "--target", "feed"], capture_output=True)
    assert ran.returncode == 2


def test_a_target_that_does_not_exist_is_refused_with_the_names_of_those_that_do(root):
    ran = subprocess.run([root / "Scripts/fuzz", "--target", "feeds"], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "no target is called feeds; there are" in ran.stderr
