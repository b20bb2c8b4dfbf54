"""What internal measures are computed from, for M clusterings of one data set at once.

A measure names the statistics that it reads in ``Measure.needs``; the planner groups the union of
what is asked for into as few passes over the data as possible, and every measure's ``compute``
reads the same :class:`Statistics`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.measures._pair_pass import in_order, pair_pass, split
from karat.partition import NOISE, Labelings
from karat.validation import Data, InputError, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: statistic -> (the pass that gives it, what it is)
STATISTICS = {
    "pair_sums": ("pairs", "sums of distances within and between, per cluster"),
    "silhouettes": ("pairs", "sum of the objects' silhouettes, per cluster"),
    "nearest": ("pairs", "smallest distance within and between, per cluster"),
    "margins": ("pairs", "sum of nearest within / nearest between, per cluster"),
    "diameters": ("pairs", "largest distance within, per cluster"),
    "inverse_square_sums": ("pairs", "sums of 1/d² within and between, per cluster"),
    "linkages": ("pairs", "sum, minimum and maximum of distances, per pair of clusters"),
    "hausdorff": ("pairs", "largest distance to the nearest object, per pair of clusters"),
    "objects": ("pairs", "silhouette, margin and nearest distances, per object"),
    "centroids": ("centroids", "centroids and the spread around them, per cluster"),
    "squared_silhouettes": ("centroids", "silhouettes of squared Euclidean distance, by identity"),
    "simplified_silhouettes": ("centroids", "silhouettes of distances to centroids"),
    "total_spreads": ("centroids", "sum of distances to the mean of all objects"),
    "cross_spreads": ("centroids", "sums of distances to all centroids, per pair of clusters"),
    "extreme_sums": ("selection", "sums of the smallest and largest |P_w| distances"),
    "concordance": ("ranks", "rank sums of the distances within, and ties"),
}
COSTS = {
    "pairs": "O(n² d)",
    "centroids": "O(n d), times k for silhouettes, for each clustering",
    "selection": "two to four passes of O(n² d)",
    "ranks": "O(n² log n + n² M), a pass of O(n² d) for every 4 million pairs",
}
WITH_PRECISION = {
    "objects": "estimated from a sample of the objects",
    "pairs": "estimated from a sample of the pairs",
    "exact": "exact all the same",
    "": "no estimate",
}


@dataclass(frozen=True)
class Plan:
    """The passes over the data that some measures need.

    Attributes
    ----------
    n_objects, n_clusterings : int
    metric : str
    passes : dict of str to tuple of str
        Pass -> the statistics that it gives.
    measures : dict of str to tuple of str
        Measure -> the statistics that it reads.
    sampled : dict of str to str
        Measure -> what it is estimated from where a precision is given: ``"objects"`` or
        ``"pairs"``; ``"exact"`` where it takes no sample. Others have no estimate.
    """

    n_objects: int
    n_clusterings: int
    metric: str
    passes: dict[str, tuple[str, ...]]
    measures: dict[str, tuple[str, ...]]
    sampled: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{self.n_clusterings} clustering{'s' * (self.n_clusterings != 1)} of "
            f"{self.n_objects:,} objects, {self.metric} distance: {len(self.passes)} "
            f"kind{'s' * (len(self.passes) != 1)} of passes over the data"
        ]
        for name, statistics in self.passes.items():
            lines.append(f"  {name}: {COSTS[name]}")
            for statistic in statistics:
                readers = [key for key, reads in self.measures.items() if statistic in reads]
                lines.append(f"    {statistic} ({STATISTICS[statistic][1]})")
                lines.append(f"      for {', '.join(readers)}")
        alone = [key for key, reads in self.measures.items() if not reads]
        if alone:
            lines.append(f"  a computation of their own: {', '.join(alone)}")
        lines.append("  with precision:")
        for way, title in WITH_PRECISION.items():
            keys = [key for key in self.measures if self.sampled.get(key, "") == way]
            if keys:
                lines.append(f"    {title}: {', '.join(keys)}")
        return "\n".join(lines)


def group(needs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The passes for these statistics, in the order in which they are made."""
    passes: dict[str, tuple[str, ...]] = {}
    wanted = set(needs)
    for need in wanted - set(STATISTICS):
        raise unknown_name(need, STATISTICS, "statistic")
    for need, (name, _) in STATISTICS.items():
        if need in wanted:
            passes[name] = (*passes.get(name, ()), need)
    return passes


