"""Every optional package is in an extra, and an error names it as pip takes it."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest

import sortal

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: module -> the name of its package, where they differ
NAMES = {
    "sklearn": "scikit-learn",
    "Stemmer": "PyStemmer",
    "graspologic_native": "graspologic-native",
}


def packages(lines):
    return {line.split(">=")[0] for line in lines}


def imported():
    """Packages that the library imports, at the top of a file or within."""
    for path in sorted(Path(sortal.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                yield node.module.split(".")[0]
            elif isinstance(node, ast.Import):
                yield from (name.name.split(".")[0] for name in node.names)


def test_what_is_imported_is_a_dependency_or_in_an_extra():
    given = packages(PROJECT["dependencies"])
    for lines in PROJECT["optional-dependencies"].values():
        given |= packages(lines)
    given |= {name.replace("-", "_") for name in given}
    used = {NAMES.get(name, name) for name in imported()} - {*sys.stdlib_module_names, "sortal"}
    assert not used - given
    # nothing is installed that nobody imports
    assert not packages(PROJECT["dependencies"]) - used


def test_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    reason = "^edit distance needs rapidfuzz: pip install rapidfuzz, or "
    with pytest.raises(sortal.InputError, match=reason):
        sortal.distances.object_distances(["ab", "b"], "edit")
