"""A backup of --store, made and put back with PostgreSQL's own programs: what comes back, and what is done again."""

import contextlib
import os
import pathlib
import shutil
import subprocess

import pytest

from payments_command import DELIVERED, VISA, Payer
from test_replicas import CLIP, Machine, postgres, store, wait_for_end  # noqa: F401
from waiting import wait_until

PROGRAMS = sorted(path.parent for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin/pg_dump"))[-1]


def run(name, *words, **options):
    return subprocess.run([PROGRAMS / name, *words], check=True, timeout=60, **options)


@pytest.fixture
def backup(store, tmp_path):  # noqa: F811
    """Makes a backup of the store; a function that puts it back into a database of its own, and returns its address."""
    made = []

    def dump():
        file = tmp_path / f"backup-{len(made)}"
        made.append(file)
        run("pg_dump", "--format=custom", f"--file={file}", store)

        def restore(in_place=False):
            server = store.rpartition("/")[0]
            if in_place:
                run("pg_restore", "--exit-on-error", "--clean", "--if-exists", f"--dbname={store}", file)
                return store
            name = f"r{os.urandom(6).hex()}"
            run("createdb", f"--maintenance-db={server}/postgres", name)
            run("pg_restore", "--exit-on-error", f"--dbname={server}/{name}", file)
            return f"{server}/{name}"

        return restore

    return dump


def titles(machine, *words):
    return sorted(item["label"] for item in machine.json("outbox", "list", *words)["value"])


def post(machine, title, *words):
    (machine.data / "clips").mkdir(parents=True, exist_ok=True)
    file = machine.data / "clips/clip.mp3"
    file.write_bytes(CLIP)
    result = machine("audio", "post", str(file), "--title", title, "--later", *words)
    assert result.returncode == DELIVERED, result.stderr


def test_an_item_that_was_sent_after_the_backup_is_sent_again_under_its_key_and_one_queued_after_it_is_lost(
    store, backup, remotes, tmp_path  # noqa: F811
):
    audio = ("--remote", remotes(name="audio"))
    a = Machine(tmp_path / "a", store)
    post(a, "Before", *audio)
    restore = backup()
    assert a("outbox", "send", *audio).returncode == DELIVERED
    post(a, "After", *audio)
    # The machine is lost with the database; another one begins with the backup.
    shutil.rmtree(a.data)
    b = Machine(tmp_path / "b", restore())
    assert len(titles(b, *audio)) == 1, "what was queued later is not in the backup"
    assert b("outbox", "send", *audio).returncode == DELIVERED
    assert titles(b, *audio) == []
    clips = [clip["title"] for clip in b.json("audio", "list", *audio)["value"]]
    # The server knows the key, and does not take it twice.
    assert clips.count("Before") == 1 and clips.count("After") == 0
    # An item that is queued from now on is sent as ever, although its number was given before.
    post(b, "New", *audio)
    assert b("outbox", "send", *audio).returncode == DELIVERED
    clips = [clip["title"] for clip in b.json("audio", "list", *audio)["value"]]
    assert clips.count("New") == 1 and clips.count("Before") == 1


def test_a_payment_after_the_backup_is_unknown_to_it_and_one_under_way_is_sent_again_under_its_key(
    store, backup, foreign_payments, tmp_path  # noqa: F811
):
    a = Machine(tmp_path / "a", store)
    payer = Payer(a, foreign_payments.address)
    payer.has_card(VISA)
    foreign_payments.fault = "late"
    paying = payer.start("pay", "@marcia.kohler", "79,90", "--cvv-stdin", stdin=subprocess.PIPE)
    with contextlib.closing(paying.stdin) as words:
        words.write(b"123\n")
    wait_until(foreign_payments.received.is_set, "the payment is sent", process=paying)
    restore = backup()
    paying.kill()
    paying.wait(timeout=20)
    foreign_payments.fault = None
    foreign_payments.released.set()
    assert payer("pay", "@marcia.kohler", "12,34", "--cvv-stdin", lines=("123",)).returncode == DELIVERED
    b = Machine(tmp_path / "b", restore())
    # The keys of the cards are files in any case, which both of these machines have.
    if (a.data / "cards").exists():
        shutil.copytree(a.data / "cards", b.data / "cards")
    (record,) = b.json("payments", "list")["value"]
    assert record["state"] == "sending", "the one of 12,34 was made, and this backup does not know it"
    wait_for_end(record)
    again = Payer(b, foreign_payments.address)("payments", "retry", record["id"], "--cvv-stdin", lines=("123",))
    assert again.returncode == DELIVERED, again.stderr
    assert len(foreign_payments.orders) == 2 and len(set(foreign_payments.keys)) == 2


def test_a_backup_of_the_running_database_is_one_moment_of_all_stores(store, backup, remotes, tmp_path):  # noqa: F811
    audio = ("--remote", remotes(name="audio"))
    a = Machine(tmp_path / "a", store)
    first = backup()
    post(a, "Rain", *audio)
    second = backup()
    assert titles(Machine(tmp_path / "b", second()), *audio) == titles(a, *audio)
    # The commands in deploy/compose.yaml put it back where it was.
    post(a, "Wind", *audio)
    assert len(titles(a, *audio)) == 2
    second(in_place=True)
    assert len(titles(a, *audio)) == 1
    # A backup from before the first start has no tables: they are made.
    assert titles(Machine(tmp_path / "c", first()), *audio) == []
