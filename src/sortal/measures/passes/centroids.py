"""Sums around centroids for many clusterings, over blocks of rows.

The blocks do not depend on the number of threads or workers and are added up as a tree, so
results do not depend on it either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sortal.distances import ROWS_TO_ALL
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.runtime.executors import Workers, tree_sum
from sortal.typing import Floats, Rows

T = TypeVar("T")

#: limit of cost: rows of a block, which do not depend on the number of threads
CENTROID_ROWS = 2**16


class CentroidSums(NamedTuple):
    """Sums around the centroids (k, d) of one clustering, relative to a common shift.

    Per cluster: sum of squared distances, sum of distances and largest distance to the centroid (k,
    3); sums of squares by feature (k, d). If requested, also sums of the centroid silhouettes, by
    squared and plain distances; otherwise 0.
    """

    centroids: Floats
    sums: Floats
    feature_squares: Floats
    squared_silhouettes: Floats
    simplified_silhouettes: Floats


def around_centroids(
    X: Rows,
    labelings: Labelings,
    sizes: Sequence[NDArray[Any]],
    weights: Floats | None,
    workers: Workers,
    *,
    squared: bool,
    simplified: bool,
) -> tuple[Floats, list[CentroidSums]]:
    """The common shift, and the sums of each clustering.

    Three passes of O(n d) for each clustering, the last times k and only for silhouettes. Sparse
    rows are not shifted and not divided into blocks: a clustering is one item of work.
    """
    rows: Any = X
    if hasattr(X, "toarray"):
        norms = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
        work = partial(_around_centroids_of_sparse, squared, simplified)
        results = workers.map(work, (X, norms, labelings, weights), range(len(labelings)))
        return np.zeros(X.shape[1]), list(results)
    shift = rows.mean(axis=0, dtype=np.float64)
    data = (rows, labelings, weights)
    clusterings = range(len(labelings))
    origins = [
        np.asarray(rows[_first_objects(row, len(size))], dtype=np.float64)
        for row, size in zip(labelings.codes, sizes, strict=True)
    ]
    sums = over_blocks(workers, "centroid_sums", data, [(origins[m],) for m in clusterings], np.add)
    means = [total / size[:, None] for total, size in zip(sums, sizes, strict=True)]
    arguments = [(origins[m], means[m]) for m in clusterings]
    around = over_blocks(workers, "centroid_squares", data, arguments, _add_squares)
    # of one layout in memory, whatever the number of columns: the kernel is compiled once
    squares = [np.ascontiguousarray(sums[:, 0]) for sums, *_ in around]
    silhouettes = []
    for wanted, simple in ((squared, False), (simplified, True)):
        if wanted:
            silhouette_arguments = [
                (sizes[m].astype(np.float64), *arguments[m], squares[m], simple)
                for m in clusterings
            ]
            silhouettes.append(
                over_blocks(workers, "centroid_silhouettes", data, silhouette_arguments, np.add)
            )
        else:
            silhouettes.append([np.zeros(len(size)) for size in sizes])
    return shift, [
        CentroidSums((origins[m] - shift) + means[m], *around[m], *(s[m] for s in silhouettes))
        for m in clusterings
    ]


def sums_to_centers(
    X: Rows,
    labelings: Labelings,
    weights: Floats | None,
    shift: Floats,
    centers: Sequence[Floats],
    workers: Workers,
) -> list[Floats]:
    """Sums over each cluster of the distances to its clustering's centers (less ``shift``)."""
    items = [(int(k), shift, C) for k, C in zip(labelings.n_clusters, centers, strict=True)]
    return over_blocks(workers, _sums_to_centers_of_block, (X, labelings, weights), items, np.add)


def over_blocks(
    workers: Workers,
    function: str | Callable[..., T],
    data: tuple[Rows, Labelings, Floats | None],
    arguments: Sequence[tuple[Any, ...]],
    add: Callable[[T, T], T],
) -> list[T]:
    """Sums over blocks of ``function`` (or a kernel, by name) for each clustering."""
    X, labelings, _ = data
    M = len(labelings)
    items = [
        (start, m, *arguments[m]) for start in range(0, X.shape[0], CENTROID_ROWS) for m in range(M)
    ]
    sums = workers.map(partial(_on_block, function), data, items)

    def add_each(left: list[T], right: list[T]) -> list[T]:
        return [add(a, b) for a, b in zip(left, right, strict=True)]

    return tree_sum(_by_block(sums, M), add_each)


def _by_block(sums: Iterator[T], number: int) -> Iterator[list[T]]:
    """The results in lists of one block each."""
    while block := list(islice(sums, number)):
        yield block


def _on_block(
    function: str | Callable[..., T],
    X: Rows,
    labelings: Labelings,
    weights: Floats | None,
    item: tuple[Any, ...],
) -> T:
    """Result of one block and clustering, for an item (start, m, *arguments)."""
    from sortal._kernels import centroids

    work: Any = getattr(centroids, function) if isinstance(function, str) else function
    start, m, *arguments = item
    block = slice(start, start + CENTROID_ROWS)
    labels = labelings.codes[m, block]
    block_weights = np.ones(len(labels)) if weights is None else weights[block]
    return work(X[block], labels, block_weights, *arguments)


