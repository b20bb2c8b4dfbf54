"""Affinity propagation under any distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.clusterers._estimator import Estimator
from karat.distances import check_metric, square
from karat.runtime.validation import InputError, validated


class QuantileAffinityPropagation(Estimator):
    """Affinity propagation on minus the squared distances, with one preference for all objects.

    Parameters
    ----------
    quantile : float, default 0.5
        The preference is this quantile of the similarities of different objects: 0 gives few
        clusters, 1 many.
    metric : str or callable, default "euclidean"
        A name in :data:`karat.distances.METRICS`, ``"precomputed"`` among them, or a function of
        two rows.
    damping : float, default 0.9

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
    cluster_centers_indices_ : ndarray of int, shape (k,)
        The exemplars.
    n_features_in_ : int

    Notes
    -----
    Frey & Dueck, *Science* 315 (2007), as scikit-learn has it. O(n²) for each iteration.

    Examples
    --------
    >>> from karat.clusterers.affinity_propagation import QuantileAffinityPropagation
    >>> QuantileAffinityPropagation().fit_predict([[0.0], [0.1], [0.3], [5.0], [5.1], [5.3]])
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self, quantile: float = 0.5, *, metric: Any = "euclidean", damping: float = 0.9
    ) -> None:
        self.quantile = quantile
        self.metric = metric
        self.damping = damping

    def fit(self, X: Any, y: Any = None) -> QuantileAffinityPropagation:
        """Cluster X."""
        from sklearn.cluster import AffinityPropagation as OnAffinities

        if not 0 <= self.quantile <= 1:
            raise InputError(f"quantile must be between 0 and 1; got {self.quantile}")
        X = validated(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        similarities = -(square(X, check_metric(self.metric)).astype(np.float64) ** 2)
        different = similarities[~np.eye(len(similarities), dtype=bool)]
        model = OnAffinities(
            damping=self.damping,
            max_iter=1000,
            preference=float(np.quantile(different, self.quantile)),
            affinity="precomputed",
            random_state=0,
        ).fit(similarities)
        self.labels_ = model.labels_
        self.cluster_centers_indices_ = model.cluster_centers_indices_
        return self
