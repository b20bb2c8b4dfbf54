"""Clusters of directions: k-means on the sphere, and mixtures of von Mises–Fisher distributions."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal._kernels import documents as kernels
from sortal.clusterers._bessel import concentration, log_constant
from sortal.clusterers._sparse_rows import (
    AFRESH,
    RowClusterer,
    Run,
    arrays,
    batch_steps,
    directions,
    fill_empty,
    single_moves,
    sums_of,
)
from sortal.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sortal.typing import ArrayLike, Floats, Ints


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
    >>> from sortal.clusterers import SphericalKMeans
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
    >>> from sortal.clusterers import FrequencySensitiveSphericalKMeans
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


@dataclass(eq=False, repr=False)
class VonMisesFisherMixture(RowClusterer):
    """A mixture of von Mises–Fisher distributions, fitted by EM to rows of length 1.

    Parameters
    ----------
    n_clusters : int, default 8
    assignment : {"soft", "hard"}
        Whether a row counts for every component by its posterior probability, or for the most
        probable one only.
    init : {"spherical-k-means", "k-means++", "random"} or array of shape (n_clusters, d)
        Where EM starts: clusters of one run of spherical k-means, rows nearest to distant or random
        seeds, or rows nearest to the centers you give.
    n_init : int, default 10
    max_iter : int, default 100
    tol : float, default 1e-3
        Soft EM has settled when a step raises the mean log-likelihood of the rows by at most this.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_, cluster_centers_, objective_path_, n_iter_, n_features_in_
        As of :class:`SphericalKMeans`.
    concentrations_ : ndarray of float64, shape (k,)
        κ of each component.
    weights_ : ndarray of float64, shape (k,)
        Shares of the components.
    objective_ : float
        The log-likelihood, of the most probable components if ``assignment="hard"``.

    Notes
    -----
    Density c(κ) exp(κ μ·x) with c(κ) = κ^ν / ((2π)^(d/2) I_ν(κ)), ν = d/2 - 1, in logarithms and
    right to 1e-10 for the orders of 10^5 terms and more. κ solves A(κ) = r, the mean length of
    the component, by Newton's steps; r is kept below 1 - 1e-8, so that κ of coincident rows is
    finite. Empty rows take no part. O(nnz k) a step; memory O(n k + d k).

    With many terms a component is nearly a Gaussian around the mean m of its rows, with variance (1
    - ‖m‖²)/d. So rows go to the nearest mean, not to the nearest direction.

    Banerjee, Dhillon, Ghosh & Sra 2005 (JMLR 6).

    Examples
    --------
    >>> from sortal.clusterers import VonMisesFisherMixture
    >>> X = [[9, 1, 0], [9, 2, 1], [8, 1, 1], [0, 1, 9], [1, 1, 9], [1, 0, 7]]
    >>> mixture = VonMisesFisherMixture(2, random_state=0).fit(X)
    >>> mixture.posterior([[9, 0, 0], [0, 0, 9]]).max(axis=1).round(6)
    array([1., 1.])
    """

    _spherical_start = "refined"

    _: KW_ONLY
    assignment: str = "soft"
    init: Any = "spherical-k-means"
    max_iter: int = 100
    tol: float = 1e-3

    def posterior(self, X: ArrayLike) -> Floats:
        """Posterior probability of each component for each row of X."""
        rows, out = self._scores(X)
        kernels.posteriors(out)
        out[np.diff(rows.indptr) == 0] = self.weights_
        return out

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Mean log-likelihood of the rows of X that are not empty."""
        rows, out = self._scores(X)
        out = out[np.diff(rows.indptr) > 0]
        return float(kernels.posteriors(out)) / len(out) if len(out) else 0.0

    def _check(self) -> None:
        """Check the assignment and the tolerance."""
        check_choice(self.assignment, ("soft", "hard"), "assignment")
        if not self.tol >= 0:
            raise InputError(f"tol must be 0 or more; got {self.tol!r}")

    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Hard or soft EM from initial labels."""
        return (self._hard if self.assignment == "hard" else self._soft)(rows, labels, k)

    def _hard(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """EM in which each row counts for its most probable component."""
        n, d = rows.shape
        reached = np.empty(n)
        path: list[float] = []
        converged = False
        for step in range(self.max_iter):
            if step % AFRESH == 0:
                sums = sums_of(rows, labels, k)
            sizes = np.bincount(labels, minlength=k)
            centers, lengths = directions(sums)
            kappa = concentration(lengths / sizes, d)
            columns, bias = centers * kappa, np.log(sizes / n) + log_constant(kappa, d)
            old = labels.copy()
            moved = kernels.assign(arrays(rows), columns, bias, labels, 1e-9, reached)
            path.append(float(reached.sum()))
            if not moved + len(fill_empty(labels, reached, k)):
                converged = True
                break
            kernels.move_rows(arrays(rows), old, labels, sums)
        learned = {"concentrations_": kappa, "weights_": sizes / n}
        return Run(labels, path, converged, centers, columns, bias, learned)

    def _soft(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """EM in which each row counts for every component by its posterior probability."""
        n, d = rows.shape
        shares = np.zeros((n, k))
        shares[np.arange(n), labels] = 1.0
        centers, columns, kappa = np.zeros((d, k)), np.empty((d, k)), np.zeros(k)
        path: list[float] = []
        converged = False
        for _ in range(self.max_iter):
            sums, sizes = np.zeros((d, k)), shares.sum(axis=0)
            kernels.sum_shares(arrays(rows), shares, sums)
            occupied = sizes > 1e-9  # a component that lost all its rows keeps its shape
            lengths = np.sqrt(np.einsum("jh,jh->h", sums, sums))
            sums /= np.where(lengths > 0, lengths, 1.0)
            np.copyto(centers, sums, where=occupied)
            del sums  # arrays as large as the centers decide the memory
            kappa[occupied] = concentration(lengths[occupied] / sizes[occupied], d)
            with np.errstate(divide="ignore"):
                bias = np.log(sizes / n) + log_constant(kappa, d)
            np.multiply(centers, kappa, out=columns)
            kernels.scores(arrays(rows), columns, bias, shares)
            path.append(float(kernels.posteriors(shares)))
            if len(path) > 1 and path[-1] - path[-2] <= self.tol * n:
                converged = True
                break
        labels = shares.argmax(axis=1)
        learned = {"concentrations_": kappa, "weights_": sizes / n}
        return Run(labels, path, converged, centers, columns, bias, learned)
