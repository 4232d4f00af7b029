"""Makes the golden stores with today's program: the files of each app, under `app/data` and `app/config`.

    AQUIFER_BIN=…/aquifer python make.py FOLDER

`test_golden.py` makes them for each run, so that this script stays true. README.md says when they are made anew.
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

AT = "2026-11-21T09:00:00Z"


class Maker:
    """Runs the command over a folder that is being made."""

    def __init__(self, binary, folder):
        self.binary, self.folder = str(binary), pathlib.Path(folder).resolve()
        self.app = self.folder / "app"
        self.data = self.app / "data"
        self.environment = {
            **os.environ, "LC_ALL": "C.UTF-8", "HOME": str(self.app / "home"), "XDG_CONFIG_HOME": str(self.app / "config"),
        }

    def __call__(self, *words, expect=0, lines=(), data=True):
        options = ["--data", str(self.data), "--at", AT] if data else []
        result = subprocess.run(
            [self.binary, *map(str, words), *options], capture_output=True, text=True, env=self.environment,
            input="".join(line + "\n" for line in lines), start_new_session=True, timeout=60)
        assert result.returncode == expect, (words, result.returncode, result.stdout, result.stderr)
        return result.stdout.strip()

    def value(self, *words):
        return json.loads(self(*words, "--json"))["value"]

    def remotes(self, *faults):
        """Starts remotes of their own; gives the process and the address of each."""
        words = [word for fault in faults for word in ("--fault", fault)]
        process = subprocess.Popen([self.binary, "remotes", "--port", "0", *words], stdout=subprocess.PIPE, text=True)
        addresses = {}
        for line in process.stdout:
            name, address = line.strip().split("=")
            addresses[name] = address
            if len(addresses) == 5:
                return process, addresses
        raise AssertionError("the remotes did not start")


def sound():
    """The smallest file that is taken for sound: 0.1 s of silence as WAV."""
    samples = bytes(800)
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack(
        "<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", len(samples)) + samples


def save_copies(aquifer):
    """Each app loads and saves; gives the contacts and the clips."""
    feed = aquifer.value("feed", "list", "--limit", "3")
    aquifer("feed", "comments", feed[0]["id"])
    aquifer("foaas", "list")
    aquifer("foaas", "say", "thanks", "from=Ana")
    return aquifer.value("contacts"), aquifer.value("audio", "list")


def pay(aquifer, user, addresses):
    """Payments that are approved, declined, not made for want of a network, and unknown for want of an answer."""

    def paid(amount, card, *words, expect=0):
        aquifer("pay", user, amount, "--cvv-stdin", "--card", card, *words, lines=("123",), expect=expect)

    aquifer("cards", "add", lines=("4242424242424242", "Ana de Testes", "12/38"))
    aquifer("cards", "add", lines=("374245455400126", "Ana de Testes", "11/38"))
    visa = aquifer.value("cards", "list")[0]["id"]
    paid("12.34", visa)
    aquifer("cards", "add", lines=("4111111111111111", "Ana de Testes", "10/38"))
    declined = aquifer.value("cards", "list")[-1]["id"]
    paid("5.00", declined, expect=1)
    paid("7.00", visa, "--offline", expect=69)
    lost = f"payments={addresses['payments']}"
    aquifer("contacts", "--remote", lost)
    paid("9.99", visa, "--remote", lost, expect=75)
    aquifer("cards", "remove", declined)


def post(aquifer, addresses):
    """The outbox: one item is refused, by a server without such a path; one waits behind it."""
    clip = aquifer.folder / "clip.wav"
    clip.write_bytes(sound())
    wrong = "audio=" + addresses["feed"]
    aquifer("audio", "post", clip, "--title", "Refused", "--author", "Ana", "--later", "--remote", wrong)
    aquifer("outbox", "send", expect=1)
    aquifer("audio", "post", clip, "--title", "Behind it", "--later")
    clip.unlink()


def fill_drive(aquifer):
    """A drive: keys, an account, a file in it."""
    (aquifer.app / "config/aquifer/keys").mkdir(parents=True, exist_ok=True)
    key = aquifer.app / "config/owner.json"
    aquifer("drive", "keygen", key, data=False)
    note = aquifer.folder / "note.txt"
    note.write_text("hello from golden!\n")
    aquifer("drive", "create", "photos", "1MB", "--keypair", key)
    aquifer("drive", "upload", "photos", note, "--keypair", key)
    aquifer("drive", "files", "photos", "--keypair", key)
    aquifer("drive", "list", "--keypair", key)
    note.unlink()


class Pages:
    """The requests of a browser."""

    def __init__(self, address):
        self.address = address

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.address + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Origin": self.address})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()

    def has(self, path):
        try:
            return bool(self.ask("GET", path))
        except urllib.error.HTTPError:
            return False

    def intend(self, screen, intent, **fields):
        self.ask("POST", f"/api/screens/{screen}/intents?tab=golden", {"intent": intent, **fields})


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_kept(aquifer, pages, clip):
    """Asks for a clip to be kept, which does nothing before the screen has loaded its list, or twice."""
    pages.intend("audio", "download", id=clip)
    return list((aquifer.data / "audio").glob("*.pin"))


def use_pages(aquifer, person, clip):
    """What only pages make: settings, a kept clip, a picture, a page's own key."""
    serve = subprocess.Popen(
        [aquifer.binary, "serve", "--port", "0", "--no-token", "--data", str(aquifer.data), "--at", AT],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=aquifer.environment)
    try:
        pages = Pages(re.search(r"http://[^/\s]+", serve.stdout.readline())[0])
        pages.intend("contacts", "appear")
        until(lambda: pages.has(f"/api/screens/contacts/images/{person}?tab=golden"))
        pages.intend("foaas-settings", "palette", name="moss")
        pages.intend("foaas-settings", "filter", on="false")
        pages.intend("audio", "appear")
        until(lambda: pages.has(f"/api/screens/audio/clips/{clip}?tab=golden"))
        until(lambda: is_kept(aquifer, pages, clip))
        pages.intend("drive", "appear")
    finally:
        serve.send_signal(signal.SIGTERM)
        serve.wait(60)


def make(binary, folder):
    """Makes `app/data` and `app/config` in a folder."""
    aquifer = Maker(binary, folder)
    people, clips = save_copies(aquifer)
    process, addresses = aquifer.remotes("payments=answer-lost", "audio=offline")
    try:
        pay(aquifer, people[0]["username"], addresses)
        post(aquifer, addresses)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    small = min(clips, key=lambda clip: clip["duration"])["id"]  # 24 KB
    aquifer("audio", "get", small, "-o", aquifer.folder / "out.mp3")
    (aquifer.folder / "out.mp3").unlink()
    fill_drive(aquifer)
    use_pages(aquifer, people[0]["id"], small)
    for file in aquifer.data.glob("*.sqlite"):  # moves the log into the file, and deletes it
        with contextlib.closing(sqlite3.connect(file)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


if __name__ == "__main__":
    make(os.environ["AQUIFER_BIN"], sys.argv[1])
