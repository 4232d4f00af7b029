"""SQLite alone as a worker, its file mapped into memory and not: the cost of the map that `SQLiteStore` does without."""

import sqlite3
import sys
import time

# As SQLiteStore: pages of 8 KB, a log, and 20 MB of pages kept by the first reader.
SETTINGS = ["PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"]
MAP = {"mapped": 1 << 30, "unmapped": 0}


class Store:
    def __init__(self, folder, size):
        self.file = f"{folder}/sqlite-{size}.db"
        self.keys = max(16, min(1000, (16 << 20) // size))
        self.size = size
        self.turn = 0
        writer = sqlite3.connect(self.file)
        for setting in SETTINGS:
            writer.execute(setting)
        writer.execute("CREATE TABLE entries (key TEXT PRIMARY KEY, bytes BLOB)")
        values = [bytes(((i + number) * 31 + (i >> 8)) & 0xFF for i in range(size)) for number in range(7)]
        writer.executemany("INSERT INTO entries VALUES (?, ?)", ((f"k{n}", values[n % 7]) for n in range(self.keys)))
        writer.commit()
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        writer.close()
        self.readers = {way: self.reader(way) for way in MAP}

    def reader(self, way):
        reader = sqlite3.connect(self.file)
        reader.execute(f"PRAGMA mmap_size = {MAP[way]}")
        reader.execute("PRAGMA cache_size = -20000")
        return reader

    def run(self, way, count):
        reader = self.readers[way]
        start = time.perf_counter()
        for _ in range(count):
            self.turn += 1
            row = reader.execute("SELECT bytes FROM entries WHERE key = ?", (f"k{self.turn * 7919 % self.keys}",)).fetchone()
            assert len(row[0]) == self.size
        return (time.perf_counter() - start) / count


def main():
    folder = sys.argv[1]
    stores = {}
    for line in sys.stdin:
        _, way, size, count = line.split()
        if size not in stores:
            stores[size] = Store(folder, int(size))
        print(stores[size].run(way, int(count)), flush=True)


main()
