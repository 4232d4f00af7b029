"""Two tabs, a page and the command line show the same, a second after each kind of change."""

import http.server
import json
import os
import subprocess
import threading
import time
import urllib.parse
import uuid

import pytest
from playwright.sync_api import expect

import test_audio
import test_drive
import test_payments
from conftest import BINARY
from helpers import SOON, Probe

MARCIA = "@marcia.goncalves"


class Commands:
    """`aquifer` on the data of a server."""

    def __init__(self, server):
        self.server, self.general = server, []

    def __call__(self, *words, lines=()):
        """What a command prints. It has ended when this returns, and what it changed was acknowledged."""
        done = subprocess.run(
            [BINARY, *words, *self.general, "--data", str(self.server.data)], capture_output=True, text=True, timeout=60,
            input="".join(line + "\n" for line in lines), start_new_session=True,
            env={**os.environ, "XDG_CONFIG_HOME": str(self.server.data.parent / "config")})
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def json(self, *words, lines=()):
        return json.loads(self(*words, "--json", lines=lines))["value"]


@pytest.fixture
def aquifer(server):
    return Commands(server)


@pytest.fixture
def tab(server, open_page):
    """A tab at a path. Some pictures are missing, and some requests fail because there is no connection."""
    def tab(path, on=None):
        page = open_page(on or server, path, wait=False, fails=True)
        return page
    return tab


def soon(locator):
    """What a locator must find soon. The change that it waits for was acknowledged just before."""
    return SoonExpectation(expect(locator))


class SoonExpectation:
    """Playwright's assertions with the time of an agreement."""

    def __init__(self, assertions):
        self.assertions = assertions

    def __getattr__(self, name):
        return lambda *words: getattr(self.assertions, name)(*words, timeout=SOON)


class TestCards:
    def test_two_tabs(self, tab):
        first, second = tab("/cards"), tab("/cards")
        expect(second.by("cards-empty")).to_be_visible()
        # The first card makes the folder that is watched; the second is written into it.
        for count, number in enumerate((test_payments.GOOD, test_payments.BAD), start=1):
            test_payments.add_card(first, number)
            soon(second.by("card")).to_have_count(count)
        self.card(first, test_payments.GOOD).locator('[data-test="choose"]').click()
        expect(self.card(first, test_payments.GOOD)).to_have_attribute("data-chosen", "true")
        soon(self.card(second, test_payments.GOOD)).to_have_attribute("data-chosen", "true")
        self.card(first, test_payments.BAD).locator('[data-test="remove"]').click()
        first.by("remove-confirm").click()
        expect(first.by("card")).to_have_count(1)
        soon(second.by("card")).to_have_count(1)

    def test_a_command_and_a_page(self, tab, aquifer):
        page = tab("/cards")
        expect(page.by("cards-empty")).to_be_visible()
        good, bad = self.add(aquifer, test_payments.GOOD), None
        soon(page.by("card")).to_have_count(1)
        bad = self.add(aquifer, test_payments.BAD)
        soon(self.card(page, test_payments.BAD)).to_have_attribute("data-chosen", "true")
        aquifer("cards", "default", good)
        soon(self.card(page, test_payments.GOOD)).to_have_attribute("data-chosen", "true")
        aquifer("cards", "remove", good)
        soon(page.by("card")).to_have_count(1)
        aquifer("cards", "remove", bad)
        soon(page.by("cards-empty")).to_be_visible()

    def test_a_page_and_the_next_command(self, tab, aquifer):
        page = tab("/cards")
        test_payments.add_card(page, test_payments.GOOD)
        assert [card["holder"] for card in aquifer.json("cards", "list")] == [test_payments.HOLDER]
        page.by("remove").click()
        page.by("remove-confirm").click()
        expect(page.by("cards-empty")).to_be_visible()
        assert aquifer.json("cards", "list") == []

    def test_the_focus_stays_on_a_card_that_a_command_changes(self, tab, aquifer):
        page = tab("/cards")
        test_payments.add_card(page, test_payments.GOOD)
        test_payments.add_card(page, test_payments.BAD)
        page.by("card").first.locator('[data-test="remove"]').focus()
        aquifer("cards", "default", page.by("card").first.get_attribute("data-id"))
        soon(page.by("card").first).to_have_attribute("data-chosen", "true")
        expect(page.by("card").first.locator('[data-test="remove"]')).to_be_focused()

    @staticmethod
    def card(page, number):
        return page.by("card").filter(has_text=number[-4:])

    @staticmethod
    def add(aquifer, number):
        expiry = f"{test_payments.EXPIRY[:2]}/{test_payments.EXPIRY[2:]}"
        return aquifer.json("cards", "add", lines=(number, test_payments.HOLDER, expiry))["id"]


