"""All pairs of partitions of a few objects, by their contingency table up to renaming."""

from __future__ import annotations

import itertools
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sortal_lab.axioms.cases import partitions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


class PairsOfPartitions:
    """The pairs (T, C) of partitions of n objects; two of them are alike if their tables are.

    Parameters
    ----------
    n : int
        Objects; B(n)² pairs, with the Bell numbers 1, 2, 5, 15, 52, 203, 877.

    Attributes
    ----------
    partitions : ndarray of int8, shape (B, n)
        Labels in order of first appearance.
    kind : ndarray of int32, shape (B, B)
        Which of the different tables the pair has. Equal where a permutation of the objects maps
        one pair to the other, that is where the tables are equal up to the order of their rows
        and of their columns.
    first : ndarray of int64, shape (kinds, 2)
        A pair (t, c) of each kind.

    Notes
    -----
    T is brought to one partition for each list of sizes; for this one the kinds are the connected
    components of the partitions C under the permutations that leave it unchanged.
    """

    def __init__(self, n: int) -> None:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        self.n = n
        self.partitions = partitions(n).astype(np.int8)
        number = len(self.partitions)
        self._index = {row.tobytes(): i for i, row in enumerate(self.partitions)}
        swaps = np.array([self.permuted(_swap(n, i)) for i in range(n - 1)], dtype=np.int64)
        self.kind = np.full((number, number), -1, dtype=np.int32)
        kinds, seen = 0, np.zeros(number, dtype=bool)
        for t in range(number):
            if seen[t]:
                continue
            fixing = [self.permuted(order) for order in _symmetries(self.partitions[t])]
            ends = np.concatenate(fixing) if fixing else np.arange(number)
            starts = np.tile(np.arange(number), max(len(fixing), 1))
            graph = coo_array((np.ones(len(ends)), (starts, ends)), shape=(number, number))
            n_components, component = connected_components(graph, directed=False)
            self.kind[t] = kinds + component
            kinds += n_components
            seen[t], todo = True, [t]
            while todo:
                partition = todo.pop()
                for swap in swaps:
                    swapped = int(swap[partition])
                    if not seen[swapped]:
                        seen[swapped] = True
                        self.kind[swapped] = self.kind[partition][swap]
                        todo.append(swapped)
        flat = np.unique(self.kind, return_index=True)[1]
        self.first = np.stack(np.divmod(flat, number), axis=1)

    def __len__(self) -> int:
        return len(self.partitions)

    def index(self, labels: NDArray[np.integer]) -> int:
        """Number of the partition with these labels."""
        return self._index[canonical(labels[None, :])[0].tobytes()]

    def indices(self, labels: NDArray[np.integer]) -> Ints:
        """Numbers of the partitions in the rows."""
        rows = canonical(labels)
        return np.array([self._index[row.tobytes()] for row in rows], dtype=np.int64)

    def permuted(self, order: NDArray[np.integer]) -> Ints:
        """Number of each partition after object i takes the place of ``order[i]``."""
        return self.indices(self.partitions[:, order])

    @cached_property
    def n_clusters(self) -> Ints:
        """Clusters of each partition."""
        return np.asarray(self.partitions.max(axis=1) + 1, dtype=np.int64)

    @cached_property
    def sizes(self) -> list[tuple[int, ...]]:
        """Sizes of the clusters of each partition, in descending order."""
        return [tuple(sorted(np.bincount(row).tolist(), reverse=True)) for row in self.partitions]

    @cached_property
    def distinct(self) -> Ints:
        """One partition for each list of sizes: T may be restricted to these."""
        first: dict[tuple[int, ...], int] = {}
        for i, sizes in enumerate(self.sizes):
            first.setdefault(sizes, i)
        return np.array(list(first.values()), dtype=np.int64)

    @cached_property
    def agreeing(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Pairs of objects together in both, in C only, in T only and in neither, of each kind."""
        T, C = (self.partitions[index] for index in self.first.T)
        first, second = np.triu_indices(self.n, 1)
        in_T, in_C = T[:, first] == T[:, second], C[:, first] == C[:, second]
        return (
            (in_T & in_C).sum(axis=1),
            (~in_T & in_C).sum(axis=1),
            (in_T & ~in_C).sum(axis=1),
            (~in_T & ~in_C).sum(axis=1),
        )

    @cached_property
    def moves(self) -> tuple[Ints, Ints, Ints, Ints]:
        """All changes of one object's cluster: partition before, after, the object, its target.

        The target is a cluster of the partition or a new one; moves that change nothing but names
        are excluded.
        """
        changes = []
        everything = np.arange(len(self))
        for i in range(self.n):
            for target in range(self.n):
                before = everything[target <= self.n_clusters]
                changed = self.partitions[before]
                changed[:, i] = target
                after = self.indices(changed)
                moved = after != before
                same = np.full((2, moved.sum()), [[i], [target]])
                changes.append(np.stack([before[moved], after[moved], *same]))
        before_, after_, objects, targets = np.concatenate(changes, axis=1)
        return before_, after_, objects, targets

    @cached_property
    def merges(self) -> tuple[Ints, Ints, Ints, Ints]:
        """All mergers of two clusters: partition before, after, and the two clusters."""
        mergers = []
        for first in range(self.n - 1):
            for second in range(first + 1, self.n):
                before = np.flatnonzero(self.n_clusters > second)
                labels = self.partitions[before]
                after = self.indices(np.where(labels == second, first, labels))
                same = np.full((2, len(before)), [[first], [second]])
                mergers.append(np.stack([before, after, *same]))
        if not mergers:
            return (np.empty(0, dtype=np.int64),) * 4
        before_, after_, firsts, seconds = np.concatenate(mergers, axis=1)
        return before_, after_, firsts, seconds


@lru_cache(maxsize=8)
def pairs_of_partitions(n: int) -> PairsOfPartitions:
    """The pairs of partitions of n objects, made once."""
    return PairsOfPartitions(n)


def canonical(labels: NDArray[np.integer]) -> NDArray[np.int8]:
    """Labels of each row in order of first appearance."""
    number, n = labels.shape
    codes = np.full((number, n), -1, dtype=np.int8)
    fresh = np.zeros(number, dtype=np.int8)
    rows = np.arange(number)
    code = np.full((number, int(labels.max(initial=0)) + 1), -1, dtype=np.int8)
    for i in range(n):
        old = code[rows, labels[:, i]]
        new = old < 0
        code[rows[new], labels[new, i]] = fresh[new]
        fresh[new] += 1
        codes[:, i] = code[rows, labels[:, i]]
    return codes


def _swap(n: int, i: int) -> Ints:
    """Permutation that exchanges neighbours i and i + 1."""
    order = np.arange(n)
    order[[i, i + 1]] = i + 1, i
    return order


def _symmetries(labels: NDArray[np.int8]) -> list[Ints]:
    """Generators of the permutations of the objects that leave a partition unchanged."""
    n = len(labels)
    groups = [np.flatnonzero(labels == c) for c in range(int(labels.max()) + 1)]
    orders = []
    for group in groups:
        for a, b in itertools.pairwise(group.tolist()):
            order = np.arange(n)
            order[[a, b]] = b, a
            orders.append(order)
    groups.sort(key=len)
    for first, second in itertools.pairwise(groups):
        if len(first) == len(second):
            order = np.arange(n)
            order[first], order[second] = second, first
            orders.append(order)
    return orders
