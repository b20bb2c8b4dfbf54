"""Measures from information theory, in nats."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from sortal.labelings.contingency import ContingencyTable
from sortal.measures.external.table import need_counts, of_table
from sortal.runtime.threads import in_threads
from sortal.runtime.validation import UndefinedMeasureError, check_choice
from sortal.typing import Floats, Ints

__all__ = [
    "adjusted_mutual_information",
    "conditional_entropy",
    "mutual_information",
    "normalized_mutual_information",
    "normalized_variation_of_information",
    "standardized_mutual_information",
    "variation_of_information",
]

Normalizer: TypeAlias = Literal["arithmetic", "geometric", "max", "min", "joint"]
MEANS: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: math.sqrt(a * b),
    "max": max,
    "min": min,
}
INFORMATION = "information"
_of_information = partial(of_table, family=INFORMATION, symmetric=True)


def entropy_of(counts: Ints | Floats) -> float:
    """Entropy of counts, in nats."""
    p = counts[counts > 0] / counts.sum()
    return max(0.0, float(-(p * np.log(p)).sum()))


def entropy_given_pred(table: ContingencyTable) -> float:
    """H(T∣C), exactly 0 if every cluster lies within a class."""
    share = table.counts / table.column_sums[table.columns]
    # memberships may add up to a rounding above 1
    return max(0.0, float(-(table.counts * np.log(share)).sum()) / table.n)


def entropy_given_true(table: ContingencyTable) -> float:
    """H(C∣T), exactly 0 if every class lies within a cluster."""
    share = table.counts / table.row_sums[table.rows]
    return max(0.0, float(-(table.counts * np.log(share)).sum()) / table.n)


class _Information:
    """The entropies of a table in nats, without the cancellation of differences."""

    def __init__(self, table: ContingencyTable) -> None:
        from sortal._kernels.permutation_model import sum_deviance

        self.true = entropy_of(table.row_sums)
        self.pred = entropy_of(table.column_sums)
        self.true_given_pred = entropy_given_pred(table)
        self.pred_given_true = entropy_given_true(table)
        if self.true_given_pred == 0:
            self.mutual = self.true
        elif self.pred_given_true == 0:
            self.mutual = self.pred
        else:
            sums = table.row_sums, table.column_sums, float(table.n)
            total, means = sum_deviance(table.rows, table.columns, table.counts, *sums)
            full = len(table.counts) == table.shape[0] * table.shape[1]
            empty = 0.0 if full else max(table.n - means, 0.0)
            self.mutual = min((total + empty) / table.n, self.true, self.pred)

    def normalizer(self, name: str) -> float:
        """A mean of the two entropies, or their joint entropy."""
        if name == "joint":
            return self.pred + self.true_given_pred
        return MEANS[name](self.true, self.pred)

    def excess(self, name: str) -> float:
        """Normaliser less mutual information, which vanishes for equal partitions."""
        if name == "geometric":
            return self.normalizer(name) - self.mutual
        return MEANS[name](self.true_given_pred, self.pred_given_true)


@_of_information(
    "Mutual information", references=["whissell2012 3.21"], range=(0.0, math.inf), compares_k=False
)
def mutual_information(table: ContingencyTable) -> float:
    """Mutual information of the two clusterings, in nats; it never falls when clusters are split.

    At most the smaller entropy. Entropies are maximum likelihood estimates.

    Examples
    --------
    >>> round(mutual_information([0, 0, 1, 1], [1, 1, 0, 0]), 6)
    0.693147
    """
    return _Information(table).mutual


@_of_information(
    "Conditional entropy of the classes",
    references=["whissell2012 3.23, 3.26"],
    greater_is_better=False,
    range=(0.0, math.inf),
    compares_k=False,
    symmetric=False,
)
def conditional_entropy(table: ContingencyTable) -> float:
    """Conditional entropy of the classes given the clusters, H(T∣C), in nats.

    0 if every cluster is within one class. Exchange the sides for H(C∣T). The cited equations lack
    minus signs.

    Examples
    --------
    >>> conditional_entropy([0, 0, 1, 1], [0, 1, 2, 2])
    0.0
    """
    return entropy_given_pred(table)


@_of_information(
    "Normalised mutual information", references=["whissell2012 3.22, 3.24, 3.25", "manning2008 183"]
)
def normalized_mutual_information(
    table: ContingencyTable, *, normalizer: Normalizer = "geometric"
) -> float:
    """Mutual information divided by a normaliser of the two entropies.

    1 if both sides have one cluster; 0 if only one side has. With ``"min"`` the value of any
    refinement of the classes is 1.

    Parameters
    ----------
    normalizer : {"geometric", "arithmetic", "max", "min", "joint"}
        Mean of the entropies, their maximum or minimum, or the joint entropy.

    Notes
    -----
    whissell2012 has the geometric, the minimum and the joint normaliser, manning2008 the
    arithmetic. A soft clustering compared with itself has the value 1 only if it is hard.
    O(n + cells).

    Examples
    --------
    >>> normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    check_choice(normalizer, (*MEANS, "joint"), "normalizer")
    info = _Information(table)
    divisor = info.normalizer(normalizer)
    if divisor == 0:
        return 1.0 if info.true == info.pred == 0 else 0.0
    # both entropies are the mutual information for equal partitions, up to the root's rounding
    if info.true_given_pred == info.pred_given_true == 0:
        return 1.0
    return min(info.mutual / divisor, 1.0)


