"""Evidence for partitions from the neighbour graph, the spanning tree, lines between clusters.

Plain NumPy over many partitions at a time: kernels would take seconds to compile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: limit of cost: cells of the contingency tables counted at a time
TABLE_CELLS = 2**20
#: tuned: by eye; how thin a border without neighbours in other clusters counts, in widths of the
#: density
THINNEST = 6.0


class StackedClusters(NamedTuple):
    """The clusters of M partitions of n objects in one line.

    Attributes
    ----------
    place : ndarray, shape (M, n)
        Position of each object's cluster, the number of clusters for outliers.
    starts : ndarray, shape (M,)
        Position of the first cluster of each partition.
    numbers : ndarray, shape (M,)
        Number of clusters of each partition.
    sizes : ndarray, shape (clusters,)
    """

    place: NDArray[Any]
    starts: NDArray[Any]
    numbers: NDArray[Any]
    sizes: NDArray[Any]

    @classmethod
    def of(cls, codes: NDArray[Any]) -> StackedClusters:
        """Clusters of partitions (M, n) whose outliers are ``-1``."""
        numbers = codes.max(axis=1).astype(np.int64) + 1
        starts = np.concatenate([[0], np.cumsum(numbers)[:-1]])
        total = int(numbers.sum())
        place = np.where(codes < 0, total, codes + starts[:, None])
        return cls(place, starts, numbers, np.bincount(place.ravel(), minlength=total + 1)[:-1])

    def totals(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums of values (M, n) of the objects of each cluster."""
        total = len(self.sizes)
        return np.bincount(self.place.ravel(), values.ravel(), minlength=total + 1)[:-1]

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums of values (clusters,) over each partition."""
        return np.add.reduceat(values, self.starts)

    def lowest(self, values: NDArray[Any]) -> NDArray[Any]:
        """Least value (clusters,) of each partition."""
        return np.minimum.reduceat(values, self.starts)

    def highest(self, values: NDArray[Any]) -> NDArray[Any]:
        """Greatest value (clusters,) of each partition."""
        return np.maximum.reduceat(values, self.starts)

    def mean(self, values: NDArray[Any]) -> NDArray[Any]:
        """Mean of values (clusters,) over the clustered objects of each partition."""
        return self.sums(values * self.sizes) / self.sums(self.sizes)


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
    neighbors: NDArray[Any], clusters: StackedClusters, n_near: int, out: NDArray[Any]
) -> None:
    """Purity, worst purity, share of nearest neighbours, modularity, conductance, disconnection.

    Also the information of neighbours about labels (the nearest ``n_near``, and all), and two
    shares of objects: with no neighbour of their label, and with less than a third.
    """
    place, numbers, sizes = clusters.place, clusters.numbers, clusters.sizes
    wide = place[:, neighbors]
    clustered = (place < len(sizes))[:, :, None]
    same_wide = (wide == place[:, :, None]) & clustered
    near, same = wide[:, :, :n_near], same_wide[:, :, :n_near]
    K = near.shape[2]
    foreign = (near < len(sizes)) & clustered & ~same
    inside = clusters.totals(same.sum(axis=2))
    arrive = np.bincount(near[foreign], minlength=len(sizes))
    cross = clusters.totals(foreign.sum(axis=2)) + arrive
    volume = sizes * K + inside + arrive
    share = volume / np.repeat(clusters.sums(volume), numbers)
    n_clustered = clusters.sums(sizes)
    out[:, 0] = clusters.sums(inside / K) / n_clustered
    out[:, 1] = clusters.lowest(inside / (sizes * K))
    out[:, 2] = same[:, :, 0].sum(axis=1) / n_clustered
    out[:, 3] = clusters.sums(2 * inside / np.repeat(clusters.sums(volume), numbers) - share**2)
    out[:, 4] = clusters.highest(cross / volume)
    out[:, 5] = 1 - _connected(neighbors[:, :5], same[:, :, :5], clusters) / n_clustered
    counts = np.where(clustered[:, :, 0], same.sum(axis=2), K)
    out[:, 8] = (counts == 0).sum(axis=1) / n_clustered
    out[:, 9] = (3 * counts < K).sum(axis=1) / n_clustered
    # nonparametric information of the neighbours about the labels, in shares of their entropy
    prior = sizes / np.repeat(n_clustered, numbers)
    entropy = -clusters.sums(prior * np.log(prior))
    prior_of = np.append(prior, 1.0)[place]
    for j, matches in ((6, same), (7, same_wide)):
        width = matches.shape[2]
        surprise = -np.log((matches.sum(axis=2) + prior_of) / (width + 1))
        loss = np.where(clustered[:, :, 0], surprise, 0.0).sum(axis=1) / n_clustered
        with np.errstate(invalid="ignore", divide="ignore"):
            out[:, j] = np.where(entropy > 0, np.maximum(1 - loss / entropy, -2.0), 0.0)


def _connected(near: NDArray[Any], same: NDArray[Any], clusters: StackedClusters) -> NDArray[Any]:
    """Objects (M,) in the largest connected component of their cluster."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    M, n = clusters.place.shape
    m, i, j = np.nonzero(same)
    links = sparse.coo_array(
        (np.ones(len(m), dtype=bool), (m * n + i, m * n + near[i, j])), shape=(M * n, M * n)
    )
    component = connected_components(links, directed=False)[1]
    largest = np.zeros(len(clusters.sizes) + 1)
    np.maximum.at(largest, clusters.place.ravel(), np.bincount(component)[component])
    return clusters.sums(largest[:-1])


