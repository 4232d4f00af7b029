"""Every page on narrow phones, with larger text and in both languages: nothing scrolls sideways, no name is cut short."""

import pytest
from playwright.sync_api import expect

from test_drive import VECTOR, add, create, text_file
from test_feed import FEED
from test_payments import GOOD, add_card, enter, open_contact

NARROW = [320, 390]
PATHS = {
    "/": "feed-item", f"/feed/{FEED[7]['id']}": "comment", "/contacts": "contact", "/pay/1001": "pay-form", "/cards": "card",
    "/cards/new": "card-form", "/payments": "payment", "/foaas": "phrase", "/foaas/operations": "operation", "/foaas/settings": "filter",
    "/foaas/operations/gift%2F%3Aname%2F%3Athing%2F%3Afrom": "title", "/audio": "clip", "/audio/new": "send", "/outbox": "title",
    "/drive": "account", "/drive/new": "create", "/inspector": "inspector-row", "/nowhere": "not-found",
}


@pytest.fixture
def narrow(server, open_page):
    def narrow(width, locale, path="/contacts"):
        page = open_page(server, path, phone=True, locale=locale, wait=False)
        page.expects_failed_requests = True
        page.page.set_viewport_size({"width": width, "height": 844})
        return page
    return narrow


class Widths:
    """Looks at a page with text of both sizes, and tells at the end what was too wide."""

    def __init__(self, page):
        self.page, self.found = page, []

    def look(self, where):
        for larger in (True, False):
            try:
                self.page.fits(f"{where}{' at 200 %' if larger else ''}", larger)
            except AssertionError as error:
                self.found.append(str(error))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        assert kind or not self.found, "\n".join(self.found)


@pytest.mark.parametrize("locale", ["en-US", "pt-BR"])
@pytest.mark.parametrize("width", NARROW)
class TestNothingScrollsSideways:
    def test_on_any_page(self, narrow, width, locale):
        page = narrow(width, locale)
        with Widths(page) as widths:
            add_card(page, GOOD)
            open_contact(page, 5)
            enter(page)
            page.by("pay").click()
            expect(page.by("receipt")).to_be_visible()
            widths.look("receipt")
            create(page)
            for path, ready in PATHS.items():
                page.page.goto(page.server.base + path)
                expect(page.by(ready).first).to_be_visible()
                widths.look(path)

    def test_while_a_payment_is_unknown(self, narrow, width, locale):
        page = narrow(width, locale)
        with Widths(page) as widths:
            add_card(page, GOOD)
            page.connection("answer-lost")
            open_contact(page, 8)
            enter(page)
            page.by("pay").click()
            expect(page.by("unknown")).to_be_visible()
            widths.look("unknown")
            page.by("give-up").click()
            widths.look("about to be given up")
            page.page.goto(page.server.base + "/payments")
            page.by("payment-give-up").click()
            widths.look("payments")

    def test_with_the_longest_names_and_a_question_open(self, narrow, width, locale, tmp_path):
        page = narrow(width, locale)
        with Widths(page) as widths:
            create(page, "W" * 64)
            add(page, text_file(tmp_path, "W" * 80 + ".txt"))
            widths.look("account")
            page.by("delete").click()
            page.by("deletion-open").click()
            widths.look("account that asks")
            page.page.goto(page.server.base + "/drive")
            expect(page.by("account")).to_be_visible()
            widths.look("accounts")
            page.page.goto(page.server.base + "/drive/new")
            page.by("hand-open").click()
            page.by("hand-text").fill(VECTOR["transaction_base64"])
            expect(page.by("hand-error")).to_be_visible()
            widths.look("a transaction that is none of ours")
            page.page.goto(page.server.base + "/inspector")
            page.by("delete").first.click()
            widths.look("inspector that asks")


@pytest.mark.parametrize("locale", ["en-US", "pt-BR"])
@pytest.mark.parametrize(("width", "larger"), [(320, False), (390, False), (390, True)])
def test_no_name_of_an_app_is_cut_short(narrow, width, larger, locale):
    page = narrow(width, locale)
    expect(page.by("contact").first).to_be_visible()
    page.fits("contacts", larger)
    cut = "[...document.querySelectorAll('#nav a > span')].filter((a) => a.scrollWidth > a.clientWidth).map((a) => a.textContent)"
    assert page.evaluate(cut) == []
