"""Measures that match clusters with classes, or objects with what shares their cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.labelings.partitions import OverlappingPartition
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.external.table import as_table, check_beta
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "bcubed_f_measure",
    "bcubed_precision",
    "bcubed_recall",
    "element_centric_similarity",
    "f_quality",
    "hamming_distance",
    "inverse_purity",
    "matching_accuracy",
    "purity",
]

FAMILY = "set matching"
OBJECTS = "object-centric"


def matching_accuracy(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the objects on which the best one-to-one matching agrees.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,)
        The gold standard and the clustering; or one :class:`~karat.ContingencyTable` as
        ``labels_true`` alone. A :class:`~karat.Dendrogram` as ``labels_pred``: the best accuracy
        of any disjoint nodes.

    Returns
    -------
    float
        From 0 to 1, greater is better. For different numbers of clusters and classes the
        matching is rectangular, and objects of unmatched ones count as wrong.

    Raises
    ------
    InputError
        For labels that cannot be compared.

    Notes
    -----
    The Hungarian method, O(n + min(k, t)² max(k, t)).

    Examples
    --------
    >>> from karat import matching_accuracy
    >>> matching_accuracy(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.75
    """
    from karat.measures.external.dendrogram import Dendrogram, best_accuracy

    if isinstance(labels_pred, Dendrogram):
        return best_accuracy(labels_true, labels_pred)
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    cluster = table.matching()
    return float(table.counts[cluster[table.rows] == table.columns].sum() / table.n)


