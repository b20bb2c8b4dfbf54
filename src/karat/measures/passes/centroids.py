"""Sums around centroids for many clusterings, over blocks of rows.

The blocks are the same wherever they are computed, and are added up as a tree: results depend
neither on threads nor on workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.runtime.executors import Workers, tree_sum
from karat.runtime.validation import Data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

T = TypeVar("T")

ROWS = 2**16  # of a block
FEW_ROWS = 2**10  # whose distances to all centers are held at a time


class Around(NamedTuple):
    """What surrounds the centroids (k, d) of one clustering, which are less a common shift.

    Per cluster: sum of squared distances, sum of distances and largest distance to the centroid
    (k, 3), sums of squares by feature (k, d), and sums of the objects' silhouettes by squared
    distances and by distances to the centroids (0 where they are not wanted).
    """

    centroids: Floats
    sums: Floats
    feature_squares: Floats
    squared_silhouettes: Floats
    simplified_silhouettes: Floats


def around_centroids(
    X: Data,
    labelings: Labelings,
    sizes: Sequence[NDArray[Any]],
    weights: Floats | None,
    workers: Workers,
    *,
    squared: bool,
    simplified: bool,
) -> tuple[Floats, list[Around]]:
    """The shift, and the sums of each clustering.

    Three passes of O(n d) for each clustering, the last times k and only for silhouettes. Sparse
    rows are not shifted and not divided into blocks: a clustering is one item of work.
    """
    rows: Any = X
    if hasattr(X, "toarray"):
        norms = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
        work = partial(_sparse, squared, simplified)
        found = workers.map(work, (X, norms, labelings, weights), range(len(labelings)))
        return np.zeros(X.shape[1]), list(found)
    shift = rows.mean(axis=0, dtype=np.float64)
    data = (rows, labelings, weights)
    each = range(len(labelings))
    first = [
        np.asarray(rows[_first_objects(row, len(size))], dtype=np.float64)
        for row, size in zip(labelings.codes, sizes, strict=True)
    ]
    sums = over_blocks(workers, "centroid_sums", data, [(first[m],) for m in each], np.add)
    means = [total / size[:, None] for total, size in zip(sums, sizes, strict=True)]
    known = [(first[m], means[m]) for m in each]
    around = over_blocks(workers, "centroid_squares", data, known, _add_squares)
    silhouettes = []
    for wanted, simple in ((squared, False), (simplified, True)):
        if wanted:
            known_too = [
                (sizes[m].astype(np.float64), *known[m], around[m][0][:, 0], simple) for m in each
            ]
            silhouettes.append(
                over_blocks(workers, "centroid_silhouettes", data, known_too, np.add)
            )
        else:
            silhouettes.append([np.zeros(len(size)) for size in sizes])
    return shift, [
        Around((first[m] - shift) + means[m], *around[m], *(s[m] for s in silhouettes))
        for m in each
    ]


def sums_to_centers(
    X: Data,
    labelings: Labelings,
    weights: Floats | None,
    shift: Floats,
    centers: Sequence[Floats],
    workers: Workers,
) -> list[Floats]:
    """Sums over each cluster of the distances to its clustering's centers (less ``shift``)."""
    items = [(int(k), shift, each) for k, each in zip(labelings.n_clusters, centers, strict=True)]
    return over_blocks(workers, _to_centers, (X, labelings, weights), items, np.add)


def over_blocks(
    workers: Workers,
    function: str | Callable[..., T],
    data: tuple[Data, Labelings, Floats | None],
    known: Sequence[tuple[Any, ...]],
    add: Callable[[T, T], T],
) -> list[T]:
    """``function`` (or a kernel, by name) of each block and clustering, added up over blocks."""
    X, labelings, _ = data
    M = len(labelings)
    items = [(start, m, *known[m]) for start in range(0, X.shape[0], ROWS) for m in range(M)]
    found = workers.map(partial(_on_block, function), data, items)

    def add_each(one: list[T], other: list[T]) -> list[T]:
        return [add(a, b) for a, b in zip(one, other, strict=True)]

    return tree_sum(_of_one_block(found, M), add_each)


def _of_one_block(found: Iterator[T], number: int) -> Iterator[list[T]]:
    while block := list(islice(found, number)):
        yield block


def _on_block(
    function: str | Callable[..., T],
    X: Data,
    labelings: Labelings,
    weights: Floats | None,
    item: tuple[Any, ...],
) -> T:
    from karat._kernels import centroids

    work: Any = getattr(centroids, function) if isinstance(function, str) else function
    start, m, *known = item
    block = slice(start, start + ROWS)
    labels = labelings.codes[m, block]
    own = np.ones(len(labels)) if weights is None else weights[block]
    return work(X[block], labels, own, *known)


