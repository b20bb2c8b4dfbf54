"""Small parts of figures for values at each edge, so that none changes unseen.

``PYTHONPATH=tests python tests/test_plot_parts_pinned.py`` writes ``test_plot_parts_pinned.json``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import karat
from karat.distances.neighbors import neighbor_lists
from karat.plot import _sampled, _silhouette, layout, results, style
from pinning import Pins


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
        "style": style, "layout": layout, "results": results, "sampled": _sampled, "shape": _silhouette._shape,
        "plot": karat.plot, "np": np, "pd": pd, "X": X, "y": np.arange(40) % 3, "S": sparse.csr_array(np.maximum(X, 0)), "sparse": sparse,
        "lists": lambda P, k: neighbor_lists(P, k), "drawn": drawn, "rng": np.random.default_rng, "karat": karat,
        "Z": karat.clusterers.LinkageClustering(1, method="ward").fit(X[:9]).linkage_,
    }  # fmt: skip


EXPRESSIONS = [
    "[style.number(v, *d) for v, d in ((0, []), (-3.0, []), (1e15, []), (999999999999999.0, []), (12345.6, []), (9999.5, []), (10000.5, []), (.00001234, []), (-1.5e-7, []), (.5, [1]), (12.5, [1]), (np.nan, []), (np.inf, []), (-np.inf, []), (-12345.6, []))]",
    "[(style.color(i), style.symbol(i)) for i in (-1, 0, 5, 6, 11, 12, 47, 48)], style.safe('<a & \"b\">')",
    "[style.whole_numbers('k', a, b) for a, b in ((1, 13), (1, 14))], style.color_bar('t', x=1)",
    *(f"fails(style.check_labels, {labels})" for labels in ("[]", "[[1]]", "['a']", "[.5]", "[0, -2]", "[0, 1], 3")),
    "style.check_labels([0, -1], 2), style.check_labels(np.array([True, False]))", "[style.cluster_names(np.array(c), n) for c, n in (([0, 2, -1], None), ([0, 2], list('abc')), ([-1], ['x']), ([-1, -1], None))], fails(style.cluster_names, np.array([0, 2]), ['a', 'b'])",
    "drawn(style.heat_map(np.array([[.12345, -1]]), ['a', 'b'], ['c'], height=90), 'xaxis', 'yaxis'), drawn(style.heat_map(np.array([[.5]]), None, None, limits=(-1, 1), text=[['x']], height=90, xaxis={'type': None}, colorbar={'len': 1}), 'xaxis', 'height')",
    "style.ring([1], [2]).to_plotly_json()",
    # silhouettes
    "[shape(np.linspace(.9, -.2, n), 5.0, c, '<x>') for n, c in ((1, 0), (4, -1), (301, 7))]",
    *(f"drawn(plot.silhouette({arguments}), 'xaxis', 'yaxis', 'height', 'shapes', 'annotations', 'meta', 'title')" for arguments in ("X[:9], y[:9]", "X, np.where(np.arange(40) % 5, y, -1), names=list('abc')", "X, np.arange(40) // 2", "X[:6], [0, 1, 2, 3, 4, 4]")),
    "plot.silhouette(np.arange(82.0)[:, None] // 2 * 9 + np.arange(82)[:, None] % 2, np.arange(82) // 2).layout.yaxis.ticktext[:3], plot.silhouette(np.arange(80.0)[:, None] // 2 * 9 + np.arange(80)[:, None] % 2, np.arange(80) // 2).layout.yaxis.ticktext[:3]",
    # features
    *(f"drawn(plot.feature_profile({arguments}), 'height', 'xaxis')" for arguments in ("X, y", "S, y", "X, np.where(y == 1, -1, y), feature_names=['a' * 32, 'b' * 33, 'c'], center=[1, 2, 3], scale=[2, 2, 2]", "np.column_stack([X, np.ones(40)]), y, n_features=2, names=['<p>', 'q', 'r']", "X, np.arange(40) % 12", "X, np.arange(40) % 13")),
    "fails(plot.feature_profile, X, y, feature_names=['a']), fails(plot.feature_profile, X, np.full(40, -1))",
    # trees
    *(f"drawn(plot.dendrogram({arguments}), 'xaxis', 'yaxis', 'shapes', 'annotations')" for arguments in ("X[:9], 3", "X[:9], 1", "X[:9]", "X[:9], 9, leaves=3, ids=[f'<{i}>' for i in range(9)]", "karat.Dendrogram(Z), 2", "X[:12], 2, method='single', metric='cityblock', leaves=12")),
    "[fails(plot.dendrogram, X[:9], *a, **k) for a, k in (([0], {}), ([10], {}), ([2], {'leaves': 1}))], [results.heights_of(Z, k) for k in (1, 2, 5, 9)], [results.link_clusters(Z, k) for k in (None, 1, 3, 9)]",
    # places
    *(f"[(vars(p)) for p in [layout.{call}]]" for call in ("as_given(X[:4, :1], ['<a>'], None, None)", "as_given(X[:4, :2], None, [1, 2], [3, 4])", "as_given(S[:4, :2], ['a', 'b'], None, [2, 2])", "lay_out(X[:11], lists(X[:11], 10))", "lay_out(X[:12], lists(X[:12], 10))", "lay_out(X[:20], None)")),
    "[layout.n_neighbors(n) for n in (10, 2000, 2001, 4000)], [layout.share_kept(lists(X, k).indices, X[:, :2]) for k in (3, 10, 12)]",
    "[(np.abs(p), e) for M in (X[:2], X[:1], X[:3], np.ones((3, 1)), X[:5, :1], S[:2], sparse.csr_array((4, 4)), S[:5, :2], np.ones((5, 3)), X) for p, e in [layout.principal_plane(M)]]",
    "[layout.sample(np.array(c), m, rng(0)) for c, m in (([0, 0, 1], 3), ([0] * 6 + [1] * 2, 4), ([0] * 90 + [1] * 5 + [-1] * 30, 60))]",
    "[layout._components(X[:2, :2], k, e) for k, e in ((None, (.5, .25)), (.9, (.0, .0)))]",
    "[(len(r), P.shape) for n, m in ((40, 'euclidean'), (9, 'euclidean'), (9, 'precomputed')) for P, r in [sampled.draw_points(X if m == 'euclidean' else np.abs(X[:, :1] - X[:, 0]), n, m, 0)]]",
    "[sampled.with_note(style.figure(), d, n).layout.to_plotly_json().get('title') for d, n in ((3, 3), (3, 4000))]",
    # tables
    *(f"drawn(plot.contingency(karat.ContingencyTable({a}, {b})), 'height', 'xaxis', 'yaxis')" for a, b in (("y", "y"), ("np.arange(40) % 5", "y"), ("y", "np.arange(40) % 5"))),
    *(f"drawn(plot.agreement(pd.DataFrame(np.corrcoef({X})){more}), 'height', 'xaxis')" for X, more in (("X[:2]", ""), ("X[:3] + np.arange(3)", ", symbol='r'"), ("X[:16]", ""), ("X[:17]", ""))),
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write(EXPRESSIONS)
