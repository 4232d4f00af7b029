"""The program survives every fault of every reference server, at both ends: an optimiser can break what a debug build runs."""

import concurrent.futures
import contextlib
import itertools
import json
import re
import subprocess
import urllib.request

import pytest

from conftest import BINARY, Aquifer, commands
from test_json import CARD, CLIP

DELIVERED, UNKNOWN = 0, 75
#: The statuses that a server may cause. A crash has another one, and so has a mistake of the program.
STATUSES = {DELIVERED, 1, 64, 65, 66, 69, UNKNOWN}
#: The commands that ask no reference server. `test_json.py` and `test_output.py` run each of them.
LOCAL = {
    "cache clear", "cache list", "cache validate", "cards accept-older", "cards add", "cards default", "cards discard-older", "cards list",
    "cards remove", "cards rotate-key", "completion", "drive keygen", "drive transaction", "help", "link", "man", "outbox discard",
    "outbox list", "payments discard", "payments give-up", "payments list", "remotes", "serve", "store schema", "users add", "users list",
    "users logout", "users remove", "users token",
}


def said(*words):
    result = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=20)
    return result.stdout + result.stderr


def names(kind):
    """The reference servers, or their faults, as the program names them when it is told a wrong one."""
    return re.search(rf"\b{kind}: ([^;)]+)", said("remotes", "--fault", "?"))[1].split(", ")


REMOTES, FAULTS = names("remotes"), [name.replace("BYTES", "5000") for name in names("faults")]


class Visitor:
    """Somebody with data of their own, and with a reference server of their own at an address that stays."""

    def __init__(self, folder, host, remote):
        self.folder, self.host, self.remote, self.port = folder, host, remote, "0"
        self.aquifer = Aquifer(folder / "data")

    @contextlib.contextmanager
    def server(self, fault):
        """The server, which knows what it was told before."""
        words = ["--host", self.host, "--port", self.port, "--fault", f"{self.remote}={fault}", "--data", str(self.folder / "server")]
        process = subprocess.Popen([BINARY, "remotes", *words], stdout=subprocess.PIPE, text=True)
        try:
            self.address = dict(process.stdout.readline().strip().split("=", 1) for _ in REMOTES)[self.remote]
            self.port = re.search(r":(\d+)/", self.address)[1]
            yield process
        finally:
            process.terminate()
            process.wait(timeout=20)
        assert process.returncode == 0, f"the server ended with {process.returncode}"

    def run(self, line, input="123\n"):
        return self.aquifer(*line.split(), "--remote", f"{self.remote}={self.address}", input=input, start_new_session=True)

    def value(self, line, input="123\n", status=DELIVERED):
        result = self.run(f"{line} --json", input)
        assert result.returncode == status, (line, result.stderr)
        return json.loads(result.stdout)["value"]

    def file(self, name):
        (self.folder / name).write_text("small")
        return self.folder / name


# What there is to do at each server. A visitor gets something to work with while there is no such fault, and returns the commands to run
# under it: lists that run at the same time, of commands that run one after another.


def feed(visitor):
    picture = visitor.value("feed list")[0]["id"]
    return [["feed list --all"], [f"feed comments {picture}", f"feed image {picture} -o {visitor.folder}/picture"]]


def payments(visitor):
    contact = visitor.value("contacts")[0]["username"]
    visitor.value("cards add", CARD)
    lost = [visitor.value(f"pay {contact} {amount} --cvv-stdin", status=UNKNOWN)["id"] for amount in (10, 20)]
    return [["contacts", f"payments check {lost[0]}", f"payments retry {lost[1]} --cvv-stdin", f"pay {contact} 30 --cvv-stdin"]]


def foaas(visitor):
    return [["foaas list", "foaas say shakespeare name=Caliban from=Prospero", "foaas random"]]


