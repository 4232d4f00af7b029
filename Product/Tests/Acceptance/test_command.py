"""The command's manners: help, mistakes, ends."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from conftest import BINARY, ROOT, commands

GOLDEN = pathlib.Path(__file__).parent / "golden"


@pytest.mark.parametrize("command", [
    "", "serve", "link", "users", "remotes", "feed", "contacts", "cards", "pay", "payments", "foaas", "audio", "outbox", "drive", "cache",
    "store",
    "completion", "man", "help", "feed list", "outbox send", "drive upload", "drive transaction"])
def test_help_is_the_golden_text(aquifer, command):
    result = aquifer(*command.split(), "--help", data=False)
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout == (GOLDEN / f"help{'-' + command.replace(' ', '-') if command else ''}.txt").read_text()


def test_help_fits_a_terminal_of_a_hundred_and_twenty_columns():
    texts = list(GOLDEN.glob("help*.txt"))
    assert len(texts) > 10
    for text in texts:
        assert max(len(line) for line in text.read_text().splitlines()) <= 120


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere these libraries are linked")
def test_the_program_begins_without_the_libraries_of_servers_that_it_does_not_ask(aquifer):
    # libcurl brings 33 libraries, libpq 21: twice the time of everything else that a short command does.
    libraries = subprocess.run([BINARY], capture_output=True, text=True, timeout=60, env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"})
    assert "libsqlite3" in libraries.stdout
    assert not re.findall(r"lib(?:curl|pq|ssl|gnutls|ldap\S*)\.so", libraries.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere libpq is linked")
def test_a_database_says_so_if_its_library_cannot_be_loaded(aquifer, tmp_path):
    for name in ("libpq.so.5", "libpq.so"):
        (tmp_path / name).write_bytes(b"no library")
    command = [BINARY, "outbox", "list", "--data", str(aquifer.data), "--store", "postgresql://user@127.0.0.1:1/db"]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**aquifer.environment, "LD_LIBRARY_PATH": str(tmp_path)})
    assert result.returncode != 0 and result.stdout == ""
    assert "libpq cannot be loaded now" in result.stderr


def test_version(aquifer):
    assert re.fullmatch(r"aquifer \d+\.\d+\.\d+\n", aquifer("--version", data=False).stdout)


@pytest.mark.parametrize(
    "words, message, help",
    [
        ([], "say what to do: serve, link, users, remotes, feed, contacts, cards, pay, payments, foaas, audio, outbox, drive, cache, store, completion, man or help", ""),
        (["frob"], '"frob" is not a command', ""),
        (["feed"], "list, comments or image is missing", "feed"),
        (["feed", "frob"], '"feed frob" is not a command', "feed"),
        (["feed", "list", "extra"], '"extra" is one word too many', "feed list"),
        (["feed", "list", "--limit", "0"], '--limit takes a number from 1, not "0"', "feed list"),
        (["feed", "list", "--limit", "ten"], '--limit takes a number from 1, not "ten"', "feed list"),
        (["feed", "list", "--limit", "1", "--all"], "--limit and --all exclude each other", "feed list"),
        (["feed", "list", "--frob"], "--frob is not an option", "feed list"),
        (["outbox", "send", "--wait=yes"], "--wait takes no value", "outbox send"),
        (["--frob", "feed", "list"], "--frob is not an option", ""),
        (["feed", "list", "--port", "1"], '--port does not go with "feed list"', "feed list"),
        (["feed", "comments"], "the picture's ID is missing", "feed comments"),
        (["feed", "image", "0A0A0A0A-0000-0000-0000-000000000001"], "say where the picture goes: -o FILE, or -o - for standard output", "feed image"),
        (["cards"], "list, add, default, remove, rotate-key, accept-older or discard-older is missing", "cards"),
        (["payments"], "list, check, retry, give-up or discard is missing", "payments"),
        (["pay"], "the contact's @username is missing", "pay"),
        (["pay", "@ana"], "the amount is missing", "pay"),
        (["feed", "list", "--card", "1"], '--card does not go with "feed list"', "feed list"),
        (["cache"], "list, validate or clear is missing", "cache"),
        (["serve", "--port", "99999"], '--port takes a number from 0 to 65535, not "99999"', "serve"),
        (["feed", "list", "--at", "soon"], '--at takes a time such as 2026-11-21T09:00:00Z, +8d or -1h, not "soon"', "feed list"),
        (["feed", "list", "--remote", "feed=ftp://a"], '--remote takes an http or https address, not "ftp://a"', "feed list"),
        (["outbox", "send", "now"], '"now" is one word too many', "outbox send"),
        (["outbox", "discard"], "the item's ID is missing", "outbox discard"),
        (["drive", "upload", "photos"], "the file to upload is missing", "drive upload"),
        (["help", "frob"], '"frob" is not a command', "help"),
        (["help", "feed", "frob"], '"feed frob" is not a command', "feed"),
        (["help", "feed", "list", "extra"], '"extra" is one word too many', "help"),
        (["completion", "tcsh"], '"tcsh" is not a shell that is supported; there is bash, zsh and fish', "completion"),
        (["feed", "lisst", "--help"], '"feed lisst" is not a command', "feed"),
        (["frob", "--help"], '"frob" is not a command', ""),
        (["audio", "post", "", "--title", "x"], "the file to post is missing", "audio post"),
        (["drive", "keygen", ""], "the key file is missing", "drive keygen"),
        (["feed", "list", "--limit", "x", "--limit", "1"], '--limit takes a number from 1, not "x"', "feed list"),
        (["serve", "--host", "0"], '--host takes a name or an IP address, not "0"', "serve"),
        (["feed", "list", "--at", "2026-02-30T00:00:00Z"], '--at takes a time such as 2026-11-21T09:00:00Z, +8d or -1h, not "2026-02-30T00:00:00Z"', "feed list"),
        (["man", "--offline"], '--offline does not go with "man"', "man"),
    ],
)
def test_a_mistake_is_64_and_one_line_that_says_what_was_wrong_and_names_the_help(aquifer, words, message, help):
    result = aquifer(*words, data=words[:1] not in (["help"], ["completion"], ["man"]))
    assert result.returncode == 64 and result.stdout == ""
    assert result.stderr == f"aquifer: {message}; see aquifer {help and help + ' '}--help\n"
    named = aquifer(*help.split(), "--help", data=False)
    assert named.returncode == 0 and named.stdout.startswith(f"Usage: aquifer {help or 'COMMAND'}")


def test_each_command_and_each_group_has_a_help_of_its_own(aquifer):
    names = commands()
    texts = {}
    for name in names | {name.split()[0] for name in names}:
        result = aquifer(*name.split(), "--help", data=False)
        assert (result.returncode, result.stderr) == (0, "") and result.stdout.startswith(f"Usage: aquifer {name}")
        assert aquifer("help", *name.split(), data=False).stdout == result.stdout
        assert max(len(line) for line in result.stdout.splitlines()) <= 120
        texts[result.stdout] = name
    assert len(texts) > 60


def start(*words):
    process = subprocess.Popen([BINARY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline().strip()
    return process, line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_prints_its_address_and_ends_when_told(tmp_path, number):
    process, line = start("serve", "--port", "0", "--data", str(tmp_path))
    assert re.fullmatch(r"Aquifer is at http://127\.0\.0\.1:\d+/#token=[0-9a-f]{32}", line)
    address = line.split()[-1]
    with urllib.request.urlopen(address, timeout=10) as page:
        assert page.status == 200 and b"<!doctype html>" in page.read()
    process.send_signal(number)
    assert process.wait(timeout=20) == 0


def test_serve_without_the_token_lets_nobody_in(tmp_path):
    process, line = start("serve", "--port", "0", "--data", str(tmp_path))
    address = re.match(r".*(http://[^/]+)", line).group(1)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address + "/api/feed", timeout=10)
    assert refused.value.code == 401
    process.terminate()
    assert process.wait(timeout=20) == 0


def test_serve_ends_while_a_browser_listens(tmp_path):
    process, line = start("serve", "--port", "0", "--no-token", "--data", str(tmp_path))
    address = line.split()[-1]
    stream = urllib.request.urlopen(address + "api/screens/feed/events?tab=t", timeout=10)
    assert stream.readline()
    began = time.monotonic()
    process.terminate()
    assert process.wait(timeout=20) == 0
    assert time.monotonic() - began < 15


def test_a_port_that_is_taken_is_said(tmp_path):
    process, line = start("serve", "--port", "0", "--no-token", "--data", str(tmp_path))
    port = re.search(r":(\d+)/", line).group(1)
    second = subprocess.run([BINARY, "serve", "--port", port, "--data", str(tmp_path)], capture_output=True, text=True, timeout=20)
    assert second.returncode == 69 and port in second.stderr and len(second.stderr.splitlines()) == 1
    process.terminate()
    assert process.wait(timeout=20) == 0


def test_output_into_a_closed_pipe_ends_quietly(aquifer, files):
    # The reader has left before anything is written: it holds the command back until then.
    words = f"feed list --data '{aquifer.data}' --remote feed={files.address}"
    command = f"set -o pipefail; {{ read go <&3; '{BINARY}' {words}; }} | {{ exec 0<&-; echo go >&4; }}; echo ${{PIPESTATUS[*]}}"
    reader, writer = os.pipe()
    result = subprocess.run(
        ["bash", "-c", f"{{ {command}; }} 3<&{reader} 4>&{writer}"], capture_output=True, text=True, timeout=30, cwd=ROOT,
        pass_fds=(reader, writer))
    os.close(reader)
    os.close(writer)
    assert (result.stdout, result.stderr) == ("141 0\n", "")
