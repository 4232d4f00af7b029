"""A page whose request fails alone, while the stream of its states goes on: nothing is done with other values than those that it shows, and nothing
is lost without a word."""

import json
import re

import pytest
from playwright.sync_api import expect

from test_audio import audio, compose, tone  # noqa: F401 (one is a fixture)
from test_drive import drive  # noqa: F401 (a fixture)
from test_payments import CODE, EXPIRY, GOOD, SPACE, add_card, enter, fill_card, open_contact, wallet  # noqa: F401 (one is a fixture)


class Lost:
    """The requests of one intent of a screen, which do not arrive until `end()`."""

    def __init__(self, page, screen, intent, holds=False, **fields):
        self.page, self.screen, self.intent, self.fields, self.holds = page, screen, intent, fields, holds
        self.pattern = f"**/api/screens/{screen}/intents*"
        self.messages, self.held = [], []
        page.expects_failed_requests = True
        page.page.route(self.pattern, self._route)

    def _route(self, route):
        message = route.request.post_data_json
        if message["intent"] != self.intent or any(message.get(name) != value for name, value in self.fields.items()):
            return route.continue_()
        self.messages.append(message)
        if self.holds:
            self.held.append(route)
        else:
            route.abort("connectionreset")

    def wait(self, count=1):
        """The page knows that so many have failed, unless they are held."""
        self.page.until(lambda: len(self.messages) >= count, f"{self.intent} was sent")
        if not self.holds:
            self.page.until(lambda: sum(f"/{self.screen}/intents" in url for url in self.page.failed) >= count, f"{self.intent} was lost")
        self.page.frames()

    def drop(self):
        """The requests that are held do not arrive."""
        for route in self.held:
            route.abort("connectionreset")
        self.held = []

    def end(self):
        # Those that are held when nobody looks at requests any more go on by themselves.
        for route in self.held:
            route.continue_()
        self.held = []
        self.page.page.unroute(self.pattern, self._route)


def heard(page, intent, act):
    """Does something, and returns the request of the intent that follows."""
    def is_it(request):
        return "/intents" in request.url and (request.post_data_json or {}).get("intent") == intent
    with page.page.expect_request(is_it) as request:
        act()
    return request.value


def from_another_tab(page, request, **fields):
    """The same request with other fields, as a duplicated tab would send it: it has the same model."""
    data = json.dumps(request.post_data_json | fields)
    assert page.context.request.post(request.url, headers=request.all_headers(), data=data).status == 204


def pressed_on_the_way(page):
    """The button is pressed while another size is on its way to the server, where it stays."""
    lost = Lost(page, "drive-create", "size", holds=True)
    page.by("create-size").fill("2MB")
    page.by("create").click()
    lost.wait()
    return lost


