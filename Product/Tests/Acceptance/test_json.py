"""The documents of --json: one shape for every command, written down in docs/json.md, with a golden text for each."""

import json
import os
import pathlib
import pty
import re
import signal
import socket
import sqlite3
import subprocess
import termios

import pytest

from conftest import BINARY, ROOT, Aquifer, commands
from payments_remote import PaymentsRemote

GOLDEN = pathlib.Path(__file__).parent / "golden/json"
CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"
CARD = "4242424242424242\nAna de Testes\n12/39\n"
SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
BLOCKHASH = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
#: Commands that print a text and take no --json.
TEXTS = {"help", "man", "completion", "store schema"}
KEYS = {"source", "savedAt", "because", "saveError", "value"}

#: Texts made by chance or by the day. The same places hold something of the same kind in every run.
CHANCE = [
    (r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", "UUID"),
    (r"\b[1-9A-HJ-NP-Za-km-z]{86,88}\b", "SIGNATURE"),
    (r"\b[1-9A-HJ-NP-Za-km-z]{43,44}\b", "ADDRESS"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"token=[0-9a-f]{32}", "token=TOKEN"),
]


def masked(document, folder):
    """The document, indented, with names in the places of chance. A long list is represented by its first element."""
    def short(value):
        if isinstance(value, list):
            return [short(element) for element in value[:1]] if len(value) < 2 or isinstance(value[0], dict) else value[:2]
        return {key: short(part) for key, part in value.items()} if isinstance(value, dict) else value

    text = json.dumps(short(document), indent=2, ensure_ascii=False) + "\n"
    text = text.replace(str(folder), "FOLDER")
    for pattern, name in CHANCE:
        text = re.sub(pattern, name, text)
    return text


class World:
    """Somebody's data, with something to show for each command."""

    def __init__(self, folder):
        self.folder, self.aquifer = folder, Aquifer(folder / "data")
        self.key = ("--keypair", str(folder / "id.json"))

    def run(self, *words, input="", **options):
        return self.aquifer(*words, "--json", input=input, start_new_session=True, **options)

    def document(self, *words, input="", status=0):
        result = self.run(*words, input=input)
        assert result.returncode == status, (words, result.stderr)
        assert result.stdout.count("\n") == 1, "one document, in one line"
        return json.loads(result.stdout)

    def value(self, *words, **options):
        return self.document(*words, **options)["value"]

    def file(self, name):
        (self.folder / name).write_text("small")
        return str(self.folder / name)

    def serve(self, name):
        process = subprocess.Popen(
            [BINARY, name, "--port", "0", "--json", "--data", str(self.aquifer.data)], stdout=subprocess.PIPE, text=True,
            env=self.aquifer.environment)
        document = json.loads(process.stdout.readline())
        process.terminate()
        assert process.wait(timeout=20) == 0
        return document


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """The document of each command, in an order in which each has something to work on."""
    world = World(tmp_path_factory.mktemp("json"))
    made, key = {}, world.key

    def keep(name, *words, **options):
        made[name] = world.document(*name.split(), *words, **options)
        return made[name]["value"]

    for name in ("serve", "remotes"):
        made[name] = world.serve(name)
    token = keep("link")["token"]
    assert len(token) == 32
    made["link"] = json.loads(json.dumps(made["link"]).replace(token, "TOKEN"))
    for name in ("users add", "users token"):
        token = keep(name, "ana")["token"]
        assert len(token) == 64
        made[name] = json.loads(json.dumps(made[name]).replace(token, "TOKEN"))
    keep("users list")
    keep("users logout", "ana")
    keep("users remove", "ana", "--yes")
    picture = keep("feed list")[0]["id"]
    keep("feed comments", picture)
    keep("feed image", picture, "-o", str(world.folder / "picture"))
    username = keep("contacts")[0]["username"]
    card = keep("cards add", input=CARD)["id"]
    keep("cards list")
    keep("cards default", card)
    paid = keep("pay", username, "79,90", "--cvv-stdin", input="123\n")["id"]
    keep("payments check", paid)
    keep("payments retry", paid, "--cvv-stdin", input="123\n")
    foreign = PaymentsRemote()
    foreign.fault = "answer-lost"
    remote = ("--remote", f"payments={foreign.address}")
    doubtful = world.value("pay", "@marcia.kohler", "20", "--cvv-stdin", *remote, input="123\n", status=75)["id"]
    keep("payments give-up", doubtful)
    foreign.stop()
    database = sqlite3.connect(world.aquifer.data / "payments.sqlite")
    with database:
        database.execute("UPDATE entry SET bytes = x'00' WHERE key = ?", (f"payment:{doubtful}",))
    database.close()
    keep("payments list", status=74)
    keep("payments discard", doubtful, "--yes")
    keep("foaas list")
    keep("foaas say", "shakespeare", "name=Caliban", "from=Prospero")
    phrase = keep("foaas random")
    assert all(isinstance(text, str) and text for text in phrase.values())
    phrase.update(message="PHRASE", subtitle="PHRASE")  # any of them
    clip = keep("audio list")[0]["id"]
    keep("audio get", clip, "-o", str(world.folder / "clip.mp3"))
    keep("audio post", str(CLIP), "--title", "Rain")
    first = world.value("audio", "post", str(CLIP), "--title", "Later", "--later")["id"]
    world.value("audio", "post", str(CLIP), "--title", "Much later", "--later")
    keep("outbox list")
    keep("outbox discard", str(first))
    keep("outbox retry", str(first + 1))
    keep("outbox send")
    keep("drive keygen", key[1])
    account = keep("drive create", "photos", "1MB", *key)["shdwBucket"]
    keep("drive list", *key)
    location = keep("drive upload", account, world.file("a.txt"), *key)[0]["location"]
    for name in ("drive info", "drive files", "drive objects"):
        keep(name, "photos", *key)
    keep("drive edit", "photos", world.file("a.txt"), *key)
    keep("drive object", location, *key)
    keep("drive get", location, "-o", str(world.folder / "got.txt"), *key)
    keep("drive add-storage", "photos", "1MB", "--yes", *key)
    keep("drive reduce-storage", "photos", "1KB", "--yes", *key)
    keep("drive claim", "photos", *key)
    keep("drive delete", location, "--yes", *key)
    keep("drive delete-account", "photos", "--yes", *key)
    keep("drive keep-account", "photos", *key)
    keep("drive make-immutable", "photos", "--yes", *key)
    seed = world.folder / "seed"
    seed.write_text(SEED)
    seed.chmod(0o600)
    transaction = ("drive", "transaction", "refresh-stake", "--owner-seed-file", str(seed), "--blockhash", BLOCKHASH)
    made["drive transaction"] = world.document(*transaction)
    keep("cards rotate-key")
    keep("cache list")
    keep("cache validate")
    keep("cache clear")
    vault = world.aquifer.data / "cards/cards.vault"
    older = vault.read_bytes()
    keep("cards remove", card)
    for name in ("cards accept-older", "cards discard-older"):
        vault.write_bytes(older)
        keep(name)
    yield made, world


#: `drive submit` prints the document of drive create, add-storage or claim.
ELSEWHERE = {"drive submit"}


def test_every_command_that_takes_json_has_a_golden_document(documents):
    names = {path.stem.replace("_", " ") for path in GOLDEN.glob("*.json")} - {"error"}
    assert names == commands() - TEXTS - ELSEWHERE


@pytest.mark.parametrize("name", sorted(commands() - TEXTS - ELSEWHERE))
def test_the_document_of_a_command_is_the_golden_one(documents, name):
    made, world = documents
    assert KEYS <= made[name].keys() <= KEYS | {"failures"}
    assert masked(made[name], world.folder) == (GOLDEN / f"{name.replace(' ', '_')}.json").read_text()


def keys(value):
    if isinstance(value, dict):
        yield from value
        for part in value.values():
            yield from keys(part)
    elif isinstance(value, list):
        for part in value:
            yield from keys(part)


def test_keys_are_in_camel_case_and_sorted(documents):
    made, world = documents
    for name, document in made.items():
        assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]*|\d)*", key) for key in keys(document)), name
    text = world.run("feed", "list", "--offline").stdout
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


