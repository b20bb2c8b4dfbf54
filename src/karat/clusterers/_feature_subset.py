"""A clusterer on some of the columns: one of several representations of the objects."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, ClusterMixin, clone

from karat.clusterers._memberships import memberships_of

if TYPE_CHECKING:
    from karat.clusterers._record import Clusterer


class OnColumns(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator on the columns ``start:stop`` of the data.

    Parameters
    ----------
    estimator : estimator
    start, stop : int

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
    >>> from karat.clusterers import OnColumns
    >>> X = [[0, 9], [1, 0], [50, 9], [51, 0]]
    >>> labels = OnColumns(KMeans(2, random_state=0), 1, 2).fit_predict(X)
    >>> bool(labels[0] == labels[2] != labels[1] == labels[3])
    True
    """

    def __init__(self, estimator: Any, start: int, stop: int) -> None:
        self.estimator = estimator
        self.start = start
        self.stop = stop

    def fit(self, X: Any, y: Any = None) -> OnColumns:
        """Cluster by these columns."""
        import numpy as np

        rows = X if hasattr(X, "shape") else np.asarray(X)
        self.estimator_ = clone(self.estimator)
        own = rows[:, self.start : self.stop]
        self.labels_ = self.estimator_.fit_predict(own)
        self.memberships_ = memberships_of(self.estimator_, own, self.labels_)
        return self

    def cut(self, n_clusters: int) -> Any:
        """Labels for another number of clusters, where the estimator is a tree."""
        return self.estimator_.cut(n_clusters)


def on_columns(clusterer: Clusterer, name: str, start: int, stop: int) -> Clusterer:
    """The clusterer, already under its distance, on a representation called ``name``.

    Examples
    --------
    >>> from karat.clusterers import catalogue, on_columns
    >>> on_columns(catalogue["soft-movmf"], "terms", 0, 500).key
    'soft-movmf of terms'
    """
    return replace(
        clusterer,
        key=f"{clusterer.key} of {name}",
        title=f"{clusterer.title} of {name}",
        make=partial(_on_columns, clusterer.make, start, stop),
        distances=("features",),
    )


def _on_columns(make: Any, start: int, stop: int, value: Any, seed: int) -> OnColumns:
    return OnColumns(make(value, seed), start, stop)
