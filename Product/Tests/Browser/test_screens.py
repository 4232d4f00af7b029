"""Comments, the inspector, and what stands around the screens."""

import pytest
from playwright.sync_api import expect

from helpers import settled
from test_feed import AGE, FEED
from test_payments import tab_to


def test_comments_open_over_the_feed_and_back_restores_scroll_and_focus(feed):
    card = feed.items.nth(3)
    link = card.locator('[data-test="open-comments"]')
    link.scroll_into_view_if_needed()
    y = feed.evaluate("scrollY")
    link.focus()
    feed.page.keyboard.press("Enter")
    expect(feed.by("comments")).to_be_visible()
    expect(feed.page).to_have_url(f"{feed.server.base}/feed/{card.get_attribute('data-id')}")
    expect(feed.by("comment")).to_have_count(len(FEED[3]["comments"]))
    expect(feed.by("comment").first).to_contain_text(FEED[3]["comments"][0]["message"])
    expect(feed.by("comment").first).to_contain_text("ago")
    feed.page.go_back()
    expect(feed.by("comments")).to_have_count(0)
    expect(link).to_be_focused()
    assert abs(feed.evaluate("scrollY") - y) < 2


def test_the_back_button_and_escape_close_the_comments(feed):
    for close in (lambda: feed.by("comments-back").click(), lambda: feed.page.keyboard.press("Escape")):
        feed.items.first.locator('[data-test="open-comments"]').click()
        expect(feed.by("comment").first).to_be_visible()
        close()
        expect(feed.by("comments")).to_have_count(0)
        expect(feed.page).to_have_url(f"{feed.server.base}/")


def test_comments_have_an_address(server, open_page):
    page = open_page(server, f"/feed/{FEED[1]['id']}", phone=True)
    expect(page.by("comment")).to_have_count(len(FEED[1]["comments"]))
    expect(page.by("comments-picture")).to_have_attribute("data-state", "loaded")
    page.by("comments-back").tap()
    expect(page.items.first).to_be_visible()


def test_comments_offline_show_the_saved_ones_with_their_age(feed):
    feed.expects_failed_requests = True
    link = feed.items.first.locator('[data-test="open-comments"]')
    link.click()
    expect(feed.by("comment").first).to_be_visible()
    feed.connection("offline")
    feed.by("comments-reload").click()
    expect(feed.by("comments").locator('[data-test="notice"]')).to_contain_text(AGE)
    expect(feed.by("comment").first).to_be_visible()


def test_comments_that_fail_say_so_once_and_can_be_tried_again(feed):
    feed.expects_failed_requests = True
    feed.connection("offline")
    feed.items.nth(1).locator('[data-test="open-comments"]').click()
    expect(feed.by("comments-failed")).to_be_visible()
    expect(feed.by("comments").locator('[data-test="error-banner"]')).to_have_count(0)
    feed.connection("slow")
    feed.by("comments-reload").click()
    expect(feed.by("comment").first).to_be_visible()
    feed.page.keyboard.press("Escape")
    expect(feed.by("comments")).to_have_count(0)


