"""Text of a server reaches the terminal without what drives it, forges a line or hides; JSON keeps it, escaped."""

import http.server
import json
import os
import pty
import re
import sqlite3
import subprocess
import threading
import unicodedata

import pytest

from conftest import BINARY, ROOT

ID = "0A0A0A0A-0000-0000-0000-000000000001"
CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"
ADDRESS = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
HARM = (
    "a\x1b]52;c;cm0gLXJm\x07b\x1b[2Jc\x9b31md\x00e\x7ff\r\ng\rh\ti\x85j\u2028k\u2029l\u202em\u202cn\u2066o\u2069p\u200eq\u200br"
    "\u200ds\u2060t\ufeffu\u00adv\u3164w\U000e0041x\n@forged  Forged line")


#: The same in a word of a command line, which holds no NUL.
WORD = HARM.replace("\0", "")


class HostileServer:
    """Speaks the contracts of all apps, with harm in every text."""

    def __init__(self):
        server = self
        self.username = "@" + HARM

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, kind, body = server.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = server.drive(self.path, body)
                data = json.dumps(answer).encode() if answer else HARM.encode()  # a refusal is any text
                self.send_response(200 if answer else 422)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def drive(self, path, body):
        """The answer of a drive about any account; `None` if the path is no request to a drive."""
        return {
            "/list-objects": {"keys": [HARM]},
            "/list-objects-and-sizes": {"files": [{"file_name": HARM, "size": 4}]},
            "/storage-account-info": {
                "storage_account": ADDRESS, "reserved_bytes": 4096, "current_usage": 4, "immutable": False,
                "to_be_deleted": False, "owner1": ADDRESS, "identifier": HARM, "version": "V2", "creation_time": 1},
        }.get(path)

    def answer(self, path):
        documents = {
            "/v1/feed": {"items": [{"id": ID, "description": HARM, "location": HARM, "image": f"{self.address}/picture", "author": {"username": HARM}}]},
            f"/v1/image/{ID}/comments": {"items": [
                {"id": ID, "message": HARM, "created_at": "2020-08-28T15:07:02+0000", "author": {"username": HARM}}]},
            "/users": [{"id": 1, "name": HARM, "img": f"{self.address}/picture", "username": self.username}],
            "/operations": [{"name": HARM, "url": "/awesome/:from", "fields": [{"name": HARM, "field": "from"}]}],
            "/awesome/me": {"message": HARM, "subtitle": HARM},
            "/v1/audio": {"items": [{
                "id": ID, "title": HARM, "author": HARM, "created_at": "2020-08-28T15:07:02+00:00", "duration": 4,
                "audio": f"{self.address}/sound", "waveform": [0.5] * 96}]},
        }
        path = path.split("?")[0]
        if path in documents:
            return 200, "application/json", json.dumps(documents[path]).encode()
        if path == "/sound" or path.startswith(f"/{ADDRESS}/"):
            return 200, "audio/mpeg", b"ID3" + bytes(400_000)
        return 500, "application/json", json.dumps({"error": HARM, "message": HARM}).encode()


@pytest.fixture
def hostile():
    server = HostileServer()
    yield server
    server.server.shutdown()
    server.server.server_close()


