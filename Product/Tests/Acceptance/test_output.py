"""The output of commands is safe to pipe and to show: closed pipes, full disks, slow readers, and `-o`."""

import fcntl
import json
import itertools
import os
import pty
import re
import sqlite3
import stat
import subprocess
import threading

import pytest

from conftest import BINARY, ROOT, Aquifer, commands
from payments_remote import PaymentsRemote

CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"
UNWRITABLE, CLOSED_PIPE, USAGE = 73, 141, 64
SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
BLOCKHASH = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder in which each listing has something to list, and the words of each command that prints."""
    folder = tmp_path_factory.mktemp("world")
    aquifer = Aquifer(folder / "data")

    def said(*words, **options):
        result = aquifer(*words, **options)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout

    picture = json.loads(said("feed", "list", "--json"))["value"][0]["id"]
    clip = json.loads(said("audio", "list", "--json"))["value"][0]["id"]
    said("cards", "add", input="4242424242424242\nAna de Testes\n12/39\n", start_new_session=True)
    username = json.loads(said("contacts", "--json"))["value"][0]["username"]
    paid = said("pay", username, "10", "--cvv-stdin", "--json", input="123\n", start_new_session=True)
    assert json.loads(paid)["value"]["state"] == "approved"
    said("audio", "post", str(CLIP), "--title", "waits", "--later")
    key = ("--keypair", str(folder / "id.json"))
    said("drive", "keygen", str(folder / "id.json"))
    said("drive", "create", "photos", "1MB", *key)
    (folder / "data/serve.token").write_text("0123456789abcdef" * 2 + "\n")
    (folder / "data/serve.token").chmod(0o600)
    (folder / "small.txt").write_text("small")
    location = said("drive", "upload", "photos", str(folder / "small.txt"), *key).strip()
    (folder / "seed").write_text(SEED)
    (folder / "seed").chmod(0o600)
    transaction = ("drive", "transaction", "refresh-stake", "--owner-seed-file", str(folder / "seed"), "--blockhash", BLOCKHASH)
    aquifer.folder, aquifer.picture, aquifer.clip, aquifer.location, aquifer.key = folder, picture, clip, location, key
    aquifer.commands = {
        "help": ("--help",), "version": ("--version",), "help command": ("help", "feed"), "man": ("man",),
        "completion": ("completion", "bash"), "feed list": ("feed", "list"), "feed list all": ("feed", "list", "--all"),
        "feed comments": ("feed", "comments", picture), "feed image": ("feed", "image", picture, "-o", "-"),
        "contacts": ("contacts",), "cards list": ("cards", "list"), "payments list": ("payments", "list"),
        "foaas list": ("foaas", "list"), "foaas say": ("foaas", "say", "version"), "foaas random": ("foaas", "random"),
        "audio list": ("audio", "list"), "audio get": ("audio", "get", clip, "-o", "-"), "outbox list": ("outbox", "list"),
        "drive list": ("drive", "list", *key), "drive info": ("drive", "info", "photos", *key),
        "drive files": ("drive", "files", "photos", *key), "drive sizes": ("drive", "files", "photos", "--sizes", *key),
        "drive object": ("drive", "object", location, *key), "drive get": ("drive", "get", location, "-o", "-", *key),
        "drive transaction": transaction, "cache list": ("cache", "list"),
        "serve": ("serve", "--port", "0", "--offline"), "remotes": ("remotes", "--port", "0"),
        "drive objects": ("drive", "objects", "photos", *key), "payments check": ("payments", "check", json.loads(paid)["value"]["id"]),
        "cache validate": ("cache", "validate", "--json"),
        "cache clear": ("cache", "clear", "--json"), "users list": ("users", "list"), "link": ("link",),
        "store schema": ("store", "schema", "--role", "app"),
    }
    # These change something each time that they run, and get something new to change.
    number = itertools.count(1)
    file, amount = str(folder / "small.txt"), lambda: f"{next(number)},01"

    def fresh_card():
        other = CARD.replace("4242424242424242", "5555555555554444")  # a number that is kept already is the same card
        return json.loads(said("cards", "add", "--json", input=other, start_new_session=True))["value"]["id"]

    def fresh_file():
        path = folder / f"fresh-{next(number)}.txt"
        path.write_text("fresh")
        return path

    def doubtful():
        """A payment whose answer is lost: the remote is one of ours, in a process of its own."""
        aquifer.foreign.fault = "answer-lost"
        remote = f"payments={aquifer.foreign.address}"
        words = ("pay", "@marcia.kohler", amount(), "--cvv-stdin", "--again", "--remote", remote)
        assert aquifer(*words, input="123\n", start_new_session=True).returncode == 75
        return json.loads(aquifer("payments", "list", "--json").stdout)["value"][0]["id"]

    def harmed():
        """A payment whose record is damaged."""
        identifier = json.loads(said("pay", username, amount(), "--cvv-stdin", "--json", input="123\n", start_new_session=True))["value"]["id"]
        database = sqlite3.connect(aquifer.data / "payments.sqlite")
        with database:
            database.execute("UPDATE entry SET bytes = x'00' WHERE key = ?", (f"payment:{identifier}",))
        database.close()
        return identifier

    def account():
        name = f"fresh-{next(number)}"
        said("drive", "create", name, "1MB", *key)
        return name

    def doomed():
        name = account()
        said("drive", "delete-account", name, "--yes", *key)
        return name

    def reduced():
        name = account()
        said("drive", "add-storage", name, "1MB", "--yes", *key)
        said("drive", "reduce-storage", name, "1MB", "--yes", *key)
        return name

    def upload():
        return said("drive", "upload", "photos", str(fresh_file()), *key).strip()

    def user():
        name = f"user{next(number)}"
        said("users", "add", name)
        return name

    user()
    aquifer.foreign, aquifer.key_words = PaymentsRemote(), key
    aquifer.changes = {
        "cards add": lambda: ("cards", "add"), "cards remove": lambda: ("cards", "remove", fresh_card(), "--json"),
        "cards default": lambda: ("cards", "default", fresh_card(), "--json"),
        "pay": lambda: ("pay", username, amount(), "--cvv-stdin", "--again", "--json"),
        "payments retry": lambda: ("payments", "retry", json.loads(paid)["value"]["id"], "--cvv-stdin"),
        "outbox send": lambda: ("outbox", "send", "--offline", "--json"),
        "payments give-up": lambda: ("payments", "give-up", doubtful(), "--json"),
        "payments discard": lambda: ("payments", "discard", harmed(), "--yes", "--json"),
        "audio post": lambda: ("audio", "post", str(CLIP), "--title", f"clip {next(number)}", "--later"),
        "drive keygen": lambda: ("drive", "keygen", str(folder / f"key-{next(number)}.json")),
        "drive create": lambda: ("drive", "create", f"made-{next(number)}", "1MB", *key),
        "drive upload": lambda: ("drive", "upload", "photos", str(fresh_file()), *key),
        "drive edit": lambda: ("drive", "edit", "photos", file, *key),
        "drive delete": lambda: ("drive", "delete", upload(), "--yes", *key),
        "users add": lambda: ("users", "add", f"new{next(number)}", "--json"),
        "users token": lambda: ("users", "token", user(), "--json"),
        "users logout": lambda: ("users", "logout", user(), "--json"),
        "users remove": lambda: ("users", "remove", user(), "--yes", "--json"),
        "drive add-storage": lambda: ("drive", "add-storage", "photos", "1MB", "--yes", *key),
        "drive reduce-storage": lambda: ("drive", "reduce-storage", reduced(), "1KB", "--yes", *key),
        "drive make-immutable": lambda: ("drive", "make-immutable", account(), "--yes", *key),
        "drive delete-account": lambda: ("drive", "delete-account", account(), "--yes", *key),
        "drive keep-account": lambda: ("drive", "keep-account", doomed(), *key),
        "drive claim": lambda: ("drive", "claim", reduced(), *key),
    }
    yield aquifer
    aquifer.foreign.stop()


CARD = "4242424242424242\nAna de Testes\n12/39\n"
#: Those that need more than these tests have, and why they print as the others do.
ELSEWHERE = {
    # They end with a note, and print in --json alone.
    "cards rotate-key", "cards accept-older", "cards discard-older",
    "outbox retry",  # goes on as outbox send
    "outbox discard",
    "drive submit",  # says what drive create, add-storage and claim say
}
CHANGES = [
    "cards add", "cards remove", "cards default", "pay", "payments give-up", "payments discard", "audio post", "drive keygen",
    "drive create", "drive upload", "drive edit", "drive delete", "drive add-storage", "drive reduce-storage", "drive make-immutable",
    "drive delete-account", "drive keep-account", "drive claim", "users add", "users token", "users logout", "users remove",
    "payments retry", "outbox send",
]
COMMANDS = [
    "help", "version", "help command", "man", "completion", "feed list", "feed list all", "feed comments", "feed image", "contacts", "cards list", "payments list",
    "foaas list", "foaas say", "foaas random", "audio list", "audio get", "outbox list", "drive list", "drive info",
    "drive files", "drive sizes", "drive object", "drive get", "drive transaction", "cache list", "serve", "remotes",
    "drive objects", "payments check", "cache validate", "cache clear", "users list", "store schema",
    "link",
]
TEXTS = ["help", "version", "help command", "man", "completion", "store schema"]
BYTES = ["feed image", "audio get", "drive get"]
JSON = [name for name in COMMANDS if name not in (*TEXTS, *BYTES)]


def run(world, words, **options):
    command = [BINARY, *words, *(() if words[0].startswith("--") or words[0] in ("help", "man", "completion", "store") else ("--data", str(world.data)))]
    if "input" not in options and "stdin" not in options:
        options["input"] = CARD.encode() if words[:2] == ("cards", "add") else b"123\n" if "--cvv-stdin" in words else b""
    return subprocess.run(
        command, stderr=subprocess.PIPE, timeout=30, env=world.environment, start_new_session=True, **options)


def closed_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def test_every_command_that_prints_is_among_those_tested(world):
    assert sorted(world.commands) == sorted(COMMANDS) and sorted(world.changes) == sorted(CHANGES)
    known = commands()
    assert len(known) > 50, known
    tried = {" ".join(words[:2] if " ".join(words[:2]) in known else words[:1]) for words in world.commands.values()} | set(CHANGES)
    assert known - tried == ELSEWHERE and tried - known == {"--help", "--version"}


@pytest.mark.parametrize("name", CHANGES)
def test_a_command_that_changes_something_ends_with_141_when_nobody_reads_and_says_what_it_did(world, name):
    pipe = closed_pipe()
    result = run(world, (*world.changes[name](), "--quiet"), stdout=pipe)
    os.close(pipe)
    assert result.returncode == CLOSED_PIPE and tells(result.stderr, name), result.stderr


@pytest.mark.parametrize("name", CHANGES)
def test_a_command_that_changes_something_says_that_the_disk_is_full_and_not_that_it_was_delivered(world, name):
    with open("/dev/full", "wb") as full:
        result = run(world, (*world.changes[name](), "--quiet"), stdout=full)
    first = b"aquifer: standard output cannot be written: No space left on device\n"
    assert result.returncode == UNWRITABLE and first in result.stderr, result.stderr
    assert tells(result.stderr.replace(first, b""), name), result.stderr


def tells(text, name):
    """True if standard error repeats the result of a command that changes something, and nothing that is secret."""
    told = re.findall(r"^aquifer: (done, but )?its result could not be written: (.+)$", text.decode(), re.M)
    done = all(done for done, _ in told) or name == "outbox send"  # something is left
    isSecret = name in ("users add", "users token")
    if isSecret:
        words = r"the link, which is a secret; aquifer users token \S+ prints another one"
        return len(told) == 1 and told[0][0] and re.fullmatch(words, told[0][1]) and b"token=" not in text
    return told and done


@pytest.mark.parametrize("name", ["pay", "audio post", "drive create"])
@pytest.mark.parametrize("isFull", [True, False])
def test_what_was_done_and_could_not_be_written_is_told_as_it_is(world, name, isFull):
    """A user who reads nothing of a payment pays again."""
    words = [word for word in world.changes[name]() if word != "--json"]
    with open("/dev/full", "wb") if isFull else os.fdopen(closed_pipe(), "wb") as output:
        result = run(world, words, stdout=output)
    assert result.returncode == (UNWRITABLE if isFull else CLOSED_PIPE)
    told = re.search(r"^aquifer: done, but its result could not be written: (.+)$", result.stderr.decode(), re.M)[1]
    if name == "pay":
        last = json.loads(world("payments", "list", "--json").stdout)["value"][0]
        assert told == f"approved: R$\u00a0{words[2]} to {words[1]}, number {last['number']}"
    elif name == "audio post":
        assert told in [str(item["id"]) for item in json.loads(world("outbox", "list", "--json").stdout)["value"]]
    else:
        assert told in world("drive", "list", *world.key).stdout


@pytest.mark.parametrize("name", COMMANDS + [f"{name} --json" for name in JSON])
def test_every_command_ends_quietly_with_141_when_nobody_reads(world, name):
    words = world.commands[name.removesuffix(" --json")] + (("--json",) if name.endswith("--json") else ())
    pipe = closed_pipe()
    result = run(world, words, stdout=pipe)
    os.close(pipe)
    assert (result.returncode, result.stderr) == (CLOSED_PIPE, b"")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_ends_quietly_with_141_when_standard_output_was_closed_from_the_start(world, name):
    result = run(world, world.commands[name], preexec_fn=lambda: os.close(1))
    assert (result.returncode, result.stderr) == (CLOSED_PIPE, b"")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_in_one_line_that_the_disk_is_full(world, name):
    with open("/dev/full", "wb") as full:
        result = run(world, world.commands[name], stdout=full)
    assert result.returncode == UNWRITABLE
    assert result.stderr.startswith(b"aquifer: ") and result.stderr.endswith(b"cannot be written: No space left on device\n")
    assert result.stderr.count(b"\n") == 1


@pytest.mark.parametrize("name", ["contacts", "feed list", "drive list"])
def test_nothing_is_printed_into_a_database_when_no_standard_file_is_open(world, name):
    def close_all():
        for number in (0, 1, 2):
            os.close(number)

    result = subprocess.run(
        [BINARY, *world.commands[name], "--data", str(world.data)], timeout=60, env=world.environment, preexec_fn=close_all)
    assert result.returncode == CLOSED_PIPE
    assert run(world, world.commands[name], stdout=subprocess.PIPE).returncode == 0
    assert b"deleted" not in run(world, ("cache", "validate"), stdout=subprocess.PIPE).stderr.replace(b"0 deleted", b"")


def test_standard_error_that_cannot_be_written_stops_nothing(world):
    run(world, ("contacts",), stdout=subprocess.DEVNULL)
    with open("/dev/full", "wb") as full:
        command = [BINARY, "contacts", "--offline", "--data", str(world.data)]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, timeout=60, env=world.environment)
    assert result.returncode == 0 and b"@" in result.stdout


def test_a_reader_that_leaves_in_the_middle_ends_a_long_output(world):
    process = subprocess.Popen(
        [BINARY, *world.commands["feed image"], "--data", str(world.data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=world.environment)
    # The kernel keeps a page, so that most of the picture is still to be written.
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    assert process.stdout.read(1)
    process.stdout.close()
    assert process.wait(timeout=60) == CLOSED_PIPE and process.stderr.read() == b""


def test_a_slow_reader_of_a_pipe_that_does_not_block_gets_every_byte(world):
    whole = run(world, world.commands["feed image"], stdout=subprocess.PIPE).stdout
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    process = subprocess.Popen(
        [BINARY, *world.commands["feed image"], "--data", str(world.data)], stdout=writer, env=world.environment)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == whole and len(whole) > 4096
    assert process.wait(timeout=60) == 0


def test_bytes_of_a_server_do_not_reach_a_terminal(world):
    master, terminal = pty.openpty()
    for name in BYTES:
        result = run(world, world.commands[name], stdout=terminal)
        assert result.returncode == USAGE and b"is a terminal" in result.stderr, name
    os.close(terminal)
    os.close(master)


# -o FILE


@pytest.fixture(params=BYTES)
def download(request, world):
    """Runs a command that writes a file; gives the bytes that it should have, too."""
    words = world.commands[request.param]
    at = words.index("-o") + 1

    def get(target, *more, **options):
        return run(world, (*words[:at], str(target), *words[at + 1:], *more), stdout=subprocess.PIPE, **options)

    get.whole = run(world, words, stdout=subprocess.PIPE).stdout
    assert get.whole
    return get


def test_a_file_that_is_replaced_keeps_its_permissions_and_nothing_else_is_left(download, tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"older and longer" * 100_000)
    for mode in (0o600, 0o640, 0o666, 0o755):
        target.chmod(mode)
        assert download(target).returncode == 0
        assert target.read_bytes() == download.whole and stat.S_IMODE(target.stat().st_mode) == mode
    assert os.listdir(tmp_path) == ["file"]


def test_a_new_file_has_the_permissions_that_the_user_asks_for(download, tmp_path):
    assert download(tmp_path / "file", preexec_fn=lambda: os.umask(0o027)).returncode == 0
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_file_is_written(download, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").write_text("old")
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "second").symlink_to("link")
    (tmp_path / "dangling").symlink_to("there/new")
    (tmp_path / "loop").symlink_to("loop")
    assert download(tmp_path / "second").returncode == 0 and download(tmp_path / "dangling").returncode == 0
    assert os.readlink(tmp_path / "link") == "there/file" and os.readlink(tmp_path / "dangling") == "there/new"
    assert (tmp_path / "there/file").read_bytes() == (tmp_path / "there/new").read_bytes() == download.whole
    assert download(tmp_path / "loop").returncode == UNWRITABLE
    assert sorted(os.listdir(tmp_path / "there")) == ["file", "new"]


def test_a_device_is_written_into_and_stays_a_device(download, tmp_path):
    # The test makes its own devices: a command that replaces them must not take those of the machine.
    devices = {"null": os.makedev(1, 3), "full": os.makedev(1, 7)}
    for name, device in devices.items():
        try:
            os.mknod(tmp_path / name, stat.S_IFCHR | 0o666, device)
            os.close(os.open(tmp_path / name, os.O_WRONLY))
        except OSError:
            pytest.skip("this user, or this folder, may have no devices")
    assert download(tmp_path / "null").returncode == 0
    full = download(tmp_path / "full")
    assert full.returncode == UNWRITABLE
    assert full.stderr.decode() == f"aquifer: {tmp_path}/full cannot be written: No space left on device\n"
    assert {name: os.stat(tmp_path / name).st_rdev for name in os.listdir(tmp_path)} == devices


def test_a_named_pipe_is_written_into_and_stays_one(download, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert download(pipe).returncode == 0
    reader.join(timeout=20)
    assert read == [download.whole] and stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/fd/1", "/proc/self/fd/1"])
def test_other_names_of_standard_output_are_standard_output(download, name, tmp_path):
    # The test makes its own link, as /dev/stdout is one: a command that replaces it must not take that of the machine.
    (tmp_path / "stdout").symlink_to(name)
    assert download(tmp_path / "stdout").stdout == download.whole
    assert os.readlink(tmp_path / "stdout") == name


def test_what_cannot_be_written_is_73_and_named(download, tmp_path):
    (tmp_path / "folder").mkdir()
    for target, reason in ((tmp_path / "folder", "Is a directory"), ("/none/file", "No such file or directory"),
                           (CLIP / "file", "Not a directory")):
        result = download(target)
        assert result.returncode == UNWRITABLE
        assert result.stderr.decode() == f"aquifer: {target} cannot be written: {reason}\n"
    assert os.listdir(tmp_path) == ["folder"]


def test_a_name_that_is_no_text_is_refused_and_writes_no_file_of_another_name(world, tmp_path):
    folder = tmp_path / "names"
    folder.mkdir()
    command = [BINARY.encode(), b"drive", b"keygen", bytes(folder) + b"/out\xff.json"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert result.returncode == 64 and result.stderr == "aquifer: word 3 of the command line is not text in UTF-8\n"
    assert list(folder.iterdir()) == []


def test_two_downloads_into_one_file_end_with_one_of_the_two_whole(world, tmp_path):
    """Two files of one account, got into one name, over and over at the same time."""
    wholes, locations = [], []
    for letter in "ab":
        file = world.folder / f"large-{letter}.txt"
        file.write_bytes(letter.encode() * 300_000)
        result = run(world, ("drive", "upload", "photos", str(file), *world.key), stdout=subprocess.PIPE)
        locations.append(result.stdout.decode().strip() or f"{world.location.rsplit('/', 1)[0]}/{file.name}")
        wholes.append(file.read_bytes())
    target = tmp_path / "file"
    for _ in range(5):
        processes = [
            subprocess.Popen(
                [BINARY, "drive", "get", location, "-o", str(target), *world.key, "--data", str(world.data)],
                stderr=subprocess.PIPE, env=world.environment)
            for location in locations for _ in range(2)
        ]
        assert [process.wait(timeout=60) for process in processes] == [0] * 4
        assert target.read_bytes() in wholes
    assert os.listdir(tmp_path) == ["file"]
