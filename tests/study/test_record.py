"""What decided is recorded once: resumed studies, code, every way of telling say the same."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import canberra, chebyshev
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import sortal
from sortal import InputError, StorageError
from sortal.judge import load_judge

RNG = np.random.default_rng(0)
X = np.repeat([0.0, 5.0, 10.0], 20)[:, None] + RNG.normal(scale=0.9, size=(60, 2))
Y = np.repeat(["a", "b", "c"], 20)


def told(study: sortal.Study) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    return study.scores().drop(columns="seconds"), study.rank(), str(study.best())


# -- resumed studies -------------------------------------------------------------------------


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("name", "first", "other"),
    [("metric", "euclidean", "cityblock"), ("noise", "drop", "cluster"), ("delta", 0.1, 0.2),
     ("random_state", 0, 1), ("y", list(Y), list(Y[::-1]))],
)  # fmt: skip
def test_other_settings_are_rejected_and_change_nothing(tmp_path, name, first, other):
    path = tmp_path / "s.sortal"
    with sortal.Study(X, storage=path, **{name: first}) as study:
        study.sweep("ward", k=[2, 3], workers=1)
        before = told(study)
    with pytest.raises(StorageError, match=f"started with {name} = "):
        sortal.Study(X, storage=path, **{name: other})
    with sortal.Study(X, storage=path) as study:
        for old, new in zip(before, told(study), strict=True):
            assert old.equals(new) if isinstance(old, pd.DataFrame) else old == new


def test_what_is_not_given_is_as_recorded(tmp_path):
    path = tmp_path / "s.sortal"
    few = np.where(np.arange(60) % 3 == 0, Y, None)
    given = {"metric": "cityblock", "noise": "cluster", "delta": 0.3, "random_state": 7}
    with sortal.Study(X, storage=path, y=few, by="silhouette", **given) as study:
        study.sweep("average", k=[2, 3], workers=1)
        settings, expected = study.state.settings, told(study)
    with sortal.Study(X, storage=path) as study:
        assert study.state.settings == settings
        assert {name: getattr(study.state.settings, name) for name in given} == given
        assert study.y.tolist() == few.tolist()
        assert told(study)[2] == expected[2]
        assert study.best().decided_by == "silhouette"


def test_new_labels_are_taken_over_when_asked(tmp_path):
    path = tmp_path / "s.sortal"
    few, more = (np.where(np.arange(60) % step == 0, Y, None) for step in (6, 2))
    with sortal.Study(X, storage=path, y=few) as study:
        study.sweep(["ward", "kmeans"], k=[2, 3, 4], n_init=1, workers=1)
        study.scores()
    with pytest.raises(StorageError, match=r"10 labels of 3 classes .* not 30 labels of 3 classes"):
        sortal.Study(X, storage=path, y=more)
    with sortal.Study(X, storage=path, y=more, delta=0.2, update=True) as study:
        got = told(study)
    fresh = sortal.Study(X, y=more, delta=0.2)
    fresh.sweep(["ward", "kmeans"], k=[2, 3, 4], n_init=1, workers=1)
    expected = told(fresh)
    pd.testing.assert_frame_equal(got[0], expected[0], check_exact=True)
    assert got[2] == expected[2]
    with sortal.Study(X, storage=path) as study:
        assert [kind for kind, _ in study.record] == ["settings", "sweep", "settings"]
        assert study.state.settings.delta == 0.2
    with pytest.raises(StorageError, match="metric"):
        sortal.Study(X, storage=path, metric="cosine", update=True)


def test_what_decides_is_recorded(tmp_path):
    path = tmp_path / "s.sortal"
    with sortal.Study(X, storage=path) as study:
        study.sweep("ward", k=[2, 3, 4], workers=1)
        assert study.best().decided_by == "judge-7"
        study.by = "dunn_index"
        study.by = "silhouette"
        assert study.best().decided_by == "silhouette"
        values = study.scores()
        for by in ("silhouette", "dunn_index"):
            ranked = study.rank(by=None if by == "silhouette" else by)
            assert ranked["score"].to_dict() == values.loc[ranked.index, by].to_dict()
        with pytest.raises(InputError, match="did you mean"):
            study.by = "silhouete"
    with sortal.Study(X, storage=path) as study:
        assert study.best().decided_by == "silhouette"
        study.by = None
        assert study.by == "judge-7"


def test_callable_metrics_are_told_apart_by_content(tmp_path):
    path = tmp_path / "s.sortal"
    with sortal.Study(X, storage=path, metric=chebyshev) as study:
        study.sweep("average", k=2, workers=1)
        one = study.scores()["silhouette"].iloc[0]
    with sortal.Study(X, storage=path, metric=chebyshev) as study:
        assert study.scores()["silhouette"].iloc[0] == one
    with pytest.raises(StorageError, match=r"chebyshev.* not .*canberra"):
        sortal.Study(X, storage=path, metric=canberra)
    with pytest.raises(StorageError, match="give it again with metric="):
        sortal.Study(X, storage=path)
    scale = 2.0
    with pytest.raises(StorageError, match="cannot be recognised"):
        sortal.Study(X, storage=tmp_path / "t.sortal", metric=lambda a, b: scale * abs(a - b).sum())
    inside = sortal.Study(X, metric=lambda a, b: scale * abs(a - b).sum())
    inside.sweep("average", k=2, workers=1)
    assert 0 < inside.scores()["silhouette"].iloc[0] < 1
    with pytest.raises(StorageError, match="cannot be recognised"):
        inside.save(tmp_path / "t.sortal")


def test_estimators_are_told_apart_by_content(tmp_path):
    # the repr of both leaves out the same part of the array
    init = RNG.normal(size=(600, 2))
    other = init.copy()
    other[300] += 1
    assert repr(KMeans(init=init)) == repr(KMeans(init=other))
    with sortal.Study(X, storage=tmp_path / "s.sortal") as study:
        study.sweep({"mine": KMeans(n_init=1, init=init[:2])}, k=2, n_init=1, workers=1)
        study.sweep({"mine": KMeans(n_init=1, init=init[:2])}, k=2, n_init=1, workers=1)
        with pytest.raises(StorageError, match="started with clusterer mine"):
            study.sweep({"mine": KMeans(n_init=1, init=other[1:3])}, k=2, n_init=1, workers=1)


# -- what follows from the record ------------------------------------------------------------


def reversed_judge():
    judge = load_judge()
    turned = {key: getattr(judge, key) for key in ("order", "level", "expected")}
    return replace(judge, **{key: replace(f, value=-f.value) for key, f in turned.items()})


def test_the_order_and_the_answer_follow_another_judge():
    X = np.vstack([np.random.default_rng(0).normal(size=(40, 2)) + 4 * i for i in range(3)])
    study = sortal.Study(X)
    study.sweep(["ward", "average", "kmeans"], k=range(2, 6), n_init=1, workers=1)
    before, order = study.record.digest(), study.rank().index.tolist()
    study.judge = reversed_judge()
    assert study.best().name == study.rank().index[0]
    assert study.rank().index.tolist() != order
    assert study.best().name == study.judged().names[int(np.argmax(study.judged().judgement.score))]
    assert study.judge.digest != load_judge().digest
    assert study.best().judge.digest == study.judge.digest
    assert study.state.settings.judge == f"7#{study.judge.digest}"
    assert study.record.digest() != before
    study.judge = None
    assert study.record.digest() == before
    assert study.rank().index.tolist() == order


def test_a_study_says_after_any_changes_what_a_fresh_one_says():
    few = np.where(np.arange(60) % 3 == 0, Y, None)
    study = sortal.Study(X, y=few)
    study.sweep("ward", k=[2, 3], workers=1)
    steps = [
        lambda s: s.sweep(["kmeans"], k=[2, 3, 4], n_init=1, workers=1),
        lambda s: setattr(s, "judge", reversed_judge()),
        lambda s: setattr(s, "by", "judge"),
        lambda s: s.add({"mine": np.arange(60) % 2}),
        lambda s: s.evaluate(["pbm_index"]),
        lambda s: setattr(s, "by", "guarantee"),
        lambda s: setattr(s, "judge", None),
        lambda s: setattr(s, "by", None),
    ]
    for i, step in enumerate(steps):
        told(study)
        step(study)
        if i not in (3, 7):
            continue
        fresh = sortal.Study(X, y=few)
        fresh.sweep("ward", k=[2, 3], workers=1)
        for earlier in steps[: i + 1]:
            earlier(fresh)
        got, expected = told(study), told(fresh)
        # what is judged together is summed together
        pd.testing.assert_frame_equal(got[0], expected[0], rtol=1e-12)
        pd.testing.assert_frame_equal(got[1], expected[1], rtol=1e-12)
        assert got[2] == expected[2]
        assert study.guarantee().sentence == fresh.guarantee().sentence
        assert study.record.digest() == fresh.record.digest()


def test_what_the_record_does_not_change_is_not_worked_out_again(monkeypatch):
    study = sortal.Study(X)
    study.sweep("ward", k=[2, 3, 4], workers=1)
    before = study.judged()
    study.by = "silhouette"
    assert study.judged() is before
    study.state.storage.set_meta({"a note": 1})
    assert study.judged() is before
    study.add({"mine": np.arange(60) % 2})
    assert study.judged() is not before


def test_a_study_keeps_its_judge(tmp_path):
    path = tmp_path / "s.sortal"
    with sortal.Study(X, storage=path) as study:
        study.sweep("ward", k=[2, 3, 4], workers=1)
        study.judge = reversed_judge()
        expected = told(study)
    with sortal.Study(X, storage=path) as study:
        assert study.judge.digest == reversed_judge().signed().digest
        assert told(study)[2] == expected[2]


def test_the_study_is_small_enough_to_know():
    assert len([name for name in dir(sortal.Study) if name[0] != "_"]) <= 30
    assert len(inspect.signature(sortal.Study).parameters) <= 12
    source = Path(sortal.__file__).parent
    for path in source.rglob("*.py"):
        reached = re.findall(r"\bstudy\._[a-z]\w*", path.read_text(encoding="utf-8"))
        assert not reached, f"{path.relative_to(source)}: {reached}"


def test_load_study(tmp_path):
    path = tmp_path / "s.sortal"
    with sortal.Study(load_iris().data, storage=path, delta=0.3) as study:
        study.sweep("ward", k=3, workers=1)
    with pytest.raises(InputError, match="does not know where its data came from"):
        sortal.load_study(path)
    with sortal.load_study(path, load_iris().data) as study:
        assert study.state.settings.delta == 0.3
    with pytest.raises(StorageError, match="no study file"):
        sortal.load_study(tmp_path / "none.sortal")


# -- one story -------------------------------------------------------------------------------


@pytest.mark.long
def test_labels_report_terminal_and_json_tell_the_same(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from sortal.cli import app

    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    options = ["iris", "--label-column", "species", "--by", "silhouette", "-k", "2:4",
               "-c", "kmeans", "-c", "ward", "--n-init", "1", "--workers", "1",
               "--storage", "s.sortal"]  # fmt: skip
    shown = run("run", *options, "--report", "r.html", "--labels", "l.csv")
    k = pd.read_csv("l.csv")["cluster"].nunique()
    assert k == 2
    assert f"\n{k} groups; " in shown
    assert re.search(rf"\nMade by +\w+ k={k}\b", shown)
    page = (tmp_path / "r.html").read_text()
    lead = page[page.index('class="lead"') :][:200]
    assert f"k={k}" in lead
    assert f'<h1 id="answer-title">{k} groups' in page
    answer = json.loads(run("run", *options[:3], *options[5:], "--json"))
    assert (answer["best"]["n_clusters"], answer["best"]["decided_by"]) == (k, "silhouette")
    run("report", "s.sortal", "-o", "again.html")
    assert lead in (tmp_path / "again.html").read_text()
