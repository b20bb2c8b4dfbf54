"""Contingency tables of classes and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortal.labelings.contingency import ContingencyTable
from sortal.plot import style
from sortal.plot.results import in_matching_order, texts_of
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: limit of cost: cells that are drawn
_MOST_CELLS = 250_000


def contingency(table: ContingencyTable, *, row_title: str = "Class") -> go.Figure:
    """Draw a contingency table: counts, shaded by their share of the cluster.

    Parameters
    ----------
    table : ContingencyTable
        Classes in rows, clusters in columns.
    row_title : str
        What the rows are.

    Returns
    -------
    plotly.graph_objects.Figure
        The columns are ordered so that a good clustering has its large counts on the diagonal.

    Examples
    --------
    >>> import sortal
    >>> table = sortal.ContingencyTable(["a", "a", "b"], [1, 1, 0])
    >>> sortal.plot.contingency(table).data[0].x.tolist()
    ['1', '0']
    """
    if not isinstance(table, ContingencyTable):
        raise InputError(
            "contingency draws a ContingencyTable; make one of two arrays of labels with "
            "sortal.ContingencyTable(labels_true, labels_pred)"
        )
    if table.shape[0] * table.shape[1] > _MOST_CELLS:
        raise InputError(
            f"a picture of {table.shape[0]:,} × {table.shape[1]:,} cells shows nothing; the most "
            f"is {_MOST_CELLS:,} cells"
        )
    row_title = style.safe(row_title)
    counts = table.to_array()
    order = in_matching_order(counts)
    counts = counts[:, order]
    rows = [style.safe(name) for name in table.row_names]
    columns = [style.safe(table.column_names[j]) for j in order]
    share = counts / counts.sum(axis=0)
    hover = [
        [
            f"{row_title} {row}, cluster {column}<br><b>{counts[i, j]:,} objects</b><br>"
            f"{percent(share[i, j])} of the cluster"
            for j, column in enumerate(columns)
        ]
        for i, row in enumerate(rows)
    ]
    text = texts_of(counts)
    return style.heat_map(
        share,
        columns,
        rows,
        text=text,
        hovertext=hover,
        hoverinfo="text",
        showscale=len(rows) > 4 or text is None,
        colorbar=style.color_bar("share of the<br>cluster", tickformat=".0%", dtick=0.25),
        xaxis={"title": {"text": "Cluster"}},
        yaxis={"title": {"text": row_title}},
        height=int(np.clip(120 + 30 * len(rows), 240, 1400)),
    )
