"""Small parts of figures for values at each edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

import sortal
from sortal import clusterers, plot
from values import fails, table_test


def drawn(figure: Any, *keys: str) -> Any:
    """The traces of a figure, and parts of its layout."""
    parts = figure.layout.to_plotly_json()
    traces = [{key: np.asarray(trace[key]) if key in ("x", "y", "z") and trace[key] is not None else one
               for key, one in trace.to_plotly_json().items()} for trace in figure.data]  # fmt: skip
    return [traces, {key: parts.get(key) for key in keys}]


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + 4.0 * np.eye(3)[np.arange(40) % 3]
    return {
        "X": X, "y": np.arange(40) % 3, "S": sparse.csr_array(np.maximum(X, 0)),
        "Z": clusterers.LinkageClustering(1, method="ward").fit(X[:9]).linkage_,
    }  # fmt: skip


# fmt: off
CASES = {
    "silhouette": [
        lambda X, y: drawn(plot.silhouette(X[:9], y[:9]), "xaxis", "yaxis", "height", "shapes",
            "annotations", "meta", "title"),
        lambda X: drawn(plot.silhouette(X[:6], [0, 1, 2, 3, 4, 4]), "xaxis", "yaxis", "height",
            "shapes", "annotations", "meta", "title"),
    ],
    "feature_profile": [
        lambda X, y: drawn(plot.feature_profile(X, y), "height", "xaxis"),
        lambda S, y: drawn(plot.feature_profile(S, y), "height", "xaxis"),
        lambda X, y: drawn(plot.feature_profile(X, np.where(y == 1, -1, y), feature_names=["a" *
            32, "b" * 33, "c"], center=[1, 2, 3], scale=[2, 2, 2]), "height", "xaxis"),
        lambda X, y: drawn(plot.feature_profile(np.column_stack([X, np.ones(40)]), y, n_features=2,
            names=["<p>", "q", "r"]), "height", "xaxis"),
        lambda X, y: (fails(plot.feature_profile, X, y, feature_names=["a"]),
            fails(plot.feature_profile, X, np.full(40, -1))),
    ],
    "dendrogram": [
        lambda X: drawn(plot.dendrogram(X[:9], 3), "xaxis", "yaxis", "shapes", "annotations"),
        lambda X: drawn(plot.dendrogram(X[:9], 1), "xaxis", "yaxis", "shapes", "annotations"),
        lambda X: drawn(plot.dendrogram(X[:9]), "xaxis", "yaxis", "shapes", "annotations"),
        lambda X: drawn(plot.dendrogram(X[:9], 9, leaves=3, ids=[f'<{i}>' for i in range(9)]),
            "xaxis", "yaxis", "shapes", "annotations"),
        lambda Z: drawn(plot.dendrogram(sortal.Dendrogram(Z), 2), "xaxis", "yaxis", "shapes",
            "annotations"),
        lambda X: drawn(plot.dendrogram(X[:12], 2, method="single", metric="cityblock", leaves=12),
            "xaxis", "yaxis", "shapes", "annotations"),
    ],
    "contingency": [
        lambda y: drawn(plot.contingency(sortal.ContingencyTable(y, y)), "height", "xaxis", "yaxis"),
        lambda y: drawn(plot.contingency(sortal.ContingencyTable(np.arange(40) % 5, y)), "height",
            "xaxis", "yaxis"),
        lambda y: drawn(plot.contingency(sortal.ContingencyTable(y, np.arange(40) % 5)), "height",
            "xaxis", "yaxis"),
        lambda y: ([fails(plot.contingency, t) for t in (None, [[1]])],
            plot.contingency(sortal.ContingencyTable(y, (y + 1) % 3)).data[0].x,
            plot.contingency(sortal.ContingencyTable(y, np.where(y == 1, 0, y + 3))).data[0].x),
        lambda: [(t.hovertext, t.text, t.hovertemplate, t.colorbar.to_plotly_json()) for t in
            [plot.contingency(sortal.ContingencyTable(np.r_[np.zeros(1500, int), 1, 2],
            np.r_[np.zeros(1499, int), 1, 1, 0])).data[0]]],
    ],
    "agreement": [
        lambda X: drawn(plot.agreement(pd.DataFrame(np.corrcoef(X[:2]))), "height", "xaxis"),
        lambda X: drawn(plot.agreement(pd.DataFrame(np.corrcoef(X[:3] + np.arange(3))),
            symbol="r"), "height", "xaxis"),
        lambda: [(f.layout.height, f.data[0].text is None) for f in
            (plot.agreement(pd.DataFrame(np.eye(m))) for m in (16, 17, 58, 59, 70, 107, 108, 120))],
        lambda: [plot.agreement(pd.DataFrame([[1, .126, -.994], [.126, 1, np.nan], [-.994, np.nan,
            1]]), symbol=s).data[0].to_plotly_json() for s in ("τ", "ρ")],
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
