"""k-medoids: clusters around objects, for any distance."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from sortal.clusterers._estimator import BaseClusterer
from sortal.distances import as_distances, check_metric, square
from sortal.runtime.validation import InputError, check_random_state
from sortal.typing import ArrayLike, Ints, Metric, RandomState


@dataclass(eq=False, repr=False)
class KMedoids(BaseClusterer):
    """k-medoids: clusters around objects, with a small sum of distances to these.

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str or callable, default "euclidean"
        A name in :data:`sortal.distances.METRICS`, ``"precomputed"`` among them, or a function of
        two rows. It need not obey the triangle inequality, but must be symmetric.
    n_init : int, default 10
        Starts from random objects; the best is kept.
    max_iter : int, default 100
        Most passes over the candidates of each start.
    random_state : None, int or Generator
        For the initial medoids.

    Attributes
    ----------
    medoid_indices_ : ndarray of int64, shape (n_clusters,)
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance; each medoid is in its own.
    inertia_ : float
        Sum of the distances to the nearest medoid.
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    FasterPAM of Schubert & Rousseeuw, *Information Systems* 101 (2021), from random medoids.
    O(n²) for each pass, for any k; 8 n² bytes for the distances, computed once for all starts.

    Examples
    --------
    >>> from sortal.clusterers import KMedoids
    >>> model = KMedoids(2, random_state=0).fit([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    >>> model.labels_, sorted(model.medoid_indices_.tolist()), model.inertia_
    (array([0, 0, 0, 1, 1, 1], dtype=int32), [1, 4], 4.0)
    """

    _counts = ("n_init", "max_iter")

    n_clusters: int = 8
    _: KW_ONLY
    metric: Metric = "euclidean"
    n_init: int = 10
    max_iter: int = 100
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> KMedoids:
        """Cluster X."""
        from sortal._kernels.kmedoids import swap

        metric = check_metric(self.metric)
        rows = self._rows(X, least=2)
        n = rows.shape[0]
        D = np.ascontiguousarray(square(rows, metric))
        rng = check_random_state(self.random_state)
        self.inertia_ = np.inf
        for _ in range(self.n_init if 1 < self.n_clusters < n else 1):
            if self.n_clusters == 1:
                medoids = np.array([np.argmin(D.sum(axis=1))])
                nearest, n_iter, settled = np.zeros(n, dtype=np.int64), 1, True
            else:
                medoids = rng.choice(n, size=self.n_clusters, replace=False)
                nearest, n_iter, settled = swap(D, medoids, self.max_iter)
            total = float(D[medoids[nearest], np.arange(n)].sum(dtype=np.float64))
            if total < self.inertia_:
                self.inertia_, self.n_iter_, best_settled = total, n_iter, settled
                self.labels_, self.medoid_indices_ = _numbered(nearest, medoids)
        if not best_settled:
            self._warn(f"not settled after {self.max_iter} passes; raise max_iter")
        return self


@dataclass(eq=False, repr=False)
class CLARA(BaseClusterer):
    """Clustering large applications: the best k-medoids of several small samples.

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str or callable, default "euclidean"
        As for :class:`KMedoids`.
    n_samples : int, default 5
        Samples; each after the first includes the best medoids so far.
    sample_size : int, optional
        Objects of a sample; 40 + 2 n_clusters by default. All objects where there are no more.
    random_state : None, int or Generator
        For the samples and the initial medoids.

    Attributes
    ----------
    medoid_indices_, labels_, inertia_, n_features_in_
        As of :class:`KMedoids`, for all objects.

    Notes
    -----
    Kaufman & Rousseeuw, *Finding Groups in Data* (1990), chapter 3, with FasterPAM for the samples.
    O(n k d) for each sample; memory O(n k) and the square of the sample size.

    Examples
    --------
    >>> from sortal.clusterers import CLARA
    >>> model = CLARA(2, random_state=0).fit([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    >>> model.labels_, sorted(model.medoid_indices_.tolist()), model.inertia_
    (array([0, 0, 0, 1, 1, 1], dtype=int32), [1, 4], 4.0)
    """

    n_clusters: int = 8
    _: KW_ONLY
    metric: Metric = "euclidean"
    n_samples: int = 5
    sample_size: int | None = None
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> CLARA:
        """Cluster X."""
        metric = check_metric(self.metric)
        data = self._rows(X, least=2)
        n, k = data.shape[0], self.n_clusters
        size = min(n, 40 + 2 * k if self.sample_size is None else self.sample_size)
        if size < k or self.n_samples < 1:
            raise InputError(
                f"CLARA needs at least one sample of {k} objects or more for {k} clusters; got "
                f"n_samples={self.n_samples}, sample_size={self.sample_size}"
            )
        distances = as_distances(data, metric)
        rng = check_random_state(self.random_state)
        self.inertia_, best = np.inf, np.empty(0, dtype=np.int64)
        for _ in range(1 if size == n else self.n_samples):
            others = np.setdiff1d(np.arange(n), best)
            added = rng.choice(others, size - len(best), replace=False)
            rows = np.sort(np.concatenate([best, added]))
            sample = data[np.ix_(rows, rows)] if metric == "precomputed" else data[rows]
            model = KMedoids(k, metric=metric, random_state=rng)
            medoids = rows[model.fit(sample).medoid_indices_]
            order = np.concatenate([medoids, np.arange(n)])
            to_medoids = distances.take(order).block(slice(k, k + n), slice(0, k))
            nearest = to_medoids.argmin(axis=1)
            total = float(to_medoids[np.arange(n), nearest].sum(dtype=np.float64))
            if total < self.inertia_:
                self.inertia_, best = total, medoids
                self.labels_, self.medoid_indices_ = _numbered(nearest, medoids)
        return self


def _numbered(nearest: Ints, medoids: Ints) -> tuple[NDArray[np.int32], Ints]:
    """Labels numbered by first appearance, each medoid in its own cluster, and medoids likewise."""
    k = len(medoids)
    nearest[medoids] = np.arange(k)
    order = np.argsort([np.argmax(nearest == i) for i in range(k)])
    number = np.empty(k, dtype=np.int32)
    number[order] = np.arange(k)
    return number[nearest], medoids[order]
