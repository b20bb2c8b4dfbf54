"""Measures of a clustering from the data alone.

Every function takes ``(X, labels, *, metric, noise)``. One clustering is the batch of one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures._catalogue import Measure, catalogue
from karat.measures.statistics import Statistics
from karat.partition import NOISE, NoisePolicy, as_labelings
from karat.validation import UndefinedMeasureError, check_data

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = [
    "between_within_ratio",
    "calinski_harabasz_index",
    "davies_bouldin_index",
    "silhouette",
    "silhouette_samples",
    "within_cluster_scatter",
]


def _one(key: str, X: Any, labels: Any, metric: Any, noise: NoisePolicy) -> float:
    measure = catalogue[key]
    X = check_data(X)
    labelings = as_labelings({"labels": labels}, n_objects=X.shape[0], noise=noise)
    stats = Statistics(X, labelings, measure.needs, metric=metric)
    assert measure.compute is not None
    value = float(measure.compute(stats)[0])
    if 0 in stats.undefined:
        raise UndefinedMeasureError(f"{measure.title} is undefined: {stats.undefined[0]}")
    return value


def _between_2_and_n(stats: Statistics, m: int) -> bool:
    k = int(stats.labelings.n_clusters[m])
    if k < 2:
        stats.undefined[m] = f"the clustering has {k} cluster{'s' * (k != 1)}; it needs at least 2"
    return k >= 2


def silhouette_samples(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> NDArray[np.float64]:
    """Silhouette of each object."""
    X = check_data(X)
    labelings = as_labelings({"labels": labels}, n_objects=X.shape[0], noise=noise)
    stats = Statistics(X, labelings, ["object_cluster_sums"], metric=metric)
    if not _between_2_and_n(stats, 0):
        raise UndefinedMeasureError(f"Silhouette is undefined: {stats.undefined[0]}")
    return _silhouette_samples(stats, 0)


def _silhouette_samples(stats: Statistics, m: int) -> NDArray[np.float64]:
    codes = stats.labelings.codes[m]
    sizes = stats.labelings.sizes(m)
    sums = stats.object_cluster_sums[m]
    result = np.full(len(codes), np.nan)
    kept = np.flatnonzero(codes != NOISE)
    own = codes[kept]
    rows = np.arange(len(kept))
    a = sums[kept, own] / np.maximum(sizes[own] - 1, 1)
    others = sums[kept] / sizes
    others[rows, own] = np.inf
    b = others.min(axis=1)
    largest = np.maximum(a, b)
    with np.errstate(invalid="ignore"):
        s = np.where(largest > 0, (b - a) / largest, 0.0)
    s[sizes[own] == 1] = 0.0
    result[kept] = s
    return result


def _compute_silhouette(stats: Statistics) -> NDArray[np.float64]:
    values = stats.values()
    for m in range(len(stats)):
        if _between_2_and_n(stats, m):
            values[m] = np.nanmean(_silhouette_samples(stats, m))
    return values


def silhouette(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Mean of (b − a)/max(a, b) over the objects.

    Examples
    --------
    >>> from karat import silhouette
    >>> round(silhouette([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    0.899749
    """
    return _one("silhouette", X, labels, metric, noise)


