"""The scripts, run as `make` runs them."""

import importlib.machinery
import importlib.util
import pathlib
import signal

import pytest

# A shell without job control makes what it starts in the background deaf to Ctrl-C. Scripts started here must hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def load_script(root):
    """The module of a script, whose file has no suffix: `load_script("walk")`."""
    def load_script(name):
        loader = importlib.machinery.SourceFileLoader(name, str(root / "Scripts" / name))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
        loader.exec_module(module)
        return module
    return load_script


@pytest.fixture(scope="session")
def root():
    return pathlib.Path(__file__).resolve().parents[2]
