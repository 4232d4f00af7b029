"""psycopg and redis-py as a worker, as people use them from Python: the same commands as ours, timed in this process."""

import sys
import time

import psycopg
import redis


class Postgres:
    """A table with a key and its bytes, one statement prepared after its first uses, each its own transaction."""

    def __init__(self, address, size):
        self.connection = psycopg.connect(address, autocommit=True)
        self.connection.execute(f"CREATE TABLE IF NOT EXISTS py_{size} (id bytea PRIMARY KEY, bytes bytea)")
        self.connection.execute(f"ALTER TABLE py_{size} ALTER COLUMN bytes SET STORAGE EXTERNAL")
        self.cursor = self.connection.cursor(binary=True)
        self.sql = {
            "retrieve": f"SELECT bytes FROM py_{size} WHERE id = %b",
            "insert": f"INSERT INTO py_{size} VALUES (%b, %b) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes"}

    def one(self, work, words):
        self.cursor.execute(self.sql[work], words, prepare=True)
        return self.cursor.fetchone()[0] if work == "retrieve" else None

    def many(self, work, calls):
        with self.connection.pipeline():
            cursors = [self.connection.execute(self.sql[work], words, prepare=True, binary=True) for words in calls]
            return [cursor.fetchone()[0] for cursor in cursors] if work == "retrieve" else []


class Redis:
    def __init__(self, address, _):
        self.client = redis.Redis.from_url(address)

    def one(self, work, words):
        return self.client.get("py" + words[0].decode()) if work == "retrieve" else self.client.set("py" + words[0].decode(), words[1])

    def many(self, work, calls):
        pipeline = self.client.pipeline(transaction=False)
        for words in calls:
            self_key = "py" + words[0].decode()
            pipeline.get(self_key) if work == "retrieve" else pipeline.set(self_key, words[1])
        answers = pipeline.execute()
        return answers if work == "retrieve" else []


class Bench:
    def __init__(self, engine, address, size):
        self.engine = {"postgres": Postgres, "redis": Redis}[engine](address, size)
        self.size = size
        self.keys = max(16, min(1000, (16 << 20) // size))
        self.values = [bytes(((i + n) * 31 + (i >> 8)) & 0xFF for i in range(size)) for n in range(7)]
        self.turn = 0
        for number in range(self.keys):
            self.engine.one("insert", (f"k{number}".encode(), self.values[0]))

    def words(self, work):
        self.turn += 1
        key = f"k{self.turn * 7919 % self.keys}".encode()
        return (key,) if work == "retrieve" else (key, self.values[self.turn % 7])

    def run(self, work, width, count):
        start = time.perf_counter()
        for _ in range(count // width):
            if width == 1:
                found = self.engine.one(work, self.words(work))
                assert work == "insert" or len(found) == self.size
            else:
                answers = self.engine.many(work, [self.words(work) for _ in range(width)])
                assert all(len(found) == self.size for found in answers)
        return (time.perf_counter() - start) / (count // width * width)


def main():
    benches = {}
    for line in sys.stdin:
        _, engine, work, size, width, count, address = line.split()
        if (engine, size) not in benches:
            benches[engine, size] = Bench(engine, address, int(size))
        print(benches[engine, size].run(work, int(width), int(count)), flush=True)


if __name__ == "__main__":
    main()
