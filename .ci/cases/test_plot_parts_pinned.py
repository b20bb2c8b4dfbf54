"""Small parts of figures for values at each edge, so that none changes unseen."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from pinning import Pins
from scipy import sparse

import sortal
from sortal.distances.neighbors import neighbor_lists
from sortal.plot import _silhouette, layout, results, style


def drawn(figure: Any, *keys: str) -> Any:
    """The traces of a figure, and parts of its layout."""
    parts = figure.layout.to_plotly_json()
    traces = [{key: np.asarray(trace[key]) if key in ("x", "y", "z") and trace[key] is not None else one
               for key, one in trace.to_plotly_json().items()} for trace in figure.data]  # fmt: skip
    return [traces, {key: parts.get(key) for key in keys}]


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + 4.0 * np.eye(3)[np.arange(40) % 3]
    return {
        "style": style, "layout": layout, "results": results, "sampled": results, "shape": _silhouette._shape,
        "plot": sortal.plot, "np": np, "pd": pd, "X": X, "y": np.arange(40) % 3, "S": sparse.csr_array(np.maximum(X, 0)), "sparse": sparse,
        "lists": lambda P, k: neighbor_lists(P, k), "drawn": drawn, "rng": np.random.default_rng, "sortal": sortal,
        "Z": sortal.clusterers.LinkageClustering(1, method="ward").fit(X[:9]).linkage_,
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names, "plot").test()
