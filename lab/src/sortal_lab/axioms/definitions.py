"""Properties of external measures as their definitions say it: slow, and the judge of the search.

A case is a list of pairs (T, C) of a gold standard and a clustering. Of each property there is a
premise, which tells whether it speaks of these pairs, and a condition that tells whether the values
of the pairs break it. Values are turned so that greater is better.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sortal_lab.axioms.search import gain

#: labels of a gold standard T and of a clustering C of the same objects
Labels: TypeAlias = tuple[int, ...]
Pair: TypeAlias = tuple[Labels, Labels]
Pairs: TypeAlias = Sequence[Pair]
Facts: TypeAlias = Mapping[str, Any]

#: the pair of equal partitions, and the pair without agreement, that others are compared with
EQUAL: Pair = ((0, 0, 1), (0, 0, 1))
DISJOINT: Pair = ((0, 0), (0, 1))


def differ(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Two values that must be equal are not."""
    return bool(gain(values[0], values[1]) != 0)


def equal(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Values that must not all be equal are."""
    return all(gain(a, b) == 0 for a, b in itertools.pairwise(values))


def no_better(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """The second value must be greater, and is not."""
    return not gain(values[0], values[1]) > 0


# -- words for partitions -------------------------------------------------------------------


def named(labels: Sequence[int]) -> Labels:
    """Labels in order of first appearance."""
    code: dict[int, int] = {}
    return tuple(code.setdefault(int(label), len(code)) for label in labels)


def groups(labels: Labels) -> list[frozenset[int]]:
    """The clusters as sets of objects."""
    clusters: dict[int, list[int]] = {}
    for i, label in enumerate(labels):
        clusters.setdefault(label, []).append(i)
    return [frozenset(group) for group in clusters.values()]


def is_trivial(labels: Labels) -> bool:
    """Whether it is one cluster, or all singletons."""
    return len(set(labels)) in (1, len(labels))


def none_trivial(pairs: Pairs) -> bool:
    """Whether no partition is one cluster or all singletons."""
    return not any(is_trivial(labels) for pair in pairs for labels in pair)


def pair_counts(pair: Pair) -> tuple[int, int, int, int]:
    """Pairs of objects together in both, in C only, in T only, in neither."""
    T, C = pair
    counts = Counter(
        (T[i] == T[j], C[i] == C[j]) for i, j in itertools.combinations(range(len(T)), 2)
    )
    return counts[True, True], counts[False, True], counts[True, False], counts[False, False]


def signature(pair: Pair) -> Any:
    """Equal for pairs whose tables are equal up to the order of rows and columns.

    Classes and clusters are told apart by their counts and, three times over, by those of what
    they meet; tables that differ may have equal signatures where all rows look alike.
    """
    T, C = pair
    cells = Counter(zip(T, C, strict=True))
    rows: dict[int, Any] = dict.fromkeys(T, 0)
    columns: dict[int, Any] = dict.fromkeys(C, 0)
    for _ in range(3):
        met: dict[int, list[Any]] = {row: [] for row in rows}
        for (row, column), count in cells.items():
            met[row].append((count, columns[column]))
        rows = {row: hash(tuple(sorted(codes))) for row, codes in met.items()}
        met = {column: [] for column in columns}
        for (row, column), count in cells.items():
            met[column].append((count, rows[row]))
        columns = {column: hash(tuple(sorted(codes))) for column, codes in met.items()}
    return tuple(sorted(rows.values())), tuple(sorted(columns.values()))


def changed(before: Labels, after: Labels) -> list[int]:
    """The objects whose labels differ."""
    return [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]


def merged(fine: Labels, coarse: Labels) -> tuple[frozenset[int], frozenset[int]] | None:
    """The two clusters that a merger puts together, None if it is no merger of two."""
    before, after = set(groups(fine)), set(groups(coarse))
    apart, together = sorted(before - after, key=min), list(after - before)
    if len(apart) == 2 and len(together) == 1 and apart[0] | apart[1] == together[0]:
        return apart[0], apart[1]
    return None


def components(T: Labels, C: Labels) -> list[list[int]]:
    """The smallest sets of objects that no class and no cluster leaves."""
    blocks: list[set[int]] = []
    for group in [*groups(T), *groups(C)]:
        joined = set(group)
        apart = []
        for block in blocks:
            if block & joined:
                joined |= block
            else:
                apart.append(block)
        blocks = [*apart, joined]
    return sorted(map(sorted, blocks))


def restricted(pair: Pair, objects: Sequence[int]) -> Pair:
    """The pair on some of the objects."""
    return tuple(pair[0][i] for i in objects), tuple(pair[1][i] for i in objects)


def without_shared(pair: Pair) -> Pair:
    """The pair without the objects of clusters that both sides have."""
    shared = set(groups(pair[0])) & set(groups(pair[1]))
    return restricted(pair, [i for i in range(len(pair[0])) if not any(i in g for g in shared)])


# -- premises and conditions ----------------------------------------------------------------


def reversed_names(pairs: Pairs, facts: Facts) -> bool:
    """The second pair is the first with objects in reverse order, and other names."""
    (T, C), (U, D) = pairs
    return named(U[::-1]) == named(T) and named(D[::-1]) == named(C)


def exchanged(pairs: Pairs, facts: Facts) -> bool:
    """The second pair is the first exchanged."""
    return pairs[1] == pairs[0][::-1]


def against_equal(pairs: Pairs, facts: Facts) -> bool:
    """A partition of three objects with itself, and any pair."""
    return pairs[0] == EQUAL and len(pairs[1][0]) > 1


def not_maximal(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether an imperfect pair scores no less than a perfect one, or perfect pairs differ."""
    T, C = pairs[1]
    return (
        differ(values, facts, pairs) if named(T) == named(C) else not gain(values[0], values[1]) < 0
    )


def against_disjoint(pairs: Pairs, facts: Facts) -> bool:
    """Two objects together and apart, and any pair."""
    return pairs[0] == DISJOINT and len(pairs[1][0]) > 1


def not_minimal(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether an agreeing pair scores no more than a disjoint one, or disjoint pairs differ."""
    both, _, _, neither = pair_counts(pairs[1])
    return (
        differ(values, facts, pairs) if both == neither == 0 else not gain(values[0], values[1]) > 0
    )


def another_clustering(pairs: Pairs, facts: Facts) -> bool:
    """(T, C) and (T, T), C another partition."""
    (T, C), (U, D) = pairs
    return T == U and named(T) == named(D) != named(C)


def another_number(pairs: Pairs, facts: Facts) -> bool:
    """(T, C) and (T, T), C of another number of clusters."""
    return another_clustering(pairs, facts) and len(set(pairs[0][1])) != len(set(pairs[0][0]))


def three_partitions(pairs: Pairs, facts: Facts) -> bool:
    """(A, B), (B, C), (B, B), (A, C)."""
    (A, B), (B2, C), (B3, B4), (A2, C2) = pairs
    return B == B2 == B3 == B4 and A == A2 and C == C2


def triangle_broken(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether the distances of three partitions break the triangle inequality."""
    return bool(gain(values[2] + values[3], values[0] + values[1]) > 0)


def _split_or_merger(pairs: Pairs) -> tuple[str, list[set[int]]] | None:
    """Whether C' splits or merges clusters of C, and the classes of the two parts."""
    (T, C), (U, D) = pairs
    if T != U or is_trivial(T):
        return None
    for kind, fine, coarse in (("merger", C, D), ("split", D, C)):
        parts = merged(fine, coarse)
        if parts is not None:
            return kind, [{T[i] for i in part} for part in parts]
    return None


def splits_classes(pairs: Pairs, facts: Facts) -> bool:
    """(T, C), (T, C'): C' splits a cluster of two classes into these; T is not trivial."""
    change = _split_or_merger(pairs)
    if change is None or change[0] != "split":
        return False
    first_class, second_class = change[1]
    return len(first_class) == len(second_class) == 1 and first_class != second_class


def merges_class(pairs: Pairs, facts: Facts) -> bool:
    """(T, C), (T, C'): C' merges two clusters of one and the same class; T is not trivial."""
    change = _split_or_merger(pairs)
    return change is not None and change[0] == "merger" and len(change[1][0] | change[1][1]) == 1


def improves(pairs: Pairs, facts: Facts) -> bool:
    """(T, C), (T, C'): C' is a perfect split or a perfect merger of C; T is not trivial."""
    change = _split_or_merger(pairs)
    if change is None:
        return False
    first_class, second_class = change[1]
    return (
        len(first_class | second_class) == 1
        if change[0] == "merger"
        else not first_class & second_class
    )


def agrees_more(pairs: Pairs, facts: Facts) -> bool:
    """Two pairs of equally many objects; the second has no fewer agreements of either kind."""
    if len(pairs[0][0]) != len(pairs[1][0]):
        return False
    before, after = map(pair_counts, pairs)
    better = (
        after[0] >= before[0],
        after[1] <= before[1],
        after[2] <= before[2],
        after[3] >= before[3],
    )
    return before != after and all(better)


def joins_clean_or_disordered(pairs: Pairs, facts: Facts) -> bool:
    """(T, C), (T, C'): an object of its own class joins a clean or a disordered cluster."""
    (T, C), (U, D) = pairs
    moved = changed(C, D)
    if T != U or len(moved) != 1 or T.count(T[moved[0]]) != 1:
        return False
    i = moved[0]
    rest = [j for j in range(len(T)) if j != i]
    clean = [T[j] for j in rest if C[j] == C[i]]
    disordered = [T[j] for j in rest if D[j] == D[i]]
    return (
        len(clean) == len(disordered) > 1
        and len(set(clean)) == 1
        and all(T.count(label) == 1 for label in disordered)
    )


def many_small_or_one_large(pairs: Pairs, facts: Facts) -> bool:
    """(T, C), (T, C'): m classes of two are split, or one object leaves a class of m + 1."""
    (T, C), (U, D) = pairs
    classes, before, after = set(groups(T)), set(groups(C)), set(groups(D))
    split = [g for g in classes & after - before if len(g) == 2]
    large = [g for g in classes & before - after if len(g) > 2]
    if T != U or len(split) < 3 or len(large) != 1 or len(large[0]) != len(split) + 1:
        return False
    big = large[0]
    pieces = {frozenset({i}) for g in split for i in g}
    parts = {g for g in after if g <= big}
    return (
        sorted(map(len, parts)) == [1, len(split)]
        and pieces <= before
        and before - pieces - {big} == after - parts - set(split)
    )


def _moved(pairs: Pairs) -> list[int] | None:
    """The object whose label changes at every step, on one side only; None for other cases."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    for steps, fixed in (sides[::-1], sides):
        if len(set(fixed)) == 1:
            moves = [changed(a, b) for a, b in itertools.pairwise(steps)]
            if all(len(move) == 1 for move in moves):
                return [move[0] for move in moves]
    return None


def one_label_changes(pairs: Pairs, facts: Facts) -> bool:
    """One label changes, of C or of T, and with it the table, names aside; none is trivial."""
    return (
        _moved(pairs) is not None
        and signature(pairs[0]) != signature(pairs[1])
        and none_trivial(pairs)
    )


def two_labels_change(pairs: Pairs, facts: Facts) -> bool:
    """Two objects of one cell go to one cluster (or class) one by one; none is trivial."""
    moved = _moved(pairs)
    if moved is None or moved[0] == moved[1]:
        return False
    x, y = moved
    first, last = pairs[0], pairs[-1]
    together = all(labels[x] == labels[y] for labels in (*first, *last))
    return together and len(set(map(signature, pairs))) == 3 and none_trivial(pairs)


def one_label_and_extremes(pairs: Pairs, facts: Facts) -> bool:
    """One label changes; then two pairs of equally many objects, the best and the worst."""
    return _moved(pairs[:2]) is not None and len({len(pair[0]) for pair in pairs}) == 1


def jumps(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether moving one object changes the value by more than its share of the range."""
    most = 2 / len(pairs[0][0]) * (values[2] - values[3])
    return bool(gain(most, abs(values[0] - values[1])) > 0)


def with_identities(pairs: Pairs, facts: Facts) -> bool:
    """A pair, its restrictions to sets that no class and no cluster leaves; then all (T, T)."""
    half = len(pairs) // 2
    whole, *parts = pairs[:half]
    blocks = components(*whole)
    wanted = [restricted(whole, block) for block in blocks]
    identities = [(T, T) for T, _ in pairs[:half]]
    return len(blocks) > 1 and sorted(wanted) == sorted(parts) and list(pairs[half:]) == identities


def _distances(values: Sequence[float]) -> list[float]:
    """Differences of the values from the best values."""
    half = len(values) // 2
    return [best - value for value, best in zip(values[:half], values[half:], strict=True)]


def not_additive(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether the distance is not the weighted sum of the distances of the parts."""
    d = _distances(values)
    n = [len(T) for T, _ in pairs]
    total = sum(n[i] / n[0] * d[i] for i in range(1, len(d)))
    return bool(gain(d[0], total) != 0)


def shared_clusters_differ(pairs: Pairs, facts: Facts) -> bool:
    """Two pairs of equally many objects, alike but for clusters on both sides; then (T, T)."""
    first, second, *identities = pairs
    return (
        len(first[0]) == len(second[0])
        and signature(without_shared(first)) == signature(without_shared(second))
        and identities == [(first[0], first[0]), (second[0], second[0])]
    )


def distances_differ(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether two distances differ."""
    first, second = _distances(values)
    return bool(gain(first, second) != 0)


# -- expectations ---------------------------------------------------------------------------


def _likelihoods(pair: Pair) -> dict[Any, float]:
    """Probability of each table for labelings with the sizes of C, by enumeration."""
    T, C = pair
    counts = Counter(signature((T, labels)) for labels in set(itertools.permutations(C)))
    return {key: times / counts.total() for key, times in counts.items()}


def parts_of(facts: Facts, items: Sequence[Any]) -> list[list[tuple[float, Any]]]:
    """Likelihoods beside pairs or values, for the two expectations of a case."""
    first, second = facts["first"], facts["second"]
    return [
        list(zip(first, items[: len(first)], strict=True)),
        list(zip(second, items[len(first) :], strict=True)),
    ]


def all_labelings(pairs: Pairs, facts: Facts) -> bool:
    """All tables of labelings with given sizes, with their likelihoods, twice; none trivial."""
    if not none_trivial(pairs):
        return False
    for part in parts_of(facts, pairs):
        stated = {signature(pair): likelihood for likelihood, pair in part}
        enumerated = _likelihoods(part[0][1])
        if stated.keys() != enumerated.keys() or any(
            gain(stated[k], enumerated[k]) for k in stated
        ):
            return False
    return True


def _sizes(labels: Labels) -> list[int]:
    """Sorted sizes of the groups."""
    return sorted(Counter(labels).values())


def all_labelings_of_one_truth(pairs: Pairs, facts: Facts) -> bool:
    """Premise of :func:`all_labelings`, with the sizes of T fixed."""
    first, second = (part[0][1] for part in parts_of(facts, pairs))
    return _sizes(first[0]) == _sizes(second[0]) and all_labelings(pairs, facts)


def all_labelings_of_one_clustering(pairs: Pairs, facts: Facts) -> bool:
    """Premise of :func:`all_labelings`, with the sizes of C fixed."""
    first, second = (part[0][1] for part in parts_of(facts, pairs))
    return _sizes(first[1]) == _sizes(second[1]) and all_labelings(pairs, facts)


def means_differ(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """Whether two weighted means differ."""
    first, second = (sum(p * value for p, value in part) for part in parts_of(facts, values))
    return bool(gain(first, second) != 0)


def independent(pairs: Pairs, facts: Facts) -> bool:
    """Two pairs, then both with every object doubled: p(c, t) = p(c) p(t) in all of them."""
    for T, C in pairs:
        rows, columns, cells = Counter(T), Counter(C), Counter(zip(T, C, strict=True))
        if any(cells[t, c] * len(T) != rows[t] * columns[c] for t in rows for c in columns):
            return False
    return all(
        sorted(zip(*pairs[i + 2], strict=True)) == sorted([*zip(*pairs[i], strict=True)] * 2)
        for i in (0, 1)
    )


def gap_stays(values: Sequence[float], facts: Facts, pairs: Pairs) -> bool:
    """The values differ, and hardly less when there are twice as many objects."""
    small, large = abs(values[0] - values[1]), abs(values[2] - values[3])
    return large > 1e-3 * max(1.0, abs(values[2]), abs(values[3])) and large > 0.75 * small
