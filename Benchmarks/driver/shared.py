"""The works on servers: stores that machines share, one load for all of them, queues with several senders, and the scopes of many users."""

import contextlib
import os
import subprocess
import sys

import psycopg

import peers
from table import Row, duration, grouped, measured, progress, rate, ratios

ROOT = os.path.dirname(os.path.dirname(sys.path[0]))


class Server:
    """A server of `Scripts/postgres` or `Scripts/redis`, in a folder of its own. It ends with its input."""

    def __init__(self, name, folder):
        self.port = peers.free_port()
        self.note = {"postgres": f"{folder}/data/postmaster.pid", "redis": f"{folder}/pid"}[name]
        self.process = subprocess.Popen(
            [f"{ROOT}/Scripts/{name}", "run", folder, str(self.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise SystemExit(f"bench: {name} did not start")
        self.address = {
            "postgres": f"postgresql://postgres@127.0.0.1:{self.port}/postgres", "redis": f"redis://127.0.0.1:{self.port}"}[name]

    @property
    def daemon(self):
        """The number of the server's first process, which has left the tree of processes here."""
        with open(self.note) as file:
            return int(file.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def servers(bench):
    """The servers of all these works, started by the first one."""
    if not hasattr(bench, "servers"):
        # PostgreSQL's own user must reach its folder.
        place = f"/tmp/aquifer-bench-{os.getpid()}"
        bench.servers = {}
        for name in ("postgres", "redis"):
            bench.servers[name] = Server(name, f"{place}-{name}")
            bench.closing.append(bench.servers[name])
        worker = [sys.executable, f"{sys.path[0]}/shared_worker.py"]
        bench.bare, bench.python_shared = peers.Worker(bench.bare_program), peers.Worker(*worker)
        bench.queues = peers.Worker(sys.executable, f"{sys.path[0]}/queue_worker.py")
        bench.closing += [bench.bare, bench.python_shared, bench.queues]
    return {name: server.address for name, server in bench.servers.items()}


NAMES = {"postgres": ("PostgresStore", "libpq", "psycopg"), "redis": ("RedisStore", "hiredis", "redis-py")}


def shared(bench):
    addresses = servers(bench)
    for engine, (store, bare, python) in NAMES.items():
        for size, name, alone, many in ((1 << 10, "1 KB", 1_000, 6_400), (64 << 10, "64 KB", 300, 1_280)):
            for work in ("retrieve", "insert"):
                for width, count in ((1, alone), (64, many)):
                    progress(f"{store}: {work} {name}, {width} at once")
                    words = ("shared", engine, work, size, width, count, addresses[engine])
                    floor = ("shared", "hop", *words[2:])
                    title = f"{work} {name}, {'one' if width == 1 else width} at {'a time' if width == 1 else 'once'}: {store}"
                    pipeline = "" if width == 1 else ", pipelined"

                    def rows(f):
                        alone = f"{bare} alone{pipeline} {rate(f['bare'])}"
                        yield Row(title, rate(f["ours"]), alone, ratios(f["ours"], f["bare"]), judged=True)
                        yield Row(title, rate(f["ours"]), f"{python}{pipeline} {rate(f['python'])}", ratios(f["ours"], f["python"]))
                        if size == 1 << 10 and work == "retrieve":
                            # The limit of every store with a thread of its own, whatever its server does.
                            hop = f"{'a call' if width == 1 else 'calls'} to a thread and back"
                            yield Row(f"{hop}, {width} at once", rate(f["floor"]), alone, ratios(f["floor"], f["bare"]))

                    with peers.one_core(bench.servers[engine].daemon) if width == 1 else contextlib.nullcontext():
                        yield from measured(bench.rounds, {
                            "ours": lambda: 1 / bench.worker.seconds(*words), "bare": lambda: 1 / bench.bare.seconds(*words),
                            "python": lambda: 1 / bench.python_shared.seconds(*words),
                            "floor": lambda: 1 / bench.worker.seconds(*floor)}, rows)


REMOTE = 200


def herd(bench):
    progress("one load by three machines with a thousand callers each")
    address = servers(bench)["postgres"]
    yield from measured(
        bench.rounds, {way: (lambda way=way: bench.worker.figures("herd", way, REMOTE, address)) for way in ("leases", "without")},
        of_a_herd)


def of_a_herd(f):
    ours, without = f["leases"], f["without"]
    work = "one load, 3 machines × 1 000 callers"
    yield Row(
        f"{work}: requests", str(max(int(each[2]) for each in ours)), f"without leases {int(without[0][2])}",
        [max(each[2] for each in ours)], judged=True)
    yield Row(
        f"{work}: p99", duration([each[0] for each in ours]), f"the remote's time {REMOTE} ms",
        [each[0] / (REMOTE / 1e3) for each in ours], judged=True)
    yield Row(
        f"{work}: p99", duration([each[0] for each in ours]), f"without leases {duration([each[0] for each in without])}",
        ratios([each[0] for each in ours], [each[0] for each in without]))


ITEMS = 10_000
#: The numbers of senders.
SENDERS = (1, 4)


def queues(bench):
    addresses = servers(bench)
    contenders = {}
    for senders in SENDERS:
        contenders |= {
            ("ours", senders): lambda senders=senders: bench.worker.figures("senders", senders, ITEMS, addresses["postgres"]),
            ("hand", senders): lambda senders=senders: 1 / bench.queues.seconds("hand", senders, ITEMS, addresses["postgres"]),
            ("celery", senders): lambda senders=senders: 1 / bench.queues.seconds("celery", senders, ITEMS, addresses["redis"])}
    progress(f"{grouped(ITEMS)} items, sent by one and by several")
    yield from measured(min(bench.rounds, 3), contenders, of_queues)


def of_queues(f):
    speeds = {senders: [1 / each[0] for each in f["ours", senders]] for senders in SENDERS}
    for senders, ours in speeds.items():
        work = f"outbox, {grouped(ITEMS)} items, {senders} sender{'s' if senders > 1 else ''}"
        times, hand, celery = (f[way, senders] for way in ("ours", "hand", "celery"))
        yield Row(
            f"{work}: CPU time an item", duration([each[1] for each in times]),
            f"PostgreSQL {duration([each[2] for each in times])}", [each[1] / max(each[2], 1e-9) for each in times])
        yield Row(work, rate(ours), f"SQL by hand {rate(hand)}", ratios(ours, hand))
        yield Row(work, rate(ours), f"Celery, Redis {rate(celery)}", ratios(ours, celery), judged=True)
    one, four = SENDERS
    yield Row(
        f"outbox, {four} senders", rate(speeds[four]), f"{one} sender {rate(speeds[one])}", ratios(speeds[four], speeds[one]), judged=True)


OTHERS = (10, 1_000, 100_000)
#: The entries of each of the others, and of the user who is measured.
THEIRS, MINE = 5, 200


def users(bench):
    address = servers(bench)["postgres"]
    for others in OTHERS:
        progress(f"the scopes of {grouped(others)} users")
        bench.worker.figures("users", "fill", others, 0, address)
        fill(address, f"users_{others}", others)
    yield from measured(2 * bench.rounds, {
        others: (lambda others=others: bench.worker.figures("users", "user", others, MINE, address)) for others in OTHERS}, of_users)


def of_users(f):
    for place, work in enumerate((f"insert", f"retrieve", f"log-out of {MINE} entries")):
        few = [each[place] for each in f[OTHERS[0]]]
        for others in OTHERS[1:]:
            mine = [each[place] for each in f[others]]
            yield Row(
                f"{work}, {grouped(others)} scopes", duration(mine), f"{OTHERS[0]} scopes {duration(few)}", ratios(mine, few),
                judged=True)


def fill(address, schema, others):
    """The entries of others, made from one that the store saved: nobody reads them."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"""
            INSERT INTO {schema}.entry(id, mark, head, bytes, pieces)
            SELECT convert_to('scope/other%2F' || user_number || '/0123456789abcdef/contact/' || number, 'UTF8'),
                mark, head, bytes, pieces
            FROM {schema}.entry, generate_series(1, {others}) user_number, generate_series(1, {THEIRS}) number
            WHERE id = 'filler'""")
        connection.execute(f"VACUUM ANALYZE {schema}.entry")