def _first_objects(codes: NDArray[np.int32], k: int) -> NDArray[np.int64]:
    """First object of each cluster."""
    first = np.zeros(k + 1, dtype=np.int64)  # the last is that of outliers
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first[:-1]


def _add_squares(
    left: tuple[Floats, Floats], right: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Combine two blocks: sums are added, largest distances compared."""
    around = left[0] + right[0]
    around[:, 2] = np.maximum(left[0][:, 2], right[0][:, 2])
    return around, left[1] + right[1]


def _sums_to_centers_of_block(
    X: Rows, labels: NDArray[np.int32], weights: Floats, k: int, shift: Floats, centers: Floats
) -> Floats:
    """Sums of the distances of one block to the centers, by cluster."""
    from scipy.spatial.distance import cdist

    total = np.zeros((k, len(centers)))
    sparse = hasattr(X, "toarray")
    columns, lengths = np.ascontiguousarray(centers.T), (centers**2).sum(axis=1)
    for start in range(0, len(labels), ROWS_TO_ALL):
        block = slice(start, start + ROWS_TO_ALL)
        rows, clusters, is_judged = X[block], labels[block], labels[block] != NOISE
        if sparse:
            apart = _sparse_to_centers(rows[is_judged], centers, columns, lengths)
        else:
            apart = cdist(rows[is_judged] - shift, centers)
        np.add.at(total, clusters[is_judged], apart * weights[block][is_judged, None])
    return total


def _sparse_to_centers(rows: Any, centers: Floats, columns: Floats, lengths: Floats) -> Floats:
    """Distances from sparse rows to dense centers; only nearly coincident rows are densified.

    ``columns`` are the centers transposed, ``lengths`` the squares of their lengths.
    """
    from scipy.spatial.distance import cdist

    row_lengths = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    scale = row_lengths[:, None] + lengths
    squares = scale - 2 * _products(rows, columns)
    # the difference of two large numbers has lost its digits
    near, to = np.nonzero(squares < 1e-6 * scale)
    distances = np.sqrt(np.maximum(squares, 0))
    for i, j in zip(near.tolist(), to.tolist(), strict=True):
        distances[i, j] = cdist(rows[[i]].toarray(), centers[[j]])[0, 0]
    return np.asarray(distances)


def _products(rows: Any, columns: Floats) -> Floats:
    """Inner products of sparse rows with dense columns, without SciPy's copy at each call."""
    from sortal._kernels.documents import SparseRows, scores

    out = np.empty((rows.shape[0], columns.shape[1]))
    scores(
        SparseRows(rows.indptr, rows.indices, rows.data), columns, np.zeros(columns.shape[1]), out
    )
    return out


def _around_centroids_of_sparse(
    squared: bool,
    simplified: bool,
    X: Any,
    norms: Floats,
    labelings: Labelings,
    weights: Floats | None,
    m: int,
) -> CentroidSums:
    """Centroids and sums of clustering m of sparse rows."""
    from sortal._kernels.centroids import sparse_sums

    codes, sizes = labelings.codes[m], labelings.sizes(m, weights)
    judged = np.flatnonzero(codes != NOISE)
    clusters = codes[judged]
    k = len(sizes)
    w = np.ones(len(judged)) if weights is None else weights[judged]
    rest_sizes = sizes[clusters] - np.minimum(w, 1)
    rows = X if len(judged) == len(codes) else X[judged]
    centroids, by_feature = sparse_sums(
        rows.indptr, rows.indices, rows.data, clusters, w, k, X.shape[1]
    )
    centroids /= sizes[:, None]
    lengths = (centroids**2).sum(axis=1)
    squared_distances = _products(rows, np.ascontiguousarray(centroids.T))
    squared_distances = np.maximum(norms[judged, None] - 2 * squared_distances + lengths, 0)
    to_centroid = squared_distances[np.arange(len(judged)), clusters]
    roots = np.sqrt(to_centroid)
    largest = np.zeros(k)
    np.maximum.at(largest, clusters, roots)
    squares = np.bincount(clusters, w * to_centroid, k)
    around = np.stack([squares, np.bincount(clusters, w * roots, k), largest], axis=1)
    by_feature -= sizes[:, None] * centroids**2
    sums = []
    for wanted, simple in ((squared, False), (simplified, True)):
        if not wanted:
            sums.append(np.zeros(k))
            continue
        value = np.sqrt(squared_distances) if simple else squared_distances + squares / sizes
        a = value[np.arange(len(judged)), clusters]
        if not simple:
            a = a * sizes[clusters] / np.where(rest_sizes > 0, rest_sizes, 1)
        value[np.arange(len(judged)), clusters] = np.inf
        b = value.min(axis=1)
        top = np.maximum(a, b)
        with np.errstate(invalid="ignore"):  # a single cluster has no other
            s = np.where((top > 0) & (rest_sizes > 0), (b - a) / np.where(top > 0, top, 1), 0)
        sums.append(np.bincount(clusters, w * s, k).astype(np.float64))
    return CentroidSums(centroids, around, np.maximum(by_feature, 0), *sums)
