#!/usr/bin/env python3
"""Histories over real processes, in the manner of Jepsen: `aquifer` in many processes over one data folder, while all goes wrong.

    soak.py [--time SECONDS] [--seed S] [--workers N] [--round SECONDS] [--keep FOLDER]
    soak.py --judge HISTORY

A round has a data folder, a reference remote and a proxy before it. Commands and servers run side by side; from a seed they
are killed, stopped and interrupted, the clock of the day jumps, the network turns into a captive portal, loses answers or is
dead, and the remote is killed and started again. Then all is well again, what is left is sent and asked for, and the judges
read the history. Processes run as the system likes, so that a seed gives the same plan and not the same history: the history
is kept when it is broken, and can be judged again. Exits 1 if a promise was broken.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile
import time

from history import read
from judges import Judge
from rounds import Round, build_clocks


def counted(events):
    """The round in numbers."""
    return {
        "operations": sum(event["event"] in ("done", "answered") for event in events),
        "kills": sum("SIGKILL" in event["sent"] and event["exit"] == -9 for event in events if event["event"] == "done")
        + sum(event["event"] == "server ended" and event["killed"] for event in events),
        "kills of the remotes": sum(event["event"] == "remotes are killed" for event in events),
        "pauses": sum(event["event"] == "server paused" or event["event"] == "signal" and event["signal"] == "SIGSTOP" for event in events),
        "jumps": sum(event["event"] == "jump" for event in events),
        "fates of requests": sum(event["event"] == "fate" for event in events),
    }


def soak(seconds, seed, workers, length, keep=None, say=print):
    """Runs rounds until the time is over. Returns what happened in numbers, and what is broken, with its seed and history."""
    began, total, broken = time.monotonic(), {}, []
    with tempfile.TemporaryDirectory(prefix="aquifer-soak-") as folder:
        library = build_clocks(folder)
        while (left := seconds - (time.monotonic() - began)) > min(5, seconds / 2):
            round = Round(pathlib.Path(folder) / f"round{seed}", seed, library, workers)
            problems = round.run(min(length, left))
            for name, number in counted(round.history.events).items():
                total[name] = total.get(name, 0) + number
            if problems:
                kept = pathlib.Path(keep or tempfile.mkdtemp(prefix="aquifer-history-")) / f"history-{seed}.jsonl"
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(round.folder / "history.jsonl", kept)
                broken += [(seed, problem, kept) for problem in problems]
                for problem in problems:
                    say(f"BROKEN seed {seed}: {problem}")
                say(f"       the history: {kept}")
            shutil.rmtree(round.folder, ignore_errors=True)
            seed += 1
    return total, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=4, help="commands at a time")
    parser.add_argument("--round", type=float, default=20, help="seconds that a data folder lives under harm")
    parser.add_argument("--keep", help="the folder for broken histories")
    parser.add_argument("--judge", help="judge a history again")
    arguments = parser.parse_args()
    if arguments.judge:
        problems = Judge(read(arguments.judge)).judge()
        print("\n".join(problems) or "nothing is broken")
        return 1 if problems else 0
    began = time.monotonic()
    total, broken = soak(arguments.time, arguments.seed, arguments.workers, arguments.round, arguments.keep)
    print(f"{', '.join(f'{number} {name}' for name, number in total.items())} in {time.monotonic() - began:.0f} s; {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
