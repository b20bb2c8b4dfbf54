"""Exhaustive search for violations of the properties of external measures.

Every function takes :class:`Values` of a measure for n objects, and returns how many cases there
are, how many more are undefined, and the pairs of one that breaks the property, or None. One T for
each list of sizes stands for all others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal_lab.axioms.definitions import (
    DISJOINT,
    EQUAL,
    Labels,
    Pair,
    components,
    named,
    restricted,
    without_shared,
)
from sortal_lab.axioms.partition_pairs import PairsOfPartitions, pairs_of_partitions
from sortal_lab.axioms.search import gain
from sortal_lab.axioms.valuation import Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats, Ints

    Flags = NDArray[np.bool_]

#: how many cases there are, how many are undefined, and the pairs of one that breaks the property
SearchResult: TypeAlias = tuple[int, int, "list[Pair] | None"]


class Values:
    """Values of one measure for all pairs of partitions of n objects; greater is better.

    Attributes
    ----------
    space : PairsOfPartitions
    score : ndarray, shape (kinds,)
        NaN where undefined.
    """

    def __init__(self, judge: Valuation, n: int) -> None:
        self.judge, self.n = judge, n

    @cached_property
    def space(self) -> PairsOfPartitions:
        """The pairs."""
        return pairs_of_partitions(self.n)

    @cached_property
    def score(self) -> Floats:
        """Value of each kind of pair."""
        rows = self.space.partitions.astype(np.int64)
        return self.judge.sign * np.array(
            [self.judge.against(rows[t], rows[c]) for t, c in self.space.first.tolist()]
        )

    def of(self, pair: Pair) -> float:
        """Value of one pair, of any number of objects."""
        T, C = (np.array(labels, dtype=np.int64) for labels in pair)
        return self.judge.sign * self.judge.against(T, C)

    def smaller(self, n: int) -> Values:
        """Values for fewer objects."""
        return Values(self.judge, n)

    def labels(self, partition: int) -> Labels:
        """Labels of a partition by its index."""
        return tuple(self.space.partitions[partition].tolist())

    def pair(self, t: int, c: int) -> Pair:
        """Labels of two partitions."""
        return self.labels(t), self.labels(c)

    @cached_property
    def proper(self) -> Flags:
        """Mask of the partitions that are neither one cluster nor all singletons."""
        k = self.space.n_clusters
        return np.asarray((k > 1) & (k < self.n))


def _seen(*values: Any, mask: Flags | bool = True) -> tuple[int, int, Flags]:
    """Numbers of defined and undefined cases in the mask, and the mask of the defined."""
    undefined = np.logical_or.reduce([np.isnan(v) for v in values])
    defined = ~undefined & mask
    return int(defined.sum()), int((undefined & mask).sum()), np.asarray(defined)


def _first(bad: Flags) -> int | None:
    """First position where a condition holds, or None."""
    positions = np.flatnonzero(bad)
    return int(positions[0]) if len(positions) else None


def names_and_order(v: Values) -> SearchResult:
    """Test whether names of clusters and order of objects matter."""
    others = []
    for t, c in v.space.first.tolist():
        turned = [tuple(v.n - label for label in labels[::-1]) for labels in v.pair(t, c)]
        others.append((turned[0], turned[1]))
    renamed_scores = np.array([v.of(pair) for pair in others])
    cases, undefined, defined = _seen(v.score, renamed_scores)
    i = _first(defined & (gain(v.score, renamed_scores) != 0))
    return cases, undefined, None if i is None else [v.pair(*v.space.first[i]), others[i]]


def symmetry(v: Values) -> SearchResult:
    """Test whether exchanging classes and clusters changes the value."""
    t, c = v.space.first.T
    swapped_scores = v.score[v.space.kind[c, t]]
    cases, undefined, defined = _seen(v.score, swapped_scores)
    i = _first(defined & (gain(v.score, swapped_scores) != 0))
    return cases, undefined, None if i is None else [v.pair(t[i], c[i]), v.pair(c[i], t[i])]


def _against(reference: Pair, v: Values, alike: Flags, sign: int) -> SearchResult:
    """``alike`` kinds must have the reference's value, the others one that is greater or less."""
    change = sign * gain(v.of(reference), v.score)
    cases, undefined, defined = _seen(change)
    i = _first(defined & np.where(alike, change != 0, ~(change > 0)))
    return cases, undefined, None if i is None else [reference, v.pair(*v.space.first[i])]


