"""Queues as people write them from Python: SQL by hand over psycopg (`SKIP LOCKED`, as pgmq does), and Celery with Redis."""

import multiprocessing
import os
import subprocess
import sys
import time

import psycopg
import redis


def take(address, barrier):
    with psycopg.connect(address) as connection:
        barrier.wait()
        count = 0
        while True:
            with connection.transaction(), connection.cursor(binary=True) as cursor:
                row = cursor.execute(
                    "SELECT id, body FROM by_hand ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1", prepare=True).fetchone()
                if row is None:
                    return
                # Here it would be sent: the remote takes each item at once.
                cursor.execute("DELETE FROM by_hand WHERE id = %s", (row[0],), prepare=True)
                count += 1


def by_hand(address, senders, items):
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS by_hand")
        connection.execute("CREATE TABLE by_hand (id bigserial PRIMARY KEY, body bytea)")
        connection.execute("INSERT INTO by_hand(body) SELECT 'note' FROM generate_series(1, %s)", (items,))
        connection.execute("VACUUM ANALYZE by_hand")
        barrier = multiprocessing.Barrier(senders + 1)
        processes = [multiprocessing.Process(target=take, args=(address, barrier)) for _ in range(senders)]
        for process in processes:
            process.start()
        barrier.wait()
        start = time.perf_counter()
        for process in processes:
            process.join()
        seconds = time.perf_counter() - start
        assert connection.execute("SELECT count(*) FROM by_hand").fetchone()[0] == 0
    return seconds / items


def celery(address, senders, items):
    """From the first task that is taken to the last one: the start of the worker is not measured."""
    server = redis.Redis.from_url(address)
    server.flushall()
    os.environ["BENCH_BROKER"], os.environ["BENCH_ITEMS"] = address, str(items)
    folder = os.path.dirname(os.path.abspath(__file__))
    from celery_tasks import take as task
    for number in range(items):
        task.delay(number)
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "celery_tasks", "worker", "-c", str(senders), "-P", "prefork",
            "--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "error"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while server.llen("times") < 2:
        assert time.monotonic() < deadline and worker.poll() is None
        time.sleep(0.05)
    worker.terminate()
    worker.wait()
    first, last = sorted(map(float, server.lrange("times", 0, -1)))
    return (last - first) / items


def main():
    ways = {"hand": by_hand, "celery": celery}
    for line in sys.stdin:
        way, senders, items, address = line.split()
        print(ways[way](address, int(senders), int(items)), flush=True)


if __name__ == "__main__":
    main()
