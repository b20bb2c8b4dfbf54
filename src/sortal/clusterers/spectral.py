"""Spectral clustering of the neighbours under any distance, or of a graph."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from sortal.clusterers._estimator import BaseClusterer
from sortal.distances import as_graph, check_metric
from sortal.distances.neighbors import neighbor_lists
from sortal.runtime.validation import InputError, check_choice, check_random_state
from sortal.typing import ArrayLike, Floats, Ints, Metric, RandomState, Rows

#: limit of cost: Lanczos vectors stored in addition to twice the wanted ones
_MORE_VECTORS = 40
#: limit of cost: relative error of eigenvalues
_EIGEN_TOLERANCE = 1e-8


@dataclass(eq=False, repr=False)
class SpectralClustering(BaseClusterer):
    """Spectral clustering of the graph of each object's 20 nearest neighbours.

    Parameters
    ----------
    n_clusters : int, default 8
    metric : str or callable, default "euclidean"
        A name in :data:`sortal.distances.METRICS`, ``"precomputed"`` among them, a function of two
        rows, or ``"graph"``: then X is the symmetric matrix of affinities.
    n_neighbors : int, default 20
        The object itself counts; fewer where there are fewer objects.
    laplacian : {"random-walk", "symmetric", "unnormalized"}
        W are the affinities, D their sums:

        - random-walk: eigenvectors of I − D⁻¹W (Shi & Malik 2000)
        - symmetric: of I − D⁻¹ᐟ²WD⁻¹ᐟ², with rows of length 1 (Ng, Jordan & Weiss 2002)
        - unnormalized: of D − W
    affinity : {"neighbors", "cosine"}
        1 where both are among each other's neighbours and ½ where only one is; or the cosine
        where either is, for ``metric="cosine"``.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
    n_features_in_ : int

    Notes
    -----
    The graph and the 20 starts of k-means on the first ``n_clusters`` eigenvectors are those of
    whissell2012 §5.2; with its cosine affinity it has 20 neighbours beside the object
    (``n_neighbors=21``). von Luxburg (2007), A tutorial on spectral clustering.

    Eigenvectors by Lanczos iterations on the sparse graph (ARPACK); those of eigenvalue 0 are the
    components of the graph. Where it has ``n_clusters`` components or more, the largest are the
    clusters, and the objects of the others go to the largest; so do objects without an edge.

    Examples
    --------
    >>> from sortal.clusterers import SpectralClustering
    >>> A = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0.1], [0, 0, 0.1, 0]]
    >>> labels = SpectralClustering(2, metric="graph", random_state=0).fit_predict(A)
    >>> (labels == labels[0]).tolist()
    [True, True, True, False]
    """

    n_clusters: int = 8
    _: KW_ONLY
    metric: Metric = "euclidean"
    n_neighbors: int = 20
    laplacian: Literal["random-walk", "symmetric", "unnormalized"] = "random-walk"
    affinity: Literal["neighbors", "cosine"] = "neighbors"
    random_state: RandomState = None

    def fit(self, X: ArrayLike, y: object = None) -> SpectralClustering:
        """Build the graph, embed and cluster."""
        check_choice(self.laplacian, ("random-walk", "symmetric", "unnormalized"), "laplacian")
        check_choice(self.affinity, ("neighbors", "cosine"), "affinity")
        W = self._graph(self._rows(X, least=2))
        self.labels_ = _clusters(
            W, self.n_clusters, self.laplacian, check_random_state(self.random_state)
        )
        return self

    def _graph(self, X: Rows) -> sparse.csr_array:
        """Affinities of the objects, without loops (no cut contains a loop)."""
        if isinstance(self.metric, str) and self.metric == "graph":
            return sparse.csr_array(as_graph(X), dtype=np.float64)
        metric = check_metric(self.metric)
        if self.affinity == "cosine" and metric != "cosine":
            raise InputError(
                f'affinity="cosine" goes with metric="cosine"; got metric={self.metric!r}'
            )
        return _neighbors(X, metric, self.n_neighbors, self.affinity)


def _neighbors(X: Rows, metric: Metric, n_neighbors: int, affinity: str) -> sparse.csr_array:
    """Symmetric graph of the nearest neighbours."""
    n = X.shape[0]
    count = min(n_neighbors, n) - 1
    if count < 1:
        return sparse.csr_array((n, n))
    lists = neighbor_lists(X, count, metric=metric)
    rows, columns = np.repeat(np.arange(n), count), lists.indices.ravel()
    if affinity == "cosine":
        near = np.clip(1 - lists.distances.ravel(), 0, 1)
        graph = sparse.csr_array((near, (rows, columns)), shape=(n, n))
        graph.eliminate_zeros()
        return sparse.csr_array(graph.maximum(graph.T))
    graph = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    return sparse.csr_array((graph + graph.T) / 2)


def _clusters(W: sparse.csr_array, k: int, laplacian: str, rng: np.random.Generator) -> Ints:
    """Labels by k-means on the eigenvectors; the largest components if there are at least k."""
    from scipy.sparse.csgraph import connected_components
    from sklearn.cluster import KMeans

    n = W.shape[0]
    seed = int(rng.integers(2**31 - 1))
    _, component = connected_components(W, directed=False)
    sizes = np.bincount(component)
    joined = np.flatnonzero(sizes > 1)
    labels = np.full(n, -1, dtype=np.int32)
    if len(joined) >= k:
        largest = np.argsort(-sizes, kind="stable")[:k]
        place = np.zeros(len(sizes), dtype=np.int64)  # smaller ones go to the largest
        place[largest] = np.arange(k)
        labels[:] = place[component]
    elif len(joined):
        inside = sizes[component] > 1
        numbers = np.searchsorted(joined, component[inside])
        subgraph = sparse.csr_array(W[inside][:, inside])
        E = embedding(subgraph, numbers, min(k, subgraph.shape[0]), laplacian, rng)
        labels[inside] = KMeans(E.shape[1], n_init=20, random_state=seed).fit_predict(E)
    labels[labels < 0] = np.bincount(labels[labels >= 0], minlength=1).argmax()
    return labels


def embedding(
    W: sparse.csr_array, component: Ints, k: int, laplacian: str, rng: np.random.Generator
) -> Floats:
    """First k eigenvectors of the Laplacian of a graph without loops and isolated nodes."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = W.shape[0]
    degrees = np.asarray(W.sum(axis=1)).ravel()
    roots = np.sqrt(degrees) if laplacian != "unnormalized" else np.ones(n)
    if laplacian == "unnormalized":
        reach = 2 * float(degrees.max())  # no eigenvalue of D - W is above it
        A = sparse.csr_array(sparse.diags_array(reach - degrees) + W)
    else:
        reach = 2.0
        scaling = sparse.diags_array(1 / roots)
        A = sparse.csr_array(scaling @ W @ scaling + sparse.eye_array(n))
    lengths = np.sqrt(np.bincount(component, roots**2))
    unit_roots = roots / lengths[component]
    count = len(lengths)

    def product(x: Floats) -> Floats:
        x = x.ravel()
        shares = np.bincount(component, unit_roots * x, minlength=count)
        return np.asarray(A @ x) - reach * unit_roots * shares[component]

    null_vectors = np.zeros((n, count))
    null_vectors[np.arange(n), component] = unit_roots
    n_more = k - count
    n_vectors = min(n, 2 * n_more + _MORE_VECTORS)
    if n_more and n_vectors == n:
        # so few nodes that Lanczos iterations would need all vectors
        matrix = A.toarray() - reach * (null_vectors @ null_vectors.T)
        further_vectors = np.linalg.eigh(matrix)[1][:, ::-1][:, :n_more]
    elif n_more:
        operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
        start = rng.standard_normal(n)
        values, vectors = eigsh(
            operator, n_more, which="LA", ncv=n_vectors, tol=_EIGEN_TOLERANCE, v0=start, maxiter=n
        )
        further_vectors = vectors[:, np.argsort(-values, kind="stable")]
    E = np.hstack([null_vectors, further_vectors]) if n_more else null_vectors
    if laplacian == "random-walk":
        return E / roots[:, None]
    if laplacian == "symmetric":
        sizes = np.linalg.norm(E, axis=1, keepdims=True)
        return E / np.where(sizes > 0, sizes, 1)
    return E