def tree_evidence(
    edges: NDArray[Any],
    logs: NDArray[Any],
    ranks: NDArray[Any],
    clusters: StackedClusters,
    out: NDArray[Any],
) -> None:
    """Cut and kept edges: difference of lengths, ranks, excess of cuts, validity of clusters.

    ``logs`` are logarithms of the lengths, ``ranks`` their ranks in (0, 1]. The last two compare
    the shortest cut with the kept edges' mean and standard deviation: one long edge is no gap.
    """
    place, sizes = clusters.place, clusters.sizes
    G, n = len(sizes), place.shape[1]
    a, b = place[:, edges[:, 0]], place[:, edges[:, 1]]
    labelled = (a < G) & (b < G)
    within, cut = labelled & (a == b), labelled & (a != b)
    lengths = np.broadcast_to(logs, a.shape)
    shortest_cut, longest_within = np.full(G, np.inf), np.full(G, -np.inf)
    for ends in (a, b):
        np.minimum.at(shortest_cut, ends[cut], lengths[cut])
    np.maximum.at(longest_within, a[within], lengths[within])
    n_cut, n_within = cut.sum(axis=1), within.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = shortest_cut - longest_within
        contrast = np.sign(difference) * -np.expm1(-np.abs(difference))
        longer = np.where(n_cut > 0, (cut * lengths).sum(axis=1) / n_cut, logs.max())
        shorter = np.where(n_within > 0, (within * lengths).sum(axis=1) / n_within, logs.min())
        placed_cuts = np.where(n_cut > 0, (cut * ranks).sum(axis=1) / n_cut, 1.0)
    value = np.where((sizes < 2) | (longest_within == -np.inf), 0.0, contrast)
    out[:, 0] = longer - shorter
    out[:, 1] = placed_cuts
    out[:, 2] = np.where(cut, ranks, 1.0).min(axis=1)
    out[:, 3] = np.where(within, ranks, 0.0).max(axis=1)
    out[:, 4] = (n_cut - (clusters.numbers - 1)) / n
    out[:, 5] = clusters.sums(sizes * value) / n
    out[:, 6] = np.minimum(clusters.lowest(value), 1.0)
    members = np.bincount(a[within], minlength=G)
    at_least_one = np.maximum(members, 1)
    mean = np.bincount(a[within], lengths[within], minlength=G) / at_least_one
    spread = (
        np.bincount(a[within], (lengths[within] - mean[a[within]]) ** 2, minlength=G) / at_least_one
    )
    with np.errstate(invalid="ignore"):
        above = (np.minimum(shortest_cut, logs.max()) - mean) / (np.sqrt(spread) + 0.1)
    above = np.where(members > 1, np.clip(above, -THINNEST, THINNEST), 0.0)
    out[:, 7], out[:, 8] = clusters.mean(above), clusters.lowest(above)


