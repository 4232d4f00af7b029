"""The scripts, run as `make` runs them."""

import pathlib
import signal

import pytest

# A shell without job control makes what it starts in the background deaf to Ctrl-C. Scripts started here must hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root():
    return pathlib.Path(__file__).resolve().parents[2]
