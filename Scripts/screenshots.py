#!/usr/bin/env python3
"""Takes pictures of the pages from the real server, which must be built (`swift build`).

Needs what Product/Tests/Browser/requirements.txt names, and Chromium (CHROMIUM_BIN names another one).

    python3 Scripts/screenshots.py [WALK…]      # all into .build/screenshots, or those named: feed, payments, …
    python3 Scripts/screenshots.py --readme     # those that README shows, small, into docs/pictures
"""

import base64
import inspect
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Product/Tests/Browser"))

from playwright.sync_api import expect, sync_playwright  # noqa: E402

import test_audio as sound  # noqa: E402
import test_drive as store  # noqa: E402
import test_payments as wallet  # noqa: E402
from conftest import CHROMIUM, PHONE, WIDE, Server  # noqa: E402
from helpers import Probe  # noqa: E402
from test_feed import FEED  # noqa: E402

KEPT = ROOT / "docs/pictures"
ALL = ROOT / ".build/screenshots"
FORMS = [(kind, scheme) for kind in ("phone", "wide") for scheme in ("dark", "light")]


def shown():
    """The names of the pictures that README shows: `feed-wide-light`."""
    return set(re.findall(r'src="docs/pictures/([a-z-]+)\.webp"', (ROOT / "README.md").read_text()))


class Camera(Probe):
    """A tab in one of the four forms, which saves what it shows."""

    def __init__(self, browser, server, kind, scheme, wanted=None):
        phone = kind == "phone"
        context = browser.new_context(
            viewport=PHONE if phone else WIDE, color_scheme=scheme, locale="en-US", has_touch=phone, is_mobile=phone,
            device_scale_factor=2 if phone and wanted is None else 1)
        super().__init__(context, server)
        self.form = f"{kind}-{scheme}"
        # The names of the pictures to keep; `None` for all.
        self.wanted = wanted

    def go(self, path):
        # Later pages find the token where the first one put it.
        is_first = self.page.url == "about:blank"
        self.page.goto(self.server.link(path) if is_first else self.server.base + path)

    def still(self):
        """Everything on the screen has come, and nothing moves."""
        self.until(lambda: self.evaluate(
            """[...document.querySelectorAll("aq-image")].every((i) => {
                 const r = i.getBoundingClientRect(); const seen = r.width && r.top < innerHeight && r.bottom > 0;
                 return !seen || ["loaded", "failed"].includes(i.dataset.state); })"""), "visible pictures are there")
        self.until(lambda: self.evaluate(
            """document.getAnimations().every((a) =>
                 a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"""), "animations end")
        self.until(lambda: self.by("toast").count() == 0, "toasts are gone")

    def shoot(self, name):
        name = f"{name}-{self.form}"
        if self.wanted is not None and name not in self.wanted:
            return
        self.still()
        if self.wanted is None:
            file = ALL / f"{name}.png"
            self.page.screenshot(path=file)
        else:
            # A third of the size of a PNG. Chromium takes it, and Playwright has no word for it.
            file = KEPT / f"{name}.webp"
            taken = self.context.new_cdp_session(self.page).send("Page.captureScreenshot", {"format": "webp", "quality": 80})
            file.write_bytes(base64.b64decode(taken["data"]))
        print(file.relative_to(ROOT), flush=True)


def feed(camera):
    camera.go("/")
    expect(camera.items.first).to_be_visible()
    camera.shoot("feed")
    camera.go(f"/feed/{FEED[7]['id']}")
    expect(camera.by("comment").first).to_be_visible()
    camera.shoot("comments")
    camera.go("/contacts")
    expect(camera.by("contact").first).to_be_visible()
    camera.developer()
    camera.page.mouse.move(0, 0)
    camera.shoot("developer")
    camera.go("/inspector")
    expect(camera.by("inspector-row").first).to_be_visible()
    camera.shoot("inspector")
    camera.go("/")
    expect(camera.items.first).to_be_visible()
    camera.go("/inspector")
    expect(camera.by("event").first).to_be_visible()
    camera.shoot("events")


def feed_offline(camera):
    camera.go("/")
    expect(camera.by("notice")).to_be_visible()
    camera.shoot("offline")


