"""Clips: heard, moved within, kept for later; sent, queued and what becomes of them."""

import math
import os
import re
import struct
import wave

import pytest
from playwright.sync_api import expect

from helpers import Probe
from test_payments import tab_to


@pytest.fixture
def audio(server, open_page):
    """A tab at the clips."""
    def audio(path="/audio", on=None, **options):
        page = open_page(on or server, path, wait=False, **options, fails=True)
        if path == "/audio":
            expect(page.by("clip").first).to_be_visible()
        return page
    return audio


def part(row, test):
    return row.locator(f'[data-test="{test}"]')


def start(row):
    """Plays a clip."""
    part(row, "play").click()
    expect(row).to_have_attribute("data-state", "playing")


def elapsed(row):
    """The position in a clip, in seconds. A clip that was never played is at the beginning."""
    times = part(row, "clip-time").text_content().split(" / ")
    minutes, seconds = times[0].split(":")
    return int(minutes) * 60 + int(seconds) if len(times) == 2 else 0


def longest(page):
    """The clip that plays for longest."""
    return page.by("clip").nth(place_of_longest(page))


def longest_and_next(page):
    """The clip that plays for longest of those that another one follows, and that one. A short one may end before it is used."""
    place = place_of_longest(page, among=page.by("clip").count() - 1)
    return page.by("clip").nth(place), page.by("clip").nth(place + 1)


def place_of_longest(page, among=None):
    rows = page.by("clip")
    lengths = [int(part(rows.nth(n), "seek").get_attribute("aria-valuemax")) for n in range(rows.count())][:among]
    return lengths.index(max(lengths))


def playing(page):
    return page.page.locator('[data-test="clip"][data-state="playing"]')


def remote(page):
    return page.transfers("audio")


def asked(page, method, path_end=""):
    return [r for r in remote(page)["requests"] if r["method"] == method and r["path"].endswith(path_end)]


def tone(folder, seconds=2, name="tone.wav", rate=8000):
    """A sound of our own, that swells every second: sixteen bits, one channel."""
    path = folder / name
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        one = b"".join(struct.pack("<h", int(9000 * math.sin(math.pi * n / rate) * math.sin(2 * math.pi * 440 * n / rate))) for n in range(rate))
        file.writeframes((one * math.ceil(seconds))[:2 * int(rate * seconds)])
    return path


def compose(page, file, title):
    """Opens the form, and fills it in."""
    page.page.goto(page.server.base + "/audio/new")
    page.by("file-input").set_input_files(file)
    expect(page.by("file")).to_be_visible()
    page.by("clip-title").fill(title)
    expect(page.by("later")).to_have_attribute("data-ready", "true")


def send_all(page):
    """Asks for it, unless the outbox was quicker."""
    page.evaluate("document.querySelector('[data-test=send-all]')?.click()")


class TestTheList:
    def test_every_clip_has_title_author_age_length_and_waveform(self, audio):
        page = audio()
        assert page.by("clip").count() >= 12
        row = page.by("clip").first
        expect(part(row, "clip-title")).not_to_be_empty()
        expect(part(row, "clip-date")).to_contain_text("ago")
        assert ":" in part(row, "clip-time").text_content()
        drawn = page.evaluate("[...document.querySelectorAll('[data-test=seek]')].map((e) => e.querySelector('path').getAttribute('d').split('M').length - 1)")
        assert drawn.count(1) == 1, "one clip has no waveform and is drawn as a plain bar"
        assert all(count > 20 for count in drawn if count != 1)
        without = [n for n in range(page.by("clip").count()) if part(page.by("clip").nth(n), "clip-author").is_hidden()]
        assert len(without) == 1, "one clip has no author"

    def test_bars_stand_in_while_it_loads(self, stopped_server, open_page):
        page = open_page(stopped_server.start("--fault", "audio=slow"), "/audio", wait=False)
        expect(page.by("skeleton").first).to_be_visible()
        expect(page.by("clip").first).to_be_visible()
        expect(page.by("skeleton")).to_have_count(0)

    def test_without_a_connection_and_a_copy_it_says_so_and_tries_again(self, stopped_server, open_page):
        page = open_page(stopped_server.start("--fault", "audio=offline"), "/audio", wait=False, fails=True)
        expect(page.by("audio-failed")).to_be_visible()
        expect(page.by("error-banner")).to_have_count(0)
        page.connection("slow")
        page.by("audio-failed-action").click()
        expect(page.by("clip").first).to_be_visible()

    def test_without_a_connection_it_is_the_saved_list_with_its_age(self, audio):
        page = audio()
        page.connection("offline")
        page.by("reload").click()
        expect(page.by("notice")).to_contain_text("Saved")
        expect(page.by("clip").first).to_be_visible()

    def test_it_is_in_the_navigation_between_phrases_and_the_drive(self, audio):
        page = audio()
        names = page.evaluate("[...document.querySelectorAll('#nav a')].map((a) => a.dataset.name)")
        assert names.index("audio") == names.index("foaas") + 1 == names.index("drive") - 1
        expect(page.by("nav-audio")).to_have_attribute("aria-current", "page")


