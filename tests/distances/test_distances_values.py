"""Values of distances: every distance of small data, matrices, graphs, and neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from sortal import distances
from values import attempt, table_test


def fixtures() -> dict[str, Any]:
    """Small dense and sparse data with rows of zeros, copies and ties."""
    rng = np.random.default_rng(0)
    X = rng.random((7, 4)).round(2)
    X[3], X[5] = X[2], 0.0
    wide = rng.normal(size=(30, 40))
    S = sparse.csr_array(X * (X > 0.4))
    weights = np.array([1.0, 2, 0.5, 1, 3, 1, 1])
    plain = [m for m in distances.METRICS if m not in ("precomputed", "graph", "minkowski:P")]

    def blocks(X: Any, metric: Any, **options: Any) -> Any:
        """Distances of part of the rows, of taken rows, and what they are."""
        try:
            found = distances.as_distances(X, metric, **options)
            taken = found.take(np.array([4, 0, 2])).block(slice(0, 3), slice(0, 3))
            part = found.block(slice(0, 3), slice(1, 6))
            return part, taken, found.n, found.squared, found.symmetric, found.uses_blas
        except ValueError as error:
            return str(error)

    def apart(x: Any, y: Any) -> float:
        """A distance by a function."""
        return float(np.abs(x - y).max())

    exact = rng.integers(-8, 9, (12, 3)) / 4
    broad = rng.integers(-2, 3, (14, 20)) / 2
    D = distances.square(X[:, :3], "cityblock")
    calls: list[int] = []

    def counted(x: Any, y: Any) -> float:
        """A distance that counts its calls."""
        calls.append(1)
        return apart(x, y)

    def stored() -> Any:
        """Distances that are stored, and how often the function is called for others."""
        it = distances.StoredDistances(counted, X, distances.square(X, "chebyshev"))
        calls.clear()
        inside = it.between(X[:2], X[2:5]), len(calls)
        outside = it.between(X[:2], X[2:4] + 1), len(calls)
        return inside, outside, it(X[0], X[1]), it.__qualname__

    return {
        "plain": plain, "blocks": blocks, "S": S, "X": X, "weights": weights, "wide": wide,
        "apart": apart, "D": D, "stored": stored, "exact": exact, "broad": broad,
    }  # fmt: skip


# fmt: off
CASES = {
    "plain": [
        lambda plain: plain,
    ],
    "blocks": [
        lambda blocks, S: {m: blocks(S, m) for m in ("euclidean", "cosine", "cityblock",
            "extended_jaccard", "correlation", "jaccard", "sqeuclidean", "chebyshev")},
        lambda blocks, X: {m: blocks(X, m, exact=True) for m in ("euclidean", "cosine",
            "cityblock", "sqeuclidean", "extended_jaccard")},
        lambda blocks, X, weights: {m: blocks(X, m, weights=weights) for m in ("seuclidean",
            "mahalanobis", "euclidean")},
        lambda blocks, wide: {m: blocks(wide, m) for m in ("euclidean", "cosine", "spearman",
            "cityblock", "minkowski:3", "mahalanobis")},
        lambda blocks, X, apart, S: (blocks(X, apart), blocks(S, apart)),
        lambda blocks, X: blocks(X, lambda x, y: x[0] - y[0]),
        lambda blocks, X: blocks(X, lambda x, y: np.nan),
        lambda blocks, X: blocks(X, lambda x, y: -1.0),
        lambda blocks, X: blocks(X, "graph"),
        lambda blocks, X: blocks(X - 1, "kl"),
        lambda blocks, X: blocks(X, "kl"),
        lambda blocks, D: blocks(D, "precomputed"),
        lambda blocks, X: [blocks(X, f) for f in (lambda x, y: float(np.abs(x - y).sum() * (1 +
            (x[0] < y[0]))), lambda x, y: float(np.abs(x - y).sum() + 1), lambda x, y: -1e-10,
            lambda x, y: float("inf"))],
    ],
    "check_metric": [
        lambda: [distances.check_metric(m) for m in ("manhattan", "l1", "l2", "minkowski",
            "minkowski:1", "minkowski:2", "minkowski:inf", "minkowski:1.5", "cosine")],
        lambda: distances.check_metric("what"),
        lambda: distances.check_metric("minkowski:P"),
        lambda: distances.check_metric("minkowski:x"),
        lambda: distances.check_metric("minkowski:0"),
        lambda: distances.check_metric("minkowski:-1"),
    ],
    "metric_name": [
        lambda apart: [distances.metric_name(m) for m in ("cosine", apart)],
    ],
    "ALIASES": [
        lambda: (distances.ALIASES, distances.METRICS, distances.FORMS, distances.OBJECT_METRICS),
    ],
    "embed": [
        lambda X: [distances.embed(X, m, length=2.0) for m in ("euclidean", "cosine",
            "correlation", "spearman", "seuclidean")],
        lambda X: distances.embed(X[:1], "seuclidean"),
        lambda S, X: (distances.embed(S, "cosine").toarray(), distances.embed(S[:2],
            "cosine").shape, distances.embed(X[:2], "cosine").shape),
        lambda S: distances.embed(S, "correlation"),
        lambda X: distances.embed(np.column_stack([X, X[:, 0]]), "mahalanobis"),
        lambda X: distances.embed(np.column_stack([X, X[:, 0] * 0]), "seuclidean")[:, -1],
    ],
    "square": [
        lambda X: [distances.square(X, m) for m in ("euclidean", "cosine")],
        lambda X, apart, D: (distances.square(X[:3], apart), distances.square(D, "precomputed") is
            D),
        lambda wide: distances.square(wide, "euclidean")[3:5, 3:7],
        lambda exact: [attempt(distances.square, np.array([[0.0, 1], [2, 0]]), "precomputed"),
            attempt(distances.square, np.abs(exact), "kullback_leibler"),
            attempt(distances.condensed, np.array([[0.0, 1], [2, 0]]), "precomputed")],
        lambda: [distances.square(Z, "extended_jaccard") for Z in (np.array([[0.0, 0], [0, 0], [1,
            2]]), sparse.csr_array(np.array([[0.0, 0], [0, 0], [1, 2]])))],
    ],
    "condensed": [
        lambda X, apart, D: (distances.condensed(X[:4], "cityblock"), distances.condensed(X[:3],
            apart), distances.condensed(D, "precomputed")[:4]),
    ],
    "distance_matrix": [
        lambda X: distances.distance_matrix(X[:4], "cosine"),
    ],
    "as_square": [
        lambda: distances.as_square([[0, 1], [1, 0]]),
        lambda: distances.as_square([1.0, 4, 3]),
        lambda: distances.as_square([1.0, 4]),
        lambda: distances.as_square([[0, 1, 2], [1, 0, 3]]),
        lambda: distances.as_square([[0, np.nan], [np.nan, 0]]),
        lambda: distances.as_square([[0, np.inf], [np.inf, 0]]),
        lambda: distances.as_square([[0, -1], [-1, 0]]),
        lambda: distances.as_square([[1, 0], [0, 1]]),
        lambda: distances.as_square([[0, 1], [2, 0]]),
        lambda: distances.as_square([[0, 1], [2, 0]], symmetric=True),
        lambda: distances.as_square(sparse.eye(3)),
        lambda: distances.as_square(np.array([[1e-13, 1, 2], [1 + 1e-13, -1e-13, 3], [2, 3, 0]])),
        lambda: distances.as_square(np.array([[0, 1e200], [1e200, 0]])),
        lambda: distances.as_square(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["b",
            "a"])),
        lambda: distances.as_square(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["c",
            "d"])),
        lambda: distances.as_square(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"])),
        lambda: ((lambda M: [distances.as_square(M) is M, distances.as_square(M +
            1e-15).flags.owndata])(np.array([[0.0, 1], [1, 0]])), [attempt(distances.as_square,
            pd.DataFrame(np.zeros((2, 2)), index=list(r), columns=list(c))) for r, c in (("ab",
            "ab"), ("ab", "ba"), ("ab", "ac"), ([0, 1], "ab"), ("ab", [0, 1]), ([1, 0], [0, 1]),
            ([5, 6], [6, 5]))], attempt(distances.as_square, pd.DataFrame(np.zeros((2, 3))))),
        lambda: [(lambda D: [bool((D == D.T).all()), float(D.min()) * 1e13, float(D.max() - 1) *
            1e13, float(np.trace(D))])(distances.as_square(np.array(M))) for M in ([[0.0, 1], [1 +
            1e-13, 0]], [[0, 1 + 1e-10], [1 + 1e-10, -1e-13]], [[0.0, 1, -1e-13], [1, 0, 1],
            [-1e-13, 1, 0]], [[1e-13, 1], [1, 0]])],
        lambda: [attempt(distances.as_square, v) for v in (np.array([1.0]), np.array([1.0, 2, 3]),
            np.array([]), np.arange(1.0, 7), np.arange(5.0))],
        lambda: [attempt(distances.as_square, np.array(M)) for M in ([[0, 1e308], [-1e308, 0]],
            [[1e308, 1e308], [1e308, 1e308]], [[0, -np.inf], [np.inf, 0]], [[0, 1.0], [np.nan,
            0]])],
    ],
    "as_graph": [
        lambda: distances.as_graph([[0, 1, 0], [1, 5, 2], [0, 2, 0]]).toarray(),
        lambda: distances.as_graph(sparse.csr_array([[0, 1], [1, 0]])).toarray(),
        lambda: distances.as_graph(sparse.csr_array(([1.0, 1, 0], ([0, 1, 0], [1, 0, 0])),
            shape=(2, 2))).nnz,
        lambda: distances.as_graph([[0, 0], [0, 3]]),
        lambda: distances.as_graph([[0, -1], [-1, 0]]),
        lambda: distances.as_graph([[0, 1], [2, 0]]),
        lambda: distances.as_graph([[0, 1, 2]]),
        lambda: ([attempt(distances.as_graph, A) for A in (np.eye(4)[::-1], np.ones((3, 3)),
            np.zeros((2, 2)), -np.eye(2)[::-1], np.triu(np.ones((3, 3)), 1), np.zeros((2, 3)),
            np.eye(3))], [(lambda G: [G.toarray(), G.nnz])(distances.as_graph(A)) for A in
            (np.eye(4)[::-1], sparse.csr_array(np.ones((3, 3))), sparse.csr_array((np.array([1.0,
            0, 1, 0]), (np.array([0, 1, 1, 2]), np.array([1, 2, 0, 1]))), shape=(3, 3)),
            np.array([[0, 1.0], [1 + 1e-10, 0]]))]),
        lambda: (lambda A: [distances.as_graph(A).nnz, A.nnz,
            A.diagonal()])(sparse.csr_array(np.ones((3, 3)))),
        lambda: [attempt(distances.as_graph, sparse.csr_array(np.array([[0, s], [s * (1 + e),
            0]]))).nnz if not isinstance(attempt(distances.as_graph, sparse.csr_array(np.array([[0,
            s], [s * (1 + e), 0]]))), str) else "asymmetric" for s in (1.0, 1e6, 1e-6) for e in
            (0.0, 5e-10, 2e-9)],
    ],
    "triangle_violations": [
        lambda: [distances.triangle_violations(np.array(d, dtype=float)) for d in ([[0, 1, 5], [1,
            0, 1], [5, 1, 0]], [[0, 1, 2], [1, 0, 1], [2, 1, 0]], [[0, 1], [1, 0]])],
        lambda: [distances.triangle_violations(M) for M in (np.zeros((2, 2)), np.array([[0.0, 1,
            5], [1, 0, 1], [5, 1, 0]]), np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]]),
            np.abs(np.arange(6.0)[:, None] - np.arange(6)) ** 2, np.array([[0.0, 1, 2 + 1e-10], [1,
            0, 1], [2 + 1e-10, 1, 0]]))],
        lambda: [distances.triangle_violations(np.array([[0, 1, 5.0], [1, 0, 1], [5, 1, 0]])),
            distances.triangle_violations(np.abs(np.arange(7.0)[:, None] - np.arange(7)) ** 2)],
    ],
    "object_distances": [
        lambda: distances.object_distances([(1,), (3,)], lambda a, b: abs(a[0] - b[0])),
        lambda: distances.object_distances(range(60), lambda a, b: abs(a - b))[3, :5],
        lambda: distances.object_distances(range(60), lambda a, b: a - b if a > b else 2 * (b - a)),
        lambda: distances.object_distances(["a", "b", "c"], lambda a, b: "x"),
        lambda: distances.object_distances(["a", "b", "c"], lambda a, b: -1),
        lambda: distances.object_distances(["a", "b", "c"], lambda a, b: np.inf),
        lambda: distances.object_distances(["a"], "edit"),
        lambda: distances.object_distances(["a", "b"], "what"),
    ],
    "stored": [
        lambda stored: stored(),
    ],
    "Product": [
        lambda exact, broad: ([distances.Product(Z, squared=s).block(slice(0, 3), slice(1, 6)) for
            s in (True, False) for Z in (exact, broad, exact + 100)], [distances.Product(broad,
            squared=True).take(np.array([3, 1, 8])).block(slice(0, 3), slice(0, 3)),
            distances.Product(broad, squared=True).norms, distances.Product(broad,
            squared=True).uses_blas]),
    ],
    "Precomputed": [
        lambda: ((lambda p: [p.take(np.array([1, 0])).__dict__.keys() and "symmetric" in
            p.take(np.array([1, 0])).__dict__, p.symmetric, "symmetric" in p.take(np.array([1,
            0])).__dict__, p.take(np.array([1, 0])).symmetric, p.take(np.array([4, 2,
            0])).take(np.array([2, 1])).block(slice(0, 2), slice(0,
            2))])(distances.Precomputed(np.abs(np.arange(5.0)[:, None] - np.arange(5)))),
            distances.Precomputed(np.triu(np.ones((3, 3)))).symmetric),
    ],
    "as_distances": [
        lambda: [(type(distances.as_distances(np.ones((3, d)) * np.arange(3)[:, None], m,
            exact=e)).__name__, distances.as_distances(np.ones((3, d)) * np.arange(3)[:, None], m,
            exact=e).squared) for d in (63, 64) for m in ("euclidean", "sqeuclidean", "cosine",
            "seuclidean") for e in (True, False)],
    ],
    "Direct": [
        lambda: [distances.Direct(np.array([[0.0] * 9, [2.0**27] + [1.0] * 8, [1.0] * 8 +
            [2.0**27]]), 0, squared=False, ordered=True).block(slice(0, 1), slice(1, 3)) - 2.0**54],
        lambda: [(distances.Direct(np.array([[0.0] * 4, v]), 0, squared=False,
            ordered=True).block(slice(0, 1), slice(1, 2)) - 1 - 2.0**-29) * 2.0**52 for v in
            ([2.0**-27, 2.0**-27, 1 + 2.0**-30, 0], [0.0, 2.0**-27, 2.0**-27, 1 + 2.0**-30])],
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