class TestAPress:
    def form(self, drive):
        page = drive("/drive/new")
        name = heard(page, "name", lambda: page.by("create-name").fill("Harbour papers"))
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        return page, name

    def test_whose_last_edit_was_lost_does_nothing_later_and_the_next_one_does_what_the_page_shows(self, drive):
        page, name = self.form(drive)
        lost = Lost(page, "drive-create", "size")
        page.by("create-size").fill("2MB")
        lost.wait()
        # The press says it once more, and that is lost, too.
        page.by("create").click()
        lost.wait(2)
        # A state comes, which still has the size of before.
        from_another_tab(page, name, text="Other papers")
        expect(page.by("create-name")).to_have_value("Other papers")
        page.frames()
        assert "create" not in page.intents
        expect(page.by("create-size")).to_have_value("2MB")
        lost.end()
        sent = heard(page, "create", lambda: page.by("create").click())
        assert sent.post_data_json["size"] == "2MB"
        expect(page.by("created")).to_contain_text("Other papers")

    def test_is_forgotten_when_its_page_is_left(self, drive):
        page, _ = self.form(drive)
        lost = pressed_on_the_way(page)
        page.by("nav-drive").click()
        expect(page.by("screen-drive")).to_be_visible()
        page.page.go_back()
        expect(page.by("create-form")).to_be_visible()
        with page.page.expect_response(lambda response: "/intents" in response.url):
            lost.end()
        page.frames()
        assert "create" not in page.intents
        expect(page.by("create-size")).to_have_value("2MB")

    def test_that_waited_when_the_stream_came_back_is_told_and_does_nothing(self, drive):
        page, _ = self.form(drive)
        lost = pressed_on_the_way(page)
        page.server.stop()
        page.server.start()
        expect(page.by("toast").filter(has_text="That didn’t work. Try again.")).to_be_visible()
        lost.end()
        page.frames()
        assert "create" not in page.intents
        expect(page.by("create-size")).to_have_value("2MB")
        # The server that began anew has not heard the name, which had arrived at the one before.
        page.by("create-name").fill("Harbour papers")
        page.by("create").click()
        expect(page.by("created")).to_contain_text("Harbour papers")

    def test_hands_no_transaction_over_that_another_one_was_pasted_over(self, drive):
        page, name = self.form(drive)
        page.by("hand-open").click()
        heard(page, "transaction", lambda: page.by("hand-text").fill("AAAA"))
        expect(page.by("hand-error")).to_contain_text("ends too early")
        lost = Lost(page, "drive-create", "transaction")
        page.by("hand-text").fill("bm9uZQ==")
        lost.wait()
        page.by("hand-submit").click(force=True)
        lost.wait(2)
        from_another_tab(page, name, text="Other papers")
        expect(page.by("create-name")).to_have_value("Other papers")
        expect(page.by("hand-text")).to_have_value("bm9uZQ==")
        assert "handOver" not in page.intents
        # The next press says it again, and the page then tells of this one.
        lost.end()
        heard(page, "transaction", lambda: page.by("hand-submit").click(force=True))
        expect(page.by("hand-text")).to_have_value("bm9uZQ==")
        # Named with another transaction than the model has, it is refused.
        other = json.dumps({"intent": "handOver", "transaction": "AAAA", "typed": ""})
        assert page.context.request.post(name.url, headers=name.all_headers(), data=other).status == 400


class TestATitleThatWasLost:
    def test_is_told_again_at_the_next_press_and_the_clip_is_posted_under_it(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path), "Rain")
        lost = Lost(page, "audio-compose", "title")
        page.by("clip-title").fill("Rain in May")
        lost.wait()
        page.by("send").click()
        # The press says it once more, and that is lost, too: nothing is posted.
        lost.wait(2)
        page.frames()
        assert "send" not in page.intents
        expect(page.by("clip-title")).to_have_value("Rain in May")
        lost.end()
        page.by("send").click()
        expect(page.by("sent-title")).to_have_text("Rain in May")

    def test_is_told_again_when_the_stream_comes_back(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path), "Rain")
        lost = Lost(page, "audio-compose", "title")
        page.by("clip-title").fill("Rain in May")
        lost.wait()
        lost.end()
        page.server.stop()
        told = heard(page, "title", lambda: page.server.start())
        assert told.post_data_json["text"] == "Rain in May"
        expect(page.by("clip-title")).to_have_value("Rain in May")

    def test_is_refused_by_a_form_that_has_another_one(self, audio, tmp_path):
        page = audio()
        typed = heard(page, "title", lambda: compose(page, tone(tmp_path), "Rain"))
        other = json.dumps({"intent": "send", "title": "Rain in May", "author": ""})
        assert page.context.request.post(typed.url, headers=typed.all_headers(), data=other).status == 400
        expect(page.by("send")).to_be_visible()


class TestACardWhoseEditWasLost:
    def test_is_saved_as_it_stands_or_not_at_all(self, wallet):
        page = wallet("/cards/new")
        fill_card(page, GOOD, EXPIRY)
        expect(page.by("save")).to_have_attribute("data-ready", "true")
        lost = Lost(page, "card-form", "edit", field="holder")
        page.page.locator("#card-holder").fill("Beatriz Lima")
        lost.wait()
        page.by("save").click()
        lost.wait(2)
        page.frames()
        assert "save" not in page.intents
        lost.end()
        page.by("save").click()
        expect(page.by("screen-cards")).to_be_visible()
        expect(page.by("card").filter(has_text="Beatriz Lima")).to_have_count(1)

    def test_is_saved_by_the_next_press_when_the_server_is_gone_just_after_save(self, wallet):
        page = wallet("/cards/new")
        fill_card(page, GOOD, EXPIRY)
        pattern = "**/api/screens/card-form/intents*"

        def taken(route):
            """The request is answered, and nothing comes of it."""
            if route.request.post_data_json["intent"] != "save":
                return route.continue_()
            route.fulfill(status=204)

        page.page.route(pattern, taken)
        with page.page.expect_response(lambda response: (response.request.post_data_json or {}).get("intent") == "save"):
            page.by("save").click()
        page.page.unroute(pattern, taken)
        page.server.stop()
        page.server.start()
        expect(page.by("toast").filter(has_text=TestAnAct.UNANSWERED)).to_be_visible()
        expect(page.by("save")).to_have_attribute("data-ready", "true")
        page.by("save").click()
        expect(page.by("screen-cards")).to_be_visible()
        expect(page.by("card")).to_have_count(1)


