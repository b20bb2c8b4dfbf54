"""Answers for data with 1, 3 and 5 groups, wide data and counts of terms."""

from __future__ import annotations

from typing import Any

import numpy as np

import karat
from values import table_test


def fixtures() -> dict[str, Any]:
    """What the expressions may use: data with 1, 3 and 5 groups, wide data, counts of terms."""
    rng = np.random.default_rng(0)
    three, five, four = (np.arange(n) % k for n, k in ((90, 3), (240, 5), (150, 4)))
    return {
        "ONE": rng.normal(size=(80, 2)),
        "WIDE": rng.normal(size=(150, 60)) + rng.normal(size=(4, 60))[four],
        "X": rng.normal(size=(90, 2)) + 4.0 * np.eye(3)[three][:, :2] + 1.0,
        "FIVE": rng.normal(size=(240, 4)) + 2.5 * rng.normal(size=(5, 4))[five],
        "WARD": karat.clusterers.catalogue["ward"].make(3, 0),
        "y5": five,
    }


# fmt: off
CASES = {
    "assess_structure": [
        lambda ONE: vars(karat.assess_structure(ONE)),
        lambda WIDE: vars(karat.assess_structure(WIDE)),
    ],
    "stability.draw_reference": [
        lambda X: karat.stability.draw_reference(X, "uniform", random_state=0)[:4],
        lambda X: karat.stability.draw_reference(X, "gaussian", random_state=0)[:4],
    ],
    "clusterers.catalogue": [
        lambda: sorted(karat.clusterers.catalogue),
        lambda FIVE: karat.clusterers.catalogue["kmeans"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["bisecting-kmeans"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["single"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["complete"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["average"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["weighted"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["centroid"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["ward"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["kmedoids"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["clara"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["orclus"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["genie"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["spectral"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["gaussian-mixture"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["mixed-mixture"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["hdbscan"].make(5, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["hdbscan-filled"].make(5, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["informativeness-agglomeration"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["dbscan"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["optics"].make(5, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["spherical-kmeans"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["spherical-kmeans-refined"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["frequency-sensitive-kmeans"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["hard-movmf"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["soft-movmf"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["i2-direct"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["h1-direct"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["i2-bisection"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["h1-bisection"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["h2-bisection"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["i1-agglomerative"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["i2-agglomerative"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["e1-agglomerative"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["h1-agglomerative"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["h2-agglomerative"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["spectral-unnormalized"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["spectral-random-walk"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["spectral-symmetric"].make(3,
            0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["nc-nmf"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["pca-kmeans"].make(3, 0).fit_predict(abs(FIVE)),
        lambda FIVE: karat.clusterers.catalogue["kl-kmeans"].make(3, 0).fit_predict(abs(FIVE)),
    ],
    "stability.ben_hur": [
        lambda FIVE: karat.stability.ben_hur(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=6),
    ],
    "stability.clest": [
        lambda FIVE: karat.stability.clest(FIVE, "ward", k=[2, 4, 5], random_state=0, n_splits=4,
            n_references=3),
    ],
    "stability.levine_domany": [
        lambda FIVE: karat.stability.levine_domany(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=4),
    ],
    "stability.fang_wang": [
        lambda FIVE: karat.stability.fang_wang(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=5),
    ],
    "stability.lange": [
        lambda FIVE: karat.stability.lange(FIVE, "ward", k=[2, 4, 5], random_state=0, n_splits=4),
    ],
    "stability.prediction_strength": [
        lambda FIVE: karat.stability.prediction_strength(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_splits=4),
    ],
    "stability.subsampling": [
        lambda FIVE: karat.stability.subsampling(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=2, method=1),
        lambda FIVE: karat.stability.subsampling(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=2, method=2),
        lambda FIVE: karat.stability.subsampling(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=2, method=3),
    ],
    "stability.clusterwise_bootstrap": [
        lambda FIVE: karat.stability.clusterwise_bootstrap(FIVE, "kmeans", k=5, n_resamples=6,
            random_state=0),
    ],
    "stability.assess": [
        lambda FIVE: str(karat.stability.assess(FIVE, "kmeans", k=[4, 5], random_state=0)),
    ],
    "inference.differences": [
        lambda FIVE, WARD: karat.inference.differences(FIVE, WARD),
    ],
    "stability.consensus_matrix": [
        lambda X: karat.stability.consensus_matrix(X[:9], "ward", k=[2], n_resamples=9,
            random_state=0),
    ],
    "inference.mixture_covariance": [
        lambda FIVE: karat.inference.mixture_covariance(FIVE),
    ],
    "guarantee": [
        lambda y5: str(karat.guarantee(y5, [int(c) if i % 4 == 0 else None for i, c in
            enumerate(y5)])),
    ],
    "pac_mdl_bound": [
        lambda y5: karat.pac_mdl_bound(y5, [int(c) if i % 4 == 0 else None for i, c in
            enumerate(y5)]),
    ],
    "meaning.describe_clusters": [
        lambda FIVE, y5: [str(one) for one in karat.meaning.describe_clusters(FIVE, y5)],
    ],
    "labeling.agreement": [
        lambda: karat.labeling.agreement([(0, 0), (1, 1), (1, 0), (2, 2), (2, 2)], 100),
    ],
    "labeling.teaching_objects": [
        lambda y5: karat.labeling.teaching_objects([y5, np.minimum(y5, 2)], 9, random_state=0),
    ],
    "labeling.central_objects": [
        lambda FIVE, y5: karat.labeling.central_objects(FIVE, y5, 3),
    ],
    "bench.compare_methods": [
        lambda: karat.bench.compare_methods({"a": [.9, .8, .7, .8], "b": [.8, .7, .7, .9]}),
    ],
    "bench.rank_agreement": [
        lambda: karat.bench.rank_agreement({"u": {"a": [.9, .8, .7], "b": [.8, .7, .7]}, "v": {"a":
            [.5, .6, .7], "b": [.8, .5, .8]}}, random_state=0),
    ],
    "bench.expected_best": [
        lambda: karat.bench.expected_best([.1, .5, .4, .7], 2),
    ],
    "bench.mean_interval": [
        lambda: karat.bench.mean_interval([.1, .5, .4, .7]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
