"""Focus, keys, motion and larger text. `test_everywhere.py` looks at names, contrast, landmarks and headings."""

import pytest
from playwright.sync_api import expect

from test_payments import BAD, GOOD, add_card, fill_card, open_contact


def test_every_stop_of_the_tab_key_is_visible(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    seen = []
    for _ in range(14):
        feed.page.keyboard.press("Tab")
        stop = feed.evaluate("""() => {
            const e = document.activeElement, own = getComputedStyle(e), after = getComputedStyle(e, "::after");
            const r = e.getBoundingClientRect();
            return { name: e.dataset.test ?? e.className, ring: [own, after].some((s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2),
                     size: r.width * r.height }; }""")
        assert stop["ring"] and stop["size"] > 0, stop
        seen.append(stop["name"])
    assert seen[0] == "skip-link"
    assert {"nav-feed", "nav-drive", "connection-button", "reload", "settings-button", "open-comments"} <= set(seen)


def test_the_skip_link_leads_to_the_content(feed):
    feed.page.keyboard.press("Tab")
    feed.page.keyboard.press("Enter")
    assert feed.evaluate("document.activeElement.id") == "main"


def test_less_motion_stops_the_shimmer(stopped_server, open_page):
    server = stopped_server.start("--fault", "feed=slow")
    page = open_page(server, motion="reduce", wait=False)
    shimmer = page.page.locator(".shimmer").first
    expect(shimmer).to_be_visible()
    assert shimmer.evaluate("(e) => getComputedStyle(e, '::after').content") == "none"


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


class TestTheKeyThatReloads:
    def test_it_can_be_turned_off_for_all_tabs_and_stays_off(self, feed, server, open_page):
        intents = lambda: feed.intents.count("refresh")
        feed.page.keyboard.press("r")
        feed.until(lambda: intents() == 1, "it reloads")
        feed.by("settings-button").click()
        feed.by("shortcut-off").check(force=True)
        feed.page.keyboard.press("Escape")
        assert feed.by("reload").get_attribute("aria-keyshortcuts") is None
        assert "(R)" not in feed.by("reload").get_attribute("title")
        feed.page.reload()
        expect(feed.items.first).to_be_visible()
        for key in ("r", "R"):
            feed.page.keyboard.press(key)
        # The button still reloads, so the page has heard of both keys before it.
        feed.by("reload").click()
        feed.until(lambda: intents() == 2, "the button reloads")
        assert intents() == 2

    def test_without_a_choice_the_button_names_it(self, feed):
        assert feed.by("reload").get_attribute("aria-keyshortcuts") == "r"


class TestTheFocus:
    """It comes back to where it was, or goes to what has come of it; never to the top of everything."""

    def test_after_escape_it_is_on_the_link_that_opened_the_comments(self, feed):
        link = feed.by("open-comments").nth(1)
        link.focus()
        feed.page.keyboard.press("Enter")
        expect(feed.by("comment").first).to_be_visible()
        feed.page.keyboard.press("Escape")
        expect(feed.by("comments")).to_have_count(0)
        expect(link).to_be_focused()

    @pytest.mark.parametrize("button", ["settings-button", "connection-button"])
    def test_after_escape_it_is_on_the_button_of_the_panel(self, feed, button):
        feed.by(button).focus()
        feed.page.keyboard.press("Enter")
        feed.page.keyboard.press("Escape")
        expect(feed.by(button)).to_be_focused()

    def test_after_escape_it_is_on_the_card_that_was_to_be_changed(self, server, open_page):
        page = open_page(server, "/cards/new", wait=False, fails=True)
        add_card(page, GOOD)
        open_contact(page)
        page.by("change-card").focus()
        page.page.keyboard.press("Enter")
        expect(page.by("card-sheet")).to_be_visible()
        page.page.keyboard.press("Escape")
        expect(page.by("card-sheet")).to_be_hidden()
        expect(page.by("change-card")).to_be_focused()

    def test_after_escape_it_is_on_the_button_that_asked(self, server, open_page):
        page = open_page(server, "/cards/new", wait=False)
        add_card(page, GOOD)
        page.by("remove").focus()
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Escape")
        expect(page.by("remove")).to_be_focused()

    def test_after_a_card_is_saved_it_is_on_the_new_card(self, server, open_page):
        page = open_page(server, "/cards/new", wait=False)
        add_card(page, BAD)
        page.by("add-card").click()
        fill_card(page, GOOD)
        page.by("save").focus()
        page.page.keyboard.press("Enter")
        expect(page.by("card")).to_have_count(2)
        page.until(lambda: page.evaluate("document.activeElement.closest('[data-test=card]')?.textContent.includes('4242') ?? false"),
                   "the focus is on the new card")


@pytest.mark.parametrize("path", ["/foaas/settings"])
def test_a_choice_is_marked_from_the_first_paint(stopped_server, open_page, path):
    """Nothing is shown as chosen that is not: a switch and a group of buttons come with what is kept."""
    server = stopped_server.start()
    page = open_page(server, path, wait=False)
    page.by("palette-moss").check(force=True)
    page.by("filter").click()
    expect(page.by("filter")).to_have_attribute("aria-checked", "false")
    page.page.add_init_script("""window.__painted = [];
      const look = () => {
        const filter = document.querySelector('[data-test=filter]'), chosen = document.querySelector('.swatch-input:checked');
        const count = document.querySelectorAll('.swatch-input').length;
        if (filter) window.__painted.push([filter.getAttribute('aria-checked'), count ? chosen?.value ?? 'none' : 'not there']);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);""")
    page.page.reload()
    expect(page.by("palette-moss")).to_be_checked()
    painted = [tuple(p) for p in page.evaluate("window.__painted")]
    assert {filter for filter, _ in painted} <= {"false", None}, painted[:6]
    assert {palette for _, palette in painted} <= {"moss", "not there"}, painted[:6]
