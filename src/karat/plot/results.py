"""Figures of trees of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from karat.labelings import cut_dendrogram
from karat.plot import style
from karat.plot._sampled import with_note
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from karat.runtime.types import Floats

#: objects of a tree; more are sampled
MOST_IN_TREE = 2_000


def tree_figure(
    Z: Floats, k: int | None, names: Sequence[object], *, linkage: str, leaves: int = 40, n: int
) -> go.Figure:
    """The dendrogram of a linkage matrix of named objects, drawn from n, with the cut into k."""
    from scipy.cluster.hierarchy import dendrogram as layout

    m = len(names)
    if leaves < 2:
        raise InputError(f"leaves must be at least 2; got {leaves}")
    if k is not None and not 1 <= k <= m:
        raise InputError(f"k must be between 1 and the {m:,} objects of the tree; got {k}")
    drawn = layout(
        Z,
        p=leaves,
        truncate_mode="lastp",
        no_plot=True,
        link_color_func=_colours(Z, k).__getitem__,
        leaf_label_func=lambda i: style.safe(names[i]) if i < m else f"({int(Z[i - m, 3])})",
    )
    traces = []
    for colour in dict.fromkeys(drawn["color_list"]):
        links = np.array([link == colour for link in drawn["color_list"]])
        x, y = (np.pad(np.array(drawn[key])[links], ((0, 0), (0, 1)), constant_values=np.nan)
                for key in ("icoord", "dcoord"))  # fmt: skip
        traces.append({"type": "scatter", "mode": "lines", "x": x.ravel(), "y": y.ravel(),
                       "line": {"color": colour, "width": 1.6},
                       "hovertemplate": "height %{y:.4g}<extra></extra>"})  # fmt: skip
    figure = style.figure(
        traces,
        showlegend=False,
        xaxis={"tickvals": [5 + 10 * i for i in range(len(drawn["ivl"]))],
               "ticktext": drawn["ivl"], "showgrid": False, "zeroline": False, "tickangle": -90},
        yaxis={"title": {"text": f"Height ({linkage})"}, "rangemode": "tozero"},
        height=460,
    )  # fmt: skip
    if k is not None and k > 1:
        figure.add_hline(
            float(np.mean(heights_of(Z, k))),
            line={"dash": "dash", "color": style.INK, "width": 1.2},
            annotation={"text": f"{k} clusters", "font": {"size": 12}},
            annotation_position="top left",
        )
    return with_note(figure, m, n)


def heights_of(Z: Floats, k: int) -> tuple[float, float]:
    """The heights between which a tree is cut into k clusters; NaN above its root."""
    heights, m = np.append(np.insert(Z[:, 2], 0, 0.0), np.nan), len(Z) + 1
    return float(heights[m - k]), float(heights[m + 1 - k])


def link_clusters(Z: Floats, k: int | None) -> list[int]:
    """The cluster of each node of a tree below the cut into k; -1 above it."""
    n = len(Z) + 1
    if k is None:
        return [-1] * (2 * n - 1)
    first = np.arange(2 * n - 1)
    for i, (left, _) in enumerate(Z[:, :2].astype(int)):
        first[n + i] = first[left]
    labels = cut_dendrogram(Z, n_clusters=k)
    cut = n + (n - k)  # nodes from here on are merges of clusters
    return [int(labels[first[i]]) if i < cut else -1 for i in range(2 * n - 1)]


def _colours(Z: Floats, k: int | None) -> list[str]:
    """Colour of the link of each node: that of its cluster below the cut."""
    return [style.INK if cluster < 0 else style.color(cluster) for cluster in link_clusters(Z, k)]
