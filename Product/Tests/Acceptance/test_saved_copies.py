"""Saved copies stay whole, newest and honest: two processes at once, damage anywhere, files that are no stores."""

import http.server
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time

import pytest

from conftest import BINARY
from test_golden import AN_HOUR_LATER, golden, show, stores  # noqa: F401 (fixtures)

DELIVERED, UNAVAILABLE, STORE = 0, 69, 74
IDS = ["0A0A0A0A-0000-0000-0000-00000000000%d" % number for number in (1, 2)]


# The newest answer stays (line 14 of issue 11)


class Held(http.server.BaseHTTPRequestHandler):
    """Holds back each answer until it is told to give it."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        index = self.server.arrive()
        status, date, description, etag = self.server.answers[index].wait()
        items = [{"id": IDS[0], "description": description, "image": "http://127.0.0.1:1/1.png"}]
        body = json.dumps({"items": items}).encode() if status == 200 else b""
        self.send_response_only(status)
        self.send_header("Date", date)
        self.send_header("ETag", etag)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Answer:
    def __init__(self):
        self.arrived, self.given = threading.Event(), threading.Event()

    def give(self, status, date, description="", etag='"1"'):
        self.what = (status, date, description, etag)
        self.given.set()

    def wait(self):
        assert self.given.wait(30)
        return self.what


@pytest.fixture
def held():
    """A feed whose answers are given by hand: held.answers[0] is that to the first request."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Held)
    server.answers, server.count, lock = [Answer() for _ in range(8)], 0, threading.Lock()

    def arrive():
        with lock:
            server.count += 1
            server.answers[server.count - 1].arrived.set()
            return server.count - 1

    server.arrive = arrive
    server.remote = ("--remote", f"feed=http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def start(aquifer, *words):
    command = [BINARY, *words, "--json", "--data", str(aquifer.data)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=aquifer.environment)


def description(report):
    return report["value"][0]["description"]


OLD, NEW = "Sat, 21 Nov 2026 09:00:00 GMT", "Sat, 21 Nov 2026 09:00:30 GMT"


def load_twice(aquifer, held, first, second):
    """Two processes load; the one that asked first is answered last. Gives what each of them said."""
    at = held.count
    one = start(aquifer, "feed", "list", *held.remote)
    assert held.answers[at].arrived.wait(20)
    two = start(aquifer, "feed", "list", *held.remote)
    assert held.answers[at + 1].arrived.wait(20)
    held.answers[at + 1].give(*second)
    reports = [two.communicate(timeout=30)[0]]
    held.answers[at].give(*first)
    reports.insert(0, one.communicate(timeout=30)[0])
    return [json.loads(report) for report in reports]


def test_the_older_answer_that_arrives_last_is_not_saved_over_the_newer(aquifer, held):
    first, second = load_twice(aquifer, held, (200, OLD, "older"), (200, NEW, "newer", '"2"'))
    assert description(second) == "newer"
    assert description(first) == "newer", "both show what is saved"
    assert description(aquifer.json("feed", "list", *held.remote, "--offline")) == "newer"


def test_the_newer_answer_that_arrives_last_is_saved(aquifer, held):
    load_twice(aquifer, held, (200, NEW, "newer", '"2"'), (200, OLD, "older"))
    assert description(aquifer.json("feed", "list", *held.remote, "--offline")) == "newer"


def test_without_a_date_the_request_that_was_sent_last_decides(aquifer, held):
    load_twice(aquifer, held, (200, "today", "older"), (200, "today", "newer", '"2"'))
    assert description(aquifer.json("feed", "list", *held.remote, "--offline")) == "newer"


def test_a_304_that_arrives_last_does_not_bring_the_older_copy_back(aquifer, held):
    held.answers[0].give(200, OLD, "older")
    aquifer.json("feed", "list", *held.remote)
    load_twice(aquifer, held, (304, OLD), (200, NEW, "newer", '"2"'))
    assert description(aquifer.json("feed", "list", *held.remote, "--offline")) == "newer"


# Damage is told and dealt with (line 15)


def damage(file, change, where):
    database = sqlite3.connect(file)
    with database:
        assert database.execute(f"UPDATE entry SET {change} WHERE {where}").rowcount == 1
    database.close()


def test_what_is_damaged_is_listed_validated_and_gone(golden):
    damage(golden.data / "values.sqlite", "saved_at = saved_at + 1", "key LIKE 'feed:%'")
    damage(golden.data / "values.sqlite", "bytes = x'00'", "key LIKE 'audio:%'")
    damage(golden.data / "foaas.sqlite", "kind = 9", "key = 'foaas:seen'")
    damage(golden.data / "pictures.sqlite", "etag = 'x'", "key LIKE 'data:%'")
    (record,) = (golden.data / "audio").glob("*.info")
    content = record.read_bytes()
    record.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    entries = show(golden, "cache", "list")["value"]
    bad = {entry["key"].split(":")[0] for entry in entries if entry["validity"] == "unreadable"}
    assert bad == {"feed", "audio", "foaas", "data", "file"} and all(
        entry["reason"] for entry in entries if entry["validity"] == "unreadable")
    table = golden("cache", "list", *AN_HOUR_LATER)
    assert table.stdout.count("unreadable") == 5 and "5 of these cannot be read" in table.stderr
    offline = golden("feed", "list", *AN_HOUR_LATER)
    assert offline.returncode == STORE and "aquifer cache validate" in offline.stderr
    removed = show(golden, "cache", "validate")["value"]["removed"]
    assert {key.split(":")[0] for key in removed} == bad and len(removed) == 5
    left = show(golden, "cache", "list")["value"]
    assert {entry["validity"] for entry in left if not entry["key"].startswith("file:")} == {"fresh"}
    files = [(entry["validity"], entry["size"]) for entry in left if entry["key"].startswith("file:")]
    assert files == [("partial", 0)], "the user keeps the clip: its pin stays, so that it is downloaded again"
    assert golden("feed", "list", *AN_HOUR_LATER).returncode == UNAVAILABLE, "the advice of the error worked"


def test_clear_deletes_what_is_damaged_the_users_own_too_and_leaves_the_rest_of_it(golden):
    damage(golden.data / "values.sqlite", "saved_at = saved_at + 1", "key LIKE 'feed:%'")
    damage(golden.data / "values.sqlite", "bytes = x'00'", "key LIKE 'audio:%'")
    damage(golden.data / "pictures.sqlite", "etag = 'x'", "key LIKE 'data:%'")
    damage(golden.data / "foaas.sqlite", "kind = 9", "key = 'foaas:seen'")
    before = show(golden, "cache", "list")["value"]
    damaged = {entry["key"] for entry in before if entry["validity"] == "unreadable"}
    assert {key.split(":")[0] for key in damaged} == {"feed", "audio", "data", "foaas"} and "foaas:seen" in damaged
    own = {entry["key"] for entry in before if entry["key"].startswith("file:")} | {"foaas:settings"}
    assert show(golden, "cache", "clear")["value"] == {"deleted": len(before) - len(own)}
    left = show(golden, "cache", "list")["value"]
    assert {entry["key"] for entry in left} == own and "unreadable" not in {entry["validity"] for entry in left}


def test_damaged_favorites_are_deleted_by_their_key_only(golden):
    database = sqlite3.connect(golden.data / "foaas.sqlite")
    with database:
        columns = ", ".join(row[1] for row in database.execute("PRAGMA table_info(entry)") if row[1] not in ("id", "key"))
        database.execute(f"INSERT INTO entry (key, {columns}) SELECT 'foaas:favorites', {columns} FROM entry WHERE key = 'foaas:seen'")
    database.close()
    validated = golden("cache", "validate")
    assert validated.returncode == STORE and "foaas:favorites" in validated.stderr and "kept" in validated.stderr
    golden("cache", "clear")
    assert "foaas:favorites" in {entry["key"] for entry in show(golden, "cache", "list")["value"]}
    assert show(golden, "cache", "clear", "foaas:favorites")["value"] == {"deleted": 1}
    assert golden("cache", "validate").returncode == 0


def test_one_damaged_entry_is_cleared_by_its_key_and_the_others_stay(golden):
    damage(golden.data / "values.sqlite", "saved_at = saved_at + 1", "key LIKE 'feed:%'")
    before = {entry["key"]: entry["validity"] for entry in show(golden, "cache", "list")["value"]}
    (key,) = (key for key, validity in before.items() if validity == "unreadable")
    assert show(golden, "cache", "clear", key)["value"] == {"deleted": 1}
    assert {entry["key"]: entry["validity"] for entry in show(golden, "cache", "list")["value"]} == {
        other: validity for other, validity in before.items() if other != key}


def test_clear_leaves_what_is_the_users_own(golden):
    kept = {entry["key"] for entry in show(golden, "cache", "list")["value"]}
    assert any(key.startswith("file:") for key in kept) and {"foaas:seen", "foaas:settings"} <= kept
    show(golden, "cache", "clear")
    left = {entry["key"] for entry in show(golden, "cache", "list")["value"]}
    assert left == {key for key in kept if key.startswith("file:")} | {"foaas:seen", "foaas:settings"}
    for key in sorted(left):
        assert show(golden, "cache", "clear", key)["value"] == {"deleted": 1}
    assert show(golden, "cache", "list") ["value"] == []
    assert len(show(golden, "payments", "list")["value"]) == 4 and len(show(golden, "outbox", "list")["value"]) == 2


# A database that is cut, replaced or none (lines 16 and 20)


def test_a_database_of_another_kind_is_refused_untouched_without_waiting(aquifer):
    aquifer.data.mkdir()
    file = aquifer.data / "values.sqlite"
    for make in (os.mkfifo, lambda path: os.symlink("/dev/null", path), os.mkdir):
        make(file)
        result = aquifer("cache", "list")
        assert result.returncode == STORE and "is not a store" in result.stderr, result.stderr
        assert sorted(path.name for path in aquifer.data.iterdir() if path.name.startswith("values")) == ["values.sqlite"]
        file.rmdir() if file.is_dir() and not file.is_symlink() else file.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(file))
        assert aquifer("cache", "list").returncode == STORE


