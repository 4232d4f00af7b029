#!/usr/bin/env python3
"""Real requests, changed at random, are sent to the server over sockets: it must not trap, hang or keep descriptors.

    requests_fuzz.py [--requests N] [--seed S] [--program PATH]

The server of the pages and the reference remotes run as users run them. A request is one that they know, with the ids and
addresses of earlier answers in it, so that a session goes on. Then some of its bytes are changed, repeated, cut out or
exchanged for those of another one, or it is sent in pieces, twice at once, or not to its end. After each hundred the server
must answer a good request, and must not have failed; at the end it has as many descriptors as at the beginning.

The same seed makes the same requests; what the server answers may change those that follow.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = os.environ.get("AQUIFER_BIN", str(ROOT / ".build/aquifer"))
#: What a server may take for an answer, in seconds.
BOUND = 20
#: What is good to have more of in a request.
PIECES = [
    b"\r\n", b"\n", b"\0", b"\r\n\r\n", b" ", b"%00", b"%2F", b"..", b"A" * 5000, b"Content-Length: 5\r\n",
    b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n",
    b"Range: bytes=0-0,5-\r\n", b"If-None-Match: *\r\n", b"18446744073709551616", b'{"a":' * 600, b"\xff\xfe", b"--B--\r\n",
    b"HTTP/1.0", b"\xf0\x9f\x8c\x8a",
]


class Broken(Exception):
    """A promise that was not kept."""


def known_requests(token):
    """The requests that the servers know, by server, as (method, path, headers, body)."""
    own = {"Authorization": f"Bearer {token}"}
    as_json = {"Content-Type": "application/json"}
    form = (
        b'--B\r\nContent-Disposition: form-data; name="title"\r\n\r\nRain\r\n--B\r\nContent-Disposition: form-data;'
        b' name="audio"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\nID3\4\0\0\0\0\0\0\xff\xfb\x90\x44' + bytes(400)
        + b"\r\n--B--\r\n")
    order = b'{"card_number":"1111111111111111","cvv":789,"value":79.9,"expiry_date":"01/18","destination_user_id":1002}'
    rpc = b'{"jsonrpc":"2.0","id":1,"method":"getAccountInfo","params":["ADDRESS",{}]}'
    pages = [
        ("GET", "/", {}, b""), ("GET", "/js/main.js", {"Range": "bytes=5-10"}, b""), ("GET", "/api/feed", own, b""),
        ("GET", "/api/connection", own, b""), ("PUT", "/api/connection", {**own, **as_json}, b'{"offline":false}'),
        ("GET", "/api/inspector?store=feed", own, b""), ("GET", "/api/screens/feed/events", own, b""),
        ("POST", "/api/screens/feed/intents", {**own, **as_json}, b'{"intent":"refresh"}'),
        ("GET", "/api/screens/feed/images/ID", own, b""), ("POST", "/api/addresses", {**own, **as_json}, b'{"path":"/a"}'),
        ("HEAD", "/manifest.webmanifest", {"Accept-Encoding": "gzip"}, b""), ("GET", "/api/reference/transfers", own, b""),
    ]
    remotes = [
        ("GET", "/feed/v1/feed?limit=10&after_id=ID", {}, b""), ("GET", "/feed/v1/image/ID/comments", {}, b""),
        ("GET", "/audio/v1/audio", {}, b""), ("GET", "/payments/users", {}, b""),
        ("POST", "/audio/v1/audio", {"Content-Type": "multipart/form-data; boundary=B", "Idempotency-Key": "ID"}, form),
        ("POST", "/payments/transaction", {**as_json, "Idempotency-Key": "ID"}, order),
        ("POST", "/drive/rpc", as_json, rpc), ("POST", "/drive/storage-account-info", as_json, b'{"storage_account":"ADDRESS"}'),
        ("POST", "/drive/list-objects", as_json, b'{"storageAccount":"ADDRESS"}'),
        ("POST", "/drive/upload", {"Content-Type": "multipart/form-data; boundary=B"}, form),
        ("GET", "/drive/files/ADDRESS/a%20b", {"Range": "bytes=-5"}, b""), ("GET", "/foaas/operations", {"Accept": "application/json"}, b""),
    ]
    return {"serve": pages, "remotes": remotes}


class Server:
    def __init__(self, program, command, folder):
        environment = {
            **os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "SWIFT_BACKTRACE": "enable=no"}
        self.name = command
        self.errors = open(pathlib.Path(folder) / f"{command}.err", "w+b")
        self.process = subprocess.Popen(
            [program, command, "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment)
        value = json.loads(self.process.stdout.readline())["value"]
        self.link = value["address"] if command == "serve" else value[0]["address"]
        self.port = urllib.parse.urlsplit(self.link).port
        self.token = re.sub(r".*[#=/]", "", self.link)
        self.good = b"/ " if command == "serve" else b"/payments/users "

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=BOUND)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def check(self):
        """The server lives and answers a good request in time."""
        if self.process.poll() is not None:
            self.errors.seek(0)
            raise Broken(f"{self.name} ended with {self.process.returncode}: {self.errors.read()[-2000:].decode(errors='replace')}")
        try:
            with self.connect() as connection:
                connection.sendall(b"GET " + self.good + b"HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % self.port)
                start = connection.recv(100)
        except OSError as error:
            raise Broken(f"{self.name} does not answer a good request: {error}") from error
        if not start.startswith(b"HTTP/1.1 200"):
            raise Broken(f"{self.name} answers a good request with {start[:40]}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=BOUND)
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            raise Broken(f"{self.name} does not end") from error
        if self.process.returncode not in (0, -15, 143):
            raise Broken(f"{self.name} ended with {self.process.returncode}")


class Session:
    """The requests of one server, and what is known of its answers."""

    def __init__(self, server, requests, chance):
        self.server, self.requests, self.chance = server, requests, chance
        self.ids = ["550E8400-E29B-41D4-A716-446655440000"]
        self.addresses = ["11111111111111111111111111111111"]
        self.statuses = collections.Counter()

    def request(self):
        method, path, headers, body = self.chance.choice(self.requests)
        fields = {"Host": f"127.0.0.1:{self.server.port}", **headers}
        if body or self.chance.random() < 0.1:
            fields["Content-Length"] = len(body)
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        whole = head.encode() + body
        whole = whole.replace(b"ID", self.chance.choice(self.ids).encode())
        return whole.replace(b"ADDRESS", self.chance.choice(self.addresses).encode())

    def changed(self, request):
        """The request with a few changes, or without any."""
        chance, request = self.chance, bytearray(request)
        for _ in range(chance.choice([0, 1, 1, 2, 4])):
            place = chance.randrange(len(request) + 1)
            match chance.randrange(7):
                case 0: request[place : place + 1] = bytes([chance.randrange(256)])
                case 1: request[place:place] = chance.choice(PIECES)
                case 2: del request[place : place + chance.choice([1, 4, 40])]
                case 3: request[place:place] = request[max(0, place - chance.randrange(1, 60)) : place]
                case 4: request[place:] = self.request()[chance.randrange(20) :]
                case 5: request[place:place] = str(chance.choice([-1, 0, 2**31, 2**63, 2**64])).encode()
                case 6:
                    lines = bytes(request).split(b"\r\n")
                    chance.shuffle(lines[1:])
                    lines.insert(chance.randrange(1, len(lines) + 1), chance.choice(lines))
                    request = bytearray(b"\r\n".join(lines))
        return bytes(request)

    def send(self):
        chance, whole = self.chance, self.changed(self.request())
        if chance.random() < 0.1:
            whole += self.changed(self.request())
        answer = b""
        try:
            with self.server.connect() as connection:
                step = chance.choice([len(whole) or 1] * 6 + [1 + len(whole) // 3, 1 + len(whole) // 9])
                for start in range(0, len(whole), step):
                    connection.sendall(whole[start : start + step])
                leaves = chance.random()
                if leaves < 0.15:
                    return
                if leaves < 0.5:
                    connection.shutdown(socket.SHUT_WR)
                # A stream never ends, and an unfinished request has no answer: what has come soon is enough.
                connection.settimeout(0.05)
                while len(answer) < 200_000 and (more := connection.recv(65_536)):
                    answer += more
        except OSError:
            pass  # refused, reset or not answered: whether the server lives is looked at later
        self.learn(answer)

    def learn(self, answer):
        for status in re.findall(rb"HTTP/1\.1 (\d\d\d)", answer):
            self.statuses[int(status)] += 1
        if re.match(rb"HTTP/1\.1 500", answer):
            raise Broken(f"{self.server.name} failed: {answer[:600].decode(errors='replace')}")
        self.ids += [id.decode() for id in re.findall(rb"[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}", answer)[:3]]
        self.addresses += [key.decode() for key in re.findall(rb"\b[1-9A-HJ-NP-Za-km-z]{43,44}\b", answer)[:3]]
        self.ids, self.addresses = self.ids[-50:], self.addresses[-50:]


def run(program, count, seed):
    """Sends the requests; returns how often each server gave each status."""
    with tempfile.TemporaryDirectory(prefix="aquifer-sockets-") as folder:
        servers = [Server(program, command, folder) for command in ("serve", "remotes")]
        try:
            sessions = [
                Session(server, known_requests(server.token)[server.name], random.Random(f"{seed}/{server.name}"))
                for server in servers]
            for server in servers:
                server.check()
            before = {server.name: server.descriptors() for server in servers}
            for number in range(count):
                sessions[number % 2].send()
                if number % 100 == 99:
                    for server in servers:
                        server.check()
            for server in servers:
                server.check()
                # Idle connections and streams of clients that left end soon. Stores and sockets that were opened stay.
                until = time.monotonic() + 30
                while server.descriptors() > before[server.name] + 60 and time.monotonic() < until:
                    time.sleep(0.2)
                if server.descriptors() > before[server.name] + 60:
                    raise Broken(f"{server.name} keeps {server.descriptors()} descriptors, and had {before[server.name]}")
            return {session.server.name: dict(sorted(session.statuses.items())) for session in sessions}
        finally:
            for server in servers:
                server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=BINARY)
    options = parser.parse_args()
    began = time.monotonic()
    try:
        statuses = run(options.program, options.requests, options.seed)
    except Broken as broken:
        sys.exit(f"seed {options.seed}: {broken}")
    rate = options.requests / (time.monotonic() - began)
    print(f"{options.requests} requests, {rate:.0f}/s, nothing broken; {statuses}")


if __name__ == "__main__":
    main()
