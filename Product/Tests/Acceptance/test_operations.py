"""The questions of whoever runs `aquifer serve`: health, readiness, metrics, logs, and an orderly end."""

import contextlib
import json
import re
import signal
import socket
import threading
import time

import pytest

from payments_command import Payer
from serving import samples
from test_payments_secrets import Tab
from waiting import wait_until

OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def test_health_and_readiness_are_told_under_any_name_and_without_the_token(serve):
    server = serve()
    for path, word in (("/healthz", "ok\n"), ("/readyz", "ready\n")):
        for port in (server.port, server.metrics_port):
            status, headers, body = server.ask(path, port=port, host="10.1.2.3:8080")
            assert (status, body) == (200, word)
            assert headers["Cache-Control"] == "no-store"
    assert server.ask("/", host="10.1.2.3:8080")[0] == 403


def test_the_metrics_are_open_metrics_on_both_ports_and_need_the_token_on_the_public_one(serve):
    server = serve()
    assert server.ask("/metrics")[0] == 401
    server.api("/api/feed")
    with server.stream():
        # The stream has begun to be answered, and its numbers are there.
        status, headers, text = server.api("/metrics")
        assert status == 200 and headers["Content-Type"] == OPEN_METRICS and text.endswith("# EOF\n")
        found = samples(text)
        assert found["aquifer_http_open_streams", (("route", "events"),)] == 1
    assert found["aquifer_loads_total", (("class", "feed"), ("reason", "none"), ("source", "remote"))] >= 1
    assert found["aquifer_outbox_items", (("state", "waiting"),)] == 0
    assert found["aquifer_ready", ()] == 1
    assert found["process_resident_memory_bytes", ()] > 1_000_000 and found["process_open_fds", ()] > 5
    assert abs(found["process_start_time_seconds", ()] - time.time()) < 300
    status, headers, text = server.ask("/metrics", port=server.metrics_port)
    assert status == 200 and headers["Content-Type"] == OPEN_METRICS
    found = samples(text)
    assert found["aquifer_http_requests_total", (("method", "GET"), ("route", "metrics"), ("status", "401"))] == 1
    # A page of another site must not read them by a name of its own.
    assert server.ask("/metrics", port=server.metrics_port, host="evil.example")[0] == 403
    assert server.ask("/api/feed", port=server.metrics_port)[0] == 404


@pytest.mark.parametrize("request_, status, route", [
    (b"GET /api/feed HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "unread"),
    (b"GET /api/feed HTTP/1.1\r\nHost: HOST\r\nX: " + b"x" * 9000 + b"\r\n\r\n", 431, "unread"),
    (b"GET /api/feed HTTP/1.1\r\nX: " + b"x" * 20000 + b"\r\n\r\n", 431, "unread"),
    (b"POST /api/screens/feed/intents HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 99999999\r\n\r\n",
     413, "intents"),
    (b"GET /api/feed HTTP/1.1\r\nHost: HOST\r\n\r\n", 401, "feed"),
])
def test_what_the_server_refuses_by_its_head_is_counted_and_logged(serve, request_, status, route):
    server = serve("--log", "json")
    request_ = request_.replace(b"HOST", f"127.0.0.1:{server.port}".encode()).replace(b"TOKEN", server.token.encode())
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request_)
        assert connection.recv(100).startswith(f"HTTP/1.1 {status} ".encode())
    counted = {labels: value for (name, labels), value in server.samples().items() if name == "aquifer_http_requests_total"}
    assert [dict(labels)["status"] for labels, value in counted.items() if dict(labels)["route"] == route and value == 1] == [str(status)]
    assert server.end() == 0
    lines = [json.loads(line) for line in server.log]
    refused = [line for line in lines if line["event"] == "request" and line.get("status") == status]
    assert [(line["route"], line["level"]) for line in refused] == [(route, "warning")]


def test_no_metric_and_no_log_line_has_what_somebody_has_typed(serve):
    server = serve("--log", "json")
    server.api("/api/feed?q=marcia&code=4111111111111111")
    server.api("/marcia/4111111111111111")
    server.ask("/api/screens/marcia/events?tab=marcia", X_Marcia="marcia", Cookie="marcia")
    server.api("/api/screens/feed/intents?tab=marcia", method="POST", body=json.dumps({"intent": "marcia"}))
    _, _, text = server.ask("/metrics", port=server.metrics_port)
    assert server.end() == 0
    for told in (text, "".join(server.log)):
        assert told and not re.search("marcia|4111|" + server.token, told, re.IGNORECASE), told


