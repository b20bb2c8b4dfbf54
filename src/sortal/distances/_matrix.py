"""Matrices of all distances, for methods that need them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.distances._metrics import as_distances, check_metric, check_points, metric_name
from sortal.distances._precomputed import ROWS_TO_ALL, as_square
from sortal.distances._tiles import Distances, StoredDistances, dense
from sortal.runtime.resources import require_memory
from sortal.runtime.threads import in_strips
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Floats, Metric, Rows


def square(X: Rows, metric: Metric) -> NDArray[np.floating[Any]]:
    """All distances between the rows of validated data, (n, n); a precomputed matrix unchanged."""
    if metric == "precomputed":
        return as_square(X, symmetric=True)
    if isinstance(metric, StoredDistances):
        return metric.between(dense(X), dense(X))
    if callable(metric):
        from sortal.distances._objects import object_distances

        return object_distances(list(dense(X)), metric)
    distances, n = _symmetric(X, metric), X.shape[0]
    require_memory(
        8.0 * n * n,
        f"the matrix of the distances of {n:,} objects",
        "take a sample, or a clusterer that needs no matrix",
    )
    D = np.empty((n, n))

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, ROWS_TO_ALL):
            last = min(first + ROWS_TO_ALL, stop)
            block = distances.block(slice(first, last), slice(first, n))
            diagonal_block = block[:, : last - first]
            lower = np.tril_indices(last - first, -1)
            diagonal_block[lower] = diagonal_block.T[lower]
            D[first:last, first:] = block
            D[first:, first:last] = block.T

    in_strips(work, n)
    return D


def condensed(X: Rows, metric: Metric) -> Floats:
    """Distances above the diagonal, row by row, as :func:`scipy.spatial.distance.pdist`."""
    n = X.shape[0]
    out = np.empty(n * (n - 1) // 2)
    has_matrix = metric == "precomputed" or callable(metric)
    matrix: Any = square(X, metric) if has_matrix else None
    distances: Any = None if has_matrix else _symmetric(X, metric)

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, ROWS_TO_ALL):
            rows = slice(first, min(first + ROWS_TO_ALL, stop))
            columns = slice(first, n)
            block = matrix[rows, columns] if has_matrix else distances.block(rows, columns)
            for i, row in enumerate(block):
                position = n * (n - 1) // 2 - (n - first - i) * (n - first - i - 1) // 2
                out[position : position + n - first - i - 1] = row[i + 1 :]

    in_strips(work, n)
    return out


def _symmetric(X: Rows, metric: Metric) -> Distances:
    """Symmetric distances with the same ties on every machine."""
    distances = as_distances(X, metric, exact=True)
    if not distances.symmetric:
        raise InputError(
            f"{metric_name(metric)} depends on the direction, and a pair of objects needs one "
            "distance here; use symmetric_kl"
        )
    return distances


def distance_matrix(X: ArrayLike, metric: Metric = "euclidean") -> NDArray[np.floating[Any]]:
    """All distances between the objects, for use with ``metric="precomputed"``.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    metric : str or callable
        A name in :data:`sortal.distances.METRICS`, or a function of two rows.

    Returns
    -------
    ndarray, shape (n, n)

    Notes
    -----
    O(n² d) time, 8 n² bytes.

    Examples
    --------
    >>> from sortal.distances import distance_matrix
    >>> distance_matrix([[0.0, 0.0], [3.0, 4.0]], "cityblock")
    array([[0., 7.],
           [7., 0.]])
    """
    metric = check_metric(metric)
    return square(check_points(X, metric), metric)
