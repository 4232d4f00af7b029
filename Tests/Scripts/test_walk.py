"""The check of the newcomer's walk: each file that ARCHITECTURE names on it must be executed.

`make nightly` runs the walks themselves (Scripts/walk), for they need a program that is built with coverage.
"""


import pytest

NAMES = {
    "A feed load": ["Resource.swift"], "A payment": ["PaymentDesk.swift"], "A post through the outbox": ["Outbox.swift"],
    "A storage account": ["Message.swift"],
}


@pytest.fixture
def walk(load_script):
    return load_script("walk")


@pytest.fixture
def check(walk, tmp_path, monkeypatch, capsys):
    """Checks a page against the executed lines of each file; gives the status and what was printed."""
    def check(names, lines):
        page = "# Architecture\n\n## A newcomer's walk\n"
        for title, files in names.items():
            page += f"\n### {title}\n\n" + "".join(f"1. `{file}` does it.\n" for file in files)
        (tmp_path / "ARCHITECTURE.md").write_text(page + "\n## Promises\n\n1. `Elsewhere.swift` is on no walk.\n")
        sound = tmp_path / "Product/Sources/ReferenceAPIs/Media/audio/clips/05.mp3"
        sound.parent.mkdir(parents=True, exist_ok=True)
        sound.touch()
        monkeypatch.setenv("AQUIFER_COVERED", "aquifer")
        monkeypatch.setattr(walk, "walked", lambda program, title, sound: {
            f"{tmp_path}/Sources/Any/{name}": count for name, count in lines.items()})
        status = walk.main([str(tmp_path)])
        return status, capsys.readouterr().out

    return check


LINES = {name: 3 for names in NAMES.values() for name in names}


def test_walks_whose_files_are_executed_pass(check):
    status, told = check(NAMES, LINES)
    assert (status, told.splitlines()[-1]) == (0, "walk: 4 walks, 0 wrong")
    assert "A feed load: 1 of 1 named files are executed, and 4 files in all" in told


@pytest.mark.parametrize(
    "file, lines, words",
    [
        ("Idle.swift", {"Idle.swift": 0}, "no line of Idle.swift is executed"),
        ("Gone.swift", {}, "the program has no code in Gone.swift"),
        ("Twin.swift", {"Twin.swift": 1, "Other/Twin.swift": 1}, "several files are called Twin.swift"),
    ],
)
def test_a_file_that_is_not_executed_is_told_with_its_line(check, file, lines, words):
    status, told = check({**NAMES, "A payment": ["PaymentDesk.swift", file]}, {**LINES, **lines})
    assert status == 1
    assert f"ARCHITECTURE.md:12: A payment: {words}" in told
    assert told.splitlines()[-1] == "walk: 4 walks, 1 wrong"


def test_one_of_several_files_of_a_name_is_named_by_its_folder(check):
    lines = {**LINES, "Here/Twin.swift": 1, "There/Twin.swift": 0}
    assert check({**NAMES, "A payment": ["Here/Twin.swift"]}, lines)[0] == 0
    assert check({**NAMES, "A payment": ["There/Twin.swift"]}, lines)[0] == 1


def test_a_walk_that_is_missing_or_unknown_is_told(check):
    status, told = check({title: files for title, files in NAMES.items() if title != "A payment"}, LINES)
    assert status == 1 and 'there is no walk "A payment"' in told
    status, told = check({**NAMES, "A stroll": ["Resource.swift"]}, LINES)
    assert status == 1 and 'no commands are known for "A stroll"' in told


def test_the_page_has_the_walks(root, walk):
    walks = walk.walks_of((root / "ARCHITECTURE.md").read_text())
    assert list(walks) == list(walk.WALKS)
    assert all(len(names) >= 8 for names in walks.values())


def test_the_nightly_run_has_the_walks(load_script):
    assert any("Scripts/walk" in command for _, command in load_script("nightly").PARTS.values())
