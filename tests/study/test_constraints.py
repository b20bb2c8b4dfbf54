"""Pairs of objects as evidence: recorded, weighed, told."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import dblquad

import sortal
from sortal.judge.label_likelihood import pairs_log_likelihood
from sortal.labelings import as_constraints


@pytest.fixture
def study():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (15, 2)) for c in ((0, 0), (7, 0), (0, 4), (7, 4))])
    made = sortal.Study(X)
    four = np.arange(60) // 15
    made.add({"side": four % 2, "height": four // 2, "four": four}, reference=False)
    return made


def pairs_of(truth, n, seed=0):
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(len(truth), 2, replace=False) for _ in range(n)]
    return [(int(a), int(b), "must" if truth[a] == truth[b] else "cannot") for a, b in drawn]


def test_the_likelihood_is_an_integral_over_two_rates():
    known = as_constraints(
        [(0, 1, "must"), (2, 3, "must"), (4, 5, "cannot"), (6, 7, "cannot"), (8, 9, "must")], 10
    )
    codes = np.array([0, 0, 1, 1, 2, 2, 3, 4, 5, 6])  # joins must 2, cannot 1; not must 1, cannot 1
    exact = dblquad(lambda b, a: 2 * a**2 * (1 - a) * b * (1 - b), 0, 1, 0, lambda a: a)[0]
    assert pairs_log_likelihood(codes[None], known)[0] == pytest.approx(np.log(exact), abs=1e-9)


def test_many_pairs_against_a_clustering_stay_finite():
    rows = [(2 * i, 2 * i + 1, "must" if i % 2 else "cannot") for i in range(4000)]
    known = as_constraints(rows, 8000)
    right = np.repeat(np.arange(4000), 2)
    right[::4] += 10_000
    codes = np.stack([np.unique(right, return_inverse=True)[1], np.arange(8000)])
    like, none = pairs_log_likelihood(codes, known)
    assert np.isfinite([like, none]).all()
    assert like > none


def test_pairs_that_follow_from_others_add_nothing():
    chain = [(i, i + 1, "must") for i in range(4)]
    all_of_them = [(i, j, "must") for i in range(5) for j in range(i)]
    codes = np.array([[0, 0, 0, 0, 0], [0, 1, 2, 3, 4]])
    few, many = (as_constraints(rows, 5) for rows in (chain, all_of_them))
    assert few.rank == many.rank == 4
    ahead = [np.subtract(*pairs_log_likelihood(codes, one)) for one in (few, many)]
    assert abs(ahead[0] - ahead[1]) < 1.5


@pytest.mark.quick(1)
@pytest.mark.parametrize("truth", ["side", "height", "four"])
def test_pairs_choose_the_division_that_they_are_of(study, truth):
    study.constrain(pairs_of(study.labels(truth), 30))
    answer = study.best(stability=False)
    assert answer.name == truth
    assert answer.decided_by == "judge-and-pairs"
    assert answer.pairs.kept_must == answer.pairs.n_must
    assert any(sentence.startswith("It keeps ") for sentence in answer.reasons)
    assert answer.to_dict()["pairs"]["after"] > answer.to_dict()["pairs"]["before"]
    assert answer.reasons[-1].startswith("Decided by judge 7 and")


def test_they_are_in_the_record_and_can_be_taken_back(study, tmp_path):
    before = study.best(stability=False)
    digest = study.record.digest()
    study.constrain([(0, 20, "cannot"), (0, 1, "must")])
    assert study.record.digest() != digest
    path = tmp_path / "kept.sortal"
    study.save(path)
    with sortal.load_study(path, study.X) as resumed:
        assert resumed.best(stability=False).pairs == study.best(stability=False).pairs
    study.constrain(None)
    after = study.best(stability=False)
    assert (after.name, after.decided_by, after.pairs) == (before.name, before.decided_by, None)


def test_ids_of_the_data_name_the_objects(tmp_path):
    table = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    rows = "\n".join(f"p{i},{x:.3f},{y:.3f}" for i, (x, y) in enumerate(rng.normal(size=(30, 2))))
    table.write_text(f"id,x,y\n{rows}\n")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("p0,p1,must\np2,p3,cannot\n")
    data = sortal.datasets.read(table, id_column="id")
    study = sortal.Study(data)
    study.constrain(pairs)
    study.sweep("kmeans", k=[2, 3], n_init=1, workers=1, progress=False)
    assert study.best(stability=False).pairs.n_must == 1
    pairs.write_text("p0,p99,must\n")
    with pytest.raises(sortal.InputError, match="'p99', which is not there"):
        study.constrain(pairs)


def test_labels_and_pairs_decide_together(study):
    truth = np.full(60, None, dtype=object)
    truth[[0, 16, 31, 46]] = ["a", "b", "a", "b"]
    other = sortal.Study(study.X, y=truth)
    other.constrain(pairs_of(study.labels("side"), 40))
    other.add({name: study.labels(name) for name in ("side", "height", "four")}, reference=False)
    answer = other.best(stability=False)
    assert answer.decided_by == "judge-and-labels"
    assert answer.name == "side"
    assert answer.pairs.n_must + answer.pairs.n_cannot > 30
