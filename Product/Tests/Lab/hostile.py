"""A remote that answers with harm: a proxy before true servers that spoils the answers to one kind of request.

Harm to a whole answer is in `HARMS`. Harm to a field is one of `VALUES`, in the place of one field of the true answer.
"""

import http.server
import json
import re
import threading
import time
import urllib.parse
import zlib

from forwarding import forward

#: A field of an answer is replaced by one of these, written as JSON: extreme numbers, and wrong types.
VALUES = {
    "2^64-1": "18446744073709551615", "2^64": "18446744073709551616", "2^63": "9223372036854775808",
    "-2^63": "-9223372036854775808", "-1": "-1", "0": "0", "1e308": "1e308", "1e999": "1e999", "0.1": "0.1",
    "text of 2^64-1": '"18446744073709551615"', "empty text": '""', "text of a megabyte": json.dumps("a" * 1_000_000),
    "control characters": json.dumps("a\x1b[2J\u202e\x00b"), "null": "null", "true": "true", "list": "[]", "object": "{}",
    "list of lists": "[[[]]]", "base64 of 1": '"AQ=="', "base64 of 0xff": json.dumps("/" * 400), "date of the year 9999": '"9999-12-31T23:59:60Z"',
}


def bomb():
    """400 MB of zeros, compressed to 400 KB, without holding them."""
    packer, zeros = zlib.compressobj(9, wbits=31), bytes(1_000_000)
    return b"".join([*(packer.compress(zeros) for _ in range(400)), packer.flush()])


BOMB = bomb()
#: The most that a harm without end sends.
ENOUGH = 256 << 20


def gzip_bomb(answer):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB)
    yield BOMB


def endless(answer):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    yield from repeat(b" " * 65_536)


def endless_list(answer):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n[0"
    yield from repeat(b",0" * 32_768)


def endless_header(answer):
    yield b"HTTP/1.1 200 OK\r\n"
    yield from repeat(b"".join(b"X-%d: %s\r\n" % (number, b"a" * 100) for number in range(500)))


def endless_line(answer):
    yield b"HTTP/1.1 200 OK\r\nX: "
    yield from repeat(b"a" * 65_536)


def endless_interim(answer):
    yield from repeat(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000)


def dripping_head(answer):
    yield from drip(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX: " + b"a" * 2000)


def dripping_body(answer):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    yield from drip(b" " * 2000)


def many(answer):
    """A million small elements, as a list and as the list of the contract."""
    body = b'{"items":[' + b"{}," * 1_000_000 + b"{}]}"
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def deep(answer):
    body = b"[" * 1_000_000 + b"]" * 1_000_000
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def lengths(answer):
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\nContent-Type: application/json\r\n\r\n{}"


def numbers(answer):
    """Extreme numbers in every header field that has one."""
    most = b"18446744073709551615"
    yield (b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 18446744073709551614-18446744073709551615/18446744073709551615\r\n"
           b"Retry-After: %s\r\nAge: %s\r\nDate: Fri, 31 Dec 9999 23:59:60 GMT\r\nContent-Length: 2\r\n\r\n{}" % (most, most))


def busy(answer):
    yield b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 18446744073709551615\r\nContent-Length: 0\r\n\r\n"


def no_http(answer):
    yield b"SSH-2.0-OpenSSH_9.2\r\n" + b"\x00\xff" * 500


def cut(answer):
    yield b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"items":['


def repeat(piece):
    for _ in range(ENOUGH // len(piece)):
        yield piece


def drip(text):
    for byte in text:
        time.sleep(0.3)
        yield bytes([byte])


HARMS = {harm.__name__.replace("_", " "): harm for harm in [
    gzip_bomb, endless, endless_list, endless_header, endless_line, endless_interim, dripping_head, dripping_body, many, deep, lengths,
    numbers, busy, no_http, cut]}


def places(value, path=()):
    """The places of all fields in a document. Elements of a list count once."""
    yield path
    if isinstance(value, dict):
        for name, child in value.items():
            yield from places(child, (*path, name))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


def replaced(value, path, text):
    """The document with this text in the place of a field."""
    mark = "\u0001the place\u0001"

    def change(value, path):
        if not path:
            return mark
        if isinstance(value, list):
            return [change(value[0], path[1:]), *value[1:]]
        return {name: change(child, path[1:]) if name == path[0] else child for name, child in value.items()}

    return json.dumps(change(value, path)).replace(json.dumps(mark), text).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        proxy = self.server.proxy
        kind = kind_of(self.command, self.path, body)
        status, fields, content = proxy.ask(self, body)
        proxy.see(kind, content)
        if proxy.target == kind and proxy.harm:
            proxy.struck += 1
            return self.harm(proxy.harm, status, fields, content)
        self.say(status, fields, content)

    do_GET = do_POST = do_HEAD = do

    def harm(self, harm, status, fields, content):
        if harm in HARMS:
            self.close_connection = True
            for piece in HARMS[harm](content):
                self.connection.sendall(piece)
                self.server.proxy.sent += len(piece)
            return
        place, value = harm
        try:
            content = replaced(json.loads(content), place, VALUES[value])
        except (ValueError, KeyError, IndexError, TypeError):
            pass  # another answer of this kind has no such place
        self.say(status, fields, content)

    def say(self, status, fields, content):
        self.send_response_only(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(content)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

    def handle_error(self, *arguments):
        pass  # the client left: that is what it is to do


def kind_of(method, path, body):
    """The kind of a request: its method, and its path without what names one thing; the method of a JSON-RPC as well."""
    path = re.sub(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}|[1-9A-HJ-NP-Za-km-z]{32,}", "ID", path.partition("?")[0])
    path = re.sub(r"(/files/ID/|/pictures/|/avatars/).*", r"\1NAME", path)
    called = re.search(rb'"method"\s*:\s*"(\w+)"', body) if path.endswith("/rpc") else None
    return f"{method} {path}" + (f" {called[1].decode()}" if called else "")


class HostileProxy:
    """One address for all remotes. `target` is the kind of request that `harm` is done to; `seen` are all kinds that came."""

    def __init__(self, upstreams):
        self.upstreams = {name: urllib.parse.urlsplit(address) for name, address in upstreams.items()}
        self.target = self.harm = None
        self.struck = self.sent = 0
        self.seen, self.lock = {}, threading.Lock()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.proxy = self
        self.port = self.server.server_port
        self.addresses = {name: f"http://127.0.0.1:{self.port}/{name}" for name in upstreams}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def do(self, target, harm):
        self.target, self.harm, self.struck, self.sent = target, harm, 0, 0

    def see(self, kind, content):
        with self.lock:
            if kind not in self.seen or not self.seen[kind]:
                try:
                    self.seen[kind] = json.loads(content)
                except ValueError:
                    self.seen[kind] = None

    def ask(self, handler, body):
        name, _, rest = handler.path[1:].partition("/")
        upstream = self.upstreams[name]
        return forward(handler, body, upstream.hostname, upstream.port, f"{upstream.path}/{rest}")

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
