"""A misbehaving remote costs only its own requests: no memory without a bound, and nobody else's time."""

import gzip
import http.server
import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

from conftest import BINARY
from waiting import wait_until

PATIENCE = 60
PICTURE = b"\x89PNG\r\n\x1a\n" + b"picture"
# 400 MB of zeros in 400 KB.
BOMB = gzip.compress(bytes(400_000_000), 9)
MEBIBYTE = 1 << 20


def identifier(number):
    return f"0A0A0A0A-0000-0000-0000-{number:012d}"


class Remote:
    """A feed whose pictures are answered by `answer(handler, path)`; the feed itself by `feed(handler)` if given."""

    def __init__(self, answer, count, image=None, feed=None):
        remote = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                remote.requests.append((self.path, dict(self.headers)))
                if not self.path.startswith("/v1/feed"):
                    return answer(self, self.path)
                if feed:
                    return feed(self)
                self.reply(json.dumps({"items": items}).encode(), ("Content-Type", "application/json"))

            def reply(self, body, *fields):
                self.send_response(200)
                for name, value in fields:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        class Server(http.server.ThreadingHTTPServer):
            # Forty come at once.
            request_queue_size = 128

            def handle_error(self, *arguments):
                pass  # the client left: that is what it is to do

        self.requests = []
        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        image = image or (lambda remote, number: f"{remote.address}/{number}.png")
        items = [{"id": identifier(number), "image": image(self, number)} for number in range(count)]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Page:
    """`aquifer serve`, and a page of the feed in it."""

    def __init__(self, aquifer, remote, **environment):
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--no-token", "--remote", f"feed={remote.address}", "--data", str(aquifer.data)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**aquifer.environment, **environment})
        self.address = self.process.stdout.readline().split()[-1].rstrip("/")
        self.stream = urllib.request.urlopen(f"{self.address}/api/screens/feed/events?tab=t", timeout=PATIENCE)
        self.intent("appear")
        end = time.monotonic() + PATIENCE
        for line in self.stream:
            assert time.monotonic() < end, "the page shows no items"
            if line.startswith(b"data:") and json.loads(line[5:]).get("items"):
                break

    def intent(self, intent):
        request = urllib.request.Request(
            f"{self.address}/api/screens/feed/intents?tab=t", json.dumps({"intent": intent}).encode(),
            {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=PATIENCE).close()

    def path(self, number):
        return f"/api/screens/feed/images/{identifier(number)}?tab=t"

    def picture(self, number):
        """The status and the bytes of a picture."""
        try:
            with urllib.request.urlopen(self.address + self.path(number), timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def leave(self, number, meanwhile):
        """Asks for a picture, and goes away after `meanwhile()`."""
        host, port = self.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            connection.sendall(f"GET {self.path(number)} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            meanwhile()

    @property
    def peak(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def close(self):
        self.stream.close()
        self.process.terminate()
        assert self.process.wait(timeout=PATIENCE) == 0


@pytest.fixture
def serve(aquifer):
    started = []

    def start(remote, **environment):
        started.append(remote)
        started.insert(0, page := Page(aquifer, remote, **environment))
        return page

    yield start
    for each in started:
        each.close() if isinstance(each, Page) else each.stop()


@pytest.fixture
def slow_names(tmp_path):
    """The environment in which names under slow.test are looked up for as long as the test likes."""
    library, folder = tmp_path / "slow_names.so", tmp_path / "names"
    compiler = shutil.which("clang") or shutil.which("cc")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(library), str(pathlib.Path(__file__).parent / "slow_names.c"), "-ldl"],
        check=True)
    folder.mkdir()
    yield {"LD_PRELOAD": str(library), "SLOW_NAMES": str(folder)}, folder
    (folder / "go").touch()


@pytest.mark.parametrize("asked", [True, False], ids=["as asked for", "compressed though asked for as they are"])
def test_forty_pictures_that_inflate_without_end_need_less_than_64_mib_and_others_are_served(serve, asked):
    def answer(handler, path):
        is_bomb = path != "/0.png" and (not asked or "gzip" in handler.headers.get("Accept-Encoding", ""))
        handler.reply(BOMB if is_bomb else PICTURE, *([("Content-Encoding", "gzip")] if is_bomb else []))

    page = serve(Remote(answer, 41))
    before = page.peak
    answers = queue.Queue()
    bombs = [threading.Thread(target=lambda number=number: answers.put(page.picture(number))) for number in range(1, 41)]
    for bomb in bombs:
        bomb.start()
    assert page.picture(0) == (200, PICTURE)
    for bomb in bombs:
        bomb.join()
    got = [answers.get_nowait() for _ in bombs]
    assert all(status == (200 if asked else 502) for status, _ in got), {status for status, _ in got}
    assert page.peak - before < 64 * MEBIBYTE, f"{(page.peak - before) / MEBIBYTE:.0f} MiB"


def test_a_feed_that_inflates_without_end_is_refused_within_64_mib(aquifer):
    def peak(remote, status):
        process = subprocess.Popen(
            [BINARY, "feed", "list", "--remote", f"feed={remote.address}", "--data", str(aquifer.data)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=aquifer.environment)
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(code)
        remote.stop()
        assert process.returncode == status
        return usage.ru_maxrss * 1024

    compressed = gzip.compress(json.dumps({"items": []}).encode())
    small = peak(Remote(None, 0, feed=lambda handler: handler.reply(compressed, ("Content-Encoding", "gzip"))), 0)
    large = peak(Remote(None, 0, feed=lambda handler: handler.reply(BOMB, ("Content-Encoding", "gzip"))), 65)
    assert large - small < 64 * MEBIBYTE, f"{(large - small) / MEBIBYTE:.0f} MiB"


def test_who_leaves_while_a_name_is_looked_up_holds_nobody_up(serve, slow_names):
    environment, folder = slow_names
    remote = Remote(
        lambda handler, path: handler.reply(PICTURE), 2,
        image=lambda remote, number: f"http://a{number}.slow.test/" if number else f"{remote.address}/0.png")
    page = serve(remote, **environment)
    page.leave(1, lambda: wait_until((folder / "a1.slow.test").exists, "a1 is looked up", PATIENCE))
    assert page.picture(0) == (200, PICTURE)
    assert not (folder / "go").exists()


def test_a_name_whose_look_up_never_ends_is_given_up_in_time(aquifer, slow_names):
    environment, folder = slow_names
    result = subprocess.run(
        [BINARY, "feed", "list", "--remote", "feed=http://feed.slow.test", "--data", str(aquifer.data)],
        capture_output=True, text=True, timeout=PATIENCE, env={**aquifer.environment, **environment})
    assert result.returncode == 69, result.stderr
    assert (folder / "feed.slow.test").exists() and not (folder / "go").exists()


def test_a_validator_that_cannot_be_sent_keeps_no_later_load_from_being_made(aquifer):
    def feed(handler):
        handler.wfile.write(
            b'HTTP/1.1 200 OK\r\nETag: "a\rb"\r\nLast-Modified: \x01\r\nContent-Length: 12\r\n\r\n{"items":[]}')

    remote = Remote(None, 0, feed=feed)
    for _ in range(3):
        loaded = aquifer.json("feed", "list", "--remote", f"feed={remote.address}")
        assert loaded["source"] == "remote", loaded
    assert all("If-None-Match" not in fields and "If-Modified-Since" not in fields for _, fields in remote.requests)
    remote.stop()
