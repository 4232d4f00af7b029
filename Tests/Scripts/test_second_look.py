"""A test that failed under load, and passes alone three times, is told and does not stop a change."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

BAD = '<testcase classname="test_toy" name="{}"><failure message="no">it said</failure></testcase>'
GOOD = '<testcase classname="test_toy" name="good"/>'


@pytest.fixture
def look(load_script, tmp_path, monkeypatch):
    """Looks again at the cases of a report; `alone` says what each of them does alone, time after time."""
    script = load_script("second-look")
    runs = []

    def look(names, alone=lambda name, time: True, status="1", suite="Browser"):
        cases = GOOD + "".join(BAD.format(name) for name in names)
        (tmp_path / f"{suite}.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        (tmp_path / f"{suite}.status").write_text(status + "\n")

        def passes(_, case, options):
            runs.append(case.get("name"))
            return alone(case.get("name"), runs.count(case.get("name")))

        monkeypatch.setattr(script, "passes_alone", passes)
        script.main(str(tmp_path))
        total = str(pathlib.Path(__file__).resolve().parents[2] / "Scripts/total.py")
        told = subprocess.run([sys.executable, total, str(tmp_path)], capture_output=True, text=True, timeout=30)
        return told.returncode, told.stdout.splitlines()

    look.runs = runs
    return look


def test_one_that_passes_alone_three_times_is_unsteady(look):
    status, lines = look(["late"])
    assert (status, lines) == (0, ["unsteady: test_toy late", "    it said", "2 passed, 0 failed"])
    assert look.runs == ["late"] * 3


def test_one_that_fails_alone_once_has_failed(look):
    status, lines = look(["broken"], alone=lambda name, time: time < 3)
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")


def test_a_failure_beside_an_unsteady_test_still_fails(look):
    status, lines = look(["late", "broken"], alone=lambda name, time: name == "late")
    assert (status, lines[-1]) == (1, "2 passed, 1 failed")


def test_more_than_three_failures_are_no_accident(look):
    status, lines = look(["a", "b", "c", "d"])
    assert (status, lines[-1]) == (1, "1 passed, 4 failed")
    assert look.runs == []


def test_a_suite_that_crashed_still_fails(look):
    status, lines = look(["late"], status="139")
    assert (status, lines[-1]) == (1, "2 passed, 1 failed")


def case(classname, name):
    return ElementTree.fromstring(f'<testcase classname="{classname}" name="{name}"/>')


def test_a_test_of_pytest_is_run_by_its_name(load_script, root, tmp_path):
    script = load_script("second-look")
    found = case("test_total", "test_no_test_at_all_is_a_failure")
    words = script.command("Scripts", found, tmp_path / "r.xml")
    assert words[-1] == f"{root}/Tests/Scripts/test_total.py::test_no_test_at_all_is_a_failure"
    assert script.passes_alone("Scripts", found)


def test_a_name_that_finds_no_test_has_not_passed(load_script):
    script = load_script("second-look")
    assert not script.passes_alone("Scripts", case("test_total", "test_that_is_not_there"))
    assert not script.passes_alone("Scripts", case("test_nowhere", "test_x"))
    assert not script.passes_alone("Worlds", case("outbox", "seed 7"))


def test_a_swift_test_is_run_by_its_module_suite_and_function(load_script, tmp_path):
    script = load_script("second-look")
    words = script.command("swift", case("AquiferTests.Outer.Inner", "runs(_:in:)"), tmp_path / "r.xml")
    assert words[words.index("--filter") + 1] == r"^AquiferTests[./]Outer[./]Inner[./]runs\(_:in:\)(/|$)"