class TestPlaying:
    def test_it_plays_and_pauses(self, audio):
        page = audio()
        row = page.by("clip").first
        start(row)
        expect(part(row, "play")).to_have_attribute("aria-label", f"Pause {part(row, 'clip-title').text_content()}")
        page.until(lambda: elapsed(row) >= 1, "it proceeds")
        part(row, "play").click()
        expect(row).to_have_attribute("data-state", "paused")
        at = part(row, "seek").evaluate("(e) => e.style.getPropertyValue('--played')")
        # The bar is drawn with the page's frames: it would have moved in one of these.
        page.page.evaluate("() => new Promise((done) => { let left = 20; const next = () => (left-- ? requestAnimationFrame(next) : done()); next(); })")
        assert part(row, "seek").evaluate("(e) => e.style.getPropertyValue('--played')") == at, "a pause stands still"

    def test_the_remote_is_asked_for_a_range(self, audio):
        page = audio()
        part(page.by("clip").first, "play").click()
        expect(playing(page)).to_have_count(1)
        assert any(r["range"] and r["status"] == 206 for r in asked(page, "GET", ".mp3")), remote(page)["requests"]

    def test_the_bar_tells_the_length_that_stands_beside_it_though_a_decoder_counts_another_one(self, audio):
        page = audio()
        page.evaluate("Object.defineProperty(HTMLMediaElement.prototype, 'duration', { get: () => 999 })")
        row = page.by("clip").first
        start(row)
        length = part(row, "clip-time").text_content().split(" / ")[1]
        minutes, seconds = length.split(":")
        for bar in (part(row, "seek"), page.by("mini-seek")):
            expect(bar).to_have_attribute("aria-valuetext", re.compile(f"{length}$"))
            expect(bar).to_have_attribute("aria-valuemax", str(int(minutes) * 60 + int(seconds)))

    def test_moving_far_ahead_fetches_only_from_there(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path, seconds=240, rate=44100), "Four minutes")
        page.by("send").click()
        expect(page.by("compose-sent")).to_be_visible()
        page.by("to-audio").click()
        page.by("reload").click()
        row = page.by("clip").filter(has_text="Four minutes")
        bar = part(row, "seek")
        expect(bar).to_have_attribute("aria-valuemax", "240")
        box = bar.bounding_box()
        page.page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
        expect(row).to_have_attribute("data-state", "playing")
        assert elapsed(row) >= 210
        starts = [int(r["range"].split("=")[1].split("-")[0]) for r in asked(page, "GET") if r["range"]]
        assert max(starts) > 240 * 88_200 * 0.8, starts

    def test_one_at_a_time(self, audio):
        page = audio()
        first, second = page.by("clip").nth(0), page.by("clip").nth(3)
        start(first)
        part(second, "play").click()
        expect(second).to_have_attribute("data-state", "playing")
        expect(first).to_have_attribute("data-state", "idle")
        expect(playing(page)).to_have_count(1)

    def test_a_click_on_the_waveform_plays_from_there(self, audio):
        page = audio()
        row = longest(page)
        bar = part(row, "seek")
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        length = int(bar.get_attribute("aria-valuemax"))
        page.page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
        expect(row).to_have_attribute("data-state", "playing")
        assert length * 0.7 <= elapsed(row) <= length * 0.9
        now = int(bar.get_attribute("aria-valuenow"))
        assert abs(now - elapsed(row)) <= 1

    def test_dragging_shows_where_it_will_go_and_goes_there(self, audio):
        page = audio()
        row = longest(page)
        start(row)
        part(row, "play").click()
        expect(row).to_have_attribute("data-state", "paused")
        bar = part(row, "seek")
        bar.scroll_into_view_if_needed()
        box = bar.bounding_box()
        length = int(bar.get_attribute("aria-valuemax"))
        middle = box["y"] + box["height"] / 2
        page.page.mouse.move(box["x"] + 10, middle)
        page.page.mouse.down()
        page.page.mouse.move(box["x"] + box["width"] * 0.5, middle, steps=4)
        page.until(lambda: abs(elapsed(row) - length * 0.5) <= 2, "what is held is shown")
        page.page.mouse.up()
        page.until(lambda: abs(elapsed(row) - length * 0.5) <= 2, "it is there")
        expect(row).to_have_attribute("data-state", "playing")

    def test_arrows_home_end_and_space(self, audio):
        page = audio()
        row = longest(page)
        bar = part(row, "seek")
        length = int(bar.get_attribute("aria-valuemax"))
        bar.focus()
        page.page.keyboard.press("ArrowRight")
        page.page.keyboard.press("ArrowRight")
        expect(bar).to_have_attribute("aria-valuenow", "10")
        page.page.keyboard.press("ArrowLeft")
        expect(bar).to_have_attribute("aria-valuenow", "5")
        expect(bar).to_have_attribute("aria-valuetext", f"0:05 of {length // 60}:{length % 60:02d}")
        page.page.keyboard.press("End")
        expect(bar).to_have_attribute("aria-valuenow", str(length))
        page.page.keyboard.press("Home")
        expect(bar).to_have_attribute("aria-valuenow", "0")
        before = page.evaluate("scrollY")
        page.page.keyboard.press("Space")
        expect(row).to_have_attribute("data-state", "playing")
        assert page.evaluate("scrollY") == before, "the space bar did not scroll the page"
        page.page.keyboard.press("ArrowRight")
        page.until(lambda: elapsed(row) >= 5, "five seconds on")
        page.page.keyboard.press("Space")
        expect(row).to_have_attribute("data-state", "paused")

    def test_the_next_clip_follows_by_itself_and_was_fetched_before(self, audio):
        page = audio()
        first, second = page.by("clip").nth(0), page.by("clip").nth(1)
        name = part(second, "clip-title").text_content()
        part(first, "play").click()
        page.until(lambda: len({r["path"] for r in asked(page, "GET", ".mp3")}) == 2, "the next clip is fetched")
        expect(first).to_have_attribute("data-state", "playing")
        part(first, "seek").focus()
        page.page.keyboard.press("End")
        expect(second).to_have_attribute("data-state", "playing")
        expect(page.by("mini-title")).to_have_text(name)
        assert elapsed(first) == 0, "what was heard to its end begins anew"

    def test_a_clip_whose_address_has_ended_gets_a_new_one_and_plays_on(self, audio):
        page = audio()
        asked = []

        def ended_at_first(route):
            # The address has ended, as after an hour of sleep, for the player and for the page that asks why.
            asked.append(route.request)
            if len(asked) <= 2:
                return route.fulfill(status=401, content_type="application/json", body="{}")
            route.continue_()

        page.page.route("**/api/screens/audio/clips/**", ended_at_first)
        row = longest(page)
        start(row)
        expect(part(row, "clip-problem")).to_be_hidden()
        assert len(asked) > 2 and all("signature=" in request.url for request in asked)
        assert "/api/addresses" in "".join(page.requests)

    def test_nonsense_cannot_be_played_and_the_row_says_so(self, audio):
        page = audio()
        page.connection("garbage")
        row = page.by("clip").first
        part(row, "play").click()
        expect(row).to_have_attribute("data-state", "failed")
        expect(part(row, "clip-problem")).to_contain_text("couldn’t be played")
        page.connection("online")
        start(row)
        expect(part(row, "clip-problem")).to_be_hidden()

    def test_where_a_clip_was_left_it_goes_on(self, audio):
        page = audio()
        row, other = longest(page), page.by("clip").first
        part(row, "seek").focus()
        for _ in range(4):
            page.page.keyboard.press("ArrowRight")
        page.page.keyboard.press("Space")
        expect(row).to_have_attribute("data-state", "playing")
        page.until(lambda: elapsed(row) >= 20, "it began where it was put")
        part(other, "play").click()
        expect(other).to_have_attribute("data-state", "playing")
        start(row)
        assert elapsed(row) >= 20


