"""A distance function that is not called again for pairs of rows whose distance is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sortal.distances._tiles import dense
from sortal.runtime.types import Floats, Rows


class StoredDistances:
    """A user-supplied distance function, with its values for all pairs of the rows of a data set.

    It can be used wherever the function can; the function is called for other rows alone.
    """

    def __init__(self, function: Callable[..., Any], X: Rows, D: Floats) -> None:
        self.function, self.D = function, D
        self.__qualname__ = getattr(function, "__qualname__", repr(function))
        #: position of each row of the data set, by its bytes
        self._positions = {row.tobytes(): i for i, row in enumerate(_plain(X))}

    def __call__(self, x: Floats, y: Floats) -> float:
        return float(self.between(x[None], y[None])[0, 0])

    def between(self, A: Floats, B: Floats) -> Floats:
        """Distances (a, b) between the rows of two dense arrays."""
        first, second = self._places(A), self._places(B)
        values: Floats = self.D[np.ix_(first, second)].astype(np.float64)
        for i, j in np.argwhere((first[:, None] < 0) | (second < 0)).tolist():
            values[i, j] = self.function(A[i], B[j])
        return values

    def _places(self, rows: Floats) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Positions of rows in the data set, -1 for other rows."""
        return np.array([self._positions.get(row.tobytes(), -1) for row in _plain(rows)], np.intp)


def _plain(rows: Rows) -> Floats:
    """Dense rows of float64 without negative zeros, so that equal rows have equal bytes."""
    return np.ascontiguousarray(dense(rows), dtype=np.float64) + 0.0