def test_each_request_is_a_line_of_json_with_the_id_that_its_answer_has(serve):
    server = serve("--log", "json")
    _, headers, _ = server.api("/api/feed")
    _, given, _ = server.ask("/api/feed", X_Request_Id="00112233445566778899aabbccddeeff")
    server.ask("/healthz")
    assert server.end() == 0
    lines = [json.loads(line) for line in server.log]
    for line in lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["time"]) and line["level"] in ("info", "warning", "error")
    requests = {line["id"]: line for line in lines if line["event"] == "request"}
    line = requests[headers["X-Request-Id"]]
    assert (line["method"], line["route"], line["status"], line["level"]) == ("GET", "feed", 200, "info")
    assert line["bytes"] > 100 and line["milliseconds"] >= 0
    assert given["X-Request-Id"] == "00112233445566778899aabbccddeeff"
    refused = requests["00112233445566778899aabbccddeeff"]
    assert (refused["status"], refused["level"]) == (401, "warning")
    assert "health" not in {line["route"] for line in requests.values()}, "they come every few seconds"
    assert [line["event"] for line in lines if line["event"] in ("draining", "stopped")] == ["draining", "stopped"]


@pytest.mark.parametrize("words, expected", [([], r"aquifer: draining: .*\n"), (["--log", "off"], ""), (["--quiet"], "")])
def test_without_json_the_log_has_a_few_words_or_none(serve, words, expected):
    server = serve(*words)
    server.api("/api/feed")
    assert server.end() == 0
    assert re.fullmatch(expected, "".join(server.log)), server.log


def test_sigterm_drains_readiness_first_then_the_streams_end_and_nothing_is_cut(serve):
    server = serve("--drain", "3")
    with server.stream() as answer:
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: server.ask("/readyz")[0] == 503, "it says that it drains", process=server.process)
        assert server.ask("/readyz")[2] == "draining\n"
        # A client that has not noticed yet is served all the same, on a connection that is closed after it.
        status, headers, _ = server.api("/api/feed")
        assert status == 200 and headers["Connection"] == "close"
        # A chunked answer that is cut makes this fail.
        rest = answer.read()
        assert b"event: state" in rest
    assert server.process.wait(timeout=60) == 0


def test_sigterm_waits_for_a_request_under_way(serve, aquifer):
    server = serve("--fault", "feed=slow")
    done = []
    asking = threading.Thread(target=lambda: done.append(server.api("/api/feed")[0]))
    asking.start()
    # The remote has the request, and takes its time.
    wait_until(
        lambda: json.loads(server.api("/api/reference/transfers")[2])["feed"]["active"] == 1, "it is under way",
        process=server.process)
    assert server.end() == 0
    asking.join(timeout=20)
    assert done == [200]


def test_sigterm_waits_for_a_payment_whose_request_has_been_answered(serve, aquifer, foreign_payments):
    Payer(aquifer, foreign_payments.address).has_card()
    server = serve("--no-token", "--remote", f"payments={foreign_payments.address}")
    payment = Tab(f"http://127.0.0.1:{server.port}", "payment", [], contact=7)
    payment.send("appear")
    payment.until(lambda state: state["phase"] == "ready" and state["card"])
    payment.send("amount", digits="7990")
    payment.send("code", value="123")
    payment.until(lambda state: state["canPay"])
    foreign_payments.fault = "late"
    payment.send("pay", digits="7990")
    assert foreign_payments.received.wait(20)
    server.process.send_signal(signal.SIGTERM)
    wait_until(lambda: not is_open(server.port), "it takes no more connections", process=server.process)
    foreign_payments.released.set()
    assert server.process.wait(timeout=60) == 0
    assert [payment["state"] for payment in aquifer.json("payments", "list")["value"]] == ["approved"]


def is_open(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


def test_a_second_sigterm_ends_it_at_once(serve):
    server = serve("--drain", "300")
    server.process.send_signal(signal.SIGTERM)
    wait_until(lambda: server.ask("/readyz")[0] == 503, "it says that it drains", process=server.process)
    # Signals within a second are one: see `timeout`.
    time.sleep(1.1)
    assert server.end() == -signal.SIGTERM


def test_sigint_ends_it_without_a_drain(serve):
    server = serve("--drain", "300")
    assert server.end(signal.SIGINT) == 0


def test_a_drain_without_bounds_is_refused(aquifer):
    result = aquifer("serve", "--drain", "301")
    assert result.returncode == 64 and '--drain takes a number of seconds from 0 to 300, not "301"' in result.stderr
    result = aquifer("serve", "--log", "xml")
    assert result.returncode == 64 and '--log takes json, text, off, not "xml"' in result.stderr
