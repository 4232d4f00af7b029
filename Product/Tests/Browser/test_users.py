"""Two users of one server, each in a browser of their own."""

import datetime
import os
import subprocess

import pytest
from playwright.sync_api import expect

from conftest import BINARY
from test_drive import add, create, part, row, text_file

EXPIRY = f"12{(datetime.date.today().year + 2) % 100:02}"


class Users:
    """The users of a server, and the links that let them in."""

    def __init__(self, server):
        self.server = server
        self.file = server.data / "serve.users"

    def run(self, *words):
        environment = {**os.environ, "XDG_CONFIG_HOME": str(self.server.data.parent / "config")}
        command = [BINARY, "users", *words, "--users", str(self.file), "--data", str(self.server.data)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=True).stdout

    def token(self, name, word="add"):
        return self.run(word, name).strip().partition("#token=")[2]


@pytest.fixture
def users(stopped_server):
    users = Users(stopped_server)
    users.tokens = {name: users.token(name) for name in ("ana", "bruno")}
    stopped_server.start("--users", str(users.file))
    return users


def enter(users, open_page, name, path="/", token=None, **options):
    users.server.url = f"{users.server.base}/#token={token or users.tokens[name]}"
    return open_page(users.server, path, **options)


def add_card(page, holder):
    page.by("card-number").press_sequentially("4539578763621486")
    page.by("card-holder").fill(holder)
    page.by("card-expiry").press_sequentially(EXPIRY)
    expect(page.by("save")).to_have_attribute("data-ready", "true")
    page.by("save").click()
    expect(page.by("card").first).to_contain_text(holder)


def open_settings(page):
    page.by("settings-button").click()
    expect(page.by("user")).to_be_visible()


def test_each_user_sees_the_own_cards_and_name_and_nothing_of_the_other(users, open_page):
    ana = enter(users, open_page, "ana", "/cards/new", wait=False)
    add_card(ana, "Ana Souza")
    bruno = enter(users, open_page, "bruno", "/cards", wait=False)
    expect(bruno.by("cards-empty")).to_be_visible()
    assert "Ana" not in bruno.page.locator("body").inner_text()
    for page, name in ((ana, "ana"), (bruno, "bruno")):
        open_settings(page)
        expect(page.by("user")).to_contain_text(f"Logged in as {name}")


def test_a_file_that_one_user_has_looked_at_is_not_shown_to_the_other(users, open_page, tmp_path):
    ana = enter(users, open_page, "ana", "/drive", wait=False)
    create(ana)
    add(ana, text_file(tmp_path))
    part(row(ana, "note.txt"), "open-file").click()
    expect(ana.by("preview-text")).to_contain_text("Low tide")
    path = f"/api/screens/drive-account/files/note.txt?account={ana.page.url.rsplit('/', 1)[1]}&preview=true"
    assert "Low tide" in ana.ask(path).text()
    bruno = enter(users, open_page, "bruno", "/drive", wait=False)
    for more in ("", "&saved=true"):
        answer = bruno.ask(path + more)
        assert answer.status == 404 and "Low tide" not in answer.text()


def log_out(page, way):
    page.by(way).click()
    expect(page.by("log-out-ask")).to_contain_text("new link" if way == "log-out" else "All your links stop working")
    page.by("log-out-do").click()


