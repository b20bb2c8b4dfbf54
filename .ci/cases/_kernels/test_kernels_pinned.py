"""Pinned kernels: what each makes of small arrays, run as plain Python, which compiles nothing."""

from __future__ import annotations

import pickle
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from pinning import Pins
from scipy import sparse
from scipy.spatial.distance import cdist

import sortal._kernels
from sortal._kernels.documents import SparseRows as Rows


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


def names() -> dict[str, Any]:
    """Kernels by their modules, and small arrays with ties."""
    rng = np.random.default_rng(0)
    # values of few binary digits, so that sums are the same in any order
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

    def merged(code: int, rows: int = 9, until: int = 1, step: int = 0) -> Any:
        """Greedy merges of rows by a criterion."""
        kernel, T = modules["criterion_merges"], S[:rows]
        squares, totals = T.power(2).sum(axis=1), T @ S.sum(axis=0)
        clusters = modules["criterion"].Clusters(np.ones(rows, int), squares, totals)
        gains = np.tile([0.0, 0.0, np.inf, -np.inf], (rows, 1))
        partners = kernel.Partners(np.full(rows, -1), np.full(rows, np.inf), gains)
        whole = np.array(modules["criterion"].criterion_value(code, clusters))
        by_column = (lambda T: (T.indptr, T.indices, T.data))(T.tocsc())
        told_of = told(
            kernel.merge_clusters, (T.indptr, T.indices, T.data), by_column, code, whole, clusters,
            partners, np.arange(rows), np.zeros((rows - 1 + step, 4)), step, until,
        )  # fmt: skip
        return told_of[0], told_of[1:]

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

    def spread(start: Any, k: int, added: float, slack: float) -> Any:
        """Moves of rows of sum 1 that raise the information."""
        share = S.toarray() / S.sum(axis=1)[:, None]
        total = sums(start, k, share) + added * share.mean(axis=0)[:, None]
        worths = np.where(total > 0, total * np.log(np.where(total > 0, total, 1)), 0.0)
        return told(
            modules["documents"].distribution_moves, R._replace(data=share[S.nonzero()]), start,
            total, worths, np.bincount(start, minlength=k), added, slack,
        )  # fmt: skip

    def merging(codes: Any, steps: int, ties: int) -> Any:
        """Greedy merges by informativeness."""
        k = max(codes) + 1
        apart = np.round(D[:k, :k]) if ties else D[:k, :k]
        return told(
            modules["informativeness_agglomeration"].agglomerate, near, np.array(codes), apart,
            np.zeros((steps, 2), int), np.zeros(steps + 1),
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
        return told(modules["trees"].grow, row, at, np.arange(9) / 4, reached, edge)

    def cdist_of(seed: int) -> Any:
        """Distances of seven points on a line, some of them ties."""
        at = np.random.default_rng(seed).integers(0, 12, (7, 1)).astype(float)
        return np.abs(at - at.T)

    # logarithms of factorials, labels by clusters and classes
    facs = np.r_[0.0, np.cumsum(np.log2(np.arange(1, 30)))]
    counts = np.array([[3, 0, 1], [0, 2, 2], [5, 1, 0], [0, 0, 0]])
    rank = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]])
    a4, m4 = np.array([1500, 1000]), np.array([2, 1])
    modules = {
        one.name: SimpleNamespace(**uncompiled(f"sortal._kernels.{one.name}"))
        for one in iter_modules(sortal._kernels.__path__)
    }
    return (
        locals() | modules | {"zeros": np.zeros, "full": np.full, "empty": np.zeros, "inf": np.inf}
    )


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
