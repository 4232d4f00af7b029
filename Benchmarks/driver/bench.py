"""Measures Aquifer beside what people would use instead, in one run: `make bench` calls this."""

import argparse
import contextlib
import os
import shutil
import statistics
import sys
import tempfile

import goals
import live
import peers
import replicas
import shared
from table import Row, duration, grouped, measured, progress, rate, ratios, show, speed, unmatched, with_works


def cached(bench):
    for items, count in ((20, 500), (1_000, 20), (10_000, 4)):
        progress(f"cached load of {items} items")

        def rows(f):
            for way, name in (("decoder", "JSONDecoder alone"), ("file", "JSON file with a time")):
                yield Row(
                    f"cached load, {grouped(items)} items", duration(f["resource"]), f"{name} {duration(f[way])}",
                    ratios(f["resource"], f[way]), judged=items == 10_000 and way == "decoder")

        yield from measured(bench.rounds, {
            way: (lambda way=way: bench.worker.seconds("cached", way, items, count))
            for way in ("resource", "decoder", "file")}, rows)


STORES = (("sqlite", "SQLiteStore"), ("file", "FileStore"), ("memory", "MemoryStore"))


def stores(bench):
    for size, name, counts in (
        (1 << 10, "1 KB", {"retrieve": 5_000, "insert": 1_000, "replace": 1_000}),
        (64 << 10, "64 KB", {"retrieve": 2_000, "insert": 100, "replace": 200}),
        (1 << 20, "1 MB", {"retrieve": 100, "insert": 24, "replace": 64}),
    ):
        for work, count in counts.items():
            progress(f"stores: {work} {name}")
            ways = {
                engine: (lambda engine=engine: bench.worker.seconds("store", engine, work, size, count))
                for engine in ("sqlite", "file", "memory", "plain")}
            ways["diskcache"] = lambda: bench.diskcache.seconds("store", work, size, count)
            if work == "retrieve":
                ways |= {
                    way: (lambda way=way: bench.sqlite.seconds("store", way, size, count))
                    for way in ("mapped", "unmapped")}
            yield from measured(bench.rounds, ways, lambda f: of_a_store(f, work, name))


def of_a_store(f, work, name):
    title = {"insert": "insert, new key,", "replace": "insert over another,", "retrieve": "retrieve"}[work]
    for engine, store in STORES:
        shown = {"diskcache": "diskcache", "plain": "plain file"}
        for peer in ("diskcache", "plain") if engine == "sqlite" else ("diskcache",):
            yield Row(
                f"{title} {name}: {store}", duration(f[engine]), f"{shown[peer]} {duration(f[peer])}", ratios(f[engine], f[peer]),
                judged=(engine, peer) == ("sqlite", "diskcache"))
    if work == "retrieve":
        # The store maps nothing, so that a file that is cut is an error and not the end of the process.
        for engine, shown in (("unmapped", "SQLite alone, no map"), ("sqlite", "SQLiteStore")):
            yield Row(
                f"{title} {name}: {shown}", duration(f[engine]), f"SQLite alone, mapped {duration(f['mapped'])}",
                ratios(f[engine], f["mapped"]))


def screens(bench):
    progress("retrieve from the main actor")
    yield from measured(bench.rounds, {
        engine: (lambda engine=engine: bench.worker.seconds("store", engine, "main", 1 << 10, 5_000)) for engine in ("tiered", "sqlite")},
        lambda f: [Row(
            "retrieve 1 KB from the main actor: TieredStore", duration(f["tiered"]), f"SQLiteStore {duration(f['sqlite'])}",
            ratios(f["tiered"], f["sqlite"]), judged=True)])


