"""`aquifer audio` and `aquifer outbox`, against the reference remote and one that is cut, gone or hostile."""

import datetime
import http.server
import json
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import threading

import pytest

from conftest import BINARY, ROOT

DELIVERED, REFUSED, USAGE, INVALID, NOT_FOUND, UNAVAILABLE, UNKNOWN, INTERRUPTED = 0, 1, 64, 65, 66, 69, 75, 130
CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"


def said(result):
    assert result.returncode == DELIVERED, result.stderr
    return result.stdout.strip()


def started(aquifer, *words):
    """A command that goes on."""
    command = [BINARY, *words, "--data", str(aquifer.data)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=aquifer.environment)


def clips(aquifer, *words):
    return json.loads(said(aquifer("audio", "list", "--json", *words)))


@pytest.fixture
def remote(remotes):
    """The value for --remote of an audio remote that outlives one command, with faults."""
    return lambda *faults: remotes(*faults, name="audio")


def test_the_clips_are_listed_searched_and_saved(aquifer):
    report = clips(aquifer)
    assert report["source"] == "remote" and len(report["value"]) >= 12
    assert {"id", "title", "duration", "createdAt", "audio", "waveform"} <= report["value"][0].keys()
    assert [clip["title"] for clip in clips(aquifer, "RAIN")["value"]] and len(clips(aquifer, "RAIN")["value"]) < 3
    offline = clips(aquifer, "--offline", "--at", "+2d")
    assert offline["source"] == "cache" and offline["value"] == report["value"]
    expired = aquifer("audio", "list", "--offline", "--at", "+8d")
    assert expired.returncode == UNAVAILABLE and expired.stdout == ""


def test_a_clip_is_fetched_once_and_is_there_offline(aquifer, tmp_path):
    identifier = clips(aquifer)["value"][0]["id"]
    out = tmp_path / "clip.mp3"
    said(aquifer("audio", "get", identifier, "-o", str(out)))
    assert out.read_bytes()[:2] in (b"ID", b"\xff\xfb", b"\xff\xf3") and out.stat().st_size > 10_000
    again = aquifer("audio", "get", identifier[:8].lower(), "-o", "-", "--offline", text=False)
    assert again.returncode == DELIVERED and again.stdout == out.read_bytes() and again.stderr == b""
    report = aquifer.json("audio", "get", identifier, "-o", str(out), "--offline")
    assert report["source"] == "cache" and report["value"] == {"file": str(out), "bytes": out.stat().st_size}


def test_what_was_cut_goes_on_where_it_was(aquifer, remote, tmp_path):
    cut = remote("audio=cut-at:20000")
    listed = aquifer("audio", "list", "--json", "--remote", cut)
    identifier = json.loads(said(listed))["value"][1]["id"] if listed.returncode == DELIVERED else None
    if identifier is None:
        pytest.fail("the list is longer than the cut")
    result = aquifer("audio", "get", identifier, "-o", str(tmp_path / "a.mp3"), "--remote", cut)
    # Each try brings 20 000 bytes more, and tries that bring bytes are not counted.
    assert result.returncode == DELIVERED, result.stderr


def test_a_clip_that_is_not_kept_cannot_be_had_offline(aquifer, tmp_path):
    identifier = clips(aquifer)["value"][1]["id"]
    result = aquifer("audio", "get", identifier, "-o", str(tmp_path / "x"), "--offline")
    assert result.returncode == UNAVAILABLE and not (tmp_path / "x").exists()


def test_a_clip_is_posted_and_listed(aquifer):
    identifier = said(aquifer("audio", "post", str(CLIP), "--title", "  Ünder the roof ", "--author", "Ana"))
    (clip,) = clips(aquifer, "ünder")["value"]
    assert clip["id"] == identifier and clip["title"] == "Ünder the roof" and clip["author"] == "Ana" and clip["duration"] > 1


