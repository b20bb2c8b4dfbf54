"""A counterexample to read: its situations side by side, as text or as pictures."""

from __future__ import annotations

import itertools
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from karat_lab.axioms.cases import Situation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat_lab.axioms.search import Counterexample

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def as_text(found: Counterexample) -> str:
    """Two tables side by side, the value of the measure under each."""
    from karat_lab.axioms.search import PROPERTIES

    better = "greater" if found.greater_is_better else "lower"
    blocks = [
        [name, *_table(situation, found.case.situations[0]), "", f"{found.measure} = {value:.6g}"]
        for name, situation, value in zip(
            found.case.names, found.case.situations, found.values, strict=True
        )
    ]
    widths = [max(map(len, block)) for block in blocks]
    lines = [
        "    ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in zip_longest(*blocks, fillvalue="")
    ]
    facts = [f"{name}: {_short(value)}" for name, value in found.case.facts.items()]
    head = f"{PROPERTIES[found.property].name}: {found.measure} ({better} is better)"
    return "\n".join([head, *facts, "", *lines])


def cluster_name(code: int) -> str:
    """A, B, ..., then numbers."""
    return LETTERS[code] if 0 <= code < len(LETTERS) else str(code)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _table(situation: Situation, first: Situation) -> list[str]:
    """A row for each object; what differs from the first situation has a star."""
    labels = [cluster_name(int(code)) for code in situation.labels]
    if situation.data is None:
        return _contingency(situation)
    comparable = first.data is not None and first.data.shape == situation.data.shape
    rows = []
    for i, row in enumerate(situation.data):
        cells = []
        for j, value in enumerate(row):
            other = first.data[i, j] if comparable and first.data is not None else value
            cells.append(f"{value:.5g}" + ("*" if value != other else " "))
        rows.append(cells)
    width = max(len(cell) for row in rows for cell in row)
    return [
        f"{label} {' '.join(cell.rjust(width) for cell in row)}"
        for label, row in zip(labels, rows, strict=True)
    ]


def _counts(situation: Situation) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Names of the classes and the clusters, and how many objects each pair shares."""
    assert situation.truth is not None
    classes, rows = np.unique(situation.truth, return_inverse=True)
    clusters, columns = np.unique(situation.labels, return_inverse=True)
    table = np.zeros((len(classes), len(clusters)), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    return [str(c) for c in classes], [cluster_name(int(c)) for c in clusters], table


def _contingency(situation: Situation) -> list[str]:
    """A row for each class, a column for each cluster; an empty cell is a dot."""
    classes, clusters, table = _counts(situation)
    cells = [[str(count) if count else "." for count in row] for row in table.tolist()]
    width = max(map(len, [*clusters, *itertools.chain(*cells)]))
    left = max(map(len, classes))
    return [
        f"{name.rjust(left)} {' '.join(cell.rjust(width) for cell in row)}"
        for name, row in zip(["", *classes], [clusters, *cells], strict=True)
    ]


def as_figure(found: Counterexample) -> Any:
    """A panel for each situation: points, or a map of the distances, or the table of labels."""
    from karat.plot.style import color, figure, number, safe
    from karat_lab.axioms.search import PROPERTIES

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
    from karat.plot.style import SEQUENTIAL, number

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
    from karat.plot.style import SEQUENTIAL

    classes, clusters, table = _counts(situation)
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
