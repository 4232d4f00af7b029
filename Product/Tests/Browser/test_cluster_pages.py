"""Pages behind a proxy, whose replicas of `aquifer serve` are killed and come back."""

import json
import os
import re
import signal
import sys

import pytest
from playwright.sync_api import expect

from conftest import ROOT
from test_audio import part, tone
from test_payments import enter

sys.path.append(str(ROOT / "Product/Tests/Acceptance"))

from cluster import IS_POSSIBLE, running  # noqa: E402

pytestmark = [
    pytest.mark.skipif(not IS_POSSIBLE, reason="there is no nginx"),
    pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"]),
]
#: The time in which a page goes on or an item is sent, in milliseconds, on a machine that is busy with other tests.
LONG = 60_000


class Front:
    """What a tab needs to know of the server: here the proxy before all of them."""

    def __init__(self, cluster):
        self.base, self.token = cluster.base, cluster.state["token"]
        self.headers = {"Authorization": f"Bearer {self.token}"}

    def link(self, path="/"):
        return f"{self.base}{path}#token={self.token}"


@pytest.fixture
def cluster(tmp_path):
    with running(tmp_path) as cluster:
        yield cluster


@pytest.fixture
def opened(cluster, open_page):
    """Opens the only tab. It must stay the same page, with the same name, and never be told to go."""
    tabs = []

    def opened(path, phone, **options):
        page = open_page(Front(cluster), path, phone=phone, wait=False, **options, fails=True)
        page.evaluate("window.__never_loaded_again = true")
        tabs.append((page, page.until(lambda: page.evaluate("sessionStorage.getItem('aquifer.tab')"), "the tab has a name")))
        return page

    yield opened
    for page, tab in tabs:
        assert page.evaluate("window.__never_loaded_again") is True, "the page was loaded again"
        assert page.evaluate("sessionStorage.getItem('aquifer.tab')") == tab
        expect(page.by("signed-out")).to_have_count(0)
        assert page.too_wide() <= 0


def lose(cluster):
    """Kills the replica that serves the page, and returns it when another one does."""
    lost = cluster.serving()
    lost.kill()
    assert cluster.serving() is not lost
    return lost


def fill_in(page, file, title):
    page.by("file-input").set_input_files(file)
    expect(page.by("file")).to_be_visible()
    page.page.locator("#clip-title").fill(title)
    expect(page.by("later")).to_have_attribute("data-ready", "true")


def open_form(page):
    page.by("nav-audio").click()
    page.by("to-compose").first.click()
    expect(page.by("compose-form")).to_be_visible()


def arrived(cluster, page, titles):
    """All clips are posted, each once, and the page sees so."""
    page.by("nav-audio").click()
    for title in titles:
        clip = page.by("clip").filter(has_text=title)
        expect(clip).to_have_count(1, timeout=LONG)
        page.until(lambda: cluster.titles().count(title) == 1, f"{title} is at the remote", limit=LONG)
    expect(page.by("outbox-count")).to_have_count(0, timeout=LONG)
    assert {title: cluster.titles().count(title) for title in titles} == dict.fromkeys(titles, 1)


def test_a_clip_that_was_queued_is_posted_once_and_the_page_goes_on_also_when_its_replica_is_back(cluster, opened, phone, tmp_path):
    page = opened("/audio", phone)
    expect(page.by("clip").first).to_be_visible()
    open_form(page)
    fill_in(page, tone(tmp_path), "Before the fall")
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible()
    lost = lose(cluster)
    arrived(cluster, page, ["Before the fall"])
    open_form(page)
    fill_in(page, tone(tmp_path), "With another one")
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible()
    # It comes back. The proxy gives it all that the page says from now on, while the stream of states is another one's.
    lost.start()
    open_form(page)
    page.until(lambda: goes_to(cluster, page, lost), "the proxy knows the replica again")
    fill_in(page, tone(tmp_path), "After the return")
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible()
    arrived(cluster, page, ["Before the fall", "With another one", "After the return"])
    expect(page.by("server-lost")).to_have_count(0)


def goes_to(cluster, page, replica):
    """True if requests of the page come to the replica: it counts one more."""
    before = replica.answers
    tab = page.evaluate("sessionStorage.getItem('aquifer.tab')")
    assert page.ask(f"/api/connection?tab={tab}").ok
    return replica.answers > before


def test_what_was_typed_and_chosen_is_still_there_and_is_posted_once(cluster, opened, phone, tmp_path):
    page = opened("/audio/new", phone)
    fill_in(page, tone(tmp_path), "Half written")
    lost = lose(cluster)
    expect(page.by("file-name")).to_have_text("tone.wav")
    expect(page.page.locator("#clip-title")).to_have_value("Half written")
    expect(page.by("later")).to_have_attribute("data-ready", "true", timeout=LONG)
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible()
    lost.start()
    arrived(cluster, page, ["Half written"])


