"""The objects that represent their clusters."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sortal.distances import as_distances, check_points
from sortal.labelings.labels import apply_noise_policy, encode
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.distances import Distances
    from sortal.typing import ArrayLike, Labels, Metric

#: limit of cost: a block of distances has so many rows and columns
_BLOCK = 1024


def central_objects(
    X: ArrayLike, labels: Labels, per_cluster: int = 1, *, metric: Metric = "euclidean"
) -> list[NDArray[np.intp]]:
    """The most central objects of each cluster, the medoid first.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
        The data, or the (n, n) distances with ``metric="precomputed"``.
    labels : array-like, shape (n,)
        The clustering; outliers (``-1``) belong to no cluster.
    per_cluster : int, default 1
        How many of each cluster; all of a cluster that has fewer.
    metric : str or callable, default "euclidean"

    Returns
    -------
    list of ndarray of int
        For each cluster, in the order of names: positions of the objects with the smallest sums of
        distances to the others. Ties go to the first in the data.

    Raises
    ------
    InputError
        For other lengths, or ``per_cluster`` below 1.

    Notes
    -----
    O(Σ n_c² d) for clusters of n_c objects; a block of distances at a time is stored. The medoid
    is what whissell2012 §7.3 asks a label for.

    Examples
    --------
    >>> from sortal.labeling import central_objects
    >>> central_objects([[0.0], [1.0], [2.0], [10.0]], [0, 0, 0, 1])
    [array([1]), array([3])]
    """
    if per_cluster < 1:
        raise InputError(f"per_cluster must be at least 1; got {per_cluster}")
    encoded = apply_noise_policy(encode(labels), "drop")
    distances = as_distances(check_points(X, metric), metric)
    if len(encoded.codes) != distances.n:
        raise InputError(f"labels has {len(encoded.codes)} labels for {distances.n} objects of X")
    order = np.argsort(encoded.codes, kind="stable")
    ends = np.searchsorted(encoded.codes[order], np.arange(len(encoded.names) + 1))
    central = []
    for start, end in itertools.pairwise(ends):
        members = order[start:end]
        sums = _sums(distances.take(members))
        central.append(members[np.argsort(sums, kind="stable")[:per_cluster]])
    return central


def _sums(distances: Distances) -> NDArray[np.float64]:
    """Sum of the distances from each object to all others."""
    n = distances.n
    sums = np.zeros(n)
    for i in range(0, n, _BLOCK):
        for j in range(0, n, _BLOCK):
            rows, columns = slice(i, min(i + _BLOCK, n)), slice(j, min(j + _BLOCK, n))
            sums[rows] += distances.block(rows, columns).sum(axis=1)
    largest = float(sums.max())
    if largest > 0:  # sums that differ by rounding alone are equal
        sums = np.asarray(sums / largest).round(12)
    return sums
