"""`aquifer drive`: keys, and transactions byte for byte as the golden vectors have them."""

import http.server
import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from conftest import BINARY

VECTORS = json.loads(
    (Path(__file__).resolve().parents[1] / "AquiferShadowDriveTests/shadow-drive-vectors.json").read_text("utf-8"))
INPUTS = VECTORS["inputs"]
DELIVERED, REFUSED, USAGE, INVALID, MISSING, UNAVAILABLE, UNKNOWN, INTERRUPTED = 0, 1, 64, 65, 66, 69, 75, 130

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
    for name in ("seed.hex", "seed.bin"):
        os.chmod(tmp_path / name, 0o600)
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
    assert report["value"]["storageAccount"] == VECTORS["pdas"]["storage_account"]["address"]
    assert report["value"]["missingSignatures"] == [VECTORS["constants"]["uploader"]]


@pytest.mark.parametrize("words, said", [
    (["fly", "--bytes", "1"], "add-immutable-storage"),
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
    assert result.returncode == (USAGE if path.exists() else MISSING) and said in result.stderr, result.stderr


def test_without_a_key_for_a_server_elsewhere_the_way_to_one_is_said(aquifer):
    for words in (["list"], ["files", "photos"]):
        result = aquifer("drive", *words, "--drive-url", "http://127.0.0.1:9")
        assert result.returncode == USAGE and "keygen" in result.stderr
    assert not (aquifer.config / "aquifer/keys/drive.json").exists()


def test_without_a_key_the_reference_remote_gets_the_key_that_the_pages_have(aquifer):
    account = said(aquifer("drive", "create", "photos", "1MB"))
    key = aquifer.config / "aquifer/keys/drive.json"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert account in said(aquifer("drive", "list")) and account in said(aquifer("drive", "list", "--keypair", str(key)))


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
    assert json.loads(said(drive("get", first, "-o", out, "--json")))["value"] == {"file": str(out), "bytes": 3}
    missing = drive("get", first)
    assert missing.returncode == USAGE and "-o FILE" in missing.stderr
    plain.write_text("three")
    said(drive("edit", "photos", plain))
    said(drive("get", second, "-o", out))
    assert out.read_text() == "three"
    plain.write_text("four")
    said(drive("upload", "photos", plain, "--replace"))
    assert said(drive("objects", "photos")).splitlines() == ["a b#?é%.txt", "plain.txt"]
    said(drive("delete", first, "--yes"))
    assert said(drive("files", "photos")).splitlines() == ["plain.txt"]
    assert json.loads(said(drive("objects", account, "--json")))["value"] == ["plain.txt"]
    said(drive("add-storage", "photos", "1MB", "--yes"))
    said(drive("reduce-storage", "photos", "512KB", "--yes"))
    report = json.loads(said(drive("info", "photos", "--json")))
    assert report["value"]["reservedBytes"] == 10 * 2**20 + 2**20 - 512 * 2**10
    said(drive("make-immutable", "photos", "--yes"))
    for words in (["delete", second, "--yes"], ["edit", "photos", plain], ["upload", "photos", plain, "--replace"]):
        refused = drive(*words)
        assert refused.returncode == REFUSED and "immutable" in refused.stderr, refused.stderr
    refused = drive("reduce-storage", "photos", "1KB", "--yes")
    assert refused.returncode == USAGE and "immutable" in refused.stderr
    assert "immutable" in said(drive("list"))
    odd.write_text("new")
    said(drive("upload", "photos", odd))
    said(drive("add-storage", "photos", "1MB", "--yes"))
    assert said(drive("objects", "photos")).splitlines() == ["plain.txt", "a b#?é%.txt"]


def test_a_file_that_is_not_there_is_said_and_the_others_arrive(drive, tmp_path):
    said(drive("create", "photos", "1MB"))
    good = tmp_path / "good.txt"
    good.write_text("x")
    result = drive("upload", "photos", tmp_path / "none.txt", good)
    assert result.returncode == MISSING and "none.txt" in result.stderr and "good.txt" in result.stdout
    assert said(drive("files", "photos")) == "good.txt"
    missing = drive("object", said(drive("upload", "photos", good, "--replace")).replace("good", "bad"))
    assert missing.returncode == MISSING and "no file" in missing.stderr


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


def test_a_stale_blockhash_is_replaced_once_by_a_fresh_one(drive, remotes, aquifer):
    base = remotes("drive=stale-blockhash", name="drive").split("=", 1)[1]
    uploader = re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
    there = ["--drive-url", base, "--rpc", base + "/rpc", "--uploader", uploader]
    result = drive("create", "photos", "1MB", *there)
    assert result.returncode == DELIVERED and "waiting until that transaction can no longer" in result.stderr, result.stderr
    listed = said(drive("list", *there)).splitlines()
    assert len(listed) == 2 and listed[1].endswith(result.stdout.strip()), "one account, and not two"


def test_the_secret_is_in_nothing_that_was_written_or_said(drive, aquifer, tmp_path):
    secret = bytes(json.loads(drive.key.read_text()))
    said(drive("create", "photos", "1MB"))
    (tmp_path / "a.txt").write_text("x")
    results = [drive("upload", "photos", tmp_path / "a.txt"), drive("list"), drive("make-immutable", "photos", "--yes"), drive("list", "--json")]
    texts = [result.stdout + result.stderr for result in results]
    forms = [secret, secret[:32], secret[:32].hex().encode(), json.dumps(list(secret))[1:60].encode(), json.dumps(list(secret), separators=(",", ":"))[1:60].encode()]
    files = [path for path in aquifer.data.rglob("*") if path.is_file()]
    assert files and any(b"photos" in path.read_bytes() for path in files), "the account was written down"
    for form in forms:
        assert not any(form in text.encode() for text in texts)
        for path in files:
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
    assert drive("create", "more", "1MB", *there).returncode == REFUSED
    wrong = drive("list", *there, "--uploader", "0OIl")
    assert wrong.returncode == USAGE and "--uploader" in wrong.stderr


# Commands that cost or cannot be undone ask first


COSTLY = [
    ["add-storage", "photos", "1MB"], ["reduce-storage", "photos", "1KB"], ["make-immutable", "photos"], ["delete-account", "photos"],
]


@pytest.mark.parametrize("words", COSTLY, ids=lambda words: words[0])
def test_without_a_terminal_and_without_yes_nothing_is_done(drive, words):
    said(drive("create", "photos", "2MB"))
    before = said(drive("info", "photos", "--json"))
    refused = drive(*words, stdin=subprocess.DEVNULL)
    assert refused.returncode == USAGE and "--yes" in refused.stderr and "photos" in refused.stderr, refused.stderr
    assert json.loads(said(drive("info", "photos", "--json")))["value"] == json.loads(before)["value"]


def test_a_file_is_not_deleted_without_a_yes(drive, tmp_path):
    said(drive("create", "photos", "1MB"))
    (tmp_path / "a.txt").write_text("x")
    location = said(drive("upload", "photos", tmp_path / "a.txt"))
    refused = drive("delete", location, stdin=subprocess.DEVNULL)
    assert refused.returncode == USAGE and "--yes" in refused.stderr
    assert said(drive("objects", "photos")) == "a.txt"


def on_a_terminal(aquifer, answer, *words):
    """Runs a command on a terminal, types the answer when it asks, and gives its status and what it showed."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(BINARY, [BINARY, *map(str, words), "--data", str(aquifer.data)], {**aquifer.environment, "TERM": "xterm"})
    shown, answered = b"", False
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if not answered and b"> " in shown:
            os.write(master, answer.encode() + b"\n")
            answered = True
    os.close(master)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


def test_on_a_terminal_cost_and_balance_are_shown_and_only_a_yes_goes_on(drive, aquifer):
    create = ["drive", "create", "photos", "1GB", "--keypair", drive.key]
    status, shown = on_a_terminal(aquifer, "no", *create)
    assert status == REFUSED and "cost: 0.25 SHDW" in shown and "balance: 10000 SHDW" in shown, shown
    assert on_a_terminal(aquifer, "yes", *create)[0] == DELIVERED
    add = ["drive", "add-storage", "photos", "1GB", "--keypair", drive.key]
    status, shown = on_a_terminal(aquifer, "no", *add)
    assert status == REFUSED and "nothing was changed" in shown
    assert "cost: 0.25 SHDW" in shown and "balance: 9999.75 SHDW and 1 SOL" in shown and "0.00001 SOL" in shown
    assert "1 GB" in said(drive("info", "photos"))
    status, shown = on_a_terminal(aquifer, "yes", *add)
    assert status == DELIVERED, shown
    assert "2 GB" in said(drive("info", "photos"))
    status, shown = on_a_terminal(aquifer, "yes", "drive", "make-immutable", "photos", "--keypair", drive.key)
    assert status == REFUSED and "for ever" in shown and "0.5 SHDW" in shown, "yes is not the account's name"
    status, _ = on_a_terminal(aquifer, "photos", "drive", "make-immutable", "photos", "--keypair", drive.key)
    assert status == DELIVERED and "immutable" in said(drive("list"))


def test_an_account_is_deleted_kept_after_all_and_its_tokens_are_claimed(drive):
    said(drive("create", "photos", "1GB"))
    said(drive("delete-account", "photos", "--yes"))
    assert "to be deleted" in said(drive("list"))
    again = drive("delete-account", "photos", "--yes")
    assert again.returncode == REFUSED
    said(drive("keep-account", "photos"))
    assert "to be deleted" not in said(drive("list"))
    assert drive("claim", "photos").returncode == REFUSED
    said(drive("reduce-storage", "photos", "512MB", "--yes"))
    said(drive("claim", "photos"))
    assert drive("claim", "photos").returncode == REFUSED


def test_a_name_that_is_taken_says_how_to_replace_it(drive, tmp_path):
    said(drive("create", "photos", "1MB"))
    (tmp_path / "a.txt").write_text("x")
    said(drive("upload", "photos", tmp_path / "a.txt"))
    taken = drive("upload", "photos", tmp_path / "a.txt")
    assert taken.returncode == REFUSED and "a.txt" in taken.stderr and "--replace" in taken.stderr and "200" not in taken.stderr
    said(drive("upload", "photos", tmp_path / "a.txt", "--replace"))


def test_a_name_that_nobody_has_and_one_that_several_have_are_two_answers(drive):
    first, second = said(drive("create", "photos", "1MB")), said(drive("create", "photos", "1MB"))
    unknown = drive("files", "photo")
    assert unknown.returncode == MISSING and "no account" in unknown.stderr and "several" not in unknown.stderr
    several = drive("files", "photos")
    assert several.returncode == USAGE and first in several.stderr and second in several.stderr
    assert "missing" not in drive("list").stderr


def test_each_account_has_an_age_of_its_own(drive):
    first = said(drive("create", "old", "1MB"))
    said(drive("list"))
    second = said(drive("create", "new", "1MB", "--at", "+6d"))
    both = drive("list", "--offline", "--at", "+6d")
    assert first in said(both) and second in both.stdout and "6 days ago" in both.stderr
    assert [(account["savedAt"] is not None) for account in json.loads(said(drive("list", "--offline", "--at", "+6d", "--json")))["value"]] == [False, True]
    later = drive("list", "--offline", "--at", "+12d")
    assert second in said(later) and first not in later.stdout and "6 days ago" in later.stderr and "missing" in later.stderr
    assert drive("list", "--offline", "--at", "+14d").returncode == UNAVAILABLE


def test_a_transaction_that_was_signed_elsewhere_is_submitted_once_it_was_read_and_agreed_to(drive, aquifer, remotes):
    base = remotes(name="drive").split("=", 1)[1]
    key = re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
    question = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "getLatestBlockhash"}).encode()
    with urllib.request.urlopen(urllib.request.Request(base + "/rpc", question, {"Content-Type": "application/json"})) as answer:
        blockhash = json.load(answer)["result"]["value"]["blockhash"]
    signed = said(drive("transaction", "create", "--name", "photos", "--bytes", 2**20, "--blockhash", blockhash, "--uploader", key, data=False))
    there = ["--drive-url", base, "--rpc", base + "/rpc", "--uploader", key]
    refused = aquifer("drive", "submit", signed, *there, stdin=subprocess.DEVNULL)
    assert refused.returncode == USAGE and "photos" in refused.stderr and "--yes" in refused.stderr
    account = said(aquifer("drive", "submit", "-", "--yes", *there, input=signed + "\n"))
    assert account in said(drive("list", *there))
    assert said(aquifer("drive", "submit", signed, "--yes", *there)) == account, "it was done: once"
    assert len(said(drive("list", *there)).splitlines()) == 2
    assert aquifer("drive", "submit", "bm9uZQ==", "--yes", *there).returncode == USAGE


class OddDrive(http.server.BaseHTTPRequestHandler):
    """A drive server whose numbers are as large as they can be."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        largest = 2**64 - 1
        if self.path == "/list-objects-and-sizes":
            answer = {"files": [{"file_name": name, "size": largest} for name in ("a", "b")]}
        elif self.path == "/storage-account-info":
            answer = {
                "storage_account": json.loads(body)["storage_account"], "reserved_bytes": largest, "current_usage": largest, "immutable": False,
                "owner1": "11111111111111111111111111111111", "identifier": "odd", "version": "V2", "creation_time": largest,
            }
        else:
            answer = {"message": "done", "finalized_locations": ["http://files.example/EY8ZktbRmecPLfopBxJfNBGUPT1LMqZmDFVcWeMTGPcN/c"]}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def test_the_largest_numbers_of_a_server_are_only_numbers(drive, tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OddDrive)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        there = ["--drive-url", f"http://127.0.0.1:{server.server_port}"]
        account = "EY8ZktbRmecPLfopBxJfNBGUPT1LMqZmDFVcWeMTGPcN"
        assert "a" in said(drive("files", account, "--sizes", *there))
        (tmp_path / "c").write_text("x")
        said(drive("upload", account, tmp_path / "c", "--replace", *there))
        said(drive("delete", f"http://127.0.0.1:{server.server_port}/files/{account}/a", "--yes", *there))
        assert "odd" in said(drive("info", account, "--offline", *there))
    finally:
        server.shutdown()
        server.server_close()


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


# A server behind something that answers in its place


class Between(http.server.BaseHTTPRequestHandler):
    """Passes everything on, and answers as `rules` say for a path's last part: `(status, body)` once the server has acted."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {"Content-Type": self.headers["Content-Type"]}
        request = urllib.request.Request(self.server.base + self.path, body, headers)
        try:
            with urllib.request.urlopen(request) as answer:
                status, data = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, data = error.code, error.read()
        name = self.path.rsplit("/", 1)[1]
        if name == "rpc":
            name = json.loads(body)["method"]
        rule = self.server.rules.get(name)
        self.server.passed.append(name)
        if rule == "held":
            self.server.isHeld.set()
            return self.server.isOver.wait(20)
        status, data = (rule[0], rule[1].encode()) if isinstance(rule, tuple) else (status, rule(data) if rule else data)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        data = b"<html>Log in</html>"
        if "/files/" not in self.path:
            with urllib.request.urlopen(self.server.base + self.path) as answer:
                data = answer.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def between(remotes, aquifer):
    """A server between command and remote, with the options for commands in `there`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Between)
    server.base = remotes(name="drive").split("=", 1)[1]
    server.rules, server.passed, server.isHeld, server.isOver = {}, [], threading.Event(), threading.Event()
    url = f"http://127.0.0.1:{server.server_port}"
    key = re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
    server.there = ["--drive-url", url, "--rpc", url + "/rpc", "--uploader", key]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.isOver.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("status, body", [
    (500, '{"error":"Internal"}'), (502, '{"error":"x"}'), (504, ""), (524, "<html>"), (407, '{"error":"x"}'), (429, '{"error":"busy"}'),
])
def test_what_was_done_and_not_said_is_not_known(drive, between, status, body):
    between.rules["storage-account"] = (status, body)
    result = drive("create", "photos", "1MB", *between.there)
    assert result.returncode == UNKNOWN and "may have happened" in result.stderr, result.stderr
    between.rules.clear()
    account = said(drive("list", *between.there)).split()[-1]
    between.rules["sendTransaction"] = (status, '{"error":{"code":-32603,"message":"Internal error"}}')
    result = drive("delete-account", account, "--yes", *between.there)
    assert result.returncode == UNKNOWN and "may have happened" in result.stderr, result.stderr


@pytest.mark.parametrize("word", ["make-immutable", "delete-account"])
def test_an_account_of_another_name_on_the_chain_is_not_ended(drive, between, word):
    account = said(drive("create", "precious", "1MB", *between.there))
    # The server gives this account the name of another one.
    between.rules["storage-account-info"] = lambda data: data.replace(b'"precious"', b'"scratch"')
    for named in ("scratch", account):
        result = drive(word, named, "--yes", *between.there)
        assert result.returncode == INVALID, result.stderr
    assert "make-immutable" not in between.passed and "sendTransaction" not in between.passed
    between.rules.clear()
    said(drive(word, "precious", "--yes", *between.there))


def test_a_file_that_was_stored_and_not_said_is_not_called_taken(drive, between, tmp_path):
    account = said(drive("create", "photos", "1MB", *between.there))
    (tmp_path / "a").write_text("one"), (tmp_path / "b").write_text("two")
    between.rules["upload"] = (500, '{"error":"Internal"}')
    result = drive("upload", account, tmp_path / "a", tmp_path / "b", *between.there)
    # The account was empty, so that nothing was listed before, and what stands between does not show the contents.
    assert result.returncode == UNKNOWN and "already" not in result.stderr, result.stderr
    assert between.passed.count("upload") == 1


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\u200b"], ids=repr)
def test_a_name_that_nobody_can_see_confirms_nothing(drive, aquifer, between, name):
    account = said(drive("create", "photos", "1MB", *between.there))

    def renamed(data):
        return json.dumps({**json.loads(data), "identifier": name}).encode()
    between.rules["storage-account-info"] = renamed
    for word in ("make-immutable", "delete-account"):
        words = ["drive", word, account, "--keypair", drive.key, *between.there]
        status, shown = on_a_terminal(aquifer, name.split("\n")[0], *words)
        assert status == REFUSED and f"type {account}" in shown, shown
    status, shown = on_a_terminal(aquifer, account, "drive", "make-immutable", account, "--keypair", drive.key, *between.there)
    assert status == DELIVERED, shown


def blockhash(there):
    question = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "getLatestBlockhash"}).encode()
    with urllib.request.urlopen(urllib.request.Request(there[3], question, {"Content-Type": "application/json"})) as answer:
        return json.load(answer)["result"]["value"]["blockhash"]


