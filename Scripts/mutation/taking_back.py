"""Takes back one mend at a time, and runs what must find it."""

import re
import shlex
import sys

from . import building, mends, programs

#: The most seeds of a world, and how many of them a process runs: a killed process of a simulation keeps its memory.
_SEEDS, _CHUNK = 4000, 200
_PATIENCE = 1800


def run(only, turn, nights):
    """Prints the table. True if each mend was found, and nothing is found without one."""
    chosen = [
        mend for mend in mends.MENDS[turn::nights]
        if not only or any(mend.name == text or mend.name.startswith(f"{text},") for text in only)]
    print("\n| line | taken back | found by | first seed | seconds | in its words |\n|---|---|---|--:|--:|---|", flush=True)
    is_good = True
    for mend in chosen:
        kind, name = mend.finds.split(" ", 1)
        seed, seconds, words = _find(kind, name, str(mend.number))
        is_good = is_good and words is not None
        if words is not None and kind != "world":
            # A sweep that also fails without the mutant has found nothing.
            if _find(kind, name, "0")[2] is not None:
                is_good, words = False, "it fails without the change, too"
        print(f"| {mend.name} | {mend.taken_back} | {name} | {seed or '–'} | {seconds:.1f} | {words or 'not found'} |", flush=True)
    return is_good


def _find(kind, name, number):
    """The first seed, the seconds, and what was said; no words if nothing was found."""
    environment = {
        "AQUIFER_MUTANT": number, "AQUIFER_BIN": str(building.PRODUCTS / "AquiferCLI")}
    if kind == "world":
        return _in_world(name, environment)
    if kind == "suite":
        command = programs.command([name])
    else:
        command = [sys.executable, *shlex.split(name)]
    outcome = programs.run(command, _PATIENCE, environment, building.PACKAGE)
    return None, outcome.seconds, None if outcome.how == "passed" else _short(outcome.words)


def _in_world(name, environment):
    spent = 0.0
    for first in range(1, _SEEDS, _CHUNK):
        command = [building.PRODUCTS / "Worlds", "--world", name, "--from", str(first), "--count", str(_CHUNK)]
        outcome = programs.run(command, _PATIENCE, environment)
        spent += outcome.seconds
        if outcome.how != "passed":
            # Without a seed it is the program that could not run: there may be no such world.
            seed = re.search(r"seed (\d+)", outcome.words)
            found = seed or outcome.how == "crash"
            return seed.group(1) if seed else None, spent, _short(outcome.words) if found else None
    return None, spent, None


def _short(words):
    words = re.sub(r".*FAILED: |✘ Test ", "", words)
    return words.replace("|", "/")[:100]
