"""Shared statistics of internal measures, for M clusterings of one data set at once.

A measure names its statistics in ``Measure.needs``. The planner groups the union of all needs into
as few passes over the data as possible. Every measure's ``compute`` reads the same
:class:`Statistics`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.partitions import Labelings
from sortal.measures.passes.centroids import around_centroids, sums_to_centers
from sortal.measures.passes.edges import EdgeSums, edge_sums
from sortal.measures.passes.over_pairs import OverPairs
from sortal.measures.passes.pairs import pair_pass
from sortal.measures.passes.plan import GIVES, LISTS, group
from sortal.measures.passes.scatter import (
    Scatter,
    check_has_features,
    check_room,
    distance_squares,
    scatter,
)
from sortal.runtime.executors import LostWorkersError, Workers
from sortal.runtime.progress import doing
from sortal.runtime.validation import InputError
from sortal.typing import Floats, Metric, Rows


def in_others(values: NDArray[Any]) -> NDArray[Any]:
    """Sum of all other values for each value, without cancellation."""
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
        A distance of :mod:`sortal.distances`. Centroids are means of coordinates and their
        distances Euclidean, for any metric.
    weights : ndarray of float64, shape (n,), optional
        Positive object weights (frequencies).
    workers : Workers, optional
        Compute the passes over pairs and over rows; by default this process.

    Attributes
    ----------
    failed : dict of str to str
        Reasons of statistics that are impossible for this data or metric.
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
    #: values (M, n) of objects, by the name of the statistic to which they add
    objects: dict[str, Floats]
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
    #: per clustering: sums of the ``|P_w|`` smallest and largest distances, of those of the pairs
    #: within clusters, and of all
    smallest_sums: Floats
    largest_sums: Floats
    totals_within: Floats
    totals: Floats
    #: per clustering: pairs of (within, between) pairs with d_w < d_b, d_w > d_b, d_w = d_b
    concordant: list[int]
    discordant: list[int]
    tied: list[int]
    #: per clustering: sums over the edges of a graph
    edge_sums: list[EdgeSums]

    def __init__(
        self,
        X: Rows,
        labelings: Labelings,
        needs: Iterable[str],
        *,
        metric: Metric = "euclidean",
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
        self.objects = {}
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
        requested = {attribute for need in needs for attribute in GIVES[need]}
        for attribute in {*LISTS, "objects"} - requested:
            delattr(self, attribute)

    def __getattr__(self, name: str) -> Any:
        """Raise for a statistic that was not requested."""
        for need, attributes in GIVES.items():
            if name in attributes:
                raise InputError(
                    f"a measure read {name} of the statistic {need!r}, which is not among its needs"
                )
        raise AttributeError(name)

    def __len__(self) -> int:
        return len(self.labelings)

    def raise_failed(self) -> None:
        """Raise if a statistic is impossible for this data or metric."""
        for why in self.failed.values():
            raise InputError(why)

    def values(self) -> Floats:
        """An array for M results, NaN until filled."""
        return np.full(len(self), np.nan)

    def n_judged(self, m: int) -> Any:
        """Number of judged objects of clustering m: an integer, or a sum of weights."""
        return self.once("judged", m, lambda m: self.sizes[m].sum().item())

    def once(self, name: str, m: int, count: Callable[[int], Any]) -> Any:
        """A cached value of clustering m, shared by measures and samples."""
        key = name, m
        if key not in self._numbers:
            self._numbers[key] = count(m)
        return self._numbers[key]

    def cluster_pairs(self, m: int) -> NDArray[Any]:
        """Number of pairs within each cluster of clustering m.

        W(W − 1)/2 for clusters of total weight W. An object of weight w < 1 is a part of an object
        and forms no pair with itself: (W² − Σ w min(w, 1))/2.
        """
        return np.asarray(self.once("cluster pairs", m, self._cluster_pairs))

    def _cluster_pairs(self, m: int) -> NDArray[Any]:
        """Number of pairs within each cluster, not cached."""
        sizes = self.sizes[m]
        if self.weights is None:
            return np.asarray(sizes * (sizes - 1) // 2)
        alone = self.labelings.sizes(m, self.weights * np.minimum(self.weights, 1))
        return np.asarray(np.maximum(sizes**2 - alone, 0) / 2)

    def pairs_within(self, m: int) -> Any:
        """Number of pairs within the clusters of clustering m."""
        return self.once("pairs within", m, lambda m: self.cluster_pairs(m).sum().item())

    def pairs_between(self, m: int) -> Any:
        """Number of pairs between the clusters of clustering m."""
        return self.once("pairs between", m, self._pairs_between)

    def _pairs_between(self, m: int) -> Any:
        """Number of pairs between clusters, not cached."""
        twice = (self.sizes[m] * in_others(self.sizes[m])).sum().item()
        return twice // 2 if self.weights is None else twice / 2

    def freedom(self, m: int) -> float:
        """Degrees of freedom within the clusters of clustering m: n − k for whole objects."""
        return float((2 * self.cluster_pairs(m) / self.sizes[m]).sum())

    # -- passes ------------------------------------------------------------------------------

    def _pass_pairs(self, wanted: set[str]) -> None:
        """Statistics of one pass over all pairs."""
        results = pair_pass(
            self._over_pairs(exact=False),
            self.labelings,
            sums=bool(wanted & {"pair_sums", "silhouettes", "objects"}),
            minima=bool(wanted & {"nearest", "margins", "objects"}),
            maxima="diameters" in wanted,
            inverses="inverse_square_sums" in wanted,
            matrices=bool(wanted & {"linkages", "hausdorff"}),
            objects="objects" in wanted,
        )
        for name, totals in results.totals.items():
            setattr(self, name, totals)
        self.objects = results.objects

    def _pass_centroids(self, wanted: set[str]) -> None:
        """Statistics of the passes around centroids."""
        if self.metric == "precomputed":
            raise InputError(
                "measures of centroids need the objects' features; "
                "they have no value for a matrix of distances"
            )
        if "silhouettes" in wanted:
            wanted.add("squared_silhouettes")
        self.shift, around = around_centroids(
            self.X,
            self.labelings,
            self.sizes,
            self.weights,
            self.workers,
            squared="squared_silhouettes" in wanted,
            simplified="simplified_silhouettes" in wanted,
        )
        for sums in around:
            self.centroids.append(sums.centroids)
            self.squares.append(sums.sums[:, 0])
            self.spreads.append(sums.sums[:, 1])
            self.radii.append(sums.sums[:, 2])
            self.feature_squares.append(sums.feature_squares)
            self.squared_silhouette_sums.append(sums.squared_silhouettes)
            self.simplified_silhouette_sums.append(sums.simplified_silhouettes)
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
        """Sums over each cluster of the distances to the given centers."""
        return sums_to_centers(
            self.X, self.labelings, self.weights, self.shift, centers, self.workers
        )

    def _squares_of_pairs(self, m: int) -> None:
        """Sums of the squared distances of pairs, by Huygens: Σ_y |x−y|² = |c||x−μ|² + S_c."""
        sizes, squares = self.sizes[m], self.squares[m]
        C = self.centroids[m] - sizes @ self.centroids[m] / sizes.sum()
        lengths = (C**2).sum(axis=1)
        between_centroids = sizes @ lengths + sizes.sum() * lengths  # Σ_b |b| |μ_c − μ_b|²
        self.within_sums.append(sizes * squares)
        self.between_sums.append(
            in_others(sizes) * squares + sizes * (in_others(squares) + between_centroids)
        )

    def _pass_scatter(self, wanted: set[str]) -> None:
        """Statistics of scatter matrices."""
        check_has_features(self.metric)
        check_room(self.X.shape[1], len(self))
        self.scatter += self.workers.map(
            scatter, (self.X, self.labelings), range(len(self)), one_blas_thread=True
        )

    def _over_pairs(self, *, exact: bool = True) -> OverPairs:
        """A pass over all pairs, weighted like the objects."""
        return OverPairs(self.X, self.metric, self.workers, exact, self.weights)

    def _pass_squares(self, wanted: set[str]) -> None:
        """Sum of the squared distances of all pairs."""
        self.distance_squares = distance_squares(self._over_pairs(exact=False), self.labelings)

    def _pass_selection(self, wanted: set[str]) -> None:
        """Sums of the smallest and largest distances."""
        from sortal.measures.passes.ranks import extreme_sums

        totals_within = [float(of_clusters.sum()) for of_clusters in self.within_sums]
        sums = extreme_sums(self._over_pairs(), self.labelings, add_within=not totals_within)
        self.smallest_sums, self.largest_sums, self.totals_within, self.totals = sums
        if totals_within:  # by the pass over the pairs
            self.totals_within = np.array(totals_within)

    def _pass_edges(self, wanted: set[str]) -> None:
        """Sums over the edges of a graph."""
        if self.metric != "graph":
            raise InputError('measures of edges need a graph; give one with metric="graph"')
        of_one = zip(self.labelings.codes, self.labelings.n_clusters.tolist(), strict=True)
        self.edge_sums += [edge_sums(self.X, codes, k) for codes, k in of_one]

    def _pass_ranks(self, wanted: set[str]) -> None:
        """Numbers of concordant, discordant and tied combinations of pairs."""
        from sortal.measures.passes.ranks import concordance

        self.concordant, self.discordant, self.tied = concordance(
            self._over_pairs(), self.labelings
        )
