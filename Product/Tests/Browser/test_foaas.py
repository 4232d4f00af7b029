"""Phrases: the phrase, what can be said, its preview, and how it is shown."""

import os
import re
import signal
import sqlite3
import struct
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from test_feed import AGE
from test_payments import tab_to


@pytest.fixture
def phrases(server, open_page):
    """A tab at the phrases."""
    def phrases(path="/foaas", on=None, **options):
        page = open_page(on or server, path, wait=False, **options, fails=True)
        return page
    return phrases


def said(page):
    """The phrase on the screen."""
    return page.by("phrase").locator('[data-test="phrase-message"]')


def damage(file, change, where):
    with sqlite3.connect(file) as database:
        assert database.execute(f"UPDATE entry SET {change} WHERE {where}").rowcount == 1
    database.close()


def transfers(page):
    return page.transfers("foaas")["completed"]


def preview(page, name):
    page.page.goto(page.server.base + "/foaas/operations")
    page.by("search").fill(name)
    page.until(lambda: page.by("operation").count() == 1, "one operation")
    page.by("operation").first.click()
    expect(page.by("preview").locator('[data-test="phrase-message"]')).to_be_visible()


class TestThePhrase:
    def test_it_comes_by_itself_with_its_subtitle(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        expect(page.by("phrase").locator('[data-test="phrase-subtitle"]')).not_to_be_empty()

    def test_bars_stand_in_while_it_is_asked_for(self, stopped_server, phrases):
        page = phrases(on=stopped_server.start("--fault", "foaas=slow"))
        expect(page.by("phrase").locator('[data-test="skeleton"]')).to_be_visible()
        expect(said(page)).to_be_visible()
        expect(page.by("phrase").locator('[data-test="skeleton"]')).to_be_hidden()

    def test_a_tap_anywhere_on_it_asks_for_another(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        before = transfers(page)
        box = page.by("phrase").bounding_box()
        page.page.mouse.click(box["x"] + box["width"] - 20, box["y"] + 20)
        page.until(lambda: transfers(page) > before, "another phrase was asked for")

    @pytest.mark.parametrize("key", ["Enter", "Space"])
    def test_enter_and_space_ask_for_another(self, phrases, key):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        before = transfers(page)
        page.page.keyboard.press(key)
        page.until(lambda: transfers(page) > before, "another phrase was asked for")

    def test_it_is_large_and_stands_at_the_left(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        size, align, left = said(page).evaluate(
            "(e) => [parseFloat(getComputedStyle(e).fontSize), getComputedStyle(e).textAlign, e.getBoundingClientRect().left]")
        assert size >= 40 and align == "start"
        assert abs(left - page.by("phrase").bounding_box()["x"]) < 2

    def test_it_can_be_copied(self, phrases):
        page = phrases()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        expect(said(page)).not_to_be_empty()
        page.by("copy").click()
        expect(page.by("toast")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(said(page).text_content()) and "\n" in copied

    def test_it_can_be_shared_where_the_system_shares(self, browser, server):
        from helpers import Probe
        context = browser.new_context(locale="en-US")
        context.add_init_script("window.__shared = []; navigator.share = async (what) => { window.__shared.push(what.text); };")
        page = Probe(context, server)
        page.page.goto(server.link("/foaas"))
        expect(said(page)).not_to_be_empty()
        page.by("share").click()
        page.until(lambda: page.evaluate("__shared.length") == 1, "it is shared")
        assert page.evaluate("__shared[0]").startswith(said(page).text_content())
        assert not page.problems()
        context.close()

    def test_it_can_be_saved_as_a_picture(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        with page.page.expect_download() as download:
            page.by("picture").click()
        assert download.value.suggested_filename == "phrase.png"
        data = open(download.value.path(), "rb").read()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = struct.unpack(">II", data[16:24])
        assert (width, height) == (1080, 1350)
        assert len(data) > 5_000, "it has something on it"

    def test_a_picture_that_cannot_be_made_is_told(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        page.evaluate("() => { HTMLCanvasElement.prototype.toBlob = (take) => take(null); }")
        page.by("picture").click()
        expect(page.by("toast")).to_contain_text("couldn’t be saved")

    def test_who_says_it_is_told_after_a_dash(self, phrases):
        page = phrases()
        # Any phrase may come first, and that of the version is said by nobody.
        preview(page, "Awesome")
        expect(page.by("preview").locator('[data-test="phrase-subtitle"]')).to_have_text(re.compile("^— "))

    def test_offline_it_says_what_it_needs_and_offers_the_last_ones_seen(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        first = said(page).text_content()
        page.connection("offline")
        page.by("phrase").click()
        expect(page.by("phrase-offline")).to_contain_text("needs a connection")
        page.by("seen").first.click()
        expect(said(page)).to_have_text(first)
        expect(page.by("phrase-note")).to_contain_text("before")
        page.connection("online")
        page.by("phrase").click()
        expect(page.by("phrase-offline")).to_have_count(0)
        expect(page.by("phrase-note")).to_be_hidden()

    def test_offline_from_the_start_it_can_be_tried_again(self, stopped_server, phrases):
        page = phrases(on=stopped_server.start("--fault", "foaas=offline"))
        expect(page.by("phrase-offline")).to_be_visible()
        expect(page.by("seen")).to_have_count(0)
        page.connection("slow")
        page.by("phrase-retry").click()
        expect(said(page)).not_to_be_empty()

    def test_nonsense_is_said_to_be_nonsense(self, stopped_server, phrases):
        page = phrases(on=stopped_server.start("--fault", "foaas=garbage"))
        expect(page.by("phrase-offline")).to_contain_text("couldn’t be understood")


class TestTheOperations:
    def test_those_in_view_are_sentences_with_blanks_and_only_they_are_asked_for(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation")).to_have_count(66)
        first = page.by("operation").filter(has_text="awesome")
        expect(first.locator('[data-test="sentence"]')).to_have_text("This is d*mn awesome.")
        expect(first.locator('[data-test="byline"]')).to_have_text("— your name")
        page.until(lambda: page.evaluate("""[...document.querySelectorAll('.operation')].every((row) => {
            const box = row.getBoundingClientRect();
            return row.dataset.known === 'true' || box.top > innerHeight || box.bottom < 0;
        })"""), "all in view are known")
        asked = transfers(page)
        assert asked < 45, "those out of view are not asked for"
        hidden = page.by("operation").filter(has_text="Gift")
        expect(hidden).to_contain_text("Gift")
        hidden.scroll_into_view_if_needed()
        expect(page.by("operation").filter(has_text="I got you")).to_contain_text("their name, I got you a thing. Don’t thank me.")
        expect(page.by("skipped")).to_be_hidden()

    def test_a_sentence_is_asked_for_once_and_there_offline(self, phrases):
        page = phrases("/foaas/operations")
        sentence = page.by("operation").filter(has_text="Not before my coffee")
        expect(sentence).to_be_visible()
        before = [r["path"] for r in page.transfers("foaas")["requests"]]
        page.page.reload()
        expect(sentence).to_be_visible()
        assert [path for path in before if "coffee" in path] == [r["path"] for r in page.transfers("foaas")["requests"] if "coffee" in r["path"]]
        page.connection("offline")
        page.page.reload()
        expect(sentence).to_be_visible()
        sentence.click()
        page.by("field-from").fill("me")
        page.by("finish").click()
        expect(said(page)).to_contain_text("coffee")

    def test_no_path_and_no_placeholder_is_on_any_page(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation").filter(has_text="awesome")).to_contain_text("your name")
        for path, ready in (("/foaas/operations", "operation"), ("/foaas/operations/gift%2F%3Aname%2F%3Athing%2F%3Afrom", "finish"), ("/foaas", "phrase")):
            page.page.goto(page.server.base + path)
            expect(page.by(ready).first).to_be_visible()
            words = page.evaluate("""document.querySelector('main').innerText + [...document.querySelectorAll('main *')].flatMap(
                (e) => ['placeholder', 'aria-label', 'title'].map((name) => e.getAttribute(name) ?? '')).join(' ')""")
            assert "/:" not in words and ":from" not in words and ":name" not in words

    def test_sentences_are_searched(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation").filter(has_text="Not before my coffee")).to_be_visible()
        page.by("search").fill("before MY coffee")
        expect(page.by("operation")).to_have_count(1)


class TestTheFavorites:
    def test_a_heart_makes_one_and_another_tap_takes_it_back_in_its_place(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation").filter(has_text="awesome")).to_be_visible()
        for n in (1, 2):
            page.by("favorite").nth(n).click()
            expect(page.by("favorite").nth(n)).to_have_attribute("aria-pressed", "true")
        page.by("filter-favorites").click()
        expect(page.by("operation")).to_have_count(2)
        expect(page.by("operation").first).to_contain_text("coffee")
        page.by("favorite").first.click()
        expect(page.by("favorite").first).to_have_attribute("aria-pressed", "false")
        expect(page.by("operation")).to_have_count(2)
        page.by("favorite").first.click()
        expect(page.by("favorite").first).to_have_attribute("aria-pressed", "true")
        page.by("favorite").first.click()
        expect(page.by("filter-favorites")).to_have_text("Favorites1")
        page.by("filter-all").click()
        page.by("filter-favorites").click()
        expect(page.by("operation")).to_have_count(1)

    def test_without_any_the_page_says_how_to_get_one(self, phrases):
        page = phrases("/foaas/operations")
        page.by("filter-favorites").click()
        expect(page.by("favorites-empty")).to_contain_text("heart")
        page.by("favorites-empty-action").click()
        expect(page.by("operation")).to_have_count(66)

    def test_the_heart_names_the_phrase_on_the_screen(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        with page.page.expect_request(lambda r: r.url.split("?")[0].endswith("/intents") and '"favorite"' in (r.post_data or "")) as request:
            page.evaluate("""() => { for (const test of ["phrase", "favorite"]) document.querySelector(`[data-test=${test}]`).click(); }""")
        name = request.value.post_data_json["id"]
        page.page.goto(page.server.base + "/foaas/operations")
        page.by("filter-favorites").click()
        expect(page.by("operation")).to_have_count(1)
        assert page.by("operation").get_attribute("href") == "/foaas/operations/" + quote(name, safe="")
        page.by("favorite").click()
        expect(page.by("favorite")).to_have_attribute("aria-pressed", "false")

    def test_damaged_favorites_are_told_and_never_shown_as_none(self, stopped_server, phrases):
        page = phrases("/foaas/operations", on=stopped_server.start())
        page.by("favorite").nth(1).click()
        expect(page.by("filter-favorites")).to_have_text("Favorites1")
        stopped_server.stop()
        change = lambda sign: damage(stopped_server.data / "foaas.sqlite", f"saved_at = saved_at {sign} 1", "key = 'foaas:favorites'")
        change("+")
        page = phrases("/foaas/operations", on=stopped_server.start())
        expect(page.by("error-banner")).to_contain_text("couldn’t be opened")
        page.by("error-banner").click()
        expect(page.by("error-banner")).to_have_count(0)
        expect(page.by("favorite").first).to_be_hidden()
        page.by("filter-favorites").click()
        expect(page.by("favorites-unread")).to_contain_text("can’t be opened")
        expect(page.by("favorites-empty")).to_have_count(0)
        page.by("favorites-unread-action").click()
        expect(page.by("error-banner")).to_be_visible()
        expect(page.by("favorites-unread")).to_be_visible()
        # The change is noticed by itself.
        change("-")
        expect(page.by("operation")).to_have_count(1)
        expect(page.by("error-banner")).to_have_count(0)

    def test_the_phrase_itself_is_made_one_and_is_kept(self, stopped_server, phrases):
        page = phrases(on=stopped_server.start())
        expect(said(page)).not_to_be_empty()
        page.by("favorite").click()
        expect(page.by("favorite")).to_have_attribute("aria-pressed", "true")
        page.page.goto(page.server.base + "/foaas/operations")
        page.by("filter-favorites").click()
        expect(page.by("operation")).to_have_count(1)
        page.until(lambda: page.evaluate("document.querySelector('.operation').dataset.known === 'true'"), "its sentence is known")
        sentence = page.by("operation").first.text_content()
        stopped_server.stop()
        stopped_server.start("--at", "+60d", "--fault", "foaas=offline")
        later = phrases("/foaas/operations", on=stopped_server)
        later.by("filter-favorites").click()
        expect(later.by("operation")).to_have_text([sentence])
        later.by("operation").click()
        expect(later.by("preview").locator('[data-test="phrase-message"]')).to_be_visible()


class TestTheList:

    def test_they_are_searched(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation").first).to_be_visible()
        page.by("search").press_sequentially("COFF")
        expect(page.by("operation")).to_have_count(1)
        page.by("search").fill("qqq")
        expect(page.by("no-match")).to_be_visible()
        page.by("no-match-action").click()
        expect(page.by("operation")).to_have_count(66)
        page.by("search").fill("coff")
        expect(page.by("operation")).to_have_count(1)
        page.by("search").press("Escape")
        expect(page.by("operation")).to_have_count(66)
        page.by("search").fill("coff")
        expect(page.by("operation")).to_have_count(1)
        page.by("search").press("Enter")
        expect(page.by("screen-foaas-preview")).to_be_visible()

    def test_offline_they_are_the_saved_ones_with_their_age(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation").first).to_be_visible()
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_contain_text(AGE)
        expect(page.by("operation")).to_have_count(66)

    def test_after_seven_days_offline_there_is_an_error(self, stopped_server, phrases):
        page = phrases("/foaas/operations", on=stopped_server.start())
        expect(page.by("operation").first).to_be_visible()
        stopped_server.stop()
        stopped_server.start("--at", "+8d", "--fault", "foaas=offline")
        later = phrases("/foaas/operations", on=stopped_server)
        expect(later.by("operations-failed")).to_be_visible()
        expect(later.by("error-banner")).to_have_count(0)


class TestThePreview:
    def test_the_text_follows_what_is_typed_and_the_placeholder_comes_back(self, phrases):
        page = phrases("/foaas/operations")
        preview(page, "Shakespeare")
        text = page.by("preview")
        expect(text).to_contain_text("[their name]")
        page.by("field-name").press_sequentially("Cal")
        expect(text).to_contain_text("Cal, thou art")
        page.by("field-name").fill("")
        expect(text).to_contain_text("[their name]")

    def test_whatever_is_typed_the_remote_is_asked_once(self, phrases):
        page = phrases("/foaas/operations")
        preview(page, "Shakespeare")
        before = transfers(page)
        page.by("field-name").press_sequentially("Caliban/?#% 😀")
        page.by("field-from").press_sequentially("Prospero")
        expect(page.by("preview")).to_contain_text("Caliban/?#% 😀, thou")
        expect(page.by("preview")).to_contain_text("— Prospero")
        assert transfers(page) == before

    def test_done_is_for_when_all_is_filled_and_then_main_shows_it(self, phrases):
        page = phrases()
        expect(said(page)).not_to_be_empty()
        preview(page, "Shakespeare")
        expect(page.by("finish")).to_have_attribute("data-ready", "false")
        page.by("field-name").fill("Caliban")
        expect(page.by("preview")).to_contain_text("Caliban")
        expect(page.by("finish")).to_have_attribute("data-ready", "false")
        page.by("field-from").fill("Prospero")
        page.by("finish").click()
        expect(said(page)).to_have_text("Caliban, thou art as useful as a sundial at midnight.")
        assert page.page.url.endswith("/foaas")

    def test_of_two_tabs_only_its_own_shows_it(self, server, phrases):
        other = phrases()
        expect(said(other)).not_to_be_empty()
        before = said(other).text_content()
        page = phrases()
        preview(page, "Shakespeare")
        page.by("field-name").fill("Caliban")
        page.by("field-from").fill("Prospero")
        page.by("finish").click()
        expect(said(page)).to_contain_text("Caliban")
        assert said(other).text_content() == before

    def test_a_preview_opened_by_its_address_ends_on_main_too(self, phrases):
        page = phrases("/foaas/operations/coffee%2F%3Afrom")
        page.by("field-from").fill("me")
        page.by("finish").click()
        expect(said(page)).to_contain_text("coffee")

    def test_offline_it_is_filled_in_and_says_why_there_is_no_phrase(self, phrases):
        page = phrases("/foaas/operations")
        expect(page.by("operation").first).to_be_visible()
        page.connection("offline")
        # One that nobody has looked at yet.
        page.by("search").fill("Gift")
        page.by("operation").filter(has_text="Gift").click()
        expect(page.by("preview-failed")).to_contain_text("needs a connection")
        page.by("field-name").fill("you")
        page.by("field-thing").fill("it")
        page.by("field-from").fill("me")
        expect(page.by("finish")).to_have_attribute("data-ready", "false")
        page.connection("slow")
        page.by("preview-retry").click()
        expect(page.by("preview")).to_contain_text("— me")
        expect(page.by("finish")).to_have_attribute("data-ready", "true")

    def test_what_cannot_be_said_is_a_page_that_leads_to_the_list(self, phrases):
        page = phrases("/foaas/operations/nothing%2F%3Alike%2Fthis%2Fever")
        page.by("preview-missing-action").click()
        expect(page.by("operation").first).to_be_visible()

    def test_a_text_too_long_is_said(self, phrases):
        page = phrases("/foaas/operations/coffee%2F%3Afrom")
        page.by("field-from").fill("😀" * 1400)
        expect(page.page.get_by_text("too long")).to_be_visible()


class TestTheSettings:
    def test_the_filter_is_on_and_can_be_switched_off(self, phrases):
        page = phrases("/foaas/settings")
        expect(page.by("filter")).to_have_attribute("aria-checked", "true")
        expect(page.by("example")).to_contain_text("D*mn")
        preview(page, "Linus")
        expect(page.by("preview")).to_contain_text("cr*p")
        page.page.goto(page.server.base + "/foaas/settings")
        page.by("filter").click()
        expect(page.by("filter")).to_have_attribute("aria-checked", "false")
        expect(page.by("example")).to_contain_text("Damn")
        preview(page, "Linus")
        expect(page.by("preview")).to_contain_text("crap")

    def test_they_are_kept(self, stopped_server, phrases):
        page = phrases("/foaas/settings", on=stopped_server.start())
        page.by("filter").click()
        page.by("palette-moss").check(force=True)
        expect(page.by("filter")).to_have_attribute("aria-checked", "false")
        page.page.goto(page.server.base + "/foaas")
        expect(page.by("screen-foaas")).to_have_attribute("data-palette", "moss")
        stopped_server.stop()
        stopped_server.start()
        later = phrases("/foaas/settings", on=stopped_server)
        expect(later.by("filter")).to_have_attribute("aria-checked", "false")
        expect(later.by("palette-moss")).to_be_checked()

    def test_the_palette_in_use_is_marked_however_late_the_server_hears_of_the_page(self, phrases):
        page = phrases("/foaas/settings")
        page.by("palette-moss").check(force=True)
        expect(page.by("palette-moss")).to_be_checked()
        held = []
        page.page.route("**/events*", lambda route: held.append(route))
        page.page.reload()
        page.until(lambda: held, "the page asks for its state")
        for route in held:
            route.continue_()
        expect(page.by("palette-moss")).to_be_checked()

    def test_a_palette_stays_chosen_though_its_page_is_left_before_the_server_reads_of_it(self, stopped_server, phrases):
        page = phrases("/foaas/settings", on=stopped_server.start())
        expect(page.by("palette-ink")).to_be_checked()
        os.kill(stopped_server.process.pid, signal.SIGSTOP)
        try:
            page.by("palette-moss").check(force=True)
            page.page.goto("about:blank")
        finally:
            os.kill(stopped_server.process.pid, signal.SIGCONT)
        page.page.goto(page.server.base + "/foaas/settings")
        expect(page.by("palette-moss")).to_be_checked()


def test_the_whole_way_goes_without_a_pointer(phrases):
    page = phrases()
    expect(said(page)).not_to_be_empty()
    tab_to(page, "to-operations")
    page.page.keyboard.press("Enter")
    expect(page.by("operation").first).to_be_visible()
    tab_to(page, "search")
    page.page.keyboard.type("shakes")
    page.until(lambda: page.by("operation").count() == 1, "one operation")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    expect(page.by("field-name")).to_be_visible()
    tab_to(page, "field-name")
    page.page.keyboard.type("Caliban")
    page.page.keyboard.press("Enter")
    expect(page.by("field-from")).to_be_focused()
    page.page.keyboard.type("Prospero")
    page.page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Caliban")
    tab_to(page, "to-foaas-settings")
    page.page.keyboard.press("Enter")
    expect(page.by("filter")).to_be_visible()
    tab_to(page, "filter")
    page.page.keyboard.press("Space")
    expect(page.by("filter")).to_have_attribute("aria-checked", "false")


def test_it_speaks_portuguese(phrases):
    page = phrases(locale="pt-BR")
    expect(page.by("nav-foaas")).to_have_text("Frases")
    expect(said(page)).not_to_be_empty()
    expect(page.by("phrase")).to_contain_text("Toque para ver outra")
    page.by("to-operations").click()
    expect(page.by("screen-foaas-operations").locator("h1")).to_have_text("Todas as frases")
    page.by("operation").filter(has_text="Coffee").click()
    expect(page.by("finish")).to_have_text("Concluir")
    page.page.goto(page.server.base + "/foaas/settings")
    expect(page.by("screen-foaas-settings")).to_contain_text("Modo família")
    page.connection("offline")
    page.page.goto(page.server.base + "/foaas")
    page.by("phrase").click()
    expect(page.by("phrase-offline")).to_contain_text("é preciso ter conexão")


@pytest.mark.parametrize("path", ["/foaas", "/foaas/operations", "/foaas/operations/gift%2F%3Aname%2F%3Athing%2F%3Afrom", "/foaas/settings"])
def test_larger_text_does_not_make_the_pages_scroll_sideways(phrases, path):
    page = phrases(path, phone=True)
    page.until(lambda: page.evaluate("document.querySelector('main').childElementCount > 0"), "the page is there")
    page.fits(path, larger=True)


def test_the_names_of_the_fields_are_in_the_users_language(phrases):
    page = phrases("/foaas/operations/gift%2F%3Aname%2F%3Athing%2F%3Afrom", locale="pt-BR")
    labels = page.page.locator(".phrase-fields .field-label")
    expect(labels).to_have_text(["Nome da pessoa", "Uma coisa", "Seu nome"])