def test_docs_describe_every_key(documents):
    made, _ = documents
    text = (ROOT / "docs/json.md").read_text()
    described = set(re.findall(r"`(\w+)`", text))
    for name, document in made.items():
        assert f"`aquifer {name}" in text, name
        assert set(keys(document)) <= described, name


# Errors


def error(result):
    assert result.stdout.count("\n") == 1
    document = json.loads(result.stdout)
    assert document.keys() == {"error"} and document["error"].keys() == {"kind", "message", "exit"}
    assert document["error"]["exit"] == result.returncode
    assert result.stderr.splitlines()[0] == f"aquifer: {document['error']['message']}"
    return document["error"]["kind"], result.returncode


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.mark.parametrize("words, kind", [
    (["frob"], ("usage", 64)),
    (["feed", "list", "--frob"], ("usage", 64)),
    (["feed", "list", "extra"], ("usage", 64)),
    (["man"], ("usage", 64)),
    (["feed", "list", "--offline"], ("unavailable", 69)),
    (["foaas", "random", "--offline"], ("unavailable", 69)),
    (["payments", "check", "nonsense"], ("notFound", 66)),
    (["outbox", "discard", "99"], ("notFound", 66)),
    (["cards", "accept-older"], ("usage", 64)),
    (["drive", "info", "x", "--keypair", "/nowhere"], ("notFound", 66)),
    (["feed", "image", "0A0A0A0A-0000-0000-0000-000000000001", "-o", "/nowhere/x", "--offline"], ("unavailable", 69)),
])
def test_an_error_is_a_document_of_its_own_beside_the_message_for_people(world, words, kind):
    assert error(world.run(*words)) == kind


