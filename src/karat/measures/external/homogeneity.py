"""Measures of how pure clusters are and how whole classes, by conditional entropies."""

from __future__ import annotations

import math
from typing import Any

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.external.information import (
    FAMILY,
    entropy_given_pred,
    entropy_given_true,
    entropy_of,
)
from karat.measures.external.table import as_table, check_beta, need_counts

__all__ = ["completeness", "dom_q0", "entropy_quality", "homogeneity", "v_measure"]


def homogeneity(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Whether clusters hold one class each: 1 − H(T∣C)/H(T).

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 for any refinement of the classes, and where there is
        one class.

    Notes
    -----
    O(n + cells). Corrects whissell2012 eq. 3.30.

    Examples
    --------
    >>> from karat import homogeneity
    >>> homogeneity([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    return _share_known(
        as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    )


def _share_known(table: ContingencyTable) -> float:
    whole = entropy_of(table.row_sums)
    return max(1 - entropy_given_pred(table) / whole, 0.0) if whole else 1.0


def _share_kept(table: ContingencyTable) -> float:
    whole = entropy_of(table.column_sums)
    return max(1 - entropy_given_true(table) / whole, 0.0) if whole else 1.0


def completeness(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Whether classes lie in one cluster each: 1 − H(C∣T)/H(C).

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where classes are never split, and where there is one
        cluster.

    Notes
    -----
    O(n + cells). Corrects whissell2012 eq. 3.31.

    Examples
    --------
    >>> from karat import completeness
    >>> completeness([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return _share_kept(as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight))


def v_measure(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    beta: float = 1.0,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Weighted harmonic mean of homogeneity and completeness.

    Parameters
    ----------
    beta : float
        Weight of completeness beside that of homogeneity; 0 leaves homogeneity alone, 1 gives
        NMI with the arithmetic normaliser.

    Returns
    -------
    float
        From 0 to 1, greater is better.

    Notes
    -----
    O(n + cells). (1 + β) h c / (β h + c).

    Examples
    --------
    >>> from karat import v_measure
    >>> v_measure([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    check_beta(beta)
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    h, c = _share_known(table), _share_kept(table)
    if beta == 0:
        return h
    return (1 + beta) * h * c / (beta * h + c) if h and c else 0.0


def entropy_quality(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """How ordered the classes within clusters are: 1 − H(T∣C)/log(number of classes).

    Returns
    -------
    float
        From 0 to 1, greater is better; 1 where every cluster lies within a class. Unlike NMI it
        gives no credit for rare classes. Per cluster: :meth:`karat.ContingencyTable.by_cluster`.

    Notes
    -----
    O(n + cells). whissell2012 eqs. 3.32 (minus sign corrected) and 3.33.

    Examples
    --------
    >>> from karat import entropy_quality
    >>> entropy_quality([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    """
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    if table.shape[0] == 1:
        return 1.0
    return max(1 - entropy_given_pred(table) / math.log(table.shape[0]), 0.0)


def dom_q0(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Dom's Q0: nats per object to tell the classes of objects whose clusters are known.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`mutual_information`; counted objects only.

    Returns
    -------
    float
        H(T∣C) + (1/n) Σ log C(∣c∣ + t − 1, t − 1), at least 0; lower is better. The second part
        pays for the class histogram of each cluster, so splitting does not come free.

    Raises
    ------
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    O(n + cells). Dom (2001), banerjee2004 §5.

    Examples
    --------
    >>> from karat import dom_q0
    >>> round(dom_q0([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.549306
    """
    from scipy.special import gammaln

    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    need_counts(table, "Dom's Q0")
    t = table.shape[0]
    histograms = gammaln(table.column_sums + t) - gammaln(t) - gammaln(table.column_sums + 1)
    return entropy_given_pred(table) + max(float(histograms.sum()), 0.0) / table.n


define(
    homogeneity,
    "Homogeneity",
    family=FAMILY,
    references=[Reference("rosenberg2007"), Reference("whissell2012", "3.30")],
    compares_k=False,
    structures={"soft"},
)
define(
    completeness,
    "Completeness",
    family=FAMILY,
    references=[Reference("rosenberg2007"), Reference("whissell2012", "3.31")],
    compares_k=False,
    structures={"soft"},
)
define(
    v_measure,
    "V-measure",
    family=FAMILY,
    references=[Reference("rosenberg2007"), Reference("whissell2012", "3.29")],
    symmetric=True,
    structures={"soft"},
)
define(
    entropy_quality,
    "Entropy quality",
    family=FAMILY,
    references=[Reference("whissell2012", "3.32, 3.33")],
    compares_k=False,
    structures={"soft"},
)
define(
    dom_q0,
    "Dom's Q0",
    family=FAMILY,
    references=[Reference("dom2001"), Reference("banerjee2004", "§5")],
    greater_is_better=False,
    range=(0.0, math.inf),
)
