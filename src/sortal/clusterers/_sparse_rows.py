"""Base of the clusterers of sparse rows: starts, empty rows, the best of several runs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sortal._kernels import documents as kernels
from sortal.clusterers._estimator import BaseClusterer
from sortal.runtime.validation import InputError, check_random_state, validated

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import ArrayLike, Bools, Floats, Ints, RandomState, Rows

#: limit of cost: steps after which sums are computed anew, so that rounding does not add up
AFRESH = 20


@dataclass
class Run:
    """Result of one start.

    ``centers`` are columns (d, k). ``columns`` (d, k), by default the centers, and ``bias`` (k,)
    score a row against the clusters. ``path`` has the objective after each step, and ``learned``
    further attributes of the estimator.
    """

    labels: Ints
    path: list[float]
    converged: bool
    centers: NDArray[Any]
    columns: NDArray[Any] | None = None
    bias: NDArray[Any] | None = None
    learned: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class RowClusterer(BaseClusterer):
    """Base of the clusterers that never make sparse rows dense."""

    _norm = "l2"
    #: how far spherical k-means goes where ``init`` names it; empty if it is no start
    _spherical_start: ClassVar[Literal["", "batch", "refined"]] = ""
    _counts: ClassVar[tuple[str, ...]] = ("n_clusters", "n_init", "max_iter")

    n_clusters: int = 8
    _: KW_ONLY
    init: Any = "k-means++"
    n_init: int = 10
    max_iter: int = 300
    random_state: RandomState = None

    @abstractmethod
    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Optimise the clustering, starting from labels."""

    def fit(self, X: ArrayLike, y: object = None) -> Any:
        """Cluster the rows of X."""
        data = self._rows(X)
        rows = unit_rows(data, self._norm)
        self._full: Bools = np.diff(rows.indptr) > 0
        full = self._full
        rows_with_terms = rows if full.all() else rows[full]
        k = _most_clusters(rows_with_terms, self.n_clusters)
        if k < self.n_clusters:
            self._warn(
                f"there are {k} distinct rows that are not empty, so {max(k, 1)} clusters are made "
                f"instead of {self.n_clusters}"
            )
        if k == 0:
            best = Run(np.zeros(0, np.int64), [0.0], True, np.zeros((data.shape[1], 1)))
        else:
            best = self._best(rows_with_terms, k)
        if not best.converged:
            self._warn(f"not settled after max_iter={self.max_iter} iterations; raise max_iter")
        # a row without entries is similar to no cluster: it goes to the largest
        self._empty_label = int(np.bincount(best.labels, minlength=1).argmax())
        self.labels_ = np.full(data.shape[0], self._empty_label, dtype=np.int32)
        self.labels_[full] = best.labels
        centers = best.centers.astype(data.dtype, copy=False)
        self.cluster_centers_ = np.ascontiguousarray(centers.T)
        self._columns = centers if best.columns is None else best.columns
        no_bias = np.zeros(centers.shape[1], dtype=data.dtype)
        self._bias = no_bias if best.bias is None else best.bias
        self.objective_ = best.path[-1]
        self.objective_path_ = np.array(best.path)
        self.n_iter_ = len(best.path)
        for name, value in best.learned.items():
            setattr(self, name, value)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Best-fitting cluster of each row; an empty row goes to the largest."""
        rows, out = self._scores(X)
        labels = out.argmax(axis=1).astype(np.int32)
        labels[np.diff(rows.indptr) == 0] = self._empty_label
        return labels

    def _scores(self, X: ArrayLike) -> tuple[csr_array, NDArray[Any]]:
        """Unit rows of X, and their scores for each cluster."""
        check_is_fitted(self)
        data = validated(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        rows = unit_rows(data, self._norm)
        out = np.empty((rows.shape[0], self._columns.shape[1]))
        kernels.scores(arrays(rows), self._columns, self._bias, out)
        return rows, out

    def _best(self, rows: csr_array, k: int) -> Run:
        """Best result of all starts."""
        best: Run | None = None
        has_centers = not isinstance(self.init, str)
        for rng in check_random_state(self.random_state).spawn(1 if has_centers else self.n_init):
            run = self._run(rows, self._start(rows, k, rng), k)
            if best is None or run.path[-1] > best.path[-1]:
                best = run
        assert best is not None
        return best

    def _start(self, rows: csr_array, k: int, rng: np.random.Generator) -> Ints:
        """Initial labels: those near seeds, or those of spherical k-means from there."""
        init = "" if not isinstance(self.init, str) else self.init
        if init != "spherical-k-means" or not self._spherical_start:
            return self._near_seeds(rows, k, rng, self.init)
        labels = self._near_seeds(rows, k, rng, "k-means++")
        unit = rows if self._norm == "l2" else unit_rows(rows, "l2")
        batch_steps(unit, labels, k, self.max_iter)
        if self._spherical_start == "refined":
            single_moves(unit, labels, k, self.max_iter, balanced=False)
        return labels

    def _near_seeds(
        self, rows: csr_array, k: int, rng: np.random.Generator, init: str | npt.ArrayLike
    ) -> Ints:
        """Labels by the nearest of k seeds."""
        unit = rows if self._norm == "l2" else unit_rows(rows, "l2")
        if isinstance(init, str):
            if init == "k-means++":
                chosen = _spread_seeds(unit, k, rng)
            elif init == "random":
                chosen = rng.choice(rows.shape[0], k, replace=False).tolist()
            else:
                raise InputError(
                    f"init must be 'k-means++', 'random' or an array of centers; got {self.init!r}"
                )
            centers = np.ascontiguousarray(unit[chosen].T.toarray())
        else:
            centers = self._init_centers(rows, k)
        labels = np.full(rows.shape[0], -1, dtype=np.int64)
        reached = np.empty(rows.shape[0])
        kernels.assign(arrays(unit), centers, np.zeros(k, rows.dtype), labels, 0.0, reached)
        fill_empty(labels, reached, k)
        return labels

    def _init_centers(self, rows: csr_array, k: int) -> NDArray[Any]:
        """Centers of ``init``, validated and of length 1, in columns."""
        centers = np.asarray(self.init, dtype=rows.dtype)
        wanted = (self.n_clusters, rows.shape[1])
        if centers.shape != wanted:
            raise InputError(
                f"init has shape {centers.shape}; wanted are centers of shape {wanted}"
            )
        lengths = np.linalg.norm(centers, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise InputError("init has a center that is 0, infinite or missing")
        return np.ascontiguousarray((centers / lengths)[:k].T)


def arrays(rows: csr_array) -> kernels.SparseRows:
    """Arrays of a CSR matrix, in the form that kernels take."""
    return kernels.SparseRows(rows.indptr, rows.indices, rows.data)


def unit_rows(X: Rows, norm: str) -> csr_array:
    """Rows of X scaled to length 1 (``l2``) or sum 1 (``l1``); they share its structure."""
    from scipy import sparse
    from sklearn.utils.extmath import row_norms

    csr = sparse.csr_array(X)
    if (csr.data == 0).any():
        csr = csr.copy()
        csr.eliminate_zeros()
    lengths = row_norms(csr) if norm == "l2" else np.asarray(csr.sum(axis=1)).ravel()
    lengths = np.where(lengths > 0, lengths, 1).astype(csr.dtype)
    values = csr.data / np.repeat(lengths, np.diff(csr.indptr))
    # kernels are compiled once for indices of 32 bits, not again for longer ones
    index = np.int32 if max(csr.nnz, csr.shape[1]) < 2**31 else np.int64
    indices, indptr = (array.astype(index, copy=False) for array in (csr.indices, csr.indptr))
    return sparse.csr_array((values, indices, indptr), shape=csr.shape)


def _most_clusters(rows: csr_array, k: int) -> int:
    """Number of distinct rows, at most ``k``."""
    seen: set[tuple[bytes, bytes]] = set()
    for i in range(rows.shape[0]):
        entries = slice(rows.indptr[i], rows.indptr[i + 1])
        values = np.round(
            rows.data[entries].astype(np.float64), 6 if rows.dtype == np.float32 else 12
        )
        seen.add((rows.indices[entries].tobytes(), values.tobytes()))
        if len(seen) == k:
            return k
    return len(seen)


def _spread_seeds(unit: csr_array, k: int, rng: np.random.Generator) -> list[int]:
    """Seeds by k-means++ with 1 - cosine, half the squared distance of unit rows."""
    n = unit.shape[0]
    chosen = [int(rng.integers(n))]
    nearest = np.full(n, -1.0)
    while len(chosen) < k:
        seed = unit[[chosen[-1]]].toarray().ravel()
        np.maximum(nearest, unit @ seed, out=nearest)
        far = 1 - nearest
        far[far < 1e-6] = 0
        total = far.sum()
        chosen.append(int(rng.choice(n, p=far / total)) if total > 0 else int(rng.integers(n)))
    return chosen


def fill_empty(labels: Ints, reached: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Move to each empty cluster the row that fits its cluster worst; returns these rows."""
    sizes = np.bincount(labels, minlength=k)
    moved = []
    for empty in np.flatnonzero(sizes == 0):
        free = np.flatnonzero(sizes[labels] > 1)
        if len(free) == 0:
            break
        row = free[np.argmin(reached[free])]
        sizes[labels[row]] -= 1
        sizes[empty] += 1
        labels[row] = empty
        reached[row] = np.inf
        moved.append(row)
    return np.array(moved, dtype=np.intp)


