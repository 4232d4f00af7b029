"""The architecture's rules hold, and each one, once broken, is told with file and line."""

import contextlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Scripts"))
from architecture import main

#: The file of a copy with the output of `swift package dump-package`.
DESCRIPTION = "description.json"


def architecture(script, folder):
    """The script's findings for a copy. It runs in this process, where it remembers the files that it has seen."""
    # A copy whose Package.swift is unchanged need not be described again, which takes longer than the rules.
    described, root = folder / DESCRIPTION, script.parents[1]
    is_same = described.exists() and (folder / "Package.swift").read_text() == (root / "Package.swift").read_text()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = main(folder, described if is_same else None)
    return types.SimpleNamespace(returncode=status, stdout=output.getvalue())


@pytest.fixture(scope="session")
def description(root, tmp_path_factory):
    command = ["swift", "package", "--scratch-path", str(tmp_path_factory.mktemp("described")), "dump-package"]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.fixture
def copy(root, tmp_path, description):
    """The package without its media and programs: what the rules look at."""
    shutil.copytree(
        root / "Sources", tmp_path / "Sources", ignore=shutil.ignore_patterns("Aquifer.docc"))
    shutil.copytree(root / "Product", tmp_path / "Product", ignore=shutil.ignore_patterns("Media", "Public", "__pycache__"))
    shutil.copytree(root / "Examples", tmp_path / "Examples", ignore=shutil.ignore_patterns(".build"))
    # The pages name these; nothing else looks at them.
    shutil.copytree(root / "Product/Sources/App/Public", tmp_path / "Product/Sources/App/Public")
    shutil.copytree(root / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("*.webp"))
    for folder in ("Tests", "Scripts", "Benchmarks"):
        shutil.copytree(
            root / folder, tmp_path / folder, ignore=shutil.ignore_patterns(".build*", "Golden", "__pycache__"))
    for name in ("Package.swift", "ARCHITECTURE.md"):
        shutil.copy(root / name, tmp_path)
    (tmp_path / DESCRIPTION).write_text(description)
    return tmp_path


@pytest.fixture
def script(root):
    return root / "Scripts/architecture.py"


def insert(path, line, after="import Foundation"):
    """Puts a line behind the first one that begins so, or first of all; gives its number."""
    lines = path.read_text().splitlines()
    at = next((number for number, text in enumerate(lines, 1) if text.startswith(after)), 0)
    path.write_text("\n".join([*lines[:at], line, *lines[at:]]) + "\n")
    return at + 1


