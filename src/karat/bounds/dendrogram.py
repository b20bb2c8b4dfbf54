"""The best pruning of a dendrogram, as the bound sees it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds.classes import Classes, known_classes
from karat.bounds.languages import Lengths, Mixed
from karat.bounds.pac_mdl import PacMdlBound, PacMdlBounds, pac_mdl_bound
from karat.bounds.tails import b_max, log_bucket, log_level
from karat.labelings.partitions import cut_dendrogram
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


# numbers of clusters, of cuts and of prunings, whose labels are written in every way
_PROMISING = 8


def prune_dendrogram(
    Z: Any,
    y_partial: Any,
    delta: float = 0.1,
    *,
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
    The language is an even mixture of a cut at c clusters, log2(c(c+1)) bits, and of a pruning
    with c clusters: 2c − 1 bits, or log2(c(c+1)) bits for c and log2 P(c) for which of the P(c)
    prunings. The bound depends on a pruning through c and its errors only, so a knapsack over the
    tree finds the very best. Labels of it and of the next best c are then written by the five codes
    of :class:`~karat.bounds.languages.Mixed`. O(n · (ℓ + C)), C the most clusters that could pay.

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
    from karat._kernels import prunings as kernel

    Z = getattr(Z, "linkage", Z)
    left, right = children_of(Z)
    N = len(left) + 1
    truth = known_classes(y_partial, N, classes)
    y, known, names = truth.codes, truth.known, truth.names
    m, n = len(known), N - len(known)
    if not 0 < delta <= 1:
        raise InputError(f"delta must be in (0, 1]; got {delta!r}")
    counts = kernel.class_counts(left, right, y, len(names))
    stop_errors = counts.sum(axis=1, dtype=np.int32) - counts.max(axis=1)
    log2_classes = math.log2(len(names))
    paid = truth.bits
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
    lengths = np.concatenate([cut_bits[cuts], tree_bits[trees]])
    found = pac_mdl_bound(
        np.stack(labels),
        y_partial,
        delta,
        Mixed(Lengths(tuple(lengths.tolist()), "Pruning")),
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
