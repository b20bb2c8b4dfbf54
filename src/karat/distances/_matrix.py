"""All distances at once, for what cannot do without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances._metrics import as_distances, check_metric, check_points, metric_name
from karat.distances._precomputed import as_square
from karat.distances._tiles import Distances, dense
from karat.runtime.resources import require_memory
from karat.runtime.threads import in_strips
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.validation import Data

_ROWS = 256


def square(X: Data, metric: Any) -> NDArray[np.floating[Any]]:
    """All distances between the rows of checked data, (n, n); of a given matrix itself.

    Raises
    ------
    InputError
        Where they depend on the direction, or need more memory than there is.
    """
    if metric == "precomputed":
        return as_square(X, symmetric=True)
    if callable(metric):
        from karat.distances._objects import object_distances

        return object_distances(list(dense(X)), metric)
    between, n = _symmetric(X, metric), X.shape[0]
    require_memory(
        8.0 * n * n,
        f"the matrix of the distances of {n:,} objects",
        "take a sample, or a clusterer that needs no matrix",
    )
    D = np.empty((n, n))

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, _ROWS):
            last = min(first + _ROWS, stop)
            block = between.block(slice(first, last), slice(first, n))
            own = block[:, : last - first]
            lower = np.tril_indices(last - first, -1)
            own[lower] = own.T[lower]
            D[first:last, first:] = block
            D[first:, first:last] = block.T

    in_strips(work, n)
    return D


def condensed(X: Data, metric: Any) -> NDArray[np.float64]:
    """The distances above the diagonal, row by row, as :func:`scipy.spatial.distance.pdist`."""
    n = X.shape[0]
    out = np.empty(n * (n - 1) // 2)
    whole = metric == "precomputed" or callable(metric)
    given: Any = square(X, metric) if whole else None
    between = None if whole else _symmetric(X, metric)

    def work(start: int, stop: int) -> None:
        for first in range(start, stop, _ROWS):
            rows = slice(first, min(first + _ROWS, stop))
            block = given[rows, first:] if between is None else between.block(rows, slice(first, n))
            for i, row in enumerate(block):
                at = n * (n - 1) // 2 - (n - first - i) * (n - first - i - 1) // 2
                out[at : at + n - first - i - 1] = row[i + 1 :]

    in_strips(work, n)
    return out


def _symmetric(X: Data, metric: Any) -> Distances:
    """Distances whose ties are the same on every machine."""
    between = as_distances(X, metric, exact=True)
    if not between.symmetric:
        raise InputError(
            f"{metric_name(metric)} depends on the direction, and a pair of objects needs one "
            "distance here; use symmetric_kl"
        )
    return between


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
