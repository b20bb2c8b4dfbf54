"""The answer is facts: what is changed there is found wherever people and machines read."""

from __future__ import annotations

import ast
import html
import inspect
import json
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

import sortal
from sortal.bounds import BoundForecast, percent_up
from sortal.cli import _answer
from sortal.cli._answer import as_json, show
from sortal.cli._run_options import OutputOptions
from sortal.nulls import Structure
from sortal.report import render
from sortal.study import deciders, decision, facts, judgement, ranking, stability
from sortal.study.answer import SCHEMA
from sortal.study.facts import (
    Candidate,
    JudgedBy,
    MoreLabels,
    Number,
    Rate,
    Recovery,
    ReferenceClustering,
    Sample,
    StabilityFacts,
    Trouble,
)


@pytest.fixture(scope="module")
def study():
    study = sortal.Study(load_iris().data)
    study.sweep(["kmeans", "ward", "average"], k=range(2, 5), n_init=1, workers=1)
    return study


@pytest.fixture(scope="module")
def labelled():
    X, y = load_iris(return_X_y=True)
    few = np.full(150, None, dtype=object)
    few[::6] = y[::6]
    study = sortal.Study(X, y=few)
    study.sweep(["kmeans", "ward"], k=range(2, 5), n_init=1, workers=1)
    return study


RESAMPLED = StabilityFacts(
    clusterer="kmeans", numbers=(2, 6), selected=2, kept=0.987, null=0.812, found=(),
    found_in_null=(), n_stable=1, worst="7", dissolved=0.43, n_judged=149,
)  # fmt: skip


NUMBERS = (
    Number(3, 0.7, "three"),
    Number(2, 0.25, "two", 1.0, (("0", ("setosa",)), ("1", ("versicolor", "virginica")))),
    Number(9, 0.05, None),
)


FUTURE = (BoundForecast(51, 0.0712, 0.0634, 0.0991),)


#: one fact changed, and what is then read
CHANGES = [
    ({"name": "ward k=3"}, "ward k=3"),
    ({"recovery": Recovery(0.271, 0.11, 0.45)}, "interval 0.11–0.45"),
    (
        {"recovery": Recovery(0.271, 0.11, 0.45)},
        "If groups made these data, these match them about 0.3 (0.1 to 0.5)",
    ),
    ({"near_best": 0.731}, "no candidate is clearly better is 73 %"),
    ({"numbers": NUMBERS}, "3 (70 %) or 2 (25 %, versicolor and virginica join)"),
    (
        {"numbers": (Number(3, 0.19, "three"), Number(2, 0.25, "two"))},
        "3 (19 %, agrees best with the others) or 2 (25 %)",
    ),
    (
        {"structure": Structure(0.123, "no", 0.4, 1, 150)},
        "groups that overlap cannot be excluded. The best split has",
    ),
    (
        {"structure": Structure(0.477, "unclear", 2.1, 1, 150)},
        "gaps between groups are uncertain (chance 48 %)",
    ),
    ({"structure": Structure(0.877, "unclear", 3.1, 1, 150)}, "data probably have groups (88 %)"),
    ({"runner_up": Candidate("second", 9)}, "runner-up is second (9 clusters)"),
    ({"sample": Sample(123, False, 0.961)}, "another sample gives nearly the same groups"),
    ({"n_clusters": 3, "stability": RESAMPLED}, "Resampling prefers 2 clusters: 98.7 %"),
    ({"judge": JudgedBy("9", "0123456789", 77)}, "Decided by judge 9"),
    ({"judge": JudgedBy("9", "0123456789", 77)}, "The judge saw a sample of 77 objects"),
    ({"tied": ("twin",)}, "ties with twin"),
    ({"reached_by": 17}, "17 of 9 candidates agree"),
    (
        {"reference": ReferenceClustering("own k=5", 5, Recovery(0.9, 0.8, 1), 0.123, 44, 2000)},
        "own 44 clusterings on 2,000 of the objects is own k=5 (5 clusters",
    ),
]


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


