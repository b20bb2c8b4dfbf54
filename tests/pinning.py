"""Answers as JSON has them, and whether two are the same up to what other processors make."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import resolve_name, walk_packages
from typing import Any

import numpy as np
import pandas as pd
import pytest

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"
#: relative difference that other processors make
TOLERANCE = 1e-6


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return plain(value.reset_index().to_numpy())
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if np.isnan(value) else float(f"{value:.9g}")
    if isinstance(value, bool | int | str | None):
        return value
    return plain(vars(value)) if hasattr(value, "__dict__") else str(value)


def same(ours: Any, kept: Any) -> bool:
    """Whether two plain values agree, numbers up to TOLERANCE."""
    return not difference(ours, kept)


def difference(ours: Any, kept: Any) -> str:
    """The first place in which two plain values differ by more than TOLERANCE; "" if none."""
    if isinstance(ours, dict) and isinstance(kept, dict) and ours.keys() == kept.keys():
        pairs = [(key, ours[key], kept[key]) for key in ours]
    elif isinstance(ours, list) and isinstance(kept, list) and len(ours) == len(kept):
        pairs = list(zip(range(len(ours)), ours, kept, strict=True))
    else:
        near = isinstance(ours, float) or isinstance(kept, float)
        if ours == (pytest.approx(kept, rel=TOLERANCE, abs=1e-9) if near else kept):
            return ""
        return f": {ours!r} instead of {kept!r}"
    inside = ((key, difference(one, other)) for key, one, other in pairs)
    return next((f"[{key!r}]{found}" for key, found in inside if found), "")


def skip_for_other_releases(*packages: str) -> None:
    """Skip where packages that decide answers are not those of constraints.txt."""
    wanted = dict(re.findall(r"^([\w-]+)==(\S+)", CONSTRAINTS.read_text("utf-8"), re.MULTILINE))
    decide = ("numpy", "scipy", "scikit-learn", "scikit_learn", *packages)
    other = [name for name in decide if name in wanted and version(name) != wanted[name]]
    if other:
        pytest.skip(f"the answers are those of other releases of {', '.join(other)}")


class Pins:
    """Values of expressions; a file beside the test keeps them, one on a line.

    Expressions may use what ``names`` gives, the modules of the room (``karat.stability`` for a
    test in ``tests/stability``) and ``fails``, ``tried``, ``patched`` and ``seen``. An error is an
    answer. A new expression is a line of the file with the answer null. The test, run as a program
    with ``PYTHONPATH=tests``, writes every answer anew.
    """

    def __init__(self, test: str, names: Callable[[], dict[str, Any]], room: str = "") -> None:
        self.file = Path(test).with_suffix(".json")
        self.room = room or self.file.parent.name
        self.written = names.__module__ == "__main__"
        self.names = cache(lambda: {**self.modules(), **names()})

    def test(self) -> Callable[[str], None]:
        """A test of every expression; where its file runs as a program, it writes the answers."""
        if self.written:
            self.write()

        @pytest.mark.parametrize("expression", self.kept)
        def test_the_answer_is_the_pinned_one(expression: str) -> None:
            skip_for_other_releases()
            assert not (found := difference(self.value(expression), self.kept[expression])), found

        return test_the_answer_is_the_pinned_one

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What each expression gave when the file was written."""
        kept: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
        return kept

    def modules(self) -> dict[str, Any]:
        """The room's modules by their names, and what every expression may use."""
        shared = {
            "karat": import_module("karat"), "np": np, "pd": pd, "nan": np.nan,
            "fails": fails, "tried": tried, "patched": self.patched, "seen": self.seen,
        }  # fmt: skip
        if self.room == "tests":
            return shared
        package = import_module(f"karat.{self.room}")
        paths = [one.name for one in walk_packages(package.__path__, f"karat.{self.room}.")]
        paths.sort(key=lambda path: -path.count("."))  # of two of one name the outer one counts
        modules = {path.rsplit(".", 1)[1]: import_module(path) for path in paths}
        return {**shared, self.room: package, **modules}

    def value(self, expression: str) -> Any:
        """What an expression gives today, or its error."""
        return tried(lambda: plain(eval(expression, {**self.names()})))

    def patched(self, name: str, value: Any, work: Callable[[], Any]) -> Any:
        """What some work gives while a name of the room's modules has another value."""
        module, attribute = f"karat.{self.room}.{name}".rsplit(".", 1)
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
        instead = then or resolve_name(f"karat.{self.room}.{name}")

        def spy(*arguments: Any, **options: Any) -> Any:
            calls.append([brief(one) for one in (*arguments, *options.items())])
            return instead(*arguments, **options)

        return [calls, self.patched(name, spy, work)]

    def write(self) -> None:
        """Keep what the expressions give today, where that is not the same as before."""
        answers = {one: self.value(one) for one in self.kept}
        answers |= {one: old for one, old in self.kept.items() if same(answers[one], old)}
        rows = (
            f"{json.dumps(one)}: {json.dumps(answer, ensure_ascii=False)}"
            for one, answer in answers.items()
        )
        self.file.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


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


def tried(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


def fails(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    """What a call raises, with its message."""
    with pytest.raises(Exception) as caught:
        function(*arguments, **options)
    return f"{type(caught.value).__name__}: {caught.value}"
