"""Measures against a gold standard: functions of the contingency table.

Every function takes ``(labels_true, labels_pred)`` or one :class:`~karat.ContingencyTable`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from karat.contingency import ContingencyTable
from karat.measures._catalogue import Measure, catalogue
from karat.partition import NoisePolicy
from karat.validation import InputError, check_choice

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "adjusted_mutual_information",
    "adjusted_rand_index",
    "normalized_mutual_information",
    "purity",
    "v_measure",
    "variation_of_information",
]

Normalizer: TypeAlias = Literal["arithmetic", "geometric", "max", "min", "joint"]


def as_table(
    labels_true: Any, labels_pred: Any = None, *, noise: NoisePolicy = "error"
) -> ContingencyTable:
    """The contingency table that is given, or that of the two label arrays."""
    if isinstance(labels_true, ContingencyTable):
        if labels_pred is not None:
            raise InputError("give either a ContingencyTable alone or two arrays of labels")
        return labels_true
    if labels_pred is None:
        raise InputError("labels_pred is missing; only a ContingencyTable may stand alone")
    return ContingencyTable(labels_true, labels_pred, noise=noise)


def _entropy(counts: NDArray[np.int64]) -> float:
    n = counts.sum()
    p = counts[counts > 0] / n
    return float(-(p * np.log(p)).sum())


def _mutual_information(table: ContingencyTable) -> float:
    n = table.n
    nij = table.counts.astype(np.float64)
    outer = table.row_sums[table.rows] / n * table.column_sums[table.columns]
    return max(float((nij / n * np.log(nij / outer)).sum()), 0.0)


def _normalize(table: ContingencyTable, normalizer: Normalizer) -> float:
    h_true, h_pred = _entropy(table.row_sums), _entropy(table.column_sums)
    match normalizer:
        case "arithmetic":
            return (h_true + h_pred) / 2
        case "geometric":
            return math.sqrt(h_true * h_pred)
        case "max":
            return max(h_true, h_pred)
        case "min":
            return min(h_true, h_pred)
        case "joint":
            return _entropy(table.counts)


def normalized_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    normalizer: Normalizer = "geometric",
    noise: NoisePolicy = "error",
) -> float:
    """Mutual information divided by a normaliser of the two entropies.

    Examples
    --------
    >>> from karat import normalized_mutual_information
    >>> normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    check_choice(normalizer, ("arithmetic", "geometric", "max", "min", "joint"), "normalizer")
    table = as_table(labels_true, labels_pred, noise=noise)
    if table.shape == (1, 1):
        return 1.0
    divisor = _normalize(table, normalizer)
    return min(_mutual_information(table) / divisor, 1.0) if divisor > 0 else 0.0


def adjusted_mutual_information(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    normalizer: Normalizer = "max",
    noise: NoisePolicy = "error",
) -> float:
    """Mutual information corrected for chance under the permutation model."""
    from sklearn.metrics.cluster import expected_mutual_information

    table = as_table(labels_true, labels_pred, noise=noise)
    if table.shape == (1, 1) or table.shape == (table.n, table.n):
        return 1.0
    expected = float(expected_mutual_information(table.to_array(), table.n))
    divisor = _normalize(table, normalizer) - expected
    return (_mutual_information(table) - expected) / divisor if divisor else 0.0


def variation_of_information(
    labels_true: Any, labels_pred: Any = None, *, noise: NoisePolicy = "error"
) -> float:
    """Information in either clustering that the other does not have, in nats."""
    table = as_table(labels_true, labels_pred, noise=noise)
    h = _entropy(table.row_sums) + _entropy(table.column_sums)
    return max(h - 2 * _mutual_information(table), 0.0)


def v_measure(
    labels_true: Any, labels_pred: Any = None, *, beta: float = 1.0, noise: NoisePolicy = "error"
) -> float:
    """Weighted harmonic mean of homogeneity and completeness."""
    table = as_table(labels_true, labels_pred, noise=noise)
    mi = _mutual_information(table)
    h_true, h_pred = _entropy(table.row_sums), _entropy(table.column_sums)
    h = mi / h_true if h_true else 1.0
    c = mi / h_pred if h_pred else 1.0
    return (1 + beta) * h * c / (beta * h + c) if h + c else 0.0


def purity(labels_true: Any, labels_pred: Any = None, *, noise: NoisePolicy = "error") -> float:
    """Share of the objects that belong to the most frequent class of their cluster."""
    table = as_table(labels_true, labels_pred, noise=noise)
    best = np.zeros(table.shape[1], dtype=np.int64)
    np.maximum.at(best, table.columns, table.counts)
    return float(best.sum() / table.n)


def adjusted_rand_index(
    labels_true: Any, labels_pred: Any = None, *, noise: NoisePolicy = "error"
) -> float:
    """Agreement on pairs of objects, corrected for chance."""
    table = as_table(labels_true, labels_pred, noise=noise)

    def pairs(counts: NDArray[np.int64]) -> int:
        return sum(c * (c - 1) // 2 for c in counts.tolist())

    together, true, pred = pairs(table.counts), pairs(table.row_sums), pairs(table.column_sums)
    total = table.n * (table.n - 1) // 2
    # (L - E) / (max - E) with every term multiplied by 2·total, in exact integers
    divisor = total * (true + pred) - 2 * true * pred
    return 2 * (total * together - true * pred) / divisor if divisor else 1.0


def _external(key: str, title: str, family: str, function: Any, **record: Any) -> None:
    defaults: dict[str, Any] = {
        "greater_is_better": True,
        "range": (0.0, 1.0),
        "optimum": 1.0,
        "cost": "O(n + cells)",
    }
    catalogue.add(
        Measure(
            key=key,
            title=title,
            kind="external",
            family=family,
            function=function,
            compute=function,
            **(defaults | record),
        )
    )


_external(
    "normalized_mutual_information",
    "Normalised mutual information",
    "information",
    normalized_mutual_information,
    source="whissell2012",
    equation="3.22",
)
_external(
    "adjusted_mutual_information",
    "Adjusted mutual information",
    "information",
    adjusted_mutual_information,
    range=(-1.0, 1.0),
    source="Vinh, Epps & Bailey 2010",
    equation="3.28",
    cost="O(n + cells + k·t·min(n_i, n_j))",
)
_external(
    "variation_of_information",
    "Variation of information",
    "information",
    variation_of_information,
    greater_is_better=False,
    range=(0.0, math.inf),
    optimum=0.0,
    source="whissell2012",
    equation="3.27",
)
_external(
    "v_measure", "V-measure", "information", v_measure, source="whissell2012", equation="3.29"
)
_external("purity", "Purity", "set matching", purity, source="manning2008", equation="182")
_external(
    "adjusted_rand_index",
    "Adjusted Rand index",
    "pair counting",
    adjusted_rand_index,
    range=(-0.5, 1.0),
    source="Hubert & Arabie 1985",
    equation="3.38",
)
