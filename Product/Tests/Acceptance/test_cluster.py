"""`make cluster`: three replicas over a database that fails over, a cache, and a proxy before them."""

import itertools
import json
import threading
import time
import urllib.request

import pytest

from cluster import IS_POSSIBLE, ROOT, running
from serving import states

CLIP = ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/10.mp3"

pytestmark = pytest.mark.skipif(not IS_POSSIBLE, reason="there is no nginx")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with running(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def page(cluster, tab):
    """The titles of the clips that a tab's screen shows, once it has loaded them."""
    address, access = f"{cluster.base}/api/screens/audio", {"Authorization": f"Bearer {cluster.state['token']}"}
    request = urllib.request.Request(f"{address}/events?tab={tab}", headers=access)
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200
        appear = urllib.request.Request(
            f"{address}/intents?tab={tab}", data=b'{"intent":"appear"}', headers={**access, "Content-Type": "application/json"})
        urllib.request.urlopen(appear, timeout=30).close()
        # Heartbeats keep the stream open: states are counted.
        for state in itertools.islice(states(answer), 20):
            assert state["error"] is None
            if state["clips"]:
                return [clip["title"] for clip in state["clips"]]
    raise AssertionError("the page has no clips")


def test_pages_go_on_when_the_replicas_that_served_them_are_killed(cluster):
    tabs = [f"tab-{number}" for number in range(6)]
    before = [page(cluster, tab) for tab in tabs]
    for replica in cluster.replicas[:2]:
        replica.kill()
    # The same address, token and tab: one of three replicas is left, and it served about a third of the tabs.
    assert [page(cluster, tab) for tab in tabs] == before and all(before)


def test_nothing_that_was_acknowledged_is_lost_or_doubled_when_the_primary_is_killed(cluster):
    acknowledged, begun = [], []
    failing = threading.Event()

    def post():
        # On a busy machine the successor of the primary needs longer, and more of them fail meanwhile.
        for number in itertools.takewhile(lambda number: number < 12 or len(acknowledged) <= 6 and number < 48, itertools.count()):
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
    cluster.fail_over()
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
