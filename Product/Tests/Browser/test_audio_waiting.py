"""Clips that are posted later: in the list at once, after a reload and a restart, in each tab, heard, with their percent; refused
ones say why, and can be kept, edited and discarded."""

import http.server
import json
import re
import shutil
import threading
import uuid

import pytest
from playwright.sync_api import expect

from test_audio import audio, compose, part, playing, tone  # noqa: F401 (a fixture)
from test_payments import tab_to


def post_later(page, file, title):
    compose(page, file, title)
    page.by("later").click()
    expect(page.by("compose-queued")).to_be_visible()


def to_the_list(page):
    page.page.goto(page.server.base + "/audio")
    expect(page.by("screen-audio")).to_be_visible()


def retry(clip):
    """Asks for it, unless the outbox was quicker."""
    clip.evaluate("(row) => row.querySelector('[data-test=retry]')?.click()")


def row(page, title):
    # A clip that waits behind another one names it, too.
    return page.by("clip").filter(has=page.by("clip-title").filter(has_text=title))


class TitlesTaken:
    """A remote that refuses the clips of some titles, with its own words."""

    def __init__(self):
        self.taken, self.items, self.keys, self.sound, remote = {"Taken"}, [], {}, b"", self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/v1/audio":
                    return self.say(200, json.dumps({"items": remote.items}).encode(), "application/json")
                self.say(200, remote.sound, "audio/wav")

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                title = json.loads(re.search(rb'\{"[^\r\n]*\}', body)[0])["title"]
                if title in remote.taken:
                    return self.say(422, b'{"error": "There is a clip of this title already."}', "application/json")
                remote.sound = body[body.index(b"RIFF"):]
                key = self.headers["Idempotency-Key"]
                if key not in remote.keys:
                    remote.keys[key] = {
                        "id": str(uuid.uuid4()), "title": title, "duration": 2, "created_at": "2026-11-23T12:00:00Z",
                        "audio": f"{remote.address}/sound.wav"}
                    remote.items.insert(0, remote.keys[key])
                self.say(201, json.dumps(remote.keys[key]).encode(), "application/json")

            def say(self, status, body, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def picky(stopped_server, open_page, tmp_path):
    """A tab with a clip that the server has refused."""
    remote = TitlesTaken()
    stopped_server.start("--remote", f"audio={remote.address}")

    def picky(**options):
        page = open_page(stopped_server, "/audio/new", wait=False, **options, fails=True)
        page.remote = remote
        post_later(page, tone(tmp_path), "Taken")
        to_the_list(page)
        expect(row(page, "Taken")).to_have_attribute("data-pending", "refused")
        return page
    yield picky
    remote.server.shutdown()
    remote.server.server_close()


class TestWaiting:
    def test_it_is_in_the_list_at_once_after_a_reload_and_a_restart_and_in_a_second_tab(self, server, audio, tmp_path):
        first, second = audio(), audio()
        count = first.by("clip").count()
        first.connection("offline")
        post_later(first, tone(tmp_path), "From the train")
        to_the_list(first)
        for page in (first, second):
            expect(page.by("clip")).to_have_count(count + 1)
            expect(page.by("clip").first).to_contain_text("From the train")
            expect(page.by("clip").first).to_have_attribute("data-pending", "waiting")
            expect(part(page.by("clip").first, "pending")).to_have_text("Waiting to be sent")
            expect(part(page.by("clip").first, "download")).to_be_hidden()
        first.page.reload()
        expect(first.by("clip").first).to_contain_text("From the train")
        second.page.goto("about:blank")
        server.stop()
        server.start("--fault", "audio=offline")
        again = audio()
        expect(again.by("clip").first).to_contain_text("From the train")
        expect(part(again.by("clip").first, "pending")).to_be_visible()
        again.connection("online")
        again.page.goto(server.base + "/outbox")
        expect(again.by("outbox-empty").or_(again.by("outbox-item"))).to_be_visible()
        again.evaluate("document.querySelector('[data-test=send-all]')?.click()")
        expect(again.by("outbox-empty")).to_be_visible()
        to_the_list(again)
        expect(again.by("clip")).to_have_count(count + 1)
        expect(row(again, "From the train")).to_have_count(1)
        expect(part(row(again, "From the train"), "pending")).to_be_hidden()
        expect(part(row(again, "From the train"), "download")).to_be_visible()

    def test_it_is_heard_though_the_server_is_out_of_reach_and_goes_on_when_it_is_posted(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        post_later(page, tone(tmp_path, seconds=30), "From the train")
        to_the_list(page)
        clip = row(page, "From the train")
        part(clip, "play").click()
        expect(clip).to_have_attribute("data-state", "playing")
        expect(part(clip, "clip-time")).to_contain_text("0:30")
        identity = clip.get_attribute("data-id")
        page.connection("online")
        retry(clip)
        expect(part(clip, "pending")).to_be_hidden()
        expect(clip).to_have_attribute("data-state", "playing")
        expect(clip).to_have_count(1)
        assert clip.get_attribute("data-id") == identity, "the row stays the same"
        bar = part(clip, "seek")
        box = bar.bounding_box()
        page.page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
        expect(part(clip, "clip-time")).to_contain_text(re.compile("0:2"))
        expect(clip).to_have_attribute("data-state", "playing")

    def test_its_sound_comes_from_this_machine_with_ranges_and_as_sound_only(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        file = tone(tmp_path)
        post_later(page, file, "From the train")
        to_the_list(page)
        part(row(page, "From the train"), "play").click()
        expect(playing(page)).to_have_count(1)
        address = next(url for url in page.requests if "/api/screens/audio/clips/" in url)
        path = address[len(page.server.base):]
        answer = page.ask(path, headers={"Range": "bytes=10-19"})
        assert answer.status == 206 and answer.body() == file.read_bytes()[10:20]
        assert answer.headers["content-type"] == "audio/wav" and answer.headers["x-aquifer-source"] == "outbox"
        assert answer.headers["x-content-type-options"] == "nosniff" and "sandbox" in answer.headers["content-security-policy"]
        assert page.ask(path).body() == file.read_bytes()
        stranger = re.sub("[0-9A-F]{8}-[0-9A-F]{4}", "00000000-0000", path)
        assert page.ask(stranger).status in (401, 404)

    def test_its_percent_counts_to_the_end(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        post_later(page, tone(tmp_path, seconds=60, rate=44100), "Long")
        to_the_list(page)
        clip = row(page, "Long")
        expect(part(clip, "pending")).to_be_visible()
        page.evaluate("""() => { window.__percents = []; const meter = document.querySelector("[data-test=clip] [data-test=pending-progress]");
            new MutationObserver(() => meter.hasAttribute("aria-valuenow") && __percents.push(Number(meter.getAttribute("aria-valuenow")))).observe(meter, { attributes: true, attributeFilter: ["aria-valuenow"] }); }""")
        page.connection("slow")
        retry(clip)
        expect(part(clip, "pending")).to_have_text(re.compile(r"^Sending \d+ %$"))
        expect(clip).to_have_attribute("data-pending", "posting")
        expect(part(clip, "pending-progress")).to_be_visible()
        page.connection("online")
        page.until(lambda: clip.get_attribute("data-pending") is None, "it is posted", limit=40_000)
        percents = page.evaluate("__percents")
        assert percents and percents == sorted(percents) and all(0 <= p <= 100 for p in percents), percents

    def test_without_a_list_it_is_there_alone_and_the_page_says_so(self, stopped_server, audio, tmp_path):
        page = audio("/audio/new", on=stopped_server.start("--fault", "audio=offline"))
        post_later(page, tone(tmp_path), "Alone")
        to_the_list(page)
        expect(page.by("clip")).to_have_count(1)
        expect(page.by("notice")).to_contain_text("Only what was added on this device")
        page.connection("online")
        retry(row(page, "Alone"))
        page.until(lambda: page.by("clip").count() > 10, "the list comes with the connection")
        expect(row(page, "Alone")).to_have_count(1)

    def test_its_length_is_shown_before_it_plays(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        post_later(page, tone(tmp_path, seconds=7), "From the train")
        to_the_list(page)
        expect(part(row(page, "From the train"), "clip-time")).to_have_text("0:07")

    def test_it_has_its_author_its_shape_and_one_length_while_it_waits_and_when_it_is_posted(self, audio, tmp_path):
        page = audio("/audio/new")
        page.by("clip-author-field").fill("Márcia")
        page.connection("offline")
        post_later(page, tone(tmp_path, seconds=2.77), "From the train")
        to_the_list(page)
        clip = row(page, "From the train")
        bars = part(clip, "seek").locator("path").first
        for state in ("it waits", "it is posted", "the page is loaded again"):
            expect(part(clip, "clip-author")).to_have_text("Márcia")
            expect(part(clip, "clip-time")).to_have_text("0:03")
            page.until(lambda: (bars.get_attribute("d") or "").count("M") > 50, f"its shape is drawn when {state}")
            if state == "it waits":
                page.connection("online")
                retry(clip)
                page.until(lambda: clip.get_attribute("data-pending") is None, "it is posted")
            if state == "it is posted":
                page.page.reload()
        part(clip, "play").click()
        expect(page.by("mini-time")).to_contain_text("/ 0:03")
        page.page.goto(page.server.base + "/audio/new")
        expect(page.by("clip-author-field")).to_have_value("Márcia")
        page.by("file-input").set_input_files(tone(tmp_path, seconds=2.77))
        expect(page.by("preview-time")).to_have_text("0:00 / 0:03")

    def test_it_keeps_its_shape_under_the_identity_that_the_server_gives_it(self, picky):
        page = picky()
        clip = row(page, "Taken")
        bars = part(clip, "seek").locator("path").first

        def is_drawn(when):
            page.until(lambda: (bars.get_attribute("d") or "").count("M") > 50, f"its shape is drawn {when}")

        is_drawn("while it waits")
        page.remote.taken.clear()
        retry(clip)
        page.until(lambda: clip.get_attribute("data-pending") is None, "it is posted")
        is_drawn("when it is posted")
        # The queue forgets it some time after the list has it: here at once. Only the identity of the server of the clips is left then.
        mine = clip.get_attribute("data-id")
        page.server.stop()
        for file in page.server.data.glob("outbox*"):
            shutil.rmtree(file) if file.is_dir() else file.unlink()
        page.server.start("--remote", f"audio={page.remote.address}")
        to_the_list(page)
        expect(clip).to_have_count(1)
        assert clip.get_attribute("data-id") == page.remote.items[0]["id"].upper() != mine
        is_drawn("at the next start")

    def test_its_row_stands_still_while_it_is_tried_in_vain(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        post_later(page, tone(tmp_path), "From the train")
        to_the_list(page)
        clip = row(page, "From the train")
        expect(part(clip, "pending-reason")).to_have_text("Waiting for a connection. Tries again soon.")
        page.evaluate("""() => { const row = document.querySelector("[data-test=clip]");
            const said = () => ["pending", "pending-reason"].map((part) => row.querySelector(`[data-test=${part}]`).textContent).join(". ");
            window.__said = [said()];
            new MutationObserver(() => said() !== __said.at(-1) && __said.push(said())).observe(row, { childList: true, subtree: true, characterData: true }); }""")
        # Two more tries: the first ones are seconds apart.
        page.page.wait_for_timeout(6_000)
        waits = "Waiting to be sent. Waiting for a connection. Tries again soon."
        assert page.evaluate("__said") == [waits]
        part(clip, "retry").click()
        page.until(lambda: page.evaluate("__said") == [waits, "Sending. ", waits], "who asks for a try sees it")

    def test_while_the_outbox_is_paused_the_page_says_so_once(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        post_later(page, tone(tmp_path), "From the train")
        page.page.goto(page.server.base + "/outbox")
        page.by("pause").click()
        expect(page.by("resume")).to_be_visible()
        to_the_list(page)
        expect(page.by("notice")).to_contain_text("The outbox is paused: nothing is sent.")
        expect(row(page, "From the train")).not_to_contain_text("paused")

    def test_it_speaks_portuguese(self, audio, tmp_path):
        page = audio(locale="pt-BR")
        page.connection("offline")
        post_later(page, tone(tmp_path), "Do trem")
        to_the_list(page)
        expect(part(row(page, "Do trem"), "pending")).to_have_text("Aguardando envio")


class TestRefused:
    def test_it_says_why_and_is_kept(self, picky):
        page = picky()
        clip = row(page, "Taken")
        expect(part(clip, "pending")).to_have_text("Not posted")
        expect(part(clip, "pending-reason")).to_contain_text("There is a clip of this title already.")
        page.page.reload()
        page.by("reload").click()
        expect(part(clip, "pending-reason")).to_contain_text("There is a clip of this title already.")
        part(clip, "play").click()
        expect(clip).to_have_attribute("data-state", "playing")

    def test_its_title_is_changed_and_it_is_posted(self, picky):
        page = picky()
        clip = page.by("clip").first
        part(clip, "edit").click()
        part(clip, "edit-field").fill("Free")
        page.page.keyboard.press("Escape")
        expect(part(clip, "clip-title")).to_have_text("Taken")
        assert page.evaluate("document.activeElement.dataset.test") == "edit"
        part(clip, "edit").click()
        part(clip, "edit-field").fill("Free")
        part(clip, "edit-save").click()
        expect(part(clip, "clip-title")).to_have_text("Free")
        expect(part(clip, "pending")).to_be_hidden()
        expect(page.by("clip")).to_have_count(1)
        assert [item["title"] for item in page.remote.items] == ["Free"]
        to_the_list(page)
        expect(page.by("clip")).to_have_count(1)

    def test_without_a_title_it_says_so_and_is_not_saved(self, picky):
        page = picky()
        clip = page.by("clip").first
        part(clip, "edit").click()
        part(clip, "edit-field").fill(" ")
        part(clip, "edit-save").click()
        expect(part(clip, "edit-error")).to_have_text("Enter a title.")
        expect(part(clip, "edit-field")).to_have_attribute("aria-invalid", "true")
        part(clip, "edit-field").fill("F")
        expect(part(clip, "edit-error")).to_be_empty()

    def test_who_changes_the_title_of_a_clip_that_another_tab_discards_is_told(self, picky, open_page):
        page = picky()
        part(row(page, "Taken"), "edit").click()
        other = open_page(page.server, "/audio", wait=False, fails=True)
        part(row(other, "Taken"), "discard").click()
        part(row(other, "Taken"), "discard-confirm").click()
        expect(page.by("toast").last).to_have_text("Taken: It was sent or discarded in the meantime.")

    def test_it_is_tried_again(self, picky):
        page = picky()
        page.remote.taken.clear()
        part(row(page, "Taken"), "retry").click()
        expect(part(row(page, "Taken"), "pending")).to_be_hidden()
        assert [item["title"] for item in page.remote.items] == ["Taken"]

    def test_discarding_asks_first(self, picky):
        page = picky()
        clip = row(page, "Taken")
        part(clip, "discard").click()
        part(clip, "discard-cancel").click()
        assert page.evaluate("document.activeElement.dataset.test") == "discard"
        part(clip, "discard").click()
        expect(clip).to_contain_text("It won’t be posted.")
        part(clip, "discard-confirm").click()
        expect(page.by("audio-empty")).to_be_visible()
        expect(page.by("toast").last).to_contain_text("discarded")
        page.page.reload()
        expect(page.by("audio-empty")).to_be_visible()
        assert page.remote.items == []

    def test_what_follows_it_says_so_and_is_posted_when_it_is_gone(self, picky, tmp_path):
        page = picky()
        post_later(page, tone(tmp_path), "Behind")
        to_the_list(page)
        expect(part(row(page, "Behind"), "pending-reason")).to_contain_text("“Taken” goes first, and was not posted")
        part(row(page, "Taken"), "discard").click()
        part(row(page, "Taken"), "discard-confirm").click()
        expect(part(row(page, "Behind"), "pending")).to_be_hidden()
        assert [item["title"] for item in page.remote.items] == ["Behind"]

    def test_keys_alone_discard(self, picky):
        page = picky()
        tab_to(page, "discard")
        page.page.keyboard.press("Enter")
        shows_focus = "document.activeElement.dataset.test + ' ' + document.activeElement.matches(':focus-visible')"
        assert page.evaluate(shows_focus) == "discard-cancel true"
        page.page.keyboard.press("Escape")
        assert page.evaluate(shows_focus) == "discard true"
        page.page.keyboard.press("Enter")
        tab_to(page, "discard-confirm")
        page.page.keyboard.press("Enter")
        expect(page.by("audio-empty")).to_be_visible()
