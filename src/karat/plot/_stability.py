"""What resampling says: stability over k beside the null, and who stays together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.plot import style

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from karat.stability import Assessment, StabilityCurve


def stability_by_k(curve: StabilityCurve) -> go.Figure:
    """Draw a stability against the number of clusters, beside data without clusters.

    Parameters
    ----------
    curve : StabilityCurve
        From any method of :mod:`karat.stability`.

    Returns
    -------
    plotly.graph_objects.Figure
        The data with twice its standard error; the null, where there is one, with twice the
        standard deviation of its data sets.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> curve = karat.stability.ben_hur(X, k=[2, 3], n_resamples=4)
    >>> len(karat.plot.stability_by_k(curve).data)
    1
    """
    table = curve.table
    lines = [("data", "value", "standard_error", style.COLORS[0])]
    if "null" in table:
        lines.append(("without clusters", "null", "null_error", style.NOISE_COLOR))
    return style.figure(
        [
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": name,
                "x": table.index.to_numpy(),
                "y": table[value].to_numpy(),
                "error_y": {"type": "data", "array": 2 * table[error].to_numpy(), "width": 3},
                "line": {"color": colour},
                "marker": {"color": colour},
                "hovertemplate": f"{name}, k = %{{x}}<br><b>%{{y:.3f}}</b><extra></extra>",
            }
            for name, value, error, colour in lines
        ],
        xaxis=style.whole_numbers("number of clusters", table.index.min(), table.index.max()),
        yaxis={"title": {"text": "stability"}},
        height=360,
    )


def consensus(found: Assessment) -> go.Figure:
    """Draw how often objects share a cluster, in the order of the dendrogram.

    Parameters
    ----------
    found : Assessment
        From :func:`karat.stability.assess`; up to 300 of its objects are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        Blocks are clusters that resamples agree on; grey between them is doubt.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> found = karat.stability.assess(X, k=[2], n_resamples=4, n_references=2)
    >>> karat.plot.consensus(found).data[0].z.shape
    (8, 8)
    """
    return consensus_map(found.consensus, found.shown)


def consensus_map(matrix: NDArray[np.floating[Any]], shown: NDArray[np.integer[Any]]) -> go.Figure:
    """A heat map of the consensus of some objects, in their order."""
    names = [f"object {row}" for row in shown]
    return style.figure(
        [
            {
                "type": "heatmap",
                "z": np.round(matrix, 3),
                "zmin": 0,
                "zmax": 1,
                "colorscale": style.SEQUENTIAL,
                "hovertext": [[f"{a}, {b}" for b in names] for a in names]
                if len(names) <= 100
                else None,
                "hovertemplate": "%{hovertext}<br><b>%{z:.0%}</b><extra></extra>"
                if len(names) <= 100
                else "<b>%{z:.0%}</b><extra></extra>",
                "colorbar": style.color_bar("share of the<br>resamples", tickformat=".0%"),
            }
        ],
        xaxis={"showticklabels": False, "showgrid": False},
        yaxis={"showticklabels": False, "showgrid": False, "autorange": "reversed"},
        height=520,
    )
