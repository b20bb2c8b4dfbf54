"""Scatter matrices of features, within clusters and in total, reduced to a few numbers.

The d × d matrices exist for one clustering at a time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sortal.distances import ROWS_TO_ALL, Distances
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.measures.passes.over_pairs import OverPairs
from sortal.runtime.resources import require_memory
from sortal.runtime.threads import available_cores
from sortal.runtime.validation import InputError
from sortal.typing import Floats, Metric, Rows

#: limit of cost: numbers in a dense block of rows
SCATTER_NUMBERS = 2**22


class Scatter(NamedTuple):
    """ln(∣T∣/∣W∣) of one clustering, NaN where W is singular; T's eigenvalues, greatest first."""

    log_det_ratio: float
    total_eigenvalues: Floats


def check_room(d: int, clusterings: int) -> None:
    """Raise if matrices of d × d do not fit in memory."""
    at_once = min(clusterings, available_cores())
    require_memory(
        at_once * 6.0 * 8 * d * d,
        f"the scatter matrices of {d:,} features",
        "reduce the features first, for example to principal components, "
        "or exclude the criteria of determinants",
    )


def scatter(X: Rows, labelings: Labelings, m: int) -> Scatter:
    """Scatter of clustering m, O(n d² + d³) time and O(d²) memory."""
    codes, sizes = labelings.codes[m], labelings.sizes(m)
    n, d = int(sizes.sum()), X.shape[1]
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] != NOISE]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    within = np.zeros((d, d))
    means = np.zeros((len(sizes), d))
    shift: Any = None
    for c in range(len(sizes)):
        origin, mean = _add_scatter(X, order[starts[c] : starts[c + 1]], within)
        shift = origin if shift is None else shift
        means[c] = (origin - shift) + mean
    center = sizes @ means / (n or 1)
    between = (means - center) * np.sqrt(sizes)[:, None]
    ratios = _eigenvalues_of_ratio(within, between, n - len(sizes))
    within += between.T @ between
    return Scatter(float(np.log1p(ratios).sum()), np.maximum(np.linalg.eigvalsh(within)[::-1], 0.0))


def _add_scatter(X: Rows, members: NDArray[np.intp], into: Floats) -> tuple[Floats, Floats]:
    """Add the members' scatter to ``into``; return the first row, and the mean relative to it."""
    step = max(1, SCATTER_NUMBERS // X.shape[1])
    blocks = range(0, len(members), step)

    def rows(start: int, number: int = step) -> Any:
        block: Any = X[members[start : start + number]]
        dense = block.toarray() if hasattr(block, "toarray") else block
        return np.asarray(dense, dtype=np.float64)

    # relative to the first member, so that a tight cluster far from the origin keeps its digits
    origin = rows(0, 1)[0]
    mean: Any = sum((rows(start) - origin).sum(axis=0) for start in blocks) / len(members)
    for start in blocks:
        deviations = rows(start) - origin - mean
        into += deviations.T @ deviations
    return origin, mean


def _eigenvalues_of_ratio(within: Floats, roots: Floats, freedom: int) -> Floats:
    """Nonzero eigenvalues of W⁻¹ · rootsᵀ roots; NaN if W is singular.

    Each feature is first scaled to a sum of squares of 1, so the test for singularity does not
    depend on the features' units.
    """
    d, diagonal = len(within), within.diagonal()
    if freedom >= d and (diagonal > 0).all():
        scale = 1 / np.sqrt(diagonal)
        values, vectors = np.linalg.eigh(within * scale * scale[:, None])
        if values[0] > values[-1] * max(freedom + len(roots), d) * np.finfo(float).eps:
            turned = (roots * scale) @ vectors / np.sqrt(values)
            return np.asarray(np.linalg.svd(turned, compute_uv=False) ** 2)
    return np.full(1, math.nan)


def check_has_features(metric: Metric) -> None:
    """Raise if the metric provides no features for scatter matrices."""
    if metric == "precomputed":
        raise InputError(
            "scatter matrices need the objects' features; "
            "they have no value for a matrix of distances"
        )


def distance_squares(pairs: OverPairs, labelings: Labelings) -> Floats:
    """Sum of d² over the pairs of each clustering's judged objects."""
    from sortal.measures.passes.ranks import by_judged

    totals = np.zeros(len(labelings))
    for judged, clusterings in by_judged(labelings):
        totals[clusterings] = _sum_of_squares(pairs.take(judged), judged)
    return totals


def _sum_of_squares(pairs: OverPairs, judged: NDArray[np.intp]) -> float:
    """Sum of d² over all pairs of the judged objects."""
    n = len(judged)
    if pairs.metric == "euclidean":  # Σ_{i<j} |x_i − x_j|² = n Σ_i |x_i − mean|²
        points: Any = pairs.X[judged]
        if hasattr(points, "toarray"):
            points = points.astype(np.float64)
            mean = np.asarray(points.sum(axis=0)).ravel() / n
            return n * max(float(points.multiply(points).sum()) - n * float(mean @ mean), 0.0)
        centred = points - points.mean(axis=0, dtype=np.float64)
        return n * float(np.einsum("ij,ij->", centred, centred, dtype=np.float64))
    if not pairs.distances.symmetric:
        raise InputError("the distance must be symmetric; for kl there is symmetric_kl")
    return sum(pairs.map(_squares_of_rows, range(0, n, ROWS_TO_ALL))) / 2


def _squares_of_rows(distances: Distances, start: int) -> float:
    """Sum of d² from one block of rows to all objects."""
    n = distances.n
    D = distances.block(slice(start, min(start + ROWS_TO_ALL, n)), slice(0, n))
    return float(np.einsum("ij,ij->", D, D))
