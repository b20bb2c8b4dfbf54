"""How far measures agree on which clusterings are better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.measures import catalogue
from karat.plot import _style
from karat.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

_BLOCK_CELLS = 4_000_000


def kendall_tau(scores: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ-b of each two measures over the clusterings, every measure turned upwards.

    Parameters
    ----------
    scores : DataFrame, shape (P, ...)
        A row per clustering. Columns that are keys of the catalogue are used.

    Returns
    -------
    DataFrame, shape (M, M)
        From -1 (opposite orders) to 1 (the same order), from the pairs of clusterings for which
        both measures are defined; NaN where one of the two tells none of these apart.

    Raises
    ------
    InputError
        If no column is a measure.

    Notes
    -----
    With ``s_ab`` the sign of the difference between clusterings a and b, τ-b is
    Σ s·t / √(Σ s² · Σ t²) (Kendall 1945). All measures together: two matrix products over the
    pairs, O(P² M²), nothing of size P² is held.

    Examples
    --------
    >>> import pandas as pd
    >>> from karat.plot import kendall_tau
    >>> scores = pd.DataFrame({"silhouette": [0.1, 0.2, 0.3],
    ...                        "davies_bouldin_index": [3.0, 1.0, 2.0]})
    >>> kendall_tau(scores).round(3)
                          silhouette  davies_bouldin_index
    silhouette                 1.000                 0.333
    davies_bouldin_index       0.333                 1.000
    """
    import pandas as pd

    keys = [column for column in scores.columns if column in catalogue]
    if not keys:
        raise InputError(
            "scores has no column that is the key of a measure; see karat.measures.catalogue"
        )
    signs = np.array([catalogue[key].sign for key in keys], dtype=np.float64)
    values = scores[keys].to_numpy(dtype=np.float64) * signs
    return pd.DataFrame(_tau_b(values), index=keys, columns=keys)


def _tau_b(values: NDArray[np.float64]) -> NDArray[np.float64]:
    p, m = values.shape
    agree, untied = np.zeros((m, m)), np.zeros((m, m))
    rows = max(1, _BLOCK_CELLS // max(p * m, 1))
    for start in range(0, p - 1, rows):
        a = values[start : start + rows, None, :]
        b = values[None, start + 1 :, :]
        with np.errstate(invalid="ignore"):
            s = ((a > b).astype(np.float32) - (a < b)).reshape(-1, m)
        defined = (~(np.isnan(a) | np.isnan(b))).reshape(-1, m).astype(np.float32)
        # each pair once: only those where b comes after a
        later = np.arange(start + 1, p)[None, :] > np.arange(start, start + a.shape[0])[:, None]
        s, defined = s[later.ravel()], defined[later.ravel()]
        agree += s.T @ s
        untied += np.abs(s).T @ defined
    scale = np.sqrt(untied * untied.T)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.clip(np.where(scale > 0, agree / scale, np.nan), -1, 1)


def agreement(tau: pd.DataFrame) -> go.Figure:
    """Draw the matrix of :func:`kendall_tau`, measures that agree side by side.

    Parameters
    ----------
    tau : DataFrame, shape (M, M)
        As from :func:`kendall_tau`.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> import pandas as pd
    >>> from karat.plot import agreement, kendall_tau
    >>> tau = kendall_tau(pd.DataFrame({"silhouette": [1, 2], "purity": [2, 1]}))
    >>> len(agreement(tau).data)
    1
    """
    keys = list(tau.index)
    ordered = [keys[i] for i in side_by_side(tau.to_numpy(dtype=np.float64))]
    matrix = tau.loc[ordered, ordered]
    titles = [_style.safe(_title(key)) for key in ordered]
    few = len(keys) <= 16
    hover = [
        [
            f"{row}<br>{column}<br><b>τ = {_two(v)}</b>"
            for column, v in zip(titles, line, strict=True)
        ]
        for row, line in zip(titles, matrix.to_numpy(), strict=True)
    ]
    short = [t if len(t) <= 34 else t[:33] + "…" for t in titles]
    positions = list(range(len(keys)))
    axis = {"tickvals": positions, "ticktext": short, "showgrid": False, "zeroline": False}
    cell = 40 if few else max(13, min(24, 1400 // len(keys)))
    return _style.figure(
        [
            {
                "type": "heatmap",
                "z": np.round(matrix.to_numpy(), 3),
                "x": positions,
                "y": positions,
                "zmin": -1,
                "zmax": 1,
                "colorscale": _style.DIVERGING,
                "xgap": 1,
                "ygap": 1,
                "hovertext": hover,
                "hoverinfo": "text",
                "text": [[_two(v) for v in line] for line in matrix.to_numpy().tolist()],
                "texttemplate": "%{text}" if few else "",
                "textfont": {"color": _style.INK, "size": 12},
                "colorbar": _style.color_bar("τ"),
            }
        ],
        xaxis={**axis, "tickangle": -40},
        yaxis={**axis, "autorange": "reversed"},
        height=180 + cell * len(keys),
    )


def _two(value: float) -> str:
    return "–" if value != value else f"{value:.2f}".replace("-", "−")


def _title(key: str) -> str:
    return catalogue[key].title if key in catalogue else key


def side_by_side(tau: NDArray[np.float64]) -> list[int]:
    """An order in which neighbours agree: leaves of average linkage on 1 − τ."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(tau) < 3:
        return list(range(len(tau)))
    apart = 1 - np.nan_to_num(tau, nan=0.0)
    apart = (apart + apart.T) / 2
    np.fill_diagonal(apart, 0)
    pairs = squareform(apart, checks=False)
    return [int(i) for i in leaves_list(linkage(pairs, "average", optimal_ordering=True))]
