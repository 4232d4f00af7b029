"""`aquifer drive`: keys, and transactions byte for byte as the golden vectors have them."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import BINARY

VECTORS = json.loads(
    (Path(__file__).resolve().parents[1] / "ShadowDriveTests/shadow-drive-vectors.json").read_text("utf-8"))
INPUTS = VECTORS["inputs"]
DELIVERED, USAGE, INVALID, UNAVAILABLE = 0, 64, 65, 69

WORDS = {
    "initialize_account2": ["--name", INPUTS["name"], "--bytes", INPUTS["size_bytes"]],
    "increase_storage2": ["--bytes", INPUTS["additional_storage"]],
    "increase_immutable_storage2": ["--bytes", INPUTS["additional_storage"]],
    "decrease_storage2": ["--bytes", INPUTS["remove_storage"], "--used", INPUTS["storage_used"]],
    "make_account_immutable2": ["--used", INPUTS["storage_used"]],
    "request_delete_account2": [], "unmark_delete_account2": [], "claim_stake2": [], "refresh_stake2": [],
    "update_account2": ["--name", "renamed"],
}
SHORT = {
    "create": "initialize_account2", "add-storage": "increase_storage2", "make-immutable": "make_account_immutable2",
    "add-immutable-storage": "increase_immutable_storage2", "reduce-storage": "decrease_storage2",
    "request-delete": "request_delete_account2", "unmark-delete": "unmark_delete_account2", "claim-stake": "claim_stake2",
    "refresh-stake": "refresh_stake2", "rename": "update_account2",
}
BUDGET = ["--compute-units", INPUTS["compute_units"], "--compute-price", INPUTS["compute_price_micro_lamports"]]


@pytest.fixture
def seed(tmp_path):
    """The owner's seed in both forms."""
    (tmp_path / "seed.hex").write_text(INPUTS["owner_seed_hex"] + "\n")
    (tmp_path / "seed.bin").write_bytes(bytes.fromhex(INPUTS["owner_seed_hex"]))
    return tmp_path


def transaction(aquifer, kind, file, *words):
    return aquifer(
        "drive", "transaction", kind, "--owner-seed-file", str(file), "--blockhash", INPUTS["blockhash_base58"],
        "--counter", str(INPUTS["account_counter"]), *map(str, words), data=False)


@pytest.mark.parametrize("budget", ["no_compute_budget", "with_compute_budget"])
@pytest.mark.parametrize("kind", WORDS)
def test_every_instruction_is_made_byte_for_byte(aquifer, seed, kind, budget):
    words = WORDS[kind] + (BUDGET if budget == "with_compute_budget" else [])
    result = transaction(aquifer, kind, seed / "seed.hex", *words)
    assert result.returncode == DELIVERED, result.stderr
    wanted = VECTORS["transactions"][kind]["rust_order"][budget]
    # As it is sent: signed by the owner, the uploader's place empty where there is one.
    assert result.stdout.strip() == wanted["transaction_base64"]


@pytest.mark.parametrize("word, kind", SHORT.items())
def test_every_kind_has_a_short_name(aquifer, seed, word, kind):
    result = transaction(aquifer, word, seed / "seed.bin", *WORDS[kind])
    assert result.stdout.strip() == VECTORS["transactions"][kind]["rust_order"]["no_compute_budget"]["transaction_base64"]


def test_the_document_names_the_account_and_who_has_still_to_sign(aquifer, seed):
    report = json.loads(transaction(aquifer, "create", seed / "seed.hex", "--json", *WORDS["initialize_account2"]).stdout)
    assert report["storage_account"] == VECTORS["pdas"]["storage_account"]["address"]
    assert report["missing_signatures"] == [VECTORS["constants"]["uploader"]]


@pytest.mark.parametrize("words, said", [
    (["fly", "--bytes", "1"], "initialize_account2"),
    (["create", "--bytes", "1"], "--name"),
    (["create", "--name", "x"], "--bytes"),
    (["add-storage", "--bytes", "-1"], "whole number"),
    (["add-storage", "--bytes", "18446744073709551616"], "whole number"),
    (["add-storage", "--bytes", "1", "--counter", "4294967296"], "whole number"),
    (["add-storage", "--bytes", "1", "--account", "0OIl"], "--account"),
    (["create", "--name", "x" * 1200, "--bytes", "1024"], ""),
])
def test_a_mistake_is_said_in_one_line(aquifer, seed, words, said):
    result = transaction(aquifer, words[0], seed / "seed.hex", *words[1:])
    assert result.returncode == USAGE and said in result.stderr and len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_wrong_blockhash_names_the_wrong_letter(aquifer, seed):
    result = aquifer(
        "drive", "transaction", "refresh-stake", "--owner-seed-file", str(seed / "seed.hex"), "--blockhash", "US517G5l65", data=False)
    assert result.returncode == USAGE and '"l"' in result.stderr


