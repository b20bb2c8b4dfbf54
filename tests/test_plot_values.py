"""Every part of a figure of given labels, but what k-means and uniform data decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from sortal import ContingencyTable, plot
from values import table_test


def drawn(figure: Any) -> Any:
    """A figure without the style that all have."""
    layout = figure.layout.to_plotly_json()
    del layout["template"]
    return {"data": [unpacked(trace) for trace in figure.data], "layout": layout}


def unpacked(trace: Any) -> dict[str, Any]:
    """A trace with its numbers."""
    return {key: trace[key] if key in ("x", "y", "z") else value
            for key, value in trace.to_plotly_json().items()}  # fmt: skip


def without_heights(figure: Any) -> Any:
    """A figure without the heights that k-means on uniform data gives."""
    return figure.for_each_trace(lambda trace: trace.update(y=None, error_y={"array": None}))


def fixtures() -> dict[str, Any]:
    """Three groups, the classes of their objects, and agreements of few and many measures."""
    rng = np.random.default_rng(0)
    y = np.arange(18) % 3
    X = rng.normal(size=(18, 4)) + 9.0 * np.eye(4)[y]
    few, many = (pd.DataFrame(rng.normal(size=(30, m))).corr("kendall") for m in (4, 18))
    few.index = few.columns = ["silhouette", "purity", "<mine>", "w" * 40]
    return {
        "X": X, "y": y, "classes": [f"class {i % 5}" for i in range(18)],
        "out": np.where(np.arange(18) % 7, y, -1), "few": few, "many": many,
    }  # fmt: skip


# fmt: off
CASES = {
    "silhouette": [
        lambda X, out: drawn(plot.silhouette(X, out, names=["a", "<b>", "c"])),
        lambda X: drawn(plot.silhouette(np.tile(X, (30, 1)), np.repeat([0, 0, 1], 180))),
        lambda X: drawn(plot.silhouette(X, np.arange(18) // 2, metric="cosine")),
    ],
    "dendrogram": [
        lambda X: drawn(plot.dendrogram(X, 3)),
        lambda X: drawn(plot.dendrogram(X, 4, method="average", leaves=6)),
    ],
    "agreement": [
        lambda few: drawn(plot.agreement(few)),
        lambda many: drawn(plot.agreement(many, symbol="r")),
        lambda few: drawn(plot.agreement(few.iloc[:2, :2])),
    ],
    "contingency": [
        lambda classes, y: drawn(plot.contingency(ContingencyTable(classes, y))),
        lambda y, out: drawn(
            plot.contingency(ContingencyTable(y, out, noise="cluster"), row_title="<Kind>")),
    ],
    "feature_profile": [
        lambda X, out: drawn(plot.feature_profile(X, out)),
        lambda X: drawn(plot.feature_profile(
            X, np.arange(18) % 13, center=[1, 2, 3, 4], scale=[1, 1, 2, 10],
            feature_names=["<age>", "b", "c", "d" * 40], n_features=3)),
    ],
    "projection": [
        lambda X, out, classes: drawn(plot.projection(X[:, :2], out, ids=classes)),
        lambda X, y: drawn(plot.projection(X[:, :1], y)),
        lambda X, y: drawn(plot.projection(X[:2], y[:2])),
        lambda X, y: drawn(plot.projection(X[3:4], y[3:4])),
        lambda X, y: drawn(plot.projection(X[:9], y[:9])),
        lambda X, y: drawn(plot.projection(X, y)),
        lambda X, y: drawn(plot.projection(sparse.csr_array(X[:, :3]), y)),
    ],
    "elbow": [lambda X: drawn(without_heights(plot.elbow(X, range(1, 4), n_references=2)))],
    "consensus_matrix": [
        lambda X: drawn(plot.consensus_matrix(X, 3, clusterer="ward", n_resamples=9)),
    ],
    "style": [lambda few: plot.agreement(few).layout.template.to_plotly_json()],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
