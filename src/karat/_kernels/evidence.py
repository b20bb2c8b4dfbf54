"""What a partition does to the neighbour graph, the spanning tree, and lines between clusters."""

from __future__ import annotations

import numpy as np
from numba import njit

from karat._kernels.sorting import sort_first


@njit(cache=True, nogil=True)
def _sum(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total


@njit(cache=True, nogil=True)
def pair_agreement(codes, n_clusters):
    """Adjusted Rand index of all pairs of M partitions (M, M); outliers (-1) are singletons."""
    M, n = codes.shape
    own = np.zeros(M)  # pairs of objects together
    most_clusters = 0
    for m in range(M):
        most_clusters = max(most_clusters, n_clusters[m])
        sizes = np.zeros(n_clusters[m], dtype=np.int64)
        for i in range(n):
            if codes[m, i] >= 0:
                sizes[codes[m, i]] += 1
        for s in sizes:
            own[m] += 0.5 * s * (s - 1)
    pairs = 0.5 * n * (n - 1)
    out = np.empty((M, M))
    table = np.zeros(most_clusters * most_clusters, dtype=np.int64)
    for a in range(M):
        out[a, a] = 1.0
        for b in range(a):
            w = n_clusters[b]
            cells = n_clusters[a] * w
            table[:cells] = 0
            for i in range(n):
                if codes[a, i] >= 0 and codes[b, i] >= 0:
                    table[codes[a, i] * w + codes[b, i]] += 1
            both = 0.0
            for c in range(cells):
                both += 0.5 * table[c] * (table[c] - 1)
            expected = own[a] * own[b] / pairs
            most = 0.5 * (own[a] + own[b])
            value = (both - expected) / (most - expected) if most > expected else 1.0
            out[a, b] = value
            out[b, a] = value
    return out


@njit(cache=True, nogil=True)
def _component(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


NEIGHBOR_VALUES = 6


@njit(cache=True, nogil=True)
def neighbor_evidence(near, codes, k, out):
    """Purity, worst purity, nearest in own cluster, modularity, worst conductance, fallen apart."""
    n, K = near.shape
    inside = np.zeros(k)
    volume = np.zeros(k)
    cross = np.zeros(k)
    sizes = np.zeros(k)
    first, counted = 0.0, 0.0
    parent = np.empty(n, np.int64)
    for i in range(n):
        parent[i] = i
    for i in range(n):
        c = codes[i]
        if c < 0:
            continue
        sizes[c] += 1
        counted += 1
        for j in range(K):
            other = codes[near[i, j]]
            volume[c] += 1
            if other == c:
                inside[c] += 1
                if j == 0:
                    first += 1
                if j < 5:
                    parent[_component(parent, near[i, j])] = _component(parent, i)
            elif other >= 0:
                volume[other] += 1
                cross[other] += 1
                cross[c] += 1
            if other == c:
                volume[c] += 1
    total = _sum(volume)
    purity, worst, modularity, conductance = 0.0, 1.0, 0.0, 0.0
    for c in range(k):
        share = inside[c] / (sizes[c] * K)
        purity += inside[c] / K
        worst = min(worst, share)
        modularity += 2 * inside[c] / total - (volume[c] / total) ** 2
        conductance = max(conductance, cross[c] / volume[c])
    largest = np.zeros(k)
    members = np.zeros(n)
    for i in range(n):
        if codes[i] >= 0:
            members[_component(parent, i)] += 1
    for i in range(n):
        if codes[i] >= 0:
            largest[codes[i]] = max(largest[codes[i]], members[i])
    out[0] = purity / counted
    out[1] = worst
    out[2] = first / counted
    out[3] = modularity
    out[4] = conductance
    out[5] = 1 - _sum(largest) / counted


TREE_VALUES = 7


@njit(cache=True, nogil=True)
def tree_evidence(edges, logs, place, codes, k, out):
    """Edges cut and kept: how much longer, where in the order, too many, validity of clusters.

    ``logs`` are logarithms of the lengths, ``place`` their places in (0, 1].
    """
    m = len(edges)
    cut, kept, n_cut, n_kept = 0.0, 0.0, 0, 0
    shortest_cut, longest_kept = 1.0, 0.0
    cut_place = 0.0
    apart = np.full(k, np.inf)
    spread = np.full(k, -np.inf)
    sizes = np.zeros(k)
    counted = 0.0
    for i in range(len(codes)):
        if codes[i] >= 0:
            sizes[codes[i]] += 1
            counted += 1
    shortest, longest = np.inf, -np.inf
    for e in range(m):
        shortest, longest = min(shortest, logs[e]), max(longest, logs[e])
        a, b = codes[edges[e, 0]], codes[edges[e, 1]]
        if a < 0 or b < 0:
            continue
        if a == b:
            kept += logs[e]
            n_kept += 1
            longest_kept = max(longest_kept, place[e])
            spread[a] = max(spread[a], logs[e])
        else:
            cut += logs[e]
            cut_place += place[e]
            n_cut += 1
            shortest_cut = min(shortest_cut, place[e])
            apart[a] = min(apart[a], logs[e])
            apart[b] = min(apart[b], logs[e])
    validity, worst = 0.0, 1.0
    for c in range(k):
        if sizes[c] < 2 or spread[c] == -np.inf:
            value = 0.0
        elif apart[c] == np.inf:
            value = 1.0
        elif apart[c] >= spread[c]:
            value = 1 - np.exp(spread[c] - apart[c])
        else:
            value = np.exp(apart[c] - spread[c]) - 1
        validity += sizes[c] * value
        worst = min(worst, value)
    out[0] = (cut / n_cut if n_cut else longest) - (kept / n_kept if n_kept else shortest)
    out[1] = cut_place / n_cut if n_cut else 1.0
    out[2] = shortest_cut
    out[3] = longest_kept
    out[4] = (n_cut - (k - 1)) / len(codes)
    out[5] = validity / len(codes)
    out[6] = worst


VALLEY_VALUES = 3


@njit(cache=True, nogil=True)
def valley_evidence(near, core, codes, k, members, starts, out):
    """How thin the data are where clusters touch: mean and worst share of denser members; pairs.

    ``members`` lists each cluster's objects by core distance, cluster c from ``starts[c]`` on.
    """
    n, K = near.shape
    saddle = np.full((k, k), np.inf)
    for i in range(n):
        a = codes[i]
        if a < 0:
            continue
        for j in range(K):
            b = codes[near[i, j]]
            if b >= 0 and b != a:
                height = max(core[i], core[near[i, j]])
                saddle[a, b] = min(saddle[a, b], height)
                saddle[b, a] = min(saddle[b, a], height)
    total, worst, touching, counted = 0.0, 1.0, 0.0, 0.0
    for c in range(k):
        size = starts[c + 1] - starts[c]
        low = np.inf
        for o in range(k):
            if saddle[c, o] < np.inf:
                touching += 1
                low = min(low, saddle[c, o])
        denser = 0
        for i in range(starts[c], starts[c + 1]):
            if core[members[i]] < low:
                denser += 1
        share = denser / size
        total += share * size
        counted += size
        worst = min(worst, share)
    out[0] = total / counted
    out[1] = worst
    out[2] = touching / k


LINE_VALUES = 9


@njit(cache=True, nogil=True)
def _clusters(X, codes, k):
    """Sizes, centres, sums of squares within the clusters, and that of all clustered objects."""
    n, d = X.shape
    sizes = np.zeros(k)
    centres = np.zeros((k, d))
    whole = np.zeros(d)
    counted = 0.0
    for i in range(n):
        c = codes[i]
        if c >= 0:
            sizes[c] += 1
            counted += 1
            for f in range(d):
                centres[c, f] += X[i, f]
                whole[f] += X[i, f]
    for c in range(k):
        for f in range(d):
            centres[c, f] /= sizes[c]
    within = np.zeros(k)
    total = 0.0
    for i in range(n):
        c = codes[i]
        if c >= 0:
            for f in range(d):
                within[c] += (X[i, f] - centres[c, f]) ** 2
                total += (X[i, f] - whole[f] / counted) ** 2
    return sizes, centres, within, total


@njit(cache=True, nogil=True)
def _to_nearest(X, codes, sizes, centres, c):
    """Distance to the nearest centre in standard deviations, and how filled the middle is."""
    n, d = X.shape
    best, o = np.inf, -1
    for b in range(len(sizes)):
        if b != c:
            square = 0.0
            for f in range(d):
                square += (centres[b, f] - centres[c, f]) ** 2
            if square < best:
                best, o = square, b
    if o < 0 or best <= 0:
        return 0.0, 2.0
    line = np.empty(d)
    for f in range(d):
        line[f] = (centres[o, f] - centres[c, f]) / best
    own, other, middle, at_own, at_other = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        if codes[i] == c or codes[i] == o:
            t = 0.0
            for f in range(d):
                t += (X[i, f] - centres[c, f]) * line[f]
            if codes[i] == c:
                own += t * t
            else:
                other += (t - 1) ** 2
            if 0.4 <= t <= 0.6:
                middle += 1
            elif -0.1 <= t <= 0.1:
                at_own += 1
            elif 0.9 <= t <= 1.1:
                at_other += 1
    width = np.sqrt(own / sizes[c]) + np.sqrt(other / sizes[o])
    gap = min(1 / width, 20.0) if width > 0 else 20.0
    return gap, min((middle + 0.5) / (min(at_own, at_other) + 0.5), 4.0)


@njit(cache=True, nogil=True)
def _along_longest_axis(X, rows, centre):
    """Coordinates of some objects on the longest axis, by power iteration, ascending."""
    size, d = len(rows), X.shape[1]
    far, start = -1.0, rows[0]
    for r in range(size):
        square = 0.0
        for f in range(d):
            square += (X[rows[r], f] - centre[f]) ** 2
        if square > far:
            far, start = square, rows[r]
    axis = np.empty(d)
    for f in range(d):
        axis[f] = X[start, f] - centre[f]
    pushed = np.empty(d)
    along = np.empty(size)
    for _ in range(8):
        length = 0.0
        for f in range(d):
            length += axis[f] ** 2
        length = np.sqrt(length)
        if length <= 0:
            break
        for f in range(d):
            pushed[f] = 0.0
        for r in range(size):
            s = 0.0
            for f in range(d):
                s += (X[rows[r], f] - centre[f]) * axis[f]
            s /= length
            along[r] = s
            for f in range(d):
                pushed[f] += s * (X[rows[r], f] - centre[f])
        for f in range(d):
            axis[f] = pushed[f]
    sort_first(along, size)
    return along


@njit(cache=True, nogil=True)
def _best_cut(along):
    """Share of the variance that the best cut explains, and excess; -1 without variance."""
    size = len(along)
    total, squares = 0.0, 0.0
    for r in range(size):
        total += along[r]
        squares += along[r] ** 2
    mean = total / size
    variance = squares / size - mean**2
    if variance <= 0:
        return -1.0, 0.0
    best, left = 0.0, 0.0
    for r in range(size - 1):
        left += along[r] - mean
        between = left * left * size / ((r + 1.0) * (size - r - 1.0)) / size
        best = max(best, between)
    fourth = 0.0
    for r in range(size):
        fourth += (along[r] - mean) ** 4
    return best / variance, fourth / size / variance**2 - 3


@njit(cache=True, nogil=True)
def _members(codes, c, size):
    rows = np.empty(size, np.int64)
    found = 0
    for i in range(len(codes)):
        if codes[i] == c:
            rows[found] = i
            found += 1
    return rows


@njit(cache=True, nogil=True)
def line_evidence(X, codes, k, out):
    """Along the line to the nearest cluster, and along each cluster's longest axis.

    Mean and worst distance in standard deviations; mean and worst filling of the middle; mean and
    greatest share of the variance that the best cut of the longest axis explains; mean excess of
    that axis; share of the variance between clusters; how unequal the clusters' volumes are.
    """
    sizes, centres, within, total = _clusters(X, codes, k)
    counted = _sum(sizes)
    gap_mean, gap_worst, fill_mean, fill_worst = 0.0, np.inf, 0.0, 0.0
    cut_mean, cut_most, excess_mean = 0.0, 0.0, 0.0
    smallest, largest = np.inf, 0.0
    for c in range(k):
        gap, filled = _to_nearest(X, codes, sizes, centres, c)
        gap_mean += gap * sizes[c]
        gap_worst = min(gap_worst, gap)
        fill_mean += filled * sizes[c]
        fill_worst = max(fill_worst, filled)
        size = int(sizes[c])
        spread = np.sqrt(within[c] / size)
        if size > 2:
            smallest, largest = min(smallest, spread), max(largest, spread)
        explained, excess = -1.0, 0.0
        if size >= 8 and within[c] > 0:
            rows = _members(codes, c, size)
            explained, excess = _best_cut(_along_longest_axis(X, rows, centres[c]))
        if explained < 0:
            cut_mean += 0.64 * size
            continue
        cut_mean += explained * size
        if size >= 0.02 * counted:
            cut_most = max(cut_most, explained)
        excess_mean += max(-2.0, min(excess, 10.0)) * size
    out[0] = gap_mean / counted
    out[1] = min(gap_worst, 20.0)
    out[2] = fill_mean / counted
    out[3] = fill_worst
    out[4] = cut_mean / counted
    out[5] = cut_most
    out[6] = excess_mean / counted
    out[7] = 1 - _sum(within) / total if total > 0 else 1.0
    out[8] = np.log(largest / smallest) if smallest > 0 and largest > 0 else 0.0
