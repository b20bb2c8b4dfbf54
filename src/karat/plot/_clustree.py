"""Clusters over resolutions: where the objects of each go when clusters become smaller."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NOISE, encode
from karat.plot import style
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: edges that hold a smaller part of the finer cluster are not drawn
LEAST_SHARE = 0.05
#: shares of the finer cluster from which on an edge is drawn stronger
_STRENGTHS = ((0.75, 0.7), (0.35, 0.4), (0.0, 0.18))
_MOST_CLUSTERS = 400


def nesting(labelings: Any) -> pd.Series[float]:
    """How nearly each clustering divides the clusters of the one before it.

    Parameters
    ----------
    labelings : mapping from names to labels (n,), or DataFrame
        From coarse to fine.

    Returns
    -------
    Series
        By the name of each clustering but the first: the share of the objects that come from the
        cluster of the one before that most of their own cluster comes from; 1 where no cluster
        has objects of two. Outliers of either are excluded.

    Raises
    ------
    InputError
        For fewer than two clusterings, or different numbers of objects.

    Examples
    --------
    >>> from karat.plot import nesting
    >>> nesting({"2": [0, 0, 1, 1], "3": [0, 0, 1, 2], "4": [0, 1, 1, 2]}).to_dict()
    {'3': 1.0, '4': 0.75}
    """
    import pandas as pd

    levels = _levels(labelings)
    names = list(levels)
    shares = {}
    for before, name in pairwise(names):
        counts = _counts(levels[before][0], levels[name][0])
        shares[name] = float(counts.max(axis=0).sum() / counts.sum()) if counts.sum() else 0.0
    return pd.Series(shares, dtype=np.float64)


def clustree(labelings: Any, *, title: str = "clusters") -> go.Figure:
    """Draw the clusters of a sweep, a row for each clustering, and where their objects go.

    Parameters
    ----------
    labelings : mapping from names to labels (n,), or DataFrame
        From coarse to fine: numbers of clusters upwards, or a resolution. Outliers are not drawn.
    title : str
        What the names of the rows are, e.g. ``"resolution"``.

    Returns
    -------
    plotly.graph_objects.Figure
        Circles are clusters, their area that of the objects. An edge is as strong as its share of
        the finer cluster: one strong edge to each means that the sweep only divides; a cluster
        with several weak ones is made of parts of others, and is not stable.

    Raises
    ------
    InputError
        For fewer than two clusterings, different numbers of objects, or more than 400 clusters.

    Notes
    -----
    After Zappia & Oshlack, *GigaScience* 7 (2018), giy083. Clusters stand in the order of where
    their objects come from.

    Examples
    --------
    >>> from karat.plot import clustree
    >>> figure = clustree({"2": [0, 0, 1, 1], "3": [0, 0, 1, 2]}, title="k")
    >>> [trace.mode for trace in figure.data]
    ['lines', 'markers+text']
    """
    levels = _levels(labelings)
    total = sum(len(names) for _, names in levels.values())
    if total > _MOST_CLUSTERS:
        raise InputError(
            f"a picture of {total:,} clusters shows nothing; draw fewer of the {len(levels)} "
            f"clusterings, with {_MOST_CLUSTERS} clusters at most"
        )
    n = len(next(iter(levels.values()))[0])
    places = _places(levels)
    names = list(levels)
    strokes: dict[float, list[tuple[tuple[float, float], tuple[float, float]]]] = {}
    for i, (before, after) in enumerate(pairwise(names)):
        counts = _counts(levels[before][0], levels[after][0])
        shares = counts / np.maximum(counts.sum(axis=0), 1)
        for a, b in np.argwhere(shares >= LEAST_SHARE):
            strength = next(s for least, s in _STRENGTHS if shares[a, b] >= least)
            ends = ((places[i][a], float(i)), (places[i + 1][b], float(i + 1)))
            strokes.setdefault(strength, []).append(ends)
    traces: list[dict[str, Any]] = []
    for strength in sorted(strokes):
        points = [p for start, end in strokes[strength] for p in (start, end, (None, None))]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [x for x, _ in points],
                "y": [y for _, y in points],
                "line": {"color": style.COLORS[0], "width": 1 + 4 * strength},
                "opacity": strength,
                "hoverinfo": "skip",
                "showlegend": False,
            }
        )
    traces.append(_circles(levels, places, n, title))
    return style.figure(
        traces,
        xaxis={"visible": False},
        yaxis={
            "title": {"text": style.safe(title)},
            "autorange": "reversed",
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": [style.safe(name) for name in names],
            "showgrid": False,
            "zeroline": False,
        },
        height=int(np.clip(90 + 62 * len(names), 240, 1600)),
        showlegend=False,
    )


def _circles(
    levels: dict[str, tuple[NDArray[np.int32], list[str]]], places: list[Floats], n: int, title: str
) -> dict[str, Any]:
    x, y, size, text, hover = [], [], [], [], []
    for i, (level, (codes, names)) in enumerate(levels.items()):
        sizes = np.bincount(codes[codes != NOISE], minlength=len(names))
        for c, name in enumerate(names):
            x.append(float(places[i][c]))
            y.append(float(i))
            size.append(10 + 40 * float(np.sqrt(sizes[c] / n)))
            text.append(style.safe(name) if len(name) <= 4 else "")
            hover.append(
                f"{style.safe(title)} {style.safe(level)}, cluster {style.safe(name)}<br>"
                f"<b>{sizes[c]:,} objects</b>, {style.percent(sizes[c] / n)}"
            )
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": x,
        "y": y,
        "text": text,
        "textfont": {"size": 11, "color": "white"},
        "hovertext": hover,
        "hoverinfo": "text",
        "marker": {
            "size": size,
            "color": style.COLORS[0],
            "line": {"width": 1.5, "color": "white"},
            "opacity": 1,
        },
        "showlegend": False,
    }


def _levels(labelings: Any) -> dict[str, tuple[NDArray[np.int32], list[str]]]:
    """Codes and names of the clusters of each clustering."""
    if not isinstance(labelings, Mapping) and not hasattr(labelings, "columns"):
        raise InputError(
            "labelings must be a mapping from names to labels, or a table with a column for each "
            "clustering, from coarse to fine"
        )
    named = {str(name): labelings[name] for name in labelings}
    if len(named) < 2:
        raise InputError(f"clusters are drawn over two clusterings or more; got {len(named)}")
    encoded = {name: encode(labels, name=f"labels {name!r}") for name, labels in named.items()}
    lengths = {len(one.codes) for one in encoded.values()}
    if len(lengths) > 1:
        raise InputError(
            f"the clusterings have different numbers of objects: {sorted(lengths)}; all must "
            "label the same ones"
        )
    return {name: (one.codes, [str(c) for c in one.names]) for name, one in encoded.items()}


def _counts(before: NDArray[np.int32], after: NDArray[np.int32]) -> NDArray[np.int64]:
    """Objects by their cluster before (rows) and after (columns)."""
    kept = (before != NOISE) & (after != NOISE)
    shape = (int(before.max()) + 1, int(after.max()) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (before[kept], after[kept]), 1)
    return counts


def _places(levels: dict[str, tuple[NDArray[np.int32], list[str]]]) -> list[Floats]:
    """Horizontal places: each cluster near those that its objects come from and go to."""
    all_codes = [codes for codes, _ in levels.values()]
    places = [_spread(np.arange(len(names), dtype=np.float64)) for _, names in levels.values()]
    for _ in range(4):
        for order in (range(1, len(places)), range(len(places) - 2, -1, -1)):
            for i in order:
                near = i - 1 if order.step > 0 else i + 1
                counts = _counts(all_codes[near], all_codes[i])
                totals = counts.sum(axis=0)
                mean = places[near] @ counts / np.maximum(totals, 1)
                places[i] = _spread(np.where(totals > 0, mean, places[i]))
    return places


def _spread(wanted: Floats) -> Floats:
    """Places in this order, evenly over the width."""
    rank = np.empty(len(wanted))
    rank[np.argsort(wanted, kind="stable")] = np.arange(len(wanted))
    return (rank + 0.5) / len(wanted)