@pytest.mark.parametrize("words, kind", [
    (["audio", "post", "/nonexist", "--title", "--", "--json"], ("notFound", 66)),
    (["audio", "post", "/nonexist", "--title", "--json", "--json"], ("notFound", 66)),
    (["feed", "image", "0A0A0A0A-0000-0000-0000-000000000001", "-o", "-", "-o", "/nowhere/x", "--json"], ("notFound", 66)),
    (["feed", "list", "-o", "-", "--json"], ("usage", 64)),
    (["frob", "-o", "-", "--json"], ("usage", 64)),
    (["feed", "list", "--json=true"], ("usage", 64)),
    (["feed", "lisst", "--help", "--json"], ("usage", 64)),
    (["audio", "post", "", "--title", "x", "--json"], ("usage", 64)),
    (["drive", "keygen", "", "--json"], ("usage", 64)),
    (["feed", "list", "--limit", "x", "--limit", "1", "--json"], ("usage", 64)),
    (["serve", "--host", "0", "--json"], ("usage", 64)),
    (["drive", "keygen", b"key\xff.json", "--json"], ("usage", 64)),
])
def test_every_command_line_that_asks_for_documents_gets_one(world, words, kind):
    assert error(world.aquifer(*words, input="", start_new_session=True)) == kind


@pytest.mark.parametrize("words", [
    ["audio", "post", "/nonexist", "--title", "--json"], ["feed", "image", "x", "-o", "-", "--json"], ["feed", "list", "--", "--json"],
])
def test_no_document_is_printed_that_nobody_asked_for(world, words):
    result = world.aquifer(*words, input="", start_new_session=True)
    assert result.returncode in (64, 66) and result.stdout == ""


