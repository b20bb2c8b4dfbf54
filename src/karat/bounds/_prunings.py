"""Random prunings of a dendrogram: candidates that are fine in one branch, coarse in another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds._dendrogram import _children
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    left, right = _children(getattr(Z, "linkage", Z))
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
