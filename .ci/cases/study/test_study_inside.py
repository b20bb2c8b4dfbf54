"""The study: what is tried, kept, judged, ranked and explained."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import calinski_harabasz_score

import sortal
from sortal.clusterers import Clusterer
from sortal.study import execution, jobs
from sortal.study.scores import score_table
from sortal.study.store import Planned


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_k_means_of_few_objects_starts_no_process_and_each_fit_has_its_own_warnings(monkeypatch):
    X = np.repeat(np.eye(4), 20, axis=0)
    alone = sortal.Study(X)
    alone.sweep("kmeans", k=range(2, 9), n_init=8, workers=1)
    reasons = alone.candidates["reason"]
    assert reasons.str.count("distinct").max() == 1
    assert 0 < reasons.notna().sum() < len(reasons)

    monkeypatch.setattr(execution, "_new_pool", None)
    shown = warnings.showwarning
    many = sortal.Study(X)
    many.sweep("kmeans", k=range(2, 9), n_init=8, workers=4)
    pd.testing.assert_series_equal(many.candidates["reason"], reasons)
    assert warnings.showwarning is shown


def test_other_seeds_give_other_starts(wine):
    seeds = {jobs.derived_seed(root, f"kmeans k={k}") for root in range(5) for k in range(20)}
    assert len(seeds) == 100
    study = sortal.Study(wine[0], random_state=1)
    study.sweep("kmeans", k=8, n_init=6, workers=1)
    assert len(study.rank()) > 1


def test_resume_fits_nothing_again(tmp_path, monkeypatch, wine):
    path = tmp_path / "wine.sortal"
    with sortal.Study(wine[0], storage=path) as study:
        study.sweep(["kmeans", "ward"], k=range(2, 5), n_init=2, workers=1)
        before = study.scores()
        study.best()
    fits, judged = [], []
    monkeypatch.setattr(execution, "run_job", lambda X, job: fits.append(job))
    original = sortal.study.scores.compute
    monkeypatch.setattr(
        sortal.study.scores, "compute", lambda *a, **kw: judged.append(a) or original(*a, **kw)
    )
    with sortal.Study(wine[0], storage=path) as study:
        study.sweep(["kmeans", "ward"], k=range(2, 5), n_init=2, workers=1)
        pd.testing.assert_frame_equal(before, study.scores(), check_exact=True)
        assert study.best().n_clusters >= 2
    assert fits == []
    assert judged == []


def test_a_wider_sweep_fits_only_what_is_new(tmp_path, monkeypatch, wine):
    with sortal.Study(wine[0], storage=tmp_path / "w.sortal") as study:
        study.sweep("kmeans", k=[2, 3], n_init=1, workers=1)
        done = []
        original = jobs.run_job
        monkeypatch.setattr(
            execution, "run_job", lambda X, job: done.append(job) or original(X, job)
        )
        study.sweep("kmeans", k=[2, 3, 4], n_init=2, workers=1)
        names = [c.name for job in done for c in job.candidates]
        assert sorted(names) == ["kmeans k=2 start=1", "kmeans k=3 start=1",
                                 "kmeans k=4 start=0", "kmeans k=4 start=1"]  # fmt: skip


def test_derived_jobs_of_a_tree_are_one():
    tree = Clusterer(key="t", title="t", make=print, every_k=True)
    candidates = [Planned(f"t k={k}", "t", "n_clusters", k, 0, 0) for k in (2, 3)]
    assert len(jobs.jobs_for(tree, candidates)) == 1


def test_more_candidates_than_are_judged_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 1))
    study = sortal.Study(X)
    study.add({f"c{i}": rng.integers(0, 3, 12) for i in range(400)})
    assert len(study.state.storage.partitions()) > 256
    study.evaluate(["calinski_harabasz_index"])
    values, reasons, _ = score_table(study.state)
    assert list(values.index) == study.state.storage.partitions()
    undefined = values["calinski_harabasz_index"].isna()
    assert set(values.index[undefined]) <= set(reasons)
    for partition in values.index[250:260]:
        labels = study.state.storage.labels([partition])[0]
        expected = calinski_harabasz_score(X, labels)
        assert values.at[partition, "calinski_harabasz_index"] == pytest.approx(expected)


@pytest.mark.parametrize("names", [("left", "right"), ("right", "left")])
def test_ties_are_broken_alike_in_answer_and_report(names):
    from sortal.report._facts import gather
    from sortal.report._tables import table_payload

    mirrored = {"left": np.arange(12) >= 3, "right": np.arange(12) >= 9}
    study = sortal.Study(np.arange(12.0)[:, None])
    study.add({name: mirrored[name].astype(int) for name in names})
    study.by = "c_index"
    ranked = study.rank()
    assert ranked["score"].nunique() == 1
    assert ranked["rank"].tolist() == [1, 1]
    shown = table_payload(gather(study))
    assert shown["name"][shown["rows"][0]] == study.best().name == ranked.index[0]
