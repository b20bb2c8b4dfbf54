"""Likelihood of the data if each cluster of a partition is a distribution of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sortal.judge.settings import EVIDENCE, EvidenceSettings

if TYPE_CHECKING:
    from sortal.typing import Floats, Ints

#: limit of cost: saves memory; numbers of the arrays of partitions and objects at a time
MAX_CELLS = 2**21


def principal_axes(Z: Floats) -> Floats:
    """Coordinates centred and turned to their principal axes, the longest first."""
    Z = Z - Z.mean(axis=0)
    axes = np.linalg.eigh(Z.T @ Z)[1][:, ::-1]
    return np.ascontiguousarray(Z @ axes)


def memory_slices(count: int, size: int) -> list[slice]:
    """Slices of the partitions whose arrays, ``size`` numbers for each, fit into memory."""
    step = max(1, MAX_CELLS // size)
    return [slice(i, i + step) for i in range(0, count, step)]


class ClusterMoments:
    """Sizes and covariances of the clusters of M partitions (M, n), in principal axes (n, p)."""

    def __init__(self, A: Floats, codes: Ints, settings: EvidenceSettings = EVIDENCE) -> None:
        from sortal._kernels.evidence import StackedClusters

        self.settings, self.A = settings, A
        self.clusters = StackedClusters.of(codes)
        n = len(A)
        self.sizes = sizes = self.clusters.sizes
        order = np.argsort(self.clusters.place, axis=None, kind="stable")[: int(sizes.sum())]
        ends = np.cumsum(sizes)
        first = ends - sizes
        X = A[order % n]
        #: objects in the order of their clusters, less the mean of the cluster
        self.centred = X - np.repeat(np.add.reduceat(X, first) / sizes[:, None], sizes, axis=0)
        spans = zip(first, ends, strict=True)
        scatters = np.stack([self.centred[i:j].T @ self.centred[i:j] for i, j in spans])
        #: objects in clusters of each partition
        self.n_inside = self.clusters.sums(sizes)
        pooled = np.add.reduceat(scatters, self.clusters.starts) / self.n_inside[:, None, None]
        self.covariances, self.pooled = scatters / sizes[:, None, None], pooled

    @cached_property
    def diagonal(self) -> Floats:
        """Variances of each cluster along the axes."""
        return np.maximum(np.diagonal(self.covariances, axis1=1, axis2=2), 0)

    @cached_property
    def pooled_spectrum(self) -> Floats:
        """Eigenvalues of the covariance within all clusters of each partition."""
        return _spectrum(self.pooled)

    def separate(self, variances: Floats, ridge: float | None = None) -> Floats:
        """Log-likelihood (M,) of Gaussian clusters, each with its variances (clusters, axes)."""
        return self.clusters.sums(self._gaussian(variances, self.sizes, ridge))

    def common(self, variances: Floats) -> Floats:
        """Log-likelihood (M,) of Gaussian clusters with the variances of the partition."""
        return self._gaussian(variances, self.n_inside)

    def _gaussian(
        self, variances: Floats, weights: Floats | Ints, ridge: float | None = None
    ) -> Floats:
        """Log-likelihood (M,) of Gaussian clusters with these variances of each column."""
        ridge = self.settings.variance_ridge if ridge is None else ridge
        spread = np.log(variances + ridge) + variances / (variances + ridge) + np.log(2 * np.pi)
        return np.asarray(-0.5 * weights * spread.sum(axis=1))

    def heavy(self, n_axes: int) -> Floats:
        """Log-likelihood (M,) of t-distributed clusters along the leading axes."""
        from scipy.special import gammaln

        freedom, p, sizes = self.settings.t_freedom, n_axes, self.sizes
        scale = self.covariances[:, :p, :p] * (freedom - 2) / freedom
        L = np.linalg.cholesky(scale + self.settings.variance_ridge * np.eye(p))
        inverse = np.repeat(np.linalg.inv(L), sizes, axis=0)
        squares = (np.einsum("ijk,ik->ij", inverse, self.centred[:, :p]) ** 2).sum(axis=1)
        constant = (
            gammaln((freedom + p) / 2)
            - gammaln(freedom / 2)
            - 0.5 * p * np.log(freedom * np.pi)
            - np.log(np.diagonal(L, axis1=1, axis2=2)).sum(axis=1)
        )
        distances = np.add.reduceat(np.log1p(squares / freedom), np.cumsum(sizes) - sizes)
        return self.clusters.sums(sizes * constant - 0.5 * (freedom + p) * distances)

    def outside(self, n_axes: int) -> list[float]:
        """Log-likelihood (M,) of outliers that are uniform over the box of the data."""
        n = len(self.A)
        area = np.log(np.ptp(self.A, axis=0)[:n_axes] + self.settings.variance_ridge).sum()
        counts = (n - self.n_inside).tolist()
        return [float(m * (np.log(m / n) - area)) if m else 0.0 for m in map(int, counts)]


def _spectrum(covariances: Floats) -> Floats:
    """Eigenvalues of covariances."""
    return np.maximum(np.linalg.eigvalsh(covariances), 0)


def _spheres(variances: Floats) -> Floats:
    """Variances with the mean variance in their place."""
    p = variances.shape[1]
    return np.repeat(variances.mean(axis=1), p).reshape(-1, p)


def _full(p: int) -> int:
    """Number of parameters of a covariance."""
    return p * (p + 1) // 2


@dataclass(frozen=True)
class ClusterModel:
    """A form that the distribution of a cluster can have."""

    name: str
    #: log-likelihood (M,) of the objects in clusters along the leading ``p`` axes
    log_likelihood: Callable[[ClusterMoments, int], Floats]
    #: number of parameters of each cluster, and of all clusters together, in ``p`` axes
    of_cluster: Callable[[int], int]
    of_all: Callable[[int], int] = lambda p: 0
    #: whether only the leading axes have it
    is_leading: bool = False
    #: whether it is compared for the best model
    is_compared: bool = True

    def criterion(self, moments: ClusterMoments) -> Floats:
        """Log-likelihood minus half the number of parameters times log n (M,), as BIC has it."""
        (n, p), clusters, sizes = moments.A.shape, moments.clusters, moments.sizes
        p = min(p, moments.settings.leading_axes) if self.is_leading else p
        n_parameters = clusters.numbers * (self.of_cluster(p) + 1) + self.of_all(p) - 1
        mixed = clusters.sums(sizes * np.log(sizes / n))
        logs = self.log_likelihood(moments, p) + mixed + moments.outside(p)
        return np.asarray(logs - n_parameters / 2 * np.log(n))


MODELS = (
    ClusterModel(
        "full",
        lambda moments, p: moments.separate(_spectrum(moments.covariances)),
        lambda p: p + _full(p),
    ),
    ClusterModel(
        "full shrunk",
        lambda moments, p: moments.separate(
            _spectrum(moments.covariances), moments.settings.shrinking_ridge
        ),
        lambda p: p + _full(p),
        is_compared=False,
    ),
    ClusterModel(
        "leading full",
        lambda moments, p: moments.separate(_spectrum(moments.covariances[:, :p, :p])),
        lambda p: p + _full(p),
        is_leading=True,
        is_compared=False,
    ),
    ClusterModel(
        "leading heavy",
        lambda moments, p: moments.heavy(p),
        lambda p: p + _full(p),
        is_leading=True,
        is_compared=False,
    ),
    ClusterModel(
        "diagonal", lambda moments, p: moments.separate(moments.diagonal), lambda p: 2 * p
    ),
    ClusterModel(
        "spherical",
        lambda moments, p: moments.separate(_spheres(moments.diagonal)),
        lambda p: p + 1,
    ),
    ClusterModel(
        "shared full",
        lambda moments, p: moments.common(moments.pooled_spectrum),
        lambda p: p,
        _full,
    ),
    ClusterModel(
        "shared spherical",
        lambda moments, p: moments.common(_spheres(moments.pooled_spectrum)),
        lambda p: p,
        lambda p: 1,
    ),
)
LIKELIHOOD_NAMES = (*(model.name for model in MODELS), "best model")


def likelihood_evidence(A: Floats, codes: Ints, settings: EvidenceSettings = EVIDENCE) -> Floats:
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
    compared = [model.is_compared for model in MODELS]

    def criteria(codes: Ints) -> tuple[Floats, Floats]:
        """Criteria of the models (M, 8), and that of the best of those that are compared (M,)."""
        moments = ClusterMoments(A, codes, settings)
        table = np.column_stack([model.criterion(moments) for model in MODELS])
        return table, table[:, compared].max(axis=1)

    single, best_single = criteria(np.zeros((1, len(A)), dtype=np.int32))
    out = np.empty((len(codes), len(LIKELIHOOD_NAMES)))
    for rows in memory_slices(len(codes), A.size):
        table, best = criteria(codes[rows])
        out[rows, :-1], out[rows, -1] = table - single, best - best_single
    return np.clip(out / len(A), -settings.max_difference, settings.max_difference)
