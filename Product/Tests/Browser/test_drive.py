"""Shadow Drive: accounts, a new one, one with its files, and a secret that no page ever sees."""

import json
import re
import threading
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from test_feed import AGE
from test_payments import tab_to

VECTOR = json.loads((Path(__file__).resolve().parents[1] / "AquiferShadowDriveTests/shadow-drive-vectors.json").read_text("utf-8"))["transactions"][
    "initialize_account2"]["rust_order"]["no_compute_budget"]
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


@pytest.fixture
def drive(server, open_page):
    """A tab at the accounts."""
    def drive(path="/drive", on=None, **options):
        page = open_page(on or server, path, wait=False, **options, fails=True)
        return page
    return drive


@pytest.fixture
def elsewhere(server, tmp_path):
    """The same owner's Aquifer on another machine, which has nothing in common with this one but the remotes."""
    data = tmp_path / "elsewhere"
    data.mkdir()
    (data / "reference").symlink_to(server.data / "reference", target_is_directory=True)
    other = type(server)(data)
    yield other
    other.stop()


def part(row, test):
    return row.locator(f'[data-test="{test}"]')


def create(page, name="Harbour papers", size="1MB"):
    """Makes an account and opens it."""
    page.page.goto(page.server.base + "/drive/new")
    page.by("create-name").fill(name)
    page.by("create-size").fill(size)
    # What is created costs what was shown.
    expect(page.by("cost")).to_contain_text("SHDW")
    page.by("create").click()
    expect(page.by("created")).to_be_visible()
    page.by("to-account").click()
    expect(page.by("upload")).to_be_visible()
    # The form that it came from stays in the page, hidden: from here on there is one screen.
    page.page.reload()
    expect(page.by("title")).to_have_text(name)
    expect(page.by("upload")).to_be_visible()


