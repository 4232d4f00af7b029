"""The pages say what is true: about a payment, a connection, a form, and what something costs."""

import json
import re

import pytest
from playwright.sync_api import expect

from helpers import SOON
from test_drive import choose, create, part, text_file
from test_drive import drive  # noqa: F401 (a fixture)
from test_payments import BAD, CODE, EXPIRY, GOOD, HOLDER, SPACE, add_card, enter, open_contact
from test_payments import wallet  # noqa: F401 (a fixture)

ALL_OFFLINE = [part for remote in ("feed", "payments", "foaas", "audio", "drive") for part in ("--fault", f"{remote}=offline")]
#: The first page of each app, the failure that stands on it without a connection, and what stands there with one.
APPS = {
    "/": ("failed", "feed-item"),
    "/contacts": ("contacts-failed", "contact"),
    "/foaas/operations": ("operations-failed", "operation"),
    "/audio": ("audio-failed", "clip"),
    "/drive": ("drive-failed", "drive-empty"),
}


def posts(page, remote="payments"):
    """The requests that have reached a remote and change something."""
    return [request for request in page.transfers(remote)["requests"] if request["method"] not in ("GET", "HEAD")]


def sees(locator):
    """The element is on the screen, not above or below it."""
    expect(locator).to_be_in_viewport(ratio=0.9)


def press(page, test):
    """A click as a user's, also where the button is not ready."""
    page.by(test).click(force=True)


def answer_lost(page, index=0, amount="1500"):
    """A payment whose answer is lost."""
    open_contact(page, index)
    page.connection("answer-lost")
    enter(page, amount)
    page.by("pay").click()
    expect(page.by("unknown")).to_be_visible()


class TestOffline:
    def test_a_payment_is_refused_before_it_begins_and_the_page_says_that_nothing_was_sent(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page)
        page.connection("offline")
        page.by("pay").click()
        expect(page.by("failed")).to_contain_text("Nothing was sent")
        expect(page.by("unknown")).to_have_count(0)
        assert posts(page) == []
        page.connection("online")
        page.by("again").click()
        page.by("code").press_sequentially(CODE)
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()

    def test_a_contact_that_could_not_be_loaded_is_not_called_missing(self, stopped_server, open_page):
        page = open_page(stopped_server.start(*ALL_OFFLINE), "/pay/1001", wait=False, fails=True)
        expect(page.by("pay-failed")).to_contain_text("offline")
        expect(page.by("pay-missing")).to_have_count(0)
        expect(page.by("error-banner")).to_have_count(0)
        page.by("pay-failed-action").click()
        expect(page.by("pay-failed")).to_be_visible()
        page.connection("online")
        expect(page.by("priming")).to_be_visible(timeout=SOON)


class TestOneFailure:
    @pytest.mark.parametrize("path", APPS)
    def test_it_is_told_once_and_goes_by_itself_when_the_connection_is_back(self, stopped_server, open_page, path):
        page = open_page(stopped_server.start(*ALL_OFFLINE), path, wait=False, fails=True)
        failure, content = APPS[path]
        expect(page.by(failure)).to_be_visible()
        expect(page.by(failure)).to_contain_text("You’re offline")
        expect(page.by("error-banner")).to_have_count(0)
        page.connection("online")
        expect(page.by(content).first).to_be_visible(timeout=SOON)
        expect(page.by(failure)).to_have_count(0)

    @pytest.mark.parametrize("path", ["/", "/contacts", "/foaas/operations", "/audio"])
    def test_a_notice_about_a_saved_copy_goes_by_itself_when_the_connection_is_back(self, server, open_page, path):
        page = open_page(server, path, wait=False, fails=True)
        expect(page.by(APPS[path][1]).first).to_be_visible()
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_contain_text("You’re offline")
        expect(page.by("error-banner")).to_have_count(0)
        page.connection("online")
        expect(page.by("notice")).to_have_count(0, timeout=SOON)

    def test_phrases_go_on_when_the_connection_is_back(self, server, open_page):
        page = open_page(server, "/foaas", wait=False, fails=True)
        expect(page.by("copy")).to_be_visible()
        page.connection("offline")
        page.by("phrase").click()
        expect(page.by("phrase-offline")).to_be_visible()
        page.connection("online")
        expect(page.by("phrase-offline")).to_have_count(0, timeout=SOON)
        expect(page.by("phrase")).to_be_visible()

    def test_an_account_of_the_drive_goes_on_when_the_connection_is_back(self, drive, tmp_path):
        page = drive()
        create(page)
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_be_visible()
        page.connection("online")
        expect(page.by("notice")).to_have_count(0, timeout=SOON)


