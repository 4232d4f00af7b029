"""Another implementation of the contract of FOAAS (`docs/reference/foaas.md`), written from its text alone."""

import http.server
import json
import threading
import urllib.parse

KEYS = ["company", "from", "name", "tool", "do", "something", "reference", "noun", "reaction", "behavior", "thing", "language"]


def operations():
    """A hundred: none, one, two and three fields; one field without its name, one operation in another order."""
    found = [{"name": "Version", "url": "/version", "fields": []}]
    for number in range(1, 53):
        found.append(operation(f"One {number}", f"one{number}", ["from"]))
    for number in range(1, 45):
        found.append(operation(f"Two {number}", f"two{number}", [KEYS[2 + number % 10], "from"]))
    for number in range(1, 4):
        found.append(operation(f"Three {number}", f"three{number}", ["name", "thing", "from"]))
    found[20]["fields"] = [{"from": "From", "field": "from"}]
    found[-1]["fields"].reverse()
    return found


def operation(name, segment, keys):
    return {"name": name, "url": "/" + "/".join([segment] + [f":{key}" for key in keys]),
            "fields": [{"name": key.capitalize(), "field": key} for key in keys]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        remote = self.server.remote
        with remote.arrival:
            remote.requests.append((self.path, dict(self.headers)))
            remote.arrival.notify_all()
        if len(self.path) > 16_384:
            return self.answer(431, "text/plain", "too long")
        if self.path == "/operations":
            return self.answer(200, *remote.list)
        # As that server does: split, then decoded.
        segments = [urllib.parse.unquote(part, errors="strict") for part in self.path.split("/")[1:]]
        if "application/json" not in self.headers.get("Accept", "*/*"):
            return self.answer(200, "text/html", "<html><body>hello</body></html>")
        if len(segments) > 4 or "" in segments:
            return self.answer(622, "application/json", json.dumps({"message": "622", "subtitle": "All manner of wrong"}))
        if remote.html:
            return self.answer(200, "text/html", "<html><body>hello</body></html>")
        self.answer(200, "application/json", json.dumps(
            {"message": f"{segments[0]} says damn: {' & '.join(segments[1:-1])}", "subtitle": f"- {segments[-1]}"}))

    def answer(self, status, kind, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class FoaasRemote:
    def __init__(self):
        self.requests, self.html = [], False
        self.arrival = threading.Condition()
        self.operations = operations()
        self.list = ("application/json", json.dumps(self.operations))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.remote = self
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def said(self):
        """The decoded segments of each phrase that was asked for."""
        return [[urllib.parse.unquote(part) for part in path.split("/")[1:]] for path, _ in self.requests if path != "/operations"]

    def requested(self, path, seconds):
        """True if a path has been asked for, or is within these seconds."""
        with self.arrival:
            return self.arrival.wait_for(lambda: any(asked == path for asked, _ in self.requests), timeout=seconds)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
