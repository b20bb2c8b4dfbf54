"""Likelihood of the data if each cluster of a partition is a distribution of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sortal.runtime.types import Floats, Ints


LIKELIHOOD_NAMES = (
    "full", "full shrunk", "leading full", "leading heavy", "diagonal", "spherical",
    "shared full", "shared spherical", "best model",
)  # fmt: skip
#: added to variances, in units of the mean variance of a coordinate; the second one to shrink
VARIANCE_RIDGE, SHRINKING_RIDGE = 1e-3, 0.05
#: principal coordinates of the "leading" models
LEADING_AXES = 5
#: degrees of freedom of the heavy-tailed model
T_FREEDOM = 4.0
#: limit of the differences per object
MAX_DIFFERENCE = 20.0
LOG_2PI = np.log(2 * np.pi)


def principal_axes(Z: Floats) -> Floats:
    """Coordinates centred and turned to their principal axes, the longest first."""
    Z = Z - Z.mean(axis=0)
    axes = np.linalg.eigh(Z.T @ Z)[1][:, ::-1]
    return np.ascontiguousarray(Z @ axes)


def likelihood_evidence(A: Floats, codes: Ints) -> Floats:
    """Array of :data:`LIKELIHOOD_NAMES` (M, 9) from data in principal axes.

    The BIC of the classification likelihood per object, as -BIC / 2n, less that of one cluster.
    Clusters are Gaussian with separate covariances (full, diagonal, spherical) or a shared one, or
    t-distributed with four degrees of freedom; outliers are uniform over the data's box.

    References
    ----------
    Biernacki, C., Celeux, G., & Govaert, G. (2000). Assessing a mixture model for clustering with
    the integrated completed likelihood. IEEE Transactions on Pattern Analysis and Machine
    Intelligence, 22(7), 719-725.
    """
    single_cluster = _criteria(A, np.zeros((1, len(A)), dtype=np.int32))[0]
    best = single_cluster[COMPARED_MODELS].max()
    out = np.empty((len(codes), len(LIKELIHOOD_NAMES)))
    for part in memory_parts(len(codes), A.size):
        criteria = _criteria(A, codes[part])
        out[part, :-1] = criteria - single_cluster
        out[part, -1] = criteria[:, COMPARED_MODELS].max(axis=1) - best
    return np.clip(out / len(A), -MAX_DIFFERENCE, MAX_DIFFERENCE)


#: positions of the models compared for the best one
COMPARED_MODELS = [0, 4, 5, 6, 7]
#: numbers of the arrays of partitions and objects that are in memory at a time
CELLS = 2**21


def memory_parts(count: int, size: int) -> list[slice]:
    """Slices of the partitions whose arrays, ``size`` numbers for each, fit into memory."""
    step = max(1, CELLS // size)
    return [slice(i, i + step) for i in range(0, count, step)]


def _criteria(A: Floats, codes: Ints) -> Floats:
    """Log-likelihood minus half the number of parameters times log n (M, models)."""
    from sortal._kernels.evidence import StackedClusters

    clusters = StackedClusters.of(codes)
    n, p = A.shape
    sizes, numbers = clusters.sizes, clusters.numbers
    inside, m = clusters.sums(sizes), min(p, LEADING_AXES)
    order = np.argsort(clusters.place, axis=None, kind="stable")[: int(sizes.sum())]
    ends = np.cumsum(sizes)
    first = ends - sizes
    X = A[order % n]
    X = X - np.repeat(np.add.reduceat(X, first) / sizes[:, None], sizes, axis=0)
    S = np.stack([X[i:j].T @ X[i:j] for i, j in zip(first, ends, strict=True)])
    W = np.add.reduceat(S, clusters.starts) / inside[:, None, None]
    S /= sizes[:, None, None]
    values, shared = (np.maximum(np.linalg.eigvalsh(T), 0) for T in (S, W))
    leading = np.maximum(np.linalg.eigvalsh(S[:, :m, :m]), 0)
    diagonal = np.maximum(np.diagonal(S, axis1=1, axis2=2), 0)

    def of_each(spectrum: Floats, ridge: float = VARIANCE_RIDGE) -> Floats:
        return clusters.sums(_gaussian(spectrum, sizes, ridge))

    spheres = np.repeat(diagonal.mean(axis=1), p).reshape(-1, p)
    shared_sphere = np.repeat(shared.mean(axis=1), p).reshape(-1, p)
    logs = np.stack([
        of_each(values),
        of_each(values, SHRINKING_RIDGE),
        of_each(leading),
        clusters.sums(_heavy(X[:, :m], S[:, :m, :m], sizes)),
        of_each(diagonal),
        of_each(spheres),
        _gaussian(shared, inside),
        _gaussian(shared_sphere, inside),
    ])  # fmt: skip
    full, few = p * (p + 1) // 2, m * (m + 1) // 2
    of_cluster = np.array([p + full, p + full, m + few, m + few, 2 * p, p + 1, p, p])
    of_all = np.array([0, 0, 0, 0, 0, 0, full, 1])
    parameters = numbers[:, None] * (of_cluster + 1) + of_all - 1
    common = clusters.sums(sizes * np.log(sizes / n))
    widths = np.ptp(A, axis=0)
    outside = [[_box(widths[:d], int(n - each), n) for d in (p, p, m, m, p, p, p, p)]
               for each in inside]  # fmt: skip
    return np.asarray(logs.T + common[:, None] + outside - parameters / 2 * np.log(n))


def _gaussian(spectrum: Floats, weights: Floats | Ints, ridge: float = VARIANCE_RIDGE) -> Floats:
    """Log-likelihood of sets of objects from their variances (sets, axes) and sizes."""
    spread = np.log(spectrum + ridge) + spectrum / (spectrum + ridge) + LOG_2PI
    return np.asarray(-0.5 * weights * spread.sum(axis=1))


def _box(widths: Floats, n_out: int, n: int) -> float:
    """Log-likelihood of outliers that are uniform over the box of the data."""
    if n_out == 0:
        return 0.0
    return float(n_out * (np.log(n_out / n) - np.log(widths + VARIANCE_RIDGE).sum()))


def _heavy(X: Floats, S: Floats, sizes: Ints) -> Floats:
    """Log-likelihood of sorted, centred clusters under t distributions with covariances S."""
    from scipy.special import gammaln

    p = X.shape[1]
    L = np.linalg.cholesky(S * (T_FREEDOM - 2) / T_FREEDOM + VARIANCE_RIDGE * np.eye(p))
    inverse = np.repeat(np.linalg.inv(L), sizes, axis=0)
    squares = (np.einsum("ijk,ik->ij", inverse, X) ** 2).sum(axis=1)
    constant = (
        gammaln((T_FREEDOM + p) / 2)
        - gammaln(T_FREEDOM / 2)
        - 0.5 * p * np.log(T_FREEDOM * np.pi)
        - np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1)
    )
    logs = np.log1p(squares / T_FREEDOM)
    distances = np.add.reduceat(logs, np.cumsum(sizes) - sizes)
    return np.asarray(sizes * constant - 0.5 * (T_FREEDOM + p) * distances)
