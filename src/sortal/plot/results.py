"""What figures and the report share: samples, trees, scatter over k, and tables of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings import cut_dendrogram
from sortal.plot import style
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from sortal.measures.internal.gap import GapResult
    from sortal.typing import Floats, Metric, RandomState, Rows

#: limit of cost: objects whose points, silhouettes or scatter are drawn
MOST_OBJECTS = 5_000
#: tuned by eye: cells with room for their counts
FEW_CELLS = 600
#: limit of cost: objects of a tree; more are sampled
MOST_IN_TREE = 2_000


def tree_figure(
    Z: Floats, k: int | None, names: Sequence[object], *, linkage: str, leaves: int = 40, n: int
) -> go.Figure:
    """The dendrogram of a linkage matrix of named objects, drawn from n, with the cut into k."""
    m = len(names)
    if leaves < 2:
        raise InputError(f"leaves must be at least 2; got {leaves}")
    if k is not None and not 1 <= k <= m:
        raise InputError(f"k must be between 1 and the {m:,} objects of the tree; got {k}")
    tree = tree_drawing(Z, k, [style.safe(name) for name in names], leaves)
    traces = []
    for cluster in dict.fromkeys(tree.clusters):
        links = np.array(tree.clusters) == cluster
        x, y = (np.pad(np.array(values)[links], ((0, 0), (0, 1)), constant_values=np.nan)
                for values in (tree.x, tree.y))  # fmt: skip
        colour = style.INK if cluster < 0 else style.color(cluster)
        traces.append({"type": "scatter", "mode": "lines", "x": x.ravel(), "y": y.ravel(),
                       "line": {"color": colour, "width": 1.6},
                       "hovertemplate": "height %{y:.4g}<extra></extra>"})  # fmt: skip
    figure = style.figure(
        traces,
        showlegend=False,
        xaxis={"tickvals": [5 + 10 * i for i in range(len(tree.leaves))],
               "ticktext": tree.leaves, "showgrid": False, "zeroline": False, "tickangle": -90},
        yaxis={"title": {"text": f"Height ({linkage})"}, "rangemode": "tozero"},
        height=460,
    )  # fmt: skip
    if k is not None and k > 1:
        figure.add_hline(
            tree.cut,
            line={"dash": "dash", "color": style.INK, "width": 1.2},
            annotation={"text": f"{k} clusters", "font": {"size": 12}},
            annotation_position="top left",
        )
    return with_note(figure, m, n)


@dataclass(frozen=True)
class TreeDrawing:
    """Where the links of a tree are, for whatever draws them.

    Attributes
    ----------
    x, y : list of list of float
        The four corners of each link.
    clusters : list of int
        The cluster of each link below the cut; -1 above it.
    leaves : list of str
        What stands under the branches, 10 apart from 5 on; "(12)" is of 12 objects.
    cut : float
        The height of the cut; NaN without one.
    """

    x: list[list[float]]
    y: list[list[float]]
    clusters: list[int]
    leaves: list[str]
    cut: float


def tree_drawing(Z: Floats, k: int | None, names: Sequence[str], leaves: int = 40) -> TreeDrawing:
    """The links of a linkage matrix of named objects, with the cut into k clusters."""
    from scipy.cluster.hierarchy import dendrogram as layout

    m, clusters = len(names), link_clusters(Z, k)
    links = layout(
        Z, p=leaves, truncate_mode="lastp", no_plot=True,
        link_color_func=lambda node: str(clusters[node]),
        leaf_label_func=lambda i: names[i] if i < m else f"({int(Z[i - m, 3])})",
    )  # fmt: skip
    return TreeDrawing(
        links["icoord"],
        links["dcoord"],
        list(map(int, links["color_list"])),
        links["ivl"],
        math.nan if k is None else float(np.mean(heights_of(Z, k))),
    )


def scatter_over_k(result: GapResult) -> pd.DataFrame:
    """Gaps by number of clusters, with the scatters whose logarithms they compare."""
    table = result.table
    return table.assign(within=np.exp(table["log_scatter"]), uniform=np.exp(table["expected"]))


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


def in_matching_order(counts: NDArray[Any]) -> list[int]:
    """Columns in the order of the rows that they match best, one to one; then the others."""
    from scipy.optimize import linear_sum_assignment

    matched = linear_sum_assignment(-counts)[1].tolist()
    return [*matched, *sorted({*range(counts.shape[1])} - {*matched})]


def texts_of(counts: NDArray[Any]) -> list[list[str]] | None:
    """What stands in the cells of a table of counts; None where there are too many of them."""
    if counts.size > FEW_CELLS:
        return None
    return [[f"{c:,}" if c else "·" for c in line] for line in counts.tolist()]


def draw_points(
    points: Rows, most: int, metric: Metric, random_state: RandomState
) -> tuple[Rows, NDArray[np.intp]]:
    """All points (or distances), or those of a random sample of many, and their positions."""
    rows = draw_rows(points.shape[0], most, random_state)
    if len(rows) == points.shape[0]:
        return points, rows
    precomputed = isinstance(metric, str) and metric == "precomputed"
    return (points[rows][:, rows] if precomputed else points[rows]), rows


def with_note(figure: go.Figure, n_drawn: int, n: int) -> go.Figure:
    """The figure, with a note where not all objects are in it."""
    figure.update_layout(meta={"drawn": n_drawn, "n": n})
    if n_drawn < n:
        note = f"of a random sample of {n_drawn:,} of the {n:,} objects"
        below = {"yref": "container", "y": 0, "yanchor": "bottom", "automargin": True}
        figure.update_layout(title={"text": note, "font": {"size": 12}, **below})
    return figure