def expected_mutual_information(table: ContingencyTable) -> float:
    """Mean mutual information over all tables with these margins, in nats."""
    from sortal._kernels.permutation_model import mean_deviances

    a, many_a = np.unique(table.row_sums, return_counts=True)
    b, many_b = np.unique(table.column_sums, return_counts=True)
    pieces = np.array_split(a, min(len(a), 16))
    means = np.concatenate(in_threads(lambda piece: mean_deviances(piece, b, table.n), pieces))
    return float(many_a @ means @ many_b) / table.n


@_of_information(
    "Adjusted mutual information",
    counted=True,
    references=["vinh2010", "whissell2012 3.28"],
    range=(-math.inf, 1.0),
    cost="O(n + cells + distinct sizes² · spread)",
)
def adjusted_mutual_information(
    table: ContingencyTable, *, normalizer: Literal["max", "arithmetic", "geometric", "min"] = "max"
) -> float:
    """Mutual information corrected for chance: (MI − E) / (normaliser − E).

    0 in expectation under random labels with the same cluster sizes. 1 for equal partitions, also
    if the denominator is 0. 0 if one side has one cluster or only singletons, because every
    labeling then has the same mutual information.

    Parameters
    ----------
    normalizer : {"max", "arithmetic", "geometric", "min"}
        Normaliser, an upper bound of mutual information; ``"max"`` is that of equation 3.28.

    Notes
    -----
    The expectation is exact under the permutation model, one hypergeometric sum for each pair of
    *distinct* sizes: O(n + cells + distinct sizes² × spread of a cell). Its relative error stays
    below 1e-10, because the sum has no negative terms.

    Examples
    --------
    >>> round(adjusted_mutual_information([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.225042
    """
    check_choice(normalizer, MEANS, "normalizer")
    info = _Information(table)
    if info.true_given_pred == info.pred_given_true == 0:
        return 1.0
    if not {1, table.n}.isdisjoint(table.shape):
        return 0.0
    room = info.normalizer(normalizer) - expected_mutual_information(table)
    return 1 - info.excess(normalizer) / room if room > 0 else 0.0


def _standardized(table: ContingencyTable) -> float:
    """(MI − E) / sqrt(Var) under the permutation model; 0 without variance."""
    if not {1, table.n}.isdisjoint(table.shape):
        return 0.0
    from sortal._kernels.permutation_model import mean_deviances, variance_of_row

    a, many_a = np.unique(table.row_sums, return_counts=True)
    b, many_b = np.unique(table.column_sums, return_counts=True)
    expected = mean_deviances(a, b, table.n)
    parts = in_threads(
        lambda i: variance_of_row(i, a, many_a, b, many_b, table.n, expected), range(len(a))
    )
    variance = math.fsum(parts)
    mean = float(many_a @ expected @ many_b)
    # rounding of about 1e-8 of the mean remains if equal classes meet one object and the rest
    if variance <= (1e-7 * mean) ** 2:
        return 0.0
    return (_Information(table).mutual * table.n - mean) / math.sqrt(variance)


def _standardized_if_quick(table: ContingencyTable) -> float:
    """Standardised mutual information, unless it takes longer than all other measures."""
    need_counts(table, "Standardised mutual information")
    a, b = np.unique(table.row_sums), np.unique(table.column_sums)
    spread = np.minimum(np.sqrt(np.outer(a, b) / table.n), 10)
    points = 15 * spread + 8
    other_points = points.sum(axis=0) + points.sum(axis=1)[:, None]
    seconds = 8e-9 * float((points * other_points).sum())
    if seconds > 0.05:
        raise UndefinedMeasureError(
            f"Standardised mutual information needs an exact variance that takes about "
            f"{seconds:.1g} s here; call standardized_mutual_information for it alone, or "
            "permutation_test for a p-value"
        )
    return _standardized(table)


@_of_information(
    "Standardised mutual information",
    counted=True,
    references=["romano2016"],
    compute=_standardized_if_quick,
    range=(-math.inf, math.inf),
    cost="O(n + cells + distinct sizes³ · spread²)",
)
def standardized_mutual_information(table: ContingencyTable) -> float:
    """Standard deviations by which mutual information exceeds its expectation.

    (MI − E) / sqrt(Var), both moments exact under the permutation model. 0 without variance: one
    side has one cluster or only singletons, or one side has classes of equal size and the other
    has a single object and the rest.

    Notes
    -----
    Unlike :func:`adjusted_mutual_information` it does not favour clusterings with many small
    clusters, but it grows with n. For distinct sizes k' and t' and a spread r of the cells,
    O(k' t' (k' + t') r²). The variance is summed over one corner cell for each pair of cells,
    because rows and columns are independent given their common cell.

    Examples
    --------
    >>> round(standardized_mutual_information([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]), 6)
    3.0
    """
    return _standardized(table)


@_of_information(
    "Variation of information",
    references=["meila2007", "whissell2012 3.27"],
    greater_is_better=False,
    range=(0.0, math.inf),
)
def variation_of_information(table: ContingencyTable) -> float:
    """Information in each clustering that the other lacks, in nats; a metric.

    H(C) + H(T) − 2 MI = H(T∣C) + H(C∣T), at most log n.

    Examples
    --------
    >>> variation_of_information([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    """
    return entropy_given_pred(table) + entropy_given_true(table)


@_of_information(
    "Normalised variation of information",
    references=["meila2007", "vinh2010"],
    greater_is_better=False,
)
def normalized_variation_of_information(table: ContingencyTable) -> float:
    """Variation of information divided by the joint entropy of both clusterings.

    It stays a metric, and is 1 − NMI(joint).

    Examples
    --------
    >>> normalized_variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    variation = entropy_given_pred(table) + entropy_given_true(table)
    return min(variation / entropy_of(table.counts), 1.0) if variation > 0 else 0.0
