"""Clusterings that optimise one of CLUTO's seven criteria of cluster sums, by four methods."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from sortal._kernels import criterion as kernels
from sortal._kernels.criterion import Clusters
from sortal._kernels.criterion_merges import Partners, merge_clusters
from sortal.clusterers._sparse_rows import AFRESH, RowClusterer, Run, arrays, directions, sums_of
from sortal.labelings.partitions import cut_dendrogram
from sortal.runtime.validation import InputError, check_choice, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.typing import Bools, Floats, Ints

CRITERIA = {"I1": 0, "I2": 1, "E1": 2, "G1": 3, "G1'": 4, "H1": 5, "H2": 6}
#: criteria to be minimised
_LESS_IS_BETTER = ("E1", "G1", "G1'")
CRITERION_METHODS = ("direct", "bisection", "refined-bisection", "agglomerative")
#: derived: relative gains below this are rounding, some 5,000 units in the last place
_GAIN_TOLERANCE = 1e-12


@dataclass(eq=False, repr=False)
class CriterionClustering(RowClusterer):
    """Clusters of rows that optimise one of CLUTO's criteria.

    Parameters
    ----------
    n_clusters : int, default 8
    criterion : {"I1", "I2", "E1", "G1", "G1'", "H1", "H2"}
        D_r is the sum of the n_r unit rows of cluster r, D that of all rows.

        - greater is better: I1 = Σ∣D_r∣²/n_r, I2 = Σ∣D_r∣, H1 = I1/E1, H2 = I2/E1
        - less is better: E1 = Σ n_r D_r·D/∣D_r∣, G1 = Σ D_r·(D − D_r)/∣D_r∣², and G1' with these
          terms times n_r²
    method : {"direct", "bisection", "refined-bisection", "agglomerative"}
        ``direct`` forms all clusters at once. ``bisection`` repeatedly splits the cluster where the
        criterion gains most; ``refined-bisection`` then moves rows among all clusters.
        ``agglomerative`` starts from single rows and always makes the best merge. It has no starts,
        and :meth:`cut` cuts its tree at any number of clusters.
    init : {"random", "k-means++"} or array of shape (n_clusters, d)
        Seeds of the direct method and of each bisection (there no array).
    n_init : int, default 10
        Starts, of the whole or of each bisection; the best by the criterion counts.
    max_iter : int, default 100
        Most passes over the rows.
    random_state : None, int or Generator

    Attributes
    ----------
    labels_, cluster_centers_, objective_path_, n_iter_, n_features_in_
        As of :class:`SphericalKMeans`.
    criterion_ : float
        Value of the criterion.
    objective_ : float
        The same, negative where less is better, so that greater is.
    linkage_ : ndarray of float64, shape (m-1, 4)
        The tree of the m rows that are not empty, where it is agglomerative, in SciPy's form; the
        heights number the merges.

    Notes
    -----
    Zhao & Karypis (2004), Empirical and theoretical comparisons of selected criterion functions
    for document clustering; agglomerative: Zhao, Karypis & Fayyad (2005), Hierarchical clustering
    algorithms for document datasets. Rows are visited in random order, where there are many in
    blocks of neighbours, and each is moved at once to the cluster that improves the criterion
    most. A bisection optimises the criterion of the whole clustering. O(nnz k) for a pass, memory
    O(d k) beside X. Each merge is the best of all pairs, found lazily by bounds on the gains:
    O(n nnz) for all merges, memory O(nnz + n).

    Examples
    --------
    >>> from sortal.clusterers import CriterionClustering
    >>> X = [[3, 1, 0], [9, 2, 0], [0, 1, 4], [0, 0, 1]]
    >>> labels = CriterionClustering(2, criterion="H2", random_state=0).fit_predict(X)
    >>> labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    _: KW_ONLY
    criterion: Literal["I1", "I2", "E1", "G1", "G1'", "H1", "H2"] = "I2"
    method: Literal["direct", "bisection", "refined-bisection", "agglomerative"] = "direct"
    init: Any = "random"
    max_iter: int = 100

    def _check(self) -> None:
        """Check the criterion, the method and whether centers suit it."""
        check_choice(self.criterion, CRITERIA, "criterion")
        check_choice(self.method, CRITERION_METHODS, "method")
        if self.method != "direct" and not isinstance(self.init, str):
            raise InputError("centers in init are for the direct method, which starts from them")

    def _best(self, rows: csr_array, k: int) -> Run:
        """Best clustering of the rows by the chosen method."""
        if self.method == "direct":
            return super()._best(rows, k)
        objective = _CriterionObjective(rows, self.criterion)
        if self.method == "agglomerative":
            tree = objective.tree()
            labels: Ints = _cut(tree, k).astype(np.int64)
            run = self._run_of(rows, labels, k, [objective.value(labels, k)])
            run.learned["linkage_"] = tree
            return run
        labels = self._bisected(objective, k, check_random_state(self.random_state))
        if self.method == "bisection":
            return self._run_of(rows, labels, k, [objective.value(labels, k)])
        return self._run(rows, labels, k)

    def _run(self, rows: csr_array, labels: Ints, k: int) -> Run:
        """Improve labels by single moves."""
        # the order of the visits depends on the start alone, so that it is repeatable
        rng = np.random.default_rng(labels[: min(len(labels), 1000)] + 1)
        objective = _CriterionObjective(rows, self.criterion)
        return self._run_of(rows, labels, k, *objective.improve(labels, k, self.max_iter, rng))

    def cut(self, n_clusters: int) -> NDArray[np.int32]:
        """Labels for another number of clusters, where the method is agglomerative."""
        check_is_fitted(self)
        if self.method != "agglomerative":
            raise InputError(
                f"method {self.method!r} makes no tree; fit again with n_clusters={n_clusters}, or "
                "use method='agglomerative'"
            )
        rows_labels = _cut(self.linkage_, n_clusters)
        labels = np.full(len(self._full), np.bincount(rows_labels).argmax(), dtype=np.int32)
        labels[self._full] = rows_labels
        return labels

    def _run_of(
        self, rows: csr_array, labels: Ints, k: int, path: list[float], converged: bool = True
    ) -> Run:
        """Result with the centers and the criterion of these labels."""
        sign = -1.0 if self.criterion in _LESS_IS_BETTER else 1.0
        centers = directions(sums_of(rows, labels, k))[0]
        return Run(labels, path, converged, centers, learned={"criterion_": sign * path[-1]})

    def _bisected(self, objective: _CriterionObjective, k: int, rng: np.random.Generator) -> Ints:
        """Labels by repeated bisection."""
        labels = np.zeros(objective.rows.shape[0], dtype=np.int64)
        halves: dict[int, Bools | None] = {}
        for n_clusters in range(1, k):
            others, values = objective.others(labels, n_clusters), np.full(n_clusters, -np.inf)
            for cluster in range(n_clusters):
                members = np.flatnonzero(labels == cluster)
                if cluster not in halves:
                    halves[cluster] = self._split(objective, members, others[cluster], rng)
                half = halves[cluster]
                if half is not None:
                    halved = half.astype(np.int64)
                    values[cluster] = objective.value(halved, 2, members, others[cluster])
            chosen = int(values.argmax())
            half = halves.pop(chosen)
            if half is None:
                break
            labels[np.flatnonzero(labels == chosen)[half]] = n_clusters
        return labels

    def _split(
        self,
        objective: _CriterionObjective,
        subset: Ints,
        others: tuple[float, float],
        rng: np.random.Generator,
    ) -> Bools | None:
        """Best bisection of a subset of the rows; None where they are all alike."""
        if len(subset) < 2:
            return None
        rows = objective.rows[subset]
        best_value, best_half = -np.inf, None
        for start in rng.spawn(self.n_init):
            labels = self._start(rows, 2, start)
            if labels.min() == labels.max():
                continue
            path, _ = objective.improve(labels, 2, self.max_iter, start, subset, others)
            if path[-1] > best_value:
                best_value, best_half = path[-1], labels == 1
        return best_half


