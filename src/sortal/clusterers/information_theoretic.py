"""k-means with the Kullback–Leibler divergence between distributions over the features."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal._kernels import documents as kernels
from sortal.clusterers._sparse_rows import AFRESH, RowClusterer, Run, arrays, fill_empty, sums_of
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt
    from scipy.sparse import csr_array

    from sortal.typing import Floats, Ints


@dataclass(eq=False, repr=False)
class InformationTheoreticKMeans(RowClusterer):
    """k-means with the divergence KL(row, mean of the cluster), rows divided by their sums.

    Parameters
    ----------
    n_clusters : int, default 8
    smoothing : float, default 1.0
        How many rows that are like the mean of all rows are added to each cluster. Without any
        (0), a batch step can only move a row to a cluster that has all of its features.
    refine : bool, default True
        After the batch steps, move single rows as long as that raises the objective.
    init : {"spherical-k-means", "k-means++", "random"} or array of shape (n_clusters, d)
        By default each start is from the clusters of spherical k-means from other seeds.
    n_init : int, default 10
    max_iter : int, default 300
        Most batch steps, and most passes of single moves, of each start.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_, objective_path_, n_iter_, n_features_in_
        As of :class:`SphericalKMeans`.
    cluster_centers_ : ndarray, shape (k, d)
        Distributions over the features.
    objective_ : float
        Minus the sum of the divergences, those of the added rows among them, in nats; to be
        maximised.

    Notes
    -----
    Maximises the information that the clusters keep about the features (Dhillon, Mallela & Kumar
    2003, JMLR 3). The added rows take the place of the prior of that paper; because they are
    part of the objective, each step raises it. O(nnz k + d k) a step.

    With rare features, batch steps stop far below the optimum. Single moves count what the row
    itself adds to its new center (local search of Dhillon & Guan 2003).

    Examples
    --------
    >>> from sortal.clusterers import InformationTheoreticKMeans
    >>> X = [[9, 1, 0], [7, 2, 1], [0, 1, 8], [1, 1, 9]]
    >>> labels = InformationTheoreticKMeans(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _norm, _positive, _spherical_start = "l1", True, "batch"

    _: KW_ONLY
    smoothing: float = 1.0
    refine: bool = True
    init: Any = "spherical-k-means"

    def _check(self) -> None:
        """Check the smoothing."""
        if not 0 <= self.smoothing < np.inf:
            raise InputError(
                f"smoothing must be a number of rows, 0 or more; got {self.smoothing!r}"
            )

    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Batch steps, then single moves, from initial labels."""
        overall = np.asarray(rows.sum(axis=0), dtype=np.float64).ravel() / rows.shape[0]
        path, converged = self._batch_steps(rows, labels, k, overall)
        if self.refine:
            more, converged = self._single_moves(rows, labels, k, overall)
            path += more
        centers, columns = self._centers(rows, labels, k, overall)
        return Run(labels, path, converged, centers, columns, np.zeros(k))

    def _centers(
        self, rows: csr_array, labels: Ints, k: int, overall: Floats
    ) -> tuple[Floats, Floats]:
        """Distributions of the clusters over the features (d, k), and their logarithms."""
        sums = sums_of(rows, labels, k) + self.smoothing * overall[:, None]
        centers = sums / (np.bincount(labels, minlength=k) + self.smoothing)
        with np.errstate(divide="ignore"):
            columns = np.log(centers)
        # a feature that occurs in no row has no influence
        columns[overall == 0] = 0.0
        return centers, columns

    def _batch_steps(
        self, rows: csr_array, labels: Ints, k: int, overall: Floats
    ) -> tuple[list[float], bool]:
        """Update centers and labels, in place, until no row moves; the path, whether settled."""
        p = overall[overall > 0, None]
        constant = float((rows.data * np.log(rows.data)).sum(dtype=np.float64))
        reached, bias = np.empty(rows.shape[0]), np.zeros(k)
        path: list[float] = []
        for _ in range(self.max_iter):
            _, columns = self._centers(rows, labels, k, overall)
            moved = kernels.assign(arrays(rows), columns, bias, labels, 1e-12, reached)
            added = 0.0
            if self.smoothing > 0:
                added = self.smoothing * float((p * (np.log(p) - columns[overall > 0])).sum())
            path.append(float(reached.sum()) - constant - added)
            if not moved + len(fill_empty(labels, reached, k)):
                return path, True
        return path, False

    def _single_moves(
        self, rows: csr_array, labels: Ints, k: int, overall: Floats
    ) -> tuple[list[float], bool]:
        """Move single rows, in place, until no move improves; the path, whether settled."""
        sizes = np.bincount(labels, minlength=k)
        constant = _entropic(rows.data).sum() + self.smoothing * k * _entropic(overall).sum()
        path: list[float] = []
        for step in range(self.max_iter):
            if step % AFRESH == 0:
                sums = sums_of(rows, labels, k) + self.smoothing * overall[:, None]
                worths = _entropic(sums)
            moved = kernels.distribution_moves(
                arrays(rows), labels, sums, worths, sizes, float(self.smoothing), 1e-9
            )
            path.append(float(worths.sum() - _entropic(sizes + self.smoothing).sum() - constant))
            if not moved:
                return path, True
        return path, False


def _entropic(values: npt.ArrayLike) -> Floats:
    """Each value x log x, 0 at 0."""
    x = np.asarray(values, dtype=np.float64)
    return x * np.log(np.where(x > 0, x, 1.0))
