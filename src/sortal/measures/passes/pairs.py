"""The pass over all distances for all clusterings, and silhouettes of a sample."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sortal.distances import TILE_WIDTH, Distances, distances_of_parts
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.measures.passes.over_pairs import OverPairs
from sortal.measures.passes.tiles import (
    Accumulators,
    SortedObjects,
    add_distances,
    block_size,
    mirrored,
    pays_mirrored,
)
from sortal.runtime.executors import Workers, tree_sum
from sortal.runtime.resources import require_memory
from sortal.runtime.threads import in_order
from sortal.typing import Bools, Floats, Ints, Metric, Rows

#: limit of cost: objects with distances to a sample in memory at a time
SAMPLE_BLOCK_ROWS = 2**19
#: limit of cost: a clustering with more clusters is passed by itself, with accumulators of few
MANY_CLUSTERS, CLUSTERS_AT_ONCE = 2048, 256
#: limit of cost: parts of a sample on an executor; each first sorts all objects, which costs as
#: much as 50 to 150 rows
SAMPLE_PARTS = 64

#: per-cluster results, with the function that combines the values of objects
PER_CLUSTER = {
    "within_sums": np.add,
    "between_sums": np.add,
    "silhouette_sums": np.add,
    "nearest_within": np.minimum,
    "nearest_between": np.minimum,
    "margin_sums": np.add,
    "diameters": np.maximum,
    "within_inverse": np.add,
    "between_inverse": np.add,
}
#: results of each pair of clusters
PER_PAIR = {
    "linkage_sums": np.add,
    "linkage_minima": np.minimum,
    "linkage_maxima": np.maximum,
    "hausdorff": np.maximum,
}
COMBINED_BY = PER_CLUSTER | PER_PAIR


@dataclass
class PairResults:
    """Results of a pass: totals by name and clustering, and values (M, n) of objects by name.

    A value of an object has the name of the total to which it adds.
    """

    totals: dict[str, list[Floats]]
    objects: dict[str, Floats]

    def add(self, following: PairResults) -> PairResults:
        """Combined results; ``following`` has the subsequent objects."""
        totals = {
            name: [
                COMBINED_BY[name](a, b) for a, b in zip(mine, following.totals[name], strict=True)
            ]
            for name, mine in self.totals.items()
        }
        objects = {
            name: np.concatenate([values, following.objects[name]], axis=1)
            for name, values in self.objects.items()
        }
        return PairResults(totals, objects)


class ObjectSums(NamedTuple):
    """What each object needs of all clusters, in the order of the kernel ``by_object``.

    An array (objects,) each. Sums are those of distances to its cluster and to all others, and of
    1/d². Further arrays have the mean to the nearest other cluster, the least distance within and
    between, and the largest within.
    """

    within: Any = 0.0
    between: Any = 0.0
    nearest_mean: Any = np.inf
    nearest_within: Any = np.inf
    nearest_between: Any = np.inf
    farthest_within: Any = 0.0
    inverse_within: Any = 0.0
    inverse_between: Any = 0.0

    @classmethod
    def empty(cls, number: int, n_objects: int) -> Floats:
        """Rows (number, 8, objects) before any cluster is added."""
        return np.tile(np.array(cls())[:, None], (number, 1, n_objects))


def sort_by_labels(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """An order that groups objects of equal label tuples, and the number of each tuple."""
    rank = np.zeros(codes.shape[1], dtype=np.int64)
    largest = 0
    for row in codes:
        radix = int(row.max(initial=0)) + 2
        if (largest + 1) * radix > 2**62:
            # renumber the tuples: never more than objects
            _, rank = np.unique(rank, return_inverse=True)
            largest = len(rank)
        rank = rank * radix + row + 1
        largest = largest * radix + radix
    _, rank = np.unique(rank, return_inverse=True)
    order = np.argsort(rank, kind="stable")
    return order, rank[order].astype(np.int32)


@dataclass
class _Request:
    """Sorted objects, sizes of all clusters, and flags of the wanted results."""

    points: SortedObjects
    sizes: Floats
    matrices: bool
    objects: bool

    def fold(self, accumulators: Accumulators) -> PairResults:
        """Results of some objects from their accumulators."""
        block = slice(accumulators.start, accumulators.stop)
        results = self.results(block, self.object_sums(accumulators))
        for m, (start, end) in enumerate(itertools.pairwise(self.points.starts)):
            if self.matrices:
                values = tuple(array[start:end] for array in accumulators.arrays)
                for name, total in self._between_clusters(values, block, m).items():
                    results.totals.setdefault(name, []).append(total)
        return results

    def object_sums(self, accumulators: Accumulators) -> Floats:
        """Rows (M, 8, objects) of the :class:`ObjectSums` of some objects."""
        block = slice(accumulators.start, accumulators.stop)
        sums = ObjectSums.empty(len(self.points.starts) - 1, block.stop - block.start)
        for m, (start, end) in enumerate(itertools.pairwise(self.points.starts)):
            values = tuple(array[start:end] for array in accumulators.arrays)
            self.add_clusters(values, block, m, 0, end - start, sums[m])
        return sums

    def add_clusters(
        self, values: tuple[Floats, ...], block: slice, m: int, c0: int, c1: int, into: Floats
    ) -> None:
        """Add accumulators of the clusters c0 to c1 of clustering m to sums of objects."""
        from sortal._kernels.pairs import by_object

        clusters, start = np.ascontiguousarray(self.points.labels[block, m]), self.points.starts[m]
        sizes = self.sizes[start + c0 : start + c1]
        by_object(values, self.points.wanted, clusters, c0, sizes, into)

    def results(self, block: slice, sums: Floats) -> PairResults:
        """Results of some objects from their sums."""
        labels, weights = self.points.labels[block], self.points.weights[block]
        totals: dict[str, list[Floats]] = {}
        objects: dict[str, Floats] = {}
        for m, (start, end) in enumerate(itertools.pairwise(self.points.starts)):
            judged = np.flatnonzero(labels[:, m] != NOISE)
            clusters, w = labels[judged, m], weights[judged]
            of_judged = ObjectSums(*sums[m][:, judged])
            by_name = _object_values(
                of_judged, clusters, w, self.sizes[start:end], self.points.wanted
            )
            for name, values in by_name.items():
                ufunc = PER_CLUSTER[name]
                total = np.full(end - start, np.inf if ufunc is np.minimum else 0.0)
                ufunc.at(total, clusters, w * values if ufunc is np.add else values)
                totals.setdefault(name, []).append(total)
                if self.objects:
                    nothing = np.full((len(sums), len(labels)), np.nan)
                    objects.setdefault(name, nothing)[m, judged] = values
        return PairResults(totals, objects)

    def _between_clusters(
        self, values: tuple[Floats, ...], block: slice, m: int
    ) -> dict[str, Floats]:
        """Results of each pair of clusters of clustering m."""
        clusters, w = self.points.labels[block, m], self.points.weights[block]
        judged = clusters != NOISE
        sums, minima, maxima, _ = values
        totals = {}
        by_pair = zip(PER_PAIR.items(), (w * sums, minima, maxima, minima), strict=True)
        for (name, ufunc), of_objects in by_pair:
            total = np.full((len(sums),) * 2, np.inf if ufunc is np.minimum else 0.0)
            ufunc.at(total, clusters[judged], of_objects[:, judged].T)
            totals[name] = total
        return totals


def _object_values(
    sums: ObjectSums, clusters: NDArray[np.int32], w: Floats, sizes: Floats, wanted: Bools
) -> dict[str, Floats]:
    """Values of single objects from their sums.

    An object of weight w > 1 stands for several that coincide: each is 0 from its nearest. The
    others of its cluster weigh W − 1; for w < 1, a fraction of an object, W − w.
    """
    from sortal._kernels.pairs import INVERSE, MAX, MIN, SUM

    results: dict[str, Floats] = {}
    others = sizes[clusters] - np.minimum(w, 1.0)
    if wanted[SUM]:
        results["within_sums"], results["between_sums"] = sums.within, sums.between
        results["silhouette_sums"] = _silhouettes(sums.within, sums.nearest_mean, others)
    if wanted[MIN]:
        near, far = np.where(w <= 1.0, sums.nearest_within, 0.0), sums.nearest_between
        results["nearest_within"], results["nearest_between"] = near, far
        # a singleton, or coincident with objects within and between: neutral
        neutral = (others <= 0.0) | ((near == 0.0) & (far == 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            results["margin_sums"] = np.where(neutral, 1.0, near / far)
    if wanted[MAX]:
        results["diameters"] = sums.farthest_within
    if wanted[INVERSE]:
        results["within_inverse"] = np.where(w <= 1.0, sums.inverse_within, np.inf)
        results["between_inverse"] = sums.inverse_between
    return results


def _silhouettes(within: Floats, nearest_mean: Floats, others: Floats) -> Floats:
    """Silhouettes from sums within, means to the nearest cluster, and sizes without the object."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a = within / others
        largest = np.maximum(a, nearest_mean)
        s = (nearest_mean - a) / largest
    return np.where((others > 0.0) & (largest > 0.0) & (nearest_mean < np.inf), s, 0.0)


