"""Weka's classifiers in place of ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import sortal_lab
from sortal import InputError
from sortal.measures.clarity import assess
from sortal_lab import whissell2012_chapter6 as chapter6
from sortal_lab import whissell2012_chapter6_readings as readings
from sortal_lab import whissell2012_chapter6_samples as samples
from sortal_lab import whissell2012_chapter6_weka as weka
from sortal_lab.whissell2012_sets import make_whissell2012

NAME = "whissell2012-chapter6-weka"


@pytest.mark.parametrize("jar", ["", "nowhere/weka.jar"])
def test_without_weka_it_says_what_is_needed(monkeypatch: pytest.MonkeyPatch, jar: str) -> None:
    monkeypatch.setenv(weka.WEKA_JAR, jar)
    with pytest.raises(
        InputError, match=rf"set WEKA_JAR to the path of weka.jar \(it is '{jar}'\)"
    ):
        sortal_lab.run(NAME, samples=1)


def test_its_predictions_take_the_place_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, truth = make_whissell2012("ELONGATED", random_state=0)
    X, truth = X[::6], truth[::6].astype(np.int32)
    halves = np.arange(len(X), dtype=np.int32) % 2
    labels = {"a 2": (truth > 1).astype(np.int32), "b 3": truth, "c 2": halves}
    made = samples.ClusteredSample(X, truth, labels, 0)
    for module in (chapter6, weka):
        monkeypatch.setattr(module, "sample_of", lambda *_: made, raising=False)
    counts = {weka.FAST: {"ELONGATED": 9}, weka.LESS: {"ELONGATED": 1}, weka.ALL: {"ELONGATED": 1}}
    monkeypatch.setattr(weka, "SAMPLES", counts)
    monkeypatch.setattr(weka, "is_there", lambda: True)
    monkeypatch.setattr(weka, "less_noisy", lambda *_: made)
    asked = []

    def predicted(given: samples.ClusteredSample, name: str) -> np.ndarray:
        assert given is made
        asked.append(name)
        return np.stack([truth * 0, truth * 0, halves])

    monkeypatch.setattr(weka, "_by_weka", predicted)
    found = sortal_lab.run(NAME, samples=2, storage=tmp_path / "kept.db")
    # two samples, one with less noise, and what is kept is not predicted again
    assert asked == [*["5nn", "tree"] * 3, "svm"]
    table = found.table.set_index(["figure", "reading"])
    informativeness = table.loc["Informativeness, ELONGATED"]
    # ours find the lines again and not the halves; those that were put in find the halves alone
    assert informativeness.loc[weka.ALL, "ours"] < 0.2
    assert informativeness.loc[weka.ALL, "difference"] < -0.6
    assert np.isnan(informativeness.loc[weka.ALL, "low"])
    assert informativeness.loc[weka.FAST, "published"] == 0.748
    assert f"'{weka.ALL}': τ moves by, on average, ELONGATED -" in found.notes[-2]
    assert f"'{weka.FAST}': samples: ELONGATED 2." in found.notes
    again = sortal_lab.run(NAME, samples=2, storage=tmp_path / "kept.db")
    assert again.table.equals(found.table)
    assert len(asked) == 7


def test_less_noise_is_clustered_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        readings, "cluster", lambda X, rng: {"one 2": np.zeros(len(X), dtype=np.int32)}
    )
    made = readings.less_noisy("ELONGATED", 0, 0)
    noisy = make_whissell2012("ELONGATED", random_state=np.random.default_rng([0, 2, 0]))[0]
    line = np.column_stack([np.linspace(-0.5, 0.5, 300)] * 2)
    assert np.allclose(made.X[:300] - line, (noisy[:300] - line) / 10)
    assert list(made.labels) == ["one 2"]


@pytest.mark.skipif(not weka.is_there(), reason="needs Weka (WEKA_JAR) and JPype1")
def test_its_neighbours_are_those_of_scaled_features() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) * (1, 50) + np.repeat([[0, 0], [2, 0], [1, 99]], 30, axis=0)
    codes = np.repeat(np.arange(3), 30)
    found = assess(X, codes, classifiers=[weka.WekaClassifier("5nn")], cv=10, random_state=0)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    assert found.folds is not None
    ours = cross_val_predict(
        KNeighborsClassifier(5), scaled, codes, cv=PredefinedSplit(found.folds[0])
    )
    # it scales by the training part
    assert (found.predictions[0, 0] != ours).mean() < 0.03
