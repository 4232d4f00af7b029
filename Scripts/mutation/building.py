"""Makes the changed tree in a folder of its own, and builds it until the compiler takes all that is left."""

import json
import os
import pathlib
import re
import subprocess
import sys

from . import choosing, mends, rewriting

PACKAGE = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = PACKAGE / ".build-mutants"
TREE = SCRATCH / "tree"
PRODUCTS = SCRATCH / "build/debug"
LIST = SCRATCH / "mutants.json"
_ROUNDS = 12


def files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=PACKAGE, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (PACKAGE / name).is_file()]


def sources():
    """The sources that mutants are made of, as texts by path."""
    places = tuple(f"Sources/{module}/" for module in choosing.MODULES)
    return {
        name: (PACKAGE / name).read_text()
        for name in files() if name.startswith(places) and name.endswith(".swift")}


def refused():
    file = SCRATCH / "refused.json"
    return set(json.loads(file.read_text())) if file.exists() else set()


def write(taken_back):
    """Writes the changed tree, and returns its mutants. A file that has not changed is not written, so that it is not
    compiled again."""
    chosen = choosing.choose(sources(), refused())
    edits = {}
    for mutant in chosen:
        edit = rewriting.Edit(mutant.start, mutant.end, mutant.rewrite, mutant.number)
        edits.setdefault(mutant.file, []).append(edit)
    for mend in taken_back:
        for name, edit in mend.edits(PACKAGE):
            edits.setdefault(name, []).append(edit)
    wanted = set()
    for name in files():
        data = (PACKAGE / name).read_bytes()
        if name in edits:
            data = rewriting.rewrite(data.decode(), edits[name]).encode()
            if name.endswith(".h"):
                data = b"#include <stdlib.h>\n" + data
        if name == "Package.swift":
            # What a mutant makes superfluous must not be an error.
            data = data.replace(b"    .treatAllWarnings(as: .error),\n", b"")
        wanted.add(name)
        _put(TREE / name, data, (PACKAGE / name).stat().st_mode)
    for module in {module_of(name) for name in edits if name.endswith(".swift")}:
        wanted.add(f"{module}/Mutant.swift")
        _put(TREE / module / "Mutant.swift", rewriting.SWITCH.encode(), 0o644)
    for path in TREE.rglob("*"):
        if (path.is_file() or path.is_symlink()) and str(path.relative_to(TREE)) not in wanted and ".build" not in path.parts:
            path.unlink()
    written = {
        mutant.number: {"identity": mutant.identity, "file": mutant.file, "line": mutant.line, "mutator": mutant.mutator}
        for mutant in chosen if f"/*<{mutant.number}*/".encode() in (TREE / mutant.file).read_bytes()}
    LIST.write_text(json.dumps(written, indent=1))
    return written


def module_of(name):
    """The folder of the module that a source is in."""
    parts = name.split("/")
    return "/".join(parts[: parts.index("Sources") + 2])


def _put(path, data, mode):
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode & 0o777)


def build(taken_back=None):
    """Builds all tests, worlds and programs. A mutant that does not compile is taken out, and is remembered."""
    taken_back = mends.MENDS if taken_back is None else taken_back
    SCRATCH.mkdir(exist_ok=True)
    for turn in range(_ROUNDS):
        written = write(taken_back)
        print(f"mutants: building {len(written)} mutants and {len(taken_back)} mends taken back", file=sys.stderr, flush=True)
        ran = subprocess.run(
            [os.environ.get("SWIFT", "swift"), "build", "--build-tests", "--package-path", TREE, "--scratch-path", SCRATCH / "build", "-Xswiftc", "-suppress-warnings"],
            capture_output=True, text=True, cwd=TREE)
        if ran.returncode == 0:
            return written
        gone = _errors(ran.stdout + ran.stderr, written)
        if not gone:
            sys.exit(f"{(ran.stdout + ran.stderr)[-6000:]}\nmutants: the build failed for another reason than a mutant")
        (SCRATCH / "refused.json").write_text(json.dumps(sorted(refused() | gone), indent=1))
        print("\n".join(f"mutants: does not compile: {identity}" for identity in sorted(gone)), file=sys.stderr, flush=True)
    sys.exit("mutants: there is no end of errors")


def _errors(text, written):
    """The identities of the mutants that the compiler's errors point to."""
    gone = set()
    for name, line, column in set(re.findall(r"^(/\S+\.swift):(\d+):(\d+): error: ", text, re.MULTILINE)):
        path = pathlib.Path(name)
        if not path.is_relative_to(TREE):
            continue
        for number in rewriting.numbers_at(path.read_text(), int(line), int(column)):
            if number >= rewriting.MENDS:
                sys.exit(f"{text[-6000:]}\nmutants: a mend taken back does not compile: {name}:{line}")
            if number in written:
                gone.add(written[number]["identity"])
    return gone
