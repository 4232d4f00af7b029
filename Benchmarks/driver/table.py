"""Rounds, ratios, and the one table that they end in."""

import statistics
import sys
from dataclasses import dataclass

import goals

#: A median that is worse by less is not called worse.
LEAST = 1.03


def is_slower(found):
    """True if the ratios tell a loss beyond their spread: nine of ten are above 1, and the median is by more than 3 %."""
    above = sum(ratio > 1 for ratio in found)
    return statistics.median(found) > LEAST and above >= len(found) - len(found) // 10


@dataclass
class Row:
    """One work, ours beside a peer's. `ratios` has one ratio a round, ours over the peer's. The goal of a work is for its row that is `judged`."""

    work: str
    ours: str
    peer: str
    ratios: list
    judged: bool = False

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    @property
    def goal(self):
        return goals.load().get(self.work) if self.judged else None

    @property
    def is_worse(self):
        """True if the work got worse beyond the noise: nine of ten rounds are worse than each of the five runs of the best so far."""
        if not self.goal or not self.goal.best:
            return False
        _, worst = self.goal.best
        return is_slower([ratio / worst if self.goal.sign == "≤" else worst / ratio for ratio in self.ratios])

    @property
    def verdict(self):
        """The goal, the best so far, and how the ratio stands to both."""
        if not self.goal:
            return ["", "", ""]
        best = f"{self.goal.best[0]:.2f}" if self.goal.best else f"{len(self.goal.figures)} of {goals.RUNS} runs"
        word = "met" if self.goal.is_met(self.ratio) else "missed"
        return [f"{self.goal.sign} {self.goal.limit:g}", best, f"{word}, WORSE" if self.is_worse else word]

    @property
    def cells(self):
        spread = f"{min(self.ratios):.2f}–{max(self.ratios):.2f}"
        return [self.work, self.ours, self.peer, f"{self.ratio:.2f}", spread, *self.verdict]


HEAD = ["work", "Aquifer", "beside", "ratio", "spread", "goal", "best so far", ""]


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

    If one of them got worse, the work is measured once more, and the rows are made of all figures: on a shared machine, a few seconds of
    somebody else's work move all rounds of a work.
    """
    figures = rounds(count, contenders)
    if worse := [row for row in rows(figures) if row.is_worse]:
        for row in worse:
            progress(f"once more: {row.work}: {row.ratio:.2f} at first, best so far {row.verdict[1]}")
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
    """Prints the table, and names the works that got worse, which it returns."""
    lines = [HEAD] + [row.cells for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    for number, line in enumerate(lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    worse = [row for row in rows if row.is_worse]
    for row in worse:
        goal, best, _ = row.verdict
        print(f"worse: {row.work}: goal {goal}, best so far {best}, now {row.ratio:.2f}")
    return worse


def unmatched(rows, whole):
    """The works that are judged and have no line in `goals.md`, and after a whole run the lines without a row; prints them."""
    works = {row.work for row in rows if row.judged}
    wrong = sorted(works - set(goals.load())) + (sorted(set(goals.load()) - works) if whole else [])
    for work in wrong:
        print(f"goals.md: {work!r} is only {'judged' if work in works else 'there'}; correct the name, or take it out")
    return wrong


def with_works(options, works):
    """What the command line says, with the works it names. Refuses one that is not known."""
    options.add_argument("works", nargs="*", help=f"some of {', '.join(works)}; all unless told otherwise")
    given = options.parse_args()
    if strangers := set(given.works) - set(works):
        options.error(f"unknown: {', '.join(sorted(strangers))}; known: {', '.join(works)}")
    return given