class TestThePlayerAtTheFoot:
    def test_it_goes_on_while_one_looks_at_another_page(self, audio):
        page = audio()
        row = longest(page)
        name = part(row, "clip-title").text_content()
        expect(page.by("mini-player")).to_be_hidden()
        start(row)
        page.by("nav-contacts").click()
        expect(page.by("contact").first).to_be_visible()
        expect(page.by("mini-title")).to_have_text(name)
        before = page.by("mini-time").text_content()
        page.until(lambda: page.by("mini-time").text_content() != before, "it proceeds")
        page.by("mini-play").click()
        expect(page.by("mini-player")).to_have_attribute("data-state", "paused")
        page.by("mini-title").click()
        expect(page.by("screen-audio")).to_be_visible()
        expect(row).to_have_attribute("data-state", "paused")

    def test_previous_next_and_close(self, audio):
        page = audio()
        names = [part(page.by("clip").nth(n), "clip-title").text_content() for n in range(3)]
        part(page.by("clip").nth(1), "play").click()
        expect(page.by("mini-title")).to_have_text(names[1])
        page.by("mini-next").click()
        expect(page.by("mini-title")).to_have_text(names[2])
        expect(page.by("clip").nth(2)).to_have_attribute("data-state", "playing")
        page.by("mini-previous").click()
        expect(page.by("mini-title")).to_have_text(names[1])
        page.by("mini-close").click()
        expect(page.by("mini-player")).to_be_hidden()
        expect(playing(page)).to_have_count(0)

    def test_it_steps_by_fifteen_seconds(self, audio):
        page = audio()
        row = longest(page)
        start(row)
        page.by("mini-play").click()
        expect(page.by("mini-player")).to_have_attribute("data-state", "paused")
        before = elapsed(row)
        page.by("mini-forward").click()
        assert elapsed(row) == before + 15
        page.by("mini-rewind").click()
        page.by("mini-rewind").click()
        assert elapsed(row) == 0

    def test_a_speed_holds_for_all_clips_and_after_another_visit(self, audio):
        page = audio()
        heard = "(() => { const play = HTMLMediaElement.prototype.play; HTMLMediaElement.prototype.play = function () { window.heard = this; return play.call(this); }; })()"
        rate = lambda: page.evaluate("window.heard.playbackRate")
        page.evaluate(heard)
        first, second = longest_and_next(page)
        part(first, "play").click()
        page.by("mini-options").click()
        page.by("rate-1.5").check(force=True)
        page.page.keyboard.press("Escape")
        expect(page.by("mini-options")).to_be_focused()
        expect(page.by("mini-options")).to_have_text("1.5×")
        assert rate() == 1.5
        page.by("mini-next").click()
        expect(second).to_have_attribute("data-state", "playing")
        assert rate() == 1.5
        page.page.reload()
        page.evaluate(heard)
        part(first, "play").click()
        expect(first).to_have_attribute("data-state", "playing")
        assert rate() == 1.5

    def test_a_sleep_timer_ends_the_sound(self, audio):
        page = audio()
        row = longest(page)
        start(row)
        page.page.clock.install()
        page.by("mini-options").click()
        page.by("sleep-15").check(force=True)
        page.page.clock.fast_forward("14:00")
        expect(row).not_to_have_attribute("data-state", "paused")
        page.page.clock.fast_forward("01:01")
        expect(row).to_have_attribute("data-state", "paused")
        expect(page.by("sleep-off")).to_be_checked()

    def test_a_sleep_timer_goes_on_when_the_page_loads_itself_again(self, audio):
        page = audio()
        start(longest(page))
        page.page.clock.install()
        page.by("mini-options").click()
        page.by("sleep-15").check(force=True)
        page.page.clock.fast_forward("10:00")
        page.page.keyboard.press("Escape")
        page.by("settings-button").click()
        page.by("language-pt-BR").click(force=True)
        expect(page.page.locator("html")).to_have_attribute("lang", "pt-BR")
        expect(page.by("mini-player")).to_be_visible()
        page.page.keyboard.press("Escape")
        page.by("mini-options").click()
        expect(page.by("sleep-15")).to_be_checked()
        page.page.clock.fast_forward("04:00")
        expect(page.by("sleep-15")).to_be_checked()
        page.page.clock.fast_forward("01:01")
        expect(page.by("sleep-off")).to_be_checked()
        expect(playing(page)).to_have_count(0)

    def test_a_sleep_timer_ends_the_sound_at_the_end_of_the_clip(self, audio):
        page = audio()
        first, second = longest_and_next(page)
        start(first)
        page.by("mini-options").click()
        expect(page.by("upcoming")).to_contain_text(part(second, "clip-title").text_content())
        page.by("sleep-clip").check(force=True)
        page.by("mini-seek").focus()
        page.page.keyboard.press("End")
        expect(first).to_have_attribute("data-state", "paused")
        expect(page.by("sleep-off")).to_be_checked()
        expect(second).not_to_have_attribute("data-state", "playing")

    def test_its_bar_moves_within_the_clip(self, audio):
        page = audio()
        row = longest(page)
        start(row)
        page.by("mini-seek").focus()
        for _ in range(3):
            page.page.keyboard.press("ArrowRight")
        page.until(lambda: elapsed(row) >= 15, "it is there in the row as well")

    def test_the_system_knows_what_is_played(self, audio):
        page = audio()
        row = page.by("clip").first
        start(row)
        told = page.evaluate("({ title: navigator.mediaSession.metadata.title, artist: navigator.mediaSession.metadata.artist, state: navigator.mediaSession.playbackState })")
        assert told["title"] == part(row, "clip-title").text_content()
        assert told["state"] == "playing"

    def test_on_a_phone_it_stands_above_the_tab_bar(self, audio):
        page = audio(phone=True)
        part(page.by("clip").first, "play").tap()
        expect(page.by("mini-player")).to_be_visible()
        page.until(lambda: page.evaluate("document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"), "it stands")
        player, tabs = page.by("mini-player").bounding_box(), page.page.locator("#nav").bounding_box()
        assert player["y"] + player["height"] <= tabs["y"] + 1
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        last = page.by("clip").last.bounding_box()
        assert last["y"] + last["height"] <= player["y"], "the last clip is not hidden behind it"


