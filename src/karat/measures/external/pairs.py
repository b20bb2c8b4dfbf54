"""Measures that count pairs of objects: together or apart in either clustering."""

from __future__ import annotations

import math
from typing import Any

from karat.labelings.contingency import PairCounts
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.docstrings import cite
from karat.measures.external.table import as_table, check_beta

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

FAMILY = "pair counting"


@cite(Reference("whissell2012", "table 3.1"), Reference("brouwer2009"))
def pair_counts(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> PairCounts:
    """Pairs of different objects, by whether the two clusterings put them together.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,), or SoftPartition
        The gold standard and the clustering; or one :class:`~karat.ContingencyTable` as
        ``labels_true`` alone. For memberships these are expectations, with each object's class
        and cluster drawn from them; an object of weight w stands for w that coincide.

    Returns
    -------
    PairCounts
        ``both`` (TP, L), ``only_pred`` (FP, D), ``only_true`` (FN, D'), ``neither`` (TN, L');
        exact Python integers for counted objects.

    Raises
    ------
    InputError
        For labels that cannot be compared.

    Notes
    -----
    O(n + cells). For memberships Brouwer (2009): the chance that two
    objects are together is the product of their memberships, summed over the clusters; the sums
    over pairs reduce to the expected table and the squared memberships, O(n k t).

    Examples
    --------
    >>> from karat import pair_counts
    >>> pair_counts([0, 0, 1, 1], [0, 0, 0, 1])
    PairCounts(both=1, only_pred=2, only_true=1, neither=2)
    """
    if isinstance(labels_true, PairCounts) and labels_pred is None and sample_weight is None:
        return labels_true
    return as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight).pair_counts


