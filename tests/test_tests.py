"""The tests themselves: each checks something, and the ledger of planted faults is whole."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sortal

ROOT = Path(__file__).parents[1]
LEDGER = ROOT / ".ci" / "mutants.json"
#: checks that raise; a page of the gallery is a program, which fails by itself
CHECKS = ("assert", "check", "raises", "warns", "run_path", "run_page")


@cache
def files() -> tuple[tuple[Path, ast.Module], ...]:
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "lab" / "tests").rglob("*.py")]
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(paths))


@cache
def called(function: ast.FunctionDef) -> frozenset[str]:
    """Last parts of the names of what a function calls; "assert" if it asserts or raises."""
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            names.add(getattr(node.func, "attr", getattr(node.func, "id", "")))
        elif isinstance(node, ast.Assert | ast.Raise):
            names.add("assert")
    return frozenset(names)


def checking(function: ast.FunctionDef, helpers: set[str]) -> bool:
    """Whether a function asserts, or calls what does."""
    names = called(function)
    return not helpers.isdisjoint(names) or any(name.startswith(CHECKS) for name in names)


def test_every_test_checks_something() -> None:
    silent = []
    for path, tree in files():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        helpers: set[str] = set()
        for _ in range(3):  # helpers of helpers
            helpers |= {f.name for f in functions if f.name not in helpers and checking(f, helpers)}
        silent += [
            f"{path.relative_to(ROOT)}:{f.lineno} {f.name}"
            for f in functions
            if f.name.startswith("test_") and f.name not in helpers
        ]
    assert not silent, "\n".join(silent)


def test_every_skip_says_why() -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, tree in files()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and ".".join(chain(call.func)) in ("pytest.skip", "pytest.mark.skip", "pytest.mark.skipif")
        and not ((call.args and chain(call.func) == ["pytest", "skip"]) or call.keywords)
    ]
    assert not bare, bare


@pytest.mark.skipif(not LEDGER.exists(), reason="no faults are stored")
def test_the_ledger_counts_what_was_planted() -> None:
    entries = json.loads(LEDGER.read_text("utf-8"))
    library = ROOT / "src" / "sortal"
    rooms = {path.parent.name for path in library.glob("*/__init__.py")} | {"beside"}
    assert {entry["room"] for entry in entries} <= rooms
    for entry in entries:
        verdicts = entry["decided"] + len(entry["undecided"]) + entry["equivalent"]
        assert verdicts + entry.get("gone", 0) == entry["drawn"], entry["room"]
        assert len(entry["survivors"]) + len(entry["noticed_since"]) <= entry["decided"]


@cache
def public_names() -> frozenset[str]:
    return frozenset(dir(sortal))


def public(names: list[str]) -> bool:
    """Whether a chain of names that begins with sortal goes through public names."""
    if len(names) < 2 or names[1] not in public_names():
        return len(names) < 2
    room = getattr(sortal, names[1])
    listed = getattr(room, "__all__", dir(room))
    return not inspect.ismodule(room) or len(names) < 3 or names[2] in listed


def chain(node: ast.expr) -> list[str]:
    """The names of ``a.b.c``; none where it does not begin with a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def private_names(tree: ast.Module) -> Iterator[str]:
    """Names of sortal that a file with values uses, and that are not public."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    rooms = {a.asname or a.name: a.name for n in imports if n.module == "sortal" for a in n.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sortal":
            names = [[*(node.module or "").split("."), alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            names = [chain(node)] if isinstance(node, ast.Attribute) else []
            names = [
                ["sortal", rooms[x[0]], *x[1:]] if x[:1] and x[0] in rooms else x for x in names
            ]
        yield from (".".join(one) for one in names if one[:1] == ["sortal"] and not public(one))
        if isinstance(node, ast.Constant) and str(node.value).startswith("sortal."):
            yield from [node.value] * (not public(node.value.split(".")))


def test_no_test_evaluates_strings() -> None:
    # pages of the documentation are programs, which exec runs
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, tree in files()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and chain(call.func) == ["eval"]
    ]
    assert not found, found


def test_values_are_reached_through_public_names() -> None:
    tables = [(path, tree) for path, tree in files() if path.name.endswith("_values.py")]
    assert len(tables) > 10
    # the names of kernels are a contract
    found = {
        str(path.relative_to(ROOT)): sorted(set(private_names(tree)))
        for path, tree in tables
        if path.parent.name != "_kernels"
    }
    assert not any(found.values()), found


def test_the_rule_sees_private_names() -> None:
    code = (
        "import sortal.bounds.a\nfrom sortal.bounds import b, b_max\nsortal.bounds.c\n"
        "from sortal import bounds\nbounds.d\nbounds.b_max\n'sortal.bounds.e'"
    )
    found = [f"sortal.bounds.{name}" for name in "abcde"]
    assert sorted(private_names(ast.parse(code))) == found