class TestTheCardForm:
    @pytest.fixture
    def page(self, wallet):
        page = wallet("/cards/new")
        expect(page.by("card-number")).to_be_visible()
        return page

    def test_the_button_names_what_is_missing_and_leads_there(self, page):
        expect(page.by("save")).to_have_attribute("data-ready", "false")
        expect(page.by("save")).not_to_have_attribute("aria-disabled", "true")
        press(page, "save")
        expect(page.by("card-number-error")).to_have_text("Enter the card number.")
        expect(page.by("card-holder-error")).to_have_text("Enter the name on the card.")
        expect(page.by("card-expiry-error")).to_have_text("Enter the expiry date.")
        expect(page.by("card-number")).to_be_focused()

    def test_a_number_that_is_too_short_is_named_on_leaving_it(self, page):
        page.by("card-number").press_sequentially("4242")
        expect(page.by("card-number-error")).to_be_hidden()
        page.page.keyboard.press("Tab")
        expect(page.by("card-number-error")).to_have_text("That number is too short.")
        page.by("card-number").press_sequentially("424242424242")
        expect(page.by("card-number-error")).to_be_hidden()

    def test_a_date_that_has_passed_is_named_at_enter_and_gets_the_focus(self, page):
        page.by("card-number").press_sequentially(GOOD)
        page.by("card-expiry").press_sequentially("01/20")
        page.by("card-holder").fill(HOLDER)
        page.page.keyboard.press("Enter")
        expect(page.by("card-expiry-error")).to_have_text("This card has expired.")
        expect(page.by("card-expiry")).to_be_focused()
        page.by("card-expiry").fill(EXPIRY)
        page.page.keyboard.press("Enter")
        expect(page.by("screen-cards")).to_be_visible()


