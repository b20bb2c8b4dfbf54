"""What resampling gives for small groups, so that no value, sentence or branch changes unseen.

``PYTHONPATH=tests python tests/stability/test_stability_pinned.py`` writes
``test_stability_pinned.json`` anew.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import KNeighborsClassifier

import karat.stability as st
from karat.clusterers import catalogue
from karat.stability import (
    _agreement,
    assessment,
    calibrated,
    clusterwise,
    consensus,
    curves,
    engine,
    method,
    number,
    progress,
    result,
)
from pinning import Pins


class Signs(ClusterMixin, BaseEstimator):
    """Two clusters by the sign of the first feature; its largest value is an outlier."""

    def __init__(self, n_clusters: int = 2, random_state: int = 0) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        labels = (X[:, 0] > np.median(X[:, 0])).astype(int)
        labels[np.argmax(X[:, 0])] = -1
        return labels


class Drift(Signs):
    """Another seed moves the limit."""

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        return (X[:, 0] > np.quantile(X[:, 0], 0.2 + self.random_state % 5 / 10)).astype(int)


def patched(name: str, value: Any, work: Any) -> Any:
    """What some work gives while a name of the room has another value."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"karat.stability.{name}", value)
        return work()


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + 5.0 * np.eye(3)[y]
    D = np.abs(X[:, None] - X).sum(axis=2)
    table = pd.DataFrame({"size": [9, 8, 7], "jaccard": [0.9, 0.75, 0.4], "standard_error": [0.01] * 3,
                          "recovered": [1.0, 0.6, 0.1], "dissolved": [0.0, 0.1, 0.7]}, index=list("abc"))  # fmt: skip
    clusters = result.ClusterStability(
        table, y[:24], np.linspace(0, 1, 24), 20, np.array([3, 3, 4])
    )
    curve = result.StabilityCurve("It", pd.DataFrame({"value": [0.9, 0.95], "null": [0.5, 0.6], "ratio": [0.2, 0.125]}, index=[2, 3]),
                                  {2: np.ones(2), 3: np.ones(2)}, True, 3, "the rule", 24)  # fmt: skip
    whole = assessment.Assessment(
        "ward", curve, clusters, 3.0, np.arange(24) * 2, np.arange(3), np.eye(3), 5
    )
    return {
        "patched": patched, "progress": progress,
        **{module.__name__.rpartition(".")[2].lstrip("_"): module for module in (
            _agreement, assessment, calibrated, clusterwise, consensus, curves, engine, method, number,
            result, sys.modules["karat.stability.subsampling"])},
        "st": st, "np": np, "pd": pd, "sparse": sparse, "Some": Some, "replace": replace, "X": X, "y": y, "D": D, "W": whole, "clusters": clusters, "curve": curve,
        "Signs": Signs(), "Drift": Drift(), "near": KNeighborsClassifier(1), "catalogue": catalogue, "S": sparse.csr_array(np.maximum(X, 0)), "rng": np.random.default_rng,
        "c": lambda text: np.array([int(x) if x != "-" else -1 for x in text], dtype=np.int32), "cloud": rng.normal(size=(40, 2)),
        "E": lambda X_=X, clusterer="ward", **options: engine.prepare(X_, clusterer, **options), "P": pd.DataFrame, "six": np.concatenate([X, X + 90]),
    }  # fmt: skip


