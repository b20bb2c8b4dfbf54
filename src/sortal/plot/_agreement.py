"""Rank correlation of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sortal.measures import catalogue
from sortal.plot import style

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


def agreement(correlation: pd.DataFrame, *, symbol: str = "τ") -> go.Figure:
    """Draw rank correlations of measures, those that agree side by side.

    Parameters
    ----------
    correlation : DataFrame, shape (M, M)
        Keys of measures as index and columns; e.g. of scores that are all turned upwards,
        ``scores.corr("kendall")``.
    symbol : str
        What the correlation is called.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from sortal.plot import agreement
    >>> tau = pd.DataFrame({"silhouette": [1, 2], "purity": [2, 1]}).corr("kendall")
    >>> len(agreement(tau).data)
    1
    """
    from scipy.cluster.hierarchy import leaves_list

    from sortal.measures.measure_map import tree

    values = correlation.to_numpy(dtype=np.float64)
    m = len(values)
    order = leaves_list(tree(values)) if m > 2 else np.arange(m)
    values = values[np.ix_(order, order)]
    keys = list(map(str, correlation.index[order]))
    titles = [style.safe(catalogue[key].title if key in catalogue else key) for key in keys]
    unique = [
        t if titles.count(t) == 1 else f"{t} ({k})" for t, k in zip(titles, keys, strict=True)
    ]
    short = [t if len(t) <= 34 else t[:33] + "…" for t in titles]
    few = m <= 16
    axis = {"tickvals": list(range(m)), "ticktext": short, "zeroline": False}
    cell = 40 if few else max(13, min(24, 1400 // m))
    return style.heat_map(
        values,
        unique,
        unique,
        limits=(-1, 1),
        text=[[style.number(round(v, 2)) for v in line] for line in values] if few else None,
        hovertemplate=f"%{{y}}<br>%{{x}}<br><b>{symbol} = %{{z:.2f}}</b><extra></extra>",
        colorbar=style.color_bar(symbol),
        xaxis={**axis, "tickangle": -40},
        yaxis=axis,
        height=180 + cell * m,
    )