@pytest.mark.parametrize("make, title, word", [
    (lambda path: path.write_text("hello, this is text"), "x", "not a supported audio file"),
    (lambda path: path.write_bytes(b""), "x", "empty"),
    (lambda path: None, "x", "cannot be read"),
    (lambda path: path.write_bytes(CLIP.read_bytes()), "  ", "title is empty"),
    (lambda path: path.write_bytes(CLIP.read_bytes()), "x" * 201, "200"),
    (lambda path: (path.write_bytes(b"ID3"), os.truncate(path, 5 << 30)), "x", "100 MB"),
], ids=["text", "empty file", "no file", "empty title", "long title", "5 GB"])
@pytest.mark.parametrize("later", [[], ["--later"]], ids=["now", "later"])
def test_what_cannot_be_posted_is_said_before_anything_is_sent(aquifer, tmp_path, make, title, word, later):
    path = tmp_path / "clip.mp3"
    make(path)
    result = aquifer("audio", "post", str(path), "--title", title, "--offline", *later)
    status = USAGE if path.exists() else NOT_FOUND
    assert result.returncode == status and word in result.stderr and len(result.stderr.splitlines()) == 1
    assert json.loads(said(aquifer("outbox", "list", "--json")))["value"] == []


def test_posting_without_a_connection_is_that_error_keeps_nothing_and_says_how_to_send_later(aquifer):
    result = aquifer("audio", "post", str(CLIP), "--title", "Rain", "--offline")
    assert result.returncode == UNAVAILABLE and "--later" in result.stderr
    assert "nothing was posted" in result.stderr and "not known" not in result.stderr
    assert json.loads(said(aquifer("outbox", "list", "--json")))["value"] == []
    assert not list((aquifer.data / "outbox").iterdir())


def test_queued_offline_it_is_posted_once_when_there_is_a_connection_though_the_file_is_gone(aquifer, tmp_path):
    path = tmp_path / "rain.mp3"
    path.write_bytes(CLIP.read_bytes())
    identifier = said(aquifer("audio", "post", str(path), "--title", "Later rain", "--later", "--offline", "--quiet"))
    path.unlink()
    (item,) = json.loads(said(aquifer("outbox", "list", "--json")))["value"]
    assert str(item["id"]) == identifier and item["label"] == "Later rain" and item["state"] == "waiting"
    waiting = aquifer("outbox", "send", "--offline")
    assert waiting.returncode == UNKNOWN and "1 left" in waiting.stdout
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"
    assert [clip["title"] for clip in clips(aquifer, "later rain")["value"]] == ["Later rain"]
    assert said(aquifer("outbox", "send")) == "sent 0, 0 left"


def test_a_clip_that_waits_is_in_the_list_offline_after_a_restart_and_once_when_it_was_sent(aquifer):
    clips(aquifer)
    item = int(said(aquifer("audio", "post", str(CLIP), "--title", "From the train", "--later", "--offline", "--quiet")))
    # Each command is a process of its own.
    for _ in range(2):
        report = clips(aquifer, "--offline")
        clip = report["value"][0]
        assert report["source"] == "cache" and clip["title"] == "From the train" and clip["audio"] is None
        assert clip["pending"] == {"item": item, "state": "waiting", "percent": None, "detail": ""}
        assert all(other["pending"] is None for other in report["value"][1:])
    table = said(aquifer("audio", "list", "train", "--offline"))
    assert f"waiting (item {item})" in table and clip["id"] in table
    # Without a list that could be shown, it is there alone.
    late = aquifer("audio", "list", "--json", "--offline", "--at", "+8d")
    assert [c["title"] for c in json.loads(said(late))["value"]] == ["From the train"]
    assert (json.loads(late.stdout)["source"], json.loads(late.stdout)["because"]) == ("local", "connectivity")
    assert "Only what was added on this device" in late.stderr
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"
    for words in ([], ["--offline"]):
        (posted,) = clips(aquifer, "train", *words)["value"]
        assert posted["pending"] is None and posted["audio"] and posted["id"] != clip["id"] and posted["duration"] > 1


