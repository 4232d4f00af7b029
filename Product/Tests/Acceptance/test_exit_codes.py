"""One exit code for one kind of error, whatever the command."""

import json
import os
import signal
import socket
import subprocess

import pytest

from conftest import BINARY, ROOT, Aquifer
from waiting import wait_until

REFUSED, USAGE, INVALID, NOT_FOUND, UNAVAILABLE, UNWRITABLE, STORE, UNKNOWN, INTERRUPTED = 1, 64, 65, 66, 69, 73, 74, 75, 130
NOBODY = "0A0A0A0A-0000-0000-0000-0000000000FF"
ADDRESS = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "id.json"
    aquifer = Aquifer(path.parent / "data")
    assert aquifer("drive", "keygen", str(path)).returncode == 0
    return str(path)


@pytest.fixture
def run(aquifer, key, tmp_path):
    """Runs the words of a command, with `{key}`, `{file}` and `{tmp}` filled in, without a terminal."""
    file = tmp_path / "file.txt"
    file.write_text("file")

    def run(words, *more, lines=("4242424242424242", "Ana de Testes", "12/39")):
        filled = [word.format(key=key, file=file, tmp=tmp_path, clip=CLIP) for word in words.split()]
        return aquifer(*filled, *more, input="".join(line + "\n" for line in lines), start_new_session=True)

    return run


def fails(result, status):
    """With this status, one line that says why, and nothing on standard output."""
    assert (result.returncode, result.stdout) == (status, ""), result.stderr
    assert result.stderr.startswith("aquifer: ") and result.stderr.count("\n") == 1, result.stderr


# The commands that load, by remote.
LOADS = {
    "feed": ["feed list", "feed list --all", f"feed comments {NOBODY}", f"feed image {NOBODY} -o {{tmp}}/x"],
    "payments": ["contacts"],
    "foaas": ["foaas list", "foaas say version"],
    "audio": ["audio list", f"audio get {NOBODY} -o {{tmp}}/x"],
    "drive": [
        "drive list --keypair {key}", f"drive info {ADDRESS} --keypair {{key}}", f"drive files {ADDRESS} --keypair {{key}}",
        "drive info photos --keypair {key}", "drive create photos 1MB --keypair {key}",
        f"drive get http://127.0.0.1:9/{ADDRESS}/x -o {{tmp}}/x --keypair {{key}}",
        f"drive object http://127.0.0.1:9/{ADDRESS}/x --keypair {{key}}",
    ],
}
ALL_LOADS = [(remote, words) for remote, all in LOADS.items() for words in all]


@pytest.mark.parametrize("remote, words", ALL_LOADS, ids=[words for _, words in ALL_LOADS])
def test_without_connectivity_and_a_saved_copy_it_is_69(run, remote, words):
    result = run(words, "--offline")
    assert result.returncode == UNAVAILABLE and result.stdout == "", result.stderr
    assert "connect" in result.stderr and result.stderr.count("\n") == 1, result.stderr


@pytest.mark.parametrize("remote, words", [
    (remote, words) for remote, words in ALL_LOADS
    # Files are not behind --remote. A change is reported as one with an unknown outcome.
    if not any(word in words for word in ("create", "drive get", "drive object"))
])
def test_an_answer_that_is_not_what_the_contract_says_is_65(run, remotes, remote, words):
    words += f" --remote {remotes(f'{remote}=garbage', name=remote)}"
    if remote == "drive":
        words += f" --rpc {words.split('=')[-1]}/rpc"
    fails(run(words), INVALID)


@pytest.mark.parametrize("words", [
    f"feed comments {NOBODY}", f"feed image {NOBODY} -o {{tmp}}/x", f"cards remove {NOBODY}", "pay @nobody 10 --cvv-stdin",
    f"payments check {NOBODY}", f"payments retry {NOBODY} --cvv-stdin", "foaas say nothing", f"audio get {NOBODY} -o {{tmp}}/x",
    "audio post {tmp}/none.mp3 --title x", "outbox retry 99", "outbox discard 99", "drive info nothing --keypair {key}",
    "drive files nothing --keypair {key}", "drive upload nothing {file} --keypair {key}", "drive list --keypair {tmp}/none.json",
    "drive info photos --keypair {tmp}/none.json",
])
def test_what_does_not_exist_is_66(run, words):
    fails(run(words), NOT_FOUND)


@pytest.mark.parametrize("words", [
    "feed comments nonsense", "feed image nonsense -o {tmp}/x", "cards remove nonsense", "payments check nonsense",
    "payments retry nonsense --cvv-stdin", "foaas say nonsense", "audio get nonsense -o {tmp}/x", "outbox retry nonsense",
    "outbox discard nonsense", "cache clear nonsense", "drive info nonsense --keypair {key}",
])
def test_an_id_that_is_none_names_nothing_and_is_66_too(run, words):
    fails(run(words), NOT_FOUND)


