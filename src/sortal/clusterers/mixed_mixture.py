"""Mixture for columns of different kinds: normal, of two values, and categories."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from sortal.clusterers._estimator import BaseClusterer, ClustererSettings
from sortal.labelings.partitions import canonical_codes
from sortal.runtime.validation import check_random_state
from sortal.typing import ArrayLike, Bools, Floats, Ints, RandomState

#: derived: pseudo-objects of each cluster with the distribution of all data (Vermunt & Magidson
#: 2002)
PRIOR_OBJECTS = 1.0
#: limit of cost: stop where the log likelihood per object gains less
TOLERANCE = 1e-5


@dataclass(eq=False, repr=False)
class MixedMixture(BaseClusterer):
    """Mixture of clusters in which all columns are independent, each of its own kind.

    Columns of more than two values are normal, those of two values are coins. Successive columns of
    two values are categories of one column if exactly one is high in every row.

    Parameters
    ----------
    n_clusters : int, default 8
    n_init : int, default 1
        Starts, by k-means of columns of standard deviation 1; the most likely result counts.
    max_iter : int, default 200
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance.
    memberships_ : ndarray of float64, shape (n, k)
        Probability of each cluster.
    log_likelihood_ : float
        Of all objects.
    n_iter_, n_features_in_ : int

    Notes
    -----
    Maximum a posteriori by EM (latent class and latent profile analysis; Lazarsfeld & Henry 1968,
    Vermunt & Magidson 2002). Each cluster has one pseudo-object with the distribution of all data,
    so no variance or probability becomes 0. The units of columns do not matter. O(n k d) per
    iteration.

    Examples
    --------
    >>> from sortal.clusterers import MixedMixture
    >>> rows = [[0, 1, 0], [1, 1, 0], [2, 1, 0], [7, 0, 1], [8, 0, 1], [9, 0, 1]]
    >>> MixedMixture(2, random_state=0).fit(rows).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    _sparse = False
    _counts = ("n_init", "max_iter")

    n_clusters: int = 8
    _: KW_ONLY
    n_init: int = 1
    max_iter: int = 200
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> MixedMixture:
        """Cluster X."""
        rows = self._rows(X, least=2, dtype=[np.float64])
        rng = check_random_state(self.random_state)
        numbers, categories = columns_by_kind(rows)
        best: tuple[float, Floats, int] | None = None
        for start in _starts(rows, self.n_clusters, self.n_init, rng):
            run = _maximized(numbers, categories, start, self.max_iter, self._tuning.min_variance)
            if best is None or run[0] > best[0]:
                best = run
        assert best is not None
        self.log_likelihood_, memberships, self.n_iter_ = best
        largest = memberships.argmax(axis=1)
        self.labels_ = canonical_codes(largest)
        # columns in the order of the labels; clusters without objects are last
        used = largest[np.unique(self.labels_, return_index=True)[1]]
        empty = np.setdiff1d(np.arange(memberships.shape[1]), used)
        self.memberships_ = memberships[:, np.concatenate([used, empty])]
        if len(used) < self.n_clusters:
            self._warn(f"found {len(used)} clusters, not {self.n_clusters}")
        return self


def two_valued_features(X: NDArray[Any]) -> Bools:
    """Mask of the columns that have exactly two values."""
    low, high = X.min(axis=0), X.max(axis=0)
    mask: Bools = ((low == X) | (high == X)).all(axis=0) & (low < high)
    return mask


def columns_by_kind(X: Floats) -> tuple[Floats, list[Floats]]:
    """Standardized numeric columns, and an indicator matrix of each categorical one."""
    low, high = X.min(axis=0), X.max(axis=0)
    two_valued = two_valued_features(X)
    numeric = ~two_valued & (low < high)
    numbers = X[:, numeric] - X[:, numeric].mean(axis=0)
    numbers /= np.maximum(numbers.std(axis=0), np.finfo(np.float64).tiny)
    is_high = (high == X) & two_valued
    categories: list[Floats] = []
    j = 0
    while j < X.shape[1]:
        width = _category_width(is_high, two_valued, j)
        if width > 1:
            categories.append(is_high[:, j : j + width].astype(np.float64))
        elif two_valued[j]:
            categories.append(np.column_stack([is_high[:, j], ~is_high[:, j]]).astype(np.float64))
        j += max(1, width)
    return numbers, categories


def _category_width(is_high: Bools, two_valued: Bools, j: int) -> int:
    """Number of columns from ``j`` on that are the values of one category; 0 if it is none."""
    total = np.zeros(len(is_high), dtype=np.int64)
    for stop in range(j, len(two_valued)):
        if not two_valued[stop]:
            return 0
        total += is_high[:, stop]
        if total.max() > 1:
            return 0
        if total.min() == 1:
            return stop - j + 1
    return 0


def _starts(X: Floats, k: int, n_init: int, rng: np.random.Generator) -> list[Ints]:
    """Labels to start from, by k-means of columns of standard deviation 1."""
    from sklearn.cluster import KMeans

    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    seeds = rng.integers(2**31 - 1, size=n_init)
    return [KMeans(k, n_init=1, random_state=int(seed)).fit_predict(Z) for seed in seeds]


def _maximized(
    numbers: Floats,
    categories: list[Floats],
    labels: Ints,
    max_iter: int,
    min_variance: float = ClustererSettings.min_variance,
) -> tuple[float, Floats, int]:
    """Log likelihood, memberships and number of iterations of EM from a clustering."""
    n = len(labels)
    memberships = np.zeros((n, int(labels.max()) + 1))
    memberships[np.arange(n), labels] = 1.0
    squares, before = numbers**2, -np.inf
    shares = [indicators.mean(axis=0) for indicators in categories]
    for n_iter in range(1, max_iter + 1):  # noqa: B007  the last is returned
        sizes = memberships.sum(axis=0)
        weight = sizes + PRIOR_OBJECTS
        log_density = np.tile(np.log(weight / weight.sum()), (n, 1))
        # the columns have mean 0 and variance 1, and so has the pseudo-object
        means = memberships.T @ numbers / weight[:, None]
        variances = (memberships.T @ squares + PRIOR_OBJECTS) / weight[:, None] - means**2
        variances = np.maximum(variances, min_variance)
        log_density -= 0.5 * (
            squares @ (1 / variances).T
            - 2 * numbers @ (means / variances).T
            + (means**2 / variances + np.log(2 * np.pi * variances)).sum(axis=1)
        )
        for indicators, share in zip(categories, shares, strict=True):
            counts = memberships.T @ indicators + PRIOR_OBJECTS * share
            log_density += indicators @ np.log(counts / weight[:, None]).T
        totals = logsumexp(log_density, axis=1)
        memberships = np.exp(log_density - totals[:, None])
        likelihood = float(totals.sum())
        if likelihood - before < TOLERANCE * n:
            break
        before = likelihood
    return likelihood, memberships, n_iter
