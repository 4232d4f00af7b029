"""Nothing that the product writes, says or answers holds a card's number or its code."""

import base64
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
import threading
import urllib.parse
import urllib.request

import pytest

from conftest import BINARY
from payments_command import AMEX, DECLINED, DELIVERED, GOOD_UNTIL, HOLDER, VISA, Payer
from waiting import wait_until

MARCIA = "@marcia.kohler"
# The codes have four digits, so that they are not met by chance.
CODE = "9137"
UUIDS = re.compile(rb"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def forms(number):
    """A card's number in every form in which it might be written by accident."""
    digits = number.encode()
    fours = [number[i:i + 4] for i in range(0, len(number), 4)]
    amex = [number[:4], number[4:10], number[10:]]
    found = {digits, digits[::-1], number.encode("utf-16-le"), digits[:-1], digits[1:], number[6:].encode()}
    for groups in (fours, amex):
        found |= {separator.join(groups).encode() for separator in (" ", "-", "\u00a0", "\u2009", "%20", "+")}
    found |= {digits.hex().encode(), digits.hex().upper().encode()}
    # Base 64, beginning at each place in a group of three bytes. The characters that depend on the neighbours are left
    # away.
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + digits)
        found.add(encoded[4 if shift else 0:len(encoded) // 4 * 4 - 4])
    found.add(bytes.fromhex(number if len(number) % 2 == 0 else "0" + number))
    found.add(int(number).to_bytes(8, "little"))
    found.add(int(number).to_bytes(8, "big"))
    return found


def leaks(where, content, numbers, codes):
    """The numbers and codes that are in some bytes."""
    found = [f"{where}: a card number" for number in numbers for form in forms(number) if form in content]
    # A code is short: it counts where it stands alone, outside identifiers made by chance.
    plain = UUIDS.sub(b"", content)
    for code in codes:
        if re.search(rb"(?<![0-9A-Za-z+/=.])" + code.encode() + rb"(?![0-9A-Za-z+/=])", plain):
            found.append(f"{where}: a code")
    return found


def test_the_search_finds_what_it_looks_for():
    for content in (VISA, "4242 4242 4242 4242", f'"card_number":"{VISA}"', "424242******4242 4242424242"):
        assert leaks("here", content.encode(), [VISA], [])
    assert leaks("here", base64.b64encode(b'{"n":"' + AMEX.encode() + b'"}'), [AMEX], [])
    assert leaks("here", b'"cvv":9137,', [], [CODE]) and leaks("here", b"9137", [], [CODE])
    assert not leaks("here", b"00009137-9137-9137-9137-000000009137", [], [CODE])
    assert not leaks("here", "•••• 4242, 19137".encode(), [VISA], [CODE])


def written(folder):
    """Every file under a folder, stores and their logs included, with its name."""
    for path in sorted(folder.rglob("*")):
        yield str(path), str(path).encode()
        if path.is_file():
            yield str(path), path.read_bytes()


class Recorder:
    """Keeps everything that a command said."""

    def __init__(self, payer):
        self.payer, self.said = payer, []

    def __call__(self, *words, **options):
        result = self.payer(*words, **options)
        self.said.append((" ".join(words[:2]), (result.stdout + result.stderr).encode()))
        return result

    def pay(self, username, amount, *words, code=CODE):
        return self("pay", username, amount, "--cvv-stdin", *words, lines=(code,))


def walk(recorder, username):
    """Everything that can be done with a card, right and wrong."""
    recorder("contacts")
    recorder("contacts", "marcia", "--json")
    for number in (AMEX, DECLINED):
        recorder("cards", "add", lines=(number, HOLDER, GOOD_UNTIL))
        recorder("cards", "add", "--json", lines=(number, HOLDER, "13/29"))
        recorder("cards", "add", lines=(number[:-1], HOLDER, GOOD_UNTIL))
        recorder("cards", "add", lines=(number[:-1] + "x", HOLDER, GOOD_UNTIL))
        recorder("cards", "add", lines=(HOLDER, number, GOOD_UNTIL))
        recorder("cards", "add", lines=(number, number, number))
    recorder("cards", "add", AMEX, lines=(HOLDER, GOOD_UNTIL))
    recorder("pay", username, AMEX, "--cvv-stdin", lines=(CODE,))
    recorder("pay", AMEX, "10", "--cvv-stdin", lines=(CODE,))
    recorder("cards", "list")
    listed = recorder("cards", "list", "--json")
    for identifier in re.findall(r'"id":"([^"]+)"', listed.stdout):
        recorder.pay(username, "10", "--card", identifier)
        recorder.pay(username, "10", "--card", identifier, "--json")
        recorder.pay(username, "10", "--card", identifier, code=AMEX)
        recorder.pay(username, "0", "--card", identifier)
    recorder("payments", "list")
    made = recorder("payments", "list", "--json")
    for identifier in re.findall(r'"id":"([0-9A-Fa-f-]{36})"', made.stdout):
        recorder("payments", "check", identifier)
    recorder("cache", "list", "--json")


@pytest.mark.parametrize("fault", ["online", "slow", "offline", "failing", "garbage", "cut", "answer-lost"])
def test_the_whole_flow_leaves_no_number_and_no_code_anywhere_under_any_fault_of_the_reference_remote(
    aquifer, remotes, tmp_path, fault
):
    recorder = Recorder(Payer(aquifer, remotes(f"payments={fault}", name="payments")))
    walk(recorder, "@marcia.goncalves")
    everything = [*recorder.said, *written(tmp_path)]
    assert len(recorder.said) > 15 and any("cards" in name for name, _ in everything)
    assert [leak for where, content in everything for leak in leaks(where, content, [AMEX, DECLINED], [CODE])] == []


@pytest.mark.parametrize("fault", [None, "answer-lost", "cut", "garbage", "other amount", "busy", "refuse"])
def test_the_whole_flow_leaves_no_number_and_no_code_anywhere_when_payments_go_wrong(
    aquifer, foreign_payments, tmp_path, fault
):
    foreign_payments.fault = fault
    foreign_payments.knows_keys = fault == "answer-lost"
    recorder = Recorder(Payer(aquifer, foreign_payments.address))
    walk(recorder, MARCIA)
    assert AMEX in b" ".join(foreign_payments.bodies).decode(), "nothing was paid, so nothing was tested"
    for method, path, headers in foreign_payments.requests:
        recorder.said.append((f"{method} {path}", f"{path} {headers}".encode()))
    everything = [*recorder.said, *written(tmp_path)]
    assert [leak for where, content in everything for leak in leaks(where, content, [AMEX, DECLINED], [CODE])] == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_a_process_that_dies_while_paying_leaves_no_number_and_no_code(aquifer, foreign_payments, tmp_path, number):
    payer = Payer(aquifer, foreign_payments.address)
    payer.has_card(AMEX)
    foreign_payments.fault = "hang"
    process = payer.start("pay", MARCIA, "10", "--cvv-stdin", stdin=subprocess.PIPE, cwd=tmp_path)
    process.stdin.write(f"{CODE}\n".encode())
    process.stdin.flush()
    assert foreign_payments.received.wait(30)
    process.send_signal(number)
    said = b"".join(process.communicate(timeout=60))
    foreign_payments.released.set()
    everything = [("what it said", said), *written(tmp_path)]
    assert [leak for where, content in everything for leak in leaks(where, content, [AMEX], [CODE])] == []


def test_a_removed_card_leaves_no_byte_of_its_sealed_form(aquifer, foreign_payments, tmp_path):
    payer = Payer(aquifer, foreign_payments.address)
    card = payer.has_card(VISA)
    folder = aquifer.data / "cards"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert payer("cards", "remove", card).returncode == DELIVERED
    after = b"".join(content for _, content in written(folder))
    for content in before.values():
        # Headers may stay; sixteen sealed bytes in a row may not.
        pieces = [content[i:i + 16] for i in range(64, len(content) - 16, 16)]
        assert not [piece for piece in pieces if len(set(piece)) > 4 and piece in after]


# On the terminal


class Terminal:
    """A terminal with somebody before it."""

    def __init__(self, command, environment):
        self.master, slave = pty.openpty()

        def take():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            command, stdin=slave, stdout=subprocess.PIPE, stderr=slave, env=environment, preexec_fn=take)
        os.close(slave)
        self.shown = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while piece := os.read(self.master, 4096):
                self.shown += piece
        except OSError:
            return

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def until(self, condition):
        wait_until(condition, lambda: f"a change of a terminal that shows {self.shown}", process=self.process)

    def type(self, text):
        os.write(self.master, text.encode())


@pytest.fixture
def terminal(aquifer, foreign_payments):
    payer = Payer(aquifer, foreign_payments.address)
    payer.has_card(AMEX)
    return Terminal(
        [BINARY, "pay", MARCIA, "10", *payer.remote, "--data", str(aquifer.data)],
        {**aquifer.environment, "TERM": "xterm"})


def test_the_code_is_asked_for_on_the_terminal_without_echo(terminal, foreign_payments):
    terminal.until(lambda: not terminal.echoes)
    terminal.type(CODE + "\n")
    out = terminal.process.stdout.read()
    assert terminal.process.wait(timeout=30) == DELIVERED
    assert terminal.echoes, "the terminal was left without echo"
    assert CODE.encode() not in terminal.shown + out and AMEX.encode() not in terminal.shown + out
    assert "•••• 0126".encode() in terminal.shown + out
    assert foreign_payments.orders[0]["cvv"] == int(CODE)


def test_the_code_is_not_shown_after_the_command_was_stopped_and_continued(aquifer, foreign_payments):
    payer = Payer(aquifer, foreign_payments.address)
    payer.has_card(AMEX)
    shell = '"$@"; echo stopped >&2; read -r line; fg'
    terminal = Terminal(
        ["bash", "-mc", shell, "bash", BINARY, "pay", MARCIA, "10", *payer.remote, "--data", str(aquifer.data)],
        {**aquifer.environment, "TERM": "xterm"})
    terminal.until(lambda: not terminal.echoes)
    terminal.type("\x1a")
    terminal.until(lambda: b"stopped" in terminal.shown)
    assert terminal.echoes, "the shell was left without echo"
    terminal.type("\n")
    terminal.until(lambda: not terminal.echoes)
    terminal.type(CODE + "\n")
    out = terminal.process.stdout.read()
    assert terminal.process.wait(timeout=30) == DELIVERED
    assert terminal.echoes and CODE.encode() not in terminal.shown + out


def test_interrupted_while_asking_the_terminal_echoes_again_and_nothing_is_sent(terminal, foreign_payments):
    terminal.until(lambda: not terminal.echoes)
    terminal.type("\x03")
    assert terminal.process.wait(timeout=30) != DELIVERED
    assert terminal.echoes, "the terminal was left without echo"
    assert foreign_payments.bodies == []


@pytest.fixture
def before_a_terminal(aquifer, foreign_payments):
    """Starts a command before a terminal, with no card kept."""
    def start(*words):
        payer = Payer(aquifer, foreign_payments.address)
        return Terminal(
            [BINARY, *words, *payer.remote, "--data", str(aquifer.data)], {**aquifer.environment, "TERM": "xterm"})
    return start


def type_card(terminal, number=AMEX):
    terminal.until(lambda: not terminal.echoes)
    terminal.type(number + "\n")
    terminal.until(lambda: b"Name on the card" in terminal.shown)
    terminal.type(HOLDER + "\n")
    terminal.until(lambda: b"Expiry" in terminal.shown)
    terminal.type(GOOD_UNTIL + "\n")


def test_a_cards_number_is_not_shown_while_it_is_typed_and_its_last_four_are_repeated_back(before_a_terminal, aquifer):
    terminal = before_a_terminal("cards", "add")
    type_card(terminal)
    out = terminal.process.stdout.read()
    assert terminal.process.wait(timeout=30) == DELIVERED
    assert terminal.echoes, "the terminal was left without echo"
    assert leaks("the terminal", terminal.shown + out, [AMEX], []) == []
    shown = terminal.shown.decode()
    assert "•••• 0126" in shown[:shown.index("Name on the card")]
    assert HOLDER in shown, "what is no secret is shown"
    assert [card["masked"] for card in Payer(aquifer).cards()] == ["•••• 0126"]


def test_a_number_mistyped_unseen_is_asked_for_again(before_a_terminal):
    terminal = before_a_terminal("cards", "add")
    terminal.until(lambda: not terminal.echoes)
    terminal.type(AMEX[:-1] + "7\n")
    terminal.until(lambda: terminal.shown.count(b"Card number") == 2)
    type_card(terminal)
    assert terminal.process.wait(timeout=30) == DELIVERED
    assert leaks("the terminal", terminal.shown, [AMEX, AMEX[:-1] + "7"], []) == []


def test_paying_without_a_card_asks_for_one_keeps_it_and_pays_with_it(before_a_terminal, foreign_payments, aquifer):
    terminal = before_a_terminal("pay", MARCIA, "10")
    type_card(terminal)
    terminal.until(lambda: b"Security code" in terminal.shown and not terminal.echoes)
    terminal.type(CODE + "\n")
    out = terminal.process.stdout.read()
    assert terminal.process.wait(timeout=30) == DELIVERED, terminal.shown
    assert foreign_payments.orders[0]["card_number"] == AMEX
    assert leaks("the terminal", terminal.shown + out, [AMEX], [CODE]) == []
    assert [card["masked"] for card in Payer(aquifer).cards()] == ["•••• 0126"]


NUMBERS = [
    "4242.4242.4242.4242", "4242_4242_4242_4242", "4242/4242/4242/4242", "4242,4242,4242,4242", "4242\u20134242\u20134242\u20134242",
    "4242  4242  4242  4242", "\uff14\uff12" * 8, "4242424242424242x", "card4242424242424242",
]


@pytest.mark.parametrize("number, words", [
    *((number, "cards default {}") for number in NUMBERS),
    *((NUMBERS[0], words) for words in ("cards remove {}", "pay @x {}", "payments check {}", "feed comments {}", "{}")),
    (NUMBERS[-2], "pay {} 10"),
])
def test_a_number_in_the_wrong_place_is_not_repeated_however_it_is_written(aquifer, foreign_payments, number, words):
    filled = [word.format(number) for word in words.split()]
    result = Payer(aquifer, foreign_payments.address)(*filled, "--json", lines=(CODE,))
    said = result.stdout + result.stderr
    assert result.returncode in (64, 66) and said
    assert "4242" not in said and "\uff14" not in said, said


@pytest.mark.parametrize("words", [f"pay {MARCIA} 79,90 739 --cvv-stdin", "cards default 739", "cards 739", "payments check 7390 739"])
def test_a_code_in_the_wrong_place_is_not_repeated(aquifer, foreign_payments, words):
    result = Payer(aquifer, foreign_payments.address)(*words.split(), "--json")
    assert result.returncode in (64, 66) and "739" not in result.stdout + result.stderr, result.stderr


def test_the_name_of_a_file_is_told_with_its_digits(aquifer, files, tmp_path):
    path = str(tmp_path / "202611221900.png")
    result = aquifer("feed", "image", files.ids[0], "-o", path, "--remote", f"feed={files.address}")
    assert result.returncode == 0 and path in result.stderr


# In the browser


class Tab:
    """A screen of a tab, as the page sees it."""

    def __init__(self, address, screen, said, **query):
        self.address, self.screen, self.said = address, screen, said
        self.query = urllib.parse.urlencode({"tab": "t", **query})
        self.state, self.changed = {}, threading.Condition()
        self.stream = self.open("events")
        threading.Thread(target=self.read, daemon=True).start()

    def open(self, what, body=None):
        request = urllib.request.Request(
            f"{self.address}/api/screens/{self.screen}/{what}?{self.query}", body,
            {"Content-Type": "application/json", "Origin": self.address})
        return urllib.request.urlopen(request, timeout=60)

    def read(self):
        try:
            event = None
            for line in self.stream:
                self.said.append((f"the screen {self.screen}", line))
                event = line[6:].strip() if line.startswith(b"event:") else event
                if line.startswith(b"data: ") and event == b"state":
                    with self.changed:
                        self.state = json.loads(line[6:])
                        self.changed.notify_all()
        except (OSError, ValueError, AttributeError):
            return

    def send(self, intent, **fields):
        body = json.dumps({"intent": intent, **fields}).encode()
        with self.open("intents", body) as answer:
            self.said.append((f"{self.screen} {intent}", answer.read() + str(answer.headers).encode()))

    def until(self, condition):
        with self.changed:
            assert self.changed.wait_for(lambda: self.state and condition(self.state), 30), self.state


@pytest.mark.parametrize("fault", [None, "answer-lost", "garbage"])
def test_no_answer_to_the_browser_and_nothing_the_server_writes_holds_a_number_or_a_code(
    aquifer, foreign_payments, tmp_path, fault
):
    said = []
    command = [
        BINARY, "serve", "--port", "0", "--no-token", "--data", str(aquifer.data), "--remote",
        f"payments={foreign_payments.address}",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=aquifer.environment, cwd=tmp_path)
    try:
        address = process.stdout.readline().decode().split()[-1].rstrip("/")
        form = Tab(address, "card-form", said)
        form.until(lambda state: "fields" in state)
        for end in range(1, len(AMEX) + 1):  # as it is typed
            form.send("edit", field="number", value=AMEX[:end])
        form.send("edit", field="number", value=AMEX[:-1] + "7")
        form.until(lambda state: state["fields"]["number"]["error"])
        form.send("edit", field="number", value=AMEX)
        form.send("edit", field="holder", value=HOLDER)
        form.send("edit", field="expiry", value=GOOD_UNTIL)
        form.until(lambda state: state["canSave"])
        form.send("save")
        form.until(lambda state: state["saved"])

        foreign_payments.fault = fault
        payment = Tab(address, "payment", said, contact=7)
        payment.send("appear")
        payment.until(lambda state: state["phase"] == "ready" and state["card"])
        payment.send("amount", digits="7990")
        payment.send("code", value=CODE[:3])
        payment.until(lambda state: not state["canPay"])
        payment.send("code", value=CODE)
        payment.until(lambda state: state["canPay"])
        payment.send("pay", digits="7990")
        payment.until(lambda state: state["phase"] == ("unknown" if fault else "approved"))
        assert foreign_payments.orders[0]["card_number"] == AMEX

        for screen in ("cards", "payments", "contacts"):
            tab = Tab(address, screen, said)
            tab.send("appear")
            tab.until(lambda state: state.get("cards") or state.get("payments") or state.get("contacts"))
        for path in ("inspector", "connection", "reference/transfers"):
            with urllib.request.urlopen(f"{address}/api/{path}", timeout=20) as answer:
                said.append((path, answer.read()))
    finally:
        process.terminate()
        out, err = process.communicate(timeout=30)
    everything = [*said, ("standard output", out), ("standard error", err), *written(tmp_path)]
    assert [leak for where, content in everything for leak in leaks(where, content, [AMEX], [CODE])] == []
