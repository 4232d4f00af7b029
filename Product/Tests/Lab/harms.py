#!/usr/bin/env python3
"""Hostile remotes and hostile peers: each kind of request gets each kind of harm, from commands and from the server of pages.

    harms.py [--part whole|fields|pages|peers]… [--session NAME]… [--sample N --seed S] [--jobs N]
    harms.py --replay WORDS

Whoever is harmed ends with an honest error or a value, never with a trap; needs at most 64 MiB more than at rest; and works
again afterwards. Others are served meanwhile.
"""

import argparse
import concurrent.futures
import itertools
import json
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

from hostile import HARMS, VALUES, HostileProxy, places
from pages import PICTURES, LabRemote, Probes, Site, identifier, is_shown
from peers import LIMITS, TEXTS, crowd_out
from sessions import BINARY, BOUND, DRIVE, SESSIONS, Broken, Outcome, Remotes, Session, World, require, with_account

MEBIBYTE = 1 << 20
MOST = 64 * MEBIBYTE
#: A million small elements are 3 MB of JSON, and reading JSON takes up to some twenty times its size (SECURITY.md).
MOST_OF_JSON = 20 * 3 * MEBIBYTE + MOST
#: A value may take 32 MiB, and a page asks for forty pictures at once.
MOST_OF_PICTURES = 40 * 32 * MEBIBYTE + MOST
#: How long others wait for an answer of the server of pages, in seconds, on a machine that is busy with other work.
PROMPT = 5.0


def stored(world):
    with_account(world)
    done = world.run("drive", "upload", world.facts["account"], world.facts["file"], *world.remotes.options("drive"),
                     *(word.format(**world.facts) for word in DRIVE))
    require(done.exit == 0, done.described)
    world.facts["location"] = done.value[0]["location"]


def listed(command, name, remote):
    """What makes the first of a list known as `first`."""
    def prepare(world):
        world.facts["first"] = world.run(command, "list", *world.remotes.options(remote)).value[0][name]
    return prepare


