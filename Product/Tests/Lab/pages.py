"""`aquifer serve` under measurement: its pages' requests, how long others wait meanwhile, and how much memory it takes."""

import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
import uuid

from between import Between
from sessions import BINARY, CLIP, Broken, require, require_prompt

from serving import heard  # of the acceptance tests, which `sessions` has found

#: The pictures of the lab's feed. The first half is at hosts with names, which are looked up; others ask for the second half.
PICTURES = 300


class Nothing:
    """A history that nobody reads."""

    def note(self, *_, **__):
        pass


class LabRemote(Between):
    """The reference remotes behind a proxy that does no harm, with a feed of many pictures."""

    def __init__(self, upstream):
        super().__init__(upstream, 0, Nothing())
        self.weather = "clear"

    def feed(self, headers):
        hosts = [f"p{number}.lab.test" if number < PICTURES // 2 else "127.0.0.1" for number in range(PICTURES)]
        items = [{"id": identifier(number), "image": f"http://{host}:{self.port}/feed/pictures/01.jpg?{number}"}
                 for number, host in enumerate(hosts)]
        return 200, {"Content-Type": "application/json"}, json.dumps({"items": items}).encode()


def identifier(number):
    return str(uuid.UUID(int=number + 1)).upper()


def is_shown(state):
    """True if a screen has loaded, or has failed to."""
    return not state.get("isLoading") and state.get("phase") not in (None, "idle", "loading")


class Site:
    """A server of pages with a token. `limit` is its soft and hard limit on descriptors."""

    def __init__(self, folder, options, environment=None, limit=None):
        self.folder = pathlib.Path(folder)
        self.said = open(self.folder / "serve.err", "w+b")

        def lower():
            if limit:
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        self.process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--data", str(self.folder / "data"), "--json", *options],
            stdout=subprocess.PIPE, stderr=self.said, text=True, start_new_session=True, preexec_fn=lower,
            env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder), "XDG_CONFIG_HOME": f"{folder}/config",
                 "SWIFT_BACKTRACE": "enable=no", **(environment or {})})
        line = self.process.stdout.readline()
        document = json.loads(line) if line else {}
        if "value" not in document:
            self.process.wait(30)
            raise Broken(f"serve did not start: exit {self.process.returncode}, {document or self.words()}")
        self.base, _, self.token = document["value"]["address"].partition("/#token=")
        self.port = int(self.base.rpartition(":")[2])

    def words(self):
        self.said.seek(0)
        return self.said.read()[-600:].decode(errors="replace")

    def open(self, path, body=None, kind="application/json", timeout=60):
        headers = {"Authorization": f"Bearer {self.token}", **({"Content-Type": kind} if body is not None else {})}
        return urllib.request.urlopen(urllib.request.Request(self.base + path, body, headers), timeout=timeout)

    def ask(self, path, body=None, kind="application/json", timeout=60):
        """The status and the bytes of an answer; a server that does not answer is an `OSError`."""
        try:
            with self.open(path, body, kind, timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def leave(self, path, wait):
        """Asks, and goes away when `wait()` has returned."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
            wait()

    def screen(self, name, tab, until, timeout=60):
        """Opens a screen, and returns its first state that `until` accepts."""
        end = time.monotonic() + timeout
        with self.open(f"/api/screens/{name}/events?tab={tab}", timeout=timeout) as stream:
            self.ask(f"/api/screens/{name}/intents?tab={tab}", b'{"intent":"appear"}', timeout=timeout)
            for state in heard(stream):
                if state is not None and until(state):
                    return state
                if time.monotonic() > end:
                    break
        raise TimeoutError(f"{name} shows nothing after {timeout} s")

    def post(self, tab, title, timeout=60):
        """Leaves a clip in the outbox, from which the server sends it."""
        form = "/api/screens/audio-compose"
        for path, body, kind in [
            (f"{form}/file?tab={tab}&name=clip.mp3", CLIP.read_bytes(), "audio/mpeg"),
            (f"{form}/intents?tab={tab}", json.dumps({"intent": "title", "text": title}).encode(), "application/json"),
            (f"{form}/intents?tab={tab}", b'{"intent":"later"}', "application/json"),
        ]:
            self.ask(path, body, kind, timeout)

    # What it takes

    def field(self, name):
        return int(re.search(rf"{name}:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1]) * 1024

    @property
    def peak(self):
        return self.field("VmHWM")

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self, patience=30):
        """Asks the process to end. Raises ``Broken`` if it had ended, trapped, or does not end in time."""
        code = self.process.poll()
        if code is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                code = self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise Broken(f"the server did not end in {patience} s") from None
            finally:
                self.process.stdout.close()
        words = self.words()
        self.said.close()
        require(code == 0, f"the server ended with {code}: {words}")
        require("Fatal error" not in words, f"the server trapped: {words}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Probes:
    """Other users of a site: each asks one thing again and again, and remembers its longest wait."""

    def __init__(self, site, **probes):
        self.site, self.over = site, threading.Event()
        self.longest, self.counts, self.refused = dict.fromkeys(probes, 0.0), dict.fromkeys(probes, 0), {}
        self.threads = [threading.Thread(target=self.run, args=item) for item in probes.items()]
        for thread in self.threads:
            thread.start()

    def run(self, name, probe):
        while not self.over.is_set():
            began = time.monotonic()
            try:
                if not probe():
                    self.refused.setdefault(name, "it was refused")
            except Exception as error:
                if self.over.is_set():
                    return
                self.refused.setdefault(name, f"{type(error).__name__}: {error}")
            self.longest[name] = max(self.longest[name], time.monotonic() - began)
            self.counts[name] += 1
            self.over.wait(0.15)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def judge(self, bounds):
        """Raises ``Broken`` if somebody waited longer than allowed, or was refused."""
        for name, bound in bounds.items():
            require_prompt(self.longest[name], bound, f"{name} waited for {self.longest[name]:.1f} s")
            if bound != float("inf"):
                require(name not in self.refused, f"{name}: {self.refused.get(name)}")
