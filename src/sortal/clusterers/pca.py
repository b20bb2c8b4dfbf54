"""k-means on the first principal components."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy import sparse

from sortal.clusterers._estimator import BaseClusterer
from sortal.runtime.types import ArrayLike, RandomState, Rows
from sortal.runtime.validation import check_random_state


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
