"""The measures as points, near where they order clusterings alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures import catalogue
from karat.plot import style

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from karat.measures.measure_map import MeasureMap


def measure_map(found: MeasureMap) -> go.Figure:
    """Draw a map of measures: near each other where they order clusterings alike.

    Parameters
    ----------
    found : MeasureMap

    Returns
    -------
    plotly.graph_objects.Figure

    Notes
    -----
    Principal coordinates of the distances √(2 − 2ρ), which are Euclidean for correlations
    (Gower 1966). Measures that compare numbers of clusters have the colour of their family.

    Examples
    --------
    >>> import karat
    >>> figure = karat.plot.measure_map(karat.measures.measure_map.load_map())
    >>> figure.layout.yaxis.scaleanchor
    'x'
    """
    at, shares = principal_coordinates(found.rho.to_numpy(dtype=np.float64))
    families = found.families(found.together.index)
    position = {key: i for i, key in enumerate(found.keys)}
    home = {key for members in families.values() for key in members}
    groups: list[tuple[str, list[str], Any]] = [
        (name, members, {"color": style.color(i), "symbol": style.symbol(i)})
        for i, (name, members) in enumerate(families.items())
    ]
    rest = [key for key in found.keys if key not in home]
    groups.append(("improve with k, no vote", rest, {"color": style.NOISE_COLOR, "symbol": "x"}))
    traces = []
    for name, members, marker in groups:
        rows = [position[key] for key in members]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": style.safe(name),
                "x": at[rows, 0].round(3),
                "y": at[rows, 1].round(3),
                "marker": {**marker, "size": 10},
                "text": [style.safe(f"{catalogue[key].title} ({key})") for key in members],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    titles = [f"{style.percent(share)} of the variance" for share in shares]
    return style.figure(
        traces,
        xaxis={"title": {"text": titles[0]}, "zeroline": False},
        yaxis={"title": {"text": titles[1]}, "zeroline": False, "scaleanchor": "x"},
        legend={"orientation": "v", "x": 1.02, "y": 1, "yanchor": "top"},
        height=560,
    )


def principal_coordinates(
    correlation: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two coordinates (K, 2) of the distances √(2 − 2ρ), and their shares of the variance."""
    inner = correlation - correlation.mean(axis=0)
    inner = inner - inner.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    top = np.argsort(-values)[:2]
    signs = np.sign(vectors[np.abs(vectors[:, top]).argmax(axis=0), top])
    at = vectors[:, top] * signs * np.sqrt(np.maximum(values[top], 0))
    return at, values[top] / np.maximum(values, 0).sum()
