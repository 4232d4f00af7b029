"""A round of a soak: a data folder, processes over it, what harms them, and what is true in the end."""

import ctypes
import json
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

from between import WEATHERS, Between
from history import History
from judges import TRAPS, Judge, value
from operations import Commands, Operations
from sessions import BINARY, BOUND
from visitors import Page

HERE = pathlib.Path(__file__).parent
HOUR, DAY = 3600, 86_400
#: A time at which the claims of killed senders have ended, whatever their clocks said.
CLAIMS_HAVE_ENDED = ["--at", "+1d"]
#: By how many seconds the clock may be wrong. It is right most of the time.
JUMPS = [0, 0, 0, 2, 70, 10 * 60, 3 * HOUR, 8 * DAY, -2, -HOUR, -8 * DAY]
#: The files of a data folder when all is well. Everything else is a leftover.
KNOWN = re.compile(
    r"(values|pictures|payments|outbox|foaas)\.sqlite(-wal|-shm|-made|-changes)?|foaas\.plist|serve\.token(\.lock)?|sending/door\.lock"
    r"|cards/(lock|cards\.vault|cards\.mark)|audio/(aquifer-downloads(\.lock)?|[0-9a-f]{32}(\.used|\.lock|\.info|-\d+\.data))")


def build_clocks(folder):
    library = pathlib.Path(folder) / "clocks.so"
    compiler = shutil.which("cc") or shutil.which("clang") or "/opt/swift/usr/bin/clang"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(HERE / "clocks.c")], check=True)
    return library


class Clock:
    """The error of the clock that the processes see."""

    def __init__(self, file, history):
        file.write_bytes(struct.pack("q", 0))
        with open(file, "r+b") as opened:
            self.map = mmap.mmap(opened.fileno(), 8)
        self.history = history

    def jump(self, seconds):
        # The history has the new error from the moment before the jump, so that what runs across it is seen to do so.
        self.history.note("jump", seconds=seconds)
        self.history.clock = float(seconds)
        ctypes.c_longlong.from_buffer(self.map).value = int(seconds * 1_000_000_000)


class Remotes:
    """The reference remotes, which are killed and started again on the same port and folder."""

    def __init__(self, folder, environment):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.words = [BINARY, "remotes", "--port", str(self.port), "--data", str(folder), "--json"]
        self.environment = environment
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the reference remotes do not start: {self.process.stderr.read()}")

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=BOUND)
        return self.process.returncode


class Server:
    """A process of `aquifer serve`, with a page that asks it."""

    def __init__(self, round, number):
        self.round, self.number = round, number
        self.said = open(round.folder / f"server{number}.err", "w+b")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", *round.commands.common, "--json"], stdout=subprocess.PIPE, stderr=self.said,
            text=True, start_new_session=True, env=round.environment)
        line = self.process.stdout.readline()
        self.page = None
        if not line:
            self.process.wait()
            round.history.note("server did not start", server=number, said=self.words())
            return
        round.history.note("server", server=number, process=self.process.pid)
        self.before = self.descriptors()
        self.page = Page(round.history, round.operations, json.loads(line)["value"]["address"], number)

    def words(self):
        self.said.seek(0)
        return self.said.read()[-600:].decode(errors="replace")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def pause(self, seconds):
        self.round.history.note("server paused", server=self.number, seconds=seconds)
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def end(self, kill):
        """Kills the process, or asks it to end. A process that had ended by itself was not killed."""
        if self.page and not kill and self.process.poll() is None:
            self.settle()
        kill = kill and self.process.poll() is None
        self.round.history.note("server ends", server=self.number, kill=kill)
        self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        hung = False
        try:
            self.process.wait(BOUND)
        except subprocess.TimeoutExpired:
            hung = True
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        words = self.words()
        self.said.close()
        trap = -self.process.returncode in TRAPS or "Fatal error" in words
        self.round.history.note(
            "server ended", server=self.number, killed=kill and self.process.returncode == -9, hung=hung,
            exit=self.process.returncode, trap=trap, said=words)

    def settle(self):
        """Waits until the server keeps no more descriptors than it needs; transfers and streams end soon."""
        until = time.monotonic() + 20
        while self.descriptors() > self.before + 60 and time.monotonic() < until:
            time.sleep(0.2)
        self.round.history.note("descriptors", server=self.number, before=self.before, after=self.descriptors())


