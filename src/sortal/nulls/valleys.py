"""Valleys between clusters, tested on objects that were not used to find the clusters.

k-means cuts any cloud in two, and the halves look separated at the cut. So the clusters, and the
direction in which each two differ most, are fitted without one quarter of the objects at a time,
and this quarter is projected. If the density has no valley in that direction, the projections are
unimodal; Hartigan's dip tests this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np
from scipy.spatial import cKDTree
from scipy.stats import norm

from sortal._kernels.dip import dip_evidence
from sortal._kernels.modes import line_evidence
from sortal.runtime.types import Bools, Floats, Ints

#: numbers of clusters tried, and objects per cluster required
NUMBERS_OF_CLUSTERS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30)
OBJECTS_PER_CLUSTER = 16
#: number of objects beyond which random gaps have more evidence, by the root of their number
USUAL_SIZE = 400
#: how many of these numbers are tried if all clusters must be separated, and starts of each
SMALL, MANY_STARTS = 6, 10
#: how many numbers without a valley end that search
FIRST_NUMBERS = 3
#: fewest objects of a cluster with evidence
MIN_CLUSTER_SIZE = 8
VALLEY_FOLDS, KMEANS_STARTS, KMEANS_STEPS = 4, 3, 3
#: divisions into folds to average
DIVISIONS = 4
#: share of the mean variance in the covariance within clusters, so that it has an inverse
COVARIANCE_RIDGE = 0.1
#: evidence (-log p) that is worth a closer look, and evidence that separates two clusters
WORTH_A_LOOK, VALLEY_LIMIT = 1.5, 3.5
#: largest number of clusters for which distributions are fitted between each two
FITTED = 3
#: upper limit of the evidence
MOST_EVIDENCE = 50.0
#: half of the border's width between centres at -1 and 1, and objects below which it is empty
BORDER, EMPTY = 0.25, 5
#: neighbours that paths go by
PATH_NEIGHBOURS = 8
#: neighbours that estimate the density, axes beside that of the centres, and variance inflation of
#: a mean density since neighbours share neighbours
NEIGHBOURS, BESIDE, SHARED_NEIGHBOURS = 5, 3, 2.5
#: standard errors above which two clusters are pieces of a curve, evidence subtracted from a curve
#: (k-means may cut it where it is thin), and factor of the evidence of a straight border
BENT, CHOSEN, STRAIGHT = 3.2, 2.0, 2.0


def find_valleys(
    Z: Floats, rng: np.random.Generator, numbers: Iterable[int]
) -> tuple[Floats, Ints]:
    """Find valleys between the clusters of k-means for several k: their evidence, and groups.

    The evidence, for each number of clusters, is -log p of the deepest valley that no way around
    avoids, and 0 for too few objects. Groups are the parts into which valleys with more
    evidence than :data:`VALLEY_LIMIT` divide the clusters.

    Two clusters without a valley between them are one, and so are chains of such pairs. k-means
    cuts a ring or a sheet, but neighbouring pieces have no valley. The evidence for a number of
    clusters is the longest edge in a minimum spanning tree of the valleys (Kalogeratos & Likas
    2012; Vardakas, Kalogeratos & Likas 2024). A curve is bimodal in projection, too. So a dip alone
    does not separate two clusters. The objects near their border must also lie less densely than
    those beside the centres, and the lengths of paths along the data must have a dip.
    """
    deepest, groups = [], []
    for k in map(int, numbers):
        enough = len(Z) >= OBJECTS_PER_CLUSTER * k and Z.shape[1]
        edges = _links_between(Z, _kmeans(Z, k, rng), k, rng) if enough else np.zeros(0)
        deepest.append(edges.max(initial=0.0))
        groups.append(1 + (edges > VALLEY_LIMIT * gap_factor(len(Z))).sum())
    return np.array(deepest), np.array(groups)


def gap_factor(n: int) -> float:
    """Factor of the evidence of random gaps in n objects over that in the usual number."""
    return float(max(n / USUAL_SIZE, 1.0) ** 0.5)


def valley_evidence(Z: Floats, labels: Ints, rng: np.random.Generator) -> float:
    """Evidence (-log p) of the shallowest valley that separates the clusters of a partition.

    The clusters are refitted by k-means steps without each fold. The evidence is 0 if a cluster
    vanishes or has too few objects.
    """
    k = int(labels.max(initial=-1)) + 1
    if k < 2 or Z.shape[1] == 0:
        return 0.0
    seeds = rng.integers(2**31 - 1, size=DIVISIONS).tolist()
    runs = [_links_between(Z, labels, k, np.random.default_rng(seed)) for seed in seeds]
    return float(np.mean([edges.min() if len(edges) == k - 1 else 0.0 for edges in runs]))


def separated(Z: Floats, rng: np.random.Generator, least: float) -> tuple[Ints, float] | None:
    """Finest k-means partition for small k whose clusters are all separated by valleys.

    Returns
    -------
    (ndarray of int64, float) or None
        Labels, and the evidence of the shallowest valley, which is at least ``least``.
    """
    tried, deepest = [], 0.0
    for i, k in enumerate(NUMBERS_OF_CLUSTERS[:SMALL]):
        few = len(Z) < OBJECTS_PER_CLUSTER * k or Z.shape[1] == 0
        if few or (i == FIRST_NUMBERS and deepest < WORTH_A_LOOK):
            break
        # a single division into folds shows whether a closer look is worth it
        labels = _kmeans(Z, k, rng, MANY_STARTS)
        edges = _links_between(Z, labels, k, rng)
        deepest = max(deepest, edges.max(initial=0.0))
        if len(edges) == k - 1 and edges.min() >= min(WORTH_A_LOOK, least):
            tried.append(labels)
    for labels in reversed(tried):
        evidence = valley_evidence(Z, labels, rng)
        if evidence >= least:
            return labels, evidence
    return None


def _links_between(Z: Floats, labels: Ints, k: int, rng: np.random.Generator) -> Floats:
    """Evidence on the edges of the minimum spanning tree of the clusters of a partition."""
    from sortal._kernels.dip import pair_valleys

    projections = _held_out(Z, labels, k, rng.permutation(len(Z)) % VALLEY_FOLDS)
    evidence = np.zeros((k, k))
    pair_valleys(
        projections.scores, projections.half, projections.apart, projections.fold,
        projections.assigned, k, MIN_CLUSTER_SIZE, evidence,
    )  # fmt: skip
    large = np.flatnonzero(np.bincount(projections.assigned, minlength=k) >= MIN_CLUSTER_SIZE)
    few, part = k <= FITTED, np.arange(k)
    for a, b in sorted(combinations(large.tolist(), 2), key=lambda pair: evidence[pair]):
        if part[a] == part[b]:
            continue
        if few or evidence[a, b] > WORTH_A_LOOK:
            rows, t = projections.between(a, b)
            thin, bent = _thin_border(Z, rows, t)
            near, fitted = min(thin, MOST_EVIDENCE), few and not bent
            if near > WORTH_A_LOOK:
                near = min(near, line_evidence(t) if fitted else float(evidence[a, b]))
            if near > WORTH_A_LOOK:
                near = min(near, _valley_along(Z[rows], t > 0, fitted=fitted))
            evidence[a, b] = evidence[b, a] = near
        if evidence[a, b] <= WORTH_A_LOOK:
            part[part == part[b]] = part[a]
    return _spanning_edges(evidence[np.ix_(large, large)])


def _kmeans(Z: Floats, k: int, rng: np.random.Generator, starts: int = KMEANS_STARTS) -> Ints:
    """Labels by k-means, the best of several starts."""
    from sortal._kernels.kmeans import kmeans

    columns = np.ascontiguousarray(Z.T)
    trials = 2 + int(log(k))
    labels = np.empty(len(Z), dtype=np.int32)
    none = np.full((starts, k), -1, dtype=np.int64)
    uniforms = rng.random((starts, 1 + (k - 1) * trials))
    kmeans(columns, uniforms, none, trials, 100, 1e-4 * float(Z.var(axis=0).mean()), labels)
    return labels.astype(np.int64)


@dataclass(frozen=True)
class _FoldProjections:
    """Each object's cluster and scores by a clustering fitted without its fold."""

    fold: Ints
    assigned: Ints
    #: scores on the discriminant of each cluster, half the squared length of each centre, distances
    scores: Floats
    half: Floats
    apart: Floats

    def between(self, a: int, b: int) -> tuple[Ints, Floats]:
        """Objects of two clusters, and their places between the centres at -1 and 1."""
        rows = np.flatnonzero((self.assigned == a) | (self.assigned == b))
        f = self.fold[rows]
        lead = self.scores[rows, a] - self.scores[rows, b] - self.half[f, a] + self.half[f, b]
        apart = self.apart[f, a, b]
        return rows[apart > 0], 2 * lead[apart > 0] / apart[apart > 0]


