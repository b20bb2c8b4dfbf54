"""Embeddings beside terms: rows by ids, one distance for all, clusterers on each alone."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_distances

import karat
from karat.datasets import from_array, with_embeddings
from karat.runtime.validation import InputError

WORDS = {
    "sea": ["ship", "sail", "wave", "anchor", "harbour", "tide", "captain", "deck"],
    "food": ["cheese", "wine", "bread", "butter", "salt", "pepper", "onion", "soup"],
    "law": ["court", "judge", "appeal", "verdict", "clause", "statute", "lawyer", "plea"],
}


def texts_and_classes(n=60, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.choice(list(WORDS), size=n)
    return [" ".join(rng.choice(WORDS[c], size=6)) for c in classes], classes


def embeddings_of(classes, seed=1):
    rng = np.random.default_rng(seed)
    axes = {c: i for i, c in enumerate(WORDS)}
    return np.eye(5)[[axes[c] for c in classes]] + rng.normal(scale=0.3, size=(len(classes), 5))


@pytest.fixture
def news(tmp_path):
    texts, classes = texts_and_classes()
    lines = [
        json.dumps({"id": f"d{i}", "text": t, "class": c})
        for i, (t, c) in enumerate(zip(texts, classes, strict=True))
    ]
    (tmp_path / "news.jsonl").write_text("\n".join(lines))
    return tmp_path / "news.jsonl", embeddings_of(classes)


def terms(n=40, seed=0):
    X = np.random.default_rng(seed).poisson(0.7, size=(n, 12)).astype(float)
    X[:, 0] += 1
    return replace(from_array(sparse.csr_array(X)), metric="cosine")


def test_distance_is_the_mean_of_both_in_which_they_contribute_alike():
    data, E = terms(), np.random.default_rng(3).normal(size=(40, 4)) + 2.0
    both = with_embeddings(data, E)
    D = [cosine_distances(part) for part in (data.X, E)]
    mean = [d[np.triu_indices(40, 1)].mean() for d in D]
    share = mean[1] / sum(mean)
    np.testing.assert_allclose(cosine_distances(both.X), share * D[0] + (1 - share) * D[1])
    assert share * mean[0] == pytest.approx((1 - share) * mean[1])
    np.testing.assert_allclose(cosine_distances(both.representations["embeddings"]), D[1])
    np.testing.assert_allclose(cosine_distances(both.representations["terms"]), D[0], atol=1e-12)
    assert both.without_embeddings().feature_names == data.feature_names


def test_objects_without_terms_or_without_an_embedding():
    data, E = terms(), np.random.default_rng(3).normal(size=(40, 4)) + 2.0
    X = data.X.toarray()
    X[[4, 9]], E[[9, 30]] = 0, 0
    data = replace(data, X=sparse.csr_array(X))
    both = with_embeddings(data, E)
    assert both.n_embedded == 5
    assert len(both.feature_names) == both.n_features == 12 + 1 + 4 + 1
    D = [cosine_distances(part) for part in (data.X, E)]
    D[0][4, 9] = D[0][9, 4] = D[1][9, 30] = D[1][30, 9] = 0.0  # among themselves
    mean = [d[np.triu_indices(40, 1)].mean() for d in D]
    share = mean[1] / sum(mean)
    expected = share * D[0] + (1 - share) * D[1]
    np.testing.assert_allclose(cosine_distances(both.X), expected, atol=1e-12)
    alone = both.without_embeddings()
    assert alone.feature_names == (*data.feature_names, "(no terms)")
    np.testing.assert_allclose(cosine_distances(alone.X), D[0], atol=1e-12)
    np.testing.assert_allclose(
        cosine_distances(both.representations["embeddings"]), D[1], atol=1e-12
    )


def test_rows_follow_the_ids(news):
    path, E = news
    order = np.random.default_rng(0).permutation(len(E))
    np.savez(path.with_name("E.npz"), embeddings=E[order], ids=[f"d{i}" for i in order])
    np.save(path.with_name("E.npy"), E)
    by_ids = karat.datasets.read(path, text_column="text", embeddings=path.with_name("E.npz"))
    in_order = karat.datasets.read(path, text_column="text", embeddings=path.with_name("E.npy"))
    assert by_ids.fingerprint == in_order.fingerprint
    assert any("no ids" in note for note in in_order.notes)
    assert not any("no ids" in note for note in by_ids.notes)
    again = karat.datasets.read(path, **by_ids.options)
    assert again.fingerprint == by_ids.fingerprint


def test_rows_in_another_order_are_noticed():
    texts, classes = texts_and_classes(200)
    X = karat.text.TextVectorizer(min_df=1).fit_transform(texts)
    data, E = replace(from_array(X), metric="cosine"), embeddings_of(classes)
    assert not any("Warning" in note for note in with_embeddings(data, E).notes)
    shuffled = E[np.random.default_rng(0).permutation(200)]
    assert any("order of the texts" in note for note in with_embeddings(data, shuffled).notes)


def test_input_validation(tmp_path):
    data = terms()
    E = np.ones((40, 2)) + np.arange(80).reshape(40, 2)
    with pytest.raises(InputError, match="39 embeddings and 40 objects"):
        with_embeddings(data, E[1:])
    with pytest.raises(InputError, match=r"1 of 40 objects are not there \(e.g. 7\)"):
        with_embeddings(data, E, ids=[i if i != 7 else "x" for i in range(40)])
    with pytest.raises(InputError, match="'3' occurs 2 times"):
        with_embeddings(data, E, ids=[*range(39), 3])
    with pytest.raises(InputError, match="39 ids of 40"):
        with_embeddings(data, E, ids=range(39))
    with pytest.raises(InputError, match=r"NaN|missing|finite"):
        with_embeddings(data, np.full((40, 2), np.nan))
    with pytest.raises(InputError, match="compared by the cosine"):
        with_embeddings(from_array(np.ones((40, 2))), E)
    with pytest.raises(InputError, match="has embeddings already"):
        with_embeddings(with_embeddings(data, E), E)
    with pytest.raises(InputError, match="there is no file"):
        with_embeddings(data, tmp_path / "none.npy")
    np.savez(tmp_path / "odd.npz", vectors=E)
    with pytest.raises(InputError, match=r"np\.savez"):
        with_embeddings(data, tmp_path / "odd.npz")
    with pytest.raises(InputError, match="euclidean"):
        karat.Study(with_embeddings(data, E), metric="euclidean")
