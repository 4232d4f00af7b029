"""The documents tell the truth: snippets are compiled, and what README shows is what happens."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"]


def check(script, folder):
    return subprocess.run([sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def script(root):
    return root / "Scripts/check-readme"


@pytest.fixture
def copy(root, tmp_path):
    """The documents, and what they are compared with."""
    table = [str(path.relative_to(root)) for path in (root / "Product/Sources/AquiferCLI/Table").glob("*.swift")]
    for name in [*DOCUMENTS, "Makefile", *table]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    shutil.copytree(root / "Examples", tmp_path / "Examples", ignore=shutil.ignore_patterns(".build"))
    shutil.copytree(root / "Sources/Aquifer/Aquifer.docc", tmp_path / "Sources/Aquifer/Aquifer.docc")
    shutil.copytree(root / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("*.webp"))
    for document in [*tmp_path.glob("*.md"), *(tmp_path / "docs").rglob("*.md")]:
        # The targets of their links are there: the test above this one has seen to that.
        for target in re.findall(r"(?:\]\(|src=\")(?!http|#)([^)\"#]+)", document.read_text()):
            path = document.parent / target
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
    return tmp_path


def test_the_documents_are_right(root, script):
    result = check(script, root)
    assert result.returncode == 0, result.stdout


def test_an_untouched_copy_is_right(copy, script):
    result = check(script, copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    "addition, words",
    [
        ("```swift\nlet x = notCompiled()\n```", "this snippet is in no file under Examples/"),
        ("Run `make tea`.", "the Makefile has no target tea"),
        ("Run `aquifer podcasts list`.", "aquifer has no command podcasts list"),
        ("Run `aquifer feed delete`.", "aquifer has no command feed delete"),
        ("Run `aquifer serve --tls`.", "aquifer has no option --tls"),
        ("```console\n$ aquifer feed list --colour\n```", "aquifer has no option --colour"),
        ("[There](Sources/Nowhere.swift)", "there is no Sources/Nowhere.swift"),
    ],
)
@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "docs/promises.md"])
def test_what_is_not_so_is_told_with_its_place(copy, script, document, addition, words):
    text = (copy / document).read_text()
    (copy / document).write_text(text + "\n" + addition + "\n")
    result = check(script, copy)
    assert result.returncode == 1
    first = text.count("\n") + 2
    assert re.search(rf"{re.escape(document)}:({first}|{first + 1}): {re.escape(words)}", result.stdout), result.stdout


def test_a_snippet_may_be_indented_otherwise_but_not_be_another(copy, script):
    (copy / "Examples/New.swift").write_text("func f() {\n    if a {\n        b()\n    }\n}\n")
    readme = copy / "README.md"
    text = readme.read_text()
    readme.write_text(text + "\n```swift\nif a {\n    b()\n}\n```\n")
    assert check(script, copy).returncode == 0
    readme.write_text(text + "\n```swift\nif a {\n    c()\n}\n```\n")
    assert check(script, copy).returncode == 1


# The commands that README shows are run.


def console_blocks(text):
    """Each ```console block: pairs of a command and its output."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        steps = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        yield [(command, "\n".join(output)) for command, output in steps]


@pytest.fixture
def blocks(root):
    return list(console_blocks((root / "README.md").read_text()))


@pytest.fixture
def notes(root):
    """`python3 -m http.server`, on a free port."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Quiet, directory=str(root / "Examples/Quickstart"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.server_close()


def run(command, **environment):
    """Both streams in the order in which they came: what a terminal shows."""
    result = subprocess.run(
        command, shell=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
        env={**os.environ, "LC_ALL": "C.UTF-8", **environment})
    return result.stdout.rstrip("\n")


def test_the_quickstart_prints_what_readme_shows(root, blocks, notes, tmp_path):
    steps = next(steps for steps in blocks if any("Quickstart" in command for command, _ in steps))
    assert steps[0][0] == "python3 -m http.server 8000 --directory Examples/Quickstart &"
    program = os.environ.get("QUICKSTART_BIN", str(root / ".build/debug/Quickstart"))
    ran = 0
    for command, output in steps[1:]:
        if command == "kill %1":
            notes.shutdown()
            notes.server_close()
            continue
        command = command.replace("swift run -q Quickstart", program).replace(":8000/", f":{notes.server_port}/")
        assert run(command, TMPDIR=str(tmp_path)) == output
        ran += 1
    assert ran == 4


def test_the_quickstart_says_how_it_is_used(root):
    program = os.environ.get("QUICKSTART_BIN", str(root / ".build/debug/Quickstart"))
    result = subprocess.run([program], capture_output=True, text=True, timeout=30)
    assert (result.returncode, result.stdout) == (64, "usage: Quickstart ADDRESS [DAYS]\n")


# Texts made by chance, or by the day: the same places of both texts hold something of the same kind.
CHANCE = [
    (r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", "UUID"), (r"\b[1-9A-HJ-NP-Za-km-z]{43,44}\b", "KEY"),
    (r"\d+ (minute|hour|month)s? ago", "AGO"), (r"number \d+", "number N"), ("\N{NO-BREAK SPACE}", " "),
]


def test_the_command_line_prints_what_readme_shows(root, blocks, tmp_path):
    program = os.environ.get("AQUIFER_BIN", str(root / ".build/aquifer"))
    (tmp_path / "rain.mp3").write_bytes((root / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3").read_bytes())
    (tmp_path / "beach.jpg").write_bytes(bytes(14_336))

    def told(text):
        for pattern, name in CHANCE:
            text = re.sub(pattern, name, text)
        # A note on standard error may be seen before or after what it belongs to.
        return sorted(text.splitlines())

    known, ran = {}, 0
    for command, output in (step for steps in blocks for step in steps):
        if not re.search(r"(^|\| )aquifer ", command):
            continue
        # An identifier that README shows is in this run another one.
        for shown, real in known.items():
            command = command.replace(shown, real)
        words = re.sub(r"(^|\| )aquifer ", rf"\1{program} ", command) + f" --data {tmp_path / 'data'}"
        shown = run(f"cd {tmp_path} && {words}", XDG_CONFIG_HOME=str(tmp_path / "config"))
        assert told(shown) == told(output), command
        keys = [re.findall(CHANCE[1][0], text) for text in (output, shown)]
        known |= dict(zip(*keys))
        ran += 1
    assert ran >= 20


def test_readme_shows_the_whole_quickstart(root):
    program = (root / "Examples/Quickstart/main.swift").read_text().strip()
    assert f"```swift\n{program}\n```" in (root / "README.md").read_text()


# A clone is small: each picture is there for a page, and no file is there by mistake.


def test_every_picture_in_the_documents_is_shown(root):
    pages = "".join(page.read_text() for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")])
    pictures = [path for path in (root / "docs").rglob("*") if path.suffix in (".webp", ".png", ".jpg", ".gif", ".svg")]
    assert len(pictures) >= 12
    for picture in pictures:
        assert str(picture.relative_to(root)) in pages, f"no page shows {picture}"


def test_a_clone_is_small(root, tmp_path):
    if not (root / ".git").exists():
        pytest.skip("this is no clone")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{root}", str(clone)], check=True, capture_output=True, timeout=60)
    size = int(subprocess.run(["du", "-sm", str(clone)], check=True, capture_output=True, text=True).stdout.split()[0])
    assert size <= 26, f"git clone --depth 1 takes {size} MB on disk"
