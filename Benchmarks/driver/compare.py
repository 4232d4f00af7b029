"""Compares the workers of two commits in one run, work by work: `make bench-compare` calls this.

A round runs the worker of the base and that of now, the next round in reverse order. A work is slower if its ratio (now over base) is above 1 in
all rounds but one in ten, and its median by more than 3 %. A work that seems slower is measured once more, and both measurements count.
"""

import argparse
import shutil
import statistics
import sys
import tempfile

import peers
from table import duration, extend, is_slower, progress, ratios, rounds, with_works

#: The works that need no other program, with the command of the worker for each.
WORKS = {
    "cached-20": ("cached", "resource", 20, 500),
    "cached-1000": ("cached", "resource", 1_000, 20),
    "cached-10000": ("cached", "resource", 10_000, 4),
    "retrieve-1k": ("store", "sqlite", "retrieve", 1 << 10, 5_000),
    "retrieve-64k": ("store", "sqlite", "retrieve", 64 << 10, 2_000),
    "retrieve-1m": ("store", "sqlite", "retrieve", 1 << 20, 100),
    "insert-1k": ("store", "sqlite", "insert", 1 << 10, 1_000),
    "replace-1k": ("store", "sqlite", "replace", 1 << 10, 1_000),
    "replace-64k": ("store", "sqlite", "replace", 64 << 10, 200),
    "file-retrieve-1k": ("store", "file", "retrieve", 1 << 10, 5_000),
    "update-1000": ("live", "resource", 20),
    "enqueue": ("changes", "enqueue", 300),
    "change-1000": ("changes", "followers", 20),
}


def compare(workers, work, count):
    """The figures of both, and the ratio of each round."""
    progress(work)
    contenders = {name: (lambda worker=worker: worker.figures(*WORKS[work])[0]) for name, worker in workers.items()}
    figures = rounds(count, contenders)
    if is_slower(ratios(figures["now"], figures["base"])):
        progress(f"{work}, once more")
        extend(figures, count, contenders)
    return figures, ratios(figures["now"], figures["base"])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--base", required=True, help="the worker of the base, release build")
    options.add_argument("--now", required=True, help="the worker of now, release build")
    options.add_argument("--rounds", type=int, default=10, help="how often each work is run (%(default)s)")
    given = with_works(options, WORKS)
    folders = {name: tempfile.mkdtemp(prefix=f"aquifer-compare-{name}-") for name in ("base", "now")}
    workers = {}
    slower = []
    try:
        for name, folder in folders.items():
            workers[name] = peers.Worker(getattr(given, name), folder)
        print("| work | base | now | now ÷ base | spread | |\n|---|---|---|---|---|---|", flush=True)
        for work in given.works or WORKS:
            figures, found = compare(workers, work, given.rounds)
            word = "SLOWER" if is_slower(found) else "faster" if is_slower([1 / ratio for ratio in found]) else ""
            if word == "SLOWER":
                slower.append(work)
            print(
                f"| {work} | {duration(figures['base'])} | {duration(figures['now'])} | {statistics.median(found):.2f} | "
                f"{min(found):.2f}–{max(found):.2f} | {word} |", flush=True)
    finally:
        for worker in workers.values():
            worker.close()
        for folder in folders.values():
            shutil.rmtree(folder, ignore_errors=True)
    for work in slower:
        print(f"bench-compare: slower beyond the spread: {work}", file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
