"""A picture of the feed in the whole window: its neighbours, its size, and the ways to it and from it."""

import pytest
from playwright.sync_api import expect

from test_feed import FEED
from test_feed_pages import MEDIA

PATH = "/feed/{}/picture".format


def opened(page, index=0):
    """Opens the viewer by the picture of a card."""
    link = page.items.nth(index).locator('[data-test="open-picture"]')
    link.scroll_into_view_if_needed()
    link.click()
    shows(page, index)
    return link


def shows(page, index):
    expect(page.by("viewer-picture")).to_have_attribute("data-state", "loaded")
    expect(page.by("viewer-picture").locator("img")).to_have_attribute("alt", FEED[index]["description"] or f"Picture from {(FEED[index]['location'] or '').replace(chr(10), ', ')}")
    page.until(lambda: page.page.url.upper().endswith(f"{FEED[index]['id']}/PICTURE"), "the address is that of the picture")


def scale(page):
    return float(page.page.locator(".viewer-sheet").evaluate("(e) => e.style.getPropertyValue('--zoom') || 1"))


def zoomed(page, test):
    page.until(lambda: test(scale(page)), "the picture has the size")


def test_a_click_opens_the_whole_picture_on_black_with_its_caption(feed):
    opened(feed, 2)
    stage = feed.by("viewer-stage")
    assert feed.by("viewer").evaluate("(e) => getComputedStyle(e).backgroundColor") == "rgb(0, 0, 0)"
    assert stage.locator("img").evaluate("(e) => getComputedStyle(e).objectFit") == "contain"
    expect(feed.by("viewer-title")).to_have_text(FEED[2]["location"].split("\n")[0])
    caption = feed.by("viewer-caption")
    for words in (FEED[2]["author"], "ago", *FEED[2]["location"].split("\n"), FEED[2]["description"], f"{len(FEED[2]['comments'])} comments"):
        expect(caption).to_contain_text(words)
    assert feed.page.title().startswith(FEED[2]["location"].split("\n")[0])


def test_escape_the_button_and_going_back_close_it_and_the_focus_is_on_the_picture(feed):
    for close in (lambda: feed.page.keyboard.press("Escape"), lambda: feed.by("viewer-close").click(), feed.page.go_back):
        y = feed.evaluate("scrollY")
        link = feed.items.nth(1).locator('[data-test="open-picture"]')
        link.focus()
        feed.page.keyboard.press("Enter")
        shows(feed, 1)
        close()
        expect(feed.by("viewer")).to_have_count(0)
        expect(feed.page).to_have_url(f"{feed.server.base}/")
        expect(link).to_be_focused()
        assert feed.evaluate("scrollY") == y


def test_arrow_keys_and_buttons_go_to_the_neighbours_and_one_step_back_leads_to_the_feed(feed):
    opened(feed, 0)
    expect(feed.by("viewer-previous")).to_have_attribute("aria-disabled", "true")
    feed.page.keyboard.press("ArrowLeft")
    shows(feed, 0)
    feed.page.keyboard.press("ArrowRight")
    shows(feed, 1)
    feed.by("viewer-next").click()
    shows(feed, 2)
    feed.by("viewer-previous").click()
    shows(feed, 1)
    feed.page.go_back()
    expect(feed.by("viewer")).to_have_count(0)
    expect(feed.items.nth(1).locator('[data-test="open-picture"]')).to_be_focused()


