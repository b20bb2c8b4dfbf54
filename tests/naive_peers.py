"""Criteria known from NbClust, clusterCrit and fpc, as their definitions read; slow."""

from __future__ import annotations

import itertools
import math

import numpy as np

from naive_internal import clusters


def outer_sums(X, center):
    """Scatter around a point, one object at a time."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for x in X:
        total += np.outer(x - center, x - center)
    return total


def matrices(X, labels):
    """W_c of each cluster, W, B and T, each from its own definition."""
    X = np.asarray(X, dtype=float)
    groups = clusters(labels)
    mean = X.mean(axis=0)
    own = [outer_sums(X[g], X[g].mean(axis=0)) for g in groups]
    between = sum(
        len(g) * np.outer(X[g].mean(axis=0) - mean, X[g].mean(axis=0) - mean) for g in groups
    )
    return own, sum(own), between, outer_sums(X, mean)


def of_scatter(X, labels):
    """Criteria of the scatter matrices."""
    own, W, _, T = matrices(X, labels)
    sizes = [len(g) for g in clusters(labels)]
    n, k = len(X), len(sizes)
    ratio = np.linalg.det(T) / np.linalg.det(W)
    return {
        "pooled_variance": np.trace(W) / (n - k),
        "banfield_raftery_index": sum(
            s * math.log(np.trace(w) / s) for s, w in zip(sizes, own, strict=True)
        ),
        "log_determinant_ratio": n * math.log(ratio),
        "cubic_clustering_criterion": cubic_clustering_criterion(T, W, n, k),
    }


def cubic_clustering_criterion(T, W, n, q):
    """Sarle 1983, step by step: s, then for each dimension p below q the edge c and the u."""
    s = sorted((math.sqrt(v) for v in np.linalg.eigvalsh(T / (n - 1))), reverse=True)
    chosen = None
    for p in range(1, min(len(s), q - 1) + 1):
        volume = math.prod(s[:p])
        edge = (volume / q) ** (1 / p)
        u = [x / edge for x in s]
        if u[p - 1] >= 1:
            chosen = p, u
    p, u = chosen
    inside = sum(1 / (n + x) for x in u[:p])
    outside = sum(x * x / (n + x) for x in u[p:])
    expected = 1 - (inside + outside) / sum(x * x for x in u) * ((n - q) ** 2 / n) * (1 + 4 / n)
    found = 1 - np.trace(W) / np.trace(T)
    return (
        math.log((1 - expected) / (1 - found))
        * math.sqrt(n * p / 2)
        / (0.001 + expected) ** 1.2
    )  # fmt: skip


def of_spread(X, labels):
    """Criteria of the distances to centroids."""
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    groups = clusters(labels)
    k, n = len(groups), len(X)
    C = [X[g].mean(axis=0) for g in groups]
    variances = [[np.mean((X[g, f] - X[g, f].mean()) ** 2) for f in range(X.shape[1])]
                 for g in groups]  # fmt: skip
    total = [np.mean((X[:, f] - X[:, f].mean()) ** 2) for f in range(X.shape[1])]
    apart = {(a, b): math.dist(C[a], C[b]) for a in range(k) for b in range(k) if a != b}
    quality = 0.0
    for c, g in enumerate(groups):
        ratios = []
        for i in g:
            other = min(math.dist(X[i], C[o]) for o in range(k) if o != c)
            ratios.append(math.dist(X[i], C[c]) / other)
        quality += len(g) * max(0.0, 1 - sum(ratios) / len(g))
    return {
        "sd_scattering": sum(math.hypot(*v) for v in variances) / k / math.hypot(*total),
        "sd_separation": max(apart.values()) / min(apart.values())
        * sum(1 / sum(apart[a, b] for b in range(k) if b != a) for a in range(k)),
        "wemmert_gancarski_index": quality / n,
    }  # fmt: skip


def of_pairs(D, labels):
    """Criteria of the pair distances."""
    labels = np.asarray(labels)
    distances, between = [], []
    for i, j in itertools.combinations(range(len(D)), 2):
        distances.append((D[i, j] + D[j, i]) / 2)
        between.append(float(labels[i] != labels[j]))
    return {"point_biserial_index": np.corrcoef(distances, between)[0, 1]}


def within(X, labels):
    return np.trace(matrices(X, labels)[1])