def loads(bench):
    url = bench.nginx.put("1k", bytes(range(256)) * 4)
    # A process of its own, as curl has one: other works leave memory and threads behind.
    worker = peers.Worker(*bench.ours)
    for width, count, slow in ((1, 5_000, 1_000), (64, 25_600, 2_560)):
        progress(f"loads through the clients, {width} at once")
        ways = {
            "ours": lambda: 1 / worker.seconds("loads", "curl", width, count, url),
            "curl": lambda: 1 / peers.curl(url, width, count),
            "urlsession": lambda: 1 / worker.seconds("loads", "urlsession", width, slow, url)}

        def rows(f):
            work = "loads, one at a time: CurlHTTPClient" if width == 1 else f"loads, {width} at once: CurlHTTPClient"
            for way, name in (("curl", "curl" if width == 1 else "curl -Z"), ("urlsession", "URLSessionHTTPClient")):
                yield Row(work, rate(f["ours"]), f"{name} {rate(f[way])}", ratios(f["ours"], f[way]), judged=way == "curl")

        with peers.one_core() if width == 1 else contextlib.nullcontext():
            yield from measured(bench.rounds, ways, rows)
    worker.close()


def undisturbed(size, seconds):
    """The bytes a second of a transfer. What the one before it has left to write is not this one's to wait for."""
    os.sync()
    return size / seconds()


def downloads(bench):
    progress("downloads of 200 MB")
    size = 200 << 20
    url = bench.nginx.put("200m", os.urandom(1 << 20) * 200)
    worker, curl = bench.worker.seconds, peers.curl_to_file
    ways = {
        "ours": lambda: undisturbed(size, lambda: worker("download", "process", size, url)),
        "power": lambda: undisturbed(size, lambda: worker("download", "power", size, url)),
        "curl": lambda: undisturbed(size, lambda: curl(url, f"{bench.folder}/curl.bin", flush=False)),
        "flushed": lambda: undisturbed(size, lambda: curl(url, f"{bench.folder}/curl.bin", flush=True))}

    def rows(f):
        for work, ours, peer, name in (
            ("download 200 MB: Downloads", "ours", "curl", "curl -o"),
            ("download 200 MB, on the device: Downloads", "power", "flushed", "curl -o, then sync"),
        ):
            yield Row(work, speed(f[ours]), f"{name} {speed(f[peer])}", ratios(f[ours], f[peer]), judged=True)

    yield from measured(bench.rounds, ways, rows)


def uploads(bench):
    progress("uploads of 1 GB")
    size = 1 << 30
    path = f"{bench.folder}/1g"
    piece = os.urandom(1 << 20)
    with open(path, "wb") as file:
        for _ in range(size >> 20):
            file.write(piece)
    os.sync()  # what is left to write of it is nobody's to wait for
    peaks = []

    # A server that keeps what it gets waits for its disk, and then both uploads wait for it, too.
    sink = peers.Sink()

    def ours():
        seconds, peak = bench.worker.figures("upload", size, sink.url, path)
        peaks.append(peak)
        return size / seconds

    try:
        yield from measured(
            bench.rounds, {"ours": ours, "curl": lambda: size / peers.curl_upload(sink.url, path)}, lambda f: [Row(
                "upload 1 GB from a file: CurlHTTPClient", speed(f["ours"]), f"curl -T {speed(f['curl'])}",
                ratios(f["ours"], f["curl"]), judged=True)])
    finally:
        sink.close()
    os.remove(path)
    limit = 10e6
    yield Row(
        "upload 1 GB: memory beyond rest, at its peak", f"{max(peaks) / 1e6:.1f} MB", f"the limit {limit / 1e6:.0f} MB",
        [max(peaks) / limit], judged=True)


def memory(bench):
    progress("memory of a cached load")
    items = 10_000
    figures = []
    for _ in range(bench.rounds):
        # A process of its own: memory that other works have freed is used again, and none is asked for.
        worker = peers.Worker(*bench.ours)
        figures.append(worker.figures("cached", "memory", items, 1))
        worker.close()
    peaks, alone = zip(*figures)
    work = f"cached load, {grouped(items)} items: memory at its peak"
    ours = f"{statistics.median(peaks):.2f} of their bytes"
    yield Row(work, ours, "their bytes, saved", peaks, judged=True)
    yield Row(work, ours, f"the items alone {statistics.median(alone):.2f}", [peak / max(rest, 0.01) for peak, rest in zip(peaks, alone)])