@pytest.mark.quick(5)
@pytest.mark.parametrize(("change", "told"), CHANGES, ids=[c[1] for c in CHANGES])
def test_one_fact_is_found_everywhere(study, change, told, monkeypatch, capsys):
    answer = study.best()
    assert told not in f"{answer} {answer.reasons}"
    changed = replace(answer, **change)
    if "stability" in change:  # the tables of the JSON are those of the resamples
        monkeypatch.setattr("sortal.study.kept_assessment", lambda study, name: None)
    for surface, text in surfaces(study, changed, monkeypatch, capsys).items():
        assert told in text, surface


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"by_clusters": Rate("sharp", 0.01234)},
            "a cluster of sharp had one class, at most 1.3 %",
        ),
        (
            {"more_labels": MoreLabels(25, FUTURE, (7, 3), (7, 3))},
            "51 → about 7.2 % (6.3–10.0 %)",
        ),
        (
            {"more_labels": MoreLabels(25, (), (7, 3), (7, 3))},
            "rows 7, 3; skip none",
        ),
    ],
)
def test_a_fact_of_the_labels_is_found_everywhere(labelled, change, told, monkeypatch, capsys):
    changed = replace(labelled.best(), **change)
    for surface, text in surfaces(labelled, changed, monkeypatch, capsys).items():
        assert told in text, surface
    bound = replace(labelled.best().guarantee, bound=101)
    for surface, text in surfaces(
        labelled, replace(changed, guarantee=bound), monkeypatch, capsys
    ).items():
        assert f"At most {percent_up(bound.bound_rate)} of" in text, surface


def test_what_failed_is_found_in_terminal_json_and_notebook(study, monkeypatch, capsys):
    tried = replace(
        study.best().tried, unfinished=41, troubles=(Trouble("failed", 3, "x", "dust"),)
    )
    changed = replace(study.best(), tried=tried, notes=("salted",), stability_skipped="no time")
    found = surfaces(study, changed, monkeypatch, capsys)
    for told in ("41 candidates", "3 failed, e.g. x: dust", "salted", "no time"):
        for surface in ("terminal", "JSON", "notebook"):
            assert told in found[surface], surface
    assert "salted" in found["report"]


@pytest.mark.parametrize(
    "module", [facts, deciders, decision, judgement, ranking, stability, _answer]
)
def test_sentences_are_made_in_one_place(module):
    tree = ast.parse(inspect.getsource(module))
    notes = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    told = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes
    ]
    assert not [text for text in told if text.endswith(".") and " " in text.strip()]


def test_the_facts_are_frozen_and_plain(study):
    answer = study.best()
    with pytest.raises(FrozenInstanceError):
        answer.name = "mine"
    kept = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert kept["schema"] == SCHEMA
    assert set(kept) == {f.name for f in fields(answer)} - {"labels", "fitted"} | {
        "schema", "sentences", "reasons"
    }  # fmt: skip
    assert kept["recovery"]["value"] == answer.recovery.value
    assert answer.recovery.interval == (answer.recovery.low, answer.recovery.high)
    assert kept["structure"]["decision"] == "yes"
    assert sum(answer.sizes) + answer.outliers == answer.n_objects
    total = answer.average + sum(part.value for part in answer.contributions)
    assert answer.recovery.value == pytest.approx(total, abs=1e-5)


def test_no_number_of_clusters_is_contradicted_without_a_word(study):
    answer = study.best()
    told = " ".join(replace(answer, n_clusters=3, stability=RESAMPLED).reasons)
    assert "Resampling prefers 2 clusters" in told
    none = replace(RESAMPLED, selected=1, kept=None, null=None)
    told = " ".join(replace(answer, n_clusters=3, stability=none).reasons)
    assert "the data may be one cluster, or clusters without gaps" in told


def random_labelings(n):
    rng = np.random.default_rng(0)
    return {f"mine {i}": rng.integers(0, 3 + i, 150) for i in range(n)}


@pytest.mark.quick(1)
@pytest.mark.parametrize("n", [1, 3])
def test_random_labels_are_called_random_and_say_nothing_of_the_data(n):
    study = sortal.Study(load_iris().data)
    study.add(random_labelings(n))
    answer = study.best()
    assert answer.recovery.value < 0.1
    assert answer.structure.decision == "yes"
    assert answer.reference.n_clusters == 3
    assert answer.reference.recovery.value > answer.recovery.value + 0.4
    worth = [recovery.value for _, recovery in judgement.judged(study.state).references]
    assert answer.reference.recovery.value == worth[0] == max(worth) > worth[-1] + 0.4
    assert answer.reference.name not in study.rank().index
    assert answer.tried.distinct == len(study.candidates) == n
    assert "better (recovery" in str(answer)
    assert "omit --only-labelings" in str(answer)
