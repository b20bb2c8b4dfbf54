"""A counterexample as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.measures.properties import Situation, cluster_name, contingency
from karat.plot.style import SEQUENTIAL, color, figure, number, safe
from karat_lab.axioms.search import PROPERTIES

if TYPE_CHECKING:
    from karat.measures.properties import Counterexample


def as_figure(found: Counterexample) -> Any:
    """A panel for each situation: points, or a map of the distances, or the table of labels."""
    fig = figure()
    cases = found.case.situations
    annotations: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    share = 1 / len(cases)
    for p, (name, situation) in enumerate(zip(found.case.names, cases, strict=True)):
        axis = "" if p == 0 else str(p + 1)
        domain = [p * share + 0.02, (p + 1) * share - 0.04]
        layout[f"xaxis{axis}"] = {"domain": domain, "anchor": f"y{axis}", "showgrid": False}
        layout[f"yaxis{axis}"] = {"anchor": f"x{axis}", "showgrid": False}
        axes = {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
        if situation.data is None:
            _labels_panel(fig, situation, axes)
        elif situation.metric == "euclidean" and situation.data.shape[1] <= 2:
            points = situation.data
            heights = points[:, 1] if points.shape[1] == 2 else np.zeros(len(points))
            marks = {"color": [color(int(c)) for c in situation.labels], "size": 14}
            texts = [cluster_name(int(c)) for c in situation.labels]
            fig.add_scatter(
                x=points[:, 0],
                y=heights,
                mode="markers+text",
                marker=marks,
                text=texts,
                textposition="top center",
                showlegend=False,
                **axes,
            )
        else:
            _distances_panel(fig, situation, axes)
            layout[f"yaxis{axis}"]["autorange"] = "reversed"
        annotations.append(
            {
                "text": f"{safe(name)}: {number(found.values[p])}",
                "x": domain[0],
                "y": 1.04,
                "xref": "paper",
                "yref": "paper",
                "showarrow": False,
                "xanchor": "left",
                "yanchor": "bottom",
            }
        )
    better = "greater" if found.greater_is_better else "lower"
    title = f"{PROPERTIES[found.property].name}: {found.measure} ({better} is better)"
    fig.update_layout(
        title={"text": safe(title), "y": 0.97, "yanchor": "top"},
        margin={"t": 80},
        annotations=annotations,
        **layout,
    )
    return fig


def _distances_panel(fig: Any, situation: Situation, axes: dict[str, str]) -> None:
    distances = situation.distances
    names = [f"{cluster_name(int(c))}<sub>{i + 1}</sub>" for i, c in enumerate(situation.labels)]
    fig.add_heatmap(
        z=distances,
        x=names,
        y=names,
        text=[[number(value) for value in row] for row in distances],
        texttemplate="%{text}",
        colorscale=[list(stop) for stop in SEQUENTIAL],
        showscale=False,
        **axes,
    )


def _labels_panel(fig: Any, situation: Situation, axes: dict[str, str]) -> None:
    classes, clusters, table = contingency(situation)
    fig.add_heatmap(
        z=table,
        x=[f"cluster {c}" for c in clusters],
        y=[f"class {c}" for c in classes],
        text=table.astype(str).tolist(),
        texttemplate="%{text}",
        colorscale=[list(stop) for stop in SEQUENTIAL],
        showscale=False,
        **axes,
    )
