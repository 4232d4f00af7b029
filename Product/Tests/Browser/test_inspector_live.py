"""The inspector shows live why each read was served from where, and replays a session to the same screens."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def tabs(server, open_page):
    """The inspector in one tab, and the feed in another."""
    inspector = open_page(server, "/inspector", wait=False)
    expect(inspector.by("live")).to_be_visible()
    feed = open_page(server, "/", wait=False, fails=True)
    expect(feed.items.first).to_be_visible()
    return inspector, feed


def texts(page):
    return page.page.locator("#main").inner_text()


def test_each_event_is_told_with_its_reason(tabs, server):
    inspector, feed = tabs
    events = inspector.by("events")
    expect(events).to_contain_text("Request sent to the server.")
    expect(events).to_contain_text("The server answered in")
    expect(events).to_contain_text("Shown: the latest from the server.")
    feed.connection("offline")
    feed.by("reload").click()
    expect(feed.by("notice")).to_contain_text("You’re offline.")
    row = inspector.by("event").filter(has_text="is shown instead of the latest. You’re offline.")
    expect(row).to_be_visible()
    expect(row.locator("code")).to_have_text("feed")
    expect(events).to_contain_text("Shown: the copy saved just now, instead of the latest.")
    # The page comes back by itself: its events are told before they are cleared.
    latest = inspector.by("event").filter(has_text="Shown: the latest from the server.")
    before = latest.count()
    feed.connection("online")
    expect(latest).to_have_count(before + 1)
    feed.until(lambda: not feed.by("progress").is_visible(), "the load has ended")
    told = inspector.by("event").count()
    inspector.by("clear-events").click()
    # Events after a clear are listed again: only those before it must be gone.
    expect(row).to_have_count(0)
    assert inspector.by("event").count() < told


def test_events_have_no_contents(tabs):
    inspector, feed = tabs
    expect(inspector.by("event").first).to_be_visible()
    shown = inspector.by("events").inner_text()
    assert "http" not in shown and "127.0.0.1" not in shown


def test_a_session_is_replayed_to_the_same_screens(tabs, server):
    inspector, feed = tabs
    inspector.by("record").click()
    expect(inspector.by("recording")).to_contain_text("Recording")
    feed.by("reload").click()
    expect(inspector.by("recording")).to_contain_text("steps so far")
    feed.until(lambda: not feed.by("progress").is_visible(), "the load has ended")
    feed.connection("offline")
    feed.by("reload").click()
    expect(feed.by("notice")).to_be_visible()
    feed.until(lambda: not feed.by("progress").is_visible(), "the load has ended")
    offline = texts(feed)
    inspector.by("record").click()
    expect(inspector.by("recording")).to_contain_text("steps recorded")
    # What happens after the recording changes nothing of it.
    feed.connection("online")
    feed.by("reload").click()
    expect(feed.by("notice")).to_have_count(0)
    online = texts(feed)
    assert online != offline

    replay = inspector
    replay.expects_failed_requests = True
    replay.by("replay").click()
    expect(replay.by("replay-step")).to_contain_text("Step 1 of ")
    count = int(replay.by("replay-step").inner_text().split(" of ")[1])
    assert count >= 3
    expect(replay.by("replay-previous")).to_be_disabled()
    expect(replay.items.first).to_be_visible()
    told = []
    for step in range(2, count + 1):
        replay.by("replay-next").click()
        expect(replay.by("replay-step")).to_have_text(f"Step {step} of {count}")
        told.append(replay.by("replay-bar").inner_text())
    expect(replay.by("replay-next")).to_be_disabled()
    expect(replay.by("notice")).to_contain_text("You’re offline.")
    assert texts(replay) == offline
    # The last step may be another state of the same load.
    assert any("is shown instead of the latest" in text for text in told)

    # A replay does nothing.
    replay.by("reload").click()
    expect(replay.by("toast")).to_contain_text("This is a replay.")
    assert texts(replay) == offline
    replay.by("replay-close").click()
    expect(replay.by("live")).to_be_visible()
    replay.by("discard-recording").click()
    expect(replay.by("recording")).to_be_empty()


def test_a_recording_that_is_gone_is_told(server, open_page):
    page = open_page(server, "/?replay=7", wait=False, fails=True)
    expect(page.by("replay-bar")).to_contain_text("This recording is no longer available.")
    expect(page.by("screen-missing")).to_be_visible()
    page.by("replay-close").click()
    expect(page.by("live")).to_be_visible()


@pytest.mark.parametrize("intent", ["appear", "refresh"])
def test_the_server_refuses_what_a_replay_would_do(server, open_page, intent):
    page = open_page(server, "/inspector", wait=False)
    answer = page.ask("/api/screens/feed/intents?tab=replay-1", "POST", data={"intent": intent})
    assert answer.status == 409
