"""What the parts of the report give for small studies, so that none changes unseen. The studies have too few objects for the learned judge."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pinning import Pins, tried
from scipy import sparse

import sortal
from sortal.datasets import Dataset, from_array, read
from sortal.report import (
    _candidates,
    _cards,
    _clusters,
    _facts,
    _judges,
    _map,
    _page,
    _parts,
    _pictures,
    _sections,
    _tables,
    watched,
)
from sortal.study.divisions import Alternative
from sortal.study.views import DataView

Y = np.arange(12) % 3


def data() -> Any:
    return (np.random.default_rng(0).normal(size=(12, 3)) + 7.0 * np.eye(3)[Y]).round(2)


@cache
def facts(kind: str) -> Any:
    """The facts of a small study."""
    classes = np.array([f"kind {c}" for c in Y], dtype=object)
    few = np.where(Y + np.arange(12) % 2 > 0, classes, None)
    if kind == "votes":
        study = sortal.Study(Dataset(X=data(), name="<b>", feature_names=("1", "age", "<x>"), center=np.ones(3),
                                    scale=np.array([1, 2, 3.0]), ids=np.array([f"r{i}" for i in range(12)], dtype=object),
                                    source="a.csv", rows=np.arange(12) * 2))  # fmt: skip
        study.command = "sortal run a.csv"
        study.sweep(["ward", "average"], k=[2, 3, 13], n_init=1, workers=1)
        study.add(
            {"mine": Y, "out": Y - 1, "none": np.full(12, -1), "named": np.array(list("abc"))[Y]}
        )
    elif kind == "classes":
        study = sortal.Study(from_array(data(), y=classes))
        study.add(
            {
                "mine": np.where(np.arange(12) == 5, -1, Y),
                "two": np.minimum(Y, 1),
                "six": np.arange(12) % 6,
            }
        )
    elif kind == "labels":
        study = sortal.Study(from_array(data(), y=few))
        study.add({"mine": np.where(np.arange(12) == 5, -1, Y), "two": np.minimum(Y, 1)})
    elif kind == "distances":
        D = np.abs(data()[:, None] - data()).sum(axis=2)
        study = sortal.Study(D, metric="precomputed").sweep(
            ["average"], k=[2, 3], n_init=1, workers=1
        )
    elif kind == "function":
        study = sortal.Study(data(), metric=cityblock).sweep(
            ["average"], k=[2], n_init=1, workers=1
        )
    elif kind == "graph":
        A = (Y[:, None] == Y).astype(float) + np.eye(12, k=1) + np.eye(12, k=-1) - np.eye(12)
        study = sortal.Study(sparse.csr_array(A), metric="graph").add(
            {"mine": Y, "two": np.minimum(Y, 1)}
        )
    elif kind == "sparse":
        study = sortal.Study(sparse.csr_array(np.maximum(data(), 0)), metric="cosine")
        study.add({"mine": Y, "two": np.minimum(Y, 1)})
    elif kind == "stable":
        study = sortal.Study(data()).sweep(["ward"], k=[2, 3], n_init=1, workers=1)
        study.stability(study.best().name, n_resamples=3, n_references=2)
    elif kind == "failed":
        study = sortal.Study(data()[:4]).sweep(["ward"], k=[5, 6], n_init=1, workers=1)
    elif kind == "texts":
        words = ("ship sea sail", "bread oven flour", "goal ball team")
        texts = [f"{words[c]} {words[c].split()[i % 3]}" for i, c in enumerate(Y)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "texts.jsonl")
            file.write_text("\n".join(json.dumps({"text": text}) for text in texts), "utf-8")
            study = sortal.Study(read(file, text_column="text")).add({"mine": Y})
    elif kind == "one":
        study = sortal.Study(data()[:, :2]).add({"mine": Y})
    return _facts.gather(study)


def cityblock(a: Any, b: Any) -> float:
    return float(np.abs(a - b).sum())


def told(section: Any) -> Any:
    """A section without the clock, and without the answer, which has pins of its own."""
    if section is None:
        return None
    values = {
        key: one for key, one in section.values.items() if key not in ("answer", "groups", "first")
    }
    return [section.id, section.title, section.template, timeless(values), section.pictures]


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if key != "seconds"
                and not (key == "columns" and "name" in value)}  # fmt: skip
    return value


def page_of_watch() -> Any:
    """The groups of pictures on the page of watched clusters."""
    given: list[Any] = []
    template = Some(render=lambda **values: given.append(values["first"].values["groups"]) or "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watched, "environment", lambda: Some(get_template=lambda _: template))
        within_page("new.html", False)
    return given[0]


def within_page(name: str, overwrite: bool) -> Any:
    """Whether the page of watched clusters is written to a file, where another is there already."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "there.html").write_text("old")
        told = tried(watched.write_watch, names()["watch"], place / name, overwrite=overwrite)
        return told and told.replace(folder, ""), "<html" in (place / "there.html").read_text()


@cache
def names() -> dict[str, Any]:
    signals = [
        Some(name="share of a", kind="share", values=[0.1, 0.2, 0.9], low=[0.0, 0.1, 0.1], high=[0.3, 0.3, 0.3], alarm=2, since=1),
        Some(name="far rows", kind="distance", values=[0.1, np.nan, 0.9], low=[0.0] * 3, high=[0.3] * 3, alarm=1, since=0),
        Some(name="unlike", kind="unlike", values=[0.1, 0.2, 0.1], low=[0.0] * 3, high=[0.3] * 3, alarm=None, since=None),
        Some(name="odd", kind="unlike", values=[0.1, 0.2, 0.1], low=[0.0] * 3, high=[0.3] * 3, alarm=1, since=None),
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, -1], [10, 10, 2])
    many = np.random.default_rng(1).normal(size=(22, 6)) + 9 * labels[:, None] * (np.arange(6) == 2)
    table = pd.DataFrame(many, columns=list("abcdef"))
    wide = Some(map=Some(rows=np.arange(22)[::-1]), labels=labels, terms=None,
                study=sortal.Study(table).add({"mine": labels}))  # fmt: skip
    lists = Some(
        near=np.array([[1, 2, 3], [0, 2, 3], [1, 0, 3], [4, 5, 2], [3, 5, 2], [4, 3, 1], [0, 3, 5]])
    )
    return {
        **{module.__name__.rpartition(".")[2][1:] if "._" in module.__name__ else "watched": module for module in (
            _candidates, _cards, _clusters, _facts, _judges, _map, _pictures,
            _sections, _tables, watched)},
        "F": facts, "told": told, "limits": lambda **values: replace(_parts.LIMITS, **values), "parts": _parts, "timeless": timeless, "np": np, "pd": pd, "Some": Some, "X": data(), "Y": Y, "sparse": sparse,
        "watch": Some(signals=signals, periods=["May", "June", "July"], headline="Changed.", sentences=("One.",)), "sortal": sortal,
        "wide": wide, "environment": _page.environment(), "page_of_watch": page_of_watch, "within_page": within_page,
        "some": lambda labels: _map.ObjectMap(np.arange(7), None, lists.near).edge(np.array(labels)),
        "shares": lambda labels: _map.ObjectMap(np.arange(7), None, lists.near).edge_shares(np.array(labels)),
        "Z": sortal.clusterers.LinkageClustering(3, method="ward").fit(rng.normal(size=(50, 2))).linkage_,
        "way": Alternative("a", 2, Y, (8, 4), None, DataView("all"), 9.0), "measures": sortal.measures.catalogue, "deciders": __import__("sortal.study.deciders", fromlist=["x"]),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
