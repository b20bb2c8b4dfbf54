"""Indices that compare neighbouring numbers of clusters, over a sweep of clusterings.

A clustering alone has no value here: what it gets depends on the others that it is given with. So
these are functions of a sweep, and have no records in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_metric, check_points
from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import as_labelings
from karat.measures.bibliography import Reference
from karat.measures.catalogue import split_results
from karat.measures.docstrings import cite
from karat.measures.internal.variance import sums_of_squares
from karat.measures.passes.statistics import Statistics
from karat.measures.scores import Scores
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "hartigan_index",
    "krzanowski_lai_index",
]


@cite(Reference("hartigan1975", "p. 91"))
def hartigan_index(X: Any, labelings: Any, *, noise: NoisePolicy = "error") -> Scores:
    """Hartigan's H(k) = (tr W_k/tr W_{k+1} − 1)(n − k − 1), over a sweep.

    Large where one more cluster helps: the smallest k with H(k) ≤ 10 is taken (Hartigan), or the
    k after the largest step (NbClust).

    Parameters
    ----------
    labelings : array-like (M, n), mapping or DataFrame
        A clustering for each number of clusters, in any order.

    Returns
    -------
    Scores
        A value for each clustering, and ``reasons`` where there is none.

    Raises
    ------
    InputError
        Where two clusterings have the same number of clusters, or exclude different objects.

    Notes
    -----
    The value of k needs the clustering of k + 1 clusters. O(n d) each.

    Examples
    --------
    >>> from karat import hartigan_index
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> hartigan_index(X, [[0, 0, 0, 0], [0, 0, 1, 1]])["hartigan_index"].round(6).tolist()
    [200.0, nan]
    """
    stats = _sweep(X, labelings, noise, ["centroids"])
    within = _within(stats)

    def value(m: int, k: int) -> float | str:
        if missing := _missing(within, k + 1):
            return missing
        if within[k + 1] == 0:
            return f"the sum of squares within {k + 1} clusters is 0"
        return (within[k] / within[k + 1] - 1) * (stats.n_judged(m) - k - 1)

    return _by_clustering("hartigan_index", stats, value)


@cite(Reference("krzanowski1988"))
def krzanowski_lai_index(X: Any, labelings: Any, *, noise: NoisePolicy = "error") -> Scores:
    """KL(k) = ∣DIFF(k)/DIFF(k+1)∣ with DIFF(k) = (k−1)^{2/d} tr W_{k−1} − k^{2/d} tr W_k.

    Not negative; the k with the greatest value is taken. It may be very large where DIFF(k+1)
    is near 0.

    Parameters
    ----------
    labelings : array-like (M, n), mapping or DataFrame
        A clustering for each number of clusters, in any order.

    Returns
    -------
    Scores
        A value for each clustering, and ``reasons`` where there is none.

    Raises
    ------
    InputError
        Where two clusterings have the same number of clusters, or exclude different objects.

    Notes
    -----
    The value of k needs the clusterings of k − 1 and k + 1 clusters; that
    of one cluster is always known. O(n d) each.

    Examples
    --------
    >>> from karat import krzanowski_lai_index
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> found = krzanowski_lai_index(X, [[0, 0, 1, 1], [0, 0, 1, 2]])
    >>> found["krzanowski_lai_index"].round(6).tolist()
    [194.0, nan]
    """
    stats = _sweep(X, labelings, noise, ["centroids"])
    within, power = _within(stats), 2 / stats.X.shape[1]

    def difference(k: int) -> float:
        return (k - 1) ** power * within[k - 1] - k**power * within[k]

    def value(m: int, k: int) -> float | str:
        if k == 1:
            return "one cluster has no smaller number of clusters to be compared with"
        if missing := _missing(within, k - 1, k + 1):
            return missing
        after = difference(k + 1)
        return abs(difference(k) / after) if after else f"DIFF({k + 1}) is 0"

    return _by_clustering("krzanowski_lai_index", stats, value)


def _sweep(
    X: Any, labelings: Any, noise: NoisePolicy, needs: Iterable[str], metric: Any = "euclidean"
) -> Statistics:
    metric = check_metric(metric)
    data = check_points(X, metric)
    batch = as_labelings(labelings, n_objects=data.shape[0], noise=noise)
    _check_once([int(k) for k in batch.n_clusters], batch.names)
    kept = batch.codes != NOISE
    if (kept != kept[0]).any():
        m = int(np.flatnonzero((kept != kept[0]).any(axis=1))[0])
        raise InputError(
            f"{batch.names[0]} and {batch.names[m]} exclude different objects, so their sums "
            'cannot be compared; use noise="singletons" or "cluster"'
        )
    stats = Statistics(data, batch, needs, metric=metric)
    stats.raise_failed()
    return stats


def _check_once(numbers: list[int], names: Iterable[str]) -> None:
    seen: dict[int, str] = {}
    for k, name in zip(numbers, names, strict=True):
        if k in seen:
            raise InputError(
                f"{seen[k]} and {name} both have {k} clusters; neighbouring numbers of clusters "
                "are compared, so give one clustering of each: one sweep at a time"
            )
        seen[k] = name


def _within(stats: Statistics) -> dict[int, float]:
    """The trace of W for each number of clusters; of one cluster it is always known."""
    within = {1: sum(sums_of_squares(stats, 0))}
    return within | {
        int(k): float(stats.squares[m].sum()) for m, k in enumerate(stats.labelings.n_clusters)
    }


def _missing(known: dict[int, Any], *numbers: int) -> str:
    for k in numbers:
        if k not in known:
            return f"there is no clustering of {k} cluster{'s' * (k != 1)} to compare with"
    return ""


def _by_clustering(
    name: str, stats: Statistics, value: Callable[[int, int], float | str]
) -> Scores:
    found = [value(m, int(k)) for m, k in enumerate(stats.labelings.n_clusters)]
    values, why = split_results(found)
    names = stats.labelings.names
    return _scores(stats, {name: values}, {names[m]: {name: text} for m, text in why.items()})


def _scores(
    stats: Statistics, columns: dict[str, Floats], reasons: dict[str, dict[str, str]]
) -> Scores:
    batch = stats.labelings
    return Scores.of(batch.names, columns, reasons, (batch.codes != NOISE).mean(axis=1))
