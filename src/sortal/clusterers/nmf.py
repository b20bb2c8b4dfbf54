"""Non-negative matrix factorisation with the weights of the normalised cut."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from sortal.clusterers._estimator import BaseClusterer
from sortal.clusterers._sparse_rows import unit_rows
from sortal.runtime.types import ArrayLike, RandomState
from sortal.runtime.validation import check_random_state


@dataclass(eq=False, repr=False)
class NormalizedCutNMF(BaseClusterer):
    """Clusters of documents by a weighted non-negative matrix factorisation (NC-NMF).

    Parameters
    ----------
    n_clusters : int, default 8
    n_init : int, default 1
        Random starts; the best is kept.
    max_iter : int, default 500
        Most passes of each start.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The topic with the greatest coefficient; some topic may have no rows.
    components_ : ndarray, shape (k, d)
        The topics, of length 1.
    coefficients_ : ndarray, shape (n, k)
        Of the unit rows in the topics.
    objective_ : float
        Minus half the weighted sum of squared errors, to be maximised.
    n_iter_, n_features_in_ : int

    Notes
    -----
    Xu, Liu & Gong (2003), Document clustering based on non-negative matrix factorization. Unit rows
    x_i are approximated by Σ_h v_ih u_h with v, u ≥ 0. This minimises Σ_i γ_i ‖x_i − Σ_h v_ih u_h‖²
    with γ_i = 1/Σ_j x_i·x_j, by coordinate descent (:class:`~sklearn.decomposition.NMF`). O(nnz k +
    (n + d) k²) a pass. Empty rows go to the largest cluster.

    Examples
    --------
    >>> from sortal.clusterers import NormalizedCutNMF
    >>> X = [[3, 1, 0], [9, 2, 0], [0, 1, 4], [0, 0, 1]]
    >>> labels = NormalizedCutNMF(2, random_state=0).fit_predict(X)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    _positive, _counts = True, ("n_init", "max_iter")

    n_clusters: int = 8
    _: KW_ONLY
    n_init: int = 1
    max_iter: int = 500
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> NormalizedCutNMF:
        """Factorise the rows."""
        from sklearn.decomposition import NMF

        rows = unit_rows(self._rows(X), "l2")
        weights = np.asarray(rows @ np.asarray(rows.sum(axis=0)).ravel())
        roots = np.sqrt(np.where(weights > 0, weights, 1)).astype(rows.dtype)
        weighted = rows.copy()
        weighted.data = rows.data / np.repeat(roots, np.diff(rows.indptr))
        best = np.inf
        for rng in check_random_state(self.random_state).spawn(self.n_init):
            model = NMF(
                self.n_clusters,
                init="random",
                max_iter=self.max_iter,
                random_state=int(rng.integers(2**31 - 1)),
            )
            with np.errstate(invalid="ignore"):  # the root of an error that rounding made negative
                coefficients = model.fit_transform(weighted)
            error = float(np.nan_to_num(model.reconstruction_err_))
            if error < best:
                best, topics, shares = error, model.components_, coefficients
                self.n_iter_ = int(model.n_iter_)
        lengths = np.linalg.norm(topics, axis=1)
        self.components_ = topics / np.where(lengths > 0, lengths, 1)[:, None]
        self.coefficients_ = shares * lengths * roots[:, None]
        self.objective_ = -0.5 * best**2
        self.labels_ = self.coefficients_.argmax(axis=1).astype(np.int32)
        full = weights > 0
        self.labels_[~full] = np.bincount(self.labels_[full], minlength=1).argmax()
        return self
