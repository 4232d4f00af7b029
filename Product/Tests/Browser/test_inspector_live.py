"""The inspector shows live why each read was served from where."""

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
