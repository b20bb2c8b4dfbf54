"""Measures of density and of neighbours: DBCV, S_Dbw, CVNN, connectivity."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sortal.distances import Distances, as_distances
from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.measures.catalogue import define
from sortal.measures.docstrings import cite
from sortal.measures.inputs import Inputs
from sortal.measures.internal.batch import (
    SINGLETONS_ONLY,
    compute_one,
    inputs_of_one,
    of_features,
    too_few_clusters,
)
from sortal.measures.internal.centroids import centred_blocks, variance_lengths
from sortal.measures.internal.variance import ALL_COINCIDE
from sortal.measures.passes.statistics import Statistics
from sortal.measures.passes.trees import core_distances, separations, spanning_tree
from sortal.measures.scores import Scores
from sortal.runtime.resources import require_memory
from sortal.runtime.validation import InputError, UndefinedMeasureError, check_choice
from sortal.typing import ArrayLike, Floats, Labels, Metric

__all__ = ["connectivity", "cvnn_index", "dbcv", "s_dbw_index"]


def dbcv(
    X: ArrayLike,
    labels: Labels,
    *,
    metric: Metric = "sqeuclidean",
    noise: NoisePolicy = "drop",
    n_features: int | None = None,
) -> float:
    """Density-based clustering validation: sparseness within against density between clusters.

    Each object has a core distance to its cluster. A minimum spanning tree of mutual reachability
    distances gives each cluster's sparseness, its largest inner edge. Two clusters are separated by
    the distance of their nearest inner nodes. Between −1 and 1, greater is better.

    Parameters
    ----------
    labels : array-like, shape (n,)
        Outliers are -1.
    metric : str or callable
        The reference code and the paper's figures use *squared* Euclidean distances, the
        default here; ``"euclidean"`` gives other values.
    noise : {"drop", "cluster", "singletons", "error"}
        With ``"drop"`` outliers are in no cluster, but count in n as in the paper, so they lower
        the value.
    n_features : int, optional
        The exponent of the core distance; by default d. Needed for ``"precomputed"``.

    Notes
    -----
    Moulavi, Jaskowiak, Campello, Zimek & Sander 2014, definitions 1–8. A cluster of one object
    has validity 0. Coincident objects have core distance 0. Mutual reachability distances are
    often equal, so there may be several minimum spanning trees with different inner nodes. Ties
    go to the edge of the earlier objects, so the value may depend on the order of the objects.
    O(n² d) time, O(n d) memory.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [20.0], [21.0], [22.0], [23.0]]
    >>> round(dbcv(X, [0, 0, 0, 0, 1, 1, 1, 1]), 3)
    0.996
    """
    inputs = inputs_of_one(X, labels, metric=metric, noise=noise)
    if n_features is None:
        if inputs.metric == "precomputed":
            raise InputError("a matrix of distances has no dimension; give n_features")
        n_features = inputs.X.shape[1]
    codes, sizes = inputs.labelings.codes[0], inputs.labelings.sizes(0)
    if len(sizes) < 2:
        raise UndefinedMeasureError(
            f"DBCV is undefined: the clustering has {len(sizes)} cluster; it needs at least 2"
        )
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] != NOISE]
    distances = as_distances(inputs.X, inputs.metric).take(order)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    core = np.zeros(len(order))
    sparseness = np.zeros(len(sizes))
    inner: list[NDArray[np.intp]] = []
    for c, (a, b) in enumerate(itertools.pairwise(starts)):
        members = distances.take(np.arange(a, b))
        core[a:b] = core_distances(members, n_features)
        sparseness[c], inside = _sparseness(members, core[a:b])
        inner.append(inside + a)
    nodes = np.concatenate(inner)
    clusters = np.repeat(np.arange(len(sizes)), [len(i) for i in inner])
    separation = separations(distances.take(nodes), core[nodes], clusters, len(sizes))
    largest = np.maximum(separation, sparseness)
    validity = np.where(
        largest > 0, (separation - sparseness) / np.where(largest > 0, largest, 1), 0
    )
    validity[sizes == 1] = 0.0
    return float(sizes @ validity / len(codes))


def _sparseness(members: Distances, core: Floats) -> tuple[float, NDArray[np.intp]]:
    """Largest edge between inner nodes of the minimum spanning tree, and the inner nodes."""
    if members.n == 1:
        return 0.0, np.zeros(1, dtype=np.intp)
    u, v, lengths = spanning_tree(members, core)
    degree = np.bincount(np.concatenate([u, v]), minlength=members.n)
    nodes = np.flatnonzero(degree > 1)
    if len(nodes) == 0:
        nodes = np.arange(members.n)
    inside = lengths[(degree[u] > 1) & (degree[v] > 1)]
    return float((inside if len(inside) else lengths).max()), nodes


def connectivity(
    X: ArrayLike,
    labels: Labels,
    *,
    n_neighbors: int = 10,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
) -> float:
    """Connectivity: sum of 1/j over each object's j-th nearest neighbours in other clusters.

    Not negative, lower is better; it grows with the number of clusters.

    Parameters
    ----------
    n_neighbors : int

    Notes
    -----
    Handl, Knowles & Kell 2005. Neighbours at equal distances count in the order of the data.
    O(n² (d + log n)).

    Examples
    --------
    >>> connectivity([[0.0], [1.0], [3.0], [10.0]], [0, 0, 1, 1], n_neighbors=1)
    1.0
    """
    _check_neighbors(n_neighbors)
    compute = partial(_connectivity, n_neighbors=n_neighbors)
    return compute_one("Connectivity", compute, (), X, labels, metric=metric, noise=noise)


def _check_neighbors(n_neighbors: int) -> None:
    """Raise unless there is at least one neighbour."""
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1; got {n_neighbors}")


def nearest_others(stats: Statistics, judged: NDArray[np.intp], number: int) -> NDArray[np.intp]:
    """Positions in ``judged`` of the nearest other objects of each object, nearest first."""
    if stats.metric == "euclidean":
        from sortal.distances.neighbors import neighbor_lists

        return neighbor_lists(stats.X[judged], number).indices.astype(np.intp)
    distances = as_distances(stats.X, stats.metric, exact=True).take(judged)
    n = len(judged)
    number = min(number, n - 1)
    out = np.empty((n, number), dtype=np.intp)
    for start in range(0, n, 256):
        stop = min(start + 256, n)
        # columns are the objects, rows the others
        D = distances.block(slice(0, n), slice(start, stop)).T
        D[np.arange(stop - start), np.arange(start, stop)] = np.inf
        out[start:stop] = np.argsort(D, axis=1, kind="stable")[:, :number]
    return out


def _connectivity(stats: Statistics, n_neighbors: int = 10) -> list[float | str]:
    """Connectivity of all clusterings."""
    from sortal.measures.passes.ranks import by_judged

    values: list[float | str] = ["fewer than two objects are judged"] * len(stats)
    for judged, clusterings in by_judged(stats.labelings):
        near = nearest_others(stats, judged, n_neighbors)
        weights = 1 / np.arange(1, near.shape[1] + 1)
        for m in clusterings:
            codes = stats.labelings.codes[m, judged]
            values[m] = float(((codes[near] != codes[:, None]) * weights).sum())
    return values


@cite("liu2013")
def cvnn_index(
    X: ArrayLike,
    labels: object,
    *,
    n_neighbors: int = 10,
    compactness: Literal["sum", "pooled"] = "sum",
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
) -> Scores:
    """CVNN: share of foreign neighbours plus mean distance within, relative to the worst values.

    It compares clusterings of the same data: Sep(C)/max Sep + Com(C)/max Com over all of them.
    The value depends on the compared clusterings, so there is no record in the catalogue. Between
    0 and 2, lower is better; a single clustering always has 2.

    Parameters
    ----------
    labels : array-like (M, n), mapping or DataFrame
        The clusterings to compare.
    n_neighbors : int
        fpc has 5.
    compactness : {"sum", "pooled"}
        ``"sum"``: the clusters' mean distances in sum, as in the paper. ``"pooled"``: the mean
        over the pairs of all clusters, as in ``cvnn`` of R's fpc.

    Returns
    -------
    Scores
        A value for each clustering, and ``reasons`` for clusterings of one cluster.

    Notes
    -----
    Sep is the largest share of foreign neighbours of a cluster, Com = Σ_c 2/(n_c(n_c − 1))
    Σ_{x,y in c} d(x, y). The paper's Com is a sum over clusters, so it grows with k where the
    clusters are equally tight. fpc corrects this by one mean over all pairs within, which may
    reverse the order of clusterings. O(n² d).

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> scores = cvnn_index(X, [[0, 0, 1, 1], [0, 1, 0, 1]], n_neighbors=1)
    >>> scores["cvnn_index"].round(6).tolist()
    [0.1, 2.0]
    """
    from sortal.measures.passes.ranks import by_judged

    _check_neighbors(n_neighbors)
    check_choice(compactness, ("sum", "pooled"), "compactness")
    inputs = Inputs.of_data(X, labels, metric=metric, noise=noise)
    stats = Statistics(inputs.X, inputs.labelings, ["pair_sums"], metric=inputs.metric)
    foreign_shares, mean_distances = stats.values(), stats.values()
    reasons: dict[str, dict[str, str]] = {}
    for judged, clusterings in by_judged(stats.labelings):
        near = nearest_others(stats, judged, n_neighbors)
        for m in clusterings:
            if missing := too_few_clusters(stats, m):
                reasons[stats.labelings.names[m]] = {"cvnn_index": missing}
                continue
            codes, sizes = stats.labelings.codes[m, judged], stats.sizes[m]
            foreign = (codes[near] != codes[:, None]).mean(axis=1)
            foreign_shares[m] = float((np.bincount(codes, foreign, len(sizes)) / sizes).max())
            pairs, sums = sizes * (sizes - 1) // 2, stats.within_sums[m]
            if compactness == "pooled":
                mean_distances[m] = float(sums.sum() / max(pairs.sum(), 1))
            else:
                mean_distances[m] = float((sums / np.maximum(pairs, 1)).sum())
    values = _over_largest(foreign_shares) + _over_largest(mean_distances)
    return Scores.of(inputs.labelings.names, {"cvnn_index": values}, reasons, inputs.coverage)


def _over_largest(values: Floats) -> Floats:
    """Values divided by the largest; unchanged if that is 0."""
    largest = np.fmax.reduce(values)
    return values / largest if largest > 0 else values


@of_features(
    "S_Dbw",
    family="density",
    references=["halkidi2001"],
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n k d)",
    default=False,
)
def s_dbw_index(stats: Statistics, m: int) -> float | str:
    """S_Dbw: scattering within clusters plus density between them, Scat + Dens_bw.

    Notes
    -----
    Scat is :func:`sd_scattering`. The density of a pair of clusters counts their objects within σ =
    √(Σ_c ∣variances of c∣)/k of the midpoint of the centroids. It is divided by the larger count at
    the centroids (0 if both are 0). Dens_bw is 1/(k(k−1)) times the sum over all ordered pairs, so
    the *mean* over the pairs, as in R's clv and the manual of clusterCrit. clusterCrit itself uses
    the sum (iris: 0.8233; the mean gives 0.3471). The Python package s-dbw uses standard deviations
    instead of variances, and counts only the cluster of the centroid. O(n k d) time, O(k²) memory.

    Examples
    --------
    >>> round(s_dbw_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 4)
    0.0099
    """
    if stats.pairs_within(m) == 0:
        return SINGLETONS_ONLY
    C = stats.centroids[m]
    k = len(C)
    lengths, total = variance_lengths(stats, m)
    if total == 0:
        return ALL_COINCIDE
    scattering = float(lengths.mean()) / total
    radius = math.sqrt(float(lengths.sum())) / k
    require_memory(40.0 * k * k, f"S_Dbw of {k:,} clusters", "exclude it, or merge clusters")
    at_centroids, between = _near_centroids(stats, m, radius)
    at_own_centroid = np.diagonal(at_centroids)
    highest = np.maximum(at_own_centroid[:, None] + at_centroids.T, at_own_centroid + at_centroids)
    dense = (highest > 0) & np.tri(k, k=-1, dtype=bool)
    return scattering + float(((between + between.T)[dense] / highest[dense]).sum()) / math.comb(
        k, 2
    )


def _near_centroids(stats: Statistics, m: int, radius: float) -> tuple[Floats, Floats]:
    """Numbers (k, k) of the row's objects within ``radius`` of the column's centroid.

    And of the midpoint of both centroids: x is within r of (a + b)/2 if 2x − a is within 2r of b.
    """
    from scipy.spatial.distance import cdist

    C = stats.centroids[m]
    at_centroids, between = np.zeros((len(C), len(C))), np.zeros((len(C), len(C)))
    for clusters, weights, rows in centred_blocks(stats, m):
        near = (cdist(rows, C) <= radius) * weights[:, None]
        np.add.at(at_centroids, clusters, near)
        near = (cdist(2 * rows - C[clusters], C) <= 2 * radius) * weights[:, None]
        np.add.at(between, clusters, near)
    return at_centroids, between


define(
    dbcv,
    "Density-based clustering validation (DBCV)",
    family="density",
    references=["moulavi2014 definitions 1–8"],
    range=(-1.0, 1.0),
    cost="O(n² d)",
    default=False,
    takes="features",
)
define(
    connectivity,
    "Connectivity",
    family="neighbours",
    references=["handl2005"],
    compute=_connectivity,
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² (d + log n))",
    compares_k=False,
    default=False,
)