class TestKeeping:
    def test_what_was_downloaded_plays_without_a_connection(self, audio):
        page = audio()
        row, other = page.by("clip").nth(1), page.by("clip").nth(4)
        part(row, "download").click()
        expect(part(row, "offline-badge")).to_be_visible()
        expect(page.by("kept")).to_contain_text("downloaded")
        page.connection("offline")
        start(row)
        page.until(lambda: elapsed(row) >= 1, "it proceeds")
        part(other, "play").click()
        expect(other).to_have_attribute("data-state", "failed")
        expect(part(other, "clip-problem")).to_contain_text("Not downloaded")
        page.connection("online")
        part(other, "play").click()
        expect(other).to_have_attribute("data-state", "playing")
        expect(part(other, "clip-problem")).to_be_hidden()

    def test_it_survives_a_restart(self, server, audio):
        page = audio()
        row = page.by("clip").nth(1)
        name = part(row, "clip-title").text_content()
        part(row, "download").click()
        expect(part(row, "offline-badge")).to_be_visible()
        server.stop()
        server.start("--fault", "audio=offline")
        page = audio()
        row = page.by("clip").filter(has_text=name)
        expect(part(row, "offline-badge")).to_be_visible()
        start(row)

    def test_while_there_is_a_connection_it_is_renewed_and_outlives_seven_days(self, server, audio):
        page = audio()
        row = page.by("clip").nth(1)
        name = part(row, "clip-title").text_content()
        part(row, "download").click()
        expect(part(row, "offline-badge")).to_be_visible()
        server.stop()
        server.start("--at", "+6d")
        page = audio()
        page.until(lambda: any(r["status"] == 304 and not r["path"].endswith("/v1/audio") for r in asked(page, "GET")), "it is confirmed")
        server.stop()
        server.start("--at", "+8d", "--fault", "audio=offline")
        page = audio()
        row = page.by("clip").filter(has_text=name)
        expect(part(row, "offline-badge")).to_have_text("Downloaded")
        start(row)

    def test_a_download_on_its_way_is_cancelled(self, audio):
        page = audio()
        page.connection("slow")
        row = page.by("clip").nth(1)
        part(row, "download").click()
        expect(part(row, "download-cancel")).to_be_visible()
        assert part(row, "download-cancel").locator(".ring").count() == 1, "a ring shows how far it is"
        part(row, "download-cancel").click()
        expect(part(row, "download")).to_be_visible()
        expect(part(row, "offline-badge")).to_be_hidden()

    def test_it_is_removed(self, audio):
        page = audio()
        row = page.by("clip").nth(1)
        part(row, "download").click()
        expect(part(row, "offline-badge")).to_be_visible()
        part(row, "download-remove").click()
        expect(part(row, "download")).to_be_visible()
        expect(part(row, "offline-badge")).to_be_hidden()
        expect(page.by("kept")).to_be_hidden()

    def test_a_download_that_fails_says_so_and_is_tried_again(self, audio):
        page = audio()
        page.connection("offline")
        row = page.by("clip").nth(1)
        part(row, "download").click()
        expect(part(row, "clip-problem")).to_be_visible()
        page.connection("online")
        part(row, "download").click()
        expect(part(row, "offline-badge")).to_be_visible()
        expect(part(row, "clip-problem")).to_be_hidden()

    def test_a_download_that_was_cut_goes_on_where_it_was(self, audio):
        page = audio()
        row = longest(page)
        page.connection("cut-at:20000")
        part(row, "download").click()
        page.until(lambda: part(row, "offline-badge").is_visible() or part(row, "clip-problem").is_visible(), "it ended one way or the other")
        if part(row, "clip-problem").is_visible():
            page.connection("online")
            part(row, "download").click()
            expect(part(row, "offline-badge")).to_be_visible()
        ranges = [r["range"] for r in asked(page, "GET", ".mp3") if r["range"]]
        assert any(not text.startswith("bytes=0-") for text in ranges), ranges


