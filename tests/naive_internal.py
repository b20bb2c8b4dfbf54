"""Internal measures as their definitions read: loops over a matrix of distances, slow."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.spatial.distance import cdist

#: what to do about a new measure
MISSING = (
    "{0} has no naive oracle: write its definition into tests/naive_internal.py and its value into "
    "the table of internal() in tests/measures/test_oracles.py"
)


def matrix(X, metric="euclidean"):
    """All distances, one by one from the definition of the metric."""
    X = np.asarray(X, dtype=float)
    if metric == "precomputed":
        return X
    n = len(X)
    D = np.zeros((n, n))
    for i, j in itertools.product(range(n), range(n)):
        if i != j:
            D[i, j] = ONE[metric](X[i], X[j])
    return D


def _cosine(x, y):
    a, b = math.sqrt((x * x).sum()), math.sqrt((y * y).sum())
    if a == 0 and b == 0:
        return 0.0
    return 1.0 if a == 0 or b == 0 else 1 - (x * y).sum() / (a * b)


def _tanimoto(x, y):
    denominator = (x * x).sum() + (y * y).sum() - (x * y).sum()
    return 1 - (x * y).sum() / denominator if denominator else 0.0


def _kl(x, y):
    p, q = x / x.sum(), y / y.sum()
    return sum(a * math.log(a / b) if b else math.inf for a, b in zip(p, q, strict=True) if a)


def _share(shared, either):
    return 1 - shared / either if either else 0.0


ONE = {
    "euclidean": lambda x, y: math.sqrt(((x - y) ** 2).sum()),
    "sqeuclidean": lambda x, y: ((x - y) ** 2).sum(),
    "cityblock": lambda x, y: abs(x - y).sum(),
    "chebyshev": lambda x, y: abs(x - y).max(),
    "cosine": _cosine,
    "correlation": lambda x, y: _cosine(x - x.mean(), y - y.mean()),
    "extended_jaccard": _tanimoto,
    "kl": _kl,
    "symmetric_kl": lambda x, y: _kl(x, y) + _kl(y, x),
    "jaccard": lambda x, y: _share(((x != 0) & (y != 0)).sum(), ((x != 0) | (y != 0)).sum()),
    "dice": lambda x, y: _share(
        2 * ((x != 0) & (y != 0)).sum(), (x != 0).sum() + (y != 0).sum()
    ),
    "matching": lambda x, y: (x != y).mean(),
    "canberra": lambda x, y: sum(
        abs(a - b) / (abs(a) + abs(b)) for a, b in zip(x, y, strict=True) if a or b
    ),
    "braycurtis": lambda x, y: abs(x - y).sum() / abs(x + y).sum(),
}  # fmt: skip


def clusters(labels):
    return [np.flatnonzero(np.asarray(labels) == c) for c in sorted(set(np.asarray(labels)))]


def pairs(D, labels):
    """Distances of the pairs within and between; the mean of both ways where they differ."""
    within, between = [], []
    for i, j in itertools.combinations(range(len(D)), 2):
        (within if labels[i] == labels[j] else between).append((D[i, j] + D[j, i]) / 2)
    return within, between


def pairs_in(D, members):
    return [(D[i, j] + D[j, i]) / 2 for i, j in itertools.combinations(members, 2)]


def silhouette_samples(D, labels):
    out = []
    for i in range(len(D)):
        own = [j for j in range(len(D)) if labels[j] == labels[i] and j != i]
        if not own:
            out.append(0.0)
            continue
        a = np.mean([D[i, j] for j in own])
        b = min(
            np.mean([D[i, j] for j in members])
            for members in clusters(labels)
            if labels[members[0]] != labels[i]
        )
        out.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return np.array(out)


def margins(D, labels):
    out = []
    for i in range(len(D)):
        own = [D[i, j] for j in range(len(D)) if labels[j] == labels[i] and j != i]
        other = [D[i, j] for j in range(len(D)) if labels[j] != labels[i]]
        if not own or (min(own) == 0 and min(other) == 0):
            out.append(1.0)
        else:
            out.append(min(own) / min(other) if min(other) > 0 else math.inf)
    return np.array(out)


def inverse_squares(values):
    return sum(1 / v**2 if v else math.inf for v in values)


def of_distances(D, labels):
    """Every measure that reads distances only."""
    labels = np.asarray(labels)
    within, between = pairs(D, labels)
    groups = clusters(labels)
    inside = [pairs_in(D, g) for g in groups]
    cut = inverse_squares(between)
    plus = sum(w < b for w in within for b in between)
    minus = sum(w > b for w in within for b in between)
    ties = len(within) * len(between) - plus - minus
    ordered = sorted(within + between)
    low, high = sum(ordered[: len(within)]), sum(ordered[len(between) :])
    N = len(ordered)
    return {
        "silhouette": silhouette_samples(D, labels).mean(),
        "point_wise_margin": margins(D, labels).mean(),
        "within_cluster_scatter": sum(within),
        "weighted_within_cluster_scatter_1": sum(
            sum(p) / len(g) for p, g in zip(inside, groups, strict=True)
        ),
        "weighted_within_cluster_scatter_2": sum(
            sum(p) / (len(g) * (len(g) - 1)) for p, g in zip(inside, groups, strict=True) if p
        ),
        "average_within_cluster_scatter": np.mean(within),
        "between_cluster_scatter": sum(between),
        "average_between_cluster_scatter": np.mean(between),
        "between_within_ratio": np.mean(between) / np.mean(within),
        "mcclain_rao_index": np.mean(within) / np.mean(between),
        "ratio_cut": cut * sum(1 / len(g) for g in groups),
        "normalized_cut": cut
        * sum(1 / inverse_squares(p) if p else math.inf for p in inside),
        "dunn_index": min(between) / max(within),
        "c_index": (sum(within) - low) / (high - low),
        "baker_hubert_gamma": (plus - minus) / (plus + minus),
        "aucc": (plus + ties / 2) / (len(within) * len(between)),
        "g_plus_index": 2 * minus / (N * (N - 1)),
        "kendall_tau_index": (plus - minus)
        / math.sqrt(len(within) * len(between) * N * (N - 1) / 2),
    }  # fmt: skip


def weighted(D, labels, w):
    """Means and sums of distances where i is w[i] objects that coincide, or a part of one.

    i and j make w[i] w[j] pairs; i makes w(w − 1)/2 with itself, none if it is a part.
    """
    n = len(D)

    def pairs_of(i, j):
        return w[i] * w[j] if i != j else max(w[i] * (w[i] - 1) / 2, 0)

    within = [(i, j) for i in range(n) for j in range(i + 1) if labels[i] == labels[j]]
    between = [(i, j) for i in range(n) for j in range(i) if labels[i] != labels[j]]
    sums = [sum(pairs_of(*p) * D[p] for p in some) for some in (within, between)]
    counts = [sum(pairs_of(*p) for p in some) for some in (within, between)]
    silhouettes = []
    for i in range(n):
        # how often another object j stands beside one of those that i is
        beside = [w[j] if j != i else max(w[i] - 1, 0) for j in range(n)]
        mean = {}
        for c in set(labels):
            members = [j for j in range(n) if labels[j] == c]
            number = sum(beside[j] for j in members)
            mean[c] = sum(beside[j] * D[i, j] for j in members) / number if number else None
        a = mean.pop(labels[i])
        b = min(mean.values())
        silhouettes.append(0.0 if a is None or max(a, b) == 0 else (b - a) / max(a, b))
    return {
        "silhouette": np.average(silhouettes, weights=w),
        "within_cluster_scatter": sums[0],
        "between_cluster_scatter": sums[1],
        "average_within_cluster_scatter": sums[0] / counts[0],
        "average_between_cluster_scatter": sums[1] / counts[1],
        "between_within_ratio": sums[1] / counts[1] / (sums[0] / counts[0]),
    }


def of_centroids(X, labels):
    """Every measure that reads centroids, Euclidean."""
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    groups = clusters(labels)
    k, n = len(groups), len(X)
    C = np.array([X[g].mean(axis=0) for g in groups])
    apart = cdist(C, C)
    spread = [np.mean([math.dist(X[i], C[c]) for i in g]) for c, g in enumerate(groups)]
    squares = [sum(math.dist(X[i], C[c]) ** 2 for i in g) for c, g in enumerate(groups)]
    within = sum(squares)
    mean = X.mean(axis=0)
    between = sum(len(g) * math.dist(C[c], mean) ** 2 for c, g in enumerate(groups))
    nearest = min(apart[a, b] for a, b in itertools.combinations(range(k), 2))
    own = {i: c for c, g in enumerate(groups) for i in g}
    simplified = []
    for i in range(n):
        c = own[i]
        a = math.dist(X[i], C[c])
        b = min(math.dist(X[i], C[o]) for o in range(k) if o != c)
        alone = len(groups[c]) == 1
        simplified.append(0.0 if alone or max(a, b) == 0 else (b - a) / max(a, b))
    features = [
        sum(len(g) * (C[c, f] - mean[f]) ** 2 for c, g in enumerate(groups))
        / ((X[:, f] - mean[f]) ** 2).sum()
        for f in range(X.shape[1])
        if ((X[:, f] - mean[f]) ** 2).sum() > 0
    ]
    return {
        "davies_bouldin_index": np.mean(
            [max((spread[a] + spread[b]) / apart[a, b] for b in range(k) if b != a)
             for a in range(k)]
        ),
        "calinski_harabasz_index": between / (k - 1) / (within / (n - k)),
        "centroid_dunn_index": nearest / max(spread),
        "within_sum_of_squares": within,
        "ball_hall_index": np.mean([s / len(g) for s, g in zip(squares, groups, strict=True)]),
        "pbm_index": (
            sum(math.dist(x, mean) for x in X)
            / sum(math.dist(X[i], C[own[i]]) for i in range(n))
            * apart.max()
            / k
        )
        ** 2,
        "ray_turi_index": within / n / nearest**2,
        "ratkowsky_lance_index": math.sqrt(np.mean(features) / k),
        "simplified_silhouette": np.mean(simplified),
        "squared_euclidean_silhouette": silhouette_samples(
            matrix(X, "sqeuclidean"), labels
        ).mean(),
    }  # fmt: skip


def separations(X, D, labels):
    """The separations of Bezdek & Pal: the smallest over the pairs of clusters."""
    X, groups = np.asarray(X, dtype=float), clusters(labels)
    C = [X[g].mean(axis=0) for g in groups]

    def least(value):
        return min(value(a, b) for a, b in itertools.combinations(range(len(groups)), 2))

    def cross(a, b):
        return D[np.ix_(groups[a], groups[b])]

    def mixed(a, b):
        total = sum(math.dist(X[i], C[b]) for i in groups[a])
        total += sum(math.dist(X[i], C[a]) for i in groups[b])
        return total / (len(groups[a]) + len(groups[b]))

    return {
        "single": least(lambda a, b: cross(a, b).min()),
        "complete": least(lambda a, b: cross(a, b).max()),
        "average": least(lambda a, b: cross(a, b).mean()),
        "centroid": least(lambda a, b: math.dist(C[a], C[b])),
        "average-centroid": least(mixed),
        "hausdorff": least(
            lambda a, b: max(cross(a, b).min(axis=1).max(), cross(a, b).min(axis=0).max())
        ),
    }


def diameters(X, D, labels):
    """The diameters of Bezdek & Pal: the largest over the clusters."""
    X, groups = np.asarray(X, dtype=float), clusters(labels)
    return {
        "complete": max(max(pairs_in(D, g), default=0) for g in groups),
        "average": max(np.mean(pairs_in(D, g) or [0]) for g in groups),
        "centroid": max(
            2 * np.mean([math.dist(X[i], X[g].mean(axis=0)) for i in g]) for g in groups
        ),
    }
