"""What lies where: nothing covers what is to be tapped, nothing is cut, and nothing is told by a colour alone."""

from playwright.sync_api import expect

from test_feed import FEED
from test_payments import GOOD, HOLDER, fill_card

#: The names of what can be tapped and lies under a toast. The name of the app is beside the tools, and is a tab, too.
COVERED = """() => {
  const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const toasts = [...document.querySelectorAll(".toast")].map((toast) => toast.getBoundingClientRect());
  return [...document.querySelectorAll("a, button, input, h1")]
    .filter((e) => e.checkVisibility() && !e.matches(".brand, .skip-link") && toasts.some((toast) => over(toast, e.getBoundingClientRect())))
    .map((e) => e.dataset.test ?? e.className);
}"""
SHORT = "Array.from(document.querySelectorAll('.face-holder, .face-number')).filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"


def phone(server, open_page, path):
    page = open_page(server, path, phone=True, wait=False, motion="reduce", fails=True)
    return page


def test_a_toast_covers_nothing_to_tap_on_a_phone(server, open_page):
    page = phone(server, open_page, "/cards/new")
    fill_card(page, GOOD)
    page.by("save").click()
    expect(page.by("card")).to_have_count(1)
    expect(page.by("toast")).to_be_visible()
    assert page.evaluate(COVERED) == []
    page.evaluate("document.querySelector('.toast').textContent = 'Not confirmed: R$ 1.000,00 to Maximiliana Albuquerque de Souza.'")
    assert page.evaluate(COVERED) == []


def test_the_picture_over_its_comments_is_whole(server, open_page):
    page = phone(server, open_page, f"/feed/{FEED[2]['id']}")
    picture = page.by("comments-picture")
    expect(picture).to_have_attribute("data-state", "loaded")
    box, natural = page.evaluate("""() => {
      const image = document.querySelector("[data-test=comments-picture] img");
      const { width, height } = image.getBoundingClientRect();
      return [[width, height], image.naturalWidth / image.naturalHeight]; }""")
    whole = page.evaluate("getComputedStyle(document.querySelector('[data-test=comments-picture] img')).objectFit") == "contain"
    assert whole and box[1] <= 0.55 * 844 + 1
    assert abs(box[0] / box[1] - natural) < 0.02 or abs(box[1] - 0.55 * 844) < 1, f"{box}, {natural}"


def test_a_card_grows_with_its_text(server, open_page):
    page = phone(server, open_page, "/cards/new")
    fill_card(page, GOOD)
    page.by("save").click()
    expect(page.by("card-face")).to_contain_text(HOLDER, ignore_case=True)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate(SHORT) == []
    inside = """() => { const face = document.querySelector("[data-test=card-face]").getBoundingClientRect();
      return [...document.querySelectorAll(".face-foot, .face-number")].every((e) => e.getBoundingClientRect().bottom <= face.bottom); }"""
    assert page.evaluate(inside)


def test_a_trouble_of_the_connection_has_a_sign_on_a_phone(server, open_page):
    page = phone(server, open_page, "/contacts")
    button = page.by("connection-button")
    expect(button.locator(".mode-dot")).to_be_visible()
    looked = lambda: page.evaluate("dispatchEvent(new Event('focus'))")
    page.connection("offline")
    looked()
    expect(button.locator(".icon")).to_be_visible()
    expect(button).to_have_attribute("aria-label", "Connection: Offline")
    page.connection("failing")
    looked()
    expect(button).to_have_attribute("data-mode", "failing")
    expect(button.locator(".icon")).to_be_visible()
    # Another client has switched it back: the first answer tells.
    page.connection("online")
    page.by("reload").click()
    expect(button.locator(".mode-dot")).to_be_visible()


def test_a_phone_has_no_key_to_turn_off(server, open_page):
    page = phone(server, open_page, "/contacts")
    page.by("settings-button").click()
    expect(page.by("theme-auto")).to_be_attached()
    expect(page.page.locator(".choices-shortcut")).to_be_hidden()
