"""The feed, line by line of its specification's UX list."""

import http.server
import json
import re
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

#: The age of a copy that was saved during the test.
AGE = re.compile(r"saved (just now|\d+ (second|minute)s? ago)")
FEED = json.loads((Path(__file__).resolve().parents[3] / "Product/Sources/ReferenceAPIs/Media/feed/feed.json").read_text("utf-8"))


def test_the_feed_loads_by_itself_and_renders_location_description_and_picture(feed):
    for index, item in enumerate(FEED[:8]):
        card = feed.items.nth(index)
        for line in (item["location"] or "").split("\n"):
            expect(card).to_contain_text(line)
        expect(card).to_contain_text(item["description"] or "")
        expect(card.locator("aq-image")).to_have_count(1)
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    expect(feed.items.first.locator("img")).to_have_attribute("alt", FEED[0]["description"])


def test_skeletons_stand_in_while_the_first_load_runs(stopped_server, open_page):
    server = stopped_server.start("--fault", "feed=slow")
    page = open_page(server, wait=False)
    expect(page.by("skeleton").first).to_be_visible()
    expect(page.by("progress")).to_be_visible()
    expect(page.page.locator("main")).to_have_attribute("aria-busy", "true")
    expect(page.items.first).to_be_visible()
    expect(page.by("skeleton")).to_have_count(0)
    expect(page.by("progress")).to_be_hidden()


def test_a_picture_shimmers_while_it_loads(feed):
    feed.connection("slow")
    feed.scroll_to(3000)
    shimmering = feed.page.locator('aq-image[data-state="loading"] [data-test="shimmer"]').first
    expect(shimmering).to_be_attached()
    assert "shimmer" in shimmering.evaluate("(e) => getComputedStyle(e).animationName")


def test_pictures_are_requested_when_near_and_not_when_far(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    far = feed.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item] aq-image")]
        .filter((i) => i.getBoundingClientRect().top > innerHeight * 2).map((i) => i.getAttribute("src"))""")
    near = feed.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item] aq-image")]
        .filter((i) => { const t = i.getBoundingClientRect().top; return t > innerHeight && t < innerHeight * 1.9; }).map((i) => i.getAttribute("src"))""")
    assert far and near
    feed.until(lambda: all(any(url.endswith(n) for url in feed.requests) for n in near), "near pictures are preloaded")
    assert not [url for url in feed.image_requests() if any(url.endswith(f) for f in far)]


def test_a_picture_scrolled_away_is_aborted_and_the_remote_sees_it(server, open_page):
    page = open_page(server, phone=True)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.load_all()
    page.until(lambda: page.transfers()["active"] == 0, "nothing is under way")
    before = page.transfers()["cut"]
    page.expects_failed_requests = True
    page.connection("slow")
    # Somewhere in the middle that the way down has not left loaded.
    target = page.until(lambda: page.evaluate("""() => {
        const idle = [...document.querySelectorAll("aq-image")].filter((i) => i.dataset.state === "idle");
        return idle.length ? idle[Math.floor(idle.length / 2)].getBoundingClientRect().top + scrollY : 0; }"""), "a picture not loaded yet")
    page.scroll_to(target)
    page.until(lambda: page.transfers()["active"] > 0, "a transfer has started")
    page.scroll_to(0)
    page.until(lambda: page.transfers()["cut"] > before, "the remote saw the transfer end")
    expect(page.images("loading")).to_have_count(0)


