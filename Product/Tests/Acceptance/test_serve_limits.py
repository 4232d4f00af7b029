"""`aquifer serve` under those who want to shut others out: few descriptors, and many who have no token."""

import json
import os
import re
import resource
import socket
import subprocess
import time
import urllib.request

import pytest

from conftest import BINARY


@pytest.fixture
def serve(tmp_path):
    """Starts `aquifer serve` with this soft limit and hard limit; gives its process, its port and what shows its token."""
    started = []

    def start(soft=1024, hard=None, *words):
        def limit():
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, min(hard or most, most)))

        process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--data", str(tmp_path / "data"), *words], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, preexec_fn=limit,
            env={**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")})
        started.append(process)
        address = process.stdout.readline().split()[-1]
        port = int(re.search(r":(\d+)/", address)[1])
        return process, port, {"Authorization": f"Bearer {address.partition('#token=')[2]}"}

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            assert process.wait(timeout=30) == 0, process.stderr.read()


def ask(port, path, headers, timeout=20):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return json.loads(answer.read())


def crowd(port, count, text):
    """So many connections that say this much and no more. Those that the server does not take are left out."""
    sockets = []
    for _ in range(count):
        one = socket.socket()
        one.settimeout(5)
        try:
            one.connect(("127.0.0.1", port))
            one.sendall(text)
            sockets.append(one)
        except OSError:
            one.close()
    return sockets


@pytest.fixture(autouse=True)
def many_sockets():
    """This process opens as many as it tries the server with."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16_384), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


SLOW = b"POST /api/screens/feed/intents?tab=t HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 30000\r\n\r\n{"


@pytest.mark.parametrize("text", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", SLOW], ids=["silent", "pages", "slow-bodies"])
def test_with_few_descriptors_and_many_connections_without_a_token_nothing_traps_and_all_works(serve, text):
    process, port, token = serve(256, 256)
    text = text % port if text else text
    for _ in range(3):
        sockets = crowd(port, 400, text)
        # The user with the token is served amid the crowd, even by remotes that nobody has used before.
        assert ask(port, "/api/feed", token)["source"] == "remote"
        assert process.poll() is None
        for one in sockets:
            one.close()
        assert ask(port, "/api/feed", token)["source"] == "remote"
        assert ask(port, "/api/connection", token)["mode"] == "online"


def test_4200_slow_bodies_without_a_token_shut_nobody_out(serve):
    process, port, token = serve()
    sockets = crowd(port, 4200, SLOW % port)
    assert len(sockets) > 4000
    for _ in range(20):
        assert ask(port, "/api/connection", token)["mode"] == "online"
    assert ask(port, "/api/feed", token)["source"] == "remote"
    for one in sockets:
        one.close()


def test_4200_silent_connections_shut_nobody_out_and_an_open_stream_stays(serve):
    process, port, token = serve()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/screens/feed/events?tab=t", headers=token)
    stream = urllib.request.urlopen(request, timeout=20)
    assert stream.readline()
    sockets = crowd(port, 4200, b"GET / HT")
    assert len(sockets) > 4000
    for _ in range(20):
        # The answer comes before the time-out of a head: nobody waits for the others to be cut.
        assert ask(port, "/api/connection", token, timeout=5)["mode"] == "online"
    message = json.dumps({"intent": "appear"}).encode()
    intent = urllib.request.Request(f"http://127.0.0.1:{port}/api/screens/feed/intents?tab=t", data=message, headers=token)
    assert urllib.request.urlopen(intent, timeout=20).status == 204
    deadline = time.monotonic() + 20
    while b"Mountains" not in (line := stream.readline()) and b'"items":[{' not in line:
        assert line and time.monotonic() < deadline
    for one in sockets:
        one.close()


def test_the_soft_limit_is_raised(serve):
    process, port, token = serve()
    limits = open(f"/proc/{process.pid}/limits").read()
    soft, hard = map(int, re.search(r"Max open files\s+(\d+)\s+(\d+)", limits).groups())
    assert soft == min(hard, 16_384) > 1024


def listed(tmp_path, soft, hard):
    return subprocess.run(
        [BINARY, "feed", "list", "--data", str(tmp_path / "data")], capture_output=True, text=True, timeout=30,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))


@pytest.mark.parametrize("limit", [24, 48, 127])
def test_a_server_does_not_begin_with_fewer_descriptors_than_it_needs(tmp_path, limit):
    result = subprocess.run(
        [BINARY, "serve", "--port", "0", "--data", str(tmp_path / "data")], capture_output=True, text=True, timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
    assert result.returncode == 69 and not result.stdout
    assert result.stderr == (
        f"aquifer: {limit} files and sockets can be open at once, and a server needs 128; raise the limit (ulimit -n)\n")


@pytest.mark.parametrize("limit", [20, 21, 22, 23, 24, 26, 28])
def test_a_command_with_hardly_any_descriptors_works_or_says_so_and_never_waits_for_itself(tmp_path, limit):
    """With fewer than 20 libdispatch ends the process: SECURITY.md."""
    result = listed(tmp_path, limit, limit)
    if result.returncode != 0:
        assert result.returncode == 69 and "raise the limit (ulimit -n)" in result.stderr, result.stderr
        assert limit < 26, result.stderr


def test_a_command_raises_the_soft_limit_when_it_serves_itself(tmp_path):
    result = listed(tmp_path, 21, 256)
    assert result.returncode == 0, result.stderr
