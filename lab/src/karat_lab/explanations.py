"""Explanations for published figures outside our intervals."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files


def why(name: str, quantity: str) -> str:
    """First explanation that matches an experiment and a quantity, or an empty string."""
    for experiment, pattern, explanation in _known():
        if name.startswith(experiment) and re.search(pattern, quantity):
            return explanation
    return ""


def explanations(name: str, quantities: Iterable[str]) -> str:
    """Explanations for several figures, each once."""
    return " ".join(dict.fromkeys(filter(None, (why(name, quantity) for quantity in quantities))))


@cache
def _known() -> tuple[tuple[str, str, str], ...]:
    """Beginnings of names, patterns of quantities, sentences; the first that fits counts."""
    text = files(__package__).joinpath("explanations.csv").read_text("utf-8")
    return tuple((r["name"], r["quantity"], r["why"]) for r in csv.DictReader(text.splitlines()))