class TestSending:
    def test_what_is_picked_is_shown_played_and_sent(self, audio, tmp_path):
        page = audio("/audio/new")
        expect(page.by("send")).to_have_attribute("data-ready", "false")
        page.by("file-input").set_input_files(tone(tmp_path))
        expect(page.by("file-name")).to_have_text("tone.wav")
        expect(page.by("preview-time")).to_have_text("0:00 / 0:02")
        page.by("preview-play").click()
        expect(page.by("preview-play")).to_have_attribute("data-state", "playing")
        page.by("clip-title").fill("A tone of mine")
        expect(page.by("send")).to_have_attribute("data-ready", "true")
        page.by("send").click()
        expect(page.by("compose-sent")).to_be_visible()
        expect(page.by("sent-title")).to_have_text("A tone of mine")
        page.by("to-audio").click()
        page.by("reload").click()
        expect(part(page.by("clip").first, "clip-title")).to_have_text("A tone of mine")
        part(page.by("clip").first, "play").click()
        expect(page.by("clip").first).to_have_attribute("data-state", "playing")

    def test_a_dropped_file_is_taken(self, audio):
        page = audio("/audio/new")
        expect(page.by("drop-zone")).to_be_visible()
        page.evaluate("""() => {
            const bytes = new Uint8Array(4000); bytes.set([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0, 0xff, 0xfb, 0x90, 0x00]);
            const transfer = new DataTransfer();
            transfer.items.add(new File([bytes], "dropped.mp3", { type: "audio/mpeg" }));
            const zone = document.querySelector("[data-test=drop-zone]");
            zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: transfer, bubbles: true, cancelable: true }));
            zone.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true })); }""")
        expect(page.by("file-name")).to_have_text("dropped.mp3")
        page.by("remove-file").click()
        expect(page.by("drop-zone")).to_be_visible()

    def test_what_is_no_audio_is_refused_in_words(self, audio, tmp_path):
        page = audio("/audio/new")
        text = tmp_path / "letter.mp3"
        text.write_text("Dear all, this is no sound. " * 40)
        page.by("file-input").set_input_files(text)
        expect(page.by("file-error")).to_be_visible()
        expect(page.by("file-error")).to_contain_text("not a supported audio file")
        expect(page.by("drop-zone")).to_be_visible()
        page.by("file-input").set_input_files(tone(tmp_path))
        expect(page.by("file")).to_be_visible()
        expect(page.by("file-error")).to_be_hidden()

    def test_the_title_is_checked_as_it_is_typed(self, audio, tmp_path):
        page = audio("/audio/new")
        page.by("file-input").set_input_files(tone(tmp_path))
        expect(page.by("file")).to_be_visible()
        page.by("clip-title").fill("x" * 201)
        expect(page.by("clip-title-error")).to_be_visible()
        expect(page.by("send")).to_have_attribute("data-ready", "false")
        page.by("clip-title").fill("")
        expect(page.by("clip-title-error")).to_be_hidden()
        page.by("send").click()
        expect(page.by("clip-title-error")).to_contain_text("Enter a title.")
        assert page.evaluate("document.activeElement.dataset.test") == "clip-title"
        page.by("clip-title").press_sequentially("Enter sends")
        page.page.keyboard.press("Enter")
        expect(page.by("compose-sent")).to_be_visible()

    def test_without_a_connection_it_fails_and_is_retried(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path), "Second try")
        page.connection("offline")
        page.by("send").click()
        expect(page.by("compose-failed")).to_contain_text("You’re offline. Nothing was sent.")
        expect(page.by("clip-title")).to_have_value("Second try")
        page.connection("online")
        page.by("retry-send").click()
        expect(page.by("compose-sent")).to_be_visible()
        assert [r["status"] for r in asked(page, "POST")].count(201) == 1

    def test_an_answer_that_was_lost_posts_it_once(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path), "Only once")
        page.connection("answer-lost")
        page.by("send").click()
        expect(page.by("compose-queued")).to_contain_text("It waits in the outbox and is posted once.")
        page.connection("online")
        page.by("result-outbox").click()
        send_all(page)
        expect(page.by("outbox-empty")).to_be_visible()
        page.by("nav-audio").click()
        page.by("reload").click()
        expect(page.by("clip").filter(has_text="Only once")).to_have_count(1)

    def test_what_was_posted_is_in_the_list_at_once_and_without_a_connection(self, audio, tmp_path):
        page = audio()
        before = page.by("clip").count()
        compose(page, tone(tmp_path), "Just now")
        page.by("send").click()
        expect(page.by("compose-sent")).to_be_visible()
        page.by("to-audio").click()
        expect(page.by("clip").first).to_contain_text("Just now")
        expect(page.by("clip")).to_have_count(before + 1)
        page.connection("offline")
        page.page.goto(page.server.base + "/audio")
        expect(page.by("clip").first).to_contain_text("Just now")

    def test_it_is_cancelled_on_its_way(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path, seconds=60, rate=44100), "Never mind")
        page.connection("slow")
        page.by("send").click()
        expect(page.by("send-progress")).to_be_visible()
        page.by("cancel-send").click()
        expect(page.by("send")).to_be_visible()
        expect(page.by("file-name")).to_have_text("tone.wav")
        expect(page.by("clip-title")).to_have_value("Never mind")
        page.connection("online")
        page.by("send").click()
        expect(page.by("compose-sent")).to_be_visible()

    def test_when_the_server_is_lost_while_a_clip_is_sent_the_page_says_that_nobody_knows_what_became_of_it(self, server, audio, tmp_path):
        page = audio()
        page.expects_failed_requests = True
        compose(page, tone(tmp_path, seconds=60, rate=44100), "In doubt")
        page.connection("slow")
        page.by("send").click()
        expect(page.by("send-progress")).to_be_visible()
        # It gets no time to finish the post.
        server.process.kill()
        server.process.wait(timeout=20)
        server.start()
        expect(page.by("compose-doubt")).to_contain_text("It may already be posted, or in the outbox")
        expect(page.by("compose-failed")).to_have_count(0)
        # Sent again without a look, it would be there twice.
        expect(page.by("clip-title")).to_have_value("")
        expect(page.by("file")).to_be_hidden()
        page.by("doubt-outbox").click()
        expect(page.by("screen-outbox")).to_be_visible()
        page.page.go_back()
        expect(page.by("compose-doubt")).to_have_count(0)

    def test_progress_counts_to_the_end(self, audio, tmp_path):
        page = audio()
        compose(page, tone(tmp_path, seconds=60, rate=44100), "Long")
        page.evaluate("""() => { window.__percents = []; const meter = document.querySelector("[data-test=send-progress]");
            new MutationObserver(() => __percents.push(Number(meter.getAttribute("aria-valuenow")))).observe(meter, { attributes: true, attributeFilter: ["aria-valuenow"] }); }""")
        page.by("send").click()
        expect(page.by("compose-sent")).to_be_visible()
        percents = page.evaluate("__percents")
        assert percents and percents == sorted(percents) and all(0 <= p <= 100 for p in percents), percents

    def test_a_recording_is_sent_like_a_file(self, browser, server):
        from conftest import CHROMIUM
        own = browser.browser_type.launch(executable_path=CHROMIUM, args=[
            "--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"])
        try:
            context = own.new_context(locale="en-US")
            page = Probe(context, server)
            page.page.goto(server.link("/audio/new"))
            page.by("record").click()
            expect(page.by("recording")).to_be_visible()
            page.until(lambda: float(page.evaluate("getComputedStyle(document.querySelector('.level-bar')).getPropertyValue('--level')") or 0) > 0.1, "the meter moves")
            page.until(lambda: page.by("record-time").text_content() == "0:02", "time passes")
            page.by("record-stop").click()
            expect(page.by("file-name")).to_contain_text("recording-")
            expect(page.by("preview-player")).to_be_visible()
            page.by("clip-title").fill("Beeps")
            page.by("send").click()
            expect(page.by("compose-sent")).to_be_visible()
            assert not page.problems()
            context.close()
        finally:
            own.close()

    def test_without_a_microphone_it_says_so_and_where_nothing_records_nothing_is_offered(self, browser, server):
        context = browser.new_context(locale="en-US")
        page = Probe(context, server)
        page.page.goto(server.link("/audio/new"))
        page.by("record").click()
        expect(page.by("file-error")).to_contain_text("microphone")
        context.add_init_script("delete window.MediaRecorder")
        page.page.reload()
        expect(page.by("pick")).to_be_visible()
        expect(page.by("record")).to_be_hidden()
        assert not page.problems()
        context.close()


