"""k-medoids: clusters around objects, for any distance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from karat.distances import check_metric, square
from karat.validation import InputError, check_random_state


class KMedoids(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """k-medoids: each cluster has an object at its centre, the sum of distances to it is small.

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str or callable, default "euclidean"
        A name in :data:`karat.distances.METRICS`, ``"precomputed"`` among them, or a function of
        two rows. It need not obey the triangle inequality, but must be symmetric.
    max_iter : int, default 100
        Passes over the candidates.
    random_state : None, int or Generator
        For the objects to begin with.

    Attributes
    ----------
    medoid_indices_ : ndarray of int64, shape (n_clusters,)
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance. Each medoid is in its own cluster, so that none is
        empty where objects coincide.
    inertia_ : float
        Sum of the distances to the nearest medoid.
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    FasterPAM of Schubert & Rousseeuw, *Information Systems* 101 (2021), from random medoids:
    every candidate is tried against all medoids in one pass over the objects, and the first swap
    that lowers the sum is made. O(n²) for each pass, whatever k; 8 n² bytes for the distances.

    Examples
    --------
    >>> from karat.clusterers import KMedoids
    >>> model = KMedoids(2, random_state=0).fit([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    >>> model.labels_, sorted(model.medoid_indices_.tolist()), model.inertia_
    (array([0, 0, 0, 1, 1, 1], dtype=int32), [1, 4], 4.0)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> KMedoids:
        """Cluster X.

        Parameters
        ----------
        X : array-like or sparse, shape (n, d), or (n, n) where the metric is ``"precomputed"``
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        InputError
            For a number of clusters that X cannot have, or a matrix that holds no distances.
        """
        from karat._kernels.kmedoids import swap

        metric = check_metric(self.metric)
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        n = X.shape[0]
        if not 1 <= self.n_clusters <= n:
            raise InputError(f"n_clusters must be between 1 and {n} objects; got {self.n_clusters}")
        D = np.ascontiguousarray(square(X, metric))
        if self.n_clusters == 1:
            medoids = np.array([np.argmin(D.sum(axis=1))])
            nearest, self.n_iter_, settled = np.zeros(n, dtype=np.int64), 1, True
        else:
            rng = check_random_state(self.random_state)
            medoids = rng.choice(n, size=self.n_clusters, replace=False)
            nearest, self.n_iter_, settled = swap(D, medoids, self.max_iter)
        if not settled:
            warnings.warn(
                f"k-medoids has not settled after {self.max_iter} passes; raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        nearest[medoids] = np.arange(self.n_clusters)
        order = np.argsort([np.argmax(nearest == i) for i in range(self.n_clusters)])
        number = np.empty(self.n_clusters, dtype=np.int32)
        number[order] = np.arange(self.n_clusters)
        self.labels_ = number[nearest]
        self.medoid_indices_ = medoids[order]
        self.inertia_ = float(D[medoids[nearest], np.arange(n)].sum(dtype=np.float64))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
