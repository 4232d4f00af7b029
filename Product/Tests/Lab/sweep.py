#!/usr/bin/env python3
"""Every failure once: each call that a command makes fails, is cut short, or is the last one, in turn.

    sweep.py [--session NAME]… [--caller NAME]… [--action fail|short|kill|after]… [--each N] [--sample N --seed S] [--jobs N]
             [--state FILE]
    sweep.py --replay "SESSION: CALLER CALL N ACTION"

Prints the table of calls and outcomes, and each broken promise with the words that replay it. Exits 1 if there is one. With
--state, a run that was ended goes on where it was: what has passed is read from the file, and not run again.
"""

import argparse
import collections
import concurrent.futures
import errno
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from sessions import SESSIONS, Broken, Remotes, World, require

#: The error of each call. A call that is not here is counted, and does not fail.
ERRORS = {
    "open": errno.EMFILE, "close": errno.EIO, "read": errno.EIO, "pread": errno.EIO, "write": errno.ENOSPC,
    "pwrite": errno.ENOSPC, "writev": errno.EIO, "fsync": errno.EIO, "fdatasync": errno.EIO, "ftruncate": errno.EIO,
    "rename": errno.EIO, "unlink": errno.EIO, "mkdir": errno.ENOSPC, "link": errno.EIO, "stat": errno.EIO,
    "lstat": errno.EIO, "fstat": errno.EIO, "access": errno.EIO, "chmod": errno.EPERM, "fchmod": errno.EPERM,
    "flock": errno.ENOLCK, "fcntl": errno.ENOLCK, "opendir": errno.EMFILE, "readdir": errno.EIO, "mmap": errno.ENOMEM,
    "malloc": errno.ENOMEM, "calloc": errno.ENOMEM, "realloc": errno.ENOMEM, "socket": errno.EMFILE,
    "socketpair": errno.EMFILE, "connect": errno.ENETUNREACH, "bind": errno.EADDRINUSE, "listen": errno.EADDRINUSE,
    "accept": errno.EMFILE, "send": errno.EPIPE, "sendto": errno.EPIPE, "recv": errno.ECONNRESET,
    "recvfrom": errno.ECONNRESET, "setsockopt": errno.ENOPROTOOPT, "getsockopt": errno.ENOBUFS,
    "getsockname": errno.ENOBUFS, "poll": errno.ENOMEM, "epoll_create1": errno.EMFILE, "epoll_ctl": errno.ENOMEM,
    "epoll_wait": errno.EINTR, "eventfd": errno.EMFILE, "timerfd_create": errno.EMFILE, "pipe": errno.EMFILE,
    "getaddrinfo": -4, "pthread_create": errno.EAGAIN, "getrandom": errno.EIO, "realpath": errno.EIO,
    "readlink": errno.EIO, "utimes": errno.EPERM,
}
ALLOCATIONS = {"malloc", "calloc", "realloc"}
#: Calls after which a kill leaves something else than one before them.
CHANGES = {"open", "write", "pwrite", "fsync", "fdatasync", "ftruncate", "rename", "unlink", "mkdir", "link", "send", "sendto", "recv"}
#: Left out, by design or because nothing follows from them:
LEFT_OUT = {
    ("aquifer", "malloc"), ("aquifer", "calloc"), ("aquifer", "realloc"),  # Swift traps without memory
    ("foundation", "malloc"), ("foundation", "calloc"), ("foundation", "realloc"),  # Swift, too
    # libdispatch traps without them, and its calls count as the program's, of which it is a part.
    ("aquifer", "epoll_create1"), ("aquifer", "epoll_ctl"), ("aquifer", "eventfd"),
    ("sodium", "mmap"), ("sodium", "getrandom"),  # libsodium ends the process when the system has no random numbers
}
SHORT = {"read", "pread", "write", "pwrite"}


class Lab:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.library = self.folder / "faults.so"
        compiler = shutil.which("cc") or shutil.which("clang") or "/opt/swift/usr/bin/clang"
        source = pathlib.Path(__file__).parent / "faults.c"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(self.library), str(source), "-ldl"], check=True)
        self.here = threading.local()
        self.remotes, self.lock, self.number = [], threading.Lock(), 0

    def remotes_of_this_thread(self):
        """A bank and reference remotes a thread: what one run leaves there, another must not see."""
        if not hasattr(self.here, "remotes"):
            with self.lock:
                folder = self.folder / f"remotes{len(self.remotes)}"
                folder.mkdir()
                self.here.remotes = Remotes(folder)
                self.remotes.append(self.here.remotes)
        return self.here.remotes

    def world(self, session):
        with self.lock:
            self.number += 1
            folder = self.folder / f"world{self.number}"
        folder.mkdir()
        world = World(folder, self.remotes_of_this_thread())
        if session.prepare:
            session.prepare(world)
        return world

    def counts(self, session):
        """The outcome without a fault, and how often each call is made."""
        world = self.world(session)
        file = world.folder / "counts"
        baseline = session.start(world, {"LD_PRELOAD": str(self.library), "LAB_COUNT": str(file)})
        baseline.require_honest()
        require(baseline.exit == 0, f"without a fault: {baseline.described}")
        lines = [line.split() for line in file.read_text().splitlines()]
        shutil.rmtree(world.folder)
        return baseline, {(caller, call): int(count) for caller, call, count in lines}

    def strike(self, session, baseline, fault):
        """Runs the session with a fault. Returns the outcome's name, or raises ``Broken``."""
        caller, call, number, action = fault
        world = self.world(session)
        struck = world.folder / "struck"
        code = str(ERRORS[call]) if action == "fail" else action
        try:
            first = session.start(world, {
                "LD_PRELOAD": str(self.library), "LAB_FAULT": f"{caller} {call} {number} {code}", "LAB_STRUCK": str(struck)})
            session.judge(world, first, baseline, killed=action in ("kill", "after"))
            return first.kind if struck.exists() else "not reached"
        finally:
            shutil.rmtree(world.folder, ignore_errors=True)

    def stop(self):
        for remotes in self.remotes:
            remotes.stop()


