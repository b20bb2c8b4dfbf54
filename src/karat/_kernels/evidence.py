"""Evidence for a partition from the neighbour graph, the spanning tree, lines between clusters.

Plain NumPy: for a few thousand objects as fast as kernels that take seconds to compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE_CELLS = 2**20  # cells of the contingency tables counted at a time


def pair_agreement(codes: NDArray[Any], n_clusters: NDArray[Any]) -> NDArray[Any]:
    """Adjusted Rand index of all pairs of M partitions (M, M); outliers (-1) are singletons."""
    n, width = codes.shape[1], int(n_clusters.max()) + 1
    placed = np.where(codes < 0, width - 1, codes).astype(np.int64)
    pair_counts = np.array([_pairs(np.bincount(row, minlength=width)[:-1]) for row in placed])
    pairs = 0.5 * n * (n - 1)
    out = np.eye(len(codes))
    step = max(TABLE_CELLS // width**2, 1)
    for a, first in ((i, j) for i in range(len(codes)) for j in range(0, i, step)):
        b = np.arange(first, min(first + step, a))
        cells = (np.arange(len(b))[:, None] * width + placed[a]) * width + placed[b]
        tables = np.bincount(cells.ravel(), minlength=len(b) * width**2)
        shared_pairs = _pairs(tables.reshape(-1, width, width)[:, :-1, :-1])
        expected = pair_counts[a] * pair_counts[b] / pairs
        maximum = 0.5 * (pair_counts[a] + pair_counts[b])
        with np.errstate(invalid="ignore", divide="ignore"):
            value = (shared_pairs - expected) / (maximum - expected)
        out[a, b] = out[b, a] = np.where(maximum > expected, value, 1.0)
    return out


def _pairs(sizes: NDArray[Any]) -> NDArray[Any]:
    """Number of pairs within cells of these sizes."""
    return (0.5 * sizes * (sizes - 1)).reshape(*sizes.shape[:-2], -1).sum(axis=-1)


def neighbor_evidence(
    neighbors: NDArray[Any], codes: NDArray[Any], k: int, out: NDArray[Any]
) -> None:
    """Purity, worst purity, share of nearest neighbours, modularity, conductance, disconnection."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    n, K = neighbors.shape
    objects = np.flatnonzero(codes >= 0)
    labels, neighbor_labels = codes[objects], codes[neighbors[objects]]
    sizes = np.bincount(labels, minlength=k)
    same = neighbor_labels == labels[:, None]
    foreign = (neighbor_labels >= 0) & ~same
    inside = np.bincount(labels, same.sum(axis=1), k)
    arrive = np.bincount(neighbor_labels[foreign], minlength=k)
    cross = np.bincount(labels, foreign.sum(axis=1), k) + arrive
    volume = sizes * K + inside + arrive
    i, j = np.nonzero(same[:, :5])
    edges = objects[i], neighbors[objects[i], j]
    links = sparse.coo_array((np.ones(len(i)), edges), shape=(n, n))
    part = connected_components(links, directed=False)[1][objects]
    largest = np.zeros(k)
    np.maximum.at(largest, labels, np.bincount(part)[part])
    out[0] = (inside / K).sum() / len(labels)
    out[1] = (inside / (sizes * K)).min()
    out[2] = same[:, 0].sum() / len(labels)
    out[3] = (2 * inside / volume.sum() - (volume / volume.sum()) ** 2).sum()
    out[4] = (cross / volume).max()
    out[5] = 1 - largest.sum() / len(labels)


def tree_evidence(
    edges: NDArray[Any],
    logs: NDArray[Any],
    ranks: NDArray[Any],
    codes: NDArray[Any],
    k: int,
    out: NDArray[Any],
) -> None:
    """Cut and kept edges: difference of lengths, ranks, excess of cuts, validity of clusters.

    ``logs`` are logarithms of the lengths, ``ranks`` their ranks in (0, 1].
    """
    a, b = codes[edges[:, 0]], codes[edges[:, 1]]
    labelled = (a >= 0) & (b >= 0)
    kept, cut = labelled & (a == b), labelled & (a != b)
    shortest_cut, longest_kept = np.full(k, np.inf), np.full(k, -np.inf)
    np.minimum.at(shortest_cut, np.concatenate([a[cut], b[cut]]), np.tile(logs[cut], 2))
    np.maximum.at(longest_kept, a[kept], logs[kept])
    sizes, n_cut = np.bincount(codes[codes >= 0], minlength=k), int(cut.sum())
    with np.errstate(invalid="ignore"):
        difference = shortest_cut - longest_kept
        contrast = np.sign(difference) * -np.expm1(-np.abs(difference))
    value = np.where((sizes < 2) | (longest_kept == -np.inf), 0.0, contrast)
    longer = logs[cut].mean() if n_cut else logs.max()
    out[0] = longer - (logs[kept].mean() if kept.any() else logs.min())
    out[1] = ranks[cut].mean() if n_cut else 1.0
    out[2] = ranks[cut].min(initial=1.0)
    out[3] = ranks[kept].max(initial=0.0)
    out[4] = (n_cut - (k - 1)) / len(codes)
    out[5] = (sizes * value).sum() / len(codes)
    out[6] = value.min(initial=1.0)


