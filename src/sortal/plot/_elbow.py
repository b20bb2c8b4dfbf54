"""The elbow: scatter within clusters over their number, beside that of uniform data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sortal.measures import gap_statistic
from sortal.plot import style
from sortal.plot.results import MOST_OBJECTS, draw_points, scatter_over_k, with_note
from sortal.runtime.validation import check_data

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from sortal.typing import ArrayLike, RandomState


def elbow(
    X: ArrayLike,
    k: Iterable[int] = range(1, 11),
    *,
    n_references: int = 20,
    random_state: RandomState = 0,
) -> go.Figure:
    """Draw the within-cluster sum of squares and the gap statistic over the number of clusters.

    Parameters
    ----------
    X : array-like, shape (n, d)
    k : iterable of int
        Numbers of clusters.
    n_references : int, default 20
        Uniform data sets that the gap compares with.
    random_state : int, Generator or None, default 0
        For more than 5,000 objects both are those of a random sample.

    Returns
    -------
    plotly.graph_objects.Figure
        Left the within-cluster sum of squares of k-means, and that expected of uniform data,
        whose elbow is none; right the gap between their logarithms with its standard error. The
        ring is the first gap within one standard error of the next.

    Notes
    -----
    An elbow is seen in data without clusters too; the gap is what tells (Tibshirani, Walther &
    Hastie, *J. R. Stat. Soc. B* 63, 2001). :func:`sortal.gap_statistic` has the values.

    Examples
    --------
    >>> import numpy as np
    >>> import sortal
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (30, 2)) for c in (0, 2, 4)])
    >>> sortal.plot.elbow(X, range(1, 6)).layout.annotations[1].text
    'Gap statistic: 3 clusters'
    """
    from plotly.subplots import make_subplots

    points = check_data(X)
    n = points.shape[0]
    points, rows = draw_points(points, MOST_OBJECTS, "euclidean", random_state)
    result = gap_statistic(points, k=k, n_references=n_references, random_state=random_state)
    chosen = result.first_k
    values = scatter_over_k(result)
    numbers = values.index.to_numpy()
    figure = make_subplots(
        1,
        2,
        horizontal_spacing=0.12,
        subplot_titles=["Within-cluster sum of squares", f"Gap statistic: {chosen} clusters"],
    )
    lines = (("data", "within", style.COLORS[0]), ("uniform data", "uniform", style.NOISE_COLOR))
    for name, column, colour in lines:
        figure.add_scatter(
            x=numbers, y=values[column].to_numpy(), name=name, mode="lines+markers", row=1, col=1,
            line={"color": colour},
            hovertemplate=f"{name}, k = %{{x}}<br><b>%{{y:.4g}}</b><extra></extra>",
        )  # fmt: skip
    figure.add_scatter(
        x=numbers, y=values["gap"].to_numpy(), mode="lines+markers", showlegend=False, row=1, col=2,
        error_y={"type": "data", "array": values["standard_error"].to_numpy(), "width": 3},
        line={"color": style.COLORS[0]},
        hovertemplate="k = %{x}<br>gap <b>%{y:.4g}</b><extra></extra>",
    )  # fmt: skip
    ring = style.ring([chosen], [values.at[chosen, "gap"]], showlegend=False)
    figure.add_trace(ring, row=1, col=2)
    figure.update_layout(
        template=style.figure().layout.template, height=400, margin={"t": 60},
        legend={"y": -0.2, "yanchor": "top"},
    )  # fmt: skip
    figure.update_annotations(font={"size": 13})
    figure.update_xaxes(**style.whole_numbers("Number of clusters", numbers.min(), numbers.max()))
    figure.update_yaxes(rangemode="tozero", col=1)
    return with_note(figure, len(rows), n)
