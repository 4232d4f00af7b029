"""The command line, run as its users run it."""

import functools
import http.server
import json
import os
import re
import subprocess
import threading

import pytest

from payments_remote import PaymentsRemote
from serving import BINARY, ROOT, Server


def commands():
    """The names of all commands, as the completion script of fish has them."""
    script = subprocess.run([BINARY, "completion", "fish"], capture_output=True, text=True, timeout=20, check=True).stdout
    words = re.findall(r"^complete -c aquifer -n '__aquifer_is \"([a-z ]*)\"' -a ([a-z-]+) -d ", script, re.MULTILINE)
    groups = {word for before, word in words if before == ""}
    pairs = {f"{before} {word}" for before, word in words if before in groups - {"help"}}
    return pairs | groups - {pair.split()[0] for pair in pairs}


class Aquifer:
    """Runs `aquifer` on a folder of its own."""

    def __init__(self, data):
        self.data = data
        self.config = data.parent / "config"

    def __call__(self, *words, data=True, text=True, **options):
        command = [BINARY, *words] + (["--data", str(self.data)] if data else [])
        return subprocess.run(command, capture_output=True, text=text, timeout=60, env=self.environment, **options)

    @property
    def environment(self):
        # The keys of the cards are kept with the configuration, apart from the data.
        return {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.data), "XDG_CONFIG_HOME": str(self.config)}

    def json(self, *words, status=0):
        result = self(*words, "--json")
        assert result.returncode == status, result.stderr
        return json.loads(result.stdout)


@pytest.fixture
def aquifer(tmp_path):
    return Aquifer(tmp_path / "data")


@pytest.fixture
def serve(aquifer):
    """Starts `aquifer serve` with these words, on the data of the test; ends all of them."""
    started = []

    def serve(*words):
        started.append(Server(aquifer, *words))
        return started[-1]

    yield serve
    for server in started:
        server.process.kill()
        server.process.wait(timeout=20)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.server.denial:
            return self.send_error(self.server.denial)
        return super().do_GET()

    def log_message(self, *arguments):
        self.server.requests.append((self.path, dict(self.headers)))


class FileServer:
    """A plain static file server, as everyone has it."""

    def __init__(self, folder):
        handler = functools.partial(QuietHandler, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.requests = []
        self.server.denial = None
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def requests(self):
        return self.server.requests

    def deny(self, status):
        """From now on, every file is denied with this status."""
        self.server.denial = status

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def files(tmp_path):
    """A static file server over files of the contract's shape."""
    folder = tmp_path / "files"
    ids = ["0A0A0A0A-0000-0000-0000-00000000000%d" % number for number in (1, 2)]
    (folder / "v1/image" / ids[0]).mkdir(parents=True)
    server = FileServer(folder)
    items = [
        {"id": ids[0], "description": "Mountains", "location": "Petrópolis", "image": f"{server.address}/1.png"},
        {"id": ids[1], "image": f"{server.address}/2.png"},
    ]
    (folder / "v1/feed").write_text(json.dumps({"items": items}))
    comments = [{"id": ids[0], "message": "Olá", "created_at": "2020-08-28T15:07:02+0000", "author": {"username": "ana"}}]
    (folder / "v1/image" / ids[0] / "comments").write_text(json.dumps({"items": comments}))
    (folder / "1.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"picture")
    (folder / "2.png").write_bytes(b"<html>no picture</html>")
    for path in folder.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    server.folder, server.ids, server.items = folder, ids, items
    yield server
    try:
        server.stop()
    except OSError:
        pass


@pytest.fixture
def foreign_payments():
    """Another implementation of the payments' contract; whoever breaks it fails the test."""
    remote = PaymentsRemote()
    yield remote
    try:
        remote.stop()
    except OSError:
        pass
    assert remote.violations == []


@pytest.fixture
def remotes():
    """Starts `aquifer remotes` with faults; gives the value for --remote of one of them."""
    started = []

    def start(*faults, name="feed"):
        words = [word for fault in faults for word in ("--fault", fault)]
        process = subprocess.Popen([BINARY, "remotes", "--port", "0", *words], stdout=subprocess.PIPE, text=True)
        started.append(process)
        for line in process.stdout:
            assert re.fullmatch(r"(\w+)=http://127\.0\.0\.1:\d+/\1\n", line), line
            if line.startswith(f"{name}="):
                return line.strip()
        raise AssertionError(f"no remote is called {name}")

    yield start
    for process in started:
        process.terminate()
        assert process.wait(timeout=20) == 0
