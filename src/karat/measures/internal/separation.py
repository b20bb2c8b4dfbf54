"""Measures of the pair distances that users of NbClust and fpc know: gaps, borders, correlations.

The widest gap within clusters, the distances at the borders of clusters, and how distances
correlate with being in two clusters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.labelings.labels import NOISE, NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.docstrings import cite
from karat.measures.internal.batch import SINGLETONS_ONLY, each, one, one_value, statistics_of_one
from karat.measures.internal.pairs import pair_means
from karat.measures.passes.statistics import Statistics
from karat.measures.passes.trees import spanning_tree
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "modified_hubert_statistic",
    "point_biserial_index",
    "separation_index",
    "widest_within_gap",
    "widest_within_gap_by_cluster",
]

SHARE = 0.1


def point_biserial_index(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Correlation of the distance of a pair with whether it is between clusters.

    (d̄_b − d̄_w)/s · √(∣P_w∣ ∣P_b∣)/N, where d̄_w and d̄_b are the mean distances within and
    between clusters, and s is the standard deviation of all N distances. Between −1 and 1,
    greater is better.

    Parameters
    ----------
    metric : str or callable
        A symmetric distance, see :data:`karat.distances.METRICS`.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, singletons only, or where all distances are equal.
    InputError
        For a distance that is not symmetric.

    Notes
    -----
    Milligan 1980, 1981; fpc calls it ``pearsongamma`` (Hubert's Γ, normalised, Halkidi et al.
    2001). clusterCrit omits s and gives it the other sign. O(n² d), for distances that are
    not Euclidean a second pass.

    Examples
    --------
    >>> from karat import point_biserial_index
    >>> round(point_biserial_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    0.948683
    """
    return one("point_biserial_index", X, labels, metric, noise)


