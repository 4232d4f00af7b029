"""The checks of Apple's systems on Linux: the check that stands in for their compiler, the workflow, the privacy manifest."""

import json
import plistlib
import re
import shutil
import subprocess
import sys

import pytest
import yaml

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="the system's own compiler checks it")


def check(root, folder, part):
    return subprocess.run(
        [sys.executable, str(root / "Scripts/check-apple"), str(folder), "--build", str(root / ".build"), "--only", part],
        capture_output=True, text=True, timeout=900)


@pytest.fixture(scope="session")
def described(root, tmp_path_factory):
    result = subprocess.run(["swift", "package", "--scratch-path", tmp_path_factory.mktemp("described"), "dump-package"], cwd=root, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


@pytest.fixture
def copy(root, tmp_path):
    for name in ("Sources", "Product", "Examples"):
        shutil.copytree(
            root / name, tmp_path / name, ignore=shutil.ignore_patterns(".build", "Media", "Public", "Aquifer.docc"))
    shutil.copy(root / "Package.swift", tmp_path)
    # The headers of Apple's C library.
    (tmp_path / ".build").mkdir()
    (tmp_path / ".build/venv").symlink_to(root / ".build/venv")
    return tmp_path


def replace(copy, name, old, new):
    """Replaces the first occurrence in the one file of this name, or at this path."""
    path = copy / name
    if not path.exists():
        (path,) = [found for folder in ("Sources", "Product", "Examples") for found in (copy / folder).rglob(name)]
    text = path.read_text()
    assert old in text, f"{path} has no {old}"
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize("part", ["system", "examples", "names", "manifest"])
def test_the_project_passes(root, part):
    result = check(root, root, part)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^apple: \d+ compilations for Apple's systems, 0 wrong$", result.stdout, re.MULTILINE)


#: Parts of the check, each with what is broken together: a file, its text, what is written instead, and what the check then says.
#: A module that is broken hides the mistakes of those that import it, so these are not broken together.
BROKEN = [
    ("system", [
        ("POSIX.swift", "F_FULLFSYNC", "F_FULLSYNC", "cannot find 'F_FULLSYNC'"),
        ("POSIX+Names.swift", "let isOpenToOthers = false", "let isOpen = false", "cannot find 'isOpenToOthers'"),
        ("Money.swift", "/// An amount", "import Glibc\n\n/// An amount", "move what calls the system"),
    ]),
    ("system", [
        ("HangUpWatcher.swift", "filter: EVFILT_READ, flags: EV_ADD", "filter: EPOLLIN, flags: EV_ADD", "cannot find 'EPOLLIN'"),
        ("ServedFile.swift", "info.st_mtimespec", "info.st_mtim", "no member 'st_mtim'"),
        ("Socket.swift", "SO_NOSIGPIPE", "SO_SIGPIPE", "cannot find 'SO_SIGPIPE'"),
        ("BrokenPipes.swift", "__sigaction_u", "__sigaction_handler", "no member '__sigaction_handler'"),
    ]),
    ("system", [
        ("Sources/AquiferCThreads/shim.h", "pthread_setname_np(name)", "pthread_setname_np(0, name)", "could not build C module 'AquiferCThreads'"),
    ]),
    ("examples", [
        ("Examples/SwiftUI/Sources/FeedApp/FeedScreen.swift", "feed.loadMore()", "feed.loadFurther()", "no member 'loadFurther'")
    ]),
    ("names", [
        ("Money.swift", "public struct Money", "public struct Transaction", "Apple framework's type"),
        ("Keypair.swift", "public struct Keypair:", "public struct StoreError:", "the name of a type in"),
    ]),
]


@pytest.mark.parametrize("part, broken", BROKEN)
def test_each_broken_branch_is_told(root, copy, part, broken):
    for name, old, new, _ in broken:
        replace(copy, name, old, new)
    result = check(root, copy, part)
    assert result.returncode == 1, result.stdout + result.stderr
    for name, _, _, words in broken:
        assert words in result.stdout, f"{name}: {result.stdout}{result.stderr}"


BROKEN_MANIFESTS = [
    ('package: "swift-sodium"', 'package: "swift-salt"', "unknown package"),
    ("let pkgConfig: String? = nil", "let pkgConfig: String? = pkgConfig", "asks pkg-config"),
    (
        "let dependencies: [Package.Dependency] = []",
        'let dependencies: [Package.Dependency] = [.package(url: "https://example.com/a.git", branch: "main")]',
        "Linux fetches nothing",
    ),
    ("path: \"Sources/AquiferCSodiumApple\", swiftSettings: strict)", "path: \"Sources/AquiferCSodiumApple\", swiftSettings: strict", "error"),
]


@pytest.mark.parametrize("old, new, words", BROKEN_MANIFESTS)
def test_a_broken_manifest_is_told(root, copy, old, new, words):
    replace(copy, "Package.swift", old, new)
    result = check(root, copy, "manifest")
    assert result.returncode == 1, result.stdout + result.stderr
    assert words in result.stdout


def test_branches_that_do_not_call_the_system_pass_and_are_told_when_broken(root, copy):
    # Only the modules that are looked at here: the others take minutes on a busy machine.
    for module in ("App", "AquiferTesting", "ReferenceAPIs", "HTTPServer"):
        for path in (path for folder in ("Sources", "Product/Sources") for path in (copy / folder / module).rglob("*.swift")):
            path.write_text(path.read_text().replace("os(Linux)", "canImport(Glibc)"))
    result = check(root, copy, "branches")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2 compilations" in result.stdout
    replace(copy, "FilePolicy.swift", "isExcludedFromBackup", "isExcludedFromBackups")
    replace(copy, "SessionTransfer.swift", "256 << 10", '"256 KB"')
    result = check(root, copy, "branches")
    assert result.returncode == 1
    assert "isExcludedFromBackups" in result.stdout and "SessionTransfer.swift" in result.stdout


def test_the_check_says_when_its_tools_are_missing(root, tmp_path):
    shutil.copytree(root / "Sources", tmp_path / "Sources", ignore=shutil.ignore_patterns("Media", "Public"))
    result = subprocess.run(
        ["/usr/bin/python3", str(root / "Scripts/check-apple"), str(tmp_path), "--only", "system"],
        capture_output=True, text=True, timeout=300)
    assert result.returncode == 2
    assert "the wheel ziglang is missing" in result.stderr and "make setup" in result.stderr


def test_the_workflow_runs_what_a_contributor_runs(root):
    workflow = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())
    commands = {name: [step.get("run") for step in job["steps"]] for name, job in workflow["jobs"].items()}
    assert {"make test", "make check"} <= set(commands["linux"])
    assert "swift test" in commands["macos"]
    # `on` is a boolean in YAML 1.1.
    assert set(workflow[True]) == {"push", "pull_request"}


