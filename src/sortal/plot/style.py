"""Style of every figure: colours for colour-blind readers, and escaped text."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.labelings.labels import NOISE
from sortal.runtime.extras import require
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from sortal.typing import Labels

# Okabe & Ito without black and yellow, which vanish on a dark and a light page
COLORS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7")
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "cross", "star", "hexagon", "bowtie")
NOISE_COLOR = "#8A8A8A"
INK = "#1d2126"
RULE = "#e3e3de"

# transparent in the middle, so that it lies well on a light and on a dark page; never so strong
# that text on it cannot be read
DIVERGING = (
    (0.0, "rgba(213,94,0,0.55)"),
    (0.5, "rgba(127,127,127,0)"),
    (1.0, "rgba(0,114,178,0.55)"),
)
SEQUENTIAL = ((0.0, "rgba(0,114,178,0)"), (1.0, "rgba(0,114,178,0.55)"))

_FONT_FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
_AXIS = {
    "gridcolor": RULE,
    "linecolor": RULE,
    "zerolinecolor": RULE,
    "automargin": True,
    "title": {"standoff": 8, "font": {"size": 13}},
    "ticks": "",
}
_LAYOUT: dict[str, Any] = {
    "font": {"family": _FONT_FAMILY, "size": 13, "color": INK},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "colorway": list(COLORS),
    "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
    "xaxis": _AXIS,
    "yaxis": _AXIS,
    "hovermode": "closest",
    "hoverlabel": {"font": {"family": _FONT_FAMILY, "size": 13}, "align": "left"},
    "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "itemwidth": 30},
    "title": {"x": 0, "xanchor": "left", "xref": "paper"},
    "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": NOISE_COLOR, "activecolor": COLORS[0]},
}


def figure(data: Iterable[object] = (), **layout: object) -> go.Figure:
    """A figure in sortal's style."""
    require("plotly", "a picture")
    import plotly.graph_objects as go

    template = go.layout.Template(layout=_LAYOUT)
    return go.Figure(data=list(data), layout={"template": template, **layout})


def color_bar(title: str, **more: object) -> dict[str, Any]:
    """A thin colour bar."""
    return {
        "title": {"text": title, "font": {"size": 12}},
        "tickfont": {"size": 12},
        "thickness": 10,
        "len": 0.8,
        "outlinewidth": 0,
        **more,
    }


def whole_numbers(title: str, low: float, high: float) -> dict[str, Any]:
    """An axis of whole numbers: a tick at each if they are few, never between two."""
    axis = {"title": {"text": title}, "tickformat": "d"}
    return axis | {"dtick": 1} if high - low <= 12 else axis


def heat_map(
    z: NDArray[np.floating[Any]],
    columns: Sequence[str] | None,
    rows: Sequence[str] | None,
    *,
    limits: tuple[float, float] = (0, 1),
    text: list[list[str]] | None = None,
    xaxis: Mapping[str, Any] = MappingProxyType({}),
    yaxis: Mapping[str, Any] = MappingProxyType({}),
    height: float,
    **cells: object,
) -> go.Figure:
    """A table of shaded cells from the top down; ``cells`` is of Plotly's heat map."""
    shaded = {
        "type": "heatmap",
        "z": np.round(z, 3),
        "x": None if columns is None else np.array(columns, dtype=object),
        "y": None if rows is None else np.array(rows, dtype=object),
        "zmin": limits[0],
        "zmax": limits[1],
        "colorscale": DIVERGING if limits[0] < 0 else SEQUENTIAL,
        "xgap": 1,
        "ygap": 1,
        "text": text,
        "texttemplate": None if text is None else "%{text}",
        "textfont": {"color": INK, "size": 12},
        **cells,
    }
    axis = {"type": "category", "showgrid": False}
    xaxis, yaxis = {**axis, **xaxis}, {**axis, "autorange": "reversed", **yaxis}
    return figure([shaded], xaxis=xaxis, yaxis=yaxis, height=height)


def ring(
    x: NDArray[Any] | list[Any], y: NDArray[Any] | list[Any], name: str = "", **more: object
) -> go.Scatter:
    """A ring around the chosen point."""
    require("plotly", "a picture")
    import plotly.graph_objects as go

    return go.Scatter(
        x=x, y=y, mode="markers", name=name, hoverinfo="skip", meta={"role": "chosen"},
        marker={"symbol": "circle-open", "size": 15, "color": INK,
                "line": {"width": 2, "color": INK}},
        **more,
    )  # fmt: skip


def color(i: int) -> str:
    """Colour of the i-th cluster or clusterer; outliers are grey."""
    return NOISE_COLOR if i == NOISE else COLORS[i % len(COLORS)]


def symbol(i: int) -> str:
    """Marker of the i-th cluster: changes each time the colours start again."""
    return "x-thin-open" if i == NOISE else SYMBOLS[i // len(COLORS) % len(SYMBOLS)]


def safe(value: object) -> str:
    """Text from the data, escaped: Plotly would read ``<b>`` or ``<a href=...>`` in it."""
    return html.escape(str(value), quote=False)


def number(value: float, digits: int = 4) -> str:
    """A number as text: some significant digits, thousands separated."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", "−")
    if abs(value) >= 10.0**digits:
        return f"{value:,.0f}".replace("-", "−")
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−")


def check_labels(labels: Labels, n: int | None = None) -> NDArray[np.int64]:
    """Labels as integers from -1; InputError for anything else."""
    codes = np.asarray(labels)
    if codes.ndim != 1 or len(codes) == 0 or codes.dtype.kind not in "iub":
        raise InputError(
            "labels must be one non-empty row of integers, -1 for outliers; use "
            "sortal.labelings.encode(labels).codes for other labels"
        )
    if n is not None and len(codes) != n:
        raise InputError(f"there are {len(codes)} labels, but {n} objects")
    codes = codes.astype(np.int64)
    if codes.min() < NOISE:
        raise InputError(f"labels must be at least -1; got {codes.min()}")
    return codes


def cluster_names(codes: NDArray[np.int64], names: Sequence[object] | None) -> dict[int, str]:
    """Name of each cluster that occurs, in the order of the numbers, outliers last."""
    present = [int(c) for c in np.unique(codes) if c != NOISE]
    if names is not None and present and len(names) <= present[-1]:
        raise InputError(
            f"names has {len(names)} entries, but cluster {present[-1]} occurs; give a name for "
            "each cluster"
        )
    name_of = {c: str(c if names is None else names[c]) for c in present}
    if (codes == NOISE).any():
        name_of[NOISE] = "outliers"
    return name_of
