"""Names, contrast, focus, landmarks, headings and alternative texts, on every screen in both themes."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from test_feed import FEED

AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")


def settled(page):
    """Fades and slides have ended: a colour on its way is nobody's colour."""
    page.until(lambda: page.evaluate(
        "document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"), "animations end")


def audit(page, where):
    settled(page)
    findings = page.evaluate(AUDIT)
    assert not findings, f"{where}:\n" + "\n".join(findings)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
class TestEveryScreen:
    def test_feed(self, server, open_page, phone, scheme):
        page = open_page(server, phone=phone, scheme=scheme)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        audit(page, "feed")
        page.by("settings-button").click()
        audit(page, "settings")
        page.page.keyboard.press("Escape")
        page.by("connection-button").click()
        audit(page, "connection")
        page.expects_failed_requests = True
        page.page.keyboard.press("Escape")
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_be_visible()
        audit(page, "offline")

    def test_failed_pictures(self, server, open_page, phone, scheme):
        page = open_page(server, phone=phone, scheme=scheme)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.expects_failed_requests = True
        page.connection("garbage")
        page.scroll_to(2600)
        expect(page.by("image-retry").first).to_be_visible()
        audit(page, "failed pictures")

    def test_error(self, stopped_server, open_page, phone, scheme):
        server = stopped_server.start("--fault", "feed=offline")
        page = open_page(server, phone=phone, scheme=scheme, wait=False)
        expect(page.by("failed")).to_be_visible()
        audit(page, "error")

    def test_comments(self, server, open_page, phone, scheme):
        page = open_page(server, f"/feed/{FEED[7]['id']}", phone=phone, scheme=scheme)
        expect(page.by("comment").first).to_be_visible()
        audit(page, "comments")

    def test_inspector(self, server, open_page, phone, scheme):
        page = open_page(server, phone=phone, scheme=scheme)
        page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
        page.by("nav-inspector").click()
        page.by("delete").first.click()
        expect(page.by("delete-confirm")).to_be_visible()
        audit(page, "inspector")


def test_every_stop_of_the_tab_key_is_visible(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    seen = []
    for _ in range(12):
        feed.page.keyboard.press("Tab")
        stop = feed.evaluate("""() => {
            const e = document.activeElement, own = getComputedStyle(e), after = getComputedStyle(e, "::after");
            const r = e.getBoundingClientRect();
            return { name: e.dataset.test ?? e.className, ring: [own, after].some((s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2),
                     size: r.width * r.height }; }""")
        assert stop["ring"] and stop["size"] > 0, stop
        seen.append(stop["name"])
    assert seen[0] == "skip-link"
    assert {"nav-feed", "nav-inspector", "connection-button", "reload", "settings-button", "open-comments"} <= set(seen)


def test_the_skip_link_leads_to_the_content(feed):
    feed.page.keyboard.press("Tab")
    feed.page.keyboard.press("Enter")
    assert feed.evaluate("document.activeElement.id") == "main"


def test_less_motion_stops_the_shimmer(stopped_server, open_page):
    server = stopped_server.start("--fault", "feed=slow")
    page = open_page(server, motion="reduce", wait=False)
    shimmer = page.page.locator(".shimmer").first
    expect(shimmer).to_be_visible()
    assert shimmer.evaluate("(e) => getComputedStyle(e).backgroundImage") == "none"


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "wide"])
def test_larger_text_does_not_make_any_app_scroll_sideways(server, open_page, phone):
    page = open_page(server, phone=phone)
    page.expects_failed_requests = True  # some contacts have no picture
    for path in ("/", "/contacts", "/foaas", "/audio", "/drive", "/outbox", "/inspector"):
        page.page.goto(server.base + path)
        expect(page.page.locator("main h1, .app-bar").first).to_be_visible()
        page.fits(path, larger=True)
        hidden = "(width) => [...document.querySelectorAll('#nav a')].filter((a) => a.getBoundingClientRect().right > width + 1).length"
        assert page.evaluate(hidden, page.page.viewport_size["width"]) == 0, path


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_no_name_of_an_app_is_cut_short_on_the_narrowest_phone(server, open_page, language):
    page = open_page(server, phone=True, locale=language)
    page.page.set_viewport_size({"width": 320, "height": 640})
    cut = "[...document.querySelectorAll('#nav a > span')].filter((a) => a.scrollWidth > a.clientWidth).map((a) => a.textContent)"
    assert page.evaluate(cut) == []
