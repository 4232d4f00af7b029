"""One walk through the five apps, as somebody takes it: by the tabs, without loading the page again. Everything that the page does
on its way is recorded: each request with its answer, each shift of the layout, each message of the console."""

import contextlib
import json
import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from conftest import ROOT
from test_audio import part, playing
from test_drive import add, text_file
from test_foaas import said
from test_payments import GOOD, enter, fill_card

#: Browsers call a page good whose layout shifts by less than this, all in all, while nobody touches it.
GOOD_SHIFT = 0.1
#: The most requests to the server for one app's part of the walk, without pictures, sounds and modules.
CALLS = 45
#: Addresses that are asked for as often as it takes: the state of the connection may have changed.
AGAIN = {"/api/connection"}

SHIFTS = """window.__shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (!hadRecentInput) window.__shifts.push({ value, moved: sources.map(({ node }) => node?.dataset?.test ?? node?.className ?? node?.nodeName ?? "?") });
  }
}).observe({ type: "layout-shift", buffered: true });"""


class Record:
    """The deeds of a tab, app by app."""

    def __init__(self, page):
        self.page, self.apps, self.now = page, {}, None
        page.page.on("requestfinished", lambda request: self._note("requests", [request.method, self._path(request), request.response().status]))
        page.page.on("requestfailed", lambda request: self._note("failed", [request.method, self._path(request), request.failure]))
        page.page.on("console", lambda message: self._note("console", [message.type, message.text]))
        page.page.add_init_script(SHIFTS)

    def _path(self, request):
        address = urllib.parse.urlsplit(request.url)
        return address.path if request.url.startswith(self.page.server.base) else request.url

    def _note(self, kind, what):
        self.apps.setdefault(self.now, {}).setdefault(kind, []).append(what)

    def begin(self, app):
        self._take_shifts()
        self.now = app

    def end(self, name):
        self._take_shifts()
        folder = ROOT / ".build" / "results"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"walk-{name}.json").write_text(json.dumps(self.apps, indent=1))
        return self.apps

    def _take_shifts(self):
        for shift in self.page.evaluate("(window.__shifts ?? []).splice(0)"):
            self._note("shifts", shift)


@contextlib.contextmanager
def asked_for(page):
    """A shift of the layout within this is no fault: a click asked for it, although some time before."""
    # The browser tells of a shift later: one from before the click counts.
    page.frames()
    before = page.evaluate("window.__shifts.length")
    yield
    page.frames()
    page.evaluate("(count) => { window.__shifts.length = count; }", before)


def feed(page, folder):
    expect(page.items.first).to_be_visible()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.page.mouse.wheel(0, 1500)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.by("open-comments").first.click()
    expect(page.by("comment").first).to_be_visible()
    page.page.go_back()
    expect(page.items.first).to_be_visible()


def contacts(page, folder):
    page.by("nav-contacts").click()
    page.by("contact").first.click()
    page.by("priming-add").click()
    fill_card(page, GOOD)
    page.by("save").click()
    enter(page)
    page.by("pay").click()
    expect(page.by("receipt")).to_be_visible()
    with asked_for(page):
        page.by("done").click()
        # The first payment gives the list its card, and the people who were paid last.
        expect(page.by("default-card")).to_be_visible()
        expect(page.by("recent-contact")).to_be_visible()


def phrases(page, folder):
    page.by("nav-foaas").click()
    expect(said(page)).not_to_be_empty()
    page.by("to-operations").click()
    page.by("operation").nth(3).click()
    expect(page.by("preview")).to_be_visible()


def audio(page, folder):
    page.by("nav-audio").click()
    part(page.by("clip").first, "play").click()
    expect(playing(page)).to_have_count(1)
    part(page.by("clip").nth(2), "download").click()
    expect(part(page.by("clip").nth(2), "offline-badge")).to_be_visible()


