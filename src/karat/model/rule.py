"""The rule that puts further objects into the clusters of a clustering."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.distances import FORMS, as_distances, check_points, embed, metric_name
from karat.distances.neighbors import nearest_of_groups, neighbor_lists
from karat.labeling import central_objects
from karat.labelings.labels import NOISE
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.validation import Data

    Floats = NDArray[np.float64]

#: distances that depend on all objects, so that those to further ones are not defined by two rows
OF_ALL = {
    "seuclidean": "scale='standard' and the Euclidean distance",
    "mahalanobis": "whitened features and the Euclidean distance",
}
#: one training object in so many may be nearer to another cluster's centre
CENTERS_ALLOW = 1_000
#: share of objects like those of the data that are called unlike them, from 1/ALARMS objects on
ALARMS = 0.01
#: of a distance of angles that is 0
ROUNDING = 1e-12
_BLOCK = 2**14


class Placed(NamedTuple):
    """Where objects belong."""

    #: ``-1`` where the nearest object is an outlier
    labels: NDArray[np.int32]
    #: one minus the distance to the cluster over that to the next one: 1 at its centre (or at one
    #: of its objects), 0 on the border
    margins: Floats
    #: whether the object is like nothing in the data
    unlike: NDArray[np.bool_]
    #: to the centre of the cluster; NaN for outliers, which have none
    distances: Floats


@dataclass(frozen=True, eq=False)
class Rule:
    """Clusters as objects that stand for them, and their centres."""

    #: objects that stand for all
    X: Data
    #: their clusters from 0, ``-1`` for outliers
    labels: NDArray[np.int32]
    metric: Any
    #: means of the clusters in the form of the rows whose Euclidean distance this is
    #: (:data:`karat.distances.FORMS`); under other distances their medoids
    centers: Data
    #: how far an object may be from the nearest one of a cluster and still be like the data
    limits: Floats
    #: whether an object belongs to the nearest centre; otherwise to the cluster of the nearest
    #: object
    by_centers: bool

    @classmethod
    def of(
        cls,
        X: Data,
        labels: NDArray[np.int32],
        metric: Any = "euclidean",
        rows: NDArray[np.integer[Any]] | None = None,
        by_centers: bool | None = None,
    ) -> Rule:
        """The rule of a clustering, with ``rows`` as the objects that stand for all.

        By default an object belongs to the nearest centre where all but one object in
        :data:`CENTERS_ALLOW` are nearest to that of their own cluster, and none is an outlier.
        """
        if metric in OF_ALL:
            raise InputError(
                f"{metric} distances depend on all objects, so they are not defined for further "
                f"ones; use {OF_ALL[metric]}"
            )
        rows = np.arange(X.shape[0]) if rows is None else rows
        if not (labels >= 0).any():
            raise InputError("the clustering has no cluster, every object is an outlier")
        centers, kept, own = _centers(X, labels, metric), X[rows], labels[rows]
        limits = _limits(kept, own, metric, centers.shape[0])
        rule = cls(kept, own, metric, centers, limits, bool(by_centers))
        return rule if by_centers is not None else replace(rule, by_centers=rule._tells(X, labels))

    def _tells(self, X: Data, labels: NDArray[np.int32]) -> bool:
        """Whether the nearest centres tell the clusters."""
        if not _has_means(self.metric) or (labels == NOISE).any():
            return False
        wrong, n = 0, X.shape[0]
        for start in range(0, n, _BLOCK):
            own = labels[start : start + _BLOCK]
            wrong += int((self.to_centers(X[start : start + _BLOCK]).argmin(axis=1) != own).sum())
        return wrong * CENTERS_ALLOW <= n

    def place(
        self,
        Z: Data,
        own: NDArray[np.integer[Any]] | None = None,
        labels: NDArray[np.int32] | None = None,
    ) -> Placed:
        """The clusters of objects that were prepared as ``X`` was.

        ``own`` is which of the objects in ``X`` each is, -1 for none: then its margin is that from
        the other objects. ``labels`` are their clusters where these are known.
        """
        m = Z.shape[0]
        if m == 0:
            none = np.empty(0)
            return Placed(np.empty(0, np.int32), none, np.empty(0, bool), none)
        parts = []
        for start in range(0, m, _BLOCK):
            rows = slice(start, start + _BLOCK)
            some = None if own is None else own[rows]
            parts.append(self._block(Z[rows], some, None if labels is None else labels[rows]))
        return Placed(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _block(
        self, Z: Data, own: NDArray[np.integer[Any]] | None, known: NDArray[np.int32] | None
    ) -> tuple[Any, ...]:
        r, m = self.X.shape[0], Z.shape[0]
        names, groups = np.unique(self.labels, return_inverse=True)
        both = stacked(self.X, Z)
        nearest, near = nearest_of_groups(
            both, np.arange(r), np.arange(r, r + m), self.metric, groups, own
        )
        center = self.to_centers(Z)
        of_cluster = near[:, names >= 0]
        home = names[names >= 0][of_cluster.argmin(axis=1)]
        rounding = 0.0 if self.metric == "euclidean" else ROUNDING
        unlike = of_cluster.min(axis=1) > self.limits[home] * (1 + 1e-9) + rounding
        labels = center.argmin(axis=1) if self.by_centers else self.labels[nearest]
        labels = labels if known is None else known
        apart, at = (center, labels) if self.by_centers else (near, np.searchsorted(names, labels))
        distance = center[np.arange(m), np.maximum(labels, 0)]
        distance[labels == NOISE] = np.nan
        return labels.astype(np.int32), _margins(apart, at), unlike, distance

    def to_centers(self, Z: Data) -> Floats:
        """Distances (m, k) to the centres."""
        if not _has_means(self.metric):
            return between(Z, self.centers, self.metric)
        from sklearn.metrics.pairwise import euclidean_distances

        form = _form(Z, self.metric, self.centers.shape[1])
        if hasattr(form, "toarray"):
            return np.asarray(euclidean_distances(form, self.centers))
        return between(form, self.centers, "euclidean")


def _margins(apart: Floats, own: NDArray[np.integer[Any]]) -> Floats:
    """One minus the distance to the own group over that to the nearest other one."""
    rows = np.arange(len(apart))
    here = apart[rows, own]
    others = apart.copy()
    others[rows, own] = np.inf
    there = others.min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        margins = 1 - here / there
    margins[~np.isfinite(there)] = 1.0  # there is no other
    margins[there == 0] = 0.0
    return np.clip(margins, 0.0, 1.0)


def _has_means(metric: Any) -> bool:
    return isinstance(metric, str) and metric in FORMS and metric not in OF_ALL


def _form(X: Data, metric: str, width: int | None = None) -> Any:
    """Rows whose Euclidean distance it is; rows of zeros have a last feature of their own."""
    form = embed(X, metric)
    if metric in ("euclidean", "sqeuclidean"):
        return form
    if width is None:
        width = X.shape[1] + 1
    lacking = width - form.shape[1]
    if lacking <= 0:
        return form
    if hasattr(form, "toarray"):
        from scipy import sparse

        none = sparse.csr_array((form.shape[0], lacking))
        return sparse.csr_array(sparse.hstack([form, none]))
    return np.hstack([form, np.zeros((len(form), lacking))])


def _centers(X: Data, labels: NDArray[np.int32], metric: Any) -> Data:
    from scipy import sparse

    k = int(labels.max()) + 1
    if not _has_means(metric):
        first = _few_of_each(labels)
        medoids = central_objects(X[first], labels[first], metric=metric)
        return X[first[np.array([one[0] for one in medoids])]]
    kept = np.flatnonzero(labels >= 0)
    sums: Any = 0.0
    for start in range(0, len(kept), _BLOCK):
        rows = kept[start : start + _BLOCK]
        form = _form(X[rows], metric)
        cells = labels[rows], np.arange(len(rows))
        member = sparse.csr_array((np.ones(len(rows)), cells), shape=(k, len(rows)))
        part = member @ form
        sums = sums + (part.toarray() if hasattr(part, "toarray") else part)
    return np.asarray(sums / np.bincount(labels[kept], minlength=k)[:, None])


def _few_of_each(labels: NDArray[np.int32], most: int = 1_000) -> NDArray[np.intp]:
    """The objects of each cluster, of large ones as many as tell where the middle is."""
    rng = np.random.default_rng(0)
    members = (np.flatnonzero(labels == cluster) for cluster in range(int(labels.max()) + 1))
    return np.concatenate([
        own if len(own) <= most else np.sort(rng.choice(own, most, replace=False))
        for own in members
    ])  # fmt: skip


def _limits(X: Data, labels: NDArray[np.int32], metric: Any, k: int) -> Floats:
    """Of each cluster, the distance to the nearest other member that few objects exceed.

    A further object of the same kind exceeds the j-th smallest of n such distances with
    probability 1 − j/(n + 1). Clusters of fewer than 1/ALARMS objects share one limit.
    """
    alone = [np.empty(0)] * k
    for cluster in range(k):
        own = np.flatnonzero(labels == cluster)
        if len(own) > 1:
            lists = neighbor_lists(X[own], 1, metric=metric)
            alone[cluster] = lists.distances[:, 0]
    small = [one for one in alone if len(one) < 1 / ALARMS]
    shared = _quantile(np.concatenate(small)) if small else np.inf
    return np.array([_quantile(d) if len(d) >= 1 / ALARMS else shared for d in alone])


def _quantile(distances: Floats) -> float:
    n = len(distances)
    if n == 0:
        return float("inf")
    place = min(int(np.ceil((1 - ALARMS) * (n + 1))), n)
    return float(np.sort(distances)[place - 1])


def between(A: Data, B: Data, metric: Any) -> Floats:
    """Distances (a, b) between the rows of two data sets."""
    a = A.shape[0]
    both = as_distances(stacked(A, B), metric)
    return both.block(slice(0, a), slice(a, both.n))


def stacked(A: Data, B: Data) -> Any:
    """The rows of one data set below those of another."""
    if hasattr(A, "toarray") or hasattr(B, "toarray"):
        from scipy import sparse

        return sparse.csr_array(sparse.vstack([sparse.csr_array(A), sparse.csr_array(B)]))
    return np.concatenate([np.asarray(A), np.asarray(B)])


def check_metric_of_file(metric: Any) -> str:
    """The name of a distance that a file can keep."""
    if not isinstance(metric, str):
        raise InputError(
            f"the distance is the function {metric_name(metric)}, which a file cannot keep; use a "
            "named distance, or predict with the answer while the program runs"
        )
    return metric


def check_features(X: Any, metric: Any) -> Data:
    """Objects by features; distances and graphs have none that further objects could have."""
    if metric in ("precomputed", "graph"):
        what = "a matrix of distances" if metric == "precomputed" else "a graph"
        raise InputError(
            f"the clustering is of {what}, so nothing is known of further objects; cluster "
            "features to predict the clusters of further objects"
        )
    return check_points(X, metric)
