"""Measures are computed when they are read, and their values do not depend on when that is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal.study import samples, scores


def study_of(n: int = 150, **options):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, n)
    X = 3.0 * np.eye(3)[truth] + rng.normal(size=(n, 3))
    study = sortal.Study(X, **options)
    return study.sweep(["kmeans", "average"], k=[2, 3, 4], n_init=1, workers=1, progress=False)


@pytest.fixture(params=["exact", "estimated"])
def judging(request, monkeypatch):
    if request.param == "estimated":
        monkeypatch.setattr(samples, "MAX_EXACT", 100)
    return request.param


@pytest.fixture
def computed(monkeypatch):
    """Keys of the measures that studies compute, in turn."""
    keys, compute = [], scores.compute

    def recording(inputs, measures, **options):
        keys.append({measure.key for measure in measures})
        return compute(inputs, measures, **options)

    monkeypatch.setattr(scores, "compute", recording)
    return keys


def answer_of(study):
    return study.best(stability=False, progress=False)


@pytest.mark.quick(1)
def test_the_answer_of_the_judge_reads_the_silhouette_alone(judging, computed):
    study = study_of()
    answer = answer_of(study)
    assert answer.decided_by.startswith("judge")
    assert answer.contributions
    for read in (study.rank, study.judged, study.alternatives):
        read()
    assert computed == [{"silhouette"}]
    table = study.scores()
    assert len(computed) == 2
    assert "silhouette" not in computed[1]
    assert len(computed[1]) > 15
    assert answer.silhouette == table.loc[answer.name, "silhouette"]


def test_the_consensus_reads_all_measures_and_a_measure_itself(computed):
    answer_of(study_of(by="consensus"))
    assert len(computed) == 1
    assert len(computed[0]) > 15
    answer_of(study_of(by="calinski_harabasz_index"))
    assert computed[1:] == [{"calinski_harabasz_index", "silhouette"}]


@pytest.mark.quick(2)
@pytest.mark.parametrize("by", [None, "consensus", "silhouette", "mcclain_rao_index"])
def test_no_value_depends_on_what_was_read_before(judging, by):
    first, later = study_of(by=by), study_of(by=by)
    answer = answer_of(first)
    tables = [(study.scores(), study.standard_errors()) for study in (later, first)]
    for ours, others in zip(*tables, strict=True):
        numbers = [frame.select_dtypes("number").drop(columns="seconds", errors="ignore")
                   for frame in (ours, others)]  # fmt: skip
        pd.testing.assert_frame_equal(*numbers, rtol=1e-12)
    assert first.reasons() == later.reasons()
    again = [answer_of(study) for study in (first, later)]
    assert answer.sentences == again[0].sentences == again[1].sentences
    assert answer.reasons == again[0].reasons == again[1].reasons


def test_a_stored_study_adds_the_measures_that_are_read_later(tmp_path, computed):
    path = tmp_path / "a.sortal"
    with study_of(storage=path) as study:
        answer_of(study)
    with sortal.load_study(path, study.X) as again:
        again.scores()
    assert [len(keys) > 1 for keys in computed] == [False, True]
    with sortal.load_study(path, study.X) as study:
        assert study.scores().notna().sum().sum() > 100
    assert len(computed) == 2