def valley_evidence(
    neighbors: NDArray[Any], core: NDArray[Any], clusters: StackedClusters, out: NDArray[Any]
) -> None:
    """Density where clusters touch: mean and worst share of denser members; touching pairs.

    Also the density at borders in standard deviations of the cluster's density (mean and worst),
    the same at its best connected border, and the share of objects at borders.
    """
    place, numbers, sizes = clusters.place, clusters.numbers, clusters.sizes
    G = len(sizes)
    near = place[:, neighbors]
    m, i, j = np.nonzero((near < G) & (place < G)[:, :, None] & (near != place[:, :, None]))
    first, second = place[m, i], near[m, i, j]
    height = np.maximum(core[i], core[neighbors[i, j]])
    saddle = np.full(G + 1, np.inf)
    for ends in (first, second):
        np.minimum.at(saddle, ends, height)
    cores = np.broadcast_to(core, place.shape)
    denser = clusters.totals((cores < saddle[place]) & (place < G))
    widths = np.repeat(numbers, numbers)
    begins = np.concatenate([[0], np.cumsum(widths)])
    touching = np.zeros(begins[-1], dtype=bool)
    for one, two in ((first, second), (second, first)):
        touching[begins[one] + two - clusters.starts[m]] = True
    out[:, 0] = clusters.sums(denser) / clusters.sums(sizes)
    out[:, 1] = clusters.lowest(denser / sizes)
    out[:, 2] = clusters.sums(np.add.reduceat(touching, begins[:-1])) / numbers
    mean = clusters.totals(cores) / sizes
    spread = np.sqrt(clusters.totals((cores - np.append(mean, 0.0)[place]) ** 2) / sizes) + 0.05
    border = np.zeros(place.shape, dtype=bool)
    border[m, i] = True
    at_border = clusters.totals(border)
    with np.errstate(invalid="ignore", divide="ignore"):
        thin = (clusters.totals(cores * border) / at_border - mean) / spread
        lowest = (saddle[:-1] - mean) / spread
    thin = np.where(at_border > 0, np.clip(thin, -THINNEST, THINNEST), THINNEST)
    lowest = np.clip(lowest, -THINNEST, THINNEST)
    out[:, 3], out[:, 4] = clusters.mean(thin), clusters.lowest(thin)
    out[:, 5], out[:, 6] = clusters.mean(lowest), clusters.lowest(lowest)
    out[:, 7] = border.sum(axis=1) / clusters.sums(sizes)


