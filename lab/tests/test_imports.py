"""The laboratory stands on what anybody may use."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import sortal
import sortal_lab

FILES = sorted(Path(sortal_lab.__file__).parent.rglob("*.py"))


def imported(source: str) -> Iterator[tuple[str, str]]:
    """Module and name of each import of sortal, those within functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sortal":
            yield from ((str(node.module), name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            yield from ((a.name, "") for a in node.names if a.name.split(".")[0] == "sortal")


def is_public(module: str, name: str) -> bool:
    """The rule: no underscore on the way, and in ``__all__`` where the module has one."""
    if any(part.startswith("_") for part in module.split(".")):
        return False
    if not name:
        return True
    home = import_module(module)
    if isinstance(getattr(home, name, None), types.ModuleType):
        return not name.startswith("_")
    listed = dir(sortal) if home is sortal else getattr(home, "__all__", None)
    return not name.startswith("_") and (listed is None or name in listed)


def test_the_laboratory_uses_public_names_only() -> None:
    private = {
        f"{path.name}: from {module} import {name}"
        for path in FILES
        for module, name in imported(path.read_text(encoding="utf-8"))
        if not is_public(module, name)
    }
    assert not private, "\n".join(sorted(private))


def test_the_rule_sees_what_it_forbids() -> None:
    source = """
import sortal._kernels.pairs
from sortal.runtime.validation import _InputError
def inside():
    from sortal.clusterers._catalogue import _REAL
    from sortal import _kernels
    from sortal.judge import load_judge
"""
    seen = {found: is_public(*found) for found in imported(source)}
    assert seen == {
        ("sortal._kernels.pairs", ""): False,
        ("sortal.runtime.validation", "_InputError"): False,
        ("sortal.clusterers._catalogue", "_REAL"): False,
        ("sortal", "_kernels"): False,
        ("sortal.judge", "load_judge"): True,
    }


#: of named tuples, and the trees of scikit-learn's boosting, which have no other name
PUBLIC = {"_asdict", "_predictors", "_baseline_prediction"}


def test_the_laboratory_reads_no_private_attribute_of_another() -> None:
    private = {
        f"{path.name}: {ast.unparse(node)}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in PUBLIC
        and ast.unparse(node.value) not in ("self", "cls")
    }
    assert not private
