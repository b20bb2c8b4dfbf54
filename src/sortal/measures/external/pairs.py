"""Measures that count pairs of objects: together or apart in either clustering."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from sortal.labelings.contingency import PairCounts
from sortal.labelings.labels import NoisePolicy
from sortal.measures.docstrings import cite
from sortal.measures.external.table import as_table, check_beta, of_table
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.measures.external.soft import ClusteringLike
    from sortal.measures.external.table import LabelsOrCounts
    from sortal.typing import ArrayLike

__all__ = [
    "adjusted_rand_index",
    "fowlkes_mallows_index",
    "jaccard_index",
    "mirkin_distance",
    "pair_counts",
    "pair_f_measure",
    "pair_precision",
    "pair_recall",
    "rand_index",
]


@cite("whissell2012 table 3.1", "brouwer2009")
def pair_counts(
    labels_true: LabelsOrCounts,
    labels_pred: ClusteringLike | None = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> PairCounts:
    """Numbers of pairs of objects that are together or apart in each clustering.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,), or SoftPartition
        The gold standard and the clustering; or one :class:`~sortal.ContingencyTable` as
        ``labels_true`` alone. Memberships give expectations, with each object's class and
        cluster drawn from them. An object of weight w counts as w coincident objects.

    Returns
    -------
    PairCounts
        ``both`` (TP, L), ``only_pred`` (FP, D), ``only_true`` (FN, D'), ``neither`` (TN, L');
        exact Python integers for counted objects. The measures of pairs take it, too.

    Notes
    -----
    O(n + cells). For memberships see Brouwer (2009). Two objects are together with a chance of Σ_c
    u_ic u_jc, for memberships u. The sums over pairs reduce to the expected table and the squared
    memberships, O(n k t).

    Examples
    --------
    >>> pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    PairCounts(both=1, only_pred=2, only_true=1, neither=2)
    """
    if isinstance(labels_true, PairCounts):
        if labels_pred is not None or sample_weight is not None:
            raise InputError("give PairCounts alone, without labels_pred and sample_weight")
        return labels_true
    return as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight).pair_counts


_of_pairs = partial(of_table, reads=pair_counts, family="pair counting")


def _ratio(numerator: float, denominator: float) -> float:
    """One correctly rounded division; 1 if ``denominator`` is 0."""
    return float(numerator / denominator) if denominator else 1.0


@_of_pairs("Pair precision", references=["manning2008 §16.3"], compares_k=False)
def pair_precision(p: PairCounts) -> float:
    """Share of the pairs within clusters that are within classes: TP / (TP + FP).

    1 if no pair is within a cluster.

    Examples
    --------
    >>> pair_precision([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    return _ratio(p.both, p.both + p.only_pred)


@_of_pairs("Pair recall", references=["manning2008 §16.3"], compares_k=False)
def pair_recall(p: PairCounts) -> float:
    """Share of the pairs within classes that are within clusters: TP / (TP + FN).

    1 if no pair is within a class.

    Examples
    --------
    >>> pair_recall([0, 0, 1, 1], [0, 1, 2, 2])
    0.5
    """
    return _ratio(p.both, p.both + p.only_true)


@_of_pairs("Pair F-measure", references=["manning2008 §16.3"], symmetric=True)
def pair_f_measure(p: PairCounts, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of pair precision and pair recall.

    (1 + β²) TP / ((1 + β²) TP + β² FN + FP); 1 if no pair is together on either side.

    Examples
    --------
    >>> pair_f_measure([0, 0, 1, 1], [0, 1, 2, 2])
    0.6666666666666666
    """
    check_beta(beta)
    if beta == 1:  # exact integers to the end
        return _ratio(2 * p.both, 2 * p.both + p.only_true + p.only_pred)
    b = float(beta) ** 2
    return _ratio((1 + b) * p.both, (1 + b) * p.both + b * p.only_true + p.only_pred)


@_of_pairs("Rand index", references=["whissell2012 3.34", "manning2008 §16.3"], symmetric=True)
def rand_index(p: PairCounts) -> float:
    """Share of the pairs on which the two clusterings agree; 1 for a single object.

    For memberships Brouwer (2009).

    Examples
    --------
    >>> rand_index([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return _ratio(p.both + p.neither, p.total)


@_of_pairs(
    "Adjusted Rand index",
    references=["hubert1985", "whissell2012 3.36–3.38"],
    range=(-0.5, 1.0),
    symmetric=True,
)
def adjusted_rand_index(p: PairCounts) -> float:
    """Agreement on pairs of objects, corrected for chance.

    0 in expectation under random labels with the same cluster sizes. 1 if the denominator is 0:
    both sides have one cluster, or both only singletons.

    Notes
    -----
    O(n + cells), in exact integers up to one division. Expectation and maximum are those of the
    number of pairs together in both, which corrects whissell2012. The bound −0.5 is from Chacón &
    Rastrojo (2023). Weights and memberships use the same formula on their pair sums.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    true, pred, total = p.both + p.only_true, p.both + p.only_pred, p.total
    # (L - E) / (max - E) with every term multiplied by 2·total
    return _ratio(2 * (total * p.both - true * pred), total * (true + pred) - 2 * true * pred)


@_of_pairs("Jaccard index", references=["whissell2012 3.35"], symmetric=True)
def jaccard_index(p: PairCounts) -> float:
    """Share of the pairs together on either side that are together on both.

    L / (L + D + D'), which corrects equation 3.35; 1 if no pair is together on either side.

    Examples
    --------
    >>> jaccard_index([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    """
    return _ratio(p.both, p.both + p.only_pred + p.only_true)


@_of_pairs("Fowlkes–Mallows index", references=["fowlkes1983"], symmetric=True)
def fowlkes_mallows_index(p: PairCounts) -> float:
    """Geometric mean of pair precision and pair recall.

    1 if no pair is together on either side, 0 if that is so on one side only.

    Examples
    --------
    >>> fowlkes_mallows_index([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    true, pred = p.both + p.only_true, p.both + p.only_pred
    if not true or not pred:
        return 1.0 if true == pred else 0.0
    if true == pred:
        return p.both / true
    return min(math.sqrt(p.both / true) * math.sqrt(p.both / pred), 1.0)


@_of_pairs(
    "Mirkin distance",
    references=["mirkin1996"],
    greater_is_better=False,
    range=(0.0, math.inf),
    symmetric=True,
)
def mirkin_distance(p: PairCounts) -> float:
    """Number of ordered pairs on which the two clusterings disagree, 2 (FP + FN).

    0 for equal partitions, n (n − 1) at most. A metric; a multiple of 1 − Rand index.

    Examples
    --------
    >>> mirkin_distance([0, 0, 1, 1], [0, 0, 0, 1])
    6.0
    """
    return float(2 * (p.only_pred + p.only_true))
