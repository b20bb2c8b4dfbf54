"""The best pruning of a dendrogram, as the bound sees it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds.classes import Classes, known_classes
from karat.bounds.codes import Code, Integer
from karat.bounds.languages import Language, Mixed
from karat.bounds.pac_mdl import PacMdlBound, PacMdlBounds, pac_mdl_bound
from karat.bounds.tails import b_max, log_bucket, log_level
from karat.labelings.partitions import cut_dendrogram
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray


# numbers of clusters, of cuts and of prunings, whose labels are written in every way
_PROMISING = 8


class Pruning(Code):
    """Prunings of a binary tree, written as one bit a node: split here, or stop.

    A message is a frozenset of node numbers: the clusters. A pruning with c clusters has c − 1
    splits and c stops, so 2c − 1 bits; a leaf of the tree cannot be split and needs none. By
    induction from the leaves the shares below a node sum to 1/2 + 1/2 · 1 · 1 = 1.

    Parameters
    ----------
    Z : array-like, shape (n-1, 4)
        Linkage matrix in SciPy's form.
    """

    def __init__(self, Z: Any) -> None:
        self._left, self._right = children_of(Z)
        self._n = len(self._left) + 1

    def probability(self, message: frozenset[int]) -> Fraction:
        """Share of a pruning; leaves are coded too, which wastes a little."""
        return Fraction(1, 2 ** (2 * len(message) - 1))

    def messages(self) -> Iterator[frozenset[int]]:
        """Every pruning."""
        return iter(self._below(2 * self._n - 2))

    def _below(self, node: int) -> list[frozenset[int]]:
        if node < self._n:
            return [frozenset([node])]
        t = node - self._n
        left, right = self._below(int(self._left[t])), self._below(int(self._right[t]))
        return [frozenset([node]), *(a | b for a in left for b in right)]


class CountedPruning(Pruning):
    """The number of clusters c first, in log2(c(c+1)) bits, then which of the prunings with c.

    They are counted, P(c), and all alike; so the shares sum to Σ 1/(c(c+1)) ≤ 1. Far shorter
    than 2c − 1 bits for chained trees, where there are few prunings.
    """

    def __init__(self, Z: Any) -> None:
        super().__init__(Z)
        # prunings below each node by their number of clusters, from c = 1 on
        below = [[1]] * self._n
        for left, right in zip(self._left, self._right, strict=True):
            a, b = below[left], below[right]
            totals = [1] + [0] * (len(a) + len(b) - 1)
            for i, x in enumerate(a):
                for j, y in enumerate(b):
                    totals[i + j + 1] += x * y
            below.append(totals)
        self._totals = below[-1]

    def probability(self, message: frozenset[int]) -> Fraction:
        """Share of a pruning."""
        return Integer().probability(len(message)) / self._totals[len(message) - 1]


@dataclass(frozen=True)
class _Prunings(Language):
    """Prunings whose lengths are known."""

    lengths: tuple[float, ...]

    @property
    def name(self) -> str:
        return "Pruning"

    def choice_bits(self, names: tuple[str, ...], n_clusters: Any) -> NDArray[np.float64]:
        return np.array(self.lengths)


def prune_dendrogram(
    Z: Any,
    y_partial: Any,
    delta: float = 0.1,
    *,
    extra_bits: float = 0.0,
    classes: Classes = None,
    random_state: Any = 0,
) -> PacMdlBound:
    """The pruning of a dendrogram with the lowest PAC-MDL bound.

    A pruning stops at different heights in different branches: fine where classes mix, coarse
    where they do not. Cuts at one height are among the prunings, and cheaper to name.

    Parameters
    ----------
    Z : array-like, shape (n-1, 4), or Dendrogram
        Linkage matrix in SciPy's form, made without the labels.
    y_partial : array-like, shape (n,)
        Known classes; None, NaN or ``-1`` elsewhere.
    delta : float, default 0.1
        Allowed chance that the guarantee fails.
    extra_bits : float, default 0
        Bits for having chosen this dendrogram among others, e.g. 2 for one of four.
    classes : iterable, int or "open", optional
        As for :func:`karat.pac_mdl_bound`.
    random_state : int, Generator or None
        Seed for the class of a cluster where several are equally common or none is known.

    Returns
    -------
    PacMdlBound
        Its ``predicted`` are the classes; the clusters are numbered by first appearance.

    Raises
    ------
    InputError
        If ``Z`` is not a linkage matrix, or as :func:`karat.pac_mdl_bound`.

    Notes
    -----
    The language is an even mixture of two: cut at c clusters, log2(c(c+1)) bits; and a pruning
    with c clusters, itself an even mixture of one bit a node (2c − 1 bits) and of log2(c(c+1))
    bits for c with log2 P(c) for which of the P(c) prunings. With log2(ℓ) bits for each cluster's
    label, the bits depend on the pruning only through c, and the bound grows with errors and with
    bits. So the fewest errors for each c, which a knapsack over the tree finds, lead to the very
    best pruning. Its labels, and those of the next best c, are then written by the mixture of five
    codes (:func:`karat.bounds.codes.mixed_labels`): at most log2(5) bits longer, often much
    shorter. No more clusters are looked at than could pay even without any error. Time
    O(n · (ℓ + C)), C the most clusters that could pay, at most about the number of labels.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from karat.bounds import prune_dendrogram, sample
    >>> X = [[i % 2 * 10 + i / 1000] for i in range(400)]
    >>> y = [None] * 400
    >>> for i in sample(400, 80, random_state=0): y[i] = "even" if i % 2 == 0 else "odd"
    >>> found = prune_dendrogram(linkage(X, "average"), y)
    >>> found.n_clusters, found.errors, found.bound
    (2, 0, 37)
    """
    from karat._kernels import pruning as kernel

    Z = getattr(Z, "linkage", Z)
    left, right = children_of(Z)
    N = len(left) + 1
    truth = known_classes(y_partial, N, classes)
    y, known, names = truth.codes, truth.known, truth.names
    m, n = len(known), N - len(known)
    if not 0 < delta <= 1:
        raise InputError(f"delta must be in (0, 1]; got {delta!r}")
    if not extra_bits >= 0:
        raise InputError(f"extra_bits must be at least 0; got {extra_bits!r}")
    counts = kernel.class_counts(left, right, y, len(names))
    stop_errors = counts.sum(axis=1, dtype=np.int32) - counts.max(axis=1)
    log2_classes = math.log2(len(names))
    paid = extra_bits + truth.bits
    cap = _most_clusters(m, n, int(stop_errors[-1]), delta, log2_classes, paid, N)
    c = np.arange(1, cap + 1, dtype=np.float64)
    cut_bits = 1.0 + np.log2(c) + np.log2(c + 1)
    log2_count = kernel.log2_prunings(left, right, cap)
    tree_bits = 2.0 - np.logaddexp2(1.0 - 2.0 * c, -np.log2(c) - np.log2(c + 1) - log2_count)
    pruned, splits = kernel.fewest_errors(left, right, stop_errors, cap)

    def ranked(errors: NDArray[np.int64], bits: NDArray[np.float64]) -> NDArray[np.intp]:
        total = bits + c[: len(bits)] * log2_classes + paid
        bounds = b_max(m, n, errors, log_delta=log_level(delta, total))
        return np.lexsort([total, errors, bounds])

    cuts = ranked(kernel.cut_errors(left, right, stop_errors, cap), cut_bits)[:_PROMISING]
    trees = ranked(pruned.astype(np.int64), tree_bits[: len(pruned)])
    # where c clusters are no better than c - 1, their pruning has no more than c - 1
    trees = trees[np.diff(pruned, prepend=pruned[0] + 1)[trees] < 0][:_PROMISING]
    labels = [cut_dendrogram(Z, n_clusters=int(at) + 1) for at in cuts]
    labels += [kernel.pruned_labels(left, right, splits, at + 1) for at in trees]
    lengths = np.concatenate([cut_bits[cuts], tree_bits[trees]]) + extra_bits
    found = pac_mdl_bound(
        np.stack(labels),
        y_partial,
        delta,
        Mixed(_Prunings(tuple(lengths.tolist()))),
        classes=classes,
        random_state=random_state,
    )
    assert isinstance(found, PacMdlBounds)
    return replace(found.best, name="dendrogram", n_compared=1)


def _most_clusters(
    m: int, n: int, errors: int, delta: float, log2_classes: float, extra: float, N: int
) -> int:
    """Clusters beyond which even no error at all could not beat one cluster."""
    one = 1 + math.log2(2) + log2_classes + extra
    bound = b_max(m, n, errors, log_delta=log_level(delta, one))
    if bound == 0 or m == 0:
        return 1
    allowed = (math.log(delta) - log_bucket(m, n, 0, bound)) / math.log(2) - extra
    c = np.arange(1, N + 1, dtype=np.float64)
    needed = c * log2_classes + 1 + np.log2(c) + np.log2(c + 1)
    return max(1, int(np.searchsorted(needed, allowed, side="right")))


def children_of(Z: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both children of each inner node of a linkage matrix, which is checked."""
    from scipy.cluster.hierarchy import is_valid_linkage

    Z = np.asarray(Z, dtype=np.float64)
    if Z.ndim != 2 or not is_valid_linkage(Z):
        raise InputError("Z is not a linkage matrix in SciPy's form (n-1 rows, 4 columns)")
    children = Z[:, :2].astype(np.int64)
    return np.ascontiguousarray(children[:, 0]), np.ascontiguousarray(children[:, 1])


