"""Stability in a study: asked once, kept in the file, told with the choice and in the report."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import sortal
from sortal.cli import app
from sortal.report import render
from sortal.stability import assess
from sortal.stability.assessment import MOST_OBJECTS
from sortal.stability.engine import Engine
from sortal.study import stability

FEW = {"n_resamples": 4, "n_references": 2}


def triangle(n: int = 12):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(c, 0.3, (n, 2)) for c in ((0, 0), (4, 0), (0, 4))])


@pytest.fixture
def never(monkeypatch):
    def fail(*args, **kwargs):
        raise AssertionError("judged again")

    monkeypatch.setattr("sortal.study.stability.assess", fail)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "t.sortal"
    with sortal.Study(triangle(), storage=path, by="silhouette") as study:
        study.sweep(["average"], k=[2, 3], workers=1)
        found = study.stability(**FEW)
    return path, found


def test_a_resumed_study_reads_what_was_judged(stored, never):
    path, found = stored
    with sortal.Study(triangle(), storage=path) as study:
        again = study.stability(**FEW)
    assert again.curve.table.equals(found.curve.table)
    assert again.curve.samples.keys() == found.curve.samples.keys()
    assert again.clusters.table.equals(found.clusters.table)
    assert np.array_equal(again.clusters.objects, found.clusters.objects, equal_nan=True)
    assert np.array_equal(again.consensus, found.consensus, equal_nan=True)
    assert np.array_equal(again.shown, found.shown)
    assert again.advice == found.advice


def test_another_question_is_judged_anew(stored, never):
    path, _ = stored
    with sortal.Study(triangle(), storage=path) as study:
        for other in ({"n_resamples": 5}, {"k": [2]}, {"n_references": 3}):
            with pytest.raises(AssertionError, match="judged again"):
                study.stability(**{**FEW, **other})
        with pytest.raises(AssertionError, match="judged again"):
            study.stability("average k=2", **FEW)


def test_an_answer_is_that_to_the_whole_question(monkeypatch):
    study = sortal.Study(triangle(), metric="cityblock", random_state=7)
    study.sweep(["average"], k=[2, 3], workers=1)
    asked = {}

    def asking(*arguments, **options):
        asked.update(options)
        return assess(*arguments, **options)

    monkeypatch.setattr(stability, "assess", asking)
    study.stability("average k=3", **FEW)
    assert (asked["random_state"], asked["value"]) == (7, 3)
    key = f"assessment {study.candidates.loc['average k=3', 'partition']}"
    kept = study.state.storage.meta[key]
    question = kept["question"]
    assert (question["metric"], question["random_state"]) == ("cityblock", 7)
    assert question["version"] == sortal.__version__
    assert (question["max_objects"], question["everywhere"]) == (MOST_OBJECTS, True)
    for part in question:
        study.state.storage.set_meta({key: {**kept, "question": {**question, part: "another"}}})
        asked.clear()
        with monkeypatch.context() as quick:
            quick.setattr(stability, "assess", lambda *_, **o: asked.update(o) or ())
            study.stability("average k=3", **FEW)
        assert asked, part


def counted_fits(study, name, monkeypatch):
    """Shares of the objects in each fit of an assessment, all numbers of clusters in one."""
    shares, fit = [], Engine.fit

    def counting(self, rows, ks, rng):
        shares.append(self.n if rows is None else len(rows))
        return fit(self, rows, ks, rng)

    monkeypatch.setattr(Engine, "fit", counting)
    study.stability(name)
    return sum(shares) / study.n_objects


CLOUD = np.random.default_rng(0).normal(size=(60, 2))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("clusterer", "X"),
    [("average", triangle(20)), ("average", triangle(40)), ("average", CLOUD), ("hdbscan", CLOUD),
     ("kmeans", triangle(20))],
    ids=["average", "halves", "in doubt", "hdbscan", "kmeans"],
)  # fmt: skip
def test_predicted_work_is_what_is_done(clusterer, X, monkeypatch):
    with sortal.Study(X) as study:
        study.sweep([clusterer], k=[2, 3], n_init=1, workers=1)
        ours = next(c for c in study.state.storage.candidates() if c["partition"] is not None)
        takes, swept = stability.work_of(study.state, ours)
        done = counted_fits(study, ours["name"], monkeypatch)
        fitted = sum(c["status"] != "planned" for c in study.state.storage.candidates())
    if clusterer == "kmeans":  # two numbers in each call, at a tenth
        done *= 2 / stability.QUICK_FITS
        # the clusters are judged at one number alone
        done -= 40 * (0.632 + 0.8) / stability.QUICK_FITS
    assert takes == pytest.approx(done, rel=0.03)
    assert takes > swept == fitted


def answer_of(path, *options, exit_code=0):
    words = [
        "run",
        str(path),
        "--workers",
        "1",
        "--json",
        "--quiet",
        "--by",
        "silhouette",
        *options,
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)["best"]


def test_run_judges_it_by_default_where_it_pays(tmp_path, monkeypatch):
    path = tmp_path / "points.csv"
    np.savetxt(path, triangle(), delimiter=",", header="x,y", comments="")
    sweep = ["-c", "kmeans", "-c", "average", "-k", "2:3", "--n-init", "2", "--workers", "1"]
    small = answer_of(path, *sweep)
    assert small["stability"] is None
    assert "fits of all objects, and the sweep took 6" in small["stability_skipped"]
    monkeypatch.setattr(stability, "QUICK_FITS", 100)
    monkeypatch.setattr(stability, "work_of", lambda *given: (0, 1))
    judged = answer_of(path, *sweep)
    assert judged["name"] == small["name"]  # it is told, and decides nothing
    assert judged["stability_skipped"] is None
    told = [one for one in judged["reasons"] if one not in small["reasons"]]
    assert len(told) == 2
    assert judged["stability"]["n_stable"] == judged["n_clusters"]
    assert "--budget" in answer_of(path, *sweep, "--budget", "1h")["stability_skipped"]
    never = answer_of(path, *sweep, "--no-stability")
    assert never["stability"] is None
    assert never["stability_skipped"] is None


@pytest.mark.parametrize(
    ("raised", "told"),
    [(ValueError("no part"), "ValueError: no part"), (KeyboardInterrupt, "inte")],
)
def test_what_nobody_asked_for_costs_no_answer(tmp_path, monkeypatch, raised, told):
    path = tmp_path / "points.csv"
    np.savetxt(path, triangle(), delimiter=",", header="x,y", comments="")

    def fail(*args, **options):
        raise raised

    monkeypatch.setattr(stability, "work_of", lambda *given: (0, 1))
    monkeypatch.setattr("sortal.study.stability.assess", fail)
    stopped = 130 if raised is KeyboardInterrupt else 0
    best = answer_of(path, "-c", "average", "-k", "2:3", exit_code=stopped)
    assert best["stability_skipped"].startswith(told)
    words = ["run", str(path), "-c", "average", "-k", "2:3", "--workers", "1", "--stability"]
    assert CliRunner().invoke(app, words).exit_code != 0


def test_of_many_objects_the_null_is_drawn_where_the_answer_depends_on_it(tmp_path, monkeypatch):
    path = tmp_path / "t.sortal"
    with sortal.Study(triangle(), storage=path) as study:
        study.sweep("kmeans", k=range(2, 7), n_init=1, workers=1)
        whole = study.stability("kmeans k=3 start=0", **FEW)
        monkeypatch.setattr("sortal.study.stability.MOST_OBJECTS", study.n_objects - 1)
        part = study.stability("kmeans k=3 start=0", **FEW)
        page, best = render(study), study.best()
    assert whole.curve.table["null"].notna().all()
    assert part.selected == whole.selected == 3
    sample = f"judged on a sample of {whole.rows.size - 1} objects"
    assert sample in page
    assert any(sample in one for one in best.reasons)
    there = part.curve.table["null"].notna()
    assert there[3]
    assert not there[2]
    assert part.curve.table["ratio"].notna().equals(there)
    assert "omitted where they cannot change the answer" in page
    monkeypatch.setattr("sortal.study.stability.assess", None)
    with sortal.Study(triangle(), storage=path) as study:
        again = study.stability("kmeans k=3 start=0", **FEW)
    assert again.curve.table.equals(part.curve.table)