#: The libraries for computers only: a phone's system does not have what they call.
ONLY_ON_COMPUTERS = {"AquiferCurl", "AquiferPostgres", "AquiferRedis"}


def test_the_workflow_builds_each_library_for_ios(root, described):
    workflow = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())
    job = workflow["jobs"]["ios"]
    libraries = {product["name"] for product in described["products"] if "library" in product["type"]}
    assert job["strategy"]["matrix"]["product"] == sorted(libraries - ONLY_ON_COMPUTERS)
    build = next(step["run"] for step in job["steps"] if "xcodebuild" in step.get("run", ""))
    assert build == "xcodebuild build -scheme ${{ matrix.product }} -destination 'generic/platform=iOS'"


def test_the_package_index_documents_each_library(root, described):
    index = yaml.safe_load((root / ".spi.yml").read_text())
    libraries = {product["name"] for product in described["products"] if "library" in product["type"]}
    assert index["version"] == 1
    assert set(index["builder"]["configs"][0]["documentation_targets"]) == libraries - ONLY_ON_COMPUTERS


#: The APIs that Apple asks a reason for, as far as Swift sources show them, and the codes of the reasons that a library may give.
REASONS = {
    "FileTimestamp": (
        r"\b[fl]?stat\(|st_mtim|\.modificationDate\b|contentModificationDate", {"DDA9.1", "C617.1", "3B52.1", "0A2A.1"}),
    "DiskSpace": (r"\bstatv?fs\(|volumeAvailableCapacity|systemFreeSize|systemSize\b", {"85F4.1", "E174.1", "7D9E.1", "B728.1"}),
    "SystemBootTime": (r"systemUptime|mach_absolute_time", {"35F9.1", "8FFB.1", "3D61.1"}),
    "UserDefaults": (r"\bUserDefaults\b\s*[.({]|: UserDefaults\b", {"CA92.1", "1C8F.1", "C56D.1", "AC6B.1"}),
}


def categories_used(module):
    code = "\n".join(re.sub(r"//.*", "", path.read_text()) for path in module.rglob("*.swift"))
    return {category for category, (calls, _) in REASONS.items() if re.search(calls, code)}


def test_each_library_has_a_reason_for_each_call_that_needs_one(root, described):
    modules = {target for product in described["products"] if "library" in product["type"] for target in product["targets"]}
    given_at_all = set()
    for module in (root / "Sources" / name for name in modules - {"AquiferCurl", "AquiferTesting"}):
        given = {}
        if (module / "PrivacyInfo.xcprivacy").exists():
            manifest = plistlib.loads((module / "PrivacyInfo.xcprivacy").read_bytes())
            assert manifest["NSPrivacyTracking"] is False and manifest["NSPrivacyCollectedDataTypes"] == []
            for entry in manifest["NSPrivacyAccessedAPITypes"]:
                category = entry["NSPrivacyAccessedAPIType"].removeprefix("NSPrivacyAccessedAPICategory")
                given[category] = entry["NSPrivacyAccessedAPITypeReasons"]
        assert set(given) == categories_used(module), module.name
        for category, codes in given.items():
            assert codes and set(codes) <= REASONS[category][1]
        given_at_all |= set(given)
    assert given_at_all == {"FileTimestamp", "UserDefaults"}


def test_a_package_finds_the_libraries_by_path_under_any_folder_name(root, tmp_path):
    (tmp_path / "any name").symlink_to(root)
    shutil.copytree(root / "Examples/App", tmp_path / "Notes", ignore=shutil.ignore_patterns(".build"))
    manifest = tmp_path / "Notes/Package.swift"
    manifest.write_text(manifest.read_text().replace('path: "../.."', 'path: "../any name"'))
    result = subprocess.run(
        ["swift", "package", "show-dependencies", "--format", "json"], cwd=tmp_path / "Notes", capture_output=True,
        text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert [dependency["name"] for dependency in json.loads(result.stdout)["dependencies"]] == ["Aquifer"]
    assert "warning" not in result.stderr and "error" not in result.stderr


def test_the_licence_is_named_and_not_repeated(root):
    text = (root / "LICENSE").read_text()
    assert re.match(r"Copyright \(c\) \d{4} .+\n", text) and "SPDX-License-Identifier: MIT\n" in text
    assert len(text) < 300 and "[LICENSE](LICENSE)" in (root / "README.md").read_text()
