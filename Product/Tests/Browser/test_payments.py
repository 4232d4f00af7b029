"""Contacts, cards and payments: the screens, from the first card to the receipt and back."""

import contextlib
import datetime
import re
import sqlite3

import pytest
from playwright.sync_api import expect

from test_feed import AGE


GOOD = "4242424242424242"  # passes the check and ends in an even digit: approved
BAD = "4111111111111111"  # passes the check and ends in an odd one: declined
AMEX = "378282246310005"
TEST_CARD = "1111111111111111"  # the remote's own: fails the check and has expired
CODE = "739"
HOLDER = "Ana B Lima"
EXPIRY = f"12{(datetime.date.today().year + 2) % 100:02}"
SPACE = "\u00a0"  # what stands behind R$


def recorded_payments(data):
    """The number of payments that the server has recorded."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{data / 'payments.sqlite'}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM entry WHERE key LIKE 'payment:%'").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


#: Keeps every text that arrives by server-sent events or as an answer, and every address that is given to the history.
WATCH = """
window.__events = []; window.__addresses = []; window.__titles = [];
const get = window.fetch.bind(window);
window.__answers = []; window.__reading = [];
window.fetch = async (...request) => {
  const answer = await get(...request);
  if (answer.headers.get("Content-Type") === "text/event-stream") {
    // It does not end: what comes is kept as it comes.
    const reader = answer.clone().body.pipeThrough(new TextDecoderStream()).getReader();
    const read = () => reader.read().then(({ value, done }) => done || (window.__events.push(value), read()), () => {});
    read();
    return answer;
  }
  window.__reading.push(answer.clone().text().then((text) => window.__answers.push(text), () => {}));
  return answer;
};
for (const name of ["pushState", "replaceState"]) {
  const own = history[name].bind(history);
  history[name] = (state, title, url) => { window.__addresses.push(JSON.stringify([state, url])); own(state, title, url); };
}
new MutationObserver(() => window.__titles.push(document.title)).observe(document, { subtree: true, childList: true, characterData: true });
"""


@pytest.fixture
def wallet(server, open_page):
    """A tab at the contacts. Some of their pictures are missing, and Chromium reports each."""
    def wallet(path="/contacts", **options):
        page = open_page(server, path, wait=False, **options, fails=True)
        return page
    return wallet


def fill_card(page, number, expiry=EXPIRY):
    page.by("card-number").press_sequentially(number)
    page.by("card-holder").fill(HOLDER)
    page.by("card-expiry").press_sequentially(expiry)
    expect(page.by("save")).to_have_attribute("data-ready", "true")


def add_card(page, number, expiry=EXPIRY):
    """A card more, from wherever the page is; afterwards it shows the cards."""
    before = page.server.base + "/cards/new"
    page.page.goto(before)
    fill_card(page, number, expiry)
    page.by("save").click()
    expect(page.by("screen-cards")).to_be_visible()
    last = number[-4:]
    expect(page.by("card").filter(has_text=last).first).to_be_visible()


def open_contact(page, index=0):
    page.page.goto(page.server.base + "/contacts")
    page.by("contact").nth(index).click()
    expect(page.by("pay-form")).to_be_visible()


def enter(page, amount="7990", code=CODE):
    expect(page.by("pay-form")).to_be_visible()
    page.by("amount").press_sequentially(amount)
    page.by("code").press_sequentially(code)
    expect(page.by("pay")).to_have_attribute("data-ready", "true")


def tab_to(page, test):
    """Presses Tab until the focus stands there, once it is there."""
    page.until(lambda: page.by(test).locator("visible=true").count() > 0, f"{test} is there")
    for _ in range(60):
        if page.evaluate("document.activeElement?.dataset.test") == test:
            return
        page.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reached {test}")


def count(page, intent):
    return page.intents.count(intent)


class TestContacts:
    def test_they_load_by_themselves_with_picture_name_and_username(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        assert page.by("contact").count() == 33
        expect(page.by("contact").first).to_contain_text("@")
        page.until(lambda: page.images("loaded").count() > 5, "pictures come")

    def test_a_missing_picture_leaves_the_initials(self, wallet):
        page = wallet()
        page.until(lambda: page.images("failed").count() > 0, "a picture is missing")
        first = page.images("failed").first
        assert first.evaluate("(e) => e.childElementCount") == 0
        letters = first.evaluate("(e) => e.parentElement.textContent")
        assert re.fullmatch(r"\w{1,2}", letters), letters

    def test_skeletons_stand_in_while_they_load(self, stopped_server, open_page):
        page = open_page(stopped_server.start("--fault", "payments=slow"), "/contacts", wait=False, fails=True)
        expect(page.by("skeleton").first).to_be_visible()
        expect(page.by("contact").first).to_be_visible()
        expect(page.by("skeleton")).to_have_count(0)

    def test_marcia_finds_márcia(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        page.by("search").press_sequentially("marcia")
        page.until(lambda: 0 < page.by("contact").count() < 33, "fewer contacts")
        expect(page.by("contact").filter(has_text="Márcia").first).to_be_visible()
        page.by("search").fill("@")
        expect(page.by("contact")).to_have_count(33)

    def test_of_what_is_typed_only_the_last_matters(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        page.by("search").press_sequentially("marcia", delay=1)
        page.by("search").fill("")
        expect(page.by("contact")).to_have_count(33)

    def test_no_match_says_so_and_can_be_undone(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        page.by("search").fill("qqqq")
        expect(page.by("no-match")).to_be_visible()
        page.by("no-match-action").click()
        expect(page.by("contact")).to_have_count(33)
        expect(page.by("search")).to_be_focused()

    def test_offline_they_are_the_saved_ones_with_their_age(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_contain_text(AGE)
        assert page.by("contact").count() == 33
        page.by("search").fill("marcia")
        expect(page.by("contact").filter(has_text="Márcia").first).to_be_visible()

    def test_offline_and_never_loaded_is_an_error_that_can_be_tried_again(self, stopped_server, open_page):
        page = open_page(stopped_server.start("--fault", "payments=offline"), "/contacts", wait=False, fails=True)
        expect(page.by("contacts-failed")).to_be_visible()
        expect(page.by("error-banner")).to_have_count(0)
        page.connection("slow")
        page.by("contacts-failed-action").click()
        expect(page.by("contact").first).to_be_visible()
        expect(page.by("error-banner")).to_have_count(0)

    def test_pulling_down_refreshes(self, wallet):
        page = wallet(phone=True)
        expect(page.by("contact").first).to_be_visible()
        before = count(page, "refresh")
        page.touch("touchStart", 200, 300)
        for y in range(320, 560, 20):
            page.touch("touchMove", 200, y)
        page.touch("touchEnd", 200, 560)
        page.until(lambda: count(page, "refresh") == before + 1, "a refresh")

    def test_an_unknown_contact_is_a_page_that_leads_back(self, wallet):
        page = wallet("/pay/999999")
        page.by("pay-missing-action").click()
        expect(page.by("contact").first).to_be_visible()


class TestThePayment:
    def test_without_a_card_it_leads_to_the_form_and_on_to_the_receipt(self, wallet):
        page = wallet()
        name = page.by("contact").nth(2).locator(".contact-name").text_content()
        page.by("contact").nth(2).click()
        expect(page.by("priming")).to_be_visible()
        address = page.page.url
        page.by("priming-add").click()
        fill_card(page, GOOD)
        page.by("save").click()
        expect(page.by("pay-form")).to_be_visible()
        assert page.page.url == address
        expect(page.by("change-card")).to_contain_text("4242")
        expect(page.by("pay")).to_have_attribute("data-ready", "false")
        enter(page, "7990")
        expect(page.by("pay")).to_contain_text(f"R${SPACE}79,90")
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        expect(page.by("receipt-amount")).to_have_text(f"R${SPACE}79,90")
        expect(page.by("receipt-total")).to_have_text(f"R${SPACE}79,90")
        expect(page.by("receipt-card")).to_contain_text("Visa •••• 4242")
        expect(page.by("receipt-number")).to_have_text(re.compile(r"\d+"))
        expect(page.by("receipt-date")).to_contain_text(str(datetime.datetime.now(datetime.timezone.utc).year))
        expect(page.by("receipt")).to_contain_text(name)
        page.by("done").click()
        expect(page.by("contact").first).to_be_visible()

    def test_after_a_receipt_the_same_contact_begins_anew(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page)
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        page.by("done").click()
        page.by("contact").first.click()
        expect(page.by("pay-form")).to_be_visible()
        expect(page.by("code")).to_have_value("")
        expect(page.by("pay")).to_have_attribute("data-ready", "false")

    def test_declined_stays_and_another_card_is_approved(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        add_card(page, BAD)
        open_contact(page)
        page.by("change-card").click()
        page.by("choose-card").filter(has_text="1111").click()
        expect(page.by("change-card")).to_contain_text("1111")
        enter(page, "500")
        page.by("pay").click()
        expect(page.by("declined")).to_be_visible()
        expect(page.by("code")).to_have_value("")
        page.by("declined-change").click()
        page.by("choose-card").filter(has_text="4242").click()
        expect(page.by("change-card")).to_contain_text("4242")
        expect(page.by("declined")).to_have_count(0)
        page.by("code").press_sequentially(CODE)
        page.by("pay").click()
        expect(page.by("receipt-card")).to_contain_text("4242")
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(2)
        assert [row.get_attribute("data-state") for row in page.by("payment").all()] == ["approved", "declined"]

    def test_the_button_after_a_decline_says_that_it_asks_for_the_code_once_more(self, wallet):
        page = wallet()
        add_card(page, BAD)
        open_contact(page)
        enter(page, "500")
        page.by("pay").click()
        expect(page.by("again")).to_have_text("Enter the code again")
        page.by("again").click()
        expect(page.by("code")).to_be_focused()
        expect(page.by("pay")).to_have_attribute("data-ready", "false")
        expect(page.by("amount")).to_have_value(f"R${SPACE}5,00")

    def test_an_answer_that_was_lost_is_unknown_and_check_finds_out(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        expect(page.by("unknown-amount")).to_have_text(f"R${SPACE}15,00")
        # Nothing is told of this change, so that nothing is checked by itself.
        page.connection("slow")
        page.by("check").click()
        expect(page.by("receipt")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(1)
        assert count(page, "pay") == 1

    @pytest.mark.parametrize("mode", ["failing", "garbage"])
    def test_an_answer_that_does_not_say_is_not_called_a_missing_one(self, wallet, mode):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection(mode)
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_contain_text("We didn’t get an answer.")
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment").first).to_contain_text("We didn’t get an answer.")

    def test_an_unknown_payment_tried_again_with_the_same_key_is_one_payment(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        page.connection("slow")
        expect(page.by("code")).to_be_hidden()
        page.by("retry-same").click()
        expect(page.by("receipt")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(1)

    def test_a_second_window_shows_the_lost_payment_before_it_pays_the_same_again(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        page.connection("slow")
        other = wallet()
        open_contact(other)
        enter(other, "1500")
        other.by("pay").click()
        expect(other.by("earlier")).to_be_visible()
        expect(other.by("earlier-line")).to_contain_text(f"R${SPACE}15,00")
        expect(other.by("earlier-line")).to_contain_text("•••• 4242")
        other.by("earlier-cancel").click()
        expect(other.by("pay-form")).to_be_visible()
        expect(other.by("amount")).to_have_value(f"R${SPACE}15,00")
        other.by("code").press_sequentially(CODE)
        other.by("pay").click()
        other.by("earlier-check").click()
        expect(other.by("receipt")).to_be_visible()
        other.page.goto(other.server.base + "/payments")
        expect(other.by("payment")).to_have_count(1)

    def test_an_earlier_payment_is_sent_again_as_the_same_one_also_after_it_was_given_up(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        page.by("give-up").click()
        page.by("give-up-confirm").click()
        page.connection("slow")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("earlier-line")).to_contain_text(f"R${SPACE}15,00")
        page.by("earlier-same").click()
        expect(page.by("receipt")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(1)

    def test_paying_once_more_is_a_payment_of_its_own_also_with_a_double_click(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        page.connection("slow")
        other = wallet()
        open_contact(other)
        enter(other, "1500")
        other.by("pay").click()
        other.by("earlier-more").dblclick()
        expect(other.by("receipt")).to_be_visible()
        other.page.goto(other.server.base + "/payments")
        expect(other.by("payment")).to_have_count(2)
        assert sorted(row.get_attribute("data-state") for row in other.by("payment").all()) == ["approved", "unknown"]

    def test_a_server_killed_while_it_pays_shows_the_payment_before_it_pays_the_same_again(self, stopped_server, open_page):
        server = stopped_server.start()
        page = open_page(server, "/contacts", wait=False, fails=True)
        add_card(page, GOOD)
        open_contact(page)
        enter(page, "1500")
        page.connection("slow")
        page.by("pay").click()
        expect(page.page.locator(".payment-screen[data-phase=sending]")).to_be_visible()
        # The page says that it is being sent before it is written down. A kill before that leaves nothing to ask about.
        page.until(lambda: recorded_payments(server.data) == 1, "the payment is recorded")
        server.process.kill()
        server.stop()
        server.start()
        other = open_page(server, "/contacts", wait=False, fails=True)
        open_contact(other)
        enter(other, "1500")
        other.by("pay").click()
        expect(other.by("earlier")).to_be_visible()
        other.page.goto(server.base + "/payments")
        expect(other.by("payment")).to_have_count(1)
        expect(other.by("payment").first).to_have_attribute("data-state", "unknown")

    def test_a_page_whose_server_was_killed_while_it_paid_finds_the_payment_again(self, stopped_server, open_page):
        server = stopped_server.start()
        page = open_page(server, "/contacts", wait=False, fails=True)
        add_card(page, GOOD)
        open_contact(page)
        enter(page, "1500")
        page.connection("slow")
        page.by("pay").click()
        expect(page.page.locator(".payment-screen[data-phase=sending]")).to_be_visible()
        page.until(lambda: recorded_payments(server.data) == 1, "the payment is recorded")
        server.process.kill()
        server.process.wait(timeout=20)
        server.start()
        # It offers no form, which would pay the same a second time.
        expect(page.by("unknown")).to_be_visible(timeout=15_000)
        expect(page.by("unknown-amount")).to_have_text(f"R${SPACE}15,00")
        expect(page.by("retry-same")).to_be_hidden()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(1)
        assert count(page, "pay") == 1

    def test_cards_whose_file_was_deleted_are_told_as_gone_and_the_user_begins_without_them(self, stopped_server, open_page):
        server = stopped_server.start()
        page = open_page(server, "/cards", wait=False, fails=True)
        add_card(page, GOOD)
        (server.data / "cards/cards.vault").unlink()
        page.page.goto(server.base + "/cards")
        expect(page.by("lost-cards")).to_be_visible()
        expect(page.by("cards-empty")).to_have_count(0)
        page.by("lost-begin").click()
        expect(page.by("cards-empty")).to_be_visible()
        add_card(page, GOOD)

    def test_an_unknown_payment_can_be_checked_in_the_history(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment").first).to_have_attribute("data-state", "unknown")
        page.connection("slow")
        page.by("payment-check").click()
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")
        expect(page.by("payment-check")).to_have_count(0)

    def test_the_history_sends_a_payment_again_with_the_code_typed_for_it(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        page.connection("slow")
        page.by("payment-retry").click()
        expect(page.by("payment-code")).to_be_focused()
        expect(page.by("payment-send")).to_have_attribute("data-ready", "false")
        page.by("payment-code").press_sequentially(CODE)
        page.by("payment-send").click()
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")
        expect(page.by("payment")).to_have_count(1)
        assert CODE not in page.page.content()

    def test_an_unknown_payment_can_be_given_up_and_is_still_in_the_history(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("answer-lost")
        enter(page, "1500")
        page.by("pay").click()
        page.by("give-up").click()
        page.by("give-up-confirm").click()
        expect(page.by("pay-form")).to_be_visible()
        expect(page.by("amount")).to_have_value(f"R${SPACE}0,00")
        expect(page.by("toast").last).to_contain_text("You gave up this payment")
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment").first).to_have_attribute("data-state", "abandoned")
        page.connection("online")
        page.by("payment-check").click()
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")

    def test_a_payment_that_was_given_up_and_paid_anew_elsewhere_is_not_offered_as_safe_any_more(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("failing")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("unknown")).to_be_visible()
        other = wallet("/payments")
        other.by("payment-give-up").click()
        other.by("payment-give-up-confirm").click()
        expect(other.by("payment").first).to_have_attribute("data-state", "abandoned")
        expect(page.by("pay-form")).to_be_visible()
        expect(page.by("retry-same")).to_have_count(0)
        page.connection("online")
        open_contact(other)
        enter(other, "1500")
        other.by("pay").click()
        other.by("earlier-more").click()
        expect(other.by("receipt")).to_be_visible()
        other.page.goto(other.server.base + "/payments")
        given_up = other.page.locator('[data-test="payment"][data-state="abandoned"]')
        expect(given_up.locator('[data-test="payment-retry"]')).to_have_text("Pay again")
        given_up.locator('[data-test="payment-retry"]').click()
        expect(other.by("payment-made-since")).to_contain_text("charged twice")
        other.by("payment-cancel").click()
        expect(other.page.locator('[data-test="payment"][data-state="approved"]')).to_have_count(1)

    def test_a_payment_that_was_not_sent_and_then_paid_from_its_form_is_one_payment(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("offline")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("failed")).to_be_visible()
        page.connection("online")
        page.by("again").click()
        expect(page.by("amount")).to_have_value(f"R${SPACE}15,00")
        page.by("code").press_sequentially(CODE)
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(1)
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")

    def test_a_payment_that_failed_on_its_form_and_was_made_from_the_history_is_shown_before_the_next_one(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.connection("offline")
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("failed")).to_be_visible()
        page.connection("online")
        # The same tab, without a new page: its models are the same.
        page.by("back").click()
        page.by("to-payments").click()
        page.by("payment-retry").click()
        page.by("payment-code").press_sequentially(CODE)
        page.by("payment-send").click()
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")
        page.page.goto(page.server.base + "/contacts")
        page.by("contact").first.click()
        # It is the receipt of the payment that was made, and no press has asked for it.
        expect(page.by("receipt")).to_be_visible()
        assert count(page, "pay") == 1
        page.by("done").click()
        page.page.goto(page.server.base + "/contacts")
        page.by("contact").first.click()
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.page.locator('[data-test="payment"][data-state="approved"]')).to_have_count(2)

    def test_the_outcome_of_another_payment_ends_no_attempt_and_the_attempts_own_is_shown(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page, "1500")
        page.by("pay").click()
        expect(page.by("receipt-total")).to_have_text(f"R${SPACE}15,00")
        other = wallet()
        open_contact(other)
        enter(other, "1600")
        with other.page.expect_request(lambda request: (request.post_data_json or {}).get("intent") == "pay" if "/intents" in request.url else False) as sent:
            other.by("pay").click()
        expect(other.by("receipt")).to_be_visible()
        # The first page has paid that by a replica that is gone, and comes back to the model of the payment before.
        contact = re.search(r"/pay/(\d+)", page.page.url)[1]
        said = sent.value.post_data_json
        attempt = {"id": said["attempt"], "digits": "1600", "card": said["card"], "doubts": []}
        page.evaluate("([name, attempt]) => sessionStorage.setItem(name, JSON.stringify(attempt))", [f"aquifer.paying.{contact}", attempt])
        page.page.reload()
        expect(page.by("receipt-total")).to_have_text(f"R${SPACE}16,00")
        assert page.evaluate("name => sessionStorage.getItem(name)", f"aquifer.paying.{contact}") is None
        assert count(page, "pay") == 1

    def test_a_double_click_sends_one_payment(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page)
        page.by("pay").dblclick()
        expect(page.by("receipt")).to_be_visible()
        assert count(page, "pay") == 1
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(1)

    def test_going_back_while_it_is_paid_neither_stops_nor_doubles_it(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page)
        page.connection("slow")
        page.by("pay").click()
        expect(page.page.locator(".payment-screen[data-phase=sending]")).to_be_visible()
        page.page.go_back()
        expect(page.by("screen-contacts")).to_be_visible()
        page.by("to-payments").click()
        expect(page.by("payment")).to_have_count(1)
        expect(page.by("payment").first).to_have_attribute("data-state", "approved")
        assert count(page, "pay") == 1

    def test_leaving_forgets_the_code(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page)
        page.by("back").click()
        page.page.go_forward()
        expect(page.by("amount")).to_have_value(f"R${SPACE}79,90")
        expect(page.by("code")).to_have_value("")
        expect(page.by("pay")).to_have_attribute("data-ready", "false")

    def test_a_card_of_american_express_wants_four_digits(self, wallet):
        page = wallet()
        add_card(page, AMEX)
        open_contact(page)
        page.by("amount").press_sequentially("100")
        page.by("code").press_sequentially("123")
        expect(page.by("pay")).to_have_attribute("data-ready", "false")
        page.by("code").press_sequentially("45")
        expect(page.by("code")).to_have_value("1234")
        expect(page.by("pay")).to_have_attribute("data-ready", "true")

    def test_the_code_is_masked_and_nobody_remembers_it(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.by("code").press_sequentially("123456")
        expect(page.by("code")).to_have_value("123")
        assert page.by("code").evaluate("(e) => getComputedStyle(e).webkitTextSecurity") == "disc"
        expect(page.by("code")).to_have_attribute("autocomplete", "cc-csc")
        expect(page.by("code")).to_have_attribute("inputmode", "numeric")


class TestTheAmount:
    @pytest.fixture
    def page(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        return page

    def paste(self, page, text):
        page.by("amount").evaluate("""(input, text) => {
            const data = new DataTransfer(); data.setData("text", text);
            input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }""", text)

    def shows(self, page, text):
        expect(page.by("amount")).to_have_value(f"R${SPACE}{text}")

    def test_it_grows_from_the_right(self, page):
        self.shows(page, "0,00")
        for key, text in [("0", "0,00"), ("7", "0,07"), ("9", "0,79"), ("x", "0,79"), ("9", "7,99"), ("0", "79,90"), ("1", "799,01"), ("2", "7.990,12"),
                          ("Backspace", "799,01"), ("Backspace", "79,90"), ("Delete", "7,99")]:
            page.page.keyboard.press(key)
            self.shows(page, text)
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}7,99")

    def test_wherever_the_caret_is_digits_come_in_on_the_right(self, page):
        page.by("amount").press_sequentially("123")
        page.page.keyboard.press("Home")
        page.page.keyboard.press("4")
        self.shows(page, "12,34")

    def test_everything_selected_is_typed_over(self, page):
        page.by("amount").press_sequentially("123")
        page.page.keyboard.press("Control+a")
        page.page.keyboard.press("5")
        self.shows(page, "0,05")
        page.page.keyboard.press("Control+a")
        page.page.keyboard.press("Backspace")
        self.shows(page, "0,00")

    @pytest.mark.parametrize("text, shown", [("79,90", "79,90"), ("R$ 1.234,50", "1.234,50"), ("1,234.5", "1.234,50"), ("79", "79,00"), (" 5 ", "5,00")])
    def test_an_amount_can_be_pasted(self, page, text, shown):
        self.paste(page, text)
        self.shows(page, shown)
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}{shown}")

    @pytest.mark.parametrize("text", ["-3", "79.905", "1,234,5", "ten", ""])
    def test_what_is_no_amount_is_not_pasted(self, page, text):
        page.by("amount").press_sequentially("7")
        self.paste(page, text)
        expect(page.by("amount-error")).to_be_visible()
        self.shows(page, "0,07")
        page.by("amount").press_sequentially("9")
        self.shows(page, "0,79")
        expect(page.by("amount-error")).to_be_hidden()

    def test_what_was_typed_just_before_stays_under_what_is_no_amount(self, page):
        page.by("amount").evaluate("""(input) => {
            const type = (data) => input.dispatchEvent(new InputEvent("beforeinput", { inputType: "insertText", data, bubbles: true, cancelable: true }));
            const data = new DataTransfer(); data.setData("text", "ten");
            type("7"); type("9");  // the first is on its way, and the second one waits
            input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }""")
        expect(page.by("amount-error")).to_be_visible()
        self.shows(page, "0,79")

    def test_more_than_the_limit_is_never_paid(self, page):
        page.by("code").press_sequentially(CODE)
        page.by("amount").press_sequentially("100000000")
        expect(page.by("amount")).to_have_value(f"R${SPACE}1.000.000,00")
        expect(page.by("pay")).to_have_attribute("data-ready", "true")
        page.by("amount").fill("100000001")
        expect(page.by("amount")).to_have_value(f"R${SPACE}1.000.000,01")
        expect(page.by("pay")).to_have_attribute("data-ready", "false")
        page.by("code").press("Enter")
        expect(page.by("pay")).to_have_attribute("data-ready", "false")
        assert count(page, "pay") == 0


class TestTheCardForm:
    @pytest.fixture
    def page(self, wallet):
        page = wallet("/cards/new")
        expect(page.by("card-number")).to_be_visible()
        return page

    def mark(self, page):
        return page.by("card-form").locator('[data-test="brand-mark"]')

    def test_the_number_is_grouped_as_it_is_typed_and_the_brand_appears(self, page):
        page.by("card-number").press_sequentially("42424242")
        expect(page.by("card-number")).to_have_value("4242 4242")
        expect(self.mark(page)).to_have_attribute("data-brand", "visa")
        expect(page.by("card-preview")).to_contain_text("4242 4242 ••••")

    def test_american_express_is_grouped_in_its_own_way(self, page):
        page.by("card-number").press_sequentially(AMEX + "99")
        expect(page.by("card-number")).to_have_value("3782 822463 10005")
        expect(self.mark(page)).to_have_attribute("data-brand", "amex")

    def test_a_number_is_pasted_with_its_spaces_or_dashes(self, page):
        page.by("card-number").fill("4242-4242-4242-4242")
        expect(page.by("card-number")).to_have_value("4242 4242 4242 4242")

    def test_the_caret_stays_where_it_is_typed(self, page):
        number = page.by("card-number")
        number.press_sequentially("42424242")
        number.evaluate("(e) => e.setSelectionRange(2, 2)")
        page.page.keyboard.press("9")
        expect(number).to_have_value("4294 2424 2")
        assert number.evaluate("(e) => e.selectionStart") == 3
        page.page.keyboard.press("8")
        # The group is full: the next digit goes behind the space.
        expect(number).to_have_value("4298 4242 42")
        assert number.evaluate("(e) => e.selectionStart") == 5
        page.page.keyboard.press("Backspace")
        expect(number).to_have_value("4294 2424 2")
        assert number.evaluate("(e) => e.selectionStart") == 3

    def test_the_expiry_gets_its_slash(self, page):
        expiry = page.by("card-expiry")
        expiry.press_sequentially("5")
        expect(expiry).to_have_value("05/")
        expiry.press_sequentially("31")
        expect(expiry).to_have_value("05/31")
        # The slash goes with the digit behind it, and does not come back by itself.
        for shown in ("05/3", "05", "0"):
            page.page.keyboard.press("Backspace")
            expect(expiry).to_have_value(shown)
        expiry.fill("1/2031")
        expect(expiry).to_have_value("01/31")

    def test_a_wrong_digit_is_named_and_cannot_be_saved(self, page):
        page.by("card-number").press_sequentially(GOOD[:-1] + "3")
        expect(page.by("card-number-error")).to_be_visible()
        expect(page.by("card-number")).to_have_attribute("aria-invalid", "true")
        page.by("card-holder").fill(HOLDER)
        page.by("card-expiry").press_sequentially(EXPIRY)
        expect(page.by("save")).to_have_attribute("data-ready", "false")
        page.by("card-number").press("End")
        page.page.keyboard.press("Backspace")
        expect(page.by("card-number-error")).to_be_hidden()
        page.page.keyboard.press("2")
        expect(page.by("save")).to_have_attribute("data-ready", "true")

    @pytest.mark.parametrize("expiry", ["1329", "0118"])
    def test_a_month_that_is_none_or_past_is_named(self, page, expiry):
        page.by("card-number").press_sequentially(GOOD)
        page.by("card-expiry").press_sequentially(expiry)
        page.by("card-expiry").blur()
        expect(page.by("card-expiry-error")).to_be_visible()
        expect(page.by("save")).to_have_attribute("data-ready", "false")

    def test_a_number_still_being_typed_is_not_called_wrong(self, page):
        for digit in GOOD[:-1]:
            page.by("card-number").press_sequentially(digit)
            expect(page.by("card-number-error")).to_be_hidden()

    def test_the_remotes_test_card_is_taken_and_called_so_everywhere(self, page):
        fill_card(page, TEST_CARD, "0118")
        expect(page.by("card-form").locator('[data-test="test-label"]')).to_be_visible()
        words = page.by("card-form").locator('[data-test="test-label"]').text_content()
        page.by("save").click()
        expect(page.by("card").locator('[data-test="test-label"]')).to_have_text(words)
        open_contact(page)
        expect(page.by("change-card").locator('[data-test="test-label"]')).to_have_text(words)
        page.by("change-card").click()
        expect(page.by("choose-card").locator('[data-test="test-label"]')).to_have_text(words)
        page.page.keyboard.press("Escape")
        enter(page)
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        expect(page.by("receipt-card").locator('[data-test="test-label"]')).to_have_text(words)
        page.by("receipt-history").click()
        button = page.by("payment-receipt").first
        expect(button).to_have_attribute("aria-haspopup", "dialog")
        button.click()
        expect(page.by("receipt-sheet").locator('[data-test="test-label"]')).to_have_text(words)

    def test_the_fields_are_named_for_autofill_and_have_no_name_that_could_reach_an_address(self, page):
        for test, value in [("card-number", "cc-number"), ("card-holder", "cc-name"), ("card-expiry", "cc-exp")]:
            expect(page.by(test)).to_have_attribute("autocomplete", value)
            assert page.by(test).get_attribute("name") is None

    def test_leaving_forgets_what_was_typed(self, page):
        page.by("card-number").press_sequentially("42424242")
        page.page.goto(page.server.base + "/cards")
        page.by("cards-empty-action").click()
        expect(page.by("card-number")).to_have_value("")
        expect(self.mark(page)).to_have_attribute("data-brand", "none")

    def test_a_visit_elsewhere_forgets_the_number_and_keeps_name_and_date(self, page):
        page.by("card-number").press_sequentially("42424242")
        page.by("card-holder").fill(HOLDER)
        page.by("card-expiry").press_sequentially(EXPIRY)
        page.by("nav-audio").click()
        expect(page.by("screen-audio")).to_be_visible()
        page.page.go_back()
        expect(page.by("card-number")).to_have_value("")
        expect(page.by("card-holder")).to_have_value(HOLDER)
        page.by("card-number").press_sequentially(GOOD)
        expect(page.by("save")).to_have_attribute("data-ready", "true")
        page.by("save").click()
        expect(page.by("card")).to_have_count(1)
        page.page.goto(page.server.base + "/cards/new")
        expect(page.by("card-holder")).to_have_value("")

    def test_loading_again_asks_first_if_something_is_typed(self, page):
        asked = []

        def stay(dialog):
            asked.append(dialog.type)
            dialog.dismiss()

        page.by("card-holder").press_sequentially("Ana")
        page.page.on("dialog", stay)
        page.evaluate("location.reload()")
        page.until(lambda: asked == ["beforeunload"], "the browser asks")
        expect(page.by("card-holder")).to_have_value("Ana")
        page.page.remove_listener("dialog", stay)


class TestTheCards:
    def test_one_can_be_chosen(self, wallet):
        page = wallet("/cards")
        add_card(page, GOOD)
        add_card(page, BAD)
        other = page.page.locator('[data-test="card"][data-chosen="false"]')
        chosen = other.get_attribute("data-id")
        other.locator('[data-test="choose"]').click()
        expect(page.page.locator(f'[data-test="card"][data-id="{chosen}"]')).to_have_attribute("data-chosen", "true")
        expect(page.by("chosen")).to_have_count(1)

    def test_one_is_removed_only_after_it_was_asked_for_twice(self, wallet):
        page = wallet("/cards")
        add_card(page, GOOD)
        page.by("remove").click()
        expect(page.by("remove-cancel")).to_be_focused()
        page.page.keyboard.press("Escape")
        expect(page.by("remove")).to_be_focused()
        assert count(page, "remove") == 0
        page.by("remove").click()
        page.by("remove-confirm").click()
        expect(page.by("cards-empty")).to_be_visible()
        page.page.goto(page.server.base + "/contacts")
        page.by("contact").first.click()
        expect(page.by("priming")).to_be_visible()

    def test_they_show_four_digits_and_no_more(self, wallet):
        page = wallet("/cards")
        add_card(page, GOOD)
        expect(page.by("card-face")).to_contain_text("•••• 4242")
        assert "42424" not in page.page.content().replace(" ", "")


class TestEveryDay:
    def test_an_amount_that_is_often_paid_takes_one_tap(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        page.by("amount-chip").filter(has_text="50").click()
        expect(page.by("amount")).to_have_value(f"R${SPACE}50,00")
        page.by("amount").press("End")
        page.page.keyboard.press("Backspace")
        expect(page.by("amount")).to_have_value(f"R${SPACE}5,00")
        page.by("amount-chip").filter(has_text="100").click()
        page.by("code").press_sequentially(CODE)
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}100,00")

    def test_who_was_paid_last_comes_first_and_the_card_that_pays_is_in_view(self, wallet):
        page = wallet()
        expect(page.by("contact").first).to_be_visible()
        expect(page.by("recent-contact")).to_have_count(0)
        expect(page.by("default-card")).to_have_count(0)
        add_card(page, GOOD)
        names = []
        for index in (4, 9):
            open_contact(page, index)
            names.insert(0, page.by("payee").text_content().split(" ")[0])
            enter(page, "500")
            page.by("pay").click()
            expect(page.by("receipt")).to_be_visible()
        page.by("done").click()
        expect(page.by("recent-contact")).to_have_count(2)
        assert [person.text_content() for person in page.page.locator(".recent-name").all()] == names
        expect(page.by("default-card")).to_contain_text("Visa •••• 4242")
        page.by("search").fill("marcia")
        expect(page.by("recent-contact")).to_have_count(0)
        page.by("search").fill("")
        page.by("recent-contact").first.click()
        expect(page.by("payee")).to_contain_text(names[0])

    def test_a_receipt_is_saved_as_a_picture_printed_and_shared(self, wallet):
        page = wallet()
        page.page.add_init_script("""window.__done = []; window.print = () => window.__done.push("print");
            navigator.share = async (what) => { window.__done.push([what.text, what.files?.[0]?.name ?? null]); };
            navigator.canShare = () => true;""")
        add_card(page, GOOD)
        open_contact(page)
        enter(page, "1500")
        page.by("pay").click()
        number = page.by("receipt-number").text_content()
        with page.page.expect_download() as saved:
            page.by("receipt-picture").click()
        assert saved.value.suggested_filename == f"receipt-{number}.png"
        assert saved.value.path().read_bytes().startswith(b"\x89PNG")
        expect(page.by("toast").last).to_contain_text("downloads")
        page.by("receipt-print").click()
        page.by("receipt-share").click()
        page.until(lambda: len(page.evaluate("window.__done")) == 2, "it is printed and shared")
        text, file = page.evaluate("window.__done")[1]
        assert f"R${SPACE}15,00" in text and number in text and file == f"receipt-{number}.png"
        page.page.emulate_media(media="print")
        expect(page.by("receipt")).to_be_visible()
        expect(page.by("receipt-print")).to_be_hidden()

    def test_a_receipt_is_opened_again_from_the_history(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        enter(page, "1500")
        page.by("pay").click()
        shown = {name: page.by(name).text_content() for name in ("receipt-number", "receipt-total", "receipt-date", "receipt-card")}
        page.by("receipt-history").click()
        button = page.by("payment-receipt").first
        button.click()
        sheet = page.by("receipt-sheet")
        expect(sheet).to_be_visible()
        for name, text in shown.items():
            expect(sheet.locator(f'[data-test="{name}"]')).to_have_text(text)
        with page.page.expect_download() as saved:
            sheet.locator('[data-test="receipt-picture"]').click()
        assert saved.value.suggested_filename == f"receipt-{shown['receipt-number']}.png"
        page.page.emulate_media(media="print")
        expect(sheet.locator('[data-test="receipt"]')).to_be_visible()
        expect(page.by("payments")).to_be_hidden()
        page.page.emulate_media(media="screen")
        page.page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()
        expect(button).to_be_focused()
        # A payment that was declined has none.
        add_card(page, BAD)
        open_contact(page)
        enter(page, "1600")
        page.by("pay").click()
        expect(page.by("declined")).to_be_visible()
        page.page.goto(page.server.base + "/payments")
        expect(page.by("payment")).to_have_count(2)
        expect(page.by("payment-receipt")).to_have_count(1)

    def test_the_history_is_grouped_by_day(self, stopped_server, open_page):
        server = stopped_server.start()
        page = open_page(server, "/contacts", wait=False, fails=True)
        add_card(page, GOOD)
        open_contact(page)
        enter(page, "500")
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        page.page.goto(server.base + "/payments")
        expect(page.by("day")).to_have_text(["Today"])
        page.page.goto("about:blank")
        server.stop()
        server.start("--at", "+3d")
        later = open_page(server, "/payments", wait=False)
        expect(later.by("day")).to_have_count(1)
        assert later.by("day").text_content() not in ("Today", "Yesterday")
        expect(later.by("payment")).to_have_count(1)


def test_the_history_lists_payments_with_their_end(wallet):
    page = wallet("/payments")
    expect(page.by("payments-empty")).to_be_visible()
    add_card(page, GOOD)
    open_contact(page)
    name = page.by("payee").text_content()
    enter(page, "123456")
    page.by("pay").click()
    page.by("receipt-history").click()
    row = page.by("payment").first
    expect(row).to_contain_text(name)
    expect(row).to_contain_text(f"R${SPACE}1.234,56")
    expect(row).to_contain_text("•••• 4242")
    expect(row).to_have_attribute("data-state", "approved")


def test_the_whole_way_goes_without_a_pointer(wallet):
    page = wallet()
    press = page.page.keyboard.press
    write = page.page.keyboard.type
    expect(page.by("contact").first).to_be_visible()
    tab_to(page, "search")
    write("marcia")
    expect(page.by("contact")).to_have_count(1)  # all letters have been heard
    press("ArrowDown")
    press("Enter")
    expect(page.by("priming")).to_be_visible()
    tab_to(page, "priming-add")
    press("Enter")
    tab_to(page, "card-number")
    write(BAD)
    press("Tab")
    write(HOLDER)
    press("Tab")
    write(EXPIRY)
    press("Enter")
    expect(page.by("pay-form")).to_be_visible()
    tab_to(page, "amount")
    write("7990")
    press("Enter")
    expect(page.by("code")).to_be_focused()
    write(CODE)
    press("Enter")
    expect(page.by("declined")).to_be_visible()
    tab_to(page, "declined-change")
    press("Enter")
    expect(page.by("card-sheet")).to_be_visible()
    tab_to(page, "add-card")
    press("Enter")
    tab_to(page, "card-number")
    write(GOOD)
    press("Tab")
    write(HOLDER)
    press("Tab")
    write(EXPIRY)
    press("Enter")
    expect(page.by("pay-form")).to_be_visible()
    expect(page.by("change-card")).to_contain_text("4242")
    tab_to(page, "code")
    write(CODE)
    press("Enter")
    expect(page.by("receipt")).to_be_visible()
    tab_to(page, "done")
    press("Enter")
    expect(page.by("contact")).to_have_count(33)


def test_every_stop_on_the_way_has_a_visible_ring(wallet):
    page = wallet()
    add_card(page, GOOD)
    open_contact(page)
    page.evaluate("document.activeElement.blur()")
    seen = set()
    for _ in range(40):
        page.page.keyboard.press("Tab")
        stop = page.evaluate("""() => {
            const e = document.activeElement, own = getComputedStyle(e);
            if (e === document.body) return null;  // past the last stop, before the first
            const line = e.dataset.test === "amount" ? getComputedStyle(e.parentElement, "::after") : null;
            return { name: e.dataset.test ?? e.className, ring: own.outlineStyle !== "none" && parseFloat(own.outlineWidth) >= 2 || line !== null && parseFloat(line.height) >= 2 }; }""")
        if stop is None:
            continue
        assert stop["ring"], stop
        seen.add(stop["name"])
    assert {"back", "amount", "change-card", "code"} <= seen


def test_it_speaks_portuguese(wallet):
    page = wallet(locale="pt-BR")
    expect(page.by("title")).to_have_text("Contatos")
    page.by("contact").first.click()
    expect(page.by("priming")).to_contain_text("Adicione um cartão")
    page.by("priming-add").click()
    expect(page.page.get_by_label("Número do cartão")).to_be_visible()
    fill_card(page, BAD)
    page.by("save").click()
    expect(page.by("pay")).to_contain_text(f"Pagar R${SPACE}0,00")
    enter(page, "500")
    page.by("pay").click()
    expect(page.by("declined")).to_contain_text("recusad")
    page.page.goto(page.server.base + "/payments")
    expect(page.by("payment-state")).to_contain_text("Recusad")
    page.page.goto(page.server.base + "/cards")
    expect(page.by("title")).to_have_text("Cartões")
    expect(page.by("remove")).to_contain_text("Remover")


def test_the_language_changes_under_what_was_typed(wallet):
    page = wallet()
    add_card(page, GOOD)
    open_contact(page)
    page.by("amount").press_sequentially("7990")
    page.by("settings-button").click()
    page.by("language-pt-BR").click(force=True)
    expect(page.by("pay")).to_contain_text(f"Pagar R${SPACE}79,90")
    expect(page.by("amount")).to_have_value(f"R${SPACE}79,90")


def test_both_languages_have_the_same_words(wallet):
    page = wallet()
    tables = page.evaluate("""async () => {
        const [en, pt] = await Promise.all(["en", "pt-BR"].map((code) => fetch(`/assets/words/${code}.json`).then((answer) => answer.json())));
        return [Object.keys(en), Object.keys(pt)]; }""")
    assert tables[0] == tables[1]


def test_the_browser_never_receives_the_number_or_the_code(browser, server):
    from helpers import Probe

    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    context.add_init_script(WATCH)
    page = Probe(context, server)
    said, responses = [], []
    page.page.on("console", lambda message: said.append(message.text))
    page.page.on("response", lambda response: responses.append(response))
    page.page.on("framenavigated", lambda frame: said.append(frame.url))
    found = []

    def gather():
        page.evaluate("() => Promise.all(__reading)")
        found.append(page.evaluate("""async () => JSON.stringify({
            events: __events, answers: __answers, addresses: __addresses, titles: __titles, title: document.title, here: location.href, name: window.name,
            local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie, state: history.state,
            databases: indexedDB.databases ? await indexedDB.databases() : [], caches: window.caches ? await caches.keys() : [],
            timings: performance.getEntries().map((e) => e.name) })"""))
        # The typed text is in its field while it is typed, and nowhere once the screen is gone.
        found.append(page.page.content())
        found.append(page.evaluate("JSON.stringify([...document.querySelectorAll('input')].map((e) => e.value))"))

    try:
        page.page.goto(server.link("/contacts"))
        page.by("contact").first.click()
        page.by("priming-add").click()
        fill_card(page, BAD)
        page.by("save").click()
        enter(page, "500")
        page.by("pay").click()
        expect(page.by("declined")).to_be_visible()
        gather()
        page.by("declined-change").click()
        page.by("add-card").click()
        fill_card(page, GOOD)
        page.by("save").click()
        expect(page.by("change-card")).to_contain_text("4242")
        page.by("code").press_sequentially(CODE)
        page.by("pay").click()
        expect(page.by("receipt")).to_be_visible()
        gather()
        for path, test in [("/cards", "card"), ("/payments", "payment"), ("/contacts", "contact"), ("/inspector", "inspector-row")]:
            page.page.goto(server.base + path)
            expect(page.by(test).first).to_be_visible()
            gather()
        for response in responses:
            said.append(response.url)
            said.append(str({name: value for name, value in response.headers.items() if name != "content-length"}))
        everything = "\n".join(found + said + page.requests)
        assert len(found) >= 18 and '\\"masked\\"' in everything, "the events were watched"
        assert '\\"totalBytes\\"' in everything, "the answers were watched"
        bare = re.sub(r"[\s\u00a0-]", "", everything)
        for secret in (GOOD, BAD):
            assert secret not in bare
            assert secret[:9] not in bare
        # Three digits are part of many numbers: the code is looked for as a value.
        leaks = [everything[max(0, m.start() - 80):m.end() + 40] for m in re.finditer(rf"[\"'>=:]\s*{CODE}\b", everything)]
        assert leaks == []
    finally:
        context.close()


def test_larger_text_does_not_make_the_pages_scroll_sideways(wallet):
    page = wallet(phone=True)
    add_card(page, TEST_CARD, "0118")
    for path, ready in [("/contacts", "contact"), ("/cards", "card"), ("/cards/new", "card-form"), ("/pay/1001", "pay-form")]:
        page.page.goto(page.server.base + path)
        expect(page.by(ready).first).to_be_visible()
        page.fits(path, larger=True)


def test_on_a_phone_the_focus_is_at_the_heading_after_the_first_card(wallet):
    page = wallet(phone=True)
    page.by("contact").first.click()
    page.by("priming-add").click()
    fill_card(page, GOOD)
    page.by("save").click()
    expect(page.by("pay-form")).to_be_visible()
    expect(page.by("screen-payment").locator('[data-test="title"]')).to_be_focused()
