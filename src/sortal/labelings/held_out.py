"""Clusters of objects that did not form them, for measuring differences between clusters.

That clusters differ in the features they were made of is no evidence: k-means cuts a cloud without
clusters into parts that differ. Here each half of the objects is clustered alone, and the other
half is put into its clusters without looking at the feature in question.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.labels import NOISE
from sortal.typing import Floats, Rows

#: limit of cost: objects that are halved; more are sampled at random
MOST_HALVED = 4_000


@dataclass(frozen=True)
class HeldOut:
    """Objects, and for each its cluster by the half that it is not in."""

    rows: NDArray[np.intp]  # the objects
    found: NDArray[np.bool_]  # shape (k,): the clusters that k-means of either half finds again
    _points: Any
    _half: NDArray[np.intp]
    _centers: tuple[Floats, Floats]
    _by_direction: bool

    def clusters(self, without: Sequence[int] | NDArray[np.intp]) -> NDArray[np.intp]:
        """Cluster of each object by all columns except ``without``; -1 where nothing is left."""
        codes = np.empty(len(self.rows), dtype=np.intp)
        for half, centers in enumerate(self._centers):
            is_outside = self._half != half
            scores = self._points[is_outside] @ centers.T
            left_out: Any = self._points[is_outside][:, without]
            scores = np.asarray(scores - left_out @ centers[:, without].T)
            scores[np.abs(scores) < 1e-12] = 0.0
            squares = (centers**2).sum(axis=1) - (centers[:, without] ** 2).sum(axis=1)
            if self._by_direction:
                scores = scores / np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
            else:
                scores = scores - squares / 2
            undecided = self._by_direction & ~scores.any(axis=1)
            codes[is_outside] = np.where(undecided, NOISE, np.argmax(scores, axis=1))
        return codes


def held_out(
    points: Rows, codes: NDArray[Any], *, by_direction: bool = False, random_state: int = 0
) -> HeldOut | None:
    """Cluster each half of the objects alone, for differences measured on the other half.

    Rows are compared by Euclidean distance, or by their angle to a centre; outliers are excluded.
    k-means++ with three starts on each half; its clusters take the names of those that they share
    most objects with (heaviest matching). At most 4,000 objects, drawn at random, take part. None
    for one cluster, or fewer than four objects for each.
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    k = int(codes.max(initial=-1)) + 1
    rng = np.random.default_rng(random_state)
    rows = np.flatnonzero(codes != NOISE)
    rows = rng.permutation(rows)[:MOST_HALVED]
    if k < 2 or len(rows) < 4 * k:
        return None
    half = np.arange(len(rows)) % 2
    sample, sample_codes = points[rows], codes[rows]
    recovered = np.ones(k, dtype=bool)
    centers = []
    for side in range(2):
        model = KMeans(k, n_init=3, random_state=int(rng.integers(2**31)))
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer different objects than clusters
            model.fit(sample[half == side])
        shared = np.zeros((k, k), dtype=np.int64)
        np.add.at(shared, (sample_codes[half == side], model.labels_), 1)
        match = linear_sum_assignment(shared, maximize=True)[1]
        shared_size = shared[np.arange(k), match]
        union_size = shared.sum(axis=1) + shared.sum(axis=0)[match] - shared_size
        # a cluster is recovered from a Jaccard similarity of one half on (Hennig 2007)
        recovered &= (shared_size > 0) & (2 * shared_size >= union_size)
        centers.append(model.cluster_centers_[match])
    return HeldOut(rows, recovered, sample, half, (centers[0], centers[1]), by_direction)
