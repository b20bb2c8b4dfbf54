"""Which clusters can be recognised, and which cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.plot import style
from karat.plot._contingency import FEW, as_text, shaded_counts
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from karat.measures.clarity import Clarity

_MOST_CELLS = 250_000


def cluster_clarity(found: Clarity, clustering: str | int = 0) -> go.Figure:
    """Draw the share of each cluster's objects that is recognised.

    Parameters
    ----------
    found : Clarity
        From :func:`karat.measures.clarity.assess`.
    clustering : str or int
        Its name or number.

    Returns
    -------
    plotly.graph_objects.Figure
        A bar for each cluster: recognised, taken for the cluster that it is mostly taken for,
        and taken for others; the clearest on top.

    Raises
    ------
    InputError
        If no clustering has this name.

    Examples
    --------
    >>> import karat
    >>> from karat.measures.clarity import KNearestNeighbors, assess
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> near = KNearestNeighbors(3)
    >>> found = assess(X, [0, 0, 0, 0, 1, 1, 1, 1], classifiers=near)
    >>> karat.plot.cluster_clarity(found).data[0].x.tolist()
    [1.0, 1.0]
    """
    table = found.per_cluster(clustering).sort_values("recall", kind="stable")
    names = [style.safe(name) for name in table.index]
    taken = ["" if name is None else f"taken for {style.safe(name)}" for name in table["taken_for"]]
    rest = np.maximum(1 - table["recall"] - table["taken_for_share"], 0)
    parts = (
        ("recognised", table["recall"], style.COLORS[0], [""] * len(names)),
        ("taken for the next", table["taken_for_share"], style.COLORS[1], taken),
        ("taken for others", rest, style.NOISE_COLOR, [""] * len(names)),
    )
    return style.figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "name": what,
                "x": np.asarray(share, dtype=float),
                "y": np.array(names, dtype=object),
                "marker": {"color": colour},
                "hovertext": [
                    f"cluster {name}, {size:,} objects<br><b>{value:.1%}</b> {note or what}"
                    for name, size, value, note in zip(
                        names, table["size"], share, notes, strict=True
                    )
                ],
                "hoverinfo": "text",
            }
            for what, share, colour, notes in parts
        ],
        barmode="stack",
        xaxis={"title": {"text": "share of the cluster"}, "tickformat": ".0%", "range": [0, 1]},
        yaxis={"type": "category", "title": {"text": "cluster"}, "showgrid": False},
        height=int(np.clip(140 + 24 * len(names), 220, 1400)),
    )


def cluster_confusion(found: Clarity, clustering: str | int = 0) -> go.Figure:
    """Draw which clusters are taken for which: rows given, columns predicted.

    Parameters
    ----------
    found : Clarity
        From :func:`karat.measures.clarity.assess`.
    clustering : str or int
        Its name or number.

    Returns
    -------
    plotly.graph_objects.Figure
        Counts, shaded by their share of the row. Clusters that are mistaken for each other
        stand next to each other.

    Raises
    ------
    InputError
        If no clustering has this name, or it has more clusters than can be seen (500).

    Examples
    --------
    >>> import karat
    >>> from karat.measures.clarity import KNearestNeighbors, assess
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> near = KNearestNeighbors(3)
    >>> found = assess(X, [0, 0, 0, 0, 1, 1, 1, 1], classifiers=near)
    >>> karat.plot.cluster_confusion(found).data[0].z.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    table = found.confusion(clustering)
    if table.size > _MOST_CELLS:
        raise InputError(
            f"a picture of {len(table):,} clusters shows nothing; look at the worst pairs in "
            "confused_pairs() instead"
        )
    order = _side_by_side(table.to_numpy())
    counts = table.to_numpy()[np.ix_(order, order)]
    names = [style.safe(table.index[c]) for c in order]
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    hover = [
        [
            f"cluster {a}, taken for {b}<br><b>{counts[i, j]:,} objects</b><br>"
            f"{share[i, j]:.1%} of cluster {a}"
            for j, b in enumerate(names)
        ]
        for i, a in enumerate(names)
    ]
    return shaded_counts(
        share, names, names, hover, "cluster", "predicted cluster",
        text=as_text(counts),
        **({} if counts.size <= FEW else {"texttemplate": ""}),
        colorbar=style.color_bar("share of the<br>cluster", tickformat=".0%"),
    )  # fmt: skip


def _side_by_side(counts: np.ndarray) -> list[int]:
    """Clusters in the leaf order of an average-linkage tree of their confusion."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(counts) < 3:
        return list(range(len(counts)))
    sizes = counts.sum(axis=1)
    apart = 1 - (counts + counts.T) / np.maximum(sizes[:, None] + sizes, 1)
    np.fill_diagonal(apart, 0)
    return [int(c) for c in leaves_list(linkage(squareform(apart, checks=False), "average"))]
