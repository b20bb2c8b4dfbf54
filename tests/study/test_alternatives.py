"""Other ways to divide the objects: planted ones are found, copies and merges are none."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

import sortal
from sortal.labelings import canonical_codes
from sortal.measures import adjusted_mutual_information, adjusted_rand_index


def crossed(seed=0, n=240, apart=(6.0, 5.0), noise=1, turned=False):
    """Two independent partitions, of two and three clusters, in two features each."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(2, size=n), rng.integers(3, size=n)
    A = np.array([[0, 0], [1, 0.3]])[a] * apart[0]
    B = np.array([[0, 0], [1, 0], [0.5, 0.9]])[b] * apart[1]
    X = np.column_stack([A, B, np.zeros((n, noise))]) + rng.normal(size=(n, 4 + noise))
    if turned:
        X = X @ np.linalg.qr(rng.normal(size=(X.shape[1],) * 2))[0]
    return X, a, b


def studied(X, **options):
    study = sortal.Study(X, **options)
    study.sweep(["kmeans", "ward"], k=range(2, 8), n_init=2, workers=1, progress=False)
    return study


@cache
def crossed_and_alternatives(turned):
    X, a, b = crossed(turned=turned)
    return a, b, X, studied(X).alternatives()


def agreement(truth, labels):
    return adjusted_rand_index(truth, labels, noise="singletons")


@pytest.mark.parametrize("turned", [False, pytest.param(True, marks=pytest.mark.long)])
def test_two_planted_partitions_are_found(turned):
    a, b, _, found = crossed_and_alternatives(turned)
    assert len(found) == 2
    for truth in (a, b):
        assert max(agreement(truth, one.labels) for one in found) > 0.8
    facts = json.loads(json.dumps(found.to_dict()))
    assert all(sentence in str(found) for sentence in facts["sentences"])
    assert "divides by" in str(found)


def test_the_agreement_is_adjusted_mutual_information_to_first_order():
    first, second = crossed_and_alternatives(False)[3]
    exact = adjusted_mutual_information(first.labels, second.labels, normalizer="min")
    for alternative in (first, second):
        assert alternative.agreement == pytest.approx(max(exact, 0), abs=5e-3)


@pytest.mark.long
def test_each_group_of_features_is_clustered_by_every_method():
    rng = np.random.default_rng(0)
    M, b = make_moons(600, noise=0.05, random_state=0)
    a = rng.integers(3, size=600)
    A = np.array([[0, 0], [6, 0], [3, 5]])[a] + rng.normal(size=(600, 2))
    X = np.hstack([A, 2.5 * (M - M.mean(axis=0)) / M.std(axis=0)])
    result = alternatives_among(X, {"answer": 2 * a + (X[:, 2] > 0)})
    assert result.crossed == "answer"
    assert {alternative.view.features for alternative in result} == {(0, 1), (2, 3)}
    for truth in (a, b):
        assert max(agreement(truth, alternative.labels) for alternative in result) > 0.7


def test_features_that_carry_are_named():
    a, _, X, found = crossed_and_alternatives(False)
    of_a = max(found, key=lambda one: agreement(a, one.labels))
    name, share = of_a.carried_by[0]
    assert name == "x1"
    column, labels = X[:, 0], of_a.labels
    means = np.array([column[labels == c].mean() for c in labels])
    explained = np.var(means) / np.var(column)
    assert share == pytest.approx(1 - (1 - explained) * 239 / (240 - of_a.n_clusters))


def test_one_planted_partition_is_one():
    rng = np.random.default_rng(1)
    centres = np.array([[0, 0, 0], [6, 1, 2], [2, 7, 1], [3, 2, 8]])
    X = np.column_stack([centres[np.arange(200) % 4], np.zeros((200, 2))])
    found = studied(X + rng.normal(size=X.shape)).alternatives()
    assert len(found) == 1
    assert "There is one way" in str(found)


def test_without_groups_there_is_none():
    X = np.random.default_rng(2).normal(size=(200, 4))
    found = studied(X).alternatives()
    assert len(found) == 0
    assert found.reason == "structure"
    assert "Other ways to group them were not sought" in str(found)


def test_degenerate_input_has_an_answer():
    study = sortal.Study([[0.0], [0.1], [5.0], [5.1]])
    study.add({"two": [0, 0, 1, 1]})
    assert study.alternatives().reason == "objects"
    with pytest.raises(sortal.InputError, match="n must be a whole number of at least 1; got 0"):
        study.alternatives(0)


@pytest.mark.long
def test_constant_features_and_copies_of_rows_change_nothing():
    X, a, b = crossed()
    found = studied(np.column_stack([np.vstack([X, X[:20]]), np.ones(260)])).alternatives()
    for truth in (a, b):
        best = max(agreement(truth, one.labels[:240]) for one in found)
        assert best > 0.8


def test_documents_have_alternatives_among_the_candidates_alone():
    terms = np.random.default_rng(0).poisson(np.kron(np.eye(2), np.ones((20, 6))) + 0.1)
    study = sortal.Study(sparse.csr_array(terms.astype(float)), metric="cosine")
    study.sweep(["kmeans", "average"], k=[2, 3], n_init=1, workers=1, progress=False)
    assert study.alternatives().searched == 0


# -- laws ------------------------------------------------------------------------------------


def clusterings_of(X):
    from sklearn.cluster import KMeans

    numbers = (2, 3, 4, 6)
    return {f"{k}": KMeans(k, n_init=3, random_state=0).fit_predict(X) for k in numbers}


def alternatives_among(X, labelings):
    return sortal.Study(X).add(labelings, reference=False).alternatives()


def partitions(found, order=None):
    order = slice(None) if order is None else order
    return {canonical_codes(one.labels[order]).tobytes() for one in found}


@cache
def searched():
    X, *_ = crossed(3)
    labelings = clusterings_of(X)
    return X, labelings, partitions(alternatives_among(X, labelings))


def test_order_of_objects_features_and_candidates_does_not_matter():
    X, labelings, found = searched()
    assert len(found) == 2
    order = np.random.default_rng(0).permutation(len(X))
    moved = {name: labels[order] for name, labels in reversed(labelings.items())}
    assert partitions(alternatives_among(X[order, ::-1], moved), np.argsort(order)) == found


def test_a_copied_candidate_is_no_alternative():
    X, labelings, found = searched()
    copied = labelings | {f"copy of {name}": labels for name, labels in labelings.items()}
    assert partitions(alternatives_among(X, copied)) == found


def test_a_look_at_scores_does_not_repeat_the_search():
    X, labelings, _ = searched()
    study = sortal.Study(X).add(labelings, reference=False)
    first = study.alternatives()
    study.scores()
    study.name_clusters({0: "a"}, by="Ann")
    again = study.alternatives()
    pairs = list(zip(first, again, strict=True))
    assert pairs
    assert all(before.labels is after.labels for before, after in pairs)
    study.add({"halves": np.arange(len(X)) % 2})
    assert all(one.labels is not two.labels for one in first for two in study.alternatives())