def maximal_agreement(v: Values) -> SearchResult:
    """Test whether equal partitions score best."""
    t, c = v.space.first.T
    return _against(EQUAL, v, t == c, -1)


def minimal_agreement(v: Values) -> SearchResult:
    """Test whether disjoint partitions score worst."""
    both, _, _, neither = v.space.agreeing
    return _against(DISJOINT, v, (both == 0) & (neither == 0), 1)


def _optimum(v: Values, mask: Flags) -> SearchResult:
    """Test whether the selected pairs score worse than equal partitions."""
    t, c = v.space.first.T
    best = v.score[v.space.kind[t, t]]
    cases, undefined, defined = _seen(best, v.score, mask=mask)
    i = _first(defined & ~(gain(v.score, best) > 0))
    return cases, undefined, None if i is None else [v.pair(t[i], c[i]), v.pair(t[i], t[i])]


def unique_optimum(v: Values) -> SearchResult:
    """Test whether only equal partitions score best."""
    t, c = v.space.first.T
    return _optimum(v, t != c)


def optimal_number(v: Values) -> SearchResult:
    """Test whether other numbers of clusters score worse than the right one."""
    k = v.space.n_clusters[v.space.first]
    return _optimum(v, k[:, 0] != k[:, 1])


def triangle(v: Values) -> SearchResult:
    """Test whether distances obey the triangle inequality."""
    full = v.score[v.space.kind]
    full[np.isinf(full)] = np.nan
    cases = undefined = 0
    for b in v.space.distinct.tolist():
        left = full[:, b, None] + full[None, b, :]
        right = full[b, b] + full
        more, less, defined = _seen(left, right)
        cases, undefined = cases + more, undefined + less
        # the tolerance is for the few that exceed
        i = _first(defined & (left > right) & (gain(right, left) > 0))
        if i is not None:
            A, C = v.pair(*divmod(i, len(v.space)))
            B = v.labels(b)
            return cases, undefined, [(A, B), (B, C), (B, B), (A, C)]
    return cases, undefined, None


def _improvements(v: Values, splits: Any, merges: Any) -> SearchResult:
    """Splits and mergers of two clusters, chosen by the classes of the two parts."""
    fine, coarse, first, second = v.space.merges
    cases = undefined = 0
    for t in v.space.distinct[v.proper[v.space.distinct]].tolist():
        bits = _class_sets(v.space, t)
        a, b = bits[fine, first], bits[fine, second]
        for premise, worse, better in ((merges, fine, coarse), (splits, coarse, fine)):
            if premise is None:
                continue
            before, after = v.score[v.space.kind[t, worse]], v.score[v.space.kind[t, better]]
            more, less, defined = _seen(before, after, mask=premise(a, b))
            cases, undefined = cases + more, undefined + less
            i = _first(defined & ~(gain(before, after) > 0))
            if i is not None:
                return cases, undefined, [v.pair(t, worse[i]), v.pair(t, better[i])]
    return cases, undefined, None


def _class_sets(space: PairsOfPartitions, t: int) -> Ints:
    """Classes of partition t in each cluster of each partition, as bits."""
    bits = np.zeros((len(space), space.n), dtype=np.int64)
    rows = np.arange(len(space))
    for i, label in enumerate(space.partitions[t].tolist()):
        bits[rows, space.partitions[:, i]] |= 1 << label
    return bits


def _single(bits: Ints) -> Flags:
    """Whether a set of classes, as bits, has at most one member."""
    return np.asarray(bits & (bits - 1) == 0)


def homogeneity(v: Values) -> SearchResult:
    """Test whether splitting a cluster by class raises the value."""
    return _improvements(v, lambda a, b: _single(a) & _single(b) & (a != b), None)


def completeness(v: Values) -> SearchResult:
    """Test whether merging clusters of one class raises the value."""
    return _improvements(v, None, lambda a, b: _single(a) & (a == b))


def monotonicity(v: Values) -> SearchResult:
    """Test whether perfect splits and mergers raise the value."""
    return _improvements(v, lambda a, b: a & b == 0, lambda a, b: _single(a) & (a == b))