def _pair_means(stats: Statistics, m: int) -> tuple[float, float]:
    codes, sums = stats.labelings.codes[m], stats.object_cluster_sums[m]
    kept = np.flatnonzero(codes != NOISE)
    sizes = stats.labelings.sizes(m)
    within = float(sums[kept, codes[kept]].sum()) / 2
    total = float(sums[kept].sum()) / 2
    pairs_within = int((sizes * (sizes - 1) // 2).sum())
    pairs = len(kept) * (len(kept) - 1) // 2
    if pairs_within == 0:
        stats.undefined[m] = "every cluster is a singleton, so no pair is within a cluster"
        return math.nan, math.nan
    if pairs_within == pairs:
        return within / pairs_within, math.nan
    return within / pairs_within, (total - within) / (pairs - pairs_within)


def _compute_average_wcs(stats: Statistics) -> NDArray[np.float64]:
    values = stats.values()
    for m in range(len(stats)):
        values[m] = _pair_means(stats, m)[0]
    return values


def _compute_bw(stats: Statistics) -> NDArray[np.float64]:
    values = stats.values()
    for m in range(len(stats)):
        if not _between_2_and_n(stats, m):
            continue
        within, between = _pair_means(stats, m)
        if within == 0:
            stats.undefined[m] = "all distances within clusters are 0"
        elif m not in stats.undefined:
            values[m] = between / within
    return values


def within_cluster_scatter(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Mean distance of the pairs within clusters (aWCS)."""
    return _one("average_within_cluster_scatter", X, labels, metric, noise)


def between_within_ratio(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Mean distance between clusters over mean distance within them (B/W)."""
    return _one("between_within_ratio", X, labels, metric, noise)


def _compute_calinski_harabasz(stats: Statistics) -> NDArray[np.float64]:
    values = stats.values()
    for m in range(len(stats)):
        if not _between_2_and_n(stats, m):
            continue
        within, between = _squares(stats, m)
        n, k = int(stats.labelings.sizes(m).sum()), int(stats.labelings.n_clusters[m])
        if n == k or within == 0:
            stats.undefined[m] = "the sum of squares within clusters is 0"
        else:
            values[m] = between / (k - 1) / (within / (n - k))
    return values


def _own_distances(stats: Statistics, m: int) -> NDArray[np.float64]:
    """Euclidean distance of each kept object to its centroid; 0 for the others."""
    from scipy import sparse

    codes = stats.labelings.codes[m]
    C = stats.centroids[m]
    out = np.zeros(len(codes))
    for start in range(0, len(codes), 4096):
        block = slice(start, min(start + 4096, len(codes)))
        rows = stats.X[block]
        dense: Any = rows.toarray() if sparse.issparse(rows) else np.asarray(rows, np.float64)  # type: ignore[union-attr]
        out[block] = np.sqrt(((dense - C[np.maximum(codes[block], 0)]) ** 2).sum(axis=1))
    out[codes == NOISE] = 0
    return out


def _squares(stats: Statistics, m: int) -> tuple[float, float]:
    sizes, C = stats.labelings.sizes(m), stats.centroids[m]
    mean = sizes @ C / sizes.sum()
    within = float((_own_distances(stats, m) ** 2).sum())
    return within, float((sizes * ((C - mean) ** 2).sum(axis=1)).sum())


def calinski_harabasz_index(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Variance between clusters over variance within them, per degree of freedom."""
    return _one("calinski_harabasz_index", X, labels, "euclidean", noise)


def _compute_davies_bouldin(stats: Statistics) -> NDArray[np.float64]:
    from scipy.spatial.distance import cdist

    values = stats.values()
    for m in range(len(stats)):
        if not _between_2_and_n(stats, m):
            continue
        codes, sizes, C = stats.labelings.codes[m], stats.labelings.sizes(m), stats.centroids[m]
        kept = codes != NOISE
        spread = np.bincount(codes[kept], _own_distances(stats, m)[kept], len(sizes)) / sizes
        apart = cdist(C, C)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (spread[:, None] + spread) / apart
        np.fill_diagonal(ratio, -np.inf)
        worst = ratio.max(axis=1)
        if np.isfinite(worst).all():
            values[m] = worst.mean()
        else:
            stats.undefined[m] = "two clusters have the same centroid"
    return values


def davies_bouldin_index(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Mean over clusters of the worst ratio of spreads to centroid distance."""
    return _one("davies_bouldin_index", X, labels, "euclidean", noise)


def _internal(
    key: str, title: str, family: str, function: Any, compute: Any, **record: Any
) -> None:
    catalogue.add(
        Measure(
            key=key,
            title=title,
            kind="internal",
            family=family,
            function=function,
            compute=compute,
            **record,
        )
    )


_internal(
    "silhouette",
    "Silhouette",
    "nearest cluster",
    silhouette,
    _compute_silhouette,
    greater_is_better=True,
    range=(-1.0, 1.0),
    optimum=1.0,
    source="Rousseeuw 1987",
    equation="3.11",
    cost="O(n² d)",
    needs=frozenset({"object_cluster_sums"}),
)
_internal(
    "davies_bouldin_index",
    "Davies–Bouldin index",
    "centroids",
    davies_bouldin_index,
    _compute_davies_bouldin,
    greater_is_better=False,
    range=(0.0, math.inf),
    optimum=0.0,
    source="Davies & Bouldin 1979",
    equation="3.16",
    cost="O(n d + k² d)",
    needs=frozenset({"centroids"}),
)
_internal(
    "calinski_harabasz_index",
    "Calinski–Harabasz index",
    "variance",
    calinski_harabasz_index,
    _compute_calinski_harabasz,
    greater_is_better=True,
    range=(0.0, math.inf),
    optimum=math.inf,
    source="Caliński & Harabasz 1974",
    cost="O(n d)",
    needs=frozenset({"centroids"}),
)
_internal(
    "average_within_cluster_scatter",
    "Average within-cluster scatter (aWCS)",
    "pair means",
    within_cluster_scatter,
    _compute_average_wcs,
    greater_is_better=False,
    range=(0.0, math.inf),
    optimum=0.0,
    source="whissell2012",
    equation="3.4",
    cost="O(n² d)",
    needs=frozenset({"object_cluster_sums"}),
    compares_k=False,
)
_internal(
    "between_within_ratio",
    "Between–within ratio (B/W)",
    "pair means",
    between_within_ratio,
    _compute_bw,
    greater_is_better=True,
    range=(0.0, math.inf),
    optimum=math.inf,
    source="whissell2012",
    equation="3.8",
    cost="O(n² d)",
    needs=frozenset({"object_cluster_sums"}),
    compares_k=False,
)