def hamming_distance(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the objects to relabel before the partitions are equal: 1 − accuracy.

    Returns
    -------
    float
        From 0 to 1, lower is better.

    Notes
    -----
    The classification error distance of Meilă (2007).

    Examples
    --------
    >>> from karat import hamming_distance
    >>> hamming_distance(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.25
    """
    return 1 - matching_accuracy(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)


def f_quality(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    beta: float = 1.0,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """F-measure of the best cluster for each class, averaged by class size.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`matching_accuracy`. A :class:`~karat.Dendrogram` as ``labels_pred``: the
        best node anywhere in the tree for each class.
    beta : float
        How many times recall weighs as much as precision.

    Returns
    -------
    float
        From 0 to 1, greater is better. Clusters that are best for no class do not count.

    Notes
    -----
    O(n + cells).

    Examples
    --------
    >>> from karat import f_quality
    >>> round(f_quality([0, 0, 1, 1], [0, 0, 0, 1]), 6)
    0.733333
    """
    from karat.measures.external.dendrogram import Dendrogram, best_f_measure

    check_beta(beta)
    if isinstance(labels_pred, Dendrogram):
        return best_f_measure(labels_true, labels_pred, beta)
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    b = beta * beta
    f = (1 + b) * table.counts / (b * table.row_sums[table.rows] + table.column_sums[table.columns])
    return _share(_largest(table.rows, f, table.shape[0]) @ table.row_sums / table.n)


def purity(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the objects that belong to the most frequent class of their cluster.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`matching_accuracy`. A :class:`~karat.Dendrogram` as ``labels_pred``: the
        expected purity of the smallest node that holds two objects of one class.

    Returns
    -------
    float
        From 1/(number of classes) to 1, greater is better; 1 for any refinement of the classes,
        so it cannot choose the number of clusters. Per cluster:
        :meth:`karat.ContingencyTable.by_cluster`.

    Notes
    -----
    O(n + cells). For dendrograms
    Heller & Ghahramani (2005).

    Examples
    --------
    >>> from karat import purity
    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    from karat.measures.external.dendrogram import Dendrogram, dendrogram_purity

    if isinstance(labels_pred, Dendrogram):
        return dendrogram_purity(labels_true, labels_pred)
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return _share(_largest(table.columns, table.counts, table.shape[1]).sum() / table.n)


def inverse_purity(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the objects that lie in the cluster that holds most of their class.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where no class is split, as in one cluster of all.

    Notes
    -----
    O(n + cells). Zhao & Karypis; Amigó et al. (2009).

    Examples
    --------
    >>> from karat import inverse_purity
    >>> inverse_purity([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return _share(_largest(table.rows, table.counts, table.shape[0]).sum() / table.n)


def bcubed_precision(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean over the objects of the share of their cluster that has their class.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,), or both OverlappingPartition
        The gold standard and the clustering; or one :class:`~karat.ContingencyTable` as
        ``labels_true`` alone. For overlapping clusters extended B-cubed.

    Returns
    -------
    float
        From 0 (exclusive) to 1, greater is better.

    Raises
    ------
    InputError
        For labels that cannot be compared.

    Notes
    -----
    O(n + cells): Σ n_ij² / b_j / n. Bagga & Baldwin (1998), Amigó et al. (2009). The object
    itself is among those that share its cluster. Overlapping: O(patterns²), over objects with
    different sets of classes and clusters.

    Examples
    --------
    >>> from karat import bcubed_precision
    >>> bcubed_precision([0, 0, 1, 1], [0, 0, 0, 0])
    0.5
    """
    if _overlapping(labels_true, labels_pred, sample_weight):
        from karat.measures.external.soft import extended_bcubed

        return extended_bcubed(labels_true, labels_pred)
    return _bcubed_precision(
        as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    )


def bcubed_recall(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean over the objects of the share of their class that lies in their cluster.

    Returns
    -------
    float
        From 0 (exclusive) to 1, greater is better.

    Notes
    -----
    O(n + cells): Σ n_ij² / a_i / n. Bagga & Baldwin (1998), Amigó et al. (2009).

    Examples
    --------
    >>> from karat import bcubed_recall
    >>> bcubed_recall([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    if _overlapping(labels_true, labels_pred, sample_weight):
        from karat.measures.external.soft import extended_bcubed

        return extended_bcubed(labels_pred, labels_true)
    return _bcubed_recall(
        as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    )


def bcubed_f_measure(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    beta: float = 1.0,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Weighted harmonic mean of B-cubed precision and recall.

    Parameters
    ----------
    beta : float
        How many times recall weighs as much as precision.

    Returns
    -------
    float
        From 0 to 1, greater is better.

    Notes
    -----
    O(n + cells). Amigó et al. (2009): the one family that meets all four of their constraints.

    Examples
    --------
    >>> from karat import bcubed_f_measure
    >>> round(bcubed_f_measure([0, 0, 1, 1], [0, 0, 0, 0]), 6)
    0.666667
    """
    check_beta(beta)
    if _overlapping(labels_true, labels_pred, sample_weight):
        p, r = bcubed_precision(labels_true, labels_pred), bcubed_recall(labels_true, labels_pred)
    else:
        table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
        p, r = _bcubed_precision(table), _bcubed_recall(table)
    b = beta * beta
    return (1 + b) * p * r / (b * p + r) if p and r else 0.0


def element_centric_similarity(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    alpha: float = 0.9,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mean over the objects of how alike the two clusterings look from each of them.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,), or OverlappingPartition
        The gold standard and the clustering; or one :class:`~karat.ContingencyTable` as
        ``labels_true`` alone.
    alpha : float
        Probability that the walk between objects that share a cluster continues at each step. It
        has no influence on clusterings without overlap.

    Returns
    -------
    float
        From 0 (exclusive) to 1 (equal partitions), greater is better.

    Raises
    ------
    InputError
        For ``alpha`` outside (0, 1), or an object without a cluster in an overlapping one.

    Notes
    -----
    Gates, Wood, Hetrick & Ahn (2019): half the L1 distance of the personalised PageRanks of each
    object, over alpha, taken from 1. For partitions that is Σ n_ij² / max(a_i, b_j) / n,
    O(n + cells); with overlap O(patterns² + k³ + t³), over objects in different sets of clusters.

    Examples
    --------
    >>> from karat import element_centric_similarity
    >>> element_centric_similarity([0, 0, 1, 1], [0, 0, 0, 0])
    0.5
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; got {alpha}")
    if _overlapping(labels_true, labels_pred, sample_weight):
        from karat.measures.external.soft import overlapping_similarity

        return overlapping_similarity(labels_true, labels_pred, alpha)
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    larger = np.maximum(table.row_sums[table.rows], table.column_sums[table.columns])
    return _share(np.sum(table.counts * (table.counts / larger)) / table.n)


def _bcubed_precision(table: ContingencyTable) -> float:
    return _share(
        np.sum(table.counts * (table.counts / table.column_sums[table.columns])) / table.n
    )


def _bcubed_recall(table: ContingencyTable) -> float:
    return _share(np.sum(table.counts * (table.counts / table.row_sums[table.rows])) / table.n)


def _largest(index: NDArray[np.intp], values: NDArray[Any], size: int) -> NDArray[Any]:
    """Greatest value in each row; every row has one."""
    best = np.zeros(size, dtype=values.dtype)
    np.maximum.at(best, index, values)
    return best


def _share(value: Any) -> float:
    return min(float(value), 1.0)


def _overlapping(labels_true: Any, labels_pred: Any, sample_weight: Any) -> bool:
    """Whether a side overlaps; raises where weights come with it."""
    found = any(isinstance(side, OverlappingPartition) for side in (labels_true, labels_pred))
    if found and sample_weight is not None:
        raise InputError("overlapping clusters take no sample_weight; repeat the objects instead")
    return found


define(
    matching_accuracy,
    "Accuracy of the best matching",
    family=FAMILY,
    references=[Reference("whissell2012", "3.40")],
    cost="O(n + min(k, t)² · max(k, t))",
    symmetric=True,
    structures={"dendrogram", "soft"},
)
define(
    hamming_distance,
    "Hamming distance",
    family=FAMILY,
    references=[Reference("whissell2012", "3.41")],
    greater_is_better=False,
    cost="O(n + min(k, t)² · max(k, t))",
    symmetric=True,
    structures={"dendrogram", "soft"},
)
define(
    f_quality,
    "F quality",
    family=FAMILY,
    references=[Reference("whissell2012", "3.42–3.45")],
    structures={"dendrogram", "soft"},
)
define(
    purity,
    "Purity",
    family=FAMILY,
    references=[Reference("manning2008", "182"), Reference("whissell2012", "3.46, 3.47")],
    compares_k=False,
    structures={"dendrogram", "soft"},
)
define(
    inverse_purity,
    "Inverse purity",
    family=FAMILY,
    references=[Reference("amigo2009")],
    compares_k=False,
    structures={"soft"},
)
define(
    bcubed_precision,
    "B-cubed precision",
    family=OBJECTS,
    references=[Reference("amigo2009")],
    compares_k=False,
    structures={"overlapping", "soft"},
)
define(
    bcubed_recall,
    "B-cubed recall",
    family=OBJECTS,
    references=[Reference("amigo2009")],
    compares_k=False,
    structures={"overlapping", "soft"},
)
define(
    bcubed_f_measure,
    "B-cubed F-measure",
    family=OBJECTS,
    references=[Reference("amigo2009")],
    symmetric=True,
    structures={"overlapping", "soft"},
)
define(
    element_centric_similarity,
    "Element-centric similarity",
    family=OBJECTS,
    references=[Reference("gates2019")],
    symmetric=True,
    structures={"overlapping", "soft"},
)
