"""The pair sets index: a matching in which every cluster has the same vote, whatever its size."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.labelings.matching import heaviest_matching
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.external.table import as_table

__all__ = ["pair_sets_index"]


def pair_sets_index(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> float:
    """Pair sets index: the best matching of clusters with classes by shared share, less chance.

    Returns
    -------
    float
        From 0 to 1, greater is better; 0 for agreement below what sizes alone give.

    Notes
    -----
    (S − E)/(max(k, t) − E), where S is the greatest Σ n_ij/max(a_i, b_j) of a one-to-one matching
    and E = Σ_i a_i b_i/(n max(a_i, b_i)) over both lists of sizes in descending order. 1 where both
    sides have one cluster. Other packages differ: genieclust's ``pair_sets_index`` in about a third
    of random pairs of labelings, and ELKI, which pairs the *smallest* sizes with each other, where
    k ≠ t. O(n + min(k, t)² max(k, t)).

    Examples
    --------
    >>> from karat import pair_sets_index
    >>> round(pair_sets_index([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]), 6)
    0.5
    """
    table = as_table(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
    a, b = table.row_sums, table.column_sums
    most = max(table.shape)
    if most == 1:
        return 1.0
    shares = table.counts / np.maximum(a[table.rows], b[table.columns])
    matched = heaviest_matching(table.rows, table.columns, shares, table.shape)
    found = float(shares[matched[table.rows] == table.columns].sum())
    fewest = min(table.shape)
    largest = (np.sort(sizes)[::-1][:fewest].astype(np.float64) for sizes in (a, b))
    one, two = largest
    expected = float((one * two / np.maximum(one, two)).sum()) / table.n
    return max(0.0, min(1.0, (found - expected) / (most - expected)))


define(
    pair_sets_index,
    "Pair sets index",
    family="set matching",
    references=[Reference("rezaei2016")],
    cost="O(n + min(k, t)² max(k, t))",
    symmetric=True,
    structures={"soft"},
)
