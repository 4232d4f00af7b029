"""Every route of the servers, with hostile numbers, texts and tabs: nothing ends the process, and nothing is told as its failure.

The routes are those of the sources. First each of them gets each hostile value in each place, alone; then all places get values by chance,
for the rest of the time. `AQUIFER_SEED` repeats a run, `AQUIFER_FUZZ_SECONDS` makes it longer.
"""

import json
import os
import random
import re
import socket
import subprocess
import time
import urllib.parse

import pytest

from serving import BINARY, ROOT

SECONDS = float(os.environ.get("AQUIFER_FUZZ_SECONDS", "8"))
SOURCES = ROOT / "Product/Sources"

NUMBERS = [
    str(number) for base in (0, 2**7, 2**15, 2**31, 2**32, 2**53, 2**63, 2**64) for number in (base - 1, base, base + 1, -base, -base - 1)
] + ["1e400", "-1e400", "nan", "0x10", "+1", "00", "1.5", "\u0663", "9" * 400]
TEXTS = [
    "", " ", "%", "%00", "\0", "\r\n", "..", "../..", "/", "//", "%2F", "\u202e", "e\u0301", "\ud7ff", "\U0001f30a", "a" * 3000, "{", '"', "true", "null",
    "550E8400-E29B-41D4-A716-446655440000", "11111111111111111111111111111111", "01/-1", "2026-13-45", "\u0000\u0001", "=&?#;",
]
HOSTILE = NUMBERS + TEXTS


def routes(folder):
    """The method and the pattern of each route below a folder of the sources."""
    found = set()
    for path in (SOURCES / folder).rglob("*.swift"):
        text = path.read_text()
        own = dict(re.findall(r'static let (\w+) = "(/[^"]*)"', text))
        for method, pattern in re.findall(r'router\.on\(\s*"(\w+)",\s*("[^"]*"|Self\.\w+)\s*\)', text):
            names = re.findall(r' post\("([\w-]+)"\)', text) if r"\(name)" in pattern else [""]
            pattern = pattern[1:-1] if pattern[0] == '"' else own[pattern[5:]]
            found |= {(method, pattern.replace(r"\(name)", name)) for name in names}
        assert len(re.findall(r"router\.on\(", text)) <= len(found), f"a route of {path} was not understood"
    return sorted(found)


def names(pattern):
    """What the sources call the fields of queries, or those of intents."""
    return sorted({name for path in SOURCES.rglob("*.swift") for name in re.findall(pattern, path.read_text())})


QUERY = names(r'queryValue\("(\w+)"\)') + names(r'static (?:let|var) subject: String\? (?:= |\{ )"(\w+)"')
FIELDS = names(r'(?:text|value|id|ids|check)\((?:ifGiven: )?"(\w+)"') + names(r'fields\["(\w+)"\]')


class Target:
    """A server, and the requests that it gets."""

    def __init__(self, port, token, screens, chance):
        self.port, self.token, self.screens, self.chance = port, token, screens, chance
        self.count = 0

    def ask(self, method, path, query=(), body=None):
        """Sends a request; gives the beginning of the answer, empty if there was none."""
        target = path + ("?" + urllib.parse.urlencode(query, errors="surrogatepass") if query else "")
        body = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
        if self.token:
            head += f"Authorization: Bearer {self.token}\r\n"
        self.count += 1
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            try:
                connection.sendall(head.encode() + b"\r\n" + body)
                answer = connection.recv(65_536)
            except ConnectionResetError:
                answer = b""
        # A 500 is a failure that nobody expected.
        assert not answer.startswith(b"HTTP/1.1 500"), (method, target, body, answer[:600])
        return answer

    def path(self, pattern, value=None):
        """The path of a pattern, with a value in each of its places: hostile ones, if it is not given."""

        def fill(match):
            if match[1] == "screen" and (value is None or match[0] != value[0]):
                return self.chance.choice(self.screens)
            text = value[1] if value and match[0] == value[0] else self.chance.choice(HOSTILE)
            return urllib.parse.quote(text, safe="", errors="surrogatepass") or "%20"

        return re.sub(r"[:*](\w+)", fill, pattern)

    def hostile(self, names, most):
        chosen = self.chance.sample(names, self.chance.randrange(1, min(most, len(names)) + 1))
        return {name: self.chance.choice(HOSTILE) for name in chosen}

    def by_chance(self, method, pattern, intents):
        query = {"tab": "t", **self.hostile(QUERY, 4)}
        path = self.path(pattern)
        screen = re.fullmatch(r"/api/screens/([\w-]+)/intents", path)
        body = None
        if method != "GET":
            known = intents.get(screen[1], []) if screen else []
            body = {**self.hostile(FIELDS, 6), "intent": self.chance.choice(known or HOSTILE)}
        self.ask(method, path, query, body)


def fuzz(target, routes, until, lives, intents=None):
    try:
        for method, pattern in routes:
            # Each value alone, in each part of the path.
            places = [match[0] for match in re.finditer(r"[:*]\w+", pattern)]
            for place in places:
                for text in HOSTILE:
                    target.ask(method, target.path(pattern, (place, text)), {"tab": "t"}, None if method == "GET" else {})
            for name in QUERY:
                for text in target.chance.sample(HOSTILE, 4):
                    target.ask(method, target.path(pattern), {"tab": "t", name: text}, None if method == "GET" else {})
            lives()
        while time.monotonic() < until:
            for method, pattern in routes:
                target.by_chance(method, pattern, intents or {})
        lives()
    except (ConnectionError, TimeoutError) as error:
        lives()
        pytest.fail(f"the server lives and does not answer: {error!r}")


@pytest.fixture
def chance():
    seed = os.environ.get("AQUIFER_SEED") or str(random.randrange(2**32))
    print(f"AQUIFER_SEED={seed}")
    return random.Random(seed)


def test_no_value_in_any_route_of_the_pages_ends_the_server(serve, chance):
    server = serve()
    screens = names(r'static let name = "([\w-]+)"')
    target = Target(server.port, server.token, screens, chance)
    all_routes = routes("App/Web")
    assert len(all_routes) >= 20 and ("POST", "/api/screens/audio-compose/file") in all_routes

    def lives():
        assert server.process.poll() is None, "".join(server.log)[-3000:]

    intents = {}
    for screen in screens:
        answer = target.ask("POST", f"/api/screens/{screen}/intents", {"tab": "t"}, {"intent": "?"})
        intents[screen] = re.findall(r"[\w-]+", answer.decode().partition("it knows ")[2].partition('"')[0])
    assert "search" in sum(intents.values(), []), intents
    fuzz(target, all_routes, time.monotonic() + SECONDS, lives, intents)
    print(f"{target.count} requests")
    assert server.end() == 0


def test_no_value_in_any_route_of_the_reference_remotes_ends_them(aquifer, chance):
    with subprocess.Popen(
        [BINARY, "remotes", "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=aquifer.environment
    ) as process:
        try:
            address = json.loads(process.stdout.readline())["value"][0]["address"]
            target = Target(urllib.parse.urlsplit(address).port, None, [], chance)
            all_routes = routes("ReferenceAPIs")
            assert len(all_routes) >= 20 and ("POST", "/drive/upload") in all_routes

            def lives():
                assert process.poll() is None, process.stderr.read()[-3000:]

            fuzz(target, all_routes, time.monotonic() + SECONDS / 4, lives)
            print(f"{target.count} requests")
        finally:
            process.kill()
