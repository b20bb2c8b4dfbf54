"""The pass over all distances for all clusterings, and silhouettes of a sample."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sortal.distances import Distances, distances_of_parts
from sortal.labelings.labels import NOISE
from sortal.labelings.partitions import Labelings
from sortal.measures.passes.over_pairs import OverPairs
from sortal.measures.passes.tiles import (
    TILE_WIDTH,
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
from sortal.runtime.types import Bools, Floats, Ints, Metric, Rows

SAMPLE_BLOCK_ROWS = 2**19  # objects with distances to a sample in memory at a time
#: a clustering with more clusters is passed by itself, with accumulators of few at a time
MANY_CLUSTERS, CLUSTERS_AT_ONCE = 2048, 256
#: parts of a sample on an executor; each first sorts all objects, at the cost of 50 to 150 rows
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
    """Results of a pass, by name and clustering; values of objects are (M, n, 8)."""

    totals: dict[str, list[Floats]]
    objects: Floats

    def add(self, following: PairResults) -> PairResults:
        """Combined results; ``following`` has the subsequent objects."""
        totals = {
            name: [
                COMBINED_BY[name](a, b) for a, b in zip(mine, following.totals[name], strict=True)
            ]
            for name, mine in self.totals.items()
        }
        return PairResults(totals, np.concatenate([self.objects, following.objects], axis=1))


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
        part = slice(accumulators.start, accumulators.stop)
        results = self.results(part, self.parts(accumulators))
        for m, (start, end) in enumerate(itertools.pairwise(self.points.starts)):
            if self.matrices:
                values = tuple(array[start:end] for array in accumulators.arrays)
                for name, total in self._between_clusters(values, part, m).items():
                    results.totals.setdefault(name, []).append(total)
        return results

    def parts(self, accumulators: Accumulators) -> Floats:
        """What some objects need of all clusters, (M, 8, objects)."""
        part = slice(accumulators.start, accumulators.stop)
        parts = _empty_parts(len(self.points.starts) - 1, part.stop - part.start)
        for m, (start, end) in enumerate(itertools.pairwise(self.points.starts)):
            values = tuple(array[start:end] for array in accumulators.arrays)
            self.add_clusters(values, part, m, 0, end - start, parts[m])
        return parts

    def add_clusters(
        self, values: tuple[Floats, ...], part: slice, m: int, c0: int, c1: int, into: Floats
    ) -> None:
        """Add accumulators of the clusters c0 to c1 of clustering m to what objects need."""
        from sortal._kernels.pairs import by_object

        clusters = np.ascontiguousarray(self.points.labels[part, m])
        start = self.points.starts[m]
        by_object(
            values, self.points.wanted, clusters, c0, self.sizes[start + c0 : start + c1], into
        )

    def results(self, part: slice, parts: Floats) -> PairResults:
        """Results of some objects from what they need of all clusters."""
        labels, weights = self.points.labels[part], self.points.weights[part]
        totals: dict[str, list[Floats]] = {}
        objects = np.full((len(parts), len(labels) if self.objects else 0, 8), np.nan)
        for m, (start, end) in enumerate(itertools.pairwise(self.points.starts)):
            judged = np.flatnonzero(labels[:, m] != NOISE)
            clusters, w = labels[judged, m], weights[judged]
            by_name = _of_objects(
                parts[m][:, judged], clusters, w, self.sizes[start:end], self.points.wanted
            )
            for name, values in by_name.items():
                ufunc = PER_CLUSTER[name]
                total = np.full(end - start, np.inf if ufunc is np.minimum else 0.0)
                ufunc.at(total, clusters, w * values if ufunc is np.add else values)
                totals.setdefault(name, []).append(total)
            if self.objects:
                for column, name in enumerate(OBJECT_VALUES):
                    if name in by_name:
                        objects[m, judged, column] = by_name[name]
        return PairResults(totals, objects)

    def _between_clusters(
        self, values: tuple[Floats, ...], part: slice, m: int
    ) -> dict[str, Floats]:
        """Results of each pair of clusters of clustering m."""
        clusters, w = self.points.labels[part, m], self.points.weights[part]
        judged = clusters != NOISE
        sums, minima, maxima, _ = values
        totals = {}
        by_pair = zip(PER_PAIR.items(), (w * sums, minima, maxima, minima), strict=True)
        for (name, ufunc), of_objects in by_pair:
            total = np.full((len(sums),) * 2, np.inf if ufunc is np.minimum else 0.0)
            ufunc.at(total, clusters[judged], of_objects[:, judged].T)
            totals[name] = total
        return totals


def _empty_parts(number: int, objects: int) -> Floats:
    """What objects need of all clusters, before any: rows as in the kernel ``by_object``."""
    neutral = np.array([0.0, 0.0, np.inf, np.inf, np.inf, 0.0, 0.0, 0.0])
    return np.tile(neutral[:, None], (number, 1, objects))


OBJECT_VALUES = (
    "silhouette_sums", "margin_sums", "nearest_within", "nearest_between",
    "within_sums", "between_sums", "within_inverse", "between_inverse",
)  # fmt: skip


def _of_objects(
    parts: Floats, clusters: NDArray[np.int32], w: Floats, sizes: Floats, wanted: Bools
) -> dict[str, Floats]:
    """Values of single objects from ``parts``, which they need of all clusters.

    An object of weight w > 1 stands for several that coincide: each is 0 from its nearest. The
    rest of its cluster weighs W − 1; for w < 1, a part of an object, W − w.
    """
    from sortal._kernels.pairs import INVERSE, MAX, MIN, SUM

    results: dict[str, Floats] = {}
    rest = sizes[clusters] - np.minimum(w, 1.0)
    own, other, mean, near, far, widest, inside, outside = parts
    if wanted[SUM]:
        results["within_sums"], results["between_sums"] = own, other
        results["silhouette_sums"] = _silhouettes(own, mean, rest)
    if wanted[MIN]:
        near = np.where(w <= 1.0, near, 0.0)
        results["nearest_within"], results["nearest_between"] = near, far
        # a singleton, or coincident with objects of both kinds: neutral
        neutral = (rest <= 0.0) | ((near == 0.0) & (far == 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            results["margin_sums"] = np.where(neutral, 1.0, near / far)
    if wanted[MAX]:
        results["diameters"] = widest
    if wanted[INVERSE]:
        results["within_inverse"] = np.where(w <= 1.0, inside, np.inf)
        results["between_inverse"] = outside
    return results


def _silhouettes(own: Floats, nearest: Floats, rest: Floats) -> Floats:
    """Silhouettes from sums of distances within, and mean distances to the nearest cluster.

    ``rest`` is the size of the object's cluster without the object.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        a = own / rest
        largest = np.maximum(a, nearest)
        s = (nearest - a) / largest
    return np.where((rest > 0.0) & (largest > 0.0) & (nearest < np.inf), s, 0.0)


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
    parts: Iterator[PairResults]
    if is_large or pairs.workers.elsewhere or not pays_mirrored(by_label.distances, points):
        blocks = [(a, min(a + block_size(n), n)) for a in range(0, n, block_size(n))]
        parts = by_label.map(_large_block if is_large else _block_results, blocks, request)
    else:
        parts = map(request.fold, mirrored(by_label.distances, points))
    results = tree_sum(parts, PairResults.add)
    for name in ("within_sums", "within_inverse"):  # each pair within counted once
        results.totals[name] = [total / 2 for total in results.totals.get(name, [])]
    results.objects = results.objects[:, np.argsort(order)] if objects else results.objects
    return results


