"""An app adds each library beside targets of its own that have the names of ours, and of other people's."""

import json
import os
import subprocess
import tempfile

#: Names that an app is likely to have, and names of targets that no product of ours reaches.
NAMES = [
    "App", "AppTests", "CSQLite", "CCurl", "CSodium", "CZlib", "HTTPServer", "ReferenceAPIs", "Hammer", "Quickstart", "ImageFeed",
    "AudioFeed", "Payments", "Foaas", "ShadowDrive", "Solana", "HTTPMessages", "Worker",
]

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "{name}",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Aquifer", path: "{path}")],
    targets: [
        .target(name: "{name}", dependencies: [{products}]),
        {others}
    ])
"""


def products(root):
    with tempfile.TemporaryDirectory() as scratch:
        described = subprocess.run(
            ["swift", "package", "--scratch-path", scratch, "dump-package"], cwd=root, check=True, capture_output=True, text=True)
    return json.loads(described.stdout)["products"]


def libraries_of(root):
    return [product["name"] for product in products(root)]


def consumer(folder, path, names, libraries):
    others = ",\n        ".join(f'.target(name: "{name}")' for name in names[1:])
    listed = ", ".join(f'.product(name: "{library}", package: "Aquifer")' for library in libraries)
    folder.mkdir()
    (folder / "Package.swift").write_text(MANIFEST.format(name=names[0], path=path, products=listed, others=others))
    for name in names:
        (folder / "Sources" / name).mkdir(parents=True)
        (folder / "Sources" / name / "File.swift").write_text("")
    return folder


def graph(folder, cache):
    """SwiftPM loads the graph of packages, and refuses it if two have targets of one name."""
    return subprocess.run(
        ["swift", "package", "--scratch-path", str(cache), "show-dependencies", "--format", "json"], cwd=folder,
        capture_output=True, text=True, timeout=300, env={**os.environ, "SWIFTPM_ENABLE_PLUGINS": "0"})


def test_an_app_with_targets_of_any_name_adds_every_library(root, tmp_path):
    result = graph(consumer(tmp_path / "app", root, NAMES, libraries_of(root)), tmp_path / "cache")
    assert result.returncode == 0, result.stderr


def test_the_folder_of_the_clone_may_have_any_name(root, tmp_path):
    (tmp_path / "Any Name").symlink_to(root)
    result = graph(consumer(tmp_path / "app", tmp_path / "Any Name", ["Notes"], libraries_of(root)), tmp_path / "cache")
    assert result.returncode == 0, result.stderr


def test_a_name_that_a_library_has_is_refused(root, tmp_path):
    """The tests above can fail."""
    result = graph(consumer(tmp_path / "app", root, ["Notes", "AquiferSQLite"], ["AquiferSQLite"]), tmp_path / "cache")
    assert result.returncode != 0 and "AquiferSQLite" in result.stderr


def test_the_package_has_libraries_only(root):
    assert {next(iter(product["type"])) for product in products(root)} == {"library"}
