"""The pass over all distances for all clusterings, and silhouettes of a sample."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.distances import Distances, distances_of_parts
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.passes.over_pairs import OverPairs
from karat.measures.passes.tiles import (
    TILE_WIDTH,
    Accumulators,
    SortedObjects,
    add_distances,
    block_size,
    mirrored,
    pays_mirrored,
)
from karat.runtime.executors import Workers, tree_sum
from karat.runtime.threads import in_order
from karat.runtime.types import Floats, Ints, Metric, Rows

SAMPLE_BLOCK_ROWS = 2**19  # objects with distances to a sample in memory at a time
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
        labels, weights = self.points.labels[part], self.points.weights[part]
        starts, wanted = self.points.starts, self.points.wanted
        totals: dict[str, list[Floats]] = {}
        objects = np.full((len(starts) - 1, len(labels) if self.objects else 0, 8), np.nan)
        for m, (start, end) in enumerate(itertools.pairwise(starts)):
            judged = np.flatnonzero(labels[:, m] != NOISE)
            arrays: list[Any] = [
                values[start:end, judged] if want else None
                for values, want in zip(accumulators.arrays, wanted, strict=True)
            ]
            clusters, w = labels[judged, m], weights[judged]
            by_name = _of_objects(arrays, clusters, w, self.sizes[start:end])
            for name, values in by_name.items():
                if name in PER_CLUSTER:
                    ufunc = PER_CLUSTER[name]
                    total = np.full(end - start, np.inf if ufunc is np.minimum else 0.0)
                    ufunc.at(total, clusters, w * values if ufunc is np.add else values)
                    totals.setdefault(name, []).append(total)
            if self.objects:
                for column, name in enumerate(OBJECT_VALUES):
                    if name in by_name:
                        objects[m, judged, column] = by_name[name]
            if self.matrices:
                sums, minima, maxima, _ = arrays
                by_pair = zip(PER_PAIR.items(), (w * sums, minima, maxima, minima), strict=True)
                for (name, ufunc), values in by_pair:
                    total = np.full((end - start,) * 2, np.inf if ufunc is np.minimum else 0.0)
                    ufunc.at(total, clusters, values.T)
                    totals.setdefault(name, []).append(total)
        return PairResults(totals, objects)


OBJECT_VALUES = (
    "silhouette_sums", "margin_sums", "nearest_within", "nearest_between",
    "within_sums", "between_sums", "within_inverse", "between_inverse",
)  # fmt: skip


def _of_objects(
    arrays: list[Any], clusters: NDArray[np.int32], w: Floats, sizes: Floats
) -> dict[str, Floats]:
    """Values of single objects from their sums, minima, ... by cluster, (k, objects) each.

    An object of weight w > 1 stands for several that coincide: each is 0 from its nearest. The
    rest of its cluster weighs W − 1; for w < 1, a part of an object, W − w.
    """
    results: dict[str, Floats] = {}
    at = clusters, np.arange(len(clusters))
    rest = sizes[clusters] - np.minimum(w, 1.0)
    sums, minima, maxima, inverses = arrays
    if sums is not None:
        within, between = _own_and_others(sums, at, 0.0)
        results["within_sums"], results["between_sums"] = within, between.sum(axis=0)
        results["silhouette_sums"] = silhouettes(sums, clusters, rest, sizes)
    if minima is not None:
        near, others = _own_and_others(minima, at, np.inf)
        near, far = np.where(w <= 1.0, near, 0.0), others.min(axis=0, initial=np.inf)
        results["nearest_within"], results["nearest_between"] = near, far
        # a singleton, or coincident with objects of both kinds: neutral
        neutral = (rest <= 0.0) | ((near == 0.0) & (far == 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            results["margin_sums"] = np.where(neutral, 1.0, near / far)
    if maxima is not None:
        results["diameters"] = maxima[at]
    if inverses is not None:
        within, between = _own_and_others(inverses, at, 0.0)
        results["within_inverse"] = np.where(w <= 1.0, within, np.inf)
        results["between_inverse"] = between.sum(axis=0)
    return results


def _own_and_others(
    values: Floats, at: tuple[NDArray[np.int32], NDArray[np.intp]], neutral: float
) -> tuple[Floats, Floats]:
    """Values of each object's cluster, and a copy of all values without them."""
    others = values.copy()
    others[at] = neutral
    return values[at], others


