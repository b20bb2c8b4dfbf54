"""Where the report draws the objects: in the plane of the study's distance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import FORMS, embed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.datasets import Dataset
    from karat.study import Study


def drawn(study: Study) -> Dataset:
    """The data set with coordinates that fit the distance.

    A matrix of distances is drawn by classical scaling, a graph by the eigenvectors of its
    normalised adjacency, rows under cosine as unit rows, everything else as it is.
    """
    data, metric = study.dataset, study.metric
    if metric in ("precomputed", "graph"):
        plane = _scaled(data.X) if metric == "precomputed" else _eigenvectors(data.X)
        return replace(
            data, X=plane, metric="euclidean", feature_names=("coordinate 1", "coordinate 2")
        )
    if isinstance(metric, str) and FORMS.get(metric) and data.n_features > 2:
        if metric == "kendall":
            metric = "spearman"
        return replace(data, X=embed(data.X, metric), center=None, scale=None)
    return data


def _scaled(D: Any) -> NDArray[np.float64]:
    from scipy.sparse.linalg import LinearOperator

    squares = np.asarray(D, dtype=np.float64) ** 2
    rows, whole = squares.mean(axis=1), squares.mean()

    def centred(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = np.ravel(v)
        return -0.5 * (squares @ v - rows * v.sum() - (rows @ v) + whole * v.sum())

    n = len(squares)
    return _first_two(LinearOperator((n, n), matvec=centred, dtype=np.float64), n, skip=0)


def _eigenvectors(A: Any) -> NDArray[np.float64]:
    from scipy import sparse

    degree = np.asarray(A.sum(axis=1)).ravel()
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1.0))
    normalised = sparse.diags_array(scale) @ A @ sparse.diags_array(scale)
    return _first_two(normalised, A.shape[0], skip=1)


def _first_two(operator: Any, n: int, *, skip: int) -> NDArray[np.float64]:
    from scipy.sparse.linalg import eigsh

    count = min(2 + skip, n - 1)
    start = np.random.default_rng(0).normal(size=n)
    values, vectors = eigsh(operator, k=count, which="LA", v0=start)
    best = np.argsort(values)[::-1][skip:]
    plane = vectors[:, best] * np.sqrt(np.maximum(values[best], 0.0))
    return np.column_stack([plane, np.zeros((n, 2 - plane.shape[1]))])