def test_loaded_pictures_stay_and_cards_keep_their_identity_when_the_feed_reloads(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    feed.evaluate("""() => document.querySelectorAll("[data-test=feed-item]").forEach((card, i) => { card.mark = i; })""")
    count = len(feed.image_requests())
    first = feed.image_requests()[0]
    feed.connection("slow")
    feed.page.keyboard.press("r")
    expect(feed.by("progress")).to_be_visible()
    expect(feed.by("progress")).to_be_hidden()
    assert feed.evaluate("document.querySelector('[data-test=feed-item]').mark") == 0
    assert feed.image_requests().count(first) == 1
    assert len(feed.image_requests()) >= count


def test_a_failed_picture_can_be_retried(stopped_server, open_page):
    server = stopped_server.start()
    page = open_page(server)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.expects_failed_requests = True
    page.connection("failing")
    page.scroll_to(2600)
    retry = page.by("image-retry").first
    expect(retry).to_be_visible()
    # A connection that is as good as ever would load it by itself.
    page.connection("slow")
    # The picture is found by its name: another one may have failed meanwhile, and be the first now.
    named = page.page.get_by_role("button", name=retry.get_attribute("aria-label"))
    named.click()
    expect(named).to_have_count(0)


def test_bytes_that_are_no_image_can_be_retried_as_well(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    feed.expects_failed_requests = True
    feed.connection("garbage")
    feed.scroll_to(2600)
    retry = feed.by("image-retry").first
    expect(retry).to_be_visible()
    feed.connection("slow")
    name = retry.get_attribute("aria-label")
    retry.focus()
    feed.page.keyboard.press("Enter")
    expect(feed.page.get_by_role("button", name=name)).to_have_count(0)


def test_offline_shows_the_saved_feed_and_its_age(feed):
    feed.expects_failed_requests = True
    feed.connection("offline")
    feed.by("reload").click()
    expect(feed.by("notice")).to_contain_text(AGE)
    expect(feed.items.first).to_be_visible()


def test_two_days_later_and_offline_the_age_is_two_days(stopped_server, open_page):
    server = stopped_server.start()
    first = open_page(server)
    first.until(lambda: first.in_view("loaded"), "visible pictures are loaded")
    first.page.goto("about:blank")
    server.stop()
    server.start("--at", "+2d", "--fault", "feed=offline")
    later = open_page(server)
    later.expects_failed_requests = True
    expect(later.by("notice")).to_contain_text("2 days ago")


def test_eight_days_later_and_offline_an_error_is_shown(stopped_server, open_page):
    server = stopped_server.start()
    first = open_page(server)
    first.page.goto("about:blank")
    server.stop()
    server.start("--at", "+8d", "--fault", "feed=offline")
    page = open_page(server, wait=False)
    expect(page.by("failed")).to_be_visible()
    expect(page.items).to_have_count(0)
    expect(page.by("error-banner")).to_have_count(0)


def test_offline_without_a_saved_feed_an_error_is_shown_and_read_out(stopped_server, open_page):
    server = stopped_server.start("--fault", "feed=offline")
    page = open_page(server, wait=False)
    expect(page.page.get_by_role("alert").filter(has=page.by("failed-action"))).to_be_visible()
    expect(page.by("error-banner")).to_have_count(0)
    page.by("failed-action").click()
    expect(page.by("failed")).to_be_visible()
    # Nothing tells the page of this change: only the next request shows it.
    page.connection("slow")
    page.by("reload").click()
    expect(page.items.first).to_be_visible()


def test_the_keyboard_reloads(feed):
    feed.connection("slow")
    feed.by("reload").focus()
    feed.page.keyboard.press("Enter")
    feed.until(lambda: feed.intents.count("refresh") == 1, "Enter on the button reloads")
    expect(feed.by("progress")).to_be_visible()
    expect(feed.by("progress")).to_be_hidden()
    feed.page.keyboard.press("r")
    feed.until(lambda: feed.intents.count("refresh") == 2, "the key r reloads")


def test_scrolling_brings_all_pictures_and_then_the_end(feed):
    feed.load_all()
    expect(feed.items).to_have_count(len(FEED))
    ids = feed.evaluate("[...document.querySelectorAll('[data-test=feed-item]')].map((c) => c.dataset.id.toUpperCase())")
    assert ids == [item["id"] for item in FEED]


def test_a_failed_page_can_be_tapped_to_try_again(server, open_page):
    page = open_page(server, phone=True)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.expects_failed_requests = True
    page.connection("offline")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.by("more-retry")).to_be_visible()
    count = page.items.count()
    page.connection("online")
    page.by("more-retry").tap()
    page.until(lambda: page.items.count() > count, "the next page")


def test_pulling_down_refreshes(server, open_page):
    page = open_page(server, phone=True)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.touch("touchStart", 200, 250)
    for y in range(260, 480, 20):
        page.touch("touchMove", 200, y)
    expect(page.by("pull-indicator")).to_have_attribute("data-phase", "ready")
    with page.page.expect_request(lambda r: "/feed/intents" in r.url and "refresh" in (r.post_data or "")):
        page.touch("touchEnd", 200, 480)
    expect(page.by("pull-indicator")).to_have_attribute("data-phase", "rest")


@pytest.mark.parametrize("arguments", [[], ["--no-token"]], ids=["token", "no-token"])
def test_a_server_that_stops_is_reported_and_the_page_comes_back_by_itself_after_a_restart(stopped_server, open_page, arguments):
    server = stopped_server.start(*arguments)
    page = open_page(server)
    page.expects_failed_requests = True
    link = server.url
    server.stop()
    expect(page.by("server-lost")).to_be_visible()
    expect(page.items.first).to_be_visible()
    server.start(*arguments)
    assert server.url == link
    expect(page.by("server-lost")).to_have_count(0)
    expect(page.by("signed-out")).to_have_count(0)
    page.by("reload").click()
    expect(page.by("progress")).to_be_hidden()
    expect(page.items.first).to_be_visible()


@pytest.mark.parametrize("typed", ["", "Ana B Lima"], ids=["nothing-typed", "something-typed"])
def test_a_screen_that_the_server_could_not_give_comes_when_it_runs_again(stopped_server, open_page, typed):
    server = stopped_server.start()
    page = open_page(server, "/cards/new")
    page.expects_failed_requests = True
    page.by("card-holder").fill(typed)
    server.stop()
    page.by("nav-feed").click()
    expect(page.by("server-lost")).to_be_visible()
    expect(page.by("card-holder")).to_have_value(typed)
    server.start()
    expect(page.items.first).to_be_visible()
    expect(page.by("server-lost")).to_have_count(0)


@pytest.mark.parametrize("body", [None, "export class ContactsScreen { constructor() { throw new Error('broken'); } }", "export {"], ids=["missing", "throws", "no-script"])
def test_a_screen_that_is_broken_is_told_once_while_the_server_runs(server, open_page, body):
    page = open_page(server)
    page.expects_failed_requests = True
    page.page.route("**/contacts.js", lambda route: route.fulfill(status=404) if body is None else route.fulfill(body=body, content_type="text/javascript"))
    loads = []
    page.page.on("load", lambda _: loads.append(1))
    page.by("nav-contacts").click()
    expect(page.by("not-loaded")).to_be_visible()
    expect(page.by("server-lost")).to_have_count(0)
    page.page.unroute("**/contacts.js")
    page.by("not-loaded").get_by_role("button").click()
    expect(page.by("contact").first).to_be_visible()
    assert loads == [1]
    assert page.errors, "developers are told"
    page.errors.clear()


class TestTheToken:
    def test_it_leaves_the_address_bar_and_is_no_cookie(self, feed):
        assert feed.page.url == feed.server.base + "/"
        assert feed.context.cookies() == []
        feed.page.reload()
        expect(feed.items.first).to_be_visible()
        token = feed.server.url.partition("#token=")[2]
        assert token and not [url for url in feed.requests if token in url.split("#")[0]]

    def test_another_port_of_this_machine_is_not_shown_it(self, feed):
        seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(dict(self.headers))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><link rel=icon href=data:,><title>other</title>")

            def log_message(self, *arguments):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=other.serve_forever, daemon=True).start()
        try:
            feed.page.goto(f"http://127.0.0.1:{other.server_port}/")
            token = feed.server.url.partition("#token=")[2]
            assert seen and len(token) == 32
            assert token not in str(seen) and all("Cookie" not in headers for headers in seen)
            assert feed.evaluate("localStorage.length") == 0
            feed.page.goto(feed.server.base + "/")
            expect(feed.items.first).to_be_visible()
        finally:
            other.shutdown()
            other.server_close()

    def test_without_it_the_page_says_which_link_to_open_and_the_link_opens_it_there(self, server, browser):
        context = browser.new_context()
        page, other = context.new_page(), context.new_page()
        page.goto(server.base + "/")
        other.goto(server.base + "/")
        for tab in (page, other):
            expect(tab.locator('[data-test="signed-out"]')).to_be_visible()
            assert tab.locator('[data-test="feed-item"]').count() == 0
        # Only the part behind the "#" changes: no page is loaded by that.
        page.goto(server.url)
        for tab in (page, other):
            expect(tab.locator('[data-test="feed-item"]').first).to_be_visible()
            expect(tab).to_have_url(server.base + "/")
        context.close()

    def test_a_wrong_one_lets_nobody_in(self, server, browser):
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.base + "/#token=" + "0" * 32)
        expect(page.locator('[data-test="signed-out"]')).to_be_visible()
        expect(page).to_have_url(server.base + "/")
        context.close()


def test_a_picture_that_does_not_exist_is_told_once(server, open_page):
    page = open_page(server, "/feed/nope", wait=False)
    page.expects_failed_requests = True
    expect(page.by("comments-missing")).to_contain_text("Picture not found")
    expect(page.by("comments-loading")).to_have_count(0)
    asked = lambda: len([url for url in page.requests if "/comments/events" in url])
    before = asked()
    page.page.wait_for_timeout(2500)
    assert asked() == before, "it is not asked for again"
    expect(page.by("server-lost")).to_have_count(0)
    page.by("comments-missing-action").click()
    expect(page.items.first).to_be_visible()
    expect(page.by("comments")).to_have_count(0)
