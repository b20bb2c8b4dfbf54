"""k-means on the sphere: clusters of directions, and a variant with clusters of similar sizes."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal._kernels import documents as kernels
from sortal.clusterers._sparse_rows import (
    AFRESH,
    RowClusterer,
    Run,
    arrays,
    directions,
    fill_empty,
    sums_of,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sortal.runtime.types import Floats, Ints


@dataclass(eq=False, repr=False)
class SphericalKMeans(RowClusterer):
    """k-means with the cosine: rows and centers have length 1.

    Parameters
    ----------
    n_clusters : int, default 8
    refine : bool, default True
        After the batch steps, move single rows as long as that raises the objective (first
        variation). It leaves optima in which batch steps are caught when clusters are small, for
        little time.
    init : {"k-means++", "random"} or array of shape (n_clusters, d)
        Where to start: rows that are far apart, random rows, or centers.
    n_init : int, default 10
        Starts; the best is kept. One if centers are given.
    max_iter : int, default 300
        Most batch steps, and most passes of single moves, of each start.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
    cluster_centers_ : ndarray, shape (k, d)
        Of length 1.
    objective_ : float
        Sum of the cosines between rows and centers, to be maximised.
    objective_path_ : ndarray of float64
        Its value after each step of the best start; it never falls.
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    O(nnz k) for a step. Memory O(n k + d k) beside X, which is never made dense.

    An empty row belongs to the largest cluster; a cluster that runs empty gets the row that fits
    its own worst. Where there are fewer distinct rows than clusters, there are fewer clusters and
    a ConvergenceWarning.

    Dhillon & Modha 2001 (Machine Learning 42); first variation of Dhillon, Guan & Kogan 2002,
    here made move by move instead of the best move at a time.

    Examples
    --------
    >>> from sortal.clusterers.spherical import SphericalKMeans
    >>> X = [[3, 1, 0], [9, 2, 0], [0, 1, 4], [0, 0, 1]]
    >>> SphericalKMeans(2, random_state=0).fit(X).labels_.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    _: KW_ONLY
    refine: bool = True

    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Batch steps, then single moves, from initial labels."""
        path, converged = batch_steps(rows, labels, k, self.max_iter)
        if self.refine:
            more, converged = single_moves(rows, labels, k, self.max_iter, balanced=False)
            path += more
        return Run(labels, path, converged, directions(sums_of(rows, labels, k))[0])


@dataclass(eq=False, repr=False)
class FrequencySensitiveSphericalKMeans(RowClusterer):
    """Spherical k-means whose concentrations are inversely proportional to the cluster sizes.

    Parameters
    ----------
    n_clusters : int, default 8
    init, n_init, max_iter, random_state
        As of :class:`SphericalKMeans`.

    Attributes
    ----------
    labels_, cluster_centers_, objective_path_, n_iter_, n_features_in_
        As of :class:`SphericalKMeans`.
    objective_ : float
        Sum over the clusters of (n/k) r - m log(m k/n), with m the size and r the mean cosine to
        the center, to be maximised.

    Notes
    -----
    A mixture of von Mises–Fisher distributions with concentrations (d/2) n/(k m), inversely
    proportional to the sizes m. Up to the factor d/2, a row's log-likelihood is -(n/(k m)) (1 -
    cos) - log m. Rows are moved one at a time, so their sum never falls.

    After Banerjee & Ghosh 2004 (IEEE Trans. Neural Networks 15). O(nnz k) for each pass.

    Examples
    --------
    >>> from sortal.clusterers.spherical import FrequencySensitiveSphericalKMeans
    >>> X = [[9, 1], [9, 2], [9, 3], [9, 4], [5, 5], [1, 9]]
    >>> labels = FrequencySensitiveSphericalKMeans(2, random_state=0).fit(X).labels_
    >>> sorted([int((labels == c).sum()) for c in (0, 1)])
    [3, 3]
    """

    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Single moves from initial labels."""
        path, converged = single_moves(rows, labels, k, self.max_iter, balanced=True)
        centers = directions(sums_of(rows, labels, k))[0]
        sizes = np.bincount(labels, minlength=k)
        concentration = len(labels) / (k * sizes)
        bias = -concentration - np.log(sizes)
        return Run(labels, path, converged, centers, centers * concentration, bias)


def batch_steps(rows: csr_array, labels: Ints, k: int, max_iter: int) -> tuple[list[float], bool]:
    """Update centers and labels, in place, until no row moves; the path, whether settled."""
    slack = 1e-10 if rows.dtype == np.float64 else 1e-5
    reached, bias = np.empty(len(labels)), np.zeros(k, dtype=rows.dtype)
    path: list[float] = []
    for step in range(max_iter):
        if step % AFRESH == 0:
            sums = sums_of(rows, labels, k)
        centers, lengths = directions(sums)
        path.append(float(lengths.sum()))
        old, columns = labels.copy(), centers.astype(rows.dtype, copy=False)
        moved = kernels.assign(arrays(rows), columns, bias, labels, slack, reached)
        if not moved + len(fill_empty(labels, reached, k)):
            return path, True
        kernels.move_rows(arrays(rows), old, labels, sums)
    return path, False


def single_moves(
    rows: csr_array, labels: Ints, k: int, max_iter: int, *, balanced: bool
) -> tuple[list[float], bool]:
    """Move single rows, in place, until no move improves; the path, whether settled."""
    n = rows.shape[0]
    seen, drift = np.zeros((n, k)), np.zeros(k)
    seen[np.arange(n), labels] = -np.inf
    path: list[float] = []
    sizes = np.bincount(labels, minlength=k)
    for step in range(max_iter):
        if step % AFRESH == 0:
            sums = sums_of(rows, labels, k)
            squares = np.einsum("jh,jh->h", sums, sums)
        if not path:
            path.append(_objective(squares, sizes, n, balanced))
        moved = kernels.single_moves(
            arrays(rows), balanced, labels, sums, squares, sizes, 1e-9 if n < 1e6 else 1e-7, seen,
            drift,
        )  # fmt: skip
        if not moved:
            return path, True
        path.append(_objective(squares, sizes, n, balanced))
    return path, False


def _objective(squares: Floats, sizes: Ints, n: int, balanced: bool) -> float:
    """Objective of clusters with these sizes and squared lengths of sums."""
    lengths = np.sqrt(np.maximum(squares, 0.0))
    if not balanced:
        return float(lengths.sum())
    share = n / len(sizes)
    return float((share * lengths / sizes - sizes * np.log(sizes / share)).sum())
