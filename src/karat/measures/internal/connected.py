"""DISCO: a silhouette of density-connectivity that scores outliers, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.labelings.labels import NOISE, NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.docstrings import cite
from karat.measures.internal.batch import one_value, statistics_of_one
from karat.measures.passes.statistics import Statistics
from karat.measures.passes.trees import spanning_tree
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["disco", "disco_samples"]

MIN_POINTS = 5
WIDTH = 16  # clusters looked at together, so that memory is O(n)


def disco(
    X: Any,
    labels: Any,
    *,
    min_points: int = MIN_POINTS,
    metric: Any = "euclidean",
    noise: NoisePolicy = "drop",
) -> float:
    """Mean silhouette of density-connectivity distances, outliers scored by where they lie (DISCO).

    Two objects are as far apart as the longest step on the best way between them, where steps
    cost mutual reachability: so clusters may have any shape. An outlier scores high in a sparse
    region far from the clusters. Between −1 and 1, greater is better.

    Parameters
    ----------
    labels : array-like, shape (n,)
        Outliers are -1.
    min_points : int
        The core distance of an object is that to its nearest other but ``min_points`` − 2, so
        that the object itself counts as one point; with 1 it is 0.
    metric : str or callable
        A symmetric distance.
    noise : {"drop", "cluster", "singletons", "error"}
        With ``"drop"`` outliers are in no cluster, and are scored as outliers.

    Returns
    -------
    float
        One cluster without outliers has 0, and outliers alone have −1, as the paper has it.

    Raises
    ------
    InputError
        Unless min_points is at least 1, for a distance that is not symmetric, and where distances
        are infinite. Where there are fewer than min_points objects, all are taken.

    Notes
    -----
    Beer et al. 2026. The distances come from the minimum spanning tree of the mutual
    reachability distances of *all* objects, outliers among them; one tree serves all clusterings.
    An object of a cluster has the silhouette of these distances; in the only cluster, each
    outlier counts as another cluster. An outlier x has the least of (c(x) − m)/max(c(x), m) and
    (r(x) − m)/max(r(x), m) over the clusters, where c is the core distance, m the largest one in
    the cluster and r(x) the distance to its nearest object. No matrix is stored: O(n² d) time for
    the tree, O(n k) for each clustering; O(n d) memory.

    Examples
    --------
    >>> from karat import disco
    >>> X = [[0.0], [1.0], [2.0], [20.0], [21.0], [22.0], [50.0]]
    >>> round(disco(X, [0, 0, 0, 1, 1, 1, -1], min_points=2), 4)
    0.9473
    """
    _check(min_points)

    def compute(stats: Statistics) -> list[float]:
        return _disco(stats, min_points)

    return one_value("DISCO", compute, (), X, labels, metric, noise)


@cite(Reference("beer2026"))
def disco_samples(
    X: Any,
    labels: Any,
    *,
    min_points: int = MIN_POINTS,
    metric: Any = "euclidean",
    noise: NoisePolicy = "drop",
) -> Floats:
    """DISCO of each object; :func:`disco` is its mean.

    Parameters and errors as :func:`disco`.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> from karat import disco_samples
    >>> X = [[0.0], [1.0], [2.0], [20.0], [21.0], [22.0], [50.0]]
    >>> disco_samples(X, [0, 0, 0, 1, 1, 1, -1], min_points=2).round(3)
    array([0.944, 0.944, 0.944, 0.944, 0.944, 0.944, 0.964])
    """
    _check(min_points)
    stats = statistics_of_one(X, labels, (), metric, noise)
    return _scores(_tree(stats, min_points), stats.labelings.codes[0])


def _check(min_points: int) -> None:
    if min_points < 1:
        raise InputError(f"min_points must be at least 1; got {min_points}")


def _disco(stats: Statistics, min_points: int) -> list[float]:
    tree = _tree(stats, min_points)
    return [float(_scores(tree, codes).mean()) for codes in stats.labelings.codes]


def _tree(stats: Statistics, min_points: int) -> tuple[Floats, Any, Floats]:
    """Core distances, and the parts and lengths of the tree's edges, shortest first."""
    from karat._kernels.connected import merges
    from karat.distances.neighbors import neighbor_lists

    n = stats.labelings.n_objects
    core = np.zeros(n)
    distances = as_distances(stats.X, stats.metric)
    if not distances.symmetric:
        raise InputError("spanning trees need a symmetric distance; for kl there is symmetric_kl")
    if min_points > 1 and n > 1:
        near = neighbor_lists(stats.X, min_points - 1, metric=stats.metric)
        core = np.ascontiguousarray(near.distances[:, -1])
    u, v, lengths = spanning_tree(distances, core)
    if not np.isfinite(lengths).all():
        raise InputError("density-connectivity needs finite distances; some are infinite")
    order = np.argsort(lengths, kind="stable")
    return core, merges(u[order], v[order]), lengths[order]


def _scores(tree: tuple[Floats, Any, Floats], codes: NDArray[np.int32]) -> Floats:
    from karat._kernels.connected import meetings

    core, parts, lengths = tree
    outlier = codes == NOISE
    sizes = np.bincount(codes[~outlier])
    if len(sizes) == 0:
        return np.full(len(codes), -1.0)
    within, other = np.zeros(len(codes)), np.full(len(codes), np.inf)
    scores = np.ones(len(codes))
    for first in range(0, len(sizes), WIDTH):
        some = np.arange(first, min(first + WIDTH, len(sizes)))
        sums, nearest = meetings(parts, lengths, codes, first, some[-1] + 1)
        own = codes[:, None] == some
        within += np.where(own, sums / np.maximum(sizes[some] - 1, 1), 0).sum(axis=1)
        means = np.where(own, np.inf, sums / sizes[some])
        other = np.minimum(other, means.min(axis=1))
        for i, c in enumerate(some if outlier.any() else ()):
            depth = core[codes == c].max()
            for value in (core, nearest[:, i]):
                scores[outlier] = np.minimum(scores[outlier], _contrast(value[outlier], depth))
    if len(sizes) == 1:
        if not outlier.any():
            return np.zeros(len(codes))
        alone = np.where(outlier, 0, NOISE).astype(np.int32)
        other = meetings(parts, lengths, alone, 0, 1)[1][:, 0]
    shared = ~outlier & (sizes[codes] > 1)
    scores[~outlier] = 0.0
    scores[shared] = _contrast(other[shared], within[shared])
    return scores


def _contrast(one: Floats, other: Any) -> Floats:
    """(one − other)/max(one, other), 0 where both are 0."""
    largest = np.maximum(one, other)
    return np.where(largest > 0, (one - other) / np.where(largest > 0, largest, 1), 0)


define(
    disco,
    "Density-based silhouette with outliers (DISCO)",
    family="density",
    references=[Reference("beer2026")],
    compute=lambda stats: _disco(stats, MIN_POINTS),
    range=(-1.0, 1.0),
    cost="O(n² d) once, O(n k) per clustering",
    default=False,
)