def sums_of(rows: csr_array, labels: Ints, k: int) -> Floats:
    """Sums of the clusters' rows, by feature: shape (d, k)."""
    sums = np.zeros((rows.shape[1], k))
    kernels.move_rows(arrays(rows), np.full(len(labels), -1), labels, sums)
    return sums


def directions(sums: Floats) -> tuple[Floats, Floats]:
    """Columns scaled to length 1, and their previous lengths."""
    lengths = np.sqrt(np.einsum("jh,jh->h", sums, sums))
    return sums / np.where(lengths > 0, lengths, 1.0), lengths


def batch_steps(rows: csr_array, labels: Ints, k: int, max_iter: int) -> tuple[list[float], bool]:
    """Update centers and labels, in place, until no row moves; the path, whether settled."""
    slack = 1e-10 if rows.dtype == np.float64 else 1e-5
    reached, bias = np.empty(len(labels)), np.zeros(k, dtype=rows.dtype)
    path: list[float] = []
    for step in range(max_iter):
        if step % AFRESH == 0:
            sums = sums_of(rows, labels, k)
        centers, lengths = directions(sums)
        path.append(float(lengths.sum()))
        old, columns = labels.copy(), centers.astype(rows.dtype, copy=False)
        moved = kernels.assign(arrays(rows), columns, bias, labels, slack, reached)
        if not moved + len(fill_empty(labels, reached, k)):
            return path, True
        kernels.move_rows(arrays(rows), old, labels, sums)
    return path, False