def payments(camera):
    camera.go("/contacts")
    expect(camera.by("contact").first).to_be_visible()
    camera.shoot("contacts")
    camera.by("contact").nth(2).click()
    expect(camera.by("priming")).to_be_visible()
    camera.shoot("priming")
    camera.by("priming-add").click()
    camera.by("card-number").press_sequentially("4242424242424241")
    camera.by("card-holder").fill("Ana B Lima")
    expect(camera.by("screen-card-form")).to_contain_text("Visa")
    camera.shoot("card-form")
    camera.by("card-number").fill("")
    wallet.fill_card(camera, wallet.GOOD)
    camera.by("save").click()
    wallet.enter(camera)
    camera.shoot("payment")
    camera.by("pay").click()
    expect(camera.by("receipt")).to_be_visible()
    camera.shoot("receipt")
    wallet.add_card(camera, wallet.BAD)
    wallet.add_card(camera, wallet.AMEX)
    camera.shoot("cards")
    camera.by("card").filter(has_text="1111").first.locator('[data-test="choose"]').click()
    wallet.open_contact(camera, 5)
    wallet.enter(camera, "123456")
    camera.by("pay").click()
    expect(camera.by("declined")).to_be_visible()
    camera.shoot("declined")
    camera.connection("answer-lost")
    wallet.open_contact(camera, 8)
    wallet.enter(camera, "2500")
    camera.by("pay").click()
    expect(camera.by("unknown")).to_be_visible()
    camera.shoot("payment-unknown")
    camera.connection("online")
    camera.go("/payments")
    expect(camera.by("payment").first).to_be_visible()
    camera.shoot("history")


def foaas(camera):
    camera.go("/foaas")
    expect(camera.by("phrase-message")).to_be_visible()
    camera.go("/foaas/settings")
    expect(camera.by("palette-ember")).to_be_visible()
    if camera.form.startswith("phone"):
        camera.by("palette-ember").check(force=True)
    camera.shoot("foaas-settings")
    camera.go("/foaas/operations")
    expect(camera.by("operation").nth(1)).to_contain_text("your name")
    camera.shoot("foaas-operations")
    camera.go("/foaas/operations/shakespeare%2F%3Aname%2F%3Afrom")
    expect(camera.by("preview")).to_contain_text("[their name]")
    camera.by("field-name").fill("Caliban")
    expect(camera.by("preview")).to_contain_text("Caliban")
    camera.shoot("foaas-preview")
    camera.by("field-from").fill("Prospero")
    camera.by("finish").click()
    expect(camera.by("phrase")).to_contain_text("Caliban")
    camera.page.mouse.move(0, 0)
    camera.shoot("foaas")
    camera.connection("offline")
    camera.by("phrase").click()
    expect(camera.by("seen").first).to_be_visible()
    camera.shoot("foaas-offline")


def audio(camera):
    with tempfile.TemporaryDirectory() as folder:
        file = sound.tone(Path(folder), seconds=9, name="harbour-at-six.wav")
        camera.go("/audio")
        rows = camera.by("clip")
        expect(rows.first).to_be_visible()
        sound.part(rows.nth(2), "download").click()
        expect(sound.part(rows.nth(2), "offline-badge")).to_be_visible()
        sound.part(rows.nth(1), "seek").click()
        expect(rows.nth(1)).to_have_attribute("data-state", "playing")
        sound.part(rows.nth(1), "play").click()
        camera.page.mouse.move(0, 0)
        camera.evaluate("document.activeElement.blur()")
        camera.shoot("audio")
        camera.connection("offline")
        camera.by("reload").click()
        expect(camera.by("notice")).to_be_visible()
        sound.part(rows.nth(3), "play").click()
        expect(sound.part(rows.nth(3), "clip-problem")).to_be_visible()
        camera.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        camera.page.mouse.move(0, 0)
        camera.shoot("audio-offline")
        camera.by("mini-close").click()
        camera.go("/audio/new")
        expect(camera.by("pick")).to_be_visible()
        camera.shoot("audio-new")
        for title in ("Harbour at six", "The kettle, again"):
            sound.compose(camera, file, title)
            camera.by("send").click()
            expect(camera.by("compose-failed")).to_be_visible()
            if title.startswith("Harbour"):
                camera.shoot("audio-not-sent")
            camera.by("later").click()
            expect(camera.by("compose-queued")).to_be_visible()
        camera.by("result-outbox").click()
        expect(camera.by("outbox-item")).to_have_count(2)
        camera.page.mouse.move(0, 0)
        camera.shoot("outbox")