def text_file(folder, name="note.txt", size=2048):
    path = folder / name
    path.write_bytes((b"Low tide at six. " * (size // 17 + 1))[:size])
    return path


def add(page, *files):
    page.by("upload-input").set_input_files(list(files))
    expect(page.by("upload-results")).to_be_visible()


def row(page, name):
    return page.page.locator(f'[data-test="file"][data-name="{name}"]')


def act(row, test):
    """Chooses from the menu of a file."""
    part(row, "file-menu").click()
    part(row, test).click()


def choose(page, test):
    """Chooses from the menu of the account."""
    page.by("account-menu").click()
    page.by(test).click()


def requests(page):
    return page.transfers("drive")["requests"]


def drop(page, files):
    data = page.page.evaluate_handle(
        "(files) => { const data = new DataTransfer(); for (const [name, text] of files) data.items.add(new File([text], name, { type: 'text/plain' })); return data; }",
        files)
    for kind in ("dragenter", "dragover", "drop"):
        page.by("screen-drive-account").dispatch_event(kind, {"dataTransfer": data})


class TestTheAccounts:
    def test_without_any_it_offers_to_make_one(self, drive):
        page = drive()
        expect(page.by("drive-empty")).to_be_visible()
        expect(page.by("owner")).to_have_text(re.compile(r"^[1-9A-HJ-NP-Za-km-z]{32,44}$"))
        page.by("drive-empty-action").click()
        expect(page.by("create-form")).to_be_visible()

    def test_they_have_name_and_usage(self, drive, tmp_path):
        page = drive()
        create(page, size="4KB")
        add(page, text_file(tmp_path, size=3072))
        page.by("back").click()
        page.page.goto(page.server.base + "/drive")
        account = page.by("account").first
        expect(part(account, "account-name")).to_have_text("Harbour papers")
        expect(part(account, "usage-text")).to_contain_text("3 KB of 4 KB used")
        expect(part(account, "usage-bar")).to_have_attribute("aria-valuenow", "75")
        expect(part(account, "immutable-badge")).to_be_hidden()
        expect(page.by("drive-total")).to_contain_text("3 KB of 4 KB used")

    def test_bars_stand_in_while_they_load(self, stopped_server, drive):
        page = drive(on=stopped_server.start("--fault", "drive=slow"))
        expect(page.by("skeleton").first).to_be_visible()
        expect(page.by("drive-empty")).to_be_visible()
        expect(page.by("skeleton")).to_have_count(0)

    def test_offline_they_are_the_saved_ones_with_their_age(self, drive):
        page = drive()
        create(page)
        page.page.goto(page.server.base + "/drive")
        expect(page.by("account")).to_have_count(1)
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_contain_text(AGE)
        expect(page.by("account")).to_have_count(1)

    def test_a_new_one_is_listed_without_the_network(self, drive):
        page = drive()
        create(page)
        page.connection("offline")
        page.page.goto(page.server.base + "/drive")
        expect(page.by("account")).to_have_count(1)
        expect(page.by("notice")).to_be_visible()

    def test_offline_and_without_a_copy_it_says_so_and_tries_again(self, stopped_server, drive):
        page = drive(on=stopped_server.start("--fault", "drive=offline"))
        expect(page.by("drive-failed")).to_be_visible()
        expect(page.by("error-banner")).to_have_count(0)
        page.connection("slow")
        page.by("drive-failed-action").click()
        expect(page.by("drive-empty")).to_be_visible()

    def test_it_is_in_the_navigation_after_the_clips(self, drive):
        page = drive()
        expect(page.by("nav-drive")).to_have_attribute("aria-current", "page")
        names = page.evaluate("[...document.querySelectorAll('#nav a')].map((a) => a.dataset.name)")
        assert names.index("drive") == names.index("audio") + 1

    def test_the_accounts_outlive_the_server_with_their_key(self, stopped_server, drive):
        page = drive(on=stopped_server.start())
        create(page)
        page.page.goto("about:blank")
        stopped_server.stop()
        again = drive(on=stopped_server.start())
        expect(again.by("account")).to_have_count(1)

    def test_a_key_file_that_others_may_read_is_not_used(self, stopped_server, drive, tmp_path):
        key = tmp_path / "key.json"
        key.write_text("[1]")
        key.chmod(0o644)
        page = drive(on=stopped_server.start("--keypair", str(key)))
        expect(page.by("drive-key")).to_contain_text("chmod 600")
        page.page.goto(page.server.base + "/drive/new")
        expect(page.by("drive-key")).to_be_visible()
        expect(page.by("create-form")).to_be_hidden()


class TestMakingOne:
    def test_the_cost_is_shown_while_the_size_is_typed(self, drive):
        page = drive("/drive/new")
        page.by("create-size").fill("1GB")
        expect(page.by("cost")).to_have_text("Costs 0.25 SHDW")
        page.by("create-size").fill("2GB")
        expect(page.by("cost")).to_have_text("Costs 0.5 SHDW")

    @pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
    def test_nothing_moves_the_button_when_the_price_comes(self, stopped_server, drive, phone):
        page = drive("/drive/new", on=stopped_server.start("--fault", "drive=slow"), phone=phone)
        page.by("create-name").fill("Still")
        page.by("create-size").fill("1GB")
        expect(page.by("cost")).to_be_visible()
        before = page.by("create").bounding_box()
        assert page.by("balance").is_hidden()
        expect(page.by("cost")).to_contain_text("0.25")
        expect(page.by("balance")).to_be_visible()
        assert page.by("create").bounding_box() == before

    def test_without_the_price_it_says_so_and_works_all_the_same(self, stopped_server, drive):
        page = drive("/drive/new", on=stopped_server.start("--fault", "drive=failing"))
        page.by("create-size").fill("1GB")
        expect(page.by("cost")).to_have_text("The price isn’t available right now.")

    def test_what_is_wrong_is_said_at_its_field(self, drive):
        page = drive("/drive/new")
        page.by("create").click()
        expect(page.by("name-error")).to_be_visible()
        expect(page.by("create-name")).to_be_focused()
        page.by("create-name").fill("n" * 65)
        expect(page.by("name-error")).to_contain_text("65 bytes")
        page.by("create-size").fill("12 parsecs")
        expect(page.by("size-error")).to_contain_text("KB, MB or GB")
        page.by("create-size").fill("2000GB")
        expect(page.by("size-error")).to_contain_text("1024 GB")
        expect(page.by("create-size")).to_have_attribute("aria-invalid", "true")
        page.by("create-size").fill("10MB")
        expect(page.by("size-error")).to_be_hidden()
        assert "create" not in page.intents

    def test_it_shows_how_far_it_is(self, stopped_server, drive):
        page = drive("/drive/new", on=stopped_server.start("--fault", "drive=slow"))
        page.by("create-name").fill("Slow")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.by("create").click()
        expect(page.by("step")).to_be_visible()
        expect(page.by("create")).to_have_attribute("aria-disabled", "true")
        page.connection("online")
        expect(page.by("created")).to_be_visible()
        expect(page.by("title").locator("visible=true")).to_have_text("Account created")
        expect(page.page).to_have_title("Account created · Aquifer")
        expect(page.by("created-address")).to_have_text(re.compile(r"^[1-9A-HJ-NP-Za-km-z]{32,44}$"))

    def test_a_double_press_makes_one(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Once")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.by("create").dblclick()
        expect(page.by("created")).to_be_visible()
        posted = [r for r in requests(page) if r["path"].endswith("/storage-account")]
        assert len(posted) == 1

    def test_leaving_does_not_stop_it(self, stopped_server, drive):
        page = drive("/drive/new", on=stopped_server.start("--fault", "drive=slow"))
        page.by("create-name").fill("Left alone")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.by("create").click()
        expect(page.by("step")).to_be_visible()
        page.by("nav-foaas").click()
        page.connection("online")
        def made():
            page.by("nav-drive").click()
            page.by("reload").click()
            return page.by("account").count() == 1
        page.until(made, "the account is there")

    def test_a_failure_is_told_and_can_be_tried_again(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Later")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.connection("offline")
        page.by("create").click()
        expect(page.by("create-failed")).to_contain_text("connection")
        expect(page.by("create-name")).to_have_value("Later")
        page.connection("online")
        page.by("create").click()
        expect(page.by("created")).to_contain_text("Later")

    def test_an_answer_that_is_lost_leads_to_the_list(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Who knows")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.connection("answer-lost")
        page.by("create").click()
        expect(page.by("create-failed")).to_contain_text("may have happened")
        page.connection("online")
        page.by("look").click()
        expect(page.by("account")).to_have_count(1)

    def test_the_page_loaded_again_begins_with_the_form(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Q")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.by("create").click()
        expect(page.by("created")).to_be_visible()
        page.page.reload()
        expect(page.by("create-form")).to_be_visible()
        expect(page.by("created")).to_have_count(0)
        expect(page.by("create-name")).to_have_value("")

    def test_with_the_keyboard_alone(self, drive):
        page = drive()
        expect(page.by("drive-empty")).to_be_visible()
        tab_to(page, "drive-empty-action")
        page.page.keyboard.press("Enter")
        tab_to(page, "create-name")
        page.page.keyboard.type("By hand")
        page.page.keyboard.press("Tab")
        page.page.keyboard.type("5MB")
        page.page.keyboard.press("Enter")
        expect(page.by("created")).to_be_visible()
        page.until(lambda: page.evaluate("document.activeElement.localName") == "h2", "the heading has the focus")
        tab_to(page, "to-account")
        page.page.keyboard.press("Enter")
        expect(page.by("screen-drive-account").locator("h1")).to_have_text("By hand")


class TestOneAccount:
    def test_files_come_are_replaced_and_go_storage_grows_and_shrinks_and_all_is_sealed(self, drive, tmp_path):
        page = drive()
        create(page)
        one, two = text_file(tmp_path, "tides.txt", 2048), text_file(tmp_path, "maré #1 ?.txt", 4096)
        add(page, one, two)
        expect(page.by("upload-verdict")).to_have_text("All 2 files were stored.")
        expect(page.by("file")).to_have_count(2)
        expect(part(row(page, "tides.txt"), "file-size")).to_have_text("2 KB")
        expect(page.by("usage-text")).to_contain_text("6 KB of 1 MB used")
        page.by("upload-dismiss").click()
        expect(page.by("upload-results")).to_have_count(0)

        with page.page.expect_file_chooser() as chooser:
            act(row(page, "tides.txt"), "replace")
        chooser.value.set_files(text_file(tmp_path, "another.txt", 8192))
        expect(part(row(page, "tides.txt"), "file-size")).to_have_text("8 KB")
        expect(page.by("toast").first).to_contain_text("tides.txt was replaced")
        expect(page.by("file")).to_have_count(2)

        act(row(page, "maré #1 ?.txt"), "delete")
        expect(part(row(page, "maré #1 ?.txt"), "delete-cancel")).to_be_focused()
        page.page.keyboard.press("Escape")
        expect(part(row(page, "maré #1 ?.txt"), "file-menu")).to_be_focused()
        assert "delete" not in page.intents
        act(row(page, "maré #1 ?.txt"), "delete")
        part(row(page, "maré #1 ?.txt"), "delete-confirm").click()
        expect(page.by("file")).to_have_count(1)

        page.by("amount").fill("1GB")
        expect(page.by("amount-cost")).to_have_text("Costs 0.25 SHDW")
        page.by("amount").fill("1MB")
        page.by("add-storage").click()
        page.by("spend-confirm").click()
        expect(page.by("usage-text")).to_contain_text("of 2 MB used")
        expect(page.by("amount")).to_have_value("")
        page.by("amount").fill("512KB")
        page.by("reduce-storage").click()
        expect(page.by("usage-text")).to_contain_text("of 1.5 MB used")
        page.by("amount").fill("9GB")
        page.by("reduce-storage").click()
        expect(page.by("manage-problem")).to_contain_text("is free")
        page.page.keyboard.press("Escape")
        expect(page.by("manage-problem")).to_be_hidden()
        page.by("amount").fill("much")
        page.by("add-storage").click()
        expect(page.by("amount-error")).to_be_visible()

        choose(page, "immutable-open")
        expect(page.by("typed")).to_be_focused()
        page.by("typed").fill("harbour papers")
        expect(page.by("immutable-confirm")).to_have_attribute("aria-disabled", "true")
        page.page.keyboard.press("Enter")
        expect(page.by("immutable-form")).to_be_visible()
        assert "makeImmutable" not in page.intents
        page.by("typed").fill("Harbour papers")
        page.by("immutable-confirm").click()
        expect(page.by("immutable-badge")).to_be_visible()
        for gone in ("replace", "delete", "reduce-storage", "immutable-open", "deletion-open"):
            expect(page.by(gone).locator("visible=true")).to_have_count(0)
        page.by("file-menu").click()
        expect(page.by("download")).to_be_visible()
        page.page.keyboard.press("Escape")
        # New files are taken, and none that is there is replaced.
        add(page, text_file(tmp_path, "new.txt"))
        expect(page.by("file")).to_have_count(2)
        page.by("upload-input").set_input_files([text_file(tmp_path, "new.txt", 4096)])
        expect(page.by("twice-keep")).to_be_visible()
        expect(page.by("twice-replace")).to_have_count(0)
        page.by("twice-keep").click()
        expect(part(row(page, "new.txt"), "file-size")).to_have_text("2 KB")
        page.by("amount").fill("1MB")
        page.by("add-storage").click()
        page.by("spend-confirm").click()
        expect(page.by("usage-text")).to_contain_text("of 2.5 MB used")
        page.by("back").click()
        page.page.goto(page.server.base + "/drive")
        expect(page.by("immutable-badge")).to_be_visible()

    def test_an_account_is_deleted_kept_after_all_and_its_tokens_are_claimed(self, drive):
        page = drive()
        create(page, size="2GB")
        expect(page.by("balance").locator("visible=true")).to_contain_text("9,999.5\u00a0SHDW")
        choose(page, "deletion-open")
        page.by("deletion-typed").fill("Harbour paper")
        expect(page.by("deletion-confirm")).to_have_attribute("aria-disabled", "true")
        page.page.keyboard.press("Enter")
        assert "deleteAccount" not in page.intents
        page.by("deletion-typed").fill("Harbour papers")
        page.by("deletion-confirm").click()
        expect(page.by("keep-account-text")).to_be_visible()
        expect(page.by("deletion-open")).to_have_count(0)
        page.by("keep-account").click()
        expect(page.by("deletion-open")).to_have_count(1)
        expect(page.by("claim")).to_be_hidden()
        page.by("amount").fill("1GB")
        page.by("reduce-storage").click()
        expect(page.by("claim")).to_be_visible()
        page.by("claim").click()
        expect(page.by("claim")).to_be_hidden()
        expect(page.by("balance").locator("visible=true")).to_contain_text("9,999.75\u00a0SHDW")

    def test_what_did_not_work_is_said_beside_what_was_pressed(self, drive):
        page = drive(phone=True)
        create(page)
        page.by("amount").fill("9GB")
        page.by("reduce-storage").click()
        problem = page.by("manage-problem")
        expect(problem).to_contain_text("Only 1 MB is free.".replace(" MB", "\u00a0MB"))
        expect(problem).to_be_in_viewport()
        expect(page.by("error-banner")).to_have_count(0)
        assert part(page.by("manage"), "amount").evaluate("(amount) => amount.closest('.field').contains(document.querySelector('[data-test=manage-problem]'))")
        # What is changed or tried again is not wrong yet.
        page.by("amount").fill("9GBx")
        expect(problem).to_be_hidden()
        page.by("amount").fill("8GB")
        page.by("reduce-storage").click()
        expect(problem).to_be_visible()
        page.by("amount").fill("much")
        page.by("reduce-storage").click()
        expect(page.by("amount-error")).to_be_visible()
        expect(problem).to_be_hidden()
        page.by("amount").fill("8GB")
        page.by("reduce-storage").click()
        expect(problem).to_be_visible()
        page.page.keyboard.press("Escape")
        expect(problem).to_be_hidden()

    def test_what_did_not_work_with_an_offer_or_an_end_is_said_there(self, drive):
        page = drive(phone=True)
        create(page)
        page.connection("offline")
        choose(page, "deletion-open")
        page.by("deletion-typed").fill("Harbour papers")
        page.by("deletion-confirm").click()
        problem = page.by("manage-problem")
        expect(problem).to_contain_text("connection")
        expect(problem).to_be_in_viewport()
        assert problem.evaluate("(problem) => problem.previousElementSibling.dataset.test") == "manage-title"
        page.connection("online")
        choose(page, "deletion-open")
        page.by("deletion-typed").fill("Harbour papers")
        page.by("deletion-confirm").click()
        expect(page.by("keep-account")).to_be_visible()
        expect(problem).to_be_hidden()
        page.connection("offline")
        page.by("keep-account").click()
        expect(problem).to_contain_text("connection")
        assert problem.evaluate("(problem) => problem.parentElement.querySelector('[data-test=keep-account]') !== null && problem.closest('.drive-offer') !== null")
        expect(page.by("error-banner")).to_have_count(0)

    def test_an_account_that_is_to_be_deleted_says_so_at_its_top_and_is_not_made_immutable(self, drive):
        page = drive()
        create(page)
        expect(page.by("immutable-open")).to_have_count(1)
        expect(page.by("deletion-badge").locator("visible=true")).to_have_count(0)
        choose(page, "deletion-open")
        page.by("deletion-typed").fill("Harbour papers")
        page.by("deletion-confirm").click()
        expect(page.by("deletion-badge").locator("visible=true")).to_have_text("Being deleted")
        expect(page.by("immutable-open")).to_have_count(0)

    def test_the_focus_stays_where_something_was_done(self, drive, tmp_path):
        page = drive()
        create(page, size="2MB")
        add(page, text_file(tmp_path))
        page.by("upload-dismiss").click()
        tab_to(page, "file-menu")
        page.page.keyboard.press("Enter")
        for _ in range(2):
            page.page.keyboard.press("ArrowDown")
        expect(page.by("delete")).to_be_focused()
        page.page.keyboard.press("Enter")
        page.by("delete-confirm").focus()
        page.page.keyboard.press("Enter")
        expect(page.by("file")).to_have_count(0)
        expect(page.by("upload")).to_be_focused()

        def confirm(test, typed):
            choose(page, f"{test}-open")
            page.by(typed).fill("Harbour papers")
            page.page.keyboard.press("Enter")

        title = page.by("manage-title")
        confirm("deletion", "deletion-typed")
        expect(page.by("keep-account")).to_be_visible()
        expect(title).to_be_focused()
        page.by("keep-account").click()
        expect(page.by("keep-account")).to_be_hidden()
        expect(title).to_be_focused()
        page.by("amount").fill("1MB")
        page.by("reduce-storage").click()
        page.by("claim").click()
        expect(page.by("claim")).to_be_hidden()
        expect(title).to_be_focused()
        confirm("immutable", "typed")
        expect(page.by("immutable-badge").locator("visible=true")).to_be_visible()
        expect(title).to_be_focused()

    @pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
    def test_what_has_nothing_to_say_takes_no_room(self, drive, phone):
        page = drive("/drive/new", phone=phone)
        gap = """([above, below]) => document.querySelector(`[data-test=${below}]`).getBoundingClientRect().top
            - document.querySelector(`[data-test=${above}]`).getBoundingClientRect().bottom"""
        expect(page.by("balance")).to_be_visible()
        assert page.evaluate(gap, ["cost", "create"]) <= 24
        create(page)
        assert page.evaluate(gap, ["drop-zone", "manage"]) <= 32

    def test_files_are_dropped(self, drive):
        page = drive()
        create(page)
        drop(page, [["a.txt", "one"], ["b.txt", "two"], ["c.txt", "three"], ["d.txt", "4"], ["e.txt", "5"], ["f.txt", "6"]])
        expect(page.by("upload-verdict")).to_have_text("All 6 files were stored.")
        expect(page.by("file")).to_have_count(6)

    def test_files_that_come_during_an_upload_wait_for_their_turn(self, drive):
        page = drive()
        create(page)
        drop(page, [["a.txt", "one"]])
        drop(page, [["b.txt", "two"]])
        drop(page, [["c.txt", "three"]])
        expect(page.by("file")).to_have_count(3)

    def test_what_is_there_already_is_asked_about(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path, "a.txt", 1024))
        page.by("upload-dismiss").click()
        page.by("upload-input").set_input_files([text_file(tmp_path, "a.txt", 5120), text_file(tmp_path, "b.txt", 1024)])
        expect(page.by("twice")).to_contain_text("a.txt is already there")
        expect(page.by("twice-keep")).to_be_focused()
        page.by("twice-keep").click()
        expect(page.by("file")).to_have_count(2)
        expect(part(row(page, "a.txt"), "file-size")).to_have_text("1 KB")
        page.by("upload-input").set_input_files([tmp_path / "a.txt"])
        page.by("twice-replace").click()
        expect(part(row(page, "a.txt"), "file-size")).to_have_text("5 KB")

    def test_only_what_was_asked_about_is_replaced(self, drive, elsewhere, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path, "a.txt", 1024))
        page.by("upload-dismiss").click()
        # The owner adds a file on another machine: this page does not know of it, and does not ask about it.
        other = drive(page.page.url[len(page.server.base):], on=elsewhere.start())
        expect(other.by("file")).to_have_count(1)
        add(other, text_file(tmp_path, "b.txt", 1024))
        page.by("upload-input").set_input_files([text_file(tmp_path, "a.txt", 5120), text_file(tmp_path, "b.txt", 5120)])
        expect(page.by("twice")).to_contain_text("a.txt is already there")
        page.by("twice-replace").click()
        expect(page.by("upload-verdict")).to_have_text("1 of 2 files were stored.")
        expect(page.by("upload-failure")).to_contain_text("b.txt")
        expect(part(row(page, "a.txt"), "file-size")).to_have_text("5 KB")
        expect(part(row(page, "b.txt"), "file-size")).to_have_text("1 KB")

    def test_a_bad_file_does_not_stop_the_others(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path, "good.txt"), text_file(tmp_path, "com,ma.txt"))
        expect(page.by("upload-verdict")).to_have_text("1 of 2 files were stored.")
        expect(page.by("upload-failure")).to_contain_text("com,ma.txt")
        expect(page.by("file")).to_have_count(1)

    def test_a_file_that_cannot_be_handed_over_does_not_stop_the_others(self, drive, tmp_path):
        page = drive()
        create(page)
        page.page.route("**/api/screens/drive-account/file?*bad.txt*", lambda route: route.fulfill(
            status=422, content_type="application/json", body='{"error":{"kind":"file","message":"no"}}'))
        add(page, text_file(tmp_path, "a.txt"), text_file(tmp_path, "bad.txt"), text_file(tmp_path, "c.txt"))
        expect(page.by("upload-verdict")).to_have_text("2 of 3 files were stored.")
        expect(page.by("upload-failure")).to_have_count(1)
        expect(page.by("upload-failure")).to_contain_text("A file can’t be called “bad.txt”.")
        expect(page.by("file")).to_have_count(2)
        page.by("upload-dismiss").click()
        expect(page.by("upload-results")).to_have_count(0)
        # None of these comes to the server: there is nothing to send, and both are told.
        add(page, text_file(tmp_path, "bad.txt"), text_file(tmp_path, "not bad.txt"))
        expect(page.by("upload-verdict")).to_have_text("0 of 2 files were stored.")
        page.by("upload-dismiss").click()
        # One alone is told beside the button.
        page.by("upload-input").set_input_files([tmp_path / "bad.txt"])
        expect(page.by("upload-error")).to_have_text("A file can’t be called “bad.txt”.")

    def test_more_files_than_are_taken_at_once_are_told_before_any_is_read(self, drive):
        page = drive()
        create(page)
        drop(page, [[f"{number}.txt", "x"] for number in range(201)])
        expect(page.by("upload-error")).to_have_text("You chose 201 files, and 200 is the most at once. Add fewer at a time.")
        expect(page.by("upload-results")).to_have_count(0)
        expect(page.by("file")).to_have_count(0)

    def test_what_does_not_fit_is_told(self, drive, tmp_path):
        page = drive()
        create(page, size="2KB")
        add(page, text_file(tmp_path, "large.bin", 4096))
        expect(page.by("upload-failure")).to_contain_text("large.bin")
        expect(page.by("file")).to_have_count(0)

    def test_what_was_stored_is_no_news_after_the_page_was_loaded_again(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        page.page.reload()
        expect(page.by("file")).to_have_count(1)
        page.until(lambda: "dismissUpload" in page.intents, "it is dismissed")
        expect(page.by("upload-results")).to_have_count(0)

    def test_what_does_not_fit_is_not_sent_and_is_told_in_the_users_words(self, drive, tmp_path):
        page = drive(locale="pt-BR")
        create(page, size="2KB")
        before = len(requests(page))
        add(page, text_file(tmp_path, "large.bin", 4096))
        expect(page.by("upload-verdict")).to_have_text("O arquivo não foi guardado.")
        expect(page.by("upload-failure")).to_have_text(re.compile(r"^large.binNão cabe: só 2\sKB estão livres.$"))
        assert [r for r in requests(page)[before:] if "upload" in r["path"]] == []

    def test_progress_is_shown_and_can_be_stopped(self, drive, tmp_path):
        page = drive()
        create(page, size="1GB")
        page.connection("slow")
        page.page.set_viewport_size({"width": 390, "height": 800})
        page.by("upload-input").set_input_files(text_file(tmp_path, "big.bin", 30_000_000))
        expect(page.by("upload-percent")).to_have_text(re.compile(r"^\d+\s%$"))
        expect(page.by("upload-progress")).to_be_visible()
        # The percentage stands on one line.
        assert page.by("upload-percent").evaluate("(e) => e.getBoundingClientRect().height < 2 * parseFloat(getComputedStyle(e).lineHeight)")
        expect(page.by("upload-rate")).to_have_text(re.compile(r"^[\d.]+\s[KM]?B/s · \d+ (second|minute)s? left$"))
        page.by("upload-stop").click()
        page.connection("online")
        expect(page.by("upload-results")).to_be_visible()
        expect(page.by("upload-failure")).to_contain_text("big.bin")
        page.by("reload").click()
        expect(page.by("file")).to_have_count(0)

    def test_a_file_is_downloaded_as_it_is(self, drive, tmp_path):
        page = drive()
        create(page)
        file = text_file(tmp_path, "maré (2) 100%.txt", 70_000)
        add(page, file)
        with page.page.expect_download() as download:
            act(page.by("file").first, "download")
        assert download.value.suggested_filename == "maré (2) 100%.txt"
        assert open(download.value.path(), "rb").read() == file.read_bytes()

    def test_a_file_is_never_shown_as_a_page_of_ours(self, drive, tmp_path):
        page = drive()
        create(page)
        path = tmp_path / "evil.html"
        path.write_text("<script>alert(1)</script>")
        add(page, path)
        answer = page.context.request.get(page.server.base + part(page.by("file").first, "download").get_attribute("href"))
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("sandbox;")

    def test_the_names_on_the_server_are_shown_and_compared_with_the_list(self, drive, elsewhere, tmp_path):
        page = drive()
        create(page)
        expect(page.by("objects-ask")).to_have_text("Verify files")
        choose(page, "objects-ask")
        expect(page.by("objects-text")).to_have_text("No file on the server. It matches the list above.")
        add(page, text_file(tmp_path, "here.txt"))
        expect(page.by("objects-text")).to_have_text("")
        choose(page, "objects-ask")
        expect(page.by("objects-text")).to_have_text("1 file on the server. It matches the list above.")
        expect(page.by("objects-name")).to_have_text("here.txt")
        expect(page.by("objects-new")).to_be_hidden()
        # The owner changes what is there on another machine: this page has its list of before.
        other = drive(page.page.url[len(page.server.base):], on=elsewhere.start())
        expect(other.by("file")).to_have_count(1)
        add(other, text_file(tmp_path, "new.txt"))
        act(row(other, "here.txt"), "delete")
        part(row(other, "here.txt"), "delete-confirm").click()
        expect(row(other, "here.txt")).to_have_count(0)
        choose(page, "objects-ask")
        expect(page.by("objects-text")).to_have_text("1 file on the server. Not on the server, but in the list above: here.txt.")
        expect(page.by("objects-new")).to_have_text("not in the list above")
        page.by("objects-dismiss").click()
        expect(page.by("objects-names")).to_be_hidden()
        expect(page.by("account-menu")).to_be_focused()

    def test_names_that_cannot_be_loaded_are_told_and_asked_for_again(self, drive):
        page = drive()
        create(page)
        page.connection("offline")
        choose(page, "objects-ask")
        expect(page.by("objects-error")).to_contain_text("The server’s file names couldn’t be loaded. You’re offline.")
        page.connection("online")
        choose(page, "objects-ask")
        expect(page.by("objects-text")).to_contain_text("No file on the server.")
        expect(page.by("objects-error")).to_be_hidden()

    def test_offline_the_files_are_the_saved_ones_with_their_age(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        page.by("reload").click()
        expect(page.by("file")).to_have_count(1)
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_contain_text(AGE)
        expect(page.by("file")).to_have_count(1)
        act(page.by("file").first, "delete")
        part(page.by("file").first, "delete-confirm").click()
        expect(part(page.by("file").first, "file-problem")).to_contain_text("connection")
        expect(page.by("file")).to_have_count(1)
        page.connection("online")
        act(page.by("file").first, "delete")
        part(page.by("file").first, "delete-confirm").click()
        expect(page.by("file")).to_have_count(0)

    def test_an_address_that_is_none_says_so(self, drive):
        page = drive("/drive/not-an-address")
        expect(page.by("drive-missing")).to_be_visible()
        page.by("drive-missing-action").click()
        expect(page.by("drive-empty")).to_be_visible()

    def test_an_address_without_an_account_fails_calmly(self, drive):
        page = drive("/drive/11111111111111111111111111111112")
        expect(page.by("account-failed")).to_be_visible()

    def test_files_of_a_page_that_is_not_the_owners_are_refused(self, drive):
        page = drive()
        answer = page.ask(
            "/api/screens/drive-account/file?tab=t&account=11111111111111111111111111111112&name=x&batch=1", "POST", data=b"x")
        assert answer.status == 409
        for name in ("..", "a%2Fb", ""):
            answer = page.ask(f"/api/screens/drive-account/file?tab=t&account=1&name={name}&batch=1", "POST", data=b"x")
            assert answer.status == 422, name
        assert not [p for p in (page.server.data / "uploads").rglob("*") if p.is_file()]

    def test_nothing_handed_over_stays_behind(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path, "a.txt"), text_file(tmp_path, "b,c.txt"))
        page.until(lambda: not [p for p in (page.server.data / "uploads").rglob("*") if p.is_file()], "the copies are gone")

    def test_with_the_keyboard_alone(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        tab_to(page, "file-menu")
        page.page.keyboard.press("Enter")
        for _ in range(2):
            page.page.keyboard.press("ArrowDown")
        expect(page.by("delete")).to_be_focused()
        page.page.keyboard.press("Enter")
        tab_to(page, "delete-confirm")
        page.page.keyboard.press("Enter")
        expect(page.by("file")).to_have_count(0)
        page.evaluate("scrollTo(0, 0)")
        page.by("account-menu").focus()
        page.page.keyboard.press("ArrowDown")
        expect(page.by("objects-ask")).to_be_focused()
        page.page.keyboard.press("ArrowDown")
        page.page.keyboard.press("Enter")
        page.page.keyboard.type("Harbour papers")
        page.page.keyboard.press("Enter")
        expect(page.by("immutable-badge")).to_be_visible()


class TestATransactionFromElsewhere:
    def test_one_that_asks_for_something_is_read_back_before_it_is_sent(self, drive):
        page = drive("/drive/new")
        page.by("hand-open").click()
        page.by("hand-text").fill(VECTOR["transaction_base64"])
        # Its other signer is Shadow Drive's server: this one's has a key of its own, and says so.
        expect(page.by("hand-error")).to_be_visible()
        expect(page.by("hand-submit")).to_have_attribute("aria-disabled", "true")

    def test_what_is_no_transaction_is_said_and_nothing_is_sent(self, drive):
        page = drive("/drive/new")
        page.by("hand-open").click()
        expect(page.by("hand-text")).to_be_focused()
        page.by("hand-text").fill("bm9uZQ==")
        expect(page.by("hand-error")).to_be_visible()
        expect(page.by("hand-submit")).to_have_attribute("aria-disabled", "true")
        page.by("hand-submit").click(force=True)  # a click on what looks disabled does nothing
        assert "handOver" not in page.intents


    def test_what_is_missing_or_failed_is_said_beside_its_field(self, drive):
        page = drive("/drive/new")
        page.by("hand-open").click()
        page.by("hand-submit").click(force=True)
        expect(page.by("hand-error")).to_have_text("Paste the signed transaction first.")
        expect(page.by("hand-text")).to_be_focused()
        expect(page.by("hand-text")).to_have_attribute("aria-invalid", "true")
        page.by("hand-text").fill("AAAA")
        expect(page.by("hand-error")).to_contain_text("ends too early")
        page.by("hand-text").fill("")
        expect(page.by("hand-error")).to_be_hidden()


PICTURE = Path(__file__).resolve().parents[2] / "Sources/App/Public/icons/icon-192.png"


class TestAFileThatIsOpened:
    def test_a_text_is_shown_and_the_focus_comes_back(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        part(row(page, "note.txt"), "open-file").focus()
        page.page.keyboard.press("Enter")
        expect(page.by("preview-text")).to_contain_text("Low tide at six.")
        expect(page.by("preview-name")).to_have_text("note.txt")
        expect(page.by("preview-facts")).to_have_text("2\u00a0KB")
        expect(page.by("preview-part")).to_have_count(0)
        with page.page.expect_download() as download:
            page.by("preview-download").click()
        assert download.value.suggested_filename == "note.txt"
        page.page.keyboard.press("Escape")
        expect(page.by("preview")).to_be_hidden()
        expect(part(row(page, "note.txt"), "open-file")).to_be_focused()

    def test_of_a_long_text_the_beginning_is_shown(self, drive, tmp_path):
        page = drive()
        create(page, size="20MB")
        add(page, text_file(tmp_path, "long.log", 200_000), text_file(tmp_path, "huge.log", 9 << 20))
        for name in ("long.log", "huge.log"):
            part(row(page, name), "open-file").click()
            expect(page.by("preview-part")).to_contain_text("The first 64\u00a0KB of")
            assert len(page.by("preview-text").inner_text()) <= 65_536
            page.by("preview-close").click()

    def test_it_is_judged_by_the_bytes_that_came_and_not_by_the_list(self, drive, tmp_path):
        page = drive()
        create(page, size="20MB")
        answers = lambda body: lambda route: route.fulfill(body=body, content_type="application/octet-stream")
        add(page, text_file(tmp_path, "note.txt", 2048), text_file(tmp_path, "huge.log", 9 << 20), text_file(tmp_path, "none.txt", 0))
        for name, body in (("note.txt", ""), ("none.txt", "Low tide."), ("huge.log", "Low tide.")):
            page.page.route(f"**/files/{name}*", answers(body))
            part(row(page, name), "open-file").click()
            if body:
                expect(page.by("preview-text")).to_have_text(body)
                expect(page.by("preview-facts")).to_have_text("9\u00a0B")
            else:
                expect(page.by("preview-none")).to_have_text("This file is empty.")
            expect(page.by("preview-part")).to_have_count(0)
            page.by("preview-close").click()
        page.page.route("**/files/none.txt*", answers("Low tide. " * 10_240))
        part(row(page, "none.txt"), "open-file").click()
        expect(page.by("preview-part")).to_have_text("The first 64\u00a0KB of 100\u00a0KB")
        page.page.unroute_all()

    def test_a_program_does_not_look_like_a_picture(self, drive, tmp_path):
        page = drive()
        create(page)
        evil = "holiday-\u202egpj.exe"
        add(page, text_file(tmp_path, evil))
        page.by("open-file").click()
        expect(page.by("preview-name")).to_have_text("holiday-\ufffdgpj.exe")
        expect(page.by("preview-download")).to_have_attribute("download", "holiday-\ufffdgpj.exe")
        with page.page.expect_download() as download:
            page.by("preview-download").click()
        assert "\u202e" not in download.value.suggested_filename
        page.by("preview-close").click()
        expect(page.by("preview")).to_be_hidden()
        names = page.evaluate("[...document.querySelectorAll('.drive-account-screen *')].flatMap((e) => [e.title, e.download, e.ariaLabel, e.children.length ? '' : e.textContent])")
        assert not [name for name in names if name and "\u202e" in name]
        act(page.by("file").first, "delete")
        page.by("delete-confirm").click()
        expect(page.by("file")).to_have_count(0)

    def test_pages_and_drawings_are_text_and_run_nothing(self, drive, tmp_path):
        page = drive()
        create(page)
        evil = {"evil.html": "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">",
                "evil.svg": "<svg xmlns='http://www.w3.org/2000/svg' onload=\"document.title = 'run'\"><script>document.title = 'run'</script></svg>"}
        for name, text in evil.items():
            (tmp_path / name).write_text(text)
        add(page, *(tmp_path / name for name in evil))
        for name, text in evil.items():
            part(row(page, name), "open-file").click()
            expect(page.by("preview-text")).to_have_text(text)
            assert page.evaluate("document.querySelectorAll('.preview pre *, .preview iframe, .preview object, .preview embed').length") == 0
            page.by("preview-close").click()
        assert page.page.title() == "Harbour papers · Aquifer"

    def test_a_picture_is_shown_and_stands_in_the_list(self, drive):
        page = drive()
        create(page)
        add(page, PICTURE)
        thumbnail = part(row(page, "icon-192.png"), "thumbnail")
        page.until(lambda: thumbnail.evaluate("(e) => e.complete && e.naturalWidth") == 192, "the small picture is there")
        part(row(page, "icon-192.png"), "open-file").click()
        picture = page.by("preview-picture")
        page.until(lambda: picture.evaluate("(e) => e.complete && e.naturalWidth") == 192, "the picture is there")
        assert picture.get_attribute("alt") == "icon-192.png"
        page.fits("preview")

    def test_a_file_of_another_kind_has_its_facts_and_a_download(self, drive, tmp_path):
        page = drive()
        create(page)
        (tmp_path / "no.png").write_bytes(bytes(range(256)) * 8)
        add(page, tmp_path / "no.png")
        expect(part(row(page, "no.png"), "thumbnail")).to_have_count(0)  # it only claims to be a picture
        part(row(page, "no.png"), "open-file").click()
        expect(page.by("preview-none")).to_contain_text("no preview")
        expect(page.by("preview-facts")).to_contain_text("2\u00a0KB")
        expect(page.by("preview-download")).to_have_attribute("download", "no.png")

    def test_offline_it_is_the_saved_copy_or_says_that_there_is_none(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path, "seen.txt"), text_file(tmp_path, "unseen.txt"))
        part(row(page, "seen.txt"), "open-file").click()
        expect(page.by("preview-text")).to_be_visible()
        page.by("preview-close").click()
        page.connection("offline")
        part(row(page, "seen.txt"), "open-file").click()
        expect(page.by("preview-text")).to_contain_text("Low tide")
        expect(page.by("preview-facts")).to_contain_text("Saved")
        page.by("preview-close").click()
        part(row(page, "unseen.txt"), "open-file").click()
        expect(page.by("preview-failed")).to_contain_text("Not on this device")
        page.connection("online")
        page.by("preview-failed-action").click()
        expect(page.by("preview-text")).to_contain_text("Low tide")

    def test_leaving_the_page_closes_it(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        page.by("nav-drive").click()
        page.by("account-link").click()
        part(row(page, "note.txt"), "open-file").click()
        expect(page.by("preview-text")).to_be_visible()
        page.page.go_back()
        expect(page.by("account")).to_be_visible()
        expect(page.by("preview").locator("visible=true")).to_have_count(0)


class TestAMenu:
    def test_the_keys_go_through_it_and_the_focus_comes_back(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        page.by("file-menu").focus()
        expect(page.by("file-menu")).to_have_attribute("aria-haspopup", "menu")
        page.page.keyboard.press("Enter")
        expect(page.by("file-menu")).to_have_attribute("aria-expanded", "true")
        for key, item in (("", "download"), ("ArrowDown", "replace"), ("End", "delete"), ("ArrowDown", "download"), ("ArrowUp", "delete"), ("Home", "download")):
            if key:
                page.page.keyboard.press(key)
            expect(page.by(item)).to_be_focused()
        page.page.keyboard.press("Escape")
        expect(page.by("file-menu-panel")).to_be_hidden()
        expect(page.by("file-menu")).to_be_focused()
        page.page.keyboard.press("ArrowDown")
        expect(page.by("download")).to_be_focused()
        page.page.keyboard.press("Tab")
        expect(page.by("file-menu-panel")).to_be_hidden()

    def test_a_new_signature_of_the_addresses_leaves_it_open(self, drive, tmp_path):
        page = drive()
        create(page)
        add(page, text_file(tmp_path))
        page.by("file-menu").click()
        page.page.keyboard.press("ArrowDown")
        seen, asked = len(page.intents), len(requests(page))
        page.ask(f"/api/screens/drive-account/intents?tab={page.evaluate('sessionStorage.getItem(`aquifer.tab`)')}&account={page.page.url.rsplit('/', 1)[1]}",
                 "POST", data={"intent": "refresh"})
        page.until(lambda: len(requests(page)) > asked, "the account is asked for again")
        expect(page.by("progress")).to_be_hidden()
        page.frames()
        assert len(page.intents) == seen
        expect(page.by("replace")).to_be_focused()


@pytest.mark.parametrize("phone", [False, True], ids=["wide", "phone"])
def test_a_long_name_takes_two_lines_and_shows_its_ending(drive, tmp_path, phone):
    page = drive(phone=phone)
    create(page)
    long = "holiday " * 28 + "at the sea 2024.txt"
    hebrew = "\u05d7\u05d5\u05e4\u05e9\u05d4 1.txt"
    add(page, text_file(tmp_path, long), text_file(tmp_path, hebrew), text_file(tmp_path, "short.txt"))
    name = lambda file: part(row(page, file), "open-file").locator(".clamped-name")
    text = name(long).inner_text()
    assert "…" in text and text.endswith("2024.txt") and text.startswith("holiday")
    lines = "(e) => Math.round(e.clientHeight / parseFloat(getComputedStyle(e).lineHeight))"
    assert name(long).evaluate(lines) == 2 and name("short.txt").evaluate(lines) == 1
    assert name("short.txt").inner_text() == "short.txt"
    assert part(row(page, long), "open-file").get_attribute("aria-label") == f"Open {long}"
    assert name(hebrew).evaluate("(e) => getComputedStyle(e).unicodeBidi") == "plaintext"
    # It stands where the other names stand, beside its icon.
    assert name(hebrew).evaluate("(e) => { const range = new Range(); range.selectNodeContents(e); return range.getBoundingClientRect().left - e.getBoundingClientRect().left; }") < 2
    before = len(text)
    page.page.set_viewport_size({"width": 1900 if phone else 390, "height": 900})
    page.until(lambda: (len(name(long).inner_text()) > before) == phone and name(long).inner_text().endswith("2024.txt"), "it follows the width")
    page.fits("account")


@pytest.mark.parametrize("typed", ["5000GB", "1024GB"])
def test_more_than_an_account_may_have_is_refused_at_its_field(drive, typed):
    page = drive(phone=True)
    create(page)
    page.by("amount").fill(typed)
    page.by("add-storage").click()
    expect(page.by("amount-error")).to_contain_text("1024 GB at most")
    expect(page.by("amount-error")).to_be_in_viewport()
    expect(page.by("amount")).to_be_focused()
    expect(page.by("amount")).to_have_attribute("aria-invalid", "true")
    expect(page.by("spend")).to_be_hidden()
    expect(page.by("error-banner")).to_have_count(0)
    assert "addStorage" not in page.intents
    page.by("amount").fill("1MB")
    expect(page.by("amount-error")).to_be_hidden()


class TestTheSecret:
    def test_no_state_and_no_answer_holds_it(self, server, drive, tmp_path):
        seen = []
        page = drive()
        page.page.on("response", lambda response: seen.append(response))
        streams = []

        def listen(screen, query=""):
            """The stream itself: what a browser's own tools do not show."""
            request = urllib.request.Request(f"{server.base}/api/screens/{screen}/events?tab={tab}&lang=en{query}", headers=server.headers)
            stream = urllib.request.urlopen(request, timeout=60)

            def read():
                try:
                    for line in stream:
                        streams.append(line)
                except (OSError, ValueError, AttributeError):
                    pass  # the stream was closed from here
            threading.Thread(target=read, daemon=True).start()
            return stream

        tab = page.evaluate("sessionStorage.getItem('aquifer.tab')")
        open_streams = [listen("drive"), listen("drive-create")]
        create(page)
        account = page.page.url.rsplit("/", 1)[1]
        open_streams.append(listen("drive-account", f"&account={account}"))
        add(page, text_file(tmp_path, "a.txt"))
        act(page.by("file").first, "delete")
        part(page.by("file").first, "delete-confirm").click()
        expect(page.by("file")).to_have_count(0)
        page.by("amount").fill("1MB")
        page.by("add-storage").click()
        page.by("spend-confirm").click()
        expect(page.by("usage-text")).to_contain_text("of 2 MB used")
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_be_visible()
        page.until(lambda: any(b'"files"' in line for line in streams), "the account's stream was heard")

        key = server.data.parent / "config/aquifer/keys/drive.json"
        numbers = json.loads(key.read_text())
        assert len(numbers) == 64 and key.stat().st_mode & 0o777 == 0o600
        whole, seed = bytes(numbers), bytes(numbers[:32])
        secrets = [base58(whole), base58(seed), whole.hex(), seed.hex(), ",".join(map(str, numbers[:32])), ", ".join(map(str, numbers[:32]))]
        said = [b"".join(streams).decode(), page.page.content()]
        for response in seen:
            if "event-stream" in response.headers.get("content-type", ""):
                continue
            said.append(json.dumps(response.headers))
            try:
                said.append(response.body().decode("utf-8", "replace"))
            except Exception:  # a body that the page has left behind holds nothing for it either
                pass
        said += [p.read_bytes().decode("latin-1") for p in server.data.rglob("*") if p.is_file()]
        for text in said:
            for secret in secrets:
                assert secret not in text
        assert seed not in b"".join(p.read_bytes() for p in server.data.rglob("*") if p.is_file())
        assert base58(bytes(numbers[32:])) in said[0], "the search finds what is there: the address"


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = ALPHABET[rest] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


class TestLanguages:
    def test_all_is_said_in_portuguese_too(self, drive, tmp_path):
        page = drive(locale="pt-BR")
        expect(page.by("drive-empty")).to_contain_text("Nenhuma conta ainda")
        page.page.goto(page.server.base + "/drive/new")
        page.by("create-size").fill("1GB")
        expect(page.by("cost")).to_have_text("Custa 0,25 SHDW")
        expect(page.by("balance")).to_have_text("Você tem 10.000 SHDW · 1 SOL.")
        page.by("create-size").fill("x")
        page.by("create-name").focus()
        expect(page.by("size-error")).to_contain_text("como 1,5 MB")
        page.by("hand-open").click()
        page.by("hand-text").fill("AAAA")
        expect(page.by("hand-error")).to_have_text("A transação não está certa: ela termina cedo demais.")
        page.by("hand-text").fill(VECTOR["transaction_base64"])
        expect(page.by("hand-error")).to_contain_text("detalhe técnico, em inglês")
        page.by("hand-text").fill("")
        create(page, "Papéis do porto", "1,5MB")
        expect(page.by("usage-text")).to_contain_text("0 B de 1,5 MB em uso")
        page.by("amount").fill("9GB")
        page.by("reduce-storage").click()
        expect(page.by("manage-problem")).to_contain_text("Só 1,5 MB estão livres.")
        add(page, text_file(tmp_path))
        expect(page.by("upload-verdict")).to_have_text("O arquivo foi guardado.")
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_be_visible()
        portuguese = page.by("notice").inner_text()
        page.by("settings-button").click()
        page.by("language-en").click(force=True)
        # An amount is typed here, which loading the page again would lose.
        page.by("language-change").click()
        expect(page.by("notice")).not_to_have_text(portuguese)
        expect(page.by("usage-text")).to_contain_text("of 1.5 MB used")

    def test_both_tables_have_the_same_keys_in_the_same_order(self, drive):
        page = drive()
        en, pt = page.evaluate("""async () => {
            const load = async (name) => Object.keys(await (await fetch(`/assets/words/${name}.json`)).json());
            return [await load("en"), await load("pt-BR")]; }""")
        assert en == pt


def test_larger_text_does_not_make_the_phone_page_scroll_sideways(drive, tmp_path):
    page = drive(phone=True)
    create(page)
    add(page, text_file(tmp_path))
    choose(page, "immutable-open")
    page.fits("account", larger=True)