@pytest.mark.parametrize("words", [
    "frob", "feed frob", "feed list extra", "feed list --frob", "feed list --limit x", f"feed image {NOBODY}", "contacts --limit 1",
    "cards frob", "pay", "pay @x", "pay @x -5", "pay @x zero", "payments frob", "foaas say", "foaas say version key",
    f"audio get {NOBODY}", "audio post {clip}", "audio post {file} --title x", "outbox frob", "outbox retry", "drive frob", "drive create x",
    "drive create x 1XB --keypair {key}", "drive keygen {file}", "drive list --drive-url http://127.0.0.1:9", "drive transaction frob", "cache frob",
    "cache list extra", "serve --port x", "serve extra", "remotes --fault x", "remotes extra", "feed list --remote x",
    "feed list --at x", "drive get nonsense -o {tmp}/x --keypair {key}",
])
def test_a_mistake_in_the_words_is_64(run, words):
    fails(run(words, lines=("123",)), USAGE)


@pytest.mark.parametrize("amount", ["-5", "-0,50", "-5.00"])
def test_a_negative_amount_is_told_as_an_amount_not_as_an_option(run, amount):
    result = run(f"pay @x {amount}")
    fails(result, USAGE)
    assert f'"{amount}" is not an amount to pay: ' in result.stderr and "option" not in result.stderr, result.stderr


@pytest.mark.parametrize("words", [
    "feed list", "feed comments 0A0A0A0A-0000-0000-0000-000000000001", "contacts", "foaas list", "audio list",
    "cache list", "cache validate", "cache clear", "drive list --keypair {key}", "cards list", "payments list", "outbox list",
])
def test_a_store_that_fails_is_74(run, aquifer, words):
    aquifer.data.parent.mkdir(exist_ok=True)
    aquifer.data.write_text("a file where the folder should be")
    result = run(words, "--offline")
    assert (result.returncode, result.stdout) == (STORE, ""), result.stderr
    # The commands that look into every store tell of each; all others have one thing to say.
    assert result.stderr.count("\n") == 1 or words.startswith("cache"), result.stderr


@pytest.mark.parametrize("words", ["serve --port {port}", "remotes --port {port}"])
def test_a_port_that_is_taken_is_69(run, words):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        fails(run(words.replace("{port}", str(taken.getsockname()[1]))), UNAVAILABLE)


@pytest.mark.parametrize("words", ["feed list", "contacts", "foaas list", "audio list", "drive list --keypair {key}"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_ends_as_a_shell_expects(aquifer, key, words, number):
    """A shell shows 128 and the signal's number for a process that ended with the signal."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        filled = [word.format(key=key) for word in words.split()]
        remote = {"contacts": "payments"}.get(filled[0], filled[0])
        process = subprocess.Popen(
            [BINARY, *filled, "--data", str(aquifer.data), "--remote", f"{remote}={address}", "--rpc", address],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=aquifer.environment)
        connection, _ = silent.accept()
        process.send_signal(number)
        assert process.wait(timeout=20) in (-number, 128 + number)
        assert process.stdout.read() == b""
        connection.close()


def test_a_download_that_is_interrupted_leaves_nothing_behind(aquifer, key, tmp_path):
    """The server sends a part of the file, and then nothing."""
    folder = tmp_path / "folder"
    folder.mkdir()
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    process = subprocess.Popen(
        [BINARY, "drive", "get", f"{address}/{ADDRESS}/x", "-o", str(folder / "x"), "--keypair", key, "--files-url", address,
         "--data", str(aquifer.data)], env=aquifer.environment)
    connection, _ = listener.accept()
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"a" * 100_000)
    wait_until(lambda: any(file.stat().st_size > 0 for file in folder.iterdir()), "a file is begun", process=process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) in (-signal.SIGINT, INTERRUPTED)
    assert os.listdir(folder) == []
    connection.close()
    listener.close()


# Commands that change something


def test_a_declined_card_and_a_refused_request_are_1(run, foreign_payments):
    remote = ("--remote", f"payments={foreign_payments.address}")
    assert run("cards add", *remote, lines=("4111111111111111", "Ana de Testes", "12/39")).returncode == 0
    username = json.loads(run("contacts --json", *remote).stdout)["value"][0]["username"]
    fails(run(f"pay {username} 10 --cvv-stdin --quiet", *remote, lines=("123",)), REFUSED)


def test_a_payment_without_an_answer_is_75_and_one_that_could_not_be_sent_69(run, foreign_payments):
    remote = ("--remote", f"payments={foreign_payments.address}")
    assert run("cards add", *remote).returncode == 0
    username = json.loads(run("contacts --json", *remote).stdout)["value"][0]["username"]

    def pay(amount, *words):
        return run(f"pay {username} {amount} --cvv-stdin --quiet", *remote, *words, lines=("123",))

    fails(pay(10, "--offline"), UNAVAILABLE)
    assert foreign_payments.bodies == []
    foreign_payments.fault = "answer-lost"
    fails(pay(20), UNKNOWN)
    assert len(foreign_payments.bodies) == 1, "it was sent, and what became of it is not known"
    # Asked again while nothing answers, it is as little known.
    identifier = json.loads(run("payments list --json", *remote).stdout)["value"][0]["id"]
    foreign_payments.stop()
    assert run(f"payments check {identifier}", *remote).returncode == UNKNOWN