def audio(visitor):
    clip = visitor.value("audio list")[0]["id"]
    later = f"audio post {CLIP} --title Rain --later"
    item = visitor.value(later)["id"]
    return [
        ["audio list", f"audio get {clip} -o {visitor.folder}/clip"],
        [f"audio post {CLIP} --title Snow", f"outbox retry {item}", later, "outbox send"],
    ]


def drive(visitor):
    key, node, uploader = visitor.folder / "id.json", f"{visitor.address}/rpc", re.search(r"signs with (\w+)", said("remotes", "--help"))[1]
    there = f"--keypair {key} --rpc {node} --uploader {uploader}"
    visitor.value(f"drive keygen {key}")
    accounts = [visitor.value(f"drive create photos 1MB {there}")["shdwBucket"] for _ in range(7)]
    first, added, reduced, claimed, deleted, restored, sealed = accounts
    small, other = visitor.file("small.txt"), visitor.file("other.txt")
    location = visitor.value(f"drive upload {first} {small} {there}")[0]["location"]
    visitor.value(f"drive reduce-storage {claimed} 1KB --yes {there}")
    visitor.value(f"drive delete-account {restored} --yes {there}")
    question = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "getLatestBlockhash"}).encode()
    with urllib.request.urlopen(urllib.request.Request(node, question), timeout=20) as answer:
        blockhash = json.load(answer)["result"]["value"]["blockhash"]
    addition = f"add-storage --bytes 1 --account {first} --blockhash {blockhash} --keypair {key} --uploader {uploader}"
    signed = visitor.value(f"drive transaction {addition}")["transaction"]
    # A change of an account makes eight requests, and a slow server takes two seconds for each: no account waits for another one.
    chains = [
        [f"submit {signed} --yes", "create more 1MB"], ["list", f"info {first}", f"files {first}"],
        [f"objects {first}", f"object {location}", f"get {location} -o {visitor.folder}/file"],
        [f"upload {first} {other}", f"edit {first} {other}", f"delete {location.replace('small', 'other')} --yes"],
        [f"add-storage {added} 1MB --yes"], [f"reduce-storage {reduced} 1KB --yes"], [f"claim {claimed}"],
        [f"delete-account {deleted} --yes"], [f"keep-account {restored}"], [f"make-immutable {sealed} --yes"],
    ]
    return [[f"drive {line} {there}" for line in chain] for chain in chains]


VISITS = {"feed": feed, "payments": payments, "foaas": foaas, "audio": audio, "drive": drive}


def visit(visitor, fault):
    """Does all that there is to do at a server with this fault. Gives each command with its result."""
    with visitor.server("answer-lost" if visitor.remote == "payments" else "online"):
        chains = VISITS[visitor.remote](visitor)
    with visitor.server(fault) as server, concurrent.futures.ThreadPoolExecutor(len(chains)) as pool:

        def run(line):
            result = visitor.run(line)
            assert server.poll() is None, f"{line}: the server ended with {server.returncode}"
            assert result.returncode in STATUSES, f"{line}: {result.returncode} {result.stderr}"
            return line, result

        return [done for chain in pool.map(lambda chain: [run(line) for line in chain], chains) for done in chain]


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """The visits to all servers with all faults, at the same time: most of it is waiting."""
    cases = list(itertools.product(REMOTES, FAULTS))
    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        # An address of its own keeps others from a server's port until it is there again.
        yield {
            (remote, fault): pool.submit(visit, Visitor(tmp_path_factory.mktemp("visit"), f"127.0.1.{number}", remote), fault)
            for number, (remote, fault) in enumerate(cases, 1)
        }


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("remote", REMOTES)
def test_a_server_and_its_commands_survive_a_fault(visits, remote, fault):
    done = visits[remote, fault].result()
    assert done and (fault != "online" or all(result.returncode == DELIVERED for _, result in done)), done


def test_every_command_that_asks_a_server_is_run(visits):
    lines = [line for remote in REMOTES for line, _ in visits[remote, "online"].result()]
    run = {name for name in commands() if any(f"{line} ".startswith(f"{name} ") for line in lines)}
    assert run == commands() - LOCAL
