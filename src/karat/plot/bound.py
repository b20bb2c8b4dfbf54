"""The PAC-MDL bound against the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.plot import style
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from karat.bounds import Guarantee, PacMdlBounds

_NEEDED = ("n_clusters", "labelled", "errors", "bits", "bound_rate", "constant_error_rate")


def bound_by_k(
    bounds: Guarantee | PacMdlBounds | pd.DataFrame, *, chosen: str | None = None
) -> go.Figure:
    """Draw the guaranteed error rate against the number of clusters; lower is better.

    Parameters
    ----------
    bounds : Guarantee, PacMdlBounds or DataFrame
        From :func:`karat.guarantee` or :func:`karat.pac_mdl_bound` with many clusterings, or their
        table; with a column ``clusterer`` each has a line.
    chosen : str, optional
        A clustering to mark; by default the one with the lowest bound.

    Returns
    -------
    plotly.graph_objects.Figure
        A line joins the lowest bounds of a clusterer for each number of clusters, dots are all
        its clusterings; a dashed line is the bound of always guessing the largest class.

    Raises
    ------
    InputError
        If the table has not the columns of a table of bounds, or no row.

    Examples
    --------
    >>> import karat
    >>> from karat.plot.bound import bound_by_k
    >>> found = karat.pac_mdl_bound({"a": [0, 0, 1, 1], "b": [0, 1, 2, 2]}, ["x", None, "y", None])
    >>> bound_by_k(found).layout.yaxis.title.text
    'Guaranteed maximum error'
    """
    table: Any = getattr(bounds, "table", bounds)
    missing = [column for column in _NEEDED if column not in getattr(table, "columns", ())]
    if missing:
        raise InputError(
            f"a table of bounds is wanted, which has a column {missing[0]!r}; karat.guarantee and "
            "karat.pac_mdl_bound give one"
        )
    if len(table) == 0:
        raise InputError("the table of bounds has no row")
    if "clusterer" not in table:
        table = table.assign(clusterer="clusterings")
    marked = table[table.index == (table["bound_rate"].idxmin() if chosen is None else chosen)]
    at, rate = marked["n_clusters"].to_numpy(), marked["bound_rate"].to_numpy()
    ring = style.ring(at, rate, "lowest bound" if chosen is None else "chosen")
    return bounds_figure(table, ring)


def bounds_figure(table: pd.DataFrame, ring: go.Scatter) -> go.Figure:
    """Curves of a table of bounds by clusterer, and a ring around the chosen clustering."""
    traces: list[Any] = []
    for i, group in enumerate(dict.fromkeys(table["clusterer"])):
        traces += _clusterer(table[table["clusterer"] == group], str(group), i)
    ends = [int(table["n_clusters"].min()), int(table["n_clusters"].max())]
    traces.append(_level(ends, float(table["constant_error_rate"].median())))
    return style.figure(
        [*traces, ring],
        xaxis=style.whole_numbers("Number of clusters", *ends),
        yaxis={
            "title": {"text": "Guaranteed maximum error"},
            "tickformat": ".0%",
            "rangemode": "tozero",
        },
        height=420,
    )


def _clusterer(candidates: pd.DataFrame, name: str, i: int) -> list[Any]:
    """Line and dots of one clusterer."""
    from karat.bounds import percent_up

    k = candidates["n_clusters"].astype(int)
    lowest = candidates.loc[candidates.groupby(k)["bound_rate"].idxmin()].sort_values("n_clusters")
    hover = [
        f"{row['n_clusters']:.0f} clusters: {style.safe(label)}<br>{row['errors']:,.0f} errors on "
        f"{row['labelled']:,.0f} labels, {row['bits']:.1f} bits<br>"
        f"<b>at most {percent_up(row['bound_rate'])}</b>"
        for label, row in candidates.iterrows()
    ]
    line = lowest["n_clusters"], lowest["bound_rate"]
    return style.curve(i, name, line, (k, candidates["bound_rate"]), hover)


def _level(ends: list[int], rate: float) -> Any:
    """The level of always guessing the largest class."""
    import plotly.graph_objects as go

    from karat.bounds import percent_up

    return go.Scatter(
        x=ends,
        y=[rate, rate],
        mode="lines+markers" if ends[0] == ends[1] else "lines",
        line={"color": style.NOISE_COLOR, "dash": "dash", "width": 1.5},
        name="always the largest class",
        hovertemplate=f"always the largest class: {percent_up(rate)}<extra></extra>",
        meta={"role": "level"},
    )