def random_prunings(
    Z: Any, n_prunings: int = 100, *, k: Iterable[int] = range(2, 31), random_state: Any = 0
) -> NDArray[np.int32]:
    """Clusterings that stop at different heights in different branches of a dendrogram.

    Parameters
    ----------
    Z : array-like, shape (n-1, 4), or Dendrogram
        Linkage matrix in SciPy's form, made without the labels.
    n_prunings : int
    k : iterable of int
        Numbers of clusters; each pruning has one of them, all equally often in the long run.
    random_state : None, int or Generator

    Returns
    -------
    ndarray of int32, shape (n_prunings, n)
        Labels for :func:`karat.guarantee`, beside the dendrogram's cuts; some may be equal.

    Raises
    ------
    InputError
        If ``Z`` is not a linkage matrix, or k or n_prunings are out of range.

    See Also
    --------
    karat.bounds.prune_dendrogram : The best of all prunings by its PAC-MDL bound.

    Notes
    -----
    From the root on a cluster is split in two, drawn with a chance that is proportional to its
    objects but one. Cuts at one height are rare among them. O(n_prunings · (n + k²)).

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from karat.bounds import random_prunings
    >>> labels = random_prunings(linkage([[0.0], [1.0], [3.0], [7.0], [9.0]]), 4, k=[2, 3])
    >>> labels.shape, set(labels.max(axis=1).tolist()) <= {1, 2}
    ((4, 5), True)
    """
    left, right = children_of(getattr(Z, "linkage", Z))
    n = len(left) + 1
    numbers = sorted(set(k))
    if not numbers or numbers[0] < 1 or numbers[-1] > n:
        raise InputError(f"k must be numbers of clusters between 1 and {n:,}; got {numbers}")
    if n_prunings < 1:
        raise InputError(f"n_prunings must be at least 1; got {n_prunings}")
    rng = check_random_state(random_state)
    sizes = np.ones(2 * n - 1, dtype=np.int64)
    for t in range(n - 1):
        sizes[n + t] = sizes[left[t]] + sizes[right[t]]
    # leaves below a node are next to one another in the order of the tree
    first = np.zeros(2 * n - 1, dtype=np.int64)
    for t in range(n - 2, -1, -1):
        first[left[t]] = first[n + t]
        first[right[t]] = first[n + t] + sizes[left[t]]
    place = first[:n]
    out = np.empty((n_prunings, n), dtype=np.int32)
    for row in out:
        nodes = [2 * n - 2]
        for _ in range(int(rng.choice(numbers)) - 1):
            chances = sizes[nodes] - 1.0
            at = int(rng.choice(len(nodes), p=chances / chances.sum()))
            t = nodes.pop(at) - n
            nodes += [int(left[t]), int(right[t])]
        order = np.sort(first[nodes])
        row[:] = np.searchsorted(order, place, side="right") - 1
    return out