def test_logging_out_is_asked_about_and_staying_changes_nothing(users, open_page):
    page = enter(users, open_page, "ana")
    open_settings(page)
    page.by("log-out").click()
    expect(page.by("log-out-stay")).to_be_focused()
    page.by("log-out-stay").click()
    expect(page.by("log-out-ask")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('aquifer.token')") == users.tokens["ana"]


def test_a_link_on_another_page_takes_nobodys_access_away(users, open_page):
    page = enter(users, open_page, "ana", "/cards/new", wait=False)
    page.expects_failed_requests = True
    page.by("card-holder").fill("Ana Souza")
    page.evaluate("location.hash = '#token=x'")
    expect(page.by("toast")).to_contain_text("You’re still logged in as ana")
    assert page.evaluate("localStorage.getItem('aquifer.token')") == users.tokens["ana"]
    assert "token" not in page.page.url
    page.evaluate(f"location.hash = '#token={users.tokens['bruno']}'")
    expect(page.by("link-question")).to_contain_text("This link is for bruno")
    assert page.evaluate("localStorage.getItem('aquifer.token')") == users.tokens["ana"]
    page.by("link-stay").click()
    expect(page.by("card-holder")).to_have_value("Ana Souza")
    open_settings(page)
    expect(page.by("user")).to_contain_text("Logged in as ana")


def test_another_users_link_is_followed_by_whoever_says_so(users, open_page):
    page = enter(users, open_page, "ana")
    page.evaluate(f"location.hash = '#token={users.tokens['bruno']}'")
    page.by("link-accept").click()
    page.page.wait_for_function(f"localStorage.getItem('aquifer.token') === '{users.tokens['bruno']}'")
    open_settings(page)
    expect(page.by("user")).to_contain_text("Logged in as bruno")


#: What a browser may keep that tells nothing of its user.
NOBODYS = {"aquifer.theme", "aquifer.language", "aquifer.shortcut", "aquifer.rate", "aquifer.token", "aquifer.tab"}
KEPT = "() => [localStorage, sessionStorage].flatMap((storage) => Object.entries(storage))"


def leave_traces(page):
    """Does what a browser remembers: a name that is typed, a palette, a place in the feed, what has no picture or shape."""
    page.expects_failed_requests = True  # some contacts have no picture
    page.page.goto(page.server.base + "/audio/new")
    page.by("clip-author-field").fill("Ana Souza")
    page.page.goto(page.server.base + "/foaas/settings")
    page.page.locator(".swatch-input").last.check(force=True)
    page.by("nav-foaas").click()
    page.until(lambda: page.evaluate("localStorage.getItem('aquifer.palette')"), "the palette is remembered")
    page.evaluate("""() => { localStorage.setItem("aquifer.shapes", '[["ana", [1]]]'); localStorage.setItem("aquifer.lacking", '[["/ana", 1]]'); }""")
    page.by("nav-feed").click()
    expect(page.items.first).to_be_visible()
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.page.mouse.wheel(0, 900)
    page.until(lambda: page.evaluate("scrollY") > 500, "the feed is read")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    kept = dict(page.evaluate(KEPT))
    assert {"aquifer.author", "aquifer.palette", "aquifer.shapes", "aquifer.lacking", "aquifer.place.feed"} <= set(kept)
    return kept


def test_logging_out_leaves_nothing_of_the_user_in_the_browser(users, open_page):
    page = enter(users, open_page, "ana")
    before = leave_traces(page)
    open_settings(page)
    log_out(page, "log-out")
    expect(page.by("signed-out")).to_be_visible()
    assert set(dict(page.evaluate(KEPT))) <= NOBODYS
    page.page.reload()
    expect(page.by("signed-out")).to_be_visible()
    after = dict(page.evaluate(KEPT))
    assert set(after) <= NOBODYS and after["aquifer.token"] == "" and after.get("aquifer.tab") != before["aquifer.tab"]


def test_another_users_link_leaves_nothing_of_the_former_one_in_the_browser(users, open_page):
    page = enter(users, open_page, "ana")
    before = leave_traces(page)
    page.evaluate(f"location.hash = '#token={users.tokens['bruno']}'")
    with page.page.expect_event("load"):
        page.by("link-accept").click()
    open_settings(page)
    expect(page.by("user")).to_contain_text("Logged in as bruno")
    after = dict(page.evaluate(KEPT))
    assert set(after) <= NOBODYS and after["aquifer.tab"] != before["aquifer.tab"]
    assert page.evaluate("scrollY") == 0


def test_a_new_link_of_the_same_user_forgets_nothing(users, open_page):
    page = enter(users, open_page, "ana")
    before = leave_traces(page)
    token = users.token("ana", "token")
    with page.page.expect_event("load"):
        page.evaluate(f"location.hash = '#token={token}'")
    expect(page.items.first).to_be_visible()
    assert dict(page.evaluate(KEPT)).items() >= {name: before[name] for name in ("aquifer.author", "aquifer.palette", "aquifer.tab")}.items()


def test_each_reason_not_to_be_let_in_is_told_as_it_is(users, open_page):
    users.server.url = users.server.base
    nobody = open_page(users.server, "/", wait=False, fails=True)
    expect(nobody.by("signed-out")).to_contain_text("Open your link")
    # Theme and language can be chosen all the same.
    nobody.by("settings-button").click()
    expect(nobody.by("language-pt-BR")).to_have_count(1)
    mistyped = enter(users, open_page, "ana", token="x", wait=False, fails=True)
    expect(mistyped.by("signed-out")).to_contain_text("This link doesn’t work")
    removed = enter(users, open_page, "bruno")
    removed.expects_failed_requests = True
    users.run("remove", "bruno", "--yes")
    expect(removed.by("signed-out")).to_contain_text("This link doesn’t work")
    expect(removed.by("signed-out")).not_to_contain_text("stays")


def test_a_users_file_that_cannot_be_read_is_not_told_as_a_server_that_is_not_running(users, open_page):
    page = enter(users, open_page, "ana", "/cards", wait=False)
    expect(page.by("cards-empty")).to_be_visible()
    page.expects_failed_requests = True
    text = users.file.read_bytes()
    users.file.write_bytes(b"damaged\n")
    page.page.reload()
    expect(page.by("server-lost")).to_contain_text("The server can’t tell who you are")
    expect(page.by("server-lost")).not_to_contain_text("aquifer serve")
    users.file.write_bytes(text)
    expect(page.by("cards-empty")).to_be_visible()
    expect(page.by("server-lost")).to_have_count(0)


def test_a_full_quota_is_told_as_such(users, open_page, tmp_path):
    page = enter(users, open_page, "ana", "/audio/new", wait=False)
    page.expects_failed_requests = True
    page.page.route("**/api/screens/audio-compose/file?*", lambda route: route.fulfill(
        status=507, content_type="application/json", body='{"error":{"kind":"quota","message":"full"}}'))
    clip = tmp_path / "clip.mp3"
    clip.write_bytes(b"ID3" + bytes(1000))
    page.page.locator("input[type=file]").set_input_files(clip)
    expect(page.page.locator("main")).to_contain_text("Your space on this server is used up")


def test_logging_out_shows_so_at_once_in_all_tabs_and_the_old_link_opens_nothing(users, open_page):
    page = enter(users, open_page, "ana")
    page.expects_failed_requests = True
    other = page.context.new_page()
    other.goto(users.server.base + "/cards")
    expect(other.locator('[data-test="cards-empty"]')).to_be_visible()
    open_settings(page)
    log_out(page, "log-out")
    for tab in (page.page, other):
        expect(tab.locator('[data-test="signed-out"]')).to_contain_text("You’re logged out")
    assert page.evaluate("localStorage.getItem('aquifer.token')") == ""
    # The link differs from this page's address only behind the `#`, which loads nothing: another page comes first.
    page.page.goto("about:blank")
    page.page.goto(users.server.url)
    expect(page.by("signed-out")).to_be_visible()
    again = enter(users, open_page, "ana", token=users.token("ana", "token"))
    open_settings(again)
    expect(again.by("user")).to_contain_text("Logged in as ana")


def test_logging_out_everywhere_ends_the_other_browser_too_and_no_other_user(users, open_page):
    second = users.token("ana", "token")
    here, there = enter(users, open_page, "ana"), enter(users, open_page, "ana", token=second, locale="pt-BR")
    bruno = enter(users, open_page, "bruno")
    for page in (here, there):
        page.expects_failed_requests = True
    open_settings(here)
    log_out(here, "log-out-everywhere")
    expect(here.by("signed-out")).to_contain_text("ask whoever runs this server for a new link")
    # Nobody has logged out here: the link has ended.
    expect(there.by("signed-out")).to_contain_text("Este link não funciona")
    expect(bruno.items.first).to_be_visible()
    expect(bruno.by("signed-out")).to_have_count(0)


@pytest.mark.parametrize("phone", [True, False])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "pt-BR"])
def test_the_name_and_the_ways_out_fit(users, open_page, phone, scheme, locale):
    name = "maria-das-dores.de_oliveira-2026"
    page = enter(users, open_page, name, token=users.token(name), phone=phone, scheme=scheme, locale=locale)
    open_settings(page)
    expect(page.by("user")).to_contain_text(name)
    width = page.page.viewport_size["width"]
    for part in ("settings-panel", "user", "log-out", "log-out-everywhere"):
        box = page.by(part).bounding_box()
        assert 0 <= box["x"] and box["x"] + box["width"] <= width, part
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    folder = os.environ.get("AQUIFER_PICTURES")
    if folder:
        page.page.screenshot(path=f"{folder}/user-{'phone' if phone else 'wide'}-{scheme}-{locale}.png")
        page.expects_failed_requests = True
        page.by("log-out").click()
        page.page.screenshot(path=f"{folder}/ask-{'phone' if phone else 'wide'}-{scheme}-{locale}.png")
        page.by("log-out-do").click()
        expect(page.by("signed-out")).to_be_visible()
        page.page.screenshot(path=f"{folder}/out-{'phone' if phone else 'wide'}-{scheme}-{locale}.png")


def test_a_server_with_one_user_shows_no_name_and_no_way_out(feed):
    feed.by("settings-button").click()
    expect(feed.by("settings-panel")).to_be_visible()
    expect(feed.by("user")).to_be_hidden()
