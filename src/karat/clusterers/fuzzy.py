"""Fuzzy c-means: every object belongs to every cluster by degree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from karat.clusterers._estimator import Estimator
from karat.runtime.validation import InputError, check_random_state, validated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class FuzzyCMeans(Estimator):
    """Fuzzy c-means: memberships that fall with the squared distance to the centres.

    Parameters
    ----------
    n_clusters : int, default 8
    fuzzifier : float, default 2.0
        The exponent m above 1 of the memberships; near 1 they are those of k-means, and the
        greater it is the more alike.
    n_init : int, default 1
        Starts, of which the one with the least objective is kept.
    max_iter : int, default 300
    tol : float, default 1e-5
        Largest change of a membership at which the iteration ends.
    random_state : None, int or Generator
        For the first centres, by k-means++.

    Attributes
    ----------
    memberships_ : ndarray of float64, shape (n, n_clusters)
        Rows sum to 1.
    labels_ : ndarray of int32, shape (n,)
        The cluster of the largest membership; where centres coincide, fewer than ``n_clusters``.
    cluster_centers_ : ndarray of float64, shape (n_clusters, d)
    objective_ : float
        Σ u^m ∣x − v∣².
    n_iter_ : int
    n_features_in_ : int

    Notes
    -----
    Dunn 1973; Bezdek 1981: u_ic ∝ ∣x_i − v_c∣^(−2/(m−1)), and v_c the u^m-weighted mean, in turn.
    O(n k d) for each iteration, 8 n k bytes.

    Examples
    --------
    >>> from karat.clusterers import FuzzyCMeans
    >>> model = FuzzyCMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [9.0], [10.0]])
    >>> model.memberships_[2].round(3).tolist(), sorted(model.cluster_centers_.round(1).tolist())
    ([0.5, 0.5], [[1.0], [9.0]])
    """

    _counts = ("n_clusters", "n_init", "max_iter")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzzifier: float = 2.0,
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzzifier = fuzzifier
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> FuzzyCMeans:
        """Cluster X."""
        X = self._rows(X)
        best: tuple[float, Floats, Floats, int, bool] | None = None
        for rng in check_random_state(self.random_state).spawn(self.n_init):
            run = self._run(X, _first_centers(X, self.n_clusters, rng))
            if best is None or run[0] < best[0]:
                best = run
        assert best is not None
        self.objective_, self.memberships_, self.cluster_centers_, self.n_iter_, settled = best
        if not settled:
            self._warn(f"not settled after {self.max_iter} iterations; raise max_iter")
        self.labels_ = self.memberships_.argmax(axis=1).astype(np.int32)
        return self

    def memberships(self, X: Any) -> Floats:
        """Memberships of other objects in the clusters that were found."""
        check_is_fitted(self)
        X = validated(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return self._memberships(_squares(X, self.cluster_centers_))

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The cluster of the largest membership of other objects."""
        return self.memberships(X).argmax(axis=1).astype(np.int32)

    def _check(self) -> None:
        if not 1 < self.fuzzifier < np.inf:
            raise InputError(f"fuzzifier must be a number above 1; got {self.fuzzifier!r}")

    def _run(self, X: Any, centers: Floats) -> tuple[float, Floats, Floats, int, bool]:
        squares = _squares(X, centers)
        U = self._memberships(squares)
        step, settled = 0, False
        while step < self.max_iter and not settled:
            step += 1
            weights = U**self.fuzzifier
            totals = weights.sum(axis=0)
            held = totals > 0  # a centre that no object belongs to stays where it is
            centers[held] = np.asarray((X.T @ weights).T)[held] / totals[held, None]
            squares = _squares(X, centers)
            before, U = U, self._memberships(squares)
            settled = bool(np.abs(U - before).max() <= self.tol)
        return float((U**self.fuzzifier * squares).sum()), U, centers, step, settled

    def _memberships(self, squares: Floats) -> Floats:
        """An object at centres belongs to these alone, in equal parts."""
        nearest = squares.min(axis=1, keepdims=True)
        # relative to the nearest centre, so that no power overflows
        with np.errstate(divide="ignore", invalid="ignore"):
            U = np.where(nearest > 0, nearest / squares, squares == 0)
        U **= 1 / (self.fuzzifier - 1)
        return U / U.sum(axis=1, keepdims=True)


def _first_centers(X: Any, k: int, rng: np.random.Generator) -> Floats:
    """Rows that are far apart, by k-means++."""
    n = X.shape[0]
    chosen = [int(rng.integers(n))]
    nearest = np.full(n, np.inf)
    while len(chosen) < k:
        nearest = np.minimum(nearest, _squares(X, _dense(X[chosen[-1:]]))[:, 0])
        total = nearest.sum()
        chosen.append(int(rng.choice(n, p=nearest / total) if total > 0 else rng.integers(n)))
    return np.array(_dense(X[chosen]), dtype=np.float64)


def _dense(rows: Any) -> Any:
    return rows.toarray() if hasattr(rows, "toarray") else rows


def _squares(X: Any, centers: Floats) -> Floats:
    """Squared distances of the rows to the centres."""
    if hasattr(X, "toarray"):
        lengths = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        scale = lengths[:, None] + (centers**2).sum(axis=1)
        squares = scale - 2 * np.asarray(X @ centers.T)
        return np.where(squares > 1e-14 * scale, squares, 0.0)  # the rest is rounding
    from scipy.spatial.distance import cdist

    return cdist(np.asarray(X, np.float64), centers, "sqeuclidean")