def pair_pass(
    pairs: OverPairs,
    labelings: Labelings,
    *,
    sums: bool = False,
    minima: bool = False,
    maxima: bool = False,
    inverses: bool = False,
    matrices: bool = False,
    objects: bool = False,
) -> PairResults:
    """Requested sums, extremes and matrices of distances, from one pass.

    Parameters
    ----------
    pairs : OverPairs
        Its weights are positive object weights (frequencies).
    sums, minima, maxima, inverses : bool
        Statistics of the distances (inverses: sums of 1/d²) from objects to clusters, combined
        by cluster.
    matrices : bool
        Also combine them by pair of clusters.
    objects : bool
        Also keep the values of each object.

    Notes
    -----
    O(n² (d + runs per row · M)) time, where rows of equal label tuples are one run;
    O(n d + B Σk + M n) memory. Each part has the distances of some objects to all objects, so
    every distance is computed twice. In this process it is computed once if that is faster.
    """
    codes, n = labelings.codes, labelings.n_objects
    requests = {
        "sums": sums, "minima": minima, "maxima": maxima, "inverses": inverses,
        "matrices": matrices, "objects": objects,
    }  # fmt: skip
    if matrices:
        k = int(labelings.n_clusters.max(initial=0))
        require_memory(
            80.0 * k * k,
            f"a matrix of the pairs of {k:,} clusters",
            "take separation='single' or 'centroid', or merge clusters",
        )
    groups = [] if matrices else _groups(labelings)
    if len(groups) > 1:
        of_groups = [pair_pass(pairs, labelings.select(group), **requests) for group in groups]
        return _in_order(of_groups, np.argsort(np.concatenate(groups)))
    order, run = sort_by_labels(codes)
    weights = np.ones(n) if pairs.weights is None else pairs.weights[order]
    wanted = np.array([sums or matrices, minima or matrices, maxima or matrices, inverses])
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    points = SortedObjects(run, weights, np.ascontiguousarray(codes[:, order].T), starts, wanted)
    sizes = [labelings.sizes(m, pairs.weights) for m in range(len(codes))]
    request = _Request(points, np.concatenate(sizes).astype(np.float64), matrices, objects)
    by_label = pairs.take(order)
    is_large = _is_large(labelings).any() and not matrices
    blocks: Iterator[PairResults]
    if is_large or pairs.workers.elsewhere or not pays_mirrored(by_label.distances, points):
        ends = [(a, min(a + block_size(n), n)) for a in range(0, n, block_size(n))]
        blocks = by_label.map(_large_block if is_large else _block_results, ends, request)
    else:
        blocks = map(request.fold, mirrored(by_label.distances, points))
    results = tree_sum(blocks, PairResults.add)
    for name in ("within_sums", "within_inverse"):  # each pair within counted once
        results.totals[name] = [total / 2 for total in results.totals.get(name, [])]
    place = np.argsort(order)
    results.objects = {name: values[:, place] for name, values in results.objects.items()}
    return results


