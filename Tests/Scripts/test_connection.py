"""The monitor of the connection, in a network of its own whose links come and go."""
import os
import pathlib
import shutil
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2]
#: CI builds the tests of the engine apart (`Scripts/test`).
BUILDS = [FOLDER / folder / "debug/AquiferPackageTests.xctest" for folder in (".build-tsan", ".build")]
TESTS = next((build for build in BUILDS if build.exists()), BUILDS[-1])


def isolated(*words):
    # Foundation's processes need the loopback, which is down in a new network.
    return subprocess.run(
        ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *map(str, words)], capture_output=True, text=True, timeout=120,
        env={**os.environ, "AQUIFER_OWN_NETWORK": "1"})


def test_a_link_that_comes_and_goes_is_told():
    link = ("ip", "link", "add", "aq0", "type", "veth", "peer", "name", "aq1")
    if not shutil.which("unshare") or not shutil.which("ip") or isolated(*link).returncode != 0:
        pytest.skip("this machine gives no network of its own")
    told = isolated(TESTS, "--testing-library", "swift-testing", "--filter", r"ConnectionMonitorTests/link\(\)")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "1 test in 1 suite passed" in told.stdout + told.stderr
