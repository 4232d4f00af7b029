#!/usr/bin/env python3
"""Hostile remotes and hostile peers: each kind of request gets each kind of harm, from commands and from the server of pages.

    harms.py [--part whole|fields|pages|peers]… [--session NAME]… [--sample N --seed S] [--jobs N]
    harms.py --replay WORDS

Whoever is harmed ends with an honest error or a value, never with a trap; needs at most 64 MiB more than at rest; and works
again afterwards. Others are served meanwhile.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harmed_pages import MEBIBYTE, MOST, MOST_OF_JSON, PAGES, HarmedPages
from hostile import HARMS, VALUES, HostileProxy, places
from more_sessions import ALL
from peers import LIMITS, TEXTS, crowd_out
from sessions import BINARY, BOUND, Broken, Outcome, Remotes, World, require

class HostileRemotes(Remotes):
    """The lab's remotes behind a proxy that does harm."""

    def __init__(self, folder):
        super().__init__(folder)
        self.proxy = HostileProxy(self.addresses)
        self.addresses = dict(self.proxy.addresses)

    def stop(self):
        self.proxy.stop()
        super().stop()


class Harms(HarmedPages):
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.here, self.lock, self.number, self.all = threading.local(), threading.Lock(), 0, []

    @property
    def remotes(self):
        """Remotes of this thread: a harm is to strike nobody else."""
        if not hasattr(self.here, "remotes"):
            folder = self.new("remotes")
            self.here.remotes = HostileRemotes(folder)
            with self.lock:
                self.all.append(self.here.remotes)
        return self.here.remotes

    def new(self, name):
        with self.lock:
            self.number += 1
            folder = self.folder / f"{name}{self.number}"
        folder.mkdir()
        return folder

    def world(self, session):
        world = World(self.new("world"), self.remotes)
        self.remotes.proxy.do(None, None)
        if session.prepare:
            session.prepare(world)
        return world

    def stop(self):
        for remotes in self.all:
            remotes.stop()

    # Commands

    def kinds(self, session):
        """The kinds of requests that a session makes, with a true answer to each, and the memory that it takes."""
        world = self.world(session)
        proxy = self.remotes.proxy
        proxy.seen.clear()
        outcome, peak, _ = measured(session, world)
        require(outcome.exit == 0, f"without harm: {outcome.described}")
        shutil.rmtree(world.folder)
        return dict(proxy.seen), peak, outcome

    def harm(self, session, kind, harm, rest):
        """Runs a session while one kind of request gets harm. Returns the outcome's name."""
        world, proxy = self.world(session), self.remotes.proxy
        try:
            proxy.do(kind, harm)
            drips = isinstance(harm, str) and harm.startswith("dripping")
            outcome, peak, struck = measured(session, world, lambda: drips and proxy.struck)
            struck = proxy.struck
            proxy.do(None, None)
            if not struck:
                return "not reached"
            if outcome.exit != -signal.SIGINT:
                outcome.require_honest()
            most = MOST_OF_JSON if harm in ("many", "deep") else MOST
            require(peak - rest < most, f"it took {(peak - rest) / MEBIBYTE:.0f} MiB more than at rest")
            self.again(session, world, must=isinstance(harm, str))
            return outcome.kind
        finally:
            proxy.do(None, None)
            shutil.rmtree(world.folder, ignore_errors=True)

    def again(self, session, world, must):
        """The same command, without harm, says the truth. What a server said of a payment or an account is kept, and so is
        a list with another content, which is good.
        """
        second = session.start(world)
        second.require_honest()
        if must and session.name in ("feed list", "contacts", "foaas list", "foaas say", "audio list", "drive list", "feed comments"):
            require(second.exit == 0, f"the second try: {second.described}")

