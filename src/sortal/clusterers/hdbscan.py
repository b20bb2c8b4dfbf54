"""HDBSCAN whose outliers join the cluster of the nearest clustered object."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from sortal.runtime.validation import validated
from sortal.typing import ArrayLike, Ints


@dataclass(eq=False, repr=False)
class FilledHDBSCAN(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """HDBSCAN, after which every outlier joins the cluster of the nearest clustered object.

    Parameters
    ----------
    min_cluster_size : int, default 5
    metric : {"euclidean", "precomputed"}

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        ``-1`` only if HDBSCAN finds no cluster.
    n_features_in_ : int

    Notes
    -----
    HDBSCAN often leaves half of the objects without a cluster, although each has a class.
    O(n² d) at worst.

    Examples
    --------
    >>> from sortal.clusterers import FilledHDBSCAN
    >>> X = [[0.0], [0.1], [0.2], [1.5], [5.0], [5.1], [5.2]]
    >>> FilledHDBSCAN(min_cluster_size=3).fit(X).labels_
    array([0, 0, 0, 0, 1, 1, 1])
    """

    min_cluster_size: int = 5
    _: KW_ONLY
    metric: str = "euclidean"

    def fit(self, X: ArrayLike, y: object = None) -> FilledHDBSCAN:
        """Cluster X, then assign the outliers."""
        from sklearn.cluster import HDBSCAN
        from sklearn.neighbors import NearestNeighbors

        rows = validated(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        model = HDBSCAN(self.min_cluster_size, metric=self.metric, copy=True)
        labels: Ints = np.maximum(model.fit_predict(rows), -1).astype(np.int64)
        inside = np.flatnonzero(labels >= 0)
        outside = np.flatnonzero(labels < 0)
        if len(inside) and len(outside):
            if self.metric == "precomputed":
                nearest = rows[np.ix_(outside, inside)].argmin(axis=1)
            else:
                search = NearestNeighbors(n_neighbors=1).fit(rows[inside])
                nearest = search.kneighbors(rows[outside], return_distance=False)[:, 0]
            labels[outside] = labels[inside[nearest]]
        self.labels_ = labels
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric != "precomputed"
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
