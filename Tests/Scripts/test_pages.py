"""The check of the pages' JavaScript finds what is not as the Swift types say."""

import shutil
import subprocess

import pytest

MODULES = "Sources/App/Public/js"


@pytest.fixture
def pages(root, tmp_path):
    """The modules of the pages, to be broken."""
    (tmp_path / MODULES).parent.mkdir(parents=True)
    shutil.copytree(root / "Product" / MODULES, tmp_path / MODULES)
    shutil.copy(root / "Product/jsconfig.json", tmp_path)
    return tmp_path


@pytest.fixture
def check(root, pages):
    def check():
        result = subprocess.run([root / "Scripts/check-pages", pages], capture_output=True, text=True, timeout=300)
        return result.returncode, result.stdout

    return check


def broken(pages, module, right, wrong):
    path = pages / MODULES / module
    text = path.read_text("utf-8")
    assert right in text, f"{module} has no {right}"
    path.write_text(text.replace(right, wrong, 1), "utf-8")


WRONG = {
    "a key that the state does not have":
        ("screens/outbox.js", "state.isEmpty", "state.isNothing", "Property 'isNothing' does not exist on type 'OutboxState'"),
    "a key of a part of the state": ("components/drive-upload.js", "sending.sentText", "sending.sentBytes", "Property 'sentBytes' does not exist"),
    "a key that may be null": ("screens/comments.js", "state.error?.message", "state.error.message", "Object is possibly 'null'"),
    "an intent that does not exist": ("screens/feed.js", 'this.send("loadMore")', 'this.send("loadMost")', "'\"loadMost\"' is not assignable"),
    "an intent without its field": (
        "screens/payment.js", 'this.send("pay", { digits, attempt: id,', 'this.send("pay", { attempt: id,',
        "Property 'digits' is missing"),
    "a field of another name":
        ("screens/cards.js", 'this.send("choose", { id: card.id })', 'this.send("choose", { card: card.id })', "'card' does not exist"),
}


def test_the_check_fails_for_what_the_types_do_not_have(check, pages):
    for module, right, wrong, _ in WRONG.values():
        broken(pages, module, right, wrong)
    (pages / MODULES / "screens/new.js").write_text("export const wrong = (state) => state.nothing;\n", "utf-8")
    status, output = check()
    assert status != 0
    for rule, (module, _, _, words) in WRONG.items():
        lines = [line for line in output.replace("\n  ", " ").splitlines() if f"{module}(" in line]
        assert any(words in line for line in lines), f"{rule}: {lines}"
    assert "screens/new.js(1,23)" in output, "each module is checked"


@pytest.mark.parametrize("line", ["// @ts-ignore", "// @ts-nocheck", "/** @type {any} */", "/** @param {any[]} rows */"])
def test_the_check_fails_for_a_line_that_switches_it_off(check, pages, line):
    path = pages / MODULES / "toast.js"
    path.write_text(f"{line}\nexport const wrong = 1;\n", "utf-8")
    status, output = check()
    assert status == 1 and line in output and "switch the checker off" in output