def _held_out(Z: Floats, labels: Ints, k: int, fold: Ints) -> _FoldProjections:
    """Fit the clusters again without each fold, and project the objects of the fold."""
    n, r = Z.shape
    assigned, scores = np.empty(n, dtype=np.int64), np.empty((n, k))
    half, apart = np.empty((VALLEY_FOLDS, k)), np.empty((VALLEY_FOLDS, k, k))
    for f in range(VALLEY_FOLDS):
        in_fold, outside = fold == f, fold != f
        A, codes = Z[outside], labels[outside]
        for step in range(KMEANS_STEPS + 1):
            member = (codes[:, None] == np.arange(k)).astype(np.float64)
            sizes = member.sum(axis=0)
            centres = member.T @ A / np.maximum(sizes, 1)[:, None]
            if step < KMEANS_STEPS:
                codes = _nearest(A, centres, sizes)
        within = A - centres[codes]
        W = within.T @ within / max(len(A) - k, 1)
        scale = max(float(np.trace(W)) / r, np.finfo(float).tiny)
        ridge = COVARIANCE_RIDGE * scale * np.eye(r)
        axes = np.linalg.solve((1 - COVARIANCE_RIDGE) * W + ridge, centres.T).T
        inner = axes @ centres.T
        squares = np.diag(inner)
        scores[in_fold], half[f] = Z[in_fold] @ axes.T, squares / 2
        apart[f] = squares[:, None] + squares[None, :] - inner - inner.T
        apart[f][:, sizes == 0] = apart[f][sizes == 0] = 0
        assigned[in_fold] = _nearest(Z[in_fold], centres, sizes)
    return _FoldProjections(fold.astype(np.int64), assigned, scores, half, apart)


