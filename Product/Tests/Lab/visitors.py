"""The users of `aquifer serve` in a soak."""

import json
import time
import urllib.error
import urllib.request

from operations import shortened
from sessions import BOUND, CLIP

from serving import heard  # of the acceptance tests, which `sessions` has found


class Page:
    """A user of `aquifer serve`: asks one thing after another of one process, until it is gone."""

    def __init__(self, history, operations, link, server):
        self.history, self.operations, self.server = history, operations, server
        self.base, _, self.token = link.partition("/#token=")
        self.tab = f"t{server}"

    def ask(self, path, body=None, kind=None):
        request = urllib.request.Request(self.base + path, data=body, headers={
            "Authorization": f"Bearer {self.token}", **({"Content-Type": kind} if kind else {})})
        try:
            with urllib.request.urlopen(request, timeout=BOUND) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")

    def one(self, op, work, **facts):
        number = self.history.next()
        self.history.note("invoke", id=number, op=op, server=self.server, **facts)
        began, status, text = time.monotonic(), None, ""
        try:
            status, text = work()
        except Exception as error:  # the server was killed, or stands still; the judge tells which
            text = f"{type(error).__name__}: {error}"
        self.history.note(
            "answered", id=number, op=op, server=self.server, status=status, out=shortened(text),
            seconds=round(time.monotonic() - began, 3), **facts)
        return status

    def any(self, chance):
        fate = chance.random()
        if fate < 0.5:
            return self.one("page feed", lambda: self.ask("/api/feed"))
        if fate < 0.8:
            return self.one("page saved feed", lambda: self.ask("/api/feed/saved"))
        title = f"page clip {self.operations.next()}"
        return self.one("page post", lambda: self.post(title), title=title)

    def post(self, title):
        """Fills the form of a new clip, and leaves it for later. The state of the form is the answer."""
        form, tab = "/api/screens/audio-compose", f"tab={self.tab}"

        def tell(intent, **fields):
            return self.ask(f"{form}/intents?{tab}", json.dumps({"intent": intent, **fields}).encode(), "application/json")

        tell("again")
        for status, text in (
            self.ask(f"{form}/file?{tab}&name=clip.mp3", CLIP.read_bytes(), "audio/mpeg"), tell("title", text=title),
            tell("later"),
        ):
            if status != 204:
                return status, text
        request = urllib.request.Request(f"{self.base}{form}/events?{tab}", headers={"Authorization": f"Bearer {self.token}"})
        until = time.monotonic() + 10
        with urllib.request.urlopen(request, timeout=BOUND) as stream:
            for state in heard(stream):
                if state is not None:
                    if state["phase"] in ("queued", "sent", "failed") or time.monotonic() > until:
                        return 200, json.dumps({"phase": state["phase"], "message": state["message"]})
        return 200, "{}"
