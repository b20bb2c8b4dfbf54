"""Normalised mutual information of clusterings whose clusters may overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.labelings.contingency import ContingencyTable
from karat.measures.bibliography import Reference
from karat.measures.external.soft import _sets
from karat.measures.external.table import of_table
from karat.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import coo_array, csr_array

    Floats = NDArray[np.float64]

__all__ = ["overlapping_normalized_mutual_information"]

#: pairs of a cluster and a size that are looked at together
PAIRS = 2**20


def _of_covers(labels_true: Any, labels_pred: Any, normalizer: str = "max") -> float:
    from scipy import sparse

    if labels_pred is None:
        raise InputError("labels_pred is missing; only a ContingencyTable may stand alone")
    U, V = _sets(labels_true, "labels_true"), _sets(labels_pred, "labels_pred")
    if len(U) != len(V):
        raise InputError(
            f"labels_true has {len(U)} objects and labels_pred {len(V)}; both must describe "
            "the same objects in the same order"
        )
    X, Y = (S[:, S.any(axis=0)].astype(np.float64) for S in (U, V))
    shared = (sparse.csr_array(X).T @ sparse.csr_array(Y)).tocoo()
    return _normalized(len(X), X.sum(axis=0), Y.sum(axis=0), shared, normalizer)


@of_table(
    "Normalised mutual information of covers",
    others={"overlapping": _of_covers},
    family="information",
    references=[Reference("mcdaid2011"), Reference("lancichinetti2009")],
    cost="O(z + (k + t) s), s different sizes",
    symmetric=True,
)
def overlapping_normalized_mutual_information(
    table: ContingencyTable, *, normalizer: Literal["max", "cluster"] = "max"
) -> float:
    """Normalised mutual information of two covers, whose clusters may overlap.

    Either side may be an :class:`~karat.labelings.OverlappingPartition`. It is not the NMI of
    partitions where nothing overlaps.

    Parameters
    ----------
    normalizer : {"max", "cluster"}
        ``"max"``: McDaid, Greene & Hurley, by the larger entropy of the two covers.
        ``"cluster"``: Lancichinetti, Fortunato & Kertész (LFK), cluster by cluster; it rates
        covers that share nothing too highly.

    Notes
    -----
    Each cluster is a yes or no of every object. H(X_i|Y) is the least H(X_i|Y_j) over clusters
    Y_j that agree with X_i more than they contradict it, h(yes, yes) + h(no, no) >
    h(yes, no) + h(no, yes) for h(p) = −p ln p; H(X_i) where there is none. The same covers have
    1. LFK's term of a cluster of all objects, which has no entropy, is 1, as in the reference code
    of McDaid et al. Of clusters that share nothing only their sizes matter, of which
    there are few. O(z + (k + t) s) for z objects in clusters or pairs of clusters that share some,
    and s different sizes.

    Examples
    --------
    >>> from karat import overlapping_normalized_mutual_information
    >>> from karat.labelings.partitions import OverlappingPartition
    >>> U = OverlappingPartition([[1, 0], [1, 1], [0, 1], [0, 1]])
    >>> round(overlapping_normalized_mutual_information([0, 0, 1, 1], U), 6)
    0.655639
    """
    from scipy import sparse

    sums = table.row_sums.astype(np.float64), table.column_sums.astype(np.float64)
    counts = table.counts.astype(np.float64)
    shared = sparse.coo_array((counts, (table.rows, table.columns)), table.shape)
    return _normalized(float(table.n), *sums, shared, normalizer)


def _normalized(n: float, a: Floats, b: Floats, shared: coo_array, normalizer: str) -> float:
    """From the sizes of the clusters of both sides, and what each two share."""
    check_choice(normalizer, ("max", "cluster"), "normalizer")
    if len(a) == len(b) and _same_covers(a, b, shared):
        return 1.0
    x, y = _entropies(a / n), _entropies(b / n)
    x_given = _least_conditional(a / n, b / n, (shared / n).tocsr())
    y_given = _least_conditional(b / n, a / n, (shared / n).T.tocsr())
    if normalizer == "max":
        value = (x.sum() - x_given.sum() + y.sum() - y_given.sum()) / 2
        value /= max(x.sum(), y.sum())
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = [np.where(h > 0, g / h, 1.0).mean() for h, g in ((x, x_given), (y, y_given))]
        value = 1 - sum(parts) / 2
    return float(min(max(value, 0.0), 1.0))


def _same_covers(a: Floats, b: Floats, shared: coo_array) -> bool:
    rows, columns = shared.coords
    equal = (shared.data == a[rows]) & (shared.data == b[columns])
    each = (np.bincount(at[equal], minlength=len(a)) for at in (rows, columns))
    return all((counts == 1).all() for counts in each)


def _h(p: Floats | float) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(p > 0, -p * np.log(p), 0.0)


def _entropies(shares: Floats) -> Floats:
    return _h(shares) + _h(1 - shares)


def _conditional(x: Floats, y: Floats, both: Floats | float) -> Floats:
    """H(X_i|Y_j) of clusters with these shares of the objects; infinite if they contradict."""
    yes_no, no_yes = np.maximum(x - both, 0), np.maximum(y - both, 0)
    neither = np.maximum(1 - both - yes_no - no_yes, 0)
    agree, differ = _h(both) + _h(neither), _h(yes_no) + _h(no_yes)
    return np.where(agree > differ, agree + differ - _entropies(y), np.inf)


def _least_conditional(x: Floats, y: Floats, shared: csr_array) -> Floats:
    """H(X_i|Y) of each cluster of one side, from what it shares with those of the other."""
    least = _entropies(x)
    rows = np.repeat(np.arange(len(x)), np.diff(shared.indptr))
    np.minimum.at(least, rows, _conditional(x[rows], y[shared.indices], shared.data))
    sizes, size_of, counts = np.unique(y, return_inverse=True, return_counts=True)
    step = max(PAIRS // len(sizes), 1)
    for start in range(0, len(x), step):
        part = slice(*shared.indptr[[start, min(start + step, len(x))]])
        own, at = np.unique(x[start : start + step], return_inverse=True)
        others = np.tile(counts, (len(at), 1))
        np.subtract.at(others, (rows[part] - start, size_of[shared.indices[part]]), 1)
        apart = np.where(others > 0, _conditional(own[:, None], sizes, 0.0)[at], np.inf)
        least[start : start + step] = np.minimum(least[start : start + step], apart.min(axis=1))
    return least.clip(min=0)
