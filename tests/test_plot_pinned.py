"""Pinned pictures: every part of a figure of given labels, so that none changes unseen.

``python tests/test_plot_pinned.py`` writes ``figures.json`` anew.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import karat
from pinning import plain, same, skip_for_other_releases

FILE = Path(__file__).with_name("figures.json")


def bare(figure: Any) -> Any:
    """A figure without the heights that k-means on uniform data gives."""
    return figure.for_each_trace(lambda trace: trace.update(y=None, error_y={"array": None}))


@cache
def names() -> dict[str, Any]:
    """What the expressions may use."""
    rng = np.random.default_rng(0)
    y = np.arange(18) % 3
    X = rng.normal(size=(18, 4)) + 9.0 * np.eye(4)[y]
    few, many = (pd.DataFrame(rng.normal(size=(30, m))).corr("kendall") for m in (4, 18))
    few.index = few.columns = ["silhouette", "purity", "<mine>", "w" * 40]
    classes = [f"class {i % 5}" for i in range(18)]
    return {
        "np": np, "sparse": sparse, "plot": karat.plot, "bare": bare,
        "table": karat.ContingencyTable, "X": X, "y": y, "classes": classes,
        "out": np.where(np.arange(18) % 7, y, -1),
        "few": few, "many": many,
    }  # fmt: skip


EXPRESSIONS = [
    "plot.silhouette(X, out, names=['a', '<b>', 'c'])",
    "plot.silhouette(np.tile(X, (30, 1)), np.repeat([0, 0, 1], 180))",
    "plot.silhouette(X, np.arange(18) // 2, metric='cosine')",
    "plot.dendrogram(X, 3)", "plot.dendrogram(X, 4, method='average', leaves=6)",
    "plot.agreement(few)", "plot.agreement(many, symbol='r')", "plot.agreement(few.iloc[:2, :2])",
    "plot.contingency(table(classes, y))",
    "plot.contingency(table(y, out, noise='cluster'), row_title='<Kind>')",
    "plot.feature_profile(X, out)",
    "plot.feature_profile(X, np.arange(18) % 13, center=[1, 2, 3, 4], scale=[1, 1, 2, 10],"
    " feature_names=['<age>', 'b', 'c', 'd' * 40], n_features=3)",
    "plot.projection(X[:, :2], out, ids=classes)", "plot.projection(X[:, :1], y)",
    "plot.projection(X[:2], y[:2])", "plot.projection(X[3:4], y[3:4])",
    "plot.projection(X[:9], y[:9])", "plot.projection(X, y)",
    "plot.projection(sparse.csr_array(X[:, :3]), y)",
    "plot.style.figure([plot.style.ring([3], [0.5], 'a', showlegend=True)])",
    "bare(plot.elbow(X, range(1, 4), n_references=2))",
    "plot.consensus_matrix(X, 3, clusterer='ward', n_resamples=9)",
]  # fmt: skip


def drawn(expression: str) -> Any:
    """A figure as plain values, without the style that all have."""
    figure = eval(expression, dict(names()))
    layout = figure.layout.to_plotly_json()
    del layout["template"]
    return plain({"data": [unpacked(trace) for trace in figure.data], "layout": layout})


def unpacked(trace: Any) -> dict[str, Any]:
    """A trace with its numbers."""
    return {key: trace[key] if key in ("x", "y", "z") else value
            for key, value in trace.to_plotly_json().items()}  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_figure_is_the_pinned_one(expression: str) -> None:
    skip_for_other_releases("plotly")
    assert same(drawn(expression), json.loads(FILE.read_text("utf-8"))[expression])


def test_the_style_is_the_pinned_one() -> None:
    skip_for_other_releases("plotly")
    style = plain(karat.plot.style.figure().layout.template.to_plotly_json())
    assert same(style, json.loads(FILE.read_text("utf-8"))["style"])


if __name__ == "__main__":
    kept = {one: drawn(one) for one in EXPRESSIONS}
    kept["style"] = plain(karat.plot.style.figure().layout.template.to_plotly_json())
    rows = (f"{json.dumps(one)}: {json.dumps(value)}" for one, value in kept.items())
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
    sys.exit(0)
