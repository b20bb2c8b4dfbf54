"""Indices that compare neighbouring numbers of clusters, over a sweep of clusterings.

A clustering alone has no value here: what it gets depends on the others that it is given with. So
these are functions of a sweep, and have no records in the catalogue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_metric, check_points
from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import as_labelings
from karat.measures.bibliography import Reference
from karat.measures.catalogue import split_results
from karat.measures.docstrings import cite
from karat.measures.internal.centroids import scattering_of, separation_of
from karat.measures.internal.pairs import pair_means
from karat.measures.internal.variance import sums_of_squares
from karat.measures.passes.statistics import Statistics
from karat.measures.scores import Scores
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "frey_index",
    "hartigan_index",
    "krzanowski_lai_index",
    "level_differences",
    "sd_index",
    "split_statistics",
]

#: of the standard normal distribution, as Milligan & Cooper 1985 found best
DUDA_HART_Z = 3.20


@cite(Reference("hartigan1975", "p. 91"))
def hartigan_index(X: Any, labelings: Any, *, noise: NoisePolicy = "error") -> Scores:
    """Hartigan's H(k) = (tr W_k/tr W_{k+1} − 1)(n − k − 1), over a sweep.

    Large where one more cluster helps: the smallest k with H(k) ≤ 10 is taken (Hartigan), or the
    k after the largest step (NbClust, see :func:`level_differences`).

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


@cite(Reference("halkidi2000"))
def sd_index(X: Any, labelings: Any, *, noise: NoisePolicy = "error") -> Scores:
    """SD = α Scat + Dis, with α the Dis of the greatest number of clusters in the sweep.

    Not negative, lower is better.

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
    :func:`sd_scattering` and :func:`sd_separation` are
    its parts. O(n d + k² d) each.

    Examples
    --------
    >>> from karat import sd_index
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> sd_index(X, [[0, 0, 1, 1], [0, 0, 1, 2]])["sd_index"].round(6).tolist()
    [0.224139, 2.44609]
    """
    stats = _sweep(X, labelings, noise, ["centroids"])
    most = int(np.argmax(stats.labelings.n_clusters))
    weight = _dis(stats, most)

    def value(m: int, k: int) -> float | str:
        if isinstance(weight, str):
            return f"of the greatest number of clusters, whose separation is the weight: {weight}"
        scattering, separation = scattering_of(stats, m), _dis(stats, m)
        if isinstance(scattering, str):
            return scattering
        return separation if isinstance(separation, str) else weight * scattering + separation

    return _by_clustering("sd_index", stats, value)


