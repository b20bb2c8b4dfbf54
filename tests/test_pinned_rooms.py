"""Pinned answers of the parts of rooms to small chosen inputs, errors and sentences among them.

``tests/answers`` has for each room the expressions with their answers, one a line, and the names
that they may use beside those of the room's modules. ``python tests/test_pinned_rooms.py bounds``
computes the answers of a room anew; a new expression begins with the answer null.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from pinning import plain, same, skip_for_other_releases

FOLDER = Path(__file__).with_name("answers")
PINNED = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


@cache
def names(room: str) -> dict[str, Any]:
    """What the expressions of a room may use."""
    package = import_module(f"karat.{room}")
    parts = [one.name for one in iter_modules(package.__path__)]
    modules = {part: import_module(f"karat.{room}.{part}") for part in parts}
    own = import_module(f"answers.{room}").names()
    return {"karat": karat, "np": np, "pd": pd, "nan": np.nan, room: package, **modules, **own}


def answer(room: str, expression: str) -> Any:
    """The value of an expression, or its error."""
    try:
        return plain(eval(expression, dict(names(room))))
    except (ValueError, TypeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("room", "expression"), [(r, one) for r in PINNED for one in PINNED[r]])
def test_the_answer_is_the_pinned_one(room: str, expression: str) -> None:
    skip_for_other_releases()
    assert same(answer(room, expression), PINNED[room][expression])


if __name__ == "__main__":
    for room in sys.argv[1:] or PINNED:
        rows = (f"{json.dumps(one)}: {json.dumps(answer(room, one))}" for one in PINNED[room])
        (FOLDER / f"{room}.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
