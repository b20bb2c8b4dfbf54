"""The plan of the house: few rooms, few arrows between them, and nothing private taken across.

The order of the rooms is held by import-linter (``[tool.importlinter]`` in pyproject.toml).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import karat

HOME = Path(karat.__file__).parent
ROOMS, ARROWS = 24, 120


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name of each import of karat in a file, function-local ones too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("karat."):
            for one in node.names:
                yield node.module or "", one.name


@cache
def edges() -> frozenset[tuple[str, str, str, str]]:
    """Room and file that imports, module and name that is imported from another room."""
    found = set()
    for path in HOME.rglob("*.py"):
        parts = path.relative_to(HOME).with_suffix("").parts
        for module, name in imports(path):
            room = module.split(".")[1]
            if room != parts[0] and parts[0] != "__init__":
                found.add((parts[0], "/".join(parts), module, name))
    return frozenset(found)


def test_few_rooms_and_few_arrows() -> None:
    rooms = {path.stem for path in HOME.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert len(rooms - {"__pycache__"}) <= ROOMS
    assert len({(room, module.split(".")[1]) for room, _, module, _ in edges()}) <= ARROWS


def test_nothing_private_is_taken_across_rooms() -> None:
    private = [
        f"{file} takes {module}.{name}"
        for room, file, module, name in edges()
        if module.split(".")[1] != "_kernels"
        and ((name.startswith("_") and not name.endswith("__")) or "._" in module)
    ]
    assert not private, "\n".join(sorted(private))
