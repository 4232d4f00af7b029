"""Hostile peers: many connections without a token, while the server of pages has few descriptors."""

import resource
import shutil
import socket
import time

from pages import Site
from sessions import Broken, require

#: Limits on descriptors, soft and hard. (With fewer than some twenty of them libdispatch ends a program: SECURITY.md.)
LIMITS = [64, 96, 128, 256, 1024]
#: What a connection says, and no more. `%d` is the server's port.
TEXTS = {
    "silent": b"",
    "half a head": b"GET / HT",
    "one byte": b"G",
    "a page": b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
    "a slow body": b"POST /api/screens/feed/intents?tab=t HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 30000\r\n\r\n{",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    "a wrong token": b"GET /api/feed HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer no\r\n\r\n",
}


def crowd(port, count, text):
    sockets = []
    for _ in range(count):
        one = socket.socket()
        one.settimeout(3)
        try:
            one.connect(("127.0.0.1", port))
            one.sendall(text % port if b"%d" in text else text)
            sockets.append(one)
        except OSError:
            one.close()  # the server did not take it
    return sockets


def crowd_out(folder, limit, name, count=400):
    """Lets many connect to a server that has few descriptors. Returns the outcome's name."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 8192:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    site = Site(folder, [], limit=limit)
    sockets = []
    try:
        before = site.descriptors
        for _ in range(3):
            sockets = crowd(site.port, count, TEXTS[name])
            for path in ("/api/connection", "/index.html", "/api/feed"):
                began = time.monotonic()
                status = asked(site, path)
                # With hardly any descriptors a load may fail, and then it says so.
                require(status == 200 or limit < 128 and status in (500, 502, 503, 504), f"amid the crowd {path} is answered with {status}")
                require(time.monotonic() - began < 10, f"amid the crowd {path} took {time.monotonic() - began:.0f} s")
            for one in sockets:
                one.close()
            # After the crowd everything works, also what failed amid it.
            until = time.monotonic() + 20
            while asked(site, "/api/feed") != 200 or b'"remote"' not in site.ask("/api/feed")[1]:
                require(time.monotonic() < until, "afterwards the feed is not loaded from its remote")
                time.sleep(0.3)
        until = time.monotonic() + 30
        while site.descriptors > before + 40:
            require(time.monotonic() < until, f"it keeps {site.descriptors} descriptors, and had {before}")
            time.sleep(0.3)
        site.end()
        return "others were served"
    finally:
        for one in sockets:
            one.close()
        site.kill()
        shutil.rmtree(folder, ignore_errors=True)


def asked(site, path):
    try:
        return site.ask(path, timeout=20)[0]
    except OSError as error:
        code = site.process.poll()
        raise Broken(f"{path} is not answered: {error}" + (f"; the server ended with {code}: {site.words()}" if code is not None else "")) from error
