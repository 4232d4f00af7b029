"""`aquifer contacts`, `cards`, `pay` and `payments`, against another implementation of the contract and the reference."""

import contextlib
import decimal
import json
import os
import pty
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import time

import pytest

from conftest import Aquifer
from payments_command import (
    AMEX, DECLINED, DECLINED_STATUS, DELIVERED, GOOD_UNTIL, HOLDER, INTERRUPTED, NO_CARD, NOT_FOUND, NOT_KNOWN,
    REFUSED, REFUSED_CARD, STORE, TEST_CARD, UNAVAILABLE, UNKNOWN, UNKNOWN_CONTACT, UNRECORDED, USAGE, VISA, Payer, is_one_line,
)
from conftest import BINARY
from payments_remote import PEOPLE, PaymentsRemote

MARCIA = "@marcia.kohler"


@pytest.fixture
def payer(aquifer, foreign_payments):
    return Payer(aquifer, foreign_payments.address)


# Contacts


def test_contacts_are_those_of_the_remote_in_its_field_names(payer, foreign_payments):
    report = payer.contacts()
    assert report["source"] == "remote" and report["because"] is None
    assert report["value"] == foreign_payments.users()


@pytest.mark.parametrize(
    "query, names",
    [
        ("marcia", ["Márcia Köhler"]), ("MÁRCIA", ["Márcia Köhler"]), ("kohler", ["Márcia Köhler"]),
        ("@iris", ["Íris d’Ávila"]), ("joao.feijao", ["João Pé-de-Feijão"]), ("iris d", ["Íris d’Ávila"]),
        ("", [name for _, name, _ in PEOPLE]), ("nobody", []),
    ],
)
def test_contacts_are_searched_by_name_and_username_whatever_case_and_accents(payer, query, names):
    assert [contact["name"] for contact in payer.contacts(query)["value"]] == names


def test_contacts_for_people_name_them_and_their_usernames(payer):
    result = payer("contacts", "marcia")
    assert result.returncode == DELIVERED
    assert "Márcia Köhler" in result.stdout and MARCIA in result.stdout and "João" not in result.stdout


def test_searching_for_nobody_is_delivered_and_said(payer):
    result = payer("contacts", "nobody")
    assert (result.returncode, result.stdout) == (DELIVERED, "") and result.stderr != ""


def test_offline_the_saved_contacts_come_with_their_age_and_after_seven_days_no_more(payer, foreign_payments):
    online = payer.contacts()
    foreign_payments.stop()
    offline = payer.contacts()
    assert offline["source"] == "cache" and offline["because"] == "connectivity"
    assert offline["value"] == online["value"] and offline["savedAt"] == online["savedAt"]
    aged = payer("contacts", "marcia", "--at", "+2d")
    assert aged.returncode == DELIVERED and "Márcia" in aged.stdout and "2 days ago" in aged.stderr
    expired = payer("contacts", "--at", "+8d")
    assert expired.returncode == UNAVAILABLE and expired.stdout == ""


def test_the_reference_remote_has_one_marcia_among_thirty_three(aquifer):
    payer = Payer(aquifer)
    assert len(payer.contacts()["value"]) == 33
    assert [contact["username"] for contact in payer.contacts("marcia")["value"]] == ["@marcia.goncalves"]


# Cards


def test_there_are_no_cards_at_first(payer):
    assert payer.cards() == []
    assert payer("cards", "list").returncode == DELIVERED


def test_a_card_is_read_from_standard_input_and_listed_masked(payer):
    payer.has_card(VISA)
    (card,) = payer.cards()
    assert card["masked"] == "•••• 4242" and card["holder"] == HOLDER and card["expiry"] == GOOD_UNTIL
    assert card["brand"] == "visa"
    text = payer("cards", "list").stdout
    assert "•••• 4242" in text and card["id"] in text and VISA not in text


@pytest.mark.parametrize("written", ["4242 4242 4242 4242", "4242-4242-4242-4242", " 4242424242424242 "])
def test_spaces_and_dashes_in_a_number_are_taken(payer, written):
    payer.has_card(written)
    assert [card["masked"] for card in payer.cards()] == ["•••• 4242"]


@pytest.mark.parametrize(
    "number, holder, expiry, word",
    [
        pytest.param("4242424242424243", HOLDER, GOOD_UNTIL, "digit is wrong", id="wrong digit"),
        pytest.param("424242424242", HOLDER, GOOD_UNTIL, "digits", id="too short"),
        pytest.param("42424242424242424242", HOLDER, GOOD_UNTIL, "digits", id="too long"),
        pytest.param("9999999999999995", HOLDER, GOOD_UNTIL, "accepted", id="no brand"),
        pytest.param("4242x24242424242", HOLDER, GOOD_UNTIL, "digits", id="a letter"),
        pytest.param("", HOLDER, GOOD_UNTIL, "number", id="no number"),
        pytest.param(VISA, HOLDER, "01/20", "expired", id="expired"),
        pytest.param(VISA, HOLDER, "13/29", "month", id="13/29"),
        pytest.param(VISA, HOLDER, "00/29", "month", id="00/29"),
        pytest.param(VISA, HOLDER, "12/99", "far ahead", id="too far ahead"),
        pytest.param(VISA, HOLDER, "tomorrow", "MM/YY", id="no date"),
        pytest.param(VISA, "", GOOD_UNTIL, "name", id="no holder"),
    ],
)
def test_a_card_that_cannot_be_right_is_refused_with_the_reason_and_without_its_number(payer, number, holder, expiry, word):
    result = payer.add(number, holder, expiry)
    assert result.returncode == USAGE and result.stdout == ""
    assert is_one_line(result.stderr) and word.lower() in result.stderr.lower()
    assert not number or number not in result.stderr
    assert payer.cards() == []


def test_a_card_number_among_the_arguments_is_refused_and_not_repeated(payer):
    result = payer("cards", "add", VISA, lines=(HOLDER, GOOD_UNTIL))
    assert result.returncode == USAGE and VISA not in result.stdout + result.stderr
    assert payer.cards() == []


def test_input_that_ends_early_keeps_no_card(payer):
    assert payer("cards", "add", lines=(VISA,)).returncode == USAGE
    assert payer("cards", "add").returncode == USAGE
    assert payer.cards() == []


