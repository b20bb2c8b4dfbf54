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
from sortal._kernels.modes import FEWEST, line_evidence
from sortal.nulls.settings import VALLEYS, ValleySettings
from sortal.typing import Bools, Floats, Ints

#: limit of cost: saves the fits of the numbers of clusters between these
NUMBERS_OF_CLUSTERS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30)
#: limit of cost: saves fits where all clusters must be separated by valleys: numbers of clusters,
#: those without a valley that end the search, and starts of each
N_SMALL, N_WITHOUT_VALLEY, SEPARATED_STARTS = 6, 3, 10
#: limit of cost: saves further starts and steps of k-means
KMEANS_STARTS, KMEANS_STEPS = 3, 3
#: limit of cost: saves further divisions into folds, over which evidence is averaged
N_DIVISIONS = 4


def find_valleys(
    Z: Floats,
    rng: np.random.Generator,
    numbers: Iterable[int],
    settings: ValleySettings = VALLEYS,
) -> tuple[Floats, Ints]:
    """Find valleys between the clusters of k-means for several k: their evidence, and groups.

    The evidence, for each number of clusters, is -log p of the deepest valley that no way around
    avoids, and 0 for too few objects. Groups are the parts into which valleys with more
    evidence than ``valley_limit`` divide the clusters.

    Two clusters without a valley between them are one, and so are chains of such pairs. k-means
    cuts a ring or a sheet, but neighbouring pieces have no valley. The evidence for a number of
    clusters is the longest edge in a minimum spanning tree of the valleys (Kalogeratos & Likas
    2012; Vardakas, Kalogeratos & Likas 2024). A curve is bimodal in projection, too. So a dip alone
    does not separate two clusters. The objects near their border must also lie less densely than
    those beside the centres, and the lengths of paths along the data must have a dip.
    """
    deepest, groups = [], []
    for k in map(int, numbers):
        edges = np.zeros(0)
        if len(Z) >= settings.objects_per_cluster * k and Z.shape[1]:
            edges = _links_between(Z, _kmeans(Z, k, rng), k, rng, settings)
        deepest.append(edges.max(initial=0.0))
        limit = settings.valley_limit * gap_factor(len(Z), settings)
        groups.append(1 + (edges > limit).sum())
    return np.array(deepest), np.array(groups)


def gap_factor(n: int, settings: ValleySettings = VALLEYS) -> float:
    """Factor of the evidence of random gaps in n objects over that in the usual number."""
    return float(max(n / settings.usual_size, 1.0) ** 0.5)


def valley_evidence(Z: Floats, labels: Ints, rng: np.random.Generator) -> float:
    """Evidence (-log p) of the shallowest valley that separates the clusters of a partition.

    The clusters are refitted by k-means steps without each fold. The evidence is 0 if a cluster
    vanishes or has too few objects.
    """
    k = int(labels.max(initial=-1)) + 1
    if k < 2 or Z.shape[1] == 0:
        return 0.0
    seeds = rng.integers(2**31 - 1, size=N_DIVISIONS).tolist()
    runs = [_links_between(Z, labels, k, np.random.default_rng(seed)) for seed in seeds]
    return float(np.mean([edges.min() if len(edges) == k - 1 else 0.0 for edges in runs]))


def separated(Z: Floats, rng: np.random.Generator, least: float) -> tuple[Ints, float] | None:
    """Finest k-means partition for small k whose clusters are all separated by valleys.

    Returns
    -------
    (ndarray of int64, float) or None
        Labels, and the evidence of the shallowest valley, which is at least ``least``.
    """
    candidates, deepest = [], 0.0
    for i, k in enumerate(NUMBERS_OF_CLUSTERS[:N_SMALL]):
        few = len(Z) < VALLEYS.objects_per_cluster * k or Z.shape[1] == 0
        if few or (i == N_WITHOUT_VALLEY and deepest < VALLEYS.close_look):
            break
        # a single division into folds shows whether a closer look is worth it
        labels = _kmeans(Z, k, rng, SEPARATED_STARTS)
        edges = _links_between(Z, labels, k, rng)
        deepest = max(deepest, edges.max(initial=0.0))
        if len(edges) == k - 1 and edges.min() >= min(VALLEYS.close_look, least):
            candidates.append(labels)
    for labels in reversed(candidates):
        evidence = valley_evidence(Z, labels, rng)
        if evidence >= least:
            return labels, evidence
    return None


def _links_between(
    Z: Floats,
    labels: Ints,
    k: int,
    rng: np.random.Generator,
    settings: ValleySettings = VALLEYS,
) -> Floats:
    """Evidence on the edges of the minimum spanning tree of the clusters of a partition."""
    from sortal._kernels.dip import pair_valleys

    projections = _project_folds(Z, labels, k, rng.permutation(len(Z)) % settings.folds, settings)
    evidence = np.zeros((k, k))
    pair_valleys(
        projections.scores, projections.half, projections.apart, projections.fold,
        projections.assigned, k, FEWEST, evidence,
    )  # fmt: skip
    large = np.flatnonzero(np.bincount(projections.assigned, minlength=k) >= FEWEST)
    few, group_of = k <= settings.max_fitted, np.arange(k)
    for a, b in sorted(combinations(large.tolist(), 2), key=lambda pair: evidence[pair]):
        if group_of[a] == group_of[b]:
            continue
        if few or evidence[a, b] > settings.close_look:
            rows, t = projections.between(a, b)
            evidence[a, b] = evidence[b, a] = _closer_look(
                Z, rows, t, float(evidence[a, b]), settings, fits=few
            )
        if evidence[a, b] <= settings.close_look:
            group_of[group_of == group_of[b]] = group_of[a]
    return _spanning_edges(evidence[np.ix_(large, large)])


