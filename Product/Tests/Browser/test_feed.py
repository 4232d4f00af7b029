"""The feed, line by line of its specification's UX list."""

import http.server
import json
import re
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

#: The age of a copy that was saved during the test.
AGE = re.compile(r"[Ss]aved (just now|\d+ (second|minute)s? ago)")
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
    assert "shimmer" in shimmering.evaluate("(e) => getComputedStyle(e, '::after').animationName")


def test_pictures_are_requested_when_near_and_not_when_far(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    far = feed.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item] aq-image")]
        .filter((i) => i.getBoundingClientRect().top > innerHeight * 2).map((i) => i.getAttribute("src"))""")
    near = feed.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item] aq-image")]
        .filter((i) => { const t = i.getBoundingClientRect().top; return t > innerHeight && t < innerHeight * 1.9; }).map((i) => i.getAttribute("src"))""")
    assert far and near
    feed.until(lambda: all(any(n in url for url in feed.requests) for n in near), "near pictures are preloaded")
    assert not [url for url in feed.image_requests() if any(f in url for f in far)]


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
    was_in_progress = feed.watch("progress")
    feed.page.keyboard.press("r")
    feed.until(was_in_progress, "the load was shown")
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
    later = open_page(server, fails=True)
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
    expect(feed.by("progress")).to_be_hidden()
    was_in_progress = feed.watch("progress")
    feed.by("reload").focus()
    feed.page.keyboard.press("Enter")
    feed.until(lambda: feed.intents.count("refresh") == 1, "Enter on the button reloads")
    feed.until(was_in_progress, "the load was shown")
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
    page = open_page(server, fails=True)
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
    page = open_page(server, "/cards/new", fails=True)
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
    page = open_page(server, fails=True)
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


