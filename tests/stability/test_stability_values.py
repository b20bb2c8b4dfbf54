"""What resampling gives for small groups, so that no value, sentence or branch changes unseen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import KNeighborsClassifier

from sortal import stability
from values import fails, table_test


class Signs(ClusterMixin, BaseEstimator):
    """Two clusters by the sign of the first feature; its largest value is an outlier."""

    def __init__(self, n_clusters: int = 2, random_state: int = 0) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        labels = (X[:, 0] > np.median(X[:, 0])).astype(int)
        labels[np.argmax(X[:, 0])] = -1
        return labels


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + 5.0 * np.eye(3)[y]
    D = np.abs(X[:, None] - X).sum(axis=2)
    table = pd.DataFrame({"size": [9, 8, 7], "jaccard": [0.9, 0.75, 0.4], "standard_error": [0.01] * 3,
                          "recovered": [1.0, 0.6, 0.1], "dissolved": [0.0, 0.1, 0.7]}, index=list("abc"))  # fmt: skip
    clusters = stability.ClusterStability(
        table, y[:24], np.linspace(0, 1, 24), 20, np.array([3, 3, 4])
    )
    curve = stability.StabilityCurve("It", pd.DataFrame({"value": [0.9, 0.95], "null": [0.5, 0.6], "ratio": [0.2, 0.125]}, index=[2, 3]),
                                  {2: np.ones(2), 3: np.ones(2)}, True, 3, "the rule", 24)  # fmt: skip
    whole = stability.Assessment(
        "ward", curve, clusters, 3.0, np.arange(24) * 2, np.arange(3), np.eye(3), 5
    )
    return {
        "X": X,
        "Signs": Signs(),
        "D": D,
        "near": KNeighborsClassifier(1),
        "cloud": rng.normal(size=(40, 2)),
        "six": np.concatenate([X, X + 90]),
        "y": y,
        "clusters": clusters,
        "W": whole,
        "curve": curve,
        "halves2": np.random.default_rng(4).normal(size=(80, 2))
        + np.arange(80)[:, None] % 2 * 50.0,
    }


# fmt: off
CASES = {
    "ben_hur": [
        lambda X: [vars(c) for c in [stability.ben_hur(X, "ward", k=[1, 2, 3], random_state=1,
            n_resamples=4)]],
        lambda X: [vars(c) for c in [stability.ben_hur(X, "ward", k=3, random_state=1,
            n_resamples=3, n_references=2, fraction=.7, similarity="fowlkes_mallows")]],
        lambda X, Signs: [vars(c) for c in [stability.ben_hur(X, Signs, k=2, random_state=1,
            n_resamples=3, similarity="matching")]],
        lambda D: [vars(c) for c in [stability.ben_hur(D, "average", k=[2, 3], random_state=1,
            n_resamples=3, metric="precomputed", similarity="adjusted_rand")]],
        lambda X: fails(stability.ben_hur, X, "ward", k=[0]),
        lambda X: fails(stability.ben_hur, X, "ward", k=[25]),
        lambda X: fails(stability.ben_hur, X, "ward", k=[]),
        lambda X: fails(stability.ben_hur, X, "ward", similarity="x"),
        lambda X: fails(stability.ben_hur, X, "ward", k=2, n_resamples=1),
        lambda X: fails(stability.ben_hur, X, "ward", k=2, fraction=1),
        lambda X: fails(stability.ben_hur, X, "ward", k=2, fraction=0),
        lambda X: fails(stability.ben_hur, X[:3], "ward", k=2),
        lambda X: fails(stability.ben_hur, X[:9], "ward", k=1, fraction=.01),
    ],
    "levine_domany": [
        lambda X: [vars(c) for c in [stability.levine_domany(X, "ward", k=[2, 3], random_state=1,
            n_resamples=4)]],
        lambda X, Signs: [vars(c) for c in [stability.levine_domany(X, Signs, k=2, random_state=1,
            n_resamples=3, n_neighbors=3)]],
    ],
    "prediction_strength": [
        lambda X: [vars(c) for c in [stability.prediction_strength(X, "ward", k=[1, 2, 3, 4],
            random_state=1, n_splits=3)]],
        lambda X: [vars(c) for c in [stability.prediction_strength(X, "ward", k=[2, 5],
            random_state=1, n_splits=2, cutoff=1.0, classifier="neighbors", n_references=2)]],
        lambda X, Signs, near: [vars(c) for c in [stability.prediction_strength(X, Signs, k=2,
            random_state=1, n_splits=2, classifier=near)]],
        lambda X: fails(stability.prediction_strength, X, "ward", k=16),
    ],
    "lange": [
        lambda X: [vars(c) for c in [stability.lange(X, "ward", k=[1, 2, 3], random_state=1,
            n_splits=3)]],
        lambda X: [vars(c) for c in [stability.lange(X, "average", k=[2, 3, 4], random_state=1,
            n_splits=3, classifier="centroid", n_references=2)]],
        lambda X, Signs: [vars(c) for c in [stability.lange(X, Signs, k=2, random_state=1,
            n_splits=2)]],
        lambda X: fails(stability.lange, X, "ward", k=1),
        lambda X: fails(stability.lange, X, "ward", k=16),
        lambda X: fails(stability.lange, X, "ward", k=2, classifier="odd"),
        lambda D: fails(stability.lange, D, "average", k=2, classifier="centroid",
            metric="precomputed"),
    ],
    "fang_wang": [
        lambda X: [vars(c) for c in [stability.fang_wang(X, "ward", k=[1, 2, 3], random_state=1,
            n_resamples=3)]],
        lambda X, Signs: [vars(c) for c in [stability.fang_wang(X, Signs, k=2, random_state=1,
            n_resamples=3, classifier="neighbors")]],
        lambda X: fails(stability.fang_wang, X, "ward", k=1),
    ],
    "clest": [
        lambda X: [vars(c) for c in [stability.clest(X, "ward", k=[1, 2, 3, 4], random_state=1,
            n_splits=3, n_references=3)]],
        lambda cloud: [vars(c) for c in [stability.clest(cloud, "ward", k=[2, 3], random_state=1,
            n_splits=3, n_references=3)]],
        lambda X: [vars(c) for c in [stability.clest(X, "ward", k=[3], random_state=1, n_splits=3,
            n_references=3, p_max=0, d_min=.9)]],
        lambda X: fails(stability.clest, X, "ward", k=1),
        lambda X: fails(stability.clest, X, "ward", k=11),
        lambda X: fails(stability.clest, X, "ward", n_references=1),
        lambda cloud: [[c.selected, c.table] for c in [stability.clest(cloud, "ward", k=[2, 3],
            n_splits=3, n_references=4, random_state=s, p_max=p) for s in (0, 1) for p in (0.25,
            0.5)]],
    ],
    "subsampling": [
        lambda X: [vars(c) for c in [stability.subsampling(X, "ward", k=[2, 3], random_state=1,
            n_resamples=3)]],
        lambda X: [vars(c) for c in [stability.subsampling(X, "ward", k=[2, 3], random_state=1,
            folds=3, classifier="centroid")]],
        lambda X, Signs: [vars(c) for c in [stability.subsampling(X, Signs, k=2, random_state=1,
            n_resamples=3, n_runs=2)]],
        lambda six: [vars(c) for c in [stability.subsampling(six, "ward", k=[2, 3], random_state=1,
            method=2, n_resamples=8, estimator="silhouette")]],
        lambda six: [vars(c) for c in [stability.subsampling(six, "ward", k=[4], random_state=1,
            method=2, n_resamples=5, estimator="silhouette")]],
        lambda six: [vars(c) for c in [stability.subsampling(six, "ward", k=[2], random_state=1,
            method=3, n_resamples=2, estimator="gap")]],
        lambda X: [vars(c) for c in [stability.subsampling(X, "ward", k=[3], random_state=1,
            method=3, n_resamples=2, estimator="gap-pca")]],
        lambda X: fails(stability.subsampling, X, "ward", method=4),
        lambda X: fails(stability.subsampling, X, "ward", k=2, folds=1),
        lambda X: fails(stability.subsampling, X, "ward", k=2, folds=31),
        lambda X: fails(stability.subsampling, X, "ward", method=2, estimator="odd"),
        lambda X: fails(stability.subsampling, X, "ward", method=3, estimator="silhouette"),
        lambda D: fails(stability.subsampling, D, "average", method=2, metric="precomputed"),
        lambda X: [c.table for c in [stability.subsampling(X, "ward", k=[2, 3], n_resamples=3,
            n_runs=2, random_state=4, classifier=q) for q in ("neighbors", "centroid")]],
    ],
    "calibrated_stability": [
        lambda X: [vars(c) for c in [stability.calibrated_stability(X, "ward", k=[1, 2, 3],
            random_state=1, n_resamples=4, n_references=0)]],
        lambda six: [vars(c) for c in [stability.calibrated_stability(six, "ward", k=[2, 3, 6],
            random_state=1, n_resamples=4, n_references=2, everywhere=False)]],
        lambda D: [vars(c) for c in [stability.calibrated_stability(D, "average", k=[2, 3],
            random_state=1, n_resamples=4, n_references=2, metric="precomputed")]],
        lambda X: fails(stability.calibrated_stability, X, "ward", k=1),
        lambda X: fails(stability.calibrated_stability, X, "ward", k=16),
        lambda X: fails(stability.calibrated_stability, X, "ward", k=2, n_references=1),
        lambda six: [c.table for c in [stability.calibrated_stability(np.concatenate([six, six[:10]
            + 200]), "ward", k=[2, 9], n_resamples=3, n_references=0, random_state=3)]],
        lambda cloud: [[c.details, c.samples, c.table] for c in
            [stability.calibrated_stability(cloud, "ward", k=[2, 3, 4], n_resamples=3,
            n_references=2, random_state=s, everywhere=e) for s, e in ((0, True), (1, False))]],
    ],
    "consensus_matrix": [
        lambda X: fails(stability.consensus_matrix, X, "ward", k=2, n_resamples=65536),
        lambda X: fails(stability.consensus_matrix, X, "ward", k=25),
        lambda X: [(c.table, c.labels, c.headline, c.order(k), c.matrix(k), c.rows(k, 2, 4)) for k
            in [2] for c in [stability.consensus_matrix(X[:9], "ward", k=[2], n_resamples=6,
            random_state=0)]],
        lambda X, Signs: [(c.table, c.labels, c.headline, c.order(k), c.matrix(k), c.rows(k, 2, 4))
            for k in [3] for c in [stability.consensus_matrix(X[:9], Signs, k=[3], n_resamples=3,
            random_state=0)]],
    ],
    "clusterwise_bootstrap": [
        lambda X: fails(stability.clusterwise_bootstrap, X, "ward", labels=[1, 2]),
        lambda X: fails(stability.clusterwise_bootstrap, X, "ward", labels=[-1] * 30),
        lambda X: fails(stability.clusterwise_bootstrap, X, "ward", k=31),
    ],
    "assess": [
        lambda X, y: fails(stability.assess, X, "ward", labels=y),
        lambda X, y: fails(stability.assess, X, "ward", labels=y[:3], value=3),
        lambda X: fails(stability.assess, X, "ward", n_resamples=1),
        lambda X: [(a.value, a.clusterer, a.curve) for a in [stability.assess(X, "hdbscan",
            n_resamples=2, n_references=0)]],
        lambda X: [(a.rows, a.value) for a in [stability.assess(X, "ward", k=[1, 2, 3],
            n_resamples=2, n_references=0, max_objects=12)]],
        lambda halves2: [(a.selected, a.value, a.number) for a in (stability.assess(halves2,
            "ward", k=[2, 3], n_resamples=6, n_references=2, random_state=0, everywhere=e) for e in
            (True, False))],
    ],
    "clusters": [
        lambda clusters: ([replace(clusters, refits=r).advice for r in (None, np.array([.9, .75,
            .8]), np.array([.9, .749, .3]))], [replace(clusters,
            table=clusters.table.assign(jaccard=j)).advice for j in (.8, .1)]),
    ],
    "ESTIMATORS": [
        lambda X: ([f(X, "ward", [1, 2, 3, 4], 0) for name, (f, one) in
            stability.ESTIMATORS.items() if name in ("gap", "silhouette", "prediction-strength")],
            [one for f, one in stability.ESTIMATORS.values()]),
    ],
    "curve": [
        lambda W, curve: [str(replace(W, curve=replace(curve, table=pd.DataFrame({"value": [.9,
            .95, .8], "null": [.5, .6, .7], "ratio": [.2, .125, .4]}, index=[2, 3, 4])))),
            str(replace(W, curve=None))],
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
