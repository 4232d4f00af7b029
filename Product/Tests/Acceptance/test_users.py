"""Several users of one `aquifer serve`: the commands, and a server that follows them."""

import json
import os
import re
import stat
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from conftest import BINARY, ROOT

CLIP = (ROOT / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3").read_bytes()


def add(aquifer, name, word="add"):
    """The token of a new user, or another one of a user."""
    return aquifer.json("users", word, name)["value"]["token"]


class House:
    """`aquifer serve --users`, as each of its users asks it; posts wait, because the audio remote is offline."""

    def __init__(self, server):
        self.line, self.base, self.end, self.samples = server.line, f"http://127.0.0.1:{server.port}", server.end, server.samples

    def ask(self, token, path, body=None, method=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.base + path, data=body, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def leave_post(self, token, title):
        assert self.ask(token, "/api/screens/audio-compose/file?tab=tab&name=clip.mp3", CLIP)[0] == 204
        for intent in ({"intent": "title", "text": title}, {"intent": "later"}):
            assert self.ask(token, "/api/screens/audio-compose/intents?tab=tab", json.dumps(intent).encode())[0] == 204
        assert title in self.shown(token, "outbox", "Rain")

    def shown(self, token, screen, words):
        """The first state of a screen that has these words, within half a minute."""
        with self.stream(token, screen) as states:
            assert self.ask(token, f"/api/screens/{screen}/intents?tab=tab", b'{"intent":"appear"}')[0] == 204
            until = time.monotonic() + 30
            # The server says something every 15 seconds.
            while time.monotonic() < until:
                line = states.readline().decode()
                if words in line:
                    return line
        raise AssertionError(f"{screen} does not show {words}")

    def stream(self, token, screen):
        request = urllib.request.Request(
            f"{self.base}/api/screens/{screen}/events?tab=tab", headers={"Authorization": f"Bearer {token}"})
        return urllib.request.urlopen(request, timeout=30)


@pytest.fixture
def serve(aquifer, serve):
    """Starts a server of several users."""
    return lambda *words: House(
        serve("--users", str(aquifer.data / "serve.users"), "--fault", "audio=offline", *words))


def test_a_user_is_added_listed_and_given_another_token_and_no_token_is_kept(aquifer):
    first = aquifer("users", "add", "ana", "--port", "9000")
    link = first.stdout.strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:9000/#token=[0-9a-f]{64}", link)
    shown, new = first.stderr.splitlines()
    assert shown == "aquifer: ana opens this link; it is shown only now, and whoever has it is let in"
    # A mistyped name of the file would begin with nobody.
    assert new == f"aquifer: {aquifer.data / 'serve.users'} is new: nobody else is in it"
    second = add(aquifer, "ana", "token")
    assert second not in link
    path = aquifer.data / "serve.users"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = path.read_text()
    assert second not in kept and link.partition("=")[2] not in kept
    assert aquifer.json("users", "list")["value"] == [{"isLeaving": False, "name": "ana", "tokens": 2}]
    assert aquifer.json("users", "logout", "ana")["value"] == {"ended": 2, "name": "ana"}
    assert aquifer("users", "remove", "ana", "--yes").returncode == 0
    assert aquifer.json("users", "list")["value"] == []


@pytest.mark.parametrize("words, status, message", [
    (["add", "a b"], 64, 'aquifer: "a b" is no name of a user: use 1 to 32 letters (a to z), digits, ".", "-" and "_", and begin with a letter or a digit'),
    (["add", "ana"], 64, 'aquifer: there is a user "ana" already; aquifer users token ana lets another device of theirs in'),
    (["token", "bruno"], 66, 'aquifer: there is no user "bruno"; aquifer users list shows them'),
    (["remove", "bruno"], 66, 'aquifer: there is no user "bruno"; aquifer users list shows them'),
])
def test_a_mistake_is_told_with_what_to_do(aquifer, words, status, message):
    add(aquifer, "ana")
    result = aquifer("users", *words)
    assert (result.returncode, result.stderr) == (status, message + "\n")


def test_a_user_is_not_removed_without_a_question_or_a_word_that_there_shall_be_none(aquifer):
    add(aquifer, "ana")
    result = aquifer("users", "remove", "ana", stdin=subprocess.DEVNULL)
    assert (result.returncode, result.stderr) == (
        64, "aquifer: removing the user ana needs --yes, because there is no terminal to ask on; cards, keys, payments, settings and"
        " uploads of ana are deleted for good, and all links of ana end\n")
    assert [user["name"] for user in aquifer.json("users", "list")["value"]] == ["ana"]
    assert aquifer("users", "remove", "ana", "--yes").returncode == 0


@pytest.mark.parametrize("answer, status, left", [("no", 1, ["ana"]), ("", 1, ["ana"]), ("yes", 0, [])])
def test_on_a_terminal_a_user_is_removed_after_a_yes(aquifer, answer, status, left):
    add(aquifer, "ana")
    here, there = os.openpty()
    asking = subprocess.Popen(
        [BINARY, "users", "remove", "ana", "--data", str(aquifer.data)], stdin=there, stdout=there, stderr=there,
        start_new_session=True, env=aquifer.environment)
    os.close(there)
    said = b""
    while b"> " not in said:
        said += os.read(here, 1024)
    assert b"uploads of ana are deleted for good" in said
    os.write(here, f"{answer}\n".encode())
    assert asking.wait(timeout=20) == status
    os.close(here)
    assert [user["name"] for user in aquifer.json("users", "list")["value"]] == left


def test_the_metrics_count_what_waits_of_all_users_and_name_none_of_them(aquifer, serve):
    ana, bruno = add(aquifer, "ana"), add(aquifer, "bruno")
    server = serve()
    assert server.samples()["aquifer_outbox_users", ()] == 0
    server.leave_post(ana, "Rain of Ana")
    server.leave_post(bruno, "Rain of Bruno")
    found = server.samples()
    assert found["aquifer_outbox_users", ()] == 2
    # One of them may just be tried.
    assert sum(found["aquifer_outbox_items", (("state", state),)] for state in ("waiting", "sending")) == 2
    assert found["aquifer_outbox_oldest_seconds", ()] > 0
    assert not any({"ana", "bruno"} & {value for _, value in labels} for _, labels in found)


def test_a_damaged_file_is_told_as_damage_and_never_as_no_users(aquifer):
    add(aquifer, "ana")
    path = aquifer.data / "serve.users"
    path.write_bytes(path.read_bytes()[:-1])
    for words in (["users", "list"], ["users", "add", "bruno"], ["serve", "--port", "0", "--users", str(path)]):
        result = aquifer(*words)
        assert result.returncode == 74 and "is damaged" in result.stderr and "nobody is let in" in result.stderr
    path.write_bytes(b"")
    assert aquifer("users", "list").returncode == 74


def test_a_server_without_users_begins_with_nobody_and_says_how_to_add_one(aquifer, serve):
    server = serve()
    assert server.ask("0" * 64, "/api/user")[0] == 401
    ana = add(aquifer, "ana")
    assert server.ask(ana, "/api/user") == (200, '{"name":"ana"}')
    server.end()
    result = subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--users", str(aquifer.data / "none"), "--data", str(aquifer.data / "fresh")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=aquifer.environment)
    assert result.stdout.readline().startswith("Aquifer is at ")
    result.terminate()
    assert "there are no users yet; aquifer users add NAME adds the first\n" in result.communicate(timeout=20)[1]


@pytest.mark.parametrize("word", ["add", "token"])
def test_behind_a_proxy_a_link_has_the_address_of_the_proxy(aquifer, word):
    if word == "token":
        add(aquifer, "ana")
    link = aquifer("users", word, "ana", "--origin", "https://aquifer.example").stdout
    assert re.fullmatch(r"https://aquifer\.example/#token=[0-9a-f]{64}\n", link)


def test_the_link_of_a_server_whose_output_nobody_sees_is_printed(aquifer):
    none = aquifer("link")
    assert none.returncode == 66 and "no server with a token has run with this data" in none.stderr
    assert not (aquifer.data / "serve.token").exists()
    server = subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--origin", "https://aquifer.example", "--data", str(aquifer.data)],
        stdout=subprocess.PIPE, text=True, env=aquifer.environment)
    said = server.stdout.readline()
    server.terminate()
    server.communicate(timeout=20)
    link = aquifer("link", "--origin", "https://aquifer.example")
    assert said == f"Aquifer is at {link.stdout}"
    assert link.stderr == "aquifer: whoever has this link is let in\n"
    assert aquifer("link", "--port", "0").returncode == 64


def test_a_removal_takes_the_folders_of_the_server_and_never_says_that_it_deleted_what_it_did_not_find(aquifer, serve, tmp_path):
    zoe = add(aquifer, "zoe")
    server = serve()
    server.leave_post(zoe, "Rain of Zoe")
    file = aquifer.data / "serve.users"
    identity = json.loads(file.read_text().partition("\n")[2])["users"][0]["id"]
    assert (aquifer.data / "users" / identity).exists()
    # Somebody else's home: neither the data nor the keys are the usual ones.
    elsewhere = {**aquifer.environment, "HOME": str(tmp_path / "other"), "XDG_CONFIG_HOME": str(tmp_path / "other-config")}
    words = [BINARY, "users", "remove", "zoe", "--users", str(file), "--yes", "--discard-unsent"]
    wrong = subprocess.run([*words, "--data", str(tmp_path / "wrong")], capture_output=True, text=True, timeout=60, env=elsewhere)
    assert wrong.returncode != 0 and str(aquifer.data) in wrong.stderr and "nothing was changed" in wrong.stderr
    assert not (tmp_path / "wrong").exists() and server.ask(zoe, "/api/user")[0] == 200
    assert subprocess.run(words, capture_output=True, timeout=60, env=elsewhere).returncode == 0
    assert not (aquifer.data / "users" / identity).exists()
    assert not any((aquifer.config / "aquifer/keys/users" / identity).rglob("*"))
    again = add(aquifer, "zoe")
    assert server.ask(zoe, "/api/user")[0] == 401
    assert server.ask(again, "/api/user")[0] == 200
    assert "Rain of Zoe" not in server.shown(again, "outbox", "items")


@pytest.mark.parametrize("words", [["--no-token"], ["--keypair", "id.json"]])
def test_what_would_be_shared_by_all_users_does_not_go_with_users(aquifer, words):
    add(aquifer, "ana")
    result = aquifer("serve", "--port", "0", "--users", str(aquifer.data / "serve.users"), *words)
    assert result.returncode == 64 and words[0] in result.stderr


def test_a_running_server_follows_the_file_and_ends_streams(aquifer, serve):
    ana, bruno = add(aquifer, "ana"), add(aquifer, "bruno")
    server = serve()
    assert "token" not in server.line
    assert server.ask(ana, "/api/user") == (200, '{"name":"ana"}')
    assert server.ask(bruno, "/api/user") == (200, '{"name":"bruno"}')
    assert server.ask(None, "/api/user")[0] == 401
    carla = add(aquifer, "carla")
    assert server.ask(carla, "/api/user") == (200, '{"name":"carla"}')
    with server.stream(ana, "cards") as states:
        assert any(b"event: state" in line for line in iter(states.readline, b""))
        aquifer("users", "logout", "ana")
        # The connection is cut, which a client reads as an end or as an error.
        try:
            states.read()
        except OSError:
            pass
        except Exception as error:
            assert type(error).__name__ == "IncompleteRead", error
    assert server.ask(ana, "/api/user")[0] == 401
    assert aquifer("users", "remove", "carla", "--yes").returncode == 0
    assert server.ask(carla, "/api/user")[0] == 401
    assert server.ask(bruno, "/api/user")[0] == 200


def test_a_user_with_something_unsent_is_removed_only_by_choice_and_the_others_keep_theirs(aquifer, serve):
    ana, bruno = add(aquifer, "ana"), add(aquifer, "bruno")
    server = serve()
    server.leave_post(ana, "Rain of Ana")
    server.leave_post(bruno, "Rain of Bruno")
    users = json.loads((aquifer.data / "serve.users").read_text().partition("\n")[2])["users"]
    folder = aquifer.data / "users" / next(user["id"] for user in users if user["name"] == "ana")
    assert any(folder.rglob("*"))
    result = aquifer("users", "remove", "ana", "--yes")
    assert result.returncode == 75
    assert result.stderr.startswith('aquifer: "ana" has one change that has not been sent, and was not removed; --send-first')
    assert server.ask(ana, "/api/user")[0] == 200
    assert aquifer("users", "remove", "ana", "--discard-unsent", "--yes").returncode == 0
    assert server.ask(ana, "/api/user")[0] == 401
    assert not any(folder.rglob("*"))
    left = server.shown(bruno, "outbox", "Rain of")
    assert "Rain of Bruno" in left and "Rain of Ana" not in left


def test_a_quota_bounds_one_user_and_no_other(aquifer, serve):
    ana, bruno = add(aquifer, "ana"), add(aquifer, "bruno")
    server = serve("--quota", "200KB")
    path = "/api/screens/audio-compose/file?tab={}&name=clip.mp3"
    big = b"ID3" + b"x" * 150_000
    assert server.ask(ana, path.format("one"), big)[0] == 204
    status, text = server.ask(ana, path.format("two"), big)
    assert status == 507 and "used up" in text
    assert server.ask(bruno, path.format("one"), big)[0] == 204