class TestPayments:
    def test_a_command_and_the_pages_of_two_tabs(self, tab, aquifer):
        TestCards.add(aquifer, test_payments.GOOD)
        pages = [tab("/payments"), tab("/payments")]
        for page in pages:
            expect(page.by("payments-empty")).to_be_visible()
        aquifer("pay", MARCIA, "79,90", "--cvv-stdin", lines=(test_payments.CODE,))
        for page in pages:
            soon(page.by("payment")).to_have_count(1)
        assert len(aquifer.json("payments", "list")) == 1


class TestOutbox:
    """The server's own sending is paused where the outcome would depend on who is quicker."""

    def test_two_tabs(self, tab, tmp_path):
        first, second, clips = tab("/outbox"), tab("/outbox"), tab("/audio")
        expect(second.by("outbox-empty")).to_be_visible()
        expect(clips.by("clip").first).to_be_visible()
        first.connection("offline")
        for title in ("Ocarina", "Zither"):
            self.queue(first, test_audio.tone(tmp_path), title)
            soon(self.item(second, title)).to_be_visible()
        soon(clips.by("outbox-count")).to_have_text("2")
        first.page.goto(first.server.base + "/outbox")
        expect(first.by("outbox-item")).to_have_count(2)
        first.by("pause").click()
        expect(first.by("resume")).to_be_visible()
        soon(second.by("resume")).to_be_visible()
        self.item(first, "Zither").locator('[data-test="discard"]').click()
        first.by("discard-confirm").click()
        expect(self.item(first, "Zither")).to_have_count(0)
        soon(second.by("outbox-item")).to_have_count(1)
        soon(clips.by("outbox-count")).to_have_text("1")
        first.connection("online")
        first.by("resume").click()
        expect(first.by("outbox-empty")).to_be_visible()
        soon(second.by("outbox-empty")).to_be_visible()
        soon(clips.by("clip").filter(has_text="Ocarina")).to_be_visible()

    def test_a_command_and_a_page(self, tab, aquifer, tmp_path):
        page, clips = tab("/outbox"), tab("/audio")
        expect(clips.by("clip").first).to_be_visible()
        self.pause(page, tmp_path)
        file = str(test_audio.tone(tmp_path))
        ocarina = self.post(aquifer, file, "Ocarina")
        soon(self.item(page, "Ocarina")).to_be_visible()
        aquifer("outbox", "discard", ocarina)
        soon(self.item(page, "Ocarina")).to_have_count(0)
        self.post(aquifer, file, "Zither")
        soon(self.item(page, "Zither")).to_be_visible()
        aquifer("outbox", "send")
        soon(page.by("outbox-item")).to_have_count(0)
        soon(clips.by("clip").filter(has_text="Zither")).to_be_visible()

    def test_what_a_command_queues_is_sent_at_once_while_a_page_looks(self, tab, aquifer, tmp_path):
        page, clips = tab("/outbox"), tab("/audio")
        expect(page.by("outbox-empty")).to_be_visible()
        expect(clips.by("clip").first).to_be_visible()
        self.post(aquifer, str(test_audio.tone(tmp_path)), "Ocarina")
        soon(clips.by("clip").filter(has_text="Ocarina")).to_be_visible()
        soon(page.by("outbox-empty")).to_be_visible()

    def test_a_page_and_the_next_command(self, tab, aquifer, tmp_path):
        page = tab("/outbox")
        expect(page.by("outbox-empty")).to_be_visible()
        page.connection("offline")
        self.queue(page, test_audio.tone(tmp_path), "Ocarina")
        assert [item["label"] for item in aquifer.json("outbox", "list")] == ["Ocarina"]
        page.page.goto(page.server.base + "/outbox")
        page.by("discard").click()
        page.by("discard-confirm").click()
        expect(page.by("outbox-empty")).to_be_visible()
        assert aquifer.json("outbox", "list") == []

    @staticmethod
    def item(page, title):
        return page.by("outbox-item").filter(has_text=title)

    @staticmethod
    def queue(page, file, title):
        test_audio.compose(page, file, title)
        page.by("later").click()
        expect(page.by("compose-queued")).to_be_visible()

    def pause(self, page, folder):
        """Pauses the outbox, which offers this while there is something to send."""
        expect(page.by("outbox-empty")).to_be_visible()
        page.connection("offline")
        self.queue(page, test_audio.tone(folder), "Celesta")
        page.page.goto(page.server.base + "/outbox")
        page.by("pause").click()
        expect(page.by("resume")).to_be_visible()

    @staticmethod
    def post(aquifer, file, title):
        return str(aquifer.json("audio", "post", file, "--title", title, "--later")["id"])


