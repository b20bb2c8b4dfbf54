"""Criteria of the scatter matrices W and T = W + B, which do not depend on the features' units.

W = Σ_c Σ_{x in c} (x − x̄_c)(x − x̄_c)ᵀ and B = Σ_c n_c (x̄_c − x̄)(x̄_c − x̄)ᵀ.
"""

from __future__ import annotations

import math

import numpy as np

from sortal.measures.internal.batch import of_matrices
from sortal.measures.internal.variance import NO_SCATTER, sums_of_squares
from sortal.measures.passes.statistics import Statistics

__all__ = ["cubic_clustering_criterion", "log_determinant_ratio"]


@of_matrices(
    "Cubic clustering criterion (CCC)",
    family="variance ratio",
    references=["sarle1983"],
    needs=["centroids", "determinants"],
    range=(-math.inf, math.inf),
    cost="O(n d² + d³)",
    default=False,
)
def cubic_clustering_criterion(stats: Statistics, m: int) -> float | str:
    """CCC: R² = 1 − tr W/tr T compared with hypercubes that divide a uniform box.

    Values above 2 or 3 indicate clusters, values below 0 possibly outliers.

    Notes
    -----
    s_j are the roots of the eigenvalues of T, greatest first. u_j = s_j/c with c = (s_1 ⋯
    s_p*/k)^{1/p*}, and p* is the largest number below k with u_p* ≥ 1. Then

    - E(R²) = 1 − [Σ_{j≤p*} 1/(n + u_j) + Σ_{j>p*} u_j²/(n + u_j)]/Σ u_j² · (n − k)²/n · (1 + 4/n)
    - CCC = ln[(1 − E(R²))/(1 − R²)] √(n p*/2)/(0.001 + E(R²))^1.2

    O(n d² + d³).

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [20.0], [21.0], [22.0], [40.0], [41.0], [42.0]]
    >>> round(cubic_clustering_criterion(X, [0, 0, 0, 1, 1, 1, 2, 2, 2]), 6)
    6.938425
    """
    n, k = stats.n_judged(m), len(stats.sizes[m])
    within, between = sums_of_squares(stats, m)
    if within == 0:
        return NO_SCATTER
    s = np.sqrt(stats.scatter[m].total_eigenvalues)
    s = s[s > 0]
    for p in range(min(k - 1, len(s)), 0, -1):
        u = s / math.exp((float(np.log(s[:p]).sum()) - math.log(k)) / p)
        if u[p - 1] >= 1:
            break
    total = float((1 / (n + u[:p])).sum() + (u[p:] ** 2 / (n + u[p:])).sum())
    expected = total / float((u**2).sum()) * (n - k) ** 2 / n * (1 + 4 / n)
    observed = within / (within + between)
    return math.log(expected / observed) * math.sqrt(n * p / 2) / (1.001 - expected) ** 1.2


@of_matrices(
    "Log determinant ratio n ln(∣T∣/∣W∣)",
    family="determinants",
    references=["scott1971"],
    least_k=1,
    needs=["determinants"],
    range=(0.0, math.inf),
    cost="O(n d² + d³)",
    compares_k=False,
    default=False,
)
def log_determinant_ratio(stats: Statistics, m: int) -> float | str:
    """Logarithm n ln(∣T∣/∣W∣): twice the log-likelihood ratio of Gaussians with one covariance.

    It grows with the number of clusters; choose the number after its largest step.

    Examples
    --------
    >>> round(log_determinant_ratio([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    18.460482
    """
    n, k, d = stats.n_judged(m), len(stats.sizes[m]), stats.X.shape[1]
    if math.isfinite(stats.scatter[m].log_det_ratio):
        return n * stats.scatter[m].log_det_ratio
    if n - k < d:
        return (
            f"the scatter matrix within clusters is singular: {d} features need at least {d} + k "
            f"= {d + k} objects, and there are {n}"
        )
    return (
        "the scatter matrix within clusters is singular: a feature is constant within clusters, "
        "or depends on others"
    )
