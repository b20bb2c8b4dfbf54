"""Informativeness of many objects, estimated from a sample of test objects.

Each sampled object is predicted by its nearest neighbours among all other objects, as in the exact
leave-one-out; only the recognised share of each cluster is estimated. The sample is simple within
each cluster of each clustering, with at least ten objects of the cluster (or all).
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sortal.distances.neighbors import neighbors_of_some
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.measures.clarity.classifiers import KNearestNeighbors
from sortal.measures.internal.batch import TOO_FEW_CLUSTERS
from sortal.measures.passes.estimates import settle
from sortal.measures.passes.samples import GrowingSample
from sortal.runtime.executors import Workers
from sortal.typing import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.measures.passes.samples import EstimatedValues
    from sortal.typing import Floats, Ints, Metric

    Codes = NDArray[np.int32]

N_VOTERS = KNearestNeighbors().n_neighbors
#: limit of cost: further neighbours in each list, as a clustering may exclude some as outliers
SPARE_NEIGHBORS = 15
#: limit of cost: objects of a sample in one job of an executor
PART_SIZE = 128


def estimate_informativeness(
    X: Rows,
    labelings: Labelings,
    *,
    precision: float,
    metric: Metric,
    rng: np.random.Generator,
    workers: Workers | None = None,
) -> tuple[Floats, Floats, dict[int, str], int]:
    """Informativeness of M clusterings with standard errors of at most ``precision``.

    Returns
    -------
    values, standard_errors : ndarray of float64, shape (M,)
    reasons : dict of int to str
        Reason of a missing value of clustering m.
    n_sampled : int
        Number of objects in the sample.
    """
    reasons = dict.fromkeys(np.flatnonzero(labelings.n_clusters < 2).tolist(), TOO_FEW_CLUSTERS)

    def recognised(objects: Ints) -> Floats:
        predicted = _predict(X, labelings, objects, metric, workers or Workers())
        return (predicted == labelings.codes[:, objects]).astype(np.float64)

    def estimates() -> EstimatedValues:
        pairs = [
            (math.nan, 0.0) if m in reasons else _estimate(labelings.sizes(m), *sample.judged_by(m))
            for m in range(len(labelings))
        ]
        values, errors = np.array(pairs).T
        return values[:, None], errors[:, None], {}

    sample = GrowingSample(labelings, rng, recognised)
    if len(reasons) == len(labelings):
        nothing = np.full(len(labelings), math.nan)
        return nothing, nothing, reasons, 0
    (values, errors, _), n_sampled = settle(sample, estimates, precision)
    return values[:, 0], np.where(np.isnan(values), np.nan, errors)[:, 0], reasons, n_sampled


def _estimate(sizes: NDArray[np.int64], clusters: Codes, right: Floats) -> tuple[float, float]:
    """Informativeness and its standard error, from the recognised objects of a sample."""
    n_sampled = np.bincount(clusters, minlength=len(sizes)).astype(np.float64)
    hits = np.bincount(clusters, right, minlength=len(sizes))
    shares = sizes / sizes.sum()
    weights = -shares * np.log(shares)  # of a cluster's recognised share in AI
    entropy = weights.sum()
    expected = entropy / len(sizes)
    value = (weights @ (hits / n_sampled) - expected) / (entropy - expected)
    # two of each kind are added (Agresti & Coull 1998): a share of 1 in a sample is not certain
    share = (hits + 2) / (n_sampled + 4)
    variance = share * (1 - share) / (n_sampled + 4) * (1 - n_sampled / sizes)
    return float(value), float(np.sqrt(weights**2 @ variance) / (entropy - expected))


def _predict(
    X: Rows, labelings: Labelings, objects: Ints, metric: Metric, workers: Workers
) -> Codes:
    """Predictions of :func:`predict`, computed in parts if workers are other processes."""
    if workers.elsewhere is None:
        return predict(metric, X, labelings, objects)
    parts = [objects[i : i + PART_SIZE] for i in range(0, len(objects), PART_SIZE)]
    predictions = workers.map(partial(predict, metric), (X, labelings), parts)
    return np.concatenate(list(predictions), axis=1)


def predict(metric: Metric, X: Rows, labelings: Labelings, objects: Ints) -> Codes:
    """Codes (M, s) of the sampled objects, predicted by their five nearest objects.

    Outliers of a clustering do not vote in it.
    """
    codes = labelings.codes
    n_others = len(codes[0]) - 1
    noisy = (codes == NOISE).any(axis=1)
    length = min(N_VOTERS + SPARE_NEIGHBORS * bool(noisy.any()), n_others)
    neighbors = neighbors_of_some(X, objects, length, metric=metric)
    out = np.full((len(codes), len(objects)), NOISE, dtype=np.int32)
    plain = np.flatnonzero(~noisy)
    if len(plain):
        out[plain] = _vote(neighbors[:, :N_VOTERS], codes[plain])
    for m in np.flatnonzero(noisy):
        judged = codes[m] != NOISE
        count = min(N_VOTERS, int(judged.sum()) - 1)
        if count < 1:
            continue
        may_vote = judged[neighbors]
        nearest_judged = np.argsort(~may_vote, axis=1, kind="stable")[:, :count]
        lists = np.take_along_axis(neighbors, nearest_judged, axis=1)
        short = np.flatnonzero((may_vote.sum(axis=1) < count) & judged[objects])
        if len(short):
            lists[short] = neighbors_of_some(X, objects[short], count, metric=metric, among=judged)
        out[m] = _vote(lists, codes[m : m + 1])[0]
    return out


def _vote(lists: NDArray[np.int32], codes: Codes) -> Codes:
    """Majority vote of the listed neighbours in each clustering."""
    from sortal._kernels.neighbors import majority_vote

    voters, local = np.unique(lists, return_inverse=True)
    out = np.full((len(codes), len(lists)), NOISE, dtype=np.int32)
    near = np.ascontiguousarray(local.reshape(lists.shape).astype(np.int32))
    majority_vote(near, np.ascontiguousarray(codes[:, voters].T), 0, len(lists), out)
    return out