def _nearest(A: Floats, centres: Floats, sizes: Floats) -> Ints:
    """Nearest centre of each object, empty clusters excepted."""
    squares = np.where(sizes > 0, np.square(centres).sum(axis=1), np.inf)
    return np.asarray((squares - 2 * A @ centres.T).argmin(axis=1))


def _valley_along(Z: Floats, side: Bools, *, fitted: bool) -> float:
    """Evidence (-log p) of a valley along the data of two clusters, however bent they are.

    A place is the projection on the line between two central objects, by the lengths of paths
    between neighbours (Tenenbaum, de Silva & Langford 2000): along a curve, the length of the arc.
    """
    from sortal._kernels.spanning_trees import path_lengths

    if side.all() or not side.any() or len(Z) <= PATH_NEIGHBOURS:
        return 0.0
    P = np.ascontiguousarray(_across(Z, side))
    reach = np.square(cKDTree(P).query(P, PATH_NEIGHBOURS + 1)[0][:, -1])
    lengths, ends = [], []
    for members in (np.flatnonzero(side), np.flatnonzero(~side)):
        away = np.square(P[members] - P[members].mean(axis=0)).sum(axis=1)
        ends.append(int(members[away.argmin()]))
        path = path_lengths(P, reach, ends[-1])
        straight = np.linalg.norm(P - P[ends[-1]], axis=1)
        lengths.append(np.where(np.isfinite(path), path, straight))
    apart = lengths[0][ends[1]]
    if apart <= 0:
        return 0.0
    places = (np.square(lengths[0]) - np.square(lengths[1])) / (2 * apart)
    return line_evidence(places) if fitted else float(dip_evidence(np.sort(places)))


