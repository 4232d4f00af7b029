#!/usr/bin/env python3
"""Each call is late once: a look-up of a name, a flush, a lock or a read takes seconds, in a session of each app and in a server.

    late.py [--session NAME]… [--delay SECONDS] [--each N] [--sample N --seed S] [--jobs N] [--state FILE]
    late.py --replay "SESSION: CALLER CALL N late|ctrl-c"

A command whose call is late must end with what it delivers otherwise, or with an honest error, and not much later than the
delay. Ctrl-C ends it, at the latest the second one. In the session "serve" a page does what pages do, and leaves; others must
be answered meanwhile as always. With --state, what passed is not run again.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from late_server import SLACK, LateServer
from sessions import BINARY, SESSIONS, Broken, Outcome, require
from sweep import ALLOCATIONS, ERRORS, LEFT_OUT, Lab, numbers_of

CALLERS = ["aquifer", "sqlite", "curl", "foundation", "microhttpd"]

def faults_of(counts, each):
    """The first, the last and some calls between them, of each caller and call."""
    for (caller, call), count in sorted(counts.items()):
        if caller in CALLERS and call in ERRORS and call not in ALLOCATIONS and (caller, call) not in LEFT_OUT:
            for number in numbers_of(count, each):
                yield caller, call, number


class Late(LateServer):
    def __init__(self, folder, delay):
        self.lab, self.delay = Lab(folder), delay

    # Commands

    def command(self, session, baseline, fault):
        """Runs a session with a late call. Returns the outcome's name."""
        caller, call, number, action = fault
        world = self.lab.world(session)
        struck = world.folder / "struck"
        try:
            first, seconds, reached = self.run(session, world, struck, {
                "LD_PRELOAD": str(self.lab.library), "LAB_FAULT": f"{caller} {call} {number} late:{self.delay}",
                "LAB_STRUCK": str(struck)}, action == "ctrl-c")
            if not reached:
                return "not reached"
            require(seconds < self.delay + SLACK, f"it took {seconds:.0f} s")
            if action == "ctrl-c" and first.exit == -signal.SIGINT:
                first.exit = -signal.SIGKILL  # the second Ctrl-C ends it at once
            if action == "ctrl-c":
                self.send_what_is_paused(world)
            session.judge(world, first, baseline, killed=action == "ctrl-c" or first.exit == 130)
            return "ended at once" if first.exit == -signal.SIGKILL else first.kind
        finally:
            shutil.rmtree(world.folder, ignore_errors=True)

    def send_what_is_paused(self, world):
        """A cancelled post is paused. The user may send it again at any time."""
        options = world.remotes.options("posts")
        for item in world.run("outbox", "list", *options).value:
            if item["state"] == "paused":
                world.run("outbox", "retry", str(item["id"]), *options).require_honest()

    def run(self, session, world, struck, environment, interrupts):
        """Runs the command. Returns its outcome, how long it took, and if the call was reached."""
        words = [*session.filled(world, session.words), *world.remotes.options(*session.remotes)]
        began = time.monotonic()
        process = subprocess.Popen(
            [BINARY, *words, "--json", "--data", str(world.folder / "data")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, env={**world.environment, **environment})
        interrupter = threading.Thread(target=self.interrupt, args=(process, struck)) if interrupts else None
        if interrupter:
            interrupter.start()
        try:
            out, said = process.communicate(session.input.encode(), timeout=self.delay + 40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Broken(f"it had not ended {40} s after the delay") from None
        seconds = time.monotonic() - began
        if interrupter:
            interrupter.join()
            # The last one comes before the end of the delay, and it is not the end of the delay that ends the command.
            at_once = process.lab_struck is None or process.lab_ended - process.lab_struck < self.delay - 1
            require(at_once, "Ctrl-C did not end it, not even when it was pressed again")
        result = subprocess.CompletedProcess(words, process.returncode, out, said)
        return Outcome(world, session.words, result), seconds, struck.exists()

    def interrupt(self, process, struck):
        """Presses Ctrl-C once the call is late, and again after a while. On a busy machine the process may see two of them at
        once, which count as one; so there is a third."""
        process.lab_struck = process.lab_ended = None
        while process.poll() is None and not struck.exists():
            time.sleep(0.02)
        struck = time.monotonic()
        for pause in (0.5, 1.5, 1.5):
            try:
                process.wait(pause)
                return
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
        process.lab_struck = struck
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            pass
        process.lab_ended = time.monotonic()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--session", action="append")
    parser.add_argument("--caller", action="append")
    parser.add_argument("--delay", type=int, default=10)
    parser.add_argument("--each", type=int, default=3, help="calls of each kind, from the first to the last")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4 * (os.cpu_count() or 1), help="they wait most of the time")
    parser.add_argument("--state", type=pathlib.Path)
    parser.add_argument("--replay")
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="aquifer-late-") as folder:
        late = Late(folder, arguments.delay)
        try:
            broken, count, table = sweep(late, arguments)
        finally:
            late.lab.stop()
    print("\n| caller | call | runs | outcomes |\n|---|---|--:|---|")
    for (caller, call), row in sorted(table.items()):
        print(f"| {caller} | {call} | {sum(row.values())} | {', '.join(f'{name} {number}' for name, number in sorted(row.items()))} |")
    print(f"\n{count} late calls in {time.monotonic() - began:.0f} s, {broken} broken promises")
    return 1 if broken else 0


def sweep(late, arguments):
    work, baselines, only = [], {}, None
    names = arguments.session or [session.name for session in SESSIONS] + ["serve"]
    if arguments.replay:
        name, _, rest = arguments.replay.partition(": ")
        caller, call, number, action = rest.split()
        names, only = [name], (caller, call, int(number), action)
    sessions = {session.name: session for session in SESSIONS if session.name in names}
    for name, session in sessions.items():
        baselines[name], counts = late.lab.counts(session)
        work += [(name, (*fault, action)) for fault in faults_of(counts, arguments.each) for action in ("late", "ctrl-c")]
    if "serve" in names:
        file = late.lab.folder / "counts"
        late.serve(None, file)
        lines = [line.split() for line in file.read_text().splitlines()]
        counts = {(caller, call): int(count) for caller, call, count in lines}
        work += [("serve", (*fault, "late")) for fault in faults_of(counts, arguments.each)]
    work = [(names[0], only)] if only else [item for item in work if not arguments.caller or item[1][0] in arguments.caller]
    if arguments.sample and arguments.sample < len(work):
        work = random.Random(arguments.seed).sample(work, arguments.sample)
    passed = set(arguments.state.read_text().splitlines()) if arguments.state and arguments.state.exists() else set()
    work = [item for item in work if line_of(*item) not in passed]

    def strike(item):
        name, fault = item
        try:
            return item, late.serve(fault) if name == "serve" else late.command(sessions[name], baselines[name], fault), None
        except Broken as error:
            return item, "BROKEN", str(error)
        except Exception as error:
            return item, "BROKEN", f"the lab itself: {type(error).__name__}: {error}"

    table, broken = collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (name, fault), outcome, problem in pool.map(strike, work):
            table[fault[0], fault[1]][outcome] += 1
            if problem:
                broken += 1
                print(f"BROKEN {line_of(name, fault)}\n       {problem}", flush=True)
            elif arguments.state:
                with arguments.state.open("a") as file:
                    file.write(line_of(name, fault) + "\n")
    return broken, len(work), table


def line_of(name, fault):
    return f"{name}: {' '.join(map(str, fault))}"


if __name__ == "__main__":
    sys.exit(main())
