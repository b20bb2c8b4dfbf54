"""Informativeness of many objects, from a sample of them that is tested against all.

Each sampled object is predicted by its nearest neighbours among all other objects, as in the exact
leave-one-out; only the share of each cluster that is recognised is estimated. The sample is simple
within each cluster of each clustering, with ten objects of it (or all) in any case.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances.neighbors import neighbors_of_some
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.passes.estimates import settle
from karat.measures.passes.samples import ObjectSample
from karat.runtime.executors import Workers
from karat.runtime.validation import Data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.measures.passes.samples import Found

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

NEIGHBORS = 5
#: neighbours more than are counted, because a clustering may have excluded some as outliers
SPARE = 15
PART = 128  # of a sample that is one item of an executor's work
_ONE_CLUSTER = "the clustering has fewer than two clusters; it needs at least 2"


def estimate_informativeness(
    X: Data,
    labelings: Labelings,
    *,
    precision: float,
    metric: Any,
    rng: np.random.Generator,
    workers: Workers | None = None,
) -> tuple[Floats, Floats, dict[int, str], int]:
    """Informativeness of M clusterings with standard errors of at most ``precision``.

    Returns
    -------
    values, standard_errors : ndarray of float64, shape (M,)
    reasons : dict of int to str
        Why clustering m has no value.
    drawn : int
        How many objects were drawn.
    """
    reasons = dict.fromkeys(np.flatnonzero(labelings.n_clusters < 2).tolist(), _ONE_CLUSTER)

    def recognised(objects: NDArray[Any]) -> Floats:
        predicted = _predict(X, labelings, objects, metric, workers or Workers())
        return (predicted == labelings.codes[:, objects]).astype(np.float64)

    def estimates() -> Found:
        found = [
            (math.nan, 0.0) if m in reasons else _estimate(labelings.sizes(m), *sample.judged_by(m))
            for m in range(len(labelings))
        ]
        values, errors = np.array(found).T
        return values[:, None], errors[:, None], {}

    sample = ObjectSample(labelings, rng, recognised)
    if len(reasons) == len(labelings):
        nothing = np.full(len(labelings), math.nan)
        return nothing, nothing, reasons, 0
    (values, errors, _), drawn = settle(sample, estimates, precision)
    return values[:, 0], np.where(np.isnan(values), np.nan, errors)[:, 0], reasons, drawn


def _estimate(sizes: NDArray[np.int64], own: Codes, right: Floats) -> tuple[float, float]:
    """Informativeness and its standard error, from which of the sampled objects are recognised."""
    drawn = np.bincount(own, minlength=len(sizes)).astype(np.float64)
    hits = np.bincount(own, right, minlength=len(sizes))
    shares = sizes / sizes.sum()
    weights = -shares * np.log(shares)  # of a cluster's recognised share in AI
    entropy = weights.sum()
    expected = entropy / len(sizes)
    value = (weights @ (hits / drawn) - expected) / (entropy - expected)
    # two of each kind are added (Agresti & Coull 1998): a share of 1 in a sample is not certain
    share = (hits + 2) / (drawn + 4)
    variance = share * (1 - share) / (drawn + 4) * (1 - drawn / sizes)
    return float(value), float(np.sqrt(weights**2 @ variance) / (entropy - expected))


def _predict(
    X: Data, labelings: Labelings, objects: NDArray[Any], metric: Any, workers: Workers
) -> Codes:
    """:func:`predict`, some of the objects at a time where that is another process's work."""
    if workers.elsewhere is None:
        return predict(X, labelings, objects, metric)
    parts = [objects[i : i + PART] for i in range(0, len(objects), PART)]
    found = workers.map(partial(_predict_part, metric), (X, labelings), parts)
    return np.concatenate(list(found), axis=1)


def _predict_part(metric: Any, X: Data, labelings: Labelings, objects: NDArray[Any]) -> Codes:
    return predict(X, labelings, objects, metric)


def predict(X: Data, labelings: Labelings, objects: NDArray[Any], metric: Any) -> Codes:
    """Codes (M, s) that the five nearest of all other objects give the objects.

    With outliers in a clustering, of the nearest that it does not exclude.
    """
    codes = labelings.codes
    most = len(codes[0]) - 1
    noisy = (codes == NOISE).any(axis=1)
    length = min(NEIGHBORS + SPARE * bool(noisy.any()), most)
    found = neighbors_of_some(X, objects, length, metric=metric)
    out = np.full((len(codes), len(objects)), NOISE, dtype=np.int32)
    plain = np.flatnonzero(~noisy)
    if len(plain):
        out[plain] = _vote(found[:, :NEIGHBORS], codes[plain])
    for m in np.flatnonzero(noisy):
        among = codes[m] != NOISE
        count = min(NEIGHBORS, int(among.sum()) - 1)
        if count < 1:
            continue
        kept = among[found]
        first = np.argsort(~kept, axis=1, kind="stable")[:, :count]
        lists = np.take_along_axis(found, first, axis=1)
        short = np.flatnonzero((kept.sum(axis=1) < count) & among[objects])
        if len(short):
            lists[short] = neighbors_of_some(X, objects[short], count, metric=metric, among=among)
        out[m] = _vote(lists, codes[m : m + 1])[0]
    return out


def _vote(lists: NDArray[np.int32], codes: Codes) -> Codes:
    from karat._kernels.neighbors import majority_vote

    there, local = np.unique(lists, return_inverse=True)
    out = np.full((len(codes), len(lists)), NOISE, dtype=np.int32)
    near = np.ascontiguousarray(local.reshape(lists.shape).astype(np.int32))
    majority_vote(near, np.ascontiguousarray(codes[:, there].T), 0, len(lists), out)
    return out
