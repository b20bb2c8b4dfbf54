"""The map of the objects: where each is drawn, and which are on the edge between two clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import FORMS, embed
from sortal.labelings.labels import NOISE
from sortal.plot.layout import COUNTED, PlaneLayout, as_given, lay_out, n_neighbors, sample
from sortal.report._parts import LIMITS
from sortal.study.samples import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import sparray, spmatrix
    from scipy.sparse.linalg import LinearOperator

    from sortal.datasets import Dataset
    from sortal.study import Study


@dataclass(frozen=True)
class ObjectMap:
    """The objects that are drawn, in the order of the clusters of the choice."""

    rows: NDArray[np.intp]
    layout: PlaneLayout
    #: the nearest of the drawn objects to each, by their places among them
    near: NDArray[np.int32]

    def edge(self, labels: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mask of the drawn objects whose nearest neighbours are mostly in other clusters.

        Of an object in a cluster of s drawn ones, only the s - 1 nearest are counted.
        """
        codes = labels[self.rows]
        _, code, sizes = np.unique(codes, return_inverse=True, return_counts=True)
        counted = np.minimum(self.near.shape[1], sizes[code] - 1)
        same = np.cumsum(codes[self.near] == codes[:, None], axis=1)
        inside = np.take_along_axis(same, np.maximum(counted - 1, 0)[:, None], axis=1)[:, 0]
        on_edge: NDArray[np.bool_] = (counted > 0) & (codes != NOISE) & (2 * inside < counted)
        return on_edge

    def edge_shares(self, labels: NDArray[np.int64]) -> dict[int, float]:
        """Share of each cluster's drawn objects that are on the edge."""
        codes, edge = labels[self.rows], self.edge(labels)
        return {int(c): float(edge[codes == c].mean()) for c in np.unique(codes) if c != NOISE}


def object_map(study: Study, labels: NDArray[np.int64]) -> ObjectMap:
    """Lay out the objects of a study, or a stratified sample of many."""
    from sortal.distances.neighbors import neighbor_lists

    rows = sample(labels, LIMITS.objects, np.random.default_rng(0))
    rows = rows[np.argsort(labels[rows], kind="stable")]
    data, (X, metric) = study.dataset, study.state.objects.points
    count = max(COUNTED, n_neighbors(len(rows)))
    if metric == "graph":
        metric, X = "euclidean", eigenvectors(data.X, LIMITS.eigenvectors)
    lists = neighbor_lists(part_of(X, rows, metric), count, metric=metric)
    near = lists.indices[:, :COUNTED]
    precomputed = isinstance(metric, str) and metric == "precomputed"
    if data.n_features and data.X.shape[1] <= 2 and not precomputed:
        layout = as_given(data.X[rows], data.feature_names, data.center, data.scale)
        return ObjectMap(rows, layout, near)
    return ObjectMap(rows, lay_out(embedded(study).X[rows], lists), near)


def embedded(study: Study) -> Dataset:
    """The data set with coordinates that fit the distance.

    A matrix of distances is drawn by classical scaling, a graph by the eigenvectors of its
    normalised adjacency, rows under cosine as unit rows, everything else as it is.
    """
    data, metric = study.dataset, study.metric
    if metric in ("precomputed", "graph"):
        plane = _scaled(data.X) if metric == "precomputed" else eigenvectors(data.X, 2)
        return replace(
            data, X=plane, metric="euclidean", feature_names=("coordinate 1", "coordinate 2")
        )
    if isinstance(metric, str) and FORMS.get(metric) and data.n_features > 2:
        return replace(data, X=embed(data.X, metric), center=None, scale=None)
    return data


def _scaled(D: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Coordinates of two dimensions by classical scaling of distances."""
    from scipy.sparse.linalg import LinearOperator

    squares = np.asarray(D, dtype=np.float64) ** 2
    rows, mean = squares.mean(axis=1), squares.mean()

    def centred(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = np.ravel(v)
        return -0.5 * (squares @ v - rows * v.sum() - (rows @ v) + mean * v.sum())

    n = len(squares)
    return _first(LinearOperator((n, n), matvec=centred, dtype=np.float64), n, 2, skip=0)


def eigenvectors(A: spmatrix | sparray, count: int) -> NDArray[np.float64]:
    """The nodes of a graph by the first eigenvectors of its normalised adjacency."""
    from scipy import sparse

    degree = np.asarray(A.sum(axis=1)).ravel()
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1.0))
    normalised = sparse.diags_array(scale) @ A @ sparse.diags_array(scale)
    return _first(normalised, A.shape[0], count, skip=1)


def _first(operator: LinearOperator, n: int, count: int, *, skip: int) -> NDArray[np.float64]:
    """Coordinates by the leading eigenvectors of an operator."""
    from scipy.sparse.linalg import eigsh

    start = np.random.default_rng(0).normal(size=n)
    values, vectors = eigsh(operator, k=min(count + skip, n - 1), which="LA", v0=start)
    best = np.argsort(values)[::-1][skip:]
    plane = vectors[:, best] * np.sqrt(np.maximum(values[best], 0.0))
    return np.column_stack([plane, np.zeros((n, max(0, 2 - plane.shape[1])))])
