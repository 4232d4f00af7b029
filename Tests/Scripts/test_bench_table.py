"""The table of the benchmarks, and its verdicts on targets."""

import sys

import pytest


@pytest.fixture
def table(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "Benchmarks/driver"))
    import table
    monkeypatch.setitem(table.KNOWN, "slow", 0.8)
    yield table
    for name in ("table", "known"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("work, ratios, target, verdict, fails", [
    ("quick", [0.4], {"at_most": 0.5}, "holds", False),
    ("quick", [0.6], {"at_most": 0.5}, "MISSED", True),
    ("quick", [0.6], {"at_least": 0.5}, "holds", False),
    ("quick", [0.4], {"at_least": 0.5}, "MISSED", True),
    ("quick", [9], {}, "", False),
    # Known to be missed: by a quarter more at most.
    ("slow", [0.99], {"at_most": 0.5}, "missed, known: 0.8", False),
    ("slow", [1.01], {"at_most": 0.5}, "MISSED", True),
    ("slow", [0.65], {"at_least": 1}, "missed, known: 0.8", False),
    ("slow", [0.63], {"at_least": 1}, "MISSED", True),
    ("slow", [0.4], {"at_most": 0.5}, "holds", False),
    # The target is of one row of a work, and what is known is about the same one.
    ("slow", [9], {}, "", False),
    # The median counts.
    ("slow", [0.1, 0.9, 9], {"at_most": 0.5}, "missed, known: 0.8", False),
])
def test_a_row_says_whether_its_target_holds(table, capsys, work, ratios, target, verdict, fails):
    row = table.Row(work, "ours", "theirs", ratios, **target)
    assert row.cells[-1] == verdict
    assert (table.show([row]) == [row]) == fails
    told = capsys.readouterr().err
    assert ("MISSED: " in told) == fails
    assert ("was 0.8" in told) == (fails and work == "slow")
    assert ("take it out" in told) == (work == "slow" and verdict == "holds")


class Contender:
    """It takes as long as it is told, one figure after the other, and the last one from then on."""

    def __init__(self, *figures):
        self.figures, self.calls = list(figures), 0

    def __call__(self):
        self.calls += 1
        return self.figures.pop(0) if len(self.figures) > 1 else self.figures[0]


def rows_of(table, ours, peer, count=3, **target):
    return list(table.measured(count, {"ours": ours, "peer": peer}, lambda f: [
        table.Row("work", table.duration(f["ours"]), "peer", table.ratios(f["ours"], f["peer"]), **target)]))


def test_a_work_that_holds_is_measured_once(table):
    ours = Contender(0.4)
    [row] = rows_of(table, ours, Contender(1), at_most=0.5)
    assert (row.ratios, row.is_worse) == ([0.4] * 3, False)
    assert ours.calls == 1 + 3  # the first does not count


def test_a_work_that_somebody_else_has_disturbed_is_measured_again_and_all_figures_count(table, capsys):
    [row] = rows_of(table, Contender(9, 9, 9, 0.4), Contender(1), at_most=0.5)
    assert (row.ratios, row.is_worse) == ([9, 9, *[0.4] * 7], False)
    assert "3 times in all: work: 9.00 instead of ≤ 0.5 at first" in capsys.readouterr().err


def test_a_work_that_is_slower_is_missed_in_all_looks(table):
    ours = Contender(0.6)
    [row] = rows_of(table, ours, Contender(1), at_most=0.5)
    assert row.is_worse and len(row.ratios) == 3 * table.LOOKS
    # One good look does not make up for two bad ones.
    [row] = rows_of(table, Contender(*[0.6] * 8, 0.1), Contender(1), at_most=0.5)
    assert row.is_worse


def test_a_known_work_without_a_row_is_told(table, monkeypatch, capsys):
    monkeypatch.setattr(table, "KNOWN", {"slow": 0.8, "renamed": 0.7, "without a target": 0.6})
    rows = [table.Row("slow", "ours", "theirs", [0.9], at_least=1), table.Row("without a target", "ours", "theirs", [1])]
    assert table.known_without_a_row(rows) == ["renamed", "without a target"]
    assert "'renamed'" in capsys.readouterr().err


def test_each_known_row_is_told_of(table, root):
    """A target that is missed has a row in a table that people read."""
    figures = (root / "Benchmarks/README.md").read_text()
    missed = [line.split("|")[1].strip() for line in figures.splitlines() if line.startswith("|") and "missed" in line.casefold()]
    assert set(table.KNOWN) - {"slow"} <= set(missed)
