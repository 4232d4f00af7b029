"""The scripts, run as `make` runs them."""

import pathlib

import pytest


@pytest.fixture(scope="session")
def root():
    return pathlib.Path(__file__).resolve().parents[2]
