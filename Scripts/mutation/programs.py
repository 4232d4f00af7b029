"""Starts the tests and worlds of the changed tree, each with one mutant chosen."""

import os
import re
import selectors
import signal
import subprocess
import time

from . import building

WORLDS = "world "
#: The tests of the engine and of what is built on it alone.
TARGETS = [
    "AquiferTests", "AquiferSQLiteTests", "AquiferHTTPTests", "AquiferPaymentsTests", "AquiferCurlTests",
    "AquiferConcurrencyTests", "AquiferTestingTests", "AquiferFoaasTests", "AquiferImageFeedTests",
    "AquiferAudioFeedTests", "FuzzTests",
]


def _tests(arguments):
    return [building.PRODUCTS / "AquiferPackageTests.xctest", "--testing-library", "swift-testing", *arguments]


def suites():
    """The names of all suites, without those of the product."""
    listed = subprocess.run(_tests(["--list-tests"]), check=True, capture_output=True, text=True).stdout
    names = {line.split("/")[0] for line in listed.split("\n") if line.split(".")[0] in TARGETS}
    return sorted(names)


def worlds():
    """The names of all worlds."""
    text = subprocess.run([building.PRODUCTS / "Worlds", "--help"], check=True, capture_output=True, text=True).stdout
    return re.search(r"one of: (.*)", text).group(1).split(", ")


def command(names):
    """The command that runs some suites, in this order of kinds: suites of tests, or one world."""
    if names[0].startswith(WORLDS):
        return [building.PRODUCTS / "Worlds", "--world", names[0][len(WORLDS):], "--from", "1"]
    escaped = "|".join(re.escape(name) for name in names)
    return _tests(["--no-parallel", "--filter", f"^({escaped})(/|$)"])


#: Without colours, and without the seconds that a report of a trap takes.
_PLAIN = {"NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no"}
#: The words of a test or a world that fails. The program is then ended: one failure is enough.
_FAILED = re.compile(r"^(?:✘ Test .*recorded an issue.*|\S+, seed \d+: FAILED.*)$", re.MULTILINE)


#: The programs that run now.
_running = set()


class Outcome:
    """What came of a run: `passed`, or how it failed, with the words of the test."""

    def __init__(self, how, words, seconds):
        self.how, self.words, self.seconds = how, words, seconds


def run(command, seconds, environment, folder=None):
    """Runs a program until it ends, a test fails, or its time is over. By default, in the changed tree."""
    began = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder or building.TREE, env={**os.environ, **_PLAIN, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    _running.add(process)
    text, searched, failure = b"", 0, None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while failure is None:
            left = seconds - (time.monotonic() - began)
            if left <= 0 or not selector.select(left):
                failure = Outcome("hang", f"not done after {seconds:.0f} s", time.monotonic() - began)
                break
            piece = process.stdout.read()
            if piece == b"":
                break
            text += piece or b""
            failed = _FAILED.search(text[searched:].decode(errors="replace"))
            if failed:
                failure = Outcome("test", failed.group(0), time.monotonic() - began)
            searched = text.rfind(b"\n") + 1
    _end(process, patience=0 if failure else 20)
    if failure:
        return failure
    elapsed = time.monotonic() - began
    if process.returncode == 0:
        return Outcome("passed", "", elapsed)
    told = re.findall(r"^.*(?:Fatal error|✘|BROKEN).*$", text.decode(errors="replace"), re.M)
    words = told[0] if told else f"ended with {process.returncode}"
    return Outcome("crash" if process.returncode < 0 else "test", words, elapsed)


def _end(process, patience):
    """Ends a program that was started here, and what it has started."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    _running.discard(process)


def stop(*_):
    """Ends all that runs, and this program: for a signal that asks for it."""
    for process in list(_running):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os._exit(130)