def pair_precision(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the pairs put together that belong together: TP / (TP + FP).

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where no pair is put together.

    Notes
    -----
    O(n + cells). manning2008 §16.3.

    Examples
    --------
    >>> from karat import pair_precision
    >>> pair_precision([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return _ratio(p.both, p.both + p.only_pred)


def pair_recall(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the pairs that belong together that are put together: TP / (TP + FN).

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where no pair belongs together.

    Notes
    -----
    O(n + cells). manning2008 §16.3.

    Examples
    --------
    >>> from karat import pair_recall
    >>> pair_recall([0, 0, 1, 1], [0, 1, 2, 2])
    0.5
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return _ratio(p.both, p.both + p.only_true)


def pair_f_measure(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    beta: float = 1.0,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Weighted harmonic mean of pair precision and pair recall.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.
    beta : float
        How many times recall weighs as much as precision.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where no pair is together on either side.

    Notes
    -----
    O(n + cells). (1 + β²) TP / ((1 + β²) TP + β² FN + FP), manning2008 §16.3.

    Examples
    --------
    >>> from karat import pair_f_measure
    >>> pair_f_measure([0, 0, 1, 1], [0, 1, 2, 2])
    0.6666666666666666
    """
    check_beta(beta)
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    if beta == 1:  # exact integers to the end
        return _ratio(2 * p.both, 2 * p.both + p.only_true + p.only_pred)
    b = float(beta) ** 2
    return _ratio((1 + b) * p.both, (1 + b) * p.both + b * p.only_true + p.only_pred)


def rand_index(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the pairs on which the two clusterings agree.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 for a single object.

    Notes
    -----
    O(n + cells). Rand (1971), whissell2012 eq. 3.34. For memberships Brouwer (2009); on the
    pair counts of :func:`fuzzy_pair_counts` Campello (2007).

    Examples
    --------
    >>> from karat import rand_index
    >>> rand_index([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return _ratio(p.both + p.neither, p.total)


def adjusted_rand_index(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Agreement on pairs of objects, corrected for chance.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        From -0.5 to 1, 0 in expectation under random labels with the same cluster sizes; greater
        is better. 1 where the denominator is 0, that is where both sides have one cluster or
        both only singletons.

    Notes
    -----
    O(n + cells), in exact integers up to one division. Hubert & Arabie (1985): expectation and
    maximum belong to the pairs together in both, which corrects whissell2012 eqs. 3.36–3.38.
    The bound -0.5 is Chacón & Rastrojo's (2023). For weights and memberships the same formula on
    their pair sums.

    Examples
    --------
    >>> from karat import adjusted_rand_index
    >>> adjusted_rand_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    true, pred, total = p.both + p.only_true, p.both + p.only_pred, p.total
    # (L - E) / (max - E) with every term multiplied by 2·total
    return _ratio(2 * (total * p.both - true * pred), total * (true + pred) - 2 * true * pred)


def jaccard_index(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Share of the pairs together on either side that are together on both.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where no pair is together on either side.

    Notes
    -----
    O(n + cells). L / (L + D + D'), which corrects whissell2012 eq. 3.35.

    Examples
    --------
    >>> from karat import jaccard_index
    >>> jaccard_index([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return _ratio(p.both, p.both + p.only_pred + p.only_true)


def fowlkes_mallows_index(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Geometric mean of pair precision and pair recall.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where no pair is together on either side, 0 where
        that is so on one side alone.

    Notes
    -----
    O(n + cells). Fowlkes & Mallows (1983).

    Examples
    --------
    >>> from karat import fowlkes_mallows_index
    >>> fowlkes_mallows_index([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    true, pred = p.both + p.only_true, p.both + p.only_pred
    if not true or not pred:
        return 1.0 if true == pred else 0.0
    return (
        min(math.sqrt(p.both / true) * math.sqrt(p.both / pred), 1.0)
        if true != pred
        else (p.both / true)
    )


def mirkin_distance(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Number of ordered pairs on which the two clusterings disagree.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`pair_counts`; or its result alone.

    Returns
    -------
    float
        2 (FP + FN), from 0 (equal partitions) to n (n − 1); lower is better. A metric; a multiple
        of 1 − Rand index.

    Notes
    -----
    O(n + cells). Mirkin (1996), Meilă (2007).

    Examples
    --------
    >>> from karat import mirkin_distance
    >>> mirkin_distance([0, 0, 1, 1], [0, 0, 0, 1])
    6.0
    """
    p = pair_counts(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return float(2 * (p.only_pred + p.only_true))


def _ratio(part: Any, whole: Any) -> float:
    """One correctly rounded division, 1 where there is nothing to share."""
    return float(part / whole) if whole else 1.0


define(
    pair_precision,
    "Pair precision",
    family=FAMILY,
    references=[Reference("manning2008", "§16.3")],
    compares_k=False,
    structures={"soft"},
)
define(
    pair_recall,
    "Pair recall",
    family=FAMILY,
    references=[Reference("manning2008", "§16.3")],
    compares_k=False,
    structures={"soft"},
)
define(
    pair_f_measure,
    "Pair F-measure",
    family=FAMILY,
    references=[Reference("manning2008", "§16.3")],
    symmetric=True,
    structures={"soft"},
)
define(
    rand_index,
    "Rand index",
    family=FAMILY,
    references=[Reference("whissell2012", "3.34"), Reference("manning2008", "§16.3")],
    symmetric=True,
    structures={"soft"},
)
define(
    adjusted_rand_index,
    "Adjusted Rand index",
    family=FAMILY,
    references=[Reference("hubert1985"), Reference("whissell2012", "3.36–3.38")],
    range=(-0.5, 1.0),
    symmetric=True,
    structures={"soft"},
)
define(
    jaccard_index,
    "Jaccard index",
    family=FAMILY,
    references=[Reference("whissell2012", "3.35")],
    symmetric=True,
    structures={"soft"},
)
define(
    fowlkes_mallows_index,
    "Fowlkes–Mallows index",
    family=FAMILY,
    references=[Reference("fowlkes1983")],
    symmetric=True,
    structures={"soft"},
)
define(
    mirkin_distance,
    "Mirkin distance",
    family=FAMILY,
    references=[Reference("mirkin1996")],
    greater_is_better=False,
    range=(0.0, math.inf),
    symmetric=True,
    structures={"soft"},
)