def drive(camera):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        camera.go("/drive")
        expect(camera.by("drive-empty")).to_be_visible()
        camera.shoot("drive-empty")
        for name, size, files in (
            ("Harbour papers", "25MB", [("tide-tables-2026.pdf", 8_400_000), ("pilot-book.epub", 6_120_000), ("soundings.csv", 742_000)]),
            ("Photographs, summer", "4GB", [("morning.jpg", 3_200_000)]),
            ("Log of the Calypso", "2MB", [("log-1.txt", 1_100_000), ("log-2.txt", 930_000)]),
        ):
            store.create(camera, name, size)
            store.add(camera, *[store.text_file(folder, file, bytes) for file, bytes in files])
            camera.by("upload-dismiss").click()
        camera.by("account-menu").click()
        camera.by("immutable-open").click()
        camera.by("typed").fill("Log of the Calypso")
        camera.by("immutable-confirm").scroll_into_view_if_needed()
        camera.page.mouse.move(0, 0)
        camera.shoot("drive-make-immutable")
        camera.by("immutable-confirm").click()
        expect(camera.by("immutable-badge")).to_be_visible()
        camera.go("/drive/new")
        camera.by("create-name").fill("Letters")
        camera.by("create-size").fill("1.5GB")
        expect(camera.by("cost")).to_contain_text("SHDW")
        camera.shoot("drive-new")
        camera.go("/drive")
        expect(camera.by("account")).to_have_count(3)
        camera.evaluate("document.activeElement.blur()")
        camera.shoot("drive")
        store.part(camera.by("account").first, "account-link").click()
        expect(camera.by("file")).to_have_count(3)
        camera.connection("slow")
        camera.by("upload-input").set_input_files(store.text_file(folder, "chart-of-the-bay.tif", 5_000_000))
        camera.until(lambda: camera.by("upload-percent").text_content() not in ("", "0 %"), "some of it has gone out")
        camera.page.mouse.move(0, 0)
        camera.shoot("drive-uploading")
        camera.connection("online")
        expect(camera.by("file")).to_have_count(4)
        camera.go(camera.evaluate("location.pathname"))
        expect(camera.by("file")).to_have_count(4)
        camera.shoot("drive-account")
        store.part(store.row(camera, "soundings.csv"), "open-file").click()
        expect(camera.by("preview-text")).to_be_visible()
        camera.shoot("drive-file")
        camera.by("preview-close").click()
        camera.connection("offline")
        camera.by("reload").click()
        expect(camera.by("notice")).to_be_visible()
        camera.evaluate("document.activeElement.blur()")
        camera.page.mouse.move(0, 0)
        camera.shoot("drive-offline")


#: Name of a walk → the walk, and what the server is started with. Each form has a server and data of its own.
WALKS = {
    "feed": [(feed, []), (feed_offline, ["--at", "+2d", "--fault", "feed=offline"])],
    "payments": [(payments, [])],
    "foaas": [(foaas, [])],
    "audio": [(audio, [])],
    "drive": [(drive, [])],
}


def is_needed(name, form, wanted):
    """True if the walk takes a picture of this form that is wanted."""
    taken = [shot for walk, _ in WALKS[name] for shot in re.findall(r'shoot\("([a-z-]+)"\)', inspect.getsource(walk))]
    return wanted is None or any(f"{shot}-{form}" in wanted for shot in taken)


def main(names, wanted):
    (ALL if wanted is None else KEPT).mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in names or WALKS:
            for kind, scheme in FORMS:
                if not is_needed(name, f"{kind}-{scheme}", wanted):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    server = Server(Path(folder) / "data")
                    for walk, arguments in WALKS[name]:
                        server.start(*arguments)
                        camera = Camera(browser, server, kind, scheme, wanted)
                        try:
                            walk(camera)
                        finally:
                            camera.context.close()
                            server.stop()
        browser.close()


if __name__ == "__main__":
    words = sys.argv[1:]
    main([word for word in words if word != "--readme"], shown() if "--readme" in words else None)
