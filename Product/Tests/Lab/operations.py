"""What the processes of a soak do: commands of each app over one data folder."""

import json
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time

from sessions import BINARY, BOUND, CARD, CLIP, DRIVE

RECEIVER = "@marina.coelho"


class Nemesis:
    """The signals that one process gets, and when: seconds after it began."""

    def __init__(self, chance, typical):
        moment = chance.uniform(0, 1.3 * typical)
        fate = chance.random()
        self.signals = []
        if fate < 0.4:
            self.signals = [(moment, signal.SIGKILL)]
        elif fate < 0.55:
            self.signals = [(moment, signal.SIGSTOP), (chance.choice([0.1, 0.5, 2, 4]), signal.SIGCONT)]
        elif fate < 0.6:
            self.signals = [(moment, signal.SIGINT)]
        elif fate < 0.65:
            self.signals = [(moment, signal.SIGSTOP), (0.3, signal.SIGKILL)]


class Commands:
    """Runs commands, and writes them into the history."""

    def __init__(self, environment, history, common):
        self.environment, self.history, self.common = environment, history, common
        self.durations, self.lock = {}, threading.Lock()

    def typical(self, name):
        with self.lock:
            return statistics.median(self.durations.get(name, [0.3])[-20:])

    def __call__(self, name, words, input="", chance=None, **facts):
        """Runs a command; if `chance` is given, a nemesis may strike it. Returns the line of its end."""
        number = self.history.next()
        nemesis = Nemesis(chance, self.typical(name)) if chance else None
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
            given.write(input.encode())
            given.seek(0)
            self.history.note("invoke", id=number, op=name, words=words, **facts)
            began = time.monotonic()
            process = subprocess.Popen(
                [BINARY, *words, *self.common, "--json"], stdin=given, stdout=out, stderr=said,
                start_new_session=True, env=self.environment)
            sent, paused, hung = self.wait(process, number, nemesis, 4 * BOUND if name == "outbox send" else BOUND)
            seconds = time.monotonic() - began
            out.seek(0), said.seek(0)
            text, said = out.read().decode(errors="replace"), said.read().decode(errors="replace")
        if not sent:
            with self.lock:
                self.durations.setdefault(name, []).append(seconds)
        return self.history.note(
            "done", id=number, op=name, exit=process.returncode, sent=sent, hung=hung, seconds=round(seconds - paused, 3),
            out=shortened(text), said=said[-600:], **facts)

    def wait(self, process, number, nemesis, bound):
        """Waits for the end. (A sender of many clips may take long.) Returns the signals that were sent, how long the process stood still, and if it hung."""
        sent, paused = [], 0.0
        for delay, number_of_signal in nemesis.signals if nemesis else []:
            try:
                process.wait(delay)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(number_of_signal)
                sent.append(signal.Signals(number_of_signal).name)
                self.history.note("signal", id=number, signal=sent[-1])
                if sent[-1] == "SIGCONT":
                    paused += delay
        try:
            process.wait(bound)
            return sent, paused, False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return sent, paused, True


def shortened(text):
    """A document without what is long and says nothing."""
    return re.sub(r'"waveform":\[[^\]]*\]', '"waveform":[]', text)


def value(done):
    """The value that a command printed, whatever became of it afterwards; `None` if it printed none."""
    try:
        return json.loads(done["out"]).get("value")
    except ValueError:
        return None