# Keys


def test_a_key_is_made_once_readable_by_nobody_else_and_never_printed(aquifer, tmp_path):
    path = tmp_path / "id.json"
    result = aquifer("drive", "keygen", str(path), data=False)
    assert result.returncode == DELIVERED
    secret = json.loads(path.read_text())
    assert len(secret) == 64 and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert str(secret[:8])[1:-1] not in result.stdout + result.stderr
    again = aquifer("drive", "keygen", str(path), data=False)
    assert again.returncode == USAGE and json.loads(path.read_text()) == secret


@pytest.mark.parametrize("damage, said", [
    (lambda path: os.chmod(path, 0o644), "chmod 600"),
    (lambda path: path.write_text(json.dumps(json.loads(path.read_text())[:63])), "64"),
    (lambda path: path.write_text(json.dumps([1] + json.loads(path.read_text())[1:])), "two halves"),
    (lambda path: path.write_text("hello"), "key file"),
    (lambda path: path.unlink(), "no key file"),
], ids=["permissions", "length", "public half", "no key", "missing"])
def test_a_key_file_that_cannot_be_used_says_why(aquifer, tmp_path, damage, said):
    path = tmp_path / "id.json"
    aquifer("drive", "keygen", str(path), data=False)
    damage(path)
    result = aquifer("drive", "list", "--keypair", str(path))
    assert result.returncode == USAGE and said in result.stderr, result.stderr


def test_without_a_key_the_way_to_one_is_said(aquifer):
    result = aquifer("drive", "list")
    assert result.returncode == USAGE and "keygen" in result.stderr


@pytest.mark.parametrize("size", ["1", "0KB", "-1MB", "1e3MB", "1PB", "soon", "1TB"])
def test_a_size_that_is_none_is_refused_before_anything_is_sent(aquifer, tmp_path, size):
    path = tmp_path / "id.json"
    aquifer("drive", "keygen", str(path), data=False)
    result = aquifer("drive", "create", "--keypair", str(path), "--offline", "--", "photos", size)
    assert result.returncode == USAGE and len(result.stderr.splitlines()) == 1, result.stderr


# Accounts and files, at the reference remote


@pytest.fixture
def drive(aquifer, tmp_path):
    key = tmp_path / "id.json"
    aquifer("drive", "keygen", str(key), data=False)

    def drive(*words, **options):
        return aquifer("drive", *map(str, words), "--keypair", str(key), **options)
    drive.key = key
    return drive


def said(result):
    assert result.returncode == DELIVERED, result.stderr
    return result.stdout.strip()


def test_from_a_new_account_to_an_immutable_one(drive, tmp_path):
    account = said(drive("create", "photos", "10MB"))
    assert account in said(drive("list")) and "10 MB" in said(drive("list"))
    odd, plain = tmp_path / "a b#?é%.txt", tmp_path / "plain.txt"
    odd.write_text("one"), plain.write_text("two")
    first, second = said(drive("upload", "photos", odd, plain)).splitlines()
    assert first.endswith("/a%20b%23%3F%C3%A9%25.txt")
    assert said(drive("files", account)).splitlines() == ["a b#?é%.txt", "plain.txt"]
    assert "3 B" in said(drive("files", "photos", "--sizes"))
    assert account in said(drive("object", first))
    out = tmp_path / "out"
    said(drive("get", first, "-o", out))
    assert out.read_text() == "one"
    assert drive("get", first, "-o", "-", text=False).stdout == b"one"
    assert json.loads(said(drive("get", first, "-o", out, "--json"))) == {"file": str(out), "bytes": 3}
    missing = drive("get", first)
    assert missing.returncode == USAGE and "-o FILE" in missing.stderr
    plain.write_text("three")
    said(drive("edit", "photos", plain))
    said(drive("get", second, "-o", out))
    assert out.read_text() == "three"
    plain.write_text("four")
    said(drive("upload", "photos", plain, "--replace"))
    said(drive("delete", first))
    assert said(drive("files", "photos")).splitlines() == ["plain.txt"]
    said(drive("add-storage", "photos", "1MB"))
    said(drive("reduce-storage", "photos", "512KB"))
    report = json.loads(said(drive("info", "photos", "--json")))
    assert report["value"]["reserved_bytes"] == 10 * 2**20 + 2**20 - 512 * 2**10
    said(drive("make-immutable", "photos"))
    refused = drive("delete", second)
    assert refused.returncode == INVALID and "immutable" in refused.stderr
    assert "immutable" in said(drive("list"))