EXPRESSIONS = [
    *(f"[vars(c) for c in [st.{name}({X}, {clusterer}, k={k}, random_state=1, {options})]]" for name, X, clusterer, k, options in (
        ("ben_hur", "X", "'ward'", "[1, 2, 3]", "n_resamples=4"), ("ben_hur", "X", "'ward'", "3", "n_resamples=3, n_references=2, fraction=.7, similarity='fowlkes_mallows'"), ("ben_hur", "X", "Signs", "2", "n_resamples=3, similarity='matching'"), ("ben_hur", "D", "'average'", "[2, 3]", "n_resamples=3, metric='precomputed', similarity='adjusted_rand'"),
        ("levine_domany", "X", "'ward'", "[2, 3]", "n_resamples=4"), ("levine_domany", "X", "Signs", "2", "n_resamples=3, n_neighbors=3"), ("prediction_strength", "X", "'ward'", "[1, 2, 3, 4]", "n_splits=3"), ("prediction_strength", "X", "'ward'", "[2, 5]", "n_splits=2, cutoff=1.0, classifier='neighbors', n_references=2"),
        ("prediction_strength", "X", "Signs", "2", "n_splits=2, classifier=near"), ("lange", "X", "'ward'", "[1, 2, 3]", "n_splits=3"), ("lange", "X", "'average'", "[2, 3, 4]", "n_splits=3, classifier='centroid', n_references=2"), ("lange", "X", "Signs", "2", "n_splits=2"),
        ("fang_wang", "X", "'ward'", "[1, 2, 3]", "n_resamples=3"), ("fang_wang", "X", "Signs", "2", "n_resamples=3, classifier='neighbors'"),
        ("clest", "X", "'ward'", "[1, 2, 3, 4]", "n_splits=3, n_references=3"), ("clest", "cloud", "'ward'", "[2, 3]", "n_splits=3, n_references=3"), ("clest", "X", "'ward'", "[3]", "n_splits=3, n_references=3, p_max=0, d_min=.9"),
        ("subsampling", "X", "'ward'", "[2, 3]", "n_resamples=3"), ("subsampling", "X", "'ward'", "[2, 3]", "folds=3, classifier='centroid'"), ("subsampling", "X", "Signs", "2", "n_resamples=3, n_runs=2"), ("subsampling", "six", "'ward'", "[2, 3]", "method=2, n_resamples=8, estimator='silhouette'"),
        ("subsampling", "six", "'ward'", "[4]", "method=2, n_resamples=5, estimator='silhouette'"), ("subsampling", "six", "'ward'", "[2]", "method=3, n_resamples=2, estimator='gap'"), ("subsampling", "X", "'ward'", "[3]", "method=3, n_resamples=2, estimator='gap-pca'"),
        ("calibrated_stability", "X", "'ward'", "[1, 2, 3]", "n_resamples=4, n_references=0"), ("calibrated_stability", "six", "'ward'", "[2, 3, 6]", "n_resamples=4, n_references=2, everywhere=False"), ("calibrated_stability", "D", "'average'", "[2, 3]", "n_resamples=4, n_references=2, metric='precomputed'"))),
    *(f"fails(st.{call})" for call in (
        "ben_hur, X, 'ward', k=[0]", "ben_hur, X, 'ward', k=[25]", "ben_hur, X, 'ward', k=[]", "ben_hur, X, 'ward', similarity='x'", "ben_hur, X, 'ward', k=2, n_resamples=1", "ben_hur, X, 'ward', k=2, fraction=1", "ben_hur, X, 'ward', k=2, fraction=0", "ben_hur, X[:3], 'ward', k=2",
        "ben_hur, X[:9], 'ward', k=1, fraction=.01", "lange, X, 'ward', k=1", "fang_wang, X, 'ward', k=1", "lange, X, 'ward', k=16", "prediction_strength, X, 'ward', k=16", "clest, X, 'ward', k=1", "clest, X, 'ward', k=11", "clest, X, 'ward', n_references=1", "calibrated_stability, X, 'ward', k=1",
        "calibrated_stability, X, 'ward', k=16", "calibrated_stability, X, 'ward', k=2, n_references=1", "subsampling, X, 'ward', method=4", "subsampling, X, 'ward', k=2, folds=1", "subsampling, X, 'ward', k=2, folds=31", "subsampling, X, 'ward', method=2, estimator='odd'", "subsampling, X, 'ward', method=3, estimator='silhouette'",
        "subsampling, D, 'average', method=2, metric='precomputed'", "lange, X, 'ward', k=2, classifier='odd'", "lange, D, 'average', k=2, classifier='centroid', metric='precomputed'", "consensus_matrix, X, 'ward', k=2, n_resamples=65536", "consensus_matrix, X, 'ward', k=25", "clusterwise_bootstrap, X, 'ward', labels=[1, 2]",
        "clusterwise_bootstrap, X, 'ward', labels=[-1] * 30", "clusterwise_bootstrap, X, 'ward', k=31", "assess, X, 'ward', labels=y", "assess, X, 'ward', labels=y[:3], value=3", "assess, X, 'ward', n_resamples=1")),
    "engine.check_numbers(np.int64(3), 3), engine.check_numbers([3, 1, 3], 3), engine.check_draws(2, .5)",
    # clusters
    *(f"[vars(c) | {{'advice': c.advice, 'text': str(c), 'html': c._repr_html_()[:90]}} for c in [st.clusterwise_bootstrap(X, {options}, random_state=2)]]" for options in ("'ward', k=3, n_resamples=5", "'ward', k=3, n_resamples=4, labels=np.where(np.arange(30) == 4, -1, y)", "Drift, k=2, n_resamples=3", "Signs, k=2, n_resamples=3")),
    "[replace(clusters, refits=r).advice for r in (None, np.array([.9, .75, .8]), np.array([.9, .749, .3]))], [replace(clusters, table=clusters.table.assign(jaccard=j)).advice for j in (.8, .1)]",
    "clusterwise._table(np.array([[.75, .5, np.nan], [.74, .51, np.nan], [1, 0, np.nan]]), np.array([3, 4, 5]))",
    *(f"[(c.table, c.labels, c.headline, c.order(k), c.matrix(k), c.rows(k, 2, 4)) for k in [{k}] for c in [st.consensus_matrix(X[:9], {clusterer}, k=[{k}], n_resamples={n}, random_state=0)]]" for k, clusterer, n in ((2, "'ward'", 6), (3, "Signs", 3))),
    "st.consensus_matrix(X, 'ward', k=[2, 3, 4], n_resamples=5, random_state=0).table, consensus._histogram(np.array([[0, 0, 1, 255], [0, 1, 1, 0], [1, 0, 0, 0]], dtype=np.uint8))",
    # an assessment
    *(f"[(str(a), a.number, a.selected, a.value, a.rows, a.shown, a.consensus, a.found_in_null, a.changing, a.n_references) for a in [st.assess({arguments})]]" for arguments in (
        "X, 'ward', k=[2, 3], n_resamples=3, n_references=2, random_state=0", "X, 'ward', k=[2, 3], n_resamples=3, n_references=0, labels=np.array(list('xyz'))[y], value=3", "six, 'ward', k=[2, 3], n_resamples=3, n_references=2, max_objects=20, everywhere=False", "X, 'hdbscan', value=5, n_resamples=2, n_references=2")),
    "[replace(W, curve=c, value=v).number for c, v in ((None, 3), (curve, 3), (curve, 2.0), (replace(curve, selected=None), 3), (replace(curve, selected=1), 3))], str(W), W._repr_html_(), W.changing, W.advice",
    "[assessment.own_number('x', 3, [3, 3, 2], n) for n in ((), (1, 2, 5))], [assessment.n_steps(k, 20, 5) for k in (0, 3)]",
    "[assessment._most_stable(replace(curve, table=t)) for t in (curve.table, curve.table[['value']], curve.table.assign(ratio=np.nan), curve.table.assign(ratio=[.1, .2]))]",
    # calibration
    "[calibrated.n_null_resamples(n) for n in (2, 5, 20)], [calibrated.share_drawn(n, k) for n, k in ((64, 2), (63, 2), (320, 10), (319, 10))]",
    "[calibrated.kinds_beside(k, s) for k in (('gaussian', 'uniform'), ('shuffled',)) for s in (None, Some(decision='yes'), Some(decision='no'))]",
    "[calibrated._stable(P({'ratio': r, 'ratio_error': e}, index=[2, 3, 4])) for r, e in (([.3, .1, .4], [.01, .2, 0]), ([1 / 3, .2, .1], [0, .05, .1]))]",
    "calibrated._table({2: np.array([.9, .8]), 3: np.array([.5, .6])}, np.array([[[.7, 1.0], [.6, 1.0]], [[.8, .9], [.9, .8]]]))",
    # tables of curves
    *(f"result.curve_table({{2: np.array([.2, .4, .9]), 3: np.array([.5])}}, {references}, greater_is_better={up})" for references in ("[]", "[{2: np.array([.1, .2]), 3: np.array([.3, .5])}, {2: np.array([.0, .5]), 3: np.array([.1, .1])}]") for up in (True, False)),
    "[curve.headline, replace(curve, selected=None, greater_is_better=False).headline, str(curve), curve._repr_html_()]", "[method.beyond_null(P({'lower': l, 'difference': d}, index=[1, 2, 3])) for l, d in (([9, 0, -1], [9, 1, 2]), ([0, .1, .2], [9, 3, 2]), ([0, -.1, .2], [9, 3, 2]))]",
    # agreement of labels
    *(f"[agreement.table(c({a!r}), c({b!r})), agreement.disagreement(c({a!r}), c({b!r})), agreement.least_kept(c({a!r}), c({b!r})), agreement.best_matches(c({a!r}), c({b!r}), {k}), agreement.least_share(c({a!r}), c({b!r}))]" for a, b, k in (
        ("001122", "001122", 3), ("001122", "010101", 3), ("000111", "00-1-2", 2), ("0-1-11", "011100", 2), ("012345", "000000", 7), ("00", "11", 1))),
    "[agreement.worst_held(np.array(t)) for t in ([[2, 1], [0, 0]], [[0, 0]], [[5, 0], [3, 3]])], agreement._singletons(c('0-1-')), agreement._counts(c('01-'), c('1-0'), 3)",
    # the engine
    "[e.fit(r, ks, e.generator(1, 2)) for e, r, ks in ((E(), None, [1, 3]), (E(), np.arange(12), [2]), (E(clusterer='genie'), None, [2]), (E(clusterer=Signs), None, [1, 2]), (E(D, 'average', metric='precomputed'), np.arange(9), [3]))]",
    "[(q.n_init, q.init) if (q := e.quick) else None for e in (E(), E(clusterer='kmeans'), E(clusterer=__import__('sklearn.cluster').cluster.KMeans(n_init=3)), E(clusterer='kmeans', metric='cosine'), E(S, 'kmeans'), E(np.ones((5, 129)) * np.arange(5)[:, None], 'kmeans'), E(clusterer=__import__('sklearn.cluster').cluster.KMeans(algorithm='elkan')))]",
    "[E(random_state=s).random_state for s in (3, np.random.default_rng(0), np.random.RandomState(0))], E().options, engine.subsample(10, .01, rng(0)), engine.subsample(10, .55, rng(0)), engine.halves(7, rng(0)), E().neighbors().indices.shape, E(six).neighbors().indices.shape",
    "[engine.transfer(E(), k, np.arange(12), y[:12].astype(np.int32), np.arange(12, 30)) for k in ('neighbors', 'centroid', near)], engine.transfer(E(), 'neighbors', np.arange(3), c('---'), np.arange(4)), engine.transfer(E(), 'centroid', np.arange(6), c('01-01-'), np.arange(9))",
    "[engine._by_neighbors(E(six), t, l, np.arange(20, 60), r) for t, l, r in ((np.arange(4), c('0101'), 5), (np.arange(12), c('012012012012'), 1), (np.arange(12), c('001122001122'), 2), (np.arange(30), np.arange(30, dtype=np.int32) % 2, 3))]",
    "engine._by_centroids(E(sparse.csr_array(np.maximum(X, 0)), 'spherical-kmeans', metric='cosine'), np.arange(12), (y[:12] * 2).astype(np.int32), np.arange(12, 30)), E().map(abs, [-1, 2]), E().__getstate__()['executor']",
    "[subsampling._tests(E(), c('0-11' * 7 + '00'), (0, 2), f, 2, .5) for f in (None, 3)], subsampling._subsets(E(six), np.repeat(np.arange(4), 15).astype(np.int32), (0, 4), 15, lambda X, cl, k, s: len(k)), subsampling._subsets(E(six), np.repeat(np.arange(4), 15).astype(np.int32), (0, 4), 14, lambda X, cl, k, s: len(X) // 15)",
    "subsampling._single_clusters(E(six), np.repeat([0, 1, 2, 3], [1, 10, 20, 29]).astype(np.int32), (0, 4), 2, .5, lambda X, cl, k, s: len(k) - 3), [subsampling._estimate_number(E(six), np.arange(n), 5, lambda X, cl, k, s: len(k) * 100 + len(X), rng(0)) for n in (4, 10, 11, 12, 40)]",
    "[f(X, 'ward', [1, 2, 3, 4], 0) for name, (f, one) in number.ESTIMATORS.items() if name in ('gap', 'silhouette', 'prediction-strength')], [one for f, one in number.ESTIMATORS.values()]",
    "E(X[:4]).n, engine._by_neighbors(E(np.concatenate([cloud, cloud + 100, cloud + 200])), np.array([0, 1, 119]), c('121'), np.arange(38, 84), 5)",
    "curves.overlapping(E(), [2, 3], rng(0), .5, agreement.least_kept)",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", PINS.kept)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write([*dict.fromkeys([*EXPRESSIONS, *PINS.kept])])
