"""k-means on principal components, and clusters of a non-negative matrix factorisation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy import sparse

from sortal.clusterers._estimator import BaseClusterer
from sortal.clusterers._sparse_rows import unit_rows
from sortal.runtime.validation import check_random_state
from sortal.typing import ArrayLike, RandomState, Rows


@dataclass(eq=False, repr=False)
class PCAKMeans(BaseClusterer):
    """k-means on the first principal components of the rows.

    Parameters
    ----------
    n_clusters : int, default 8
    n_components : int, default 20
        Where the data have no more dimensions or rows, k-means gets the rows themselves, because
        all components together only rotate them.
    n_init : int, default 20
        Starts of k-means; the best is kept.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
    embedding_ : ndarray or csr_array, shape (n, n_components)
        Input of k-means.
    inertia_ : float
        Sum of squared distances to the means, in the components.
    n_features_in_ : int

    Notes
    -----
    whissell2012 §5.2. PCA by Lanczos iterations, so that sparse rows are never made dense: O(nnz)
    a product, memory O((n + d) n_components) beside X.

    Examples
    --------
    >>> from sortal.clusterers import PCAKMeans
    >>> X = [[3, 1, 0], [9, 2, 0], [0, 1, 4], [0, 0, 5]]
    >>> labels = PCAKMeans(2, n_components=1, random_state=0).fit_predict(X)
    >>> bool(labels[2] == labels[3] != labels[1])
    True
    """

    _counts = ("n_components", "n_init")

    n_clusters: int = 8
    _: KW_ONLY
    n_components: int = 20
    n_init: int = 20
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> PCAKMeans:
        """Find the components and cluster the rows in them."""
        from sklearn.cluster import KMeans
        from sklearn.decomposition import PCA

        rows = self._rows(X)
        seed = int(check_random_state(self.random_state).integers(2**31 - 1))
        self.embedding_ = rows
        if self.n_components < min(rows.shape) and _varies(rows):
            model = PCA(self.n_components, svd_solver="arpack", random_state=seed)
            self.embedding_ = model.fit_transform(rows)
        kmeans = KMeans(self.n_clusters, n_init=self.n_init, random_state=seed)
        self.labels_ = kmeans.fit_predict(self.embedding_).astype(np.int32)
        self.inertia_ = float(kmeans.inertia_)
        return self


def _varies(X: Rows) -> bool:
    """Whether the rows differ, as Lanczos iterations require."""
    if sparse.issparse(X):
        return bool((X.max(axis=0) != X.min(axis=0)).nnz)
    return bool((X[0] != X).any())


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