def test_a_removed_card_is_gone_and_removing_it_again_is_a_mistake(payer):
    first, second = payer.has_card(VISA), payer.has_card(AMEX)
    assert payer("cards", "remove", first).returncode == DELIVERED
    assert [card["id"] for card in payer.cards()] == [second]
    assert payer("cards", "remove", first).returncode == NOT_FOUND
    assert payer("cards", "remove", "not-an-id").returncode == NOT_FOUND


# The sealed cards


def sealed(payer):
    files = [path for path in (payer.aquifer.data / "cards").rglob("*") if path.is_file()]
    assert files
    return files


def keys(payer):
    files = [path for path in (payer.aquifer.config / "aquifer/keys").rglob("*") if path.is_file()]
    assert files
    return files


def test_cards_and_keys_are_apart_and_for_nobody_else_to_read(payer):
    payer.has_card()
    for path in sealed(payer) + keys(payer):
        assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700, path


def test_a_key_that_others_can_read_is_refused_with_the_command_that_fixes_it(payer):
    payer.has_card()
    for key in keys(payer):
        key.chmod(0o644)
    result = payer("cards", "list")
    assert result.returncode == STORE and is_one_line(result.stderr) and "chmod 600" in result.stderr
    for key in keys(payer):
        key.chmod(0o600)
    assert len(payer.cards()) == 1


