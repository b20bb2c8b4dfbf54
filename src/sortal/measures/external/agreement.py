"""Pairwise agreement of many clusterings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from sortal.labelings.contingency import tables_against
from sortal.labelings.labels import Encoded, NoisePolicy
from sortal.labelings.partitions import as_labelings
from sortal.measures.catalogue import catalogue
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare_labelings"]


def compare_labelings(
    labelings: object,
    measure: str = "adjusted_rand_index",
    *,
    noise: NoisePolicy = "error",
    on: Literal["both", "inner"] = "both",
) -> pd.DataFrame:
    """Pairwise agreement of many clusterings of the same objects.

    Parameters
    ----------
    labelings : array-like (M, n), mapping, DataFrame
        The clusterings, see :func:`sortal.labelings.as_labelings`. Series with a pandas index of
        ids are joined by these ids.
    measure : str
        Key of an external measure.
    noise : {"error", "cluster", "singletons", "drop"}
        What the label ``-1`` means; ``"drop"`` excludes outliers of either clustering from the
        comparison of two clusterings.
    on : {"both", "inner"}
        Whether all series must have the same objects, or those common to all are compared.

    Returns
    -------
    DataFrame, shape (M, M)
        Row: the clustering used as the gold standard; column: the judged clustering. NaN if two
        clusterings share no judged object.

    Notes
    -----
    O(M² n). Counting runs on all processors.

    Examples
    --------
    >>> from sortal import compare_labelings
    >>> compare_labelings({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0], "c": [0, 1, 0, 1]})
         a    b    c
    a  1.0  1.0 -0.5
    b  1.0  1.0 -0.5
    c -0.5 -0.5  1.0
    """
    import pandas as pd

    record = catalogue[measure]
    if record.kind != "external":
        raise InputError(
            f"{measure!r} judges data, not pairs of labelings; give the key of an external measure"
        )
    compute = record.compute or record.function
    batch = as_labelings(labelings, noise=noise, on=on)
    values = np.full((len(batch), len(batch)), np.nan)
    for i in range(len(batch)):
        labels_true = Encoded(batch.codes[i], batch.cluster_names[i])
        for j, table in enumerate(
            tables_against(labels_true, batch.select(range(i, len(batch)))), start=i
        ):
            if table is None:
                continue
            values[i, j] = compute(table)
            if record.symmetric:
                values[j, i] = values[i, j]
            elif j > i:
                values[j, i] = compute(table.transposed)
    return pd.DataFrame(values, index=list(batch.names), columns=list(batch.names))
