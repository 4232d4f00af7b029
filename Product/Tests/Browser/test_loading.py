"""The costs of a page on the network: requests and bytes, the first time and again. Counts, not times, so that a busy machine changes nothing."""

import re
import urllib.parse

import pytest
from playwright.sync_api import expect

from states import go
from test_payments import GOOD, add_card

#: A page and its parts, before pictures, the first time: the most requests and the most bytes on the wire.
COLD = 25, 150_000
#: The most requests that reach the server when the page is opened again.
WARM = 5


class Wire:
    """The requests of a tab that went out, with the bytes that came back."""

    def __init__(self, page):
        self.page, self.sent, self.bytes, self.cached = page, {}, {}, set()
        session = page.context.new_cdp_session(page.page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", lambda event: self.sent.update({event["requestId"]: event["request"]["url"]}))
        session.on("Network.requestServedFromCache", lambda event: self.cached.add(event["requestId"]))
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", lambda event: self._add(event["requestId"], event["encodedDataLength"]))
        session.on("Network.loadingFinished", lambda event: self.bytes.update({event["requestId"]: event["encodedDataLength"]}))

    def _answered(self, event):
        if event["response"].get("fromDiskCache") or event["response"].get("fromPrefetchCache"):
            self.cached.add(event["requestId"])
        self._add(event["requestId"], event["response"]["encodedDataLength"])

    def _add(self, request, count):
        self.bytes[request] = self.bytes.get(request, 0) + count

    def paths(self):
        """The addresses that were asked for, without pictures of the content and without what the browser had kept."""
        found = {number: urllib.parse.urlsplit(url).path for number, url in self.sent.items() if number not in self.cached and url.startswith("http")}
        return {number: path for number, path in found.items() if "/images/" not in path}

    def cost(self):
        paths = self.paths()
        return len(paths), sum(self.bytes.get(number, 0) for number in paths), "\n".join(f"{self.bytes.get(number, 0):7} {path}" for number, path in paths.items())

    def forget(self):
        self.sent.clear()
        self.bytes.clear()
        self.cached.clear()


PAGES = {"/": "feed-item", "/contacts": "contact", "/pay/1001": "priming", "/foaas": "phrase-message", "/audio": "clip", "/drive": "drive-empty", "/inspector": "inspector-row"}


def opened(page, wire, path, ready):
    wire.forget()
    go(page, path, ready)
    page.until(lambda: page.evaluate("document.readyState") == "complete", "the page is complete")
    return wire.cost()


@pytest.mark.parametrize("language", ["en-US", "pt-BR"])
def test_a_page_is_small_the_first_time_and_nearly_nothing_again(server, open_page, language):
    for path, ready in PAGES.items() if language == "en-US" else [("/", "feed-item")]:
        page = open_page(server, path, phone=True, locale=language, wait=False, fails=True)
        expect(page.by(ready).first).to_be_visible()
        # The token is known now; a cache that is emptied is that of somebody who comes for the first time.
        wire = Wire(page)
        page.context.new_cdp_session(page.page).send("Network.clearBrowserCache")
        count, size, listed = opened(page, wire, path, ready)
        assert count <= COLD[0] and size <= COLD[1], f"cold {path}: {count} requests, {size} bytes\n{listed}"
        count, size, listed = opened(page, wire, path, ready)
        assert count <= WARM, f"warm {path}: {count} requests, {size} bytes\n{listed}"


def test_the_screen_at_hand_is_asked_for_by_the_page_itself(server, open_page):
    """Its module is not found out by the module that needs it, a round trip later."""
    for path in ("/", "/feed/a", "/feed/a/picture", "/contacts", "/pay/1", "/cards", "/cards/new", "/payments", "/foaas", "/foaas/operations",
                 "/foaas/operations/a", "/foaas/settings", "/audio", "/audio/new", "/outbox", "/drive", "/drive/new", "/drive/a", "/inspector"):
        page = open_page(server, path, wait=False, fails=True)
        page.until(lambda: page.evaluate("document.querySelector('main h1') !== null"), "the page is there")
        preloaded = page.evaluate("[...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.href)")
        loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\/js\\/screens\\/.*\\.js$/.test(name))")
        assert preloaded and set(loaded) == set(preloaded), path


def test_what_is_kept_for_ever_has_a_name_of_its_content(server, open_page):
    page = open_page(server)
    html = page.ask("/").text()
    addresses = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', html))
    assert addresses
    for address in addresses:
        answer = page.ask(address, headers={"Accept-Encoding": "gzip"})
        assert answer.ok and re.match(r"/assets/[0-9a-f]{16}/", address), address
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable", address
        if address.endswith((".js", ".css")):
            assert answer.headers["content-encoding"] == "gzip" and "accept-encoding" in answer.headers["vary"].lower(), address
        # Another version has other addresses: this one is not mixed with it.
        assert page.ask(address.replace(address.split("/")[2], "0" * 16)).status == 404
    assert page.ask("/").headers["cache-control"] == "no-cache"


def test_an_error_names_the_module_and_the_line_of_the_source(server, open_page):
    page = open_page(server)
    script = re.search(r'type="module" src="([^"]+)"', page.ask("/").text())[1]
    text = page.ask(script).text()
    names = re.findall(r"// (js/[\w/-]+\.js)$", text, re.M)
    assert "js/main.js" in names and "js/dom.js" in names and len(names) > 20
    table = page.ask(script + ".map").json()
    assert table["version"] == 3 and len(table["sources"]) == len(names)
    for source in table["sources"]:
        assert page.ask(urllib.parse.urljoin(script, source)).ok, source