def served(bench):
    progress("requests for the saved feed")
    peers.to_last_byte([bench.aquifer, "feed", "list", "--data", bench.data])
    serve = peers.Serve(bench.aquifer, bench.data)
    try:
        body = serve.saved()
        url = bench.nginx.put("feed.json", body)
        kept = bench.nginx.kept("feed.json")

        def rows(f):
            work = f"requests for the saved feed, {grouped(len(body))} bytes"
            for way, name in (("kept", "nginx, proxy_cache"), ("static", "nginx, static file")):
                yield Row(work, rate(f["ours"]), f"{name} {rate(f[way])}", ratios(f["ours"], f[way]), judged=way == "kept")

        yield from measured(bench.rounds, {
            "ours": lambda: peers.wrk(serve.url, 2), "static": lambda: peers.wrk(url, 2), "kept": lambda: peers.wrk(kept, 2)}, rows)
    finally:
        serve.close()


def started(bench):
    progress("start of the command line")
    feed = [bench.aquifer, "feed", "list", "--data", bench.data]
    peers.to_last_byte(feed + ["--at", "-1h"])  # saved an hour ago, so that its age is told in full
    _, count = peers.to_last_byte(feed + ["--offline"])
    if count < 1_000:
        raise SystemExit("bench: the saved feed is missing")

    def each(command):
        return lambda: peers.to_last_byte(command)[0]

    def rows(f):
        # A round has ten starts, each beside one of the peer's.
        f = {name: [statistics.median(all[i:i + 10]) for i in range(0, len(all), 10)] for name, all in f.items()}
        python = f"python3 -c pass {duration(f['python'])}"
        yield Row(
            "aquifer feed list --offline, 10 items", duration(f["ours"]), python, ratios(f["ours"], f["python"]), judged=True)
        yield Row("aquifer --version: it does nothing", duration(f["nothing"]), python, ratios(f["nothing"], f["python"]))

    yield from measured(bench.rounds * 10, {
        "ours": each(feed + ["--offline"]), "nothing": each([bench.aquifer, "--version"]), "python": each([bench.python, "-c", "pass"])}, rows)


WORKS = {
    "cached": cached, "stores": stores, "screens": screens, "live": live.live, "scopes": live.scopes, "entries": live.entries, "pages": live.pages,
    "changes": live.changes, "loads": loads,
    "downloads": downloads, "uploads": uploads, "memory": memory, "served": served, "started": started,
    "shared": shared.shared, "herd": shared.herd, "queues": shared.queues, "users": shared.users,
    "replicas": replicas.replicas}
#: The works that need nginx.
SERVED = {"loads", "downloads", "served"}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--worker", required=True, help="the worker of Benchmarks/, release build")
    options.add_argument("--bare", required=True, dest="bare_program", help="libpq and hiredis alone, of Benchmarks/")
    options.add_argument("--aquifer", required=True, help="the command line, release build with static stdlib")
    options.add_argument("--python", required=True, help="the Python whose start is measured")
    options.add_argument("--rounds", type=int, default=9, help="how often each work is run (%(default)s)")
    options.add_argument("--record", action="store_true", help="add the ratios to goals.md as one more run, whatever they are")
    bench = with_works(options, WORKS)
    folder = tempfile.mkdtemp(prefix="aquifer-bench-")
    bench.folder, bench.data = folder, f"{folder}/data"
    closing = bench.closing = []
    try:
        ours = bench.ours = (bench.worker, folder)
        python = {
            name: (sys.executable, f"{sys.path[0]}/{name}_worker.py", folder) for name in ("diskcache", "sqlite", "plain")}
        for name, command in {
            "worker": ours, "second_worker": ours, "second_plain": python["plain"], **python,
        }.items():
            setattr(bench, name, peers.Worker(*command))
            closing.append(getattr(bench, name))
        works = bench.works or list(WORKS)
        if not SERVED.isdisjoint(works):
            bench.nginx = peers.Nginx(folder)
            closing.append(bench.nginx)
        rows = [row for name in works for row in WORKS[name](bench)]
    finally:
        for peer in closing:
            peer.close()
        shutil.rmtree(folder, ignore_errors=True)
    failed = show(rows) + unmatched(rows, whole=not bench.works)
    if bench.record:
        goals.record({row.work: row.ratio for row in rows if row.judged})
    print(goals.met((row.goal, row.ratio) for row in rows if row.goal))
    return 1 if failed else 0


sys.exit(main())
