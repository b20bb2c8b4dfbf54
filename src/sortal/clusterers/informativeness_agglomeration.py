"""Agglomeration that keeps the clusters recognisable."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass

import numpy as np

from sortal.clusterers._estimator import BaseClusterer
from sortal.labelings.partitions import canonical_codes
from sortal.runtime.validation import check_random_state
from sortal.typing import ArrayLike, Floats, Ints, RandomState

#: limit of cost: small clusters at the start
_LARGEST_START = 500


@dataclass(eq=False, repr=False)
class InformativenessAgglomeration(BaseClusterer):
    """Greedy merging of many small clusters so that informativeness stays as large as it can.

    The small clusters come from k-means. Each step merges the pair that leaves the largest
    informativeness by leave-one-out nearest neighbours. Pairs that are mistaken for each other come
    first, then pairs with neighbouring objects, then the others. Ties are ordered by single-linkage
    distance.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters to stop at.
    n_neighbors : int, default 5
        Neighbours that vote.
    random_state : None, int or Generator
        For the k-means that makes the small clusters.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        Clusters numbered by first appearance.
    informativeness_ : float
        That of ``labels_``, as :func:`sortal.informativeness` with the same neighbours has it;
        NaN for one cluster.
    path_ : ndarray of float64, shape (steps + 1,)
        Informativeness before each merge, and at the end.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    Proposed as future work in Whissell 2012, chapter 8, but there any pair may be merged, however
    far apart. O(n + k²) for each merge among k clusters.

    Examples
    --------
    >>> import sortal
    >>> from sortal.clusterers import InformativenessAgglomeration
    >>> from sklearn.datasets import make_circles
    >>> X, rings = make_circles(300, factor=0.5, noise=0.02, random_state=0)
    >>> model = InformativenessAgglomeration(n_clusters=2, random_state=0).fit(X)
    >>> sortal.adjusted_rand_index(rings, model.labels_), float(model.informativeness_)
    (1.0, 1.0)
    """

    _sparse = False

    n_clusters: int = 8
    _: KW_ONLY
    n_neighbors: int = 5
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> InformativenessAgglomeration:
        """Cluster X."""
        from sortal._kernels.informativeness_agglomeration import agglomerate
        from sortal.distances.neighbors import neighbor_lists

        data = self._rows(X, least=2)
        codes, distances = self._start(data)
        steps = max(len(distances) - self.n_clusters, 0)
        merges = np.empty((steps, 2), dtype=np.int64)
        self.path_ = np.full(steps + 1, np.nan)
        if len(distances) > 1:
            lists = neighbor_lists(data, self.n_neighbors)
            agglomerate(lists.indices, codes, distances, merges, self.path_)
        self.labels_ = canonical_codes(codes)
        self.informativeness_ = float(self.path_[-1])
        return self

    def _start(self, X: Floats) -> tuple[Ints, Floats]:
        """Labels of many small clusters by k-means, and the distances of their means."""
        from scipy.spatial.distance import cdist
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        n = len(X)
        count = max(min(n // self._tuning.objects_per_start, _LARGEST_START), self.n_clusters)
        seed = int(check_random_state(self.random_state).integers(2**31 - 1))
        with warnings.catch_warnings():
            # fewer distinct objects than clusters, or not settled: good enough to start from
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(count, n_init=1, max_iter=20, random_state=seed).fit(X)
        used, codes = np.unique(model.labels_, return_inverse=True)
        centroids = model.cluster_centers_[used]
        return codes.astype(np.int64), cdist(centroids, centroids)
