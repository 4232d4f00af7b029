"""The rule of numbers: where requests come in, no arithmetic on a number that may be from outside can trap.

In the routes and the screens of the pages, such a number is one that a function was given, or has read from a text. It is not an operand of
`+`, `-` or `*`: `saturatingAdding` and `&+` never trap. A number that a value of this process has (`step.id`) is none of these.
"""

import re

FOLDERS = ("Product/Sources/App/Web", "Product/Sources/App/Screens")

COMMENT = re.compile(r"//[^\n]*")
#: A function with its parameters, up to its body.
FUNCTION = re.compile(r"\b(?:func [^\s(<]+|init\??|subscript)(?:<[^>]*>)?\(([^{]*?)\)[^{}]*\{")
NUMBER = r"U?Int(?:8|16|32|64)?"
GIVEN = re.compile(rf"(\w+)\s*:\s*{NUMBER}\??(?=\s*[,)=]|\s*$)")
READ = re.compile(rf"\b(?:let|var) (\w+) = [^\n]*\b{NUMBER}(?:\.init\b|\((?:\$0|\w+, radix))|\b(?:let|var) (\w+) = {NUMBER}\(")
WORDS = "a number that may be from outside is an operand: the process ends if it overflows (saturatingAdding and &+ never do)"


def body_of(text, start):
    depth, end = 1, start
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start:end]


def operands(text):
    """The places at which such a number is an operand."""
    for function in FUNCTION.finditer(text):
        body = body_of(text, function.end())
        names = {*GIVEN.findall(function[1]), *(name for pair in READ.findall(body) for name in pair if name)}
        for name in names:
            operand = rf"(?<![\w.]){name} [-+*]=? |[\w)\]] [-+*] {name}\b(?!\.)"
            yield from (function.end() + found.start() for found in re.finditer(operand, body))


def rules_of_the_numbers(folder):
    for path in (path for home in FOLDERS for path in sorted((folder / home).rglob("*.swift"))):
        text = COMMENT.sub("", path.read_text())
        for line in sorted({text.count("\n", 0, place) + 1 for place in operands(text)}):
            yield f"{path.relative_to(folder)}:{line}: {WORDS}"
