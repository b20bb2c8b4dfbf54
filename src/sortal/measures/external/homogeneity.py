"""Homogeneity of clusters and completeness of classes, by conditional entropies."""

from __future__ import annotations

import math
from functools import partial

from sortal.labelings.contingency import ContingencyTable
from sortal.measures.external.information import (
    INFORMATION,
    entropy_given_pred,
    entropy_given_true,
    entropy_of,
)
from sortal.measures.external.table import check_beta, of_table

__all__ = ["completeness", "dom_q0", "entropy_quality", "homogeneity", "v_measure"]

_of_entropies = partial(of_table, family=INFORMATION)


def _homogeneity(table: ContingencyTable) -> float:
    """1 − H(T∣C)/H(T), or 1 for one class."""
    entropy = entropy_of(table.row_sums)
    return max(1 - entropy_given_pred(table) / entropy, 0.0) if entropy else 1.0


def _completeness(table: ContingencyTable) -> float:
    """1 − H(C∣T)/H(C), or 1 for one cluster."""
    entropy = entropy_of(table.column_sums)
    return max(1 - entropy_given_true(table) / entropy, 0.0) if entropy else 1.0


@_of_entropies("Homogeneity", references=["rosenberg2007", "whissell2012 3.30"], compares_k=False)
def homogeneity(table: ContingencyTable) -> float:
    """Degree to which each cluster has one class: 1 − H(T∣C)/H(T), correcting equation 3.30.

    1 for any refinement of the classes, and for a single class.

    Examples
    --------
    >>> homogeneity([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    return _homogeneity(table)


@_of_entropies("Completeness", references=["rosenberg2007", "whissell2012 3.31"], compares_k=False)
def completeness(table: ContingencyTable) -> float:
    """Degree to which each class is in one cluster: 1 − H(C∣T)/H(C), correcting equation 3.31.

    1 if no class is split, and for a single cluster.

    Examples
    --------
    >>> completeness([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return _completeness(table)


@_of_entropies("V-measure", references=["rosenberg2007", "whissell2012 3.29"], symmetric=True)
def v_measure(table: ContingencyTable, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness, (1 + β) h c / (β h + c).

    Parameters
    ----------
    beta : float
        Weight of completeness relative to homogeneity; 0 gives homogeneity alone, 1 gives NMI
        with the arithmetic normaliser.

    Examples
    --------
    >>> v_measure([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    check_beta(beta)
    h, c = _homogeneity(table), _completeness(table)
    if beta == 0:
        return h
    return (1 + beta) * h * c / (beta * h + c) if h and c else 0.0


@_of_entropies("Entropy quality", references=["whissell2012 3.32, 3.33"], compares_k=False)
def entropy_quality(table: ContingencyTable) -> float:
    """Order of the classes within clusters: 1 − H(T∣C)/log(number of classes).

    1 if every cluster lies within a class. Unlike NMI, it gives no credit for rare classes. Per
    cluster: :meth:`sortal.ContingencyTable.by_cluster`.

    Notes
    -----
    The minus sign of equation 3.32 is corrected. O(n + cells).

    Examples
    --------
    >>> entropy_quality([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    """
    if table.shape[0] == 1:
        return 1.0
    return max(1 - entropy_given_pred(table) / math.log(table.shape[0]), 0.0)


@_of_entropies(
    "Dom's Q0",
    counted=True,
    references=["dom2001", "banerjee2004 §5"],
    greater_is_better=False,
    range=(0.0, math.inf),
)
def dom_q0(table: ContingencyTable) -> float:
    """Dom's Q0: nats per object to encode the classes, given the clusters.

    H(T∣C) + (1/n) Σ log C(∣c∣ + t − 1, t − 1). The second part is the cost of the class histogram
    of each cluster, so splitting clusters has a cost.

    Examples
    --------
    >>> round(dom_q0([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.549306
    """
    from scipy.special import gammaln

    t = table.shape[0]
    histograms = gammaln(table.column_sums + t) - gammaln(t) - gammaln(table.column_sums + 1)
    return entropy_given_pred(table) + max(float(histograms.sum()), 0.0) / table.n
