"""All distances at once, for what cannot do without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances._given import as_square
from karat.distances._metrics import as_distances, check_metric, check_points
from karat.resources import require_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.validation import Data

_ROWS = 256


def square(X: Data, metric: Any) -> NDArray[np.floating[Any]]:
    """All distances between the rows of checked data, (n, n), symmetric where they are.

    A matrix of distances is given back as it is.
    """
    if metric == "precomputed":
        return as_square(X)
    n = X.shape[0]
    require_memory(
        8.0 * n * n,
        f"the matrix of the distances of {n:,} objects",
        "take a sample, or a clusterer that needs no matrix",
    )
    between = as_distances(X, metric)
    D = np.empty((n, n))
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        first = start if between.symmetric else 0
        block = between.block(slice(start, stop), slice(first, n))
        if between.symmetric:
            own = block[:, : stop - start]
            lower = np.tril_indices(stop - start, -1)
            own[lower] = own.T[lower]
            D[start:, start:stop] = block.T
        D[start:stop, first:] = block
    return D


def condensed(X: Data, metric: Any) -> NDArray[np.float64]:
    """The distances above the diagonal, row by row, as :func:`scipy.spatial.distance.pdist`."""
    n = X.shape[0]
    out = np.empty(n * (n - 1) // 2)
    between = None if metric == "precomputed" else as_distances(X, metric)
    at = 0
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        rows = slice(start, stop)
        block: Any = X[rows, start:] if between is None else between.block(rows, slice(start, n))
        for i in range(stop - start):
            row = block[i, i + 1 :]
            out[at : at + len(row)] = row
            at += len(row)
    return out


def distance_matrix(X: Any, metric: Any = "euclidean") -> NDArray[np.floating[Any]]:
    """All distances between the objects, to give on with ``metric="precomputed"``.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d)
    metric : str or callable
        A name in :data:`karat.distances.METRICS`, or a function of two rows.

    Returns
    -------
    ndarray, shape (n, n)

    Raises
    ------
    InputError
        For data or a metric that cannot be used, or where n² numbers need more memory than
        there is.

    Notes
    -----
    O(n² d) time, 8 n² bytes.

    Examples
    --------
    >>> from karat.distances import distance_matrix
    >>> distance_matrix([[0.0, 0.0], [3.0, 4.0]], "cityblock")
    array([[0., 7.],
           [7., 0.]])
    """
    metric = check_metric(metric)
    return square(check_points(X, metric), metric)
