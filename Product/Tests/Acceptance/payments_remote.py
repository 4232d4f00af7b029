"""Another implementation of the payments' contract (`docs/reference/payments.md`), written from its text alone.

It answers `value` as a string, as some do, and holds every request against the contract: what does not fit is answered
with 400 and remembered in `violations`, which must be empty when the test is over.
"""

import decimal
import http.server
import json
import re
import socket
import threading
import urllib.parse

TEST_CARD = "1111111111111111"
APPROVED = {TEST_CARD, "4242424242424242", "374245455400126"}
FIELDS = {"card_number", "cvv", "value", "expiry_date", "destination_user_id"}
PEOPLE = [
    (7, "Márcia Köhler", "@marcia.kohler"),
    (8, "Íris d’Ávila", "@iris.davila"),
    (9, "João Pé-de-Feijão", "@joao.feijao"),
]


def breaches(order, written):
    """The breaches of the contract in an order. The texts repeat no value."""
    if not isinstance(order, dict):
        return ["not an object"]
    found = []
    for name in FIELDS - order.keys():
        found.append(f"{name} is missing")
    for name in order.keys() - FIELDS:
        found.append(f"{name} is not in the contract")
    if found:
        return found
    number, cvv, value = order["card_number"], order["cvv"], order["value"]
    if not (isinstance(number, str) and re.fullmatch(r"[0-9]{12,19}", number)):
        found.append("card_number is not a string of digits")
    if type(cvv) is not int or not 0 <= cvv <= 9999:
        found.append("cvv is not a number of at most four digits")
    if type(value) not in (int, decimal.Decimal) or value <= 0:
        found.append("value is not a positive number")
    elif not re.search(r'"value"\s*:\s*[0-9]+(\.[0-9]{1,2})?\s*[,}]', written):
        found.append("value has more than two decimals, or an exponent")
    if not (isinstance(order["expiry_date"], str) and re.fullmatch(r"(0[1-9]|1[0-2])/[0-9]{2}", order["expiry_date"])):
        found.append("expiry_date is not MM/YY")
    if type(order["destination_user_id"]) is not int:
        found.append("destination_user_id is not a whole number")
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def remote(self):
        return self.server.remote

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.remote.requests.append((self.command, self.path, dict(self.headers)))
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/users":
            return self.answer(200, self.remote.users())
        key = urllib.parse.parse_qs(url.query).get("idempotency_key", [None])[0]
        if url.path == "/transaction" and self.remote.knows_keys and key:
            with self.remote.lock:
                known = self.remote.booked.get(key)
            return self.answer(200, known) if known else self.answer(404, {"error": "no transaction has this key"})
        self.send_response(404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"none")

    def do_POST(self):
        self.remote.requests.append((self.command, self.path, dict(self.headers)))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.remote.bodies.append(body)
        fault = self.remote.fault
        self.remote.received.set()
        if fault == "hang":
            self.remote.released.wait(60)
            return self.cut()
        if fault == "late":
            self.remote.released.wait(60)
        if fault == "refuse":
            return self.answer(400, {"error": "no"})
        status, content = self.remote.book(self.path, self.headers, body)
        if isinstance(fault, int):  # booked, and then something on the way answers
            self.send_response(fault)
            if fault < 400:
                self.send_header("Location", self.remote.elsewhere)
            return self.empty()
        if fault == "answer-lost":
            return self.cut()
        if fault == "busy":
            return self.answer(503, {"error": "busy"})
        if fault == "garbage":
            return self.answer(200, {"transaction": "soon"})
        if fault == "other amount":
            content["transaction"]["value"] = "0.01"
        if fault == "other time":
            content["transaction"]["timestamp"] = 1e18
        if fault and fault.strip()[0].isdigit():
            content["transaction"]["value"] = fault
        self.answer(status, content, whole=fault != "cut")

    def empty(self):
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, status, content, whole=True):
        data = json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if whole else data[: len(data) // 2])
        if not whole:
            self.cut()

    def cut(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)


class PaymentsRemote:
    """The server, what it was asked, and what it booked.

    `fault` is what goes wrong with the next payments: "answer-lost", "cut", "garbage", "other amount", "other time", "busy" and an amount
    book the payment first; "hang" and "refuse" do not. "late" books it when `released` is set. A number books it, and then
    answers with this status; a redirect leads to `elsewhere`.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.requests, self.bodies, self.violations = [], [], []
        self.booked, self.orders, self.next, self.timestamp = {}, [], 500, 1553145066
        self.fault, self.knows_keys = None, False
        self.elsewhere = "http://127.0.0.1:1/"  # where nobody listens
        self.received, self.released = threading.Event(), threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.remote = self
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def user(self, number, name, username):
        return {"id": number, "name": name, "img": f"{self.address}/pictures/{number}.png", "username": username}

    def users(self):
        return [self.user(*person) for person in PEOPLE]

    def book(self, path, headers, body):
        """The answer to an order: one transaction a key."""
        found = [] if path == "/transaction" else ["the path is not /transaction"]
        if headers.get("Content-Type", "").split(";")[0] != "application/json":
            found.append("the type is not application/json")
        key = headers.get("Idempotency-Key")
        if not key:
            found.append("there is no Idempotency-Key")
        written = body.decode()
        try:
            order = json.loads(written, parse_float=decimal.Decimal)
        except ValueError:
            order = None
        found += breaches(order, written)
        if found:
            self.violations += found
            return 400, {"error": found}
        with self.lock:
            if key in self.booked:
                return 200, json.loads(json.dumps(self.booked[key]))
            person = next((p for p in PEOPLE if p[0] == order["destination_user_id"]), None)
            if person is None:
                self.violations.append("nobody has this destination_user_id")
                return 404, {"error": "nobody has this number"}
            approved = order["card_number"] in APPROVED
            self.orders.append(order)
            self.next += 1
            self.booked[key] = {"transaction": {
                "id": self.next, "timestamp": self.timestamp, "value": str(order["value"]),
                "destination_user": self.user(*person), "success": approved,
                "status": "Aprovada" if approved else "Recusada",
            }}
            return 200, json.loads(json.dumps(self.booked[key]))

    @property
    def keys(self):
        """The key of every payment that was sent, in order."""
        return [headers.get("Idempotency-Key") for method, _, headers in self.requests if method == "POST"]

    def stop(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
