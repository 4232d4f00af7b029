"""Writes mutants into a source, each beside the original."""

import re

#: The mends that are taken back are numbered from here on.
MENDS = 9000

#: What each changed module gets: the question which mutant is chosen, and the note of those that were reached.
SWITCH = """\
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which mutant is chosen: a number in the environment, read once.
enum Mutant {
    private static let chosen = getenv("AQUIFER_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
    nonisolated(unsafe) private static let reached: UnsafeMutablePointer<Bool>? = {
        if getenv("AQUIFER_MUTANT_TRACE") == nil { return nil }
        let flags = UnsafeMutablePointer<Bool>.allocate(capacity: 10_000)
        flags.initialize(repeating: false, count: 10_000)
        return flags
    }()

    @inline(__always) static func on(_ number: Int) -> Bool {
        if let reached, !reached[number] { note(number) }
        return number == chosen
    }

    private static func note(_ number: Int) {
        reached?[number] = true
        guard let path = getenv("AQUIFER_MUTANT_TRACE") else { return }
        let before = errno
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        let line = Array("\\(number)\\n".utf8)
        _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        close(file)
        errno = before
    }
}
"""


class Edit:
    """A rewrite of a part of a source, under a number."""

    def __init__(self, start, end, rewrite, number):
        self.start, self.end, self.rewrite, self.number = start, end, rewrite, number


def rewrite(text, edits):
    """The source with all edits. One that lies in another is in the original of that one; one that crosses another, or
    lies in a mend, is left out. Comments with the numbers are around each, for the compiler's errors."""
    data = text.encode()
    kept = []
    # A mend goes before a mutant.
    for edit in sorted(edits, key=lambda edit: edit.number < MENDS):
        if all(_agree(edit, other) for other in kept):
            kept.append(edit)
    kept.sort(key=lambda edit: (edit.start, -edit.end))
    return _render(data, 0, len(data), kept)


def _agree(one, other):
    if one.end <= other.start or other.end <= one.start:
        return True
    if one.start == other.start and one.end == other.end:
        return False
    outer, inner = (one, other) if one.end - one.start > other.end - other.start else (other, one)
    return outer.start <= inner.start and inner.end <= outer.end and "ORIGINAL" in outer.rewrite


def _render(data, start, end, edits):
    out, position = [], start
    while edits:
        edit, edits = edits[0], edits[1:]
        inner = [other for other in edits if other.end <= edit.end]
        edits = edits[len(inner):]
        original = _render(data, edit.start, edit.end, inner)
        rewritten = edit.rewrite.replace("MUTANT", f"Mutant.on({edit.number})").replace("ORIGINAL", original)
        out += [data[position:edit.start].decode(), f"/*<{edit.number}*/", rewritten, f"/*{edit.number}>*/"]
        position = edit.end
    out.append(data[position:end].decode())
    return "".join(out)


def numbers_at(text, line, column):
    """The number of the innermost edit around a place; if it is in none, those of the line, or of the last edit before it,
    whose statement may end there."""
    lines = text.split("\n")
    before = "\n".join(lines[: line - 1] + [lines[line - 1][: column - 1]])
    open_ones = []
    for opening, closing in re.findall(r"/\*<(\d+)\*/|/\*(\d+)>\*/", before):
        if opening:
            open_ones.append(int(opening))
        elif int(closing) in open_ones:
            open_ones.remove(int(closing))
    if open_ones:
        return open_ones[::-1][:1]
    here = [int(number) for number in re.findall(r"/\*<(\d+)\*/", lines[line - 1])]
    above = re.findall(r"/\*<(\d+)\*/", "\n".join(lines[max(0, line - 30) : line - 1]))
    return here or [int(number) for number in above[-1:]]
