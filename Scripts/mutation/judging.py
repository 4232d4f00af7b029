"""Runs each mutant against what reaches it, until something fails: the quick suites first. What survives all of them meets
the worlds, which take longer."""

import concurrent.futures
import json
import sys
import threading

from . import building, harmless, programs, reaching

#: The seconds that the suites of one process take together, in turn: most mutants die in the first.
_BATCHES = (2, 6, 12)
#: Suites that take longer than this in all are left out for a mutant; the quick ones come first.
_MOST = 20
#: A mutant may make a suite slower. It hangs when it takes longer than this.
_PATIENCE, _SLOWER = 20, 6


def file():
    return building.SCRATCH / "results.json"


def kept():
    return json.loads(file().read_text()) if file().exists() else {}


def judge(mutants, reached, seeds, known, jobs, only):
    """The results by identity. Those that are known stay, and each new one is written down at once."""
    results = dict(known)
    chosen = [(number, mutant) for number, mutant in sorted(mutants.items()) if only(number, mutant)]

    lock = threading.Lock()

    def note(number, mutant, result):
        words = f"{result['how']:<10} {result['seconds']:>6.1f} s  {mutant['identity']}  ← {result['by'][:110]}"
        with lock:
            results[mutant["identity"]] = result
            file().write_text(json.dumps(results, indent=1))
            print(f"{number:>4} {words}", flush=True)

    def meet_suites(pair):
        number, mutant = pair
        if mutant["identity"] not in results:
            note(number, mutant, _in_suites(number, reached))

    def meet_worlds(pair):
        number, mutant = pair
        result = results[mutant["identity"]]
        if result["how"] == "survived" and "worlds" not in result["by"]:
            note(number, mutant, _in_worlds(number, reached, seeds, result))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for meet in (meet_suites, meet_worlds):
            list(pool.map(meet, chosen))
    return results


def _reaching(number, reached, is_world):
    names = [name for name in reached if number in reached[name]["reached"] and name.startswith(programs.WORLDS) == is_world]
    return sorted(names, key=lambda name: reached[name]["seconds"])


def _in_suites(number, reached):
    suites, spent, ran = _reaching(number, reached, False), 0.0, 0
    for batch in _batches(suites, reached):
        limit = _PATIENCE + _SLOWER * sum(reached[name]["seconds"] for name in batch)
        outcome = programs.run(programs.command(batch), limit, {"AQUIFER_MUTANT": str(number)})
        spent += outcome.seconds
        ran += len(batch)
        if outcome.how != "passed":
            return {"how": outcome.how, "by": outcome.words, "seconds": round(spent, 1)}
    how = "survived" if suites or _reaching(number, reached, True) else "unreached"
    return {"how": how, "by": f"{ran} of {len(suites)} suites", "seconds": round(spent, 1)}


def _in_worlds(number, reached, seeds, result):
    """The result of a mutant that has survived the suites."""
    worlds, spent = _reaching(number, reached, True), result["seconds"]
    for name in worlds:
        command = programs.command([name]) + ["--count", str(seeds)]
        limit = _PATIENCE + _SLOWER * reached[name]["seconds"] * max(1, seeds / 40)
        outcome = programs.run(command, limit, {"AQUIFER_MUTANT": str(number)})
        spent += outcome.seconds
        # A world has a bound of steps, and does not hang; but a busy machine may be slow.
        # Without words of its own the program could not run.
        if outcome.how not in ("passed", "hang") and not outcome.words.startswith("ended with"):
            return {"how": "world", "by": outcome.words, "seconds": round(spent, 1)}
    return {"how": "survived", "by": f"{result['by']}, {len(worlds)} worlds", "seconds": round(spent, 1)}


def _batches(suites, reached):
    """The suites, the quick ones first, in batches that grow."""
    batches, batch, seconds, total = [], [], 0.0, 0.0
    for name in suites:
        takes = reached[name]["seconds"]
        if total + takes > _MOST:
            break
        total += takes
        room = _BATCHES[min(len(batches), len(_BATCHES) - 1)]
        if batch and seconds + takes > room:
            batches.append(batch)
            batch, seconds = [], 0.0
        batch.append(name)
        seconds += takes
    return batches + [batch] if batch else batches


def report(mutants, results):
    """Prints the table, writes the survivors, and says whether each survivor is named as harmless and each of those lives."""
    reasons = harmless.read()
    kinds, rows, survivors = ("test", "crash", "hang", "world", "harmless", "survived"), {}, []
    for mutant in mutants.values():
        result = results.get(mutant["identity"])
        if result is None:
            continue
        how = result["how"]
        if how in ("survived", "unreached"):
            how = "harmless" if mutant["identity"] in reasons else "survived"
            if how == "survived":
                survivors.append(f"{mutant['identity']}\n    line {mutant['line']}: {result['how']}, {result['by']}")
        row = rows.setdefault(mutant["mutator"], dict.fromkeys(kinds, 0))
        row[how] += 1
    print("\n| kind of change | mutants | a test | a crash | a hang | a world | harmless | survived |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    rows = sorted(rows.items()) + [("all", {kind: sum(row[kind] for row in rows.values()) for kind in kinds})]
    for name, row in rows:
        print(f"| {name} | {sum(row.values())} | " + " | ".join(str(row[kind] or "") for kind in kinds) + " |")
    (building.SCRATCH / "survivors.txt").write_text("\n".join(survivors) + "\n")
    identities = {mutant["identity"] for mutant in mutants.values()}
    stale = sorted(identity for identity in reasons if identity not in identities)
    killed = {identity for identity, result in results.items() if result["how"] not in ("survived", "unreached")}
    dead = sorted(identity for identity in reasons if identity in killed)
    for identity in stale:
        print(f"mutants: no mutant is called this any more: {identity}", file=sys.stderr)
    for identity in dead:
        print(f"mutants: it is named as harmless, and is killed: {identity}", file=sys.stderr)
    return not survivors and not stale and not dead
