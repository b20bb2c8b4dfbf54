"""One clustering seen from the other, row by row of their contingency table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from karat.contingency import ContingencyTable


def view(table: ContingencyTable, words: dict[str, str]) -> pd.DataFrame:
    """Each row's largest cell, entropy and match; ``words`` name what they are called."""
    import pandas as pd

    sizes = table.row_sums
    # cells are in row-major order: the first of the largest ones of each row
    order = np.lexsort((table.columns, -table.counts, table.rows))
    first = order[np.unique(table.rows[order], return_index=True)[1]]
    share = table.counts / sizes[table.rows]
    entropy = np.bincount(table.rows, weights=-share * np.log(share), minlength=len(sizes))
    scale = np.log(table.shape[1]) if table.shape[1] > 1 else 1.0
    matched = table.matching()
    has = matched >= 0
    in_common = np.zeros(len(sizes))
    cell = {(r, c): i for i, (r, c) in enumerate(zip(table.rows, table.columns, strict=True))}
    in_common[has] = [table.counts[cell[r, matched[r]]] for r in np.flatnonzero(has)]
    of_row = in_common / sizes
    of_match = np.divide(in_common, table.column_sums[matched], where=has, out=np.zeros(len(sizes)))
    other_share = "recall" if words["matched"] == "precision" else "precision"
    partner = np.array([table.column_names[m] if m >= 0 else None for m in matched], dtype=object)
    # names keep their type: pandas would make text columns of them, and NaN of None
    index = pd.Index(table.row_names, tupleize_cols=False)
    columns: dict[str, Any] = {
        "size": sizes,
        words["other"]: pd.Series(table.column_names[table.columns[first]], index, dtype=object),
        words["share"]: share[first],
        "entropy": np.maximum(entropy, 0.0) / scale,
        f"matched_{words['other']}": pd.Series(partner, index, dtype=object),
        words["matched"]: of_row,
        other_share: of_match,
        "f1": 2 * in_common / (sizes + np.where(has, table.column_sums[matched], 0)),
    }
    return pd.DataFrame(columns, index=index)
