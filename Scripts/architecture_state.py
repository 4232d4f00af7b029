"""The rules of state: a type's own file has all the code that touches its state, and no task local is a function.

The state of an actor or a class is each stored property that is neither public nor package: an extension in another file does
not use it. (The compiler keeps a private one in its file.) A struct is data, which each file of its module may read: an
extension in another file has no `mutating` function that uses such a property.

A use is the bare name, or the name after `self.`, outside of comments. A bare name is none behind the place where the same
function gives it to a parameter or a value of its own. The use in `other.name` is not seen: types of values are not known here.

`Scripts/architecture_exempt.txt` lists files that may break this rule for now. A line that is not needed is an error.
"""

import collections
import functools
import re

from architecture_sizes import SIGNATURE, indent, length

EXEMPT = "Scripts/architecture_exempt.txt"
#: Each folder in these is a module.
HOMES = ("Sources", "Product/Sources", "Benchmarks/Sources")
#: Task locals are looked for in all of these.
FOLDERS = ("Sources", "Product", "Tests", "Examples", "Benchmarks")

COMMENT = re.compile(r"(?:^|\s)//.*")
#: The attributes and modifiers of a declaration.
MODIFIERS = r" *(?:@[\w.]+(?:\([^)]*\))? +)*((?:[a-z]+(?:\(\w+\))? +)*?)"
TYPE = re.compile(MODIFIERS + r"(actor|class|struct|enum|protocol|extension) (?!func\b|var\b|let\b|subscript\b)([\w.]+)")
PROPERTY = re.compile(MODIFIERS + r"(?:let|var) (\w+|\([\w, ]+\))(.*)")
#: The rest of a property's line that computes it: a body comes before any initial value.
COMPUTED = re.compile(r"[^={]*\{")
#: Modifiers of a property that is no state, or whose state the compiler keeps in its file.
OPEN_OR_KEPT = {"static", "class", "open", "public", "package", "private", "fileprivate"}

#: A name that stands for itself or comes after `self`: no member of something else, no label, no method with one.
USE = re.compile(r"(\bself[?!]?\.|(?<![\w.])(?<!func ))([a-z]\w*)\b(?!:|\(\w+: )")
#: `if let name` uses a property, and `let name =` is a value of the function's own.
SHORTHAND = re.compile(r"(?:\bif|\bguard|\bwhile|,) (?:let|var) (\w+)(?= \{|,| else\b|$)", re.MULTILINE)
OWN = re.compile(r"\b(?:let|var) (\w+|\.?\w*\([\w, ]*\))|(?:\bfor|\{(?: \[[^\]]*\])?) ([^{}\[\]\n]*?) in\b")
PARAMETER = re.compile(r"\b(\w+): ")

TASK_LOCAL = re.compile(r"@TaskLocal\s[^\n]*?\b(?:let|var) +\w+ *(?::([^={\n]*))?(?:=\s*(.*))?")
FUNCTION_ALIAS = re.compile(r"\btypealias (\w+)[^=\n]*=[^\n]*?->")
NO_FUNCTION = "a task local is no function: a release build of Swift 6.3.1 crashes in withValue: keep a class or a plain value"


def types_in(lines, start, end, outer=""):
    """Each type and extension, with those inside: (kind, whole name, first line, line after its last)."""
    number = start
    while number < end:
        found = TYPE.match(lines[number])
        last = number + (length(lines, number) if found else 1)
        if found:
            name = outer + found[3]
            yield found[2], name, number, last
            yield from types_in(lines, number + 1, last - 1, f"{name}.")
        number = last


def members(lines, start, end):
    """The members of a type, each as (first line, line after its last)."""
    margin = indent(lines[start]) + 4
    begins = [
        number for number in range(start + 1, end - 1)
        if lines[number].strip() and indent(lines[number]) == margin
        and not lines[number].lstrip().startswith(("{", "}")) and not SIGNATURE.match(lines[number])]
    return list(zip(begins, [*begins[1:], end - 1]))


def state(lines, start, end):
    for number, _ in members(lines, start, end):
        found = PROPERTY.match(lines[number])
        if found and not OPEN_OR_KEPT & set(found[1].split()) and not COMPUTED.match(found[3]):
            yield from re.findall(r"\w+", found[2])


