"""The elbow: scatter within clusters over their number, beside that of uniform data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from karat.measures import gap_statistic
from karat.plot._sampled import draw_points
from karat.plot.results import gap_figure
from karat.runtime.validation import check_data

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from karat.runtime.types import ArrayLike, RandomState

MOST_IN_ELBOW = 5_000


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
        ring is the first gap within one standard error of the next. :func:`table` has the values.

    Raises
    ------
    InputError
        For sparse data, or numbers that are not between 1 and n − 1.

    Notes
    -----
    An elbow is seen in data without clusters too; the gap is what tells (Tibshirani, Walther &
    Hastie, *J. R. Stat. Soc. B* 63, 2001). :func:`karat.gap_statistic` computes both.

    Examples
    --------
    >>> import numpy as np
    >>> import karat
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 0.1, (30, 2)) for c in (0, 2, 4)])
    >>> karat.plot.elbow(X, range(1, 6)).layout.annotations[1].text
    'Gap statistic: 3 clusters'
    """
    points = check_data(X)
    n = points.shape[0]
    points, rows = draw_points(points, MOST_IN_ELBOW, "euclidean", random_state)
    result = gap_statistic(points, k=k, n_references=n_references, random_state=random_state)
    title = f"Gap statistic: {result.first_k} clusters"
    return gap_figure(result, result.first_k, title=title, drawn=len(rows), n=n)
