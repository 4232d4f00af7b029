"""A few of the lab's faults in every run of the tests, and all that it found before. `make lab` runs many more."""

import pytest

import requests_fuzz
from harms import Harms
from late import Late
from more_sessions import ALL
from peers import crowd_out
from power import lose_power
from sessions import SESSIONS
from sweep import ALLOCATIONS, Lab, faults_of

#: The finds of the lab, by the words that replay them. Each was a broken promise, and is mended.
FOUND = [
    # A failed allocation in libcurl lost the transfer, and the command never ended.
    "audio post: curl malloc 20 fail",
    "audio list: curl calloc 19 fail",
]
#: Late calls that held others up: an upload began on the thread of the network, and a folder was opened on that of the
#: screens, which waited. The first is a look-up of a name, of a request whose page has left.
FOUND_LATE = [
    "serve: curl getaddrinfo 1 late",
    "serve: aquifer rename 1 late",
    "serve: aquifer access 1 late",
]
#: Some of the late calls of commands.
LATE = ["feed list: aquifer open 1 ctrl-c", "feed list: sqlite fdatasync 1 late", "pay: curl recv 1 ctrl-c", "audio post: sqlite fcntl 1 late"]
#: Some of the harms that a remote can do: to commands, by session, kind of request and harm; and to pages.
HARMED = [
    ("feed list", "GET /feed/v1/feed", "gzip bomb"), ("feed image", "GET /feed/pictures/NAME", "endless"),
    ("pay", "POST /payments/transaction", "endless interim"), ("audio list", "GET /audio/v1/audio", "deep"),
    ("drive info", "POST /drive/storage-account-info", (("current_usage",), "2^64-1")),
    ("pay", "POST /payments/transaction", (("transaction", "id"), "2^64")),
]
HARMED_PAGES = [("GET /feed/pictures/NAME", "gzip bomb"), ("GET /audio/v1/audio", "endless header")]
#: Sessions that lose power, with the number of cuts. A folder that was new could be gone with all that was saved in it.
LOSSES = {"cards add": 6, "pay": 6, "audio post, later": 6}


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


@pytest.fixture(scope="session")
def baseline(lab):
    """The outcome of a session without a fault, and how often it makes each call."""
    known = {}

    def baseline(session):
        if session.name not in known:
            known[session.name] = lab.counts(session)
        return known[session.name]

    return baseline


def session_named(name):
    return next(session for session in SESSIONS if session.name == name)


@pytest.mark.parametrize("words", FOUND)
def test_what_the_lab_found_stays_mended(lab, baseline, words):
    name, _, rest = words.partition(": ")
    caller, call, number, action = rest.split()
    session = session_named(name)
    lab.strike(session, baseline(session)[0], (caller, call, int(number), action))


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
def test_a_failing_system_is_told_and_the_next_try_works(lab, baseline, session):
    outcome, counts = baseline(session)
    faults = list(faults_of(counts, ["aquifer", "sqlite", "curl"], ["fail", "kill"], allocations=20))
    struck = 0
    for fault in faults[:: max(1, len(faults) // 6)]:
        struck += lab.strike(session, outcome, fault) != "not reached"
    assert struck, "no fault was reached"


def test_curl_may_lack_memory_at_any_moment(lab, baseline):
    """libcurl 7.88 divides by zero when it is used on after it had no memory for a socket."""
    session = session_named("feed list, saved")
    outcome, counts = baseline(session)
    faults = [fault for fault in faults_of(counts, ["curl"], ["fail"], allocations=0) if fault[1] in ALLOCATIONS]
    for fault in faults:
        lab.strike(session, outcome, fault)
    assert len(faults) > 30


@pytest.mark.parametrize("name", LOSSES)
def test_what_was_acknowledged_survives_a_loss_of_power(lab, name):
    problems, count = lose_power(lab, session_named(name), range(1, LOSSES[name] + 1), jobs=1)
    assert count == LOSSES[name] and problems == []


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    late = Late(tmp_path_factory.mktemp("late"), delay=8)
    yield late
    late.lab.stop()


def fault_in(words):
    name, _, rest = words.partition(": ")
    caller, call, number, action = rest.split()
    return name, (caller, call, int(number), action)


@pytest.mark.parametrize("words", FOUND_LATE)
def test_a_call_of_the_server_that_is_late_holds_nobody_else_up(late, words):
    assert late.serve(fault_in(words)[1]) == "others were served"


@pytest.mark.parametrize("words", LATE)
def test_a_command_whose_call_is_late_ends_in_time_and_hears_ctrl_c(late, words):
    name, fault = fault_in(words)
    session = session_named(name)
    assert late.command(session, late.lab.counts(session)[0], fault) != "not reached"


@pytest.fixture(scope="module")
def harms(tmp_path_factory):
    harms = Harms(tmp_path_factory.mktemp("harms"))
    yield harms
    harms.stop()


@pytest.mark.parametrize("name, kind, harm", HARMED, ids=lambda value: value if isinstance(value, str) else ".".join(value[0]) + "=" + value[1])
def test_a_remote_that_answers_with_harm_costs_little_and_is_told(harms, name, kind, harm):
    session = next(session for session in ALL if session.name == name)
    rest = harms.kinds(session)[1]
    assert harms.harm(session, kind, harm, rest) != "not reached"


@pytest.mark.parametrize("kind, harm", HARMED_PAGES)
def test_a_remote_that_does_harm_to_one_page_holds_nobody_else_up(harms, kind, harm):
    assert harms.page(kind, harm) == "others were served"


def test_extreme_numbers_and_wrong_types_in_the_answers_of_a_drive_end_no_server(harms):
    assert "others were served" in harms.page_fields("drive", step=9)


@pytest.mark.parametrize("text", ["silent", "a slow body"])
def test_many_peers_and_few_descriptors_shut_nobody_out(harms, text):
    assert crowd_out(harms.new("peers"), 128, text) == "others were served"


def test_a_server_lives_through_requests_that_are_changed_at_random():
    statuses = requests_fuzz.run(requests_fuzz.BINARY, 200, seed=7)
    # Good requests, and refused ones: the changes are neither too few nor too many.
    assert all(counts.get(200, 0) > 0 and counts.get(400, 0) > 0 for counts in statuses.values())