def uses(lines, start, end):
    """The names that a member uses and that may be properties: name → line."""
    body = "\n".join(lines[start:end])
    # Name → the place from which on it is the function's own.
    own = dict.fromkeys(PARAMETER.findall(body.split("{\n", 1)[0]), 0)
    for values in OWN.finditer(body):
        for name in re.findall(r"\w+", values[1] or values[2]):
            own.setdefault(name, values.start())
    for name in SHORTHAND.findall(body):
        own.pop(name, None)
    found = {}
    for use in USE.finditer(body):
        if use[1] or use.start() < own.get(use[2], len(body)):
            found.setdefault(use[2], start + 1 + body.count("\n", 0, use.start()))
    return found


@functools.cache
def parts_of(text):
    """The types of a file, as (name, kind, state), and its extensions, as (name, uses, uses in mutating functions)."""
    lines = [COMMENT.sub("", line).rstrip() for line in text.splitlines()]
    types, extensions = [], []
    for kind, name, start, end in types_in(lines, 0, len(lines)):
        if kind != "extension":
            types.append((name, kind, frozenset(state(lines, start, end))))
            continue
        all_uses, mutating = {}, {}
        for first, last in members(lines, start, end):
            words = lines[first].split("func")[0].split()
            # A type inside, and what belongs to the type itself, have no instance at hand.
            if not TYPE.match(lines[first]) and "static" not in words:
                found = uses(lines, first, last)
                all_uses = found | all_uses
                mutating = (found | mutating) if "mutating" in words else mutating
        extensions.append((name, all_uses, mutating))
    return types, extensions


def shared_state_of(module):
    """The state that extensions of a module use away from its type: (path, line, name of the type, names, path of the type)."""
    files = {path: parts_of(path.read_text()) for path in sorted(module.rglob("*.swift"))}
    homes, kinds, kept = {}, {}, collections.defaultdict(set)
    for path, (types, _) in files.items():
        for name, kind, names in types:
            homes.setdefault(name, []).append(path)
            kinds[name] = kind
            kept[name] |= names
    for path, (_, extensions) in files.items():
        for name, all_uses, mutating in extensions:
            found = mutating if kinds.get(name) == "struct" else all_uses
            names = sorted(kept[name] & found.keys())
            if names and path not in homes[name]:
                yield path, min(found[one] for one in names), name, names, homes[name][0]


def rules_of_the_extensions(folder):
    lines = enumerate((folder / EXEMPT).read_text().splitlines(), 1)
    exempt = {line: number for number, line in lines if not line.startswith("#")}
    needed = set()
    for module in sorted(path for home in HOMES for path in (folder / home).glob("*") if path.is_dir()):
        for path, number, name, names, home in shared_state_of(module):
            place = str(path.relative_to(folder))
            needed.add(place)
            if place not in exempt:
                yield (
                    f"{place}:{number}: this extension uses the state of {name} ({', '.join(names)}): "
                    f"move the code into {home.name}, or give {name} a method there")
    for place, number in exempt.items():
        if place not in needed:
            yield f"{EXEMPT}:{number}: {place} needs no exemption: delete this line"


@functools.cache
def task_locals_of(text):
    """The task locals of a file, as (line number, type, initial value), and the names of its function types."""
    found = [(text.count("\n", 0, one.start()) + 1, one[1] or "", one[2] or "") for one in TASK_LOCAL.finditer(text)]
    return found, frozenset(FUNCTION_ALIAS.findall(text))


def rules_of_the_task_locals(folder):
    paths = sorted(path for name in FOLDERS for path in (folder / name).rglob("*.swift"))
    paths = [path for path in paths if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    read = {path: task_locals_of(path.read_text()) for path in paths}
    functions = {name for _, aliases in read.values() for name in aliases}
    for path, (found, _) in read.items():
        for number, kind, value in found:
            if "->" in kind or value.startswith("{") or functions & set(re.findall(r"\w+", kind)):
                yield f"{path.relative_to(folder)}:{number}: {NO_FUNCTION}"


def rules_of_the_state(folder):
    yield from rules_of_the_extensions(folder)
    yield from rules_of_the_task_locals(folder)