class Round:
    def __init__(self, folder, seed, library, workers):
        self.folder, self.seed, self.workers = pathlib.Path(folder), seed, workers
        self.folder.mkdir(parents=True)
        self.history = History(self.folder / "history.jsonl")
        self.history.note("round", seed=seed, unix=time.time() - (time.monotonic() - self.history.began))
        self.environment = {
            **os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
            "SWIFT_BACKTRACE": "enable=no"}
        self.remotes = Remotes(self.folder / "remote", dict(self.environment))
        self.environment.update(LD_PRELOAD=str(library), LAB_CLOCK=str(self.folder / "clock"))
        self.clock = Clock(self.folder / "clock", self.history)
        self.between = Between(self.remotes.port, seed, self.history)
        self.data = self.folder / "data"
        self.commands = Commands(self.environment, self.history, ["--data", str(self.data), *self.between.options()])
        self.operations = Operations(self.commands, self.folder, self.between.port)
        self.over = threading.Event()
        self.numbers, self.lock = 0, threading.Lock()
        self.failures = []

    def run(self, seconds):
        """Runs the round. Returns what is broken."""
        try:
            self.between.weather = "clear"
            self.operations.prepare()
            self.between.weather = "calm"
            threads = [threading.Thread(target=self.guarded, args=(self.work, number)) for number in range(self.workers)]
            threads += [threading.Thread(target=self.guarded, args=(self.serve, number)) for number in range(2)]
            threads.append(threading.Thread(target=self.guarded, args=(self.harm, 0)))
            for thread in threads:
                thread.start()
            self.over.wait(seconds)
            self.over.set()
            # A sender with a long queue now comes to its end.
            self.between.weather = "clear"
            for thread in threads:
                thread.join()
            if self.failures:
                return self.failures
            self.settle()
        finally:
            self.over.set()
            self.between.stop()
            code = self.remotes.stop()
            self.history.close()
        problems = Judge(self.history.events).judge()
        return problems + ([f"the reference remotes ended with {code}"] if code != 0 else [])

    def guarded(self, work, number):
        try:
            work(random.Random(f"{self.seed}/{work.__name__}/{number}"))
        except Exception as error:
            self.failures.append(f"the soak itself failed: {type(error).__name__}: {error}")
            self.over.set()

    def work(self, chance):
        while not self.over.is_set():
            self.operations.any(chance)

    def serve(self, chance):
        """One server after another. The last one is asked to end when all is well again."""
        while not self.over.is_set():
            with self.lock:
                self.numbers += 1
                number = self.numbers
            server = Server(self, number)
            if server.page is None:
                return self.over.set()
            until = time.monotonic() + chance.uniform(0.5, 6)
            while time.monotonic() < until and not self.over.is_set():
                if chance.random() < 0.1:
                    pause = threading.Thread(target=server.pause, args=(chance.choice([0.2, 1, 3]),))
                    pause.start()
                    server.page.any(chance)
                    pause.join()
                elif server.page.any(chance) is None and server.process.poll() is not None:
                    break
            server.end(kill=chance.random() < 0.8)

    def harm(self, chance):
        """The nemesis of all: the clock, the weather, and the life of the remotes."""
        while not self.over.wait(chance.uniform(0.3, 1.5)):
            match chance.choice(["clock", "clock", "weather", "weather", "remotes"]):
                case "clock":
                    self.clock.jump(chance.choice(JUMPS))
                case "weather":
                    self.between.weather = chance.choice(["calm", "calm", *WEATHERS])
                    self.history.note("weather", weather=self.between.weather)
                case "remotes":
                    self.history.note("remotes are killed")
                    self.remotes.kill()
                    self.over.wait(chance.choice([0, 0.2, 1]))
                    self.remotes.start()
                    self.history.note("remotes are back")

    # The end of a round

    def settle(self):
        """All is well again. What is left is sent and asked for, and the last line of the history says what is true."""
        self.clock.jump(0)
        self.between.weather = "clear"
        self.history.note("weather", weather="clear")
        run, opening = self.commands, []

        def must(name, words, input="", codes=(0,), **facts):
            done = run(name, words, input, **facts)
            if done["exit"] not in codes:
                opening.append(done)
            return value(done) or []

        for item in must("outbox list", ["outbox", "list"]):
            # A post that was interrupted waits for its user's word.
            if item["state"] == "paused":
                must("outbox retry", ["outbox", "retry", str(item["id"])], codes=(0, 75))
        for _ in range(5):
            must("outbox send", ["outbox", "send", *CLAIMS_HAVE_ENDED], codes=(0, 1, 75))
            outbox = must("outbox list", ["outbox", "list"])
            if not outbox:
                break
        for payment in must("payments list", ["payments", "list"]):
            facts = {"payment": payment["id"], "cents": round(payment["value"] * 100)}
            if payment["state"] in ("sending", "unknown", "pending"):
                checked = must("payments check", ["payments", "check", payment["id"]], codes=(0, 69, 75), **facts)
                if not checked or checked["state"] != "approved":
                    must("payments retry", ["payments", "retry", payment["id"], "--cvv-stdin"], "123\n", **facts)
        payments = must("payments list", ["payments", "list"])
        must("cards list", ["cards", "list"])
        must("feed list", ["feed", "list"])
        must("feed list --offline", ["feed", "list", "--offline"])
        must("audio list", ["audio", "list"])
        accounts = must("drive list", ["drive", "list", *self.operations.drive])
        files = {account["storageAccount"]: [file["fileName"] for file in must(
            "drive files", ["drive", "files", account["storageAccount"], *self.operations.drive])] for account in accounts}
        must("cache validate", ["cache", "validate"])
        must("cache list", ["cache", "list"])
        keys = {event["key"] for event in self.history.events if event["event"] == "posted" and event.get("cents")}
        clips = [clip for clip in self.between.look("/audio/v1/audio")[1]["items"] if "clip " in clip["title"]]
        self.history.note(
            "final", clips=[{"title": clip["title"]} for clip in clips], outbox=outbox, payments=payments,
            booked={key: found for key in keys if (found := self.between.booked(key))},
            accounts=accounts, files=files, leftovers=self.leftovers(), opening=opening)

    def leftovers(self):
        names = [str(path.relative_to(self.data)) for path in sorted(self.data.rglob("*")) if not path.is_dir()]
        return [name for name in names if not KNOWN.fullmatch(name)]
