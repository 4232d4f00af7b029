"""The rules of the pages that describe the architecture: their length, their form, and the names in them."""

import functools
import re

MOST_WORDS = 1_800
HEADINGS = ["Context", "Decision", "Consequences"]
SOURCES = ("Package.swift", "Sources", "Product", "Tests", "Examples", "Benchmarks", "Scripts", "docs")
#: The parts of a decision page's path that need not be looked into for names.
OUTSIDE = {".build", "Media", "Golden", "__pycache__"}

CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w+./-]+\.(?:swift|py|js|md)|(?:Sources|Product|Tests|Examples|Benchmarks|Scripts|docs)/[\w+./-]+")
#: A type, or a member of one: `Outbox.Verdict`, `Services.drive()`.
TYPE = re.compile(r"([A-Z]\w*[a-z]\w*(?:\.\w+)*)(?:\([\w:]*\))?")


def files_of(folder):
    """The files that pages may name, relative to the folder."""
    for name in SOURCES:
        home = folder / name
        for path in [home] if home.is_file() else sorted(home.rglob("*")):
            if path.is_file() and OUTSIDE.isdisjoint(path.relative_to(folder).parts):
                yield path.relative_to(folder)


@functools.cache
def words_in(text):
    return frozenset(re.findall(r"\w+", text))


def words_of(folder, files):
    """The words that types and members may be named by: those in sources, and the names of files and folders."""
    words = set()
    for path in files:
        words.update([*path.parts[:-1], path.name.split(".")[0]])
        if path.suffix in (".swift", ".py", ".js"):
            words.update(words_in((folder / path).read_text()))
    return words


def spans(text):
    """Each piece of inline code with the number of its line."""
    is_block = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            is_block = not is_block
        elif not is_block:
            yield from ((number, code) for code in CODE.findall(line))


def wrong_names(text, places, words):
    for number, code in spans(text):
        if PATH.fullmatch(code):
            if "/" + code.rstrip("/") not in places:
                yield number, f"there is no {code}"
        elif (found := TYPE.fullmatch(code)) and any(word not in words for word in found.group(1).split(".")):
            yield number, f"no source names {code}"


def rules_of_the_length(text):
    count = len(text.split())
    if count > MOST_WORDS:
        yield f"ARCHITECTURE.md:1: {count} words, at most {MOST_WORDS}: decisions have pages in docs/decisions"


def rules_of_the_decisions(folder):
    pages = folder / "docs/decisions"
    index = (pages / "README.md").read_text()
    for page in sorted(pages.glob("*.md")):
        place, text = page.relative_to(folder), page.read_text()
        if page.name == "README.md":
            continue
        if f"({page.name})" not in index:
            yield f"{place}:1: docs/decisions/README.md does not list it"
        title = text.split("\n", 1)[0].removeprefix("# ")
        if f"[{title}]({page.name})" not in index and f"({page.name})" in index:
            yield f"{place}:1: docs/decisions/README.md lists it under another title"
        if re.findall(r"^## (.*)$", text, re.MULTILINE) != HEADINGS:
            yield f"{place}:1: a decision has the headings {', '.join(HEADINGS)}"


def rules_of_the_names(folder):
    files = list(files_of(folder))
    # The ends of each path, from every folder on: "/Caching/Cache.swift", "/Cache.swift".
    places = set()
    for path in files:
        for length in range(1, len(path.parts) + 1):
            whole = path.parts[:length]
            places.update("/" + "/".join(whole[start:]) for start in range(length))
    words = words_of(folder, files)
    documents = [folder / "ARCHITECTURE.md", folder / "docs/promises.md", *sorted((folder / "docs/decisions").glob("*.md"))]
    for document in documents:
        for number, wrong in wrong_names(document.read_text(), places, words):
            yield f"{document.relative_to(folder)}:{number}: {wrong}"


def rules_of_the_pages(folder):
    yield from rules_of_the_length((folder / "ARCHITECTURE.md").read_text())
    yield from rules_of_the_decisions(folder)
    yield from rules_of_the_names(folder)
