"""Answers for data with 1, 3 and 5 groups, wide data and counts of terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sortal
from values import table_test


def fixtures() -> dict[str, Any]:
    """Data with 1, 3 and 5 groups, wide data, counts of terms; drawn one after the other."""
    rng = np.random.default_rng(0)
    three, five, four = (np.arange(n) % k for n, k in ((90, 3), (240, 5), (150, 4)))
    topics = ["wine grape soil vine cork", "ship harbour sea sail wind", "bread oven flour salt"]
    words = [topic.split() for topic in topics]
    documents = [" ".join(rng.choice(words[i % 3], 6)) for i in range(60)]
    return {
        "ONE": rng.normal(size=(80, 2)),
        "X": rng.normal(size=(90, 2)) + 4.0 * np.eye(3)[three][:, :2] + 1.0,
        "FIVE": rng.normal(size=(240, 4)) + 2.5 * rng.normal(size=(5, 4))[five],
        "WIDE": rng.normal(size=(150, 60)) + rng.normal(size=(4, 60))[four],
        "S": sortal.text.TextVectorizer().fit_transform(documents),
        "WARD": sortal.clusterers.catalogue["ward"].make(3, 0),
        "y5": five,
    }


def clusters_of(key: str) -> list[Callable[..., Any]]:
    """The clusters of five groups by one clusterer, and of topics if it can find them."""
    record = sortal.clusterers.catalogue[key]
    value = record.values[0] if record.values else 3
    cases: list[Callable[..., Any]] = [lambda FIVE: record.make(value, 0).fit_predict(abs(FIVE))]
    if "cosine" in record.distances and key != "spectral-symmetric":
        cases.append(lambda S: record.make(value, 0).fit_predict(abs(S)))
    return cases


# fmt: off
CASES = {
    "assess_structure": [
        lambda ONE: vars(sortal.assess_structure(ONE)),
        lambda WIDE: vars(sortal.assess_structure(WIDE)),
    ],
    "stability.draw_reference": [
        lambda X: sortal.stability.draw_reference(X, "uniform", random_state=0)[:4],
        lambda X: sortal.stability.draw_reference(X, "gaussian", random_state=0)[:4],
        lambda S: sortal.stability.draw_reference(S, "shuffled", random_state=0).toarray().sum(axis=1),
    ],
    "stability.ben_hur": [
        lambda FIVE: sortal.stability.ben_hur(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=6),
    ],
    "stability.clest": [
        lambda FIVE: sortal.stability.clest(FIVE, "ward", k=[2, 4, 5], random_state=0, n_splits=4,
            n_references=3),
    ],
    "stability.levine_domany": [
        lambda FIVE: sortal.stability.levine_domany(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=4),
    ],
    "stability.fang_wang": [
        lambda FIVE: sortal.stability.fang_wang(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=5),
    ],
    "stability.lange": [
        lambda FIVE: sortal.stability.lange(FIVE, "ward", k=[2, 4, 5], random_state=0, n_splits=4),
    ],
    "stability.prediction_strength": [
        lambda FIVE: sortal.stability.prediction_strength(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_splits=4),
    ],
    "stability.subsampling": [
        lambda FIVE: sortal.stability.subsampling(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=2, method=1),
        lambda FIVE: sortal.stability.subsampling(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=2, method=2),
        lambda FIVE: sortal.stability.subsampling(FIVE, "ward", k=[2, 4, 5], random_state=0,
            n_resamples=2, method=3),
    ],
    "stability.clusterwise_bootstrap": [
        lambda FIVE: sortal.stability.clusterwise_bootstrap(FIVE, "kmeans", k=5, n_resamples=6,
            random_state=0),
    ],
    "stability.assess": [
        lambda FIVE: str(sortal.stability.assess(FIVE, "kmeans", k=[4, 5], random_state=0)),
    ],
    "inference.differences": [
        lambda FIVE, WARD: sortal.inference.differences(FIVE, WARD),
    ],
    "stability.consensus_matrix": [
        lambda X: sortal.stability.consensus_matrix(X[:9], "ward", k=[2], n_resamples=9,
            random_state=0),
    ],
    "inference.mixture_covariance": [
        lambda FIVE: sortal.inference.mixture_covariance(FIVE),
    ],
    "guarantee": [
        lambda y5: str(sortal.guarantee(y5, [int(c) if i % 4 == 0 else None for i, c in
            enumerate(y5)])),
    ],
    "pac_mdl_bound": [
        lambda y5: sortal.pac_mdl_bound(y5, [int(c) if i % 4 == 0 else None for i, c in
            enumerate(y5)]),
    ],
    "meaning.describe_clusters": [
        lambda FIVE, y5: [str(one) for one in sortal.meaning.describe_clusters(FIVE, y5)],
    ],
    "labeling.agreement": [
        lambda: sortal.labeling.agreement([(0, 0), (1, 1), (1, 0), (2, 2), (2, 2)], 100),
    ],
    "labeling.teaching_objects": [
        lambda y5: sortal.labeling.teaching_objects([y5, np.minimum(y5, 2)], 9, random_state=0),
    ],
    "labeling.central_objects": [
        lambda FIVE, y5: sortal.labeling.central_objects(FIVE, y5, 3),
    ],
    "bench.compare_methods": [
        lambda: sortal.bench.compare_methods({"a": [.9, .8, .7, .8], "b": [.8, .7, .7, .9]}),
    ],
    "bench.rank_agreement": [
        lambda: sortal.bench.rank_agreement({"u": {"a": [.9, .8, .7], "b": [.8, .7, .7]}, "v": {"a":
            [.5, .6, .7], "b": [.8, .5, .8]}}, random_state=0),
    ],
    "bench.expected_best": [
        lambda: sortal.bench.expected_best([.1, .5, .4, .7], 2),
    ],
    "bench.mean_interval": [
        lambda: sortal.bench.mean_interval([.1, .5, .4, .7]),
    ],
    "text": [
        lambda S: sortal.text.telling_terms(S, np.arange(60) % 3),
        lambda S: sortal.text.topic_quality(S, np.arange(60) % 3),
    ],
    **{key: clusters_of(key) for key in sortal.clusterers.catalogue},
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