def valley_evidence(
    neighbors: NDArray[Any], core: NDArray[Any], codes: NDArray[Any], k: int, out: NDArray[Any]
) -> None:
    """Density where clusters touch: mean and worst share of denser members; touching pairs."""
    objects = np.flatnonzero(codes >= 0)
    labels, neighbor_labels = codes[objects], codes[neighbors[objects]]
    i, j = np.nonzero((neighbor_labels >= 0) & (neighbor_labels != labels[:, None]))
    height = np.maximum(core[objects[i]], core[neighbors[objects[i], j]])
    saddle = np.full((k, k), np.inf)
    np.minimum.at(saddle, (labels[i], neighbor_labels[i, j]), height)
    saddle = np.minimum(saddle, saddle.T)
    denser = np.bincount(labels, core[objects] < saddle.min(axis=1)[labels], k)
    out[0] = denser.sum() / len(labels)
    out[1] = (denser / np.bincount(labels, minlength=k)).min()
    out[2] = np.isfinite(saddle).sum() / k


def line_evidence(X: NDArray[Any], codes: NDArray[Any], k: int, out: NDArray[Any]) -> None:
    """Evidence along lines to the nearest cluster, and along each cluster's longest axis.

    Mean and worst distance in standard deviations; mean and worst filling of the middle; mean and
    greatest share of the variance that the best cut of the longest axis explains; mean excess of
    that axis; share of the variance between clusters; how unequal the clusters' volumes are.
    """
    groups = [X[codes == c] for c in range(k)]
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    centres = np.stack([group.mean(axis=0) for group in groups])
    within = np.array([((g - c) ** 2).sum() for g, c in zip(groups, centres, strict=True)])
    clustered, n_clustered = X[codes >= 0], sizes.sum()
    total = ((clustered - clustered.mean(axis=0)) ** 2).sum()
    lines = np.array([_to_nearest(groups, centres, c) for c in range(k)])
    cuts = np.tile([0.64, 0.0, 0.0], (k, 1))  # share explained, the same of large ones, excess
    for c in np.flatnonzero((sizes >= 8) & (within > 0)):
        explained, excess = _best_cut(_along_longest_axis(groups[c] - centres[c]))
        if explained >= 0:
            large = explained if sizes[c] >= 0.02 * n_clustered else 0.0
            cuts[c] = explained, large, np.clip(excess, -2.0, 10.0)
    gaps, fillings = lines.T
    spreads = np.sqrt(within / sizes)[sizes > 2]
    unequal = len(spreads) > 0 and spreads.min() > 0
    out[0] = gaps @ sizes / n_clustered
    out[1] = min(gaps.min(), 20.0)
    out[2] = fillings @ sizes / n_clustered
    out[3] = max(fillings.max(), 0.0)
    out[4] = cuts[:, 0] @ sizes / n_clustered
    out[5] = cuts[:, 1].max()
    out[6] = cuts[:, 2] @ sizes / n_clustered
    out[7] = 1 - within.sum() / total if total > 0 else 1.0
    out[8] = np.log(spreads.max() / spreads.min()) if unequal else 0.0


def _to_nearest(groups: list[NDArray[Any]], centres: NDArray[Any], c: int) -> tuple[float, float]:
    """Distance to the nearest centre in standard deviations, and density in the middle."""
    squares = ((centres - centres[c]) ** 2).sum(axis=1)
    squares[c] = np.inf
    nearest = int(squares.argmin())
    if len(centres) < 2 or squares[nearest] <= 0:
        return 0.0, 2.0
    line = (centres[nearest] - centres[c]) / squares[nearest]
    projections = (groups[c] - centres[c]) @ line
    nearest_projections = (groups[nearest] - centres[c]) @ line
    t = np.concatenate([projections, nearest_projections])
    middle = ((t >= 0.4) & (t <= 0.6)).sum()
    ends = min(((t >= -0.1) & (t <= 0.1)).sum(), ((t >= 0.9) & (t <= 1.1)).sum())
    width = np.sqrt((projections**2).mean()) + np.sqrt(((nearest_projections - 1) ** 2).mean())
    gap = min(1 / width, 20.0) if width > 0 else 20.0
    return gap, min((middle + 0.5) / (ends + 0.5), 4.0)


def _along_longest_axis(A: NDArray[Any]) -> NDArray[Any]:
    """Coordinates of centred objects on their longest axis, by power iteration, ascending."""
    axis = A[(A**2).sum(axis=1).argmax()]
    along = A @ axis
    for _ in range(8):
        length = np.sqrt((axis**2).sum())
        if length <= 0:
            break
        along = A @ axis / length
        axis = along @ A
    return np.sort(along)


def _best_cut(along: NDArray[Any]) -> tuple[float, float]:
    """Share of the variance that the best cut explains, and excess; -1 without variance."""
    size, mean = len(along), along.mean()
    variance = (along**2).mean() - mean**2
    if variance <= 0:
        return -1.0, 0.0
    left, r = np.cumsum(along - mean)[:-1], np.arange(1.0, size)
    best = (left**2 / (r * (size - r))).max(initial=0.0)
    return best / variance, ((along - mean) ** 4).mean() / variance**2 - 3
