"""Pinned kernels: what each makes of small arrays, run as plain Python, which compiles nothing."""

from __future__ import annotations

import pickle
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

import sortal._kernels
from sortal._kernels.documents import SparseRows as Rows
from values import table_test


@cache
def uncompiled(name: str) -> dict[str, Any]:
    """Names of a module, where functions that Numba compiles are those of its source."""
    found = vars(import_module(name)) | {"List": list}
    for key, one in [*found.items()]:
        if source := getattr(one, "py_func", None):
            known = found if one.__module__ == name else uncompiled(one.__module__)
            found[key] = (
                FunctionType(source.__code__, found, key, source.__defaults__)
                if known is found
                else known[key]
            )
        elif isinstance(one, FunctionType) and one.__module__ == name:
            found[key] = FunctionType(one.__code__, found, key, one.__defaults__)
    return found


def copied(value: Any) -> Any:
    """Arguments that a kernel may write to; lists become arrays."""
    if isinstance(value, np.ndarray | list):
        return np.array(value)
    if isinstance(value, tuple):
        parts = [copied(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def fixtures() -> dict[str, Any]:
    """Kernels by their modules, and small arrays with ties."""
    rng = np.random.default_rng(0)
    X = rng.integers(-16, 17, size=(9, 3)) / 4
    Y = rng.integers(-16, 17, size=(13, 6)) / 8
    D = cdist(X, X, "cityblock")
    tied = rng.integers(0, 4, size=(9, 9)).astype(float)
    tied = np.tril(tied, -1) + np.tril(tied, -1).T
    labels = np.array([0, 1, 2, 0, 1, -1, 2, 2, 0])
    more = np.array([[0, 1, 1, 0, 1, -1, 0, 1, 0], [0, 0, 1, 1, 2, 2, -1, 0, 1]])
    near = np.argsort(tied + 99 * np.eye(9), axis=1, kind="stable")[:, :4]
    weights = np.array([1.0, 2, 1, 3, 1, 1, 2, 0.5, 1])
    S = sparse.csr_array(np.where(rng.random((9, 7)) < 0.5, rng.integers(1, 9, (9, 7)) / 4, 0.0))
    S.sort_indices()
    R, C = (
        Rows(S.indptr, S.indices, S.data),
        Rows(*(lambda T: (T.indptr, T.indices, T.data))(S.tocsc())),
    )

    def told(function: Any, *arguments: Any) -> Any:
        """What a kernel returns, and what it leaves in the arrays that it was given."""
        given = copied(arguments)
        arrays = [one for one in given if isinstance(one, np.ndarray | tuple)]
        before = [pickle.dumps(one) for one in arrays]
        with np.errstate(all="ignore"):
            value = function(*given)
        now = zip(arrays, before, strict=True)
        return [value, *(one for one, old in now if pickle.dumps(one) != old)]

    def sums(labels: Any, k: int, rows: Any = None) -> Any:
        """Sums (d, k) of the rows of each cluster."""
        rows = S.toarray() if rows is None else rows
        return np.stack([rows[np.array(labels) == h].sum(axis=0) for h in range(k)], axis=1)

    def moves(code: int, start: Any, k: int = 3, others: Any = (0.0, 0.0), **options: Any) -> Any:
        """Moves of single rows by a criterion."""
        clusters, products, kernel = summed(start, k), S @ S.sum(axis=0), modules["criterion"]
        return told(
            kernel.criterion_moves, R, code, np.arange(9), products, others, start,
            sums(start, k), clusters, options.get("tolerance", 0.0),
        )  # fmt: skip

    def summed(start: Any, k: int) -> Any:
        """Clusters of the rows."""
        squares, totals = (sums(start, k) ** 2).sum(axis=0), sums(start, k).T @ S.sum(axis=0)
        return modules["criterion"].Clusters(np.bincount(start, minlength=k), squares, totals)

    def single(start: Any, balanced: bool, k: int, slack: float = 0.0, seen: float = 9.0) -> Any:
        """Moves of single rows of length 1."""
        unit = S.toarray() / np.sqrt(S.power(2).sum(axis=1))[:, None]
        rows = R._replace(data=unit[S.nonzero()])
        total, seen = sums(start, k, unit), np.full((9, k), seen)
        seen[np.arange(9), start] = -np.inf
        squares, sizes = (total**2).sum(axis=0), np.bincount(start, minlength=k)
        return told(
            modules["documents"].single_moves, rows, balanced, start, total, squares,
            sizes, slack, seen, np.zeros(k),
        )  # fmt: skip

    def placed(by_centers: bool, limits: Any = (2.0, 2, 2), at: Any = X[:7], **options: Any) -> Any:
        """Nearest representatives of rows."""
        code, starts = options.get("labels", [0, 1, 0, 2, -1, 2, 1]), [0, 3, 3, 7]
        anchors = np.array([at[:3].mean(axis=0), at[0] + 9, at[3:].mean(axis=0)])
        radii = [np.sqrt(((at[a:b] - c) ** 2).sum(axis=1)).max(initial=0)
                 for a, b, c in zip(starts[:-1], starts[1:], anchors, strict=True)]  # fmt: skip
        return told(
            modules["placement"].place_rows, np.vstack([X, (X[:5] + X[4:]) / 2]), at[:3] + 0.25, at,
            code, starts, anchors, radii, np.array(limits), by_centers,
        )  # fmt: skip

    def grown(row: Any, at: int) -> Any:
        """Steps of Prim's algorithm."""
        reached, edge = np.array([np.inf] * 4 + [2.0, 1, 1, -1, 3]), np.arange(9) * 9 + 8
        reached[at] = -1
        return told(modules["spanning_trees"].grow, row, at, np.arange(9) / 4, reached, edge)

    def cdist_of(seed: int) -> Any:
        """Distances of seven points on a line, some of them ties."""
        at = np.random.default_rng(seed).integers(0, 12, (7, 1)).astype(float)
        return np.abs(at - at.T)

    facs = np.r_[0.0, np.cumsum(np.log2(np.arange(1, 30)))]
    rank = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]])
    a4, m4 = np.array([1500, 1000]), np.array([2, 1])
    modules = {
        one.name: SimpleNamespace(**uncompiled(f"sortal._kernels.{one.name}"))
        for one in iter_modules(sortal._kernels.__path__)
    }
    return {
        "told": told, "centroids": modules["centroids"], "X": X, "labels": labels,
        "weights": weights, "Y": Y, "R": R, "consensus": modules["consensus"],
        "contingency": modules["contingency"], "more": more, "criterion": modules["criterion"],
        "moves": moves, "dip": modules["dip"], "distances": modules["distances"], "C": C, "S": S,
        "D": D, "documents": modules["documents"], "sums": sums, "single": single,
        "evidence": modules["evidence"], "near": near, "hypergeometric": modules["hypergeometric"],
        "tied": tied, "kmedoids": modules["kmedoids"], "label_fits": modules["label_fits"],
        "modes": modules["modes"],
        "neighbors": modules["neighbors"], "pac_mdl": modules["pac_mdl"], "rank": rank,
        "facs": facs, "pairs": modules["pairs"], "permutation_model": modules["permutation_model"],
        "a4": a4, "m4": m4, "placed": placed, "placement": modules["placement"],
        "ranks": modules["ranks"], "resamples": modules["resamples"],
        "sequence": modules["sequence"], "spanning_trees": modules["spanning_trees"],
        "stopping": modules["stopping"], "grown": grown, "cdist_of": cdist_of,
    }  # fmt: skip