class TestAPaymentWhoseEditWasLost:
    def form(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        return page

    def test_is_not_made_with_the_code_that_the_model_lacks_and_the_next_press_says_it_again(self, wallet):
        page = self.form(wallet)
        page.by("amount").press_sequentially("1500")
        expect(page.by("pay-label")).to_contain_text("15,00")
        lost = Lost(page, "payment", "code", value=CODE)
        page.by("code").press_sequentially(CODE)
        lost.wait()
        page.by("pay").click()
        # The press says it once more, and that is lost, too.
        lost.wait(2)
        assert "pay" not in page.intents
        expect(page.by("code")).to_have_value(CODE)
        expect(page.by("code-error")).to_be_hidden()
        lost.end()
        page.by("pay").click()
        expect(page.by("receipt-total")).to_have_text(f"R${SPACE}15,00")

    def test_is_made_of_the_amount_that_was_typed(self, wallet):
        page = self.form(wallet)
        enter(page, "1500")
        lost = Lost(page, "payment", "amount", digits="15009")
        page.by("amount").press_sequentially("9")
        lost.wait()
        page.by("pay").click()
        lost.wait(2)
        page.frames()
        assert "pay" not in page.intents
        expect(page.by("amount")).to_have_value(f"R${SPACE}150,09")
        lost.end()
        sent = heard(page, "pay", lambda: page.by("pay").click())
        assert sent.post_data_json["digits"] == "15009"
        expect(page.by("receipt-total")).to_have_text(f"R${SPACE}150,09")

    def test_is_not_made_before_the_amount_that_was_pasted_is_shown(self, wallet):
        page = self.form(wallet)
        enter(page, "1500")
        lost = Lost(page, "payment", "amountText")
        page.evaluate("""() => {
          const data = new DataTransfer();
          data.setData("text", "79,90");
          const field = document.querySelector('[data-test="amount"]');
          field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""")
        lost.wait()
        lost.end()
        page.by("pay").click()
        expect(page.by("amount")).to_have_value(f"R${SPACE}79,90")
        page.frames()
        assert "pay" not in page.intents
        page.by("pay").click()
        expect(page.by("receipt-total")).to_have_text(f"R${SPACE}79,90")


class TestAnAmountTypedFasterThanItIsHeard:
    @pytest.fixture
    def page(self, wallet):
        page = wallet()
        add_card(page, GOOD)
        open_contact(page)
        # Each text that is put into the field.
        page.evaluate("""() => {
          const input = document.querySelector('[data-test="amount"]'), own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
          window.__shown = [];
          Object.defineProperty(input, "value", { get: () => own.get.call(input), set: (text) => (__shown.push(text), own.set.call(input, text)) });
        }""")
        return page

    def shown(self, page):
        return [re.sub(r"\D", "", text).lstrip("0") for text in page.evaluate("__shown")]

    @pytest.mark.parametrize("more", ["67890", "6789012345"])
    def test_never_goes_back_and_the_limit_is_told(self, page, more):
        page.by("code").press_sequentially(CODE)
        lost = Lost(page, "payment", "amount", holds=True)
        page.by("amount").press_sequentially("1")
        lost.wait()
        page.by("amount").press_sequentially("2345")
        lost.held.pop().continue_()
        lost.wait(2)
        lost.held.pop().continue_()
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}123,45")
        page.by("amount").press_sequentially(more)
        lost.wait(3)
        lost.end()
        expect(page.by("amount-error")).to_contain_text(f"at most R${SPACE}1.000.000,00")
        digits = ("12345" + more)[:11]
        assert self.shown(page) == [digits[:count] for count in range(1, len(digits) + 1)]
        page.by("pay").click()
        page.frames()
        assert "pay" not in page.intents

    def test_on_a_page_that_was_loaded_again_is_newer_than_what_was_typed_before(self, page):
        first = heard(page, "amount", lambda: page.by("amount").press_sequentially("1"))
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}0,01")
        page.page.reload()
        expect(page.by("amount")).to_have_value(f"R${SPACE}0,01")
        lost = Lost(page, "payment", "amount", holds=True)
        page.by("amount").press_sequentially("2")
        lost.wait()
        # A state comes that has the mark of the first edit, which another page has made.
        from_another_tab(page, first, digits="9")
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}0,09")
        page.by("amount").press_sequentially("3")
        expect(page.by("amount")).to_have_value(f"R${SPACE}1,23")
        lost.end()
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}1,23")

    def test_stays_when_a_server_that_began_anew_has_not_heard_it(self, page):
        enter(page, "1500")
        page.server.stop()
        page.evaluate("() => { __shown = []; }")
        lost = Lost(page, "payment", "amount", holds=True)
        page.server.start()
        lost.wait()
        page.frames()
        lost.end()
        expect(page.by("pay-label")).to_contain_text(f"R${SPACE}15,00")
        assert set(self.shown(page)) <= {"1500"}


