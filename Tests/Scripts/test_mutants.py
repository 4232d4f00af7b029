"""Mutation: which places become mutants, how they stand beside the original, and which reasons and mends are written down."""

import pathlib
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PACKAGE / "Scripts"))

from mutation import choosing, grammar, harmless, judging, mends, mutators, rewriting  # noqa: E402

SOURCE = """\
struct Shelf {
    func write(_ file: File) throws -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard file.size <= limit, let name = file.name else { return false }
        let isOurs = file.owner == owner && !file.isHeld || force
        try POSIX.flush(file)
        try keep(name)
        return true
    }
}
"""


def mutants(mutator, text=SOURCE):
    return [mutant for mutant in mutators.mutants_of("A.swift", text) if mutant.mutator == mutator]


def rewritten(mutant, text=SOURCE):
    return rewriting.rewrite(text, [rewriting.Edit(mutant.start, mutant.end, mutant.rewrite, 7)])


def test_a_flush_a_lock_and_what_is_deferred_can_be_left_out():
    assert [mutant.original for mutant in mutants("keep")] == ["lock.lock()", "try POSIX.flush(file)"]
    assert "/*<7*/if !Mutant.on(7) { try POSIX.flush(file) }/*7>*/" in rewritten(mutants("keep")[1])
    assert "defer { if !Mutant.on(7) {  lock.unlock()  } }" in rewritten(mutants("defer")[0])


def test_a_guard_lets_everything_pass_and_a_binding_stays():
    assert [mutant.original for mutant in mutants("guard")] == ["file.size <= limit"]
    assert "guard /*<7*/(Mutant.on(7) ? true : (file.size <= limit))/*7>*/, let name" in rewritten(mutants("guard")[0])


def test_operators_bind_as_in_swift_which_the_grammar_does_not_know():
    assert [mutant.original for mutant in mutants("condition")] == ["file.size <= limit", "file.owner == owner"]
    assert [mutant.original for mutant in mutants("and-or")] == [
        "file.owner == owner && !file.isHeld", "file.owner == owner && !file.isHeld || force"]
    assert "((file.owner == owner && !file.isHeld) && (force))" in rewritten(mutants("and-or")[1])


def test_neighbours_change_places_and_what_depends_on_no_order_does_not():
    assert [mutant.original for mutant in mutants("order")] == ["try POSIX.flush(file) try keep(name)"]
    assert mutants("order", "func f() {\n    a = 1\n    b = 2\n}\n") == []


def test_a_mutant_has_the_same_name_when_other_code_moves_it():
    before = [mutant.identity for mutant in mutators.mutants_of("A.swift", SOURCE)]
    after = [mutant.identity for mutant in mutators.mutants_of("A.swift", "import Other\n\n" + SOURCE)]
    assert before == after and len(set(before)) == len(before)


def test_a_mutant_within_another_is_in_the_original_of_that_one():
    inner, outer = mutants("keep")[1], mutants("order")[0]
    edits = [rewriting.Edit(mutant.start, mutant.end, mutant.rewrite, number) for number, mutant in ((1, inner), (2, outer))]
    text = rewriting.rewrite(SOURCE, edits)
    assert text.count("Mutant.on(1)") == 1 and text.count("Mutant.on(2)") == 1
    assert "else { /*<1*/if !Mutant.on(1) { try POSIX.flush(file) }/*1>*/" in text


def test_an_error_of_the_compiler_leads_to_the_innermost_mutant():
    text = "a /*<1*/b /*<2*/c/*2>*/ d/*1>*/ e"
    assert rewriting.numbers_at(text, 1, text.index("c") + 1) == [2]
    assert rewriting.numbers_at(text, 1, text.index("d") + 1) == [1]


def test_what_does_not_compile_is_not_replaced_by_another_one():
    everything = choosing.choose({"A.swift": SOURCE})
    fewer = choosing.choose({"A.swift": SOURCE}, {everything[0].identity})
    assert [mutant.identity for mutant in fewer] == [mutant.identity for mutant in everything[1:]]


def test_every_flush_of_the_engine_is_a_mutant():
    name = "Sources/Aquifer/Stores/StoreFolder.swift"
    text = (PACKAGE / name).read_text()
    source = grammar.Source(text)
    flushes = [node for node in source.walk() if node.type == "call_expression" and grammar.called(source, node) == "flush"]
    chosen = [mutant for mutant in choosing.choose({name: text}) if "flush" in mutant.original and mutant.mutator == "keep"]
    assert len(chosen) >= len(flushes) - 1


def test_each_mend_can_be_taken_back():
    for mend in mends.MENDS:
        assert list(mend.edits(PACKAGE))
    assert len({mend.name for mend in mends.MENDS}) == len(mends.MENDS)


def test_a_mend_whose_place_is_gone_is_told():
    text = '[[mend]]\nname = "1"\ntaken_back = "a"\nfinds = "world a"\n[[mend.place]]\nfile = "Makefile"\nold = "no such text"\nnew = ""\n'
    with pytest.raises(mends.Stale, match="0 times in Makefile"):
        list(mends.read(text)[0].edits(PACKAGE))


def test_each_harmless_mutant_has_a_reason_and_is_of_a_file_that_is_there():
    for identity, why in harmless.read().items():
        assert len(why) > 20
        assert (PACKAGE / identity.split(" | ")[0]).is_file()


def test_quick_suites_run_first_and_slow_ones_not_at_all():
    reached = {"a": {"seconds": 1}, "b": {"seconds": 1.5}, "c": {"seconds": 5}, "d": {"seconds": 70}}
    assert judging._batches(["a", "b", "c", "d"], reached) == [["a"], ["b"], ["c"]]
