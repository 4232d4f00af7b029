"""The payment commands as the tests call them, and the meaning of their output: one place to adjust."""

import datetime
import re
import subprocess

from conftest import BINARY

# Cards that pass Luhn. The foreign remote approves the first two, the reference remote the even ones.
VISA, AMEX, DECLINED, TEST_CARD = "4242424242424242", "374245455400126", "4111111111111111", "1111111111111111"
HOLDER = "Ana de Testes"
GOOD_UNTIL = f"12/{(datetime.date.today().year + 3) % 100:02}"

# The exit statuses of the command
DELIVERED, DECLINED_STATUS, USAGE, INVALID, NOT_FOUND, UNAVAILABLE, STORE, UNKNOWN = 0, 1, 64, 65, 66, 69, 74, 75
INTERRUPTED = 130
UNRECORDED = 71
REFUSED = DECLINED_STATUS  # by the server, for good
UNKNOWN_CONTACT = NOT_FOUND
NO_CARD = NOT_FOUND
REFUSED_CARD = USAGE  # expired meanwhile, or the test card on a remote that is not for tests

# The command's words when it is not known if money went
NOT_KNOWN = re.compile(r"not known whether|unknown whether|may or may not", re.I)


class Payer:
    """Somebody at the command line, with a remote."""

    def __init__(self, aquifer, remote=None):
        self.aquifer = aquifer
        self.remote = ("--remote", remote if "=" in remote else f"payments={remote}") if remote else ()

    def __call__(self, *words, lines=(), **options):
        """Runs the command without a terminal; `lines` is its standard input."""
        text = "".join(line + "\n" for line in lines)
        return self.aquifer(*words, *self.remote, input=text, start_new_session=True, **options)

    def start(self, *words, **options):
        """The same, without waiting for its end."""
        command = [BINARY, *words, *self.remote, "--data", str(self.aquifer.data)]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.aquifer.environment,
            start_new_session=True, **options)

    def add(self, number, holder=HOLDER, expiry=GOOD_UNTIL, *words):
        return self("cards", "add", *words, lines=(number, holder, expiry))

    def has_card(self, number=VISA, *words):
        """Keeps a card, and gives its ID."""
        known = {card["id"] for card in self.cards()}
        result = self.add(number, HOLDER, GOOD_UNTIL, *words)
        assert result.returncode == DELIVERED, result.stderr
        (new,) = {card["id"] for card in self.cards()} - known
        return new

    def pay(self, username, amount, *words, code="123"):
        return self("pay", username, amount, "--cvv-stdin", *words, lines=(code,))

    def pay_after_dashes(self, *words, code="123"):
        """With the options first: after two dashes `-1` is a word like any other."""
        options = ("--cvv-stdin", *self.remote, "--data", str(self.aquifer.data))
        return self.aquifer("pay", *options, "--", *words, data=False, input=f"{code}\n", start_new_session=True)

    def contacts(self, *words):
        return self.aquifer.json("contacts", *words, *self.remote)

    def cards(self):
        return self.aquifer.json("cards", "list", *self.remote)["value"]

    def payments(self):
        """The payments, the latest first."""
        return self.aquifer.json("payments", "list", *self.remote)["value"]

    def states(self):
        return [payment["state"] for payment in self.payments()]


def is_one_line(text):
    return len(text.splitlines()) == 1 and text.startswith("aquifer: ")