def test_the_sound_of_a_clip_that_waits_is_written_from_the_outbox(aquifer, tmp_path):
    said(aquifer("audio", "post", str(CLIP), "--title", "From the train", "--later", "--offline", "--quiet"))
    (clip,) = clips(aquifer, "--offline")["value"]
    out = tmp_path / "out.mp3"
    report = aquifer.json("audio", "get", clip["id"], "-o", str(out), "--offline")
    assert report["source"] == "local" and out.read_bytes() == CLIP.read_bytes()
    said(aquifer("outbox", "send"))
    # The ID of before is known as long as something may speak of it.
    report = aquifer.json("audio", "get", clip["id"], "-o", str(out))
    assert report["source"] == "cache" and out.read_bytes() == CLIP.read_bytes()


def test_an_answer_that_was_lost_posts_nothing_twice(aquifer, remote):
    lossy, = [remote("audio=answer-lost")]
    said(aquifer("audio", "post", str(CLIP), "--title", "Once", "--later", "--quiet", "--remote", lossy))
    for _ in range(3):
        assert aquifer("outbox", "send", "--remote", lossy).returncode == UNKNOWN
    titles = [clip["title"] for clip in clips(aquifer, "--remote", lossy)["value"]]
    assert titles.count("Once") == 1


def test_what_the_server_refuses_is_kept_with_its_words_until_it_is_discarded(aquifer, remotes):
    # A server that has no such path.
    wrong = remotes(name="feed").replace("feed=", "audio=", 1)
    said(aquifer("audio", "post", str(CLIP), "--title", "Refused", "--later", "--quiet", "--remote", wrong))
    said(aquifer("audio", "post", str(CLIP), "--title", "Behind it", "--later", "--quiet"))
    result = aquifer("outbox", "send")
    assert result.returncode == REFUSED and "404" in result.stderr and "2 left" in result.stdout
    items = json.loads(said(aquifer("outbox", "list", "--json")))["value"]
    assert [item["state"] for item in items] == ["refused", "waiting"]
    again = aquifer("outbox", "retry", str(items[0]["id"]))
    assert again.returncode == REFUSED and "404" in again.stderr
    said(aquifer("outbox", "discard", str(items[0]["id"])))
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"


@pytest.mark.parametrize("words, status", [
    (("retry", "x"), NOT_FOUND), (("discard", "x"), NOT_FOUND), (("discard",), USAGE), (("send", "1"), USAGE),
])
def test_what_names_no_item_is_a_mistake(aquifer, words, status):
    result = aquifer("outbox", *words)
    assert result.returncode == status and len(result.stderr.splitlines()) == 1


def test_two_processes_that_send_at_once_post_each_clip_once_in_order(aquifer, remote):
    address = remote()
    for number in range(8):
        said(aquifer("audio", "post", str(CLIP), "--title", f"Clip {number}", "--later", "--quiet"))
    command = [BINARY, "outbox", "send", "--data", str(aquifer.data), "--remote", address]
    # A clip queued for the reference remote of this process goes to its own address, whichever process sends it.
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=aquifer.environment) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=60)
    said(aquifer("outbox", "send"))
    titles = [clip["title"] for clip in clips(aquifer, "clip")["value"] if clip["title"].startswith("Clip ")]
    assert titles == [f"Clip {number}" for number in reversed(range(8))]


def test_an_interrupted_list_is_the_saved_one(aquifer, remote):
    good = remote()
    said(aquifer("audio", "list", "--remote", good))
    assert aquifer("audio", "list", "--remote", remote("audio=garbage")).returncode == INVALID
    assert aquifer("audio", "list", "--remote", remote("audio=cut")).returncode == UNAVAILABLE


# Middleboxes between here and the server, and losses on the way.

