"""Measures from information theory: what each clustering says about the other, in nats."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.external.table import as_table, need_counts
from karat.runtime.threads import in_threads
from karat.runtime.validation import UndefinedMeasureError, check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
MEANS = ("arithmetic", "geometric", "max", "min")
FAMILY = "information"


def entropy_of(counts: NDArray[Any]) -> float:
    p = counts[counts > 0] / counts.sum()
    return max(0.0, float(-(p * np.log(p)).sum()))


def entropy_given_pred(table: ContingencyTable) -> float:
    """H(T∣C): 0 exactly where every cluster lies within a class."""
    share = table.counts / table.column_sums[table.columns]
    # memberships may add up to a rounding above 1
    return max(0.0, float(-(table.counts * np.log(share)).sum()) / table.n)


def entropy_given_true(table: ContingencyTable) -> float:
    share = table.counts / table.row_sums[table.rows]
    return max(0.0, float(-(table.counts * np.log(share)).sum()) / table.n)


class _Information:
    """The entropies of a table, without the cancellation of differences."""

    def __init__(self, table: ContingencyTable) -> None:
        from karat._kernels.permutation_model import sum_deviance

        self.true = entropy_of(table.row_sums)
        self.pred = entropy_of(table.column_sums)
        self.true_given_pred = entropy_given_pred(table)
        self.pred_given_true = entropy_given_true(table)
        if self.true_given_pred == 0:
            self.mutual = self.true
        elif self.pred_given_true == 0:
            self.mutual = self.pred
        else:
            total, means = sum_deviance(
                table.rows,
                table.columns,
                table.counts,
                table.row_sums,
                table.column_sums,
                float(table.n),
            )
            full = len(table.counts) == table.shape[0] * table.shape[1]
            empty = 0.0 if full else max(table.n - means, 0.0)
            self.mutual = min((total + empty) / table.n, self.true, self.pred)

    def normalizer(self, name: str) -> float:
        match name:
            case "arithmetic":
                return (self.true + self.pred) / 2
            case "geometric":
                return math.sqrt(self.true * self.pred)
            case "max":
                return max(self.true, self.pred)
            case "min":
                return min(self.true, self.pred)
        return self.pred + self.true_given_pred

    def excess(self, name: str) -> float:
        """Normaliser less mutual information, which vanishes for equal partitions."""
        match name:
            case "arithmetic":
                return (self.true_given_pred + self.pred_given_true) / 2
            case "max":
                return max(self.true_given_pred, self.pred_given_true)
            case "min":
                return min(self.true_given_pred, self.pred_given_true)
        return self.normalizer(name) - self.mutual


def mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mutual information of the two clusterings, in nats.

    Parameters
    ----------
    labels_true, labels_pred : array-like, shape (n,), or SoftPartition
        The gold standard and the clustering; or one :class:`~karat.ContingencyTable` as
        ``labels_true`` alone.

    Returns
    -------
    float
        From 0 (independent) to the lesser of the two entropies; greater is better. It never
        falls when clusters are split.

    Raises
    ------
    InputError
        For labels that cannot be compared.

    Notes
    -----
    O(n + cells). whissell2012 eq. 3.21 with maximum likelihood estimates.

    Examples
    --------
    >>> from karat import mutual_information
    >>> round(mutual_information([0, 0, 1, 1], [1, 1, 0, 0]), 6)
    0.693147
    """
    return _Information(
        as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    ).mutual


