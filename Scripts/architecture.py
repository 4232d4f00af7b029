"""The rules of the house, checked against the package's description and the sources.

Usage: architecture.py [PACKAGE-FOLDER [DESCRIPTION]]. Prints each broken rule as file:line: what is wrong; exits with 1
if there is any. DESCRIPTION is a file with the output of `swift package dump-package`, for callers that have it already.

The rules that a file's text breaks are remembered: the tests look at many copies of the package that differ in one file.
"""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from architecture_numbers import rules_of_the_numbers
from architecture_pages import rules_of_the_pages
from architecture_sizes import rules_of_the_sizes
from architecture_state import rules_of_the_state

FEATURES = {"AquiferImageFeed", "AquiferAudioFeed", "AquiferPayments", "AquiferFoaas", "AquiferShadowDrive"}
CHOICES = {"AquiferSQLite", "AquiferPostgres", "AquiferRedis", "AquiferCurl", "AquiferURLSession", "AquiferUserDefaults"}
ROOTS = {"App", "AquiferCLI"}
#: On Linux, one import of these in a module makes each program that links it 45 MB larger. FoundationEssentials does not.
FULL_FOUNDATION = {"Foundation", "FoundationInternationalization", "FoundationNetworking", "FoundationXML"}
#: The libraries whose purpose needs full Foundation: no light library depends on them.
HEAVY = {"AquiferURLSession", "AquiferUserDefaults", "AquiferTesting"}
#: Features that are specified with classes of full Foundation. They import it in files of their own.
HEAVY_IN_PART = {"AquiferFoaas"}
#: The programs of one machine, which are no libraries for apps.
PRODUCT = ROOTS | {"HTTPServer", "ReferenceAPIs"}
PLATFORM = FULL_FOUNDATION | {"FoundationEssentials", "Observation", "Dispatch", "Network", "Glibc", "Musl", "Darwin"}

#: The imports that each module may have; other modules may import whatever Package.swift lists.
ALLOWED = {
    "AquiferFoundation": set(),
    "AquiferConcurrency": {"AquiferCThreads"},
    "AquiferHTTP": {"AquiferFoundation"},
    "Aquifer": {"AquiferConcurrency", "AquiferFoundation", "AquiferHTTP"},
    "HTTPServer": {"CMicrohttpd", "AquiferConcurrency", "AquiferHTTP"},
    "AquiferSolana": {"Aquifer", "AquiferCrypto", "AquiferFoundation", "AquiferHTTP"},
    "ReferenceAPIs": {"HTTPServer", "AquiferConcurrency", "AquiferSolana", "AquiferCrypto"},
    "AquiferWording": {"Aquifer", "AquiferConcurrency", "AquiferFoundation"},
    **{
        feature: {
            "Aquifer", "AquiferConcurrency", "AquiferCrypto", "AquiferFoundation", "AquiferHTTP", "AquiferSolana",
            "AquiferWording",
        }
        for feature in FEATURES
    },
    "AquiferFoaas": {
        "Aquifer", "AquiferConcurrency", "AquiferFoundation", "AquiferUserDefaults", "AquiferWording", "AquiferHTTP",
    },
}

IMPORT = re.compile(r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal)\s+)?import\s+(?:\w+\s+)?(\w+)")
CHANCE = re.compile(r"\bDate\(\)|\bDate\.now\b|\bTask\.sleep|\bUUID\(\)|\.random\(|SystemRandomNumberGenerator\(")
#: The functions that write to standard output or standard error beside Console, and the three files that Console is made of.
PRINTING = re.compile(
    r"(?<![.\w])(?<!func )(?:Swift\.)?(?:print|debugPrint|dump|NSLog|puts|putchar|perror|v?f?printf|dprintf|fputs|fputc|putc|fwrite|os_log|syslog)\("
    r"|\bFileHandle\.standard(?:Output|Error)\b|\bFileHandle\(fileDescriptor|(?<![\w.])(?:stdout|stderr)\b|\bSTD(?:OUT|ERR)_FILENO\b"
    r"|(?<!\w)write\(\s*[12]\s*,|\bDescriptor\.(?:output|errors)\.write\(|\bDescriptor\(number: *[012]\)")
PRINTERS = {"Console.swift", "Descriptor.swift", "Meter.swift"}
#: Locks of the system and of Foundation, and types that would be a second lock of ours.
SECOND_LOCK = re.compile(
    r"\b(?:NS(?:Recursive|Condition)?Lock|OSAllocatedUnfairLock|os_unfair_lock\w*|pthread_(?:mutex|rwlock|spin)_?\w*)\b"
    r"|\b(?:class|struct|actor|enum|typealias) (?:Lock|Locked|Mutex|Guarded|Protected)\b")
