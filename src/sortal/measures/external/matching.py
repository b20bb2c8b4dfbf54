"""Measures that match clusters with classes, or compare the clusters of each object."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.contingency import ContingencyTable
from sortal.labelings.matching import heaviest_matching
from sortal.measures.external.dendrogram import best_accuracy, best_f_measure, dendrogram_purity
from sortal.measures.external.soft import check_alpha, extended_bcubed, overlapping_similarity
from sortal.measures.external.table import check_beta, of_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.measures.external.soft import ClusteringLike
    from sortal.typing import Floats, Ints

__all__ = [
    "bcubed_f_measure",
    "bcubed_precision",
    "bcubed_recall",
    "element_centric_similarity",
    "f_quality",
    "hamming_distance",
    "inverse_purity",
    "matching_accuracy",
    "pair_sets_index",
    "purity",
]

MATCHING_COST = "O(n + min(k, t)² · max(k, t))"
_of_sets = partial(of_table, family="set matching")
_of_objects = partial(of_table, family="object-centric")


def _accuracy(table: ContingencyTable) -> float:
    """Share of the objects in the best one-to-one matching."""
    cluster = table.matching()
    return float(table.counts[cluster[table.rows] == table.columns].sum() / table.n)


def _largest(index: NDArray[np.intp], values: NDArray[Any], size: int) -> NDArray[Any]:
    """Greatest value in each row; no row is empty."""
    best = np.zeros(size, dtype=values.dtype)
    np.maximum.at(best, index, values)
    return best


def _share(value: float | np.floating[Any]) -> float:
    """A share as a float, at most 1 in spite of rounding."""
    return min(float(value), 1.0)


@_of_sets(
    "Accuracy of the best matching",
    others={"dendrogram": best_accuracy},
    references=["whissell2012 3.40"],
    cost=MATCHING_COST,
    symmetric=True,
)
def matching_accuracy(table: ContingencyTable) -> float:
    """Share of the objects on which the best one-to-one matching agrees.

    For different numbers of clusters and classes, objects of unmatched clusters or classes count
    as wrong. For a :class:`~sortal.Dendrogram` as ``labels_pred``, the best accuracy of disjoint
    nodes.

    Notes
    -----
    The Hungarian method, O(n + min(k, t)² max(k, t)).

    Examples
    --------
    >>> matching_accuracy(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.75
    """
    return _accuracy(table)


@_of_sets(
    "Hamming distance",
    others={"dendrogram": lambda true, tree: 1 - best_accuracy(true, tree)},
    references=["whissell2012 3.41"],
    greater_is_better=False,
    cost=MATCHING_COST,
    symmetric=True,
)
def hamming_distance(table: ContingencyTable) -> float:
    """Share of the objects to relabel to make the partitions equal: 1 − accuracy.

    The classification error distance of Meilă (2007).

    Examples
    --------
    >>> hamming_distance(["a", "a", "b", "b"], [1, 1, 0, 2])
    0.25
    """
    return 1 - _accuracy(table)


@_of_sets("F quality", others={"dendrogram": best_f_measure}, references=["whissell2012 3.42–3.45"])
def f_quality(table: ContingencyTable, *, beta: float = 1.0) -> float:
    """F-measure of the best cluster for each class, averaged by class size.

    Clusters that are best for no class do not count. For a :class:`~sortal.Dendrogram` as
    ``labels_pred``, the best node anywhere in the tree for each class.

    Examples
    --------
    >>> round(f_quality([0, 0, 1, 1], [0, 0, 0, 1]), 6)
    0.733333
    """
    check_beta(beta)
    b = beta * beta
    f = (1 + b) * table.counts / (b * table.row_sums[table.rows] + table.column_sums[table.columns])
    return _share(_largest(table.rows, f, table.shape[0]) @ table.row_sums / table.n)


@_of_sets(
    "Purity",
    others={"dendrogram": dendrogram_purity},
    references=["manning2008 182", "whissell2012 3.46, 3.47"],
    compares_k=False,
)
def purity(table: ContingencyTable) -> float:
    """Share of the objects that belong to the most frequent class of their cluster.

    At least 1/(number of classes); 1 for any refinement of the classes, so it cannot choose the
    number of clusters. Per cluster: :meth:`sortal.ContingencyTable.by_cluster`. For a
    :class:`~sortal.Dendrogram` as ``labels_pred``, the expected purity of the smallest node with
    two random objects of one class (Heller & Ghahramani 2005).

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _share(_largest(table.columns, table.counts, table.shape[1]).sum() / table.n)


@_of_sets("Inverse purity", references=["amigo2009"], compares_k=False)
def inverse_purity(table: ContingencyTable) -> float:
    """Share of the objects in the cluster with most objects of their class.

    1 if no class is split, as in one cluster of all objects.

    Examples
    --------
    >>> inverse_purity([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return _share(_largest(table.rows, table.counts, table.shape[0]).sum() / table.n)


@_of_sets("Pair sets index", references=["rezaei2016"], cost=MATCHING_COST, symmetric=True)
def pair_sets_index(table: ContingencyTable) -> float:
    """Pair sets index: similarity of best-matched clusters and classes, corrected for chance.

    Clusters of any size have the same weight. 0 for agreement below that expected from sizes alone.

    Notes
    -----
    (S − E)/(max(k, t) − E). S is the greatest Σ n_ij/max(a_i, b_j) of a one-to-one matching. E =
    Σ_i a_i b_i/(n max(a_i, b_i)), with both lists of sizes in descending order. 1 if both sides
    have one cluster. genieclust's ``pair_sets_index`` differs for about a third of random pairs of
    labelings. ELKI pairs the *smallest* sizes, so it differs if k ≠ t. O(n + min(k, t)² max(k, t)).

    Examples
    --------
    >>> round(pair_sets_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]), 6)
    0.5
    """
    a, b = table.row_sums, table.column_sums
    n_matched, n_largest = min(table.shape), max(table.shape)
    if n_largest == 1:
        return 1.0
    shares = table.counts / np.maximum(a[table.rows], b[table.columns])
    matched = heaviest_matching(table.rows, table.columns, shares, table.shape)
    similarity = float(shares[matched[table.rows] == table.columns].sum())
    sizes_true, sizes_pred = (
        np.sort(sizes)[::-1][:n_matched].astype(np.float64) for sizes in (a, b)
    )
    expected = float((sizes_true * sizes_pred / np.maximum(sizes_true, sizes_pred)).sum()) / table.n
    return max(0.0, min(1.0, (similarity - expected) / (n_largest - expected)))


def _harmonic(p: float, r: float, beta: float) -> float:
    """Weighted harmonic mean of precision and recall; 0 if either is 0."""
    check_beta(beta)
    b = beta * beta
    return (1 + b) * p * r / (b * p + r) if p and r else 0.0


def _mean_share(table: ContingencyTable, sizes: Floats | Ints) -> float:
    """Mean over the objects of their cell's share of ``sizes``, one size for each cell."""
    return _share(np.sum(table.counts * (table.counts / sizes)) / table.n)