def single_moves(
    rows: csr_array, labels: Ints, k: int, max_iter: int, *, balanced: bool
) -> tuple[list[float], bool]:
    """Move single rows, in place, until no move improves; the path, whether settled."""
    n = rows.shape[0]
    seen, drift = np.zeros((n, k)), np.zeros(k)
    seen[np.arange(n), labels] = -np.inf
    path: list[float] = []
    sizes = np.bincount(labels, minlength=k)
    for step in range(max_iter):
        if step % AFRESH == 0:
            sums = sums_of(rows, labels, k)
            squares = np.einsum("jh,jh->h", sums, sums)
        if not path:
            path.append(_objective(squares, sizes, n, balanced))
        moved = kernels.single_moves(
            arrays(rows), balanced, labels, sums, squares, sizes, 1e-9 if n < 1e6 else 1e-7, seen,
            drift,
        )  # fmt: skip
        if not moved:
            return path, True
        path.append(_objective(squares, sizes, n, balanced))
    return path, False


def _objective(squares: Floats, sizes: Ints, n: int, balanced: bool) -> float:
    """Objective of clusters with these sizes and squared lengths of sums."""
    lengths = np.sqrt(np.maximum(squares, 0.0))
    if not balanced:
        return float(lengths.sum())
    share = n / len(sizes)
    return float((share * lengths / sizes - sizes * np.log(sizes / share)).sum())