def _visits(n: int, rng: np.random.Generator) -> Ints:
    """Row numbers in random order; of many rows, blocks of neighbours stay together."""
    block = min(max(n // 100, 1), 32)
    starts = rng.permutation(np.arange(0, n, block))
    rows = (starts[:, None] + np.arange(block)).ravel()
    return rows[rows < n]


def _cut(tree: Floats, k: int) -> NDArray[np.int32]:
    """Labels of the tree cut into k clusters."""
    single_row = len(tree) == 0 and k == 1  # SciPy has no tree of one row
    return np.zeros(1, dtype=np.int32) if single_row else cut_dendrogram(tree, n_clusters=k)


class _CriterionObjective:
    """Criterion of clusterings of one collection: ``products`` of its rows with their sum."""

    def __init__(self, rows: csr_array, criterion: str) -> None:
        self.rows, self.code = rows, CRITERIA[criterion]
        total = np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()
        self.products = np.asarray(rows @ total, dtype=np.float64)

    def _clusters(
        self, labels: Ints, k: int, subset: Ints | None = None
    ) -> tuple[csr_array, Floats, Floats, Clusters]:
        """Rows of a subset, their products with the collection's sum, cluster sums, clusters."""
        rows = self.rows if subset is None else self.rows[subset]
        products = self.products if subset is None else self.products[subset]
        sums = sums_of(rows, labels, k)
        sizes, totals = np.bincount(labels, minlength=k), np.bincount(labels, products, k)
        return rows, products, sums, Clusters(sizes, np.einsum("jh,jh->h", sums, sums), totals)

    def tree(self) -> Floats:
        """Tree of all greedy merges of single rows, in SciPy's form."""
        n = self.rows.shape[0]
        tree = np.empty((n - 1, 4))
        rows = self.rows.astype(np.float64)
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        clusters = Clusters(np.ones(n, dtype=np.int64), squares, self.products.copy())
        gains = np.tile([0.0, 0.0, np.inf, -np.inf], (n, 1))
        partners = Partners(np.full(n, -1), np.full(n, np.inf), gains)
        value = np.array(kernels.criterion_value(self.code, clusters))
        name, step = np.arange(n), 0
        while step < n - 1:
            # rows are summed as soon as the sums are half as many: shared terms are stored once
            label, step = merge_clusters(
                arrays(rows), arrays(rows.tocsc()), self.code, value, clusters, partners, name,
                tree, step, max(1, len(name) // 2),
            )  # fmt: skip
            alive = np.flatnonzero(clusters.sizes)
            place = np.full(len(name) + 1, -1)
            place[alive] = np.arange(len(alive))
            member = sparse.csr_array(
                (np.ones(len(label)), (place[label], np.arange(len(label)))),
                shape=(len(alive), len(label)),
            )
            rows, name = sparse.csr_array(member @ rows), name[alive]
            clusters = Clusters(*(array[alive] for array in clusters))
            best, bound, gains = (array[alive] for array in partners)
            partners = Partners(place[best], bound, gains)
        return tree

    def others(self, labels: Ints, k: int) -> list[tuple[float, float]]:
        """For each cluster, the numerator and denominator that the other clusters add up to."""
        *_, clusters = self._clusters(labels, k)
        parts = np.array([
            kernels.criterion_value(self.code, Clusters(*(array[h : h + 1] for array in clusters)))
            for h in range(k)
        ])  # fmt: skip
        return [(float(a), float(b)) for a, b in parts.sum(axis=0) - parts]

    def value(
        self,
        labels: Ints,
        k: int,
        subset: Ints | None = None,
        others: tuple[float, float] = (0.0, 0.0),
    ) -> float:
        """Criterion of a subset's clusters together with other clusters; greater is better."""
        *_, clusters = self._clusters(labels, k, subset)
        return self._ratio(clusters, others)

    def _ratio(self, clusters: Clusters, others: tuple[float, float]) -> float:
        """Criterion of clusters together with the numerator and denominator of others."""
        a, b = kernels.criterion_value(self.code, clusters)
        a, b = a + others[0], b + others[1]
        return float(a / b if b > 0 else a)

    def improve(
        self,
        labels: Ints,
        k: int,
        max_iter: int,
        rng: np.random.Generator,
        subset: Ints | None = None,
        others: tuple[float, float] = (0.0, 0.0),
    ) -> tuple[list[float], bool]:
        """Move single rows, in place, until no move improves; the path and whether it settled."""
        path: list[float] = []
        for step in range(max_iter):
            if step % AFRESH == 0:
                rows, products, sums, clusters = self._clusters(labels, k, subset)
            if not path:
                path.append(self._ratio(clusters, others))
            moved = kernels.criterion_moves(
                arrays(rows), self.code, _visits(len(labels), rng), products, others, labels, sums,
                clusters, _GAIN_TOLERANCE,
            )  # fmt: skip
            if not moved:
                return path, True
            path.append(self._ratio(clusters, others))
        return path, False
