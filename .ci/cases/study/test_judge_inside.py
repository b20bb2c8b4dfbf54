"""The learned judge: what its answer must not depend on, and what it may never say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sortal
from sortal.bounds import percent_up, study_guarantee
from sortal.judge.label_likelihood import TEMPERATURE, log_likelihood
from sortal.report import _judges, render
from sortal.study.guarantees import bound_inputs

CLUSTERERS = ["kmeans", "ward", "average", "genie", "gaussian-mixture", "hdbscan"]


def swept(X, **options):
    study = sortal.Study(X, **options)
    study.sweep(CLUSTERERS, k=range(2, 6), n_init=1, workers=1)
    return study


def test_with_labels_the_judge_is_the_prior():
    X, y = load_iris(return_X_y=True)
    few = np.full(len(y), None, dtype=object)
    few[::10] = y[::10]
    study = swept(X, y=few)
    best = study.best(stability=False)
    assert best.decided_by == "judge-and-labels"
    assert "the 15 labels raise its probability" in str(best)
    assert re.fullmatch(r"Decided by judge \S+ and 15 labels\.", best.reasons[-1])
    assert sortal.adjusted_rand_index(y, best.labels, noise="singletons") > 0.6
    wrong = sum(best.guarantee.predicted[i] != y[i] for i in range(len(y)) if few[i] is None)
    assert wrong <= best.guarantee.bound
    ranked = study.rank()
    assert ranked["probability"].sum() == pytest.approx(1)
    by_number = ranked.groupby("n_clusters")["probability"].sum()
    level = ranked["n_clusters"].map(by_number >= by_number.max() / 2)
    assert level.is_monotonic_decreasing
    assert ranked.loc[level, "probability"].is_monotonic_decreasing
    # what the judge thinks likely and the labels think likely comes first
    table = study.judged()
    labelled = np.arange(0, 150, 10)
    codes = np.stack([study.labels(name)[labelled] for name in table.names])
    logs = table.judgement.predicted / TEMPERATURE + log_likelihood(codes, y[labelled])
    most = table.names[int(np.argmax(logs))]
    assert sortal.adjusted_rand_index(study.labels(most), best.labels, noise="singletons") > 0.8
    assert table.judgement.prior.sum() == pytest.approx(1)
    shares = {p: 0.9 / len(table.names) for p in study.rank()["partition"][: len(table.names)]}
    bits = study_guarantee(**bound_inputs(study.state, shares)).mdl.table["choice_bits"]
    # copies of a partition have one word; Kraft: the lengths of all words are paid for
    words = bits.groupby(study.candidates.loc[bits.index, "partition"]).first()
    assert (2.0**-words).sum() <= 1 + 1e-9


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
