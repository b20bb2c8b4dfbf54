"""The prediction task of every classifier: data, clusterings as classes, and folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sortal.distances.neighbors import NeighborLists, neighbor_lists
from sortal.runtime.validation import InputError
from sortal.typing import Rows

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from sortal.runtime.executors import Workers
    from sortal.typing import Metric

LeaveOneOut: TypeAlias = Literal["leave-one-out"]


def stratified_folds(
    codes: NDArray[np.int32], n_folds: int, shuffle: NDArray[np.intp]
) -> NDArray[np.int32]:
    """Fold of each object: shuffled objects, sorted by cluster, dealt like cards.

    The sizes of any two folds differ by at most one object. So do the sizes of each cluster's
    parts, even if a cluster is smaller than the number of folds.
    """
    order = shuffle[np.argsort(codes[shuffle], kind="stable")]
    folds = np.empty(len(codes), dtype=np.int32)
    folds[order] = np.arange(len(codes)) % n_folds
    return folds


@dataclass
class PredictionTask:
    """Cross-validated prediction of M clusterings of the same objects.

    Attributes
    ----------
    X : ndarray or csr_array, shape (n, d)
    codes : ndarray of int32, shape (M, n)
        Clusters numbered by first appearance; none is -1.
    n_clusters : ndarray of int64, shape (M,)
    folds : ndarray of int32, shape (M, n), or None
        None: each object is its own fold.
    metric : str or callable
        Distance of the neighbours.
    seed : int
        Seed of randomised classifiers.
    executor : Executor, Workers or None
        Runs refits and the search for neighbours; None: this process, refits in sequence.
    """

    X: Rows
    codes: NDArray[np.int32]
    n_clusters: NDArray[np.int64]
    folds: NDArray[np.int32] | None
    metric: Metric = "euclidean"
    seed: int = 0
    executor: Executor | Workers | None = None
    lists: NeighborLists | None = field(default=None, init=False, repr=False)

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.codes.shape[1]

    def neighbors(self, n_neighbors: int) -> NeighborLists:
        """Lists of at least ``n_neighbors`` (or all other) objects; searched once and kept."""
        enough = min(n_neighbors, self.n_objects - 1)
        if self.lists is None or self.lists.n_neighbors < enough:
            self.lists = neighbor_lists(self.X, enough, metric=self.metric, executor=self.executor)
        return self.lists


def check_cv(cv: int | LeaveOneOut, n: int) -> int | None:
    """Number of folds, or None for leave-one-out."""
    if isinstance(cv, str):
        if cv != "leave-one-out":
            raise InputError(f'cv must be "leave-one-out" or a number of folds; got {cv!r}')
        return None
    if isinstance(cv, bool) or not isinstance(cv, (int, np.integer)) or cv < 2:
        raise InputError(f'cv must be "leave-one-out" or at least 2 folds; got {cv!r}')
    if cv > n:
        raise InputError(
            f'{cv} folds need at least {cv} objects, but there are {n}; use cv="leave-one-out"'
        )
    return int(cv)
