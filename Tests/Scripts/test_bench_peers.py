"""The processes of the benchmarks: those that share a core, for calls one at a time."""

import os
import subprocess
import sys

import pytest

CORES = os.sched_getaffinity(0) if sys.platform == "linux" else set()
pytestmark = pytest.mark.skipif(len(CORES) < 2, reason="needs Linux, and two cores")


@pytest.fixture
def peers(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "Benchmarks/driver"))
    import peers
    yield peers
    for name in ("peers", "table", "known"):
        sys.modules.pop(name, None)


@pytest.fixture
def family():
    """A process with a child, and one that no tree here has: its parent has ended."""
    tree = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, text=True)
    child = int(tree.stdout.readline())
    daemon = int(subprocess.run(["sh", "-c", "sleep 60 > /dev/null & echo $!"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    yield tree.pid, child, daemon
    for process in (child, daemon):
        os.kill(process, 9)
    tree.wait()


def cores(*processes):
    return [os.sched_getaffinity(process) for process in processes]


def test_everything_is_on_one_core_and_then_on_all_again(peers, family):
    one = {max(CORES)}
    with peers.one_core(family[2]):
        assert cores(0, *family) == [one] * 4
        later = subprocess.run([sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"], capture_output=True, text=True, check=True)
        assert later.stdout.strip() == str(one)
    assert cores(0, *family) == [CORES] * 4


def test_it_ends_with_an_error_too(peers, family):
    with pytest.raises(SystemExit), peers.one_core(family[2]):
        raise SystemExit("the worker ended")
    assert cores(0, *family) == [CORES] * 4


def test_a_daemon_that_is_not_named_stays(peers, family):
    with peers.one_core():
        assert cores(*family) == [{max(CORES)}] * 2 + [CORES]


def test_a_system_that_refuses_is_told(peers, family, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError("not permitted")
    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    with peers.one_core():
        assert "where this system puts processes: not permitted" in capsys.readouterr().err
    assert cores(0, *family) == [CORES] * 4