def test_the_inspector_lists_what_is_saved(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    feed.inspector()
    expect(feed.page).to_have_url(f"{feed.server.base}/inspector")
    rows = feed.by("inspector-row")
    expect(rows.first).to_be_visible()
    assert rows.count() >= 2
    row = rows.first
    expect(row.locator('[data-test="validity"]')).to_have_text("Fresh")
    assert feed.page.get_by_role("columnheader").count() == 7
    feed.page.go_back()
    expect(feed.items.first).to_be_visible()


def test_the_inspector_deletes_after_asking(feed):
    feed.until(lambda: feed.in_view("loaded"), "visible pictures are loaded")
    feed.inspector()
    row = feed.by("inspector-row").first
    expect(row).to_be_visible()
    key = row.get_attribute("data-entry")
    row.locator('[data-test="delete"]').click()
    expect(row.locator('[data-test="delete-cancel"]')).to_be_focused()
    feed.page.keyboard.press("Escape")
    expect(row.locator('[data-test="delete"]')).to_be_focused()
    row.locator('[data-test="delete"]').click()
    row.locator('[data-test="delete-confirm"]').click()
    feed.until(lambda: key not in feed.evaluate("[...document.querySelectorAll('[data-entry]')].map((r) => r.dataset.entry)"), "the entry is gone")
    expect(feed.by("toast").first).to_contain_text(key)


@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_the_inspectors_question_has_words_and_covers_nothing(server, open_page, phone):
    page = open_page(server, phone=phone)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.inspector()
    row = page.by("inspector-row").first
    row.locator('[data-test="delete"]').click()
    question = row.locator(".confirm")
    expect(question).to_contain_text("Delete this entry?")
    settled(page)
    asked = question.bounding_box()
    for cell in ("key", "kind", "size", "age", "hits", "validity"):
        box = row.locator(f".cell-{cell}").bounding_box()
        assert box["y"] + box["height"] <= asked["y"] + 1, f"{cell} is not covered"


def test_the_inspector_validates(stopped_server, open_page):
    server = stopped_server.start()
    first = open_page(server)
    first.page.goto("about:blank")
    server.stop()
    server.start("--at", "+8d", "--fault", "feed=offline")
    page = open_page(server, "/inspector", fails=True)
    expired = page.page.locator('[data-validity="expired"]')
    expect(expired.first).to_be_visible()
    page.by("validate").click()
    expect(expired).to_have_count(0)
    expect(page.by("toast").first).to_contain_text("removed")


@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_the_navigation_has_the_five_apps_and_developers_have_a_drawer(server, open_page, phone):
    page = open_page(server, phone=phone)
    assert page.evaluate("[...document.querySelectorAll('#nav a')].map((a) => a.dataset.name)") == ["feed", "contacts", "foaas", "audio", "drive"]
    expect(page.by("connection-online")).to_be_hidden()
    page.developer()
    drawer = page.by("developer")
    expect(drawer).to_be_in_viewport()
    expect(page.page.get_by_role("dialog", name="Developer")).to_be_visible()
    expect(drawer.get_by_role("radio")).to_have_count(5)
    settled(page)
    box = drawer.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.page.viewport_size["width"] + 1
    page.by("to-inspector").click()
    expect(page.page).to_have_url(f"{server.base}/inspector")
    expect(drawer).to_be_hidden()
    expect(page.by("screen-inspector").locator("h1")).to_be_focused()
    page.by("screen-inspector").locator('[data-test="back"]').click()
    expect(page.page).to_have_url(f"{server.base}/")
    expect(page.items.first).to_be_visible()


def test_the_simulator_works_with_the_keyboard(feed):
    feed.expects_failed_requests = True
    expect(feed.by("connection-button")).to_have_attribute("data-mode", "online")
    feed.by("settings-button").focus()
    feed.page.keyboard.press("Enter")
    tab_to(feed, "developer-open")
    feed.page.keyboard.press("Enter")
    tab_to(feed, "connection-online")
    feed.page.keyboard.press("ArrowDown")
    expect(feed.by("connection-offline")).to_be_checked()
    expect(feed.by("connection-button")).to_have_attribute("data-mode", "offline")
    feed.page.keyboard.press("Escape")
    expect(feed.by("developer")).to_be_hidden()
    expect(feed.by("settings-button")).to_be_focused()
    feed.page.keyboard.press("r")
    expect(feed.by("notice")).to_be_visible()


def test_a_click_beside_the_drawer_closes_it(feed):
    feed.developer()
    feed.page.mouse.click(40, 400)
    expect(feed.by("developer")).to_be_hidden()
    expect(feed.page).to_have_url(f"{feed.server.base}/")


def test_the_corner_says_what_a_user_can_count_on(feed):
    feed.expects_failed_requests = True
    feed.by("connection-button").click()
    expect(feed.by("connection-panel")).to_contain_text("You’re online")
    expect(feed.by("connection-panel").locator("input")).to_have_count(0)
    expect(feed.by("connection-reload")).to_be_focused()
    feed.page.keyboard.press("Escape")
    feed.connection("offline")
    feed.evaluate("dispatchEvent(new Event('focus'))")
    expect(feed.by("connection-button")).to_have_attribute("data-mode", "offline")
    feed.by("connection-button").click()
    expect(feed.by("connection-panel")).to_contain_text("You’re offline")
    feed.by("connection-reload").click()
    expect(feed.by("notice")).to_be_visible()
    feed.by("connection-outbox").click()
    expect(feed.page).to_have_url(f"{feed.server.base}/outbox")
    expect(feed.by("connection-panel")).to_be_hidden()


def test_a_server_without_a_simulator_has_no_drawer_and_the_corner_stays(stopped_server, open_page):
    server = stopped_server.start("--no-simulator", "--fault", "audio=offline")
    page = open_page(server)
    expect(page.by("connection-button")).to_have_attribute("data-mode", "online")
    page.by("settings-button").click()
    expect(page.by("settings-inspector")).to_be_visible()
    expect(page.by("developer-open")).to_have_count(0)
    expect(page.by("developer")).to_have_count(0)
    assert page.ask("/api/connection", "PUT", data={"mode": "offline"}).status == 403
    page.by("settings-inspector").click()
    expect(page.by("inspector-row").first).to_be_visible()


#: The lists, each with its rows, and a way from it.
LISTS = {"/contacts": "contact", "/foaas/operations": "operation", "/audio": "clip"}


@pytest.mark.parametrize("path", LISTS)
def test_back_and_reload_find_the_place_again(server, open_page, path):
    page = open_page(server, wait=False)
    page.expects_failed_requests = True  # some contacts have no picture
    page.page.set_viewport_size({"width": 390, "height": 500})
    expect(page.items.first).to_be_visible()
    page.page.goto(server.base + path)
    expect(page.by(LISTS[path]).first).to_be_visible()
    page.until(lambda: page.evaluate("document.documentElement.scrollHeight - innerHeight") > 250, "there is something to scroll")
    place = 220
    page.scroll_to(place)
    page.until(lambda: page.evaluate("history.state?.scroll") == place, "the place is kept")
    page.by("nav-drive").click()
    expect(page.by("screen-drive")).to_be_visible()
    page.page.go_back()
    expect(page.by("screen-drive")).to_be_hidden()
    page.until(lambda: abs(page.evaluate("scrollY") - place) < 2, "back finds the place")
    page.page.reload()
    page.until(lambda: abs(page.evaluate("scrollY") - place) < 2, "a reload finds the place")
    page.page.goto("about:blank")
    page.page.go_back()
    page.until(lambda: abs(page.evaluate("scrollY") - place) < 2, "back from another site finds the place")
    page.by("nav-drive").click()
    expect(page.by("screen-drive")).to_be_visible()
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("path", "row"), [("/contacts", "contact"), ("/audio", "clip"), ("/foaas/operations", "operation")])
def test_a_wide_window_has_more_columns_and_no_long_lines(server, open_page, path, row):
    page = open_page(server, path, wait=False)
    page.expects_failed_requests = True  # some contacts have no picture
    columns = lambda: page.evaluate(
        """(row) => new Set([...document.querySelectorAll(`[data-test=${row}]`)].map((e) => Math.round(e.getBoundingClientRect().left))).size""", row)
    expect(page.by(row).first).to_be_visible()
    usual = columns()
    page.page.set_viewport_size({"width": 1920, "height": 1080})
    assert columns() > usual
    widest = page.evaluate("(row) => Math.max(...[...document.querySelectorAll(`[data-test=${row}]`)].map((e) => e.offsetWidth))", row)
    assert widest <= 700
    page.fits(path)


