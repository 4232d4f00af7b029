"""A change of the language loads the page again; nothing typed is lost by it."""

import pytest
from playwright.sync_api import expect

import test_audio
import test_drive
from helpers import Probe


def choose(page, language):
    page.by("settings-button").click()
    page.by(f"language-{language}").click(force=True)


def test_a_form_with_input_asks_before_the_language_changes(server, open_page):
    page = open_page(server, "/cards/new")
    html = page.page.locator("html")
    page.by("card-holder").press_sequentially("Ana")
    choose(page, "pt-BR")
    expect(page.by("language-ask")).to_contain_text("What you typed here will be lost.")
    page.by("language-keep").click()
    expect(page.by("language-ask")).to_have_count(0)
    expect(page.by("language-en")).to_be_checked()
    expect(html).to_have_attribute("lang", "en")
    expect(page.by("card-holder")).to_have_value("Ana")
    page.by("language-pt-BR").click(force=True)
    page.by("language-change").click()
    expect(html).to_have_attribute("lang", "pt-BR")
    expect(page.by("title")).to_have_text("Novo cartão")


def test_what_the_model_keeps_needs_no_question(server, open_page):
    page = open_page(server, "/drive/new")
    page.by("create-name").press_sequentially("Holiday")
    choose(page, "pt-BR")
    expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.by("create-name")).to_have_value("Holiday")


