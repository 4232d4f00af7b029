"""`aquifer foaas`, against another implementation of the contract and the reference remote."""

import json
import os
import re
import subprocess
import urllib.request

import pytest

from conftest import BINARY
from foaas_remote import FoaasRemote
from serving import states

DELIVERED, USAGE, INVALID, NOT_FOUND, UNAVAILABLE, STORE = 0, 64, 65, 66, 69, 74


@pytest.fixture
def remote():
    remote = FoaasRemote()
    yield remote
    try:
        remote.stop()
    except OSError:
        pass


@pytest.fixture
def foaas(aquifer, remote):
    def foaas(*words, **options):
        return aquifer("foaas", *words, "--remote", f"foaas={remote.address}", **options)
    return foaas


def document(result):
    assert result.returncode == DELIVERED, result.stderr
    return json.loads(result.stdout)


# The list


def test_the_list_shows_100_of_100_though_one_field_lacks_its_name(foaas, remote):
    report = document(foaas("list", "--json"))
    assert len(report["value"]) == 100 and report["source"] == "remote"
    assert [operation["url"] for operation in report["value"]] == [operation["url"] for operation in remote.operations]
    assert report["value"][20]["fields"] == [{"name": "From", "field": "from"}]
    assert [headers["Accept"] for _, headers in remote.requests] == ["application/json"]


def test_the_list_for_people_has_names_keys_and_paths(foaas):
    result = foaas("list", "three")
    assert result.returncode == DELIVERED and result.stderr == ""
    assert "NAME" in result.stdout and "name thing from" in result.stdout and "/three3/:name/:thing/:from" in result.stdout
    assert len(result.stdout.splitlines()) == 4


def test_a_search_for_nothing_is_delivered_and_said(foaas):
    result = foaas("list", "qqq")
    assert (result.returncode, result.stdout) == (DELIVERED, "") and "qqq" in result.stderr


def test_one_unreadable_operation_among_a_hundred_costs_itself_only_and_is_counted(foaas, remote):
    remote.operations[7] = {"name": "Broken", "url": 7}
    remote.list = ("application/json", json.dumps(remote.operations))
    result = foaas("list", "--json")
    assert len(document(result)["value"]) == 99
    assert "1 of the remote's operations could not be read" in result.stderr


@pytest.mark.parametrize("answer", [("text/html", "<html>hi</html>"), ("application/json", "{}"), ("application/json", "[{}]")])
def test_what_is_no_list_is_invalid_data_and_the_saved_one_is_kept(foaas, remote, answer):
    good = remote.list
    remote.list = answer
    first = foaas("list")
    assert first.returncode == INVALID and first.stdout == "" and len(first.stderr.splitlines()) == 1
    remote.list = good
    document(foaas("list", "--json"))
    remote.list = answer
    saved = document(foaas("list", "--json"))
    assert saved["source"] == "cache" and saved["because"] == "invalidData" and len(saved["value"]) == 100


def test_offline_the_saved_list_comes_with_its_age_and_after_seven_days_no_more(foaas, remote):
    document(foaas("list", "--json"))
    remote.stop()
    aged = foaas("list", "one1", "--at", "+2d")
    assert aged.returncode == DELIVERED and "One 1" in aged.stdout and "2 days ago" in aged.stderr
    expired = foaas("list", "--at", "+8d")
    assert expired.returncode == UNAVAILABLE and expired.stdout == ""


# Phrases


def test_every_operation_can_be_said(foaas, remote):
    for operation in remote.operations[::9] + remote.operations[-3:] + [remote.operations[20]]:
        keys = [part[1:] for part in operation["url"].split("/") if part.startswith(":")]
        result = foaas("say", operation["name"], *[f"{key}=the {key}" for key in keys])
        assert result.returncode == DELIVERED, result.stderr
        segment = operation["url"].split("/")[1]
        assert remote.said[-1] == [segment] + [f"the {key}" for key in keys]


@pytest.mark.parametrize("value", [
    "a/b c?d#e%f", "😀👩‍👩‍👧", "שלום עולם", "مرحبا", "%2F%00", "a=b", " ", ".", "..", "a+b&c;d", "\\\"'", "x" * 8_000, "é" * 1_300,
])
def test_a_value_arrives_unharmed(foaas, remote, value):
    result = foaas("say", "one1", f"from={value}")
    assert result.returncode == DELIVERED, result.stderr
    assert remote.said == [["one1", value]]


