"""A short soak in every run of the tests, and the judges themselves: a history that was changed must be blamed."""

import copy

import pytest

import soak
from judges import Judge
from rounds import Round, build_clocks


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The history of one round, with what the judges of the soak said of it."""
    folder = tmp_path_factory.mktemp("soak")
    round = Round(folder / "round", 7, build_clocks(folder), workers=3)
    return round.run(18), round.history.events


def test_processes_that_are_killed_stopped_and_cut_off_keep_every_promise(history):
    problems, events = history
    assert problems == []
    numbers = soak.counted(events)
    # On a machine that is very busy, little happens; something must.
    assert numbers["kills"] + numbers["kills of the remotes"] >= 10 and numbers["pauses"] >= 3 and numbers["operations"] >= 50, numbers


def first(events, condition):
    return next(event for event in events if condition(event))


def lose_a_clip(events, final):
    titles = {event["title"] for event in events if event["event"] == "done" and event["op"] == "audio post --later" and event["exit"] == 0}
    final["clips"] = [clip for clip in final["clips"] if clip["title"] not in titles]


def lose_a_payment(events, final):
    del final["payments"][0]


def lose_the_bookings(events, final):
    final["booked"] = {}


CHANGES = {
    "is lost": lose_a_clip,
    "is at the server 2 times": lambda events, final: final["clips"].append(final["clips"][0]),
    "the outbox keeps": lambda events, final: final["outbox"].append({"label": "x"}),
    "not in the list": lose_a_payment,
    "were paid 2 times": lambda events, final: final["booked"].update(again=next(iter(final["booked"].values()))),
    "not booked": lose_the_bookings,
    "stays unknown": lambda events, final: final["payments"][0].update(state="unknown"),
    "is left over": lambda events, final: final["leftovers"].append("x.incoming"),
    "journals of downloads are left over": lambda events, final: final["leftovers"].extend(f"audio/{n:032x}.part" for n in range(99)),
    "died of SIGILL": lambda events, final: first(events, lambda event: event["event"] == "done").update(exit=-4),
    "did not end": lambda events, final: first(events, lambda event: event["event"] == "done").update(hung=True),
    "exit code 70": lambda events, final: first(events, lambda event: event["event"] == "done" and event["exit"] >= 0).update(exit=70),
    "descriptors": lambda events, final: events.append({"event": "descriptors", "server": 1, "before": 20, "after": 900, "at": 1, "clock": 0}),
    "ended with -4": lambda events, final: events.append(
        {"event": "server ended", "server": 1, "killed": False, "hung": False, "exit": -4, "trap": True, "said": "", "at": 9, "clock": 0}),
}


@pytest.mark.parametrize("words", CHANGES)
def test_a_history_with_a_broken_promise_is_blamed(history, words):
    events = copy.deepcopy(history[1])
    CHANGES[words](events, events[-1])
    assert any(words in problem for problem in Judge(events).judge())


def loaded(number, at, version, op="feed list", source="remote", clock=0.0, savedAt="1970-01-01T00:20:00Z"):
    out = f'{{"source":"{source}","saveError":null,"savedAt":"{savedAt}","value":[{{"description":"version {version}"}}]}}'
    return [
        {"event": "invoke", "id": number, "op": op, "at": at, "clock": clock},
        {"event": "done", "id": number, "op": op, "at": at + 0.5, "clock": clock, "exit": 0, "sent": [], "hung": False, "out": out, "said": ""}]


ROUND = {"event": "round", "unix": 1200, "at": 0, "clock": 0}


@pytest.mark.parametrize(
    "words, second",
    [
        ("version 4 was shown after 5", loaded(2, 5, 4, "feed list --offline", "cache")),
        ("a copy was shown that is 700", loaded(2, 5, 5, "feed list --offline", "cache", 700_000.0)),
        (None, loaded(2, 5, 5, "feed list --offline", "cache")),
    ],
)
def test_an_older_or_an_expired_copy_is_blamed_and_a_good_one_is_not(words, second):
    found = [problem for problem in Judge([ROUND, *loaded(1, 1, 5), *second]).judge() if "no end" not in problem]
    assert found == [] if words is None else words in found[0]