def conditional_entropy(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Entropy of the classes that is left when the clusters are known, H(T∣C), in nats.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`mutual_information`. Exchange the two for H(C∣T).

    Returns
    -------
    float
        From 0 (every cluster within one class) to the entropy of the classes; lower is better.

    Notes
    -----
    O(n + cells). whissell2012 eqs. 3.23 and 3.26, with the minus signs that it lacks.

    Examples
    --------
    >>> from karat import conditional_entropy
    >>> conditional_entropy([0, 0, 1, 1], [0, 1, 2, 2])
    0.0
    """
    return entropy_given_pred(
        as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    )


def normalized_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    normalizer: Normalizer = "geometric",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mutual information divided by a normaliser of the two entropies.

    Parameters
    ----------
    normalizer : {"geometric", "arithmetic", "max", "min", "joint"}
        Mean of the entropies, the greater, the lesser, or the entropy of both together.

    Returns
    -------
    float
        From 0 to 1, greater is better. 1 where both sides have one cluster; 0 where one side
        alone has. With ``"min"`` any refinement of the classes has 1.

    Raises
    ------
    InputError
        For labels that cannot be compared, or an unknown normaliser.

    Notes
    -----
    O(n + cells). whissell2012 eqs. 3.22 (geometric), 3.24 (min), 3.25 (joint); manning2008
    eq. 183 (arithmetic). For soft clusterings a clustering compared with itself has 1 only where
    it is hard.

    Examples
    --------
    >>> from karat import normalized_mutual_information
    >>> normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    check_choice(normalizer, (*MEANS, "joint"), "normalizer")
    info = _Information(
        as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    )
    divisor = info.normalizer(normalizer)
    if divisor == 0:
        return 1.0 if info.true == info.pred == 0 else 0.0
    # both entropies are the mutual information for equal partitions, up to the root's rounding
    if info.true_given_pred == info.pred_given_true == 0:
        return 1.0
    return min(info.mutual / divisor, 1.0)


def expected_mutual_information(table: ContingencyTable) -> float:
    """Mean mutual information over all tables with these margins, in nats."""
    from karat._kernels.permutation_model import mean_deviances

    a, many_a = np.unique(table.row_sums, return_counts=True)
    b, many_b = np.unique(table.column_sums, return_counts=True)
    pieces = np.array_split(a, min(len(a), 16))
    means = np.concatenate(in_threads(lambda piece: mean_deviances(piece, b, table.n), pieces))
    return float(many_a @ means @ many_b) / table.n


def adjusted_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    normalizer: Literal["max", "arithmetic", "geometric", "min"] = "max",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Mutual information corrected for chance: (MI − E) / (normaliser − E).

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`mutual_information`; counted objects only.
    normalizer : {"max", "arithmetic", "geometric", "min"}
        The greatest value that mutual information is held to have.

    Returns
    -------
    float
        At most 1; 0 in expectation under random labels with the same cluster sizes; greater is
        better. 1 for equal partitions, also where the denominator is 0; 0 where one side has one
        cluster or only singletons, because every labeling then has the same mutual information.

    Raises
    ------
    InputError
        For labels that cannot be compared, or an unknown normaliser.
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    The expectation is exact under the permutation model, one hypergeometric sum for each pair of
    *distinct* sizes: O(n + cells + distinct sizes² × spread of a cell). Its relative error stays
    below 1e-10, because the sum has no negative terms. Vinh, Epps & Bailey (2010);
    whissell2012 eq. 3.28 (``"max"``).

    Examples
    --------
    >>> from karat import adjusted_mutual_information
    >>> round(adjusted_mutual_information([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.225042
    """
    check_choice(normalizer, MEANS, "normalizer")
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    need_counts(table, "Adjusted mutual information")
    info = _Information(table)
    if info.true_given_pred == info.pred_given_true == 0:
        return 1.0
    if not {1, table.n}.isdisjoint(table.shape):
        return 0.0
    room = info.normalizer(normalizer) - expected_mutual_information(table)
    return 1 - info.excess(normalizer) / room if room > 0 else 0.0


def standardized_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Standard deviations by which mutual information exceeds what chance gives.

    Parameters
    ----------
    labels_true, labels_pred, noise, sample_weight
        As in :func:`mutual_information`; counted objects only.

    Returns
    -------
    float
        (MI − E) / sqrt(Var), both moments exact under the permutation model; greater is better,
        without bound. 0 where chance has no variance: one side has one cluster or only
        singletons, or one has classes of one size and the other a single object and the rest.

    Raises
    ------
    UndefinedMeasureError
        For weights or memberships.

    Notes
    -----
    Unlike :func:`adjusted_mutual_information` it does not favour clusterings with many small
    clusters, but it grows with n. For distinct sizes k' and t' and a spread r of the cells,
    O(k' t' (k' + t') r²). Romano, Bailey, Nguyen & Verspoor (2014), Romano et al. (2016); the
    variance is summed here over one corner cell for each pair of cells, since rows and columns
    are independent given the cell where they meet.

    Examples
    --------
    >>> from karat import standardized_mutual_information
    >>> round(standardized_mutual_information([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]), 6)
    3.0
    """
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    need_counts(table, "Standardised mutual information")
    return _standardized(table)


def _standardized(table: ContingencyTable) -> float:
    if not {1, table.n}.isdisjoint(table.shape):
        return 0.0
    from karat._kernels.permutation_model import mean_deviances, variance_of_row

    a, many_a = np.unique(table.row_sums, return_counts=True)
    b, many_b = np.unique(table.column_sums, return_counts=True)
    expected = mean_deviances(a, b, table.n)
    parts = in_threads(
        lambda i: variance_of_row(i, a, many_a, b, many_b, table.n, expected), range(len(a))
    )
    variance = math.fsum(parts)
    mean = float(many_a @ expected @ many_b)
    # the parts cancel to about 1e-8 of the mean where equal classes meet one object and the rest
    if variance <= (1e-7 * mean) ** 2:
        return 0.0
    return (_Information(table).mutual * table.n - mean) / math.sqrt(variance)


def _standardized_if_quick(table: ContingencyTable) -> float:
    """For tables of many clusterings: rejects what takes longer than all other measures."""
    need_counts(table, "Standardised mutual information")
    a, b = np.unique(table.row_sums), np.unique(table.column_sums)
    spread = np.minimum(np.sqrt(np.outer(a, b) / table.n), 10)
    points = 15 * spread + 8
    rest = points.sum(axis=0) + points.sum(axis=1)[:, None]
    seconds = 8e-9 * float((points * rest).sum())
    if seconds > 0.05:
        raise UndefinedMeasureError(
            f"Standardised mutual information needs an exact variance that takes about "
            f"{seconds:.1g} s here; call standardized_mutual_information for it alone, or "
            "permutation_test for a p-value"
        )
    return _standardized(table)


def variation_of_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Information in either clustering that the other does not have, in nats.

    Returns
    -------
    float
        H(C) + H(T) − 2 MI = H(T∣C) + H(C∣T), from 0 (equal partitions) to log n; lower is
        better. A metric.

    Notes
    -----
    O(n + cells).

    Examples
    --------
    >>> from karat import variation_of_information
    >>> variation_of_information([0, 0, 1, 1], [1, 1, 0, 0])
    0.0
    """
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    return entropy_given_pred(table) + entropy_given_true(table)


def normalized_variation_of_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    normalizer: Literal["joint", "log_n"] = "joint",
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Variation of information divided by its bound.

    Parameters
    ----------
    normalizer : {"joint", "log_n"}
        The entropy of both clusterings together, which keeps the metric and makes it
        1 − NMI(joint); or the logarithm of the number of objects.

    Returns
    -------
    float
        From 0 (equal partitions) to 1; lower is better.

    Notes
    -----
    O(n + cells). Meilă (2007); Vinh, Epps & Bailey (2010).

    Examples
    --------
    >>> from karat import normalized_variation_of_information
    >>> normalized_variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    check_choice(normalizer, ("joint", "log_n"), "normalizer")
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    given = entropy_given_pred(table) + entropy_given_true(table)
    bound = entropy_of(table.counts) if normalizer == "joint" else math.log(max(table.n, 1))
    return min(given / bound, 1.0) if given > 0 else 0.0


define(
    mutual_information,
    "Mutual information",
    family=FAMILY,
    references=[Reference("whissell2012", "3.21")],
    range=(0.0, math.inf),
    compares_k=False,
    symmetric=True,
    structures={"soft"},
)
define(
    conditional_entropy,
    "Conditional entropy of the classes",
    family=FAMILY,
    references=[Reference("whissell2012", "3.23, 3.26")],
    greater_is_better=False,
    range=(0.0, math.inf),
    compares_k=False,
    structures={"soft"},
)
define(
    normalized_mutual_information,
    "Normalised mutual information",
    family=FAMILY,
    references=[Reference("whissell2012", "3.22, 3.24, 3.25"), Reference("manning2008", "183")],
    symmetric=True,
    structures={"soft"},
)
define(
    adjusted_mutual_information,
    "Adjusted mutual information",
    family=FAMILY,
    references=[Reference("vinh2010"), Reference("whissell2012", "3.28")],
    range=(-math.inf, 1.0),
    cost="O(n + cells + distinct sizes² · spread)",
    symmetric=True,
)
define(
    standardized_mutual_information,
    "Standardised mutual information",
    family=FAMILY,
    references=[Reference("romano2016")],
    compute=_standardized_if_quick,
    range=(-math.inf, math.inf),
    cost="O(n + cells + distinct sizes³ · spread²)",
    symmetric=True,
)
define(
    variation_of_information,
    "Variation of information",
    family=FAMILY,
    references=[Reference("meila2007"), Reference("whissell2012", "3.27")],
    greater_is_better=False,
    range=(0.0, math.inf),
    symmetric=True,
    structures={"soft"},
)
define(
    normalized_variation_of_information,
    "Normalised variation of information",
    family=FAMILY,
    references=[Reference("meila2007"), Reference("vinh2010")],
    greater_is_better=False,
    symmetric=True,
    structures={"soft"},
)
