"""The limits of files and functions. Each file has one idea, and a function is read at a glance.

Tests are excepted: the cases of one subject belong together. So are the words of a language, which are one list.
"""

import functools
import re

#: The folders whose sources are measured.
FOLDERS = ("Sources", "Product/Sources", "Benchmarks", "Examples")
CATALOGUES = "Sources/AquiferWording/Languages/*"
FILE_LINES = 500
FUNCTION_LINES = 60

#: A declaration with a body: a function, an initializer, a subscript or a computed value.
DECLARATION = re.compile(
    r"^ *(?:@[\w.]+(?:\([^)]*\))? +)*(?:[a-z]+(?:\(\w+\))? +)*(?:func\b|init[?!]?[(<]|deinit\b|subscript\b|var\b.*\{$)")
#: A line of a signature that is as far to the left as its declaration.
SIGNATURE = re.compile(r" *(?:\)|where\b|->|throws\b|async\b)")


def indent(line):
    return len(line) - len(line.lstrip(" "))


def length(lines, start):
    """The number of lines of the declaration that begins at `start`; 1 if it has no body of its own lines.

    The formatter indents every body, so the first line that is as far to the left as the declaration ends it.
    """
    margin = indent(lines[start])
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip() or indent(line) > margin or (indent(line) == margin and SIGNATURE.match(line)):
            continue
        return number - start + 1 if line == " " * margin + "}" else 1
    return 1


def long_functions(lines):
    """The functions that are too long, as (line number, lines)."""
    for start, line in enumerate(lines):
        if DECLARATION.match(line):
            count = length(lines, start)
            if count > FUNCTION_LINES:
                yield start + 1, count


def rules_of_the_sizes(folder):
    for path in sorted(path for name in FOLDERS for path in (folder / name).rglob("*.swift")):
        place = path.relative_to(folder)
        if not place.match(CATALOGUES) and not any(part.startswith(".") for part in place.parts):
            for number, words in rules_of_a_size(path.read_text()):
                yield f"{place}:{number}: {words}"


@functools.cache
def rules_of_a_size(text):
    """What is too long in a file, as (line number, words)."""
    lines, broken = text.splitlines(), []
    if len(lines) > FILE_LINES:
        broken.append((FILE_LINES + 1, f"{len(lines)} lines, at most {FILE_LINES}: move the second idea to a file of its own"))
    for number, count in long_functions(lines):
        broken.append((number, f"a function of {count} lines, at most {FUNCTION_LINES}: name its parts"))
    return broken
