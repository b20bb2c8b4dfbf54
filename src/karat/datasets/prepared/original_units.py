"""Features of a data set in their original units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from karat.datasets.prepared.dataset import Dataset
    from karat.runtime.types import Floats, Ints

#: significant digits that remain after a scaling is undone
SIGNIFICANT_DIGITS = 12


def original_units(data: Dataset, rows: Ints | None = None) -> Any:
    """Return the features in original units, dates as dates.

    Parameters
    ----------
    data : Dataset
    rows : ndarray of int, optional
        Positions of the objects; all by default.

    Returns
    -------
    DataFrame or csr_array
        Sparse where the data are.
    """
    import pandas as pd
    from scipy import sparse

    X: Any = data.X if rows is None or len(rows) == data.n_objects else data.X[rows]
    if not isinstance(X, np.ndarray):
        return X if data.scale is None else sparse.csr_array(X @ sparse.diags_array(data.scale))
    X = X.astype(np.float64)
    if data.scale is not None and data.center is not None:
        X = X * data.scale + data.center
        round_columns(X, SIGNIFICANT_DIGITS)
    table = pd.DataFrame(X, columns=list(data.feature_names))
    for column in () if data.plan is None else data.plan.columns:
        if column.kind == "date" and column.use == "feature" and column.name in table:
            table[column.name] = pd.to_datetime(table[column.name], unit="D")
    return table


def round_columns(X: Floats, digits: int) -> Floats:
    """Round the values to so many digits of the largest of their column, in place."""
    largest = np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
    for j, decimals in enumerate(digits - np.ceil(np.log10(largest)).astype(int)):
        X[:, j] = np.round(X[:, j], min(int(decimals), 300))
    return X
