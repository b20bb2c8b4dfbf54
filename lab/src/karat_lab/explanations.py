"""Why a published figure lies outside our interval."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files


def why(name: str, quantity: str) -> str:
    """The first explanation whose experiment and pattern fit; empty if there is none."""
    for experiment, pattern, told in _known():
        if name.startswith(experiment) and re.search(pattern, quantity):
            return told
    return ""


def explanations(name: str, quantities: Iterable[str]) -> str:
    """Those of several figures, each once."""
    return " ".join(dict.fromkeys(filter(None, (why(name, one) for one in quantities))))


@cache
def _known() -> tuple[tuple[str, str, str], ...]:
    """Beginnings of names, patterns of quantities, sentences; the first that fits counts."""
    text = files(__package__).joinpath("explanations.csv").read_text("utf-8")
    return tuple((r["name"], r["quantity"], r["why"]) for r in csv.DictReader(text.splitlines()))
