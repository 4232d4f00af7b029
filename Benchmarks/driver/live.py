"""The works of live data: an update that reaches those who follow, the end of a scope, and one more page of a list."""

import sqlite3

from plain_worker import keys
from table import Row, duration, grouped, measured, progress, ratios

FOLLOWERS = 1_000
ENTRIES, OTHERS = 10_000, 990_000
LENGTHS = (10, 100, 1_000)


def live(bench):
    progress(f"an update reaches {grouped(FOLLOWERS)} subscribers")
    yield from measured(
        bench.rounds, {way: (lambda way=way: bench.worker.figures("live", way, 20)) for way in ("resource", "streams")},
        lambda f: percentiles(
            f"update to {grouped(FOLLOWERS)} subscribers", f["resource"], "AsyncStream alone", f["streams"]))

    progress("an update reaches another process")

    def across(follower, writer):
        follower.figures("live", "follow", 100)
        writer.figures("live", "write", 100)
        return follower.figures("live", "followed", 0)

    yield from measured(
        bench.rounds, {
            "ours": lambda: across(bench.worker, bench.second_worker), "polling": lambda: across(bench.plain, bench.second_plain)},
        lambda f: percentiles("update to another process", f["ours"], "SQLite asked each ms", f["polling"], judged=("p50",)))


def percentiles(work, ours, peer, peers, judged=("p50", "p99")):
    for place, name in enumerate(("p50", "p99")):
        a, b = ([figures[place] for figures in all_of_them] for all_of_them in (ours, peers))
        yield Row(f"{work}, {name}", duration(a), f"{peer} {duration(b)}", ratios(a, b), judged=name in judged)


def scopes(bench):
    progress("a million entries")
    bench.worker.seconds("scopes", "fill", 1)
    fill(f"{bench.folder}/scopes.sqlite")
    bench.plain.seconds("users", "fill", OTHERS)
    progress(f"a scope of {grouped(ENTRIES)} entries ends")
    # Most of a round is the login of the next user, which is not timed.
    yield from measured(
        min(bench.rounds, 5), {
            "ours": lambda: bench.worker.seconds("scopes", "end", ENTRIES),
            "plain": lambda: bench.plain.seconds("users", "end", ENTRIES)},
        lambda f: [Row(
            f"scope of {grouped(ENTRIES)} in a million ends", duration(f["ours"]),
            f"SQLite, DELETE of a range {duration(f['plain'])}", ratios(f["ours"], f["plain"]), judged=True)])


#: A store of so many entries, and one of a thousand: none may take longer because of the number of the others.
MILLION, FEW = 1_000_000, 1_000


def entries(bench):
    progress("a thousand entries, and a million")
    for count in (FEW, MILLION):
        # One by one: each is read and verified later.
        bench.worker.seconds("entries", "fill", count, count)
    rounds_of_five = min(bench.rounds, 5)

    progress("the first insert through a bound")
    # In MB: the store is within the first one, and above the second.
    for bound, name in ((1 << 20, "within its bound"), (64, "above its bound")):
        yield from measured(
            rounds_of_five,
            {count: (lambda count=count: bench.worker.seconds("entries", "first", count, bound)) for count in (FEW, MILLION)},
            lambda f: [Row(
                f"first insert, a million entries, {name}", duration(f[MILLION]), f"a thousand {duration(f[FEW])}",
                ratios(f[MILLION], f[FEW]), judged=True)])

    progress("a list")
    yield from measured(
        rounds_of_five, {
            "pages": lambda: bench.worker.seconds("entries", "pages", MILLION, 1_000),
            "list": lambda: bench.worker.seconds("entries", "list", MILLION, 0)},
        lambda f: [Row(
            "the longest of a thousand pages of a million entries", duration(f["pages"]),
            f"the list in one piece {duration(f['list'])}", ratios(f["pages"], f["list"]), judged=True)])

    progress("retrieve")
    yield from measured(
        bench.rounds,
        {count: (lambda count=count: bench.worker.seconds("entries", "retrieve", count, 20_000)) for count in (FEW, MILLION)},
        lambda f: [Row(
            "retrieve 1 KB among a million", duration(f[MILLION]), f"among a thousand {duration(f[FEW])}",
            ratios(f[MILLION], f[FEW]), judged=True)])


CHANGES = 10_000


def changes(bench):
    progress("changes are queued on disk")
    yield from measured(
        bench.rounds, {
            "ours": lambda: bench.worker.figures("changes", "enqueue", 300)[0],
            "plain": lambda: bench.plain.seconds("queue", "enqueue", 300)},
        lambda f: [Row(
            "300 requests queued, each survives a loss of power", duration(f["ours"]),
            f"SQLite, INSERT with the same durability {duration(f['plain'])}", ratios(f["ours"], f["plain"]), judged=True)])

    progress(f"{grouped(CHANGES)} changes over a list of {grouped(CHANGES)}")

    def rows(f):
        laid = [max(a - b, 0) for a, b in zip(f["laid"], f["plain"])]
        yield Row(
            f"{grouped(CHANGES)} changes over {grouped(CHANGES)} items", duration(laid),
            f"the decoding of the items {duration(f['decode'])}", ratios(laid, f["decode"]), judged=True)

    yield from measured(min(bench.rounds, 5), {
        work: (lambda work=work: bench.worker.figures("changes", work, 3)[0]) for work in ("laid", "plain", "decode")}, rows)

    progress(f"a change is shown to {grouped(FOLLOWERS)} subscribers")
    yield from measured(
        bench.rounds, {
            "changes": lambda: bench.worker.figures("changes", "followers", 20),
            "streams": lambda: bench.worker.figures("live", "streams", 20)},
        lambda f: percentiles(
            f"change shown to {grouped(FOLLOWERS)} subscribers", f["changes"], "AsyncStream alone", f["streams"]))


def fill(file):
    """Makes the entries of others from one that the store has saved. Their checksums are wrong, and nobody reads them."""
    store = sqlite3.connect(file, isolation_level=None)
    columns = [row[1] for row in store.execute("PRAGMA table_info(entry)") if row[1] not in ("id", "key")]
    names = ", ".join(columns)
    row = store.execute(f"SELECT {names} FROM entry WHERE key = 'filler'").fetchone()
    values = ", ".join("?" * len(row))
    store.execute("BEGIN IMMEDIATE")
    store.executemany(
        f"INSERT INTO entry(key, {names}) VALUES (?, {values})",
        ((key, *row) for user in range(1_000, 1_000 + OTHERS // 10_000) for key in keys(user, 10_000)))
    store.execute("COMMIT")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def pages(bench):
    progress("one more page of a list")
    yield from measured(
        min(bench.rounds, 5), {
            "paged": lambda: bench.worker.figures("pages", "paged", *LENGTHS),
            "whole": lambda: bench.worker.seconds("pages", "whole", LENGTHS[-1])},
        of_pages)


def of_pages(f):
    paged = {length: [figures[place] for figures in f["paged"]] for place, length in enumerate(LENGTHS)}
    for length in LENGTHS[1:]:
        yield Row(
            f"page appended to {grouped(length)} pages", duration(paged[length]), f"to {LENGTHS[0]} pages {duration(paged[LENGTHS[0]])}",
            ratios(paged[length], paged[LENGTHS[0]]), judged=True)
    last = LENGTHS[-1]
    yield Row(
        f"page appended to {grouped(last)} pages", duration(paged[last]), f"the list as one entry {duration(f['whole'])}",
        ratios(paged[last], f["whole"]))
