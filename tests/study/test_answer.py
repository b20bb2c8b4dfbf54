"""The answer is facts: what is changed there is found wherever people and machines read."""

from __future__ import annotations

import html
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sortal
from sortal.cli._answer import as_json, show
from sortal.cli._run_options import OutputOptions
from sortal.datasets import Finding
from sortal.report import render


@pytest.fixture(scope="module")
def study():
    study = sortal.Study(load_iris().data)
    study.sweep(["kmeans", "ward", "average"], k=range(2, 5), n_init=1, workers=1)
    return study


def surfaces(study, answer, monkeypatch, capsys):
    monkeypatch.setattr(sortal.Study, "best", lambda self, **options: answer)
    monkeypatch.setenv("COLUMNS", "2000")
    show(study, answer, OutputOptions(why=True, anyway=True))
    return {
        "terminal": capsys.readouterr().out,
        "report": html.unescape(render(study)),
        "JSON": json.dumps(as_json(study, answer), ensure_ascii=False, allow_nan=False),
        "notebook": html.unescape(answer._repr_html_()),
        "text": "\n".join((str(answer), *answer.reasons)),
    }


def test_findings_are_told_before_the_answer(study, monkeypatch, capsys):
    finding = Finding("label", "harmful", columns=("target",), option={"drop": ("target",)})
    changed = replace(study.best(), findings=(finding,))
    assert changed.to_dict()["findings"][0]["key"] == "label"
    for surface, told in surfaces(study, changed, monkeypatch, capsys).items():
        assert "named like classes" in told, surface


def random_labelings(n):
    rng = np.random.default_rng(0)
    return {f"mine {i}": rng.integers(0, 3 + i, 150) for i in range(n)}


def test_without_a_reference_one_is_judged_and_what_else_there_is_is_not_known():
    study = sortal.Study(load_iris().data)
    study.add(random_labelings(1), reference=False)
    answer = study.best()
    text = str(answer)
    assert (answer.reference, answer.votes) == (None, ())
    assert answer.recovery.value < 0.1
    assert answer.reference_skipped == "asked"
    assert "Your clustering does not look better than random groups" in text
    assert "omit --no-reference to compare" in text


def test_the_truth_alone_is_called_good():
    X, y = load_iris(return_X_y=True)
    study = sortal.Study(X)
    study.add({"mine": np.array(["setosa", "versicolor", "virginica"])[y]})
    answer = study.best()
    assert answer.recovery.value > 0.45
    assert answer.reference.agreement > 0.8
    assert answer.numbers[0].k == 3
    assert sum(one.probability for one in answer.numbers) == pytest.approx(1)


@pytest.mark.long
def test_bad_clusterings_say_nothing_of_the_data():
    study = sortal.Study(load_iris().data)
    study.add(random_labelings(3))
    of_three = study.best().structure
    assert of_three.decision == "yes"
    alone = sortal.Study(load_iris().data)
    alone.add({"mine": random_labelings(1)["mine 0"]})
    assert alone.best().structure == of_three