def measured(session, world, drips=lambda: False):
    """Runs a session. Returns its outcome, its peak of memory in bytes, and true if it was interrupted."""
    words = [*session.filled(world, session.words), *world.remotes.options(*session.remotes)]
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        given.write(session.input.encode())
        given.seek(0)
        process = subprocess.Popen(
            [BINARY, *words, "--json", "--data", str(world.folder / "data")], stdin=given, stdout=out, stderr=said,
            start_new_session=True, env=world.environment)
        began, peak, signals, dripping = time.monotonic(), 0, 0, None
        while process.poll() is None:
            try:
                found = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())
                peak = max(peak, int(found[1]) * 1024) if found else peak
            except (FileNotFoundError, ProcessLookupError):
                pass
            now = time.monotonic()
            if drips() and dripping is None:
                dripping = now
            # A value may drip for minutes. Its user may leave at any time, at the latest with the second Ctrl-C.
            if dripping and now > dripping + 3 + 1.5 * signals:
                require(signals < 3, "Ctrl-C does not end it")
                process.send_signal(signal.SIGINT)
                signals += 1
            if now > began + BOUND + 10:
                process.kill()
                process.wait()
                raise Broken(f"it had not ended after {BOUND + 10} s")
            time.sleep(0.01)
        out.seek(0), said.seek(0)
        return Outcome(world, session.words, subprocess.CompletedProcess(words, process.returncode, out.read(), said.read())), peak, signals > 0


def work_of(harms, arguments):
    """All that can be done, as (words, work)."""
    parts = arguments.part or ["whole", "fields", "pages", "peers"]
    if "whole" in parts or "fields" in parts:
        for session in ALL:
            if arguments.session and session.name not in arguments.session:
                continue
            kinds, rest, _ = harms.kinds(session)
            for kind, answer in sorted(kinds.items()):
                whole = list(HARMS) if "whole" in parts else []
                fields = [(place, value) for place in places(answer) for value in VALUES] if "fields" in parts and answer is not None else []
                for harm in [*whole, *fields]:
                    name = harm if isinstance(harm, str) else f"{'.'.join(map(str, harm[0])) or 'all'} = {harm[1]}"
                    yield f"{session.name}: {kind}: {name}", lambda s=session, k=kind, h=harm, r=rest: harms.harm(s, k, h, r)
    if "pages" in parts:
        for kind in PAGES:
            for harm in HARMS:
                yield f"pages: {kind}: {harm}", lambda k=kind, h=harm: harms.page(k, h)
    if "pages" in parts:
        for name in ("feed", "contacts", "audio", "foaas-operations", "drive", "drive-account"):
            yield f"pages: fields of {name}", lambda n=name: harms.page_fields(n)
    if "peers" in parts:
        for limit in LIMITS:
            for text in TEXTS:
                yield f"peers: {limit} descriptors: {text}", lambda l=limit, t=text: crowd_out(harms.new("peers"), l, t)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=["whole", "fields", "pages", "peers"])
    parser.add_argument("--session", action="append")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--state", type=pathlib.Path, help="what passed is written here, and not run again")
    parser.add_argument("--replay")
    arguments = parser.parse_args()
    began, broken, outcomes = time.monotonic(), 0, {}
    with tempfile.TemporaryDirectory(prefix="aquifer-harms-") as folder:
        harms = Harms(folder)
        try:
            if arguments.replay and not arguments.part:
                first = arguments.replay.partition(":")[0]
                arguments.part = [first] if first in ("pages", "peers") else ["whole", "fields"]
                arguments.session = [first]
            work = [item for item in work_of(harms, arguments) if arguments.replay in (None, item[0])]
            passed = set(arguments.state.read_text().splitlines()) if arguments.state and arguments.state.exists() else set()
            work = [item for item in work if item[0] not in passed]
            if arguments.sample and arguments.sample < len(work):
                work = random.Random(arguments.seed).sample(work, arguments.sample)

            def run(item):
                try:
                    return item[0], item[1](), None
                except Broken as error:
                    return item[0], "BROKEN", str(error)
                except Exception as error:
                    return item[0], "BROKEN", f"the lab itself: {type(error).__name__}: {error}"

            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                for name, outcome, problem in pool.map(run, work):
                    outcomes[outcome] = outcomes.get(outcome, 0) + 1
                    if problem:
                        broken += 1
                        print(f"BROKEN {name}\n       {problem}", flush=True)
                    elif arguments.state:
                        with arguments.state.open("a") as file:
                            file.write(name + "\n")
        finally:
            harms.stop()
    print(", ".join(f"{name}: {number}" for name, number in sorted(outcomes.items())))
    print(f"{sum(outcomes.values())} harms in {time.monotonic() - began:.0f} s, {broken} broken promises")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