def test_a_payment_is_made_once_and_is_found_by_the_next_replica(cluster, opened, phone):
    cluster.add_card()
    page = opened("/contacts", phone)
    page.by("contact").nth(0).click()
    enter(page)
    # The amount and the code are told to the next one. (No replica keeps a code for another one.)
    lost = lose(cluster)
    expect(page.by("pay")).to_have_attribute("data-ready", "true", timeout=LONG)
    page.by("pay").click()
    expect(page.by("receipt")).to_be_visible(timeout=LONG)
    lose(cluster)
    lost.start()
    page.by("nav-contacts").click()
    page.by("to-payments").click()
    expect(page.by("payment")).to_have_count(1, timeout=LONG)
    expect(page.by("payment").first).to_have_attribute("data-state", "approved")
    assert [payment["state"] for payment in cluster.json("payments", "list")["value"]] == ["approved"]


def test_a_payment_that_a_killed_replica_was_to_make_is_made_once_by_the_next_one(cluster, opened, phone):
    cluster.add_card()
    page = opened("/contacts", phone)
    page.by("contact").nth(0).click()
    enter(page)
    expect(page.by("pay")).to_have_attribute("data-ready", "true", timeout=LONG)
    lost = cluster.serving()
    # It takes the request, and never answers it.
    os.kill(lost.pid, signal.SIGSTOP)
    page.by("pay").click()
    page.until(lambda: "pay" in page.intents, "the page has asked for it")
    kept = page.evaluate("Object.entries(sessionStorage).find(([name]) => name.startsWith('aquifer.paying.'))[1]")
    lost.kill()
    page.until(lambda: page.evaluate("navigator.onLine") and cluster.serving().pid != lost.pid, "another replica serves it")
    expect(page.by("pay")).to_have_attribute("data-ready", "true", timeout=LONG)
    page.by("pay").click()
    expect(page.by("receipt")).to_be_visible(timeout=LONG)
    payments = cluster.json("payments", "list")["value"]
    assert [(payment["id"].lower(), payment["state"]) for payment in payments] == [(json.loads(kept)["id"], "approved")]
    lost.start()


def test_a_phrase_is_shown_by_the_next_replica(cluster, opened, phone):
    page = opened("/foaas", phone)
    page.by("phrase").click()
    expect(page.by("phrase-message")).not_to_be_empty(timeout=LONG)
    lose(cluster)
    page.by("phrase").click()
    expect(page.by("phrase-message")).not_to_be_empty(timeout=LONG)
    expect(page.by("server-lost")).to_have_count(0)


def test_a_clip_that_a_killed_replica_was_to_queue_is_in_the_form_again_and_is_posted_once(cluster, opened, phone, tmp_path):
    page = opened("/audio/new", phone, scheme="dark" if phone else "light")
    fill_in(page, tone(tmp_path), "In between")
    lost = cluster.serving()
    # It takes the request, and never answers it.
    os.kill(lost.pid, signal.SIGSTOP)
    page.by("later").click()
    page.until(lambda: "later" in page.intents, "the page has asked for it")
    lost.kill()
    # The stores have kept the form with its key: whatever became of the first attempt, the next one is the same post.
    page.until(lambda: page.evaluate("navigator.onLine") and cluster.serving().pid != lost.pid, "another replica serves it")
    expect(page.page.locator("#clip-title")).to_have_value("In between", timeout=LONG)
    picture(page, f"again-{'phone' if phone else 'wide'}")
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible(timeout=LONG)
    page.until(lambda: cluster.titles().count("In between") == 1, "it is posted")


def picture(page, name):
    """For whoever looks at them: with AQUIFER_PICTURES, the name of a folder."""
    folder = os.environ.get("AQUIFER_PICTURES")
    if folder:
        page.page.screenshot(path=f"{folder}/{name}.png")


def test_without_any_replica_the_page_says_so_and_comes_back_by_itself(cluster, opened, phone, tmp_path):
    locale = "pt-BR" if phone else "en-US"
    page = opened("/audio/new", phone, locale=locale, scheme="light" if phone else "dark")
    fill_in(page, tone(tmp_path), "Patience")
    for replica in cluster.replicas:
        replica.kill()
    alarm = page.by("server-lost")
    expect(alarm).to_be_visible(timeout=LONG)
    expect(alarm).to_contain_text("Aquifer isn’t available" if locale == "en-US" else "O Aquifer está fora do ar")
    # It stays: the proxy answers, and that is no server.
    page.page.wait_for_timeout(3000)
    expect(alarm).to_be_visible()
    picture(page, f"lost-{'phone' if phone else 'wide'}")
    for replica in cluster.replicas:
        replica.start()
    expect(alarm).to_have_count(0, timeout=LONG)
    expect(page.page.locator("#clip-title")).to_have_value("Patience")
    expect(page.by("later")).to_have_attribute("data-ready", "true", timeout=LONG)
    # While the replicas come back one by one the proxy may give the act to one that does not have the page. It is refused and told then,
    # and the user tries again.
    queued, refused = page.by("compose-queued"), page.by("toast").filter(has_text=re.compile("try again" if locale == "en-US" else "tent[ae]r? de novo", re.IGNORECASE))
    for _ in range(6):
        page.by("later").click()
        page.until(lambda: queued.count() or refused.count(), "it is queued, or the page says that it is not")
        if queued.count():
            break
        expect(refused).to_have_count(0, timeout=LONG)
    expect(queued).to_be_visible()
    arrived(cluster, page, ["Patience"])
