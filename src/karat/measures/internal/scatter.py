"""Criteria of scatter matrices: traces and determinants of W, B and T = W + B.

W_c = Σ_{x in c} (x − x̄_c)(x − x̄_c)ᵀ, W = Σ_c W_c, B = Σ_c n_c (x̄_c − x̄)(x̄_c − x̄)ᵀ. Features are
needed, and distances are Euclidean; criteria of determinants do not depend on the features' units.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import each, one
from karat.measures.internal.variance import NO_SCATTER, objects, sums_of_squares
from karat.measures.passes.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "cubic_clustering_criterion",
    "determinant_ratio",
    "friedman_rubin_index",
    "log_determinant_ratio",
    "marriott_index",
    "scott_symons_index",
]


def scott_symons_index(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Σ_c n_c ln ∣W_c/n_c∣: Gaussian clusters, each with a covariance of its own.

    No bounds, lower is better. A constant apart, it is twice the negative log-likelihood of the
    best such Gaussians given the clusters, so it falls as clusters are split.

    Raises
    ------
    UndefinedMeasureError
        Where a cluster's scatter matrix is singular, as it is for d objects or fewer.
    InputError
        Where matrices of d × d do not fit in memory.

    Notes
    -----
    Scott & Symons 1971. Determinants in logarithms. O(n d² + k d³).

    Examples
    --------
    >>> from karat import scott_symons_index
    >>> round(scott_symons_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    -5.545177
    """
    return one("scott_symons_index", X, labels, noise=noise)


