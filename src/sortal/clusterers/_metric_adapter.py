"""Estimators under any metric: on its distances, or on transformed rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone

from sortal.distances import check_points, embed, square
from sortal.labelings.partitions import SoftPartition
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Estimator, Floats, Labels, Metric


@dataclass(eq=False, repr=False)
class OnDistances(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that accepts ``metric="precomputed"``, on the distances of any metric.

    Parameters
    ----------
    estimator : estimator
        With a parameter ``metric``.
    metric : str or callable
        A name in :data:`sortal.distances.METRICS`, or a function of two rows.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.
    labels_ : ndarray of int, shape (n,)

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> from sortal.clusterers import OnDistances
    >>> OnDistances(DBSCAN(eps=1, min_samples=1), "chebyshev").fit_predict([[0], [1], [5]])
    array([0, 0, 1])
    """

    estimator: Estimator
    metric: Metric = "euclidean"

    def fit(self, X: ArrayLike, y: object = None) -> OnDistances:
        """Compute the distances and cluster them."""
        D = square(check_points(X, self.metric), self.metric)
        self.estimator_ = clone(self.estimator).set_params(metric="precomputed").fit(D)
        self.labels_ = self.estimator_.labels_
        return self


@dataclass(eq=False, repr=False)
class OnForm(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator for Euclidean space, on rows whose Euclidean distance is that of a metric.

    Parameters
    ----------
    estimator : estimator
    metric : str
        A key of :data:`sortal.distances.FORMS`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.
    labels_ : ndarray of int, shape (n,)
    memberships_ : ndarray of float64, shape (n, k), or None
        Where the estimator has them.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sortal.clusterers import OnForm
    >>> rows = [[1, 0], [100, 1], [0, 1], [1, 100]]
    >>> labels = OnForm(KMeans(2, random_state=0), "cosine").fit_predict(rows)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    estimator: Estimator
    metric: str = "cosine"

    def fit(self, X: ArrayLike, y: object = None) -> OnForm:
        """Transform the rows and cluster them."""
        rows = embed(check_points(X, self.metric), self.metric)
        self.estimator_ = clone(self.estimator)
        self.labels_ = self.estimator_.fit_predict(rows)
        self.memberships_ = memberships_of(self.estimator_, rows, self.labels_)
        return self

    def cut(self, n_clusters: int) -> Any:
        """Labels for another number of clusters, where the estimator is a tree."""
        return self.estimator_.cut(n_clusters)


def memberships_of(estimator: Estimator, X: ArrayLike, labels: Labels) -> Floats | None:
    """Memberships (n, k) of the objects X that an estimator was fitted to, or None.

    They are its ``memberships_``, or ``posterior(X)``, or ``predict_proba(X)``. The result is None
    where the estimator has none of these, or where the largest membership is not in the column of
    the label.
    """
    codes, memberships = np.asarray(labels), getattr(estimator, "memberships_", None)
    if memberships is None and getattr(estimator, "assignment", "soft") != "hard":
        for name in ("posterior", "predict_proba"):
            if memberships is None and hasattr(estimator, name):
                memberships = getattr(estimator, name)(X)
    if memberships is None or codes.dtype.kind not in "iu":
        return None
    try:
        U = SoftPartition(memberships).memberships
    except InputError:
        return None
    return U if np.array_equal(U.argmax(axis=1), codes) else None
