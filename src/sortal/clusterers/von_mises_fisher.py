"""Mixtures of von Mises–Fisher distributions: clusters of directions, each with a concentration."""

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
    directions,
    fill_empty,
    sums_of,
)
from sortal.clusterers.spherical import batch_steps, single_moves
from sortal.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sortal.runtime.types import ArrayLike, Floats, Ints


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
    >>> from sortal.clusterers.von_mises_fisher import VonMisesFisherMixture
    >>> X = [[9, 1, 0], [9, 2, 1], [8, 1, 1], [0, 1, 9], [1, 1, 9], [1, 0, 7]]
    >>> mixture = VonMisesFisherMixture(2, random_state=0).fit(X)
    >>> mixture.posterior([[9, 0, 0], [0, 0, 9]]).max(axis=1).round(6)
    array([1., 1.])
    """

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

    def _start(self, rows: csr_array, k: int, rng: np.random.Generator) -> Ints:
        """Initial labels, by default from spherical k-means with single moves."""
        refined = isinstance(self.init, str) and self.init == "spherical-k-means"
        labels = self._near_seeds(rows, k, rng, "k-means++" if refined else self.init)
        if refined:
            batch_steps(rows, labels, k, self.max_iter)
            single_moves(rows, labels, k, self.max_iter, balanced=False)
        return labels

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
