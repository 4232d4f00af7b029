"""The advice on comments and documents: sentences without their subject."""

import subprocess
import sys

import pytest


@pytest.fixture
def check(root, tmp_path):
    def check(name, text, *options):
        (tmp_path / name).write_text(text)
        script = [sys.executable, str(root / "Scripts/plain-english"), *options, str(tmp_path)]
        return subprocess.run(script, capture_output=True, text=True, timeout=60)

    return check


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.swift", "/// What is saved.\nlet a = 1\n"),
        ("a.swift", "    // The list is saved. Who asks later\n    // gets it.\n"),
        ("a.swift", "/// - Returns: whatever.\n/// - Parameter b: Whether it is so.\n"),
        ("a.md", "A list:\n\n- Of two, the newer stays.\n"),
        ("a.py", "# How it ends.\n"),
        ("a.py", '"""What it does."""\n'),
        ("a.py", 'def a():\n    """It ends.\n\n    Whether it does is\n    told.\n    """\n'),
        ("script", "#!/usr/bin/env bash\n# What it does.\ntrue\n"),
        ("script", '#!/usr/bin/env python3\n"""What it does."""\n'),
        ("a.js", "// What it does.\nlet a = 1;\n"),
        ("a.js", "/** Whether it is so. */\nlet a = 1;\n"),
        ("a.js", "/**\n * It ends.\n * Who asks gets it.\n */\n"),
        ("a.js", "/** @param {string} name What it is called. */\n"),
        ("a.css", "a { b: c; }\n/* What has\n   no words. */\n"),
        ("a.h", "#define A 1 /* one */\n/// Whether it is so.\n"),
        ("a.c", "/*\n * Where it is.\n */\n"),
        ("Makefile", "a: b ## what it is\n# How it ends.\n"),
        ("Makefile", "a: b ## Where it is\n"),
        ("a.yml", "on: push # any\n# What it runs.\n"),
    ],
)
def test_a_sentence_without_its_subject_is_told(check, name, text):
    result = check(name, text, "--all")
    assert f"{name}:" in result.stdout, result.stdout


@pytest.mark.parametrize(
    "name, text",
    [
        ("a.swift", "/// The number of items.\nlet what = 1 // Of no matter here\n"),
        ("a.swift", "/// True if it is saved.\n///\n/// ```swift\n/// What is this\n/// ```\n"),
        ("a.md", "# What it is\n\nWhat is it? A store.\n\n| Who | What |\n|---|---|\n| Of | How |\n\n```\nWhat\n```\n"),
        ("a.md", "> What somebody else has said.\n\nThe subject comes first.\n"),
        ("a.js", "let a = `\nWhat is this\n`; /* inside */ let b = 'Of no matter';\n/** True if it is so. */\n"),
        ("a.js", "/** @type {{ a: string }} */\nlet a = { what: 1 };\n"),
        ("a.py", "a = \"\"\"\nWhat is this\n\"\"\"\nb = 'How'\n"),
        ("script", "What has no first line that names a program is no script.\n"),
        ("data.json", '{"a": "What is this"}\n'),
    ],
)
def test_questions_headings_tables_quotes_and_code_do_not_count(check, name, text):
    result = check(name, text, "--all")
    assert f"{name}:" not in result.stdout and "0 of " in result.stdout, result.stdout


def test_it_is_advice_and_never_fails(check):
    result = check("a.swift", "/// What is saved.\nlet a = 1\n")
    assert result.returncode == 0
    assert result.stdout == "plain English: 1 of 1 sentences begin without their subject (100.0%); --all lists them\n"


def test_the_line_of_the_sentence_is_told(check):
    result = check("a.swift", "\n/// One sentence that\n/// goes on. What begins here\n/// goes on, too.\n", "--all")
    assert "a.swift:3: What begins here goes on, too." in result.stdout