#: These start a thread.
SECOND_THREAD = re.compile(r"\bpthread_create\b|\b(?:class|struct|actor|enum) SystemThread\b|\bThread\.detachNewThread\b|(?<![\w.])Thread\s*[({]|: Thread \{")
#: A command or an option of our command line, which an app that adds a library does not have.
COMMAND = re.compile(r"\baquifer [a-z]|(?<![\w-])--[a-z]")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
#: Functions that replace characters, which bytes before a combining mark are not.
BY_CHARACTERS = re.compile(r"\.replacing\(\"|\breplacingOccurrences\(")
LOCK_FILE, THREAD_FILE = "Lock.swift", "SystemThread.swift"
#: A loop that a test's time limit cannot end, because it does not look whether its task was cancelled.
SPIN = re.compile(r"\bwhile\b(?! true \{| !Task\.isCancelled).*\{\s*await Task\.yield\(\)\s*\}[\s}]*$")
DEFAULT_ARGUMENT = re.compile(r"=\s*(?:\{[^}]*\}|\w+\(\))")
COMMENT = re.compile(r"(?:^|\s)//.*")


def package_of(folder, description=None):
    if description:
        return json.loads(pathlib.Path(description).read_text())
    # It has a scratch folder of its own, because the usual one is locked while Swift builds or tests.
    with tempfile.TemporaryDirectory() as scratch:
        described = subprocess.run(
            ["swift", "package", "--scratch-path", scratch, "dump-package"], cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(described.stdout)


def dependencies(target):
    for dependency in target["dependencies"]:
        for kind in ("byName", "target", "product"):
            if kind in dependency:
                yield dependency[kind][0]


def folder_of(target):
    """The folder of a target's sources, in the package."""
    home = "Tests" if target["type"] == "test" else "Sources"
    return pathlib.PurePath(target.get("path") or f"{home}/{target['name']}")


def is_of_the_product(target):
    """True if it is neither a test, nor a tool of the tests, nor an example."""
    return folder_of(target).parts[0] == "Sources" or folder_of(target).parts[:2] == ("Product", "Sources")


def rules_of_the_package(manifest, package):
    def where(words):
        lines = enumerate(manifest.splitlines(), 1)
        return f"Package.swift:{next((number for number, line in lines if words in line), 1)}"

    for target in filter(is_of_the_product, package["targets"]):
        name, wanted = target["name"], set(dependencies(target))
        place = where(f'"{name}", [')
        stray = wanted - ALLOWED.get(name, wanted)
        if stray:
            yield f"{place}: {name} must not depend on {', '.join(sorted(stray))}"
        if is_light(name) and wanted & (HEAVY | HEAVY_IN_PART):
            heavy = ", ".join(sorted(wanted & (HEAVY | HEAVY_IN_PART)))
            yield f"{place}: {name} is light and must not depend on {heavy}, which needs full Foundation"
        if name not in ROOTS and wanted & CHOICES - ALLOWED.get(name, set()):
            chosen = ", ".join(sorted(wanted & CHOICES))
            yield f"{place}: only App and aquifer choose {chosen}, not {name}"
    targets = {target["name"]: target for target in package["targets"]}
    reached, ahead = set(), {name for product in package["products"] for name in product["targets"]}
    while ahead:
        name = ahead.pop()
        reached.add(name)
        ahead |= set(dependencies(targets[name])) - reached
    for name in sorted(name for name in reached if not name.startswith("Aquifer")):
        yield f"{where(name)}: a product reaches {name}: SwiftPM would refuse an app that has a target of this name"
    if package["dependencies"]:
        yield f"{where('.package(')}: packages from elsewhere cannot be fetched on every machine that builds this"


def is_light(target):
    """True for a library that gets by without full Foundation."""
    return target not in HEAVY | HEAVY_IN_PART | PRODUCT


def rule_of_foundation(target, name, module):
    """The rule that an import of Foundation breaks; ``None`` if it breaks none."""
    if target in HEAVY | PRODUCT | {"AquiferFoundation"}:
        return None
    if module == "FoundationEssentials":
        return "import AquiferFoundation: it chooses FoundationEssentials or Foundation by the system"
    if module not in FULL_FOUNDATION:
        return None
    if target in HEAVY_IN_PART:
        return None if name.endswith("+Foundation.swift") else "full Foundation is imported in a file …+Foundation.swift"
    return "import AquiferFoundation: full Foundation makes each program that links this 45 MB larger on Linux"


def rule_of_an_import(target, declared, ours, module):
    if module == "FoundationNetworking" and target != "AquiferURLSession":
        return "only AquiferURLSession imports FoundationNetworking (it costs every start 7-10 ms)"
    if module == "Synchronization":
        return "the thread sanitizer misunderstands Synchronization's Mutex; use Locked or Lock"
    if target in ALLOWED and module not in ALLOWED[target] | PLATFORM:
        return f"{target} must not import {module}"
    if module in ours and module not in declared:
        return f"{target} does not say in Package.swift that it imports {module}"
    return None


def rules_of_a_file(target, name, declared, ours, lines):
    """The broken rules of a file of the product, as (line number, words)."""
    for number, line in enumerate(lines, 1):
        code = COMMENT.sub("", line)
        found = IMPORT.match(code)
        broken = found and (
            rule_of_an_import(target, declared, ours, found.group(1)) or rule_of_foundation(target, name, found.group(1)))
        if broken:
            yield number, broken
        # Time and chance come in by default arguments; a constant or variable would hide them.
        given = code if re.search(r"\b(let|var)\b", code) else DEFAULT_ARGUMENT.sub("", code)
        if target in FEATURES | {"Aquifer"} and CHANCE.search(given):
            yield number, f"time and chance are injected: {line.strip()}"
        # The servers of tests may use Foundation's threads: they never run where threads are scarce.
        is_ours = (target, name) in {("AquiferConcurrency", THREAD_FILE), ("AquiferTesting", "LoopbackServer.swift")}
        if not is_ours and SECOND_THREAD.search(code):
            yield number, "SystemThread of AquiferConcurrency starts threads: it says when there are none left"
        # A simulation is a program, and AquiferTesting has its command line.
        if target not in PRODUCT | {"AquiferTesting"} and COMMAND.search(" ".join(TEXT.findall(code))):
            yield number, NO_COMMAND
        if BY_CHARACTERS.search(code):
            yield number, "replacingExactly: the others pass over what a combining mark follows"
        if re.search(r"\btry!", code):
            yield number, "no try!"
        if name not in PRINTERS and PRINTING.search(code):
            yield number, "only Console prints: its text is harmless, and it tells what cannot be written"
        if re.search(r"\btry\?", code) and not any(COMMENT.search(near) for near in lines[max(0, number - 3) : number]):
            yield number, "a try? says beside or above it why the error may be swallowed"


#: A document that a comment names.
DOCUMENT = re.compile(r"`((?:docs/|reference/)[\w./-]+\.md)`")

NO_COMMAND = "no app has our command line: the library says what can be done, and Advice of AquiferCLI which command does it"


@functools.cache
def documents_of(text):
    """The documents that comments name, as (line number, path)."""
    return [(number, page) for number, line in enumerate(text.splitlines(), 1) for page in DOCUMENT.findall(line)]


def rules_of_the_documents(folder, text):
    for number, page in documents_of(text):
        if not (folder / page).exists():
            yield number, f"there is no {page}: a comment names a document by its path from the folder of the package"


def rules_of_every_file(target, name, lines):
    for number, line in enumerate(lines, 1):
        if (target, name) != ("AquiferConcurrency", LOCK_FILE) and SECOND_LOCK.search(COMMENT.sub("", line)):
            yield number, "Lock and Locked of AquiferConcurrency are the only locks"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line):
            yield number, "finish it or file it"
        if re.search(r"\b_ = (try )?await eventually\b", COMMENT.sub("", line)):
            yield number, "look at what eventually returns: a test that waited in vain has shown nothing"
        # The loop may be on three lines.
        loop = " ".join(part.strip() for part in lines[number - 1 : number + 2]) if line.rstrip().endswith("{") else line
        if SPIN.search(COMMENT.sub("", loop)):
            yield number, "wait with eventually: no time limit ends a loop that does not look whether it was cancelled"


