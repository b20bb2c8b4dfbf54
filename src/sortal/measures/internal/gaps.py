"""Gaps within clusters, and the distances at their borders, as in R's fpc."""

from __future__ import annotations

import math

import numpy as np

from sortal.distances import as_distances
from sortal.labelings.labels import NOISE, NoisePolicy
from sortal.measures.docstrings import cite
from sortal.measures.internal.batch import statistics_of_one
from sortal.measures.passes.trees import spanning_tree
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Labels, Metric

__all__ = ["separation_index", "widest_within_gap"]


@cite("hennig2014")
def separation_index(
    X: ArrayLike,
    labels: Labels,
    *,
    share: float = 0.1,
    metric: Metric = "euclidean",
    noise: NoisePolicy = "error",
) -> float:
    """Mean distance to the nearest object of another cluster, of the objects nearest to a border.

    Less sensitive to a single object than the smallest distance between clusters. Not negative,
    greater is better; it falls as clusters are split.

    Parameters
    ----------
    share : float, default 0.1
        Share of the objects, those with the smallest distances, whose mean is taken; at least one
        object.

    Notes
    -----
    ``sindex`` of fpc's ``cluster.stats``: the share is of all objects. ``cqcluster.stats`` takes
    it of each cluster. O(n² d).

    Examples
    --------
    >>> separation_index([[0.0], [1.0], [10.0], [13.0]], [0, 0, 1, 1], share=0.5)
    9.0
    """
    if not 0 < share <= 1:
        raise InputError(f"share is a share of the objects, above 0 and at most 1; got {share}")
    stats, _ = statistics_of_one(
        X, labels, ["objects"], title="Separation index", metric=metric, noise=noise
    )
    nearest = stats.objects["nearest_between"][0][stats.labelings.codes[0] != NOISE]
    number = max(1, math.floor(share * len(nearest) + 1e-9))
    return float(np.partition(nearest, number - 1)[:number].mean())


@cite("hennig2014")
def widest_within_gap(
    X: ArrayLike, labels: Labels, *, metric: Metric = "euclidean", noise: NoisePolicy = "error"
) -> float:
    """Widest gap within a cluster: the longest edge of the clusters' minimum spanning trees.

    A cluster whose gap is g falls into two parts that are nowhere nearer than g. Not negative,
    lower is better; it falls as clusters are split, and is 0 if every cluster is a singleton.

    Notes
    -----
    ``widestgap`` of fpc's ``cluster.stats``. O(Σ n_c² d) time, O(n d) memory.

    Examples
    --------
    >>> widest_within_gap([[0.0], [1.0], [3.0], [10.0]], [0, 0, 0, 1])
    2.0
    """
    stats, inputs = statistics_of_one(X, labels, [], metric=metric, noise=noise)
    distances = as_distances(inputs.X, inputs.metric)
    if not distances.symmetric:
        raise InputError("gaps need a symmetric distance; for kl there is symmetric_kl")
    widest = 0.0
    for cluster in range(len(stats.sizes[0])):
        members = np.flatnonzero(stats.labelings.codes[0] == cluster)
        widest = max(widest, spanning_tree(distances.take(members))[2].max(initial=0.0))
    return float(widest)
