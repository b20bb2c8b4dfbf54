"""What internal measures are computed from, for M clusterings of one data set at once.

A measure names the statistics that it reads in ``Measure.needs``; the planner groups the union of
what is asked for into as few passes over the data as possible, and every measure's ``compute``
reads the same :class:`Statistics`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import as_distances
from karat.labelings.partitions import Labelings
from karat.measures.passes.centroids import around_centroids, sums_to_centers
from karat.measures.passes.edges import EdgeSums, edge_sums
from karat.measures.passes.over_pairs import OverPairs
from karat.measures.passes.pairs import distributed_pair_pass, pair_pass, split
from karat.measures.passes.plan import GIVES, LISTS, group
from karat.measures.passes.scatter import (
    Scatter,
    check_has_features,
    check_room,
    distance_squares,
    scatter,
)
from karat.runtime.executors import LostWorkersError, Workers
from karat.runtime.progress import doing
from karat.runtime.validation import Data, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def in_others(values: NDArray[Any]) -> NDArray[Any]:
    """For each value the sum of all the others, without cancellation."""
    none = np.zeros(1, values.dtype)
    before = np.concatenate([none, np.cumsum(values[:-1])])
    after = np.concatenate([none, np.cumsum(values[:0:-1])])[::-1]
    return np.asarray(before + after)


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
    weights : ndarray of float64, shape (n,), optional
        Positive object weights (frequencies).
    workers : Workers, optional
        Where the passes over pairs and over rows are computed; by default in this process.

    Attributes
    ----------
    failed : dict of str to str
        Statistics that this data or metric does not allow, and why.
    sizes : list of ndarray (k,)
        Objects in each cluster, or their weights in sum; the other lists are parallel to it.
    """

    #: sum of the distances of pairs within each cluster, and from it to all others
    within_sums: list[Floats]
    between_sums: list[Floats]
    silhouette_sums: list[Floats]
    nearest_within: list[Floats]
    nearest_between: list[Floats]
    margin_sums: list[Floats]
    diameters: list[Floats]
    within_inverse: list[Floats]
    between_inverse: list[Floats]
    #: (k, k); the diagonal of the sums counts each pair twice
    linkage_sums: list[Floats]
    linkage_minima: list[Floats]
    linkage_maxima: list[Floats]
    #: (k, k): largest distance of an object of the row's to the nearest of the column's
    hausdorff: list[Floats]
    #: (M, n, 8): silhouette, margin, nearest within and between, sums of distances and of
    #: 1/d² within and between
    objects: Floats | None
    #: (k, d), relative to ``shift``
    centroids: list[Floats]
    shift: Floats
    #: per cluster around its centroid: sums of squares (k,), by feature (k, d), distances
    squares: list[Floats]
    feature_squares: list[Floats]
    spreads: list[Floats]
    radii: list[Floats]
    total_spreads: list[float]
    #: (k, k): sum of the distances of the row's objects to the column's centroid
    cross_spreads: list[Floats]
    squared_silhouette_sums: list[Floats]
    simplified_silhouette_sums: list[Floats]
    #: per clustering: what the scatter matrices of the features give
    scatter: list[Scatter]
    #: per clustering: sum of d² over the pairs of the objects judged
    distance_squares: Floats
    #: per clustering: sums of the |P_w| smallest and largest distances
    smallest_sums: Floats
    largest_sums: Floats
    #: per clustering: pairs of (within, between) pairs with d_w < d_b, d_w > d_b, d_w = d_b
    concordant: list[int]
    discordant: list[int]
    tied: list[int]
    #: per clustering: sums over the edges of a graph
    edge_sums: list[EdgeSums]

    def __init__(
        self,
        X: Data,
        labelings: Labelings,
        needs: Iterable[str],
        *,
        metric: Any = "euclidean",
        weights: Floats | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.X = X
        self.labelings = labelings
        self.metric = metric
        self.weights = weights
        self.workers = workers or Workers()
        self.sizes = [labelings.sizes(m, weights) for m in range(len(labelings))]
        self._numbers: dict[tuple[str, int], Any] = {}
        self.objects = None
        self.shift = np.zeros(0)
        for attribute in LISTS:
            setattr(self, attribute, [])
        self.failed: dict[str, str] = {}
        needs = set(needs)
        for name, statistics in group(needs, metric, sparse=hasattr(X, "toarray")).items():
            try:
                with doing(f"pass of {name}"):
                    getattr(self, f"_pass_{name}")(set(statistics))
            except LostWorkersError:
                raise
            except InputError as error:
                self.failed |= dict.fromkeys(statistics, str(error))
        asked = {attribute for need in needs for attribute in GIVES[need]}
        for attribute in {*LISTS, "objects"} - asked:
            delattr(self, attribute)

    def __getattr__(self, name: str) -> Any:
        """Only what was asked for is there; a pass may leave the rest empty."""
        for need, attributes in GIVES.items():
            if name in attributes:
                raise InputError(
                    f"a measure read {name} of the statistic {need!r}, which is not among its needs"
                )
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(self.labelings)

    def raise_failed(self) -> None:
        """Raise for a statistic that this data or metric does not allow."""
        for why in self.failed.values():
            raise InputError(why)

    def values(self) -> Floats:
        """An array for M results, NaN until filled."""
        return np.full(len(self), np.nan)

    def n_judged(self, m: int) -> Any:
        """Number of objects that clustering m does not exclude: whole, or a sum of weights."""
        return self._once("judged", m, lambda m: self.sizes[m].sum().item())

    def _once(self, name: str, m: int, count: Callable[[int], Any]) -> Any:
        """A number of clustering m that many measures read, and many samples of it."""
        key = name, m
        if key not in self._numbers:
            self._numbers[key] = count(m)
        return self._numbers[key]

    def cluster_pairs(self, m: int) -> NDArray[Any]:
        """Number of pairs within each cluster of clustering m.

        W(W − 1)/2 for clusters of total weight W. An object of a weight w below 1 is a part of
        one, and takes no more than itself from its cluster: (W² − Σ w min(w, 1))/2.
        """
        found: NDArray[Any] = self._once("cluster pairs", m, self._cluster_pairs)
        return found

    def _cluster_pairs(self, m: int) -> NDArray[Any]:
        sizes = self.sizes[m]
        if self.weights is None:
            return np.asarray(sizes * (sizes - 1) // 2)
        alone = self.labelings.sizes(m, self.weights * np.minimum(self.weights, 1))
        return np.asarray(np.maximum(sizes**2 - alone, 0) / 2)

    def pairs_within(self, m: int) -> Any:
        """Number of pairs within the clusters of clustering m."""
        return self._once("pairs within", m, lambda m: self.cluster_pairs(m).sum().item())

    def pairs_between(self, m: int) -> Any:
        """Number of pairs between the clusters of clustering m."""
        return self._once("pairs between", m, self._pairs_between)

    def _pairs_between(self, m: int) -> Any:
        twice = (self.sizes[m] * in_others(self.sizes[m])).sum().item()
        return twice // 2 if self.weights is None else twice / 2

    def freedom(self, m: int) -> float:
        """Degrees of freedom within the clusters of clustering m: n − k for whole objects."""
        return float((2 * self.cluster_pairs(m) / self.sizes[m]).sum())

    def object_values(self, m: int, column: int) -> Floats:
        """One column of ``objects``; needs ``"objects"``."""
        assert self.objects is not None
        return self.objects[m, :, column]

    # -- passes ------------------------------------------------------------------------------

    def _pass_pairs(self, wanted: set[str]) -> None:
        from karat._kernels import pairs

        asked = {
            "sums": bool(wanted & {"pair_sums", "silhouettes", "objects"}),
            "minima": bool(wanted & {"nearest", "margins", "objects"}),
            "maxima": "diameters" in wanted,
            "inverses": "inverse_square_sums" in wanted,
            "matrices": bool(wanted & {"linkages", "hausdorff"}),
            "objects": "objects" in wanted,
        }
        if self.workers.elsewhere:
            found = distributed_pair_pass(
                self.workers, self.X, self.metric, self.labelings, self.weights, **asked
            )
        else:
            distances = as_distances(self.X, self.metric, weights=self.weights)
            found = pair_pass(distances, self.labelings, self.weights, **asked)
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

    def _pass_centroids(self, wanted: set[str]) -> None:
        if self.metric == "precomputed":
            raise InputError(
                "measures of centroids need the objects' features; "
                "they have no value for a matrix of distances"
            )
        if "silhouettes" in wanted:
            wanted.add("squared_silhouettes")
        self.shift, found = around_centroids(
            self.X,
            self.labelings,
            self.sizes,
            self.weights,
            self.workers,
            squared="squared_silhouettes" in wanted,
            simplified="simplified_silhouettes" in wanted,
        )
        for each in found:
            self.centroids.append(each.centroids)
            self.squares.append(each.sums[:, 0])
            self.spreads.append(each.sums[:, 1])
            self.radii.append(each.sums[:, 2])
            self.feature_squares.append(each.feature_squares)
            self.squared_silhouette_sums.append(each.squared_silhouettes)
            self.simplified_silhouette_sums.append(each.simplified_silhouettes)
        if "silhouettes" in wanted:
            self.silhouette_sums = self.squared_silhouette_sums
        if "pair_sums" in wanted:
            for m in range(len(self)):
                self._squares_of_pairs(m)
        if "total_spreads" in wanted:
            each_mean = [
                (sizes @ C / (sizes.sum() or 1))[None]
                for sizes, C in zip(self.sizes, self.centroids, strict=True)
            ]
            self.total_spreads += [float(total.sum()) for total in self._to_centers(each_mean)]
        if "cross_spreads" in wanted:
            self.cross_spreads += self._to_centers(self.centroids)

    def _to_centers(self, centers: Sequence[Floats]) -> list[Floats]:
        return sums_to_centers(
            self.X, self.labelings, self.weights, self.shift, centers, self.workers
        )

    def _squares_of_pairs(self, m: int) -> None:
        """Sums of the squared distances of pairs, by Huygens: Σ_y |x−y|² = |c||x−μ|² + S_c."""
        sizes, squares = self.sizes[m], self.squares[m]
        C = self.centroids[m] - sizes @ self.centroids[m] / sizes.sum()
        lengths = (C**2).sum(axis=1)
        apart = sizes @ lengths + sizes.sum() * lengths  # Σ_b |b| |μ_c − μ_b|²
        self.within_sums.append(sizes * squares)
        self.between_sums.append(in_others(sizes) * squares + sizes * (in_others(squares) + apart))

    def _pass_scatter(self, wanted: set[str]) -> None:
        check_has_features(self.metric)
        check_room(self.X.shape[1], len(self))
        self.scatter += self.workers.map(
            scatter, (self.X, self.labelings), range(len(self)), one_blas_thread=True
        )

    def _over_pairs(self, *, exact: bool = True) -> OverPairs:
        return OverPairs(self.X, self.metric, self.workers, exact)

    def _pass_squares(self, wanted: set[str]) -> None:
        self.distance_squares = distance_squares(self._over_pairs(exact=False), self.labelings)

    def _pass_selection(self, wanted: set[str]) -> None:
        from karat.measures.passes.ranks import extreme_sums

        self.smallest_sums, self.largest_sums = extreme_sums(self._over_pairs(), self.labelings)

    def _pass_edges(self, wanted: set[str]) -> None:
        if self.metric != "graph":
            raise InputError('measures of edges need a graph; give one with metric="graph"')
        of_one = zip(self.labelings.codes, self.labelings.n_clusters.tolist(), strict=True)
        self.edge_sums += [edge_sums(self.X, codes, k) for codes, k in of_one]

    def _pass_ranks(self, wanted: set[str]) -> None:
        from karat.measures.passes.ranks import concordance

        self.concordant, self.discordant, self.tied = concordance(
            self._over_pairs(), self.labelings
        )
