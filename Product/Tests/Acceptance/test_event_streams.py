"""A page's stream of states is small: states are much like each other, and a phone's network is slow."""

import http.client
import json
import re
import time
import zlib

import pytest


def opened(server, coding):
    """A connection to the events of the feed's screen, and the head of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Aquifer-Appear": "load", "Authorization": f"Bearer {server.token}", **({"Accept-Encoding": coding} if coding else {})}
    connection.putrequest("GET", "/api/screens/feed/events?tab=stream&lang=en", skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection, connection.getresponse()


def states(answer, decode, enough):
    """Reads until `enough` of the states read is true. Returns them, and the number of bytes that were sent for each."""
    text, sent, found, costs = "", 0, [], []
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        piece = answer.read1(1 << 16)
        assert piece, "the stream has ended"
        sent += len(piece)
        text += decode(piece).decode()
        known = re.findall(r"event: state\ndata: (.*)\n\n", text)
        if len(known) > len(found):
            costs.append(sent)
            found, sent = [json.loads(state) for state in known], 0
        if enough(found):
            return found, costs
    raise AssertionError(f"not seen: {text[-300:]}")


def is_loaded(found):
    return bool(found) and found[-1]["items"] and not found[-1]["isLoading"]


@pytest.mark.parametrize("coding", [None, "identity", "gzip;q=0", "gzip;\tq=0", "br"])
def test_who_does_not_take_gzip_gets_text(serve, coding):
    connection, answer = opened(serve(), coding)
    assert answer.status == 200 and answer.getheader("Content-Encoding") is None and answer.getheader("Vary") == "Accept-Encoding"
    assert is_loaded(states(answer, bytes, is_loaded)[0])
    connection.close()


def test_states_are_compressed_while_they_come(serve):
    server = serve()
    plain, answer = opened(server, None)
    whole = len(json.dumps(states(answer, bytes, is_loaded)[0][-1], separators=(",", ":")))
    plain.close()
    connection, answer = opened(server, "gzip, deflate, br")
    assert answer.getheader("Content-Encoding") == "gzip" and answer.getheader("Vary") == "Accept-Encoding"
    inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
    found, costs = states(answer, inflater.decompress, lambda found: len(found) > 1 and is_loaded(found))
    assert found[-1]["items"][0]["id"]
    # Each by itself would take more than a quarter of its length.
    most = 0.35 * whole + 0.1 * whole * (len(found) - 1)
    assert sum(costs) < most, f"{costs} bytes for {len(found)} states of {whole}"
    connection.close()
