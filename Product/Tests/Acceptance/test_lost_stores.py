"""A store that cannot be loaded again and is gone or empty is told, never taken for a new one; damaged stores are told."""

import os
import resource
import shutil
import sqlite3
import subprocess

import pytest

from conftest import BINARY
from test_golden import AN_HOUR_LATER, golden, show, stores  # noqa: F401 (fixtures)

DELIVERED, STORE = 0, 74

LOSSES = {
    "removed": lambda file: [part.unlink() for part in file.parent.glob(file.name + "*") if not part.name.endswith("-made")],
    "emptied": lambda file: os.truncate(file, 0),
}


@pytest.fixture(params=LOSSES)
def lose(request):
    return LOSSES[request.param]


def listing(folder):
    return sorted((path.name, path.stat().st_size) for path in folder.iterdir())


def is_told(result, file):
    assert result.returncode == STORE, result.stderr
    assert f"{file} is gone or empty" in result.stderr and "backup" in result.stderr
    assert f"delete {file}-made" in result.stderr
    return True


def test_a_lost_ledger_is_told_by_every_command_and_the_others_go_on(golden, lose):
    show(golden, "payments", "list")
    file = golden.data / "payments.sqlite"
    lose(file)
    before = listing(golden.data)
    for words in (["payments", "list"], ["payments", "list", "--json"], ["payments", "check", "0A0A0A0A-0000-0000-0000-000000000001"]):
        result = golden(*words, *AN_HOUR_LATER)
        assert is_told(result, file) and "nothing was paid" not in result.stdout
    paid = golden("pay", "@tatiane.andrade", "1,00", "--cvv-stdin", input="123\n")
    assert is_told(paid, file)
    assert golden("feed", "list", *AN_HOUR_LATER).returncode == DELIVERED
    assert len(show(golden, "outbox", "list")["value"]) == 2
    assert show(golden, "cache", "list")["failures"] == []
    assert [entry for entry in listing(golden.data) if entry[0].startswith("payments")] == [
        entry for entry in before if entry[0].startswith("payments")], "nothing was made in its place"


def test_a_lost_outbox_is_told_by_every_command_and_the_others_go_on(golden, lose, tmp_path):
    show(golden, "outbox", "list")
    file = golden.data / "outbox.sqlite"
    lose(file)
    clip = tmp_path / "a.wav"
    clip.write_bytes(b"RIFF\0\0\0\0WAVE" + bytes(100))
    for words in (["list"], ["list", "--json"], ["send"], ["send", "--wait"], ["retry", "1"], ["discard", "1"]):
        result = golden("outbox", *words)
        assert is_told(result, file) and "nothing waits" not in result.stdout + result.stderr
    for words in ([], ["--later"]):
        result = golden("audio", "post", str(clip), "--title", "A", *words)
        assert is_told(result, file) and result.stdout == ""
    clips = golden("audio", "list")
    assert is_told(clips, file) and clips.stdout.count("\n") > 1 and "Some may be missing" in clips.stderr, "the server has answered"
    report = golden.json("audio", "list", status=STORE)
    assert report["source"] == "remote" and report["value"] and [failure["name"] for failure in report["failures"]] == ["outbox"]
    assert len(show(golden, "payments", "list")["value"]) == 4
    assert golden("feed", "list", *AN_HOUR_LATER).returncode == DELIVERED


def test_lost_phrases_are_told_by_the_inspector_and_phrases_go_on(golden, lose):
    show(golden, "cache", "list")
    file = golden.data / "foaas.sqlite"
    lose(file)
    for words in (["cache", "list"], ["cache", "validate"], ["cache", "clear"]):
        is_told(golden(*words, *AN_HOUR_LATER), file)
    report = golden.json("cache", "list", *AN_HOUR_LATER, status=STORE)
    assert [failure["name"] for failure in report["failures"]] == ["foaas.sqlite"]
    phrase = golden("foaas", "say", "version")
    assert phrase.returncode == DELIVERED and phrase.stdout, phrase.stderr


def test_the_mark_is_the_way_back(golden, lose):
    show(golden, "payments", "list")
    file, aside = golden.data / "payments.sqlite", golden.data.parent / "backup.sqlite"
    aside.write_bytes(file.read_bytes())
    lose(file)
    is_told(golden("payments", "list"), file)
    file.write_bytes(aside.read_bytes())
    assert len(show(golden, "payments", "list")["value"]) == 4, "the advice of the error worked: the backup"
    lose(file)
    (golden.data / "payments.sqlite-made").unlink()
    result = golden("payments", "list")
    assert result.returncode == DELIVERED and "nothing was paid yet" in result.stdout + result.stderr
    assert (golden.data / "payments.sqlite-made").exists()


def damage_schema(file):
    database = sqlite3.connect(file)
    with database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_schema SET sql = replace(sql, 'saved_at', 'saved_au') WHERE name = 'entry'")
    database.close()


def cut(file):
    database = sqlite3.connect(file)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    os.truncate(file, 8192)


@pytest.mark.parametrize("damage", [damage_schema, cut])
def test_a_damaged_store_is_told_with_what_to_do_and_the_others_are_listed(golden, damage):
    show(golden, "cache", "list")
    damage(golden.data / "values.sqlite")
    table = golden("cache", "list", *AN_HOUR_LATER)
    assert table.returncode == STORE and "foaas:seen" in table.stdout, table.stderr
    assert f"{golden.data}/values.sqlite is damaged" in table.stderr and "move it away" in table.stderr
    report = golden.json("cache", "list", *AN_HOUR_LATER, status=STORE)
    assert [failure["name"] for failure in report["failures"]] == ["values.sqlite"]
    assert any(entry["key"].startswith("data:") for entry in report["value"])
    for path in golden.data.glob("values.sqlite*"):
        path.unlink()
    assert golden("cache", "list", *AN_HOUR_LATER).returncode == DELIVERED, "the advice of the error worked"


def read_only(golden, *words):
    """Runs a command where the data folder cannot be written to, even by root."""
    folder = golden.data
    mount = f'mount --bind "{folder}" "{folder}" && mount -o remount,ro,bind "{folder}" && exec "$@"'
    return subprocess.run(["unshare", "-m", "sh", "-c", mount, "sh", *words], capture_output=True, text=True, timeout=60,
                          env=golden.environment)


def test_a_read_only_device_is_told_with_the_name_of_each_store(golden):
    if not shutil.which("unshare") or read_only(golden, "true").returncode != 0:
        pytest.skip("only root mounts")
    for words, files in [(["payments", "list"], ["payments"]), (["cache", "list"], ["values", "pictures", "foaas"])]:
        result = read_only(golden, BINARY, *words, *AN_HOUR_LATER, "--data", str(golden.data))
        assert result.returncode == STORE, result.stderr
        for name in files:
            assert f"{golden.data}/{name}.sqlite cannot be written to" in result.stderr, result.stderr


def test_a_store_for_which_no_file_can_be_opened_says_that_too_many_are_open(aquifer):
    assert aquifer("cards", "add", input="4242424242424242\nAna\n12/29\n").returncode == DELIVERED
    told = 0
    for limit in range(7, 16):
        def cramp():
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        result = aquifer("payments", "list", preexec_fn=cramp)
        # With no descriptor at all libdispatch ends the process.
        if result.returncode < 0 or result.returncode == DELIVERED:
            continue
        told += 1
        assert result.returncode == STORE and "Too many open files" in result.stderr, (limit, result.stderr)
    assert told > 0
