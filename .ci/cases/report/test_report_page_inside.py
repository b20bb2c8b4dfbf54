"""The page: what it says, that it is safe, that it needs nothing but itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine

import sortal
from report_page import Page
from sortal.datasets import Dataset
from sortal.measures import catalogue
from sortal.report import render
from sortal.report._parts import LIMITS
from sortal.report._sections import SCRIPTS, script_json


def wine(truth: Any = None) -> Dataset:
    given = load_wine()
    center, scale = given.data.mean(axis=0), given.data.std(axis=0)
    classes = None
    if truth is not None:
        classes = np.array([given.target_names[i] for i in given.target], dtype=object)
        classes[np.random.default_rng(0).permutation(178)[truth:]] = None
    return Dataset(
        X=(given.data - center) / scale,
        name="wine",
        feature_names=tuple(given.feature_names),
        ids=np.array([f"bottle {i}" for i in range(178)], dtype=object),
        y=classes,
        truth_name=None if truth is None else "cultivar",
        notes=("Each feature was scaled to mean 0 and standard deviation 1.",),
        center=center,
        scale=scale,
        source="wine.csv",
    )


@pytest.fixture(scope="module")
def blind() -> sortal.Study:
    study = sortal.Study(wine())
    study.sweep(["kmeans", "ward", "hdbscan"], k=range(2, 7), n_init=2, workers=1)
    study.by = "consensus"
    study.command = "sortal run wine.csv -k 2:6"
    return study


@pytest.fixture(scope="module")
def source(blind: sortal.Study) -> str:
    return render(blind)


@pytest.fixture(scope="module")
def page(source: str) -> Page:
    return Page(source)


NASTY = "<script>alert(1)</script>"


NASTIER = "</script><img src=x onerror=alert(2)>{{7*7}}\u2028<!--%{x}"


def hostile() -> sortal.Study:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (20, 3)), rng.normal(9, 1, (20, 3))])
    data = Dataset(
        X=X,
        name=NASTY,
        feature_names=(NASTY, NASTIER, '" onmouseover="alert(3)'),
        ids=np.array([f"{NASTY}{i}" for i in range(40)], dtype=object),
        y=np.array([NASTY] * 20 + [NASTIER] * 20, dtype=object),
        truth_name=NASTIER,
        notes=(NASTY, NASTIER),
        source=NASTIER,
    )
    study = sortal.Study(data)
    study.add({NASTY: [NASTY] * 25 + [NASTIER] * 15, NASTIER: [0] * 20 + [1] * 20})
    study.add({"outliers": [-1] * 40})
    study.command = f"sortal run {NASTIER}"
    return study


@pytest.fixture(scope="module")
def hostile_page() -> Page:
    return Page(render(hostile()))


def test_text_from_the_data_stays_text_in_figures(hostile_page: Page) -> None:
    page = hostile_page
    raw = page.texts["payload"]
    assert not set("<>&\u2028\u2029") & set(raw)

    def strings(value: Any) -> Any:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for item in value.values():
                yield from strings(item)
        elif isinstance(value, list):
            for item in value:
                yield from strings(item)

    # drawings are made of text nodes, never of markup
    assert any("<script>" in text for text in strings(page.payload["columns"]))
    program = "".join(files("sortal.report").joinpath("page", name).read_text() for name in SCRIPTS)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(", program)


def test_script_json_cannot_end_its_element() -> None:
    value = {"a": "</script><!--\u2028&", "b": [1, None, 2.5]}
    text = script_json(value)
    assert "<" not in text
    assert json.loads(text) == value
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json(float("nan"))


def test_many_objects_are_sampled_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from sortal.report import _candidates, _map

    limits = replace(LIMITS, objects=150, profiled=50)
    monkeypatch.setattr(_map, "LIMITS", limits)
    monkeypatch.setattr(_candidates, "LIMITS", limits)
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(i, 0.1, (130, 2)) for i in range(2)])
    study = sortal.Study(X)
    study.add({"halves": [0] * 130 + [1] * 130}, reference=False)
    page = Page(render(study))
    assert "sample of 150 of the 260 is drawn" in page.texts["answer"]
    assert len(page.payload["profiled"]) == 50
    assert len(page.payload["columns"][0]["values"]) == 150


@pytest.mark.parametrize(
    ("n", "m", "most"), [(600, 100, 1e6), pytest.param(5000, 2000, 6e6, marks=pytest.mark.long)]
)
def test_page_is_small_for_many_points_and_candidates(
    n: int, m: int, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sortal.plot.layout.PLACED", 100)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    ids = np.array([f"object number {i}" for i in range(n)], dtype=object)
    data = replace(wine(), X=X, feature_names=tuple("abcdefghij"), ids=ids, center=None, scale=None)
    study = sortal.Study(data)
    added = {f"clustering {i}": rng.integers(0, 2 + i % 19, n) for i in range(2)}
    study.add(added, reference=False)
    study.by = "consensus"
    scores = study.scores()
    many = scores.iloc[np.arange(m) % 2].set_axis([f"clusterer k={i}" for i in range(m)])
    many["partition"] = many.index
    for key in many.columns.intersection(list(catalogue)):
        many[key] = rng.normal(size=m)

    class Many:
        def __getattr__(self, name: str) -> Any:
            return getattr(study, name)

        def scores(self) -> Any:
            return many.copy()

        def rank(self) -> Any:
            table = many[["clusterer", "k", "n_clusters", "noise_share", "partition"]].copy()
            table.insert(0, "rank", range(1, m + 1))
            table["votes"], table["reached_by"] = rng.random(m), 1
            table["silhouette"] = rng.random(m)
            return table

        def best(self) -> Any:
            return replace(study.best(), name=many.index[0])

        def describe(self, name: str) -> Any:
            return study.describe(study.best().name)

        def cluster_names(self, name: str) -> list[str]:
            return [str(i) for i in range(40)]

        def labels(self, name: str) -> Any:
            return study.labels(f"clustering {int(name.partition('=')[2]) % 2}")

    assert len(render(Many()).encode()) < most  # type: ignore[arg-type]
