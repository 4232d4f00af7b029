"""What lies between the processes and the reference remotes: a proxy that loses, cuts, delays, redirects and repeats.

It answers for the feed itself, because the reference feed never changes: its version is the second of the `Date` field.
It writes down what the remotes took, and keeps it from nobody.
"""

import http.client
import http.server
import json
import random
import re
import socket
import struct
import threading
import time
import urllib.parse
import uuid
import email.utils

from forwarding import forward

#: What the proxy can do to a request. Those of `AFTER` let the server act first.
BEFORE = ["lost", "reset", "portal page", "portal redirect", "portal refusal", "portal 511", "busy"]
AFTER = ["answer lost", "cut", "redirect after", "twice", "late"]
#: The weathers: how likely each request meets something, and what.
WEATHERS = {
    "clear": (0.0, BEFORE),
    "calm": (0.02, BEFORE + AFTER),
    "storm": (0.4, BEFORE + AFTER + ["slow"]),
    "portal": (1.0, ["portal page", "portal redirect", "portal refusal", "portal 511"]),
    "dead": (1.0, ["lost", "reset"]),
    "lossy answers": (0.7, AFTER),
    "slow": (0.8, ["slow", "late"]),
}
PAGE = b"<!DOCTYPE html><html><title>Welcome</title><body><form>Sign in to the network</form></body></html>"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *arguments):
        pass

    def do(self):
        between = self.server.between
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what = between.fate()
        if what:
            between.history.note("fate", what=what, method=self.command, path=self.path)
        if what in BEFORE:
            return self.instead(what)
        if what == "slow":
            time.sleep(between.seconds())
        answer = between.feed(self.headers) if self.path.startswith("/feed/v1/feed") else between.ask(self, body)
        if what == "twice" and answer and not self.path.startswith("/feed"):
            answer = between.ask(self, body) or answer
        if what == "late":
            time.sleep(between.seconds())
        if answer is None or what == "answer lost":
            return self.leave()
        if what == "redirect after":
            return self.say(303, b"", {"Location": between.nowhere})
        status, fields, content = answer
        self.say(status, content, fields, cut=what == "cut")

    do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = do

    def instead(self, what):
        if what == "lost":
            return self.leave()
        if what == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return self.leave(quietly=True)
        html = {"Content-Type": "text/html"}
        if what == "portal page":
            return self.say(200, PAGE, html)
        if what == "portal redirect":
            return self.say(302, b"", {"Location": self.server.between.nowhere})
        if what == "portal refusal":
            return self.say(403, PAGE, html)
        if what == "portal 511":
            return self.say(511, PAGE, html)
        return self.say(503, b"", {"Retry-After": "1"} if self.server.between.chance.random() < 0.5 else {})

    def say(self, status, content, fields, cut=False):
        self.send_response_only(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.leave()

    def leave(self, quietly=False):
        self.close_connection = True
        if not quietly:
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side was faster


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *arguments):
        pass  # a client that was killed


class Between:
    """The proxy. `upstream` is the port of the reference remotes, which may go away and come back."""

    def __init__(self, upstream, seed, history):
        self.upstream, self.history = upstream, history
        self.chance, self.lock = random.Random(f"{seed}/between"), threading.Lock()
        self.weather, self.met = "calm", 0
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.between = self
        self.port = self.server.server_port
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.nowhere = f"http://127.0.0.1:{free.getsockname()[1]}/sign-in"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def options(self):
        return [word for name in ("feed", "payments", "audio", "foaas", "drive")
                for word in ("--remote", f"{name}=http://127.0.0.1:{self.port}/{name}")]

    def fate(self):
        with self.lock:
            likely, what = WEATHERS[self.weather]
            if self.chance.random() >= likely:
                return None
            self.met += 1
            return self.chance.choice(what)

    def seconds(self):
        with self.lock:
            return self.chance.choice([0.05, 0.3, 1, 3])

    def feed(self, headers):
        """The feed's newest version: the second in which it is asked for."""
        moment = int(time.time())
        tag = f'"{moment}"'
        fields = {"Date": email.utils.formatdate(moment, usegmt=True), "ETag": tag, "Content-Type": "application/json"}
        if headers.get("If-None-Match") == tag:
            return 304, fields, b""
        item = {
            "id": str(uuid.UUID(int=moment)).upper(), "description": f"version {moment}",
            "image": f"http://127.0.0.1:{self.port}/feed/pictures/01.jpg"}
        return 200, fields, json.dumps({"items": [item]}).encode()

    def ask(self, handler, body):
        """The remotes' answer; `None` if they gave none."""
        try:
            answer = forward(handler, body, "127.0.0.1", self.upstream, handler.path)
        except (OSError, http.client.HTTPException):
            answer = None  # the remotes are away
        if handler.command == "POST":
            self.took(handler, body, answer)
        return answer

    def took(self, handler, body, answer):
        facts = {"path": handler.path, "key": handler.headers.get("Idempotency-Key"), "status": answer and answer[0]}
        if handler.path.startswith("/audio"):
            title = re.search(rb'"title"\s*:\s*"([^"]*)"', body)
            facts["title"] = title and title[1].decode()
        if handler.path.startswith("/payments/transaction"):
            value = re.search(rb'"value"\s*:\s*([0-9.]+)', body)
            facts["cents"] = value and round(float(value[1]) * 100)
        self.history.note("posted", **facts)

    def look(self, path):
        """A remote's document, past the weather: what is true at the server."""
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=30)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            content = response.read()
            return response.status, json.loads(content) if content else None
        finally:
            connection.close()

    def booked(self, key):
        status, document = self.look("/payments/transaction?idempotency_key=" + urllib.parse.quote(key))
        return document["transaction"] if status == 200 else None

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
