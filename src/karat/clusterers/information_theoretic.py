"""k-means with the Kullback–Leibler divergence between distributions over the features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat._kernels import documents as kernels
from karat.clusterers._sparse_rows import RowClusterer, Run, arrays, fill_empty, sums_of
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array


class InformationTheoreticKMeans(RowClusterer):
    """k-means with the divergence KL(row, mean of the cluster), rows divided by their sums.

    Parameters
    ----------
    n_clusters : int, default 8
    smoothing : float, default 1.0
        How many rows that are like the mean of all rows are added to each cluster. Without any
        (0), a row can only move to a cluster that has all of its features.
    init : {"k-means++", "random"} or array of shape (n_clusters, d)
    n_init : int, default 10
    max_iter : int, default 300
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
    cluster_centers_ : ndarray, shape (k, d)
        Distributions over the features.
    objective_ : float
        Minus the sum of the divergences, those of the added rows among them, in nats; to be
        maximised.
    objective_path_ : ndarray of float64
        It never falls.
    n_iter_, n_features_in_ : int

    Notes
    -----
    Maximises the information that the clusters keep about the features (Dhillon, Mallela & Kumar
    2003, JMLR 3). The added rows take the place of the prior of that paper; because they are
    part of the objective, each step raises it. O(nnz k + d k) a step.

    Examples
    --------
    >>> from karat.clusterers.information_theoretic import InformationTheoreticKMeans
    >>> X = [[9, 1, 0], [7, 2, 1], [0, 1, 8], [1, 1, 9]]
    >>> labels = InformationTheoreticKMeans(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _norm = "l1"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        smoothing: float = 1.0,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters, init=init, n_init=n_init, max_iter=max_iter, random_state=random_state
        )
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of X, which has no negative values; see the base class."""
        values = X.data if hasattr(X, "indptr") else X
        if not hasattr(X, "dtype") or getattr(X.dtype, "kind", "O") in "fiu":
            try:
                negative = np.size(values) > 0 and np.nanmin(values) < 0
            except (TypeError, ValueError):
                negative = False
            if negative:
                raise InputError(
                    "Negative values in data passed to InformationTheoreticKMeans: rows must be "
                    "counts or shares"
                )
        return super().fit(X)

    def _check(self, n: int) -> None:
        super()._check(n)
        if not 0 <= self.smoothing < np.inf:
            raise InputError(
                f"smoothing must be a number of rows, 0 or more; got {self.smoothing!r}"
            )

    def _run(self, rows: csr_array, labels: NDArray[np.int64], k: int) -> Run:
        n = rows.shape[0]
        overall = np.asarray(rows.sum(axis=0), dtype=np.float64).ravel() / n
        used = overall > 0
        constant = float((rows.data * np.log(rows.data)).sum(dtype=np.float64))
        reached, bias = np.empty(n), np.zeros(k)
        path: list[float] = []
        converged = False
        for _ in range(self.max_iter):
            sums = sums_of(rows, labels, k) + self.smoothing * overall[:, None]
            centers = sums / (np.bincount(labels, minlength=k) + self.smoothing)
            with np.errstate(divide="ignore"):
                columns = np.log(centers)
            # a feature that no row has says nothing
            columns[~used] = 0.0
            moved = kernels.assign(*arrays(rows), columns, bias, labels, 1e-12, reached)
            added = 0.0
            if self.smoothing > 0:
                p = overall[used, None]
                added = self.smoothing * float((p * (np.log(p) - columns[used])).sum())
            path.append(float(reached.sum()) - constant - added)
            moved += len(fill_empty(labels, reached, k))
            if not moved:
                converged = True
                break
        return Run(labels, np.ascontiguousarray(centers.T), columns, bias, path, converged)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