class TestTheOutbox:
    def queue(self, page, file, title):
        compose(page, file, title)
        page.by("later").click()
        expect(page.by("compose-queued")).to_be_visible()

    def test_what_is_queued_offline_goes_out_when_there_is_a_connection(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "From the train")
        page.by("nav-audio").click()
        expect(page.by("outbox-count")).to_have_text("1")
        page.by("to-outbox").click()
        item = page.by("outbox-item")
        expect(part(item, "outbox-title")).to_have_text("From the train")
        page.connection("online")
        send_all(page)
        expect(page.by("outbox-empty")).to_be_visible()
        page.by("nav-audio").click()
        page.by("reload").click()
        expect(page.by("clip").filter(has_text="From the train")).to_have_count(1)
        expect(page.by("outbox-count")).to_have_count(0)

    def test_it_survives_a_restart_and_is_posted_once(self, server, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "After the night")
        server.stop()
        server.start()
        page = audio("/outbox")
        expect(page.by("outbox-empty").or_(page.by("outbox-item"))).to_be_visible()
        send_all(page)
        expect(page.by("outbox-empty")).to_be_visible()
        page.page.goto(server.base + "/audio")
        expect(page.by("clip").filter(has_text="After the night")).to_have_count(1)

    def test_paused_nothing_is_sent(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "Patience")
        page.by("result-outbox").click()
        page.by("pause").click()
        expect(page.by("resume")).to_be_visible()
        expect(page.by("notice")).to_be_visible()
        page.connection("online")
        # The list is loaded anew: the connection is there, and everything but the paused outbox has used it.
        before = len(asked(page, "GET"))
        page.by("nav-audio").click()
        page.by("reload").click()
        page.until(lambda: len(asked(page, "GET")) > before, "the list is asked for")
        page.by("to-outbox").click()
        expect(page.by("outbox-item")).to_have_count(1)
        assert not asked(page, "POST"), "nothing was even tried"
        page.by("resume").click()
        expect(page.by("outbox-empty")).to_be_visible()
        assert [r["status"] for r in asked(page, "POST")] == [201]

    def test_reloading_does_not_end_a_pause_nor_say_when_it_tries_again(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "Patience")
        page.by("result-outbox").click()
        item = page.by("outbox-item")
        expect(item).to_contain_text("Tries again")
        page.by("pause").click()
        expect(item).not_to_contain_text("Tries again")
        for press in (lambda: page.by("reload").click(), lambda: page.page.keyboard.press("r")):
            count = page.intents.count("refresh")
            press()
            page.until(lambda: page.intents.count("refresh") > count, "it is reloaded")
        expect(page.by("resume")).to_be_visible()
        assert "send" not in page.intents

    def test_escape_keeps_what_was_to_be_discarded(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "Second thoughts")
        page.by("result-outbox").click()
        page.by("discard").click()
        page.page.keyboard.press("Escape")
        expect(page.by("discard-confirm")).to_have_count(0)
        expect(page.by("discard")).to_be_focused()

    def test_discarding_asks_first(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "Second thoughts")
        page.by("result-outbox").click()
        page.by("discard").click()
        page.by("discard-cancel").click()
        assert page.evaluate("document.activeElement.dataset.test") == "discard"
        page.by("discard").click()
        expect(page.by("outbox-item")).to_contain_text("It won’t be sent again.")
        page.by("discard-confirm").click()
        expect(page.by("outbox-empty")).to_be_visible()
        expect(page.by("toast").last).to_contain_text("discarded")

    def test_what_failed_says_why_and_its_title_can_be_changed(self, server, audio, tmp_path):
        page = audio("/outbox")
        expect(page.by("outbox-empty")).to_be_visible()
        page.connection("offline")
        file = tone(tmp_path)
        self.queue(page, file, "Damged")
        kept = [f for f in server.data.rglob("*") if f.is_file() and file.read_bytes()[:2000] in f.read_bytes()]
        assert kept, "the outbox has a copy of its own"
        for copy in kept:
            # A damaged copy is not sent.
            before = copy.stat()
            copy.write_bytes(b"x" * before.st_size)
            os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
        page.by("result-outbox").click()
        page.connection("online")
        send_all(page)
        item = page.by("outbox-item")
        expect(item).to_have_attribute("data-state", "failed")
        expect(part(item, "outbox-reason")).to_contain_text("was changed")
        page.by("edit").click()
        page.by("edit-field").fill("Damaged")
        page.page.keyboard.press("Escape")
        expect(part(item, "outbox-title")).to_have_text("Damged")
        assert page.evaluate("document.activeElement.dataset.test") == "edit"
        page.by("edit").click()
        page.by("edit-field").fill("Damaged")
        page.by("edit-save").click()
        expect(part(item, "outbox-title")).to_have_text("Damaged")
        expect(part(item, "retry")).to_be_visible()

    def test_keys_alone_discard(self, audio, tmp_path):
        page = audio()
        page.connection("offline")
        self.queue(page, tone(tmp_path), "By hand")
        page.page.goto(page.server.base + "/outbox")
        expect(page.by("outbox-item")).to_be_visible()
        tab_to(page, "discard")
        page.page.keyboard.press("Enter")
        tab_to(page, "discard-confirm")
        page.page.keyboard.press("Enter")
        expect(page.by("outbox-empty")).to_be_visible()