class TestAnAct:
    UNANSWERED = "There was no answer, so it isn’t certain whether that worked. Look before you try again."

    def test_that_is_lost_alone_is_told_and_works_the_next_time(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Harbour papers")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        lost = Lost(page, "drive-create", "create")
        page.by("create").click()
        lost.wait()
        expect(page.by("toast")).to_have_text(self.UNANSWERED)
        lost.end()
        page.by("create").click()
        expect(page.by("created")).to_contain_text("Harbour papers")

    def test_that_waited_for_an_edit_which_was_lost_is_told_too(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Harbour papers")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        lost = pressed_on_the_way(page)
        lost.drop()
        expect(page.by("toast")).to_have_text(self.UNANSWERED)
        assert "create" not in page.intents

    def test_while_the_server_is_gone_is_told_by_the_page_alone(self, drive):
        page = drive("/drive/new")
        page.by("create-name").fill("Harbour papers")
        page.by("create-size").fill("1MB")
        expect(page.by("cost")).to_contain_text("SHDW")
        page.server.stop()
        page.by("create").click()
        expect(page.by("server-lost")).to_be_visible()
        expect(page.by("toast")).to_have_count(0)
        page.server.start()
        expect(page.by("server-lost")).to_have_count(0)


class TestARequestWithoutAnAnswer:
    def test_is_given_up_so_that_the_next_one_goes_out(self, drive):
        page = drive()
        page.page.clock.install()
        page.page.goto(page.server.base + "/drive/new")
        lost = Lost(page, "drive-create", "name", holds=True)
        page.by("create-name").fill("Harbour papers")
        lost.wait()
        page.by("create-size").fill("1MB")
        assert "size" not in page.intents
        page.page.clock.fast_forward("00:46")
        page.until(lambda: "size" in page.intents, "the next one goes out")

    def test_is_given_up_when_its_stream_comes_back_and_is_said_again(self, drive):
        page = drive("/drive/new")
        expect(page.by("create-name")).to_be_editable()
        heard(page, "size", lambda: page.by("create-size").fill("1MB"))
        expect(page.by("cost")).to_contain_text("SHDW")
        lost = Lost(page, "drive-create", "name", holds=True)
        page.by("create-name").fill("Harbour papers")
        lost.wait()
        page.server.stop()
        page.server.start()
        lost.wait(2)
        assert [message["text"] for message in lost.messages] == ["Harbour papers"] * 2
        lost.end()


ANNOUNCED = """() => { window.__announced = [];
new MutationObserver(() => __announced.push(document.getElementById("announcer").textContent)).observe(document.getElementById("announcer"), { childList: true }); }"""


def test_a_post_that_ends_is_called_cancelled_only_if_this_page_has_cancelled_it(audio, tmp_path):
    page = audio()
    compose(page, tone(tmp_path, seconds=60, rate=44100), "Never mind")
    page.evaluate(ANNOUNCED)
    page.connection("slow")
    sent = heard(page, "send", lambda: page.by("send").click())
    expect(page.by("send-progress")).to_be_visible()
    from_another_tab(page, sent, intent="cancel")
    expect(page.by("send")).to_be_visible()
    page.by("send").click()
    page.by("cancel-send").click()
    expect(page.by("send")).to_be_visible()
    page.until(lambda: any("Cancelled" in text for text in page.evaluate("__announced")), "it is said")
    assert sum("Cancelled" in text for text in page.evaluate("__announced")) == 1
