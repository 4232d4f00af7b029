"""Whoever changes a form makes the golden stores anew: Tests/Golden/README.md says how."""

import re
import shutil
import sqlite3

from test_golden import GOLDEN, stores  # noqa: F401 (a fixture)

#: What differs from one run to the next: identities, addresses, and logs that may have been moved or need not be there.
NAMES = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}|[1-9A-HJ-NP-Za-km-z]{40,}|[0-9a-f]{32}")
PASSING = ("-wal", "-shm", "-changes", ".lock", "/lock")


def format_of(file):
    """What tells a version of the file from another one: its schema, or its first bytes where they are not its contents."""
    if file.suffix == ".sqlite":
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
            version = database.execute("PRAGMA user_version").fetchone()
            tables = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql").fetchall()
        return version, tables
    head = file.read_bytes()[:16]
    return head[:4] if head.startswith(b"AQ") else head if file.name.startswith("aquifer-") else None


def formats(folder, scratch):
    copy = shutil.copytree(folder / "app", scratch)  # reading moves a log
    return {
        NAMES.sub("*", str(file.relative_to(copy))): format_of(file)
        for file in copy.rglob("*")
        if file.is_file() and not str(file).endswith(PASSING)
    }


def test_what_this_program_writes_has_the_format_of_the_golden_stores(stores, tmp_path):
    today = formats(stores("today"), tmp_path / "today")
    assert today == formats(GOLDEN / "current", tmp_path / "current")
    assert any(file.endswith(".sqlite") for file in today)
