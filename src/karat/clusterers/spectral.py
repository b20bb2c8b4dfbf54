"""Spectral clustering that says when its graph falls apart."""

from __future__ import annotations

from typing import Any

from sklearn.cluster import SpectralClustering as _SpectralClustering


class SpectralClustering(_SpectralClustering):  # type: ignore[misc]
    """Spectral clustering of the graph of each object's 20 nearest neighbours.

    Parameters
    ----------
    n_clusters : int, default 8
    n_neighbors : int, default 20
        Fewer where there are fewer other objects.
    random_state : int, optional

    Notes
    -----
    scikit-learn's :class:`~sklearn.cluster.SpectralClustering` with the neighbour graph of
    whissell2012 §5.2 as its default and 20 starts of k-means on the eigenvectors.
    """

    def __init__(
        self, n_clusters: int = 8, *, n_neighbors: int = 20, random_state: Any = None
    ) -> None:
        super().__init__(
            n_clusters,
            affinity="nearest_neighbors",
            n_neighbors=n_neighbors,
            n_init=20,
            random_state=random_state,
        )

    def fit(self, X: Any, y: Any = None) -> SpectralClustering:
        """Build the graph, embed and cluster."""
        wanted = self.n_neighbors  # type: ignore[has-type]
        self.n_neighbors = min(wanted, X.shape[0] if hasattr(X, "shape") else len(X))
        try:
            super().fit(X)
        finally:
            self.n_neighbors = wanted
        return self
