"""What a sweep tries: clusterers × k × starts, each with a name and a seed of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.clusterers import Clusterer, as_clusterer, catalogue
from karat.study import work
from karat.study.identity import NoIdentityError, identity
from karat.study.store import Planned
from karat.validation import InputError


@dataclass(frozen=True)
class Swept:
    """A clusterer of a sweep, and how it is written in Python.

    ``expression`` is None where no text makes the same clusterer again.
    """

    clusterer: Clusterer
    expression: str | None
    imports: tuple[str, ...] = ()


def swept(given: Any) -> list[Swept]:
    """The clusterers that the argument of :meth:`Study.sweep` stands for."""
    pairs: list[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        pairs = [(str(name), value) for name, value in given.items()]
    else:
        several = given if isinstance(given, (list, tuple, set)) else [given]
        pairs = [(None, value) for value in several]
    chosen = []
    for name, value in pairs:
        clusterer = as_clusterer(value)
        if name is not None:
            clusterer = replace(clusterer, key=name)
        chosen.append(Swept(clusterer, *_written(value)))
    keys = [one.clusterer.key for one in chosen]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(
            f"two clusterers are called {twice!r}; name them: sweep({{'a': ..., 'b': ...}})"
        )
    return chosen


def check_counts(numbers: list[Any], n_init: Any, workers: Any) -> None:
    """Raise unless all are whole numbers of at least 1."""
    if not numbers:
        raise InputError("k is empty; name at least one number of clusters, e.g. range(2, 11)")
    for number in numbers:
        if not isinstance(number, (int, np.integer)) or number < 1:
            raise InputError(f"k must be whole numbers of clusters of at least 1; got {number!r}")
    for name, value in (("n_init", n_init), ("workers", 1 if workers is None else workers)):
        if not isinstance(value, (int, np.integer)) or value < 1:
            raise InputError(f"{name} must be a whole number of at least 1; got {value!r}")


def candidates_of(
    clusterer: Clusterer, numbers: Sequence[int], n_init: int, root: int
) -> list[Planned]:
    """What one clusterer tries; ``root`` is the seed that all seeds follow from."""
    by_k = clusterer.parameter == "n_clusters"
    label = "k" if by_k else clusterer.parameter
    out = []
    for value in numbers if by_k else clusterer.values:
        for start in range(n_init if clusterer.depends_on_seed else 1):
            name = f"{clusterer.key} {label}={value}"
            if clusterer.depends_on_seed:
                name += f" start={start}"
            seed = work.derived_seed(root, name)
            out.append(Planned(name, clusterer.key, clusterer.parameter, int(value), start, seed))
    return out


def _written(value: Any) -> tuple[str | None, tuple[str, ...]]:
    """Python for a clusterer and what it imports, checked by running it."""
    if isinstance(value, str):
        return repr(value), ()
    if isinstance(value, Clusterer):
        same = value.key in catalogue and catalogue[value.key] is value
        return (repr(value.key) if same else None), ()
    classes = {type(part) for part in _estimators(value)}
    scope: dict[str, Any] = {cls.__name__: cls for cls in classes} | {"array": np.array}
    if len(scope) <= len(classes) or any(cls.__module__ == "__main__" for cls in classes):
        return None, ()
    text = " ".join(_whole_repr(value).split())
    try:
        if identity(eval(text, dict(scope))) != identity(value):
            return None, ()
    except (NoIdentityError, SyntaxError, NameError, TypeError, ValueError, AttributeError):
        return None, ()
    imports = [f"from {_public(cls)} import {cls.__name__}" for cls in classes]
    if "array(" in text:
        imports.append("from numpy import array")
    return text, tuple(sorted(imports))


def _estimators(value: Any) -> Iterable[Any]:
    yield value
    if hasattr(value, "get_params"):
        parts = value.get_params(deep=True).values()
        yield from (part for part in parts if hasattr(part, "get_params"))


def _whole_repr(value: Any) -> str:
    from sklearn.base import BaseEstimator

    with np.printoptions(precision=17, floatmode="unique", threshold=1000):
        if isinstance(value, BaseEstimator):
            return str(value.__repr__(N_CHAR_MAX=10**9))
        return repr(value)


def _public(cls: type) -> str:
    """The package that exports a class which it keeps in a private module."""
    from importlib import import_module

    package = cls.__module__.partition("._")[0]
    exported = getattr(import_module(package), cls.__name__, None)
    return package if exported is cls else cls.__module__
