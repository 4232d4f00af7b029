"""Several `aquifer serve` with one PostgreSQL: replicas, each with a data folder of its own."""

import contextlib
import copy
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

import pytest

from conftest import BINARY, ROOT, Aquifer
from payments_command import DELIVERED, STORE, UNAVAILABLE, USAGE, VISA, Payer
from serving import samples, states
from waiting import wait_until

CLIP = (ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3").read_bytes()
SECRET = "open-sesame"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Program:
    """A server of `Scripts/`, in a folder that it removes."""

    def __init__(self, script):
        self.port, self.folder = free_port(), tempfile.mkdtemp(prefix="aquifer-replicas-", dir="/tmp")
        os.rmdir(self.folder)
        self.process = subprocess.Popen(
            [ROOT / "Scripts" / script, "run", self.folder, str(self.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"ready\n"

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


@pytest.fixture(scope="module")
def postgres():
    server = Program("postgres")
    yield server
    server.stop()


@pytest.fixture
def store(postgres):
    """The address of a database of the test's own, with a password in it."""
    name = f"d{os.urandom(6).hex()}"
    bin_ = sorted(path.parent for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin/createdb"))[-1]
    subprocess.run([bin_ / "createdb", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres", name], check=True)
    return f"postgresql://postgres:{SECRET}@127.0.0.1:{postgres.port}/{name}"


class Machine(Aquifer):
    """A machine with a data folder of its own, which knows the store by its environment. All have one folder of keys, unless
    `keys` names another one."""

    def __init__(self, data, store, cache=None, keys=None):
        super().__init__(data)
        self.store, self.cache = store, cache
        self.config = keys or self.config

    @property
    def environment(self):
        more = {"AQUIFER_CACHE": self.cache} if self.cache else {}
        return {**super().environment, "AQUIFER_STORE": self.store, **more}

    def serve(self, *words, port=0):
        process = subprocess.Popen(
            [BINARY, "serve", "--port", str(port), "--data", str(self.data), *words], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.environment)
        return Replica(process)


class Replica:
    """A server of pages, and a tab of it."""

    def __init__(self, process):
        self.process = process
        self.line = process.stdout.readline()
        link = re.search(r"(http://[\d.:]+)/(?:#token=(\w+))?", self.line)
        assert link, process.stderr.read()
        # Of several users each has a token.
        self.base, self.token = link[1], link[2]

    def as_user(self, token):
        """The same server, for a user."""
        user = copy.copy(self)
        user.token = token
        return user

    def open(self, path, body=None, **headers):
        request = urllib.request.Request(
            self.base + path, data=body, headers={"Authorization": f"Bearer {self.token}", **headers})
        return urllib.request.urlopen(request, timeout=30)

    def status(self, path):
        try:
            with self.open(path) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def json(self, path):
        with self.open(path) as answer:
            return json.loads(answer.read())

    def tell(self, screen, intent, **fields):
        body = json.dumps({"intent": intent, **fields}).encode()
        assert self.open(f"/api/screens/{screen}/intents?tab=tab", body).status == 204

    def states(self, screen):
        """The states of a screen of the tab, as a page gets them."""
        states = States(self.open(f"/api/screens/{screen}/events?tab=tab&lang=en"))
        self.tell(screen, "appear")
        return states

    def choose(self, title):
        assert self.open("/api/screens/audio-compose/file?tab=tab&name=clip.mp3", CLIP).status == 204
        self.tell("audio-compose", "title", text=title)

    def post(self, title):
        self.choose(title)
        self.tell("audio-compose", "later")

    def add_card(self, holder, number="4539578763621486"):
        for field, value in (("number", number), ("holder", holder), ("expiry", "1239")):
            self.tell("card-form", "edit", field=field, value=value)
        self.tell("card-form", "save")

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=20)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class States:
    def __init__(self, answer):
        self.latest, self.ended = None, False
        self.thread = threading.Thread(target=self.read, args=(answer,), daemon=True)
        self.thread.start()

    def read(self, answer):
        try:
            for self.latest in states(answer):
                pass
        except OSError:
            pass
        self.ended = True

    def until(self, condition, what):
        wait_until(lambda: self.latest is not None and condition(self.latest), lambda: f"{what}: {self.latest}")


@pytest.fixture
def machines(tmp_path, store):
    """Machines on one store; what they serve is ended, and none has said the password."""
    served = []

    class Machines:
        @staticmethod
        def named(name, **options):
            machine = Machine(tmp_path / name, store, **options)
            serve = machine.serve

            def remembered(*words, **more):
                served.append(serve(*words, **more))
                return served[-1]

            machine.serve = remembered
            return machine

    yield Machines
    for replica in served:
        out, err = replica.end()
        assert SECRET not in replica.line + out + err


def titles(state):
    return [item["title"] for item in state["items"]]


def test_a_post_on_a_replica_that_is_killed_is_seen_and_sent_once_and_whole_by_another_one(machines, remotes):
    audio = ("--remote", remotes(name="audio"))
    a, b = machines.named("a"), machines.named("b")
    first, second = a.serve(*audio, "--offline"), b.serve(*audio, "--offline")
    assert first.token == second.token
    seen = second.states("outbox")
    seen.until(lambda state: titles(state) == [], "an empty queue")
    first.post("Rain")
    seen.until(lambda state: titles(state) == ["Rain"], "the other one's post")
    first.kill()
    shutil.rmtree(a.data)
    # The other one gets a network.
    second.kill()
    third = b.serve(*audio)
    third.states("outbox").until(lambda state: titles(state) == [], "the post is sent")
    clips = [clip for clip in b.json("audio", "list", *audio)["value"] if clip["title"] == "Rain"]
    assert len(clips) == 1
    (b.data / "sound").mkdir()
    result = b("audio", "get", clips[0]["id"], "-o", str(b.data / "sound/rain.mp3"), *audio)
    assert result.returncode == 0, result.stderr
    assert (b.data / "sound/rain.mp3").read_bytes() == CLIP


def test_a_page_goes_on_with_another_replica_at_its_address_under_the_same_token(machines, remotes):
    words, port = ("--remote", remotes(name="audio")), free_port()
    a, b = machines.named("a"), machines.named("b")
    first = a.serve(*words, port=port)
    states = first.states("outbox")
    states.until(lambda state: titles(state) == [], "a state")
    first.kill()
    wait_until(lambda: states.ended, "the stream ends with its replica")
    second = b.serve(*words, port=port)
    assert second.base == first.base
    # The page knows nothing but what the first one gave it: its token, its tab and its screen.
    second.token = first.token
    second.states("outbox").until(lambda state: titles(state) == [], "the same screen")
    with pytest.raises(urllib.error.HTTPError) as refused:
        second.token = "0" * 32
        second.json("/api/feed/saved")
    assert refused.value.code == 401


def test_what_one_machine_has_loaded_another_one_shows_without_a_network_also_through_a_cache(
        machines, remotes, postgres, tmp_path):
    redis = Program("redis")
    try:
        words = ("--remote", remotes(name="feed"))
        cache = f"redis://127.0.0.1:{redis.port}/0"
        a, b = machines.named("a", cache=cache), machines.named("b", cache=cache)
        loaded = a.json("feed", "list", *words)["value"]
        found = b.json("feed", "list", *words, "--offline")
        assert found["source"] == "cache" and found["value"] == loaded and loaded
        assert b.serve(*words, "--offline").json("/api/feed/saved")["value"] == loaded
        # Another service on the same cache sees nothing of it.
        other = Machine(tmp_path / "other", f"postgresql://postgres@127.0.0.1:{postgres.port}/postgres", cache=cache)
        assert other("feed", "list", *words, "--offline").returncode == UNAVAILABLE
    finally:
        redis.stop()


def test_a_payment_that_a_killed_machine_was_sending_is_sent_again_under_its_key_and_made_once(
    machines, foreign_payments
):
    a, b = machines.named("a"), machines.named("b")
    first, second = Payer(a, foreign_payments.address), Payer(b, foreign_payments.address)
    first.has_card(VISA)
    assert not (a.data / "cards").exists()
    foreign_payments.fault = "late"
    paying = first.start("pay", "@marcia.kohler", "79,90", "--cvv-stdin", stdin=subprocess.PIPE)
    paying.stdin.write(b"123\n")
    paying.stdin.close()
    wait_until(foreign_payments.received.is_set, "the payment is sent", process=paying)
    (record,) = b.json("payments", "list")["value"]
    assert record["state"] == "sending"
    # While the first machine sends it, nobody sends it again, gives it up or pays the same.
    for words in (["payments", "give-up", record["id"]], ["payments", "retry", record["id"], "--cvv-stdin"],
                  ["pay", "@marcia.kohler", "79,90", "--cvv-stdin", "--again"]):
        assert second(*words, lines=("123",)).returncode != DELIVERED, words
    assert len(foreign_payments.keys) == 1
    paying.kill()
    paying.wait(timeout=20)
    # Across machines only time shows that nothing of it is on its way any more.
    assert b.json("payments", "list")["value"][0]["state"] == "sending"
    wait_for_end(record)
    assert b.json("payments", "list")["value"][0]["state"] == "unknown"
    foreign_payments.fault = None
    foreign_payments.released.set()
    result = second("payments", "retry", record["id"], "--cvv-stdin", lines=("123",))
    assert result.returncode == DELIVERED, result.stderr
    assert len(set(foreign_payments.keys)) == 1 and len(foreign_payments.orders) == 1


def wait_for_end(record):
    """Waits for the end of the turn of a payment's sender."""
    end = datetime.datetime.fromisoformat(record["sendingUntil"])
    time.sleep(max(0, (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds()) + 1)


class Proxy:
    """The way of one machine to the store. It stands still from the moment when a client leaves the door of payments."""

    def __init__(self, port):
        self.target, self.is_frozen, self.words = port, threading.Event(), 0
        self.recorded = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            for one, other, asks in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.carry, args=(one, other, asks), daemon=True).start()

    def carry(self, one, other, asks):
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                if asks and b'"state":"sending"' in data:
                    self.recorded = True
                elif asks and self.recorded and b"sending:door" in data:
                    # The first is the look whether the door is still held, the second one leaves it.
                    self.words += 1
                    if self.words > 1:
                        self.is_frozen.set()
                if self.is_frozen.is_set():
                    return
                other.sendall(data)
            other.close()


def test_a_machine_that_is_cut_off_before_it_sends_a_payment_does_not_send_it_when_another_one_has_concluded(
    machines, foreign_payments, postgres, store
):
    proxy = Proxy(postgres.port)
    a, b = machines.named("a"), machines.named("b")
    first, second = Payer(a, foreign_payments.address), Payer(b, foreign_payments.address)
    first.has_card(VISA)
    a.store = store.replace(f":{postgres.port}/", f":{proxy.port}/")
    paying = first.start("pay", "@marcia.kohler", "79,90", "--cvv-stdin", stdin=subprocess.PIPE)
    paying.stdin.write(b"123\n")
    paying.stdin.close()
    wait_until(proxy.is_frozen.is_set, "the first machine is cut off", process=paying)
    (record,) = b.json("payments", "list")["value"]
    assert record["state"] == "sending"
    assert second("payments", "give-up", record["id"]).returncode != DELIVERED
    assert record["sendingUntil"] in second.pay("@marcia.kohler", "79,90", "--again").stderr
    wait_for_end(record)
    second("payments", "check", record["id"])
    assert second("payments", "give-up", record["id"]).returncode == DELIVERED
    assert second.pay("@marcia.kohler", "79,90", "--again").returncode == DELIVERED
    paying.send_signal(signal.SIGTERM)
    assert paying.wait(timeout=60) != DELIVERED
    assert len(foreign_payments.orders) == 1 and record["id"] not in foreign_payments.keys


def give_up(replica, path, intent, **fields):
    """A page says something to a replica that stands still, and gives up waiting. The replica then goes on."""
    body = json.dumps({"intent": intent, **fields}).encode()
    request = urllib.request.Request(replica.base + path, data=body, headers={"Authorization": f"Bearer {replica.token}"})
    with pytest.raises(OSError):
        urllib.request.urlopen(request, timeout=1)


def test_what_a_page_has_given_up_a_replica_that_stood_still_does_not_do_when_it_goes_on(machines, foreign_payments, remotes):
    words = ("--remote", f"payments={foreign_payments.address}", "--remote", remotes(name="audio"))
    a, b = machines.named("a"), machines.named("b")
    payer = Payer(b, foreign_payments.address)
    payer.has_card(VISA)
    first, second = a.serve(*words), b.serve(*words)
    query = "tab=tab&contact=7&lang=en"
    form = States(first.open(f"/api/screens/payment/events?{query}"))

    def tell(intent, **fields):
        first.open(f"/api/screens/payment/intents?{query}", json.dumps({"intent": intent, **fields}).encode()).close()

    tell("appear")
    form.until(lambda state: state["phase"] == "ready" and state["card"], "the form")
    tell("amount", digits="7990", edit="1")
    tell("code", value="123")
    form.until(lambda state: state["canPay"], "the payment is ready")
    first.choose("Rain")
    for replica in (first, second):
        replica.states("audio-compose").until(lambda state: state["title"] == "Rain" and state["canSend"], "the clip is ready")
    os.kill(first.process.pid, signal.SIGSTOP)
    try:
        give_up(first, f"/api/screens/payment/intents?{query}", "pay", digits="7990", attempt="8E6A8C8E-7C2A-4D43-B5B0-6B6A0E1C2F11")
        give_up(first, "/api/screens/audio-compose/intents?tab=tab", "later")
        # The user finds nothing of it elsewhere, and does it there.
        assert payer.payments() == []
        assert payer.pay("@marcia.kohler", "79,90").returncode == DELIVERED
        second.tell("audio-compose", "later")
        wait_until(lambda: titles_at_the_remote(b, words) == ["Rain"], "the clip is sent")
    finally:
        os.kill(first.process.pid, signal.SIGCONT)
    # What comes later is answered later.
    tell("dismissError")
    time.sleep(3)
    assert len(foreign_payments.orders) == 1 and len(payer.payments()) == 1
    assert titles_at_the_remote(b, words) == ["Rain"]


def titles_at_the_remote(machine, words):
    clips = machine.json("audio", "list", *words)["value"]
    return [clip["title"] for clip in clips if clip["title"] == "Rain" and not clip.get("pending")]


def holders(state):
    return [card["holder"] for card in state["cards"]]


@pytest.fixture
def users(machines, remotes):
    """Two replicas with two users, whose posts wait, because the replicas are offline: a function that serves one more."""
    a, b = machines.named("a"), machines.named("b")
    tokens = {name: a.json("users", "add", name)["value"]["token"] for name in ("ana", "bruno")}
    assert not (a.data / "serve.users").exists()

    class Users:
        first, second = a.serve("--users", "store", "--offline"), b.serve("--users", "store", "--offline")
        machines = (a, b)

        def __init__(self, name):
            self.token = tokens[name]
            self.one, self.other = self.first.as_user(self.token), self.second.as_user(self.token)

    return Users


def test_a_user_finds_cards_posts_and_keys_at_each_replica_and_no_other_user_does(users):
    ana, bruno = users("ana"), users("bruno")
    ana.one.add_card("ADA LOVELACE")
    ana.one.states("cards").until(lambda state: holders(state) == ["ADA LOVELACE"], "the card here")
    seen = ana.other.states("cards")
    seen.until(lambda state: holders(state) == ["ADA LOVELACE"], "the card there")
    ana.other.add_card("SECOND CARD", "5555555555554444")
    seen.until(lambda state: holders(state) == ["ADA LOVELACE", "SECOND CARD"], "both cards there")
    ana.one.states("cards").until(lambda state: holders(state) == ["ADA LOVELACE", "SECOND CARD"], "both cards here")
    ana.one.post("Rain of Ana")
    for replica in (ana.one, ana.other):
        replica.states("outbox").until(lambda state: titles(state) == ["Rain of Ana"], "the post")
    for replica in (bruno.one, bruno.other):
        cards, outbox = replica.states("cards"), replica.states("outbox")
        cards.until(lambda state: state["isEmpty"], "no card of Ana's")
        outbox.until(lambda state: titles(state) == [], "no post of Ana's")
    # The numbers are neither in the store nor in the folder of a replica.
    for machine in users.machines:
        assert not (machine.data / "users/ana/cards").exists()
        for path in machine.data.rglob("*"):
            assert path.is_dir() or b"4539578763621486" not in path.read_bytes(), path


def test_a_user_goes_on_composing_when_the_replica_is_killed_and_the_post_is_whole(users):
    ana = users("ana")
    ana.one.choose("Rain of Ana")
    states = ana.one.states("audio-compose")
    states.until(lambda state: state["title"] == "Rain of Ana" and state["canSend"], "the form")
    # What was typed is kept a moment after it was shown, and then is at the other one.
    form = ana.other.states("audio-compose")
    form.until(lambda state: state["title"] == "Rain of Ana" and state["canSend"], "it is kept")
    ana.one.kill()
    wait_until(lambda: states.ended, "the stream ends with its replica")
    form.until(lambda state: state["canSend"] and state["file"]["name"] == "clip.mp3", "the form at another replica")
    with ana.other.open("/api/screens/audio-compose/file?tab=tab") as answer:
        assert answer.read() == CLIP
    ana.other.tell("audio-compose", "later")
    form.until(lambda state: state["phase"] == "queued", "it is queued")
    ana.other.states("outbox").until(lambda state: titles(state) == ["Rain of Ana"], "once")
    assert users("bruno").other.status("/api/screens/audio-compose/file?tab=tab") == 404


def test_logging_out_everywhere_ends_tokens_and_streams_at_all_replicas_and_a_removal_everything(users):
    ana, bruno = users("ana"), users("bruno")
    ana.one.add_card("ADA LOVELACE")
    ana.other.states("cards").until(lambda state: holders(state) == ["ADA LOVELACE"], "the card")
    streams = [replica.states("foaas-settings") for replica in (ana.one, ana.other)]
    for stream in streams:
        stream.until(lambda state: True, "a state")
    staying = bruno.other.states("foaas-settings")
    staying.until(lambda state: True, "a state")
    with ana.one.open("/api/user/logout", b'{"everywhere":true}') as answer:
        assert answer.status == 204
    # The next request at any replica is refused, without a wait.
    assert [replica.status("/api/user") for replica in (ana.other, ana.one)] == [401, 401]
    for stream in streams:
        wait_until(lambda: stream.ended, "the streams end")
    assert bruno.other.status("/api/user") == 200 and not staying.ended
    a, b = users.machines
    again = users.second.as_user(a.json("users", "token", "ana")["value"]["token"])
    again.states("cards").until(lambda state: holders(state) == ["ADA LOVELACE"], "the card stays")
    assert b("users", "remove", "ana", "--yes").returncode == 0
    assert again.status("/api/user") == 401
    fresh = users.first.as_user(b.json("users", "add", "ana")["value"]["token"])
    fresh.states("cards").until(lambda state: state["isEmpty"], "a new user has nothing")
    assert [user["name"] for user in a.json("users", "list")["value"]] == ["bruno", "ana"]


def test_a_replica_without_the_key_of_the_others_does_not_start_and_says_which_file_it_needs(machines, tmp_path):
    a = machines.named("a", keys=tmp_path / "config-a")
    a.serve().kill()
    (key,) = (tmp_path / "config-a/aquifer/keys").glob("*.key")
    b = machines.named("b", keys=tmp_path / "config-b")
    result = b("serve", "--port", "0")
    place = tmp_path / "config-b/aquifer/keys" / key.name
    assert result.returncode == STORE and str(place) in result.stderr and "copy it" in result.stderr
    assert "--keys" in result.stderr
    # A card that nobody here can open is no empty list.
    Payer(a, "http://127.0.0.1:1").has_card(VISA)
    assert b("cards", "list").returncode == STORE
    # Another key in its place is refused, too.
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.write_bytes(bytes([key.read_bytes()[0]]) + key.read_bytes()[1:-1] + bytes([key.read_bytes()[-1] ^ 1]))
    place.chmod(0o600)
    assert b("serve", "--port", "0").returncode == STORE
    # The folder can be named, and be the same for all.
    shutil.copy(key, place)
    result = b.json("cards", "list")
    assert len(result["value"]) == 1
    c = machines.named("c", keys=tmp_path / "config-c")
    assert len(c.json("cards", "list", "--keys", str(key.parent))["value"]) == 1


def test_the_users_of_a_file_go_with_a_store_when_the_file_is_shared(machines, tmp_path):
    a, b = machines.named("a"), machines.named("b")
    file = ("--users", str(tmp_path / "shared/serve.users"))
    token = a.json("users", "add", "ana", *file)["value"]["token"]
    one, other = (machine.serve(*file, "--offline").as_user(token) for machine in (a, b))
    one.add_card("ADA LOVELACE")
    other.states("cards").until(lambda state: holders(state) == ["ADA LOVELACE"], "the card")
    with one.open("/api/user/logout", b'{"everywhere":true}') as answer:
        assert answer.status == 204
    assert [replica.status("/api/user") for replica in (one, other)] == [401, 401]


def test_users_in_a_store_want_a_store(aquifer):
    result = aquifer("serve", "--port", "0", "--users", "store")
    assert result.returncode == USAGE and "--store" in result.stderr


@pytest.mark.parametrize(
    "words, status",
    [
        (("--store", f"mysql://user:{SECRET}@127.0.0.1/db"), USAGE),
        (("--store", f"user:{SECRET}@127.0.0.1/db"), USAGE),
        (("--store", f"postgresql://user:{SECRET}@[127.0.0.1/db"), USAGE),
        (("--store", f"postgresql://user:a/{SECRET}@127.0.0.1/db"), USAGE),
        (("--store", "postgresql://127.0.0.1:1/db", "--cache", f"rediss://:{SECRET}@127.0.0.1"), USAGE),
        (("--cache", f"redis://:{SECRET}@127.0.0.1"), USAGE),
        (("--origin", "https://aquifer.example/path"), USAGE),
    ],
)
@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("outbox", "list")])
def test_a_wrong_server_is_told_before_anything_starts_and_without_its_password(aquifer, command, words, status):
    if command[0] != "serve" and words[0] == "--origin":
        pytest.skip("only serve has it")
    result = aquifer(*command, *words)
    assert result.returncode == status and result.stdout == "" and result.stderr, result
    assert SECRET not in result.stderr and "://user" not in result.stderr
    assert not (aquifer.data / "serve.token").exists()


def test_a_wrong_server_in_the_environment_is_told_by_the_name_of_the_variable(aquifer):
    command = [BINARY, "outbox", "list", "--data", str(aquifer.data)]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=60,
        env={**aquifer.environment, "AQUIFER_STORE": f"ftp://user:{SECRET}@host"})
    assert result.returncode == USAGE and "AQUIFER_STORE" in result.stderr and SECRET not in result.stderr


def test_a_command_ends_at_once_when_the_database_is_away(aquifer):
    result = aquifer("outbox", "list", "--store", f"postgresql://user:{SECRET}@127.0.0.1:1/db")
    assert result.returncode == UNAVAILABLE and result.stdout == "" and "127.0.0.1:1/db" in result.stderr
    assert SECRET not in result.stderr


class Waiting:
    """A replica that was started without its database."""

    def __init__(self, machine, *words):
        self.port = free_port()
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", str(self.port), "--metrics-port", "0", "--log", "json", "--data", str(machine.data), *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=machine.environment)
        self.log = []
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()
        wait_until(self.listens, "it listens", process=self.process)

    def listens(self):
        with contextlib.suppress(OSError):
            return self.ask("/healthz")[0] == 200

    def ask(self, path, body=None, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        status = self.process.wait(timeout=20)
        self.process.stdout.close()
        return status


def test_a_replica_whose_database_is_away_waits_for_it_says_so_and_then_serves(tmp_path):
    server = Program("postgres")
    address = f"postgresql://postgres:{SECRET}@127.0.0.1:{server.port}/postgres"
    machine = Machine(tmp_path / "a", address)
    script = [ROOT / "Scripts/postgres"]
    subprocess.run([*script, "kill", server.folder], check=True)
    replica = Waiting(machine)
    try:
        assert replica.ask("/readyz") == (503, "store: the stores have not answered since the start; the log says why\n")
        for path, body in (("/api/feed/saved", None), ("/api/screens/feed/intents?tab=t", b"{}"), ("/metrics", None)):
            status, text = replica.ask(path, body)
            assert status == 503 and json.loads(text)["error"]["kind"] == "starting", text
        assert replica.ask("/")[0] == 200 and "<title" in replica.ask("/feed")[1]
        wait_until(lambda: any('"waiting"' in line for line in replica.log), "it says that it waits")
        (waiting,) = [json.loads(line) for line in replica.log if '"waiting"' in line]
        assert f"127.0.0.1:{server.port}/postgres" in waiting["reason"] and waiting["level"] == "warning"
        subprocess.run([*script, "start", server.folder, str(server.port)], check=True)
        line = replica.process.stdout.readline()
        token = re.search(r"token=(\w+)", line)[1]
        collected = re.search(r"http://127.0.0.1:(\d+)/metrics", replica.process.stdout.readline())
        assert replica.ask("/readyz") == (200, "ready\n")
        assert replica.ask("/api/feed/saved", Authorization=f"Bearer {token}")[0] != 503
        with urllib.request.urlopen(collected[0], timeout=30) as answer:
            found = samples(answer.read().decode())
        # The numbers have the requests that were refused while it waited.
        assert found["aquifer_http_requests_total", (("method", "POST"), ("route", "intents"), ("status", "503"))] == 1
        assert found["aquifer_ready", ()] == 1
        # compose.yaml plans with this number. Each store has one more connection, which listens.
        stores = {dict(labels)["store"]: value for (name, labels), value in found.items() if name == "aquifer_pool_limit"}
        planned = re.search(r"Each replica has up to (\d+) connections", (ROOT / "deploy/compose.yaml").read_text())[1]
        assert sum(stores.values()) + len(stores) == int(planned), stores
        assert replica.end() == 0
        assert SECRET not in "".join(replica.log) + line
    finally:
        replica.process.kill()
        server.stop()


def test_a_replica_that_waits_for_its_database_ends_when_it_is_told_to(tmp_path):
    for number in (signal.SIGTERM, signal.SIGINT):
        assert Waiting(Machine(tmp_path / "a", f"postgresql://user:{SECRET}@127.0.0.1:1/db")).end(number) == 0


def test_a_wrong_password_database_or_version_ends_a_server_at_once(machines, store, postgres, tmp_path):
    psql = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]

    def sql(text, database="postgres"):
        subprocess.run([psql, "-X", "-q", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres", "-c", text, database], check=True)

    sql("CREATE ROLE shut NOLOGIN")
    host = f"127.0.0.1:{postgres.port}"
    for address, words in [
        (f"postgresql://nobody:{SECRET}@{host}/postgres", "nobody"), (f"postgresql://postgres:{SECRET}@{host}/none", "none"),
        (f"postgresql://shut:{SECRET}@{host}/postgres", "shut"),
    ]:
        result = Machine(tmp_path / "a", address)("serve", "--port", "0")
        assert (result.returncode, result.stdout) == (UNAVAILABLE, ""), result
        assert words in result.stderr and SECRET not in result.stderr
    machine = machines.named("b")
    assert machine("outbox", "list").returncode == 0
    sql("UPDATE aquifer_outbox.version SET number = 9", store.rpartition("/")[2])
    result = machine("serve", "--port", "0")
    assert result.returncode == UNAVAILABLE and "newer version of Aquifer (form 9" in result.stderr
    sql("UPDATE aquifer_outbox.version SET number = 3; DROP TABLE aquifer_values.lease", store.rpartition("/")[2])
    result = machine("serve", "--port", "0")
    assert result.returncode == UNAVAILABLE and "has lost lease" in result.stderr


def test_a_server_does_without_a_cache_that_is_away_and_says_so_in_a_log_of_json(machines, remotes, store, postgres):
    # The database warns of this at the beginning of each session.
    psql = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]
    text = f"UPDATE pg_database SET datcollversion = '1' WHERE datname = '{store.rpartition('/')[2]}'"
    subprocess.run([psql, "-X", "-q", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres", "-c", text], check=True)
    words = ("--remote", remotes(name="feed"), "--log", "json")
    replica = machines.named("a", cache=f"redis://127.0.0.1:{free_port()}/0").serve(*words)
    assert replica.json("/api/feed")["value"]
    out, err = replica.end()
    (line,) = [line for line in map(json.loads, err.splitlines()) if line["event"] == "uncached"]
    assert "cannot be reached" in line["reason"]


def test_the_printed_schema_makes_tables_that_a_user_without_other_rights_serves_with(store, postgres, tmp_path):
    admin = Machine(tmp_path / "admin", store)
    text = admin("store", "schema", "--role", "plain", data=False)
    assert text.returncode == 0 and text.stdout.count("CREATE TABLE") == 4 * text.stdout.count("CREATE SCHEMA")
    psql = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]
    database = store.rpartition("/")[2]
    made = subprocess.run(
        [psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres", database],
        input=f"CREATE ROLE plain LOGIN; {text.stdout}", text=True, capture_output=True)
    assert made.returncode == 0, made.stderr
    replica = Machine(tmp_path / "plain", store.replace("//postgres:", "//plain:")).serve()
    try:
        replica.tell("outbox", "pause")
        replica.post("Rain")
        replica.states("outbox").until(lambda state: titles(state) == ["Rain"], "the post waits")
        assert replica.json("/api/feed")["value"]
    finally:
        out, err = replica.end()
    assert "permission" not in err
    again = subprocess.run(
        [psql, "-X", "-t", "-A", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres", "-c",
         "SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'aquifer%'", database], text=True, capture_output=True)
    assert int(again.stdout) == text.stdout.count("CREATE SCHEMA")