def test_a_file_that_is_not_there_is_said_and_the_others_arrive(drive, tmp_path):
    said(drive("create", "photos", "1MB"))
    good = tmp_path / "good.txt"
    good.write_text("x")
    result = drive("upload", "photos", tmp_path / "none.txt", good)
    assert result.returncode == USAGE and "none.txt" in result.stderr and "good.txt" in result.stdout
    assert said(drive("files", "photos")) == "good.txt"
    missing = drive("object", said(drive("upload", "photos", good, "--replace")).replace("good", "bad"))
    assert missing.returncode == INVALID and "no file" in missing.stderr


def test_offline_the_lists_come_from_what_is_saved_with_their_age(drive, tmp_path):
    account = said(drive("create", "photos", "1MB"))
    (tmp_path / "a.txt").write_text("x")
    said(drive("upload", "photos", tmp_path / "a.txt"))
    said(drive("list")), said(drive("files", account))
    listed = drive("list", "--offline", "--at", "+2d")
    assert account in said(listed) and "2 days ago" in listed.stderr
    assert said(drive("files", "photos", "--offline")) == "a.txt"
    assert drive("list", "--offline", "--at", "+8d").returncode == UNAVAILABLE
    assert drive("create", "more", "1MB", "--offline").returncode == UNAVAILABLE


def test_a_new_account_is_in_the_saved_list_without_the_network(drive):
    said(drive("create", "one", "1MB"))
    account = said(drive("create", "two", "2MB"))
    assert account in said(drive("list", "--offline"))


def test_a_stale_blockhash_is_replaced_once_by_a_fresh_one(drive, remotes):
    reference = remotes("drive=stale-blockhash", name="drive").split("=", 1)[1]
    # Its key is not Shadow Drive's own; what is refused for the blockhash comes before what is refused for the key.
    result = drive("create", "photos", "1MB", "--drive-url", reference, "--rpc", reference + "/rpc")
    assert result.returncode == INVALID and "Blockhash not found" not in result.stderr


def test_the_secret_is_in_nothing_that_was_written_or_said(drive, aquifer, tmp_path):
    secret = bytes(json.loads(drive.key.read_text()))
    said(drive("create", "photos", "1MB"))
    (tmp_path / "a.txt").write_text("x")
    results = [drive("upload", "photos", tmp_path / "a.txt"), drive("list"), drive("make-immutable", "photos"), drive("list", "--json")]
    texts = [result.stdout + result.stderr for result in results]
    forms = [secret, secret[:32], secret[:32].hex().encode(), json.dumps(list(secret))[1:60].encode(), json.dumps(list(secret), separators=(",", ":"))[1:60].encode()]
    for form in forms:
        assert not any(form in text.encode() for text in texts)
        for path in aquifer.data.rglob("*"):
            if path.is_file():
                assert form not in path.read_bytes(), path


def test_a_server_with_a_key_of_its_own_is_used_when_its_key_is_given(drive, remotes, aquifer, tmp_path):
    base = remotes(name="drive").split("=", 1)[1]
    key = re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
    there = ["--drive-url", base, "--rpc", base + "/rpc"]
    account = said(drive("create", "photos", "1MB", *there, "--uploader", key))
    (tmp_path / "a.txt").write_text("x")
    location = said(drive("upload", account, tmp_path / "a.txt", *there))
    said(drive("get", location, "-o", tmp_path / "b.txt", *there))
    assert (tmp_path / "b.txt").read_text() == "x"
    assert drive("create", "more", "1MB", *there).returncode == INVALID
    wrong = drive("list", *there, "--uploader", "0OIl")
    assert wrong.returncode == USAGE and "--uploader" in wrong.stderr


def peak(aquifer, *words):
    """The most memory that a run needed, in MB, and what it said."""
    script = "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE); " \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, r.returncode)"
    result = subprocess.run([sys.executable, "-c", script, BINARY, *map(str, words)], capture_output=True, text=True, env=aquifer.environment)
    assert result.stdout.split()[1] == "0", result.stderr
    return int(result.stdout.split()[0])


def test_a_gigabyte_goes_out_in_less_than_30_mb(drive, aquifer, remotes, tmp_path):
    base = remotes(name="drive").split("=", 1)[1]
    key = re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
    there = ["--drive-url", base, "--rpc", base + "/rpc", "--uploader", key]
    account = said(drive("create", "large", "2GB", *there))
    large = tmp_path / "large.bin"
    large.touch()
    os.truncate(large, 2**30)
    own = peak(aquifer, "--version")
    used = peak(aquifer, "drive", "upload", account, large, *there, "--keypair", drive.key, "--data", aquifer.data)
    assert used - own < 30, f"{used} MB, of which the program itself is {own} MB"
    assert "1 GB" in said(drive("files", account, "--sizes", *there))
