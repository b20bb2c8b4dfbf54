"""Places of objects: in the middle of their cluster, or on the edge to another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sortal.distances import FORMS, as_distances, embed, neighbor_lists
from sortal.labelings.labels import NOISE
from sortal.meaning.features import LIMITS, DescriptionLimits
from sortal.runtime.draws import draw_rows
from sortal.typing import Floats, Metric, Rows

#: limit of cost: neighbours are sought among so many objects, drawn at random from larger data
MAX_EDGE_OBJECTS = 10_000
#: limit of cost: distances are summed between so many objects of a cluster
MAX_MEMBERS = 1_000


def central(
    X: Rows, codes: NDArray[Any], metric: Metric, random_state: int
) -> dict[int, tuple[int, ...]]:
    """The three most central objects of each cluster, without copies.

    They are nearest to the centroid where the distance has one. Otherwise they have the least sum
    of distances to (at most 1,000) others of the cluster, in a graph the strongest edges.
    """
    embedded = isinstance(metric, str) and metric in FORMS and metric != "mahalanobis"
    points = embed(X, str(metric)) if embedded else X
    rng = np.random.default_rng(random_state)
    objects = {}
    for c in range(int(codes.max(initial=-1)) + 1):
        members = np.flatnonzero(codes == c)
        if embedded:
            rows = points[members]
            distance = _from_centroid(rows)
        elif metric == "graph":
            rows, distance = None, -np.asarray(X[members][:, members].sum(axis=1)).ravel()
        else:
            members = draw_rows(members, MAX_MEMBERS, rng)
            every = slice(0, len(members))
            block = as_distances(X, metric).take(members).block(every, every)
            rows = np.asarray(block, dtype=np.float64)
            distance = rows.sum(axis=1)
        order = np.argsort(distance.round(12), kind="stable")
        objects[c] = tuple(int(members[i]) for i in _different(rows, order))
    return objects


def _from_centroid(rows: Rows) -> Floats:
    """Squared distances from the centroid, up to a constant."""
    mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    if isinstance(rows, np.ndarray):
        squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    else:
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    return np.asarray(squares - 2 * np.asarray(rows @ mean).ravel())


def _different(rows: Rows | None, order: NDArray[np.intp]) -> list[int]:
    """The first rows in the order, without copies."""
    picked: list[int] = []
    for i in order:
        if rows is None or not any(_same(rows, i, j) for j in picked):
            picked.append(int(i))
        if len(picked) == LIMITS.n_items:
            break
    return picked


def _same(rows: Rows, i: int, j: int) -> bool:
    """Whether two rows are equal."""
    if sparse.issparse(rows):
        return bool(abs(rows[[i]] - rows[[j]]).sum() == 0)
    return bool(np.array_equal(rows[i], rows[j]))


def edges(
    X: Rows,
    codes: NDArray[Any],
    metric: Metric,
    random_state: int,
    limits: DescriptionLimits = LIMITS,
) -> dict[int, tuple[tuple[int, int], ...]]:
    """The objects of each cluster on the edge to another, the most doubtful first.

    At least four of such an object's ten nearest neighbours are in the other cluster (in a graph,
    40 % of the weight of its edges).
    """
    n, k = len(codes), int(codes.max(initial=-1)) + 1
    rows = draw_rows(n, MAX_EDGE_OBJECTS, random_state)
    if metric == "graph":
        members = sparse.csr_array(
            (np.ones(n), (np.arange(n), np.where(codes < 0, k, codes))), shape=(n, k + 1)
        )
        shares = (sparse.csr_array(X[rows]) @ members).toarray()
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    else:
        sample = X[rows][:, rows] if metric == "precomputed" else X[rows]
        nearest = neighbor_lists(sample, limits.edge_neighbors, metric=metric).indices
        neighbors = codes[rows][nearest]
        shares = np.stack([(neighbors == c).mean(axis=1) for c in range(k)], axis=1)
    home = codes[rows]
    clustered = np.flatnonzero(home != NOISE)
    shares[clustered, home[clustered]] = -1
    neighbor = shares[:, :k].argmax(axis=1)
    doubt = shares[np.arange(len(rows)), neighbor]
    pairs_of: dict[int, list[tuple[int, int]]] = {c: [] for c in range(k)}
    for i in clustered[np.argsort(-doubt[clustered], kind="stable")]:
        if doubt[i] >= limits.min_edge_share:
            pairs_of[int(home[i])].append((int(rows[i]), int(neighbor[i])))
    return {c: tuple(pairs) for c, pairs in pairs_of.items()}
