"""The completion of shells and the manual page, which are made from the table of commands."""

import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import BINARY, commands

GOLDEN = pathlib.Path(__file__).parent / "golden"


def printed(*words):
    result = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=20)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """Completes a line as bash does, which calls the function with the line up to the cursor."""
    path = tmp_path_factory.mktemp("completion") / "aquifer.bash"
    path.write_text(printed("completion", "bash"))

    def complete(line):
        script = 'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _aquifer; printf "%s\\n" "${COMPREPLY[@]}"'
        result = subprocess.run(["bash", "-c", script, "bash", path, line], capture_output=True, text=True, timeout=20)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout.split()

    complete.path = path
    return complete


def test_the_script_for_bash_is_right_for_bash(bash):
    assert subprocess.run(["bash", "-n", bash.path], capture_output=True).returncode == 0
    assert "complete -F _aquifer aquifer" in bash.path.read_text()


@pytest.mark.parametrize("line, words", [
    ("aquifer fe", ["feed"]),
    ("aquifer feed ", ["list", "comments", "image"]),
    ("aquifer feed l", ["list"]),
    ("aquifer outbox dis", ["discard"]),
    ("aquifer --data /tmp --json outbox se", ["send"]),
    ("aquifer outbox send --w", ["--wait"]),
    ("aquifer feed list --l", ["--limit"]),
    ("aquifer feed list --limit 3 --a", ["--at", "--allow-test-card", "--all"]),
    ("aquifer drive list --keyp", ["--keypair"]),
    ("aquifer feed list --keyp", []),
    ("aquifer feed list --limit ", []),
    ("aquifer --remote ", ["feed=", "payments=", "foaas=", "audio=", "drive="]),
    ("aquifer serve --fault audio=cu", ["cut"]),  # bash has "audio=" already
    ("aquifer completion ", ["bash", "zsh", "fish"]),
    ("aquifer drive transaction re", ["reduce-storage", "request-delete", "refresh-stake", "rename"]),
    ("aquifer help dr", ["drive"]),
    ("aquifer man --", ["--help"]),
    ("aquifer frob ", []),
    ('aquifer --data "my dir" feed l', ["list"]),
    ("aquifer --data 'my \\' feed l", ["list"]),
    ("aquifer --data my\\ dir feed l", ["list"]),
    ("aquifer help feed ", ["list", "comments", "image"]),
    ("aquifer help feed l", ["list"]),
    ("aquifer help pay ", []),
    ("aquifer help feed --", ["--help"]),
])
def test_bash_completes(bash, line, words):
    assert bash(line) == words


def test_bash_completes_all_groups_and_every_command(bash):
    names = commands()
    assert bash("aquifer ") == list(dict.fromkeys(bash("aquifer ")))
    assert set(bash("aquifer ")) == {name.split()[0] for name in names}
    for group in {name.split()[0] for name in names if " " in name}:
        assert {f"{group} {word}" for word in bash(f"aquifer {group} ")} == {name for name in names if name.startswith(f"{group} ")}


def test_bash_completes_files_and_folders(bash, tmp_path):
    (tmp_path / "clip one.mp3").touch()
    (tmp_path / "folder").mkdir()
    # The words are split at spaces here.
    assert bash(f"aquifer audio post {tmp_path}/cl") == f"{tmp_path}/clip one.mp3".split()
    assert bash(f"aquifer audio post --title=x {tmp_path}/fo") == [f"{tmp_path}/folder"]
    assert bash(f"aquifer feed image X -o={tmp_path}/fo") == [f"{tmp_path}/folder"]
    assert bash(f"aquifer --data {tmp_path}/") == [f"{tmp_path}/folder"]
    assert bash(f"aquifer feed image X --output={tmp_path}/fo") == [f"{tmp_path}/folder"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_another_shell_is_the_golden_text(shell):
    assert printed("completion", shell) == (GOLDEN / f"completion.{shell}").read_text()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_script_of_another_shell_is_right_for_it(shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    result = subprocess.run([shell, "-n", GOLDEN / f"completion.{shell}"], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_fish_completes(tmp_path):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    def complete(line):
        script = f"source {GOLDEN}/completion.fish; complete -C '{line}'"
        return subprocess.run(["fish", "-N", "-c", script], capture_output=True, text=True, timeout=20).stdout
    assert [line.split("\t")[0] for line in complete("aquifer feed ").splitlines()] == ["comments", "image", "list"]
    assert "--wait" in complete("aquifer outbox send --w")


def test_the_manual_page_has_every_command_and_option(tmp_path):
    page = tmp_path / "aquifer.1"
    page.write_text(printed("man"))
    plain = page.read_text().replace("\\-", "-")
    for name in commands():
        assert f".B aquifer {name}" in plain
    for name in re.findall(r"^complete .* -l ([a-z-]+)", printed("completion", "fish"), re.MULTILINE):
        assert f"--{name}" in plain
    if shutil.which("groff"):
        shown = subprocess.run(["groff", "-man", "-ww", "-Kutf8", "-Tutf8", page], capture_output=True, text=True)
        assert (shown.returncode, shown.stderr) == (0, "") and "the reader of the output went away" in shown.stdout
