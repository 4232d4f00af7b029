"""The scripted sessions of the lab: a command of each app, what it needs, and what must be true after it."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Product/Tests/Acceptance"))

from payments_remote import PaymentsRemote  # noqa: E402

# A background job of a shell without job control ignores Ctrl-C, and so does each command that it starts. A command that ignores
# Ctrl-C is right not to end. The commands of the lab must hear it, however the lab was started.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

BINARY = os.environ.get("AQUIFER_BIN", str(ROOT / ".build/aquifer"))
CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"
CARD = "4242424242424242\nAna de Testes\n12/39\n"
#: The longest that a command may take, in seconds. The patience of the stores and of the network is far below it.
BOUND = 40

#: Texts made by chance or by the day.
CHANCE = [
    (r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", "UUID"),
    (r"\b[1-9A-HJ-NP-Za-km-z]{86,88}\b", "SIGNATURE"),
    (r"\b[1-9A-HJ-NP-Za-km-z]{43,44}\b", "ADDRESS"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r'"number":\d+', '"number":0'),
]
#: A sender that was killed leaves its claim on what it sent; it has ended by then.
CLAIMS_HAVE_ENDED = ["--at", "+10m"]
#: `kind` of an error document and its exit code, as docs/json.md has them.
KINDS = {
    "refused": 1, "usage": 64, "invalidData": 65, "notFound": 66, "unavailable": 69, "unwritable": 73, "store": 74,
    "unrecorded": 71, "unknown": 75, "interrupted": 130,
}


class Broken(Exception):
    """A promise that was not kept."""


class Waited(Broken):
    """Somebody waited for longer than allowed: so many seconds."""

    def __init__(self, text, seconds):
        super().__init__(text)
        self.seconds = seconds


def require(condition, text):
    if not condition:
        raise Broken(text)


def require_prompt(seconds, bound, text):
    if seconds > bound:
        raise Waited(text, seconds)


class Remotes:
    """The reference remotes, in processes that no fault reaches, and a bank that counts.

    Clips are posted to "posts", so that "audio" always has the same list.
    """

    def __init__(self, folder):
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        self.processes = []
        self.addresses = self.start()
        self.addresses["posts"] = self.start()["audio"]
        self.bank = PaymentsRemote()
        self.bank.knows_keys = True
        self.addresses["payments"] = self.bank.address

    def start(self):
        process = subprocess.Popen(
            [BINARY, "remotes", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True, env=self.environment)
        self.processes.append(process)
        return {remote["name"]: remote["address"] for remote in json.loads(process.stdout.readline())["value"]}

    def options(self, *names):
        return [word for name in names
                for word in ("--remote", f"{'audio' if name == 'posts' else name}={self.addresses[name]}")]

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait(timeout=20)
        self.bank.stop()


class World:
    """The data of one user, in a folder of their own."""

    def __init__(self, folder, remotes):
        self.folder, self.remotes = pathlib.Path(folder), remotes
        self.name = "n" + uuid.uuid4().hex[:10]
        self.facts = {}

    @property
    def environment(self):
        return {
            **os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
            "SWIFT_BACKTRACE": "enable=no",
        }

    def run(self, *words, input="", fault=None, bound=BOUND):
        """Runs a command; its standard output is one document, or nothing if it was killed or could not write."""
        command = [BINARY, *words, "--json", "--data", str(self.folder / "data")]
        try:
            result = subprocess.run(
                command, input=input.encode(), capture_output=True, timeout=bound, start_new_session=True,
                env={**self.environment, **(fault or {})})
        except subprocess.TimeoutExpired:
            raise Broken(f"{' '.join(words)} had not ended after {bound} s") from None
        return Outcome(self, words, result)

    def copy(self, folder):
        shutil.copytree(self.folder, folder, symlinks=True)
        world = World(folder, self.remotes)
        world.facts = dict(self.facts)
        return world


class Outcome:
    """The outcome of a command: its exit code, and its document."""

    def __init__(self, world, words, result):
        self.words, self.exit = words, result.returncode
        self.said = result.stderr.decode(errors="replace")
        text = result.stdout.decode()
        self.document = None
        if text:
            require(text.count("\n") == 1 and text.endswith("\n"), f"not one line: {text[:300]!r}")
            try:
                self.document = json.loads(text)
            except ValueError:
                raise Broken(f"not a document: {text[:300]!r}") from None
        self.masked = text.replace(str(world.folder), "FOLDER").replace(world.name, "NAME")
        for pattern, name in CHANCE:
            self.masked = re.sub(pattern, name, self.masked)

    @property
    def kind(self):
        if self.document and "error" in self.document:
            return self.document["error"]["kind"]
        if self.exit < 0:
            return f"signal {-self.exit}"
        if self.document and self.document.get("saveError"):
            return "delivered, not saved"
        return "delivered" if self.exit == 0 else f"exit {self.exit}"

    @property
    def value(self):
        require(self.document is not None and "value" in self.document, f"{' '.join(self.words)}: {self.described}")
        return self.document["value"]

    @property
    def described(self):
        return f"exit {self.exit}, {self.masked[:300]} {self.said[:300]}"

    def require_honest(self, killed=False):
        """The outcome is one that the documents allow."""
        if killed and self.exit == -9:
            return
        require(self.exit >= 0, f"it died of signal {-self.exit}: {self.said[-300:]}")
        require(self.exit in {0, *KINDS.values()}, f"the exit code {self.exit}: {self.said[-300:]}")
        if self.document is None:
            require(self.exit == 73, f"no document: {self.described}")
        elif "error" in self.document:
            error = self.document["error"]
            require(error.keys() == {"kind", "message", "exit"} and error["message"], f"an error without its parts: {error}")
            require(KINDS.get(error["kind"]) == error["exit"] == self.exit, f"kind and exit code differ: {self.described}")
        else:
            require("value" in self.document, f"neither value nor error: {self.described}")


class Session:
    """One command, run with a fault, and again without."""

    def __init__(self, name, words, prepare=None, input="", after=None, again=None, remotes=()):
        self.name, self.words, self.input, self.remotes = name, words, input, remotes
        self.prepare, self.after, self.again = prepare, after, again

    def filled(self, world, words):
        return [word.format(name=world.name, folder=world.folder, **world.facts) for word in words]

    def start(self, world, fault=None):
        return world.run(
            *self.filled(world, self.words), *world.remotes.options(*self.remotes), input=self.input, fault=fault)

    def judge(self, world, first, baseline, killed=False):
        """Raises ``Broken`` if a promise was broken."""
        first.require_honest(killed)
        if first.exit == 0:
            value, expected = json.loads(first.masked)["value"], json.loads(baseline.masked)["value"]
            require(value == expected, f"delivered {str(value)[:300]} in place of {str(expected)[:300]}")
        if self.again:
            return self.again(self, world, first)
        second = self.start(world)
        require(second.exit == baseline.exit, f"the second try: {second.described}")
        value, expected = json.loads(second.masked)["value"], json.loads(baseline.masked)["value"]
        require(value == expected, f"the second try delivered {str(value)[:300]} in place of {str(expected)[:300]}")
        if self.after:
            self.after(world)


# Payments: the bank counts.

def with_card(world):
    world.run("contacts", *world.remotes.options("payments"))
    card = world.run("cards", "add", input=CARD)
    require(card.exit == 0, card.described)
    world.facts["booked"] = set(world.remotes.bank.booked)


def payments(world):
    return world.run("payments", "list", *world.remotes.options("payments")).value


def paid_once(session, world, first):
    """The record says what the bank booked; a payment that is not known of becomes known; nothing is paid twice."""
    bank = world.remotes.bank
    listed = payments(world)
    booked = [key for key in bank.booked if key not in world.facts["booked"]]
    require(len(booked) <= 1, f"booked {len(booked)} times")
    require(set(booked) <= {payment["id"] for payment in listed}, "booked, and not in the list")
    if first.exit == 0:
        require(len(booked) == 1, "said to be approved, and not booked")
        states = [payment["state"] for payment in listed if payment["id"] in booked]
        require(states == ["approved"], f"said to be approved, and recorded as {states}")
    for payment in listed:
        if payment["state"] in ("sending", "unknown", "pending"):
            check = world.run("payments", "check", payment["id"], *world.remotes.options("payments"))
            check.require_honest()
    for payment in payments(world):
        if payment["id"] in booked:
            require(payment["state"] == "approved", f"booked, and listed as {payment['state']}")
        else:
            require(payment["state"] != "approved", "listed as approved, and not booked")


def cards_are_whole(world):
    cards = world.run("cards", "list").value
    require(all(card["masked"].endswith("4242") for card in cards), f"the cards are {cards}")


def card_is_kept(session, world, first):
    cards = world.run("cards", "list").value
    before = world.facts.get("cards", 0)
    if first.exit == 0:
        require(len(cards) == before + 1, f"said to be kept, and there are {len(cards)} cards")
    else:
        require(len(cards) in (before, before + 1), f"there are {len(cards)} cards")
    second = world.run("cards", "add", input="374245455400126\nBia de Testes\n12/38\n")
    require(second.exit == 0, f"the second try: {second.described}")


# Audio: titles count.

def clips(world, title):
    value = world.run("audio", "list", title, *world.remotes.options("posts")).value
    return [clip for clip in value if clip["title"] == title]


def posted_once(session, world, first):
    options = world.remotes.options("posts")
    if first.exit == 0:
        require(len(clips(world, world.name)) == 1 or "--later" in session.words, "said to be posted, and not there")
    sent = world.run("outbox", "send", *options, *CLAIMS_HAVE_ENDED)
    sent.require_honest()
    left = world.run("outbox", "list", *options).value
    require(not left, f"the outbox keeps {left}")
    found = len(clips(world, world.name))
    require(found <= 1, f"posted {found} times")
    if first.exit in (0, 75):
        require(found == 1, f"said {first.kind}, and the clip is there {found} times")


def queued(world):
    result = world.run("audio", "post", str(CLIP), "--title", world.name, "--later", *world.remotes.options("posts"))
    require(result.exit == 0, result.described)


def sent_once(session, world, first):
    options = world.remotes.options("posts")
    second = world.run("outbox", "send", *options, *CLAIMS_HAVE_ENDED)
    second.require_honest()
    left = world.run("outbox", "list", *options).value
    require(not left, f"the outbox keeps {left} after: {second.described}")
    found = len(clips(world, world.name))
    require(found == 1, f"posted {found} times")


# Drive: the reference remote signs with a key of its own.

DRIVE = ["--keypair", "{key}", "--rpc", "{rpc}", "--uploader", "5fNmzoLARuV51H6C2upvSbKtkmKcYYhMrFpMg56AjFVz"]


def with_key(world):
    key = world.folder / "id.json"
    result = world.run("drive", "keygen", str(key))
    require(result.exit == 0, result.described)
    drive = world.remotes.addresses["drive"]
    world.facts.update(key=str(key), rpc=f"{drive}/rpc", files=f"{drive}/files")


def drive(world, *words):
    return world.run(
        "drive", *words, *world.remotes.options("drive"), *(word.format(**world.facts) for word in DRIVE))


def created_once(session, world, first):
    listed = [account for account in drive(world, "list").value if account["identifier"] == world.name]
    require(len(listed) <= 1, f"created {len(listed)} times")
    if first.exit == 0:
        require(len(listed) == 1, "said to be created, and not listed")
    if not listed:
        second = drive(world, "create", world.name, "1MB")
        require(second.exit == 0, f"the second try: {second.described}")


def with_account(world):
    with_key(world)
    account = drive(world, "create", world.name, "1MB").value
    (world.folder / "small.txt").write_text("small " + world.name)
    world.facts.update(account=account["shdwBucket"], file=str(world.folder / "small.txt"))


def uploaded(session, world, first):
    if first.exit == 0:
        names = [file["fileName"] for file in drive(world, "files", world.facts["account"]).value]
        require(names == ["small.txt"], f"said to be uploaded, and the account has {names}")
    second = drive(world, "upload", world.facts["account"], world.facts["file"])
    second.require_honest()
    names = [file["fileName"] for file in drive(world, "files", world.facts["account"]).value]
    require(names == ["small.txt"], f"after the second try the account has {names}")


def loaded(*words, remotes):
    def prepare(world):
        result = world.run(*words, *world.remotes.options(*remotes))
        require(result.exit == 0, result.described)
    return prepare


SESSIONS = [
    Session("feed list", ["feed", "list"], remotes=["feed"]),
    Session("feed list, saved", ["feed", "list"], loaded("feed", "list", remotes=["feed"]), remotes=["feed"]),
    Session("feed list, offline", ["feed", "list", "--offline"], loaded("feed", "list", remotes=["feed"]), remotes=["feed"]),
    Session("contacts", ["contacts"], remotes=["payments"]),
    Session("cards add", ["cards", "add"], input=CARD, again=card_is_kept),
    Session("cards list", ["cards", "list"], with_card, remotes=["payments"], after=cards_are_whole),
    Session("pay", ["pay", "@iris.davila", "12.50", "--cvv-stdin"], with_card, input="123\n", again=paid_once,
            remotes=["payments"]),
    Session("foaas say", ["foaas", "say", "version"], remotes=["foaas"]),
    Session("foaas list", ["foaas", "list"], remotes=["foaas"]),
    Session("audio list", ["audio", "list"], remotes=["audio"]),
    Session("audio post", ["audio", "post", str(CLIP), "--title", "{name}"], again=posted_once, remotes=["posts"]),
    Session("audio post, later", ["audio", "post", str(CLIP), "--title", "{name}", "--later"], again=posted_once,
            remotes=["posts"]),
    Session("outbox send", ["outbox", "send"], queued, again=sent_once, remotes=["posts"]),
    Session("outbox list", ["outbox", "list"], queued, again=sent_once, remotes=["posts"]),
    Session("drive create", ["drive", "create", "{name}", "1MB", *DRIVE], with_key,
            again=created_once, remotes=["drive"]),
    Session("drive upload", ["drive", "upload", "{account}", "{file}", *DRIVE],
            with_account, again=uploaded, remotes=["drive"]),
    Session("drive list", ["drive", "list", *DRIVE], with_account, remotes=["drive"]),
    Session("cache list", ["cache", "list"], loaded("feed", "list", remotes=["feed"])),
]
