"""The mends that can be taken back: Tests/Mutants/mends.toml."""

import pathlib
import tomllib

from . import rewriting

FILE = pathlib.Path(__file__).resolve().parent.parent.parent / "Tests/Mutants/mends.toml"
#: How C asks whether a mutant is chosen.
_IN_C = '(getenv("AQUIFER_MUTANT") && atoi(getenv("AQUIFER_MUTANT")) == {number})'


class Stale(Exception):
    """The old text of a mend is not in its file, or is there more than once."""


class Mend:
    def __init__(self, number, table):
        self.number = number
        self.name, self.taken_back, self.finds = table["name"], table["taken_back"], table["finds"]
        self.places = table["place"]

    def edits(self, package):
        """The rewrites, each with the path of its file."""
        for place in self.places:
            name, old, new = place["file"], place["old"], place["new"]
            data = (package / name).read_bytes()
            if data.count(old.encode()) != 1:
                raise Stale(f"mend {self.name}: this is {data.count(old.encode())} times in {name}: {old}")
            if name.endswith(".h"):
                new = new.replace("MUTANT", _IN_C.format(number=self.number))
            start = data.index(old.encode())
            yield name, rewriting.Edit(start, start + len(old.encode()), new, self.number)


def read(text):
    tables = tomllib.loads(text)["mend"]
    return [Mend(rewriting.MENDS + index, table) for index, table in enumerate(tables, 1)]


MENDS = read(FILE.read_text())
