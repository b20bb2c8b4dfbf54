"""Docstrings of measures: what they share is written once, here, and put in by ``define``.

A measure documents what is its own. Parameters it does not mention, the type it returns, and the
works it cites are added in the order that numpydoc wants.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from karat.measures.bibliography import Reference

F = TypeVar("F", bound=Callable[..., Any])

_NOISE = 'noise : {"error", "cluster", "singletons", "drop"}\n    What the label -1 means.'
_WEIGHT = (
    "sample_weight : array-like, shape (n,), optional\n"
    "    Object weights (frequencies); 0 excludes the object."
)
#: what a parameter of this name is, wherever a measure does not say otherwise
SHARED = {
    "labels_true": "labels_true, labels_pred : array-like, shape (n,)\n    The gold standard and "
    "the clustering; or one :class:`~karat.ContingencyTable` as\n    ``labels_true`` alone.",
    "labels_pred": "",
    "X": 'X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``',
    "labels": "labels : array-like, shape (n,)",
    "metric": "metric : str or callable\n    A distance, see :data:`karat.distances.METRICS`.",
    "noise": _NOISE,
    "sample_weight": _WEIGHT,
    "graph": "graph : array-like or sparse, shape (n, n)\n    Symmetric weights of the edges, not "
    "negative; loops (the diagonal) are ignored.",
}
#: of measures without ``metric``
_FEATURES = "X : array-like or sparse, shape (n, d)"
_ORDER = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")
_SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.M)


def cite(*references: Reference | str) -> Callable[[F], F]:
    """A decorator that completes a function's docstring; it cites ``"key place"`` or references."""

    def add(function: F) -> F:
        complete(function, [Reference.of(one) for one in references])
        return function

    return add


def complete(
    function: Callable[..., Any],
    references: Iterable[Reference] = (),
    *,
    returns: str = "",
    undefined: str = "",
    cost: str = "",
) -> None:
    """Add to a function's docstring what it shares with others, and the works that it cites.

    Where the docstring does not, ``returns`` says what a float means, ``undefined`` when there is
    none, and ``cost`` what it takes.
    """
    head, sections = split(inspect.cleandoc(function.__doc__ or ""))
    names = list(inspect.signature(function).parameters)
    entries = _entries(sections.get("Parameters", ""))
    written = {name.strip() for entry in entries for name in entry.partition(":")[0].split(",")}
    written |= {name.strip() for entry in entries for name in entry.split("\n")[0].split(",")}
    of_name = {one.partition(":")[0].split(",")[0].strip(): one for one in entries}
    listed = []
    for name in names:
        if name in of_name:
            listed.append(of_name[name])
        elif name not in written and SHARED.get(name):
            plain = name == "X" and "metric" not in names
            listed.append(_FEATURES if plain else SHARED[name])
    if listed:
        sections["Parameters"] = "\n".join(listed)
    if inspect.signature(function).return_annotation in (float, "float"):
        sections.setdefault("Returns", "float" + f"\n    {returns}" * bool(returns))
    if undefined:
        sections.setdefault("Raises", f"UndefinedMeasureError\n    {undefined}")
    notes = sections.get("Notes", "")
    if cost and "O(" not in notes:
        sections["Notes"] = f"{notes}\n\n{cost} time.".strip()
    name, examples = function.__name__, sections.get("Examples", "")
    if examples and function.__module__.startswith("karat.") and f"import {name}" not in examples:
        sections["Examples"] = f">>> from karat import {name}\n{examples}"
    works = [
        textwrap.fill(f"* {reference.full}", 95, subsequent_indent="  ") for reference in references
    ]
    if works:
        sections.setdefault("References", "\n".join(works))
    parts = [head] + [
        f"{name}\n{'-' * len(name)}\n{sections[name]}" for name in _ORDER if name in sections
    ]
    function.__doc__ = "\n\n".join(parts) + "\n"


def split(doc: str) -> tuple[str, dict[str, str]]:
    """The text before the first section of a docstring, and its sections by name."""
    found = list(_SECTION.finditer(doc))
    ends = [*(one.start() for one in found[1:]), len(doc)][: len(found)]
    sections = {
        one[1]: doc[one.end() : end].strip("\n") for one, end in zip(found, ends, strict=True)
    }
    return doc[: found[0].start() if found else len(doc)].strip(), sections


def _entries(parameters: str) -> list[str]:
    return re.split(r"\n(?=\S)", parameters) if parameters else []


def meaning_of(range: tuple[float, float], greater_is_better: bool) -> str:
    """Where values lie and which are better, in a sentence."""
    low, high = range
    if math.isfinite(low) and math.isfinite(high):
        where = f"Between {low:g} and {high:g}".replace("-", "−")
    elif low == 0:
        where = "Not negative"
    else:
        bounds = {"From": low, "At most": high}
        known = [f"{word} {bound:g}" for word, bound in bounds.items() if math.isfinite(bound)]
        where = known[0] if known else "Without bounds"
    return f"{where}; {'greater' if greater_is_better else 'lower'} is better."