def strong_monotonicity(v: Values) -> SearchResult:
    """Test whether more agreements of pairs raise the value."""
    both, only_pred, only_true, neither = v.space.agreeing
    better = (
        (both[None] >= both[:, None])
        & (only_pred[None] <= only_pred[:, None])
        & (only_true[None] <= only_true[:, None])
        & (neither[None] >= neither[:, None])
    )
    change = gain(v.score[:, None], v.score[None])
    cases, undefined, defined = _seen(change, mask=better & ~(better & better.T))
    i = _first(defined & ~(change > 0))
    if i is None:
        return cases, undefined, None
    return cases, undefined, [v.pair(*v.space.first[k]) for k in divmod(i, len(v.score))]


def _beside(*parts: Pair) -> Pair:
    """Parts side by side, with classes and clusters of their own."""
    T: list[int] = []
    C: list[int] = []
    for part_T, part_C in parts:
        above_T, above_C = max(T, default=-1) + 1, max(C, default=-1) + 1
        T += [label + above_T for label in part_T]
        C += [label + above_C for label in part_C]
    return tuple(T), tuple(C)


def _rests(n: int, most: int = 3) -> Iterator[Pair]:
    """Pairs of partitions of n further objects, up to renaming; none for too many objects."""
    if n == 0:
        yield (), ()
    elif 0 < n <= most:
        space = pairs_of_partitions(n)
        for pair in space.first.tolist():
            T, C = (tuple(space.partitions[i].tolist()) for i in pair)
            yield T, C


def _families(v: Values, made: Iterator[list[Pair]]) -> SearchResult:
    """Trials of pairs of clusterings of which the second must score higher."""
    cases = undefined = 0
    for pairs in made:
        change = gain(v.of(pairs[0]), v.of(pairs[1]))
        cases, undefined = cases + (change == change), undefined + (change != change)
        if change <= 0:
            return int(cases), int(undefined), pairs
    return int(cases), int(undefined), None


