"""Narrow phones, larger text, both languages: no name of an app is cut short. `test_everywhere.py` looks at the widths of every page."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def narrow(server, open_page):
    def narrow(width, locale, path="/contacts"):
        page = open_page(server, path, phone=True, locale=locale, wait=False, fails=True)
        page.page.set_viewport_size({"width": width, "height": 844})
        return page
    return narrow


@pytest.mark.parametrize("locale", ["en-US", "pt-BR"])
@pytest.mark.parametrize(("width", "larger"), [(320, False), (390, False), (390, True)])
def test_no_name_of_an_app_is_cut_short(narrow, width, larger, locale):
    page = narrow(width, locale)
    expect(page.by("contact").first).to_be_visible()
    page.fits("contacts", larger)
    cut = "[...document.querySelectorAll('#nav a > span')].filter((a) => a.scrollWidth > a.clientWidth).map((a) => a.textContent)"
    assert page.evaluate(cut) == []


@pytest.mark.parametrize("width", [1280, 1600, 1920, 2560])
def test_the_bar_begins_and_ends_where_the_pictures_do(server, open_page, width):
    page = open_page(server)
    page.page.set_viewport_size({"width": width, "height": 900})
    edges = """(selector) => {
      const element = document.querySelector(selector), { paddingLeft, paddingRight } = getComputedStyle(element), { left, right } = element.getBoundingClientRect();
      return [Math.round(left + parseFloat(paddingLeft)), Math.round(right - parseFloat(paddingRight))];
    }"""
    assert page.evaluate(edges, ".app-bar-inner") == page.evaluate(edges, ".feed-screen")