def _is_large(labelings: Labelings) -> Bools:
    """Which clusterings have more clusters than accumulators of all of them pay for."""
    return np.asarray(labelings.n_clusters > MANY_CLUSTERS)


def _groups(labelings: Labelings) -> list[list[int]]:
    """Clusterings with very many clusters by themselves, and all others together."""
    is_large = _is_large(labelings)
    rest = np.flatnonzero(~is_large).tolist()
    return [[m] for m in np.flatnonzero(is_large).tolist()] + ([rest] if rest else [])


def _in_order(groups: list[PairResults], order: NDArray[np.intp]) -> PairResults:
    """Results of groups of clusterings as one, in the order of the clusterings."""
    totals = {
        name: [list(itertools.chain(*(group.totals[name] for group in groups)))[m] for m in order]
        for name in groups[0].totals
        if groups[0].totals[name]
    }
    return PairResults(totals, np.concatenate([group.objects for group in groups])[order])


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
    """What objects need of all clusters, whose objects are sorted by cluster from ``first``."""
    labels, parts = request.points.labels[first:, 0], _empty_parts(1, block[1] - block[0])[0]
    k = int(request.points.starts[-1])
    for c0 in range(0, k, CLUSTERS_AT_ONCE):
        c1 = min(c0 + CLUSTERS_AT_ONCE, k)
        r0, r1 = (first + np.searchsorted(labels, [c0, c1])).tolist()
        points = request.points._replace(starts=np.array([-c0, c1 - c0]))
        accumulators = points.empty(*block)
        add_distances(distances, points, r0, r1, accumulators)
        request.add_clusters(accumulators.arrays, slice(*block), 0, c0, c1, parts)
    return parts


