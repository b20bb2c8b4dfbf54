"""The request of a sweep: clusterers × k × starts, each with its own name and seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal.clusterers import Clusterer, as_clusterer, catalogue
from sortal.runtime.validation import InputError, unknown_name
from sortal.study.jobs import derived_seed
from sortal.study.store import Planned

if TYPE_CHECKING:
    from sortal.typing import Estimator

#: numbers of clusters that are tried of any data
NUMBERS = range(2, 11)
#: parameter -> values
Grid: TypeAlias = dict[str, list[Any]]
#: clusterers as users hand them over: one, several, or several by name
ClustererLike: TypeAlias = "str | Clusterer | Estimator"
Clusterers: TypeAlias = (
    "ClustererLike | Sequence[ClustererLike] | set[ClustererLike] | Mapping[str, ClustererLike]"
)


@dataclass(frozen=True)
class SweepRequest:
    """The checked arguments of a sweep."""

    clusterers: list[Clusterer]
    #: numbers of clusters
    numbers: list[int]
    grid: Grid
    n_init: int

    @classmethod
    def checked(
        cls,
        clusterers: Clusterers,
        k: int | Iterable[int],
        grid: Mapping[str, Iterable[Any]] | None,
        n_init: int,
    ) -> SweepRequest:
        """Check the arguments of :meth:`sortal.Study.sweep`; InputError for an invalid one."""
        numbers = list(k) if isinstance(k, Iterable) else [k]
        if not numbers:
            raise InputError("k is empty; name at least one number of clusters, e.g. range(2, 11)")
        for number in numbers:
            if not isinstance(number, (int, np.integer)) or number < 1:
                raise InputError(
                    f"k must be whole numbers of clusters of at least 1; got {number!r}"
                )
        check_count("n_init", n_init)
        values = checked_grid(grid)
        return cls(
            as_clusterers(clusterers, values), [int(number) for number in numbers], values, n_init
        )

    def candidates_of(self, clusterer: Clusterer, root: int) -> list[Planned]:
        """The candidates of a clusterer; all their seeds follow from ``root``."""
        by_k = clusterer.parameter == "n_clusters"
        label = "k" if by_k else clusterer.parameter
        candidates = []
        for value in self.numbers if by_k else clusterer.values:
            for start in range(self.n_init if clusterer.depends_on_seed else 1):
                name = f"{clusterer.key} {label}={_short(value)}"
                if clusterer.depends_on_seed:
                    name += f" start={start}"
                seed = derived_seed(root, name)
                key, parameter = clusterer.key, clusterer.parameter
                candidates.append(Planned(name, key, parameter, value, start, seed))
        return candidates


def usual_numbers(separated: int) -> list[int]:
    """Numbers of clusters to try: 2 to 10, and those within a fifth of what valleys separate.

    >>> usual_numbers(3), usual_numbers(20)[9:]
    ([2, 3, 4, 5, 6, 7, 8, 9, 10], [16, 17, 18, 19, 20, 21, 22, 23, 24])
    """
    near = range(math.floor(0.8 * separated), math.ceil(1.2 * separated) + 1)
    return sorted({*NUMBERS, *(k for k in near if k > NUMBERS[-1])})


def check_count(name: str, value: object) -> None:
    """Raise an InputError unless ``value`` is a whole number of at least 1."""
    if not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1; got {value!r}")


def as_clusterers(clusterers: Clusterers, grid: Grid) -> list[Clusterer]:
    """The clusterers of :meth:`sortal.Study.sweep` as records, with the grid's values."""
    pairs: list[tuple[str | None, Any]]
    if isinstance(clusterers, Mapping):
        pairs = [(str(name), value) for name, value in clusterers.items()]
    else:
        several = clusterers if isinstance(clusterers, (list, tuple, set)) else [clusterers]
        pairs = [(None, value) for value in several]
    chosen = []
    for name, value in pairs:
        clusterer = as_clusterer(value, _swept_by(value, grid))
        chosen.append(clusterer if name is None else replace(clusterer, key=name))
    keys = [clusterer.key for clusterer in chosen]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InputError(
            f"two clusterers are called {twice!r}; name them: sweep({{'a': ..., 'b': ...}})"
        )
    parameters = {clusterer.parameter for clusterer in chosen}
    for name in grid:
        if name not in parameters:
            raise unknown_name(name, parameters, "parameter that these clusterers are swept by")
    return [_with_values(clusterer, grid) for clusterer in chosen]


def _swept_by(estimator: ClustererLike, grid: Grid) -> str | None:
    """The first of the grid's parameters that an estimator without a number of clusters has."""
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return None
    # also the parameters of a pipeline's last step and of a wrapped estimator
    names = {name.rpartition("__")[2] for name in estimator.get_params()}
    if {"n_clusters", "n_components"} & names:
        return None
    return next((name for name in grid if name in names), None)


def _with_values(clusterer: Clusterer, grid: Grid) -> Clusterer:
    """A clusterer with the values that the grid has for its parameter."""
    if clusterer.parameter == "n_clusters":
        return clusterer
    values = tuple(grid.get(clusterer.parameter, clusterer.values))
    if not values:
        raise InputError(
            f"{clusterer.key} has no usual values of {clusterer.parameter}; say which to try, "
            f'e.g. grid={{"{clusterer.parameter}": [0.1, 0.2, 0.5]}} '
            f"(--grid {clusterer.parameter}=0.1:0.5:0.1)"
        )
    return replace(clusterer, values=values)


def checked_grid(grid: object) -> Grid:
    """A grid as lists of plain values by parameter; InputError for an invalid one."""
    if grid is None:
        return {}
    if not isinstance(grid, Mapping):
        raise InputError(
            f'grid maps parameters to values, e.g. {{"eps": [0.1, 0.2]}}; got {grid!r}'
        )
    lists: Grid = {}
    for name, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            values = [values]
        lists[str(name)] = [v.item() if isinstance(v, np.generic) else v for v in values]
        if not lists[str(name)]:
            raise InputError(f"the grid has no value of {name}; give at least one")
    return lists


def _short(value: float) -> str:
    """A parameter's value in the name of a candidate."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def catalogue_name(clusterer: Clusterer) -> str | None:
    """A clusterer's name in the catalogue; None for a user's clusterer."""
    named: dict[str, Any] = {"key": clusterer.key, "values": clusterer.values}
    same = (entry.key for entry in catalogue.values() if replace(entry, **named) == clusterer)
    return next(same, None)
