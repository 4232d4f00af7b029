"""Which mutants of the engine are built: the same ones as long as the code at their places is the same."""

from . import mutators

#: The modules whose sources are changed.
MODULES = ["Aquifer", "AquiferConcurrency", "AquiferCurl", "AquiferHTTP", "AquiferPayments", "AquiferSQLite"]

#: The largest numbers of mutants: of each kind, and in a file.
SHARES = {
    "keep": (60, 4), "defer": (24, 2), "await": (36, 2), "return": (24, 2), "guard": (44, 1), "if": (20, 1),
    "condition": (56, 2), "and-or": (28, 1), "bound": (28, 1), "order": (36, 1),
}


def choose(sources, refused=frozenset()):
    """The mutants of some sources, given as texts by path, numbered from 1. Every flush is one of them."""
    every = [mutant for file, text in sorted(sources.items()) for mutant in mutators.mutants_of(file, text)]
    every = [mutant for mutant in every if mutant.mutator in SHARES]
    every.sort(key=lambda mutant: (0 if _is_flush(mutant) else 1, mutant.rank))
    chosen, left, of_file, lines = [], {name: share for name, (share, _) in SHARES.items()}, {}, set()
    for mutant in every:
        place, kind = (mutant.file, mutant.line), (mutant.file, mutant.mutator)
        is_flush = _is_flush(mutant)
        if place in lines or left[mutant.mutator] == 0:
            continue
        if not is_flush and of_file.get(kind, 0) == SHARES[mutant.mutator][1]:
            continue
        lines.add(place)
        left[mutant.mutator] -= 1
        of_file[kind] = of_file.get(kind, 0) + 1
        chosen.append(mutant)
    # What the compiler refuses is not replaced by another one: the choice depends on the sources only.
    chosen = [mutant for mutant in chosen if mutant.identity not in refused]
    chosen.sort(key=lambda mutant: (mutant.file, mutant.start, mutant.end))
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    return chosen


def _is_flush(mutant):
    return mutant.mutator == "keep" and "flush" in mutant.original