def rag_bag(v: Values) -> SearchResult:
    """Test whether noise is better in a mixed cluster than in a pure one."""

    def made() -> Iterator[list[Pair]]:
        for m in range(2, (v.n - 1) // 2 + 1):
            T = (*[0] * m, *range(1, m + 1), m + 1)
            for rest in _rests(v.n - 2 * m - 1):
                yield [_beside((T, (*[0] * m, *[1] * m, to)), rest) for to in (0, 1)]

    return _families(v, made())


def size_against_quantity(v: Values) -> SearchResult:
    """Test whether one small error in a large cluster is better than many in small ones."""

    def made() -> Iterator[list[Pair]]:
        for m in range(3, (v.n - 1) // 3 + 1):
            T = (*[0] * (m + 1), *(1 + i // 2 for i in range(2 * m)))
            many = (*[0] * (m + 1), *range(1, 2 * m + 1))
            single = (*[0] * m, m + 1, *T[m + 1 :])
            for rest in _rests(v.n - 3 * m - 1):
                yield [_beside((T, clusters), rest) for clusters in (many, single)]

    return _families(v, made())


def _relabeled(v: Values, fixed: int, turn: int, start: int, *steps: tuple[Any, Any]) -> list[Pair]:
    """Pairs with one partition fixed, the other changed object by object."""
    labels = list(v.labels(start))
    labelings = [tuple(labels)]
    for i, target in steps:
        labels[int(i)] = int(target)
        labelings.append(tuple(labels))
    pairs = [(v.labels(fixed), changed) for changed in labelings]
    return pairs if turn > 0 else [(C, T) for T, C in pairs]


def fullness(v: Values) -> SearchResult:
    """Test whether moving one object changes the value."""
    before, after, objects, targets = v.space.moves
    proper = v.proper[before] & v.proper[after]
    cases = undefined = 0
    for t in v.space.distinct[v.proper[v.space.distinct]].tolist():
        for kinds, turn in ((v.space.kind[t], 1), (v.space.kind[:, t], -1)):
            first, second = kinds[before], kinds[after]
            more, less, defined = _seen(
                v.score[first], v.score[second], mask=(first != second) & proper
            )
            cases, undefined = cases + more, undefined + less
            i = _first(defined & (gain(v.score[first], v.score[second]) == 0))
            if i is not None:
                step = (objects[i], targets[i])
                return cases, undefined, _relabeled(v, t, turn, before[i], step)
    return cases, undefined, None


def weak_fullness(v: Values) -> SearchResult:
    """Test whether moving two alike objects changes the value."""
    before, after, objects, targets = v.space.moves
    labels = v.space.partitions[before]
    home = labels[np.arange(len(before)), objects]
    cases = undefined = 0
    for second_object in range(v.n):
        # both objects leave the same cluster for the same target
        chosen = np.flatnonzero((objects < second_object) & (labels[:, second_object] == home))
        last = labels[chosen].copy()
        last[np.arange(len(chosen)), objects[chosen]] = targets[chosen]
        last[:, second_object] = targets[chosen]
        steps = before[chosen], after[chosen], v.space.indices(last)
        proper = np.logical_and.reduce([v.proper[step] for step in steps])
        for t in v.space.distinct[v.proper[v.space.distinct]].tolist():
            T = v.space.partitions[t]
            alike = proper & (T[objects[chosen]] == T[second_object])
            for kinds, turn in ((v.space.kind[t], 1), (v.space.kind[:, t], -1)):
                a, b, c = (kinds[step] for step in steps)
                mask = alike & (a != b) & (b != c) & (a != c)
                more, less, defined = _seen(v.score[a], v.score[b], v.score[c], mask=mask)
                cases, undefined = cases + more, undefined + less
                i = _first(
                    defined
                    & (gain(v.score[a], v.score[b]) == 0)
                    & (gain(v.score[b], v.score[c]) == 0)
                )
                if i is not None:
                    j = chosen[i]
                    moves = (objects[j], targets[j]), (second_object, targets[j])
                    return cases, undefined, _relabeled(v, t, turn, before[j], *moves)
    return cases, undefined, None


def noise_tolerance(v: Values) -> SearchResult:
    """Test whether moving one object changes the value by no more than its share."""
    before, after, objects, targets = v.space.moves
    S = np.where(np.isfinite(v.score), v.score, np.nan)
    if np.isnan(S).all():
        return 0, len(S), None
    high, low = int(np.nanargmax(S)), int(np.nanargmin(S))
    worst, pairs = 2 / v.n * (S[high] - S[low]), None
    cases = undefined = 0
    for t in v.space.distinct.tolist():
        for kinds, turn in ((v.space.kind[t], 1), (v.space.kind[:, t], -1)):
            jump = np.abs(S[kinds[before]] - S[kinds[after]])
            more, less, defined = _seen(jump)
            cases, undefined = cases + more, undefined + less
            i = int(np.argmax(np.where(defined, jump, -1.0))) if len(jump) else 0
            if len(jump) and gain(worst, jump[i]) > 0:
                worst = jump[i]
                pairs = _relabeled(v, t, turn, before[i], (objects[i], targets[i]))
    if pairs is not None:
        pairs += [v.pair(*v.space.first[high]), v.pair(*v.space.first[low])]
    return cases, undefined, pairs


def convex_additivity(v: Values) -> SearchResult:
    """Test whether the distance is the weighted sum over unrelated parts."""
    return _of_distances(v, _parts)


def _parts(pair: Pair) -> list[Pair] | None:
    """A pair and its restrictions to unrelated parts."""
    blocks = components(*pair)
    return None if len(blocks) < 2 else [pair, *(restricted(pair, block) for block in blocks)]


def _of_distances(v: Values, parts_of: Callable[[Pair], list[Pair] | None]) -> SearchResult:
    """Trials of distances of the pairs that belong together."""
    cases = undefined = 0
    distances: dict[Pair, float] = {}

    def distance(pair: Pair) -> float:
        key = named(pair[0]), named(pair[1])
        if key not in distances:
            distances[key] = v.of((key[0], key[0])) - v.of(key)
        return distances[key]

    for t, c in v.space.first.tolist():
        pairs = parts_of(v.pair(t, c))
        if pairs is None:
            continue
        d = [distance(pair) for pair in pairs]
        cases, undefined = cases + all(map(math.isfinite, d)), undefined + any(map(math.isnan, d))
        total = sum(len(pair[0]) / v.n * x for pair, x in zip(pairs[1:], d[1:], strict=True))
        if all(map(math.isfinite, d)) and gain(d[0], total) != 0:
            return cases, undefined, [*pairs, *((T, T) for T, _ in pairs)]
    return cases, undefined, None


def locality(v: Values) -> SearchResult:
    """Test whether shared clusters do not matter."""
    seen: dict[Any, Pair] = {}

    def parts(pair: Pair) -> list[Pair] | None:
        T, C = without_shared(pair)
        key: Any = ()
        if T:
            small = pairs_of_partitions(len(T))
            t, c = (small.index(np.array(labels)) for labels in (T, C))
            key = len(T), int(small.kind[t, c])
        earlier = seen.setdefault(key, pair)
        return None if earlier == pair else [earlier, pair]

    return _of_distances(v, parts)
