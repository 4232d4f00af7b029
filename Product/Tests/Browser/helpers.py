"""The tests' questions about a page, in the words of the product."""

import os
import time

#: A machine that is busy with other browsers and builds may take this long for anything at all, in milliseconds.
TIMEOUT = 40_000
#: The time in which other screens show a change, in milliseconds: a second, on a machine that has nothing else to do. A test
#: run shares its processors with other browsers and servers. `AQUIFER_SLOWNESS=1` measures the second itself.
SOON = 1_000 * float(os.environ.get("AQUIFER_SLOWNESS", "5"))

VIOLATIONS = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (e) => window.__violations.push(e.violatedDirective + " " + e.blockedURI));
"""

# The elements that stand out at the right edge of a screen of this width.
WIDE = """(width) => [...document.querySelectorAll("main *")].filter((e) => {
  const r = e.getBoundingClientRect();
  return r.width && r.right > width + 1 && !e.classList.contains("visually-hidden");
}).map((e) => e.className + ": " + e.textContent.trim().slice(0, 30)).slice(-6)"""


def settled(page):
    """Fades and slides have ended: a colour on its way is nobody's colour."""
    page.until(lambda: page.evaluate(
        "document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"), "animations end")


class Probe:
    """A tab, and everything that went wrong in it."""

    def __init__(self, context, server):
        self.context, self.server = context, server
        self.page = context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        # Chromium itself reports each failed fetch; a test that causes one says so.
        self.expects_failed_requests = False
        self.errors, self.requests, self.failed, self.intents = [], [], [], []
        self.page.add_init_script(VIOLATIONS)
        self.page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        self.page.on("console", self._console)
        self.page.on("request", self._request)
        self.page.on("requestfailed", lambda request: self.failed.append(request.url))

    def _request(self, request):
        self.requests.append(request.url)
        if request.url.split("?")[0].endswith("/intents"):
            self.intents.append(request.post_data_json["intent"])

    def _console(self, message):
        if message.type not in ("error", "warning"):
            return
        if self.expects_failed_requests and message.text.startswith("Failed to load resource"):
            return
        self.errors.append(f"console {message.type}: {message.text}")

    def problems(self):
        try:
            violations = self.page.evaluate("window.__violations ?? []")
        except Exception as error:  # a page that cannot be asked is itself the finding
            violations = [f"the page did not answer: {error}"]
        return self.errors + [f"content security policy: {v}" for v in violations]

    def by(self, test):
        return self.page.locator(f'[data-test="{test}"]')

    @property
    def items(self):
        return self.by("feed-item")

    def images(self, state):
        return self.page.locator(f'aq-image[data-state="{state}"]')

    def ask(self, path, method="GET", **options):
        """A request that is not the page's, with the token: `ask("/api/connection")`."""
        headers = {**self.server.headers, "Origin": self.server.base, **options.pop("headers", {})}
        return self.context.request.fetch(self.server.base + path, method=method, headers=headers, **options)

    def connection(self, mode):
        """Turns the switch as its user would, but without opening it."""
        answer = self.ask("/api/connection", "PUT", data={"mode": mode})
        assert answer.ok, f"{answer.status} {answer.text()}"

    def developer(self):
        """Opens the drawer for developers."""
        self.by("settings-button").click()
        self.by("developer-open").click()

    def inspector(self):
        """Goes to the inspector, as a developer does."""
        self.developer()
        self.by("to-inspector").click()

    def transfers(self, remote="feed"):
        """The outcomes of the transfers of a reference remote, and its last requests."""
        return self.ask("/api/reference/transfers").json()[remote]

    def evaluate(self, script, argument=None):
        return self.page.evaluate(script, argument)

    def until(self, condition, what, limit=TIMEOUT):
        """Waits for a condition of ours. (`wait_for_function` needs eval, which the policy forbids.)"""
        deadline = time.monotonic() + limit / 1000
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            self.page.wait_for_timeout(25)
        raise AssertionError(f"never happened: {what}")

    def watch(self, test):
        """Remembers from now on whether an element was visible, however shortly. Returns the question."""
        self.evaluate(
            """(test) => {
              const element = document.querySelector(`[data-test="${test}"]`);
              element.wasVisible = !element.hidden;
              new MutationObserver(() => { element.wasVisible ||= !element.hidden; }).observe(element, { attributes: true });
            }""", test)
        return lambda: self.evaluate("(test) => document.querySelector(`[data-test=\"${test}\"]`).wasVisible", test)

    def frames(self):
        """Waits for two frames: scrolling and sizes were heard of, and what follows from them is drawn."""
        self.evaluate("() => new Promise((end) => requestAnimationFrame(() => requestAnimationFrame(() => end())))")

    def in_view(self, state):
        """True if every picture on the screen is in a state."""
        return self.evaluate(
            """(state) => {
              const seen = [...document.querySelectorAll("aq-image")].filter((i) => {
                const r = i.getBoundingClientRect(); return r.width && r.top < innerHeight && r.bottom > 0; });
              return seen.length > 0 && seen.every((i) => i.dataset.state === state);
            }""", state)

    def image_requests(self):
        return [url for url in self.requests if "/api/screens/feed/images/" in url]

    def too_wide(self):
        """By how many pixels the page is wider than its screen. On a phone `innerWidth` grows with a page that is too
        wide, and so does not tell."""
        return self.evaluate("document.documentElement.scrollWidth") - self.page.viewport_size["width"]

    def fits(self, where, larger=False):
        """Waits until nothing makes the page scroll sideways; with text of twice the size if `larger`."""
        self.evaluate("(size) => { document.documentElement.style.fontSize = size; }", "200%" if larger else "")
        try:
            self.until(lambda: self.too_wide() <= 0, "no sideways scrolling", limit=2000)
        except AssertionError:
            wide = self.evaluate(WIDE, self.page.viewport_size["width"])
            raise AssertionError(f"{where} is {self.too_wide()} pixels too wide: {wide}") from None

    def scroll_to(self, y):
        self.evaluate("(y) => scrollTo(0, y)", y)

    def load_all(self):
        """Scrolls until the end mark is there."""
        def at_end():
            self.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            return self.by("end-mark").count() == 1
        self.until(at_end, "the end of the feed")

    def touch(self, kind, x, y):
        if not hasattr(self, "_cdp"):
            self._cdp = self.context.new_cdp_session(self.page)
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        self._cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
