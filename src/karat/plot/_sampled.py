"""Helpers of the pictures: a sample of many objects, and the table behind a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.runtime.draws import draw_rows
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from karat.runtime.types import Metric, RandomState, Rows


def draw_points(
    points: Rows, most: int, metric: Metric, random_state: RandomState
) -> tuple[Rows, NDArray[np.intp]]:
    """All points (or distances), or those of a random sample of many, and their positions."""
    rows = draw_rows(points.shape[0], most, random_state)
    if len(rows) == points.shape[0]:
        return points, rows
    precomputed = isinstance(metric, str) and metric == "precomputed"
    return (points[rows][:, rows] if precomputed else points[rows]), rows


def finished(figure: go.Figure, rows: pd.DataFrame, drawn: int, n: int) -> go.Figure:
    """The figure with its table, and with a note where not all objects are in it."""
    figure.update_layout(
        meta={"drawn": drawn, "n": n, "table": rows.reset_index().to_dict("records")}
    )
    if drawn < n:
        note = f"of a random sample of {drawn:,} of the {n:,} objects"
        below = {"yref": "container", "y": 0, "yanchor": "bottom", "automargin": True}
        figure.update_layout(title={"text": note, "font": {"size": 12}, **below})
    return figure


def table(figure: go.Figure) -> pd.DataFrame:
    """The table of the numbers that a figure shows.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        From :func:`silhouette`, :func:`dendrogram`, :func:`elbow`, :func:`consensus_matrix`,
        :func:`parallel_coordinates` or :func:`pairs`.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        For another figure.

    Examples
    --------
    >>> import karat
    >>> figure = karat.plot.silhouette([[0.0], [1.0], [9.0], [9.5]], [0, 0, 1, 1])
    >>> karat.plot.table(figure)[["objects", "below 0"]].to_numpy().tolist()
    [[2.0, 0.0], [2.0, 0.0]]
    """
    import pandas as pd

    meta = figure.layout.meta
    if not isinstance(meta, dict) or "table" not in meta:
        raise InputError(
            "this figure has no table of its own; it was drawn from the data that you gave"
        )
    return pd.DataFrame(meta["table"])