class TestThePayment:
    @pytest.fixture
    def page(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        return page

    def test_the_button_names_what_is_missing_and_leads_there(self, page):
        press(page, "pay")
        expect(page.by("amount-error")).to_have_text("Enter an amount.")
        expect(page.by("code-error")).to_have_text("Enter the security code.")
        expect(page.by("amount")).to_be_focused()
        page.by("amount").press_sequentially("500")
        expect(page.by("amount-error")).to_be_hidden()
        page.page.keyboard.press("Enter")
        expect(page.by("code")).to_be_focused()
        assert page.intents.count("pay") == 0

    def test_a_code_that_is_too_short_is_named_on_leaving_it_and_at_enter(self, page):
        page.by("amount").press_sequentially("500")
        page.by("code").press_sequentially("12")
        expect(page.by("code-error")).to_be_hidden()
        page.page.keyboard.press("Enter")
        expect(page.by("code-error")).to_have_text("This card’s security code has 3 digits.")
        expect(page.by("code")).to_be_focused()
        page.by("code").fill("")
        page.by("code").press_sequentially("73")
        expect(page.by("code-error")).to_be_hidden()
        page.by("amount").focus()
        expect(page.by("code-error")).to_have_text("This card’s security code has 3 digits.")
        page.by("code").press_sequentially("9")
        expect(page.by("code-error")).to_be_hidden()

    def test_an_amount_above_the_limit_says_so(self, page):
        page.by("code").press_sequentially(CODE)
        page.by("amount").press_sequentially("100000001")
        press(page, "pay")
        expect(page.by("amount-error")).to_contain_text("1.000.000,00")
        assert page.intents.count("pay") == 0

    def test_a_payment_sent_again_from_the_history_says_what_its_code_lacks(self, page):
        answer_lost(page)
        page.page.goto(page.server.base + "/payments")
        page.by("payment-retry").click()
        press(page, "payment-send")
        expect(page.by("code-error")).to_have_text("Enter the security code.")
        page.by("payment-code").press_sequentially("12")
        page.page.keyboard.press("Enter")
        expect(page.by("code-error")).to_have_text("This card’s security code has 3 digits.")
        expect(page.by("payment-code")).to_be_focused()


class TestTheDrive:
    def test_an_empty_form_names_both_fields(self, drive):
        page = drive("/drive/new")
        expect(page.by("create-form")).to_be_visible()
        press(page, "create")
        expect(page.by("name-error")).to_have_text("Enter a name.")
        expect(page.by("size-error")).to_have_text("Enter a size.")
        expect(page.by("create-name")).to_be_focused()

    def test_a_size_is_judged_on_leaving_it_and_not_while_it_is_typed(self, drive):
        page = drive("/drive/new")
        page.by("create-size").press_sequentially("5000")
        expect(page.by("size-error")).to_be_hidden()
        page.page.keyboard.press("Tab")
        expect(page.by("size-error")).to_have_text("Write a number and KB, MB or GB, such as 1.5 MB.")
        page.by("create-size").fill("5000GB")
        page.by("create-size").press("Enter")
        expect(page.by("size-error")).to_have_text("Choose between 1 KB and 1024 GB.")

    def test_more_than_there_is_is_named_beside_the_field(self, drive):
        page = drive(phone=True)
        create(page)
        page.by("amount").fill("5000")
        press(page, "add-storage")
        expect(page.by("amount-error")).to_have_text("Write a number and KB, MB or GB, such as 1.5 MB.")
        sees(page.by("amount-error"))
        expect(page.by("amount")).to_be_focused()
        page.by("amount").fill("5000GB")
        press(page, "add-storage")
        expect(page.by("amount-error")).to_have_text("An account holds 1024 GB at most, and this one has 1 MB already.")
        expect(page.by("amount-cost")).not_to_contain_text("Costs")
        sees(page.by("amount-error"))
        error, button = page.by("amount-error").bounding_box(), page.by("add-storage").bounding_box()
        assert error["y"] + error["height"] <= button["y"]
        expect(page.by("amount")).to_be_focused()
        expect(page.by("error-banner")).to_have_count(0)
        page.by("amount").fill("")
        press(page, "reduce-storage")
        expect(page.by("amount-error")).to_have_text("Enter a size.")
        expect(page.by("amount")).to_be_focused()

    @pytest.mark.parametrize(("name", "size", "words"), [
        ("tides, moon.txt", 1024, "has a comma in its name"), ("big.txt", 3072, "It doesn’t fit: only 2 KB is free.")])
    def test_a_file_that_cannot_be_stored_is_told_beside_the_files_and_nothing_is_sent(self, drive, tmp_path, name, size, words):
        page = drive(phone=True)
        create(page, size="2KB")
        before = len(posts(page, "drive"))
        page.by("upload-input").set_input_files([text_file(tmp_path, name, size=size)])
        expect(page.by("upload-failure")).to_contain_text(words)
        sees(page.by("upload-failure"))
        expect(page.by("error-banner")).to_have_count(0)
        assert [request for request in posts(page, "drive")[before:] if "upload" in request["path"]] == []

    def test_a_confirmation_that_differs_says_so(self, drive):
        page = drive()
        create(page)
        choose(page, "immutable-open")
        page.by("typed").fill("Harbour")
        press(page, "immutable-confirm")
        expect(page.by("typed-error")).to_contain_text("Harbour papers")
        expect(page.by("typed")).to_be_focused()

    def test_storage_is_bought_only_after_its_price_and_the_balances_were_shown(self, drive):
        page = drive()
        create(page)
        page.by("amount").fill("5MB")
        page.by("add-storage").click()
        expect(page.by("spend-cost")).to_have_text("0.0013 SHDW")
        expect(page.by("spend-before")).to_have_text(re.compile(r"SHDW$"))
        expect(page.by("spend-after")).to_have_text(re.compile(r"SHDW$"))
        before, cost, after = (float(page.by(f"spend-{name}").get_attribute("data-exact").split()[0]) for name in ("before", "cost", "after"))
        assert cost > 0 and before - cost == pytest.approx(after, abs=1e-9)
        assert page.intents.count("addStorage") == 0
        expect(page.by("spend-confirm")).to_be_focused()
        page.page.keyboard.press("Escape")
        expect(page.by("spend")).to_be_hidden()
        expect(page.by("add-storage")).to_be_focused()
        page.by("add-storage").click()
        page.by("spend-confirm").click()
        expect(page.by("toast").last).to_be_visible()
        expect(page.by("usage-text")).to_contain_text("6 MB")

    def test_storage_that_costs_something_else_than_was_shown_is_not_paid_and_is_asked_about_again(self, drive):
        page = drive()
        create(page)
        asked = []

        def older(route):
            """The first time the user confirms a price that is not the one of now."""
            message = route.request.post_data_json
            if message.get("intent") != "addStorage":
                return route.continue_()
            asked.append(message)
            if len(asked) == 1:
                message = message | {"cost": "1"}
            route.continue_(post_data=json.dumps(message))

        page.page.route("**/api/screens/drive-account/intents*", older)
        page.by("amount").fill("5 MB")
        page.by("add-storage").click()
        page.by("spend-confirm").click()
        expect(page.by("manage-problem")).to_contain_text("The price has changed: it’s 0.0013 SHDW now. Nothing was paid.")
        expect(page.by("spend-cost")).to_have_text("0.0013 SHDW")
        expect(page.by("spend-confirm")).to_be_focused()
        expect(page.by("usage-text")).to_contain_text("of 1 MB used")
        page.by("spend-confirm").click()
        expect(page.by("usage-text")).to_contain_text("of 6 MB used")
        assert [message["size"] for message in asked] == ["5 MB", "5 MB"]

    def test_a_question_stays_as_it_was_asked_whatever_another_tab_types(self, drive):
        page = drive()
        create(page)
        is_amount = lambda request: "intents" in request.url and (request.post_data_json or {}).get("intent") == "amount"
        with page.page.expect_request(is_amount) as heard:
            page.by("amount").fill("5MB")
        page.by("add-storage").click()
        expect(page.by("spend-cost")).to_have_text("0.0013 SHDW")
        # A duplicated tab has the same model.
        other = json.dumps(heard.value.post_data_json | {"text": "1GB"})
        assert page.page.context.request.post(heard.value.url, headers=heard.value.all_headers(), data=other).status == 204
        page.page.wait_for_timeout(500)
        expect(page.by("spend-cost")).to_have_text("0.0013 SHDW")
        expect(page.by("amount-cost")).not_to_contain_text("0.25")

    def test_a_new_account_shows_what_is_left_of_the_balance(self, drive):
        page = drive("/drive/new")
        page.by("create-size").fill("20MB")
        expect(page.by("cost")).to_have_text("Costs 0.0049 SHDW")
        expect(page.by("spend-after")).to_have_text("You’ll have 9,999.9951 SHDW afterwards.")


class TestTheClip:
    def test_sending_without_a_clip_says_so_beside_the_files(self, server, open_page):
        page = open_page(server, "/audio/new", wait=False)
        page.by("clip-title").fill("Rain")
        press(page, "send")
        expect(page.by("file-error")).to_have_text("Choose an audio file first.")
        expect(page.by("pick")).to_be_focused()
        sees(page.by("file-error"))

    def test_an_empty_form_names_both_parts(self, server, open_page):
        page = open_page(server, "/audio/new", wait=False)
        expect(page.by("clip-title")).to_be_visible()
        press(page, "later")
        expect(page.by("file-error")).to_be_visible()
        expect(page.by("clip-title-error")).to_be_visible()
        expect(page.by("pick")).to_be_focused()


def test_a_phrase_that_is_not_filled_in_names_its_fields(server, open_page):
    page = open_page(server, "/foaas/operations", wait=False)
    page.by("operation").filter(has_text="Name").first.click()
    expect(page.page.locator(".phrase-fields input").first).to_be_visible()
    press(page, "finish")
    expect(page.page.locator(".phrase-fields .field-error:visible").first).to_be_visible()
    expect(page.page.locator(".phrase-fields input").first).to_be_focused()


class TestPaymentsWithoutAnAnswer:
    def test_their_number_stands_on_contacts_and_they_are_checked_by_themselves(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        answer_lost(page, 0)
        page.connection("failing")
        answer_lost_by_failing(page, 1)
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(2)
        assert [row.get_attribute("data-state") for row in page.by("payment").all()] == ["unknown", "unknown"]
        page.page.goto(page.server.base + "/drive")
        expect(page.by("nav-badge")).to_have_text("2")
        expect(page.by("nav-contacts")).to_have_attribute("aria-label", re.compile("2 payments"))
        page.connection("online")
        expect(page.by("nav-badge")).to_have_text("1", timeout=SOON)
        page.page.goto(page.server.base + "/contacts")
        expect(page.by("to-payments")).to_contain_text("1")

    def test_a_payment_sent_again_says_how_it_ended(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        add_card(page, GOOD)
        page.connection("failing")
        answer_lost_by_failing(page, 0)
        page.page.goto(page.server.base + "/payments")
        page.by("payment-retry").click()
        page.by("payment-code").press_sequentially(CODE)
        page.by("payment-send").click()
        expect(page.by("toast").last).to_contain_text("couldn’t confirm")
        page.connection("online")
        page.by("payment-retry").click()
        page.by("payment-code").press_sequentially(CODE)
        page.by("payment-send").click()
        expect(page.by("toast").last).to_contain_text("Approved")
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")


def answer_lost_by_failing(page, index):
    """A payment that a failing server has not made, and did not say so."""
    open_contact(page, index)
    enter(page, "700")
    page.by("pay").click()
    expect(page.by("unknown")).to_be_visible()
