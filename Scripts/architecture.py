"""The rules of the house, checked against the package's description and the sources.

Usage: architecture.py [PACKAGE-FOLDER]. Prints each broken rule as file:line: what is wrong; exits with their number,
at most 1.
"""

import json
import pathlib
import re
import subprocess
import sys

FEATURES = {"ImageFeed", "AudioFeed", "Payments", "Foaas", "ShadowDrive"}
CHOICES = {"AquiferSQLite", "AquiferCurl", "AquiferURLSession"}
ROOTS = {"App", "AquiferCLI"}
PLATFORM = {"Foundation", "FoundationEssentials", "Observation", "Dispatch", "Glibc", "Musl", "Darwin"}

#: Who may import what of ours; everyone else may import what the package says.
ALLOWED = {
    "Aquifer": set(),
    "HTTPServer": {"CMicrohttpd"},
    "ReferenceAPIs": {"HTTPServer"},
    **{feature: {"Aquifer", "AquiferCrypto"} for feature in FEATURES},
}

IMPORT = re.compile(r"^\s*(?:@\w+\s+)*(?:(?:public|package|internal)\s+)?import\s+(?:\w+\s+)?(\w+)")
CHANCE = re.compile(r"\bDate\(\)|\bDate\.now\b|\bTask\.sleep|\bUUID\(\)|\.random\(|SystemRandomNumberGenerator\(")
DEFAULT_ARGUMENT = re.compile(r"=\s*\{[^}]*\}\s*,?|=\s*\.?\w+\(\)\s*,?")


def package_of(folder):
    described = subprocess.run(
        ["swift", "package", "dump-package"], cwd=folder, check=True, capture_output=True, text=True
    )
    return json.loads(described.stdout)


def dependencies(target):
    for dependency in target["dependencies"]:
        for kind in ("byName", "target", "product"):
            if kind in dependency:
                yield dependency[kind][0]


def rules_of_the_package(package):
    for target in package["targets"]:
        name, wanted = target["name"], set(dependencies(target))
        if name in ALLOWED and not wanted <= ALLOWED[name]:
            yield f"Package.swift: {name} must not depend on {', '.join(sorted(wanted - ALLOWED[name]))}"
        if target["type"] in ("regular", "executable") and name not in ROOTS and not target.get("path", "").startswith("Tests"):
            chosen = wanted & CHOICES
            if chosen:
                yield f"Package.swift: only App and aquifer choose {', '.join(sorted(chosen))}, not {name}"
    if package["dependencies"]:
        yield "Package.swift: packages from elsewhere cannot be fetched on every machine that builds this"


def rules_of_a_file(target, declared, ours, path, text):
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        code = line.split("//")[0]
        match = IMPORT.match(line)
        if match:
            module = match.group(1)
            if module == "FoundationNetworking" and target != "AquiferURLSession":
                yield f"{where}: only AquiferURLSession imports FoundationNetworking (it costs every start 7-10 ms)"
            elif module == "Synchronization":
                yield f"{where}: the thread sanitizer misunderstands Synchronization's Mutex; use Locked or NSLock"
            elif module in ours and module not in declared:
                yield f"{where}: {target} does not say in Package.swift that it imports {module}"
            elif target in ALLOWED and module not in ALLOWED[target] | PLATFORM:
                yield f"{where}: {target} must not import {module}"
        if target in FEATURES | {"Aquifer"} and CHANCE.search(DEFAULT_ARGUMENT.sub("", code)):
            yield f"{where}: time and chance are injected: {line.strip()}"
        if "try!" in code:
            yield f"{where}: no try!"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line):
            yield f"{where}: finish it or file it"
        if "try?" in code and "//" not in line and not previous_is_comment(text, number):
            yield f"{where}: a try? says beside it why the error may be swallowed"


def previous_is_comment(text, number):
    lines = text.splitlines()
    return number >= 2 and lines[number - 2].strip().startswith("//")


def rules_of_the_sources(folder, package):
    ours = {target["name"] for target in package["targets"]}
    for target in package["targets"]:
        if target["type"] == "test" or target.get("path", "").startswith("Tests"):
            continue
        name = target["name"]
        base = folder / (target.get("path") or f"Sources/{name}")
        declared = set(dependencies(target)) | {name}
        # What a target depends on, it may import; what that depends on, it must name itself.
        for path in sorted(base.rglob("*.swift")):
            yield from rules_of_a_file(name, declared, ours, path.relative_to(folder), path.read_text())


def rules_of_the_tour(folder, package):
    tour = (folder / "ARCHITECTURE.md").read_text()
    for target in package["targets"]:
        if target["name"] not in tour:
            yield f"ARCHITECTURE.md: {target['name']} is missing from the tour"


def main(folder):
    package = package_of(folder)
    broken = [
        *rules_of_the_package(package),
        *rules_of_the_sources(folder, package),
        *rules_of_the_tour(folder, package),
    ]
    for rule in broken:
        print(rule)
    print(f"architecture: {len(package['targets'])} targets, {len(broken)} rules broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
