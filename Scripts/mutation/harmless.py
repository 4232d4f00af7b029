"""The mutants that may live, each with the reason: Tests/Mutants/harmless.toml."""

import tomllib

from . import building

FILE = building.PACKAGE / "Tests/Mutants/harmless.toml"


def read():
    """The reasons by identity."""
    if not FILE.exists():
        return {}
    reasons = {}
    for entry in tomllib.loads(FILE.read_text()).get("harmless", []):
        for identity in entry["mutants"]:
            reasons[identity] = entry["why"]
    return reasons
