"""Expressions over the names of a room, private ones too, and the answers they had.

They notice faults that a test by public names does not meet, and nothing else: a name that moves
takes its cases with it. ``python .ci/cases/pinning.py`` writes every answer anew, or those of the
rooms that it is given. It drops a case whose names are gone, and says so.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import resolve_name, walk_packages
from typing import Any

CASES = Path(__file__).resolve().parent
ROOT = CASES.parents[1]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / part) for part in ("src", "lab/src", "tests", ".ci/cases")]

import numpy as np
import pandas as pd
import pytest

from values import attempt, difference, fails, plain, same, skip_for_other_releases

tried = attempt
#: what an answer says where a name of sortal is gone
GONE = re.compile(r"(?:module|type object|cannot import name) .*sortal.* has no attribute")


class Pins:
    """Values of expressions; a file beside the cases keeps them, one on a line.

    Expressions may use what ``names`` gives, the modules of the room (``sortal.stability`` for cases
    in ``.ci/cases/stability``) and ``fails``, ``tried``, ``patched`` and ``seen``. An error is an
    answer. A new expression is a line of the file with the answer null.
    """

    every: dict[Path, Pins]

    def __init__(self, file: str, names: Callable[[], dict[str, Any]], room: str = "") -> None:
        self.file = Path(file).with_suffix(".json")
        folder = self.file.resolve().parent
        self.room = room or ("" if folder == CASES else folder.name)
        self.names = cache(lambda: {**self.modules(), **names()})
        Pins.every[self.file] = self

    def test(self) -> Callable[[str], None]:
        """A test of every expression."""

        @pytest.mark.parametrize("expression", self.kept)
        def test_the_answer_is_the_pinned_one(expression: str) -> None:
            skip_for_other_releases()
            text = difference(self.value(expression), self.kept[expression])
            assert not text, text

        return test_the_answer_is_the_pinned_one

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What each expression gave when the file was written."""
        kept: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
        return kept

    def modules(self) -> dict[str, Any]:
        """The room's modules by their names, and what every expression may use."""
        shared = {
            "sortal": import_module("sortal"), "np": np, "pd": pd, "nan": np.nan,
            "fails": fails, "tried": tried, "patched": self.patched, "seen": self.seen,
        }  # fmt: skip
        if not self.room:
            return shared
        package = import_module(f"sortal.{self.room}")
        paths = [one.name for one in walk_packages(package.__path__, f"sortal.{self.room}.")]
        paths.sort(key=lambda path: -path.count("."))  # of two of one name the outer one counts
        modules = {path.rsplit(".", 1)[1]: import_module(path) for path in paths}
        return {**shared, self.room: package, **modules}

    def value(self, expression: str) -> Any:
        """What an expression gives today, or its error."""
        return attempt(lambda: plain(eval(expression, {**self.names()})))

    def patched(self, name: str, value: Any, work: Callable[[], Any]) -> Any:
        """What some work gives while a name of the room's modules has another value."""
        module, attribute = f"sortal.{self.room}.{name}".rsplit(".", 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(resolve_name(module), attribute, value)
            return work()

    def seen(
        self, name: str, work: Callable[[], Any], then: Callable[..., Any] | None = None
    ) -> Any:
        """What a function of the room is called with while some work is done, and what that gives.

        Of arguments that are no numbers or texts the shapes or types are seen. ``then`` is called
        in place of the function.
        """
        calls = []
        instead = then or resolve_name(f"sortal.{self.room}.{name}")

        def spy(*arguments: Any, **options: Any) -> Any:
            calls.append([brief(one) for one in (*arguments, *options.items())])
            return instead(*arguments, **options)

        return [calls, self.patched(name, spy, work)]

    def write(self) -> Iterator[str]:
        """Keep what the expressions give today, where that differs; the cases that are gone."""
        rows = []
        for expression, old in self.kept.items():
            try:
                answer = self.value(expression)
            except (Exception, pytest.fail.Exception) as error:
                yield f"dropped, {type(error).__name__}: {error}: {expression}"
                continue
            if isinstance(answer, str) and GONE.search(answer):
                yield f"dropped, {answer}: {expression}"
                continue
            answer = old if same(answer, old) else answer
            rows.append(f"{json.dumps(expression)}: {json.dumps(answer, ensure_ascii=False)}")
        self.file.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


Pins.every = {}


def brief(value: Any) -> Any:
    """A number, a text or a few of them; of anything else the shape or type."""
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, tuple | list | range) and len(value) < 10:
        return [brief(one) for one in value]
    if isinstance(value, bool | int | float | str | None | np.generic):
        return value
    if isinstance(value, np.ndarray) and value.size < 10:
        return value
    return getattr(value, "shape", type(value).__name__)


def without_gone_imports(file: Path) -> Iterator[str]:
    """Give names that sortal has no more the value None; which these are."""
    text = file.read_text("utf-8")
    rows = text.splitlines()
    for node in reversed(ast.parse(text).body):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("sortal"):
            continue
        gone = [alias for alias in node.names if not importable(node.module or "", alias.name)]
        if gone:
            names = [ast.unparse(alias) for alias in node.names if alias not in gone]
            new = [f"from {node.module} import {', '.join(names)}"] if names else []
            new += [f"{alias.asname or alias.name}: Any = None" for alias in gone]
            rows[node.lineno - 1 : node.end_lineno] = new
            yield from (f"gone: {node.module}.{alias.name}" for alias in gone)
    file.write_text("\n".join(rows) + "\n", "utf-8")


def importable(module: str, name: str) -> bool:
    """Whether a module has a name, or a module of that name inside."""
    try:
        resolve_name(f"{module}:{name}")
    except (ImportError, AttributeError):
        try:
            import_module(f"{module}.{name}")
        except ImportError:
            return False
    return True


def rewrite(rooms: list[str]) -> None:
    """Write the answers of these rooms anew, or all; say what was dropped, and what fails."""
    pinning = import_module("pinning")  # the one that the files import
    for file in sorted(CASES.rglob("test_*_pinned.py")):
        if rooms and not any(room in (file.parent.name, file.stem) for room in rooms):
            continue
        for note in without_gone_imports(file):
            print(f"{file.relative_to(ROOT)}: {note}", flush=True)
        spec = spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        try:
            sys.modules[file.stem] = module
            spec.loader.exec_module(module)
            pins = pinning.Pins.every[file.with_suffix(".json")]
            pins.names()
        except Exception as error:
            print(f"{file.relative_to(ROOT)}: its fixtures fail, mend them: {error!r}", flush=True)
            continue
        for note in pins.write():
            print(f"{file.relative_to(ROOT)}: {note}", flush=True)


if __name__ == "__main__":
    rewrite(sys.argv[1:])