def numbers_of(count, each):
    """Numbers from 1 to `count`; with `each`, so many of them, from the first to the last."""
    return sorted({1 + (count - 1) * step // max(1, each - 1) for step in range(each)}) if each else range(1, count + 1)


def faults_of(counts, callers, actions, allocations, each=0):
    for (caller, call), count in sorted(counts.items()):
        if caller not in callers or call not in ERRORS or (caller, call) in LEFT_OUT:
            continue
        step = max(1, count // allocations) if call in ALLOCATIONS and allocations and not each else 1
        for number in numbers_of(count, each)[::step]:
            if "fail" in actions:
                yield caller, call, number, "fail"
            if "short" in actions and call in SHORT:
                yield caller, call, number, "short"
            if call in CHANGES:
                for action in ("kill", "after"):
                    if action in actions:
                        yield caller, call, number, action


def written(session, fault):
    return f"{session.name}: {' '.join(map(str, fault))}"


def known(state):
    """What has passed in earlier runs: the outcome by the words of the fault."""
    return dict(json.loads(line) for line in state.read_text().splitlines()) if state and state.exists() else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--session", action="append")
    parser.add_argument("--caller", action="append")
    parser.add_argument("--action", action="append", choices=["fail", "short", "kill", "after"])
    parser.add_argument("--allocations", type=int, default=100, help="allocations a caller that fail; 0 for all")
    parser.add_argument("--each", type=int, default=0, help="so many calls of each kind, from the first to the last; 0 for all")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--replay")
    arguments = parser.parse_args()
    started = time.monotonic()

    with tempfile.TemporaryDirectory(prefix="aquifer-lab-") as folder:
        lab = Lab(folder)
        try:
            return sweep(lab, arguments, started)
        finally:
            lab.stop()


def sweep(lab, arguments, started):
    names = arguments.session
    work, baselines, only = [], {}, None
    if arguments.replay:
        name, _, rest = arguments.replay.partition(": ")
        caller, call, number, action = rest.split()
        names, only = [name], (caller, call, int(number), action)
    for session in SESSIONS:
        if names and session.name not in names:
            continue
        baseline, counts = lab.counts(session)
        baselines[session.name] = baseline
        faults = [only] if only else faults_of(
            counts, arguments.caller or ["aquifer", "sqlite", "curl", "foundation"],
            arguments.action or ["fail", "short", "kill", "after"], arguments.allocations, arguments.each)
        work += [(session, fault) for fault in faults]
    if arguments.sample and arguments.sample < len(work):
        work = random.Random(arguments.seed).sample(work, arguments.sample)

    table, broken = collections.defaultdict(collections.Counter), []
    passed = known(arguments.state)
    for words, outcome in passed.items():
        caller, call, _, action = words.partition(": ")[2].split()
        table[caller, call, action][outcome] += 1
    work = [(session, fault) for session, fault in work if written(session, fault) not in passed]

    def strike(item):
        session, fault = item
        try:
            return item, lab.strike(session, baselines[session.name], fault), None
        except Broken as error:
            return item, "BROKEN", str(error)
        except Exception as error:  # a long run does not end for one
            return item, "BROKEN", f"the lab itself: {type(error).__name__}: {error}"

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (session, fault), outcome, problem in pool.map(strike, work):
            caller, call, _, action = fault
            table[caller, call, action][outcome] += 1
            if problem:
                broken.append((written(session, fault), problem))
                print(f"BROKEN {broken[-1][0]}\n       {problem}", flush=True)
            elif arguments.state:
                with arguments.state.open("a") as file:
                    file.write(json.dumps([written(session, fault), outcome]) + "\n")

    columns = sorted({outcome for row in table.values() for outcome in row})
    print("\n| caller | call | action | runs | " + " | ".join(columns) + " |")
    print("|---|---|---|--:|" + "--:|" * len(columns))
    for (caller, call, action), row in sorted(table.items()):
        cells = " | ".join(str(row[column] or "") for column in columns)
        print(f"| {caller} | {call} | {action} | {sum(row.values())} | {cells} |")
    print(f"\n{len(work)} faults in {time.monotonic() - started:.0f} s, {len(broken)} broken promises")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
