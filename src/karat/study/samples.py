"""Samples of many objects: drawing them, and extending their labels to all objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances.neighbors import nearest_among
from karat.runtime.draws import draw_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.clusterers import Clusterer
    from karat.runtime.types import Metric, Rows

#: maximum number of objects that clusterers with superlinear time are fitted to
MAX_FITTED = 5_000
#: maximum number of objects that the learned judge takes its evidence from
MAX_WEIGHED = 10_000
#: maximum number of objects for which every measure is computed exactly
MAX_EXACT = 20_000
#: standard error that an estimate may have
PRECISION = 0.005
_CELL_ROWS = 2**17


@dataclass(frozen=True)
class ExtendableSample:
    """A simple random sample of the objects, and the sampled object nearest to each object."""

    #: the sampled objects, ascending
    rows: NDArray[np.int64]
    #: position in ``rows`` of the nearest sampled object; a sampled object is its own
    nearest: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)

    def extend(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels of all objects: each takes that of the nearest sampled object."""
        return np.asarray(labels)[self.nearest]


def uses_cells(X: Rows, clusterer: Clusterer, metric: Metric) -> bool:
    """Whether a sampled clusterer gets the means of cells of all objects instead of a sample."""
    return clusterer.cells and metric == "euclidean" and isinstance(X, np.ndarray)


def cells_of(
    X: NDArray[Any], sample: ExtendableSample
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Mean and number of the objects that are nearest to each sampled object."""
    sizes = np.bincount(sample.nearest, minlength=len(sample))
    origin = X[sample.rows].astype(np.float64)
    sums = np.zeros_like(origin)
    for start in range(0, len(X), _CELL_ROWS):
        cells = sample.nearest[start : start + _CELL_ROWS]
        rows = X[start : start + _CELL_ROWS] - origin[cells]
        for j in range(X.shape[1]):
            sums[:, j] += np.bincount(cells, rows[:, j], len(sample))
    return origin + sums / sizes[:, None], sizes


def part_of(X: Rows, rows: NDArray[np.int64], metric: Metric) -> Rows:
    """The data of some objects: rows, or rows and columns of a matrix."""
    if metric in ("precomputed", "graph"):
        return X[np.ix_(rows, rows)]
    return X[rows]


def draw_sample(
    X: Rows, size: int, *, metric: Metric = "euclidean", random_state: int = 0
) -> ExtendableSample:
    """A simple random sample without replacement, with what extends labels to all objects.

    O(n s d) time on all cores, O(n d) memory. Ties go to the sampled object that comes first.
    """
    n = X.shape[0]
    rows = draw_rows(n, size, random_state)
    rest = np.setdiff1d(np.arange(n), rows, assume_unique=True)
    nearest = np.empty(n, dtype=np.int32)
    nearest[rows] = np.arange(len(rows))
    nearest[rest] = nearest_among(X, rows, rest, metric)
    return ExtendableSample(rows, nearest)