@pytest.mark.parametrize("harm", ["truncated", "one byte changed", "another key", "no key", "no vault"])
def test_damaged_cards_are_an_error_that_loses_nothing_and_sends_nothing(payer, foreign_payments, harm, tmp_path):
    payer.has_card()
    stranger = Payer(Aquifer(tmp_path / "stranger/data"), foreign_payments.address)
    stranger.has_card(AMEX)
    before = {path: path.read_bytes() for path in sealed(payer) + keys(payer) if path.stat().st_size > 0}  # no locks
    of_cards = harm in ("truncated", "one byte changed", "no vault")
    harmed = [path for path in before if path.suffix == (".vault" if of_cards else ".key")]
    assert len(harmed) == 1
    for path in harmed:
        content = before[path]
        if harm == "truncated":
            path.write_bytes(content[: len(content) // 2])
        elif harm == "one byte changed":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        elif harm == "another key":
            (other,) = [key for key in keys(stranger) if key.suffix == ".key"]
            path.write_bytes(other.read_bytes())
        else:
            path.unlink()
    after = {path: path.read_bytes() for path in before if path.exists()}
    result = payer("cards", "list")
    assert result.returncode == STORE and is_one_line(result.stderr)
    assert payer.add(AMEX).returncode == STORE
    assert payer.pay(MARCIA, "10").returncode == STORE
    assert foreign_payments.orders == []
    assert {path: path.read_bytes() for path in after if path.exists()} == after
    for path, content in before.items():
        path.write_bytes(content)
        path.chmod(0o600)
    assert len(payer.cards()) == 1


def test_cards_whose_file_was_deleted_are_told_as_gone_until_the_user_begins_without_them(payer):
    payer.has_card()
    (vault,) = [path for path in sealed(payer) if path.suffix == ".vault"]
    vault.unlink()
    result = payer("cards", "list")
    assert result.returncode == STORE and is_one_line(result.stderr)
    assert "is gone" in result.stderr and "aquifer cards discard-older" in result.stderr
    assert payer("cards", "discard-older").returncode == DELIVERED
    assert payer.cards() == []
    payer.has_card(AMEX)


# Paying


def test_pays_another_implementation_of_the_contract_which_answers_the_value_as_a_string(payer, foreign_payments):
    payer.has_card()
    result = payer.pay(MARCIA, "79,90")
    assert result.returncode == DELIVERED, result.stderr
    assert "501" in result.stdout and MARCIA in result.stdout
    assert "Márcia Köhler" in result.stderr and "•••• 4242" in result.stderr
    assert "R$\u00a079,90" in result.stdout or "R$ 79,90" in result.stdout
    (order,) = foreign_payments.orders
    assert order == {
        "card_number": VISA, "cvv": 123, "value": decimal.Decimal("79.90"), "expiry_date": GOOD_UNTIL,
        "destination_user_id": 7,
    }
    assert re.search(rb'"value"\s*:\s*79\.90[,}]', foreign_payments.bodies[0])
    (payment,) = payer.payments()
    assert payment["state"] == "approved" and payment["number"] == 501
    assert payment["id"].lower() == foreign_payments.keys[0].lower()


def test_json_of_a_payment_is_one_document_with_its_state(payer):
    payer.has_card()
    document = json.loads(payer.pay(MARCIA, "10", "--json").stdout)
    assert document["value"]["state"] == "approved" and document["value"]["number"] == 501


def test_a_username_is_taken_without_its_sign_too(payer, foreign_payments):
    payer.has_card()
    assert payer.pay("marcia.kohler", "10").returncode == DELIVERED
    assert len(foreign_payments.orders) == 1


def test_declined_is_1_with_the_reason_and_is_kept(payer, foreign_payments):
    payer.has_card(DECLINED)
    result = payer.pay(MARCIA, "10")
    assert result.returncode == DECLINED_STATUS
    assert result.stdout == "" and "declined" in result.stderr.splitlines()[-1]
    assert payer.states() == ["declined"] and len(foreign_payments.orders) == 1


def test_declined_then_another_card_is_another_payment(payer, foreign_payments):
    payer.has_card(DECLINED)
    other = payer.has_card(VISA)
    refused = next(card["id"] for card in payer.cards() if card["id"] != other)
    assert payer.pay(MARCIA, "10", "--card", refused).returncode == DECLINED_STATUS
    assert payer.pay(MARCIA, "10", "--card", other).returncode == DELIVERED
    assert payer.states() == ["approved", "declined"] and len(set(foreign_payments.keys)) == 2


def test_a_code_with_a_leading_zero_is_sent_as_the_number_the_contract_wants(payer, foreign_payments):
    payer.has_card()
    assert payer.pay(MARCIA, "10", code="012").returncode == DELIVERED
    assert foreign_payments.orders[0]["cvv"] == 12


def test_an_amex_has_a_code_of_four(payer, foreign_payments):
    payer.has_card(AMEX)
    assert payer.pay(MARCIA, "10", code="1234").returncode == DELIVERED
    assert foreign_payments.orders[0]["cvv"] == 1234


@pytest.mark.parametrize(
    "card, code",
    [(AMEX, "123"), (VISA, "1234"), (VISA, "12"), (VISA, "12a"), (VISA, ""), (VISA, "１２３")],
)
def test_a_code_that_does_not_fit_the_card_is_refused_before_anything_is_sent(payer, foreign_payments, card, code):
    payer.has_card(card)
    result = payer.pay(MARCIA, "10", code=code)
    assert result.returncode == USAGE and is_one_line(result.stderr)
    assert foreign_payments.bodies == [] and payer.payments() == []


def test_without_a_terminal_and_without_cvv_stdin_nothing_is_sent(payer, foreign_payments):
    payer.has_card()
    result = payer("pay", MARCIA, "10", lines=("123",))
    assert result.returncode == USAGE and "--cvv-stdin" in result.stderr
    assert foreign_payments.bodies == []


def test_a_code_among_the_arguments_is_refused(payer, foreign_payments):
    payer.has_card()
    assert payer("pay", MARCIA, "10", "--cvv", "123").returncode == USAGE
    assert payer("pay", MARCIA, "10", "123", "--cvv-stdin").returncode == USAGE
    assert foreign_payments.bodies == []


@pytest.mark.parametrize(
    "amount, sent",
    [
        ("79,90", "79.90"), ("79.90", "79.90"), ("R$ 1.234,50", "1234.50"), ("1,234.50", "1234.50"), ("1234", "1234.00"),
        ("0,01", "0.01"), ("5,5", "5.50"), ("1000000", "1000000.00"), ("1.000.000,00", "1000000.00"),
    ],
)
def test_an_amount_is_sent_to_the_cent_as_it_was_meant(payer, foreign_payments, amount, sent):
    payer.has_card()
    assert payer.pay(MARCIA, amount).returncode == DELIVERED
    assert re.search(rb'"value"\s*:\s*' + re.escape(sent.encode()) + rb"[,}]", foreign_payments.bodies[0])


@pytest.mark.parametrize(
    "amount",
    ["0", "0,00", "-1", "1,234", "79.905", "1000000,01", "9" * 30, "ten", "12a", "1,2,3", "1 000", "1e3", "", "R$", "٣", "NaN"],
)
def test_an_amount_that_cannot_be_meant_is_refused_before_anything_is_sent(payer, foreign_payments, amount):
    payer.has_card()
    for result in (payer.pay(MARCIA, amount), payer.pay_after_dashes(MARCIA, amount)):
        assert result.returncode == USAGE and result.stdout == "" and is_one_line(result.stderr)
    assert foreign_payments.bodies == [] and payer.payments() == []


@pytest.mark.parametrize("username", ["@nobody", "@", "", "@marcia", "7"])
def test_an_unknown_contact_is_said_and_nothing_is_sent(payer, foreign_payments, username):
    payer.has_card()
    result = payer.pay(username, "10")
    assert result.returncode == UNKNOWN_CONTACT and is_one_line(result.stderr)
    assert foreign_payments.bodies == []


def test_without_a_card_the_way_to_add_one_is_said(payer, foreign_payments):
    result = payer.pay(MARCIA, "10")
    assert result.returncode == NO_CARD and "aquifer cards add" in result.stderr
    assert foreign_payments.bodies == []


def test_a_card_that_is_not_there_is_said(payer, foreign_payments):
    payer.has_card()
    for card in ("0A0A0A0A-0000-0000-0000-000000000001", "4242"):
        assert payer.pay(MARCIA, "10", "--card", card).returncode == NOT_FOUND
    assert foreign_payments.bodies == []


def test_a_card_that_expired_meanwhile_is_not_sent(payer, foreign_payments):
    payer.has_card()
    result = payer.pay(MARCIA, "10", "--at", "+1500d")
    assert result.returncode == REFUSED_CARD and "expired" in result.stderr
    assert foreign_payments.bodies == []


# The remote's test card


def test_the_test_card_is_refused_on_a_remote_that_is_not_for_tests(payer, foreign_payments):
    result = payer.add(TEST_CARD, HOLDER, "01/18")
    assert result.returncode == USAGE and "test card" in result.stderr
    assert payer.cards() == []


def test_a_test_card_kept_before_is_not_sent_to_a_remote_that_is_not_for_tests(aquifer, payer, foreign_payments):
    assert Payer(aquifer).add(TEST_CARD, HOLDER, "01/18").returncode == DELIVERED
    assert payer.pay(MARCIA, "10").returncode != DELIVERED
    assert foreign_payments.bodies == []


def test_the_test_card_is_taken_when_it_is_allowed(payer, foreign_payments):
    assert payer.add(TEST_CARD, HOLDER, "01/18", "--allow-test-card").returncode == DELIVERED
    assert payer.pay(MARCIA, "10", "--allow-test-card").returncode == DELIVERED
    assert foreign_payments.orders[0]["card_number"] == TEST_CARD
    assert foreign_payments.orders[0]["expiry_date"] == "01/18"


def test_allowing_the_test_card_weakens_nothing_for_others(payer):
    assert payer.add(VISA, HOLDER, "01/18", "--allow-test-card").returncode == USAGE
    assert payer.add("1111111111111112", HOLDER, GOOD_UNTIL, "--allow-test-card").returncode == USAGE
    assert payer.add("4242424242424243", HOLDER, GOOD_UNTIL, "--allow-test-card").returncode == USAGE


def test_the_reference_remote_takes_the_test_card_and_it_is_labelled(aquifer):
    payer = Payer(aquifer)
    assert payer.add(TEST_CARD, HOLDER, "01/18").returncode == DELIVERED
    assert payer.cards()[0]["isTestCard"] is True and "Test card" in payer("cards", "list").stdout
    result = payer.pay("@marcia.goncalves", "79,90")
    assert result.returncode == DELIVERED and "12314" in result.stdout


# When no answer comes


@pytest.mark.parametrize("fault", ["answer-lost", "cut", "garbage", "other amount", "busy"])
def test_without_an_answer_that_makes_sense_it_is_not_known_and_never_sent_again_by_itself(payer, foreign_payments, fault):
    payer.has_card()
    foreign_payments.fault = fault
    result = payer.pay(MARCIA, "10")
    assert result.returncode == UNKNOWN and result.stdout == ""
    assert NOT_KNOWN.search(result.stderr)
    assert payer.states() == ["unknown"] and len(foreign_payments.bodies) == 1


def test_after_a_lost_answer_the_exit_is_75_and_the_way_to_check_is_said(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    result = payer.pay(MARCIA, "10")
    (payment,) = payer.payments()
    assert result.returncode == UNKNOWN and f"aquifer payments check {payment['id']}" in result.stderr
    assert "unconfirmed" in payer("payments", "list").stdout


def test_after_a_lost_answer_the_same_amount_to_the_same_person_is_not_sent_unless_a_second_payment_is_meant(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    (lost,) = payer.payments()
    foreign_payments.fault = None
    result = payer.pay(MARCIA, "10,00")
    assert result.returncode == USAGE and result.stdout == "" and is_one_line(result.stderr)
    for word in ("nothing was sent", "4242", lost["startedAt"], f"aquifer payments check {lost['id']}",
                 f"aquifer payments retry {lost['id']}", "--again"):
        assert word in result.stderr, word
    assert len(foreign_payments.bodies) == 1 and payer.states() == ["unknown"]
    assert payer.pay(MARCIA, "11").returncode == DELIVERED, "another amount is another payment"
    assert payer.pay(PEOPLE[1][2], "10").returncode == DELIVERED, "another person, too"
    assert payer.pay(MARCIA, "10", "--again").returncode == DELIVERED
    assert len(set(foreign_payments.keys)) == len(foreign_payments.keys) == 4


def on_a_terminal(payer, words, answer):
    """The output and the exit code of the command on a terminal, where somebody answers its question, then types the code."""
    ours, theirs = pty.openpty()
    process = payer.start(*words, stdin=theirs)
    os.close(theirs)
    os.write(ours, f"{answer}\n123\n".encode())
    out, err = process.communicate(timeout=30)
    os.close(ours)
    return process.returncode, err.decode()


def test_on_a_terminal_the_earlier_payment_is_shown_and_only_yes_sends_a_second_one(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    (lost,) = payer.payments()
    foreign_payments.fault = None
    words = ("pay", MARCIA, "10", "--cvv-stdin")
    status, said = on_a_terminal(payer, words, "y")
    assert status == REFUSED and "nothing was sent" in said and len(foreign_payments.bodies) == 1
    for word in ("not known whether", "4242", lost["startedAt"], lost["id"], "payments check", "payments retry"):
        assert word in said, word
    status, said = on_a_terminal(payer, words, "yes")
    assert status == DELIVERED, said
    assert len(set(foreign_payments.keys)) == 2 and payer.states() == ["approved", "unknown"]


def test_a_payment_made_while_the_code_of_another_like_it_was_typed_is_told(payer, foreign_payments):
    payer.has_card()
    pid, terminal = pty.fork()
    if pid == 0:
        words = ["pay", MARCIA, "10", *payer.remote, "--data", str(payer.aquifer.data)]
        os.execve(BINARY, [BINARY, *words], {**payer.aquifer.environment, "TERM": "xterm"})
    said = b""
    while b"Security code" not in said:
        said += os.read(terminal, 4096)
    assert payer.pay(MARCIA, "10").returncode == DELIVERED
    os.write(terminal, b"123\n")
    with contextlib.suppress(OSError):
        while piece := os.read(terminal, 4096):
            said += piece
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == USAGE and b"was paid since" in said and b"--again" in said, said
    assert len(foreign_payments.bodies) == 1


def paying(payer, remote, **options):
    """A process whose payment has reached the remote, which holds its answer back."""
    process = payer.start("pay", MARCIA, "10", "--cvv-stdin", stdin=-1, **options)
    process.stdin.write(b"123\n")
    process.stdin.close()
    process.stdin = None  # so that `communicate` leaves it alone
    assert remote.received.wait(30)
    return process


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux lets a running process be limited")
@pytest.mark.parametrize("room", [4096, 0])
def test_an_outcome_that_cannot_be_recorded_is_told_and_the_next_command_records_it(payer, foreign_payments, room):
    payer.has_card()
    foreign_payments.fault = "late"
    # A write beyond the limit fails, and ends nobody.
    process = paying(payer, foreign_payments, restore_signals=False)
    # No file may grow any more, as on a full disk. Without any room not even what was kept free for it can be written.
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (room, room))
    foreign_payments.released.set()
    out, err = process.communicate(timeout=60)
    assert process.returncode == UNRECORDED and out.startswith(b"approved"), err
    assert "could not be recorded" in err.decode()
    foreign_payments.fault = None
    (payment,) = payer.payments()
    assert payment["state"] == ("approved" if room else "unknown")
    # This remote tells nothing of a key.
    assert payer("payments", "check", payment["id"]).returncode == (DELIVERED if room else UNKNOWN)
    assert len(foreign_payments.bodies) == 1


def test_an_outcome_that_can_be_recorded_a_moment_later_is_waited_for(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "late"
    process = paying(payer, foreign_payments, restore_signals=False)
    before = resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    foreign_payments.released.set()
    time.sleep(0.5)
    assert process.poll() is None
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, before)
    out, err = process.communicate(timeout=60)
    assert process.returncode == DELIVERED, err
    assert payer.states() == ["approved"]


def test_while_a_payment_is_sent_another_process_does_not_send_its_twin(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "late"
    process = paying(payer, foreign_payments)
    result = payer.pay(MARCIA, "10")
    assert result.returncode == USAGE and "is being sent by another process" in result.stderr
    foreign_payments.released.set()
    assert process.wait(timeout=30) == DELIVERED and len(foreign_payments.bodies) == 1


def test_while_a_payment_is_sent_nobody_can_mean_another_one(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "late"
    process = paying(payer, foreign_payments)
    (sending,) = payer.payments()
    result = payer.pay(MARCIA, "10", "--again")
    assert result.returncode == USAGE and is_one_line(result.stderr) and "is being sent by another process" in result.stderr
    assert f"aquifer payments check {sending['id']}" in result.stderr and "--again" not in result.stderr
    status, said = on_a_terminal(payer, ("pay", MARCIA, "10", "--cvv-stdin"), "yes")
    assert status == USAGE and "is being sent by another process" in said
    foreign_payments.released.set()
    assert process.wait(timeout=30) == DELIVERED and len(foreign_payments.bodies) == 1


def test_a_second_payment_that_is_meant_tells_of_the_first(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    (lost,) = payer.payments()
    foreign_payments.fault = None
    result = payer.pay(MARCIA, "10", "--again")
    assert result.returncode == DELIVERED and lost["id"] in result.stderr and "not known whether" in result.stderr
    assert "not known whether" not in payer.pay(MARCIA, "10", "--again", "--quiet").stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_twice_at_once_as_that_of_timeout_is_one(payer, foreign_payments, number):
    payer.has_card()
    foreign_payments.fault = "hang"
    process = payer.start("pay", MARCIA, "10", "--cvv-stdin", "--json", stdin=-1)
    process.stdin.write(b"123\n")
    process.stdin.close()
    assert foreign_payments.received.wait(30)
    for each in (number, number, signal.SIGCONT):
        process.send_signal(each)
    assert process.wait(timeout=20) == INTERRUPTED
    (payment,) = payer.payments()
    assert payment["id"] in json.loads(process.stdout.read())["error"]["message"]
    foreign_payments.released.set()


@pytest.mark.parametrize("value", ["112abc", "112.0.0", " 112", "112,00"])
def test_an_amount_that_only_begins_right_is_no_answer(payer, foreign_payments, value):
    payer.has_card()
    foreign_payments.fault = value
    result = payer.pay(MARCIA, "112")
    assert result.returncode == UNKNOWN and payer.states() == ["unknown"]


def test_a_booking_in_a_year_of_more_than_four_digits_is_no_answer(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "other time"
    assert payer.pay(MARCIA, "112").returncode == UNKNOWN
    assert payer.payments()[0]["bookedAt"] is None


@pytest.mark.parametrize("timestamp", [253402300799, -62167219200])
def test_the_date_of_a_payment_is_not_that_of_a_wrong_clock(payer, foreign_payments, timestamp):
    payer.has_card()
    foreign_payments.timestamp = timestamp
    assert payer.pay(MARCIA, "10").returncode == DELIVERED
    listed = payer("payments", "list").stdout
    assert "just now" in listed and "year" not in listed


def test_a_payment_that_was_not_made_is_not_sent_again_beside_a_later_one_that_is_not_known_of(payer, foreign_payments):
    payer.has_card()
    payer.contacts()
    payer.pay(MARCIA, "10", "--offline")
    (failed,) = payer.payments()
    foreign_payments.fault = "answer-lost"
    assert payer.pay(MARCIA, "10").returncode == UNKNOWN
    foreign_payments.fault = None
    retry = ("payments", "retry", failed["id"], "--cvv-stdin")
    assert payer(*retry, lines=("123",)).returncode == USAGE and len(foreign_payments.bodies) == 1
    assert payer(*retry, "--again", lines=("123",)).returncode == DELIVERED


def test_a_payment_is_asked_for_and_sent_again_only_at_its_own_server(payer, foreign_payments):
    other = PaymentsRemote()
    other.knows_keys = True
    try:
        payer.has_card()
        foreign_payments.fault = "answer-lost"
        payer.pay(MARCIA, "10")
        identifier = payer.payments()[0]["id"]
        elsewhere = Payer(payer.aquifer, other.address)
        for words in (("check", identifier), ("retry", identifier, "--cvv-stdin")):
            result = elsewhere("payments", *words, lines=("123",))
            assert result.returncode == USAGE and is_one_line(result.stderr)
            assert f"--remote payments={foreign_payments.address}" in result.stderr
        assert other.requests == [] and payer.payments()[0]["notFoundAt"] is None
        result = Payer(payer.aquifer)("payments", "check", identifier)
        assert result.returncode == USAGE
    finally:
        other.stop()


def test_checking_a_lost_payment_asks_and_charges_nothing(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault, foreign_payments.knows_keys = "answer-lost", True
    payer.pay(MARCIA, "10")
    (payment,) = payer.payments()
    result = payer("payments", "check", payment["id"])
    assert result.returncode == DELIVERED and "501" in result.stdout
    assert payer.states() == ["approved"] and len(foreign_payments.bodies) == 1


def test_checking_finds_out_that_a_lost_payment_was_declined(payer, foreign_payments):
    payer.has_card(DECLINED)
    foreign_payments.fault, foreign_payments.knows_keys = "answer-lost", True
    payer.pay(MARCIA, "10")
    assert payer("payments", "check", payer.payments()[0]["id"]).returncode == DECLINED_STATUS
    assert payer.states() == ["declined"]


def test_trying_a_lost_payment_again_sends_the_same_key_and_charges_once(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    foreign_payments.fault = None
    identifier = payer.payments()[0]["id"]
    result = payer("payments", "retry", identifier, "--cvv-stdin", lines=("123",))
    assert result.returncode == DELIVERED and "501" in result.stdout
    assert payer.states() == ["approved"]
    assert len(foreign_payments.keys) == 2 and len(set(foreign_payments.keys)) == 1
    assert len(foreign_payments.orders) == 1


def test_a_payment_that_is_decided_is_not_sent_again(payer, foreign_payments):
    payer.has_card()
    payer.pay(MARCIA, "10")
    result = payer("payments", "retry", payer.payments()[0]["id"], "--cvv-stdin", lines=("123",))
    assert result.returncode == DELIVERED and "approved" in result.stdout
    assert len(foreign_payments.bodies) == 1


def test_without_its_card_a_lost_payment_is_not_sent_with_another(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    (card,) = payer.cards()
    payer("cards", "remove", card["id"])
    payer.has_card()
    result = payer("payments", "retry", payer.payments()[0]["id"], "--cvv-stdin", lines=("123",))
    assert result.returncode == NOT_FOUND and "payments check" in result.stderr
    assert len(foreign_payments.bodies) == 1


def test_a_remote_that_cannot_be_asked_leaves_the_payment_unknown(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    identifier = payer.payments()[0]["id"]
    assert payer("payments", "check", identifier).returncode == UNKNOWN
    foreign_payments.stop()
    checked = payer("payments", "check", identifier)
    assert checked.returncode == UNKNOWN and "(Failed to connect to" in checked.stderr
    assert payer.states() == ["unknown"]


@pytest.mark.parametrize("identifier", ["0A0A0A0A-0000-0000-0000-000000000001", "7"])
def test_checking_a_payment_that_is_not_there_is_a_mistake(payer, identifier):
    for word in ("check", "retry", "give-up"):
        assert payer("payments", word, identifier).returncode == NOT_FOUND


def test_a_remote_that_is_gone_makes_no_payment(payer, foreign_payments):
    payer.has_card()
    payer.contacts()
    foreign_payments.stop()
    result = payer.pay(MARCIA, "10")
    assert result.returncode == UNAVAILABLE and not NOT_KNOWN.search(result.stderr)
    assert "could not be reached (Failed to connect to" in result.stderr and "nothing was sent" in result.stderr
    assert payer.states() == ["failed"]


def test_a_remote_that_refuses_the_order_makes_no_payment(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "refuse"
    result = payer.pay(MARCIA, "10")
    assert result.returncode == REFUSED and not NOT_KNOWN.search(result.stderr)
    assert payer.states() == ["failed"] and foreign_payments.orders == []


def test_offline_nothing_is_sent(payer, foreign_payments):
    payer.has_card()
    payer.contacts()
    result = payer.pay(MARCIA, "10", "--offline")
    assert result.returncode == UNAVAILABLE and foreign_payments.bodies == []
    assert "offline" in result.stderr and "saved" in result.stderr.lower(), "the person to be paid is that of a saved copy"


def test_killed_while_paying_the_payment_is_found_unknown(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "hang"
    process = paying(payer, foreign_payments)
    process.kill()
    process.wait(timeout=20)
    assert payer.states() == ["unknown"] and len(foreign_payments.keys) == 1
    assert payer.payments()[0]["id"].lower() == foreign_payments.keys[0].lower()
    foreign_payments.released.set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_while_paying_it_is_said_that_the_payment_may_have_been_made(payer, foreign_payments, number):
    payer.has_card()
    foreign_payments.fault = "hang"
    process = paying(payer, foreign_payments)
    process.send_signal(number)
    assert process.wait(timeout=20) == INTERRUPTED
    (payment,) = payer.payments()
    said = process.stderr.read().decode()
    assert NOT_KNOWN.search(said) and f"aquifer payments check {payment['id']}" in said
    assert payment["state"] == "unknown"
    foreign_payments.released.set()


def test_a_lost_answer_of_the_reference_remote_is_checked_there(aquifer, remotes):
    payer = Payer(aquifer, remotes("payments=answer-lost", name="payments"))
    payer.has_card()
    result = payer.pay("@marcia.goncalves", "79,90")
    assert result.returncode == UNKNOWN and NOT_KNOWN.search(result.stderr)
    assert payer("payments", "check", payer.payments()[0]["id"]).returncode == DELIVERED
    (payment,) = payer.payments()
    assert payment["state"] == "approved" and payment["number"] == 12314


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 401, 403, 404, 405, 409, 422])
def test_a_payment_that_was_booked_is_never_called_unmade_whatever_answers_then(payer, foreign_payments, status):
    payer.has_card()
    foreign_payments.fault = status
    result = payer.pay(MARCIA, "10")
    assert result.returncode == UNKNOWN and NOT_KNOWN.search(result.stderr)
    assert payer.states() == ["unknown"] and len(foreign_payments.orders) == 1
    foreign_payments.fault, foreign_payments.knows_keys = None, True
    assert payer("payments", "check", payer.payments()[0]["id"]).returncode == DELIVERED
    assert payer.states() == ["approved"]


@pytest.mark.parametrize("status", [307, 308])
def test_number_and_code_go_to_no_other_address(payer, foreign_payments, status):
    other = PaymentsRemote()
    try:
        payer.has_card()
        foreign_payments.fault, foreign_payments.elsewhere = status, f"{other.address}/transaction"
        assert payer.pay(MARCIA, "10").returncode == UNKNOWN
        assert other.requests == []
    finally:
        other.stop()


def test_while_another_process_sends_a_payment_nobody_else_concludes_anything_or_sends_it(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault, foreign_payments.knows_keys = "late", True
    process = paying(payer, foreign_payments)
    (payment,) = payer.payments()
    assert payment["state"] == "sending"
    for words in (("check",), ("retry", "--cvv-stdin"), ("give-up",)):
        result = payer("payments", words[0], payment["id"], *words[1:], lines=("123",))
        assert result.returncode == UNKNOWN, (words, result.stderr)
    assert payer.states() == ["sending"]
    foreign_payments.released.set()
    assert process.wait(timeout=30) == DELIVERED
    assert payer.states() == ["approved"] and len(foreign_payments.bodies) == 1


def test_after_its_sender_was_killed_a_payment_the_server_does_not_know_is_sent_again_with_its_key(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault, foreign_payments.knows_keys = "hang", True
    process = paying(payer, foreign_payments)
    process.kill()
    process.wait(timeout=20)
    foreign_payments.fault = None
    identifier = payer.payments()[0]["id"]
    result = payer("payments", "check", identifier)
    assert result.returncode == UNKNOWN and "as far as the server knew" in result.stderr
    assert f"aquifer payments retry {identifier}" in result.stderr
    assert payer.states() == ["unknown"]
    assert payer("payments", "retry", identifier, "--cvv-stdin", lines=("123",)).returncode == DELIVERED
    assert payer.states() == ["approved"] and len(set(foreign_payments.keys)) == 1
    foreign_payments.released.set()


def test_giving_up_is_written_down_and_a_check_still_finds_the_transaction(payer, foreign_payments):
    payer.has_card()
    foreign_payments.fault = "answer-lost"
    payer.pay(MARCIA, "10")
    identifier = payer.payments()[0]["id"]
    assert payer("payments", "give-up", identifier).returncode == DELIVERED
    assert payer.states() == ["abandoned"]
    assert payer("payments", "give-up", identifier).returncode == DELIVERED, "it is given up"
    foreign_payments.fault, foreign_payments.knows_keys = None, True
    assert payer("payments", "check", identifier).returncode == DELIVERED
    assert payer.states() == ["approved"]
    assert payer("payments", "give-up", identifier).returncode == USAGE


def test_a_payment_that_was_not_made_names_the_command_that_sends_it_and_that_works(aquifer, foreign_payments):
    payer = Payer(aquifer, foreign_payments.address)
    payer.has_card()
    payer.contacts()
    result = payer.pay(MARCIA, "10", "--offline")
    (payment,) = payer.payments()
    way = f"aquifer payments retry {payment['id']}"
    assert result.returncode == UNAVAILABLE and way in result.stderr and payment["state"] == "failed"
    again = payer(*way.split()[1:], "--cvv-stdin", lines=("123",))
    assert again.returncode == DELIVERED and payer.states() == ["approved"]
    assert foreign_payments.keys == [payment["id"]]


def test_the_default_card_is_shown_and_chosen_and_a_declined_one_is_it_no_more(payer, foreign_payments):
    good, bad = payer.has_card(VISA), payer.has_card(DECLINED)

    def default():
        return [card["id"] for card in payer.cards() if card["isDefault"]]

    assert default() == [bad], "the one added last"
    result = payer.pay(MARCIA, "10")
    assert result.returncode == DECLINED_STATUS and "•••• 4242 is the default now" in result.stderr
    assert default() == [good]
    assert payer.pay(MARCIA, "10").returncode == DELIVERED
    assert payer("cards", "default", bad[:8]).returncode == DELIVERED
    assert default() == [bad]
    line = next(line for line in payer("cards", "list").stdout.splitlines() if "•••• 1111" in line)
    assert "default" in line
    assert payer("cards", "default", "0A0A0A0A").returncode == NOT_FOUND


def test_a_card_that_could_not_be_made_the_default_is_kept_and_not_told_as_the_default(payer):
    first = payer.has_card(VISA)
    ledger = payer.aquifer.data / "payments.sqlite"
    aside = ledger.rename(ledger.with_name("aside"))
    ledger.mkdir()
    result = payer.add(AMEX)
    assert result.returncode == DELIVERED and "could not be made the default" in result.stderr
    assert "is the default" not in result.stderr
    assert json.loads(payer.add(DECLINED, HOLDER, GOOD_UNTIL, "--json").stdout)["value"]["isDefault"] is False
    ledger.rmdir()
    aside.rename(ledger)
    assert [card["id"] for card in payer.cards() if card["isDefault"]] == [first] and len(payer.cards()) == 3


def test_a_named_card_pays_without_a_look_at_the_default_one(payer, foreign_payments):
    named, default = payer.has_card(VISA), payer.has_card(DECLINED)
    with sqlite3.connect(payer.aquifer.data / "payments.sqlite") as database:
        harmed = database.execute("UPDATE entry SET bytes = x'00' WHERE key IN ('chosen-card', 'declined-cards')")
        assert harmed.rowcount >= 1
    database.close()
    document = json.loads(payer.pay(MARCIA, "10", "--card", named, "--json").stdout)
    assert document["value"]["state"] == "approved" and document["value"]["card"]["id"] == named != default
    assert [json.loads(body)["card_number"] for body in foreign_payments.bodies] == [VISA], "no byte of the default card went"


def test_a_removed_card_does_not_come_back_with_an_older_copy_until_the_user_says_so(payer):
    first, second = payer.has_card(VISA), payer.has_card(AMEX)
    vault = payer.aquifer.data / "cards/cards.vault"
    older = vault.read_bytes()
    assert payer("cards", "remove", first).returncode == DELIVERED
    vault.write_bytes(older)
    result = payer("cards", "list")
    assert result.returncode == STORE and is_one_line(result.stderr)
    assert "accept-older" in result.stderr and "discard-older" in result.stderr
    assert payer.pay(MARCIA, "10").returncode == STORE
    assert payer("cards", "accept-older").returncode == DELIVERED
    assert [card["id"] for card in payer.cards()] == [first, second]
    assert payer("cards", "accept-older").returncode == USAGE
    vault.write_bytes(older)
    assert payer("cards", "discard-older").returncode == DELIVERED
    assert payer.cards() == []


@pytest.mark.parametrize("harm", ["bytes", "header"])
def test_a_payment_whose_record_is_damaged_is_told_and_does_not_hide_the_others(payer, foreign_payments, harm):
    payer.has_card()
    payer.pay(MARCIA, "10")
    payer.pay(MARCIA, "20")
    damaged, good = (payment["id"] for payment in payer.payments())
    database = sqlite3.connect(payer.aquifer.data / "payments.sqlite")
    row = (f"payment:{damaged}",)
    if harm == "bytes":
        (content,) = database.execute("SELECT bytes FROM entry WHERE key = ?", row).fetchone()
        changed = (content[:-1] + bytes([content[-1] ^ 1]), *row)
        assert database.execute("UPDATE entry SET bytes = ? WHERE key = ?", changed).rowcount == 1
    else:
        harmed = database.execute("UPDATE entry SET saved_at = saved_at + 1 WHERE key = ?", row)
        assert harmed.rowcount == 1
    database.commit()
    database.close()
    result = payer("payments", "list")
    assert result.returncode == STORE and good in result.stdout and damaged not in result.stdout
    assert "cannot be read" in result.stderr and "nothing was deleted" in result.stderr
    document = json.loads(payer("payments", "list", "--json").stdout)
    assert [payment["id"] for payment in document["value"]] == [good] and [part["name"] for part in document["failures"]] == [damaged]
    assert payer("payments", "check", damaged).returncode == STORE
    result = payer.pay(MARCIA, "30")
    assert result.returncode == DELIVERED and "cannot be read, and may be the same as this one" in result.stderr


def damaged(payer, foreign_payments):
    """Two payments, one of them damaged: their IDs."""
    payer.has_card()
    payer.pay(MARCIA, "10")
    payer.pay(MARCIA, "20")
    bad, good = (payment["id"] for payment in payer.payments())
    database = sqlite3.connect(payer.aquifer.data / "payments.sqlite")
    with database:
        row = (f"payment:{bad}",)
        assert database.execute("UPDATE entry SET bytes = x'00' WHERE key = ?", row).rowcount == 1
    database.close()
    return bad, good


def test_a_damaged_payment_is_removed_when_the_user_says_so_and_then_all_is_well(payer, foreign_payments):
    bad, good = damaged(payer, foreign_payments)
    listed = payer("payments", "list")
    assert listed.returncode == STORE and f"aquifer payments discard {bad}" in listed.stderr
    asked = payer("payments", "discard", bad)
    assert asked.returncode == USAGE and "--yes" in asked.stderr and is_one_line(asked.stderr)
    assert "your bank's statement is the only record of the payment" in asked.stderr
    assert payer("payments", "list").returncode == STORE, "nothing was removed"
    said = payer("payments", "discard", bad, "--yes")
    assert (said.returncode, said.stdout, said.stderr) == (DELIVERED, "", f"aquifer: discarded {bad}\n")
    assert payer("payments", "list").returncode == DELIVERED
    assert [payment["id"] for payment in payer.payments()] == [good]
    assert payer("payments", "discard", bad, "--yes").returncode == NOT_FOUND
    assert "cannot be read" not in payer.pay(MARCIA, "30").stderr
    assert payer.states() == ["approved", "approved"]


def test_a_payment_that_can_be_read_is_never_removed(payer, foreign_payments):
    bad, good = damaged(payer, foreign_payments)
    before = payer.aquifer("payments", "list", "--json").stdout
    result = payer("payments", "discard", good, "--yes")
    assert result.returncode == USAGE and "can be read" in result.stderr and is_one_line(result.stderr)
    for word in ("nonsense", "unknown", "0A0A0A0A-0000-0000-0000-0000000000FF"):
        assert payer("payments", "discard", word, "--yes").returncode == NOT_FOUND
    assert payer.aquifer("payments", "list", "--json").stdout == before


@pytest.mark.parametrize("answer, status", [("yes", DELIVERED), ("no", REFUSED), ("", REFUSED)])
def test_on_a_terminal_only_a_yes_removes_a_damaged_payment(payer, foreign_payments, answer, status):
    bad, good = damaged(payer, foreign_payments)
    master, terminal = pty.openpty()
    os.write(master, answer.encode() + b"\n")
    result = subprocess.run(
        [BINARY, "payments", "discard", bad, "--data", str(payer.aquifer.data)], stdin=terminal, capture_output=True,
        text=True, timeout=60, env=payer.aquifer.environment)
    os.close(terminal)
    os.close(master)
    assert result.returncode == status and "type yes to go on" in result.stderr, result.stderr
    assert payer("payments", "list").returncode == (DELIVERED if status == DELIVERED else STORE)


def test_a_damaged_entry_that_may_be_a_payment_and_has_no_id_is_removed_by_the_word_unknown(payer, foreign_payments):
    bad, good = damaged(payer, foreign_payments)
    database = sqlite3.connect(payer.aquifer.data / "payments.sqlite")
    with database:
        changed = database.execute("UPDATE entry SET key = CAST(x'ff' AS TEXT) WHERE key = ?", (f"payment:{bad}",))
        assert changed.rowcount == 1
    database.close()
    listed = payer("payments", "list")
    assert listed.returncode == STORE and "aquifer payments discard unknown" in listed.stderr, listed.stderr
    assert payer("payments", "discard", "unknown", "--yes").returncode == DELIVERED
    assert payer("payments", "list").returncode == DELIVERED and [p["id"] for p in payer.payments()] == [good]


def test_what_validate_says_of_the_cache_it_does_not_say_of_a_damaged_payment(payer, foreign_payments):
    damaged(payer, foreign_payments)
    said = payer("cache", "validate").stderr
    assert "the other cache entries are valid; payments list and outbox list check the rest" in said


def test_the_reference_remote_knows_its_payments_in_the_next_process_and_gives_each_its_number(aquifer):
    payer = Payer(aquifer)
    payer.has_card(VISA)
    numbers = [payer.pay("@marcia.goncalves", amount) for amount in ("10", "20")]
    first, second = (payment["number"] for payment in reversed(payer.payments()))
    assert [result.returncode for result in numbers] == [DELIVERED, DELIVERED] and second == first + 1
    kept = b"".join(path.read_bytes() for path in (aquifer.data / "reference/payments").rglob("*") if path.is_file())
    assert b"4242" in kept and VISA.encode() not in kept


def test_a_payment_whose_answer_was_lost_is_found_by_a_check_after_the_reference_remote_was_started_anew(aquifer, tmp_path):
    """The remote's process has ended in between: only what it wrote down can be found."""
    code, ledger = "739", tmp_path / "remotes"

    def serve(*words):
        process = subprocess.Popen(
            [BINARY, "remotes", "--port", "0", "--data", str(ledger), *words], stdout=subprocess.PIPE, text=True)
        address = next(line.strip() for line in process.stdout if line.startswith("payments="))
        return process, address

    # One port for both, so that it is the same server to the payment.
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    first, address = serve("--port", str(port), "--fault", "payments=answer-lost")
    payer = Payer(aquifer, address)
    payer.has_card()
    lost = payer.pay("@marcia.goncalves", "10", code=code)
    (payment,) = payer.payments()
    assert lost.returncode == UNKNOWN and payment["state"] == "unknown", lost.stderr
    first.terminate()
    assert first.wait(timeout=20) == 0
    kept = b"".join(path.read_bytes() for path in ledger.rglob("*") if path.is_file())
    assert payment["id"].encode().lower() in kept.lower() and b"4242" in kept
    # Three digits may be a part of a date, an identity or a checksum: there, other digits stand beside them.
    assert VISA.encode() not in kept and not re.search(rb"(?<![\da-fA-F.-])%s(?![\da-fA-F])" % code.encode(), kept)
    second, again = serve("--port", str(port))
    assert again == address
    checked = payer("payments", "check", payment["id"])
    assert checked.returncode == DELIVERED and payer.states() == ["approved"], checked.stderr
    second.terminate()
    assert second.wait(timeout=20) == 0


def test_a_payment_that_cannot_be_written_down_is_not_sent(payer, foreign_payments):
    payer.has_card()
    payer.pay(MARCIA, "10")
    for file in payer.aquifer.data.glob("payments*.sqlite*"):
        file.write_bytes(b"my thesis, 300 pages")
    assert len(list(payer.aquifer.data.glob("payments*.sqlite*"))) > 0
    result = payer.pay(MARCIA, "10", "--again")
    assert result.returncode == STORE and len(foreign_payments.bodies) == 1
    assert "was not sent" in result.stderr and is_one_line(result.stderr)
    for words in (("list",), ("list", "--json")):
        result = payer("payments", *words)
        assert result.returncode == STORE and "nothing was paid" not in result.stderr
        if "--json" in words:
            assert json.loads(result.stdout)["error"]["kind"] == "store"
        else:
            assert result.stdout == ""