def is_harmless(text):
    return not [letter for letter in text if letter != "\n" and unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp")]


# The words, the app, and the number of lines that are printed for people.
LISTS = [
    ("feed list", "feed", None), (f"feed comments {ID}", "feed", None), ("contacts", "payments", 2), ("foaas list", "foaas", 2),
    ("foaas say awesome from=me", "foaas", 2), ("audio list", "audio", 2),
]


@pytest.mark.parametrize("words, name, lines", LISTS, ids=[words for words, _, _ in LISTS])
def test_no_list_lets_a_server_drive_the_terminal_or_forge_a_line(aquifer, hostile, words, name, lines):
    words = (*words.split(), "--remote", f"{name}={hostile.address}")
    result = aquifer(*words)
    assert result.returncode == 0 and is_harmless(result.stdout + result.stderr), result.stderr
    assert not any(line.startswith("@forged") for line in result.stdout.splitlines())
    assert lines is None or len(result.stdout.splitlines()) == lines
    document = aquifer(*words, "--json").stdout
    assert is_harmless(document) and len(document.splitlines()) == 1 and "\u3164" not in document
    # Nothing is lost: a reader of JSON gets every character.
    assert HARM in texts(json.loads(document))


DRIVE = [f"drive info {ADDRESS}", f"drive files {ADDRESS}", f"drive files {ADDRESS} --sizes", f"drive objects {ADDRESS}"]


@pytest.mark.parametrize("words", DRIVE)
def test_no_list_of_a_drive_lets_its_server_drive_the_terminal_or_forge_a_line(aquifer, hostile, words):
    words = (*words.split(), "--drive-url", hostile.address, "--rpc", hostile.address)
    result = aquifer(*words)
    assert result.returncode == 0, result.stderr
    shown = is_shown(result)
    # Account, owner and five more; or a heading, or none, and one file.
    assert len(shown.splitlines()) == (7 if "info" in words else 2 if "--sizes" in words else 1), shown
    is_whole(aquifer(*words, "--json"), HARM)


def is_shown(result):
    """The output is harmless, forges nothing, and still has the letters around the harm."""
    shown = result.stdout
    assert is_harmless(shown + result.stderr) and "\u3164" not in shown + result.stderr
    assert not any(line.startswith("@forged") for line in (shown + result.stderr).splitlines())
    assert "cm0gLXJm" in shown, shown
    return shown


def is_whole(result, text):
    """JSON is one harmless line, and holds every character."""
    assert is_harmless(result.stdout) and len(result.stdout.splitlines()) == 1 and "\u3164" not in result.stdout
    assert text in texts(json.loads(result.stdout)), result.stdout


#: As long as an account's name may be.
SHORT_HARM = "a\x1b]52;c;cm0gLXJm\x07b\x9bc\r\nd\u202ee\u2028f\u3164g\n@forged  x"


def test_the_list_of_accounts_shows_their_names_without_harm(aquifer, tmp_path):
    key = ("--keypair", str(tmp_path / "id.json"))
    assert aquifer("drive", "keygen", str(tmp_path / "id.json")).returncode == 0
    assert len(SHORT_HARM.encode()) <= 64 and aquifer("drive", "create", SHORT_HARM, "1MB", *key).returncode == 0
    for words in (("drive", "list"), ("drive", "list", "--offline")):
        shown = is_shown(aquifer(*words, *key))
        assert len(shown.splitlines()) == 2, shown
        is_whole(aquifer(*words, *key, "--json"), SHORT_HARM)


def test_a_transaction_from_elsewhere_is_read_back_without_the_harm_in_its_name(aquifer, tmp_path):
    (tmp_path / "seed").write_text("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    (tmp_path / "seed").chmod(0o600)
    uploader = re.search(r"signs with (\w+)", aquifer("remotes", "--help", data=False).stdout)[1]
    made = aquifer(
        "drive", "transaction", "create", "--owner-seed-file", str(tmp_path / "seed"), "--blockhash", ADDRESS,
        "--counter", "0", "--name", SHORT_HARM, "--bytes", "1024",
        "--uploader", uploader, data=False)
    assert made.returncode == 0, made.stderr
    result = aquifer("drive", "submit", made.stdout.strip(), start_new_session=True, stdin=subprocess.DEVNULL)
    assert result.returncode == 64 and result.stdout == "" and len(result.stderr.splitlines()) == 1, result.stderr
    assert is_harmless(result.stderr) and "\u3164" not in result.stderr and "cm0gLXJm" in result.stderr


def test_the_list_of_payments_shows_whom_they_went_to_without_harm(aquifer, hostile):
    remote = ("--remote", f"payments={hostile.address}")
    hostile.username = "@" + WORD
    card = "4242424242424242\nAna\u3164de Testes\n12/39\n"
    assert aquifer("cards", "add", *remote, input=card, start_new_session=True).returncode == 0
    paid = aquifer("pay", "@" + WORD, "10", "--cvv-stdin", *remote, input="123\n", start_new_session=True)
    assert paid.returncode == 75 and is_harmless(paid.stderr) and "cm0gLXJm" in paid.stderr, paid.stderr
    shown = is_shown(aquifer("payments", "list", *remote))
    assert len(shown.splitlines()) == 2, shown
    is_whole(aquifer("payments", "list", *remote, "--json"), WORD)
    identifier = json.loads(aquifer("payments", "list", *remote, "--json").stdout)["value"][0]["id"]
    for word in ("check", "give-up"):
        said = aquifer("payments", word, identifier, *remote)
        assert is_harmless(said.stdout + said.stderr), said.stderr
    cards = aquifer("cards", "list")
    assert is_harmless(cards.stdout) and "\u3164" not in cards.stdout and "Ana" in cards.stdout
    assert len(cards.stdout.splitlines()) == 2
    is_whole(aquifer("cards", "list", "--json"), "Ana\u3164de Testes")


def test_a_name_on_a_card_with_harm_in_it_is_refused_and_not_repeated_with_it(aquifer):
    for name in ("Ana\x1b[2J", "Ana\u202eb", "Ana\x9b31m"):
        result = aquifer("cards", "add", input=f"4242424242424242\n{name}\n12/39\n", start_new_session=True)
        assert result.returncode == 64 and is_harmless(result.stderr), result.stderr
    assert aquifer.json("cards", "list") ["value"] == []


def test_the_outbox_shows_titles_and_what_a_server_refused_without_harm(aquifer, hostile):
    queued = aquifer("audio", "post", str(CLIP), "--title", WORD, "--later", "--remote", f"audio={hostile.address}")
    assert queued.returncode == 0, queued.stderr
    shown = is_shown(aquifer("outbox", "list"))
    assert len(shown.splitlines()) == 2, shown
    is_whole(aquifer("outbox", "list", "--json"), json.loads(aquifer("outbox", "list", "--json").stdout)["value"][0]["label"])
    sent = aquifer("outbox", "send")
    assert sent.returncode == 1 and is_harmless(sent.stdout + sent.stderr), sent.stderr
    shown = is_shown(aquifer("outbox", "list"))
    assert "refused" in shown and shown.count("cm0gLXJm") == 2 and len(shown.splitlines()) == 2, shown


def test_the_list_of_what_is_saved_shows_keys_without_harm(aquifer, hostile):
    assert aquifer("feed", "list", "--remote", f"feed={hostile.address}").returncode == 0
    database = sqlite3.connect(aquifer.data / "values.sqlite")
    with database:
        assert database.execute("UPDATE entry SET key = ?", (HARM,)).rowcount == 1
    database.close()
    result = aquifer("cache", "list")
    assert len(is_shown(result).splitlines()) == 2, result.stdout
    is_whole(aquifer("cache", "list", "--json"), HARM)
    validated = aquifer("cache", "validate")
    assert validated.stdout.startswith("deleted a") and len(is_shown(validated).splitlines()) == 1


def texts(value):
    """Every text in a document."""
    if isinstance(value, str):
        return [value.removeprefix("@")]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for element in values for text in texts(element)]


@pytest.mark.parametrize("words", [
    f"audio get {ID} -o {{file}} --remote audio={{address}}",
    f"drive get {{address}}/{ADDRESS}/%1B%5B2Ja%0D%0Ab%E2%80%AEc -o {{file}} --files-url {{address}}",
])
def test_the_meter_on_a_terminal_shows_no_harm(aquifer, hostile, tmp_path, words):
    words = [word.format(file=tmp_path / "file", address=hostile.address) for word in words.split()]
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [BINARY, *words, "--data", str(aquifer.data)], stderr=terminal, stdout=subprocess.DEVNULL, env=aquifer.environment)
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:
        pass  # The other end was closed.
    os.close(master)
    assert process.wait(timeout=20) == 0
    text = shown.decode()
    assert "getting" in text and "%" in text
    # The meter's own ways to the beginning of its line are removed first.
    assert is_harmless(text.replace("\r\x1b[K", "").replace("\r\n", "\n")), text


def test_an_error_in_a_servers_words_is_one_harmless_line(aquifer, hostile, tmp_path):
    key = tmp_path / "id.json"
    aquifer("drive", "keygen", str(key))
    result = aquifer(
        "drive", "object", f"{hostile.address}/{ADDRESS}/x", "--keypair", str(key), "--drive-url", hostile.address,
        "--rpc", hostile.address)
    assert result.returncode != 0 and is_harmless(result.stderr) and len(result.stderr.splitlines()) == 1
