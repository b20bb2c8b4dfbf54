"""The map, the cards and the candidates of the page, against their definitions."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import make_blobs

import sortal
from sortal.report import render

RNG = np.random.default_rng(0)


def payload(study: sortal.Study) -> Any:
    found = re.search(r'id="payload">(.*?)</script>', render(study), re.S)
    assert found is not None
    return json.loads(found[1])


def unpacked(data: Any) -> np.ndarray:
    values = np.frombuffer(gzip.decompress(base64.b64decode(data["labels"])), dtype="<u2")
    return values.reshape(len(data["candidates"]), -1)


@pytest.fixture(scope="module")
def study() -> sortal.Study:
    X, _ = make_blobs(300, n_features=4, centers=4, cluster_std=1.6, random_state=1)
    study = sortal.Study(X)
    study.sweep(["kmeans", "ward"], k=range(2, 7), n_init=1, workers=1)
    study.add({"thin": np.where(np.arange(300) < 20, -1, np.arange(300) % 3)})
    study.by = "consensus"
    return study


@pytest.fixture(scope="module")
def data(study: sortal.Study) -> Any:
    return payload(study)


def test_flows_sizes_and_cards_are_those_of_all_objects(study: sortal.Study, data: Any) -> None:
    chosen = study.best().labels
    X, names = study.X, list(study.dataset.feature_names)
    for name, one in zip(study.rank().index, data["candidates"], strict=True):
        labels = study.labels(name)
        assert one["sizes"] == np.bincount(labels[labels >= 0]).tolist()
        assert one["outliers"] == (labels < 0).sum()
        assert sum(flow[2] for flow in one["flows"]) == len(labels)
        for a, b, count in one["flows"]:
            assert count == ((chosen == a) & (labels == b)).sum()
        assert len(set(one["slots"])) == len(one["slots"])
        for c, told in enumerate(one["told"]):
            for j, value, length, elsewhere in told:
                column = X[:, names.index(data["features"][j])]
                mean, rest = column[labels == c].mean(), column[labels != c].mean()
                assert float(value) == pytest.approx(mean, rel=6e-3, abs=1e-3)
                assert float(elsewhere) == pytest.approx(rest, rel=6e-3, abs=1e-3)
                assert np.sign(length) == np.sign(mean - rest)
    assert data["candidates"][0]["slots"] == list(range(len(data["candidates"][0]["sizes"])))
    # a cluster is told by what it has less of, too
    lengths = [told[2] for one in data["candidates"] for each in one["told"] for told in each]
    assert min(lengths) < 0 < max(lengths)


def test_matched_clusters_have_one_colour(study: sortal.Study, data: Any) -> None:
    name = study.rank().index[1]
    one, chosen, labels = data["candidates"][1], study.best().labels, study.labels(name)
    table = np.zeros((chosen.max() + 1, labels.max() + 1))
    np.add.at(table, (chosen[labels >= 0], labels[labels >= 0]), 1)
    most = table[linear_sum_assignment(-table)].sum()
    assert np.sum(np.array(one["slots"])[labels[labels >= 0]] == chosen[labels >= 0]) == most


def test_headline_has_no_word_that_needs_a_course(study: sortal.Study) -> None:
    told = study.best().sentences[0]
    learned = ("cluster", "index", "silhouette", "ARI", "judge", "partition", "k=", "kmeans", "τ")
    assert not [word for word in learned if word in told]


@pytest.mark.long
def test_two_hundred_candidates_fit_into_five_megabytes() -> None:
    X, _ = make_blobs(3000, n_features=12, centers=6, random_state=0)
    study = sortal.Study(X)
    study.add({f"clustering {i}": RNG.integers(0, 2 + i % 19, 3000) for i in range(200)})
    study.by = "calinski_harabasz_index"
    page = render(study)
    assert len(page.encode()) < 5e6
    assert unpacked(payload(study)).shape == (200, 3000)
