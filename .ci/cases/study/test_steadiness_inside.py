"""Answers that do not depend on the order of the objects, on copies of all, or on a few rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import sortal
from sortal.judge import Judgement
from sortal.judge.evidence import TINY
from sortal.study.facts import Steadiness
from sortal.study.fits import Fits
from sortal.study.judgement import by_expected_agreement
from sortal.study.numbers import LEVEL
from sortal.study.perturbed import measure_steadiness
from sortal.study.ranking import (
    CHOICE,
    chosen_when_shaken,
    clear_leads,
    expected_agreement,
    level_numbers,
    split_outliers,
)
from sortal.study.samples import in_order_of_contents
from sortal.study.stability import swept_numbers

FEW = ("kmeans", "ward", "gaussian-mixture")


def overlapping(n=90, seed=0):
    rng = np.random.default_rng(seed)
    centres = np.array([[0, 0], [2.2, 0], [0, 2.4]])
    return (centres[rng.integers(3, size=n)] + rng.normal(size=(n, 2))).round(1)


@pytest.mark.parametrize("form", ["rows", "sparse"])
def test_one_of_as_many_copies_as_every_row_has_is_kept(form):
    X = np.column_stack([np.arange(12.0) // 2 % 5, np.arange(12.0) % 2])  # 2 or 1 copies
    X = np.concatenate([X, X, X])
    kept = in_order_of_contents(X if form == "rows" else sparse.csr_matrix(X))
    assert len(kept) == 12
    assert (X[kept.rows][kept.nearest] == X).all()
    alone = in_order_of_contents(X[:-1])
    assert sorted(alone.rows) == list(range(35))
    few = in_order_of_contents(np.repeat(X[:9], 3, axis=0))
    assert sorted(few.rows) == list(range(27))


def agreements(M, rng):
    codes = rng.integers(rng.integers(2, 5, size=(M, 1)), size=(M, 30))
    table = [[sortal.adjusted_rand_index(a, b) for b in codes] for a in codes]
    return codes, np.array(table)


def naive_expectation(ahead, agreement):
    M = len(ahead)
    usable = [i for i in range(M) if ahead[i] > max(ahead) - 50]
    shared = []
    for i in usable:
        near = [np.exp((agreement[i, j] - 1) / CHOICE.similarity_scale) for j in usable]
        shared.append(sum(w * ahead[j] for w, j in zip(near, usable, strict=True)) / sum(near))
    chances = [np.exp(lead / CHOICE.temperature) for lead in shared]
    return [
        sum(p * agreement[i, j] for p, j in zip(chances, usable, strict=True)) / sum(chances)
        - (i not in usable)
        for i in range(M)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_expected_agreement_by_its_definition(seed):
    rng = np.random.default_rng(seed)
    agreement = agreements(7, rng)[1]
    ahead = rng.normal(scale=0.05, size=7)
    ahead[2] -= 100 * (seed % 2)
    expected = expected_agreement(ahead, agreement)
    np.testing.assert_allclose(expected, naive_expectation(ahead, agreement), atol=1e-9)
    columns = np.column_stack([ahead, ahead + 0.3])  # a common lead changes nothing
    np.testing.assert_allclose(
        expected_agreement(columns, agreement), np.column_stack([expected] * 2), atol=1e-9
    )


def test_a_clear_lead_is_chosen_and_a_tie_is_shared():
    agreement = np.array([[1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.1, 0.1, 1.0]])
    every = np.ones(3, dtype=bool)
    clear = chosen_when_shaken(np.array([0.5, 0.2, 0.2]), agreement, every, every)
    assert clear.tolist() == [1, 0, 0]
    level = np.array([0.5, 0.5, 0.2])
    tie = chosen_when_shaken(level, agreement, every, every)
    assert tie.sum() == pytest.approx(1)
    assert tie[:2].min() > 0.3
    assert chosen_when_shaken(level, agreement, every, np.array([True, False, True]))[0] > 0.5
    assert chosen_when_shaken(level, agreement, np.arange(3) > 0, every)[0] == 0


@pytest.mark.parametrize("seed", range(6))
def test_clear_leads_by_their_definition(seed):
    rng = np.random.default_rng(seed)
    agreement = agreements(6, rng)[1]
    scores = rng.normal(scale=0.04, size=(6, 5))
    allowed, repeatable = rng.random((2, 6)) < 0.8
    allowed[0] = True
    expected = np.zeros((6, 5), dtype=bool)
    for j in range(5):
        first = max(np.flatnonzero(allowed), key=lambda i, j=j: scores[i, j])
        unlike = [scores[i, j] for i in range(6) if agreement[i, first] < CHOICE.alike]
        clear = scores[first, j] - max(unlike, default=-np.inf) >= CHOICE.clear_lead
        expected[first, j] = clear and repeatable[first]
    assert np.array_equal(clear_leads(scores, agreement, allowed, repeatable), expected)
    of_one = clear_leads(scores[:, 0], agreement, allowed, repeatable)
    assert np.array_equal(of_one, expected[:, 0])


def test_near_copies_do_not_outvote_a_clear_lead():
    copies = 30
    agreement = np.full((copies + 1, copies + 1), 0.95)
    agreement[0] = agreement[:, 0] = 0.5
    np.fill_diagonal(agreement, 1)
    every = np.ones(copies + 1, bool)

    def chosen(lead, repeatable=every):
        """Place of the choice: 0 for the partition that is ahead of its 30 rivals."""
        ahead = np.where(np.arange(copies + 1) == 0, lead, 0.0)
        outvoted = expected_agreement(ahead, agreement) - CHOICE.unrepeatable_step * ~repeatable
        assert outvoted.argmax() > 0
        return (outvoted + clear_leads(ahead, agreement, every, repeatable)).argmax()

    assert chosen(CHOICE.clear_lead + 1e-9) == 0
    assert chosen(CHOICE.clear_lead - 1e-9) > 0
    assert chosen(CHOICE.clear_lead + 1e-9, np.arange(copies + 1) > 0) > 0
    far = np.where(np.arange(copies + 1) == 0, 0.2, 0.0)
    assert chosen_when_shaken(far, agreement, every, every)[0] == 1


def test_numbers_half_as_probable_as_the_first_are_level():
    probability, k = np.array([0.3, 0.2, 0.26, 0.24]), np.array([2, 2, 3, 4])
    assert level_numbers(probability, k).tolist() == [True, True, True, False]


def test_a_group_of_outliers_is_not_chosen_before_a_near_copy_without_it():
    tiny = np.array([True, False, True, False])
    agreement = np.array([[1, 0.9, 0.2, 0.1], [0.9, 1, 0.2, 0.1], [0.2, 0.2, 1, 0.89], [0] * 4])
    every = np.ones(4, bool)
    assert split_outliers(tiny, agreement, every).tolist() == [True, False, False, False]
    # a copy that may not be chosen is no reason
    assert not split_outliers(tiny, agreement, ~np.array([False, True, False, False])).any()


def test_two_groups_lead_three_of_which_one_is_a_row():
    ahead, none = np.array([0.8, 0.79, 0.2]), np.zeros(3)
    judgement = Judgement(
        none, ahead, ahead, none, none, np.array([0.5, 0.45, 0.05]), none, 0.5, ahead, {}, 0.0
    )
    sizes = np.zeros((3, 7))
    sizes[:, 0], sizes[0, TINY] = (3, 2, 4), 1 / 3
    agreement = np.array([[1, 0.95, 0.3], [0.95, 1, 0.3], [0.3, 0.3, 1]])
    evidence = SimpleNamespace(agreement=agreement, traits=SimpleNamespace(sizes=sizes))
    judge = SimpleNamespace(near_best=lambda *_: 0.5)
    assert by_expected_agreement(judge, judgement, evidence).score.argmax() == 1
    sizes[0, TINY] = 0
    assert by_expected_agreement(judge, judgement, evidence).score.argmax() == 0


def blobs(k, n=20, spread=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, spread, (n, 2)) for c in range(k)])


def test_the_number_of_the_answer_comes_first_and_candidates_that_are_level_differ():
    study = sortal.Study(overlapping()).sweep(FEW, n_init=2, workers=1, progress=False)
    answer = study.best(stability=False)
    assert answer.numbers[0].k == answer.n_clusters
    assert answer.numbers[0].name == answer.name
    first = max(number.probability for number in answer.numbers)
    assert answer.numbers[0].probability >= CHOICE.level_share * first
    assert sum(number.probability for number in answer.numbers) == pytest.approx(1)
    ranking = study.rank()
    labels = [answer.labels, *(study.labels(level.name) for level in answer.level)]
    assert len(labels) > 1
    for i, first_labels in enumerate(labels):
        assert all(sortal.adjusted_rand_index(first_labels, other) < 0.95 for other in labels[:i])
    for level in answer.level:
        behind = ranking.loc[answer.name, "recovery"] - ranking.loc[level.name, "recovery"]
        assert behind <= LEVEL
        assert level.agreement == pytest.approx(
            sortal.adjusted_rand_index(answer.labels, study.labels(level.name))
        )


def test_numbers_near_what_valleys_separate_are_tried():
    centres = 9.0 * np.array([[i, j] for i in range(4) for j in range(3)])
    X = np.repeat(centres, 30, axis=0) + np.random.default_rng(0).normal(size=(360, 2))
    study = sortal.Study(X).sweep("ward", progress=False)
    assert study.state.structure.n_clusters == 12
    assert swept_numbers(study.state) == [*range(2, 16)]
    assert study.best(stability=False).n_clusters == 12


def test_clear_groups_come_back_on_most_rows_and_that_is_kept(tmp_path, monkeypatch):
    X, path = blobs(3), tmp_path / "s.sortal"
    with sortal.Study(X, storage=path) as study:
        study.sweep(["kmeans", "ward"], k=[2, 3, 4], n_init=1, progress=False)
        name = study.best(stability=False).name
        assert study.best(stability=False).steadiness is None
        measure_steadiness(study.state, name)
        assert study.best(stability=False).steadiness == Steadiness(1.0, 0.9, 3)
    monkeypatch.setattr(Fits, "on_rows", None)
    with sortal.Study(X, storage=path) as study:
        measure_steadiness(study.state, name)
        assert study.best(stability=False).steadiness == Steadiness(1.0, 0.9, 3)


def test_more_parts_replace_fewer_and_others_follow_from_the_candidates():
    study = sortal.Study(overlapping()).sweep("kmeans", k=[2, 3], n_init=1, progress=False)
    name = study.best(stability=False).name
    measure_steadiness(study.state, name)
    few = study.best(stability=False).steadiness
    measure_steadiness(study.state, name, many=True)
    many = study.best(stability=False).steadiness
    assert (few.n_parts, many.n_parts) == (3, 10)
    assert 0.3 < many.value < 1
    measure_steadiness(study.state, name)
    assert study.best(stability=False).steadiness == many
    study.by = "silhouette"  # whatever the judge might choose on parts does not count
    best = study.best(stability=False)
    measure_steadiness(study.state, best.name)
    assert study.best(stability=False).steadiness.value > 0


def test_labels_of_the_user_cannot_be_made_again():
    study = sortal.Study(blobs(3)).add({"mine": np.repeat([0, 1, 2], 20)}, reference=False)
    measure_steadiness(study.state, "mine")
    assert study.best(stability=False).steadiness is None