# fmt: off
CASES = {
    "told": [
        lambda told, centroids, X, labels, weights: told(centroids.centroid_sums, X, labels,
            weights, X[[1, 0, 3]]),
        lambda told, centroids, X, labels, weights: told(centroids.centroid_squares, X, labels,
            weights, X[[1, 0, 3]], X[[2, 2, 4]] / 2),
        lambda told, centroids, X, labels, weights: told(centroids.centroid_silhouettes, X, labels,
            weights, [5, 2, 3.5], X[[1, 0, 3]], X[[2, 2, 4]] / 2, [9, 2, 4.5], True),
        lambda told, centroids, X, labels, weights: told(centroids.centroid_silhouettes, X, labels,
            weights, [5, 2, 3.5], X[[1, 0, 3]], X[[2, 2, 4]] / 2, [9, 2, 4.5], False),
        lambda told, centroids, X: told(centroids.centroid_silhouettes, X[:3], np.array([0, 1, 1]),
            [1.0, 1, 1], [1.0, 2], X[[0, 1]], np.zeros((2, 3)), [0.0, 3], False),
        lambda told, centroids: told(centroids.centroid_silhouettes, np.zeros((3, 2)), np.array([0,
            0, 1]), [1.0, 0.25, 1], [1.25, 1.0], np.zeros((2, 2)), np.zeros((2, 2)), [0.0, 0],
            True),
        lambda told, centroids, X, weights: told(centroids.between_centroids, X, weights, 0, 9,
            np.zeros((4, 9))),
        lambda told, centroids, X, weights: told(centroids.between_centroids, X, weights, 3, 8,
            np.zeros((4, 9))),
        lambda told, centroids, X, weights: told(centroids.between_centroids, X[:2], weights, 0, 1,
            np.full((4, 2), 7.0)),
        lambda told, centroids, Y: told(centroids.between_centroids, np.vstack([Y, Y + 16, Y -
            16]), np.arange(39) / 4, 0, 39, np.zeros((4, 39))),
        lambda told, centroids, R, labels, weights: told(centroids.sparse_sums, *R,
            np.maximum(labels, 0), weights, 3, 7),
        lambda told, consensus: told(consensus.consensus_rows, np.array([[0, 1, 1, 255, 0], [1, 1,
            255, 0, 0], [2, 2, 2, 2, 255]], dtype=np.uint8), 1, 4, np.full((3, 5), 9), np.full((3,
            5), 9)),
        lambda told, consensus: told(consensus.consensus_histogram, np.array([[0, 1, 2, 3, 0], [1,
            2, 1, 3, 0], [0, 0, 2, 1, 3]]), np.array([[3, 3, 3, 3, 0], [3, 3, 2, 3, 4], [0, 0, 2,
            1, 3]]), 0, np.zeros(4, int)),
        lambda told, consensus: told(consensus.consensus_histogram, np.array([[0, 1, 2, 3, 0], [1,
            2, 1, 3, 0]]), np.array([[3, 3, 3, 3, 0], [3, 3, 2, 3, 4]]), 2, np.zeros(3, int)),
        lambda told, contingency: told(contingency.encode, np.array([3, 5, 3, 9, -2])),
        lambda told, contingency: told(contingency.encode, np.array([4, 5, 4, 6])),
        lambda told, contingency: (told(contingency.encode, np.array([0, 65535, 0])),
            told(contingency.encode, np.array([0, 65536, 0])), told(contingency.encode,
            np.array([7]))),
        lambda told, contingency: told(contingency.encode, np.array([0, 10**12, -10**12, 0, 5])),
        lambda told, contingency: [len(v) for v in told(contingency.encode, np.r_[np.arange(2049),
            np.arange(5)] * 10**9)],
        lambda told, contingency, labels, more: told(contingency.count_dense, labels, more[0],
            np.zeros((4, 3), int)),
        lambda told, contingency, labels, more: told(contingency.count_dense, labels, more[0],
            np.zeros((3, 3), int)),
        lambda told, contingency, labels, more: told(contingency.count_dense, labels, more[0],
            np.zeros((4, 2), int)),
        lambda told, contingency: told(contingency.count_dense, np.array([-2, 0]), np.array([0,
            0]), np.zeros((4, 3), int)),
        lambda told, contingency: told(contingency.count_dense, np.array([0, 0]), np.array([0,
            -2]), np.zeros((4, 3), int)),
        lambda told, contingency: told(contingency.count_sparse, np.array([0, 2, 0, 2, 2, 0]), 3,
            np.array([4, 1, 0, 1, 3, 4]), 5),
        lambda told, contingency: told(contingency.count_sparse, np.array([0]), 1, np.array([0]),
            1),
        lambda told, contingency, labels, more: told(contingency.count_many, labels, more,
            np.array([2, 3]), np.array([0, 6]), np.zeros(15, int)),
        lambda told, criterion: [told(criterion.parts, code, size, square, total) for code in
            range(7) for size, square, total in ((0, 2.0, 3.0), (2, 2.25, 3.0), (3, 0.0, 1.5))],
        lambda told, criterion: [told(criterion.criterion_value, code,
            criterion.Clusters(np.array([2, 0, 3]), np.array([2.25, 1, 4]), np.array([3.0, 1, 5])))
            for code in range(7)],
        lambda told, dip: (told(dip.sort_first, [3.0, 1, 2, 0], 3), told(dip.sort_first, [3.0, 1,
            2, 0, 5, 4, 3], 7), told(dip.sort_first, [2.0, 1], 1), told(dip.sort_first, [2.0, 1],
            2)),
        lambda told, distances, Y: [told(distances.direct_tile, kind, Y[:, :d], 0, 5,
            np.ascontiguousarray(Y[5:9, :d].T), np.zeros((5, 4))) for kind in (0, 1, 2) for d in
            (1, 3, 4, 6)],
        lambda told, distances, Y: [told(distances.exact_tile, kind, Y, 2, 6,
            np.ascontiguousarray(Y[5:8].T), np.zeros((4, 3))) for kind in (0, 1, 2)],
        lambda told, distances: told(distances.direct_tile, 0, np.arange(16.0).reshape(2, 8), 0, 1,
            np.arange(8.0)[:, None] / 2, np.zeros((1, 1))),
        lambda told, distances, X: told(distances.squares_from_products, X[2:5] @ X[3:7].T, 2,
            (X**2).sum(axis=1), 3, X),
        lambda told, distances: told(distances.squares_from_products, np.array([[3.0, 2], [2,
            4.0]]), 0, [3.0, 3, 4], 1, np.array([[1.0, 1, 1], [1.0, 1.03, 1], [2, 0, 0]])),
        lambda told, distances, R, X: told(distances.sparse_products, *R, 2, 6, X[:7], np.full((5,
            3), 9.0)),
        lambda told, distances, R, C: told(distances.list_products, *R, 2, 6, *C, np.full((5, 9),
            7.0)),
        lambda told, distances, S, R: told(distances.sparse_squares_from_products, (S[2:6] @
            S.T).toarray()[:, 1:8], 2, S.power(2).sum(axis=1), 1, *R),
        lambda told, distances, S, R: told(distances.sparse_squares_from_products, np.full((3, 4),
            1e3), 0, S.power(2).sum(axis=1), 2, *R),
        lambda told, distances, S, R: told(distances.sparse_squares_from_products, np.full((9, 9),
            1e3), 0, S.power(2).sum(axis=1), 0, *R),
        lambda told, distances: [told(distances.kullback_leibler_tile, np.array([[0.5, 0.5, 0],
            [0.25, 0.25, 0.5], [1, 0, 0], [0.125, 0.375, 0.5]]), 1, 4, 0, 3, symmetric,
            np.zeros((3, 3))) for symmetric in (True, False)],
        lambda told, distances, D: told(distances.gathered_tile, D, np.array([4, 2, 8, 1, 0]), 1,
            4, 2, 5, np.zeros((3, 3))),
        lambda told, documents, R, X: told(documents.scores, R, X[:7], [1.0, 2, 3], np.zeros((9,
            3))),
        lambda told, documents, R: told(documents.assign, R, np.zeros((7, 2)), [0.0, 0],
            np.array([1, 0, -1, 1, 0, 0, 1, 1, 1]), 0.0, np.zeros(9)),
        lambda told, documents, R, sums: told(documents.move_rows, R, np.array([0, 0, 1, -1, 2, 1,
            2, 0, -1]), np.array([0, 1, 1, 2, 0, 0, 2, 2, 0]), sums([0, 0, 1, -1, 2, 1, 2, 0, -1],
            3)),
        lambda told, documents, R, X: told(documents.sum_shares, R, np.round(np.abs(X)) % 3 / 4,
            np.zeros((7, 3))),
        lambda told, documents, X: told(documents.posteriors, X[:4]),
        lambda told, evidence, more: told(evidence.neighbor_evidence, np.arange(9)[:, None] +
            np.arange(1, 9) - 9 * (np.arange(9)[:, None] + np.arange(1, 9) > 8),
            evidence.StackedClusters.of(more), 5, np.zeros((2, 10))),
        lambda told, hypergeometric: (told(hypergeometric.b_max_many, [5, 5, 30], [7, 7, 40], [2,
            1, 0], [-1.0, -2, -3], np.zeros(3, int), np.zeros(3, bool)),
            told(hypergeometric.log_bucket_many, [5, 5, 30], [7, 7, 40], [2, 1, 0], [3, 2, 4],
            np.zeros(3))),
        lambda told, kmedoids, tied: [told(kmedoids.swap, tied[:3, :3], np.array([0, 1, 2]), 4),
            told(kmedoids.swap, tied[:3, :3], np.array([0, 1]), 4)],
        lambda told, label_fits, more, labels: told(label_fits.fits, np.vstack([more, labels]),
            np.array([0, 2, 3, 5, 8]), np.array([1, 0, 1, 2, 1]), 3, np.array([2, 3, 3])),
        lambda told, label_fits, more, labels: [told(label_fits.votes, np.vstack([more, labels]),
            np.array([0, 1, 2]), chosen, np.array([0, 2, 3, 5, 8]), np.array([1, 0, 1, 2, 1]), 3,
            np.array([2, 3, 3]), step) for chosen in (0, 2) for step in (1, 2)],
        lambda told, pairs, X: [told(pairs.add_scores, X[:4], np.array([0.5, -1.0, 0.25, 0.0]),
            np.array([1.0, 2, 0.25, 0.0]), relative, np.zeros(3)) for relative in (True, False)],
        lambda told, pairs, X: told(pairs.add_scores, np.abs(X[:4]), np.array([0.5, 0.0, 0.25,
            0.0]), np.array([1.0, 2, 0.25, 0.0]), True, np.zeros(3)),
        lambda told, modes: [told(modes.log_likelihood, family, np.array(at), np.arange(-6.0, 7) /
            2, np.zeros(4), np.zeros((4, 4))) for family in (0, 1, 2) for at in ([0.25, 0.0, -0.5,
            0.25], [0.0, -1.0, 0.25, -2.0], [-0.5, 1.0, -2.0, 1.0])],
        lambda told, neighbors, near, more, labels: [told(neighbors.majority_vote, np.where(near >
            7, -1, near), np.vstack([more, labels]).T, start, stop, np.full((3, 9), 7)) for start,
            stop in ((0, 9), (2, 5))],
        lambda told, neighbors, near, tied, more, labels: [told(neighbors.smallest_mean_vote,
            np.where(near > 7, -1, near), np.sort(tied, axis=1)[:, 1:5], np.vstack([more,
            labels]).T, start, stop, np.full((3, 9), 7)) for start, stop in ((0, 9), (2, 5))],
        lambda told, neighbors, near: [told(neighbors.outside_fold, near, k, np.arange(9) % folds,
            np.full((9, 3), 7)) for k in (1, 2, 3) for folds in (2, 3, 9)],
        lambda told, pac_mdl, more, labels, rank, facs: [told(pac_mdl.label_clusterings,
            np.vstack([more, labels]), np.array([0, 2, 3, 5, 8]), np.array([1, 0, 1, 2, 1]), 3,
            np.array([0, 2, 5, 8]), rank, mixed, np.array([-2.0, -3, -1]), facs, facs / 8) for
            mixed in (True, False)],
        lambda told, pac_mdl: told(pac_mdl.rows_by_first_appearance, np.array([[2, 0, 2, -1, 1],
            [0, 1, 0, 1, 0], [-1, 1, 1, 0, -1]]), np.array([3, 2, 2])),
        lambda told, pairs: [told(pairs.turn, np.arange(3.0 * b).reshape(3, b), np.zeros((b, 3)))
            for b in (1, 7, 8, 9, 16, 18)],
        lambda told, placement, X, labels: told(placement.add_rows, X, labels, np.arange(9.0),
            X[:3], np.zeros(3, int), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3)),
        lambda told, ranks, tied: [told(ranks.histogram, tied[2:6, 1:5], r0, j0, low, scale,
            np.zeros((4, 2))) for r0, j0 in ((2, 1), (6, 1), (2, 4)) for low, scale in ((0.0, 1.0),
            (1.0, 2.0))],
        lambda told, ranks: [told(ranks.add_within, np.arange(20.0).reshape(4, 5), r0, j0,
            np.array([[0, 1] * 5, [0, 0, 1, 1, 2] * 2], np.int32), np.ones(2)) for r0, j0 in ((0,
            0), (5, 2), (3, 5))],
        lambda told, ranks, tied: [told(ranks.collect, tied[2:6, 1:5], r0, j0, low, 1.0,
            np.array([0, 1, 0, 1], bool), np.zeros(17)) for r0, j0 in ((2, 1), (6, 1), (2, 4)) for
            low in (0.0, 1.0)],
        lambda told, ranks, tied: [told(ranks.collect_pairs, tied[2:6, 1:5], r0, j0, 1.0, 3.0,
            np.zeros(18), np.zeros(18, int), 2) for r0, j0 in ((2, 1), (6, 1), (2, 4))],
        lambda told, ranks, tied, labels: [told(ranks.collect_sides, tied[2:6, 1:5], r0, j0, 1.0,
            3.0, labels, np.zeros(18), 1, 17) for r0, j0 in ((2, 1), (5, 1), (2, 4))],
        lambda told, ranks, tied, labels, more: [told(ranks.count_within, tied[2:6, 1:5], r0, j0,
            1.0, np.stack([labels, more[0]], axis=1), np.zeros(2, int)) for r0, j0 in ((2, 1), (5,
            1), (2, 4))],
        lambda told, ranks, labels, more: told(ranks.rank_sums, [0.0, 0, 1, 2, 2, 2, 3],
            np.array([(2 << 32) + 0, (3 << 32) + 2, (5 << 32) + 4, (6 << 32) + 5, (7 << 32) + 1, (8
            << 32) + 3, (8 << 32) + 0]), np.stack([labels, more[0]], axis=1)),
        lambda told, resamples, X: [told(resamples.nearest_means, X, np.array(train), np.array(l),
            np.array([0, 5, 6, 7, 8]), np.zeros(5, int)) for train, l in (([0, 1, 2, 3], [0, 1, 0,
            1]), ([0, 1, 2, 3], [2, 0, 2, 0]), ([4], [0]))],
        lambda told, sequence: told(sequence.b_always_many, [5, 30], [7, 40], [2, 3], [-1.0, -2],
            np.zeros(2, int)),
        lambda told, centroids: [told(centroids.between_centroids, np.arange(258.0)[:, None] / 2,
            np.arange(258) / 4, start, stop, np.zeros((4, 258)))[1][:, [0, 31, 32, 255, 256, 257]]
            for start, stop in ((0, 2), (255, 258))],
        lambda told, centroids: told(centroids.between_centroids, np.arange(257.0)[:, None] / 2,
            np.arange(257) / 4, 0, 257, np.zeros((4, 257)))[1][:, [0, 100, 255, 256]],
        lambda told, contingency: told(contingency.count_sparse, np.array([0, 2, 0, 2, 2, 0, 1,
            1]), 3, np.array([4, 4, 0, 1, 4, 1, 0, 1]), 5),
        lambda told, ranks: [told(ranks.collect, np.array([[2.0, 3, 2.5, 9, 1], [4, 4.5, 2, 2,
            2]]), 9, 1, low, 1.0, np.array(slot, bool), np.zeros(11)) for low in (2.0, 3.0, -1.0)
            for slot in ([1, 0, 2], [0, 1, 0, 0], [0, 0, 1])],
        lambda told, ranks, tied: [told(ranks.collect_brackets, tied[2:6, 1:w], r0, j0,
            np.array([[1.0, 2.0], [3.0, 3.5]][:b]), np.zeros((b + 1, 2)), np.zeros(30)) for r0, j0,
            w in ((2, 1, 5), (20, 0, 5), (20, 0, 1)) for b in (0, 1, 2)],
        lambda told, ranks: [told(ranks.collect_brackets, np.arange(34.0).reshape(2, 17), r0, 0,
            np.array([[low, high]]), np.zeros((2, 2)), np.zeros(35)) for r0 in (3, 9, 17, 40) for
            low, high in ((0.0, 2.0), (15.0, 25.0), (33.0, 99.0))],
        lambda told, neighbors: [told(neighbors.outside_fold, np.array([[1, 2, 3], [0, 2, 3], [3,
            0, 1], [2, 1, 0]]), k, np.array(f), np.full((4, k), 7)) for k in (1, 2, 3) for f in
            ([0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 1, 1])],
        lambda told, contingency: [told(contingency.count_dense, np.array(a), np.array(b),
            np.zeros((3, 2), int)) for a, b in (([-1, 1], [-1, 0]), ([1, 2], [0, 0]), ([1, 1], [0,
            1]), ([0, 1, 1], [0, 0, -1]), ([-1, -2], [0, 0]))],
        lambda told, kmedoids, cdist_of: [told(kmedoids.swap, cdist_of(s),
            np.random.default_rng(s).permutation(7)[:s % 3 + 1], 20) for s in range(12)],
        lambda told, resamples, X: [told(resamples.nearest_means, X, np.array(t), np.array(l),
            np.arange(9), np.zeros(9, int)) for t, l in (([0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2]),
            ([8, 7, 6], [1, 1, 0]), ([0, 0, 1], [0, 1, 1]))],
        lambda told, pairs: [told(pairs.add_scores, np.array([[1.0, 2], [3, 1]]), np.array(a),
            np.array(b), r, np.zeros(2)) for a, b in (([0.0, 1], [0.0, 1]), ([1.0, 2], [2.0, 4]),
            ([2.0, -1], [1.0, 0.5])) for r in (True, False)],
        lambda told, centroids: [told(centroids.between_centroids, np.arange(k)[:, None] / 64,
            np.arange(k) / 4, 0, k, np.full((4, k), 7.0)) for k in (2, 4)],
    ],
    "moves": [
        lambda moves: [moves(code, [0, 1, 0, 1, 0, 1, 0, 1, 1], k=2, others=(0.5, 2.0)) for code in
            (4, 5, 6)],
        lambda moves: [moves(code, [0, 0, 0, 0, 1, 1, 1, 1, 2], tolerance=0.1) for code in
            range(7)],
        lambda moves: [["".join(map(str, found[1])), found[0]] for code in (5, 6) for others in
            ((0.0, 0.0), (5.0, 2.0), (1.0, 9.0)) for s in range(9) for found in [moves(code,
            np.random.default_rng(s).permutation(np.arange(9) % 3), others=others)]],
    ],
    "dip": [
        lambda dip: [dip.dip(np.sort(np.array(x, float))) for x in ([], [1], [1, 1], [1, 2], [1, 1,
            2], [0, 0, 5, 5], [0, 1, 2, 3], [0, 0.1, 0.2, 5, 5.1, 5.2], [0, 1, 1, 1, 2, 7, 8, 8,
            9], [1, 2, 4, 8, 16, 32], [32, 48, 56, 60, 62, 63])],
        lambda dip: [dip.dip(np.sort(np.random.default_rng(s).integers(0, 3 * s + 9, s +
            5).astype(float))) for s in range(40)],
        lambda dip: [dip.dip(np.sort(np.r_[np.random.default_rng(s).normal(size=s + 9), 5 +
            np.random.default_rng(s + 50).normal(size=2 * s + 9)])) for s in range(9)],
        lambda dip: ([dip.dip(np.sort(np.random.default_rng(s).choice([0.0, 1, 2, 5, 6, 7], s % 7 +
            3))) for s in range(60)], [dip.dip(np.sort(np.random.default_rng(s).exponential(size=s
            % 23 + 4).round(2))) for s in range(60)]),
        lambda dip: [dip.dip_evidence(np.array(x, float)) for x in ([0, 1, 2], [0, 1, 2, 3], [0, 0,
            9, 9], [0, 0, 0, 0], [0, 1, 1, 2, 9, 9, 9])],
    ],
    "np": [
        lambda dip: [dip.dip_evidence(np.array(x, float)) for x in ([0, 1, 9], [0, 0.1, 9, 9.1],
            [0, 0.1, 0.2, 9, 9.1, 9.2], np.arange(20))],
    ],
    "labels": [
        lambda labels, told, documents, R, X: [told(documents.assign, R, X[:7], [1.0, 2, 3], start,
            slack, np.zeros(9)) for start in (np.full(9, -1), labels, np.full(9, 2), np.zeros(9,
            int)) for slack in (0.0, 2.0)],
    ],
    "single": [
        lambda single: [single([0, 1, 2, 0, 1, 2, 0, 1, 2], balanced, 3, slack=0.3) for balanced in
            (True, False)],
    ],
    "more": [
        lambda evidence, more: [vars(stacked)[key] if False else getattr(stacked, key) for stacked
            in (evidence.StackedClusters.of(more), evidence.StackedClusters.of(more[::-1])) for key
            in ("place", "starts", "numbers", "sizes")],
        lambda evidence, more: [(c.totals(more + 0.5), c.sums(c.sizes), c.lowest(c.sizes),
            c.highest(c.sizes), c.mean(np.arange(5.0))) for c in
            [evidence.StackedClusters.of(more)]],
        lambda evidence, more, labels: (evidence.pair_agreement(np.vstack([more, labels,
            np.zeros(9, int), more[0]]), np.array([2, 3, 3, 1, 2])),
            evidence.pair_agreement(np.array([[0, 1, 2], [2, 0, 1], [0, 0, 0]]), np.array([3, 3,
            1]))),
        lambda more, labels, told, evidence, near: [told(evidence.neighbor_evidence, near[:, ::-1],
            evidence.StackedClusters.of(codes), K, np.zeros((len(codes), 10))) for codes in (more,
            np.array([labels, labels % 2]), np.zeros((1, 9), int)) for K in (1, 2, 3, 4)],
    ],
    "hypergeometric": [
        lambda hypergeometric: [hypergeometric.log_tail(m, n, a, b)[2] * 1e14 for m, n, a, b in
            ((5, 7, 2, 0), (5, 7, 2, 3), (5, 7, 3, 4), (30, 40, 6, 8), (30, 40, 15, 3), (500, 600,
            20, 300), (500, 600, 300, 20))],
        lambda hypergeometric: [hypergeometric.b_max(4, 6, a, hypergeometric.log_bucket(4, 6, a, b)
            + e) for a in (0, 1, 2) for b in (1, 3, 6) for e in (-1e-9, -1e-17, 0.0, 1e-17, 1e-9)],
    ],
    "D": [
        lambda D, tied, told, kmedoids: [told(kmedoids.swap, D, np.array(medoids), max_iter) for D
            in (D, tied) for medoids in ([0], [0, 1], [2, 5, 7], [0, 1, 2, 3]) for max_iter in (0,
            1, 2, 9)],
    ],
    "modes": [
        lambda modes: [modes.two_against_one(np.sort(np.random.default_rng(s).integers(0, 60, 20 +
            s) / 8 + 9 * (np.arange(20 + s) % 3 == 0))) for s in range(4)],
        lambda modes: (modes.two_against_one((np.arange(401) + 300 * (np.arange(401) > 180)) / 64),
            modes.line_evidence(np.r_[np.arange(10), 30 + np.arange(10)] / 3.0)),
        lambda modes: [modes.two_against_one(np.sort(np.random.default_rng(s).integers(1, 99, 40)
            ** 2 / 999 + np.where(np.arange(40) % 4 == 0, 9 + s, 0))) for s in range(6)],
    ],
    "permutation_model": [
        lambda permutation_model: [permutation_model.deviance(x, mu) for x, mu in ((0, 2.0), (2.0,
            2.0), (9.0, 8.0), (9.0, 7.9), (7.0, 8.0), (6.9, 8.0), (20.0, 3.0))],
        lambda permutation_model: [permutation_model.mean_deviance(n, a, b, a * b / n) for n, a, b
            in ((1, 1, 1), (2, 1, 1), (9, 4, 5), (9, 9, 3), (9, 1, 8), (50, 20, 30), (4000, 1500,
            2000), (3000, 1000, 1500), (60, 2, 58))],
        lambda permutation_model: (permutation_model.mean_deviances(np.array([2, 3, 4]),
            np.array([5, 4]), 9), permutation_model.sum_deviance(np.array([0, 0, 1]), np.array([0,
            1, 1]), np.array([2, 3, 4]), np.array([5, 4]), np.array([2, 7]), 9)),
    ],
    "a4": [
        lambda permutation_model, a4, m4: permutation_model.variance_of_row(0, *(a4, m4) * 2, 4000,
            permutation_model.mean_deviances(a4, a4, 4000)),
    ],
    "placed": [
        lambda placed: (placed(True), placed(False)),
        lambda placed, X: [placed(by, at=X[[1, 0, 3, 6, 2, 5, 4]]) for by in (True, False)],
    ],
    "tied": [
        lambda ranks, tied: [ranks.largest(tied[2:6, 1:5], r0, j0) for r0, j0 in ((2, 1), (2, 2),
            (6, 1), (2, 4), (4, 3))],
        lambda ranks, tied: [ranks.least(tied[2:6, 1:5], r0, j0, low, high) for r0, j0 in ((2, 1),
            (6, 1), (2, 4)) for low, high in ((0.0, 4.0), (1.0, 2.0), (1.0, 9.0), (3.0, 3.0), (2.0,
            4.0))],
        lambda tied, D, grown: [grown(row, at) for at, row in ((0, tied[0]), (3, tied[3]), (8,
            D[8]))],
    ],
    "ranks": [
        lambda ranks: [ranks.merged_rank_sum(np.array(a, float), np.array(b, float)) for a, b in
            (([1, 2, 2, 4], [0, 2, 3, 4, 4]), ([1], [1]), ([], [1]), ([1, 1], []), ([3, 4], [1,
            2]), ([1, 2], [3, 4]))],
        lambda ranks: [ranks.merged_rank_sum(np.sort(np.random.default_rng(s).integers(0, 5, s %
            5)).astype(float), np.sort(np.random.default_rng(s + 9).integers(0, 5, s %
            4)).astype(float)) for s in range(20)],
    ],
    "sequence": [
        lambda sequence: [sequence.log_evidence(m, n, a, b) for m, n, a, b in ((5, 7, 0, 0), (5, 7,
            2, 3), (5, 7, 2, 0), (5, 7, 1, 7), (5, 7, 0, 8), (30, 40, 3, 20), (30, 40, 20, 1), (1,
            1, 0, 1), (5, 7, 5, 2))],
        lambda sequence: [sequence.b_always(m, n, a, log_delta) for m, n, a in ((0, 7, 0), (5, 7,
            5), (5, 7, 2), (30, 40, 3), (30, 40, 0), (8, 90, 1), (1, 1, 0), (60, 50, 30)) for
            log_delta in (-0.01, -1.0, -3.0, -20.0)],
    ],
    "X": [
        lambda X, told, spanning_trees: [told(spanning_trees.euclidean_tree, x, core) for x, core
            in ((X, np.zeros(9)), (X, np.arange(9.0)), (np.round(X), np.zeros(9)), (X[:1],
            np.zeros(1)), (np.zeros((4, 2)), np.zeros(4)))],
        lambda spanning_trees, X: [spanning_trees.path_lengths(X, np.array(reach, float), start)
            for reach in (np.full(9, 12.0), np.arange(9.0) * 2, np.zeros(9), np.full(9, 99.0)) for
            start in (0, 4)],
    ],
    "spanning_trees": [
        lambda spanning_trees: [spanning_trees.genie_order(np.stack([np.arange(1, 20),
            (np.arange(1, 20) * 7 % 19) * np.arange(1, 20) // 19], axis=1)[::step], threshold) for
            step in (1, -1) for threshold in (0.1, 0.2, 0.3, 0.4, 0.6)],
        lambda spanning_trees: [spanning_trees.path_lengths(np.array([[0.0], [1], [2], [4], [9]]),
            np.array(reach, float), start) for reach in ([1, 1, 1, 1, 1], [1, 1, 4, 1, 9], [4, 0,
            0, 0, 25]) for start in (0, 2)],
    ],
    "stopping": [
        lambda stopping: [stopping.first_stops(np.array(checks), rate) for checks in ([3], [3, 5],
            [2, 4, 9], [1, 2, 3], [1, 1, 5], [5, 20, 21]) for rate in (0.1, 0.5)],
        lambda stopping: [stopping.first_stops(np.array(c), r) for c in ([1], [2, 3], [4, 8, 16],
            [10, 11, 12]) for r in (.05, .2, .5, .9)],
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
