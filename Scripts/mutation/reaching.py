"""Which suites and worlds reach a mutant, and how long each takes."""

import json
import sys
import tempfile

from . import building, programs

#: How many seeds of a world say what the world reaches.
_SEEDS = 40
#: A suite that takes longer would judge no mutant either.
_PATIENCE = 40


def file():
    return building.SCRATCH / "reached.json"


def kept():
    """What `find` has found last, by the name of a suite or world: its seconds, and the numbers that it reaches."""
    return json.loads(file().read_text())


def find(worlds, only=()):
    """Runs each suite and world once, or only some, without a mutant. One that fails then says nothing, and is left out, and so
    is one that takes too long."""
    found, left_out = (kept() if only else {}), []
    for name in programs.suites() + [programs.WORLDS + world for world in worlds]:
        if only and name not in only:
            continue
        command = programs.command([name]) + (["--count", str(_SEEDS)] if name.startswith(programs.WORLDS) else [])
        with tempfile.NamedTemporaryFile() as trace:
            outcome = programs.run(command, _PATIENCE, {"AQUIFER_MUTANT_TRACE": trace.name})
            reached = sorted({int(line) for line in trace.read().split()})
        if outcome.how != "passed":
            left_out.append(name)
            print(f"mutants: {name} is left out: without a mutant, {outcome.words}", file=sys.stderr, flush=True)
            continue
        found[name] = {"seconds": round(outcome.seconds, 2), "reached": reached}
    file().write_text(json.dumps(found))
    return left_out
