"""Two `aquifer serve` on one folder: the second one deletes nothing of the first one's."""

import json
import re
import subprocess
import urllib.request

import pytest

from conftest import BINARY, ROOT

CLIP = (ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3").read_bytes()


class Server:
    """A server of pages that lets everyone in, and a tab of it with the form of a new clip."""

    def __init__(self, aquifer):
        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--no-token", "--data", str(aquifer.data)], stdout=subprocess.PIPE, text=True,
            env=aquifer.environment)
        self.base = re.search(r"http://[\d.:]+", self.process.stdout.readline())[0]

    def ask(self, path, body=b"", **headers):
        request = urllib.request.Request(self.base + path, data=body, headers=headers, method="POST")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status

    def take(self):
        assert self.ask("/api/screens/audio-compose/file?tab=tab&name=clip.mp3", CLIP) == 204

    def tell(self, intent, **fields):
        body = json.dumps({"intent": intent, **fields}).encode()
        assert self.ask("/api/screens/audio-compose/intents?tab=tab", body) == 204

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(timeout=20)


@pytest.fixture
def serve(aquifer):
    started = []

    def serve():
        started.append(Server(aquifer))
        return started[-1]

    yield serve
    for server in started:
        server.process.kill()
        server.process.wait(timeout=20)


def uploads(aquifer):
    return sorted(path for path in (aquifer.data / "uploads").rglob("*") if path.is_file() and path.stat().st_size > 0)


def wait_for(aquifer, title):
    """A posted clip is in the saved list, at the latest after a hundred looks at it."""
    for _ in range(100):
        if title in [clip["title"] for clip in aquifer.json("audio", "list", "--offline")["value"]]:
            return
    raise AssertionError(f"{title} was not posted: {aquifer('outbox', 'list').stdout}")


def test_the_second_server_deletes_nothing_that_the_first_has_taken(aquifer, serve):
    aquifer.json("audio", "list")
    first = serve()
    first.take()
    (taken,) = uploads(aquifer)
    second = serve()
    second.take()
    assert len(uploads(aquifer)) == 2 and taken.read_bytes() == CLIP
    # The first one's form still has its file, and posts it.
    first.tell("title", text="From the first")
    first.tell("send")
    wait_for(aquifer, "From the first")
    second.tell("title", text="From the second")
    second.tell("send")
    wait_for(aquifer, "From the second")


def test_what_a_killed_server_had_taken_is_removed_by_the_next_and_by_none_before(aquifer, serve):
    first, second = serve(), serve()
    first.take()
    (taken,) = uploads(aquifer)
    first.end(9)
    assert taken.exists()
    second.take()
    (left,) = uploads(aquifer)
    assert left != taken and left.read_bytes() == CLIP