def sampled_silhouettes(
    X: Rows, metric: Metric, labelings: Labelings, sample: Ints, workers: Workers
) -> Floats:
    """Silhouettes (M, s) of a sample of the objects, from its distances to all objects."""
    if workers.elsewhere is None:
        return _silhouettes_of(metric, X, labelings, sample)
    width = TILE_WIDTH * -(-len(sample) // (TILE_WIDTH * SAMPLE_PARTS))
    parts = [sample[i : i + width] for i in range(0, len(sample), width)]
    results = workers.map(partial(_silhouettes_of, metric), (X, labelings), parts)
    return np.concatenate(list(results), axis=1)


def _silhouettes_of(metric: Metric, X: Rows, labelings: Labelings, sample: Ints) -> Floats:
    """Silhouettes (M, s) of a sample."""
    distances = distances_of_parts(X, metric)
    values = np.full((len(labelings), len(sample)), np.nan)
    for group in _groups(labelings):
        of_group = labelings.select(group)
        is_large = _is_large(of_group).any()
        tiles = (_large_tiles if is_large else _tiles)(distances, of_group, sample)
        for (j0, j1), parts in tiles:
            for m, part in zip(group, parts, strict=True):
                clusters = labelings.codes[m, sample[j0:j1]]
                judged = np.flatnonzero(clusters != NOISE)
                rest = labelings.sizes(m)[clusters[judged]] - 1.0
                own, _, mean = part[:3, judged]
                values[m, j0 + judged] = _silhouettes(own, mean, rest)
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
    """What tiles of a sample need of all clusters, from blocks of all objects."""
    s = len(sample)
    accumulators: dict[int, Accumulators] = {}
    for start in range(0, labelings.n_objects, SAMPLE_BLOCK_ROWS):
        order, run = sort_by_labels(labelings.codes[:, start : start + SAMPLE_BLOCK_ROWS])
        request = _request_of_sample(labelings, sample, start + order, run)
        part = distances.take(np.concatenate([sample, start + order]))

        def work(j0: int, request: _Request = request, part: Distances = part) -> None:
            empty = request.points.empty(j0, min(j0 + TILE_WIDTH, s))
            into = accumulators.setdefault(j0, empty)
            add_distances(part, request.points, s, part.n, into)

        deque(in_order(work, range(0, s, TILE_WIDTH), one_blas_thread=part.uses_blas), maxlen=0)
    for columns in accumulators.values():
        yield (columns.start, columns.stop), request.parts(columns)


def _large_tiles(
    distances: Distances, labelings: Labelings, sample: Ints
) -> Iterator[tuple[tuple[int, int], Floats]]:
    """What tiles of a sample need of very many clusters."""
    s = len(sample)
    order, run = sort_by_labels(labelings.codes)
    request = _request_of_sample(labelings, sample, order, run)
    both = distances.take(np.concatenate([sample, order]))
    tiles = [(j0, min(j0 + TILE_WIDTH, s)) for j0 in range(0, s, TILE_WIDTH)]

    def work(tile: tuple[int, int]) -> Floats:
        return _some_at_a_time(both, request, tile, s)[None]

    yield from zip(tiles, in_order(work, tiles, one_blas_thread=both.uses_blas), strict=True)