class Operations:
    """The commands of one data folder, drawn by chance. Each clip, amount, account and file is made once."""

    def __init__(self, commands, folder, port):
        self.commands, self.folder = commands, folder
        self.lock, self.number = threading.Lock(), 0
        self.in_doubt, self.accounts = [], []
        self.drive = [word.format(key=folder / "id.json", rpc=f"http://127.0.0.1:{port}/drive/rpc") for word in DRIVE]

    def prepare(self):
        """A card, the contacts and a key, before anything goes wrong."""
        for name, words, input in [
            ("cards add", ["cards", "add"], CARD), ("contacts", ["contacts"], ""),
            ("drive keygen", ["drive", "keygen", str(self.folder / "id.json")], ""),
        ]:
            done = self.commands(name, words, input)
            if done["exit"] != 0:
                raise RuntimeError(f"{name}: {done}")

    def next(self):
        with self.lock:
            self.number += 1
            return self.number

    def any(self, chance):
        """Runs one operation."""
        names, weights = zip(*WEIGHTS.items())
        getattr(self, chance.choices(names, weights)[0])(chance)

    def plain(self, chance, *words):
        return self.commands(" ".join(words), list(words), chance=chance)

    def feed(self, chance):
        self.plain(chance, "feed", "list")

    def feed_offline(self, chance):
        self.plain(chance, "feed", "list", "--offline")

    def lists(self, chance):
        self.plain(chance, *chance.choice([
            ("contacts",), ("audio", "list"), ("audio", "list", "--offline"), ("contacts", "--offline"), ("cards", "list"),
            ("foaas", "say", "version"), ("cache", "list"), ("outbox", "list"), ("payments", "list")]))

    def validate(self, chance):
        self.plain(chance, "cache", "validate")

    def post(self, chance):
        title = f"clip {self.next()}"
        later = ["--later"] if chance.random() < 0.7 else []
        self.commands(
            "audio post --later" if later else "audio post", ["audio", "post", str(CLIP), "--title", title, *later],
            chance=chance, title=title)

    def send(self, chance):
        self.plain(chance, "outbox", "send")

    def get(self, chance):
        listed = value(self.commands("audio list", ["audio", "list", "--offline"])) or []
        if listed:
            clip = chance.choice(listed)["id"]
            file = self.folder / f"clip{self.next()}"
            self.commands("audio get", ["audio", "get", clip, "-o", str(file)], chance=chance)

    def pay(self, chance):
        cents = 1000 + self.next()
        self.commands(
            "pay", ["pay", RECEIVER, f"{cents // 100}.{cents % 100:02}", "--cvv-stdin"], "123\n", chance, cents=cents)

    def settle(self, chance):
        """Asks for a payment that is in doubt, or sends it again."""
        listed = value(self.commands("payments list", ["payments", "list"])) or []
        doubtful = [payment for payment in listed if payment["state"] != "approved"]
        if not doubtful:
            return self.pay(chance)
        payment = chance.choice(doubtful)
        facts = {"payment": payment["id"], "cents": round(payment["value"] * 100)}
        if chance.random() < 0.5:
            self.commands("payments check", ["payments", "check", payment["id"]], chance=chance, **facts)
        else:
            self.commands("payments retry", ["payments", "retry", payment["id"], "--cvv-stdin"], "123\n", chance, **facts)

    def create(self, chance):
        name = f"account{self.next()}"
        done = self.commands("drive create", ["drive", "create", name, "1MB", *self.drive], chance=chance, account=name)
        if created := value(done):
            with self.lock:
                self.accounts.append(created["shdwBucket"])

    def upload(self, chance):
        with self.lock:
            account = chance.choice(self.accounts) if self.accounts else None
        if not account:
            return self.create(chance)
        file = self.folder / f"file{self.next()}.txt"
        file.write_text(f"the content of {file.name}\n" * chance.choice([1, 2000]))
        self.commands("drive upload", ["drive", "upload", account, str(file), *self.drive], chance=chance, account=account, file=file.name)

    def drive_lists(self, chance):
        with self.lock:
            account = chance.choice(self.accounts) if self.accounts else None
        self.plain(chance, *(("drive", "files", account) if account and chance.random() < 0.5 else ("drive", "list")), *self.drive)


#: The weight of each operation.
WEIGHTS = {
    "feed": 5, "feed_offline": 4, "lists": 4, "validate": 1, "post": 6, "send": 4, "get": 1, "pay": 5, "settle": 3,
    "create": 1, "upload": 2, "drive_lists": 1,
}
