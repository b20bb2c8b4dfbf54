"""How far measures agree on which clusterings are better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from karat.measures import catalogue
from karat.plot import style
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray


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
    there = ~np.isnan(values)
    ranks, defined = np.zeros((p, m), dtype=np.float32), there.astype(np.float32)
    for j in range(m):
        ranks[there[:, j], j] = np.unique(values[there[:, j], j], return_inverse=True)[1]
    agree, untied = np.zeros((m, m)), np.zeros((m, m))
    # products this small are slower with more threads, much slower on a busy machine
    with threadpool_limits(1, user_api="blas"):
        for i in range(p - 1):
            both = defined[i + 1 :] * defined[i]
            signs = np.sign(ranks[i + 1 :] - ranks[i]) * both
            agree += signs.T @ signs
            untied += np.abs(signs).T @ both
    scale = np.sqrt(untied * untied.T)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.clip(np.where(scale > 0, agree / scale, np.nan), -1, 1)


def agreement(tau: pd.DataFrame, *, symbol: str = "τ") -> go.Figure:
    """Draw the matrix of :func:`kendall_tau`, measures that agree side by side.

    Parameters
    ----------
    tau : DataFrame, shape (M, M)
        As from :func:`kendall_tau`, or another correlation.
    symbol : str
        What the correlation is called.

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
    ordered = [keys[i] for i in _side_by_side(tau.to_numpy(dtype=np.float64))]
    matrix = tau.loc[ordered, ordered]
    titles = [style.safe(_title(key)) for key in ordered]
    few = len(keys) <= 16
    values = matrix.to_numpy(dtype=np.float64).tolist()
    short = [t if len(t) <= 34 else t[:33] + "…" for t in titles]
    unique = [
        t if titles.count(t) == 1 else f"{t} ({k})" for t, k in zip(titles, ordered, strict=True)
    ]
    axis = {"tickvals": list(range(len(keys))), "ticktext": short, "zeroline": False}
    cell = 40 if few else max(13, min(24, 1400 // len(keys)))
    return style.heat_map(
        matrix,
        unique,
        unique,
        limits=(-1, 1),
        text=[[_two(v) for v in line] for line in values] if few else None,
        hovertemplate=f"%{{y}}<br>%{{x}}<br><b>{symbol} = %{{z:.2f}}</b><extra></extra>",
        colorbar=style.color_bar(symbol),
        xaxis={**axis, "tickangle": -40},
        yaxis=axis,
        height=180 + cell * len(keys),
    )


def _two(value: float) -> str:
    return "–" if value != value else f"{value:.2f}".replace("-", "−")


def _title(key: str) -> str:
    return catalogue[key].title if key in catalogue else key


def _side_by_side(tau: NDArray[np.float64]) -> list[int]:
    """An order in which neighbours agree: leaves of average linkage on 1 − τ."""
    from scipy.cluster.hierarchy import leaves_list

    from karat.measures.families import tree

    if len(tau) < 3:
        return list(range(len(tau)))
    return [int(i) for i in leaves_list(tree(tau))]