def test_it_works_by_keys_alone(audio):
    page = audio()
    tab_to(page, "play")
    page.page.keyboard.press("Enter")
    expect(playing(page)).to_have_count(1)
    tab_to(page, "seek")
    page.page.keyboard.press("Space")
    expect(playing(page)).to_have_count(0)
    tab_to(page, "download")
    page.page.keyboard.press("Enter")
    expect(page.page.locator('[data-test="clip"][data-offline="done"]')).to_have_count(1)


def test_every_stop_of_the_tab_key_is_visible(audio):
    page = audio()
    part(page.by("clip").first, "play").focus()
    for _ in range(9):
        page.page.keyboard.press("Tab")
        stop = page.evaluate("""() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
            return { name: e.dataset.test, ring: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2, size: r.width * r.height }; }""")
        assert stop["ring"] and stop["size"] > 0, stop


def test_it_speaks_portuguese(audio, tmp_path):
    page = audio(locale="pt-BR")
    expect(page.by("nav-audio")).to_have_text("Áudio")
    row = page.by("clip").first
    expect(part(row, "play")).to_have_attribute("aria-label", f"Tocar {part(row, 'clip-title').text_content()}")
    page.connection("offline")
    part(row, "play").click()
    expect(part(row, "clip-problem")).to_contain_text("Não foi baixado")
    compose(page, tone(tmp_path), "Um som")
    expect(page.by("send")).to_have_text("Enviar")
    page.by("send").click()
    expect(page.by("compose-failed")).to_contain_text("offline")
    page.by("later").click()
    page.by("result-outbox").click()
    expect(page.by("screen-outbox").locator("h1")).to_have_text("Caixa de saída")
    expect(page.by("discard")).to_have_text("Descartar")


def test_both_languages_have_the_same_texts(feed):
    keys = feed.evaluate("""async () => { const [a, b] = await Promise.all(["en", "pt-BR"].map((name) => fetch(`/assets/words/${name}.json`).then((answer) => answer.json())));
        return [Object.keys(a), Object.keys(b)]; }""")
    assert keys[0] == keys[1]


@pytest.mark.parametrize("path", ["/audio", "/audio/new", "/outbox"])
def test_larger_text_does_not_make_the_pages_scroll_sideways(audio, path):
    page = audio(path, phone=True)
    if path == "/audio":
        part(page.by("clip").first, "play").tap()
        expect(page.by("mini-player")).to_be_visible()
    page.fits(path, larger=True)


@pytest.mark.parametrize("width", [320, 390, 704, 710, 800, 900, 993, 1280])
def test_the_navigation_fits_at_every_width(audio, width):
    page = audio()
    page.page.set_viewport_size({"width": width, "height": 800})
    page.fits(width)


def test_less_motion_turns_nothing(audio):
    page = audio(motion="reduce")
    part(page.by("clip").first, "play").click()
    expect(playing(page)).to_have_count(1)
    page.until(lambda: elapsed(page.by("clip").first) >= 1, "its time proceeds all the same")
