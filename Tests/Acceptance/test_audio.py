"""`aquifer audio` and `aquifer outbox`, against the reference remote and one that is cut, gone or hostile."""

import json
import os
import subprocess

import pytest

from conftest import BINARY, ROOT

DELIVERED, USAGE, INVALID, UNAVAILABLE, STORE = 0, 64, 65, 69, 74
CLIP = ROOT / "Sources/ReferenceAPIs/Media/audio/clips/05.mp3"


def said(result):
    assert result.returncode == DELIVERED, result.stderr
    return result.stdout.strip()


def clips(aquifer, *words):
    return json.loads(said(aquifer("audio", "list", "--json", *words)))


@pytest.fixture
def remote(remotes):
    """The value for --remote of an audio remote that outlives one command, with faults."""
    return lambda *faults: remotes(*faults, name="audio")


def test_the_clips_are_listed_searched_and_saved(aquifer):
    report = clips(aquifer)
    assert report["source"] == "remote" and len(report["value"]) >= 12
    assert {"id", "title", "duration", "created_at", "audio", "waveform"} <= report["value"][0].keys()
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
    again = aquifer("audio", "get", identifier, "-o", "-", "--offline", text=False)
    assert again.returncode == DELIVERED and again.stdout == out.read_bytes() and again.stderr == b""
    report = aquifer.json("audio", "get", identifier, "-o", str(out), "--offline")
    assert report == {"file": str(out), "bytes": out.stat().st_size}


def test_what_was_cut_goes_on_where_it_was(aquifer, remote, tmp_path):
    cut = remote("audio=cut-at:20000")
    listed = aquifer("audio", "list", "--json", "--remote", cut)
    identifier = json.loads(said(listed))["value"][0]["id"] if listed.returncode == DELIVERED else None
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
    (lambda path: path.write_text("hello, this is text"), "x", "no sound"),
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
    assert result.returncode == USAGE and word in result.stderr and len(result.stderr.splitlines()) == 1
    assert json.loads(said(aquifer("outbox", "list", "--json")))["items"] == []


def test_posting_without_a_connection_is_that_error_and_says_how_to_send_later(aquifer):
    result = aquifer("audio", "post", str(CLIP), "--title", "Rain", "--offline")
    assert result.returncode == UNAVAILABLE and "--later" in result.stderr


def test_queued_offline_it_is_posted_once_when_there_is_a_connection_though_the_file_is_gone(aquifer, tmp_path):
    path = tmp_path / "rain.mp3"
    path.write_bytes(CLIP.read_bytes())
    identifier = said(aquifer("audio", "post", str(path), "--title", "Later rain", "--later", "--offline", "--quiet"))
    path.unlink()
    (item,) = json.loads(said(aquifer("outbox", "list", "--json")))["items"]
    assert str(item["id"]) == identifier and item["label"] == "Later rain" and item["state"] == "waiting"
    waiting = aquifer("outbox", "send", "--offline")
    assert waiting.returncode == UNAVAILABLE and "1 left" in waiting.stdout
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"
    assert [clip["title"] for clip in clips(aquifer, "later rain")["value"]] == ["Later rain"]
    assert said(aquifer("outbox", "send")) == "sent 0, 0 left"


def test_an_answer_that_was_lost_posts_nothing_twice(aquifer, remote):
    lossy, = [remote("audio=answer-lost")]
    said(aquifer("audio", "post", str(CLIP), "--title", "Once", "--later", "--quiet", "--remote", lossy))
    for _ in range(3):
        assert aquifer("outbox", "send", "--remote", lossy).returncode == UNAVAILABLE
    titles = [clip["title"] for clip in clips(aquifer, "--remote", lossy)["value"]]
    assert titles.count("Once") == 1


def test_what_the_server_refuses_is_kept_with_its_words_until_it_is_discarded(aquifer, remotes):
    # A server that has no such path.
    wrong = remotes(name="feed").replace("feed=", "audio=", 1)
    said(aquifer("audio", "post", str(CLIP), "--title", "Refused", "--later", "--quiet", "--remote", wrong))
    said(aquifer("audio", "post", str(CLIP), "--title", "Behind it", "--later", "--quiet"))
    result = aquifer("outbox", "send")
    assert result.returncode == INVALID and "404" in result.stderr and "2 left" in result.stdout
    items = json.loads(said(aquifer("outbox", "list", "--json")))["items"]
    assert [item["state"] for item in items] == ["refused", "waiting"]
    again = aquifer("outbox", "retry", str(items[0]["id"]))
    assert again.returncode == INVALID and "404" in again.stderr
    said(aquifer("outbox", "discard", str(items[0]["id"])))
    assert said(aquifer("outbox", "send")) == "sent 1, 0 left"


@pytest.mark.parametrize("words", [("retry", "99"), ("discard", "99"), ("retry", "x"), ("discard",), ("send", "1")])
def test_an_item_that_is_not_there_is_a_mistake(aquifer, words):
    result = aquifer("outbox", *words)
    assert result.returncode == USAGE and len(result.stderr.splitlines()) == 1


def test_two_processes_that_send_at_once_post_each_clip_once_in_order(aquifer, remote):
    address = remote()
    for number in range(8):
        said(aquifer("audio", "post", str(CLIP), "--title", f"Clip {number}", "--later", "--quiet"))
    command = [BINARY, "outbox", "send", "--data", str(aquifer.data), "--remote", address]
    # What was queued for the reference remote of this process goes to its own address, whoever sends it.
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
