"""The pass over all distances for all clusterings, and silhouettes of a sample."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import Distances, distances_of_parts
from karat.labelings.labels import NOISE
from karat.labelings.partitions import Labelings
from karat.measures.passes.over_pairs import OverPairs
from karat.measures.passes.tiles import (
    WIDTH,
    Columns,
    Known,
    add,
    mirrored,
    pays_mirrored,
    side,
)
from karat.runtime.executors import Workers, tree_sum
from karat.runtime.threads import in_order
from karat.runtime.validation import Data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BLOCK_ROWS = 2**19  # objects whose distances to a sample are taken at a time
#: of a sample on an executor; each sorts all objects first, which takes as long as 50 to 150 of it
SAMPLE_PARTS = 64

#: the per-cluster results, with what combines those of objects and a cluster's first value
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
#: the results of each pair of clusters
PER_PAIR = {
    "linkage_sums": np.add,
    "linkage_minima": np.minimum,
    "linkage_maxima": np.maximum,
    "hausdorff": np.maximum,
}
BY = PER_CLUSTER | PER_PAIR


@dataclass
class PairResults:
    """What a pass found: by name and clustering; values of objects are (M, n, 8)."""

    totals: dict[str, list[Floats]]
    objects: Floats

    def add(self, other: PairResults) -> PairResults:
        """What both found; the other has the objects that come next."""
        totals = {
            name: [BY[name](a, b) for a, b in zip(mine, other.totals[name], strict=True)]
            for name, mine in self.totals.items()
        }
        return PairResults(totals, np.concatenate([self.objects, other.objects], axis=1))


def sort_by_labels(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """An order in which objects of equal label tuples stand together, and the tuple's number."""
    rank = np.zeros(codes.shape[1], dtype=np.int64)
    largest = 0
    for row in codes:
        radix = int(row.max(initial=0)) + 2
        if (largest + 1) * radix > 2**62:
            # tuples so far renumbered: never more than objects
            _, rank = np.unique(rank, return_inverse=True)
            largest = len(rank)
        rank = rank * radix + row + 1
        largest = largest * radix + radix
    _, rank = np.unique(rank, return_inverse=True)
    order = np.argsort(rank, kind="stable")
    return order, rank[order].astype(np.int32)


@dataclass
class _Asked:
    """Sorted objects, the sizes of all clusters, and what is wanted beside sums by cluster."""

    known: Known
    sizes: Floats
    matrices: bool
    objects: bool

    def fold(self, columns: Columns) -> PairResults:
        """What is left of the accumulators of some objects."""
        labels, starts = self.known.labels[columns.start : columns.stop], self.known.starts
        weights, wanted = self.known.weights[columns.start : columns.stop], self.known.wanted
        totals: dict[str, list[Floats]] = {}
        objects = np.full((len(starts) - 1, len(labels) if self.objects else 0, 8), np.nan)
        for m, (start, end) in enumerate(itertools.pairwise(starts)):
            judged = np.flatnonzero(labels[:, m] != NOISE)
            arrays: list[Any] = [
                values[start:end, judged] if want else None
                for values, want in zip(columns.arrays, wanted, strict=True)
            ]
            own, w = labels[judged, m], weights[judged]
            found = _of_objects(arrays, own, w, self.sizes[start:end])
            for name, values in found.items():
                if name in PER_CLUSTER:
                    way = PER_CLUSTER[name]
                    total = np.full(end - start, np.inf if way is np.minimum else 0.0)
                    way.at(total, own, w * values if way is np.add else values)
                    totals.setdefault(name, []).append(total)
            if self.objects:
                for column, name in enumerate(OBJECT_VALUES):
                    if name in found:
                        objects[m, judged, column] = found[name]
            if self.matrices:
                sums, minima, maxima, _ = arrays
                by_pair = zip(PER_PAIR.items(), (w * sums, minima, maxima, minima), strict=True)
                for (name, way), values in by_pair:
                    total = np.full((end - start,) * 2, np.inf if way is np.minimum else 0.0)
                    way.at(total, own, values.T)
                    totals.setdefault(name, []).append(total)
        return PairResults(totals, objects)


OBJECT_VALUES = (
    "silhouette_sums", "margin_sums", "nearest_within", "nearest_between",
    "within_sums", "between_sums", "within_inverse", "between_inverse",
)  # fmt: skip