def modified_hubert_statistic(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Modified Hubert Γ: mean over all pairs of distance times distance of their centroids.

    Not negative, greater is better; it grows with the number of clusters. The knee of the curve
    is looked for: the greatest second difference, see :func:`level_differences`.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    metric : str or callable
        Of objects; distances of centroids are Euclidean.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.
    InputError
        For a matrix of distances, which gives no centroids.

    Notes
    -----
    Hubert & Arabie 1985; Halkidi, Batistakis & Vazirgiannis 2001, section 4.1.2. O(n² d), k²
    memory.

    Examples
    --------
    >>> from karat import modified_hubert_statistic
    >>> round(modified_hubert_statistic([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1]), 6)
    80.666667
    """
    return one("modified_hubert_statistic", X, labels, metric, noise, sample_weight)


def separation_index(
    X: Any,
    labels: Any,
    *,
    share: float = SHARE,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean distance to the nearest object of another cluster, of the objects nearest to a border.

    Less sensitive to a single object than the smallest distance between clusters. Not negative,
    greater is better; it falls as clusters are split.

    Parameters
    ----------
    share : float, default 0.1
        The share of objects, those with the smallest distances, whose mean is taken; at least
        one object.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters.
    InputError
        Unless 0 < share ≤ 1.

    Notes
    -----
    Hennig 2014, ``sindex`` of fpc's ``cluster.stats``: the share is of all objects. Hennig 2019
    takes it of each cluster. O(n² d).

    Examples
    --------
    >>> from karat import separation_index
    >>> separation_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1], share=0.5)
    9.0
    """
    if not 0 < share <= 1:
        raise InputError(f"share is a share of the objects, above 0 and at most 1; got {share}")

    @each
    def compute(stats: Statistics, m: int) -> float:
        return _separation_value(stats, m, share)

    return one_value(
        "Separation index", compute, ("objects",), X, labels, metric, noise, sample_weight
    )


def widest_within_gap(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Widest gap within a cluster: the longest edge of the clusters' minimum spanning trees.

    A cluster whose gap is g falls into two parts that are nowhere nearer than g. Not negative,
    lower is better; it falls as clusters are split.

    Parameters
    ----------
    metric : str or callable
        A symmetric distance.

    Returns
    -------
    float
        0 where every cluster is a singleton.

    Raises
    ------
    InputError
        For a distance that is not symmetric.

    Notes
    -----
    Hennig 2014, ``widestgap`` of fpc's ``cluster.stats``. Prim's algorithm, O(Σ n_c² d) time for
    each clustering, O(n d) memory.

    Examples
    --------
    >>> from karat import widest_within_gap
    >>> widest_within_gap([[0.0], [1.0], [3.0], [10.0]], [0, 0, 0, 1])
    2.0
    """
    return one("widest_within_gap", X, labels, metric, noise)


@cite(Reference("hennig2014"))
def widest_within_gap_by_cluster(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> Floats:
    """Widest gap within each cluster, in the order of their labels; 0 for singletons.

    Parameters and errors as :func:`widest_within_gap`.

    Returns
    -------
    ndarray of float64, shape (k,)

    Examples
    --------
    >>> from karat import widest_within_gap_by_cluster
    >>> widest_within_gap_by_cluster([[0.0], [1.0], [3.0], [10.0]], [0, 0, 0, 1])
    array([2., 0.])
    """
    return _gaps(statistics_of_one(X, labels, (), metric, noise), 0)


def _point_biserial(stats: Statistics, m: int) -> float | str:
    within, between = stats.pairs_within(m), stats.pairs_between(m)
    if within == 0:
        return SINGLETONS_ONLY
    n = within + between
    mean_within, mean_between = pair_means(stats, m)
    mean = (within * mean_within + between * mean_between) / n
    squares = float(stats.distance_squares[m]) / n
    variance = squares - mean * mean
    if variance <= 1e-13 * squares:
        return "all distances are equal"
    value = (mean_between - mean_within) * math.sqrt(within * between / variance) / n
    return min(max(value, -1.0), 1.0)


def _hubert(stats: Statistics, m: int) -> float:
    from scipy.spatial.distance import cdist

    sums, C = stats.linkage_sums[m], stats.centroids[m]
    pairs = stats.pairs_within(m) + stats.pairs_between(m)
    total = 0.0
    for start in range(0, len(C), 512):
        block = slice(start, start + 512)
        total += float((sums[block] * cdist(C[block], C)).sum())
    return total / (2 * pairs)


def _separation_value(stats: Statistics, m: int, share: float) -> float:
    kept = stats.labelings.codes[m] != NOISE
    nearest = stats.object_values(m, 3)[kept]
    number = max(1, math.floor(share * stats.n_judged(m) + 1e-9))
    if stats.weights is None:
        return float(np.partition(nearest, number - 1)[:number].mean())
    order = np.argsort(nearest)
    weights = stats.weights[kept][order]
    counted = np.clip(number - (np.cumsum(weights) - weights), 0, weights)
    return float(np.average(nearest[order], weights=counted))


def _gaps(stats: Statistics, m: int) -> Floats:
    codes, sizes = stats.labelings.codes[m], stats.sizes[m]
    order = np.argsort(codes, kind="stable")[len(codes) - int(sizes.sum()) :]
    distances = as_distances(stats.X, stats.metric).take(order)
    if not distances.symmetric:
        raise InputError("spanning trees need a symmetric distance; for kl there is symmetric_kl")
    stops = np.cumsum(sizes)
    members = (np.arange(b - s, b) for s, b in zip(sizes, stops, strict=True))
    return np.array([spanning_tree(distances.take(m))[2].max(initial=0.0) for m in members])


define(
    point_biserial_index,
    "Point-biserial correlation",
    family="scatter",
    references=[Reference("milligan1981")],
    compute=each(_point_biserial),
    needs=["distance_squares", "pair_sums"],
    range=(-1.0, 1.0),
    cost="O(n² d)",
    default=False,
)
define(
    modified_hubert_statistic,
    "Modified Hubert Γ",
    family="scatter",
    references=[Reference("hubert1985"), Reference("halkidi2001b", "§4.1.2")],
    compute=each(_hubert),
    needs=["centroids", "linkages"],
    range=(0.0, math.inf),
    cost="O(n² d), k² memory",
    compares_k=False,
    default=False,
    takes="features",
)
define(
    separation_index,
    "Separation index",
    family="neighbours",
    references=[Reference("hennig2014")],
    compute=each(lambda stats, m: _separation_value(stats, m, SHARE)),
    needs=["objects"],
    range=(0.0, math.inf),
    cost="O(n² d), n memory for each clustering",
    compares_k=False,
    default=False,
)
define(
    widest_within_gap,
    "Widest gap within a cluster",
    family="neighbours",
    references=[Reference("hennig2014")],
    compute=each(lambda stats, m: float(_gaps(stats, m).max()), least_k=1),
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(Σ n_c² d)",
    compares_k=False,
    default=False,
)
