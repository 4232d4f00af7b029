"""The pages of the feed: a refresh keeps them, and what is missing between them is shown as a gap."""

import http.server
import json
import os
import threading
import urllib.parse
from pathlib import Path

import pytest
from playwright.sync_api import expect

MEDIA = Path(__file__).resolve().parents[3] / "Product/Sources/ReferenceAPIs/Media/feed"
FEED = json.loads((MEDIA / "feed.json").read_text("utf-8"))
GAP = "There are more pictures in between"


class GrowingFeed:
    """A remote with the contract of the feed, whose newest pictures are those that a test adds."""

    def __init__(self):
        remote = self
        self.items = []
        self.requests = []
        self.is_failing = False

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                address = urllib.parse.urlsplit(self.path)
                if address.path.startswith("/pictures/"):
                    return self.answer((MEDIA / "pictures" / Path(address.path).name).read_bytes(), "image/jpeg")
                after = urllib.parse.parse_qs(address.query).get("after_id", [""])[0]
                remote.requests.append(after)
                if remote.is_failing:
                    return self.answer(b"", "text/plain", 503)
                ids = [item["id"] for item in remote.items]
                rest = remote.items[ids.index(after) + 1:] if after else remote.items
                host = self.headers["Host"]
                page = [{"id": item["id"], "image": f"http://{host}/pictures/{item['picture']}",
                         **{key: item[key] for key in ("description", "location") if item[key]}, **item.get("more", {})} for item in rest[:10]]
                self.answer(json.dumps({"items": page}).encode(), "application/json")

            def answer(self, body, kind, status=200):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.argument = f"feed=http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def remote():
    remote = GrowingFeed()
    yield remote
    remote.server.shutdown()
    remote.server.server_close()


