"""A cluster of `Scripts/cluster`: what runs where, and how parts of it are killed and come back."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import urllib.request

from waiting import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = os.environ.get("AQUIFER_BIN", str(ROOT / ".build/aquifer"))
#: True if this machine has what stands before the replicas. `make setup` sees to it.
IS_POSSIBLE = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/opt/homebrew/bin") is not None
#: The time that a program of the cluster has to start or to end, in seconds.
PATIENCE = 60


@contextlib.contextmanager
def running(folder, remotes=None):
    """A cluster, which ends with the block. `remotes` are the addresses of remotes by their names, instead of the reference remotes."""
    state = folder / "state.json"
    words = [word for name, address in (remotes or {}).items() for word in ("--remote", f"{name}={address}")]
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "Scripts/cluster"), "--state", str(state), *words], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, start_new_session=True)
    cluster = None
    try:
        line = process.stdout.readline()
        assert line.startswith("Aquifer is at "), line + process.stdout.read()
        cluster = Cluster(json.loads(state.read_text()), folder)
        yield cluster
    finally:
        if cluster:
            cluster.end()
        # It may be asked to end while it starts: it then ends what it has started.
        process.send_signal(signal.SIGINT)
        try:
            process.wait(2 * PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


class Replica:
    """A process of `aquifer serve`, on a port and a folder that outlive it."""

    def __init__(self, state):
        self.state, self.process = state, None
        self.pid = state["pid"]
        self.folder = pathlib.Path(state["folder"])

    def kill(self):
        """Ends it at once, and returns when nothing of it is left."""
        os.kill(self.pid, signal.SIGKILL)
        if self.process:
            self.process.wait(PATIENCE)
            self.process.stdout.close()
        wait_until(lambda: not self.is_running, f"the process {self.pid} is over after SIGKILL")

    @property
    def is_running(self):
        """True for a process that may still do something."""
        try:
            status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return False
        return not re.search(r"^State:\s+Z", status, re.MULTILINE)

    def start(self):
        """Starts it again, and returns when it serves."""
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.state["command"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
                env={**os.environ, **self.state["places"]}, start_new_session=True)
        self.pid = self.process.pid
        line = self.process.stdout.readline()
        assert line.startswith("{"), f"the replica on port {self.state['port']} has not started again: {self.words()}"

    def end(self):
        """Ends what `start` has started."""
        if self.process and self.process.poll() is None:
            self.kill()

    def words(self):
        """The last that it has told."""
        return (self.folder / "log").read_text()[-600:]

    @property
    def streams(self):
        """The number of event streams that it serves; 0 while it is away."""
        return self.metric(r'aquifer_http_open_streams\{route="events"\}')

    @property
    def answers(self):
        """The number of requests to its API that it has answered, without those of screens; 0 while it is away."""
        return self.metric(r'aquifer_http_requests_total\{route="api",method="GET",status="200"\}')

    def metric(self, sample):
        try:
            with urllib.request.urlopen(self.state["metrics"], timeout=10) as answer:
                found = re.search(rf"^{sample} (\d+)", answer.read().decode(), re.MULTILINE)
        except OSError:
            return 0
        return int(found[1]) if found else 0


class Cluster:
    def __init__(self, state, folder):
        self.state, self.folder = state, folder
        self.replicas = [Replica(replica) for replica in state["replicas"]]

    def end(self):
        for replica in self.replicas:
            replica.end()

    @property
    def base(self):
        """The address of the pages."""
        return f"http://127.0.0.1:{self.state['port']}"

    @property
    def common(self):
        """The options of a command on another machine, which has only the addresses of the stores and the remotes."""
        remotes = [word for name, address in self.state["remotes"].items() for word in ("--remote", f"{name}={address}")]
        keys = self.replicas[0].folder.parent / "keys"
        return ["--data", str(self.folder / "data"), "--store", self.state["store"], "--keys", str(keys), *remotes]

    @property
    def environment(self):
        return {**os.environ, "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": str(self.folder / "config")}

    def aquifer(self, *words, lines=()):
        """A command of that machine. `lines` are its standard input."""
        return subprocess.run(
            [BINARY, *words, *self.common], capture_output=True, text=True, timeout=120, env=self.environment,
            input="".join(line + "\n" for line in lines))

    def json(self, *words):
        result = self.aquifer(*words, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def titles(self):
        """The titles of the clips that the remote has."""
        document = self.json("audio", "list")
        assert document["source"] == "remote"
        return [clip["title"] for clip in document["value"] if not clip.get("pending")]

    def add_card(self, number="4242424242424242"):
        """Keeps a card, which the store has for all replicas."""
        result = self.aquifer("cards", "add", lines=(number, "Ana de Testes", "12/39"))
        assert result.returncode == 0, result.stderr

    def serving(self):
        """The replica that serves the event stream of the only page that is open."""
        found = []

        def one():
            found[:] = [replica for replica in self.replicas if replica.streams]
            return len(found) == 1

        wait_until(one, lambda: f"one replica serves the page: {[replica.streams for replica in self.replicas]}")
        return found[0]

    def all_serve(self):
        """Starts the replicas that are gone."""
        for replica in self.replicas:
            if not replica.is_running:
                replica.start()

    def script(self, name, *words):
        subprocess.run([ROOT / "Scripts" / name, *map(str, words)], check=True, timeout=90, stdin=subprocess.DEVNULL)

    def fail_over(self):
        """Kills the primary of PostgreSQL, and makes its replica the primary."""
        postgres = self.state["postgres"]
        self.script("postgres", "kill", postgres["primary"])
        self.script("postgres", "promote", postgres["replica"])