def _closer_look(
    Z: Floats, rows: Ints, t: Floats, dip: float, settings: ValleySettings, *, fits: bool
) -> float:
    """Least evidence of a valley by the border, the projections and the paths of two clusters.

    With ``fits``, distributions are fitted to the projections ``t`` of straight clusters.
    """
    thin, bent = _thin_border(Z, rows, t, settings)
    fitted = fits and not bent
    least = min(thin, settings.max_evidence)
    if least > settings.close_look:
        least = min(least, line_evidence(t) if fitted else dip)
    if least > settings.close_look:
        least = min(least, _valley_along(Z[rows], t > 0, fitted=fitted, settings=settings))
    return least


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


def _project_folds(
    Z: Floats, labels: Ints, k: int, fold: Ints, settings: ValleySettings = VALLEYS
) -> _FoldProjections:
    """Fit the clusters again without each fold, and project the objects of the fold."""
    n, r = Z.shape
    assigned, scores = np.empty(n, dtype=np.int64), np.empty((n, k))
    half, apart = np.empty((settings.folds, k)), np.empty((settings.folds, k, k))
    for f in range(settings.folds):
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
        ridge = settings.covariance_ridge * scale * np.eye(r)
        axes = np.linalg.solve((1 - settings.covariance_ridge) * W + ridge, centres.T).T
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


def _valley_along(
    Z: Floats, side: Bools, *, fitted: bool, settings: ValleySettings = VALLEYS
) -> float:
    """Evidence (-log p) of a valley along the data of two clusters, however bent they are.

    A place is the projection on the line between two central objects, by the lengths of paths
    between neighbours (Tenenbaum, de Silva & Langford 2000): along a curve, the length of the arc.
    """
    from sortal._kernels.spanning_trees import path_lengths

    if side.all() or not side.any() or len(Z) <= settings.path_neighbours:
        return 0.0
    P = np.ascontiguousarray(_across(Z, side, settings))
    reach = np.square(cKDTree(P).query(P, settings.path_neighbours + 1)[0][:, -1])
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


def _thin_border(
    Z: Floats, rows: Ints, t: Floats, settings: ValleySettings = VALLEYS
) -> tuple[float, bool]:
    """Evidence (-log p) that objects near the border of two clusters are less dense than beside it.

    And whether the clusters are pieces of a curve.

    Density is that of the nearest neighbours in the direction of the centres and along the widest
    axes across it, less what the distance from the line of the centres explains.
    """
    width, least = settings.border, settings.min_border_objects
    border = np.abs(t) < width
    if border.sum() < least:
        return settings.max_evidence, False
    flank = (np.abs(t) > 2 * width) & (np.abs(t) < 2 - 2 * width)
    sides = flank & (t > 0), flank & (t < 0)
    if min(side.sum() for side in sides) < least:
        return 0.0, False
    P = _across(Z[rows], t > 0, settings)
    nearest = cKDTree(P).query(P, settings.density_neighbour + 1)[0][:, -1]
    q = P.shape[1]
    density = -q * np.log(np.maximum(nearest, 1e-12))
    if q > 1:
        off = np.minimum(np.square(P[:, 1:]).sum(axis=1), 2.0 * q + 2)
        centred = off[flank] - off[flank].mean()
        slope = centred @ density[flank] / max(centred @ centred, 1e-12)
        density = density - min(slope, 0.0) * off
    thin = density[border]
    z = np.inf
    for side in sides:
        dense = density[side]
        error = thin.var(ddof=1) / len(thin) + dense.var(ddof=1) / len(dense)
        error = max(np.sqrt(settings.variance_inflation * error), 1e-9)
        z = min(z, float(dense.mean() - thin.mean()) / error)
    evidence = float(-norm.logsf(z))
    if q > 1 and _bend(P[border, 1:], P[flank, 1:]) > settings.curve_limit:
        return max(evidence - settings.curve_deduction, 0.0), True
    return settings.straight_factor * evidence, False


def _bend(border: Floats, flank: Floats) -> float:
    """Distance of the border's objects from the line of the centres, in standard errors.

    A curve leaves the line where two straight clusters meet on it.
    """
    m = len(border)
    shift = np.abs(border.mean(axis=0) - flank.mean(axis=0)) / np.maximum(flank.std(axis=0), 1e-300)
    ratio = np.square(border).mean(axis=0) / np.maximum(np.square(flank).mean(axis=0), 1e-300)
    return float(np.sqrt(m) * max(shift.max(), (ratio.max() - 1) / np.sqrt(2)))


def _across(P: Floats, side: Bools, settings: ValleySettings = VALLEYS) -> Floats:
    """Coordinates of two clusters' objects along the line of their centres and across it."""
    left, right = P[side].mean(axis=0), P[~side].mean(axis=0)
    line = (left - right) / max(float(np.linalg.norm(left - right)), 1e-300)
    within = np.where(side[:, None], P - left, P - right)
    within = within - np.outer(within @ line, line)
    spread, axes = np.linalg.eigh(within.T @ within / len(P))
    q = min(settings.cross_axes, P.shape[1] - 1)
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