def silhouettes(sums: Floats, clusters: NDArray[np.int32], rest: Floats, sizes: Floats) -> Floats:
    """Silhouettes from sums of distances by cluster (k, objects).

    ``rest`` is the size of the object's cluster without the object.
    """
    at = clusters, np.arange(len(clusters))
    means = sums / sizes[:, None]
    means[at] = np.inf
    nearest = means.min(axis=0, initial=np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = sums[at] / rest
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
    order, run = sort_by_labels(codes)
    weights = np.ones(n) if pairs.weights is None else pairs.weights[order]
    wanted = np.array([sums or matrices, minima or matrices, maxima or matrices, inverses])
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    points = SortedObjects(run, weights, np.ascontiguousarray(codes[:, order].T), starts, wanted)
    sizes = [labelings.sizes(m, pairs.weights) for m in range(len(codes))]
    request = _Request(points, np.concatenate(sizes).astype(np.float64), matrices, objects)
    by_label = pairs.take(order)
    if pairs.workers.elsewhere is None and pays_mirrored(by_label.distances, points):
        parts: Iterator[PairResults] = map(request.fold, mirrored(by_label.distances, points))
    else:
        blocks = [(a, min(a + block_size(n), n)) for a in range(0, n, block_size(n))]
        parts = by_label.map(_block_results, blocks, request)
    results = tree_sum(parts, PairResults.add)
    for name in ("within_sums", "within_inverse"):  # each pair within counted once
        results.totals[name] = [total / 2 for total in results.totals.get(name, [])]
    results.objects = results.objects[:, np.argsort(order)] if objects else results.objects
    return results


def _block_results(distances: Distances, request: _Request, block: tuple[int, int]) -> PairResults:
    """Results of one block of objects."""
    accumulators = request.points.empty(*block)
    add_distances(distances, request.points, 0, distances.n, accumulators)
    return request.fold(accumulators)


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
    """Silhouettes (M, s) of a sample, from its distances to blocks of all objects."""
    distances, codes, s = distances_of_parts(X, metric), labelings.codes, len(sample)
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    wanted = np.array([True, False, False, False])
    accumulators: dict[int, Accumulators] = {}
    for start in range(0, codes.shape[1], SAMPLE_BLOCK_ROWS):
        order, run = sort_by_labels(codes[:, start : start + SAMPLE_BLOCK_ROWS])
        sample_and_block = np.concatenate([sample, start + order])
        labels = np.ascontiguousarray(codes[:, sample_and_block].T)
        run = np.concatenate([np.zeros(s, np.int32), run])
        points = SortedObjects(run, np.ones(len(sample_and_block)), labels, starts, wanted)
        part = distances.take(sample_and_block)

        def work(j0: int, points: SortedObjects = points, part: Distances = part) -> None:
            """Add the distances from all objects to one tile of the sample."""
            into = accumulators.setdefault(j0, points.empty(j0, min(j0 + TILE_WIDTH, s)))
            add_distances(part, points, s, part.n, into)

        deque(in_order(work, range(0, s, TILE_WIDTH), one_blas_thread=part.uses_blas), maxlen=0)
    values = np.full((len(codes), s), np.nan)
    for j0, columns in accumulators.items():
        for m, (start, end) in enumerate(itertools.pairwise(starts)):
            clusters = codes[m, sample[j0 : columns.stop]]
            judged = np.flatnonzero(clusters != NOISE)
            sizes = labelings.sizes(m).astype(np.float64)
            sums, clusters = columns.arrays[0][start:end, judged], clusters[judged]
            values[m, j0 + judged] = silhouettes(sums, clusters, sizes[clusters] - 1, sizes)
    return values
