#!/usr/bin/env python3
"""The power is lost: what a command wrote is cut off at any moment, and what it had not flushed may be gone.

    power.py [--session NAME]… [--cuts N] [--seed S] [--jobs N]
    power.py --replay "SESSION: SEED"

A session is run once while everything that changes files is recorded. A cut keeps the changes up to a moment. Of the
later ones among them, it drops any that no flush made durable: a write whose file was not flushed after it, a new or
renamed or deleted name whose folder was not flushed after it. A write may also be kept in part. Then the program is run
again on what is left, and must have kept its promises.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

from sessions import CLAIMS_HAVE_ENDED, SESSIONS, Broken, World, payments, require
from sweep import Lab

#: Bytes that a device writes in one piece.
SECTOR = 512


@dataclasses.dataclass
class Change:
    what: str
    path: str
    other: str
    number: int
    bytes: bytes
    #: The place in the record from which on the change is durable; infinite if nothing flushed it.
    durable: float = float("inf")


def read_record(file):
    data, at, changes = file.read_bytes(), 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        what, number, count, names = data[at:end].decode().split(" ", 3)
        at = end + 1 + int(count)
        path, _, other = names.partition("\t")
        changes.append(Change(what, path, other, int(number), data[end + 1 : at]))
    return changes


def mark_durable(changes):
    for place, change in enumerate(changes):
        if change.what != "flush":
            continue
        for earlier in changes[:place]:
            if earlier.what in ("write", "truncate"):
                flushed = earlier.path == change.path
            else:
                flushed = change.path in (os.path.dirname(earlier.path), os.path.dirname(earlier.other or earlier.path))
            if flushed:
                earlier.durable = min(earlier.durable, place)
    return changes


def apply(change, kept=None):
    """Carries a change out; of a write only the sectors in `kept`, if given."""
    path = pathlib.Path(change.path)
    try:
        if change.what == "write":
            with open(path, "r+b") as file:
                if kept is None:
                    file.seek(change.number)
                    file.write(change.bytes)
                else:
                    for start in kept:
                        file.seek(change.number + start)
                        file.write(change.bytes[start : start + SECTOR])
        elif change.what == "truncate":
            os.truncate(path, change.number)
        elif change.what == "create":
            path.touch(0o600)
        elif change.what == "mkdir":
            path.mkdir(0o700, exist_ok=True)
        elif change.what == "rename":
            os.replace(path, change.other)
        elif change.what == "link":
            os.link(path, change.other)
        elif change.what == "unlink":
            path.unlink()
    except FileNotFoundError:
        pass  # an earlier change that it builds on was lost


def cut(changes, moment, chance):
    """The files of the device after a loss of power at `moment`."""
    losing = chance.random()
    for change in changes[:moment]:
        if change.durable < moment or chance.random() >= losing:
            apply(change)
        elif change.what == "write" and chance.random() < 0.3:
            sectors = range(0, len(change.bytes), SECTOR)
            apply(change, [start for start in sectors if chance.random() < 0.5])


class Judge:
    """The rules of a session after a loss of power."""

    def __init__(self, session):
        self.session = session

    def __call__(self, world, finished, sent, outcome):
        name = self.session.name
        if name == "pay":
            listed = payments(world)
            require(all(payment["state"] != "failed" for payment in listed), f"a payment is listed as {listed}")
            if sent:
                require(listed, "the bank was asked, and no payment is listed")
        elif name == "cards add":
            cards = world.run("cards", "list")
            cards.require_honest()
            if finished:
                require(len(cards.value) == 1, "the card that was kept is gone")
        elif name.startswith("audio post"):
            items = world.run("outbox", "list", *world.remotes.options("posts"))
            items.require_honest()
            require(items.exit == 0, f"the outbox cannot be read: {items.described}")
            if finished and "later" in name:
                require(len(items.value) == 1, "the clip that was queued is gone")
                sent = world.run("outbox", "send", *world.remotes.options("posts"), *CLAIMS_HAVE_ENDED)
                require(sent.exit == 0, f"the clip that was queued is not sent: {sent.described}")
        elif name.startswith("feed"):
            offline = world.run("feed", "list", "--offline", *world.remotes.options("feed"))
            offline.require_honest()
            if offline.exit == 0:
                require(offline.value == outcome.value, "the saved copy is not what was delivered")
        again = self.session.start(world)
        again.require_honest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--session", action="append")
    parser.add_argument("--cuts", type=int, default=100, help="cuts a session")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--replay")
    arguments = parser.parse_args()
    names, seeds = arguments.session or ["feed list", "feed list, saved", "cards add", "pay", "audio post", "audio post, later"], None
    if arguments.replay:
        name, _, seed = arguments.replay.rpartition(": ")
        names, seeds = [name], [int(seed)]
    started, broken, count = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="aquifer-lab-") as folder:
        lab = Lab(folder)
        try:
            for session in [session for session in SESSIONS if session.name in names]:
                problems, number = lose_power(lab, session, seeds or range(arguments.seed, arguments.seed + arguments.cuts), arguments.jobs)
                count += number
                broken += len(problems)
                for seed, problem in problems:
                    print(f"BROKEN {session.name}: {seed}\n       {problem}", flush=True)
        finally:
            lab.stop()
    print(f"{count} losses of power in {time.monotonic() - started:.0f} s, {broken} broken promises")
    return 1 if broken else 0


def lose_power(lab, session, seeds, jobs):
    # One folder, in which the session runs and every cut is made: the record has its paths.
    def one(seeds):
        world = lab.world(session)
        before = world.folder.with_name(world.folder.name + ".before")
        shutil.copytree(world.folder, before, symlinks=True)
        file = lab.folder / (world.folder.name + ".record")
        outcome = session.start(world, {"LD_PRELOAD": str(lab.library), "LAB_RECORD": str(file)})
        require(outcome.exit == 0, f"without a fault: {outcome.described}")
        changes = [
            change for change in mark_durable(read_record(file))
            if change.path.startswith(str(world.folder)) and "-shm" not in change.path or change.what == "send"]
        # Without those of other folders, the places are new.
        problems = []
        mark_durable(changes)
        for seed in seeds:
            chance = random.Random(f"{session.name} {seed}")
            moment = chance.choice([len(changes), chance.randrange(len(changes) + 1)])
            shutil.rmtree(world.folder)
            shutil.copytree(before, world.folder, symlinks=True)
            cut(changes, moment, chance)
            try:
                # `pay` asks for the contacts first: one request, before the one that pays.
                reads = 1 if session.name == "pay" else 0
                sent = [change.what for change in changes[:moment]].count("send") > reads
                Judge(session)(world, moment == len(changes), sent, outcome)
            except Broken as error:
                problems.append((seed, f"cut at {moment} of {len(changes)}: {error}"))
        return problems

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [list(seeds)[start::jobs] for start in range(jobs)]
        problems = [problem for part in pool.map(one, [part for part in parts if part]) for problem in part]
    return sorted(problems), len(list(seeds))


if __name__ == "__main__":
    sys.exit(main())
