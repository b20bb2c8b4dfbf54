"""Scatter matrices of features, within clusters and in all, reduced to what the criteria read.

A matrix of d × d is made for one clustering at a time and not kept: its determinant (as a
logarithm), tr W⁻¹B and the eigenvalues of T are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import Distances
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.passes.over_pairs import OverPairs
from karat.runtime.resources import require_memory
from karat.runtime.threads import available_cores
from karat.runtime.validation import Data, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BLOCK = 2**22  # numbers of a dense block of rows
ROWS = 256  # whose distances to all are held at a time


@dataclass
class Scatter:
    """What is left of the scatter matrices of one clustering.

    Attributes
    ----------
    log_det_within : float
        ln ∣W∣; −∞ where the matrix is singular.
    log_det_ratio, trace_ratio : float
        ln ∣I + W⁻¹B∣ = ln(∣T∣/∣W∣) and tr W⁻¹B; NaN where W is singular.
    total_eigenvalues : ndarray (d,)
        Of T, greatest first.
    log_det_clusters : ndarray (k,)
        ln ∣W_c∣ of each cluster; empty unless asked for.
    """

    log_det_within: float
    log_det_ratio: float
    trace_ratio: float
    total_eigenvalues: Floats
    log_det_clusters: Floats


def check_room(d: int, clusterings: int) -> None:
    """Refuse matrices of d × d that do not fit, with the reason."""
    at_once = min(clusterings, available_cores())
    require_memory(
        at_once * 6.0 * 8 * d * d,
        f"the scatter matrices of {d:,} features",
        "reduce the features first, for example to principal components, "
        "or exclude the criteria of determinants",
    )


def scatter(each: bool, X: Data, labelings: Labelings, m: int) -> Scatter:
    """Scatter of clustering m; ``each``: also the determinant of each cluster's own.

    O(n d² + d³) time, k d³ more for ``each``; O(d²) memory.
    """
    codes, sizes = labelings.codes[m], labelings.sizes(m)
    n, d = int(sizes.sum()), X.shape[1]
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] != NOISE]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    within = np.zeros((d, d))
    means = np.zeros((len(sizes), d))
    own_logs = np.zeros(len(sizes) if each else 0)
    shift: Any = None
    for c in range(len(sizes)):
        members = order[starts[c] : starts[c + 1]]
        own = np.zeros((d, d)) if each else within
        origin, mean = _add_scatter(X, members, own)
        shift = origin if shift is None else shift
        means[c] = (origin - shift) + mean
        if each:
            within += own
            own_logs[c] = Inverse(own, int(sizes[c]), 1).log_det
    center = sizes @ means / (n or 1)
    between = (means - center) * np.sqrt(sizes)[:, None]
    inverse = Inverse(within, n, len(sizes))
    ratios = inverse.eigenvalues_with(between)
    within += between.T @ between
    return Scatter(
        inverse.log_det,
        float(np.log1p(ratios).sum()),
        float(ratios.sum()),
        np.maximum(np.linalg.eigvalsh(within)[::-1], 0.0),
        own_logs,
    )


def _add_scatter(X: Data, members: NDArray[np.intp], into: Floats) -> tuple[Floats, Floats]:
    """Add the members' scatter around their mean to ``into``; the first, and the mean less it."""
    step = max(1, BLOCK // X.shape[1])
    blocks = range(0, len(members), step)

    def rows(start: int, number: int = step) -> Any:
        part: Any = X[members[start : start + number]]
        dense = part.toarray() if hasattr(part, "toarray") else part
        return np.asarray(dense, dtype=np.float64)

    # from the first member on, so that a tight cluster far from all else loses nothing
    origin = rows(0, 1)[0]
    mean: Any = sum((rows(start) - origin).sum(axis=0) for start in blocks) / len(members)
    for start in blocks:
        deviations = rows(start) - origin - mean
        into += deviations.T @ deviations
    return origin, mean


class Inverse:
    """Determinant and inverse of a scatter matrix of n objects around k means.

    Each feature is scaled to a sum of squares of 1 before the eigenvalues are looked at, so that
    whether the matrix counts as singular does not depend on the features' units.
    """

    def __init__(self, matrix: Floats, n: int, k: int) -> None:
        self.log_det = -math.inf
        d = len(matrix)
        diagonal = matrix.diagonal()
        if n - k < d or not (diagonal > 0).all():
            return
        self.scale = 1 / np.sqrt(diagonal)
        self.values, self.vectors = np.linalg.eigh(matrix * self.scale * self.scale[:, None])
        if self.values[0] > self.values[-1] * max(n, d) * np.finfo(float).eps:
            self.log_det = float(np.log(self.values).sum() - 2 * np.log(self.scale).sum())

    def eigenvalues_with(self, roots: Floats) -> Floats:
        """Eigenvalues of inverse · rootsᵀ roots but for zeros; NaN for a singular matrix."""
        if self.log_det == -math.inf:
            return np.full(1, math.nan)
        turned = (roots * self.scale) @ self.vectors / np.sqrt(self.values)
        return np.asarray(np.linalg.svd(turned, compute_uv=False) ** 2)


def check_has_features(metric: Any) -> None:
    """Scatter needs features."""
    if metric == "precomputed":
        raise InputError(
            "scatter matrices need the objects' features; "
            "they have no value for a matrix of distances"
        )


def distance_squares(pairs: OverPairs, labelings: Labelings) -> Floats:
    """Sum of d² over the pairs of the objects that each clustering judges."""
    from karat.measures.passes.ranks import by_kept

    totals = np.zeros(len(labelings))
    for kept, which in by_kept(labelings):
        totals[which] = _sum_of_squares(pairs.take(kept), kept)
    return totals


def _sum_of_squares(pairs: OverPairs, kept: NDArray[np.intp]) -> float:
    n = len(kept)
    if pairs.metric == "euclidean":  # Σ_{i<j} |x_i − x_j|² = n Σ_i |x_i − mean|²
        points: Any = pairs.X[kept]
        if hasattr(points, "toarray"):
            points = points.astype(np.float64)
            mean = np.asarray(points.sum(axis=0)).ravel() / n
            return n * max(float(points.multiply(points).sum()) - n * float(mean @ mean), 0.0)
        centred = points - points.mean(axis=0, dtype=np.float64)
        return n * float(np.einsum("ij,ij->", centred, centred, dtype=np.float64))
    if not pairs.distances.symmetric:
        raise InputError("the distance must be symmetric; for kl there is symmetric_kl")
    return sum(pairs.map(_squares_of_rows, range(0, n, ROWS))) / 2


def _squares_of_rows(distances: Distances, start: int) -> float:
    n = distances.n
    D = distances.block(slice(start, min(start + ROWS, n)), slice(0, n))
    return float(np.einsum("ij,ij->", D, D))