class FeedHandler(http.server.BaseHTTPRequestHandler):
    """The contract's pages of items, of the list that the server holds now."""

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        if address.path != "/v1/feed":
            return self.send_error(404)
        query = urllib.parse.parse_qs(address.query)
        items = list(self.server.items)
        after = query.get("after_id", [None])[0]
        if after:
            place = [item["id"].lower() for item in items].index(after.lower())
            items = items[place + 1:]
        body = json.dumps({"items": items[:int(query.get("limit", ["10"])[0])]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def remote():
    """A feed whose list changes; `remote.add(place)` adds an item at the top."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FeedHandler)
    address = f"http://127.0.0.1:{server.server_port}"

    def add(location):
        item = {"id": str(uuid.uuid4()).upper(), "location": location, "image": f"{address}/{len(server.items)}.png"}
        server.items = [item, *server.items]

    server.items = []
    for number in reversed(range(24)):
        add(f"Place {number}")
    server.add, server.words = add, ["--remote", f"feed={address}"]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def feed(stopped_server, remote):
    """A server over that feed, and its commands."""
    stopped_server.start(*remote.words)
    commands = Commands(stopped_server)
    commands.general = remote.words
    return stopped_server, commands


class TestFeed:
    def test_two_tabs(self, feed, tab, remote):
        first, second = tab("/", on=feed[0]), tab("/", on=feed[0])
        expect(second.items.first).to_contain_text("Place 0")
        remote.add("Lisbon")
        first.by("reload").click()
        expect(first.items.first).to_contain_text("Lisbon")
        soon(second.items.first).to_contain_text("Lisbon")
        first.load_all()
        expect(first.items).to_have_count(25)
        soon(second.items).to_have_count(25)

    def test_a_command_and_a_page(self, feed, tab, remote):
        page, aquifer = tab("/", on=feed[0]), feed[1]
        expect(page.items.first).to_contain_text("Place 0")
        remote.add("Lisbon")
        aquifer("feed", "list")
        soon(page.items.first).to_contain_text("Lisbon")

    def test_a_page_and_the_next_command(self, feed, tab, remote):
        page, aquifer = tab("/", on=feed[0]), feed[1]
        expect(page.items.first).to_contain_text("Place 0")
        remote.add("Lisbon")
        page.by("reload").click()
        expect(page.items.first).to_contain_text("Lisbon")
        assert aquifer.json("feed", "list", "--offline")[0]["location"] == "Lisbon"

    def test_what_is_on_the_screen_stays_where_it_is(self, feed, tab, remote):
        page, aquifer = tab("/", on=feed[0]), feed[1]
        expect(page.items.nth(9)).to_be_visible()
        item = page.items.filter(has_text="Place 7")
        item.scroll_into_view_if_needed()
        top = "(e) => Math.round(e.getBoundingClientRect().top)"
        page.until(lambda: page.evaluate("scrollY") > 0, "it scrolls")
        before = item.evaluate(top)
        remote.add("Lisbon")
        aquifer("feed", "list")
        soon(page.items.filter(has_text="Lisbon")).to_have_count(1)
        page.until(lambda: abs(item.evaluate(top) - before) <= 2, "the item is where it was", limit=SOON)


class TestLostCopies:
    """A list that is deleted while it is on the screen: the page that is seen asks for it, and no other."""

    #: What stands on a page, and the failure that stands there without a connection.
    LISTS = {
        "/": ("feed-item", "failed"),
        "/contacts": ("contact", "contacts-failed"),
        "/audio": ("clip", "audio-failed"),
        "/drive": ("drive-empty", "drive-failed"),
    }

    @pytest.mark.parametrize("path", LISTS)
    def test_a_page_that_is_seen_loads_it_again_once_or_says_why_not(self, tab, aquifer, path):
        content, failure = self.LISTS[path]
        page = tab(path)
        expect(page.by(content).first).to_be_visible()
        for times in (1, 2):
            aquifer("cache", "clear")
            page.until(lambda: page.intents.count("appear") == times, "the page asks", limit=SOON)
            soon(page.by(content).first).to_be_visible()
        page.connection("offline")
        aquifer("cache", "clear")
        soon(page.by(failure)).to_contain_text("You’re offline, and nothing recent is saved")
        assert page.intents.count("appear") == 3
        page.connection("online")
        soon(page.by(content).first).to_be_visible()
        assert page.intents.count("appear") == 3

    def test_losses_that_follow_each_other_are_asked_for_ever_more_seldom(self, tab, aquifer):
        page = tab("/contacts")
        expect(page.by("contact").first).to_be_visible()
        end = time.monotonic() + 7
        while time.monotonic() < end:
            aquifer("cache", "clear")
            page.frames()
        # At once, at once, and after 1, 2 and 4 seconds.
        assert 3 <= page.intents.count("appear") <= 5
        soon(page.by("contact").first).to_be_visible()

    def test_a_question_that_the_server_refuses_is_asked_again_and_told_to_nobody(self, tab, aquifer):
        page = tab("/contacts")
        expect(page.by("contact").first).to_be_visible()
        refused = []

        def refuse(route):
            refused.append(route)
            route.fulfill(status=500, body="{}") if len(refused) == 1 else route.continue_()

        page.page.route("**/intents**", refuse)
        aquifer("cache", "clear")
        soon(page.by("contact").first).to_be_visible()
        assert len(refused) == 2
        expect(page.by("toast")).to_have_count(0)
        page.problems()  # the refusal is one, and is wanted here

    def test_the_comments_on_a_picture_and_the_files_of_an_account_are_loaded_again(self, tab, aquifer):
        page, account = tab("/"), tab(f"/drive/{TestDrive.create(aquifer)}")
        page.by("open-comments").first.click()
        expect(page.by("comment").first).to_be_visible()
        expect(account.by("upload")).to_be_visible()
        aquifer("cache", "clear")
        # The feed below the comments asks, too.
        for seen, content, times in ((page, "comment", 2), (account, "upload", 1)):
            seen.until(lambda: seen.intents.count("appear") == times, "the page asks", limit=SOON)
            soon(seen.by(content).first).to_be_visible()

    def test_a_tab_behind_others_loads_it_when_it_is_seen(self, tab, aquifer):
        page = tab("/contacts")
        expect(page.by("contact").first).to_be_visible()
        page.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true })")
        aquifer("cache", "clear")
        soon(page.by("skeleton").first).to_be_visible()
        page.frames()
        assert "appear" not in page.intents and "contacts" not in aquifer("cache", "list")
        page.evaluate("delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")
        soon(page.by("contact").first).to_be_visible()
        assert page.intents.count("appear") == 1

    def test_what_is_deleted_in_the_inspector_is_loaded_when_its_page_is_seen(self, tab, aquifer):
        page = tab("/contacts")
        expect(page.by("contact").first).to_be_visible()
        page.inspector()
        row = page.page.locator('[data-entry^="contacts"]')
        row.locator('[data-test="delete"]').click()
        row.locator('[data-test="delete-confirm"]').click()
        expect(row).to_have_count(0)
        assert "contacts" not in aquifer("cache", "list")
        page.by("nav-contacts").click()
        soon(page.by("contact").first).to_be_visible()
        assert "contacts" in aquifer("cache", "list") and "appear" not in page.intents


class TestDrive:
    def test_two_tabs_list_the_same_accounts(self, tab):
        first, second = tab("/drive"), tab("/drive")
        expect(second.by("drive-empty")).to_be_visible()
        first.page.goto(first.server.base + "/drive/new")
        first.by("create-name").fill("Harbour papers")
        first.by("create-size").fill("1MB")
        expect(first.by("cost")).to_contain_text("SHDW")
        first.by("create").click()
        expect(first.by("created")).to_be_visible()
        soon(second.by("account")).to_have_count(1)

    def test_two_tabs_list_the_same_files(self, tab, tmp_path):
        first, second = tab("/drive"), tab("/drive")
        test_drive.create(first)
        second.page.goto(first.page.url)
        expect(second.by("upload")).to_be_visible()
        test_drive.add(first, test_drive.text_file(tmp_path, "tides.txt"))
        expect(test_drive.row(first, "tides.txt")).to_be_visible()
        soon(test_drive.row(second, "tides.txt")).to_be_visible()
        first.by("upload-dismiss").click()
        test_drive.act(test_drive.row(first, "tides.txt"), "delete")
        test_drive.part(test_drive.row(first, "tides.txt"), "delete-confirm").click()
        expect(first.by("file")).to_have_count(0)
        soon(second.by("file")).to_have_count(0)
        first.by("amount").fill("1MB")
        first.by("add-storage").click()
        first.by("spend-confirm").click()
        expect(first.by("usage-text")).to_contain_text("of 2 MB used")
        soon(second.by("usage-text")).to_contain_text("of 2 MB used")

    def test_commands_and_the_page_of_the_accounts(self, tab, aquifer):
        page = tab("/drive")
        expect(page.by("drive-empty")).to_be_visible()
        account = self.create(aquifer)
        soon(page.by("account")).to_have_count(1)
        aquifer("drive", "add-storage", account, "1MB", "--yes")
        soon(page.by("account").locator('[data-test="usage-text"]')).to_contain_text("of 2 MB used")

    def test_commands_and_the_page_of_an_account(self, tab, aquifer, tmp_path):
        account = self.create(aquifer)
        page = tab(f"/drive/{account}")
        expect(page.by("upload")).to_be_visible()
        page.by("amount").fill("12")
        page.by("amount").press_sequentially("MB")
        (file,) = aquifer.json("drive", "upload", account, str(test_drive.text_file(tmp_path, "tides.txt")))
        soon(test_drive.row(page, "tides.txt")).to_be_visible()
        # Somebody who types is not disturbed.
        expect(page.by("amount")).to_be_focused()
        expect(page.by("amount")).to_have_value("12MB")
        aquifer("drive", "delete", file["location"], "--yes")
        soon(page.by("file")).to_have_count(0)
        expect(page.by("amount")).to_be_focused()

    def test_a_page_and_the_next_command(self, tab, aquifer, tmp_path):
        page = tab("/drive")
        test_drive.create(page)
        assert [account["identifier"] for account in aquifer.json("drive", "list", "--offline")] == ["Harbour papers"]
        test_drive.add(page, test_drive.text_file(tmp_path, "tides.txt"))
        account = page.page.url.rsplit("/", 1)[1]
        assert [file["fileName"] for file in aquifer.json("drive", "files", account, "--offline")] == ["tides.txt"]

    @staticmethod
    def create(aquifer):
        return aquifer.json("drive", "create", "Harbour papers", "1MB", "--yes")["shdwBucket"]


class TestSettings:
    KEPT = "foaas:settings"

    def test_two_tabs(self, tab):
        first, second, phrase = tab("/foaas/settings"), tab("/foaas/settings"), tab("/foaas")
        expect(second.by("palette-ink")).to_be_checked()
        first.by("palette-moss").check(force=True)
        soon(second.by("palette-moss")).to_be_checked()
        soon(phrase.by("screen-foaas")).to_have_attribute("data-palette", "moss")
        first.by("filter").click()
        expect(first.by("filter")).to_have_attribute("aria-checked", "false")
        soon(second.by("filter")).to_have_attribute("aria-checked", "false")

    def test_two_servers_on_one_folder(self, server, tab, aquifer):
        other = type(server)(server.data).start()
        try:
            first, second = tab("/foaas/settings"), tab("/foaas/settings", on=other)
            expect(second.by("palette-ink")).to_be_checked()
            first.by("palette-moss").check(force=True)
            soon(second.by("palette-moss")).to_be_checked()
            second.by("palette-tide").check(force=True)
            soon(first.by("palette-tide")).to_be_checked()
        finally:
            second.page.goto("about:blank")
            other.stop()

    def test_a_page_a_command_and_the_page(self, tab, aquifer):
        page = tab("/foaas/settings")
        page.by("palette-moss").check(force=True)
        page.until(lambda: self.KEPT in aquifer("cache", "list"), "the choice is kept")
        # Without them the settings are the initial ones.
        aquifer("cache", "clear", self.KEPT)
        soon(page.by("palette-ink")).to_be_checked()

    def test_the_theme_in_two_tabs_of_a_browser(self, server, tab):
        first = tab("/contacts")
        second = Probe(first.context, server)
        second.page.goto(server.base + "/contacts")
        second.by("settings-button").click()
        second.by("search").fill("mar")
        second.by("search").focus()
        first.by("settings-button").click()
        for theme in ("dark", "light"):
            first.by(f"theme-{theme}").check(force=True)
            soon(second.page.locator("html")).to_have_attribute("data-theme", theme)
        first.by("theme-auto").check(force=True)
        soon(second.page.locator("html[data-theme]")).to_have_count(0)
        second.by("settings-button").click()
        expect(second.by("theme-auto")).to_be_checked()
        expect(second.by("search")).to_have_value("mar")
