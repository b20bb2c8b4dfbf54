"""Samples of many objects: drawing them, and extending their labels to all objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import RELATIONS
from sortal.distances.neighbors import nearest_among
from sortal.runtime.draws import draw_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.clusterers import Clusterer
    from sortal.typing import Metric, Rows

#: limit of cost: objects that clusterers with superlinear time are fitted to
MAX_FITTED = 5_000
#: limit of cost: objects that the learned judge takes its evidence from
MAX_WEIGHED = 10_000
#: limit of cost: objects up to which every measure is computed exactly
MAX_EXACT = 20_000
#: limit of cost: standard error at which an estimate is precise, so that its sample ends
PRECISION = 0.005
#: limit of cost: rows whose differences from the means of cells are in memory at once
_CELL_ROWS = 2**17
#: limit of cost: rows whose copies in double precision are in memory at once
_KEY_ROWS = 2**14


@dataclass(frozen=True)
class ExtendableSample:
    """A simple random sample of the objects, and the sampled object nearest to each object."""

    #: the sampled objects, in the order in which they are fitted
    rows: NDArray[np.int64]
    #: position in ``rows`` of the nearest sampled object; a sampled object is its own
    nearest: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)

    def extend(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Labels of all objects: each takes that of the nearest sampled object."""
        return np.asarray(labels)[self.nearest]


def uses_cells(X: Rows, clusterer: Clusterer, metric: Metric) -> bool:
    """Whether a clusterer gets means of cells, made from all objects, instead of a sample."""
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


def in_order_of_contents(X: Rows, metric: Metric = "euclidean") -> ExtendableSample:
    """All objects, sorted by their contents: the order in which data are stored does not matter.

    Equal rows are neighbours. If every row occurs a multiple of m times, one of each m is kept,
    since copies of a whole data set say nothing new. At least ten rows are kept.
    """
    n = X.shape[0]
    order = np.argsort(_keys(X, metric), kind="stable").astype(np.int64)
    copies = 1 if metric in RELATIONS else _copies(X, order)
    copies = copies if n // copies >= 10 else 1
    nearest = np.empty(n, dtype=np.int32)
    nearest[order] = np.arange(n) // copies
    return ExtendableSample(order[::copies], nearest)


def _keys(X: Rows, metric: Metric) -> NDArray[np.float64]:
    """A number for each object that depends on its own contents alone, to the last digit."""
    if metric in RELATIONS:
        return _sums_in_any_order(X)
    weights = np.random.default_rng(0).normal(size=X.shape[1])
    if not isinstance(X, np.ndarray):
        return np.asarray(X @ weights)
    keys = np.empty(len(X))
    for start in range(0, len(X), _KEY_ROWS):  # not a product of matrices, whose sums depend on
        block = np.asarray(X[start : start + _KEY_ROWS], dtype=np.float64)  # the place of a row
        keys[start : start + len(block)] = (np.ascontiguousarray(block) * weights).sum(axis=1)
    return keys


def _sums_in_any_order(relations: Rows) -> NDArray[np.float64]:
    """Sums of the squares of each object's distances or affinities, as sums of integers."""
    squares = relations * relations if isinstance(relations, np.ndarray) else relations.power(2)
    largest = squares.max() or 1.0
    integers = squares * (2.0**40 / largest)
    integers = np.rint(integers) if isinstance(integers, np.ndarray) else integers.rint()
    return np.asarray(integers.sum(axis=1), dtype=np.float64).ravel()


def _copies(X: Rows, order: NDArray[np.int64]) -> int:
    """The greatest number that divides the number of copies of every row."""
    first, second = X[order[:-1]], X[order[1:]]
    if isinstance(X, np.ndarray):
        new = (first != second).any(axis=1)
    else:
        new = np.diff((first != second).tocsr().indptr) > 0
    ends = np.flatnonzero([*new, True])
    return int(np.gcd.reduce(np.diff(ends, prepend=-1)))


def draw_sample(
    X: Rows,
    size: int,
    *,
    metric: Metric = "euclidean",
    random_state: int = 0,
    among: NDArray[np.int64] | None = None,
) -> ExtendableSample:
    """A simple random sample without replacement, with what extends labels to all objects.

    ``among`` are the rows to draw from, by default all; the sample keeps their order. O(n s d) time
    on all cores, O(n d) memory. Ties go to the sampled object that comes first.
    """
    n = X.shape[0]
    among = np.arange(n) if among is None else among
    rows = among[draw_rows(len(among), size, random_state)]
    unsampled = np.setdiff1d(np.arange(n), rows, assume_unique=True)
    nearest = np.empty(n, dtype=np.int32)
    nearest[rows] = np.arange(len(rows))
    nearest[unsampled] = nearest_among(X, rows, unsampled, metric)
    return ExtendableSample(rows, nearest)
