"""Likelihood of the data if each cluster of a partition is a distribution of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from karat.runtime.types import Floats, Ints


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
    single_cluster = _criteria(A, np.zeros(len(A), dtype=np.int32))
    best = single_cluster[COMPARED_MODELS].max()
    out = np.empty((len(codes), len(LIKELIHOOD_NAMES)))
    for row, code in zip(out, codes, strict=True):
        criteria = _criteria(A, code)
        row[:-1] = criteria - single_cluster
        row[-1] = criteria[COMPARED_MODELS].max() - best
    return np.clip(out / len(A), -MAX_DIFFERENCE, MAX_DIFFERENCE)


#: positions of the models compared for the best one
COMPARED_MODELS = [0, 4, 5, 6, 7]


def _criteria(A: Floats, code: Ints) -> Floats:
    """Log-likelihood minus half the number of parameters times log n, by model."""
    n, p = A.shape
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code[code >= 0]).astype(np.float64)
    k, n_out = len(sizes), int((code < 0).sum())
    ends = n_out + np.cumsum(sizes).astype(np.intp)
    S = np.empty((k, p, p))
    m = min(p, LEADING_AXES)
    heavy = 0.0
    for c, (start, end) in enumerate(zip([n_out, *ends[:-1]], ends, strict=True)):
        X = A[order[start:end]]
        X = X - X.mean(axis=0)
        S[c] = X.T @ X / len(X)
        heavy += _heavy(X[:, :m], S[c, :m, :m])
    common = (sizes * np.log(sizes / n)).sum()
    widths = np.ptp(A, axis=0)
    inside = sizes.sum()

    def gaussian(values: Floats, weights: Floats, ridge: float = VARIANCE_RIDGE) -> float:
        """Log-likelihood from variances (..., axes) and the number of objects of each set."""
        spread = np.log(values + ridge) + values / (values + ridge) + LOG_2PI
        return float(-0.5 * (weights * spread.sum(axis=-1)).sum())

    all_weights = np.array([inside])
    values = np.maximum(np.linalg.eigvalsh(S), 0)
    leading = np.maximum(np.linalg.eigvalsh(S[:, :m, :m]), 0)
    diagonal = np.maximum(np.diagonal(S, axis1=1, axis2=2), 0)
    W = np.tensordot(sizes, S, 1) / inside
    shared = np.maximum(np.linalg.eigvalsh(W), 0)[None]
    logs = np.array([
        gaussian(values, sizes),
        gaussian(values, sizes, SHRINKING_RIDGE),
        gaussian(leading, sizes),
        heavy,
        gaussian(diagonal, sizes),
        gaussian(np.repeat(diagonal.mean(axis=1), p).reshape(k, p), sizes),
        gaussian(shared, all_weights),
        gaussian(np.full((1, p), shared.mean()), all_weights),
    ])  # fmt: skip
    full, few = p * (p + 1) / 2, m * (m + 1) / 2
    parameters = k - 1 + np.array([
        k * (p + full), k * (p + full), k * (m + few), k * (m + few), k * 2 * p, k * (p + 1),
        k * p + full, k * p + 1,
    ])  # fmt: skip
    dimensions = np.array([p, p, m, m, p, p, p, p])
    outside = np.array([_box(widths[:d], n_out, n) for d in dimensions])
    return np.asarray(logs + common + outside - parameters / 2 * np.log(n))


def _box(widths: Floats, n_out: int, n: int) -> float:
    """Log-likelihood of outliers that are uniform over the box of the data."""
    if n_out == 0:
        return 0.0
    return float(n_out * (np.log(n_out / n) - np.log(widths + VARIANCE_RIDGE).sum()))


def _heavy(X: Floats, S: Floats) -> float:
    """Log-likelihood of centred points under a t distribution with covariance S."""
    from scipy.special import gammaln

    p = X.shape[1]
    scale = S * (T_FREEDOM - 2) / T_FREEDOM + VARIANCE_RIDGE * np.eye(p)
    L = np.linalg.cholesky(scale)
    squares = (np.linalg.solve(L, X.T) ** 2).sum(axis=0)
    constant = (
        gammaln((T_FREEDOM + p) / 2)
        - gammaln(T_FREEDOM / 2)
        - 0.5 * p * np.log(T_FREEDOM * np.pi)
        - np.log(np.diag(L)).sum()
    )
    return float(len(X) * constant - 0.5 * (T_FREEDOM + p) * np.log1p(squares / T_FREEDOM).sum())