def _of_objects(
    arrays: list[Any], own: NDArray[np.int32], w: Floats, sizes: Floats
) -> dict[str, Floats]:
    """The values of single objects from their sums, minima, ... by cluster, (k, objects) each.

    An object of weight w > 1 stands for several that coincide: each is 0 from its nearest. The
    rest of its cluster weighs W − 1; for w < 1, a part of an object, W − w.
    """
    found: dict[str, Floats] = {}
    at = own, np.arange(len(own))
    rest = sizes[own] - np.minimum(w, 1.0)
    sums, minima, maxima, inverses = arrays
    if sums is not None:
        within, between = _parted(sums, at, 0.0)
        found["within_sums"], found["between_sums"] = within, between.sum(axis=0)
        found["silhouette_sums"] = silhouettes(sums, own, rest, sizes)
    if minima is not None:
        near, others = _parted(minima, at, np.inf)
        near, far = np.where(w <= 1.0, near, 0.0), others.min(axis=0, initial=np.inf)
        found["nearest_within"], found["nearest_between"] = near, far
        # a singleton, or coincident with objects of both kinds: neutral
        neutral = (rest <= 0.0) | ((near == 0.0) & (far == 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            found["margin_sums"] = np.where(neutral, 1.0, near / far)
    if maxima is not None:
        found["diameters"] = maxima[at]
    if inverses is not None:
        within, between = _parted(inverses, at, 0.0)
        found["within_inverse"] = np.where(w <= 1.0, within, np.inf)
        found["between_inverse"] = between.sum(axis=0)
    return found


def _parted(values: Floats, at: Any, neutral: float) -> tuple[Floats, Floats]:
    """The values of the objects' own clusters, and those of all others."""
    others = values.copy()
    others[at] = neutral
    return values[at], others


def silhouettes(sums: Floats, own: NDArray[np.int32], rest: Floats, sizes: Floats) -> Floats:
    """Silhouettes from sums of distances by cluster (k, objects); ``rest`` of the own cluster."""
    at = own, np.arange(len(own))
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
    """All that is asked for, from one pass.

    Parameters
    ----------
    pairs : OverPairs
        Its weights are positive object weights (frequencies).
    sums, minima, maxima, inverses : bool
        Of distances (inverses: of 1/d²), from each object to each cluster, summed up for each
        cluster.
    matrices : bool
        Also for each pair of clusters.
    objects : bool
        Also keep the values of each object.

    Notes
    -----
    O(n² (d + runs per row · M)) time, where rows of equal label tuples are one run;
    O(n d + B Σk + M n) memory. A part is of some of the objects and has their distances to all,
    each of which is so computed from both ends; in this process, where distances cost more than
    accumulators, from one.
    """
    codes, n = labelings.codes, labelings.n_objects
    order, run = sort_by_labels(codes)
    weights = np.ones(n) if pairs.weights is None else pairs.weights[order]
    wanted = np.array([sums or matrices, minima or matrices, maxima or matrices, inverses])
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    known = Known(run, weights, np.ascontiguousarray(codes[:, order].T), starts, wanted)
    sizes = [labelings.sizes(m, pairs.weights) for m in range(len(codes))]
    asked = _Asked(known, np.concatenate(sizes).astype(np.float64), matrices, objects)
    by_label = pairs.take(order)
    if pairs.workers.elsewhere is None and pays_mirrored(by_label.distances, known):
        parts: Iterator[PairResults] = map(asked.fold, mirrored(by_label.distances, known))
    else:
        blocks = [(a, min(a + side(n), n)) for a in range(0, n, side(n))]
        parts = by_label.map(_part, blocks, asked)
    found = tree_sum(parts, PairResults.add)
    for name in ("within_sums", "within_inverse"):  # each pair within counted once
        found.totals[name] = [total / 2 for total in found.totals.get(name, [])]
    found.objects = found.objects[:, np.argsort(order)] if objects else found.objects
    return found


def _part(distances: Distances, asked: _Asked, block: tuple[int, int]) -> PairResults:
    into = asked.known.empty(*block)
    add(distances, asked.known, 0, distances.n, into)
    return asked.fold(into)


def sampled_silhouettes(
    X: Data, metric: Any, labelings: Labelings, sample: NDArray[Any], workers: Workers
) -> Floats:
    """Silhouettes (M, s) of a sample of the objects, from its distances to all objects."""
    if workers.elsewhere is None:
        return _silhouettes_of(metric, X, labelings, sample)
    width = WIDTH * -(-len(sample) // (WIDTH * SAMPLE_PARTS))
    parts = [sample[i : i + width] for i in range(0, len(sample), width)]
    found = workers.map(partial(_silhouettes_of, metric), (X, labelings), parts)
    return np.concatenate(list(found), axis=1)


def _silhouettes_of(metric: Any, X: Data, labelings: Labelings, sample: NDArray[Any]) -> Floats:
    """The same in this process; all objects are visited in blocks, the sample among them."""
    distances, codes, s = distances_of_parts(X, metric), labelings.codes, len(sample)
    starts = np.concatenate([[0], np.cumsum(labelings.n_clusters)]).astype(np.int64)
    wanted = np.array([True, False, False, False])
    held: dict[int, Columns] = {}
    for start in range(0, codes.shape[1], BLOCK_ROWS):
        order, run = sort_by_labels(codes[:, start : start + BLOCK_ROWS])
        both = np.concatenate([sample, start + order])
        labels = np.ascontiguousarray(codes[:, both].T)
        run = np.concatenate([np.zeros(s, np.int32), run])
        known = Known(run, np.ones(len(both)), labels, starts, wanted)
        taken = distances.take(both)

        def work(j0: int, known: Known = known, taken: Distances = taken) -> None:
            into = held.setdefault(j0, known.empty(j0, min(j0 + WIDTH, s)))
            add(taken, known, s, taken.n, into)

        deque(in_order(work, range(0, s, WIDTH), one_blas_thread=taken.uses_blas), maxlen=0)
    found = np.full((len(codes), s), np.nan)
    for j0, columns in held.items():
        for m, (start, end) in enumerate(itertools.pairwise(starts)):
            own = codes[m, sample[j0 : columns.stop]]
            judged = np.flatnonzero(own != NOISE)
            sizes = labelings.sizes(m).astype(np.float64)
            sums, own = columns.arrays[0][start:end, judged], own[judged]
            found[m, j0 + judged] = silhouettes(sums, own, sizes[own] - 1, sizes)
    return found