def test_the_language_follows_the_browser_and_can_be_changed(server, open_page):
    page = open_page(server, locale="pt-BR", fails=True)
    expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.by("nav-foaas")).to_have_text("Frases")
    page.connection("offline")
    page.by("reload").click()
    expect(page.by("notice")).to_be_visible()
    portuguese = page.by("notice").inner_text()
    page.by("settings-button").click()
    page.by("language-en").click(force=True)
    expect(page.page.locator("html")).to_have_attribute("lang", "en")
    expect(page.by("nav-foaas")).to_have_text("Phrases")
    expect(page.by("notice")).not_to_have_text(portuguese)
    page.page.reload()
    expect(page.by("nav-foaas")).to_have_text("Phrases")


def test_both_languages_have_the_same_texts(feed):
    en, pt = feed.evaluate("""async () => {
        const load = async (name) => Object.keys(await (await fetch(`/assets/words/${name}.json`)).json()).sort();
        return [await load("en"), await load("pt-BR")]; }""")
    assert en == pt


def test_the_theme_follows_the_system_and_can_be_changed(server, open_page):
    grounds = {}
    for scheme in ("light", "dark"):
        page = open_page(server, scheme=scheme)
        grounds[scheme] = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert grounds["light"] != grounds["dark"]
    page.by("settings-button").click()
    page.by("theme-light").check()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == grounds["light"]
    page.page.reload()
    expect(page.items.first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == grounds["light"]


def test_the_app_can_be_installed(feed):
    manifest = feed.context.request.get(feed.server.base + "/assets/manifest.webmanifest").json()
    assert manifest["display"] == "standalone"
    for entry in manifest["icons"]:
        assert feed.context.request.get(feed.server.base + entry["src"]).headers["content-type"] == "image/png"


def test_the_inspector_tells_a_store_that_cannot_be_used_beside_what_the_others_have(stopped_server, open_page):
    server = stopped_server.start()
    page = open_page(server)
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.page.goto("about:blank")
    server.stop()
    for file in server.data.glob("values.sqlite*"):
        file.unlink()
    (server.data / "values.sqlite").write_bytes(b"no database")
    server.start("--fault", "feed=offline")
    page = open_page(server, "/inspector")
    expect(page.by("inspector-failures")).to_contain_text("values.sqlite can’t be used")
    expect(page.by("inspector-failures")).to_contain_text("is not a store of Aquifer's")
    expect(page.by("inspector-row").first).to_be_visible()


PAGES = ["/", "/contacts", "/pay/1001", "/cards", "/cards/new", "/payments", "/foaas", "/foaas/operations", "/foaas/settings",
         "/foaas/operations/gift%2F%3Aname%2F%3Athing%2F%3Afrom", "/audio", "/audio/new", "/outbox", "/drive", "/drive/new", "/inspector"]


def test_every_page_can_be_reloaded_by_button_and_key(server, open_page):
    page = open_page(server)
    page.expects_failed_requests = True  # some contacts have no picture
    refused = []
    page.page.on("response", lambda answer: answer.url.split("?")[0].endswith("/intents") and answer.status >= 400 and refused.append(answer.url))
    for path in PAGES:
        page.page.goto(server.base + path)
        expect(page.page.locator("main h1").first).to_be_attached()
        for press in (lambda: page.by("reload").click(), lambda: page.page.keyboard.press("r")):
            page.evaluate("document.activeElement?.blur()")
            before = len(page.requests)

            def asked():
                # A click during a load asks for nothing more, so the button is pressed until a request is seen.
                press()
                return any("/intents" in url or "/api/inspector" in url for url in page.requests[before:])

            page.until(asked, f"{path} is asked for")
    page.page.goto(server.base + "/inspector")
    expect(page.by("inspector-row").first).to_be_visible()
    assert refused == []


@pytest.mark.parametrize("path", ["/", f"/feed/{FEED[1]['id']}", "/contacts", "/foaas/operations", "/audio", "/drive"])
def test_a_page_loaded_again_without_a_connection_says_how_old_it_is(server, open_page, path):
    page = open_page(server, path, wait=False, fails=True)
    place = page.by("comments") if path.startswith("/feed/") else page.page.locator("main .screen:not([hidden])")
    if path == "/drive":
        expect(page.by("drive-empty")).to_be_visible()
    else:
        expect(place.locator("article, li").first).to_be_visible()
    page.connection("offline")
    page.page.reload()
    expect(place.locator('[data-test="notice"]')).to_contain_text(AGE)


@pytest.mark.parametrize(("mode", "words"), [
    ("offline", "You’re offline, and nothing recent is saved."), ("failing", "The server has a problem."), ("garbage", "The server’s answer couldn’t be understood.")])
def test_a_server_with_a_problem_is_not_called_a_missing_connection(stopped_server, open_page, mode, words):
    server = stopped_server.start("--fault", f"feed={mode}")
    page = open_page(server, wait=False)
    expect(page.by("failed")).to_contain_text(words)
    expect(page.by("error-banner")).to_have_count(0)
    page.page.keyboard.press("Escape")
    expect(page.by("failed")).to_contain_text(words)


FACES = """(selector) => { const s = getComputedStyle(document.querySelector(selector)); return [s.backgroundColor, s.borderStyle, s.outlineStyle].join(" "); }"""


def test_a_tab_that_was_opened_behind_the_others_gives_its_connection_back(server, open_page):
    page = open_page(server, fails=True).context.new_page()
    page.add_init_script("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })")
    page.clock.install()
    with page.expect_response(lambda answer: "/api/screens/feed/events" in answer.url):
        page.goto(server.link("/"))
    with page.expect_event("requestfailed", lambda request: "/api/screens/feed/events" in request.url, timeout=5_000):
        page.clock.fast_forward(11_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_where_the_system_chooses_the_colours_what_is_selected_can_be_told(server, open_page, scheme):
    page = open_page(server, "/foaas/settings", scheme=scheme)
    page.page.emulate_media(forced_colors="active", color_scheme=scheme)
    expect(page.by("palette-ink")).to_be_checked()
    look = lambda selector: page.evaluate(FACES, selector)
    assert look("#palette-ink + .swatch-face") != look("#palette-moss + .swatch-face")
    assert look('.tab[aria-current="page"]') != look(".tab:not([aria-current])")
    assert "solid" in look(".switch") and look(".switch") != look(".switch-knob")
    page.by("settings-button").click()
    assert look('[data-test="theme-auto"] + .choice-face') != look('[data-test="theme-dark"] + .choice-face')
    page.page.keyboard.press("Escape")
    page.developer()
    assert look('[data-test="connection-online"] + .choice-face') != look('[data-test="connection-slow"] + .choice-face')
    page.page.keyboard.press("Escape")
    page.page.goto(page.server.base + "/cards/new")
    expect(page.by("card-preview")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.face'), '::after').display") == "none"
    assert "solid" in look(".button")


@pytest.mark.parametrize("panel", ["settings-panel", "connection-panel", "simulator"])
def test_with_larger_text_on_a_phone_no_choice_of_a_panel_is_cut(server, open_page, panel):
    page = open_page(server, phone=True, locale="pt-BR")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    if panel == "simulator":
        page.developer()
        settled(page)
    else:
        page.by(panel.replace("panel", "button")).click()
    texts = page.page.locator(f"#{panel} :is(.choice-text, .button, strong)").filter(visible=True)
    assert texts.count() >= 3
    cut = page.evaluate("""(id) => { const box = document.getElementById(id).getBoundingClientRect();
      return [...document.querySelectorAll(`#${id} :is(.choice-text, .button, strong)`)].filter((e) => {
        const r = e.getBoundingClientRect(); return e.checkVisibility() && (r.right > Math.min(box.right, innerWidth) || r.left < box.left || e.scrollWidth > e.clientWidth);
      }).map((e) => e.textContent); }""", panel)
    assert cut == []
    box = page.by("developer" if panel == "simulator" else panel).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 391 and box["y"] + box["height"] <= 845


def test_on_paper_nothing_stands_over_the_pictures(server, open_page):
    page = open_page(server)
    page.page.emulate_media(media="print")
    expect(page.by("app-bar")).to_be_hidden()
    expect(page.items.first).to_be_visible()