def _is_large(labelings: Labelings) -> Bools:
    """Which clusterings have more clusters than accumulators of all of them pay for."""
    return np.asarray(labelings.n_clusters > MANY_CLUSTERS)


def _groups(labelings: Labelings) -> list[list[int]]:
    """Clusterings with very many clusters by themselves, and all others together."""
    is_large = _is_large(labelings)
    small = np.flatnonzero(~is_large).tolist()
    return [[m] for m in np.flatnonzero(is_large).tolist()] + ([small] if small else [])


def _in_order(groups: list[PairResults], order: NDArray[np.intp]) -> PairResults:
    """Results of groups of clusterings as one, in the order of the clusterings."""
    totals = {
        name: [list(itertools.chain(*(group.totals[name] for group in groups)))[m] for m in order]
        for name in groups[0].totals
        if groups[0].totals[name]
    }
    objects = {
        name: np.concatenate([group.objects[name] for group in groups])[order]
        for name in groups[0].objects
    }
    return PairResults(totals, objects)


def _block_results(distances: Distances, request: _Request, block: tuple[int, int]) -> PairResults:
    """Results of one block of objects."""
    accumulators = request.points.empty(*block)
    add_distances(distances, request.points, 0, distances.n, accumulators)
    return request.fold(accumulators)


def _large_block(distances: Distances, request: _Request, block: tuple[int, int]) -> PairResults:
    """Results of one block of objects, of a single clustering with very many clusters."""
    return request.results(slice(*block), _some_at_a_time(distances, request, block, 0)[None])


