"""SQLite alone as a worker, as people use it from Python to notice changes of another process, and to delete a user's rows."""

import sqlite3
import sys
import time

SETTINGS = ["PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"]  # as SQLiteStore


def connect(file):
    connection = sqlite3.connect(file, isolation_level=None)
    for setting in SETTINGS:
        connection.execute(setting)
    return connection


class Live:
    """Rows that change, and a trigger that notes which. A reader asks each millisecond whether anything changed."""

    def __init__(self, folder):
        self.connection = connect(f"{folder}/plain-live.db")
        self.connection.executescript("""
            CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, bytes BLOB);
            CREATE TABLE IF NOT EXISTS changes (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT);
            CREATE TRIGGER IF NOT EXISTS told AFTER UPDATE ON entries
                BEGIN INSERT INTO changes(key) VALUES (new.key); END;
            INSERT OR IGNORE INTO entries VALUES ('tick', '');
        """)
        self.delays = []

    def version(self):
        return self.connection.execute("PRAGMA data_version").fetchone()[0]

    def follow(self, count):
        self.delays = []
        version = self.version()
        last = self.connection.execute("SELECT coalesce(max(id), 0) FROM changes").fetchone()[0]
        end = last + count
        print(0, flush=True)
        while last < end:
            time.sleep(0.001)
            if (now := self.version()) == version:
                continue
            version = now
            for number, key in self.connection.execute("SELECT id, key FROM changes WHERE id > ?", (last,)).fetchall():
                row = self.connection.execute("SELECT bytes FROM entries WHERE key = ?", (key,)).fetchone()
                self.delays.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC) - int(row[0]))
                last = number

    def write(self, count):
        for _ in range(count):
            time.sleep(0.005)
            value = str(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
            self.connection.execute("UPDATE entries SET bytes = ? WHERE key = 'tick'", (value,))
        print(0, flush=True)

    def followed(self, _):
        delays = sorted(self.delays)
        print(*(delays[len(delays) * percent // 100] / 1e9 for percent in (50, 99)), flush=True)


class Users:
    """A table with the rows of many users, each under a beginning of its own."""

    def __init__(self, folder):
        self.connection = connect(f"{folder}/plain-users.db")
        self.users = 0

    def fill(self, rows):
        self.connection.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, bytes BLOB)")
        self.insert(key for user in range(1_000, 1_000 + rows // 10_000) for key in keys(user, 10_000))
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        print(0, flush=True)

    def insert(self, all_keys):
        self.connection.execute("BEGIN")
        self.connection.executemany("INSERT INTO entries VALUES (?, ?)", ((key, bytes(100)) for key in all_keys))
        self.connection.execute("COMMIT")

    def end(self, rows):
        self.users += 1
        user = f"{1_000 + self.users * 37 % 99}+"
        self.insert(keys(user, rows))
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        start = time.perf_counter()
        self.connection.execute("BEGIN IMMEDIATE")
        deleted = self.connection.execute(
            "DELETE FROM entries WHERE key >= ? AND key < ?", (f"scope/user%2F{user}/", f"scope/user%2F{user}0"))
        self.connection.execute("COMMIT")
        seconds = time.perf_counter() - start
        assert deleted.rowcount == rows
        print(seconds, flush=True)


class Queue:
    """A table of requests that wait. Each insert waits for the device, as in a queue that survives a loss of power."""

    def __init__(self, folder):
        self.connection = connect(f"{folder}/plain-queue.db")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("CREATE TABLE queue (id INTEGER PRIMARY KEY AUTOINCREMENT, request BLOB)")

    def enqueue(self, count):
        request = b"a" * 1_000
        start = time.perf_counter()
        for _ in range(count):
            self.connection.execute("INSERT INTO queue (request) VALUES (?)", (request,))
        print(time.perf_counter() - start, flush=True)


def keys(user, count):
    return (f"scope/user%2F{user}/0123456789abcdef/contact/{number + 100_000}" for number in range(count))


def main():
    folder = sys.argv[1]
    subjects = {"live": Live, "users": Users, "queue": Queue}
    known = {}
    for line in sys.stdin:
        subject, work, count = line.split()
        if subject not in known:
            known[subject] = subjects[subject](folder)
        getattr(known[subject], work)(int(count))


if __name__ == "__main__":
    main()
