"""A few of the lab's faults in every run of the tests, and all that it found before. `make lab` runs many more."""

import pytest

import requests_fuzz
from power import lose_power
from sessions import SESSIONS
from sweep import Lab, faults_of

#: What the lab found, by the words that replay it. Each was a broken promise, and is mended.
FOUND = [
    # A failed allocation in libcurl lost the transfer, and the command never ended.
    "audio post: curl malloc 20 fail",
    "audio list: curl calloc 19 fail",
]
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


@pytest.mark.parametrize("name", LOSSES)
def test_what_was_acknowledged_survives_a_loss_of_power(lab, name):
    problems, count = lose_power(lab, session_named(name), range(1, LOSSES[name] + 1), jobs=1)
    assert count == LOSSES[name] and problems == []


def test_a_server_lives_through_requests_that_are_changed_at_random():
    statuses = requests_fuzz.run(requests_fuzz.BINARY, 200, seed=7)
    # Good requests, and refused ones: the changes are neither too few nor too many.
    assert all(counts.get(200, 0) > 0 and counts.get(400, 0) > 0 for counts in statuses.values())