def test_the_end_of_a_page_is_not_the_end_of_the_pictures(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    count = feed.items.count()
    assert count < len(FEED) - 10
    opened(feed, count - 1)
    for index in range(count, count + 3):
        expect(feed.by("viewer-next")).to_have_attribute("aria-disabled", "false")
        feed.page.keyboard.press("ArrowRight")
        shows(feed, index)
    feed.page.keyboard.press("Escape")
    expect(feed.items.nth(count + 2).locator('[data-test="open-picture"]')).to_be_focused()
    assert 0 <= feed.items.nth(count + 2).evaluate("(e) => e.getBoundingClientRect().bottom"), "it is on the screen"


def swipe(page, *way):
    page.touch("touchStart", *way[0])
    for point in way[1:]:
        page.touch("touchMove", *point)
    page.touch("touchEnd", 0, 0)


def test_a_swipe_goes_to_the_neighbours(server, open_page):
    page = open_page(server, phone=True)
    opened(page, 0)
    swipe(page, (300, 400), (240, 402), (150, 405))
    shows(page, 1)
    swipe(page, (100, 400), (180, 402), (260, 405))
    shows(page, 0)
    swipe(page, (200, 300), (205, 360), (210, 450))
    shows(page, 0)


def test_keys_and_buttons_change_the_size_and_arrow_keys_then_move_the_picture(feed):
    opened(feed, 0)
    feed.page.keyboard.press("+")
    zoomed(feed, lambda size: size == 1.5)
    feed.by("viewer-zoom-in").click()
    zoomed(feed, lambda size: size == 2.25)
    place = lambda: feed.by("viewer-stage").evaluate("(e) => [e.scrollLeft, e.scrollTop]")
    left, top = place()
    assert left > 0 and top > 0, "the middle stays in the middle"
    feed.page.keyboard.press("ArrowRight")
    feed.page.keyboard.press("ArrowDown")
    feed.until(lambda: place() == [left + 80, top + 80], "the picture is moved")
    shows(feed, 0)
    expect(feed.by("viewer-said")).to_have_text("225%")
    feed.page.keyboard.press("-")
    zoomed(feed, lambda size: size == 1.5)
    feed.by("viewer-zoom-out").click()
    zoomed(feed, lambda size: size == 1)
    expect(feed.by("viewer-zoom-out")).to_have_attribute("aria-disabled", "true")
    for _ in range(9):
        feed.page.keyboard.press("+")
    zoomed(feed, lambda size: size == 6)
    feed.page.keyboard.press("0")
    zoomed(feed, lambda size: size == 1)
    feed.page.keyboard.press("+")
    feed.by("viewer-next").click()
    shows(feed, 1)
    assert scale(feed) == 1, "another picture begins whole"


def test_the_wheel_with_ctrl_and_a_double_click_change_the_size_where_the_pointer_is_and_a_mouse_moves_the_picture(feed):
    opened(feed, 0)
    box = feed.by("viewer-stage").bounding_box()
    x, y = box["x"] + box["width"] / 4, box["y"] + box["height"] / 4
    feed.page.mouse.move(x, y)
    feed.page.mouse.wheel(0, -100)
    assert scale(feed) == 1, "the wheel alone changes nothing"
    feed.page.keyboard.down("Control")
    feed.page.mouse.wheel(0, -100)
    feed.page.keyboard.up("Control")
    zoomed(feed, lambda size: 1.5 < size < 1.8)
    feed.page.mouse.dblclick(x, y)
    zoomed(feed, lambda size: size == 1)
    feed.page.mouse.dblclick(x, y)
    zoomed(feed, lambda size: size == 2.5)
    stage = feed.by("viewer-stage")
    assert abs(stage.evaluate("(e) => e.scrollLeft") - box["width"] / 4 * 1.5) < 3
    feed.page.mouse.down()
    feed.page.mouse.move(x - 60, y - 30, steps=4)
    feed.page.mouse.up()
    feed.until(lambda: abs(stage.evaluate("(e) => e.scrollLeft") - box["width"] / 4 * 1.5 - 60) < 4, "the picture follows the mouse")


def test_two_taps_and_two_fingers_change_the_size(server, open_page):
    page = open_page(server, phone=True)
    opened(page, 0)
    for size in (2.5, 1):
        for _ in range(2):
            page.touch("touchStart", 150, 400)
            page.touch("touchEnd", 150, 400)
        zoomed(page, lambda now: now == size)
    send = lambda kind, *points: page._cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})
    send("touchStart", (180, 400), (220, 400))
    send("touchMove", (160, 400), (240, 400))
    send("touchMove", (140, 400), (260, 400))
    send("touchEnd")
    zoomed(page, lambda now: abs(now - 3) < 0.1)
    shows(page, 0)


def test_full_screen_is_entered_and_left_by_its_button(feed):
    opened(feed, 0)
    button = feed.by("viewer-full")
    expect(button).to_have_attribute("aria-label", "Full screen")
    button.click()
    expect(button).to_have_attribute("aria-label", "Exit full screen")
    assert feed.evaluate("document.fullscreenElement.className") == "viewer-frame"
    feed.by("viewer-close").click()
    expect(feed.by("viewer")).to_have_count(0)
    feed.until(lambda: feed.evaluate("document.fullscreenElement === null"), "the screen is not full any more")


@pytest.mark.parametrize("can_share", [True, False])
def test_it_is_shared_by_the_system_or_its_link_is_copied(server, open_page, can_share):
    page = open_page(server)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("""(can) => { window.__shared = [];
        if (can) navigator.share = async (what) => { window.__shared.push(what); };
        else { delete Navigator.prototype.share; delete navigator.share; } }""", can_share)
    opened(page, 1)
    page.by("viewer-share").click()
    link = f"{server.base}{PATH(FEED[1]['id'])}".lower()
    if can_share:
        page.until(lambda: [what["url"].lower() for what in page.evaluate("window.__shared")] == [link], "the link is shared")
        expect(page.by("viewer-said")).to_have_text("")
    else:
        expect(page.by("viewer-said")).to_have_text("Link copied")
        assert page.evaluate("navigator.clipboard.readText()").lower() == link


