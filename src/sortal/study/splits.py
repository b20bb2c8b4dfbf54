"""The tree of splits: the groups that the objects divide into, each split with its probability.

The data and their distance alone make it: no seed, no range of numbers, no other clustering.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit

from sortal.judge import FEWEST_OBJECTS, gather, load_judge
from sortal.judge.evidence import anchors, as_points, coordinates
from sortal.nulls.settings import STRUCTURE
from sortal.nulls.structure import Structure, StructureSearch
from sortal.runtime.draws import draw_rows
from sortal.study.facts import HALF, SplitKind
from sortal.study.ranking import by_expected_agreement
from sortal.study.samples import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats, Ints, Metric, Rows

    Objects = NDArray[np.int64]

#: limit of cost: saves evidence and tests of further objects
MAX_OBJECTS = 1_000
#: limit of cost: saves tests of further nodes
MAX_TESTS = 40
#: tuned by eye: probability of a range of numbers
ENOUGH = 0.8


@dataclass(frozen=True)
class SplitSettings:
    """Tuned constants of the tree of splits, with their defaults."""

    #: tuned: by eye; fewest objects of a group inside which a split is sought
    min_group: int = 60
    #: tuned: planted trees; share of a split's height from which on a split below joins it
    same_height: float = 0.85
    #: tuned: by eye; share of a node's objects below which a group joins the nearest one
    min_share: float = 0.03
    #: tuned: planted trees; added to the log-odds that a union of groups of the best partition
    #: divides, which it mostly does
    union_log_odds: float = 1.0
    #: tuned: planted trees; the same of a single group, which seldom divides
    group_log_odds: float = -0.7
    #: tuned: by eye; probability that a node exists from which on splits are sought below it
    least_likely: float = 0.25


SPLITS = SplitSettings()
#: searches of a node go on while one half is within their error; its other limits do not matter
AT_NODES = replace(STRUCTURE, clusters_from=HALF, no_clusters_below=HALF)


@dataclass(frozen=True)
class Split:
    """A node of the tree: objects that may divide into groups.

    Attributes
    ----------
    objects : ndarray of int64
        Their positions among the objects of the study, as far as the tree was made from them.
    probability, error : float
        Probability that they divide, given that the splits above are right, and its standard error.
    kind : {"separate", "overlapping"}
        The more probable kind of groups.
    children : tuple of Split
        The groups that they divide into; empty where none were sought.
    """

    objects: NDArray[np.int64] = field(repr=False, compare=False)
    probability: float = 0.0
    error: float = 0.0
    kind: SplitKind = "separate"
    children: tuple[Split, ...] = ()

    @property
    def divides(self) -> bool:
        """Whether it divides, more probably than not."""
        return self.probability >= HALF and bool(self.children)

    @property
    def shares(self) -> Floats:
        """Probability of each number of groups, from 0."""
        divided = np.array([0.0, 0.0, 1.0])
        if self.children:
            divided = np.ones(1)
            for child in self.children:
                divided = np.convolve(divided, child.shares)
        shares: Floats = self.probability * divided
        shares[1] += 1 - self.probability
        return shares

    def __iter__(self) -> Iterator[Split]:
        """Itself and all nodes below, each before its children."""
        yield self
        for child in self.children:
            yield from child

    def groups(self, depth: int | None = None) -> Iterator[Split]:
        """The groups that splits above one half make, all of whose ancestors are, to a depth."""
        if not self.divides or depth == 0:
            yield self
            return
        for child in self.children:
            yield from child.groups(None if depth is None else depth - 1)


@dataclass(frozen=True)
class SplitTree:
    """The tree of splits of a data set."""

    #: the node of all objects
    root: Split

    @cached_property
    def groups(self) -> tuple[Split, ...]:
        """The groups that splits above one half make, all of whose ancestors are."""
        return tuple(self.root.groups())

    @property
    def k(self) -> int:
        """Their number."""
        return len(self.groups)

    @cached_property
    def numbers(self) -> dict[int, float]:
        """Probability of each number of groups, the greatest first; they sum to 1."""
        shares = self.root.shares
        order = np.argsort(-shares, kind="stable").tolist()
        return {k: float(shares[k]) for k in order if shares[k] > 0}

    @property
    def levels(self) -> list[int]:
        """Numbers of groups of the tree, cut at each depth."""
        numbers = [1]
        while numbers[-1] < self.k:
            numbers.append(len([*self.root.groups(len(numbers))]))
        return numbers[1:]

    @property
    def likely(self) -> tuple[int, int]:
        """The shortest range of numbers that has their number, and a probability of 80 %."""
        total = np.concatenate([[0.0], np.cumsum(self.root.shares)])
        ends = [
            (low, high)
            for low in range(1, self.k + 1)
            for high in range(self.k, len(total) - 1)
            if total[high + 1] - total[low] >= ENOUGH
        ]
        return min(ends, key=lambda e: (e[1] - e[0], total[e[0]] - total[e[1] + 1]))

    def place(self, n: int) -> NDArray[np.int64]:
        """The group of each of n objects; -1 for those that the tree was not made from."""
        out = np.full(n, -1)
        for i, group in enumerate(self.groups):
            out[group.objects] = i
        return out


def split_tree(
    X: Rows, metric: Metric, structure: Structure, settings: SplitSettings = SPLITS
) -> SplitTree:
    """The tree of splits of objects.

    The best partition of the learned judge gives the groups; unions of these are the nodes above,
    in the order of a dendrogram. Each is tested for groups inside, as all objects are. So is each
    group, and one that divides has its own best partition.

    Parameters
    ----------
    X : ndarray or csr
        Objects sorted by their contents; not a graph.
    metric : str or callable
    structure : Structure
        Whether all of them have groups.
    settings : SplitSettings
    """
    sample = draw_rows(X.shape[0], MAX_OBJECTS, 0)
    tested = structure.grouped, structure.error, _kind(structure)
    return SplitTree(_Growth(X, metric, settings).node(sample, tested, 1.0))


def in_positions(tree: SplitTree, positions: Objects) -> SplitTree:
    """The tree with other positions of its objects, those at their present ones."""

    def moved(node: Split) -> Split:
        children = tuple(map(moved, node.children))
        return replace(node, objects=positions[node.objects], children=children)

    return SplitTree(moved(tree.root))


#: probability, standard error and kind of a node's split
_Tested = tuple[float, float, SplitKind]


@dataclass(frozen=True)
class _Union:
    """Groups of a partition that belong together, and how far apart its parts are."""

    members: tuple[int, ...]
    height: float = 0.0
    parts: tuple[_Union, ...] = ()


@dataclass
class _Growth:
    """Growth of a tree: the objects, and the tests so far."""

    X: Any
    metric: Any
    settings: SplitSettings
    tests: int = 0

    def node(self, rows: Objects, tested: _Tested, reach: float) -> Split:
        """A node whose objects are no union of known groups, with what is below it.

        ``reach`` is the probability that the node exists.
        """
        if reach * tested[0] >= self.settings.least_likely:
            groups = self.groups(rows)
            if groups is not None:
                return self.union(rows, *groups, tested, reach)
        return Split(rows, *tested)

    def union(
        self, rows: Objects, codes: Ints, union: _Union, tested: _Tested, reach: float
    ) -> Split:
        """A node of known groups, with what is below it."""
        reach *= tested[0]
        if reach < self.settings.least_likely and tested[0] < HALF:
            return Split(rows, *tested)
        children = []
        for part in self._joined(union):
            inside = np.isin(codes, part.members)
            if part.parts:
                of_part = self.test(rows[inside], is_group=False)
                child = self.union(rows[inside], codes[inside], part, of_part, reach)
            else:
                of_part = self.test(rows[inside], is_group=True)
                child = Split(rows[inside], *of_part)
                if of_part[0] >= HALF:
                    child = self.node(rows[inside], of_part, 1.0)
            children.append(child)
        return Split(rows, *tested, tuple(children))

    def test(self, rows: Objects, *, is_group: bool) -> _Tested:
        """Whether the objects of a node divide.

        Few objects are no evidence: then a union of groups remains divided, and a group whole. A
        group divides by valleys and gaps alone: the judge saw finer partitions, and did not prefer
        them.
        """
        settings = self.settings
        log_odds = settings.group_log_odds if is_group else settings.union_log_odds
        least = settings.min_group if is_group else FEWEST_OBJECTS
        if len(rows) < least or self.tests >= MAX_TESTS:
            return 0.0 if is_group else float(expit(log_odds)), 0.0, "separate"
        self.tests += 1
        X = part_of(self.X, rows, self.metric)
        search = StructureSearch(X, self.metric, np.random.default_rng(0), AT_NODES)
        structure = search.separation(AT_NODES) if is_group else search.structure(AT_NODES)
        before = float(np.clip(structure.grouped, 1e-9, 1 - 1e-9))
        after = float(expit(logit(before) + log_odds))
        error = structure.error * after * (1 - after) / (before * (1 - before))
        return after, error, _kind(structure)

    def groups(self, rows: Objects) -> tuple[Ints, _Union] | None:
        """The groups of the best partition of some objects and their unions; None for fewer than 2.

        A few objects apart from all others are no group of the tree: the tests do not see them.
        """
        if len(rows) < FEWEST_OBJECTS:
            return None
        X = part_of(self.X, rows, self.metric)
        Z = coordinates(as_points(X, self.metric))
        candidates, _ = anchors(Z)
        if not len(candidates):
            return None
        evidence, judge = gather(X, candidates, metric=self.metric), load_judge()
        judgement = by_expected_agreement(judge, judge(evidence), evidence)
        codes = candidates[int(np.argmax(judgement.score))]
        codes = _without_few(Z, codes, self.settings.min_share * len(Z))
        return (codes, _unions(Z, codes)) if codes.max() > 0 else None

    def _joined(self, union: _Union) -> Iterator[_Union]:
        """The parts of a union; those of a part at nearly the same height in its place."""
        for part in union.parts:
            if part.parts and part.height >= self.settings.same_height * union.height:
                yield from self._joined(part)
            else:
                yield part


def _kind(structure: Structure) -> SplitKind:
    """The more probable kind of groups."""
    return "separate" if structure.probability >= structure.overlapping else "overlapping"


def _unions(Z: Floats, codes: Ints) -> _Union:
    """The dendrogram of groups by the mean distances of their centres."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    unions = [_Union((c,)) for c in range(int(codes.max()) + 1)]
    for a, b, height, _ in linkage(squareform(_apart(Z, codes), checks=False), "average"):
        parts = unions[int(a)], unions[int(b)]
        unions.append(_Union(parts[0].members + parts[1].members, float(height), parts))
    return unions[-1]


def _apart(Z: Floats, codes: Ints) -> Floats:
    """Distances between the centres of groups, in standard deviations within along their line."""
    k = int(codes.max()) + 1
    centres = np.stack([Z[codes == c].mean(axis=0) for c in range(k)])
    residuals, D = Z - centres[codes], np.zeros((k, k))
    for i, j in zip(*np.tril_indices(k, -1), strict=True):
        line = centres[i] - centres[j]
        length = float(np.linalg.norm(line))
        if length > 0:
            within = residuals[(codes == i) | (codes == j)] @ (line / length)
            D[i, j] = D[j, i] = length / max(float(within.std()), 1e-3 * length)
    return D


def _without_few(Z: Floats, codes: Ints, least: float) -> Ints:
    """A partition in which groups of few objects have joined the nearest one."""
    while True:
        sizes = np.bincount(codes)
        few = int(sizes.argmin())
        if len(sizes) == 1 or sizes[few] >= least:
            return codes
        apart = _apart(Z, codes)[few]
        apart[few] = np.inf
        codes = np.unique(np.where(codes == few, apart.argmin(), codes), return_inverse=True)[1]
