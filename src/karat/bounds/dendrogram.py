"""Pruning of a dendrogram with the lowest bound."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.bounds.classes import Classes, known_classes
from karat.bounds.languages import Lengths, Mixed
from karat.bounds.pac_mdl import PacMdlBound, bounds_of
from karat.bounds.sampling import doubted_draw
from karat.bounds.tails import b_max, check_delta, log_bucket, log_level
from karat.labelings.partitions import as_labelings, as_linkage, cut_dendrogram

if TYPE_CHECKING:
    import numpy.typing as npt

    from karat.labelings.structures import Dendrogram
    from karat.runtime.types import Floats, Ints, Labels, RandomState


# numbers of clusters, of cuts and of prunings, tried with all codes of the labels
_PROMISING = 8
#: numbers of clusters of the cuts over which the draw is tested; the labels choose none of them
TESTED_CUTS = (2, 4, 8, 16)


def prune_dendrogram(
    Z: npt.ArrayLike | Dendrogram,
    y: Labels,
    delta: float = 0.1,
    *,
    classes: Classes = None,
    random_state: RandomState = 0,
) -> PacMdlBound:
    """The pruning of a dendrogram with the lowest PAC-MDL bound.

    A pruning stops at different heights in different branches: fine where classes mix, coarse
    where they do not. Cuts at one height are among the prunings, and cheaper to name.

    Parameters
    ----------
    Z : array-like, shape (n-1, 4), or Dendrogram
        Linkage matrix in SciPy's form, made without the labels.
    y : array-like, shape (n,)
        Known classes; None, NaN or ``-1`` elsewhere.
    delta : float, default 0.1
        Allowed chance that the guarantee fails.
    classes : iterable, int or "open", optional
        As for :func:`karat.pac_mdl_bound`.
    random_state : int, Generator or None
        Seed for the class of a cluster with several equally common classes or without labels.

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
    The language is an even mixture of cuts and prunings. A cut at c clusters costs log2(c(c+1))
    bits. A pruning with c clusters costs 2c − 1 bits, or log2(c(c+1)) + log2 P(c) bits if there are
    P(c) of them. The bound depends on a pruning through c and its errors only, so a knapsack over
    the tree finds the very best. Labels of it and of the next best c are then written by the five
    codes of :class:`~karat.bounds.languages.Mixed`. O(n · (ℓ + C)), C the most clusters that could
    pay.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from karat.bounds import prune_dendrogram, sample
    >>> X = [[i % 2 * 10 + i / 1000] for i in range(400)]
    >>> y = [None] * 400
    >>> for i in sample(400, 80, random_state=0): y[i] = "even" if i % 2 == 0 else "odd"
    >>> pruning = prune_dendrogram(linkage(X, "average"), y)
    >>> pruning.n_clusters, pruning.errors, pruning.bound
    (2, 0, 37)
    """
    from karat._kernels import prunings as kernel

    linkage = as_linkage(np.asarray(getattr(Z, "linkage", Z)))
    left, right = np.ascontiguousarray(linkage[:, :2].T, dtype=np.int64)
    N = len(left) + 1
    truth = known_classes(y, N, classes)
    codes, labelled, names = truth.codes, truth.labelled, truth.names
    m, n = len(labelled), N - len(labelled)
    check_delta(delta)
    counts = kernel.class_counts(left, right, codes, len(names))
    stop_errors = counts.sum(axis=1, dtype=np.int32) - counts.max(axis=1)
    log2_classes = math.log2(len(names))
    paid = truth.bits
    cap = _most_clusters(m, n, int(stop_errors[-1]), delta, log2_classes, paid, N)
    c = np.arange(1, cap + 1, dtype=np.float64)
    cut_bits = 1.0 + np.log2(c) + np.log2(c + 1)
    log2_count = kernel.log2_prunings(left, right, cap)
    tree_bits = 2.0 - np.logaddexp2(1.0 - 2.0 * c, -np.log2(c) - np.log2(c + 1) - log2_count)
    pruned, splits = kernel.fewest_errors(left, right, stop_errors, cap)

    def ranked(errors: Ints, bits: Floats) -> Ints:
        """Positions of numbers of clusters by their bounds, the lowest first."""
        total = bits + c[: len(bits)] * log2_classes + paid
        bounds = b_max(m, n, errors, log_delta=log_level(delta, total))
        return np.lexsort([total, errors, bounds])

    cuts = ranked(kernel.cut_errors(left, right, stop_errors, cap), cut_bits)[:_PROMISING]
    trees = ranked(pruned.astype(np.int64), tree_bits[: len(pruned)])
    # prunings with more clusters but no fewer errors are dropped
    trees = trees[np.diff(pruned, prepend=pruned[0] + 1)[trees] < 0][:_PROMISING]
    labels = [cut_dendrogram(linkage, n_clusters=int(at) + 1) for at in cuts]
    labels += [kernel.pruned_labels(left, right, splits, at + 1) for at in trees]
    lengths = np.concatenate([cut_bits[cuts], tree_bits[trees]])
    language = Mixed(Lengths(tuple(lengths.tolist()), "Pruning"))
    prunings = bounds_of(as_labelings(np.stack(labels)), truth, delta, language, random_state)
    tested = as_labelings(
        {f"{k} clusters": cut_dendrogram(linkage, n_clusters=k) for k in TESTED_CUTS if k < N}
        or labels[0]
    )
    prunings = prunings.after(doubted_draw(tested.codes, labelled), tested)
    return replace(prunings.best, name="dendrogram", n_compared=1)


def _most_clusters(
    m: int, n: int, errors: int, delta: float, log2_classes: float, extra: float, N: int
) -> int:
    """Number of clusters beyond which no pruning can beat a single cluster."""
    single_bits = 1 + math.log2(2) + log2_classes + extra
    bound = b_max(m, n, errors, log_delta=log_level(delta, single_bits))
    if bound == 0 or m == 0:
        return 1
    allowed = (math.log(delta) - log_bucket(m, n, 0, bound)) / math.log(2) - extra
    c = np.arange(1, N + 1, dtype=np.float64)
    needed = c * log2_classes + 1 + np.log2(c) + np.log2(c + 1)
    return max(1, int(np.searchsorted(needed, allowed, side="right")))
