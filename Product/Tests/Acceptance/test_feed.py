"""`aquifer feed`, against static files, the reference remote, and none."""

import json
import re
import shutil
import sqlite3
import subprocess

import pytest

from conftest import BINARY
from serving import states


def local(value):
    """The document of a value of this machine, all of whose parts could be read."""
    return {"source": "local", "savedAt": None, "because": None, "saveError": None, "value": value, "failures": []}



def test_works_against_a_plain_static_file_server_online_then_stopped_then_eight_days_later(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    online = aquifer.json("feed", "list", *remote)
    assert online["source"] == "remote" and online["because"] is None and online["saveError"] is None
    assert [item["id"] for item in online["value"]] == files.ids
    assert online["value"][0] == files.items[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", online["savedAt"])

    files.stop()
    offline = aquifer.json("feed", "list", *remote)
    assert offline["source"] == "cache" and offline["because"] == "connectivity"
    assert offline["value"] == online["value"] and offline["savedAt"] == online["savedAt"]

    expired = aquifer("feed", "list", *remote, "--at", "+8d")
    assert expired.returncode == 69 and expired.stdout == ""
    assert expired.stderr.startswith("aquifer: The server can’t be reached, and nothing recent is saved.")
    assert len(expired.stderr.splitlines()) == 1


def test_exactly_seven_days_is_expired_and_a_second_less_is_not(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    assert aquifer("feed", "list", *remote, "--offline", "--at", "+604790s").returncode == 0
    assert aquifer("feed", "list", *remote, "--offline", "--at", "+604800s").returncode == 69
    assert aquifer("feed", "list", *remote, "--offline", "--at", "-8d").returncode == 69


def test_asks_with_what_it_has_and_takes_a_304_for_the_latest(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    again = aquifer.json("feed", "list", *remote, "--at", "+1h")
    assert again["source"] == "remote" and [item["id"] for item in again["value"]] == files.ids
    assert "If-Modified-Since" in files.requests[-1][1]
    assert again["savedAt"] > aquifer.json("feed", "list", *remote, "--at", "-1h")["savedAt"]


def test_a_file_changed_within_the_second_it_was_loaded_in_is_seen_to_have_changed(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    for description in ("first", "second"):
        files.items[0]["description"] = description
        (files.folder / "v1/feed").write_text(json.dumps({"items": files.items}))
        assert aquifer.json("feed", "list", *remote)["value"][0]["description"] == description


def test_all_ends_with_a_server_that_gives_the_same_page_for_ever(aquifer, files):
    loaded = aquifer.json("feed", "list", "--all", "--remote", f"feed={files.address}")
    assert len(loaded["value"]) == 2


def test_offline_with_nothing_saved_is_69(aquifer):
    result = aquifer("feed", "list", "--offline")
    assert (result.returncode, result.stdout) == (69, "")


def test_a_server_that_refuses_connections_is_69(aquifer):
    assert aquifer("feed", "list", "--remote", "feed=http://127.0.0.1:9/").returncode == 69


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"items":[{"id":1}]}', b"<html>", b'{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000001","image":"file:///etc/passwd"}]}'],
)
def test_invalid_data_with_nothing_saved_is_65_and_saves_nothing(aquifer, files, body):
    (files.folder / "v1/feed").write_bytes(body)
    result = aquifer("feed", "list", "--remote", f"feed={files.address}")
    assert result.returncode == 65 and result.stdout == ""
    assert "couldn’t be understood" in result.stderr
    assert aquifer.json("cache", "list") == local([])


def test_invalid_data_falls_back_on_the_saved_copy_and_says_so(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    (files.folder / "v1/feed").write_text('{"items":"soon"}')
    result = aquifer("feed", "list", *remote, "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["because"] == "invalidData"
    assert "Saved just now" in result.stderr


def test_a_404_is_invalid_data(aquifer, files):
    (files.folder / "v1/feed").unlink()
    assert aquifer("feed", "list", "--remote", f"feed={files.address}").returncode == 65


def test_a_404_hides_the_saved_copy_and_deletes_nothing(aquifer, files):
    """A hotel's page answers 404, too: once the server cannot be reached, the copy is shown again."""
    remote = ("--remote", f"feed={files.address}")
    online = aquifer.json("feed", "list", *remote)
    (files.folder / "v1/feed").unlink()
    denied = aquifer("feed", "list", *remote)
    assert denied.returncode == 65 and denied.stdout == "" and "404" in denied.stderr
    assert denied.stderr.startswith("aquifer: This isn’t on the server. It may have been removed.")
    files.stop()
    assert aquifer.json("feed", "list", *remote)["value"] == online["value"]


def test_a_picture_that_the_server_does_not_have_any_more_is_said_to_be_gone_not_to_be_unknown(aquifer, files, tmp_path):
    (files.folder / "1.png").unlink()
    target = tmp_path / "picture.png"
    result = aquifer("feed", "image", files.ids[0], "-o", str(target), "--remote", f"feed={files.address}")
    assert result.returncode == 66 and not target.exists()
    assert result.stderr == f"aquifer: the server does not have the picture {files.ids[0]} any more; choose another one\n"


def test_one_byte_is_a_byte_and_two_are_bytes(aquifer, files, tmp_path):
    key, target = tmp_path / "id.json", tmp_path / "target"
    assert aquifer("drive", "keygen", str(key)).returncode == 0
    assert aquifer("drive", "create", "small", "1KB", "--keypair", str(key)).returncode == 0
    for content, words in ((b"a", "1 byte"), (b"ab", "2 bytes"), (b"", "0 bytes")):
        file = tmp_path / f"file-{len(content)}"
        file.write_bytes(content)
        location = aquifer("drive", "upload", "small", str(file), "--keypair", str(key)).stdout.strip()
        result = aquifer("drive", "get", location, "-o", str(target), "--keypair", str(key))
        assert (result.returncode, target.read_bytes()) == (0, content)
        assert result.stderr == f"aquifer: {words} written to {target}\n"


def test_lists_ten_or_as_many_as_asked_for_or_all(aquifer, remotes):
    remote = ("--remote", remotes())
    assert len(aquifer.json("feed", "list", *remote)["value"]) == 10
    assert len(aquifer.json("feed", "list", "--limit", "3", *remote)["value"]) == 3
    assert len(aquifer.json("feed", "list", "--limit", "25", *remote)["value"]) == 25
    everything = aquifer.json("feed", "list", "--all", *remote)["value"]
    assert len(everything) >= 40
    assert aquifer.json("feed", "list", "--offline", "--all", *remote)["value"] == everything


def test_the_reference_remote_runs_in_process_and_its_copy_is_found_by_the_next(aquifer):
    online = aquifer.json("feed", "list")
    assert online["source"] == "remote"
    assert aquifer.json("feed", "list", "--offline")["value"] == online["value"]
    picture = online["value"][0]["id"]
    assert aquifer("feed", "image", picture, "-o", "-", text=False).stdout[:3] == b"\xff\xd8\xff"
    assert aquifer("feed", "image", picture, "-o", "-", "--offline", text=False).stdout[:3] == b"\xff\xd8\xff"


TROUBLES = [
    ("offline", 69, "The server’s answer didn’t arrive"), ("cut", 69, "The server’s answer didn’t arrive"),
    ("failing", 65, "The server has a problem"), ("garbage", 65, "The server’s answer couldn’t be understood"),
]


@pytest.mark.parametrize("fault, status, words", TROUBLES)
def test_each_fault_of_the_remote_has_its_exit_and_its_words_and_leaves_the_saved_copy(aquifer, remotes, fault, status, words):
    broken = ("--remote", remotes(f"feed={fault}"))
    result = aquifer("feed", "list", *broken)
    assert result.returncode == status and result.stderr.startswith(f"aquifer: {words}")
    assert "Array" not in result.stderr, "no names of Swift"


def test_the_notice_of_a_saved_copy_says_what_the_trouble_is(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    aquifer("feed", "list", *remote)
    def notice(*words):
        return aquifer("feed", "list", *remote, *words).stderr.splitlines()[0]
    assert notice("--offline") == "aquifer: You’re offline. Saved just now."
    (files.folder / "v1/feed").write_bytes(b'{"items": 1}')
    assert notice("--at", "+2d") == "aquifer: Couldn’t refresh. Saved 2 days ago."
    files.stop()
    assert notice("--at", "+2d") == "aquifer: The server can’t be reached. Saved 2 days ago."
    assert notice("--offline", "--at", "-2d") == (
        "aquifer: You’re offline. The saved copy is dated in the future: check this device’s clock.")


def test_a_machine_without_a_network_is_offline_also_when_the_server_has_a_name(aquifer):
    def isolated(*words):
        return subprocess.run(
            ["unshare", "-n", *words], capture_output=True, text=True, timeout=60, env=aquifer.environment)
    if not shutil.which("unshare") or isolated("true").returncode != 0:
        pytest.skip("only root makes a network")
    remote = ("--remote", "feed=https://feed.example", "--data", str(aquifer.data))
    result = isolated(BINARY, "feed", "list", *remote)
    assert result.returncode == 69
    assert result.stderr.startswith("aquifer: You’re offline, and nothing recent is saved."), result.stderr


def test_a_server_that_answers_401_is_said_to_give_no_access(aquifer, files):
    aquifer("feed", "list", "--remote", f"feed={files.address}")
    files.deny(401)
    result = aquifer("feed", "list", "--remote", f"feed={files.address}", "--json")
    assert result.returncode == 65
    assert "You don’t have access to this on the server." in result.stderr and "401" in result.stderr
    assert "--remote" not in result.stderr, "the address is right"


def test_shows_comments(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    result = aquifer("feed", "comments", files.ids[0], *remote, "--at", "2020-08-28T15:12:02Z")
    assert result.stdout == "ana, 5 minutes ago\n  Olá\n"
    assert aquifer.json("feed", "comments", files.ids[0], *remote)["value"][0]["author"] == {"username": "ana"}
    assert aquifer("feed", "comments", files.ids[1], *remote).returncode == 66


def test_writes_a_picture_and_refuses_what_is_none(aquifer, files, tmp_path):
    remote = ("--remote", f"feed={files.address}")
    target = tmp_path / "picture.png"
    result = aquifer("feed", "image", files.ids[0], "-o", str(target), *remote)
    assert result.returncode == 0 and target.read_bytes().startswith(b"\x89PNG")
    assert aquifer.json("feed", "image", files.ids[0], "-o", str(target), *remote)["source"] == "cache"
    refused = aquifer("feed", "image", files.ids[1], "-o", str(tmp_path / "no.png"), *remote)
    assert refused.returncode == 65 and not (tmp_path / "no.png").exists()
    nowhere = aquifer("feed", "image", files.ids[0], "-o", "/none/picture.png", *remote)
    assert nowhere.returncode == 73 and "/none/picture.png cannot be written" in nowhere.stderr
    stranger = aquifer("feed", "image", "0A0A0A0A-0000-0000-0000-000000000009", "-o", "-", *remote)
    assert stranger.returncode == 66


def test_what_a_server_says_cannot_move_the_cursor_of_a_terminal(aquifer, files):
    hostile = "\x1b]0;owned\x07\x1b[2J\x9b31m\rred"
    files.items[0]["description"] = hostile
    (files.folder / "v1/feed").write_text(json.dumps({"items": files.items}))
    remote = ("--remote", f"feed={files.address}")
    text = aquifer("feed", "list", *remote).stdout
    assert text.splitlines()[0] == "\ufffd]0;owned\ufffd[2J\ufffd31m, red"
    assert not [character for character in text if ord(character) < 32 and character != "\n"]
    assert aquifer.json("feed", "list", *remote)["value"][0]["description"] == hostile


def test_text_for_people_names_description_location_and_id(aquifer, files):
    result = aquifer("feed", "list", "--remote", f"feed={files.address}")
    assert result.stdout.splitlines() == ["Mountains", "  Petrópolis", "  " + files.ids[0], "(no description)", "  " + files.ids[1]]
    assert result.stderr == ""


def test_author_age_and_number_of_comments_are_shown_as_far_as_the_remote_tells_them(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    files.items[0].update(author={"username": "ana"}, created_at="2020-08-28T15:07:02+0000", comment_count=1, width=800, height=600)
    files.items[1].update(comment_count=0, author=None)
    (files.folder / "v1/feed").write_text(json.dumps({"items": files.items}))
    lines = aquifer("feed", "list", *remote, "--at", "2020-08-28T15:12:02Z").stdout.splitlines()
    assert lines == ["Mountains", "  Petrópolis", "  ana, 5 minutes ago, 1 comment", "  " + files.ids[0],
                     "(no description)", "  0 comments", "  " + files.ids[1]]
    for words in ((), ("--offline",)):
        first, second = aquifer.json("feed", "list", *remote, "--at", "2020-08-28T15:12:02Z", *words)["value"]
        assert first["author"] == {"username": "ana"} and first["createdAt"] == "2020-08-28T15:07:02Z"
        assert (first["commentCount"], first["width"], first["height"]) == (1, 800, 600)
        assert second["commentCount"] == 0 and "author" not in second and "width" not in second


@pytest.mark.parametrize("wrong", [{"author": "ana"}, {"created_at": "soon"}, {"comment_count": -1}, {"width": 0, "height": 9}])
def test_a_wrong_field_of_the_extension_is_told_and_the_saved_feed_stays(aquifer, files, wrong):
    remote = ("--remote", f"feed={files.address}")
    online = aquifer.json("feed", "list", *remote)
    files.items[0].update(wrong)
    (files.folder / "v1/feed").write_text(json.dumps({"items": files.items}))
    offline = aquifer.json("feed", "list", *remote)
    assert offline["because"] == "invalidData" and offline["value"] == online["value"]


# The store


def test_a_folder_that_cannot_hold_a_store_shows_the_latest_and_offline_fails_as_the_store_did(aquifer, files):
    aquifer.data.parent.mkdir(exist_ok=True)
    aquifer.data.write_text("not a folder")
    remote = ("--remote", f"feed={files.address}")
    online = aquifer("feed", "list", *remote, "--json")
    report = json.loads(online.stdout)
    assert online.returncode == 0 and report["source"] == "remote" and report["savedAt"] is None and report["saveError"]
    assert "couldn’t be saved for offline use" in online.stderr
    offline = aquifer("feed", "list", *remote, "--offline")
    assert offline.returncode == 74 and "the server did not answer" in offline.stderr


def test_a_store_that_is_not_a_store_is_left_as_it_is(aquifer, files):
    aquifer.data.mkdir()
    (aquifer.data / "values.sqlite").write_bytes(b"my thesis, 300 pages")
    remote = ("--remote", f"feed={files.address}")
    result = aquifer("feed", "list", *remote)
    assert result.returncode == 0 and "is not a store" in result.stderr
    assert aquifer("feed", "list", *remote, "--offline").returncode == 74
    assert aquifer("cache", "clear").returncode == 74
    assert (aquifer.data / "values.sqlite").read_bytes() == b"my thesis, 300 pages"


@pytest.mark.parametrize("version", [3, 99])
def test_a_store_of_another_version_is_left_as_it_is(aquifer, files, version):
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    database = sqlite3.connect(aquifer.data / "values.sqlite")
    database.execute(f"PRAGMA user_version = {version}")
    database.commit()
    database.close()
    result = aquifer("feed", "list", *remote, "--offline")
    assert result.returncode == 74 and ("a newer version" if version == 99 else "an earlier version of Aquifer, before its first release") in result.stderr
    assert aquifer("feed", "list", *remote).returncode == 0


def test_a_damaged_copy_is_never_shown(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    # Out of the log, whose damage SQLite itself sees and takes for a write that never ended.
    database = sqlite3.connect(aquifer.data / "values.sqlite")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    file = aquifer.data / "values.sqlite"
    content = file.read_bytes()
    assert b"Mountains" in content
    file.write_bytes(content.replace(b"Mountains", b"Mountainz"))
    result = aquifer("feed", "list", *remote, "--offline")
    assert result.returncode == 74 and "Mountain" not in result.stdout
    assert aquifer("feed", "list", *remote).returncode == 0
    assert aquifer("feed", "list", *remote, "--offline").returncode == 0


def test_what_is_saved_can_be_listed_validated_and_cleared(aquifer, files):
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    key = f"feed:{files.address}/v1/feed"
    assert [entry["key"] for entry in aquifer.json("cache", "list")["value"]] == [key]
    table = aquifer("cache", "list").stdout.splitlines()
    assert table[0].split() == ["STATE", "SAVED", "BYTES", "KEY"] and table[1].startswith("fresh") and table[1].endswith(key)
    assert aquifer.json("cache", "validate") == local({"removed": []})
    assert aquifer.json("cache", "list", "--at", "+7d")["value"][0]["validity"] == "expired"
    assert aquifer.json("cache", "validate", "--at", "+7d") == local({"removed": [key]})
    aquifer.json("feed", "list", *remote)
    nothing = aquifer("cache", "clear", "none")
    assert nothing.returncode == 66 and "nothing is saved" in nothing.stderr
    assert aquifer.json("cache", "clear", key) == local({"deleted": 1})
    assert aquifer.json("cache", "list") == local([])


def test_an_open_page_whose_list_is_lost_is_told_so_and_loads_it_or_the_error_when_it_appears_again(aquifer, files, serve):
    server = serve("--remote", f"feed={files.address}")

    def appear():
        server.api("/api/screens/feed/intents?tab=t", method="POST", body='{"intent":"appear"}')

    with server.stream() as answer:
        page = filter(lambda state: not state["isLoading"], states(answer))
        appear()
        shown = next(state["items"] for state in page if state["items"])
        assert aquifer.json("cache", "clear")["value"]["deleted"]
        assert next(state for state in page if state["phase"] == "idle")["items"] == []
        appear()
        assert next(state for state in page if state["phase"] == "loaded")["items"] == shown
        # Another program is denied the list, and so hides it here.
        files.deny(403)
        assert aquifer("feed", "list", "--remote", f"feed={files.address}").returncode != 0
        assert next(state for state in page if state["phase"] == "idle")["items"] == []
        appear()
        failed = next(state for state in page if state["phase"] == "failed")
    assert failed["items"] == [] and failed["error"]["kind"] == "invalidData"


def test_many_processes_on_one_folder_do_not_disturb_each_other(aquifer, files):
    command = [BINARY, "feed", "list", "--json", "--remote", f"feed={files.address}", "--data", str(aquifer.data)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(16)]
    for process in processes:
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert json.loads(output)["saveError"] is None
