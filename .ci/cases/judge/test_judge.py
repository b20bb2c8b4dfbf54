"""Shares of the candidates, rounding, and the bounds that a report draws."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sortal
from sortal.bounds import percent_up, study_guarantee
from sortal.judge import load_judge
from sortal.judge.judgements import shares
from sortal.report import _judges, render
from sortal.study.guarantees import bound_inputs


def test_probabilities_are_of_numbers_of_clusters_first():
    score, k = np.array([0.8, 0.79, 0.79, 0.7]), np.array([2.0, 3, 3, 4])
    probabilities = shares(score, k, 0.05, 0.02)
    assert probabilities.sum() == pytest.approx(1)
    # nearly the same candidates of one number share its part
    fewer = shares(score[[0, 1, 3]], k[[0, 1, 3]], 0.05, 0.02)
    assert probabilities[1] + probabilities[2] == pytest.approx(fewer[1], abs=0.02)
    assert probabilities[1] == probabilities[2]
    # from one temperature to half of it the odds are squared
    halved = shares(score[[0, 3]], k[[0, 3]], 0.025, 0.02) - 0.01
    once = shares(score[[0, 3]], k[[0, 3]], 0.05, 0.02) - 0.01
    assert halved[0] / halved[1] == pytest.approx((once[0] / once[1]) ** 2)
    assert once[0] / once[1] == pytest.approx(np.exp(0.1 / 0.05))


def test_all_bounds_that_are_told_hold_together(monkeypatch):
    truth = np.array(["a", None, "a", None, None, "a", "b", None, None, "b", None, "b"], object)
    study = sortal.Study(np.arange(12.0)[:, None], y=truth)
    study.add({"halves": [0] * 6 + [1] * 6, "thirds": [0] * 4 + [1] * 4 + [2] * 4})
    study.by = "judge-and-labels"
    best, tightest = study.best(stability=False), study.guarantee()
    assert (best.name, best.guarantee.sentence) == ("halves", tightest.sentence)
    assert best.guarantee.carrier != "clustering"
    # the clusters by the share of delta that PAC-MDL has beside the guarantee
    assert tightest.mdl["halves"].delta < best.guarantee.delta
    assert best.by_clusters.rate == tightest.mdl["halves"].bound_rate
    statement = next(sentence for sentence in best.reasons if "both hold together" in sentence)
    assert percent_up(best.by_clusters.rate) in statement
    drawn, draw = {}, _judges.series

    def series(name, x, y, **options):
        drawn[name] = y
        return draw(name, x, y, **options)

    monkeypatch.setattr(_judges, "series", series)
    render(study)
    (clusterer,) = set(study.candidates["clusterer"])
    assert drawn[clusterer][2] == tightest.table.loc["halves", "bound_rate"]


def test_differences_by_rounding_alone_are_none_to_the_trees(monkeypatch):
    judge = load_judge()
    values = {name: np.array([8.9e-16, -2e-16, 0.0, 0.25]) for name in judge.columns}
    monkeypatch.setattr("sortal.judge.judgements.columns", lambda evidence: values)
    assert (judge.table(None)[:3] == 0.0).all()
    assert (judge.table(None)[3] == np.float32(0.25)).all()


def test_copies_of_a_partition_have_one_word():
    """Kraft: the lengths of all words are paid for."""
    X, y = load_iris(return_X_y=True)
    few = np.full(len(y), None, dtype=object)
    few[::10] = y[::10]
    study = sortal.Study(X, y=few)
    study.sweep(["kmeans", "ward", "average"], k=range(2, 6), n_init=1, workers=1)
    names = study.judged().names
    shares = {p: 0.9 / len(names) for p in study.rank()["partition"][: len(names)]}
    bits = study_guarantee(**bound_inputs(study.state, shares)).mdl.table["choice_bits"]
    words = bits.groupby(study.candidates.loc[bits.index, "partition"]).first()
    assert (2.0**-words).sum() <= 1 + 1e-9
