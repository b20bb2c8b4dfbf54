"""Measures against the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures import catalogue
from karat.plot import style
from karat.runtime.validation import unknown_name

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


def measures_by_k(
    scores: pd.DataFrame,
    measure: Any,
    *,
    chosen: str | None = None,
) -> go.Figure:
    """Draw a measure against the number of clusters, a line for each clusterer; up is better.

    Parameters
    ----------
    scores : DataFrame
        As from ``Study.scores()``: columns ``clusterer``, ``k``, ``n_clusters`` and the measures.
    measure : str or Measure
        A column: a key of the catalogue, or a record with ``key``, ``title``, ``sign`` and
        ``greater_is_better``. The axis is turned where lower is better.
    chosen : str, optional
        A candidate to mark.

    Returns
    -------
    plotly.graph_objects.Figure
        A line joins the best start of each number of clusters; dots are all the starts.
        Clusterers that were not asked for a number of clusters have dots only.

    Raises
    ------
    InputError
        For a measure that ``scores`` has no values of.

    Examples
    --------
    >>> import pandas as pd
    >>> from karat.plot import measures_by_k
    >>> scores = pd.DataFrame(
    ...     {"clusterer": "kmeans", "k": [2, 3], "n_clusters": [2, 3], "silhouette": [0.6, 0.5]},
    ...     index=["kmeans k=2", "kmeans k=3"],
    ... )
    >>> measures_by_k(scores, "silhouette").layout.yaxis.title.text
    'Silhouette'
    """
    if isinstance(measure, str):
        measure = catalogue[measure]
    if measure.key not in scores or not scores[measure.key].notna().any():
        have = [c for c in scores.columns if c in catalogue and scores[c].notna().any()]
        raise unknown_name(measure.key, have, "measure with values in these scores")
    low, high, beyond = span(scores, chosen)
    ends = [low - 0.03 * (high - low) - 0.2, high + 0.03 * (high - low) + 0.2]
    title = "Number of clusters"
    if beyond:
        most = int(scores["n_clusters"].max())
        title += f" ({beyond} more, with up to {most}, are not shown)"
    return style.figure(
        _traces(scores, scores[measure.key], measure.sign, chosen),
        xaxis=style.whole_numbers(title, low, high) | ({"range": ends} if beyond else {}),
        yaxis={
            "title": {"text": style.safe(measure.title)},
            "autorange": True if measure.greater_is_better else "reversed",
        },
        height=420,
    )


def span(scores: pd.DataFrame, chosen: str | None) -> tuple[int, int, int]:
    """Smallest and largest number of clusters to draw, and how many clusterings have more.

    A clusterer that finds the number itself may find ten times what the others were asked for;
    it must not squeeze them.
    """
    counts = scores["n_clusters"].dropna().astype(int)
    if counts.empty:
        return 0, 1, 0
    requested = counts[scores.loc[counts.index, "k"].notna() | (counts.index == chosen)]
    low, high = int(counts.min()), int(counts.max())
    if len(requested) and high > 2 * requested.max():
        high = int(requested.max())
    return low, high, int((counts > high).sum())


def _traces(
    scores: pd.DataFrame, values: pd.Series[Any], sign: int, chosen: str | None
) -> list[Any]:
    """Lines and dots of each clusterer, and a ring around the chosen candidate."""
    table = scores.assign(_y=values.astype(float)).dropna(subset=["_y", "n_clusters"])
    table = table[np.isfinite(table["_y"])]
    traces: list[Any] = []
    for i, clusterer in enumerate(dict.fromkeys(scores["clusterer"])):
        candidates = table[table["clusterer"] == clusterer]
        swept = candidates[candidates["k"].notna()]
        line = None
        if len(swept):
            best = (sign * swept["_y"]).groupby(swept["n_clusters"].astype(int)).idxmax()
            line = swept.loc[best, "n_clusters"], swept.loc[best, "_y"]
        hover = [
            f"{style.safe(name)}<br>{row['n_clusters']:.0f} clusters<br><b>{row['_y']:.4g}</b>"
            for name, row in candidates[["n_clusters", "_y"]].astype(float).iterrows()
        ]
        traces += style.curve(
            i, clusterer, line, (candidates["n_clusters"], candidates["_y"]), hover
        )
    marked = table[table.index == chosen]
    x, y = marked["n_clusters"].astype(int).to_numpy(), marked["_y"].to_numpy()
    shown = chosen is not None
    return [*traces, style.ring(x, y, "chosen", legendgroup="chosen", showlegend=shown)]
