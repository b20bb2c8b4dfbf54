"""What internal measures are computed from, for M clusterings of one data set at once.

A measure names the statistics that it reads in ``Measure.needs``; the planner computes the union
of what is asked for in as few passes over the data as possible, and every measure's ``compute``
reads the same :class:`Statistics`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.partition import NOISE, Labelings
from karat.validation import Data, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: statistic -> what it is
STATISTICS = {
    "object_cluster_sums": "sum of distances from each object to each cluster, per clustering",
    "centroids": "mean of each cluster, and each object's distance to its own",
}


class Statistics:
    """Shared sums over the data, computed once for all clusterings.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
    labelings : Labelings
    needs : iterable of str
        Names in :data:`STATISTICS`.
    metric : str or callable
        A distance of :func:`sklearn.metrics.pairwise_distances`.

    Attributes
    ----------
    reasons : list of dict
        ``reasons[m]["*"]`` says why clustering m has no value.
    """

    def __init__(
        self, X: Data, labelings: Labelings, needs: Iterable[str], *, metric: Any = "euclidean"
    ) -> None:
        self.X = X
        self.labelings = labelings
        self.metric = metric
        self.undefined: dict[int, str] = {}
        #: list over clusterings of arrays (n, k): sum of distances object -> cluster
        self.object_cluster_sums: list[NDArray[np.float64]] = []
        #: list over clusterings of arrays (k, d)
        self.centroids: list[NDArray[np.float64]] = []
        for need in sorted(set(needs)):
            if need not in STATISTICS:
                raise unknown_name(need, STATISTICS, "statistic")
            getattr(self, f"_compute_{need}")()

    def __len__(self) -> int:
        return len(self.labelings)

    def values(self) -> NDArray[np.float64]:
        """An array for M results, NaN until filled."""
        return np.full(len(self), np.nan)

    def _compute_object_cluster_sums(self) -> None:
        from sklearn.metrics import pairwise_distances_chunked

        codes, k = self.labelings.codes, self.labelings.n_clusters
        starts = np.concatenate([[0], np.cumsum(k)])
        n = codes.shape[1]
        indicator = np.zeros((n, starts[-1]))
        for m, row in enumerate(codes):
            kept = np.flatnonzero(row != NOISE)
            indicator[kept, starts[m] + row[kept]] = 1.0
        sums = np.vstack(
            [
                chunk @ indicator
                for chunk in pairwise_distances_chunked(
                    self.X, metric=self.metric, working_memory=64
                )
            ]
        )
        self.object_cluster_sums = [sums[:, a:b] for a, b in itertools.pairwise(starts)]

    def _compute_centroids(self) -> None:
        from scipy import sparse

        for m, row in enumerate(self.labelings.codes):
            kept = np.flatnonzero(row != NOISE)
            k = int(self.labelings.n_clusters[m])
            member = sparse.csr_array((np.ones(len(kept)), (row[kept], kept)), shape=(k, len(row)))
            sums = member @ self.X
            dense = sums.toarray() if sparse.issparse(sums) else np.asarray(sums)
            self.centroids.append(dense / self.labelings.sizes(m)[:, None])