def test_a_value_too_long_to_be_sent_is_refused_before_it_is_sent(foaas, remote):
    result = foaas("say", "one1", "from=" + "😀" * 2_000)
    assert result.returncode == USAGE and "too long" in result.stderr and remote.said == []


def test_an_operation_is_found_by_name_or_first_word_whatever_case(foaas, remote):
    for name in ("One 1", "one 1", "ONE1"):
        assert foaas("say", name, "from=me").returncode == DELIVERED
    assert remote.said == [["one1", "me"]] * 3


def test_an_unknown_operation_is_said_with_near_names(foaas, remote):
    result = foaas("say", "three", "from=me")
    assert result.returncode == NOT_FOUND and "Three 1" in result.stderr and remote.said == []


def test_an_unknown_or_missing_key_is_said_with_those_there_are(foaas, remote):
    unknown = foaas("say", "three1", "form=me")
    assert unknown.returncode == USAGE and '"form"' in unknown.stderr and "name, thing, from" in unknown.stderr
    missing = foaas("say", "three1", "thing=x")
    assert missing.returncode == USAGE and "name, from" in missing.stderr
    empty = foaas("say", "one1", "from=")
    assert empty.returncode == USAGE and "from" in empty.stderr
    assert foaas("say", "one1", "me").returncode == USAGE
    assert remote.said == []


def test_an_operation_without_fields_needs_none(foaas, remote):
    assert foaas("say", "version").returncode == DELIVERED
    assert remote.said == [["version"]]


def test_the_filter_is_on_unless_told_otherwise(foaas):
    assert "d*mn" in foaas("say", "one1", "from=me").stdout
    assert "damn" in foaas("say", "one1", "from=me", "--unfiltered").stdout
    assert "d*mn" in document(foaas("say", "one1", "from=me", "--json"))["value"]["message"]


def test_a_phrase_is_two_lines_or_a_document(foaas):
    assert foaas("say", "two1", "tool=a", "from=me", "--unfiltered").stdout.splitlines()[1] == "- me"
    assert document(foaas("say", "one1", "from=me", "--json"))["value"].keys() == {"message", "subtitle"}


def test_html_instead_of_json_is_invalid_data(foaas, remote):
    remote.html = True
    result = foaas("say", "one1", "from=me")
    assert result.returncode == INVALID and "text/html" in result.stderr and result.stdout == ""


def test_622_is_no_success(aquifer, remotes):
    reference = remotes(name="foaas")
    result = aquifer("foaas", "list", "--json", "--remote", reference)
    assert len(document(result)["value"]) >= 60
    result = aquifer("foaas", "list", "--remote", reference.rstrip("/") + "/a/b/c")
    assert result.returncode == INVALID and "622" in result.stderr


def test_without_a_connection_it_is_said_and_the_last_ones_seen_are_offered(foaas, remote):
    foaas("say", "one1", "from=first")
    foaas("say", "one2", "from=second")
    remote.stop()
    result = foaas("say", "one1", "from=me")
    assert result.returncode == UNAVAILABLE and result.stdout == ""
    lines = result.stderr.splitlines()
    assert "needs a connection" in lines[0] and "second" in lines[2] and "first" in lines[3]
    quiet = foaas("random", "--quiet")
    assert quiet.returncode == UNAVAILABLE and len(quiet.stderr.splitlines()) == 1


def test_a_random_phrase_is_of_any_operation_and_filled_in(foaas, remote):
    for _ in range(6):
        assert foaas("random").returncode == DELIVERED
    assert len(remote.said) == 6 and len(set(map(tuple, remote.said))) > 1
    assert all(not part.startswith(":") for said in remote.said for part in said)


def test_the_last_ones_seen_are_not_deleted_with_the_cache(aquifer, foaas, remote):
    foaas("say", "one1", "from=kept")
    aquifer("cache", "clear")
    remote.stop()
    # The list is gone with the cache, the phrase is not.
    assert "kept" in foaas("random").stderr


# Start of the phrases:
# "Check to see if you can load stored [FoaasOperation] before you attempt to make an API call"


def asked_for_operations(remote):
    return [path for path, _ in remote.requests].count("/operations")