def _some_at_a_time(
    distances: Distances, request: _Request, block: tuple[int, int], first: int
) -> Floats:
    """Sums of objects over all clusters, whose objects are sorted by cluster from ``first``."""
    labels, sums = request.points.labels[first:, 0], ObjectSums.empty(1, block[1] - block[0])[0]
    k = int(request.points.starts[-1])
    for c0 in range(0, k, CLUSTERS_AT_ONCE):
        c1 = min(c0 + CLUSTERS_AT_ONCE, k)
        r0, r1 = (first + np.searchsorted(labels, [c0, c1])).tolist()
        points = request.points._replace(starts=np.array([-c0, c1 - c0]))
        accumulators = points.empty(*block)
        add_distances(distances, points, r0, r1, accumulators)
        request.add_clusters(accumulators.arrays, slice(*block), 0, c0, c1, sums)
    return sums


def sampled_silhouettes(
    X: Rows, metric: Metric, labelings: Labelings, sample: Ints, workers: Workers
) -> Floats:
    """Silhouettes (M, s) of a sample of the objects, from its distances to all objects."""
    if workers.elsewhere is None:
        return _silhouettes_of(metric, X, labelings, sample)
    width = TILE_WIDTH * -(-len(sample) // (TILE_WIDTH * SAMPLE_PARTS))
    subsets = [sample[i : i + width] for i in range(0, len(sample), width)]
    results = workers.map(partial(_silhouettes_of, metric), (X, labelings), subsets)
    return np.concatenate(list(results), axis=1)


def _silhouettes_of(metric: Metric, X: Rows, labelings: Labelings, sample: Ints) -> Floats:
    """Silhouettes (M, s) of a sample."""
    distances = distances_of_parts(X, metric)
    values = np.full((len(labelings), len(sample)), np.nan)
    for group in _groups(labelings):
        of_group = labelings.select(group)
        is_large = _is_large(of_group).any()
        tiles = (_large_tiles if is_large else _tiles)(distances, of_group, sample)
        for (j0, j1), sums_of_group in tiles:
            for m, rows in zip(group, sums_of_group, strict=True):
                clusters = labelings.codes[m, sample[j0:j1]]
                judged = np.flatnonzero(clusters != NOISE)
                others = labelings.sizes(m)[clusters[judged]] - 1.0
                sums = ObjectSums(*rows[:, judged])
                values[m, j0 + judged] = _silhouettes(sums.within, sums.nearest_mean, others)
    return values


def _request_of_sample(
    labelings: Labelings, sample: Ints, order: Ints, run: NDArray[np.int32]
) -> _Request:
    """A request for sums from all objects in ``order`` to a sample, which comes first."""
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    labels = np.ascontiguousarray(labelings.codes[:, np.concatenate([sample, order])].T)
    run = np.concatenate([np.zeros(len(sample), np.int32), run])
    wanted = np.array([True, False, False, False])
    points = SortedObjects(run, np.ones(len(labels)), labels, starts, wanted)
    sizes = np.concatenate([labelings.sizes(m) for m in range(len(labelings))])
    return _Request(points, sizes.astype(np.float64), matrices=False, objects=False)


def _tiles(
    distances: Distances, labelings: Labelings, sample: Ints
) -> Iterator[tuple[tuple[int, int], Floats]]:
    """Sums of tiles of a sample over all clusters, from blocks of all objects."""
    s = len(sample)
    accumulators: dict[int, Accumulators] = {}
    for start in range(0, labelings.n_objects, SAMPLE_BLOCK_ROWS):
        order, run = sort_by_labels(labelings.codes[:, start : start + SAMPLE_BLOCK_ROWS])
        request = _request_of_sample(labelings, sample, start + order, run)
        both = distances.take(np.concatenate([sample, start + order]))

        def work(j0: int, request: _Request = request, both: Distances = both) -> None:
            empty = request.points.empty(j0, min(j0 + TILE_WIDTH, s))
            into = accumulators.setdefault(j0, empty)
            add_distances(both, request.points, s, both.n, into)

        deque(in_order(work, range(0, s, TILE_WIDTH), one_blas_thread=both.uses_blas), maxlen=0)
    for columns in accumulators.values():
        yield (columns.start, columns.stop), request.object_sums(columns)


def _large_tiles(
    distances: Distances, labelings: Labelings, sample: Ints
) -> Iterator[tuple[tuple[int, int], Floats]]:
    """Sums of tiles of a sample over very many clusters."""
    s = len(sample)
    order, run = sort_by_labels(labelings.codes)
    request = _request_of_sample(labelings, sample, order, run)
    both = distances.take(np.concatenate([sample, order]))
    tiles = [(j0, min(j0 + TILE_WIDTH, s)) for j0 in range(0, s, TILE_WIDTH)]

    def work(tile: tuple[int, int]) -> Floats:
        return _some_at_a_time(both, request, tile, s)[None]

    yield from zip(tiles, in_order(work, tiles, one_blas_thread=both.uses_blas), strict=True)
