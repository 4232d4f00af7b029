"""What is read of a Swift source, with tree-sitter: statements, conditions, and expressions in Swift's own precedence."""

import tree_sitter_swift
from tree_sitter import Language, Parser

_PARSER = Parser(Language(tree_sitter_swift.language()))

#: Nodes that join operands. The grammar groups them otherwise than Swift does, so they are flattened first.
_JOINS = {
    "infix_expression", "comparison_expression", "equality_expression", "conjunction_expression",
    "disjunction_expression", "nil_coalescing_expression", "additive_expression", "multiplicative_expression",
    "bitwise_operation", "range_expression", "ternary_expression", "try_expression", "await_expression",
    "as_expression", "check_expression", "prefix_expression",
}
#: The operators that bind less than others, the weakest first. All others bind more.
_STRENGTH = {"?": 0, ":": 0, "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3}
_PREFIXES = {"try", "try?", "try!", "await"}


class Source:
    """A file, parsed. Positions are those of its bytes."""

    def __init__(self, text):
        self.bytes = text.encode()
        self.root = _PARSER.parse(self.bytes).root_node

    def text(self, start, end):
        return self.bytes[start:end].decode()

    def of(self, node):
        return self.text(node.start_byte, node.end_byte)

    def walk(self):
        """All nodes that were parsed without an error."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.type == "ERROR" or node.is_missing:
                continue
            yield node
            waiting += reversed(node.children)


class Comparison:
    """An operator with what stands on either side of it, as Swift reads it."""

    def __init__(self, operator, left, right):
        self.operator, self.left, self.right = operator, left, right
        self.start, self.end = left[0], right[1]


def binaries(source, node):
    """The comparisons, `&&` and `||` of an expression, if the node is the whole of one."""
    if node.type not in _JOINS or (node.parent and node.parent.type in _JOINS):
        return
    items = []
    _flatten(source, node, items)
    for index, (kind, start, end) in enumerate(items):
        operator = source.text(start, end)
        if kind != "operator" or operator not in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
            continue
        # Without spaces it is the bracket of a generic type.
        if not source.text(start - 1, end + 1).strip() == operator:
            continue
        strength = _STRENGTH[operator]
        first = last = index
        while first > 0 and _strength(source, items[first - 1]) >= strength:
            first -= 1
        while last + 1 < len(items) and _strength(source, items[last + 1]) > strength:
            last += 1
        # `try` and `await` cover all that follows them.
        while first < index and items[first][0] == "prefix":
            first += 1
        if first < index < last:
            left, right = (items[first][1], items[index - 1][2]), (items[index + 1][1], items[last][2])
            yield Comparison(operator, left, right)


def _strength(source, item):
    kind, start, end = item
    return _STRENGTH.get(source.text(start, end), 9) if kind == "operator" else 9


def _flatten(source, node, items):
    for child in node.children:
        text = source.of(child)
        if child.type in _JOINS:
            _flatten(source, child, items)
        elif text in _PREFIXES:
            items.append(("prefix", child.start_byte, child.end_byte))
        elif child.type in ("comment", "multiline_comment"):
            continue
        elif child.is_named and child.type not in ("custom_operator", "bang", "as_operator", "try_operator"):
            items.append(("operand", child.start_byte, child.end_byte))
        else:
            items.append(("operator", child.start_byte, child.end_byte))


def conditions(source, node):
    """The conditions of an `if`, `guard` or `while` that bind nothing, from where to where."""
    if node.type not in ("if_statement", "guard_statement", "while_statement"):
        return
    clause = []
    for child in node.children[1:]:
        if child.type in ("else", "{", "statements"):
            break
        if child.type == ",":
            yield from _condition(source, clause)
            clause = []
        elif child.type != "comment":
            clause.append(child)
    yield from _condition(source, clause)


def _condition(source, clause):
    if not clause or any(part.type == "value_binding_pattern" for part in clause):
        return
    text = source.text(clause[0].start_byte, clause[-1].end_byte)
    is_whole = text.count("(") == text.count(")")
    if is_whole and not text.startswith(("let ", "var ", "case ", "#")) and "\n" not in text:
        yield clause[0].start_byte, clause[-1].end_byte


def is_deferred(source, node):
    return node.type == "call_expression" and source.of(node.children[0]) == "defer"


def is_action(source, node):
    """True for a statement that calls or assigns something, and declares nothing."""
    if node.type in ("call_expression", "try_expression", "await_expression"):
        return not is_deferred(source, node) and source.of(node).endswith(")")
    return node.type == "assignment"


def called(source, node):
    """The name of the function that a statement calls, or an empty string."""
    while node.type in ("try_expression", "await_expression", "assignment") and node.children:
        if node.type == "assignment" and source.of(node.children[0]) != "_":
            return ""
        node = node.children[-1]
    if node.type != "call_expression":
        return ""
    return source.of(node.children[0]).rsplit(".", 1)[-1]


def stands_alone(node):
    """True for the only statement of a function or closure, which may be its value."""
    block = node.parent
    if block is None or block.type != "statements":
        return True
    statements = [child for child in block.named_children if child.type != "comment"]
    if len(statements) > 1:
        return False
    owner = block.parent
    if owner.type == "function_body":
        return owner.parent.type == "function_declaration" and _has_result(owner.parent)
    return owner.type not in ("if_statement", "guard_statement", "for_statement", "while_statement", "do_statement",
                              "catch_block")


def _has_result(function):
    return any(child.type == "->" for child in function.children)


def neighbours(source, node):
    """The pairs of actions that follow each other in a block. Two assignments, and two bindings of a statement's values,
    rarely depend on each other."""
    if node.type != "statements":
        return
    statements = [child for child in node.named_children if child.type != "comment"]
    for first, second in zip(statements, statements[1:]):
        names = {called(source, first), called(source, second)}
        is_plain = first.type == second.type == "assignment" or names in ({"bind"}, {"append"}) or "precondition" in names
        if is_action(source, first) and is_action(source, second) and not is_plain:
            yield first, second
