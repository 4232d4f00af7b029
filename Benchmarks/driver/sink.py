"""A server that reads what is sent to it and throws it away: an upload to it waits for no disk.

    python sink.py

Prints its port. Answers each request with 204 once its body has come, and one without a length with 411."""

import re
import socket
import threading

LARGEST_HEAD = 64 << 10


def head_of(connection):
    """The next head, and how much of its body came with it; `None` at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(LARGEST_HEAD)
        if not piece or len(data) > LARGEST_HEAD:
            return None
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, len(rest)


def serve(connection):
    buffer = bytearray(1 << 20)
    with connection:
        while found := head_of(connection):
            head, taken = found
            length = re.search(rb"(?mi)^content-length: *(\d+)", head)
            if re.search(rb"(?mi)^expect: *100-continue", head):
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            if not length:
                connection.sendall(b"HTTP/1.1 411 Length Required\r\nConnection: close\r\n\r\n")
                return
            left = int(length[1]) - taken
            while left > 0:
                count = connection.recv_into(buffer, min(left, len(buffer)))
                if not count:
                    return
                left -= count
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def main():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=[connection], daemon=True).start()


if __name__ == "__main__":
    main()
