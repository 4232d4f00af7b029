"""Makes the golden stores of today's format that the command line can make: see README.md.

    AQUIFER_BIN=…/aquifer python make.py FOLDER
"""

import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

BINARY = os.environ["AQUIFER_BIN"]
HERE = pathlib.Path(sys.argv[1]).resolve()
APP = HERE / "app"
AT = "2026-11-21T09:00:00Z"


def environment():
    return {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(APP / "home"), "XDG_CONFIG_HOME": str(APP / "config")}


def aquifer(*words, expect=0, lines=(), data=True, at=AT):
    options = (["--data", str(APP / "data"), "--at", at] if data else [])
    result = subprocess.run(
        [BINARY, *map(str, words), *options], capture_output=True, text=True, env=environment(),
        input="".join(line + "\n" for line in lines), start_new_session=True, timeout=60)
    assert result.returncode == expect, (words, result.returncode, result.stdout, result.stderr)
    return result.stdout.strip()


def remotes(*faults):
    """Starts remotes of their own; gives the process and the address of each."""
    words = [word for fault in faults for word in ("--fault", fault)]
    process = subprocess.Popen([BINARY, "remotes", "--port", "0", *words], stdout=subprocess.PIPE, text=True)
    addresses = {}
    for line in process.stdout:
        name, address = line.strip().split("=")
        addresses[name] = address
        if len(addresses) == 5:
            return process, addresses


def sound():
    """The smallest file that is taken for sound: 0.1 s of silence as WAV."""
    samples = bytes(800)
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack(
        "<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", len(samples)) + samples


# Loaded and saved by each app.
feed = json.loads(aquifer("feed", "list", "--limit", "3", "--json"))["value"]
aquifer("feed", "comments", feed[0]["id"])
aquifer("contacts")
aquifer("foaas", "list")
aquifer("foaas", "say", "thanks", "from=Ana")
clips = json.loads(aquifer("audio", "list", "--json"))["value"]

# Cards and payments: approved, declined, not made for want of a network, unknown for want of an answer.
aquifer("cards", "add", lines=("4242424242424242", "Ana de Testes", "12/38"))
aquifer("cards", "add", lines=("374245455400126", "Ana de Testes", "11/38"))
visa = json.loads(aquifer("cards", "list", "--json"))["cards"][0]["id"]
people = json.loads(aquifer("contacts", "--json"))["value"]
user = people[0]["username"]
aquifer("pay", user, "12.34", "--cvv-stdin", "--card", visa, lines=("123",))
aquifer("cards", "add", lines=("4111111111111111", "Ana de Testes", "10/38"))
declined = [card["id"] for card in json.loads(aquifer("cards", "list", "--json"))["cards"]][-1]
aquifer("pay", user, "5.00", "--cvv-stdin", "--card", declined, lines=("123",), expect=1)
aquifer("pay", user, "7.00", "--cvv-stdin", "--card", visa, "--offline", lines=("123",), expect=69)
process, addresses = remotes("payments=answer-lost", "audio=offline")
lost = f"payments={addresses['payments']}"
aquifer("contacts", "--remote", lost)
aquifer("pay", user, "9.99", "--cvv-stdin", "--card", visa, "--remote", lost, lines=("123",), expect=69)
aquifer("cards", "remove", declined)

# The outbox: refused (a server without such a path), waiting behind it, retrying (a server that is out of reach).
clip = HERE / "clip.wav"
clip.write_bytes(sound())
wrong = "audio=" + addresses["feed"]
aquifer("audio", "post", clip, "--title", "Refused", "--author", "Ana", "--later", "--remote", wrong)
aquifer("outbox", "send", expect=65)
aquifer("audio", "post", clip, "--title", "Behind it", "--later")
process.send_signal(signal.SIGTERM)
process.wait()

# A clip kept offline: the smallest, whole.
small = min(clips, key=lambda clip: clip["duration"])  # 24 KB
aquifer("audio", "get", small["id"], "-o", HERE / "out.mp3")

# A drive: keys, an account, a file in it.
(APP / "config/aquifer/keys").mkdir(parents=True, exist_ok=True)
key = APP / "config/owner.json"
aquifer("drive", "keygen", key, data=False)
note = HERE / "note.txt"
note.write_text("hello from edb8069\n")
aquifer("drive", "create", "photos", "1MB", "--keypair", key)
aquifer("drive", "upload", "photos", note, "--keypair", key)
aquifer("drive", "files", "photos", "--keypair", key)
aquifer("drive", "list", "--keypair", key)

# Only pages make these: settings, a kept clip, a picture, a page's own key.
serve = subprocess.Popen(
    [BINARY, "serve", "--port", "0", "--no-token", "--data", str(APP / "data"), "--at", AT],
    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
address = re.search(r"http://[^/\s]+", serve.stdout.readline())[0]


def ask(method, path, body=None):
    request = urllib.request.Request(
        address + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Origin": address})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


def is_there(path):
    try:
        return bool(ask("GET", path))
    except urllib.error.HTTPError:
        return False


def intend(screen, intent, **fields):
    ask("POST", f"/api/screens/{screen}/intents?tab=golden", {"intent": intent, **fields})


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


intend("contacts", "appear")
until(lambda: is_there(f"/api/screens/contacts/images/{people[0]['id']}?tab=golden"))
intend("foaas-settings", "palette", name="moss")
intend("foaas-settings", "filter", on="false")
intend("audio", "appear")
until(lambda: is_there(f"/api/screens/audio/clips/{small['id']}?tab=golden"))
intend("audio", "download", id=small["id"])
until(lambda: list((APP / "data/audio").glob("*.pin")))
intend("drive", "appear")
serve.send_signal(signal.SIGTERM)
serve.wait()
for shared_memory in APP.glob("data/*-shm"):  # rebuilt from the log by whoever opens the database
    shared_memory.unlink()
for name in ("clip.wav", "out.mp3", "note.txt"):
    (HERE / name).unlink()
