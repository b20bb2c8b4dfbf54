"""Tables of values: what public functions give for small inputs, so that none changes unseen.

A test file has ``CASES``, functions by the name of what they call, and their values stand in a
JSON file beside it. The parameters of a case are names of what ``fixtures()`` gives. An error is a
value. ``python tests/values.py tests/bounds/test_bounds_values.py`` writes that table anew; where
no file is named, every table.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

HERE = Path(__file__).parent
CONSTRAINTS = HERE.parent / "constraints.txt"
#: relative difference that other processors make
TOLERANCE = 1e-6

Cases = dict[str, list[Callable[..., Any]]]
Fixtures = Callable[[], dict[str, Any]]


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return plain(value.reset_index().to_numpy())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if np.isnan(value) else float(f"{value:.9g}")
    if isinstance(value, bool | int | str | None):
        return value
    return plain(vars(value)) if hasattr(value, "__dict__") else str(value)


def same(ours: Any, stored: Any) -> bool:
    """Whether two plain values agree, numbers up to TOLERANCE."""
    return not difference(ours, stored)


def difference(ours: Any, stored: Any) -> str:
    """The first place in which two plain values differ by more than TOLERANCE; "" if none."""
    if isinstance(ours, dict) and isinstance(stored, dict) and ours.keys() == stored.keys():
        pairs = [(key, ours[key], stored[key]) for key in ours]
    elif isinstance(ours, list) and isinstance(stored, list) and len(ours) == len(stored):
        pairs = list(zip(range(len(ours)), ours, stored, strict=True))
    else:
        near = isinstance(ours, float) or isinstance(stored, float)
        if ours == (pytest.approx(stored, rel=TOLERANCE, abs=1e-9) if near else stored):
            return ""
        return f": {ours!r} instead of {stored!r}"
    inside = ((key, difference(*values)) for key, *values in pairs)
    return next((f"[{key!r}]{text}" for key, text in inside if text), "")


def attempt(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
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


def skip_for_other_releases(*packages: str) -> None:
    """Skip where packages that decide values are not those of constraints.txt."""
    wanted = dict(re.findall(r"^([\w-]+)==(\S+)", CONSTRAINTS.read_text("utf-8"), re.MULTILINE))
    decide = ("numpy", "scipy", "scikit-learn", "scikit_learn", *packages)
    differing = [name for name in decide if name in wanted and version(name) != wanted[name]]
    if differing:
        pytest.skip(f"the values are those of other releases of {', '.join(differing)}")


def values_of(cases: list[Callable[..., Any]], fixtures: Fixtures) -> list[Any]:
    """What each case gives."""
    return [
        attempt(lambda: plain(case(*(fixtures()[name] for name in inspect.signature(case).parameters))))  # noqa: B023, E501
        for case in cases
    ]  # fmt: skip


def table_test(file: str, cases: Cases, fixtures: Fixtures = dict) -> Callable[[str], None]:
    """A test of each group of cases against the table beside a file."""
    table = Path(file).with_suffix(".json")
    fixtures = cache(fixtures)

    @pytest.mark.parametrize("group", cases)
    def test_values_are_those_of_the_table(group: str) -> None:
        skip_for_other_releases("plotly")
        stored = json.loads(table.read_text("utf-8"))
        assert stored.keys() == cases.keys(), "python tests/values.py writes the table anew"
        assert len(stored[group]) == len(cases[group]), "python tests/values.py writes it anew"
        assert not (text := difference(values_of(cases[group], fixtures), stored[group])), text

    return test_values_are_those_of_the_table


def write(file: Path) -> None:
    """Write the table of a test file; a value that is the same up to TOLERANCE stays."""
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    table = file.with_suffix(".json")
    stored = json.loads(table.read_text("utf-8")) if table.exists() else {}
    fixtures = cache(getattr(module, "fixtures", dict))
    groups = []
    for group, cases in module.CASES.items():
        rows = values_of(cases, fixtures)
        old = stored.get(group, [])
        if len(old) == len(rows):
            rows = [was if same(now, was) else now for now, was in zip(rows, old, strict=True)]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        groups.append(f"{json.dumps(group)}: [\n{lines}\n]")
    table.write_text("{\n" + ",\n".join(groups) + "\n}\n", "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(map(str, HERE.rglob("test_*_values.py"))):
        write(Path(name))