def determinant_ratio(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """∣T∣/∣W∣, the inverse of Wilks' Λ.

    From 1 upward, greater is better; it grows with the number of clusters. The number with the
    least second difference is taken, see :func:`level_differences`.

    Raises
    ------
    UndefinedMeasureError
        Where W is singular (fewer than d + k objects, or features that depend on each other), or
        the ratio is larger than any float; :func:`log_determinant_ratio` has a value then.
    InputError
        Where matrices of d × d do not fit in memory.

    Notes
    -----
    Friedman & Rubin 1967; Scott & Symons 1971. Determinants in logarithms. O(n d² + d³).

    Examples
    --------
    >>> from karat import determinant_ratio
    >>> round(determinant_ratio([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    101.0
    """
    return one("determinant_ratio", X, labels, noise=noise)


def log_determinant_ratio(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Logarithm n ln(∣T∣/∣W∣): twice the log-likelihood ratio of Gaussians with one covariance.

    Not negative, greater is better; it grows with the number of clusters, and the number after
    its largest step is taken, see :func:`level_differences`.

    Raises
    ------
    UndefinedMeasureError
        Where W is singular: fewer than d + k objects, or features that depend on each other.
    InputError
        Where matrices of d × d do not fit in memory.

    Notes
    -----
    Scott & Symons 1971. Determinants in logarithms. O(n d² + d³).

    Examples
    --------
    >>> from karat import log_determinant_ratio
    >>> round(log_determinant_ratio([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    18.460482
    """
    return one("log_determinant_ratio", X, labels, noise=noise)


def marriott_index(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """k² ∣W∣: about the same for every k where a uniform distribution is cut up.

    Not negative, lower is better. Marriott takes the number of clusters with the least value;
    NbClust that with the greatest second difference, see :func:`level_differences`.

    Raises
    ------
    UndefinedMeasureError
        Where W is singular (fewer than d + k objects, or features that depend on each other), or
        the value leaves the range of floats: scale the features then.
    InputError
        Where matrices of d × d do not fit in memory.

    Notes
    -----
    Marriott 1971. Determinants in logarithms. O(n d² + d³).

    Examples
    --------
    >>> from karat import marriott_index
    >>> round(marriott_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    4.0
    """
    return one("marriott_index", X, labels, noise=noise)


def friedman_rubin_index(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Trace of W⁻¹B: scatter between clusters in units of that within (Hotelling's trace).

    Not negative, greater is better; it grows with the number of clusters, and the number after
    its largest step is taken, see :func:`level_differences`.

    Raises
    ------
    UndefinedMeasureError
        Where W is singular: fewer than d + k objects, or features that depend on each other.
    InputError
        Where matrices of d × d do not fit in memory.

    Notes
    -----
    Friedman & Rubin 1967. O(n d² + d³).

    Examples
    --------
    >>> from karat import friedman_rubin_index
    >>> round(friedman_rubin_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]), 6)
    100.0
    """
    return one("friedman_rubin_index", X, labels, noise=noise)


def cubic_clustering_criterion(X: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """CCC: R² = 1 − tr W/tr T against what hypercubes cut from a uniform box would have.

    No bounds, greater is better: above 2 or 3 there are clusters, below 0 perhaps outliers.

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where every object is at its centroid.
    InputError
        Where matrices of d × d do not fit in memory.

    Notes
    -----
    Sarle 1983 (SAS Technical Report A-108). With s_j the roots of the eigenvalues of T, greatest
    first, u_j = s_j/c, c = (s_1 ⋯ s_p*/k)^{1/p*}, and p* the largest number below k with u_p* ≥ 1:
    E(R²) = 1 − [Σ_{j≤p*} 1/(n + u_j) + Σ_{j>p*} u_j²/(n + u_j)]/Σ u_j² · (n − k)²/n · (1 + 4/n),
    CCC = ln[(1 − E(R²))/(1 − R²)] √(n p*/2)/(0.001 + E(R²))^1.2. O(n d² + d³).

    Examples
    --------
    >>> from karat import cubic_clustering_criterion
    >>> X = [[0.0], [1.0], [2.0], [20.0], [21.0], [22.0], [40.0], [41.0], [42.0]]
    >>> round(cubic_clustering_criterion(X, [0, 0, 0, 1, 1, 1, 2, 2, 2]), 6)
    6.938425
    """
    return one("cubic_clustering_criterion", X, labels, noise=noise)


def _scott_symons(stats: Statistics, m: int) -> float | str:
    sizes, logs, d = stats.sizes[m], stats.scatter[m].log_det_clusters, stats.X.shape[1]
    if not np.isfinite(logs).all():
        c = int(np.argmin(logs))
        return f"the scatter matrix of a cluster of {objects(sizes[c])} in {d} features is singular"
    return float(sizes @ (logs - d * np.log(sizes)))


def _singular(stats: Statistics, m: int) -> str:
    if stats.scatter[m].log_det_within > -math.inf:
        return ""
    n, k, d = stats.n_judged(m), len(stats.sizes[m]), stats.X.shape[1]
    if n - k < d:
        return (
            f"the scatter matrix within clusters is singular: {d} features need at least {d} + k "
            f"= {d + k} objects, and there are {n}"
        )
    return (
        "the scatter matrix within clusters is singular: a feature is constant within clusters, "
        "or depends on others"
    )


def _determinant_ratio(stats: Statistics, m: int) -> float | str:
    return _singular(stats, m) or _power(stats.scatter[m].log_det_ratio)


def _log_determinant_ratio(stats: Statistics, m: int) -> float | str:
    return _singular(stats, m) or stats.n_judged(m) * stats.scatter[m].log_det_ratio


def _marriott(stats: Statistics, m: int) -> float | str:
    if why := _singular(stats, m):
        return why
    return _power(2 * math.log(len(stats.sizes[m])) + stats.scatter[m].log_det_within)


def _power(logarithm: float) -> float | str:
    if abs(logarithm) < 700:
        return math.exp(logarithm)
    return f"it is e^{logarithm:.6g}, which exceeds the range of a float"


def _friedman_rubin(stats: Statistics, m: int) -> float | str:
    return _singular(stats, m) or stats.scatter[m].trace_ratio


def _ccc(stats: Statistics, m: int) -> float | str:
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
    unexplained = float((1 / (n + u[:p])).sum() + (u[p:] ** 2 / (n + u[p:])).sum())
    missed = unexplained / float((u**2).sum()) * (n - k) ** 2 / n * (1 + 4 / n)
    found = within / (within + between)
    return math.log(missed / found) * math.sqrt(n * p / 2) / (1.001 - missed) ** 1.2


define(
    cubic_clustering_criterion,
    "Cubic clustering criterion (CCC)",
    family="variance ratio",
    references=[Reference("sarle1983")],
    compute=each(_ccc),
    needs=["centroids", "determinants"],
    range=(-math.inf, math.inf),
    cost="O(n d² + d³)",
    default=False,
    takes="features",
)
define(
    scott_symons_index,
    "Scott–Symons index",
    family="model",
    references=[Reference("scott1971")],
    compute=each(_scott_symons, least_k=1),
    needs=["cluster_determinants", "determinants"],
    greater_is_better=False,
    range=(-math.inf, math.inf),
    cost="O(n d² + k d³)",
    compares_k=False,
    default=False,
    takes="features",
)
define(
    determinant_ratio,
    "Determinant ratio ∣T∣/∣W∣",
    family="determinants",
    references=[Reference("friedman1967")],
    compute=each(_determinant_ratio, least_k=1),
    needs=["determinants"],
    range=(1.0, math.inf),
    cost="O(n d² + d³)",
    compares_k=False,
    default=False,
    takes="features",
)
define(
    log_determinant_ratio,
    "Log determinant ratio n ln(∣T∣/∣W∣)",
    family="determinants",
    references=[Reference("scott1971")],
    compute=each(_log_determinant_ratio, least_k=1),
    needs=["determinants"],
    range=(0.0, math.inf),
    cost="O(n d² + d³)",
    compares_k=False,
    default=False,
    takes="features",
)
define(
    marriott_index,
    "Marriott's k²∣W∣",
    family="determinants",
    references=[Reference("marriott1971")],
    compute=each(_marriott, least_k=1),
    needs=["determinants"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d² + d³)",
    default=False,
    takes="features",
)
define(
    friedman_rubin_index,
    "Friedman–Rubin index tr W⁻¹B",
    family="determinants",
    references=[Reference("friedman1967")],
    compute=each(_friedman_rubin, least_k=1),
    needs=["determinants"],
    range=(0.0, math.inf),
    cost="O(n d² + d³)",
    compares_k=False,
    default=False,
    takes="features",
)
