"""The laboratory reads no private attribute (imports: ``tests/test_public_surface.py``)."""

from __future__ import annotations

import ast
from pathlib import Path

import sortal_lab

FILES = sorted(Path(sortal_lab.__file__).parent.rglob("*.py"))
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
