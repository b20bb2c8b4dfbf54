"""Spherical k-means for very many rows, in mini-batches."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np

from karat._kernels import documents as kernels
from karat.clusterers._sparse_rows import RowClusterer, Run, arrays, directions, fill_empty, sums_of
from karat.clusterers.spherical import SphericalKMeans
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from karat.runtime.types import Floats, Ints


@dataclass(eq=False, repr=False)
class MiniBatchSphericalKMeans(RowClusterer):
    """Spherical k-means that updates its centers after every batch of rows.

    Parameters
    ----------
    n_clusters : int, default 8
    init : {"k-means++", "random"} or array of shape (n_clusters, d)
        How the starts on the sample begin, or centers.
    n_init : int, default 10
        Starts on the sample, of which the best goes on to all rows.
    sample_size : int, default 5000
        Rows that starts are tried on; at least ten for each cluster are taken.
    batch_size : int, default 4096
    max_iter : int, default 20
        Most passes over the rows.
    tol : float, default 1e-3
        It has settled when a pass raises the objective by less than this share of it.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_, cluster_centers_, objective_, n_iter_, n_features_in_
        As of :class:`SphericalKMeans`.
    objective_path_ : ndarray of float64
        After each pass, and after a last step in which all rows are assigned. It never falls.

    Notes
    -----
    A row that comes again leaves the sum that it is in before it enters another, so that no step
    lowers the objective, which the usual mini-batch steps, whose centers remember old assignments,
    cannot promise. O(nnz k) a pass; memory O(n + d k) beside X.

    After Sculley 2010 (WWW) and Dhillon & Modha 2001.

    Examples
    --------
    >>> from karat.clusterers import MiniBatchSphericalKMeans
    >>> X = [[3, 1, 0], [9, 2, 0], [0, 1, 4], [0, 0, 1]]
    >>> labels = MiniBatchSphericalKMeans(2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _counts = (*RowClusterer._counts, "sample_size", "batch_size")

    _: KW_ONLY
    sample_size: int = 5000
    batch_size: int = 4096
    max_iter: int = 20
    tol: float = 1e-3

    def _check(self) -> None:
        """Check the tolerance."""
        if not self.tol >= 0:
            raise InputError(f"tol must be 0 or more; got {self.tol!r}")

    def _best(self, rows: csr_array, k: int) -> Run:
        """Mini-batch passes from the best start on a sample."""
        rng = check_random_state(self.random_state)
        centers = self._first_centers(rows, k, rng)
        n, slack = rows.shape[0], _SLACK[rows.dtype.itemsize]
        labels, reached = np.full(n, -1, dtype=np.int64), np.empty(n)
        bias = np.zeros(k, dtype=rows.dtype)
        sums = np.zeros((rows.shape[1], k))
        path: list[float] = []
        converged = False
        for _ in range(self.max_iter):
            order = rng.permutation(n)
            for start in range(0, n, self.batch_size):
                chosen = order[start : start + self.batch_size]
                batch, columns = arrays(rows[chosen]), centers.astype(rows.dtype, copy=False)
                old, new = labels[chosen], labels[chosen]
                kernels.assign(batch, columns, bias, new, slack, reached)
                kernels.move_rows(batch, old, new, sums)
                labels[chosen] = new
                centers, _ = _moved(centers, sums)
            # sums are computed anew in each pass, so that rounding does not add up
            sums = sums_of(rows, labels, k)
            centers, lengths = _moved(centers, sums)
            path.append(float(lengths.sum()))
            if len(path) > 1 and path[-1] - path[-2] <= self.tol * path[-1]:
                converged = True
                break
        # a last step for all rows at once, without empty clusters
        kernels.assign(arrays(rows), centers.astype(rows.dtype), bias, labels, slack, reached)
        fill_empty(labels, reached, k)
        centers, lengths = directions(sums_of(rows, labels, k))
        path.append(float(lengths.sum()))
        return Run(labels, path, converged, centers)

    def _first_centers(self, rows: csr_array, k: int, rng: np.random.Generator) -> Floats:
        """Centers of the best start on a sample of the rows, or those of ``init``."""
        if not isinstance(self.init, str):
            return self._init_centers(rows, k).astype(np.float64)
        size = min(rows.shape[0], max(self.sample_size, 10 * k))
        sample = rows[np.sort(rng.choice(rows.shape[0], size, replace=False))]
        model = SphericalKMeans(k, init=self.init, n_init=self.n_init, random_state=rng)
        return model._best(sample, k).centers.astype(rows.dtype).astype(np.float64)

    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Not used: starts are those of SphericalKMeans on a sample."""
        raise NotImplementedError


#: least improvement of a cosine that counts, by the bytes of a value
_SLACK = {8: 1e-12, 4: 1e-6}


def _moved(centers: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """Directions of the sums and their lengths; an empty cluster keeps its center."""
    new, lengths = directions(sums)
    return np.where(lengths > 1e-12, new, centers), lengths