class Portal:
    """Stands in the way of everything, as the network of a hotel does, until somebody has signed in."""

    def __init__(self, status=200, headers=(("Content-Type", "text/html"),), body=b"<html>Welcome to the hotel", port=0, meanwhile=lambda: None):
        self.posts, portal = [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                left = int(self.headers["Content-Length"])
                self.rfile.read(left)
                portal.posts.append(self.headers["Idempotency-Key"])
                meanwhile()
                portal.answer(self, status, headers, body)

            def do_GET(self):
                portal.posts.append("GET")
                portal.answer(self, 200, (("Content-Type", "text/html"),), b"<html>Sign in")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def answer(handler, status, headers, body):
        handler.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def portal():
    started = []

    def start(*words, **options):
        started.append(Portal(*words, **options))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def items(aquifer):
    return json.loads(said(aquifer("outbox", "list", "--json")))["value"]


@pytest.mark.parametrize("status, headers, body", [
    (200, [("Content-Type", "text/html")], b"<html>Welcome to the hotel"),
    (302, [("Location", "/login")], b""),
    (301, [("Location", "/login")], b""),
    (307, [("Location", "/login")], b""),
    (201, [("Content-Type", "application/json")], b"{}"),
], ids=["200 with HTML", "302", "301", "307", "201 of something else"])
@pytest.mark.parametrize("later", [True, False], ids=["later", "now"])
def test_what_a_portal_answers_loses_no_clip_and_is_told(aquifer, portal, status, headers, body, later):
    hotel = portal(status, headers, body)
    words = ("audio", "post", str(CLIP), "--title", "Hotel", "--remote", f"audio={hotel.address}")
    if later:
        said(aquifer(*words, "--later", "--quiet"))
        result = aquifer("outbox", "send")
        assert result.stdout.strip() == "sent 0, 1 left"
    else:
        result = aquifer(*words)
        assert result.stdout == ""
    assert result.returncode == UNKNOWN and "something between here and the server answered" in result.stderr
    (item,) = items(aquifer)
    assert item["state"] == "retrying" and hotel.posts == [item["idempotencyKey"]]
    # The file is there, too: it is sent again whole, under the same key.
    assert aquifer("outbox", "send").returncode == UNKNOWN
    assert hotel.posts == [item["idempotencyKey"]] * 2


def test_a_refused_clip_is_in_the_list_with_the_servers_words_until_it_is_discarded(aquifer, portal):
    there = portal(422, (("Content-Type", "text/plain"),), b"this title is taken")
    remote = f"audio={there.address}"
    said(aquifer("audio", "post", str(CLIP), "--title", "Refused", "--later", "--quiet", "--remote", remote))
    assert clips(aquifer, "refused")["value"] == [], "it is for another server"
    assert aquifer("outbox", "send").returncode == REFUSED
    # The list cannot be loaded: something else than the server answers.
    report = clips(aquifer, "--remote", remote)
    (clip,) = report["value"]
    assert (report["source"], report["because"]) == ("local", "invalidData")
    assert clip["pending"]["state"] == "refused" and clip["pending"]["detail"] == "status 422: this title is taken"
    assert "not posted" in said(aquifer("audio", "list", "--remote", remote))
    said(aquifer("outbox", "discard", str(clip["pending"]["item"])))
    assert aquifer("audio", "list", "--remote", remote).returncode == INVALID, "there is nothing to show"


def test_a_clip_whose_answer_was_lost_waits_under_its_key_and_is_posted_once(aquifer, remote):
    lossy = remote("audio=answer-lost")
    result = aquifer("audio", "post", str(CLIP), "--title", "Once", "--remote", lossy)
    assert result.returncode == UNKNOWN and result.stdout == ""
    assert "waits in the outbox as item 1" in result.stderr and "--later" not in result.stderr
    for _ in range(2):
        assert aquifer("outbox", "send", "--remote", lossy).returncode == UNKNOWN
    titles = [clip["title"] for clip in clips(aquifer, "--remote", lossy)["value"]]
    assert titles.count("Once") == 1


def test_a_post_that_is_interrupted_says_whether_it_may_have_arrived(aquifer):
    """A server that takes everything and says nothing; the user gives up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        process = started(aquifer, "audio", "post", str(CLIP), "--title", "Given up", "--remote", f"audio={address}")
        connection, _ = server.accept()
        with connection:
            got = b""
            while not got.endswith(b"--\r\n"):
                got += connection.recv(1 << 20)
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED and out == ""
    assert "may have arrived" in error and "aquifer outbox retry 1" in error
    (item,) = items(aquifer)
    assert item["state"] == "paused" and item["idempotencyKey"].encode() in got


def test_a_post_that_is_interrupted_before_it_was_sent_leaves_nothing(aquifer):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        sound = aquifer.data.parent / "long.wav"
        sound.write_bytes(b"RIFF\0\0\0\0WAVE" + bytes(60 << 20))
        process = started(aquifer, "audio", "post", str(sound), "--title", "Given up", "--remote", f"audio={address}")
        connection, _ = server.accept()
        with connection:
            connection.recv(1000)
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED and "it was not posted" in error
    assert items(aquifer) == [] and not list((aquifer.data / "outbox").iterdir())


def test_a_posted_clip_is_in_the_saved_list_at_once_and_offline(aquifer):
    clips(aquifer)
    identifier = said(aquifer("audio", "post", str(CLIP), "--title", "Just now"))
    offline = clips(aquifer, "--offline")
    assert offline["source"] == "cache" and offline["value"][0]["id"] == identifier
    said(aquifer("audio", "post", str(CLIP), "--title", "A little later", "--later", "--quiet"))
    said(aquifer("outbox", "send"))
    assert [clip["title"] for clip in clips(aquifer, "--offline")["value"]][:2] == ["A little later", "Just now"]


def flip_in_index(path, key):
    """Flips the last bit of a key in the database's index of keys: the entry is there, and looking it up finds nothing."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (size,) = database.execute("PRAGMA page_size").fetchone()
    (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 'entry'").fetchone()
    database.close()
    content = bytearray(path.read_bytes())
    place = content.index(key, (root - 1) * size, root * size)
    content[place + len(key) - 1] ^= 1
    path.write_bytes(content)


def queue(aquifer, *titles):
    for title in titles:
        said(aquifer("audio", "post", str(CLIP), "--title", title, "--later", "--quiet"))


def lose_the_counter(path):
    """Deletes the counter's entry, as a damage that both of the database's indexes have."""
    with sqlite3.connect(path) as database:
        assert database.execute("DELETE FROM entry WHERE key = 'counter'").rowcount == 1
    database.close()


@pytest.mark.parametrize("harm, is_told", [
    (lambda path: flip_in_index(path, b"counter"), False),  # the database's other index still leads to it
    (lose_the_counter, True),
])
def test_a_counter_that_the_database_no_longer_finds_overwrites_and_hides_nothing(aquifer, harm, is_told):
    queue(aquifer, "One", "Two", "Three")
    harm(aquifer.data / "outbox.sqlite")
    result = aquifer("audio", "post", str(CLIP), "--title", "Four", "--later")
    listed = aquifer("outbox", "list", "--json")
    told = result.stderr + listed.stderr
    assert result.returncode == DELIVERED, result.stderr
    assert ("counter was damaged" in told) == is_told, told
    assert sorted(item["label"] for item in json.loads(listed.stdout)["value"]) == ["Four", "One", "Three", "Two"]
    assert said(aquifer("outbox", "send")) == "sent 4, 0 left"


def empty_the_store(path):
    """An older, empty copy of the database came back."""
    with sqlite3.connect(path) as database:
        assert database.execute("DELETE FROM entry").rowcount > 1
    database.close()


def remove_the_store(path):
    for name in (path, *path.parent.glob(f"{path.name}-*")):
        name.unlink()


def truncate_the_store(path):
    remove_the_store(path)
    path.touch()


@pytest.mark.parametrize("harm, is_served", [(empty_the_store, True), (remove_the_store, False), (truncate_the_store, False)])
def test_clips_whose_items_are_gone_stay_in_their_folder_and_are_told(aquifer, harm, is_served):
    """A store may also refuse to open when its file was lost: then nothing is swept either."""
    queue(aquifer, "One", "Two", "Three")
    kept = {path.name: path.read_bytes() for path in (aquifer.data / "outbox").iterdir()}
    assert len(kept) == 3
    harm(aquifer.data / "outbox.sqlite")
    for words in (["list"], ["send"], ["list"]):
        result = aquifer("outbox", *words)
        if is_served or result.returncode == DELIVERED:
            assert "3 files" in result.stderr and str(aquifer.data / "outbox") in result.stderr
        else:
            assert result.stderr.strip()
    later = aquifer("audio", "post", str(CLIP), "--title", "Four", "--later")
    assert not is_served or (later.returncode == DELIVERED and int(later.stdout) > 3)
    aquifer("outbox", "send")
    aquifer("outbox", "list")
    now = {path.name: path.read_bytes() for path in (aquifer.data / "outbox").iterdir()}
    assert {name: now.get(name) for name in kept} == kept


def test_a_clip_that_a_proxy_finds_too_large_is_refused_and_the_others_go_on(aquifer, portal):
    narrow = portal(413, [("Content-Type", "text/html")], b"<html>413 Request Entity Too Large")
    said(aquifer("audio", "post", str(CLIP), "--title", "Large", "--later", "--quiet", "--remote", f"audio={narrow.address}"))
    result = aquifer("outbox", "send")
    assert result.returncode == REFUSED and "413" in result.stderr
    (item,) = items(aquifer)
    assert item["state"] == "refused"


@pytest.mark.parametrize("line", [["outbox", "send"], ["outbox", "send", "--wait"], ["outbox", "send", "--json"], ["audio", "post", str(CLIP), "--title", "Locked"]])
def test_what_was_sent_and_could_not_be_recorded_is_told_and_sent_again_under_its_key(aquifer, portal, line):
    clip = clips(aquifer)["value"][0]
    clip["created_at"] = clip["createdAt"]
    said(aquifer("outbox", "list"))
    taken = []

    def meanwhile():
        if not taken:
            taken.append(sqlite3.connect(aquifer.data / "outbox.sqlite", check_same_thread=False, isolation_level=None))
            taken[0].execute("BEGIN IMMEDIATE")

    server = portal(201, [("Content-Type", "application/json")], json.dumps(clip).encode(), meanwhile=meanwhile)
    remote = ["--remote", f"audio={server.address}"]
    if line[0] == "outbox":
        said(aquifer("audio", "post", str(CLIP), "--title", "Locked", "--later", "--quiet", *remote))
    result = aquifer(*line, *remote)
    taken[0].close()
    assert len(server.posts) == 1, result.stderr
    if "--json" in line:
        report = json.loads(result.stdout)
        assert report["value"]["sent"] == 1 and report["failures"][0]["name"] == "outbox"
    elif line[0] == "outbox":
        assert result.stdout.startswith("sent 1, "), result.stdout
    else:
        assert result.stdout.strip() == clip["id"]
    assert result.returncode == (74 if line[0] == "outbox" else 71)
    if "--json" not in line:
        assert "item 1" in result.stderr and "could not be recorded" in result.stderr
        # The cause need not be the disk.
        assert "ulimit -n" in result.stderr and "another process holds the outbox" in result.stderr
    assert aquifer("outbox", "send", "--at", "+1h").stdout.startswith("sent 1, 0 left")
    assert server.posts == 2 * server.posts[:1]


def test_a_conflict_keeps_the_clip_in_the_outbox_under_its_key(aquifer, portal):
    taken = portal(409, [("Content-Type", "application/json")], b'{"error":"this key is being worked on"}')
    result = aquifer("audio", "post", str(CLIP), "--title", "Taken", "--remote", f"audio={taken.address}")
    assert result.returncode == REFUSED and "in the outbox as item 1" in result.stderr
    (item,) = items(aquifer)
    assert item["state"] == "refused" and [item["idempotencyKey"]] == taken.posts


def test_the_reason_of_a_try_in_vain_is_told_after_its_wait_too(aquifer, portal):
    hotel = portal(302, [("Location", "/login")], b"")
    said(aquifer("audio", "post", str(CLIP), "--title", "Hotel", "--later", "--quiet", "--remote", f"audio={hotel.address}"))
    assert aquifer("outbox", "send").returncode == UNKNOWN
    for at in ("+1m", "+2d"):
        listed = said(aquifer("outbox", "list", "--at", at))
        assert "something between here and the server answered (status 302)" in listed


def test_a_clip_that_is_discarded_while_it_is_sent_may_have_arrived(aquifer):
    queue(aquifer, "Never tried")
    assert aquifer("outbox", "discard", "1").stderr == "aquifer: discarded 1 “Never tried”\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        said(aquifer("audio", "post", str(CLIP), "--title", "Held", "--later", "--quiet", "--remote", f"audio={address}"))
        process = started(aquifer, "outbox", "send")
        connection, _ = server.accept()
        with connection:
            connection.recv(1000)
            result = aquifer("outbox", "discard", "2", "--quiet")
        out, told = process.communicate(timeout=60)
    assert result.returncode == DELIVERED and "discarded 2 “Held”, but it may have arrived" in result.stderr
    assert process.returncode == UNKNOWN and out == "sent 0, 0 left\n"
    assert told == "aquifer: 1 discarded or sent by another process meanwhile, and may have arrived\n"
    assert items(aquifer) == []


def test_a_clip_that_another_process_discards_while_it_is_posted_is_not_interrupted(aquifer):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        process = started(aquifer, "audio", "post", str(CLIP), "--title", "Held", "--remote", f"audio={address}")
        connection, _ = server.accept()
        with connection:
            connection.recv(1000)
            assert aquifer("outbox", "discard", "1", "--quiet").returncode == DELIVERED
        out, told = process.communicate(timeout=60)
    assert process.returncode == UNKNOWN and not out
    assert told == "aquifer: another process discarded or sent it meanwhile, and it may have arrived\n"
    assert items(aquifer) == []


@pytest.mark.parametrize("later", [[], ["--later"]])
def test_a_clip_for_which_there_is_no_room_is_said_not_to_be_queued(aquifer, later):
    said(aquifer("outbox", "list"))

    def cramp():
        # No file may grow beyond this, as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    result = aquifer("audio", "post", str(CLIP), "--title", "Large", *later, preexec_fn=cramp, restore_signals=False)
    assert result.returncode == 74 and "the clip was not posted, and is not in the outbox" in result.stderr
    assert f"no room left on the device of {aquifer.data}/outbox" in result.stderr and "new." not in result.stderr
    assert items(aquifer) == []


@pytest.mark.parametrize("harm, word", [(os.mkfifo, "Not a directory"), (lambda path: path.symlink_to(path), "symbolic links"), (lambda path: path.touch(), "Not a directory")])
def test_copies_that_cannot_be_read_are_told_as_the_cause(aquifer, harm, word):
    queue(aquifer, "Unreadable")
    folder = aquifer.data / "outbox"
    folder.rename(aquifer.data / "aside")
    harm(folder)
    result = aquifer("outbox", "send")
    assert result.returncode == UNKNOWN and "no answer" not in result.stderr
    assert f"cannot be read here now (the store could not open {folder}/1." in result.stderr and word in result.stderr
    folder.unlink()
    (aquifer.data / "aside").rename(folder)
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"


def test_after_a_sender_was_killed_it_is_said_until_when_its_item_waits(aquifer):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        said(aquifer("audio", "post", str(CLIP), "--title", "Killed", "--later", "--quiet", "--remote", f"audio={address}"))
        process = subprocess.Popen([BINARY, "outbox", "send", "--data", str(aquifer.data)], env=aquifer.environment)
        connection, _ = server.accept()
        with connection:
            process.kill()
            process.wait()
    result = aquifer("outbox", "send")
    assert result.returncode == UNKNOWN and result.stdout == "sent 0, 1 left\n"
    assert re.search(r"item 1 “Killed”: sending: by another process; if that has ended, the item can be tried again in \d+ seconds", result.stderr)
    (item,) = items(aquifer)
    end = datetime.datetime.fromisoformat(item["nextTryAt"])
    assert 0 < (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds() <= 30


@pytest.mark.parametrize("harm", ["bytes = X'7B7D'", "saved_at = saved_at + 1"])
def test_a_damaged_item_and_one_whose_file_is_gone_can_be_discarded(aquifer, harm):
    queue(aquifer, "Gone", "Damaged", "Good")
    (gone,) = (aquifer.data / "outbox").glob("1.*")
    gone.unlink()
    with sqlite3.connect(aquifer.data / "outbox.sqlite") as database:
        changed = database.execute(f"UPDATE entry SET {harm} WHERE key = ?", ("item:" + "2".zfill(20),))
        assert changed.rowcount == 1
    database.close()
    assert [item["state"] for item in items(aquifer)] == ["waiting", "damaged", "waiting"]
    for number in ("1", "2"):
        said(aquifer("outbox", "discard", number))
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"
    assert not list((aquifer.data / "outbox").iterdir())


def test_a_server_that_asks_for_no_wait_is_tried_again_by_each_send(aquifer, portal):
    busy = portal(503, [("Retry-After", "0")], b"")
    said(aquifer("audio", "post", str(CLIP), "--title", "Busy", "--later", "--quiet", "--remote", f"audio={busy.address}"))
    for count in range(1, 4):
        assert aquifer("outbox", "send").returncode == UNKNOWN
        assert len(busy.posts) == count


def test_a_wait_that_a_server_asked_for_is_kept_by_each_send(aquifer, portal):
    busy = portal(503, [("Retry-After", "3600")], b"")
    said(aquifer("audio", "post", str(CLIP), "--title", "Busy", "--later", "--quiet", "--remote", f"audio={busy.address}"))
    for words in (["send"], ["send"], ["retry", "1"]):
        assert aquifer("outbox", *words).returncode == UNKNOWN
    assert len(busy.posts) == 1
    assert aquifer("outbox", "send", "--at", "+2h").returncode == UNKNOWN
    assert len(busy.posts) == 2


def test_the_next_try_is_told_from_now_in_the_document_too(aquifer, portal):
    remote = ("--remote", f"audio={portal(503, body=b'busy').address}")
    assert aquifer("audio", "post", str(CLIP), "--title", "Later", "--later", *remote).returncode == 0
    assert aquifer("outbox", "send", "--at", "+3d", *remote).returncode == UNKNOWN
    shown = aquifer("outbox", "list", "--at", "+3d").stdout
    (item,) = aquifer.json("outbox", "list", "--at", "+3d")["value"]
    assert item["detail"] in shown and "soon" in item["detail"], item


def test_send_wait_stays_until_all_is_sent_and_says_how_it_goes(aquifer, portal):
    gone = portal(503, [], b"")
    port = gone.server.server_port
    queue(aquifer, "One")
    said(aquifer("audio", "post", str(CLIP), "--title", "Two", "--later", "--quiet", "--remote", f"audio={gone.address}"))
    command = [BINARY, "outbox", "send", "--wait", "--data", str(aquifer.data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=aquifer.environment)
    told = ""
    while "it is tried again" not in told:
        line = process.stderr.readline()
        assert line, "it has ended"
        told += line
    gone.stop()
    clip = {"id": "0A0A0A0A-0000-0000-0000-000000000001", "title": "Two", "duration": 1, "created_at": "2026-05-01T10:00:00Z", "audio": "http://a.example/1.mp3"}
    healed = portal(201, [("Content-Type", "application/json")], json.dumps(clip).encode(), port=port)
    out, error = process.communicate(timeout=60)
    assert healed.posts and process.returncode == DELIVERED and out.strip().endswith("0 left")
    assert "item 1 “One”: sent" in told + error and "item 2 “Two”: sent" in error


def test_an_item_that_never_was_is_told_from_one_that_was_sent_or_discarded(aquifer):
    queue(aquifer, "Gone", "Sent")
    said(aquifer("outbox", "discard", "1"))
    said(aquifer("outbox", "send"))
    for command in ("retry", "discard"):
        for number in ("1", "2"):
            result = aquifer("outbox", command, number)
            assert result.returncode == NOT_FOUND and "was sent or discarded" in result.stderr
        for number in ("3", "99", "0"):
            result = aquifer("outbox", command, number)
            assert result.returncode == NOT_FOUND and "there has never been an item" in result.stderr