def test_the_stored_operations_are_loaded_before_the_remote_is_asked_for_them(aquifer, foaas, remote):
    assert foaas("say", "version").returncode == DELIVERED and asked_for_operations(remote) == 1
    assert (aquifer.data / "foaas.plist").is_file(), "they are stored in user defaults, in the data folder"
    # Not the saved copy of the list: the stored operations alone are enough.
    for path in aquifer.data.glob("values.sqlite*"):
        path.unlink()
    assert foaas("say", "one1", "from=me").returncode == DELIVERED
    assert asked_for_operations(remote) == 1 and remote.said == [["version"], ["one1", "me"]]


def test_after_seven_days_the_stored_operations_are_asked_for_anew(foaas, remote):
    foaas("say", "version")
    assert foaas("say", "version", "--at", "+6d").returncode == DELIVERED and asked_for_operations(remote) == 1
    assert foaas("say", "version", "--at", "+7d").returncode == DELIVERED and asked_for_operations(remote) == 2


def test_clearing_the_cache_clears_the_stored_operations(aquifer, foaas, remote):
    foaas("list")
    assert "FoaasOperationsKey" in aquifer("cache", "list").stdout
    assert aquifer("cache", "clear").returncode == DELIVERED
    assert "FoaasOperationsKey" not in aquifer("cache", "list").stdout
    assert foaas("say", "version").returncode == DELIVERED and asked_for_operations(remote) == 2


def test_the_stored_operations_of_one_server_are_not_those_of_another(aquifer, foaas, remote):
    foaas("list")
    other = FoaasRemote()
    try:
        assert aquifer("foaas", "say", "version", "--remote", f"foaas={other.address}").returncode == DELIVERED
        assert asked_for_operations(other) == 1
    finally:
        other.stop()


@pytest.fixture
def serve(aquifer, remote):
    """Starts the server on the data folder; gives its address."""
    started = []

    def serve():
        words = ["serve", "--port", "0", "--no-token", "--data", str(aquifer.data), "--remote", f"foaas={remote.address}"]
        process = subprocess.Popen([BINARY, *words], stdout=subprocess.PIPE, text=True, env=aquifer.environment)
        started.append(process)
        return re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]

    def stop():
        for process in started:
            process.terminate()
            assert process.wait(timeout=20) == 0
        started.clear()

    serve.stop = stop
    yield serve
    stop()


def first_state(address, screen, condition):
    """The first state of a screen, as its page hears it, that fulfils the condition."""
    with urllib.request.urlopen(f"{address}/api/screens/{screen}/events?tab=t", timeout=30) as stream:
        return next(filter(condition, states(stream)))


def tell(address, screen, intent):
    request = urllib.request.Request(
        f"{address}/api/screens/{screen}/intents?tab=t", data=json.dumps({"intent": intent}).encode(),
        headers={"Content-Type": "application/json"})
    assert urllib.request.urlopen(request, timeout=30).status == 204


def test_the_first_page_of_the_phrases_starts_them_with_the_stored_operations_else_with_a_request(serve, remote):
    address = serve()
    # The settings need no operations, so that the request is the start's own.
    first_state(address, "foaas-settings", lambda state: True)
    assert remote.requested("/operations", seconds=20), "nothing is stored: they are requested"
    tell(address, "foaas", "appear")
    assert first_state(address, "foaas", lambda state: state["phrase"])["phrase"]["message"]
    assert asked_for_operations(remote) == 1 and len(remote.said) == 1
    serve.stop()
    remote.requests.clear()
    address = serve()
    first_state(address, "foaas-settings", lambda state: True)
    tell(address, "foaas", "appear")
    assert first_state(address, "foaas", lambda state: state["phrase"])["phrase"]["message"]
    assert asked_for_operations(remote) == 0 and len(remote.said) == 1


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "huge file"])
def test_something_else_in_the_place_of_the_settings_is_refused_without_being_opened(aquifer, kind):
    aquifer.data.mkdir(parents=True)
    place = aquifer.data / "foaas.plist"
    if kind == "huge file":
        place.touch()
        os.truncate(place, (16 << 20) + 1)
    else:
        os.mkfifo(place) if kind == "pipe" else place.mkdir() if kind == "folder" else place.symlink_to("/dev/null")
    assert aquifer("foaas", "list").returncode == DELIVERED
    listed = aquifer("cache", "list")
    assert listed.returncode == STORE and "foaas.plist" in listed.stderr, listed.stderr
    assert "foaas" in listed.stdout
