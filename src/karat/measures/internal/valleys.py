"""Where the density falls: at the borders of clusters, outward from their modes, in gaps.

Three measures of Hennig's, with the density of R's fpc, and how even distances within are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.labelings.labels import NOISE, NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.docstrings import cite
from karat.measures.internal.batch import Compute, each, one, one_value
from karat.measures.passes.densities import SHARE
from karat.measures.passes.statistics import Statistics
from karat.measures.passes.trees import spanning_tree
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "density_cut",
    "density_decrease",
    "high_density_gap",
    "neighbor_distance_variation",
]


def density_cut(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Whether borders of clusters run through dense regions.

    Mean over the objects of density times what other clusters contribute to it, both over the
    largest density. Between 0 and 1, lower is better: 0 where no object is near another cluster.

    Parameters
    ----------
    metric : str or callable
        A symmetric distance.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, and where a tenth of all distances are 0.
    InputError
        For a distance that is not symmetric.

    Notes
    -----
    ``denscut`` of fpc's ``cqcluster.stats``; Hennig 2019, section 3.6. The density at an object is
    the sum of max(0, 1 − d/q) over all objects, itself among them, where q is the quantile 0.1 of
    the distances of all pairs. O(n² d), n memory for each clustering.

    Examples
    --------
    >>> from karat import density_cut
    >>> X = [[0.0], [0.3], [0.4], [0.7], [5.0], [5.3], [5.4], [5.7]]
    >>> density_cut(X, [0, 0, 0, 0, 1, 1, 1, 1])
    0.0
    >>> round(density_cut(X, [0, 0, 1, 1, 1, 1, 1, 1]), 3)
    0.1
    """
    return one("density_cut", X, labels, metric, noise)


