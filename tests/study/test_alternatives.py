"""Other ways to divide the objects: planted ones are found, copies and merges are none."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons

import sortal
from sortal.judge import load_judge
from sortal.labelings import canonical_codes
from sortal.measures import adjusted_mutual_information, adjusted_rand_index
from sortal.study import Alternatives
from sortal.study.alternatives import search
from sortal.study.facts import Recovery
from sortal.study.views import (
    dependence,
    differ,
    diverse,
    groups_of,
    independent_blocks,
    residual,
    shared_information,
    space_between,
)
from sortal.study.wording import divisions


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
    assert found.to_dict()["sentences"] == divisions.sentences(found)
    json.dumps(found.to_dict())
    assert "divides by" in str(found)


def test_independent_groups_of_features():
    X, *_ = crossed()
    found = {view.features for view in independent_blocks(X, "euclidean")}
    assert found == {(0, 1), (2, 3), (4,)} or found == {(0, 1), (2, 3), (4,)} | {(1,)}
    assert independent_blocks(X @ np.linalg.qr(np.ones((5, 5)) + np.eye(5))[0], "euclidean") == []
    # a third cluster of a tenth is excluded by another one: no quartile shows it
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 600, p=[0.7, 0.2, 0.1])
    Y = np.array([[0, 0], [6, 0], [0, 6]])[codes] + rng.normal(size=(600, 2))
    assert independent_blocks(Y, "euclidean") == []


@pytest.mark.long
def test_each_group_of_features_is_clustered_by_every_method():
    rng = np.random.default_rng(0)
    M, b = make_moons(600, noise=0.05, random_state=0)
    a = rng.integers(3, size=600)
    A = np.array([[0, 0], [6, 0], [3, 5]])[a] + rng.normal(size=(600, 2))
    X = np.hstack([A, 2.5 * (M - M.mean(axis=0)) / M.std(axis=0)])
    answer = canonical_codes(2 * a + (X[:, 2] > 0)), Recovery(0.6, 0.4, 0.8)
    result = found_in(X, {"answer": answer}, "answer")
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
    assert str(found) == divisions.REASONS["structure"]


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


def pool_of(X, seed=0):
    """Candidates with expectations of their own, in some order."""
    from sklearn.cluster import KMeans

    codes = {
        f"{k}": canonical_codes(KMeans(k, n_init=3, random_state=seed).fit_predict(X))
        for k in (2, 3, 4, 6)
    }
    return {name: (own, Recovery(0.8 - 0.01 * len(name), 0.5, 1)) for name, own in codes.items()}


def found_in(X, pool, first="6"):
    return search(X, "euclidean", pool, first, load_judge(), [f"x{j}" for j in range(X.shape[1])])


def partitions(found, order=None):
    order = slice(None) if order is None else order
    return {canonical_codes(one.labels[order]).tobytes() for one in found}


@cache
def searched():
    X, *_ = crossed(3)
    pool = pool_of(X)
    return X, pool, partitions(found_in(X, pool))


def test_order_of_objects_features_and_candidates_does_not_matter():
    X, pool, found = searched()
    assert len(found) == 2
    order = np.random.default_rng(0).permutation(len(X))
    moved = {
        name: (canonical_codes(own[order]), worth) for name, (own, worth) in reversed(pool.items())
    }
    assert partitions(found_in(X[order, ::-1].copy(), moved), np.argsort(order)) == found


def test_a_copied_candidate_is_no_alternative():
    X, pool, found = searched()
    copied = pool | {f"copy of {name}": one for name, one in pool.items()}
    assert partitions(found_in(X, copied)) == found


# -- parts -----------------------------------------------------------------------------------


def test_shared_information_is_adjusted_mutual_information_to_first_order():
    rng = np.random.default_rng(0)
    for _ in range(5):
        a, b = rng.integers(3, size=2000), rng.integers(4, size=2000)
        b = np.where(rng.random(2000) < 0.4, a, b)
        exact = adjusted_mutual_information(a, b, normalizer="min")
        assert shared_information(a, b) == pytest.approx(exact, abs=1e-3)
    assert shared_information(np.array([0, -1, -1]), np.array([-1, 0, 0])) == 0


def test_finer_coarser_and_merged_clusterings_do_not_differ():
    fine = np.arange(300) % 3
    assert not differ(fine, np.minimum(fine, 1))
    # two mergers of three clusters: they tell little of each other, but two never meet
    sizes = np.repeat([0, 1, 2], [30, 30, 240])
    one, other = (sizes == 0).astype(int), (sizes == 1).astype(int)
    assert shared_information(one, other) < 0.2
    assert not differ(one, other)
    assert differ(np.arange(300) % 2, np.arange(300) // 2 % 2)


def test_the_most_different_are_kept():
    base = np.arange(64)
    bits = [base >> shift & 1 for shift in range(4)]
    near = bits[0].copy()
    near[:24] = bits[1][:24]
    assert diverse([bits[0], near, bits[1], bits[2]], 3) == [0, 2, 3]
    assert diverse([], 3) == []


def test_dependent_features_are_grouped():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 500))
    P = np.column_stack([one, one + 0.3 * rng.normal(size=500), other, np.abs(other)])
    V, linked = dependence(P)
    assert linked[0, 1]
    assert linked[2, 3]
    assert not linked[:2, 2:].any()
    assert np.allclose(V, V.T)
    assert {(0, 1), (2, 3)} <= set(groups_of(P))


def test_what_is_left_is_orthogonal_to_the_known_clustering():
    X, a, _ = crossed()
    view = residual(X, "euclidean", {"a": a.astype(np.int32)})
    left = view.points(X)
    assert left.shape == (240, 4)
    means = [left[a == c].mean(axis=0) for c in (0, 1)]
    assert np.allclose(means[0], means[1])
    axes = space_between(X, [a.astype(np.int32)])
    assert np.allclose(axes.T @ axes, np.eye(1))


def test_nothing_is_left_where_a_clustering_spans_the_space():
    X, a, b = crossed(noise=0)
    assert residual(X[:, :2], "euclidean", {"ab": (3 * a + b).astype(np.int32)}) is None


def test_words_for_views():
    from sortal.study.views import DataView

    names = ["income", "age", "region", "rent"]
    assert divisions.seen_in(DataView("features", (0, 2)), names) == "income and region"
    assert divisions.seen_in(DataView("features", (0, 1, 2, 3)), names) == "income, age and 2 more"
    assert (
        divisions.seen_in(DataView("residual", (), ("ward k=2",)), names) == "what ward k=2 leaves"
    )
    assert divisions.sentences(Alternatives((), reason="graph")) == [divisions.REASONS["graph"]]
