"""Tests, laboratory, benchmarks and documentation reach sortal through its public names only.

A public name is one of ``sortal`` (``__init__.pyi``), or stands in the ``__all__`` of a room: the
page "Names by room" of the reference lists them (``docs/rooms.py``).
``python tests/test_public_surface.py [FOLDER ...]`` prints the private imports that are left.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import sortal

ROOT = Path(__file__).parents[1]
#: tests that still reach private names; the list may only shrink
PRIVATE_TESTS: tuple[str, ...] = (
    "tests/datasets/test_datasets_bad_input.py",
    "tests/datasets/test_mapped.py",
    "tests/hostile/test_labels_and_guarantee.py",
    "tests/model/test_estimator.py",
    "tests/runtime/test_executors.py",
    "tests/study/test_anndata.py",
    "tests/study/test_answer.py",
    "tests/study/test_constraints.py",
    "tests/study/test_executors.py",
    "tests/study/test_large.py",
    "tests/study/test_stability.py",
    "tests/study/test_store.py",
    "tests/test_cli.py",
    "tests/test_cli_input.py",
    "tests/test_compare_parquet.py",
    "tests/labelings/test_row_join.py",
    "tests/test_outputs.py",
    "tests/test_peers.py",
    "tests/test_plot_figures.py",
)


@cache
def rooms_page() -> ModuleType:
    """The module that writes the page of the reference."""
    spec = spec_from_file_location("docs_rooms", ROOT / "docs" / "rooms.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def public_names() -> frozenset[str]:
    """Every public name with its module, and the modules that have some."""
    rooms: dict[str, tuple[str, ...]] = rooms_page().rooms()
    names = {f"{room}.{name}" for room, listed in rooms.items() for name in listed}
    names |= {f"sortal.{name}" for name in dir(sortal)}
    names |= {f"sortal.measures.{name}" for name in sortal.measures.__all__}
    return frozenset(names | set(rooms) | {"sortal"})


def private_imports(source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of each import of sortal that is no public name."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "sortal" and name not in public_names():
                yield node.lineno, name  # type: ignore[attr-defined]


def private_patches(source: str) -> Iterator[tuple[int, str]]:
    """Line and target of each patch of a private name by its path."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            target = node.args[0]
            if node.func.attr in ("setattr", "patch") and isinstance(target, ast.Constant):
                name = str(target.value)
                if name.startswith("sortal.") and name not in public_names():
                    yield node.lineno, name


def private_uses(path: Path) -> list[str]:
    """Private names that a file imports or patches, each with its place."""
    source = path.read_text(encoding="utf-8")
    uses = [*private_imports(source), *private_patches(source)]
    return [f"{path.relative_to(ROOT)}:{line} {name}" for line, name in sorted(uses)]


def files(folder: str) -> list[Path]:
    """The Python files of a folder."""
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", ["lab", "benchmarks", "examples"])
def test_code_beside_the_library_uses_public_names_only(folder: str) -> None:
    private = [use for path in files(folder) for use in private_uses(path)]
    assert not private, "\n".join(private)


def code_blocks(page: Path) -> Iterator[str]:
    """Python of a page: fenced blocks of Markdown, blocks and examples of reStructuredText."""
    text = page.read_text(encoding="utf-8")
    yield from re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    prompts = re.findall(r"^ *(?:>>>|\.\.\.) ?(.*)$", text, flags=re.MULTILINE)
    yield "\n".join(line for line in prompts if re.match(r"(from|import) ", line))
    for block in re.findall(r"\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text):
        yield "\n".join(line[3:] for line in block.splitlines())


PAGES = [*sorted((ROOT / "docs").glob("*.rst")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_use_public_names_only(page: Path) -> None:
    private = [name for block in code_blocks(page) for _, name in private_imports(block)]
    assert not private


def test_tests_use_public_names_only() -> None:
    using = {
        path.relative_to(ROOT).as_posix(): uses
        for path in files("tests")
        if "_kernels" not in path.parts and (uses := private_uses(path))
    }
    further = [use for path, uses in using.items() if path not in PRIVATE_TESTS for use in uses]
    assert not further, "\n".join(further)
    clean = sorted(set(PRIVATE_TESTS) - set(using))
    assert not clean, f"remove from PRIVATE_TESTS: {', '.join(clean)}"


def test_every_public_name_is_documented_and_in_the_reference() -> None:
    page = rooms_page()
    text = page.reference()
    for room, names in page.rooms().items():
        section = text.partition(f"\n{room}\n---")[2].partition("\n\nsortal.")[0]
        for name in names:
            assert re.search(rf"^ *(?:- ``)?{name}\b", section, flags=re.MULTILINE), (
                f"{room}.{name}"
            )
    bare = [
        f"{room}.{name}"
        for room, names in page.rooms().items()
        for name in names
        if not page.is_documented(room, name)
    ]
    assert not bare


def test_private_uses_are_seen() -> None:
    source = """
import sortal._kernels.pairs
from sortal import Study, _kernels
from sortal.judge import load_judge
from sortal.runtime.validation import InputError
monkeypatch.setattr("sortal.study.sweep.run", None)
"""
    found = [name for _, name in [*private_imports(source), *private_patches(source)]]
    assert found == [
        "sortal._kernels.pairs",
        "sortal._kernels",
        "sortal.runtime.validation.InputError",
        "sortal.study.sweep.run",
    ]


if __name__ == "__main__":
    for folder in sys.argv[1:] or ("tests", "lab", "benchmarks", "examples"):
        for path in files(folder):
            print(*private_uses(path), sep="\n", end="\n" * bool(private_uses(path)))
