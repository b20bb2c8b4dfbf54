"""Share of each cluster that a classifier recognises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.plot import style

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from karat.measures.clarity import Clarity


def cluster_clarity(found: Clarity, clustering: str | int = 0) -> go.Figure:
    """Draw the share of each cluster's objects that is recognised.

    Parameters
    ----------
    found : Clarity
        From :func:`karat.measures.clarity.assess`.
    clustering : str or int
        Its name or number.

    Returns
    -------
    plotly.graph_objects.Figure
        A bar for each cluster: recognised, taken for the cluster that it is mostly taken for,
        and taken for others; the clearest on top.

    Raises
    ------
    InputError
        If no clustering has this name.

    Examples
    --------
    >>> import karat
    >>> from karat.measures.clarity import KNearestNeighbors, assess
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> near = KNearestNeighbors(3)
    >>> found = assess(X, [0, 0, 0, 0, 1, 1, 1, 1], classifiers=near)
    >>> karat.plot.cluster_clarity(found).data[0].x.tolist()
    [1.0, 1.0]
    """
    table = found.per_cluster(clustering).sort_values("recall", kind="stable")
    names = [style.safe(name) for name in table.index]
    taken = ["" if name is None else f"taken for {style.safe(name)}" for name in table["taken_for"]]
    rest = np.maximum(1 - table["recall"] - table["taken_for_share"], 0)
    parts = (
        ("recognised", table["recall"], style.COLORS[0], [""] * len(names)),
        ("taken for the next", table["taken_for_share"], style.COLORS[1], taken),
        ("taken for others", rest, style.NOISE_COLOR, [""] * len(names)),
    )
    return style.figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "name": part,
                "x": np.asarray(share, dtype=float),
                "y": np.array(names, dtype=object),
                "marker": {"color": colour},
                "hovertext": [
                    f"cluster {name}, {size:,} objects<br><b>{value:.1%}</b> {note or part}"
                    for name, size, value, note in zip(
                        names, table["size"], share, notes, strict=True
                    )
                ],
                "hoverinfo": "text",
            }
            for part, share, colour, notes in parts
        ],
        barmode="stack",
        xaxis={"title": {"text": "share of the cluster"}, "tickformat": ".0%", "range": [0, 1]},
        yaxis={"type": "category", "title": {"text": "cluster"}, "showgrid": False},
        height=int(np.clip(140 + 24 * len(names), 220, 1400)),
    )
