"""Remotes that answer with harm: each ends in a clear error or the saved copy, and nothing is lost."""

import socket
import threading

import pytest


class RawServer:
    """Answers every connection with what `answer(connection, address)` sends; counts what went out."""

    def __init__(self, answer):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.answer, self.connections, self.sent = answer, 0, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.recv(65536)
            for piece in self.answer(self):
                connection.sendall(piece)
                self.sent += len(piece)
        except OSError:
            pass
        finally:
            connection.close()

    def stop(self):
        self.listener.close()


@pytest.fixture
def hostile():
    servers = []

    def start(answer):
        servers.append(RawServer(answer))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def zeros():
    while True:
        yield b"0" * 65536


def endless(server):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    yield from zeros()


def two_gigabytes(server):
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n"
    yield from zeros()


def redirect_loop(server):
    yield f"HTTP/1.1 302 Found\r\nLocation: {server.address}/again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()


def redirect_to_a_file(server):
    yield b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def header_bomb(server):
    yield b"HTTP/1.1 200 OK\r\n"
    for number in range(100_000):
        yield b"X-%d: " % number + b"a" * 1000 + b"\r\n"


def no_http(server):
    yield b"SSH-2.0-OpenSSH_9.2\r\n"


def not_utf8(server):
    body = b'{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000001","image":"http://a.example/1","location":"\xc3\x28"}]}'
    yield b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def cut(server):
    yield b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"items":['


def silent(server):
    return iter(())


@pytest.mark.parametrize(
    "answer, status",
    [
        (endless, 65), (two_gigabytes, 65), (redirect_loop, 65), (redirect_to_a_file, 65), (header_bomb, 65),
        (no_http, 65), (not_utf8, 65), (cut, 69), (silent, 69),
    ],
    ids=lambda value: value.__name__.replace("_", " ") if callable(value) else str(value),
)
def test_a_hostile_answer_is_a_clear_error_and_the_saved_copy_is_safe(aquifer, files, hostile, answer, status):
    server = hostile(answer)
    result = aquifer("feed", "list", "--remote", f"feed={server.address}")
    assert result.returncode == status, result.stderr
    assert result.stdout == "" and len(result.stderr.splitlines()) == 1
    assert "passwd" not in result.stderr or answer is redirect_to_a_file
    # The saved answer of another server is still there.
    remote = ("--remote", f"feed={files.address}")
    aquifer.json("feed", "list", *remote)
    aquifer("feed", "list", "--remote", f"feed={server.address}")
    assert len(aquifer.json("feed", "list", "--offline", *remote)["value"]) == 2


def test_a_body_of_two_gigabytes_is_given_up_at_its_head(aquifer, hostile):
    server = hostile(two_gigabytes)
    assert aquifer("feed", "list", "--remote", f"feed={server.address}").returncode == 65
    assert server.sent < 64 << 20


def test_a_redirect_loop_ends_after_a_few_requests(aquifer, hostile):
    server = hostile(redirect_loop)
    aquifer("feed", "list", "--remote", f"feed={server.address}")
    assert server.connections <= 12


def test_a_description_cannot_move_the_cursor_of_the_terminal(aquifer, hostile):
    def escape(server):
        body = b'{"items":[{"id":"0A0A0A0A-0000-0000-0000-000000000001","image":"http://a.example/1","description":"a\\u001b[2Jb"}]}'
        yield b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    result = aquifer("feed", "list", "--remote", f"feed={hostile(escape).address}")
    assert result.returncode == 0 and "\x1b" not in result.stdout