class Statistics:
    """Shared sums over the data, computed once for all clusterings.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)
    labelings : Labelings
    needs : iterable of str
        Names in :data:`STATISTICS`.
    metric : str or callable
        A distance of :mod:`karat.distances`. Centroids are means of coordinates and their
        distances Euclidean, whatever the metric.

    Attributes
    ----------
    undefined : dict of int to str
        Why clustering m has no value, for the measure that is being computed.
    failed : dict of str to str
        Statistics that this data or metric does not allow, and why.
    sizes : list of ndarray (k,)
        Objects in each cluster; the other lists are parallel to it.
    """

    def __init__(
        self, X: Data, labelings: Labelings, needs: Iterable[str], *, metric: Any = "euclidean"
    ) -> None:
        self.X = X
        self.labelings = labelings
        self.metric = metric
        self.undefined: dict[int, str] = {}
        self.sizes = [labelings.sizes(m) for m in range(len(labelings))]
        #: sum of the distances of pairs within each cluster, and from it to all others
        self.within_sums: list[Floats] = []
        self.between_sums: list[Floats] = []
        self.silhouette_sums: list[Floats] = []
        self.nearest_within: list[Floats] = []
        self.nearest_between: list[Floats] = []
        self.margin_sums: list[Floats] = []
        self.diameters: list[Floats] = []
        self.within_inverse: list[Floats] = []
        self.between_inverse: list[Floats] = []
        #: (k, k); the diagonal of the sums counts each pair twice
        self.linkage_sums: list[Floats] = []
        self.linkage_minima: list[Floats] = []
        self.linkage_maxima: list[Floats] = []
        #: (k, k): largest distance of an object of the row's to the nearest of the column's
        self.hausdorff: list[Floats] = []
        #: (M, n, 8): silhouette, margin, nearest within and between, sums of distances and of
        #: 1/d² within and between
        self.objects: Floats | None = None
        #: (k, d), relative to ``shift``
        self.centroids: list[Floats] = []
        self.shift: Floats = np.zeros(0)
        #: per cluster around its centroid: sums of squares (k,), by feature (k, d), distances
        self.squares: list[Floats] = []
        self.feature_squares: list[Floats] = []
        self.spreads: list[Floats] = []
        self.radii: list[Floats] = []
        self.total_spreads: list[float] = []
        #: (k, k): sum of the distances of the row's objects to the column's centroid
        self.cross_spreads: list[Floats] = []
        self.squared_silhouette_sums: list[Floats] = []
        self.simplified_silhouette_sums: list[Floats] = []
        #: per clustering: sums of the |P_w| smallest and largest distances
        self.smallest_sums: Floats = np.zeros(0)
        self.largest_sums: Floats = np.zeros(0)
        #: per clustering: pairs of (within, between) pairs with d_w < d_b, d_w > d_b, d_w = d_b
        self.concordant: list[int] = []
        self.discordant: list[int] = []
        self.tied: list[int] = []
        self.failed: dict[str, str] = {}
        for name, statistics in group(needs).items():
            try:
                getattr(self, f"_pass_{name}")(set(statistics))
            except InputError as error:
                self.failed |= dict.fromkeys(statistics, str(error))

    def __len__(self) -> int:
        return len(self.labelings)

    def values(self) -> Floats:
        """An array for M results, NaN until filled."""
        return np.full(len(self), np.nan)

    def n_judged(self, m: int) -> int:
        """Number of objects that clustering m does not leave out."""
        return int(self.sizes[m].sum())

    def pairs_within(self, m: int) -> int:
        """Number of pairs within the clusters of clustering m."""
        return int((self.sizes[m] * (self.sizes[m] - 1) // 2).sum())

    def pairs_between(self, m: int) -> int:
        """Number of pairs between the clusters of clustering m."""
        n = self.n_judged(m)
        return n * (n - 1) // 2 - self.pairs_within(m)

    def object_values(self, m: int, column: int) -> Floats:
        """One column of ``objects``; needs ``"objects"``."""
        assert self.objects is not None
        return self.objects[m, :, column]

    # -- passes ------------------------------------------------------------------------------

    def _pass_pairs(self, wanted: set[str]) -> None:
        from karat._kernels import pairs

        found = pair_pass(
            as_distances(self.X, self.metric),
            self.labelings,
            sums=bool(wanted & {"pair_sums", "silhouettes", "objects"}),
            minima=bool(wanted & {"nearest", "margins", "objects"}),
            maxima="diameters" in wanted,
            inverses="inverse_square_sums" in wanted,
            matrices=bool(wanted & {"linkages", "hausdorff"}),
            objects="objects" in wanted,
        )
        columns = {
            pairs.WITHIN_SUM: self.within_sums,
            pairs.BETWEEN_SUM: self.between_sums,
            pairs.SILHOUETTE: self.silhouette_sums,
            pairs.NEAREST_WITHIN: self.nearest_within,
            pairs.NEAREST_BETWEEN: self.nearest_between,
            pairs.MARGIN: self.margin_sums,
            pairs.DIAMETER: self.diameters,
            pairs.WITHIN_INVERSE: self.within_inverse,
            pairs.BETWEEN_INVERSE: self.between_inverse,
        }
        for column, target in columns.items():
            target += split(found.per_cluster[:, column], found.starts)
        if wanted & {"linkages", "hausdorff"}:
            for values, target in (
                (found.sums, self.linkage_sums),
                (found.minima, self.linkage_minima),
                (found.maxima, self.linkage_maxima),
                (found.farthest, self.hausdorff),
            ):
                for part in split(values, found.matrix_starts):
                    k = round(len(part) ** 0.5)
                    target.append(part.reshape(k, k))
        self.objects = found.objects

    def _to_centers(self, m: int, centers: Floats) -> Floats:
        """Sums over each cluster of the distances to ``centers`` (relative to ``shift``)."""
        from scipy import sparse
        from scipy.spatial.distance import cdist

        codes = self.labelings.codes[m]
        total = np.zeros((len(self.sizes[m]), len(centers)))
        for start in range(0, len(codes), 1024):
            rows: Any = self.X[start : start + 1024]
            dense = (rows.toarray() if sparse.issparse(rows) else rows) - self.shift
            own = codes[start : start + 1024]
            kept = own != NOISE
            np.add.at(total, own[kept], cdist(dense[kept], centers))
        return total

    def _pass_centroids(self, wanted: set[str]) -> None:
        self._around_centroids(wanted)
        for m in range(len(self)):
            sizes, C = self.sizes[m], self.centroids[m]
            if "total_spreads" in wanted:
                mean = sizes @ C / sizes.sum()
                self.total_spreads.append(float(self._to_centers(m, mean[None]).sum()))
            if "cross_spreads" in wanted:
                self.cross_spreads.append(self._to_centers(m, C))

    def _around_centroids(self, wanted: set[str]) -> None:
        if self.metric == "precomputed":
            raise InputError(
                "measures of centroids need the objects' features; "
                "they have no value for a matrix of distances"
            )
        if hasattr(self.X, "toarray"):
            self._sparse_centroids(wanted)
            return
        from karat._kernels.centroids import centroid_silhouettes, centroid_sums

        X: Any = self.X
        self.shift = X.mean(axis=0, dtype=np.float64)

        def work(m: int) -> tuple[Any, ...]:
            labels, sizes = self.labelings.codes[m], self.sizes[m]
            centroids, around, squares = centroid_sums(X, self.shift, labels, sizes)
            sums = []
            for name in ("squared_silhouettes", "simplified_silhouettes"):
                if name in wanted:
                    s = centroid_silhouettes(
                        X, self.shift, labels, sizes, centroids, around[:, 0],
                        name == "simplified_silhouettes",
                    )  # fmt: skip
                    sums.append(self._by_cluster(m, s))
                else:
                    sums.append(np.zeros(len(sizes)))
            return centroids, around, squares, *sums

        for found in in_order(work, range(len(self))):
            self._keep_centroids(*found)

    def _sparse_centroids(self, wanted: set[str]) -> None:
        from scipy import sparse

        X: Any = self.X
        self.shift = np.zeros(X.shape[1])
        norms = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        for m, codes in enumerate(self.labelings.codes):
            kept = np.flatnonzero(codes != NOISE)
            sizes, own = self.sizes[m], codes[kept]
            k = len(sizes)
            member = sparse.csr_array((np.ones(len(kept)), (own, kept)), shape=(k, len(codes)))
            centroids = (member @ X).toarray() / sizes[:, None]
            lengths = (centroids**2).sum(axis=1)
            squared = np.asarray(X[kept] @ centroids.T)
            squared = np.maximum(norms[kept, None] - 2 * squared + lengths, 0)
            mine = squared[np.arange(len(kept)), own]
            roots = np.sqrt(mine)
            largest = np.zeros(k)
            np.maximum.at(largest, own, roots)
            squares = np.bincount(own, mine, k)
            around = np.stack([squares, np.bincount(own, roots, k), largest], axis=1)
            by_feature = (member @ X.multiply(X)).toarray() - sizes[:, None] * centroids**2
            sums = []
            for name in ("squared_silhouettes", "simplified_silhouettes"):
                if name not in wanted:
                    sums.append(np.zeros(k))
                    continue
                value = (
                    np.sqrt(squared) if name.startswith("simplified") else squared + squares / sizes
                )
                a = value[np.arange(len(kept)), own]
                if not name.startswith("simplified"):
                    a = a * sizes[own] / np.maximum(sizes[own] - 1, 1)
                value[np.arange(len(kept)), own] = np.inf
                b = value.min(axis=1)
                top = np.maximum(a, b)
                s = np.where((top > 0) & (sizes[own] > 1), (b - a) / np.where(top > 0, top, 1), 0)
                sums.append(np.bincount(own, s, k).astype(np.float64))
            self._keep_centroids(centroids, around, np.maximum(by_feature, 0), *sums)

    def _keep_centroids(
        self, centroids: Floats, around: Floats, squares: Floats, squared: Floats, simple: Floats
    ) -> None:
        self.centroids.append(centroids)
        self.squares.append(around[:, 0])
        self.feature_squares.append(squares)
        self.spreads.append(around[:, 1])
        self.radii.append(around[:, 2])
        self.squared_silhouette_sums.append(squared)
        self.simplified_silhouette_sums.append(simple)

    def _by_cluster(self, m: int, values: Floats) -> Floats:
        codes = self.labelings.codes[m]
        kept = codes != NOISE
        return np.bincount(codes[kept], values[kept], len(self.sizes[m])).astype(np.float64)

    def _pass_selection(self, wanted: set[str]) -> None:
        from karat.measures._rank_pass import extreme_sums

        self.smallest_sums, self.largest_sums = extreme_sums(
            as_distances(self.X, self.metric, exact=True), self.labelings
        )

    def _pass_ranks(self, wanted: set[str]) -> None:
        from karat.measures._rank_pass import concordance

        self.concordant, self.discordant, self.tied = concordance(
            as_distances(self.X, self.metric, exact=True), self.labelings
        )