def density_decrease(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Whether the density falls from the mode of each cluster outwards.

    Each cluster is visited from its densest object on, always to the object nearest to those
    visited; where the density over the largest rises on such a step, the rise is squared. The
    root of the sum over n. Between 0 and 1, lower is better.

    Parameters
    ----------
    metric : str or callable
        A symmetric distance.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, and where a tenth of all distances are 0.
    InputError
        For a distance that is not symmetric.

    Notes
    -----
    ``dindex`` of fpc's ``cqcluster.stats``; Hennig 2019, section 3.6. Not :func:`d_index`, which is
    NbClust's. The density is that of :func:`density_cut`. Of equally dense or near objects the
    earlier one is taken, so the value may change with the order of the objects. O(n² d), n memory
    for each clustering.

    Examples
    --------
    >>> from karat import density_decrease
    >>> X = [[0.0], [0.3], [0.4], [0.7], [5.0], [5.3], [5.4], [5.7]]
    >>> density_decrease(X, [0, 0, 0, 0, 1, 1, 1, 1])
    0.0
    >>> round(density_decrease(X, [0, 0, 0, 0, 0, 0, 0, 1]), 3)
    0.141
    """
    return one("density_decrease", X, labels, metric, noise)


def high_density_gap(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Widest gap within a cluster, weighted by the density beyond it.

    Clusters are visited as in :func:`density_decrease`; the largest, over the steps, of a step's
    length times the largest density of the objects not yet visited, over the largest of all.
    Not negative, lower is better; it falls as clusters are split.

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
    UndefinedMeasureError
        For fewer than two clusters, and where a tenth of all distances are 0.
    InputError
        For a distance that is not symmetric.

    Notes
    -----
    ``highdgap`` of fpc's ``cqcluster.stats`` with ``standardisation="none"``, else divided by the
    largest distance of all; Hennig 2019, section 3.6. Unlike :func:`widest_within_gap`, an object
    apart from its cluster hardly counts. O(n² d), n memory for each clustering.

    Examples
    --------
    >>> from karat import high_density_gap
    >>> X = [[0.0], [0.3], [0.4], [0.7], [5.0], [5.3], [5.4], [5.7]]
    >>> round(high_density_gap(X, [0, 0, 0, 0, 1, 1, 1, 1]), 3)
    0.18
    >>> round(high_density_gap(X, [0, 0, 0, 0, 0, 0, 0, 1]), 3)
    4.3
    """
    return one("high_density_gap", X, labels, metric, noise)


@cite(Reference("hennig2019", "section 3.7"))
def neighbor_distance_variation(
    X: Any,
    labels: Any,
    *,
    n_neighbors: int = 2,
    metric: Any = "euclidean",
    noise: NoisePolicy = "error",
) -> float:
    """How uneven the density within clusters is: variation of the distances to near neighbours.

    The coefficient of variation of the distances to the ``n_neighbors``-th nearest other object of
    the own cluster, averaged over the clusters by size. Not negative; 0 for even spacing. Labels
    at random may well have a low value, so it judges no clustering and is not in the catalogue.

    Parameters
    ----------
    n_neighbors : int
        Clusters with this many objects or fewer do not count.

    Raises
    ------
    UndefinedMeasureError
        Where no cluster has more objects, or all neighbours of a cluster coincide.
    InputError
        Unless n_neighbors is at least 1.

    Notes
    -----
    ``cvnnd`` of fpc's ``cqcluster.stats`` with ``standardisation="none"``; the standard deviation
    is over n_c − 1. O(Σ n_c² d).

    Examples
    --------
    >>> from karat import neighbor_distance_variation
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [13.0], [16.0]]
    >>> round(neighbor_distance_variation(X, [0, 0, 0, 0, 1, 1, 1, 1], n_neighbors=1), 4)
    0.2736
    """
    if n_neighbors < 1:
        raise InputError(f"n_neighbors must be at least 1; got {n_neighbors}")
    compute = each(lambda stats, m: _variation(stats, m, n_neighbors), least_k=1)
    return one_value("Neighbour distance variation", compute, (), X, labels, metric, noise)


def _variation(stats: Statistics, m: int, n_neighbors: int) -> float | str:
    from karat.distances.neighbors import neighbor_lists

    total = weight = 0.0
    for members in _members(stats, m):
        if len(members) <= n_neighbors:
            continue
        own: Any = np.ix_(members, members) if stats.metric == "precomputed" else members
        near = neighbor_lists(stats.X[own], n_neighbors, metric=stats.metric, algorithm="exact")
        last = near.distances[:, -1]
        if not last.any():
            return f"the {n_neighbors} nearest neighbours coincide throughout a cluster"
        total += len(members) * float(last.std(ddof=1) / last.mean())
        weight += len(members)
    return total / weight if weight else f"no cluster has more than {n_neighbors} objects"


def _members(stats: Statistics, m: int) -> Iterator[NDArray[np.intp]]:
    codes = stats.labelings.codes[m]
    order = np.argsort(codes, kind="stable")
    yield from np.split(order[codes[order] != NOISE], np.cumsum(stats.sizes[m])[:-1])


def _of_density(value: Callable[[Statistics, int], float]) -> Compute:
    """The batch form of a value that needs densities."""

    def checked(stats: Statistics, m: int) -> float | str:
        if stats.density_radii[m] > 0:
            return value(stats, m)
        return f"{SHARE:.0%} of all distances are 0, so the density's kernel has no radius"

    return each(checked)


@_of_density
def _cut(stats: Statistics, m: int) -> float:
    everywhere, others = stats.densities[m]
    return float(np.nanmean(everywhere * others))


@_of_density
def _decrease(stats: Statistics, m: int) -> float:
    total = 0.0
    for density, steps, _ in _walks(stats, m):
        rises = density[steps[:, 1]] - density[steps[:, 0]]
        total += float((np.maximum(rises, 0) ** 2).sum())
    return math.sqrt(total / stats.n_judged(m))


@_of_density
def _gap(stats: Statistics, m: int) -> float:
    widest = 0.0
    for density, steps, lengths in _walks(stats, m):
        beyond = np.maximum.accumulate(density[steps[::-1, 1]])[::-1]
        widest = max(widest, float((lengths * beyond).max()))
    return widest


def _walks(stats: Statistics, m: int) -> Iterator[tuple[Floats, NDArray[np.int64], Floats]]:
    """Of each cluster of two or more: densities, steps (from, to) of its walk, their lengths."""
    distances = as_distances(stats.X, stats.metric, exact=True)
    for members in _members(stats, m):
        if len(members) == 1:
            continue
        mode = int(np.argmax(stats.densities[m][0, members]))
        members = np.concatenate([members[mode : mode + 1], np.delete(members, mode)])
        u, v, lengths = spanning_tree(distances.take(members))
        visited = np.zeros(len(members), dtype=bool)
        visited[0] = True
        steps = np.empty((len(u), 2), dtype=np.int64)
        for step, ends in enumerate(zip(u.tolist(), v.tolist(), strict=True)):
            steps[step] = ends if visited[ends[0]] else ends[::-1]
            visited[steps[step, 1]] = True
        yield stats.densities[m][0, members], steps, lengths


define(
    density_cut,
    "Density at the borders of clusters",
    family="density",
    references=[Reference("hennig2019", "section 3.6")],
    compute=_cut,
    needs=["densities"],
    greater_is_better=False,
    cost="O(n² d), n memory for each clustering",
    compares_k=False,
    default=False,
)
define(
    density_decrease,
    "Rise of the density away from modes",
    family="density",
    references=[Reference("hennig2019", "section 3.6")],
    compute=_decrease,
    needs=["densities"],
    greater_is_better=False,
    cost="O(n² d), n memory for each clustering",
    compares_k=False,
    default=False,
)
define(
    high_density_gap,
    "Widest gap before a dense part of a cluster",
    family="density",
    references=[Reference("hennig2019", "section 3.6")],
    compute=_gap,
    needs=["densities"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n² d), n memory for each clustering",
    compares_k=False,
    default=False,
)
