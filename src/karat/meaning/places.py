"""Where objects are: in the middle of their cluster, or on the edge to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.distances import FORMS, as_distances, embed
from karat.distances.neighbors import neighbor_lists
from karat.labelings.labels import NOISE

if TYPE_CHECKING:
    from numpy.typing import NDArray

CENTRAL = 3
NEIGHBORS = 10
#: share of an object's neighbours in one other cluster from which on it is on the edge to that
EDGE = 0.4
#: objects among which neighbours are sought; of more, a random sample
AT_MOST = 10_000
#: objects of a cluster among which sums of distances are taken
_MEMBERS = 1_000


def central(
    X: Any, codes: NDArray[Any], metric: Any, random_state: int
) -> dict[int, tuple[int, ...]]:
    """The three most central objects of each cluster, of copies one.

    They are nearest to the centroid where the distance has one, otherwise those with the least
    sum of distances to (at most 1,000) others of the cluster, of a graph the strongest edges.
    """
    embedded = isinstance(metric, str) and metric in FORMS and metric != "mahalanobis"
    points = embed(X, metric) if embedded else X
    rng = np.random.default_rng(random_state)
    found = {}
    for c in range(int(codes.max(initial=-1)) + 1):
        own = np.flatnonzero(codes == c)
        if embedded:
            rows = points[own]
            far = _from_centroid(rows)
        elif metric == "graph":
            rows, far = None, -np.asarray(X[own][:, own].sum(axis=1)).ravel()
        else:
            own = np.sort(rng.permutation(own)[:_MEMBERS])
            D = _all_distances(X, own, metric)
            rows, far = D, D.sum(axis=1)
        order = np.argsort(far.round(12), kind="stable")
        found[c] = tuple(int(own[i]) for i in _different(rows, order))
    return found


def _from_centroid(rows: Any) -> NDArray[np.float64]:
    mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    if sparse.issparse(rows):
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return np.asarray(squares - 2 * np.asarray(rows @ mean).ravel())


def _all_distances(X: Any, own: NDArray[np.intp], metric: Any) -> NDArray[np.float64]:
    distances = as_distances(X, metric).take(own)
    whole = slice(0, len(own))
    return np.asarray(distances.block(whole, whole), dtype=np.float64)


def _different(rows: Any, order: NDArray[np.intp]) -> list[int]:
    """The first in order, without those that repeat one of them."""
    picked: list[int] = []
    for i in order:
        if rows is None or not any(_same(rows, i, j) for j in picked):
            picked.append(int(i))
        if len(picked) == CENTRAL:
            break
    return picked


def _same(rows: Any, i: int, j: int) -> bool:
    if sparse.issparse(rows):
        return bool(abs(rows[[i]] - rows[[j]]).sum() == 0)
    return bool(np.array_equal(rows[i], rows[j]))


def edges(
    X: Any, codes: NDArray[Any], metric: Any, random_state: int
) -> dict[int, tuple[tuple[int, int], ...]]:
    """The objects of each cluster that are on the edge to another, the most doubtful first.

    At least four of an object's ten nearest neighbours (of a graph, of the weight of its edges)
    are in that other cluster.
    """
    rng = np.random.default_rng(random_state)
    n, k = len(codes), int(codes.max(initial=-1)) + 1
    rows = np.sort(rng.permutation(n)[:AT_MOST])
    if metric == "graph":
        members = sparse.csr_array(
            (np.ones(n), (np.arange(n), np.where(codes < 0, k, codes))), shape=(n, k + 1)
        )
        shares = (sparse.csr_array(X[rows]) @ members).toarray()
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    else:
        part = X[rows][:, rows] if metric == "precomputed" else X[rows]
        near = neighbor_lists(part, NEIGHBORS, metric=metric).indices
        around = codes[rows][near]
        shares = np.stack([(around == c).mean(axis=1) for c in range(k)], axis=1)
    own = codes[rows]
    there = np.flatnonzero(own != NOISE)
    shares[there, own[there]] = -1
    other = shares[:, :k].argmax(axis=1)
    doubt = shares[np.arange(len(rows)), other]
    found: dict[int, list[tuple[int, int]]] = {c: [] for c in range(k)}
    for i in there[np.argsort(-doubt[there], kind="stable")]:
        if doubt[i] >= EDGE:
            found[int(own[i])].append((int(rows[i]), int(other[i])))
    return {c: tuple(pairs) for c, pairs in found.items()}
