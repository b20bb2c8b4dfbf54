"""A clusterer under the study's distance: as it is, on another form of the rows, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, ClusterMixin, clone

from karat.clusterers._memberships import memberships_of
from karat.distances import FORMS, check_points, embed, metric_name, square
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.clusterers._record import Clusterer


class ExcludedError(InputError):
    """A clusterer cannot take the distance; the message says why."""


@dataclass(eq=False, repr=False)
class OnDistances(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that takes ``metric="precomputed"``, on the distances of any metric.

    Parameters
    ----------
    estimator : estimator
        With a parameter ``metric``.
    metric : str or callable
        A name in :data:`karat.distances.METRICS`, or a function of two rows.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.
    labels_ : ndarray of int, shape (n,)

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> from karat.clusterers import OnDistances
    >>> OnDistances(DBSCAN(eps=1, min_samples=1), "chebyshev").fit_predict([[0], [1], [5]])
    array([0, 0, 1])
    """

    estimator: Any
    metric: Any = "euclidean"

    def fit(self, X: Any, y: Any = None) -> OnDistances:
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
        A key of :data:`karat.distances.FORMS`.

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
    >>> from karat.clusterers import OnForm
    >>> rows = [[1, 0], [100, 1], [0, 1], [1, 100]]
    >>> labels = OnForm(KMeans(2, random_state=0), "cosine").fit_predict(rows)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    estimator: Any
    metric: str = "cosine"

    def fit(self, X: Any, y: Any = None) -> OnForm:
        """Cluster the other rows."""
        rows = embed(check_points(X, self.metric), self.metric)
        self.estimator_ = clone(self.estimator)
        self.labels_ = self.estimator_.fit_predict(rows)
        self.memberships_ = memberships_of(self.estimator_, rows, self.labels_)
        return self

    def cut(self, n_clusters: int) -> Any:
        """Labels for another number of clusters, where the estimator is a tree."""
        return self.estimator_.cut(n_clusters)


def under(clusterer: Clusterer, metric: Any) -> Clusterer:
    """The clusterer under a distance.

    Parameters
    ----------
    clusterer : Clusterer
    metric : str or callable
        As :func:`karat.distances.check_metric` returns it, or ``"graph"``.

    Returns
    -------
    Clusterer
        Where it works in Euclidean space and there are rows whose Euclidean distance this is, it
        works on those, and its key says so: ``"kmeans on unit rows"`` for cosine.

    Raises
    ------
    ExcludedError
        If it cannot take the distance.

    Examples
    --------
    >>> from karat.clusterers import catalogue, under
    >>> under(catalogue["kmeans"], "cosine").key
    'kmeans on unit rows'
    """
    takes, name = clusterer.distances, metric if isinstance(metric, str) else None
    if name == "kl" and "features" not in takes:
        raise ExcludedError(
            f"{clusterer.title} needs one distance for a pair of objects, and kl depends on the "
            "direction; use symmetric_kl"
        )
    if name in takes or ("any" in takes and name != "graph"):
        if len(takes) == 1 and "any" not in takes:
            return clusterer
        return replace(clusterer, make=partial(clusterer.make, metric=metric))
    if "features" in takes and name not in ("precomputed", "graph"):
        return clusterer
    form = FORMS.get(name or "") if "euclidean" in takes else None
    if form == "":
        return clusterer
    if form is not None:
        return replace(
            clusterer,
            key=f"{clusterer.key} on {form}",
            title=f"{clusterer.title} on {form}",
            cells=False,
            make=partial(_on_form, clusterer.make, metric),
        )
    raise ExcludedError(_why_not(clusterer, metric))


def _on_form(make: Any, metric: str, value: Any, seed: int) -> OnForm:
    return OnForm(make(value, seed), metric)


def _why_not(clusterer: Clusterer, metric: Any) -> str:
    title, takes = clusterer.title, clusterer.distances
    if metric == "graph":
        return f"{title} needs objects with distances, and a graph has edges alone"
    if takes == ("graph",):
        return f'{title} clusters the nodes of a graph; give one with metric="graph"'
    if metric == "precomputed":
        return f"{title} needs the objects' features, and a matrix of distances has none"
    if "euclidean" in takes:
        return f"{title} forms means of the objects, which {metric_name(metric)} distance has not"
    return f"{title} takes {' or '.join(takes)} distance, not {metric_name(metric)}"