def test_the_package_keeps_its_rules(root, script):
    result = subprocess.run([sys.executable, str(script), str(root)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout
    assert re.fullmatch(r"architecture: \d+ targets, 0 rules broken\n", result.stdout)


def test_the_script_itself_tells_of_a_broken_rule(copy, script):
    insert(copy / "Product/Sources/App/Web/Site.swift", "\n\nlet x = try! f()")
    result = subprocess.run([sys.executable, str(script), str(copy), str(copy / DESCRIPTION)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 1
    assert "no try!" in result.stdout and "1 rules broken" in result.stdout, result.stdout


def test_an_untouched_copy_keeps_the_rules(copy, script):
    result = architecture(script, copy)
    assert result.returncode == 0, result.stdout


BROKEN_LINES = [
    ("Sources/Aquifer/Caching/Cache.swift", "import AquiferSQLite", "Aquifer must not import AquiferSQLite"),
    ("Sources/Aquifer/Caching/Cache.swift", "import AquiferCSQLite", "Aquifer must not import AquiferCSQLite"),
    ("Sources/AquiferImageFeed/FeedModel.swift", "import HTTPServer", "AquiferImageFeed must not import HTTPServer"),
    ("Sources/AquiferImageFeed/FeedModel.swift", "@preconcurrency import AquiferCurl", "AquiferImageFeed must not import AquiferCurl"),
    ("Product/Sources/HTTPServer/StaticFiles.swift", "import Aquifer", "HTTPServer must not import Aquifer"),
    ("Sources/AquiferHTTP/MessageHead.swift", "import Aquifer", "AquiferHTTP must not import Aquifer"),
    ("Product/Sources/ReferenceAPIs/Media.swift", "import Aquifer", "ReferenceAPIs must not import Aquifer"),
    ("Product/Sources/App/Web/Site.swift", "import FoundationNetworking", "only AquiferURLSession imports FoundationNetworking"),
    *((file, line, "import AquiferFoundation: full Foundation makes each program") for file, line in [
        ("Sources/Aquifer/Caching/Cache.swift", "import Foundation"), ("Sources/AquiferSQLite/Connection.swift", "@preconcurrency import Foundation"),
        ("Sources/AquiferCurl/Poller.swift", "    import Foundation"), ("Sources/AquiferPayments/Cards/Card.swift", "import class Foundation.NumberFormatter"),
        ("Sources/AquiferShadowDrive/API/SolanaRPC.swift", "import FoundationInternationalization"),
        ("Sources/Aquifer/Support/Text+Unicode.swift", "internal import FoundationXML"),
    ]),
    ("Sources/AquiferFoaas/FoaasService.swift", "import Foundation", "full Foundation is imported in a file …+Foundation.swift"),
    ("Sources/AquiferImageFeed/FeedModel.swift", "import FoundationEssentials", "import AquiferFoundation: it chooses"),
    ("Product/Sources/App/Web/Site.swift", "import Synchronization", "the thread sanitizer misunderstands"),
    *((file, line, "Lock and Locked of AquiferConcurrency are the only locks") for file, line in [
        ("Product/Sources/HTTPServer/Connection.swift", "let guardian = NSLock()"), ("Product/Sources/App/Web/Site.swift", "let guardian = NSRecursiveLock()"),
        ("Sources/Aquifer/Support/Turns.swift", "let memory = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)"),
        ("Product/Sources/HTTPServer/Connection.swift", "final class Guarded<Value> {}"), ("Tests/Hammer/HammerProcess.swift", "let guardian = NSLock()"),
    ]),
    *((file, line, "SystemThread of AquiferConcurrency starts threads") for file, line in [
        ("Product/Sources/HTTPServer/Connection.swift", "func f() { pthread_create(&thread, nil, run, nil) }"),
        ("Product/Sources/App/Web/Site.swift", "func f() { Thread.detachNewThread { g() } }"), ("Product/Sources/App/Web/Site.swift", "let worker = Thread { g() }"),
    ]),
    ("Product/Sources/HTTPServer/Connection.swift", "enum SystemThread {}", "SystemThread of AquiferConcurrency starts threads"),
    ("Product/Sources/App/Web/Site.swift", "import AquiferTesting", "App does not say in Package.swift that it imports AquiferTesting"),
    ("Sources/AquiferImageFeed/FeedModel.swift", "let start = Date()", "time and chance are injected"),
    ("Sources/AquiferImageFeed/FeedModel.swift", "let id = UUID()", "time and chance are injected"),
    ("Sources/Aquifer/Caching/Cache.swift", "func f() async { await wait(Task.sleep) }", "time and chance are injected"),
    ("Product/Sources/App/Web/Site.swift", "let x = try! f()", "no try!"),
    ("Product/Sources/App/Web/Site.swift", "let x = try? f()", "a try? says"),
    ("Product/Sources/App/Web/Site.swift", "/// See `reference/feeds.md`.", "there is no reference/feeds.md"),
    *((file, line, "only Console prints") for file, line in [
        ("Product/Sources/AquiferCLI/Terminal/Columns.swift", 'func f() { print("a") }'), ("Product/Sources/AquiferCLI/Terminal/Columns.swift", 'func f() { Swift.print("a") }'),
        ("Product/Sources/AquiferCLI/Terminal/Columns.swift", 'func f() { fputs("a", f) }'), ("Product/Sources/AquiferCLI/Terminal/Columns.swift", "let x = stderr"),
        ("Product/Sources/AquiferCLI/Terminal/Columns.swift", "let x = FileHandle.standardError"), ("Product/Sources/AquiferCLI/Terminal/Columns.swift", "func f() { write(1, a, 1) }"),
        ("Product/Sources/AquiferCLI/Terminal/Columns.swift", "func f() throws { try Descriptor.output.write(data) }"), ("Product/Sources/App/Web/Site.swift", 'func f() { NSLog("a") }'),
    ]),
    *(("Sources/AquiferPayments/Cards/VaultError.swift", line, "no app has our command line") for line in [
        'let advice = "decide: aquifer cards accept-older keeps them"', 'let advice = "name one with --keypair"',
    ]),
    ("Product/Sources/App/Web/Site.swift", 'let x = y.replacing("a", with: "b")', "replacingExactly"),
    ("Sources/Aquifer/Caching/Cache.swift", 'let x = y.replacingOccurrences(of: a, with: b)', "replacingExactly"),
    ("Product/Sources/App/Web/Site.swift", "// TODO: later", "finish it or file it"),
    ("Sources/AquiferTesting/FaultyStore.swift", "func f() async { _ = await eventually { true } }", "look at what eventually returns"),
    *(("Tests/AquiferTests/Support/Gate.swift", line, "wait with eventually") for line in [
        "func f() async { while !isOpen { await Task.yield() }", "while !x.withLock({ $0 }) {\nawait Task.yield()\n}",
    ]),
]


@pytest.mark.parametrize("file, line, words", BROKEN_LINES, ids=[line for _, line, _ in BROKEN_LINES])
def test_a_broken_line_is_told_with_its_place(copy, script, file, line, words):
    path = copy / file
    # The offence is on a line of its own behind the imports, so that nothing above it passes for its reason.
    number = insert(path, "\n\n" + line) + 2
    result = architecture(script, copy)
    assert result.returncode == 1
    assert f"{file}:{number}: {words}" in result.stdout, result.stdout
    assert "1 rules broken" in result.stdout


HARMLESS = [
    ("Sources/AquiferImageFeed/FeedModel.swift", "func f(now: @Sendable () -> Date = { Date() }) {}"),
    ("Product/Sources/App/Web/Site.swift", "let x = try? f()  // nothing to tell"),
    ("Product/Sources/App/Web/Site.swift", "let address = \"http://example.org\"; let id = UUID()"),
    ("Product/Sources/App/Web/Site.swift", "func f() async { await report.print(console); fingerprint(a); try await write(file, console) }"),
    ("Product/Sources/App/Web/Site.swift", "let name = Thread.current.name; let state = Locked(0)  // not an NSLock"),
    ("Sources/AquiferPayments/Cards/VaultError.swift", 'let name = "aquifer-" + id  // as aquifer cards list shows it with --json'),
    ("Product/Sources/AquiferCLI/Help/HelpText.swift", 'let advice = "aquifer cards list shows them"'),
    ("Sources/AquiferImageFeed/FeedModel.swift", "// once there was a try! and a Date() here"),
]


@pytest.mark.parametrize("file, line", HARMLESS, ids=[line for _, line in HARMLESS])
def test_a_harmless_line_is_not_told(copy, script, file, line):
    insert(copy / file, "\n\n" + line)
    result = architecture(script, copy)
    assert result.returncode == 0, result.stdout


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_command_in_a_catalogue_is_told(copy, script):
    file = "Sources/AquiferWording/Languages/pt-BR.swift"
    number = insert(copy / file, '  "vault.lost.more": "Use “aquifer cards discard-older”.",', after="{")
    result = architecture(script, copy)
    assert result.returncode == 1
    assert f"{file}:{number}: no app has our command line" in result.stdout and "1 rules broken" in result.stdout, result.stdout


@pytest.mark.parametrize("file", ["Sources/AquiferImageFeed/FeedModel.swift", "Product/Sources/App/Web/Site.swift"])
def test_a_file_that_is_too_long_is_told(copy, script, file):
    lines = (copy / file).read_text().splitlines()
    filler = ["// filler"] * (500 - len(lines))
    (copy / file).write_text("\n".join(lines + filler) + "\n")
    assert architecture(script, copy).returncode == 0
    (copy / file).write_text("\n".join([*lines, *filler, "// one more"]) + "\n")
    result = architecture(script, copy)
    assert result.returncode == 1
    assert f"{file}:501: 501 lines, at most 500" in result.stdout, result.stdout


#: A function is `{body}` lines longer than its braces.
LONG_FUNCTIONS = [
    ["func f() {", "{body}", "}"],
    ["    private static func f<Value: Sendable>(", "        a: Int, b: Value", "    ) async throws(Failure) -> Int", "    where Value: Hashable {", "{body}", "    }"],
    ["    @MainActor public init?(_ a: Int) {", "{body}", "    }"],
    ["    var script: String {", "{body}", "    }"],
]


@pytest.mark.parametrize("form", LONG_FUNCTIONS, ids=[form[0].strip() for form in LONG_FUNCTIONS])
def test_a_function_that_is_too_long_is_told(copy, script, form):
    path = copy / "Sources/AquiferImageFeed/Long.swift"
    margin = " " * (len(form[0]) - len(form[0].lstrip()) + 4)

    def write(lines):
        body = [margin + "if a {", margin + "    b()", margin + "}", ""] + [margin + "g()"] * (lines - len(form) + 1 - 4)
        text = [line for part in form for line in (body if part == "{body}" else [part])]
        assert len(text) == lines
        # A requirement without a body, and a short function, do not count as the head of what follows.
        path.write_text("\n".join(["    func short() { g() }", *text, "    func last() {", "        g()", "    }"]) + "\n")

    write(60)
    assert architecture(script, copy).returncode == 0
    write(61)
    result = architecture(script, copy)
    assert result.returncode == 1
    assert "Sources/AquiferImageFeed/Long.swift:2: a function of 61 lines, at most 60" in result.stdout, result.stdout
    assert "1 rules broken" in result.stdout


#: A type with state, in a file of its own.
STATEFUL = """\
public final actor Planted {
    let clock: Int?
    private(set) var count = 0
    @MainActor var (first, second) = (0, 0)
    public let name = ""
    static let limit = 3
    var doubled: Int { count * 2 }

    init(
        clock: Int
    ) {
        let local = clock
    }

    struct Steps {
        var done = 0
    }
}
"""
PLANTED = "Sources/AquiferImageFeed/Planted.swift"
AWAY = "Sources/AquiferImageFeed/Planted+Away.swift"


def extend(copy, *lines, type="Planted"):
    """The type, and an extension of it in another file with these members."""
    (copy / PLANTED).write_text(STATEFUL)
    (copy / AWAY).write_text("\n".join([f"extension {type} {{", *(f"    {line}" for line in lines), "}"]) + "\n")


@pytest.mark.parametrize(
    "lines, names",
    [
        (["var a: Int { count }"], "count"),
        (["func f(name: Int = 1) -> Int {", "    second + first", "}"], "first, second"),
        (["func f(count: Int) { self.count = count }"], "count"),
        (["func f() {", "    Task { [weak self] in self?.first }", "}"], "first"),
        (["func f() {", "    guard let clock else { return }", "}"], "clock"),
        (['func f() -> String { "at \\(count)" }'], "count"),
        (["func f(", "    count: Int", ") -> Int { count }", "func g() -> Int { count }"], "count"),
        (["func f() {", "    count.withLock { count in count = 1 }", "}"], "count"),
    ],
)
def test_an_extension_in_another_file_that_uses_state_is_told(copy, script, lines, names):
    extend(copy, *lines)
    result = architecture(script, copy)
    assert result.returncode == 1
    words = f"this extension uses the state of Planted ({names}): move the code into Planted.swift, or give Planted a method there"
    assert re.search(rf"^{re.escape(AWAY)}:\d+: {re.escape(words)}$", result.stdout, re.MULTILINE), result.stdout
    assert "1 rules broken" in result.stdout


@pytest.mark.parametrize(
    "lines",
    [
        ["var a: Int { doubled + name.count + Self.limit + other.count }  // count", "/// count", "static func f() { count }"],
        ["func f(", "    count: Int, to first: Int", ") -> Int { count + first }"],
        ["func f() {", "    let count = g(clock: 1)", "    return count + .first", "}"],
        ["func f() {", "    for (first, second) in h where first < second { g { count in count } }", "}"],
        ["func f() {", "    switch g() {", "    case .a(let count): h(count)", "    }", "}"],
        ["static func f(_ a: Int)", "    -> Int", "{", "    count(of: a) + first", "}", "func count(of a: Int) { count(of: a) }"],
        ["enum Part {", "    case first, second", "    var clock: Int { first }", "}"],
    ],
)
def test_an_extension_that_uses_no_state_may_be_in_another_file(copy, script, lines):
    extend(copy, *lines)
    assert architecture(script, copy).returncode == 0, architecture(script, copy).stdout


def test_a_struct_may_be_read_in_another_file_and_changed_in_its_own_only(copy, script):
    extend(copy, "var isDone: Bool { done > 3 }", type="Planted.Steps")
    assert architecture(script, copy).returncode == 0
    extend(copy, "var isDone: Bool { done > 3 }", "mutating func end() { done = 4 }", type="Planted.Steps")
    result = architecture(script, copy)
    assert f"{AWAY}:3: this extension uses the state of Planted.Steps (done)" in result.stdout, result.stdout


def test_an_extension_in_the_file_of_its_type_may_use_state(copy, script):
    (copy / PLANTED).write_text(STATEFUL + "\nextension Planted {\n    var a: Int { count }\n}\n")
    assert architecture(script, copy).returncode == 0


def test_an_exempt_file_may_use_state_and_an_exemption_without_need_is_told(copy, script):
    exempt = copy / "Scripts/architecture_exempt.txt"
    kept = exempt.read_text()
    extend(copy, "var a: Int { count }")
    exempt.write_text(kept + AWAY + "\n")
    assert architecture(script, copy).returncode == 0
    extend(copy, "var a: Int { doubled }")
    number = kept.count("\n") + 1
    result = architecture(script, copy)
    assert f"Scripts/architecture_exempt.txt:{number}: {AWAY} needs no exemption: delete this line" in result.stdout, result.stdout
    assert "1 rules broken" in result.stdout


@pytest.mark.parametrize("file", ["Product/Sources/App/Web/Site.swift", "Tests/Hammer/HammerProcess.swift", "Examples/News/main.swift"])
@pytest.mark.parametrize(
    "lines",
    [
        "@TaskLocal static var planted: (@Sendable () -> Bool)?", "@TaskLocal\n    static var planted: () -> Void = {}",
        "@TaskLocal private static var planted = { 1 }", "typealias Planted = @Sendable () -> Void\n@TaskLocal static var planted: Planted? = nil",
    ],
)
def test_a_task_local_that_is_a_function_is_told(copy, script, file, lines):
    insert(copy / file, "\n\n" + lines)
    result = architecture(script, copy)
    assert result.returncode == 1
    words = "a task local is no function: a release build of Swift 6.3.1 crashes in withValue: keep a class or a plain value"
    assert re.search(rf"^{re.escape(file)}:\d+: {re.escape(words)}$", result.stdout, re.MULTILINE), result.stdout
    assert "1 rules broken" in result.stdout


def test_a_task_local_that_is_a_value_may_be(copy, script):
    insert(copy / "Product/Sources/App/Web/Site.swift", "\n\n@TaskLocal static var a: Site? = nil\n@TaskLocal static var b = [1]\nlet f: () -> Int = { 1 }")
    assert architecture(script, copy).returncode == 0, architecture(script, copy).stdout


@pytest.mark.parametrize(
    "lines",
    [
        "func planted(_ id: Int) -> Int { id - 1 }", "init(_ a: String, of id: UInt64?) {\n    let b = 2 * id\n}",
        "func planted() {\n    let id = text.flatMap { Int($0) }\n    return id + 1\n}", "func planted() {\n    var n = Int(text)\n    n += 1\n}",
    ],
)
def test_arithmetic_on_a_number_from_outside_is_told(copy, script, lines):
    insert(copy / "Product/Sources/App/Web/Site.swift", "\n\n" + lines)
    result = architecture(script, copy)
    assert result.returncode == 1 and "1 rules broken" in result.stdout, result.stdout
    assert "a number that may be from outside is an operand" in result.stdout


def test_arithmetic_that_cannot_overflow_or_on_a_number_of_this_process_may_be(copy, script):
    lines = "func planted(_ step: Step, _ id: Int) -> Int { id.saturatingAdding(1) &- id; return step.id - 1 }"
    insert(copy / "Product/Sources/App/Web/Site.swift", "\n\n" + lines)
    assert architecture(script, copy).returncode == 0, architecture(script, copy).stdout


def test_a_target_missing_on_the_page_is_told(copy, script):
    change(copy / "Package.swift", "        // Features\n", '        library("Orphan"),\n')
    (copy / "Sources/Orphan").mkdir()
    result = architecture(script, copy)
    assert result.returncode == 1
    assert "ARCHITECTURE.md:1: Orphan is missing from the page" in result.stdout


def test_a_target_that_may_clash_in_an_app_is_told(copy, script):
    change(copy / "Package.swift", '        .library(name: "Aquifer", targets: ["Aquifer"]),\n', '        .library(name: "Aquifer", targets: ["Aquifer", "HTTPServer"]),\n')
    result = architecture(script, copy)
    assert result.returncode == 1
    assert "a product reaches HTTPServer: SwiftPM would refuse an app" in result.stdout, result.stdout
    assert "a product reaches CMicrohttpd" in result.stdout


def test_a_package_from_elsewhere_is_told(copy, script):
    none = "let dependencies: [Package.Dependency] = []"
    change(copy / "Package.swift", none, none.removesuffix("]") + '.package(path: "../other")]')
    result = architecture(script, copy)
    assert result.returncode == 1
    assert re.search(r"Package\.swift:\d+: packages from elsewhere", result.stdout), result.stdout


def test_a_feature_that_chooses_a_store_is_told(copy, script):
    change(copy / "Package.swift", 'library("AquiferImageFeed", [', 'library("AquiferImageFeed", ["AquiferSQLite", ')
    result = architecture(script, copy)
    assert result.returncode == 1
    assert re.search(r"Package\.swift:\d+: AquiferImageFeed must not depend on AquiferSQLite", result.stdout)
    assert re.search(r"Package\.swift:\d+: only App and aquifer choose AquiferSQLite, not AquiferImageFeed", result.stdout)


def test_a_light_library_that_depends_on_a_heavy_one_is_told(copy, script):
    change(copy / "Package.swift", 'library("AquiferCrypto", [', 'library("AquiferCrypto", ["AquiferUserDefaults", ')
    result = architecture(script, copy)
    assert result.returncode == 1
    words = "AquiferCrypto is light and must not depend on AquiferUserDefaults, which needs full Foundation"
    assert words in result.stdout, result.stdout


def test_a_page_that_is_too_long_is_told(copy, script):
    page = copy / "ARCHITECTURE.md"
    count = len(page.read_text().split())
    assert count <= 1_800
    page.write_text(page.read_text() + "word " * (1_801 - count))
    result = architecture(script, copy)
    assert result.returncode == 1
    assert "ARCHITECTURE.md:1: 1801 words, at most 1800" in result.stdout
    page.write_text(page.read_text().removesuffix("word "))
    assert architecture(script, copy).returncode == 0


DECISION = "# A new one\n\n## Context\n\nA.\n\n## Decision\n\nB.\n\n## Consequences\n\nC.\n"


def test_a_name_of_nothing_is_told(copy, script):
    # In two parts, for these lines are among the sources that may name it.
    stranger = "No" + "SuchThing"
    paths = ["Nowhere.swift", "test_nowhere.py", "Tests/Nowhere"]
    names = [*paths, stranger, f"Outbox.{stranger.lower()}", f"{stranger}.run()"]
    pages = ["ARCHITECTURE.md", "docs/promises.md", "docs/decisions/locks.md"]
    expected = set()
    for page in pages:
        text = (copy / page).read_text()
        for number, name in enumerate(names, text.count("\n") + 1):
            text += f"See `{name}`.\n"
            expected.add(f"{page}:{number}: {'there is no' if name in paths else 'no source names'} {name}")
        (copy / page).write_text(text)
    result = architecture(script, copy)
    assert result.returncode == 1
    # The lines that this test adds may be more than a page has room for, which another rule tells.
    assert {line for line in result.stdout.splitlines()[:-1] if " words, at most " not in line} == expected


def test_a_decision_missing_in_the_index_is_told(copy, script):
    (copy / "docs/decisions/new.md").write_text(DECISION)
    result = architecture(script, copy)
    assert result.returncode == 1
    assert "docs/decisions/new.md:1: docs/decisions/README.md does not list it" in result.stdout


def test_a_decision_under_another_title_or_of_another_form_is_told(copy, script):
    index, page = copy / "docs/decisions/README.md", copy / "docs/decisions/new.md"
    index.write_text(index.read_text() + "- [A new one](new.md)\n")
    page.write_text(DECISION)
    assert architecture(script, copy).returncode == 0
    page.write_text(DECISION.replace("A new one", "Another"))
    assert "docs/decisions/new.md:1: docs/decisions/README.md lists it under another" in architecture(script, copy).stdout
    page.write_text(DECISION.replace("## Consequences", "## Remarks"))
    assert "docs/decisions/new.md:1: a decision has the headings" in architecture(script, copy).stdout