# A server that accepts and does not answer


def test_a_server_that_is_silent_delays_a_saved_list_by_eight_seconds(aquifer, tmp_path):
    """The list then says its age, and why it is not the latest. Without a saved list, a command waits for the answer."""
    servers = subprocess.Popen(
        [BINARY, "remotes", "--port", "0", "--data", str(tmp_path / "servers")], stdout=subprocess.PIPE, text=True)
    running = {}
    try:
        remotes = dict(servers.stdout.readline().strip().split("=", 1) for _ in range(5))
        key, uploader = tmp_path / "id.json", re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
        there = [word for name, address in remotes.items() for word in ("--remote", f"{name}={address}")]
        there += ["--keypair", str(key), "--rpc", f"{remotes['drive']}/rpc", "--uploader", uploader]
        aquifer.json("drive", "keygen", str(key))
        aquifer.json("drive", "create", "photos", "1MB", *there)
        picture, *rest = [item["id"] for item in aquifer.json("feed", "list", *there)["value"]]
        lists = [
            "feed list", f"feed comments {picture}", "contacts", "foaas list", "audio list", "drive list", "drive files photos",
            "drive info photos",
        ]
        saved = {words: aquifer.json(*words.split(), *there)["value"] for words in lists}
        servers.send_signal(signal.SIGSTOP)
        begin = time.monotonic()

        def start(words):
            return subprocess.Popen(
                [BINARY, *words.split(), "--json", *there, "--data", str(aquifer.data)], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, env=aquifer.environment)

        running.update({words: start(words) for words in [*lists, f"feed comments {rest[0]}"]})
        waiting = running[f"feed comments {rest[0]}"]
        for words in lists:
            process = running[words]
            out, told = process.communicate(timeout=28)
            assert process.returncode == DELIVERED, (words, told)
            document = json.loads(out)
            assert (document["value"], document["source"], document["because"]) == (saved[words], "cache", "connectivity"), words
            assert "The server took too long to answer. Saved " in told, words
            assert time.monotonic() - begin >= 8
        assert waiting.poll() is None
        servers.send_signal(signal.SIGCONT)
        assert json.loads(waiting.communicate(timeout=20)[0])["source"] == "remote"
    finally:
        for process in [servers, *running.values()]:
            process.kill()
            process.wait(timeout=20)