def test_it_is_saved_under_the_name_of_its_place(feed):
    opened(feed, 1)
    with feed.page.expect_download() as download:
        feed.by("viewer-save").click()
    assert download.value.suggested_filename == f"{FEED[1]['location'].split(chr(10))[0]}.jpg"
    expect(feed.by("viewer-said")).to_contain_text("downloads")


def test_a_smaller_form_that_stands_in_offline_is_not_saved_as_the_picture(stopped_server, open_page):
    page = open_page(stopped_server.start(), phone=True)
    page.until(lambda: page.in_view("loaded"), "small forms of the pictures in view are loaded and saved")
    page.expects_failed_requests = True
    page.connection("offline")
    opened(page, 0)
    shows(page, 0)
    assert page.by("viewer-picture").locator("img").evaluate("(e) => e.naturalWidth") == FEED[0]["variants"][0]["width"]
    saved = []
    page.page.on("download", lambda download: saved.append(download))
    page.by("viewer-save").click()
    expect(page.by("viewer-said")).to_contain_text("can’t be saved in full size now")
    assert not saved
    page.connection("online")
    with page.page.expect_download() as download:
        page.by("viewer-save").click()
    picture = open(download.value.path(), "rb").read()
    assert picture == (MEDIA / "pictures" / FEED[0]["picture"]).read_bytes()


def test_it_leads_to_the_comments_and_back(feed):
    opened(feed, 1)
    feed.by("viewer-comments").click()
    expect(feed.by("comments")).to_be_visible()
    expect(feed.by("comment")).to_have_count(len(FEED[1]["comments"]))
    expect(feed.by("viewer")).to_have_count(0)
    feed.page.go_back()
    shows(feed, 1)
    feed.page.keyboard.press("Escape")
    expect(feed.by("viewer")).to_have_count(0)
    expect(feed.page).to_have_url(f"{feed.server.base}/")


def test_it_has_an_address_also_for_a_picture_that_is_far_down(server, open_page):
    page = open_page(server, PATH(FEED[25]["id"]), wait=False)
    shows(page, 25)
    page.page.reload()
    shows(page, 25)
    page.page.keyboard.press("Escape")
    expect(page.by("viewer")).to_have_count(0)
    expect(page.items.nth(25).locator('[data-test="open-picture"]')).to_be_focused()


def test_a_picture_that_does_not_exist_is_told(server, open_page):
    page = open_page(server, PATH("nope"), wait=False)
    expect(page.by("viewer-missing")).to_contain_text("Picture not found")
    page.by("viewer-missing-action").click()
    expect(page.by("viewer")).to_have_count(0)
    expect(page.items.first).to_be_visible()


def comes(page, index):
    """With a connection the picture comes, whoever is faster: the page that hears of it, or its user."""
    page.connection("online")
    again = page.by("viewer-failed-action")
    page.until(lambda: again.evaluate_all("(all) => all.forEach((e) => e.click())") or page.by("viewer-picture").count(), "the picture is looked for")
    shows(page, index)


def test_a_feed_that_cannot_be_loaded_is_told_as_such_and_says_nothing_of_the_picture(stopped_server, open_page):
    page = open_page(stopped_server.start("--fault", "feed=offline"), PATH(FEED[0]["id"]), wait=False)
    failed = page.by("viewer-failed")
    expect(failed).to_contain_text("offline")
    expect(page.by("viewer")).not_to_contain_text("not found")
    expect(page.by("viewer-title")).not_to_contain_text("not found")
    comes(page, 0)


def test_a_picture_on_a_page_that_cannot_be_loaded_is_not_told_as_missing(feed):
    feed.expects_failed_requests = True
    feed.connection("offline")
    feed.page.goto(feed.server.base + PATH(FEED[-2]["id"]))
    expect(feed.by("viewer-failed")).to_contain_text("offline")
    expect(feed.by("viewer-missing")).to_have_count(0)
    comes(feed, -2)


def test_it_shows_saved_pictures_offline(feed):
    feed.expects_failed_requests = True
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    feed.connection("offline")
    opened(feed, 0)


def test_its_buttons_are_named_in_portuguese(server, open_page):
    page = open_page(server, locale="pt-BR")
    page.items.first.locator('[data-test="open-picture"]').click()
    for test, name in {"viewer-close": "Fechar", "viewer-next": "Próxima foto", "viewer-previous": "Foto anterior", "viewer-zoom-in": "Aumentar zoom",
                       "viewer-zoom-out": "Diminuir zoom", "viewer-share": "Compartilhar", "viewer-save": "Salvar foto"}.items():
        expect(page.by(test)).to_have_attribute("aria-label", name)
