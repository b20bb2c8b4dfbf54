"""The rule that assigns further objects to the clusters of a clustering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sortal._kernels.placement import place_rows
from sortal.distances import FORMS, as_distances, check_points, embed, metric_name
from sortal.distances.neighbors import nearest_of_groups, neighbor_lists
from sortal.labeling import central_objects
from sortal.labelings.labels import NOISE
from sortal.model.tuned import TUNED
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Bools, Floats, Metric, Rows

#: distances that depend on all objects, so distances to further objects are undefined
RELATIVE_METRICS = {
    "seuclidean": "scale='standard' and the Euclidean distance",
    "mahalanobis": "whitened features and the Euclidean distance",
}
#: derived: share of false alarms among ordinary objects, from 1/ALARMS objects on
ALARMS = 0.01
#: limit of cost: objects that are placed at a time
_BLOCK = 2**14


class Placed(NamedTuple):
    """Clusters of further objects."""

    #: the cluster, ``-1`` where the nearest object is an outlier
    labels: NDArray[np.int32]
    #: one minus the distance to the cluster over that to the next one: 1 at its centre (or at one
    #: of its objects), 0 on the border
    margins: Floats
    #: whether the object is unlike anything in the data
    unlike: Bools
    #: distance to the centre of the cluster; NaN for outliers
    distances: Floats


@dataclass(frozen=True, eq=False)
class PlacementRule:
    """Clusters as the objects that represent them, and their centres."""

    #: objects that represent all
    X: Rows
    #: their clusters from 0, ``-1`` for outliers
    labels: NDArray[np.int32]
    metric: Metric
    #: means of the clusters, of rows in the form with this Euclidean distance
    #: (:data:`sortal.distances.FORMS`); under other distances medoids
    centers: Rows
    #: maximum distance of ordinary objects from the nearest object of each cluster
    limits: Floats
    #: whether an object belongs to the nearest centre, not to the cluster of the nearest object
    by_centers: bool

    @classmethod
    def of(
        cls,
        X: Rows,
        labels: NDArray[np.int32],
        metric: Metric = "euclidean",
        rows: NDArray[np.integer[Any]] | None = None,
        by_centers: bool | None = None,
    ) -> PlacementRule:
        """The rule of a clustering, with ``rows`` as the objects that represent all.

        By default an object belongs to the nearest centre if at most one object in
        1,000 is nearer to another cluster's centre, and none is an outlier.
        """
        if isinstance(metric, str) and metric in RELATIVE_METRICS:
            raise InputError(
                f"{metric} distances depend on all objects, so they are not defined for further "
                f"ones; use {RELATIVE_METRICS[metric]}"
            )
        rows = np.arange(X.shape[0]) if rows is None else rows
        if not (labels >= 0).any():
            raise InputError("the clustering has no cluster, every object is an outlier")
        centers, represented, row_labels = _centers(X, labels, metric), X[rows], labels[rows]
        limits = _limits(represented, row_labels, metric, centers.shape[0])
        rule = cls(represented, row_labels, metric, centers, limits, bool(by_centers))
        return rule if by_centers is not None else replace(rule, by_centers=rule._tells(X, labels))

    def _tells(self, X: Rows, labels: NDArray[np.int32]) -> bool:
        """Whether the nearest centre is that of an object's cluster, nearly always."""
        if not _has_means(self.metric) or (labels == NOISE).any():
            return False
        wrong, n = 0, X.shape[0]
        for start in range(0, n, _BLOCK):
            rows = slice(start, start + _BLOCK)
            wrong += int((self.to_centers(X[rows]).argmin(axis=1) != labels[rows]).sum())
        return wrong * TUNED.centers_allow <= n

    def place(
        self,
        Z: Rows,
        own: NDArray[np.integer[Any]] | None = None,
        labels: NDArray[np.int32] | None = None,
    ) -> Placed:
        """The clusters of objects that were prepared as ``X`` was.

        ``own`` identifies objects that are in ``X`` by their row, with -1 for the others; the
        margin of such an object is that from the other objects. ``labels`` are known clusters.
        """
        m = Z.shape[0]
        if m == 0:
            no_values = np.empty(0)
            return Placed(np.empty(0, np.int32), no_values, np.empty(0, bool), no_values)
        if self.metric == "euclidean" and own is labels is None and isinstance(Z, np.ndarray):
            return self._by_cells(Z)
        parts = []
        for start in range(0, m, _BLOCK):
            rows = slice(start, start + _BLOCK)
            own_rows = None if own is None else own[rows]
            parts.append(self._block(Z[rows], own_rows, None if labels is None else labels[rows]))
        return Placed(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _by_cells(self, Z: NDArray[Any]) -> Placed:
        """The clusters of rows of numbers, by cells that hold the representatives."""
        rows = np.ascontiguousarray(Z, dtype=np.float64)
        centers = np.asarray(self.centers, dtype=np.float64)
        cells: tuple[Any, ...] = (*self._cells, self.limits, self.by_centers)
        place: Callable[..., Any] = place_rows
        return Placed(*place(rows, centers, *cells))

    @cached_property
    def _cells(self) -> tuple[Any, ...]:
        """Representatives by cells around a few of them: rows, labels, starts, anchors, radii."""
        X = np.ascontiguousarray(self.X, dtype=np.float64)
        step = int(np.ceil(np.sqrt(len(X))))
        anchors = X[::step]
        to_anchors = between(X, anchors, "euclidean")
        cell = to_anchors.argmin(axis=1)
        order = np.argsort(cell, kind="stable")
        starts = np.searchsorted(cell[order], np.arange(len(anchors) + 1))
        # exact distances: those of matrix products are rounded
        distances = np.sqrt(((X - anchors[cell]) ** 2).sum(axis=1))
        radii = np.zeros(len(anchors))
        np.maximum.at(radii, cell, distances * (1 + 1e-12))
        return X[order], self.labels[order].astype(np.int64), starts, anchors, radii

    def _block(
        self,
        Z: Rows,
        own_rows: NDArray[np.integer[Any]] | None,
        labels_if_known: NDArray[np.int32] | None,
    ) -> tuple[Any, ...]:
        """Labels, margins, unlikeness and distances of a block of objects."""
        r, m = self.X.shape[0], Z.shape[0]
        groups, group_of = np.unique(self.labels, return_inverse=True)
        stack = stacked(self.X, Z)
        nearest, near = nearest_of_groups(
            stack, np.arange(r), np.arange(r, r + m), self.metric, group_of, own_rows
        )
        center = self.to_centers(Z)
        to_clusters = near[:, groups >= 0]
        nearest_cluster = groups[groups >= 0][to_clusters.argmin(axis=1)]
        # a zero distance between angles is rounded
        rounding = 0.0 if self.metric == "euclidean" else 1e-12
        unlike = to_clusters.min(axis=1) > self.limits[nearest_cluster] * (1 + 1e-9) + rounding
        labels = center.argmin(axis=1) if self.by_centers else self.labels[nearest]
        labels = labels if labels_if_known is None else labels_if_known
        separation, column = (
            (center, labels) if self.by_centers else (near, np.searchsorted(groups, labels))
        )
        distance = center[np.arange(m), np.maximum(labels, 0)]
        distance[labels == NOISE] = np.nan
        return labels.astype(np.int32), _margins(separation, column), unlike, distance

    def to_centers(self, Z: Rows) -> Floats:
        """Distances (m, k) to the centres."""
        if not _has_means(self.metric):
            return between(Z, self.centers, self.metric)
        from sklearn.metrics.pairwise import euclidean_distances

        form = _form(Z, self.metric, self.centers.shape[1])
        if hasattr(form, "toarray"):
            return np.asarray(euclidean_distances(form, self.centers))
        return between(form, self.centers, "euclidean")


def _margins(separation: Floats, home: NDArray[np.integer[Any]]) -> Floats:
    """One minus the distance to the home group over that to the nearest other one."""
    rows = np.arange(len(separation))
    nearest = separation[rows, home]
    others = separation.copy()
    others[rows, home] = np.inf
    next_nearest = others.min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        margins = 1 - nearest / next_nearest
    margins[~np.isfinite(next_nearest)] = 1.0  # the only group
    margins[next_nearest == 0] = 0.0
    return np.clip(margins, 0.0, 1.0)


def _has_means(metric: Metric) -> TypeGuard[str]:
    """Whether clusters have means under a distance."""
    return isinstance(metric, str) and metric in FORMS and metric not in RELATIVE_METRICS


def _form(X: Rows, metric: str, width: int | None = None) -> Any:
    """Rows with this Euclidean distance; rows of zeros get a last feature."""
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

        padding = sparse.csr_array((form.shape[0], lacking))
        return sparse.csr_array(sparse.hstack([form, padding]))
    return np.hstack([form, np.zeros((len(form), lacking))])


def _centers(X: Rows, labels: NDArray[np.int32], metric: Metric) -> Rows:
    """Means of the clusters, in the form of the rows, or their medoids."""
    from scipy import sparse

    k = int(labels.max()) + 1
    if not _has_means(metric):
        first = _few_of_each(labels)
        medoids = central_objects(X[first], labels[first], metric=metric)
        return X[first[np.array([medoid[0] for medoid in medoids])]]
    members = np.flatnonzero(labels >= 0)
    sums: Any = 0.0
    for start in range(0, len(members), _BLOCK):
        rows = members[start : start + _BLOCK]
        form = _form(X[rows], metric)
        cells = labels[rows], np.arange(len(rows))
        member = sparse.csr_array((np.ones(len(rows)), cells), shape=(k, len(rows)))
        block_sums = member @ form
        sums = sums + (block_sums.toarray() if hasattr(block_sums, "toarray") else block_sums)
    return np.asarray(sums / np.bincount(labels[members], minlength=k)[:, None])


def _few_of_each(labels: NDArray[np.int32], most: int = 1_000) -> NDArray[np.intp]:
    """Objects of each cluster; at most ``most``, drawn at random."""
    rng = np.random.default_rng(0)
    members = (np.flatnonzero(labels == cluster) for cluster in range(int(labels.max()) + 1))
    return np.concatenate([draw_rows(of_cluster, most, rng) for of_cluster in members])


def _limits(X: Rows, labels: NDArray[np.int32], metric: Metric, k: int) -> Floats:
    """For each cluster, a limit of the distance to the nearest other member that few exceed.

    A further object of the same kind exceeds the j-th smallest of n such distances with
    probability 1 − j/(n + 1). Clusters of fewer than 1/ALARMS objects share one limit.
    """
    spacings = [np.empty(0)] * k
    for cluster in range(k):
        of_cluster = np.flatnonzero(labels == cluster)
        if len(of_cluster) > 1:
            lists = neighbor_lists(X[of_cluster], 1, metric=metric)
            spacings[cluster] = lists.distances[:, 0]
    small = [spacing for spacing in spacings if len(spacing) < 1 / ALARMS]
    shared = _quantile(np.concatenate(small)) if small else np.inf
    return np.array([_quantile(d) if len(d) >= 1 / ALARMS else shared for d in spacings])


def _quantile(distances: Floats) -> float:
    """The distance that a share of ALARMS of further objects exceeds."""
    n = len(distances)
    if n == 0:
        return float("inf")
    place = min(int(np.ceil((1 - ALARMS) * (n + 1))), n)
    return float(np.sort(distances)[place - 1])


def between(A: Rows, B: Rows, metric: Metric) -> Floats:
    """Distances (a, b) between the rows of two data sets."""
    a = A.shape[0]
    distances = as_distances(stacked(A, B), metric)
    return distances.block(slice(0, a), slice(a, distances.n))


def stacked(A: Rows, B: Rows) -> Any:
    """The rows of one data set below those of another."""
    if hasattr(A, "toarray") or hasattr(B, "toarray"):
        from scipy import sparse

        return sparse.csr_array(sparse.vstack([sparse.csr_array(A), sparse.csr_array(B)]))
    return np.concatenate([np.asarray(A), np.asarray(B)])


def check_metric_of_file(metric: Metric) -> str:
    """The name of a distance that a file can store."""
    if not isinstance(metric, str):
        raise InputError(
            f"the distance is the function {metric_name(metric)}, which a file cannot store; use a "
            "named distance, or predict with the answer while the program runs"
        )
    return metric


def check_features(X: ArrayLike, metric: Metric) -> Rows:
    """Validated objects by features; distances and graphs have no features."""
    if metric in ("precomputed", "graph"):
        relation = "a matrix of distances" if metric == "precomputed" else "a graph"
        raise InputError(
            f"the clustering is of {relation}, so nothing is known of further objects; cluster "
            "features to predict the clusters of further objects"
        )
    return check_points(X, metric)
