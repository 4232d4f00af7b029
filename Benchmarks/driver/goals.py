"""The goals of the works, with the ratios of the runs that were recorded: the table of `Benchmarks/goals.md`."""

import pathlib
import statistics
from dataclasses import dataclass

FILE = pathlib.Path(__file__).parents[1] / "goals.md"
#: The best so far is a median of so many runs in a row.
RUNS = 5


@dataclass
class Goal:
    """A line of the table. `figures` are ratios as the line has them, as texts."""

    sign: str
    limit: float
    figures: list

    def is_met(self, ratio):
        return ratio <= self.limit if self.sign == "≤" else ratio >= self.limit

    @property
    def best(self):
        """The best median of five runs in a row, and the worst that these five may have been before rounding; `None` if there are fewer."""
        if len(self.figures) < RUNS:
            return None
        order = 1 if self.sign == "≤" else -1
        runs = [(order * float(figure), 0.5 * 10 ** -len(figure.partition(".")[2])) for figure in self.figures]
        fives = [runs[at:at + RUNS] for at in range(len(runs) - RUNS + 1)]
        best, worst = min((statistics.median(ratio for ratio, _ in five), max(ratio + rounded for ratio, rounded in five)) for five in fives)
        return order * best, order * worst


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def load():
    """The goals by their works."""
    goals = {}
    for line in FILE.read_text().splitlines():
        if line.startswith("|") and (goal := cells(line)[1].split())[0] in "≤≥":
            goals[cells(line)[0]] = Goal(goal[0], float(goal[1]), cells(line)[2].split())
    return goals


def record(ratios):
    """Writes a run into the table: its ratio at the end of each work's line."""
    lines = FILE.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("|") and (work := cells(line)[0]) in ratios:
            lines[number] = f"{line.rstrip(' |')} {ratios[work]:#.3g} |"
    FILE.write_text("\n".join(lines) + "\n")


def met(pairs):
    """The last line of a run, from its goals and ratios."""
    judged = [goal.is_met(ratio) for goal, ratio in pairs]
    return f"{sum(judged)} of {len(judged)} goals met"
