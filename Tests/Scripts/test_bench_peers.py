"""The processes of the benchmarks: those that share a core, for calls one at a time."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest

CORES = os.sched_getaffinity(0) if sys.platform == "linux" else set()
pytestmark = pytest.mark.skipif(len(CORES) < 2, reason="needs Linux, and two cores")


@pytest.fixture
def peers(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "Benchmarks/driver"))
    import peers
    yield peers
    for name in ("peers", "table", "goals"):
        sys.modules.pop(name, None)


@pytest.fixture
def family():
    """A process with a child, and one that no tree here has: its parent has ended."""
    with subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, text=True) as tree:
        sleepers = [int(tree.stdout.readline())]
        try:
            sleepers.append(int(subprocess.run(["sh", "-c", "sleep 60 > /dev/null & echo $!"], stdout=subprocess.PIPE, text=True, check=True).stdout))
            yield tree.pid, *sleepers
        finally:
            for process in sleepers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


@pytest.fixture
def thread():
    """A second thread of this process."""
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    yield other.native_id
    end.set()
    other.join()


def parent(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def cores(*processes):
    return [os.sched_getaffinity(process) for process in processes]


def test_everything_is_on_one_core_and_then_on_all_again(peers, family, thread):
    one = {max(CORES)}
    with peers.one_core(family[2]):
        assert cores(0, thread, *family) == [one] * 5
        later = subprocess.run([sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"], capture_output=True, text=True, check=True)
        assert later.stdout.strip() == str(one)
    assert cores(0, thread, *family) == [CORES] * 5


def test_it_ends_with_an_error_too(peers, family):
    with pytest.raises(SystemExit), peers.one_core(family[2]):
        assert cores(0, *family) == [{max(CORES)}] * 4
        raise SystemExit("the worker ended")
    assert cores(0, *family) == [CORES] * 4


def test_a_daemon_that_is_not_named_stays(peers, family):
    if parent(family[2]) == os.getpid():
        pytest.skip("this process takes up orphans, as the first one of a container does")
    with peers.one_core():
        assert cores(*family) == [{max(CORES)}] * 2 + [CORES]


def test_a_system_that_refuses_one_thread_is_told_and_the_others_are_moved(peers, family, thread, monkeypatch, capsys):
    move = os.sched_setaffinity

    def refuse(process, cores):
        if process == thread:
            raise PermissionError("not permitted")
        move(process, cores)
    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    with peers.one_core(family[2]):
        assert cores(0, *family) == [{max(CORES)}] * 4
    assert cores(0, *family) == [CORES] * 4
    assert capsys.readouterr().err.count("where this system puts processes: not permitted") == 1
