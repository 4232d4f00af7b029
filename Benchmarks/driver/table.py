"""Rounds, ratios, and the one table that they end in."""

import statistics
import sys
from dataclasses import dataclass

from known import KNOWN, TOLERANCE


@dataclass
class Row:
    """One work, ours beside a peer's. `ratios` has one ratio a round, ours over the peer's."""

    work: str
    ours: str
    peer: str
    ratios: list
    at_most: float = None
    at_least: float = None

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    @property
    def is_missed(self):
        return self.is_beyond(self.at_most, self.at_least)

    @property
    def known(self):
        """The ratio at which the target is known to be missed; `None` if it is not known to be."""
        return KNOWN.get(self.work) if self.target else None

    @property
    def is_worse(self):
        """True if the target is missed, and that is not known, or the work is slower than it is known to be."""
        if self.known is None or not self.is_missed:
            return self.is_missed
        return self.is_beyond(self.known * TOLERANCE, None) if self.at_most is not None else self.is_beyond(None, self.known / TOLERANCE)

    def is_beyond(self, most, least):
        return (most is not None and self.ratio > most) or (least is not None and self.ratio < least)

    @property
    def sign(self):
        return "≤" if self.at_most is not None else "≥"

    @property
    def target(self):
        target = self.at_least if self.at_most is None else self.at_most
        return f"{self.sign} {target:g}" if target is not None else ""

    @property
    def cells(self):
        verdict = (
            "" if not self.target else "holds" if not self.is_missed
            else "MISSED" if self.is_worse else f"missed, known: {self.known:g}")
        return [
            self.work, self.ours, self.peer, f"{self.ratio:.2f}", f"{min(self.ratios):.2f}–{max(self.ratios):.2f}",
            self.target, verdict]


#: A work that would fail the run is measured this many times.
LOOKS = 3

HEAD = ["work", "Aquifer", "beside", "ratio", "spread", "target", ""]


def rounds(count, contenders):
    """Runs each contender once a round, forwards and backwards in turn; `{name: [figure of each round]}`."""
    figures = {name: [] for name in contenders}
    for name in contenders:
        contenders[name]()  # the first time warms caches up, and does not count
    for number in range(count):
        order = list(contenders) if number % 2 == 0 else list(reversed(contenders))
        for name in order:
            figures[name].append(contenders[name]())
    return figures


def extend(figures, count, contenders):
    """Adds the figures of more rounds to those of earlier ones."""
    for name, more in rounds(count, contenders).items():
        figures[name] += more


def measured(count, contenders, rows):
    """The rows of a work: what `rows` makes of the figures of `rounds`.

    If one of them fails, the work is measured again, `LOOKS` times in all, and the rows are made of all figures: on a shared
    machine, a few seconds of somebody else's work move a median further than any tolerance.
    """
    figures = rounds(count, contenders)
    missed = [row for row in rows(figures) if row.is_worse]
    for row in missed:
        progress(f"measured {LOOKS} times in all: {row.work}: {row.ratio:.2f} instead of {row.target} at first")
    for _ in range(LOOKS - 1 if missed else 0):
        extend(figures, count, contenders)
    yield from rows(figures)


def ratios(ours, peers):
    return [a / b for a, b in zip(ours, peers)]


def duration(figures):
    seconds = statistics.median(figures)
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            break
    return f"{seconds / size:.3g} {unit}"


def rate(figures):
    return f"{grouped(round(statistics.median(figures), -2))}/s"


def speed(figures):
    return f"{grouped(statistics.median(figures) / 1e6)} MB/s"


def grouped(number):
    return f"{number:,.0f}".replace(",", " ")


def progress(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def show(rows):
    """Prints the table, and what it says of the targets; the works that fail."""
    lines = [HEAD] + [row.cells for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    for number, line in enumerate(lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    for row in rows:
        if row.is_worse:
            was = f", and was {row.known:g}" if row.known is not None else ""
            progress(f"MISSED: {row.work}: {row.ratio:.2f} instead of {row.target}{was}")
        elif row.known is not None and not row.is_missed:
            progress(f"holds, and was known to be missed: {row.work}: {row.ratio:.2f}; if it holds again, take it out of known.py")
    return [row for row in rows if row.is_worse]


def known_without_a_row(rows):
    """The works of `KNOWN` that have no row with a target; prints them.

    A run of all works must have none: such a work was renamed, or its target was taken away.
    """
    missing = sorted(set(KNOWN) - {row.work for row in rows if row.target})
    for work in missing:
        progress(f"known.py: no row with a target is called {work!r}; correct the name, or take it out")
    return missing


def with_works(options, works):
    """What the command line says, with the works it names. Refuses one that is not known."""
    options.add_argument("works", nargs="*", help=f"some of {', '.join(works)}; all unless told otherwise")
    given = options.parse_args()
    if strangers := set(given.works) - set(works):
        options.error(f"unknown: {', '.join(sorted(strangers))}; known: {', '.join(works)}")
    return given
