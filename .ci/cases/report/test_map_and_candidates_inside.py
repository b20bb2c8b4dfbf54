"""The map, the cards and the candidates of the page, against their definitions."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.manifold import trustworthiness

import sortal
from sortal.distances.neighbors import neighbor_lists
from sortal.plot import layout as layouts
from sortal.plot.layout import lay_out, n_neighbors, principal_plane, share_kept
from sortal.report import render
from sortal.report._cards import cards
from sortal.report._facts import gather
from sortal.report._map import ObjectMap

RNG = np.random.default_rng(0)


def payload(study: sortal.Study) -> Any:
    found = re.search(r'id="payload">(.*?)</script>', render(study), re.S)
    assert found is not None
    return json.loads(found[1])


def unpacked(data: Any) -> np.ndarray:
    values = np.frombuffer(gzip.decompress(base64.b64decode(data["labels"])), dtype="<u2")
    return values.reshape(len(data["candidates"]), -1)


def test_share_kept_is_its_definition() -> None:
    X, points = RNG.normal(size=(60, 5)), RNG.normal(size=(60, 2))
    kept = []
    for i in range(60):
        near = [np.argsort(cdist(A[[i]], A)[0], kind="stable")[1:11] for A in (X, points)]
        kept.append(len(set(near[0]) & set(near[1])) / 10)
    found = share_kept(neighbor_lists(X, 10).indices, points)
    assert found == pytest.approx(np.mean(kept))


def laid(X: np.ndarray) -> layouts.PlaneLayout:
    return lay_out(X, neighbor_lists(X, n_neighbors(len(X))))


def test_principal_components_where_they_keep_most_neighbours() -> None:
    X = load_iris().data
    found = laid(X)
    assert found.kept is not None
    assert found.kept >= 0.5
    assert found.axes[0].startswith("Principal component 1")
    np.testing.assert_allclose(found.points, principal_plane(X)[0], atol=1e-5)


def test_neighbours_are_kept_where_principal_components_lose_them() -> None:
    X = load_digits().data[:240]
    found, plane = laid(X), principal_plane(X)[0]
    lists = neighbor_lists(X, 10).indices
    assert found.axes == ("", "")
    assert found.kept == pytest.approx(share_kept(lists, found.points))
    assert found.kept is not None
    assert found.kept > 1.5 * share_kept(lists, plane)
    assert trustworthiness(X, found.points, n_neighbors=10) > 0.95
    np.testing.assert_array_equal(found.points, laid(X).points)


def test_further_objects_go_between_their_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    X = load_digits().data[:240]
    plane = share_kept(neighbor_lists(X, 10).indices, principal_plane(X)[0])
    monkeypatch.setattr(layouts, "PLACED", 150)
    found = laid(X)
    assert found.kept is not None
    assert found.axes == ("", "")
    assert found.kept > 1.5 * plane


@pytest.mark.parametrize(
    "X", [np.zeros((30, 4)), np.eye(12), np.repeat(RNG.normal(size=(3, 5)), 10, axis=0)]
)
def test_alike_objects_have_a_place(X: np.ndarray) -> None:
    assert np.isfinite(laid(X).points).all()


def test_edge_is_its_definition() -> None:
    X = RNG.normal(size=(80, 2))
    labels = RNG.integers(-1, 4, 80)
    labels[labels == 3] = 0
    labels[:4] = 3
    rows = RNG.permutation(80)
    near = neighbor_lists(X[rows], 10).indices
    shown = ObjectMap(rows, layouts.PlaneLayout(X[rows].astype(np.float32), None), near)
    own = labels[rows]
    for i, found in enumerate(shown.edge(labels)):
        counted = min(10, int((own == own[i]).sum()) - 1)
        same = sum(own[j] == own[i] for j in near[i][:counted])
        assert found == (own[i] >= 0 and counted > 0 and 2 * same < counted)


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


def test_labels_of_every_candidate_are_in_the_page(study: sortal.Study, data: Any) -> None:
    ranked, rows = study.rank(), gather(study).chosen.map.rows  # type: ignore[union-attr]
    values = unpacked(data)
    assert len(values) == len(ranked)
    for name, packed in zip(ranked.index, values, strict=True):
        np.testing.assert_array_equal((packed >> 1).astype(int) - 1, study.labels(name)[rows])
    scores = study.scores()
    for place, partition in zip(data["opens"], scores["partition"], strict=True):
        assert ranked["partition"].iloc[place] == partition


def test_descriptions_are_of_the_clusters(study: sortal.Study) -> None:
    facts = gather(study)
    assert facts.chosen is not None
    found = cards(facts)
    assert [one["about"].size for one in found] == list(study.best().sizes)
    for one in found:
        own = study.best().labels == one["cluster"]
        assert one["about"].share == pytest.approx(own.mean())
        first, length = one["telling"][0]
        j = facts.chosen.feature_names.index(first.feature)
        z = (study.X[own].mean(axis=0) - study.X.mean(axis=0)) / study.X.std(axis=0)
        assert j == np.argmax(np.abs(z))
        assert np.sign(length) == np.sign(z[j])
