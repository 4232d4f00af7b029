"""A service of several replicas under a load of posts, edits and payments, while its processes and its database are killed.

The judges of the soak read the history: nothing acknowledged is lost, and nothing is done twice.
"""

import contextlib
import copy
import http.client
import itertools
import json
import threading
import time
import urllib.error
import urllib.request

import pytest

from between import Between
from history import History
from judges import Judge, value
from operations import RECEIVER, Commands, shortened
from rounds import Remotes
from sessions import CLIP

from cluster import IS_POSSIBLE, running  # of the acceptance tests, which `sessions` has found
from serving import heard

pytestmark = pytest.mark.skipif(not IS_POSSIBLE, reason="there is no nginx")

#: The most that a load, and what is left of it, may take, in seconds. On an idle machine both take a third of that.
BOUND = 120
#: How long a user looks at a page for what becomes of an act, in seconds.
LOOK = 10
#: How many of each kind must have been acknowledged before a load is enough.
ENOUGH = {"page post": 12, "page edit": 4, "page pay": 8, "pay": 3}
CONTACT = 1001


class Visitor:
    """A user at the address of the proxy. Each act has a tab of its own, so that all replicas have some."""

    def __init__(self, base, token):
        self.base, self.token = base, token

    def ask(self, path, body=None):
        """The status of an answer; 0 if none came."""
        request = urllib.request.Request(self.base + path, data=body, headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except (OSError, http.client.HTTPException):
            return 0

    def say(self, screen, tab, intent, **fields):
        name, _, query = screen.partition("?")
        return self.ask(f"/api/screens/{name}/intents?tab={tab}&{query}", json.dumps({"intent": intent, **fields}).encode())

    def look(self, screen, tab, wanted, seconds=LOOK):
        """The first state of a screen that is wanted; `None` if none came in time, or the stream has ended before."""
        name, _, query = screen.partition("?")
        request = urllib.request.Request(
            f"{self.base}/api/screens/{name}/events?tab={tab}&{query}", headers={"Authorization": f"Bearer {self.token}"})
        end = time.monotonic() + seconds
        # A stream that is silent for so long, or breaks, has no such state.
        with contextlib.suppress(OSError, http.client.HTTPException), urllib.request.urlopen(request, timeout=seconds) as stream:
            for state in heard(stream):
                if state is not None and wanted(state):
                    return state
                if time.monotonic() > end:
                    break
        return None

    def post(self, tab, title):
        """Leaves a clip for later. Returns what the form says in the end."""
        form = "audio-compose"
        self.ask(f"/api/screens/{form}/file?tab={tab}&name=clip.mp3", CLIP.read_bytes())
        self.say(form, tab, "title", text=title)
        self.say(form, tab, "later")
        state = self.look(form, tab, lambda state: state["phase"] in ("queued", "sent", "failed"))
        return state and state["phase"]

    def edit(self, tab, title, other):
        """Gives a clip that waits another title. Returns `shown` if the list then shows it so."""
        self.say("audio", tab, "appear")
        found = self.look("audio", tab, lambda state: any(clip["title"] == title for clip in state["clips"]))
        clip = found and next(clip for clip in found["clips"] if clip["title"] == title)
        if not clip or not clip["pending"]:
            return None
        self.say("audio", tab, "edit", id=clip["id"], title=other)
        state = self.look("audio", tab, lambda state: state["error"] or any(clip["title"] == other for clip in state["clips"]))
        return state and ("refused" if state["error"] else "shown")

    def pay(self, tab, cents):
        """Pays a contact. Returns what the page says in the end."""
        screen = f"payment?contact={CONTACT}"
        self.say(screen, tab, "appear")
        if not self.look(screen, tab, lambda state: state["phase"] == "ready" and state["card"]):
            return None
        self.say(screen, tab, "amount", digits=str(cents), edit="1")
        self.say(screen, tab, "code", value="123")
        if not self.look(screen, tab, lambda state: state["canPay"] and state["amount"]["digits"] == str(cents)):
            return None
        self.say(screen, tab, "pay", digits=str(cents))
        state = self.look(screen, tab, lambda state: state["phase"] in ("approved", "unknown", "declined", "failed", "earlier"))
        return state and state["phase"]


class Load:
    """A cluster over remotes that lose answers, and users who post, edit and pay until it is enough."""

    def __init__(self, folder, cluster, between, history):
        self.folder, self.cluster, self.between, self.history = folder, cluster, between, history
        self.visitor = Visitor(cluster.base, cluster.state["token"])
        self.commands = Commands(cluster.environment, history, cluster.common)
        self.over, self.numbers = threading.Event(), itertools.count(1)
        self.failures = []

    def one(self, op, work, **facts):
        """An act of a user, written down as it begins and as it ends."""
        number = self.history.next()
        self.history.note("invoke", id=number, op=op, server="proxy", **facts)
        began, phase = time.monotonic(), work(f"t{number}")
        self.history.note(
            "answered", id=number, op=op, server="proxy", status=200, out=shortened(json.dumps({"phase": phase})),
            seconds=round(time.monotonic() - began, 3), **facts)
        return phase

    def posts(self):
        title = f"clip {next(self.numbers)}"
        self.one("page post", lambda tab: self.visitor.post(tab, title), title=title)

    def edits(self):
        title, other = f"clip {next(self.numbers)}", f"clip {next(self.numbers)}"
        if self.one("page post", lambda tab: self.visitor.post(tab, title), title=title) == "queued":
            self.one("page edit", lambda tab: self.visitor.edit(tab, title, other), title=title, other=other)

    def pays(self):
        cents = 1000 + next(self.numbers)
        self.one("page pay", lambda tab: self.visitor.pay(tab, cents), cents=cents)

    def commands_pay(self):
        cents = 1000 + next(self.numbers)
        self.commands("pay", ["pay", RECEIVER, f"{cents // 100}.{cents % 100:02}", "--cvv-stdin"], "123\n", cents=cents)

    def weather(self):
        """The way to the remotes is closed and opened: clips wait, and are edited meanwhile; answers to payments are lost."""
        for weather in itertools.cycle(("dead", "clear", "lossy answers", "clear")):
            self.between.weather = weather
            if self.over.wait(1.5):
                return

    def guarded(self, work):
        try:
            while not self.over.is_set():
                work()
        except Exception as error:
            self.failures.append(f"the load itself failed: {work.__name__}: {type(error).__name__}: {error}")
            self.over.set()

    def acknowledged(self):
        """The number of acts of each kind whose users were told that they are done."""
        good = ("queued", "sent", "shown", "approved")
        events = list(self.history.events)
        counts = {op: sum(1 for event in events if event["event"] == "answered" and event["op"] == op
                          and json.loads(event["out"])["phase"] in good) for op in ENOUGH}
        counts["pay"] = sum(1 for event in events if event["event"] == "done" and event["op"] == "pay" and event["exit"] == 0)
        return counts

    def run(self, harm):
        """Runs the load while `harm` strikes: a generator that does some harm at each step, and ends when there was enough."""
        works = [self.posts, self.posts, self.edits, self.edits, self.pays, self.pays, self.commands_pay, self.weather]
        threads = [threading.Thread(target=self.guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        end = time.monotonic() + BOUND
        try:
            for _ in harm:
                if self.over.is_set() or time.monotonic() > end:
                    break
            while not self.over.wait(0.1) and any(self.acknowledged()[op] < count for op, count in ENOUGH.items()):
                if time.monotonic() > end:
                    break
        finally:
            self.over.set()
            for thread in threads:
                thread.join()
        assert self.failures == []
        counts = self.acknowledged()
        assert all(counts[op] >= count for op, count in ENOUGH.items()), f"too little was acknowledged in {BOUND} s: {counts}"

    def settle(self):
        """All is well again. What is left is sent and asked for, and the last line of the history says what is true."""
        self.between.weather = "clear"
        run, end, outbox, payments = self.commands, time.monotonic() + BOUND, None, []
        while outbox != [] and time.monotonic() < end:
            for item in outbox or []:
                if item["state"] == "paused":
                    run("outbox retry", ["outbox", "retry", str(item["id"])])
            run("outbox send", ["outbox", "send"])
            outbox = value(run("outbox list", ["outbox", "list"]))
        while time.monotonic() < end:
            payments = value(run("payments list", ["payments", "list"])) or []
            open_ones = [payment for payment in payments if payment["state"] in ("sending", "unknown", "pending")]
            for payment in open_ones:
                facts = {"payment": payment["id"], "cents": round(payment["value"] * 100)}
                checked = value(run("payments check", ["payments", "check", payment["id"]], **facts))
                if not checked or checked["state"] != "approved":
                    run("payments retry", ["payments", "retry", payment["id"], "--cvv-stdin"], "123\n", **facts)
            if payments and not open_ones:
                break
        keys = {event["key"] for event in self.history.events if event["event"] == "posted" and event.get("cents")}
        clips = [clip for clip in self.between.look("/audio/v1/audio")[1]["items"] if clip["title"].startswith("clip ")]
        self.history.note(
            "final", clips=[{"title": clip["title"]} for clip in clips], outbox=outbox or [], payments=payments,
            booked={key: found for key in keys if (found := self.between.booked(key))}, accounts=[], files={}, leftovers=[], opening=[])


@contextlib.contextmanager
def load(folder, seed):
    history = History(folder / "history.jsonl")
    history.note("round", seed=seed, unix=time.time())
    (folder / "config").mkdir()
    remotes = Remotes(folder / "remote", None)
    between = Between(remotes.port, seed, history)
    between.weather = "clear"
    names = ("feed", "payments", "audio", "foaas", "drive")
    try:
        with running(folder, {name: f"http://127.0.0.1:{between.port}/{name}" for name in names}) as cluster:
            cluster.add_card()
            yield Load(folder, cluster, between, history)
    finally:
        between.stop()
        remotes.stop()
        history.close()


def a_replica_each_second(cluster):
    """One replica after the other is killed and started again, so that there are always two, and each second one dies."""
    for replica in itertools.islice(itertools.cycle(cluster.replicas), 20):
        began = time.monotonic()
        replica.kill()
        replica.start()
        yield replica
        time.sleep(max(0, began + 1 - time.monotonic()))


def the_primary(load):
    """The primary of the database is killed, and its replica promoted, in the middle of the load."""
    while any(load.acknowledged()[op] < count // 2 for op, count in ENOUGH.items()):
        yield None
        time.sleep(0.05)
    load.cluster.fail_over()
    load.history.note("the primary was killed and the replica promoted")
    yield None


@pytest.fixture(scope="module")
def killed_replicas(tmp_path_factory):
    """The history of a load under which a replica was killed each second."""
    with load(tmp_path_factory.mktemp("replicas"), 16) as one:
        one.run(a_replica_each_second(one.cluster))
        one.settle()
        return one.history.events


def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice_while_a_replica_is_killed_every_second(killed_replicas):
    assert Judge(killed_replicas).judge() == []


def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice_while_the_database_fails_over(tmp_path):
    with load(tmp_path, 17) as one:
        one.run(the_primary(one))
        one.settle()
    assert Judge(one.history.events).judge() == []


def answered(events, op, phase):
    return next(event for event in events if event["event"] == "answered" and event["op"] == op and json.loads(event["out"])["phase"] == phase)


def lose(final, title):
    final["clips"] = [clip for clip in final["clips"] if clip["title"] != title]


def book_again(events, final):
    final["booked"].update(again=next(iter(final["booked"].values())))


def lose_a_payment(events, final):
    cents = answered(events, "page pay", "approved")["cents"]
    final["payments"] = [payment for payment in final["payments"] if round(payment["value"] * 100) != cents]


def lose_a_booking(events, final):
    cents = answered(events, "page pay", "approved")["cents"]
    final["booked"] = {key: entry for key, entry in final["booked"].items() if round(float(entry["value"]) * 100) != cents}


CHANGES = {
    "was acknowledged and is lost": lambda events, final: [
        lose(final, event["title"]) for event in events if event["event"] == "answered" and event["op"] == "page post"],
    "is at the server 2 times": lambda events, final: final["clips"].append(final["clips"][0]),
    "under its new title, too": lambda events, final: final["clips"].append({"title": answered(events, "page edit", "shown")["title"]}),
    "not at the server under that title": lambda events, final: lose(final, answered(events, "page edit", "shown")["other"]),
    "were paid 2 times": book_again,
    "the record of": lose_a_payment,
    "were shown as paid, and are not booked": lose_a_booking,
}


@pytest.mark.parametrize("words", CHANGES)
def test_a_history_of_pages_with_a_broken_promise_is_blamed(killed_replicas, words):
    events = copy.deepcopy(killed_replicas)
    CHANGES[words](events, events[-1])
    assert any(words in problem for problem in Judge(events).judge())
