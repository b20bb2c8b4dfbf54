"""Which classes are in which clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.contingency import ContingencyTable
from karat.plot import style
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

FEW = 600  # cells with room for their counts
_MOST_CELLS = 250_000


def contingency(
    table: ContingencyTable, *, row_title: str = "Class", column_title: str = "Cluster"
) -> go.Figure:
    """Draw a contingency table: counts, shaded by their share of the cluster.

    Parameters
    ----------
    table : ContingencyTable
        Classes in rows, clusters in columns.
    row_title, column_title : str
        What the rows and columns are.

    Returns
    -------
    plotly.graph_objects.Figure
        The columns are ordered so that a good clustering has its large counts on the diagonal.

    Raises
    ------
    InputError
        If the table has more cells than can be seen (250,000).

    Examples
    --------
    >>> import karat
    >>> table = karat.ContingencyTable(["a", "a", "b"], [1, 1, 0])
    >>> karat.plot.contingency(table).data[0].x.tolist()
    ['1', '0']
    """
    if not isinstance(table, ContingencyTable):
        raise InputError(
            "contingency draws a ContingencyTable; make one of two arrays of labels with "
            "karat.ContingencyTable(labels_true, labels_pred)"
        )
    if table.shape[0] * table.shape[1] > _MOST_CELLS:
        raise InputError(
            f"a picture of {table.shape[0]:,} × {table.shape[1]:,} cells shows nothing; the most "
            f"is {_MOST_CELLS:,} cells"
        )
    row_title, column_title = style.safe(row_title), style.safe(column_title)
    counts = table.to_array()
    order = matched_columns(counts)
    counts = counts[:, order]
    rows = [style.safe(name) for name in table.row_names]
    columns = [style.safe(table.column_names[j]) for j in order]
    share = counts / counts.sum(axis=0)
    hover = [
        [
            f"{row_title} {rows[i]}, {column_title.lower()} {columns[j]}<br>"
            f"<b>{counts[i, j]:,} objects</b><br>"
            f"{style.percent(share[i, j])} of the {column_title.lower()}"
            for j in range(len(columns))
        ]
        for i in range(len(rows))
    ]
    few = counts.size <= FEW
    bar = f"share of the<br>{column_title.lower()}"
    return shaded_counts(
        share, rows, columns, hover, row_title, column_title,
        text=as_text(counts) if few else None,
        showscale=len(rows) > 4 or not few,
        colorbar=style.color_bar(bar, tickformat=".0%", dtick=0.25),
    )  # fmt: skip


def matched_columns(counts: NDArray[Any]) -> list[int]:
    """Columns in the order of the rows that they match best, one to one; then the others."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-counts)
    matched = [int(j) for _, j in sorted(zip(rows, columns, strict=True))]
    rest = [j for j in range(counts.shape[1]) if j not in set(matched)]
    return matched + rest


def as_text(counts: NDArray[Any]) -> list[list[str]]:
    """Counts as they stand in the cells."""
    return [[f"{c:,}" if c else "·" for c in line] for line in counts.tolist()]


def shaded_counts(
    share: NDArray[Any],
    rows: list[str],
    columns: list[str],
    hover: list[list[str]],
    row_title: str,
    column_title: str,
    **more: Any,
) -> go.Figure:
    """A table from the top down, each cell shaded by a share; ``more`` is of Plotly's heat map."""
    return style.heat_map(
        share,
        columns,
        rows,
        hovertext=hover,
        hoverinfo="text",
        xaxis={"title": {"text": column_title}},
        yaxis={"title": {"text": row_title}},
        height=int(np.clip(120 + 30 * len(rows), 240, 1400)),
        **more,
    )