@cite(Reference("frey1972"))
def frey_index(
    X: Any, labelings: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> Scores:
    """Frey's (b_{k+1} − b_k)/(w_{k+1} − w_k) of the mean distances between and within clusters.

    For hierarchies: the last k before the values fall below 1 for good is taken.

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
    Means are over all pairs between, and all pairs within. The value
    of k needs the clustering of k + 1 clusters. One pass of O(n² d) for all.

    Examples
    --------
    >>> from karat import frey_index
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> frey_index(X, [[0, 0, 1, 1], [0, 0, 1, 2]]).reasons["0"]
    {'frey_index': 'the mean distance within clusters stays the same'}
    """
    stats = _sweep(X, labelings, noise, ["pair_sums"], metric)
    means = {int(k): pair_means(stats, m) for m, k in enumerate(stats.labelings.n_clusters)}

    def value(m: int, k: int) -> float | str:
        if k == 1:
            return "with one cluster no pair is between clusters"
        if missing := _missing(means, k + 1):
            return missing
        (within, between), (next_within, next_between) = means[k], means[k + 1]
        if math.isnan(next_within):
            return f"with {k + 1} clusters no pair is within a cluster"
        if next_within == within:
            return "the mean distance within clusters stays the same"
        return (next_between - between) / (next_within - within)

    return _by_clustering("frey_index", stats, value)


@cite(Reference("duda1973"), Reference("milligan1985"), Reference("beale1969"))
def split_statistics(X: Any, labelings: Any, *, noise: NoisePolicy = "error") -> Scores:
    """Whether to split a cluster further: Duda–Hart, pseudo-t² and Beale, over a hierarchy.

    A clustering of k clusters is compared with that of k + 1, which must split one of its
    clusters in two and leave the others; of the split cluster, of n_M objects, and its parts K
    and L: W_M = W_K + W_L + B_KL.

    Parameters
    ----------
    labelings : array-like (M, n), mapping or DataFrame
        A clustering for each number of clusters, in any order, as cuts of a dendrogram are.

    Returns
    -------
    Scores
        A row for each clustering, and ``reasons`` where there is no value. Columns:

        - ``duda_hart``: Je(2)/Je(1) = (W_K + W_L)/W_M. Take the smallest k whose value is above
          ``duda_hart_critical`` = 1 − 2/(πd) − z √(2 (1 − 8/(π²d))/(n_M d)), z = 3.20.
        - ``pseudo_t2``: B_KL (n_M − 2)/(W_K + W_L). Take the smallest k whose value is below
          ``pseudo_t2_critical``; the same test, so the same answer.
        - ``beale``: (B_KL/(W_K + W_L))/((n_M − 1)/(n_M − 2) · 2^{2/d} − 1). Take the smallest k
          whose ``beale_p_value``, of F with d and (n_M − 2) d degrees of freedom, is at least
          the level, e.g. 0.1.

    Raises
    ------
    InputError
        Where two clusterings have the same number of clusters, or exclude different objects.

    Notes
    -----
    The level z is that of Milligan & Cooper; pseudo-t² as in SAS. O(n d) each.

    Examples
    --------
    >>> from karat import split_statistics
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> found = split_statistics(X, {"all": [0] * 6, "two": [0, 0, 0, 1, 1, 1]})
    >>> found.table.loc["all", ["duda_hart", "pseudo_t2", "beale"]].round(4).tolist()
    [0.026, 150.0, 9.375]
    """
    stats = _sweep(X, labelings, noise, ["centroids"])
    batch = stats.labelings
    at = {int(k): m for m, k in enumerate(batch.n_clusters)}
    names = ("duda_hart", "duda_hart_critical", "pseudo_t2", "pseudo_t2_critical",
             "beale", "beale_p_value")  # fmt: skip
    columns = {name: stats.values() for name in names}
    reasons: dict[str, dict[str, str]] = {}
    for k, m in at.items():
        found = _missing(at, k + 1) or _split(stats, m, at[k + 1])
        if isinstance(found, str):
            reasons[batch.names[m]] = dict.fromkeys(names, found)
            continue
        inner, between, size = found
        tests = _tests(inner, between, size, stats.X.shape[1])
        for name, value in zip(names, tests, strict=True):
            columns[name][m] = value
        if inner == 0:
            why = "the objects of each part coincide"
            reasons[batch.names[m]] = dict.fromkeys(("pseudo_t2", "beale", "beale_p_value"), why)
    return _scores(stats, columns, reasons)


@cite(Reference("milligan1985"))
def level_differences(values: Any, n_clusters: Any, *, order: int = 1) -> pd.Series[float]:
    """Differences of a measure between neighbouring numbers of clusters, to find its knee.

    For measures that improve with every cluster, whose best value says nothing.

    Parameters
    ----------
    values : Series or array-like, shape (M,)
        For example a column of :func:`evaluate`'s table.
    n_clusters : array-like of int, shape (M,)
        Each number once, in any order.
    order : {1, 2}
        1: ∣V(k) − V(k−1)∣, "the maximum difference between levels". 2: V(k+1) − 2 V(k) + V(k−1),
        with its sign, "the maximum (or minimum) second difference".

    Returns
    -------
    Series
        At k; NaN where a neighbour of k, or its value, is missing.

    Raises
    ------
    InputError
        Where a number of clusters occurs twice, or the lengths differ.

    Examples
    --------
    >>> from karat import level_differences
    >>> level_differences([100.0, 20.0, 18.0, 17.0], [2, 3, 4, 5], order=2).tolist()
    [nan, 78.0, 1.0, nan]
    """
    import pandas as pd

    if order not in (1, 2):
        raise InputError(f"order must be 1 or 2; got {order!r}")
    series = values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))
    numbers = [int(k) for k in n_clusters]
    if len(numbers) != len(series):
        raise InputError(f"{len(series)} values, but {len(numbers)} numbers of clusters")
    _check_once(numbers, [str(name) for name in series.index])
    known = dict(zip(numbers, (float(v) for v in series), strict=True))

    def at(k: int) -> float:
        return known.get(k, math.nan)

    if order == 1:
        found = [abs(at(k) - at(k - 1)) for k in numbers]
    else:
        found = [at(k + 1) - 2 * at(k) + at(k - 1) for k in numbers]
    return pd.Series(found, index=series.index, name=series.name, dtype=np.float64)


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


def _dis(stats: Statistics, m: int) -> float | str:
    if len(stats.sizes[m]) == 1:
        return "one cluster is not separated from another"
    return separation_of(stats, m)


def _split(stats: Statistics, coarse: int, fine: int) -> tuple[float, float, int] | str:
    """W_K + W_L, B_KL and n_M of the cluster of ``coarse`` that ``fine`` splits."""
    parents, children = stats.labelings.codes[[coarse, fine]]
    parents, children = parents[children != NOISE], children[children != NOISE]
    sizes = stats.sizes[fine]
    parent = np.zeros(len(sizes), dtype=np.int64)
    parent[children] = parents
    if (parent[children] != parents).any():
        names = stats.labelings.names
        return f"{names[fine]} does not split one cluster of {names[coarse]}"
    # k + 1 clusters inside k: one has two parts
    split = np.argmax(np.bincount(parent))
    one, two = (int(c) for c in np.flatnonzero(parent == split))
    C = stats.centroids[fine]
    inner = float(stats.squares[fine][[one, two]].sum())
    size = int(sizes[one] + sizes[two])
    between = float(sizes[one] * sizes[two] / size * ((C[one] - C[two]) ** 2).sum())
    if inner + between == 0:
        return "the objects of the cluster that is split coincide"
    return inner, between, size


def _tests(inner: float, between: float, size: int, d: int) -> NDArray[np.float64]:
    from scipy.stats import f

    ratio = inner / (inner + between)
    spread = math.sqrt(2 * (1 - 8 / (math.pi**2 * d)) / (size * d))
    critical = 1 - 2 / (math.pi * d) - DUDA_HART_Z * spread
    t_critical = (1 - critical) / critical * (size - 2) if critical > 0 else math.inf
    if inner == 0:
        return np.array([ratio, critical, math.nan, t_critical, math.nan, math.nan])
    t2 = between * (size - 2) / inner
    beale = (between / inner) / ((size - 1) / (size - 2) * 2 ** (2 / d) - 1)
    p_value = float(f.sf(beale, d, (size - 2) * d))
    return np.array([ratio, critical, t2, t_critical, beale, p_value])