#: Beside those of the lab, so that every kind of request is made.
MORE = [
    Session("feed comments", ["feed", "comments", "{first}"], listed("feed", "id", "feed"), remotes=["feed"]),
    Session("feed image", ["feed", "image", "{first}", "-o", "{folder}/picture"], listed("feed", "id", "feed"), remotes=["feed"]),
    Session("audio get", ["audio", "get", "{first}", "-o", "{folder}/sound"], listed("audio", "id", "audio"), remotes=["audio"]),
    Session("drive files", ["drive", "files", "{account}", "--sizes", *DRIVE], stored, remotes=["drive"]),
    Session("drive objects", ["drive", "objects", "{account}", *DRIVE], stored, remotes=["drive"]),
    Session("drive object", ["drive", "object", "{location}", *DRIVE], stored, remotes=["drive"]),
    Session("drive get", ["drive", "get", "{location}", "-o", "{folder}/file", *DRIVE], stored, remotes=["drive"]),
    Session("drive info", ["drive", "info", "{account}", *DRIVE], stored, remotes=["drive"]),
    Session("drive edit", ["drive", "edit", "{account}", "{file}", *DRIVE], stored, remotes=["drive"]),
    Session("drive delete", ["drive", "delete", "{location}", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive add-storage", ["drive", "add-storage", "{account}", "1MB", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive reduce-storage", ["drive", "reduce-storage", "{account}", "10KB", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive make-immutable", ["drive", "make-immutable", "{account}", "--yes", *DRIVE], stored, remotes=["drive"]),
    Session("drive delete-account", ["drive", "delete-account", "{account}", "--yes", *DRIVE], stored, remotes=["drive"]),
]
ALL = [session for session in SESSIONS if session.remotes and "offline" not in session.name] + MORE


class HostileRemotes(Remotes):
    """The lab's remotes behind a proxy that does harm."""

    def __init__(self, folder):
        super().__init__(folder)
        self.proxy = HostileProxy(self.addresses)
        self.addresses = dict(self.proxy.addresses)

    def stop(self):
        self.proxy.stop()
        super().stop()


class Harms:
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
            self.again(session, world)
            return outcome.kind
        finally:
            proxy.do(None, None)
            shutil.rmtree(world.folder, ignore_errors=True)

    def again(self, session, world):
        """The same command, without harm, says the truth. What harm made of a payment or an account may be told for good."""
        second = session.start(world)
        second.require_honest()
        if session.name in ("feed list", "contacts", "foaas list", "foaas say", "audio list", "drive list", "feed comments"):
            require(second.exit == 0, f"the second try: {second.described}")

    # Pages

    def page(self, kind, harm):
        """A server of pages whose remote does harm to one kind of request. Returns the outcome's name."""
        world = self.world(next(session for session in MORE if session.name == "drive info"))
        upstreams = self.remotes.proxy.upstreams
        good = LabRemote(int(upstreams["feed"].port))
        proxy = HostileProxy({
            **{name: upstream.geturl() for name, upstream in upstreams.items()}, "feed": f"http://127.0.0.1:{good.port}/feed"})
        # Half of the feed's pictures come through the proxy, half past it.
        good.feed = lambda headers: feed(proxy.port, good.port)
        facts = {**world.facts, "rpc": f"{proxy.addresses['drive']}/rpc"}
        options = [word for name in ("feed", "payments", "foaas", "audio", "drive") for word in ("--remote", f"{name}={proxy.addresses[name]}")]
        site = Site(world.folder, [*options, *(word.format(**facts) for word in DRIVE)])
        site.account = f"&account={facts['account']}"
        proxy.do(kind, harm)
        try:
            outcome = self.use(site, proxy, kind)
            site.end()
            return outcome
        finally:
            site.kill()
            proxy.stop()
            good.stop()
            shutil.rmtree(world.folder, ignore_errors=True)

    def use(self, site, proxy, kind):
        numbers = itertools.count(PICTURES // 2)

        def picture(number, timeout=40):
            return site.ask(f"/api/screens/feed/images/{identifier(number)}?tab=t", timeout=timeout)[0] == 200

        wanted = proxy.harm
        is_feed = kind.startswith("GET /feed/v1/feed")
        if is_feed:
            proxy.harm = None
        site.screen("feed", "t", lambda state: state.get("items"), 30)
        proxy.harm = wanted
        site.forget_peak()
        rest = site.peak
        probes = Probes(site, **{
            "a page": lambda: site.ask("/index.html")[0] == 200,
            "the state of the connection": lambda: site.ask("/api/connection")[0] == 200,
            "another's picture": lambda: picture(next(numbers)),
            **({} if is_feed else {"a load": lambda: site.ask("/api/feed")[0] == 200})})
        try:
            asked = [
                *((site.ask, f"/api/screens/feed/images/{identifier(number)}?tab=t") for number in range(40)),
                (site.ask, "/api/feed"), (site.post, "p", "hostile clip"), (self.list, site, "drive-account", site.account),
                (self.list, site, "comments", f"&image={identifier(0)}"),
                *((self.list, site, name) for name in ("contacts", "audio", "drive", "foaas-operations")),
            ]
            users = [threading.Thread(target=quietly, args=work, daemon=True) for work in asked]
            for user in users:
                user.start()
            until = time.monotonic() + 12
            while any(user.is_alive() for user in users) and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(1)
        finally:
            probes.stop()
        struck = proxy.struck
        if not struck:
            return "not reached"
        require(site.process.poll() is None, f"the server ended with {site.process.returncode}: {site.words()}")
        most = MOST_OF_JSON if wanted in ("many", "deep") else MOST
        if kind == "GET /feed/pictures/NAME" and wanted in ("endless", "endless list", "many", "deep"):
            most = MOST_OF_PICTURES
        require(site.peak - rest < most, f"it took {(site.peak - rest) / MEBIBYTE:.0f} MiB more than at rest")
        probes.judge(dict.fromkeys(probes.longest, PROMPT))
        proxy.do(None, None)
        require(site.ask("/api/feed")[0] == 200, "afterwards the feed cannot be loaded")
        return "others were served"

    # Fields in pages

    def page_fields(self, name, step=1):
        """One server of pages; each field of each answer that a screen loads is replaced, and the screen loads it anew.

        With `step`, only one of so many replacements is made.
        """
        session = next(session for session in MORE if session.name == "drive info")
        world = self.world(session)
        second = world.run("drive", "create", "second" + world.name, "1MB", *world.remotes.options("drive"),
                           *(word.format(**world.facts) for word in DRIVE))
        require(second.exit == 0, second.described)
        proxy, remotes = self.remotes.proxy, self.remotes
        options = [*remotes.options("feed", "payments", "foaas", "audio", "drive"),
                   *(word.format(**world.facts) for word in DRIVE)]
        site = Site(world.folder, options)
        subject = {"comments": f"&image={identifier(0)}", "drive-account": f"&account={world.facts['account']}"}.get(name, "")
        count = itertools.count()

        def load():
            tab = f"f{next(count)}{subject}"
            try:
                site.screen(name, tab, is_shown, 15)
            except (OSError, KeyError):
                pass  # the judge is whether the server lives

        try:
            proxy.seen.clear()
            load()
            work = [(kind, (place, value)) for kind, answer in sorted(dict(proxy.seen).items()) if answer is not None
                    for place in places(answer) for value in VALUES][::step]
            require(work, f"{name} loads nothing")
            for kind, harm in work:
                proxy.do(kind, harm)
                load()
                words = f"{kind}: {'.'.join(map(str, harm[0]))} = {harm[1]}"
                require(site.process.poll() is None, f"{words}: the server ended with {site.process.poll()}: {site.words()}")
                began = time.monotonic()
                require(site.ask("/api/connection")[0] == 200, f"{words}: no state of the connection")
                require(time.monotonic() - began < PROMPT, f"{words}: others waited")
            proxy.do(None, None)
            site.end()
            return f"{len(work)} fields, others were served"
        finally:
            proxy.do(None, None)
            site.kill()
            shutil.rmtree(world.folder, ignore_errors=True)

    def list(self, site, name, subject=""):
        site.screen(name, "h" + subject, is_shown, 20)


def feed(hostile, good):
    items = [{"id": identifier(number), "image": f"http://127.0.0.1:{hostile if number < PICTURES // 2 else good}/feed/pictures/01.jpg?{number}"}
             for number in range(PICTURES)]
    return 200, {"Content-Type": "application/json"}, json.dumps({"items": items}).encode()


def quietly(work, *arguments):
    try:
        work(*arguments)
    except (OSError, KeyError):
        pass  # a harmed request may fail in any way; the judges ask others


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


PAGES = [
    "GET /feed/pictures/NAME", "GET /feed/v1/feed", "GET /feed/v1/image/ID/comments", "GET /payments/users", "GET /audio/v1/audio",
    "POST /audio/v1/audio", "GET /foaas/operations", "POST /drive/storage-account-info", "POST /drive/list-objects-and-sizes",
    "POST /drive/rpc getTokenAccountBalance", "POST /drive/rpc getBalance",
]


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