class TestTheCards:
    """Who shared a picture, when, and how much was said about it; the picture whole."""

    def test_they_show_author_time_and_number_of_comments(self, feed):
        for index, item in enumerate(FEED[:8]):
            card = feed.items.nth(index)
            line = card.locator('[data-test="item-author"]')
            expect(line).to_contain_text(item["author"])
            expect(line.locator("time")).to_contain_text("ago")
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.locator("time").get_attribute("datetime"))
            link = card.locator('[data-test="open-comments"]')
            count = len(item["comments"])
            expect(link).to_have_text(f"{count} comment{'' if count == 1 else 's'}")
            # The name that is read out has the words that are seen.
            assert link.get_attribute("aria-label").startswith(link.inner_text())
        expect(feed.items.first.locator(".avatar")).to_have_text("".join(word[0] for word in FEED[0]["author"].split()))

    def test_they_say_it_in_portuguese(self, server, open_page):
        page = open_page(server, locale="pt-BR")
        expect(page.items.first.locator('[data-test="open-comments"]')).to_have_text(f"{len(FEED[0]['comments'])} comentários")
        expect(page.items.first.locator("time")).to_contain_text("há")

    @pytest.mark.parametrize("width", [390, 1280])
    def test_pictures_are_whole_and_their_room_is_theirs_before_they_come(self, stopped_server, open_page, width):
        server = stopped_server.start("--fault", "feed=slow")
        page = open_page(server, phone=width == 390)
        rooms = """(count) => [...document.querySelectorAll("[data-test=feed-item] aq-image")].slice(0, count)
            .map((e) => { const r = e.getBoundingClientRect(); return [r.width, r.height, e.querySelector("img") && getComputedStyle(e.querySelector("img")).objectFit]; })"""
        before = page.evaluate(rooms, 4)
        page.connection("online")
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        for item, (wide, high, _), (now_wide, now_high, fit) in zip(FEED, before, page.evaluate(rooms, 4)):
            assert (wide, high) == (now_wide, now_high), "nothing moves when the picture comes"
            assert abs(wide / high - item["width"] / item["height"]) < 0.01, item["picture"]
            assert fit in (None, "contain")

    @pytest.mark.parametrize(("width", "columns"), [(320, 1), (390, 1), (800, 2), (1280, 3), (1700, 5), (1920, 5)])
    def test_they_stand_in_columns_without_holes_in_the_order_in_which_they_are_read(self, feed, width, columns):
        feed.page.set_viewport_size({"width": width, "height": 900})
        feed.load_all()
        cards = feed.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item]")].map((e) => {
            const r = e.getBoundingClientRect(); return { left: Math.round(r.left), top: r.top + scrollY, bottom: r.bottom + scrollY }; })""")
        assert len({card["left"] for card in cards}) == columns
        ends = {}
        for before, card in zip([None, *cards], cards):
            # A card stands at the end of the one above it, or beside the one before it, and never above that one.
            end = ends.get(card["left"], cards[0]["top"])
            assert -1 < card["top"] - end < 6 or card["top"] == before["top"] >= end, (card, before, ends)
            assert before is None or card["top"] >= before["top"] - 1
            ends[card["left"]] = card["bottom"]
        assert not feed.too_wide()


def test_nothing_moves_while_the_feed_and_its_pictures_come(stopped_server, open_page):
    page = open_page(stopped_server.start("--fault", "feed=slow"), "/", wait=False)
    # The sign that something is loading moves always; the cards and what is in them never.
    page.evaluate("""() => { window.__moved = []; new PerformanceObserver((list) => {
        const moved = list.getEntries().flatMap((entry) => (entry.hadRecentInput ? [] : entry.sources)).filter((one) => one.node?.parentElement?.closest("[data-test=feed]"));
        window.__moved.push(...moved.map((one) => `${one.node.nodeName} ${one.node.className}: ${one.previousRect.y} to ${one.currentRect.y}`));
      }).observe({ type: "layout-shift" }); }""")
    expect(page.items.first).to_be_visible()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    for y in range(0, 4000, 400):
        page.scroll_to(y)
        page.frames()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    assert not page.evaluate("window.__moved")


class TestTheFormsOfAPicture:
    """A place loads the smallest form that has its pixels."""

    def forms(self, page):
        """The widths that were asked for; None for the whole picture."""
        return {int(found[1]) if (found := re.search(r"[?&]width=(\d+)", url)) else None for url in page.image_requests()}

    def widths(self, page):
        return set(page.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item] img")].map((i) => i.naturalWidth)"""))

    def sharp(self, page):
        """True if each picture in view has the pixels of its place, or is the whole one."""
        return page.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item] img")]
            .filter((i) => { const box = i.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight; })
            .every((i) => i.naturalWidth >= Math.min(800, i.clientWidth * devicePixelRatio))""")

    def test_a_phone_with_plain_pixels_loads_small_ones_only(self, server, open_page):
        page = open_page(server, phone=True)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        assert self.forms(page) == {400}
        assert self.widths(page) == {400} and self.sharp(page)

    def test_a_phone_with_three_times_the_pixels_loads_whole_ones(self, server, open_page):
        page = open_page(server, phone=True, scale=3)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        assert self.forms(page) == {None}
        assert self.widths(page) == {800}

    def test_a_card_that_grows_gets_a_larger_one_and_shows_the_small_one_until_then(self, server, open_page):
        page = open_page(server, phone=True)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.evaluate("""() => { window.bare = 0; new MutationObserver(() => {
            if (document.querySelector("[data-test=feed-item] aq-image").querySelector("img") === null) window.bare += 1;
        }).observe(document.querySelector("[data-test=feed]"), { childList: true, subtree: true }); }""")
        page.page.set_viewport_size({"width": 560, "height": 844})
        page.until(lambda: self.sharp(page), "the pictures are sharp again")
        assert page.evaluate("window.bare") == 0

    def test_offline_the_small_one_stands_in_for_the_whole_one(self, server, open_page):
        page = open_page(server, phone=True)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.connection("offline")
        page.by("open-picture").first.click()
        picture = page.by("viewer-picture").locator("img")
        expect(picture).to_be_visible()
        assert picture.evaluate("(i) => i.naturalWidth") == 400

    def test_the_whole_one_comes_when_the_connection_is_back(self, server, open_page):
        page = open_page(server, phone=True, fails=True)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.connection("offline")
        page.by("open-picture").first.click()
        picture = page.by("viewer-picture").locator("img")
        expect(picture).to_be_visible()
        assert picture.evaluate("(i) => i.naturalWidth") == 400
        page.connection("online")
        page.until(lambda: picture.evaluate("(i) => i.naturalWidth") == 800, "the whole picture is there")

    def test_a_larger_one_that_was_left_behind_on_its_way_is_begun_again_when_the_card_is_near(self, server, open_page):
        page = open_page(server, phone=True, fails=True)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.load_all()
        page.scroll_to(0)
        first = page.items.first.locator("img")
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.connection("slow")
        page.page.set_viewport_size({"width": 560, "height": 844})
        whole = lambda urls: [url for url in urls if "width=" not in url and "/api/screens/feed/images/" in url]
        page.until(lambda: whole(page.requests), "larger ones are asked for")
        page.scroll_to(6000)
        page.until(lambda: whole(page.failed), "they are left behind")
        page.connection("online")
        assert first.evaluate("(i) => i.naturalWidth") == 400
        page.scroll_to(0)
        page.until(lambda: self.sharp(page), "the pictures are sharp")
        assert first.evaluate("(i) => i.naturalWidth") == 800

    def test_a_whole_one_that_is_saved_serves_the_feed_without_another_request(self, server, open_page):
        page = open_page(server, phone=True, scale=3)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.connection("offline")
        small = open_page(server, phone=True)
        small.until(lambda: small.in_view("loaded"), "visible pictures are loaded")
        assert self.widths(small) == {800}


class TestTheReadingPosition:
    """The row that is read stays where it is; not a number of pixels."""

    def read(self, page, index):
        """Scrolls until a card is a little below the bar, and gives its distance from the upper edge."""
        page.load_all()
        page.items.nth(index).evaluate("(e) => scrollTo(0, e.getBoundingClientRect().top + scrollY - 90)")
        page.frames()
        return self.top(page, index)

    def top(self, page, index):
        return page.items.nth(index).evaluate("(e) => e.getBoundingClientRect().top")

    def stays(self, page, index, top):
        expect(page.items.nth(index)).to_be_attached()
        page.until(lambda: abs(self.top(page, index) - top) < 6, f"card {index} stands where it stood")

    @pytest.mark.parametrize("phone", [True, False], ids=["phone", "wide"])
    def test_it_is_kept_when_the_page_is_loaded_again(self, server, open_page, phone):
        page = open_page(server, phone=phone)
        top = self.read(page, 30)
        page.page.reload()
        self.stays(page, 30, top)

    def test_it_is_kept_when_the_window_was_made_narrower_meanwhile(self, server, open_page):
        page = open_page(server)
        self.read(page, 30)
        # Columns become one: the card that begins nearest to the bar is the one that is read.
        index = page.evaluate("""() => { const tops = [...document.querySelectorAll("[data-test=feed-item]")].map((e) => Math.abs(e.getBoundingClientRect().top - 64));
            return tops.indexOf(Math.min(...tops)); }""")
        top = self.top(page, index)
        page.by("nav-contacts").click()
        expect(page.by("contact").first).to_be_visible()
        page.page.set_viewport_size({"width": 700, "height": 800})
        page.expects_failed_requests = True  # some contacts have no picture
        page.page.go_back()
        self.stays(page, index, top)

    def test_it_is_kept_while_another_app_is_looked_at(self, feed):
        feed.expects_failed_requests = True  # some contacts have no picture
        top = self.read(feed, 30)
        feed.by("nav-contacts").click()
        expect(feed.by("contact").first).to_be_visible()
        feed.by("nav-feed").click()
        self.stays(feed, 30, top)

    def test_it_is_kept_behind_the_comments_also_when_the_page_is_loaded_there(self, feed):
        top = self.read(feed, 30)
        feed.items.nth(30).locator('[data-test="open-comments"]').evaluate("(e) => e.click()")
        expect(feed.by("comment").first).to_be_visible()
        feed.page.reload()
        expect(feed.by("comment").first).to_be_visible()
        feed.page.keyboard.press("Escape")
        expect(feed.by("comments")).to_have_count(0)
        self.stays(feed, 30, top)

    def test_who_scrolls_is_not_pulled_back(self, feed):
        self.read(feed, 30)
        feed.page.reload()
        feed.until(lambda: feed.evaluate("scrollY") > 1000, "the page has gone back")
        before = feed.evaluate("scrollY")
        feed.evaluate("() => { window.__ended = new Promise((end) => addEventListener('scrollend', end)); }")
        feed.page.mouse.wheel(0, -3000)
        feed.until(lambda: feed.evaluate("scrollY") < before - 2000, "the user has scrolled")
        feed.evaluate("() => window.__ended.then(() => {})")
        y = feed.evaluate("scrollY")
        feed.page.set_viewport_size({"width": 1280, "height": 700})
        feed.until(lambda: feed.evaluate("innerHeight") == 700, "the window is lower")
        feed.frames()
        assert abs(feed.evaluate("scrollY") - y) < 100

    def streams(self, page, states):
        """The page gets these states of the feed, in this order, and no others."""
        body = "".join(f"event: state\ndata: {json.dumps(state)}\n\n" for state in states)
        answers = iter([body])

        def answer(route):
            text = next(answers, None)
            if text is not None:
                route.fulfill(status=200, content_type="text/event-stream", body=text)

        page.page.route("**/api/screens/feed/events*", answer)

    def state(self, count, gap=None):
        """A feed of so many pictures, with a gap before one of them."""
        item = {key: None for key in ("location", "srcset", "author", "date", "createdAt", "commentCount", "size", "age")}
        more = {"phase": "idle", "message": None}
        items = [item | {"id": f"item-{index}", "description": f"Picture {index}", "image": "/none", "size": {"width": 400, "height": 400},
                         "gap": {"id": "old", "more": more} if index == gap else None} for index in range(count)]
        return {"title": "Feed", "phase": "loaded", "isLoading": False, "notice": None, "error": None, "isEmpty": False, "items": items, "more": more}

    def test_a_row_that_is_gone_is_not_searched_for_without_an_end(self, server, open_page):
        page = open_page(server, phone=True, fails=True)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.evaluate("sessionStorage.setItem('aquifer.place.feed', JSON.stringify({ key: 'gone', top: 90 }))")
        # What the page keeps when it goes must not take the place of that.
        page.page.add_init_script("if (sessionStorage.getItem('aquifer.place.feed') === null) sessionStorage.setItem('aquifer.place.feed', JSON.stringify({ key: 'gone', top: 90 }))")
        self.streams(page, [self.state(count) for count in range(5, 45)])
        before = page.intents.count("loadMore")
        page.page.reload()
        expect(page.items).to_have_count(44)
        page.until(lambda: page.intents.count("loadMore") - before == 10, "ten more pages were asked for")
        page.until(lambda: page.evaluate("window.__quiet ??= new Promise((end) => requestIdleCallback(() => end(true)))"), "the page has nothing more to do")
        assert page.intents.count("loadMore") - before == 10

    def test_it_is_a_picture_and_not_a_gap_that_comes_and_goes(self, server, open_page):
        page = open_page(server, phone=True, fails=True)
        self.streams(page, [self.state(20, gap=10)])
        page.page.reload()
        gap = page.by("gap")
        expect(gap).to_be_attached()
        gap.evaluate("(e) => scrollTo(0, e.getBoundingClientRect().top + scrollY - 64)")
        page.until(lambda: abs(gap.evaluate("(e) => e.getBoundingClientRect().top") - 64) < 2, "the gap is at the bar")
        page.evaluate("dispatchEvent(new Event('pagehide'))")
        assert page.evaluate("JSON.parse(sessionStorage.getItem('aquifer.place.feed')).key").startswith("item-")

    def test_a_page_that_is_opened_begins_at_its_top(self, server, open_page):
        page = open_page(server)
        self.read(page, 30)
        page.page.goto("about:blank")
        page.page.goto(server.base + "/")
        expect(page.items.first).to_be_visible()
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        assert page.evaluate("scrollY") == 0


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
    page = open_page(server, "/feed/nope", wait=False, fails=True)
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
