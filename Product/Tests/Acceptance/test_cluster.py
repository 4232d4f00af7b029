"""`make cluster`: three replicas over a database that fails over, a cache, and a proxy before them."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = ROOT / ".build/aquifer"
CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/10.mp3"

NGINX = shutil.which("nginx") or pathlib.Path("/usr/sbin/nginx")
pytestmark = pytest.mark.skipif(not pathlib.Path(NGINX).exists(), reason="there is no nginx")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    state = folder / "state.json"
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "Scripts/cluster"), "--state", str(state)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        line = process.stdout.readline()
        assert line.startswith("Aquifer is at "), line + process.stdout.read()
        yield Cluster(json.loads(state.read_text()), folder)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


class Cluster:
    def __init__(self, state, folder):
        self.state, self.folder = state, folder

    def aquifer(self, *words):
        """A command of another machine, which has only the addresses of the stores."""
        remotes = [word for name, address in self.state["remotes"]["addresses"].items() for word in ("--remote", f"{name}={address}")]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.folder / "config")}
        return subprocess.run(
            [BINARY, *words, "--data", self.folder / "data", "--store", self.state["store"], *remotes],
            capture_output=True, text=True, timeout=120, env=environment, stdin=subprocess.DEVNULL)

    def titles(self):
        """The titles of the clips that the remote has."""
        result = self.aquifer("audio", "list", "--json")
        assert result.returncode == 0, result.stderr
        document = json.loads(result.stdout)
        assert document["source"] == "remote"
        return [clip["title"] for clip in document["value"] if not clip.get("pending")]

    def page(self, tab):
        """The first state that the event stream of a tab's screen brings."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.state['port']}/api/screens/audio/events?tab={tab}",
            headers={"Authorization": f"Bearer {self.state['token']}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200
            for line in answer:
                if line.startswith(b"data: "):
                    return json.loads(line[6:])
        raise AssertionError("the stream has ended without a state")

    def script(self, name, *words):
        subprocess.run([ROOT / "Scripts" / name, *map(str, words)], check=True, timeout=90, stdin=subprocess.DEVNULL)


def test_pages_go_on_when_the_replicas_that_served_them_are_killed(cluster):
    tabs = [f"tab-{number}" for number in range(6)]
    before = [set(cluster.page(tab)) for tab in tabs]
    for replica in cluster.state["replicas"][:2]:
        os.kill(replica["pid"], signal.SIGKILL)
    # The same address, token and tab: one of three replicas is left, and it served about a third of the tabs.
    assert [set(cluster.page(tab)) for tab in tabs] == before


def test_nothing_that_was_acknowledged_is_lost_or_doubled_when_the_primary_is_killed(cluster):
    acknowledged, begun = [], []
    failing = threading.Event()

    def post():
        for number in range(12):
            title = f"Clip {number}"
            begun.append(title)
            # A post whose command fails may be queued all the same.
            if cluster.aquifer("audio", "post", CLIP, "--title", title, "--later").returncode == 0:
                acknowledged.append(title)
            if number == 3:
                failing.set()

    posting = threading.Thread(target=post)
    posting.start()
    assert failing.wait(120)
    postgres = cluster.state["postgres"]
    cluster.script("postgres", "kill", postgres["primary"])
    cluster.script("postgres", "promote", postgres["replica"])
    posting.join(300)
    assert not posting.is_alive()
    # Somebody may be sending them already: a replica that is left, or two senders at once.
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        sending = [threading.Thread(target=cluster.aquifer, args=("outbox", "send")) for _ in range(2)]
        for sender in sending:
            sender.start()
        for sender in sending:
            sender.join(130)
        listed = cluster.aquifer("outbox", "list", "--json")
        if listed.returncode == 0 and not json.loads(listed.stdout)["value"]:
            break
        time.sleep(0.5)
    titles = cluster.titles()
    assert len(acknowledged) > 6
    assert {title: titles.count(title) for title in acknowledged} == dict.fromkeys(acknowledged, 1)
    assert all(titles.count(title) <= 1 for title in begun)