def _extended_recall(labels_true: ClusteringLike, labels_pred: ClusteringLike) -> float:
    """Extended B-cubed recall."""
    return extended_bcubed(labels_pred, labels_true)


@_of_objects(
    "B-cubed precision",
    others={"overlapping": extended_bcubed},
    references=["amigo2009"],
    compares_k=False,
)
def bcubed_precision(table: ContingencyTable) -> float:
    """Mean over the objects of the share of their cluster that has their class.

    The object counts in its own cluster, so the value is above 0. Extended B-cubed for an
    :class:`~sortal.labelings.OverlappingPartition` on either side.

    Notes
    -----
    O(n + cells): Σ n_ij² / b_j / n. Bagga & Baldwin (1998). Overlapping: O(patterns²), over objects
    with different sets of classes and clusters.

    Examples
    --------
    >>> bcubed_precision([0, 0, 1, 1], [0, 0, 0, 0])
    0.5
    """
    return _mean_share(table, table.column_sums[table.columns])


@_of_objects(
    "B-cubed recall",
    others={"overlapping": _extended_recall},
    references=["amigo2009"],
    compares_k=False,
)
def bcubed_recall(table: ContingencyTable) -> float:
    """Mean over the objects of the share of their class that lies in their cluster.

    As :func:`bcubed_precision` with the sides exchanged: Σ n_ij² / a_i / n.

    Examples
    --------
    >>> bcubed_recall([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return _mean_share(table, table.row_sums[table.rows])


def _extended_f(
    labels_true: ClusteringLike, labels_pred: ClusteringLike, beta: float = 1.0
) -> float:
    """Extended B-cubed F-measure."""
    p, r = extended_bcubed(labels_true, labels_pred), _extended_recall(labels_true, labels_pred)
    return _harmonic(p, r, beta)


@_of_objects(
    "B-cubed F-measure",
    others={"overlapping": _extended_f},
    references=["amigo2009"],
    symmetric=True,
)
def bcubed_f_measure(table: ContingencyTable, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of B-cubed precision and recall.

    B-cubed is the only family that meets all four constraints of Amigó et al.

    Examples
    --------
    >>> round(bcubed_f_measure([0, 0, 1, 1], [0, 0, 0, 0]), 6)
    0.666667
    """
    precision = _mean_share(table, table.column_sums[table.columns])
    return _harmonic(precision, _mean_share(table, table.row_sums[table.rows]), beta)


@_of_objects(
    "Element-centric similarity",
    others={"overlapping": overlapping_similarity},
    references=["gates2019"],
    symmetric=True,
)
def element_centric_similarity(table: ContingencyTable, *, alpha: float = 0.9) -> float:
    """Mean over the objects of the similarity of their clusters in both clusterings.

    1 for equal partitions, above 0 for others.

    Parameters
    ----------
    alpha : float
        Probability that the walk between objects of a common cluster continues at each step. It
        has no effect without overlap.

    Notes
    -----
    For each object, 1 minus half the L1 distance of its personalised PageRanks, divided by alpha.
    For partitions this is Σ n_ij² / max(a_i, b_j) / n, O(n + cells); with overlap
    O(patterns² + k³ + t³), over objects with different sets of clusters.

    Examples
    --------
    >>> element_centric_similarity([0, 0, 1, 1], [0, 0, 0, 0])
    0.5
    """
    check_alpha(alpha)
    larger = np.maximum(table.row_sums[table.rows], table.column_sums[table.columns])
    return _mean_share(table, larger)