def _thin_border(Z: Floats, rows: Ints, t: Floats) -> tuple[float, bool]:
    """Evidence (-log p) that objects near the border of two clusters are less dense than beside it.

    And whether the clusters are pieces of a curve.

    Density is that of the nearest neighbours in the direction of the centres and along the widest
    axes across it, less what the distance from the line of the centres explains.
    """
    border = np.abs(t) < BORDER
    if border.sum() < EMPTY:
        return MOST_EVIDENCE, False
    beside = (np.abs(t) > 2 * BORDER) & (np.abs(t) < 2 - 2 * BORDER)
    sides = beside & (t > 0), beside & (t < 0)
    if min(side.sum() for side in sides) < EMPTY:
        return 0.0, False
    P = _across(Z[rows], t > 0)
    nearest = cKDTree(P).query(P, NEIGHBOURS + 1)[0][:, -1]
    q = P.shape[1]
    density = -q * np.log(np.maximum(nearest, 1e-12))
    if q > 1:
        off = np.minimum(np.square(P[:, 1:]).sum(axis=1), 2.0 * q + 2)
        centred = off[beside] - off[beside].mean()
        slope = centred @ density[beside] / max(centred @ centred, 1e-12)
        density = density - min(slope, 0.0) * off
    thin = density[border]
    z = np.inf
    for side in sides:
        dense = density[side]
        error = SHARED_NEIGHBOURS * (thin.var(ddof=1) / len(thin) + dense.var(ddof=1) / len(dense))
        z = min(z, float(dense.mean() - thin.mean()) / max(np.sqrt(error), 1e-9))
    evidence = float(-norm.logsf(z))
    if q > 1 and _bend(P[border, 1:], P[beside, 1:]) > BENT:
        return max(evidence - CHOSEN, 0.0), True
    return STRAIGHT * evidence, False


def _bend(border: Floats, beside: Floats) -> float:
    """Distance of the border's objects from the line of the centres, in standard errors.

    A curve leaves the line where two straight clusters meet on it.
    """
    m = len(border)
    shift = np.abs(border.mean(axis=0) - beside.mean(axis=0)) / np.maximum(
        beside.std(axis=0), 1e-300
    )
    ratio = np.square(border).mean(axis=0) / np.maximum(np.square(beside).mean(axis=0), 1e-300)
    return float(np.sqrt(m) * max(shift.max(), (ratio.max() - 1) / np.sqrt(2)))


def _across(P: Floats, side: Bools) -> Floats:
    """Coordinates of two clusters' objects along the line of their centres and across it."""
    left, right = P[side].mean(axis=0), P[~side].mean(axis=0)
    line = (left - right) / max(float(np.linalg.norm(left - right)), 1e-300)
    within = np.where(side[:, None], P - left, P - right)
    within = within - np.outer(within @ line, line)
    spread, axes = np.linalg.eigh(within.T @ within / len(P))
    q = min(BESIDE, P.shape[1] - 1)
    axes = axes[:, ::-1][:, :q]
    # one scale for all axes, so that a curve remains one
    scale = np.sqrt(spread[-1]) if q else (P @ line).std()
    return np.asarray((P - (left + right) / 2) @ np.column_stack([line, axes]) / max(scale, 1e-300))


def _spanning_edges(evidence: Floats) -> Floats:
    """Edges of the minimum spanning tree (Prim 1957)."""
    m = len(evidence)
    if m < 2:
        return np.zeros(0)
    least, inside, edges = evidence[0].copy(), np.zeros(m, dtype=bool), []
    inside[0] = True
    for _ in range(m - 1):
        b = int(np.where(inside, np.inf, least).argmin())
        edges.append(least[b])
        inside[b] = True
        least = np.minimum(least, evidence[b])
    return np.array(edges)