def drive(page, folder):
    page.by("nav-drive").click()
    page.by("to-create").first.click()
    page.by("create-name").fill("Tides")
    page.by("create-size").fill("1MB")
    expect(page.by("cost")).to_contain_text("SHDW")
    expect(page.by("cost")).not_to_be_empty()
    page.by("create").click()
    expect(page.by("created")).to_be_visible()
    page.by("to-account").click()
    expect(page.by("upload")).to_be_visible()
    with asked_for(page):
        add(page, text_file(folder))
        expect(page.by("file")).to_have_count(1)


APPS = [feed, contacts, phrases, audio, drive]


def faults(did):
    """What an app did that it should not: in the words of the record."""
    requests, stopped = did.get("requests", []), did.get("failed", [])
    # Each page that shows a picture asks for it: nothing of a user stays in the browser's cache.
    ours = [(method, path) for method, path, _ in requests if path.startswith("/") and "/images/" not in path]
    # A page that is left stops its stream of events, and pictures that nobody sees any more.
    wrong = [f"failed: {request}" for request in stopped if "ERR_ABORTED" not in request[2] or not re.search(r"/(events|images/[^/]+)$|^blob:", request[1])]
    wrong += [f"answered badly: {request}" for request in requests if request[2] >= 400]
    wrong += [f"another server: {request}" for request in requests if not request[1].startswith(("/", "blob:"))]
    wrong += [f"console: {message}" for message in did.get("console", [])]
    wrong += [f"asked for twice: {request}" for request in set(ours) if ours.count(request) > 1 and request[0] == "GET" and request[1] not in AGAIN]
    calls = [path for _, path in ours if path.startswith("/api/")]
    if len(calls) > CALLS:
        wrong.append(f"{len(calls)} calls: {calls}")
    shifts = did.get("shifts", [])
    if sum(shift["value"] for shift in shifts) >= GOOD_SHIFT:
        wrong.append(f"the layout shifts: {shifts}")
    return wrong


@pytest.mark.parametrize("name, phone", [("phone", True), ("wide", False)])
def test_a_walk_of_the_five_apps_is_quiet(server, open_page, tmp_path, name, phone):
    page = open_page(server, phone=phone)
    record = Record(page)
    # What the page before it leaves undone belongs to no app.
    page.page.reload()
    for app in APPS:
        record.begin(app.__name__)
        app(page, tmp_path)
    apps = record.end(name)
    assert all(apps[app.__name__].get("requests") for app in APPS), "each app's requests are recorded"
    assert any(path.endswith("/intents") for _, path, _ in apps["drive"]["requests"])
    wrong = {app.__name__: faults(apps[app.__name__]) for app in APPS}
    assert not any(wrong.values()), json.dumps(wrong, indent=1)


def test_a_walk_that_is_not_quiet_is_told():
    """Each kind of fault, by itself, is one."""
    quiet = {"requests": [["GET", "/api/connection", 200], ["GET", "/api/connection", 200], ["GET", "blob:x", 200]],
             "failed": [["GET", "/api/screens/feed/events", "net::ERR_ABORTED"]], "shifts": [{"value": 0.01, "moved": []}]}
    assert faults(quiet) == []
    for fault in [
        {"requests": [["GET", "/api/screens/feed/images/1", 404]]}, {"requests": [["GET", "https://elsewhere.example/x", 200]]},
        {"requests": [["GET", "/words/en.json", 200]] * 2}, {"requests": [["POST", "/api/screens/feed/intents", 202]] * (CALLS + 1)},
        {"failed": [["GET", "/api/screens/feed/images/1", "net::ERR_CONNECTION_RESET"]]}, {"failed": [["POST", "/api/screens/feed/intents", "net::ERR_ABORTED"]]},
        {"console": [["log", "here"]]}, {"shifts": [{"value": 0.06, "moved": ["title"]}] * 2},
    ]:
        assert len(faults(fault)) == 1, fault