def test_another_tab_follows_at_once_where_it_is(server, open_page):
    first = open_page(server)
    second = Probe(first.context, server)
    second.page.goto(server.base + "/contacts")
    expect(second.page.locator(".contact-row").first).to_be_visible()
    second.page.set_viewport_size({"width": 390, "height": 500})
    second.scroll_to(300)
    second.until(lambda: second.evaluate("scrollY") == 300, "it has scrolled")
    choose(first, "pt-BR")
    expect(second.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(second.by("title")).to_have_text("Contatos")
    second.until(lambda: second.evaluate("scrollY") == 300, "it is where it was")
    expect(second.by("settings-panel")).to_be_hidden()


def test_another_tab_follows_when_its_user_has_left_the_field(server, open_page):
    first = open_page(server)
    second = Probe(first.context, server)
    second.page.goto(server.base + "/contacts")
    expect(second.page.locator(".contact-row").first).to_be_visible()
    second.by("search").press_sequentially("ana")
    choose(first, "pt-BR")
    expect(first.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(second.page.locator("html")).to_have_attribute("lang", "en")
    expect(second.by("search")).to_be_focused()
    second.by("search").blur()
    expect(second.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(second.by("search")).to_have_value("ana")


def test_another_tab_does_not_follow_while_something_is_typed_there(server, open_page):
    first = open_page(server)
    second = first.context.new_page()
    html = second.locator("html")
    by = lambda name: second.locator(f'[data-test="{name}"]')
    second.goto(server.base + "/cards/new")
    by("card-holder").press_sequentially("Ana")
    choose(first, "pt-BR")
    expect(first.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(html).to_have_attribute("lang", "en")
    expect(by("card-holder")).to_have_value("Ana")
    by("nav-audio").click()
    expect(by("screen-audio")).to_be_visible()
    expect(html).to_have_attribute("lang", "pt-BR")
    assert second.url == server.base + "/audio"


def test_the_page_loads_the_texts_of_one_language(server, open_page):
    page = open_page(server, locale="pt-BR")
    assert [url.rpartition("/")[2] for url in page.requests if "/words/" in url] == ["pt-BR.json"]


def test_the_question_begins_at_what_keeps_the_input(server, open_page):
    page = open_page(server, "/cards/new")
    page.by("card-holder").press_sequentially("Ana")
    choose(page, "pt-BR")
    expect(page.by("language-keep")).to_be_focused()
    page.page.keyboard.press("Enter")
    expect(page.by("language-ask")).to_have_count(0)
    expect(page.by("card-holder")).to_have_value("Ana")
    expect(page.by("language-en")).to_be_focused()


def test_while_the_server_is_stopped_the_page_stays_and_follows_later(server, open_page):
    page = open_page(server, "/contacts", wait=False, fails=True)
    expect(page.page.locator(".contact-row").first).to_be_visible()
    server.stop()
    choose(page, "pt-BR")
    expect(page.by("language-waits")).to_have_text("The page changes when Aquifer is running again.")
    expect(page.by("server-lost")).to_be_visible()
    expect(page.page.locator("html")).to_have_attribute("lang", "en")
    expect(page.page.locator(".contact-row").first).to_be_visible()
    server.start()
    expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.page.locator(".contact-row").first).to_be_visible()


def test_another_tab_does_not_leave_a_page_that_a_stopped_server_cannot_draw(server, open_page):
    page = open_page(server, "/contacts", wait=False, fails=True)
    other = page.context.new_page()
    other.goto(server.base + "/foaas")
    other.locator('[data-test="nav-audio"]').click()
    expect(other.locator('[data-test="screen-audio"]')).to_be_visible()
    other.locator('[data-test="nav-foaas"]').click()
    expect(other.locator('[data-test="phrase"]')).to_be_visible()
    expect(page.page.locator(".contact-row").first).to_be_visible()
    server.stop()
    expect(other.locator('[data-test="server-lost"]')).to_be_visible()
    choose(page, "pt-BR")
    expect(page.by("language-waits")).to_be_visible()
    other.locator('[data-test="nav-audio"]').click()
    expect(other.locator('[data-test="screen-audio"]')).to_be_visible()
    expect(other.locator("html")).to_have_attribute("lang", "en")


def test_without_its_texts_the_page_says_so_and_asks_again(server, open_page):
    page = open_page(server, fails=True)
    page.page.route("**/words/*", lambda route: route.abort())
    page.page.reload()
    expect(page.by("wordless")).to_contain_text("could not be loaded")
    page.page.unroute("**/words/*")
    page.by("wordless").get_by_role("button").click()
    expect(page.items.first).to_be_visible()
    expect(page.by("wordless")).to_be_hidden()


def test_files_that_wait_for_an_answer_are_asked_about(server, open_page, tmp_path):
    page = open_page(server, "/drive", wait=False, fails=True)
    test_drive.create(page)
    test_drive.add(page, test_drive.text_file(tmp_path, "a.txt"))
    page.by("upload-dismiss").click()
    page.by("upload-input").set_input_files([test_drive.text_file(tmp_path, "a.txt"), test_drive.text_file(tmp_path, "b.txt")])
    expect(page.by("twice")).to_be_visible()
    choose(page, "pt-BR")
    expect(page.by("language-ask")).to_be_visible()
    page.by("language-keep").click()
    page.by("twice-keep").click()
    expect(page.by("file")).to_have_count(2)


@pytest.mark.parametrize("is_playing", [True, False], ids=["playing", "paused"])
def test_a_clip_goes_on_where_it_was(server, open_page, is_playing):
    page = open_page(server, "/audio", wait=False, fails=True)
    row = test_audio.longest(page) if page.by("clip").first.wait_for() is None else None
    name = test_audio.part(row, "clip-title").text_content()
    test_audio.part(row, "play").click()
    page.until(lambda: test_audio.elapsed(row) >= 2, "it proceeds")
    if not is_playing:
        test_audio.part(row, "play").click()
        expect(row).to_have_attribute("data-state", "paused")
    choose(page, "pt-BR")
    expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.by("mini-title")).to_have_text(name)
    expect(page.by("mini-player")).to_have_attribute("data-state", "playing" if is_playing else "paused")
    at = page.by("mini-time").text_content().split(" / ")[0]
    assert int(at.split(":")[1]) >= 2, f"it goes on at {at}"
    expect(page.by("mini-next")).to_be_visible()


def test_the_file_of_a_new_clip_can_still_be_heard(server, open_page, tmp_path):
    page = open_page(server, "/audio/new")
    page.by("file-input").set_input_files(test_audio.tone(tmp_path))
    expect(page.by("preview-time")).to_have_text("0:00 / 0:02")
    choose(page, "pt-BR")
    expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.by("file-name")).to_have_text("tone.wav")
    expect(page.by("preview-time")).to_have_text("0:00 / 0:02")
    page.by("preview-play").click()
    expect(page.by("preview-play")).to_have_attribute("data-state", "playing")
    page.by("remove-file").click()
    expect(page.by("preview-player")).to_be_hidden()


def test_the_place_and_the_focus_stay(server, open_page):
    page = open_page(server)
    page.load_all()
    page.scroll_to(1500)
    page.until(lambda: page.evaluate("scrollY") == 1500, "it has scrolled")
    page.by("settings-button").focus()
    page.page.keyboard.press("Enter")
    page.by("language-en").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.by("settings-panel")).to_be_visible()
    expect(page.by("language-pt-BR")).to_be_focused()
    page.until(lambda: page.evaluate("scrollY") == 1500, "it is where it was")
    page.page.keyboard.press("Escape")
    expect(page.by("settings-button")).to_be_focused()


def test_another_tab_that_follows_begins_at_the_heading(server, open_page):
    first = open_page(server)
    second = Probe(first.context, server)
    second.page.goto(server.base + "/contacts")
    expect(second.page.locator(".contact-row").first).to_be_visible()
    second.by("settings-button").click()
    choose(first, "pt-BR")
    expect(first.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(second.page.locator("html")).to_have_attribute("lang", "en")
    second.by("nav-audio").click()
    expect(second.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(second.by("screen-audio").locator("h1")).to_be_focused()
