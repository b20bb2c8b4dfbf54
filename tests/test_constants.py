"""Numeric constants are registered: each says from where it comes, and there are not too many.

A constant at module level is *derived* (from what), a *limit of cost* (what it saves) or *tuned*
(on which data): the comment ``#:`` above it or at its end begins with that word. The tuned
constants of a room are the fields of frozen dataclasses, which functions take as an argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import sortal

HOME = Path(sortal.__file__).parent
KINDS = re.compile(r"#: *(derived|limit of cost|tuned)\b")
#: most constants, fields of tables counted
MOST = 505


def is_number(value: ast.expr | None) -> bool:
    """Whether an expression is a number, a tuple of numbers, or arithmetic with one."""
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) or is_number(right)
        case ast.Tuple(elts=elements):
            return bool(elements) and all(map(is_number, elements))
    return False


def constants(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Name and line of each numeric constant at module level."""
    for node in tree.body:
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.AnnAssign):
            pairs = [(node.target, node.value)]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            if isinstance(node.value, ast.Tuple):
                pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
        elif isinstance(node, ast.Assign):
            pairs = [(node.targets[0], node.value)]
        for target, value in pairs:
            if isinstance(target, ast.Name) and target.id.isupper() and is_number(value):
                yield target.id, node.lineno


def fields(tree: ast.Module) -> Iterator[str]:
    """Fields of tables: dataclasses of which every field, but for tables within, is a number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.decorator_list:
            named = [item for item in node.body if isinstance(item, ast.AnnAssign)]
            numeric = [item for item in named if is_number(item.value)]
            if len(numeric) > 1 and 3 * len(numeric) > 2 * len(named):
                yield from (f"{node.name}.{ast.unparse(item.target)}" for item in numeric)


def is_registered(lines: list[str], line: int) -> bool:
    """Whether the comment of the line, or the one above it and its neighbours, tells the kind."""
    if KINDS.search(lines[line - 1]):
        return True
    above = line - 2
    while above >= 0 and lines[above].strip() and not lines[above].startswith("#"):
        above -= 1  # constants that share a comment
    while above >= 0 and lines[above].startswith("#"):
        if KINDS.search(lines[above]):
            return True
        above -= 1
    return False


def test_every_constant_is_registered_and_they_are_few() -> None:
    unregistered, number = [], 0
    for path in sorted(HOME.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        named = list(constants(tree))
        number += len(named) + len(list(fields(tree)))
        unregistered += [
            f"{path.relative_to(HOME)}:{line} {name}"
            for name, line in named
            if not is_registered(source.splitlines(), line)
        ]
    assert not unregistered, "\n".join(unregistered)
    assert number <= MOST


def test_the_register_sees_what_it_forbids() -> None:
    source = "#: derived: from the week\nDAYS, HOURS = 7, 24\n\n#: the number of days\nFAR = -1.5\n"
    lines = source.splitlines()
    named = dict(constants(ast.parse(source)))
    assert list(named) == ["DAYS", "HOURS", "FAR"]
    assert [is_registered(lines, line) for line in named.values()] == [True, True, False]
    table = "@dataclass\nclass A:\n    width: int = 3\n    share: int = 5\n    near: bool = True\n"
    assert list(fields(ast.parse(table))) == []
    assert len(list(fields(ast.parse(table.replace("bool = True", "float = 1 / 3"))))) == 3
