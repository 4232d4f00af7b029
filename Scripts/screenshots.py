#!/usr/bin/env python3
"""Takes the pictures in docs/ from the real server, which must be built (`swift build`).

Needs what Tests/Browser/requirements.txt names, and Chromium (CHROMIUM_BIN names another one).

    python3 Scripts/screenshots.py
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Browser"))

from playwright.sync_api import expect, sync_playwright  # noqa: E402

from conftest import CHROMIUM, PHONE, WIDE, Server  # noqa: E402
from helpers import Probe  # noqa: E402
from test_feed import FEED  # noqa: E402

DOCS = ROOT / "docs"


def still(page):
    """Everything on the screen has come, and nothing moves."""
    page.until(lambda: page.in_view("loaded"), "visible pictures are loaded")
    page.until(lambda: page.evaluate(
        "document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"), "animations end")
    page.until(lambda: page.by("toast").count() == 0, "toasts are gone")


def shoot(page, name):
    page.page.screenshot(path=DOCS / f"{name}.png")
    print(f"docs/{name}.png")


def context_for(browser, kind, scheme):
    phone = kind == "phone"
    return browser.new_context(
        viewport=PHONE if phone else WIDE, color_scheme=scheme, locale="en-US", has_touch=phone, is_mobile=phone,
        device_scale_factor=2 if phone else 1)


def take(browser, server, kind, scheme):
    context = context_for(browser, kind, scheme)
    page = Probe(context, server)
    page.page.goto(server.url)
    expect(page.items.first).to_be_visible()
    still(page)
    shoot(page, f"feed-{kind}-{scheme}")

    page.page.goto(f"{server.base}/feed/{FEED[7]['id']}")
    expect(page.by("comment").first).to_be_visible()
    still(page)
    shoot(page, f"comments-{kind}-{scheme}")

    page.page.goto(f"{server.base}/inspector")
    expect(page.by("inspector-row").first).to_be_visible()
    shoot(page, f"inspector-{kind}-{scheme}")

    context.close()


def take_offline(browser, server, kind, scheme):
    context = context_for(browser, kind, scheme)
    page = Probe(context, server)
    page.page.goto(server.url)
    expect(page.by("notice")).to_be_visible()
    still(page)
    shoot(page, f"offline-{kind}-{scheme}")
    context.close()


def main():
    DOCS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "data").start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            for kind in ("phone", "wide"):
                for scheme in ("dark", "light"):
                    take(browser, server, kind, scheme)
            # Two days later, without a network.
            server.stop()
            server.start("--at", "+2d", "--fault", "feed=offline")
            for kind in ("phone", "wide"):
                for scheme in ("dark", "light"):
                    take_offline(browser, server, kind, scheme)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main()
