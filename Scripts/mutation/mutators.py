"""The rules that make a mutant out of a place in a source.

Each mutant is a rewrite that keeps the original beside the change, so that one program has them all: the name `MUTANT` in
a rewrite stands for the question whether this mutant is chosen, and `ORIGINAL` for the original, in which other mutants
may be.
"""

import hashlib
import re

from . import grammar

_WIDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
#: Calls whose loss must be noticed: the names of those that flush, lock, delete or end something.
_KEEPING = re.compile(
    r"^(flush\w*|sync\w*|lock|unlock|tryLock|remove\w*|delete\w*|discard\w*|truncate\w*|close\w*|cancel\w*|release\w*|"
    r"forget\w*|finish\w*|drop\w*|makeEmpty|replace)$")
_UNTOUCHED = re.compile(r"^(fatalError|preconditionFailure|precondition|assert\w*|init)$")
#: An expression that is longer is left alone: the compiler would think about it for too long.
_LONGEST = 140


class Mutant:
    """A change of a source: what it replaces, by what, and how it is called."""

    def __init__(self, file, mutator, start, end, rewrite, original):
        self.file, self.mutator, self.start, self.end, self.rewrite = file, mutator, start, end, rewrite
        self.original = " ".join(original.split())
        self.count = 1  # the how manieth of its kind and text in its file
        self.line = 0
        self.number = 0

    @property
    def identity(self):
        """What it is called as long as the code at its place is the same, wherever that is."""
        again = f" #{self.count}" if self.count > 1 else ""
        return f"{self.file} | {self.mutator} | {self.original}{again}"

    @property
    def rank(self):
        """A number that does not change when other code does, by which a share of the mutants is chosen."""
        return int(hashlib.sha256(self.identity.encode()).hexdigest()[:12], 16)


def mutants_of(file, text):
    """All mutants of a source, in its order."""
    source = grammar.Source(text)
    found = []
    for node in source.walk():
        found += _of(file, source, node)
    found.sort(key=lambda mutant: (mutant.start, mutant.end, mutant.mutator))
    counts = {}
    for mutant in found:
        key = (mutant.mutator, mutant.original)
        counts[key] = mutant.count = counts.get(key, 0) + 1
        mutant.line = source.bytes.count(b"\n", 0, mutant.start) + 1
    return found


def _of(file, source, node):
    def make(mutator, start, end, rewrite):
        return Mutant(file, mutator, start, end, rewrite, source.text(start, end))

    for place in grammar.binaries(source, node):
        if place.end - place.start > _LONGEST:
            continue
        left, right = source.text(*place.left), source.text(*place.right)
        mutator = "and-or" if place.operator in ("&&", "||") else "condition"
        changed = f"({left}) {_WIDER[place.operator]} ({right})"
        yield make(mutator, place.start, place.end, f"(MUTANT ? ({changed}) : (ORIGINAL))")
    for start, end in grammar.conditions(source, node):
        if node.type == "guard_statement":
            yield make("guard", start, end, "(MUTANT ? true : (ORIGINAL))")
        elif node.type == "if_statement":
            yield make("if", start, end, f"(MUTANT ? !({source.text(start, end)}) : (ORIGINAL))")
    if node.type == "integer_literal" and _is_bound(source, node):
        value = int(source.of(node).replace("_", ""))
        yield make("bound", node.start_byte, node.end_byte, f"(MUTANT ? {value + 1} : ORIGINAL)")
    if node.type == "control_transfer_statement" and source.of(node) in ("return true", "return false"):
        other = "false" if source.of(node) == "return true" else "true"
        yield make("return", node.start_byte, node.end_byte, f"return (MUTANT ? {other} : {source.of(node)[7:]})")
    if grammar.is_deferred(source, node) and node.parent.type == "statements":
        body = source.of(node)[len("defer"):].strip()[1:-1]
        yield make("defer", node.start_byte, node.end_byte, f"defer {{ if !MUTANT {{ {body} }} }}")
    if node.parent and node.parent.type == "statements" and grammar.is_action(source, node):
        name = grammar.called(source, node)
        if name and not _UNTOUCHED.match(name) and not grammar.stands_alone(node):
            kind = "keep" if _KEEPING.match(name) else "await" if "await " in source.of(node) else "call"
            yield make(kind, node.start_byte, node.end_byte, "if !MUTANT { ORIGINAL }")
    for first, second in grammar.neighbours(source, node):
        one, other = source.of(first), source.of(second)
        yield make(
            "order", first.start_byte, second.end_byte, f"if MUTANT {{ {other}\n{one} }} else {{ ORIGINAL }}")


def _is_bound(source, node):
    """True for a number that a ternary expression can stand for."""
    if not re.fullmatch(r"\d[\d_]*", source.of(node)):
        return False
    above = node.parent
    while above is not None and above.type not in ("statements", "value_arguments", "computed_property", "class_body"):
        if above.type in ("switch_pattern", "pattern", "enum_entry", "attribute", "line_string_literal", "prefix_expression",
                          "type_annotation", "parameter", "navigation_suffix", "enum_type_parameters"):
            return False
        above = above.parent
    return True