def test_a_picture_that_somebody_does_not_have_is_not_asked_for_again(server, open_page):
    page = open_page(server, "/contacts", wait=False)
    expect(page.by("contact").first).to_be_visible()
    avatars = page.page.locator("aq-image")

    def asked():
        # Each avatar near the screen has come, or is known not to.
        page.until(lambda: page.evaluate("""[...document.querySelectorAll("aq-image")].every((i) => !["loading", "waiting"].includes(i.dataset.state))"""), "avatars have come")
        return [url for url in page.requests if "/contacts/images/" in url]

    page.until(lambda: avatars.count() > 0 and len(asked()) > 0, "avatars are asked for")
    missing = page.evaluate("""[...document.querySelectorAll("aq-image[data-state=failed]")].map((i) => i.getAttribute("src").split("?")[0])""")
    assert missing, "the reference remote lacks some of them"
    page.requests.clear()
    page.page.reload()
    expect(page.by("contact").first).to_be_visible()
    page.until(lambda: avatars.count() > 0 and len(asked()) > 0, "avatars are asked for")
    again = {urllib.parse.urlsplit(url).path for url in asked()}
    assert not again & set(missing)
    # None of it is an error in the console: that fails the test at its end.


def test_nothing_jumps_while_a_page_comes(server, open_page):
    """The sum of layout shifts, as browsers count them: below 0.1 is what Web Vitals calls good."""
    page = open_page(server, fails=True)
    page.page.add_init_script("""window.__shifts = [];
      new PerformanceObserver((list) => { for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput)
        window.__shifts.push([value, ...sources.map(({ node }) => node?.className ?? node?.nodeName)]); }).observe({ type: "layout-shift", buffered: true });""")
    jumps = {}
    for width in (390, 1280):
        page.page.set_viewport_size({"width": width, "height": 844})
        for path, ready in PAGES.items():
            if path == "/inspector":
                continue  # Its list of what happens grows while one looks.
            go(page, path, ready)
            page.until(lambda: page.evaluate("""[...document.querySelectorAll("aq-image")].every((i) => !["loading", "waiting"].includes(i.dataset.state))"""), "pictures have come")
            shifts = page.evaluate("window.__shifts")
            if sum(value for value, *_ in shifts) > 0.1:
                jumps[f"{path} at {width}"] = shifts
    assert not jumps, "\n".join(f"{where}: {shifts}" for where, shifts in jumps.items())


@pytest.mark.parametrize("part", ["js/main.js", "css/pages.css"])
def test_a_page_whose_file_does_not_come_is_asked_for_again(server, open_page, part):
    page = open_page(server, fails=True)
    lost, before = [], page.requests.count(server.base + "/")

    def lose(route):
        lost.append(route.request.url)
        route.fulfill(status=404)

    page.page.route(f"**/{part}", lose, times=1)
    page.page.goto(server.base + "/")
    page.until(lambda: lost, "a file is lost")
    page.until(lambda: page.requests.count(server.base + "/") == before + 2, "the page is asked for again")
    expect(page.items.first).to_be_visible()


def test_the_token_is_kept_before_the_texts_have_come(server, open_page):
    """Whoever goes on at once, or has a slow network, need not open the printed link again."""
    page = open_page(server, fails=True)
    page.evaluate("localStorage.clear()")
    page.page.route("**/words/*", lambda route: route.abort())
    page.page.goto("about:blank")
    page.page.goto(server.link("/"))
    page.until(lambda: "token" not in page.page.url, "the token is out of the address")
    assert page.evaluate("localStorage.getItem('aquifer.token')")


def test_the_first_states_are_asked_for_once_and_before_the_modules_have_begun(server, open_page):
    page = open_page(server, fails=True)
    main = re.search(r'type="module" src="([^"]+)"', page.ask("/").text())[1]
    held, asked = [], []
    page.page.on("request", lambda request: asked.append(request.url) if "/events?" in request.url else None)
    for path, ready, screen in (("/", "feed-item", "feed"), ("/contacts", "contact", "contacts"), ("/audio", "clip", "audio")):
        page.page.goto("about:blank")
        held.clear()
        asked.clear()
        page.page.route(f"**{main}", lambda route: held.append(route))
        page.page.goto(server.base + path, wait_until="commit")
        page.until(lambda: held and asked, "the states are asked for while the modules are held back")
        assert f"/screens/{screen}/events?" in asked[0]
        held[0].continue_()
        page.page.unroute(f"**{main}")
        expect(page.by(ready).first).to_be_visible()
        assert len(asked) == 1, asked


def test_a_page_that_is_given_a_token_by_its_address_asks_for_no_states_early(server, open_page):
    page = open_page(server, fails=True)
    main = re.search(r'type="module" src="([^"]+)"', page.ask("/").text())[1]
    held, asked = [], []
    page.page.on("request", lambda request: asked.append(request.url) if "/events?" in request.url else None)
    page.page.route(f"**{main}", lambda route: held.append(route))
    page.page.goto("about:blank")
    page.page.goto(server.link("/"), wait_until="commit")
    page.until(lambda: held, "the modules are asked for")
    page.until(lambda: page.evaluate("performance.getEntriesByType('resource').some(({ name }) => name.includes('/words/'))"), "the script of the head has run")
    assert asked == []
    held[0].continue_()
    page.page.unroute(f"**{main}")
    expect(page.items.first).to_be_visible()
