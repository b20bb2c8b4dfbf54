"""Shared parts of the measures' docstrings, written once and inserted by ``define``.

A measure documents only what is specific to it. Missing parameters, the return type and the cited
works are added in numpydoc's order.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from sortal.measures.bibliography import Reference

F = TypeVar("F", bound=Callable[..., Any])

_NOISE_ENTRY = 'noise : {"error", "cluster", "singletons", "drop"}\n    What the label -1 means.'
_WEIGHT = (
    "sample_weight : array-like, shape (n,), optional\n"
    "    Object weights (frequencies); 0 excludes the object."
)
#: default description of each shared parameter
SHARED = {
    "labels_true": "labels_true, labels_pred : array-like, shape (n,)\n    The gold standard and "
    "the clustering; or one :class:`~sortal.ContingencyTable` as\n    ``labels_true`` alone.",
    "labels_pred": "",
    "X": 'X : array-like or sparse, shape (n, d), or (n, n) with ``metric="precomputed"``',
    "labels": "labels : array-like, shape (n,)",
    "metric": "metric : str or callable\n    A distance, see :data:`sortal.distances.METRICS`.",
    "beta": "beta : float\n    Weight of recall relative to precision.",
    "noise": _NOISE_ENTRY,
    "sample_weight": _WEIGHT,
    "graph": "graph : array-like or sparse, shape (n, n)\n    Symmetric weights of the edges, not "
    "negative; loops (the diagonal) are ignored.",
}
#: of measures without ``metric``
_FEATURES = "X : array-like or sparse, shape (n, d)"
_ORDER = ("Parameters", "Returns", "Raises", "Warns", "See Also", "Notes", "References", "Examples")
_SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.M)


def cite(*references: Reference | str) -> Callable[[F], F]:
    """A decorator that completes a docstring and cites ``"key place"`` or references."""

    def add(function: F) -> F:
        complete(function, [Reference.of(reference) for reference in references])
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
    """Add shared parameters and cited works to a function's docstring.

    ``returns`` describes the value, ``undefined`` the inputs without one, and ``cost`` the time;
    each is added only if the docstring lacks it.
    """
    head, sections = split(inspect.cleandoc(function.__doc__ or ""))
    names = list(inspect.signature(function).parameters)
    entries = _entries(sections.get("Parameters", ""))
    headers = [re.split(r"\s*,\s*", re.split(r"\s*:|\n", entry)[0]) for entry in entries]
    written = {name for header in headers for name in header}
    of_name = {header[0]: entry for header, entry in zip(headers, entries, strict=True)}
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
    if examples and function.__module__.startswith("sortal.") and f"import {name}" not in examples:
        sections["Examples"] = f">>> from sortal import {name}\n{examples}"
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
    """Text before the first section of a docstring, and the sections by name."""
    titles = list(_SECTION.finditer(doc))
    ends = [*(title.start() for title in titles[1:]), len(doc)][: len(titles)]
    sections = {
        title[1]: doc[title.end() : end].strip("\n")
        for title, end in zip(titles, ends, strict=True)
    }
    return doc[: titles[0].start() if titles else len(doc)].strip(), sections


def _entries(parameters: str) -> list[str]:
    """Entries of a section of parameters, one for each parameter or group."""
    return re.split(r"\n(?=\S)", parameters) if parameters else []


def meaning_of(range: tuple[float, float], *, greater_is_better: bool) -> str:
    """The range and the direction of a measure, in a sentence."""
    low, high = range
    if math.isfinite(low) and math.isfinite(high):
        where = f"Between {low:g} and {high:g}".replace("-", "−")
    elif low == 0:
        where = "Not negative"
    else:
        bounds = {"From": low, "At most": high}
        sides = [f"{word} {bound:g}" for word, bound in bounds.items() if math.isfinite(bound)]
        where = sides[0] if sides else "Without bounds"
    return f"{where}; {'greater' if greater_is_better else 'lower'} is better."
