"""Samples of many objects that are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortal.runtime.draws import draw_rows

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from sortal.runtime.types import Metric, RandomState, Rows

#: limit of cost: objects whose points, silhouettes or scatter are drawn
MOST_OBJECTS = 5_000


def draw_points(
    points: Rows, most: int, metric: Metric, random_state: RandomState
) -> tuple[Rows, NDArray[np.intp]]:
    """All points (or distances), or those of a random sample of many, and their positions."""
    rows = draw_rows(points.shape[0], most, random_state)
    if len(rows) == points.shape[0]:
        return points, rows
    precomputed = isinstance(metric, str) and metric == "precomputed"
    return (points[rows][:, rows] if precomputed else points[rows]), rows


def with_note(figure: go.Figure, n_drawn: int, n: int) -> go.Figure:
    """The figure, with a note where not all objects are in it."""
    figure.update_layout(meta={"drawn": n_drawn, "n": n})
    if n_drawn < n:
        note = f"of a random sample of {n_drawn:,} of the {n:,} objects"
        below = {"yref": "container", "y": 0, "yanchor": "bottom", "automargin": True}
        figure.update_layout(title={"text": note, "font": {"size": 12}, **below})
    return figure
