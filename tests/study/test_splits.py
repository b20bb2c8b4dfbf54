"""The tree of splits: one answer for the number of groups, through every door."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

import sortal
from sortal.nulls import assess_structure
from sortal.study import split_tree


def groups_at(centres, each=60, seed=0, sd=1.0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, sd, (each, len(c))) for c in centres])


THREE = [(0, 0), (30, 0), (0, 30)]
#: three far groups, each of two that are 8 standard deviations apart
NESTED = [(x + dx, y) for x, y in [(0, 0), (60, 0), (30, 52)] for dx in (0, 8)]


def tree_of(X, metric="euclidean"):
    return split_tree(X, metric, assess_structure(X, metric=metric))


def nodes(split):
    yield split
    for child in split.children:
        yield from nodes(child)


def as_numbers(answer):
    return {number.k: number.probability for number in answer.numbers}


@pytest.mark.parametrize("centres", [THREE, NESTED, [(0, 0)], [(0, 0), (3.5, 0)]])
def test_numbers_are_probabilities_and_nodes_divide_their_parents(centres):
    tree = tree_of(groups_at(centres))
    assert sum(tree.numbers.values()) == pytest.approx(1)
    assert list(tree.numbers.values()) == sorted(tree.numbers.values(), reverse=True)
    low, high = tree.likely
    assert low <= tree.k <= high
    assert sum(p for k, p in tree.numbers.items() if low <= k <= high) >= 0.8
    for node in tree.root:
        assert 0 <= node.probability <= 1
        assert node.error >= 0
        if node.children:
            below = np.concatenate([child.objects for child in node.children])
            assert sorted(below) == sorted(node.objects)


def test_one_cloud_is_one_group():
    tree = tree_of(np.random.default_rng(0).normal(size=(250, 4)))
    assert tree.k == 1
    assert tree.likely[0] == 1
    assert tree.levels == []


def test_three_far_groups_are_three():
    X = groups_at(THREE)
    tree = tree_of(X)
    assert tree.k == 3
    assert tree.numbers[3] > 0.5
    assert sortal.adjusted_rand_index(np.repeat(range(3), 60), tree.place(len(X))) == 1


def test_groups_within_groups_are_found():
    X = groups_at(NESTED)
    tree = tree_of(X)
    assert tree.k == 6
    assert sortal.adjusted_rand_index(np.repeat(range(6), 60), tree.place(len(X))) > 0.99
    assert tree.levels[-1] == 6
    assert 3 in tree.levels


def test_a_few_far_objects_are_no_group():
    X = np.vstack([groups_at(THREE), [[400.0, 400.0]]])
    assert tree_of(X).k == 3


@pytest.mark.parametrize("metric", ["euclidean", "precomputed", "cosine", "manhattan"])
def test_the_order_of_the_objects_does_not_matter(metric):
    rng = np.random.default_rng(0)
    X = groups_at([(9, 0), (0, 9), (9, 9)], each=40)
    Q = X[rng.permutation(len(X))]
    if metric == "precomputed":
        X, Q = (np.linalg.norm(Z[:, None] - Z, axis=2) for Z in (X, Q))
    first, second = (
        sortal.Study(Z, metric=metric).add({"a": np.arange(120) % 2}).best(stability=False)
        for Z in (X, Q)
    )
    assert first.splits.k == second.splits.k
    assert as_numbers(first) == pytest.approx(as_numbers(second), abs=1e-6)


def test_doors_numbers_and_seeds_have_one_tree():
    X = groups_at([(0, 0), (4.5, 0), (0, 12)], each=40)
    answer = sortal.n_clusters(X)
    expected = {k: p for k, p in answer.probabilities.items() if p}
    for k, seed in product((range(2, 4), range(3, 7)), (0, 1)):
        study = sortal.Study(X, random_state=seed).sweep(["ward", "kmeans"], k=k, progress=False)
        best = study.best(stability=False)
        assert best.splits.k == answer.k
        found = {k: p for k, p in as_numbers(best).items() if p}
        assert found == pytest.approx(expected)


def test_the_answer_has_the_number_of_the_tree():
    X = groups_at(NESTED, each=30)
    best = sortal.Study(X).sweep(["ward", "kmeans"], progress=False).best(stability=False)
    assert best.n_clusters == best.splits.k == best.numbers[0].k == 6
    assert best.number_range == (6, 6)
    assert best.sentences[0].startswith("6 separate groups; ")
    assert {level.k for level in best.granularities} >= {6}
    assert best.splits.groups == tuple(map(str, range(6)))
    for node in nodes(best.splits):
        assert sum(len(child.groups) for child in node.children) in (0, len(node.groups))


def test_a_clustering_unlike_the_tree_is_not_chosen_for_its_number():
    X = groups_at(THREE)
    given = {"random": np.arange(180) % 3, "two": np.repeat([0, 1, 1], 60)}
    best = sortal.Study(X).add(given, reference=False).best(stability=False)
    assert (best.splits.k, best.name) == (3, "two")


def test_a_number_that_the_tree_does_not_have_is_said_so():
    X = groups_at(THREE)
    best = sortal.Study(X).sweep("ward", k=[2, 4], progress=False).best(stability=False)
    assert best.splits.k == 3
    assert best.numbers[0].probability < 0.5
    assert f"this clustering has {best.n_clusters}" in str(best)
    assert f"\n{best.n_clusters} groups; " in str(best)


def test_more_groups_than_were_tried_are_open():
    X = groups_at(NESTED, each=30)
    best = sortal.Study(X).sweep("ward", k=[2, 3], progress=False).best(stability=False)
    assert best.open_above == 3


def test_a_single_candidate_has_no_line_on_numbers():
    X = groups_at(THREE)
    best = sortal.Study(X).add({"mine": np.arange(180) % 3}).best(stability=False)
    assert best.splits.k == 3
    assert "How many" not in str(best)


@pytest.mark.parametrize(
    "X", [np.zeros((30, 2)), np.arange(12.0)[:, None], np.zeros((25, 25))], ids=["=", "few", "d"]
)
def test_degenerate_data_have_an_answer(X):
    metric = "precomputed" if X.shape == (25, 25) else "euclidean"
    given = {"a": np.arange(len(X)) % 2, "b": np.arange(len(X)) < 5}
    best = sortal.Study(X, metric=metric).add(given).best(stability=False)
    assert best.splits is None or best.splits.k == 1
    assert best.name in given


def test_a_graph_has_no_tree():
    A = np.kron(np.eye(2), np.ones((12, 12))) - np.eye(24)
    best = sortal.Study(A, metric="graph").add({"a": np.repeat([0, 1], 12)}).best(stability=False)
    assert (best.splits, best.number_range, best.numbers) == (None, None, ())


def test_the_tree_is_json():
    X = groups_at(THREE, each=40)
    best = sortal.Study(X).sweep("ward", k=[2, 3], progress=False).best(stability=False)
    content = json.loads(json.dumps(best.to_dict()))
    assert set(content["splits"]) == {
        "groups", "share", "probability", "error", "kind", "children"
    }  # fmt: skip
    assert content["splits"]["share"] == 1
    assert content["number_range"] == list(best.number_range)


def test_the_judge_alone_decides_the_number_of_groups_that_overlap():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 10)) + 0.8 * rng.normal(size=(8, 10))[rng.integers(8, size=400)]
    study = sortal.Study(X)
    study.sweep(["kmeans", "ward"], k=range(2, 12), workers=1, progress=False)
    answer = study.best(stability=False)
    assert answer.structure.answer == "overlapping"
    assert f"\nAbout {answer.n_clusters} kinds that overlap; groups without gaps" in str(answer)
    assert "kinds that overlap have no exact number" in str(answer)
    assert sum(number.probability for number in answer.numbers) == pytest.approx(1)