def shown(page):
    """The ids of the pictures, and None for a gap, in the order in which they are read."""
    return page.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item], [data-test=gap]")]
        .map((row) => row.dataset.id?.toUpperCase() ?? null)""")


def ids(items):
    return [item["id"] for item in items]


def picture_of(page, name):
    """Keeps a picture of the window for those who look, where `AQUIFER_SCREENSHOTS` says."""
    folder = os.environ.get("AQUIFER_SCREENSHOTS")
    if folder:
        page.page.screenshot(path=f"{folder}/{name}.png")


def reload(page):
    page.page.keyboard.press("r")


@pytest.mark.parametrize("phone", [True, False])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_gap_is_shown_where_the_new_pictures_do_not_reach_the_old_ones_and_is_filled(stopped_server, open_page, remote, phone, scheme):
    remote.items = FEED[30:42]
    server = stopped_server.start("--remote", remote.argument)
    page = open_page(server, phone=phone, scheme=scheme)
    page.load_all()
    remote.items = FEED[5:42]
    page.scroll_to(0)
    reload(page)
    expect(page.by("gap")).to_have_count(1)
    assert shown(page) == ids(FEED[5:15]) + [None] + ids(FEED[30:42])
    expect(page.by("gap")).to_contain_text(GAP)
    page.by("gap").scroll_into_view_if_needed()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    picture_of(page, f"gap-{'phone' if phone else 'wide'}-{scheme}")
    assert not page.too_wide()
    page.by("gap-load").click()
    page.until(lambda: shown(page) == ids(FEED[5:25]) + [None] + ids(FEED[30:42]), "the gap is smaller")
    page.by("gap-load").focus()
    page.page.keyboard.press("Enter")
    page.until(lambda: shown(page) == ids(FEED[5:42]), "the gap is closed")
    expect(page.by("gap")).to_have_count(0)


@pytest.mark.parametrize("locale, few", [("en-US", "1234 comments"), ("pt-BR", "1234 comentários")])
def test_names_places_and_counts_of_any_size_leave_the_cards_small(stopped_server, open_page, remote, locale, few):
    author = "Ann " * 5000
    date = "2026-01-01T00:00:00Z"
    more = {"author": {"username": author}, "created_at": date}
    remote.items = [
        {**FEED[0], "location": "\n".join(f"Line {n}" for n in range(3000)), "more": {**more, "comment_count": 2 ** 63 - 1}},
        {**FEED[1], "location": "L" * 20_000, "more": {**more, "comment_count": 1234}},
    ]
    page = open_page(stopped_server.start("--remote", remote.argument), locale=locale, phone=True)
    page.until(lambda: page.items.count() == 2, "both are shown")
    for n in range(2):
        assert page.items.nth(n).bounding_box()["height"] < 1200
    assert not page.too_wide()
    links = page.by("open-comments")
    expect(links.nth(1)).to_have_text(few)
    assert len(links.nth(0).text_content()) < 30 and "9223372036854776000" not in links.nth(0).get_attribute("aria-label")
    assert page.page.locator(".author-name").first.get_attribute("title") == author


def test_a_gap_that_cannot_be_filled_says_so_and_is_tried_again(stopped_server, open_page, remote):
    remote.items = FEED[30:42]
    page = open_page(stopped_server.start("--remote", remote.argument))
    remote.items = FEED[5:42]
    reload(page)
    expect(page.by("gap")).to_have_count(1)
    page.expects_failed_requests = True
    remote.is_failing = True
    page.by("gap-load").click()
    expect(page.by("gap")).to_contain_text("couldn’t be loaded")
    picture_of(page, "gap-failed")
    assert shown(page)[:21] == ids(FEED[5:15]) + [None] + ids(FEED[30:40]), "what is shown stays"
    remote.is_failing = False
    page.by("gap-load").click()
    page.until(lambda: shown(page) == ids(FEED[5:25]) + [None] + ids(FEED[30:42]), "the gap is smaller")
    expect(page.by("gap")).to_contain_text(GAP)


def test_a_refresh_keeps_all_pictures_that_were_loaded_also_without_the_remote(stopped_server, open_page, remote):
    remote.items = FEED[3:42]
    server = stopped_server.start("--remote", remote.argument)
    page = open_page(server)
    page.load_all()
    remote.items = FEED[:42]
    reload(page)
    page.until(lambda: shown(page) == ids(FEED[:42]), "three new pictures stand before the others")
    page.expects_failed_requests = True
    page.page.goto("about:blank")
    remote.is_failing = True
    later = open_page(server, fails=True)
    expect(later.by("notice")).to_contain_text("aved")
    assert shown(later) == ids(FEED[:42])


def test_pictures_of_an_earlier_load_say_when_they_were_saved(stopped_server, open_page, remote):
    remote.items = FEED[:20]
    server = stopped_server.start("--remote", remote.argument)
    first = open_page(server)
    first.load_all()
    first.page.goto("about:blank")
    server.stop()
    server.start("--remote", remote.argument, "--at", "+2d")
    page = open_page(server)
    expect(page.by("feed-age")).to_have_count(1)
    expect(page.by("feed-age")).to_contain_text("2 days ago")
    picture_of(page, "age")


def test_a_gap_has_words_in_portuguese(stopped_server, open_page, remote):
    remote.items = FEED[30:42]
    page = open_page(stopped_server.start("--remote", remote.argument), locale="pt-BR")
    remote.items = FEED[5:42]
    reload(page)
    expect(page.by("gap")).to_contain_text("Mais fotos entre estas")


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "wide"])
def test_a_remote_without_authors_dates_counts_and_sizes_has_cards_as_good(stopped_server, open_page, remote, phone):
    remote.items = FEED[:20]
    page = open_page(stopped_server.start("--remote", remote.argument), phone=phone)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    expect(page.items.first.locator('[data-test="item-author"]')).to_be_hidden()
    expect(page.items.first.locator('[data-test="open-comments"]')).to_have_text("Comments")
    picture_of(page, f"plain-{'phone' if phone else 'wide'}")
    ratio = "(e) => { const r = e.querySelector('aq-image').getBoundingClientRect(); return r.width / r.height; }"
    # The room of a picture that is seen stays as it was; it is whole within it.
    assert abs(page.items.first.evaluate(ratio) - (0.8 if phone else 1)) < 0.01
    assert page.items.first.locator("img").evaluate("(e) => getComputedStyle(e).objectFit") == "contain"
    # One that has come before it was seen has its own.
    low = page.until(lambda: page.evaluate("""() => [...document.querySelectorAll("[data-test=feed-item]")].findIndex((e) =>
        e.getBoundingClientRect().top > innerHeight && e.querySelector("aq-image").dataset.state === "loaded")"""), "a picture below has come")
    assert abs(page.items.nth(low).evaluate(ratio) - FEED[low]["width"] / FEED[low]["height"]) < 0.01