@pytest.mark.parametrize("words, name", [
    ("contacts", "payments"), ("feed list", "feed"), ("audio list", "audio"), ("foaas random", "foaas"),
    ("feed image 0A0A0A0A-0000-0000-0000-000000000001 -o out.png", "feed"),
])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_prints_its_document(world, words, name, number):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        process = start(world, *words.split(), "--remote", f"{name}={address}")
        connection, _ = silent.accept()
        # As `timeout` does it: once to the process, and at once again to its group.
        process.send_signal(number)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        connection.close()
    assert error(subprocess.CompletedProcess((), process.returncode, out, err)) == ("interrupted", 130)
    assert not list(world.folder.glob("*.partial"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_upload_prints_the_outcome_of_each_file(world, number):
    assert world.aquifer("drive", "keygen", world.key[1]).returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        process = start(
            world, "drive", "upload", BLOCKHASH, str(CLIP), "--drive-url", address, "--rpc", address, *world.key)
        connection, _ = silent.accept()
        process.send_signal(number)
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)
        connection.close()
    (file,) = json.loads(out)["value"]
    assert process.returncode == 130 and file["error"]["kind"] == "interrupted"


def start(world, *words, **options):
    return subprocess.Popen(
        [BINARY, *words, "--json", "--data", str(world.aquifer.data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=world.aquifer.environment, cwd=world.folder, start_new_session=True, **options)


def test_an_interrupted_question_for_the_code_prints_a_document_and_the_terminal_echoes(world):
    remote = PaymentsRemote()
    try:
        address = f"payments={remote.address}"
        assert world.aquifer("cards", "add", "--remote", address, input=CARD, start_new_session=True).returncode == 0
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [BINARY, "pay", "@marcia.kohler", "10", "--json", "--remote", address, "--data", str(world.aquifer.data)],
            stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=world.aquifer.environment, start_new_session=True)
        asked = b""
        while b"Security code" not in asked:
            asked += process.stderr.read1()
        while termios.tcgetattr(theirs)[3] & termios.ECHO:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert termios.tcgetattr(theirs)[3] & termios.ECHO
        assert process.returncode == 130 and err.splitlines()[-1] == b"aquifer: interrupted"
        assert json.loads(out) == {"error": {"exit": 130, "kind": "interrupted", "message": "interrupted"}}
        assert remote.bodies == []
        os.close(ours)
        os.close(theirs)
    finally:
        remote.stop()


def test_characters_of_a_value_are_all_there(world, files):
    text = "a" + "\u0301" * 3_000 + "z"
    (files.folder / "v1/feed").write_text(json.dumps({"items": [{**files.items[0], "description": text}]}))
    result = world.run("feed", "list", "--remote", f"feed={files.address}")
    assert json.loads(result.stdout)["value"][0]["description"] == text
    assert result.stdout.count("\u0301") <= 8


@pytest.mark.parametrize("date", [
    "99999-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T25:61:61Z", "2026-01-01T00:00:00Zfoo<b>"])
def test_a_comment_of_an_impossible_time_is_invalid(world, files, date):
    comments = {"items": [{"id": files.ids[0], "message": "Olá", "created_at": date, "author": {"username": "ana"}}]}
    (files.folder / "v1/image" / files.ids[0] / "comments").write_text(json.dumps(comments))
    assert error(world.run("feed", "comments", files.ids[0], "--remote", f"feed={files.address}")) == ("invalidData", 65)


@pytest.mark.parametrize("option", ["--remote", "--rpc", "--drive-url", "--files-url"])
def test_an_address_with_a_password_is_refused_and_not_repeated(world, option):
    value = "http://user:secretpw@127.0.0.1:1"
    result = world.run("cache", "list", option, f"feed={value}" if option == "--remote" else value)
    assert error(result) == ("usage", 64) and "secretpw" not in result.stdout + result.stderr
    result = world.run("drive", "get", f"{value}/x", "-o", "x")
    assert result.returncode != 0 and "secretpw" not in result.stdout + result.stderr


def test_an_error_of_the_answer_and_of_the_store_are_documents(world, files):
    (files.folder / "v1/feed").write_text("{")
    assert error(world.run("feed", "list", "--remote", f"feed={files.address}")) == ("invalidData", 65)
    broken = World(world.folder / "broken")
    broken.folder.mkdir()
    broken.aquifer.data.write_text("a file where the folder should be")
    assert error(broken.run("outbox", "list")) == ("store", 74)


def test_a_port_that_is_taken_is_a_document(world):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert error(world.run("remotes", "--port", str(taken.getsockname()[1]))) == ("unavailable", 69)


def test_a_card_number_in_the_wrong_place_is_in_no_document(world):
    result = world.run("cards", "list", "4012888888881881")
    assert error(result) == ("usage", 64) and "4012" not in result.stdout + result.stderr


@pytest.mark.parametrize("output", [("-o", "-"), ("--output=-",)])
def test_a_file_on_standard_output_is_never_mixed_with_a_document(world, output):
    result = world.run("feed", "image", "0A0A0A0A-0000-0000-0000-000000000001", *output, "--offline")
    assert (result.returncode, result.stdout) == (69, "")


def test_an_error_keeps_its_exit_code_when_its_document_cannot_be_written(world):
    with open("/dev/full", "wb") as full:
        command = [BINARY, "feed", "list", "--offline", "--json", "--data", str(world.aquifer.data)]
        assert subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=world.aquifer.environment).returncode == 69


def test_without_json_an_error_prints_nothing_on_standard_output(world):
    assert world.aquifer("feed", "list", "--offline").stdout == ""


@pytest.mark.parametrize("status", re.findall(r'case \.(\w+): "\1"', (ROOT / "Product/Sources/AquiferCLI/Documents/ErrorDocument.swift").read_text()))
def test_docs_name_every_kind_of_error(status):
    assert f"| `{status}` |" in (ROOT / "docs/json.md").read_text() or status in ("delivered", "closedPipe")
