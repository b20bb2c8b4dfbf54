"""Measures of the nearest neighbours: the share within, and Dunn's ratio over their distances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import one_value, too_few_clusters
from karat.measures.internal.density import nearest_others
from karat.measures.passes.ranks import by_kept
from karat.measures.passes.sampled_pairs import pair_distances
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["dunn_owa_index", "wcnn_index"]

NEIGHBORS = 5


def wcnn_index(
    X: Any,
    labels: Any,
    *,
    n_neighbors: int = NEIGHBORS,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
) -> float:
    """Share of the objects' nearest neighbours that are in the object's own cluster (WCNN).

    Between 0 and 1, greater is better; it falls as clusters are split.

    Parameters
    ----------
    n_neighbors : int
        Neighbours of each object, the object itself not counted.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, and where a cluster has ``n_neighbors`` objects or fewer.
    InputError
        Unless n_neighbors is at least 1.

    Notes
    -----
    genieclust's ``wcnn_index``, where the value is minus infinity for too small a cluster. With as
    many neighbours it is 1 minus the mean of Sep in :func:`cvnn_index`, weighted by size.
    O(n² (d + log n)).

    Examples
    --------
    >>> from karat import wcnn_index
    >>> wcnn_index([[0.0], [1.0], [3.0], [10.0]], [0, 0, 1, 1], n_neighbors=1)
    0.75
    """
    _check(n_neighbors)

    def compute(stats: Statistics) -> list[float | str]:
        return _wcnn(stats, n_neighbors)

    return one_value("WCNN", compute, (), X, labels, metric, noise)


def dunn_owa_index(
    X: Any,
    labels: Any,
    *,
    n_neighbors: int = NEIGHBORS,
    separation: str = "smin:5",
    compactness: str = "max",
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
) -> float:
    """Dunn's ratio over the distances to nearest neighbours only (DuNN-OWA).

    An average of the distances to neighbours in other clusters over an average of those to
    neighbours in the own cluster. Not negative, greater is better; infinite where every neighbour
    is in the own cluster.

    Parameters
    ----------
    n_neighbors : int
        Neighbours of each object, the object itself not counted.
    separation, compactness : str
        The averages above and below: ``"mean"``, ``"min"``, ``"max"``, ``"const"`` (1), or
        ``"smin:δ"`` and ``"smax:δ"`` for a whole number δ, the 3 δ smallest or largest weighted by
        the normal density with standard deviation δ at their rank less 1.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, where a cluster has ``n_neighbors`` objects or fewer, and where
        no neighbour is in its own cluster or they all coincide.
    InputError
        For an unknown average, or n_neighbors below 1.

    Notes
    -----
    genieclust's ``dunnowa_index``, where the value is minus infinity for too small a cluster. Two
    objects that are neighbours of each other count twice. O(n² (d + log n)).

    Examples
    --------
    >>> from karat import dunn_owa_index
    >>> X = [[0.0], [1.0], [3.0], [10.0]]
    >>> dunn_owa_index(X, [0, 0, 1, 1], n_neighbors=1, separation="min", compactness="max")
    0.2857142857142857
    """
    _check(n_neighbors)
    for owa in (separation, compactness):
        _average(owa, np.ones(1))

    def compute(stats: Statistics) -> list[float | str]:
        return _dunn_owa(stats, n_neighbors, separation, compactness)

    return one_value("DuNN-OWA", compute, (), X, labels, metric, noise)


def _check(n_neighbors: int) -> None:
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1; got {n_neighbors}")


def _average(owa: str, values: Floats) -> float:
    """The ordered weighted average of some values, at least one."""
    if owa in ("mean", "min", "max"):
        return float(getattr(values, owa)())
    if owa == "const":
        return 1.0
    kind, _, number = str(owa).partition(":")
    if kind not in ("smin", "smax") or not number.isdecimal() or int(number) < 1:
        raise InputError(
            f"{owa!r} is no average; take 'mean', 'min', 'max', 'const', 'smin:5' or 'smax:5', "
            "with any whole number from 1"
        )
    delta = int(number)
    ordered = np.sort(values)
    some = (ordered if kind == "smin" else ordered[::-1])[: 3 * delta]
    weights = np.exp(-((np.arange(len(some)) / delta) ** 2) / 2)
    return float(weights @ some / weights.sum())


def _too_small(stats: Statistics, m: int, n_neighbors: int) -> str:
    if why := too_few_clusters(stats, m):
        return why
    smallest = int(stats.sizes[m].min())
    if smallest > n_neighbors:
        return ""
    return (
        f"a cluster has {smallest} object{'s' * (smallest != 1)}; each must have more than the "
        f"{n_neighbors} neighbours that are looked at"
    )


def _wcnn(stats: Statistics, n_neighbors: int) -> list[float | str]:
    values: list[float | str] = ["fewer than two objects are judged"] * len(stats)
    for kept, which in by_kept(stats.labelings):
        near = nearest_others(stats, kept, n_neighbors)
        for m in which:
            codes = stats.labelings.codes[m, kept]
            values[m] = _too_small(stats, m, n_neighbors) or float(
                (codes[near] == codes[:, None]).mean()
            )
    return values


def _dunn_owa(
    stats: Statistics, n_neighbors: int, separation: str, compactness: str
) -> list[float | str]:
    values: list[float | str] = ["fewer than two objects are judged"] * len(stats)
    for kept, which in by_kept(stats.labelings):
        near = nearest_others(stats, kept, n_neighbors)
        own = np.repeat(np.arange(len(kept)), near.shape[1])
        distances = as_distances(stats.X, stats.metric, exact=True).take(kept)
        lengths = pair_distances(distances, own, near.ravel().astype(np.int64))
        for m in which:
            codes = stats.labelings.codes[m, kept]
            same = codes[own] == codes[near.ravel()]
            values[m] = _too_small(stats, m, n_neighbors) or _ratio(
                lengths[~same], lengths[same], separation, compactness
            )
    return values


def _ratio(between: Floats, within: Floats, separation: str, compactness: str) -> float | str:
    if len(between) == 0:
        return math.inf
    if len(within) == 0:
        return "no object has a nearest neighbour in its own cluster"
    below = _average(compactness, within)
    return _average(separation, between) / below if below > 0 else "neighbours within coincide"


define(
    wcnn_index,
    "Share of nearest neighbours within clusters (WCNN)",
    family="neighbours",
    references=[Reference("gagolewski2021")],
    compute=lambda stats: _wcnn(stats, NEIGHBORS),
    cost="O(n² (d + log n))",
    compares_k=False,
    default=False,
)
define(
    dunn_owa_index,
    "Dunn index of nearest neighbours (DuNN-OWA)",
    family="dunn",
    references=[Reference("gagolewski2021")],
    compute=lambda stats: _dunn_owa(stats, NEIGHBORS, "smin:5", "max"),
    range=(0.0, math.inf),
    cost="O(n² (d + log n))",
    default=False,
)