@functools.cache
def rules_of_a_text(target, name, declared, ours, is_product, text):
    """The rules that a file breaks by its text alone, as (line number, words)."""
    lines = text.splitlines()
    broken = list(rules_of_every_file(target, name, lines))
    if is_product:
        broken += rules_of_a_file(target, name, declared, ours, lines)
    return broken


def rules_of_the_sources(folder, package):
    ours = frozenset(target["name"] for target in package["targets"])
    for target in package["targets"]:
        name = target["name"]
        declared = frozenset({*dependencies(target), name})
        for path in sorted((folder / folder_of(target)).rglob("*.swift")):
            text = path.read_text()
            broken = rules_of_a_text(name, path.name, declared, ours, is_of_the_product(target), text)
            for number, words in sorted([*broken, *rules_of_the_documents(folder, text)]):
                yield f"{path.relative_to(folder)}:{number}: {words}"


def rules_of_the_targets(page, package):
    for target in package["targets"]:
        if not re.search(rf"\b{target['name']}\b", page):
            yield f"ARCHITECTURE.md:1: {target['name']} is missing from the page"


def main(folder, description=None):
    package = package_of(folder, description)
    broken = [
        *rules_of_the_package((folder / "Package.swift").read_text(), package),
        *rules_of_the_sources(folder, package),
        *rules_of_the_sizes(folder),
        *rules_of_the_state(folder),
        *rules_of_the_targets((folder / "ARCHITECTURE.md").read_text(), package),
        *rules_of_the_pages(folder),
        *rules_of_the_numbers(folder),
    ]
    for rule in broken:
        print(rule)
    print(f"architecture: {len(package['targets'])} targets, {len(broken)} rules broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve(), *sys.argv[2:3]))