def line_evidence(X: NDArray[Any], clusters: StackedClusters, out: NDArray[Any]) -> None:
    """Evidence along lines to the nearest cluster, and along each cluster's longest axis.

    In this order:

    - distance in standard deviations (mean and worst), filling of the middle (mean and worst)
    - share of the variance that the best cut of the longest axis explains (mean and greatest)
    - mean excess of that axis
    - share of the variance between clusters, and inequality of the clusters' volumes
    """
    place, starts, numbers, sizes = clusters
    G = len(sizes)
    order = np.argsort(place, axis=None, kind="stable")[: int(sizes.sum())]
    label, rows = place.ravel()[order], X[order % place.shape[1]]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    centres = np.add.reduceat(rows, first) / sizes[:, None]
    away = rows - centres[label]
    within = np.add.reduceat((away**2).sum(axis=1), first)
    # a centre of all clustered objects of each partition, to measure the variance between
    owner = np.repeat(np.arange(len(numbers)), numbers)
    n_clustered = clusters.sums(sizes)
    overall = np.add.reduceat(centres * sizes[:, None], starts) / n_clustered[:, None]
    between = clusters.sums(sizes * ((centres - overall[owner]) ** 2).sum(axis=1))
    gaps, fillings = np.empty(G), np.empty(G)
    ends = np.cumsum(sizes)
    for start, number in zip(starts, numbers, strict=True):
        its_clusters = slice(start, start + number)
        members = slice(first[start], ends[start + number - 1])
        gaps[its_clusters], fillings[its_clusters] = _to_nearest(
            rows[members], label[members] - start, centres[its_clusters]
        )
    cuts, large, excess = _along_longest_axes(away, label, first, sizes, within)
    large = np.where(sizes >= 0.02 * n_clustered[owner], large, 0.0)
    total = clusters.sums(within) + between
    spreads = np.sqrt(within / sizes)
    usual = sizes > 2
    least = clusters.lowest(np.where(usual, spreads, np.inf))
    most = clusters.highest(np.where(usual, spreads, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        out[:, 7] = np.where(total > 0, between / total, 1.0)
        out[:, 8] = np.where((least > 0) & (most > 0), np.log(most / least), 0.0)
    out[:, 0], out[:, 1] = clusters.mean(gaps), np.minimum(clusters.lowest(gaps), 20.0)
    out[:, 2] = clusters.mean(fillings)
    out[:, 3] = np.maximum(clusters.highest(fillings), 0.0)
    out[:, 4], out[:, 5] = clusters.mean(cuts), clusters.highest(large)
    out[:, 6] = clusters.mean(excess)


def _to_nearest(
    X: NDArray[Any], code: NDArray[Any], centres: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distance of each cluster to the nearest in standard deviations, and density midway."""
    k = len(centres)
    if k < 2:
        return np.zeros(k), np.full(k, 2.0)
    squares = ((centres[:, None] - centres) ** 2).sum(axis=2)
    squares[np.diag_indices(k)] = np.inf
    nearest = squares.argmin(axis=1)
    least = squares[np.arange(k), nearest]
    apart = least > 0
    lines = (centres[nearest] - centres) / np.where(apart, least, 1.0)[:, None]
    t = X @ lines.T - (centres * lines).sum(axis=1)
    own, next_to = code[:, None] == np.arange(k), code[:, None] == nearest
    both = own | next_to
    middle = (both & (t >= 0.4) & (t <= 0.6)).sum(axis=0)
    begin = (both & (t >= -0.1) & (t <= 0.1)).sum(axis=0)
    end = (both & (t >= 0.9) & (t <= 1.1)).sum(axis=0)
    sizes = np.bincount(code, minlength=k)
    width = np.sqrt((t**2 * own).sum(axis=0) / sizes)
    width += np.sqrt(((t - 1) ** 2 * next_to).sum(axis=0) / sizes[nearest])
    gap = np.minimum(1 / np.maximum(width, 0.05), 20.0)
    filling = np.minimum((middle + 0.5) / (np.minimum(begin, end) + 0.5), 4.0)
    return np.where(apart, gap, 0.0), np.where(apart, filling, 2.0)


def _along_longest_axes(
    away: NDArray[Any],
    label: NDArray[Any],
    first: NDArray[Any],
    sizes: NDArray[Any],
    within: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Share of the variance that the best cut of a cluster's longest axis explains, and excess.

    By power iteration from the farthest object. Clusters of fewer than eight objects have the
    share of a uniform axis, .64; the second share counts these as 0.
    """
    norms = (away**2).sum(axis=1)
    farthest = np.lexsort((norms, label))[np.cumsum(sizes) - 1]
    axis = away[farthest]
    along = np.zeros(len(away))
    for _ in range(8):
        length = np.sqrt((axis**2).sum(axis=1))
        axis = axis / np.where(length > 0, length, 1.0)[:, None]
        along = (away * axis[label]).sum(axis=1)
        axis = np.add.reduceat(along[:, None] * away, first)
    along = along[np.lexsort((along, label))]
    squares = np.add.reduceat(along**2, first) / sizes
    fine = (sizes >= 8) & (within > 0) & (squares > 0)
    before = np.cumsum(along)
    left = before - np.concatenate([[0.0], before])[first][label]
    r = np.arange(len(along)) - first[label] + 1.0
    rest = sizes[label] - r
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(rest > 0, left**2 / (r * rest), 0.0)
        best = np.maximum.reduceat(ratio, first) / squares
        excess = np.add.reduceat(along**4, first) / sizes / squares**2 - 3
    shares = np.where(fine, best, 0.64)
    return shares, np.where(fine, best, 0.0), np.where(fine, np.clip(excess, -2.0, 10.0), 0.0)
