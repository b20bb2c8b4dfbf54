"""ORCLUS: clusters that are narrow in a subspace of their own."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import exp, log

import numpy as np

from sortal.clusterers._estimator import BaseClusterer
from sortal.labelings.partitions import canonical_codes
from sortal.runtime.validation import InputError, check_random_state
from sortal.typing import ArrayLike, Floats, Ints, RandomState

#: derived: α of Aggarwal & Yu 2000, the factor by which the number of clusters falls in each step
REDUCTION = 0.5


@dataclass(eq=False, repr=False)
class ORCLUS(BaseClusterer):
    """Arbitrarily oriented projected clusters: each is narrow in a subspace of its own.

    Parameters
    ----------
    n_clusters : int, default 8
    n_dimensions : int, optional
        Dimensions of each cluster's subspace; about three quarters of the features by default.
        Clusters side by side along one direction are one cluster in the others: the more
        dimensions are excluded, the more of them are joined.
    random_state : None, int or Generator
        For the seeds.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance.
    cluster_centers_ : ndarray of float64, shape (k, d)
    subspaces_ : ndarray of float64, shape (k, n_dimensions, d)
        Orthonormal rows: the directions of least variance of each cluster.
    energy_ : float
        Mean squared distance of the objects to their centers, each in the cluster's subspace.
    n_features_in_ : int

    Notes
    -----
    Aggarwal & Yu, SIGMOD 2000, without its treatment of outliers. O(s n d²) for each step and O(s²
    d³) for all merges, with s seeds. A union of fewer than d − n_dimensions objects always has the
    least width. With many features, reduce the dimension first.

    Examples
    --------
    >>> from sortal.clusterers import ORCLUS
    >>> rows = [[i, 0] for i in range(10)] + [[i, 5] for i in range(10)]
    >>> ORCLUS(2, n_dimensions=1, random_state=0).fit(rows).labels_.tolist().count(0)
    10
    """

    _sparse = False

    n_clusters: int = 8
    _: KW_ONLY
    n_dimensions: int | None = None
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> ORCLUS:
        """Cluster X."""
        rows = self._rows(X, least=2, dtype=[np.float64])
        n, d = rows.shape
        k = self.n_clusters
        dimensions = d - d // 4 if self.n_dimensions is None else self.n_dimensions
        seeds = min(n, self._tuning.seeds_per_cluster * k)
        if not 1 <= dimensions <= d:
            raise InputError(f"n_dimensions must be between 1 and {d}; got {dimensions}")
        rng = check_random_state(self.random_state)
        centers = rows[rng.choice(n, seeds, replace=False)]
        bases = np.repeat(np.eye(d)[None], seeds, axis=0)
        # the numbers of clusters and of dimensions reach their ends in the same number of steps
        steps = log(seeds / k) / log(1 / REDUCTION) if seeds > k else 1.0
        shrinkage = exp(-log(d / dimensions) / steps)
        count, width = float(seeds), float(d)
        while True:
            groups = _Groups(rows, _assign(rows, centers, bases))
            count, width = max(k, count * REDUCTION), max(dimensions, width * shrinkage)
            done = len(groups.sizes) <= k
            if not done:
                groups.merge(round(count), round(width))
            centers = groups.means
            bases = groups.subspaces(dimensions if done else round(width))
            if done:
                break
        for _ in range(2):  # a last assignment, and the subspaces that follow from it
            codes = canonical_codes(_assign(rows, centers, bases))
            groups = _Groups(rows, codes)
            centers, bases = groups.means, groups.subspaces(dimensions)
        if len(centers) < k:
            self._warn(f"found {len(centers)} clusters, not {k}: the others had no object left")
        self.labels_, self.cluster_centers_, self.subspaces_ = codes, centers, bases
        differences = np.einsum("nld,nd->nl", bases[codes], rows - centers[codes])
        self.energy_ = float((differences**2).sum(axis=1).mean())
        return self


def _assign(X: Floats, centers: Floats, bases: Floats) -> Ints:
    """Number of the nearest center of each object, distances taken in the center's subspace."""
    squares = [
        (((X - center) @ basis.T) ** 2).sum(axis=1)
        for center, basis in zip(centers, bases, strict=True)
    ]
    return np.argmin(squares, axis=0)


class _Groups:
    """Sizes, sums and second moments of clusters, which add up in a union."""

    def __init__(self, X: Floats, labels: Ints) -> None:
        members = [X[labels == c] for c in np.unique(labels)]
        self.offset = X.mean(axis=0)
        self.sizes = np.array([len(rows) for rows in members], dtype=np.float64)
        self.sums = np.array([(rows - self.offset).sum(axis=0) for rows in members])
        self.moments = np.array([(rows - self.offset).T @ (rows - self.offset) for rows in members])

    @property
    def means(self) -> Floats:
        """Mean of each cluster."""
        return self.offset + self.sums / self.sizes[:, None]

    def subspaces(self, width: int) -> Floats:
        """Directions of least variance of each cluster, in rows."""
        covariances = _covariances(self.sizes, self.sums, self.moments)
        return np.linalg.eigh(covariances)[1][:, :, :width].transpose(0, 2, 1)

    def merge(self, count: int, width: int) -> None:
        """Merge the pair whose union is narrowest in its subspace, until ``count`` are left."""
        k = len(self.sizes)
        energy = np.full((k, k), np.inf)
        for i in range(k - 1):
            energy[i, i + 1 :] = self._energies(i, np.arange(i + 1, k), width)
        alive = np.ones(k, dtype=bool)
        while alive.sum() > count:
            i, j = divmod(int(np.argmin(energy)), k)
            self.sizes[i] += self.sizes[j]
            self.sums[i] += self.sums[j]
            self.moments[i] += self.moments[j]
            alive[j] = False
            energy[j, :] = energy[:, j] = np.inf
            others = np.flatnonzero(alive)
            others = others[others != i]
            values = self._energies(i, others, width)
            energy[np.minimum(i, others), np.maximum(i, others)] = values
        self.sizes, self.sums, self.moments = (
            array[alive] for array in (self.sizes, self.sums, self.moments)
        )

    def _energies(self, i: int, others: Ints, width: int) -> Floats:
        """Variance of the unions of cluster i with others, in the subspaces of the unions."""
        covariances = _covariances(
            self.sizes[i] + self.sizes[others],
            self.sums[i] + self.sums[others],
            self.moments[i] + self.moments[others],
        )
        return np.linalg.eigvalsh(covariances)[:, :width].sum(axis=1)


def _covariances(sizes: Floats, sums: Floats, moments: Floats) -> Floats:
    """Covariance matrices of clusters, from their sizes, sums and second moments."""
    means = sums / sizes[:, None]
    return moments / sizes[:, None, None] - means[:, :, None] * means[:, None, :]
