"""The program opens the golden stores, and those that it has just written: Tests/Golden."""

import importlib.util
import shutil

import pytest

from conftest import BINARY, ROOT, Aquifer

GOLDEN = ROOT / "Tests/Golden"
GOLDEN_PAYMENTS = {
    ("approved", 12.34), ("declined", 5), ("failed", 7), ("unknown", 9.99),
}
AN_HOUR_LATER = ("--offline", "--at", "2026-11-21T10:00:00Z")


#: Each test here runs over the golden stores, and over what this program has just written.
pytestmark = pytest.mark.parametrize("golden", ["current", "today"], indirect=True)


@pytest.fixture(scope="session")
def stores(tmp_path_factory):
    """The folder of the golden stores; those of today are made when they are first asked for."""
    made = []

    def folder(name):
        if name != "today":
            return GOLDEN / name
        if not made:
            specification = importlib.util.spec_from_file_location("make", GOLDEN / "make.py")
            maker = importlib.util.module_from_spec(specification)
            specification.loader.exec_module(maker)
            made.append(tmp_path_factory.mktemp("golden"))
            maker.make(BINARY, made[0])
        return made[0]

    return folder


@pytest.fixture
def golden(tmp_path, request, stores):
    """The command on a copy of the golden stores, offline, an hour after they were saved; elsewhere, of those that are kept."""
    for name in ("data", "config"):
        shutil.copytree(stores(getattr(request, "param", "current")) / "app" / name, tmp_path / name)
    for path in tmp_path.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)  # git keeps no modes
    return Aquifer(tmp_path / "data")


def show(golden, *words):
    return golden.json(*words, *AN_HOUR_LATER)


def saved(golden, *words):
    """The value that a list shows from its saved copy."""
    report = show(golden, *words)
    assert report["source"] == "cache" and report["savedAt"].startswith("2026-11-21T09:00:")
    return report["value"]


def test_the_saved_copy_of_each_app_is_shown(golden):
    feed = saved(golden, "feed", "list")
    assert feed[0]["id"] == "033DBEF9-71F2-56CF-B108-8303FC336188" and feed[0]["location"] == "Serra dos Órgãos\nTeresópolis, Brasil"
    assert len(saved(golden, "feed", "comments", feed[0]["id"])) >= 1
    people = saved(golden, "contacts")
    assert people[0]["username"] == "@tatiane.andrade" and len(people) == 33
    assert "Awesome" in [operation["name"] for operation in saved(golden, "foaas", "list")]
    assert "Three notes for a door" in [clip["title"] for clip in saved(golden, "audio", "list")]


def test_everything_that_was_saved_is_good(golden):
    entries = show(golden, "cache", "list")["value"]
    assert {entry["validity"] for entry in entries} == {"fresh"}
    assert {entry["key"].split(":")[0] for entry in entries} >= {
        "audio", "comments", "contacts", "drive-accounts", "drive-contents", "feed", "foaas", "data"}
    assert [entry["size"] for entry in entries if entry["key"].startswith("data:")][:1] == [3700]


def test_nothing_of_it_is_shown_when_it_has_expired(golden):
    assert golden("contacts", "--offline", "--at", "2026-11-28T09:00:01Z").returncode == 69


def test_the_payments_are_listed_in_their_states(golden):
    payments = show(golden, "payments", "list")["value"]
    assert {(payment["state"], payment["value"]) for payment in payments} == GOLDEN_PAYMENTS


def test_the_cards_open_with_their_key(golden):
    cards = show(golden, "cards", "list")["value"]
    assert [(card["masked"], card["expiry"]) for card in cards] == [("•••• 4242", "12/38"), ("•••• 0126", "11/38")]


def test_the_outbox_has_its_items_and_sends_them_when_told(golden):
    items = show(golden, "outbox", "list")["value"]
    assert [(item["id"], item["state"], item["label"]) for item in items] == [(1, "refused", "Refused"), (2, "waiting", "Behind it")]
    golden("outbox", "discard", "1")
    sent = golden("outbox", "send")
    assert sent.returncode == 0, sent.stderr
    assert "Behind it" in golden("audio", "list").stdout


def test_a_clip_that_was_kept_is_there_offline(golden, tmp_path):
    clip = next(clip for clip in saved(golden, "audio", "list") if clip["duration"] == 4.0)
    assert golden("audio", "get", clip["id"], "-o", str(tmp_path / "clip.mp3"), *AN_HOUR_LATER).returncode == 0
    kept = next((golden.data / "audio").glob("*.data"))
    assert (tmp_path / "clip.mp3").read_bytes() == kept.read_bytes()


def test_the_drive_has_its_account_and_its_file(golden, tmp_path):
    key = ("--keypair", str(tmp_path / "config/owner.json"))
    (account,) = saved(golden, "drive", "list", *key)
    assert account["identifier"] == "photos" and account["reservedBytes"] == 1 << 20 and account["currentUsage"] == 19
    assert saved(golden, "drive", "files", "photos", *key) == [{"fileName": "note.txt", "size": 19}]
    online = golden.json("drive", "list", *key)  # what the reference remote kept
    assert online["source"] == "remote" and [account["identifier"] for account in online["value"]] == ["photos"]
