"""A change of the language loads the page again; nothing typed is lost by it."""

from playwright.sync_api import expect


def choose(page, language):
    page.by("settings-button").click()
    page.by(f"language-{language}").click(force=True)


def test_a_form_with_input_asks_before_the_language_changes(server, open_page):
    page = open_page(server, "/cards/new")
    html = page.page.locator("html")
    page.by("card-holder").press_sequentially("Ana")
    choose(page, "pt-BR")
    expect(page.by("language-ask")).to_contain_text("What is typed here would be lost.")
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


def test_another_tab_follows_at_its_next_navigation_unless_something_is_typed_there(server, open_page):
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
    expect(html).to_have_attribute("lang", "en")
    by("nav-contacts").click()
    expect(html).to_have_attribute("lang", "pt-BR")
    expect(by("screen-contacts")).to_be_visible()
    assert second.url == server.base + "/contacts"


def test_the_page_loads_the_texts_of_one_language(server, open_page):
    page = open_page(server, locale="pt-BR")
    assert [url for url in page.requests if "/assets/words/" in url] == [server.base + "/assets/words/pt-BR.json"]
