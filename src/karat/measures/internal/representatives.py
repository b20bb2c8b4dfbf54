"""CDbw: compactness, cohesion and separation of clusters that points at their borders represent."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import each, one_value
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["cdbw_index"]

REPRESENTATIVES = 10
SHRINKAGES = np.arange(1, 9) / 10
BLOCK_ROWS = 1024
TIE = 1e-9  # distances that differ by less, relatively, are equal


def cdbw_index(
    X: Any,
    labels: Any,
    *,
    n_representatives: int = REPRESENTATIVES,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Composed density between and within clusters (CDbw): compactness · cohesion · separation.

    Each cluster is represented by objects far from each other. Compact: many objects are near
    the representatives as they are moved to the centroid; cohesive: as many at each step;
    separated: representatives of two clusters that are nearest to each other are far apart, and few
    objects are in the middle. Not negative, greater is better. It depends on the scale of X.

    Parameters
    ----------
    n_representatives : int
        Of each cluster at most; as many as it has different objects, if fewer.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, and where the objects of every cluster coincide.
    InputError
        Unless n_representatives is at least 1.

    Notes
    -----
    Halkidi & Vazirgiannis 2008, with the choices of Halkidi, Vazirgiannis & Hennig 2015. The first
    representative is the object farthest from the centroid, each next the one farthest from those
    chosen. σ_c is the root of the sum of squared distances to the centroid over n_c − 1;
    cardinality is the share of objects nearer than σ.

    - Between two clusters, for each pair of representatives that are each other's nearest: their
      distance; and its product with the cardinality of the middle, σ the mean of the two, over
      2σ. Means over the pairs are dist and dens. Separation is the mean, over the clusters, of
      the least dist, over 1 + the mean of the largest dens.
    - Within, for each s = 0.1, ..., 0.8: the mean over the clusters of the mean cardinality of its
      representatives, moved by s of the way to the centroid, over the mean of all σ_c. Compactness
      is the mean over s, cohesion is compactness over 1 + the mean absolute change from s to s.

    fpc's ``cdbw`` has other values (version 2.2): it compares *squared* distances with σ_c within
    clusters, takes σ of the first cluster alone between them, and adds the changes with their
    signs. ClustPy's and the package cdbw represent clusters by their convex hulls. Of equally far
    objects the earlier one is taken, so the value may change with the order of the objects.
    O(n d r (k + 8)) for r representatives, O(n r) memory.

    Examples
    --------
    >>> from karat import cdbw_index
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> round(cdbw_index(X, [0, 0, 0, 1, 1, 1]), 3)
    2.469
    """
    if n_representatives < 1:
        raise InputError(f"n_representatives must be at least 1; got {n_representatives}")
    compute = each(lambda stats, m: _cdbw(stats, m, n_representatives))
    return one_value(
        "CDbw", compute, ["centroids"], X, labels, noise=noise, sample_weight=sample_weight
    )


def _cdbw(stats: Statistics, m: int, n_representatives: int) -> float | str:
    sizes, C = stats.sizes[m], stats.centroids[m]
    freedom = 2 * stats.cluster_pairs(m) / sizes
    spreads = np.sqrt(stats.squares[m] / np.where(freedom > 0, freedom, 1)) * (freedom > 0)
    if not spreads.any():
        return "the objects of every cluster coincide"
    members = [np.flatnonzero(stats.labelings.codes[m] == c) for c in range(len(C))]
    some = [_far_apart(stats, own, c, n_representatives) for own, c in zip(members, C, strict=True)]

    def cardinality(cluster: int, points: Floats, radius: float) -> Floats:
        near = _apart(stats, members[cluster], points) < radius * (1 - TIE)
        return near.sum(axis=0) if stats.weights is None else stats.weights[members[cluster]] @ near

    apart, dense = np.full((len(C), len(C)), np.inf), np.zeros((len(C), len(C)))
    for i, j in itertools.combinations(range(len(C)), 2):
        D = np.linalg.norm(some[i][:, None] - some[j], axis=2)
        nearest = _first_least(D)
        a = np.flatnonzero(_first_least(D.T)[nearest] == np.arange(len(D)))
        b = nearest[a]
        apart[i, j] = apart[j, i] = D[a, b].mean()
        radius = (spreads[i] + spreads[j]) / 2
        if radius > 0:
            middles = (some[i][a] + some[j][b]) / 2
            share = sum(cardinality(c, middles, radius) for c in (i, j)) / (sizes[i] + sizes[j])
            dense[i, j] = dense[j, i] = (D[a, b] * share).mean() / (2 * radius)
    separation = apart.min(axis=1).mean() / (1 + dense.max(axis=1).mean())

    inside = np.zeros(len(SHRINKAGES))
    for c, points in enumerate(some):
        for i, s in enumerate(SHRINKAGES):
            inside[i] += cardinality(c, points + s * (C[c] - points), spreads[c]).mean() / sizes[c]
    inside /= len(C) * spreads.mean()
    compactness = inside.mean()
    cohesion = compactness / (1 + np.abs(np.diff(inside)).mean())
    return float(compactness * cohesion * separation)


def _apart(stats: Statistics, members: NDArray[np.intp], points: Floats) -> Floats:
    """(members, points): distances to points that are given relative to ``stats.shift``."""
    from scipy.spatial.distance import cdist

    out = np.empty((len(members), len(points)))
    for start in range(0, len(members), BLOCK_ROWS):
        rows: Any = stats.X[members[start : start + BLOCK_ROWS]]
        dense = (rows.toarray() if hasattr(rows, "toarray") else rows) - stats.shift
        out[start : start + BLOCK_ROWS] = cdist(dense, points)
    return out


def _far_apart(
    stats: Statistics, members: NDArray[np.intp], centroid: Floats, number: int
) -> Floats:
    """The object farthest from the centroid, then the one farthest from those before it, ..."""
    farthest = _first_greatest(_apart(stats, members, centroid[None])[:, 0])
    nearest = np.full(len(members), np.inf)
    points: list[Floats] = []
    while len(points) < number and nearest[farthest] > 0:
        row: Any = stats.X[members[farthest : farthest + 1]]
        row = row.toarray() if hasattr(row, "toarray") else row
        points.append(np.asarray(row[0], dtype=np.float64) - stats.shift)
        nearest = np.minimum(nearest, _apart(stats, members, points[-1][None])[:, 0])
        farthest = _first_greatest(nearest)
    return np.array(points)


def _first_least(distances: Floats) -> NDArray[np.intp]:
    """Of each row, the first of those as small as the least."""
    return (distances <= distances.min(axis=1, keepdims=True) * (1 + TIE)).argmax(axis=1)


def _first_greatest(distances: Floats) -> int:
    return int((distances >= distances.max() * (1 - TIE)).argmax())


define(
    cdbw_index,
    "Composed density between and within clusters (CDbw)",
    family="density",
    references=[Reference("halkidi2008"), Reference("halkidi2015")],
    compute=each(lambda stats, m: _cdbw(stats, m, REPRESENTATIVES)),
    needs=["centroids"],
    range=(0.0, math.inf),
    cost="O(n d r (k + 8)) for r = 10 representatives",
    default=False,
    takes="features",
)