def test_what_a_foreign_transaction_costs_is_shown_and_what_it_seals_is_named(drive, aquifer, between):
    there = between.there
    account = said(drive("create", "photos", "1GB", *there))
    made = ["drive", "transaction", "make-immutable", "--used", "0", "--account", account, "--keypair", drive.key, "--uploader", there[5],
            "--compute-units", "1400000", "--compute-price", "1000000", "--blockhash", blockhash(there)]
    signed = said(aquifer(*map(str, made), data=False))
    status, shown = on_a_terminal(aquifer, "yes", "drive", "submit", signed, *there)
    assert status == REFUSED and "type photos" in shown and "0.25 SHDW" in shown and "for ever" in shown, shown
    assert "fee: 0.00141 SOL (0.0014 SOL of it for priority)" in shown and "and 1 SOL" in shown, shown
    said_no = aquifer("drive", "submit", signed, *there, stdin=subprocess.DEVNULL)
    assert said_no.returncode == USAGE and "for priority" in said_no.stderr and "make-immutable" not in between.passed
    status, shown = on_a_terminal(aquifer, "photos", "drive", "submit", signed, *there)
    assert status == DELIVERED, shown


@pytest.mark.parametrize("word, number", [
    *((word, signal.SIGINT) for word in ["create", "delete-account", "upload", "delete", "edit", "submit"]), ("create", signal.SIGTERM),
], ids=lambda part: part if isinstance(part, str) else part.name)
def test_an_interrupted_change_says_that_it_may_have_happened_and_where_to_look(drive, aquifer, between, tmp_path, word, number):
    there = between.there
    account = said(drive("create", "photos", "1MB", *there))
    file = tmp_path / "a.txt"
    file.write_text("x")
    location = f"{there[1]}/files/{account}/a.txt"
    path, words = {
        "create": ("storage-account", ["create", "more", "1MB"]), "delete-account": ("sendTransaction", ["delete-account", account, "--yes"]),
        "upload": ("upload", ["upload", account, file]), "delete": ("delete-file", ["delete", location, "--yes"]),
        "edit": ("edit", ["edit", account, file]), "submit": ("add-storage", None),
    }[word]
    if word == "submit":
        made = ["transaction", "add-storage", "--bytes", "1", "--account", account, "--uploader", there[5], "--blockhash", blockhash(there)]
        words = ["submit", said(drive(*made, data=False)), "--yes"]
    between.rules[path] = "held"
    process = subprocess.Popen(
        [BINARY, "drive", *map(str, words), "--keypair", str(drive.key), "--data", str(aquifer.data), *there], env=aquifer.environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert between.isHeld.wait(20)
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == INTERRUPTED and "interrupted" in errors and "aquifer drive" in errors, (process.returncode, errors)
    assert "may have happened" in errors or word == "upload" and "what arrived" in errors, errors


def test_a_file_named_in_two_forms_is_two_files_and_an_edit_keeps_to_one(drive, between, tmp_path):
    account = said(drive("create", "photos", "1MB", *between.there))
    decomposed = tmp_path / "e\u0301.txt"
    decomposed.write_text("one")
    said(drive("upload", account, decomposed, *between.there))
    decomposed.write_text("other")
    said(drive("edit", account, decomposed, *between.there))
    assert said(drive("files", account, *between.there)) == "\u00e9.txt"

    def twice(data):
        return json.dumps({"files": json.loads(data)["files"] + [{"file_name": "e\u0301.txt", "size": 1}]}).encode()
    between.rules["list-objects-and-sizes"] = twice
    assert said(drive("files", account, *between.there)).splitlines() == ["\u00e9.txt", "e\u0301.txt"]


def test_a_page_in_the_place_of_a_file_is_not_the_file(drive, between, tmp_path):
    account = said(drive("create", "photos", "1MB", *between.there))
    (tmp_path / "a.txt").write_text("x")
    said(drive("upload", account, tmp_path / "a.txt", *between.there))
    out = tmp_path / "out"
    result = drive("get", f"{between.there[1]}/files/{account}/a.txt", "-o", out, *between.there)
    assert result.returncode == INVALID and "not the file" in result.stderr and not out.exists(), result.stderr


def test_a_seed_that_others_can_read_is_refused_as_a_key_is(aquifer, seed):
    os.chmod(seed / "seed.hex", 0o644)
    result = transaction(aquifer, "refresh-stake", seed / "seed.hex")
    assert result.returncode == USAGE and "chmod 600" in result.stderr


def test_an_empty_key_file_says_what_to_do(drive, aquifer, tmp_path):
    empty = tmp_path / "empty.json"
    empty.touch(0o600)
    for words in (["list", "--keypair", str(empty)], ["keygen", str(empty)]):
        result = aquifer("drive", *words)
        assert result.returncode == USAGE and "is empty" in result.stderr and "rm '" in result.stderr, result.stderr
