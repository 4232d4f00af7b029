"""The real server, a real browser, and a page that fails the test on any error it did not expect."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from helpers import TIMEOUT, Probe

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("AQUIFER_BIN", str(ROOT / ".build/aquifer"))
# The shell of Chromium has no window, no buttons and no profile: a tab of it needs half of the processor's time.
CHROMIUM = os.environ.get("CHROMIUM_BIN") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 800}

expect.set_options(timeout=TIMEOUT)


class Server:
    """`aquifer serve` on a free port with a data folder of its own; it can stop and start again on both."""

    def __init__(self, data):
        self.data = data
        self.process = None
        self.url = None
        self.port = 0

    def start(self, *arguments):
        command = [BINARY, "serve", "--port", str(self.port), "--data", str(self.data), *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            # The keys of cards are kept with the settings of the user: these are not those of the person who runs the
            # tests.
            env={**os.environ, "XDG_CONFIG_HOME": str(self.data.parent / "config")})
        for line in self.process.stdout:
            found = re.search(r"Aquifer is at (http://\S+)", line)
            if found:
                self.url = found[1]
                self.port = int(re.search(r":(\d+)/", self.url)[1])
                return self
        raise RuntimeError(f"{' '.join(command)} ended without printing its address")

    @property
    def base(self):
        return self.url.split("/#")[0].rstrip("/")

    def link(self, path="/"):
        """The printed link, to another page than the first."""
        return self.base + path + self.url[len(self.base) + 1:]

    @property
    def headers(self):
        """The header with the token, for requests that no page sends."""
        token = self.url.partition("#token=")[2]
        return {"Authorization": f"Bearer {token}"} if token else {}

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)
            self.process.stdout.close()
            self.process = None


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        # The sandbox needs rights that a container does not give.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "data").start()
    yield server
    server.stop()


@pytest.fixture
def stopped_server(tmp_path):
    """For tests that choose the arguments themselves."""
    server = Server(tmp_path / "data")
    yield server
    server.stop()


@pytest.fixture
def open_page(browser):
    """`open_page(server, path, phone=…, scheme=…, locale=…)` → a Probe around a fresh tab; with `fails` requests may fail from the beginning."""
    probes = []

    def open_page(server, path="/", phone=False, scheme="light", locale="en-US", motion="no-preference", scale=1, wait=True, fails=False):
        context = browser.new_context(
            viewport=PHONE if phone else WIDE, color_scheme=scheme, locale=locale, has_touch=phone, is_mobile=phone,
            reduced_motion=motion, device_scale_factor=scale)
        probe = Probe(context, server)
        probe.expects_failed_requests = fails
        probes.append(probe)
        probe.page.goto(server.link(path))
        if wait and path == "/":
            expect(probe.items.first).to_be_visible()
        return probe

    yield open_page
    problems = []
    for probe in probes:
        problems += probe.problems()
        probe.context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def feed(server, open_page):
    return open_page(server)