def _first_objects(codes: NDArray[np.int32], k: int) -> NDArray[np.int64]:
    """The first object of each cluster."""
    first = np.zeros(k + 1, dtype=np.int64)  # the last is that of outliers
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first[:-1]


def _add_squares(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    around = one[0] + other[0]
    around[:, 2] = np.maximum(one[0][:, 2], other[0][:, 2])
    return around, one[1] + other[1]


def _to_centers(
    X: Any, labels: Any, weights: Floats, k: int, shift: Floats, centers: Floats
) -> Floats:
    from scipy.spatial.distance import cdist

    total = np.zeros((k, len(centers)))
    sparse = hasattr(X, "toarray")
    columns, lengths = np.ascontiguousarray(centers.T), (centers**2).sum(axis=1)
    for start in range(0, len(labels), FEW_ROWS):
        few = slice(start, start + FEW_ROWS)
        rows, own, kept = X[few], labels[few], labels[few] != NOISE
        if sparse:
            apart = _sparse_to_centers(rows[kept], centers, columns, lengths)
        else:
            apart = cdist(rows[kept] - shift, centers)
        np.add.at(total, own[kept], apart * weights[few][kept, None])
    return total


def _sparse_to_centers(rows: Any, centers: Floats, columns: Floats, lengths: Floats) -> Floats:
    """Distances from sparse rows to dense centers, without densifying but where they coincide.

    ``columns`` are the centers transposed, ``lengths`` the squares of their lengths.
    """
    from scipy.spatial.distance import cdist

    own = np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    scale = own[:, None] + lengths
    squares = scale - 2 * _products(rows, columns)
    # what is left of two large numbers has lost its digits
    near, to = np.nonzero(squares < 1e-6 * scale)
    apart = np.sqrt(np.maximum(squares, 0))
    for i, j in zip(near.tolist(), to.tolist(), strict=True):
        apart[i, j] = cdist(rows[[i]].toarray(), centers[[j]])[0, 0]
    return np.asarray(apart)


def _products(rows: Any, columns: Floats) -> Floats:
    """Inner products of sparse rows with dense columns, which SciPy would copy at each call."""
    from karat._kernels.documents import Rows, scores

    out = np.empty((rows.shape[0], columns.shape[1]))
    scores(Rows(rows.indptr, rows.indices, rows.data), columns, np.zeros(columns.shape[1]), out)
    return out


def _sparse(
    squared: bool,
    simplified: bool,
    X: Any,
    norms: Floats,
    labelings: Labelings,
    weights: Floats | None,
    m: int,
) -> Around:
    from karat._kernels.centroids import sparse_sums

    codes, sizes = labelings.codes[m], labelings.sizes(m, weights)
    kept = np.flatnonzero(codes != NOISE)
    own = codes[kept]
    k = len(sizes)
    w = np.ones(len(kept)) if weights is None else weights[kept]
    rest = sizes[own] - np.minimum(w, 1)
    rows = X if len(kept) == len(codes) else X[kept]
    centroids, by_feature = sparse_sums(rows.indptr, rows.indices, rows.data, own, w, k, X.shape[1])
    centroids /= sizes[:, None]
    lengths = (centroids**2).sum(axis=1)
    apart = _products(rows, np.ascontiguousarray(centroids.T))
    apart = np.maximum(norms[kept, None] - 2 * apart + lengths, 0)
    mine = apart[np.arange(len(kept)), own]
    roots = np.sqrt(mine)
    largest = np.zeros(k)
    np.maximum.at(largest, own, roots)
    squares = np.bincount(own, w * mine, k)
    around = np.stack([squares, np.bincount(own, w * roots, k), largest], axis=1)
    by_feature -= sizes[:, None] * centroids**2
    sums = []
    for wanted, simple in ((squared, False), (simplified, True)):
        if not wanted:
            sums.append(np.zeros(k))
            continue
        value = np.sqrt(apart) if simple else apart + squares / sizes
        a = value[np.arange(len(kept)), own]
        if not simple:
            a = a * sizes[own] / np.where(rest > 0, rest, 1)
        value[np.arange(len(kept)), own] = np.inf
        b = value.min(axis=1)
        top = np.maximum(a, b)
        with np.errstate(invalid="ignore"):  # a single cluster has no other
            s = np.where((top > 0) & (rest > 0), (b - a) / np.where(top > 0, top, 1), 0)
        sums.append(np.bincount(own, w * s, k).astype(np.float64))
    return Around(centroids, around, np.maximum(by_feature, 0), *sums)
