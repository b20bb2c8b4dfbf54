"""What the parts of the report give for small studies, so that none changes unseen.

``PYTHONPATH=tests python tests/report/test_report_parts_pinned.py`` writes
``test_report_parts_pinned.json`` anew. The studies have too few objects for the learned judge.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import karat
from karat.datasets import Dataset, from_array
from karat.report import (
    _candidates,
    _cards,
    _clusters,
    _columns,
    _drawing,
    _facts,
    _judges,
    _map,
    _pictures,
    _sections,
    _tables,
    watched,
)
from karat.study.divisions import Alternative
from karat.study.views import DataView
from pinning import Pins

Y = np.arange(12) % 3


def data() -> Any:
    return (np.random.default_rng(0).normal(size=(12, 3)) + 7.0 * np.eye(3)[Y]).round(2)


@cache
def facts(kind: str) -> Any:
    """The facts of a small study."""
    classes = np.array([f"kind {c}" for c in Y], dtype=object)
    few = np.where(Y + np.arange(12) % 2 > 0, classes, None)
    if kind == "votes":
        study = karat.Study(Dataset(X=data(), name="<b>", feature_names=("1", "age", "<x>"), center=np.ones(3),
                                    scale=np.array([1, 2, 3.0]), ids=np.array([f"r{i}" for i in range(12)], dtype=object),
                                    source="a.csv", rows=np.arange(12) * 2))  # fmt: skip
        study.command = "karat run a.csv"
        study.sweep(["ward", "average"], k=[2, 3, 13], n_init=1, workers=1)
        study.add(
            {"mine": Y, "out": Y - 1, "none": np.full(12, -1), "named": np.array(list("abc"))[Y]}
        )
    elif kind == "classes":
        study = karat.Study(from_array(data(), y=classes))
        study.add(
            {
                "mine": np.where(np.arange(12) == 5, -1, Y),
                "two": np.minimum(Y, 1),
                "six": np.arange(12) % 6,
            }
        )
    elif kind == "labels":
        study = karat.Study(from_array(data(), y=few))
        study.add({"mine": np.where(np.arange(12) == 5, -1, Y), "two": np.minimum(Y, 1)})
    elif kind == "distances":
        D = np.abs(data()[:, None] - data()).sum(axis=2)
        study = karat.Study(D, metric="precomputed").sweep(
            ["average"], k=[2, 3], n_init=1, workers=1
        )
    elif kind == "function":
        study = karat.Study(data(), metric=cityblock).sweep(["average"], k=[2], n_init=1, workers=1)
    elif kind == "graph":
        A = (Y[:, None] == Y).astype(float) + np.eye(12, k=1) + np.eye(12, k=-1) - np.eye(12)
        study = karat.Study(sparse.csr_array(A), metric="graph").add(
            {"mine": Y, "two": np.minimum(Y, 1)}
        )
    elif kind == "sparse":
        study = karat.Study(sparse.csr_array(np.maximum(data(), 0)), metric="cosine")
        study.add({"mine": Y, "two": np.minimum(Y, 1)})
    elif kind == "stable":
        study = karat.Study(data()).sweep(["ward"], k=[2, 3], n_init=1, workers=1)
        study.stability(study.best().name, n_resamples=3, n_references=2)
    elif kind == "failed":
        study = karat.Study(data()[:4]).sweep(["ward"], k=[5, 6], n_init=1, workers=1)
    elif kind == "one":
        study = karat.Study(data()[:, :2]).add({"mine": Y})
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


@cache
def names() -> dict[str, Any]:
    signals = [
        Some(name="share of a", kind="share", values=[0.1, 0.2, 0.9], low=[0.0, 0.1, 0.1], high=[0.3, 0.3, 0.3], alarm=2, since=1),
        Some(name="far rows", kind="distance", values=[0.1, np.nan, 0.9], low=[0.0] * 3, high=[0.3] * 3, alarm=1, since=0),
        Some(name="unlike", kind="unlike", values=[0.1, 0.2, 0.1], low=[0.0] * 3, high=[0.3] * 3, alarm=None, since=None),
        Some(name="odd", kind="unlike", values=[0.1, 0.2, 0.1], low=[0.0] * 3, high=[0.3] * 3, alarm=1, since=None),
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    lists = Some(
        near=np.array([[1, 2, 3], [0, 2, 3], [1, 0, 3], [4, 5, 2], [3, 5, 2], [4, 3, 1], [0, 3, 5]])
    )
    return {
        **{module.__name__.rpartition(".")[2][1:] if "._" in module.__name__ else "watched": module for module in (
            _candidates, _cards, _clusters, _columns, _drawing, _facts, _judges, _map, _pictures,
            _sections, _tables, watched)},
        "F": facts, "told": told, "timeless": timeless, "np": np, "pd": pd, "Some": Some, "X": data(), "Y": Y, "sparse": sparse,
        "watch": Some(signals=signals, periods=["May", "June", "July"]), "karat": karat,
        "some": lambda labels: _map.ObjectMap(np.arange(7), None, lists.near).edge(np.array(labels)),
        "shares": lambda labels: _map.ObjectMap(np.arange(7), None, lists.near).edge_shares(np.array(labels)),
        "Z": karat.clusterers.LinkageClustering(3, method="ward").fit(rng.normal(size=(50, 2))).linkage_,
        "way": Alternative("a", 2, Y, (8, 4), None, DataView("all"), 9.0), "measures": karat.measures.catalogue, "deciders": __import__("karat.study.deciders", fromlist=["x"]),
    }  # fmt: skip


ALL = ("votes", "classes", "labels", "distances", "function", "graph", "sparse", "one")
EXPRESSIONS = [
    *(f"told(sections.{part}(F({kind!r})))" for kind in ALL for part in ("look", "by_k", "data", "reproduce", "failures")),
    *(f"told(sections.answer(F({kind!r})))" for kind in ("votes", "labels", "graph", "one", "failed")),
    *(f"told(sections.reasons(F({kind!r})))" for kind in ("votes", "labels", "graph")),
    *(f"told(sections.ranking(F({kind!r})))" for kind in ("votes", "labels", "distances", "failed")),
    *(f"told(clusters.{part}(F({kind!r})))" for kind in ("votes", "classes", "labels", "graph") for part in ("differences", "classes", "topics")),
    *(f"told(judges.{part}(F({kind!r})))" for kind in ("votes", "labels") for part in ("guarantee", "stability")),
    *(f"told(judges.clarity(F({kind!r})))" for kind in ("votes", "classes", "graph")),
    *(f"told(pictures.{part}(F({kind!r})))" for kind in ("votes", "distances", "function", "graph", "one") for part in ("dendrogram", "consensus_matrix")),
    *(f"timeless(candidates.candidates(F({kind!r})))" for kind in ("votes", "classes", "sparse", "distances", "one")),
    "candidates.candidates(F('failed'))",
    *(f"[f.decided_by, f.families, f.decider, [m.key for m in f.measures], [m.key for m in f.leading], [m.key for m in f.leading_by_k],"
      f" [m.key for m in f.by_k[1]], f.distinct.index.tolist(), f.no_choice] if (f := F({kind!r})) else 0"
      for kind in ("votes", "classes", "labels", "failed")),
    *(f"[c.feature_names, c.names, c.short_names, c.clusters, c.terms] if (c := F({kind!r}).chosen) else 0" for kind in ("votes", "classes", "graph", "one")),
    "told(judges.stability(F('stable'))), told(pictures.consensus_matrix(F('stable'))), [c['badge'] for c in cards.cards(F('stable'))], told(sections.reasons(F('stable')))",
    "[told(sections.alternatives(Some(study=Some(alternatives=lambda n=n: karat.study.alternatives.Alternatives((way,) * n))))) for n in (1, 2, 3)]",
    "[s.id for s in (sections.look(F(k)) for k in ('votes', 'graph'))]",
    "[[fold['id'] if isinstance(fold, dict) else fold.id, [s.id for s in fold.sections]] for fold in sections.build(F('failed'))['folds']]",
    "sections.script_json({'a': '<>&\\u2028\\u2029', 'b': [1, None, .5]})",
    # facts
    "[facts.snippet(t, n) for t, n in (('one two three', 13), ('one two three', 12), ('one two three', 7), ('onetwothree', 5), ('a  b\\nc', 99))]",
    "facts.snippet('ab ' * 3000, 20)", "facts.snippet('x' + ' ' * 100 + 'y', 5)",
    *(f"[m.key for m in facts._leading([measures[k] for k in {keys}], {by!r})]" for keys, by in (
        (["silhouette", "dunn_index", "davies_bouldin_index", "adjusted_rand_index"], "dunn_index"), (["adjusted_rand_index", "silhouette"], None), ([], None))),
    "[m.key for m in facts._leading(list(measures.values()), None)], [m.key for m in facts._leading([m for m in measures.values() if not m.compares_k], None)]",
    # tables
    "[tables._decimals(pd.Series(v, dtype=float)) for v in ([], [np.nan], [.049], [.05], [.5, 1], [9.9], [10], [123], [99999], [1e6], [999999.0], [np.inf, 5], [-20])]",
    "[tables._rounded(pd.Series([1.234567, np.nan, np.inf, -np.inf, 123456.7])), tables._whole(pd.Series([1, None, 3], dtype='Int64'))]",
    "tables._column('a', 'b', 'c', up=False, extra=3)", "[tables.group_of(measures[k]) for k in ('silhouette', 'adjusted_rand_index')], tables.group_of(deciders.as_decider('judge'))",
    *(f"tables.undefined_values(F({kind!r}))" for kind in ("votes", "labels", "failed")),
    "tables.undefined_values(Some(measures=[measures['silhouette']], reasons={'a': {'silhouette': 'x', 'b': 'x'}, 'c': {'silhouette': 'y', 'b': 'x'}, 'd': {'silhouette': 'x'}}))",
    # the map
    *(f"[some({labels}).astype(int), shares({labels})]" for labels in (
        [0, 0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 1, 0, 1], [0, 0, -1, -1, 1, 1, 2], [0, 0, 0, 0, 0, 0, 1], [0, 1, 1, 0, 0, 1, 1])),
    "np.abs(map._scaled(np.abs(X[:, None] - X).sum(axis=2)))",
    "np.abs(map.eigenvectors(sparse.csr_array(np.eye(9, k=1) + np.eye(9, k=-1)), 3))", "np.abs(map.eigenvectors(sparse.csr_array(np.diag([1.0, 1, 0], k=1) + np.diag([1.0, 1, 0], k=-1)), 2))",
    "[d if (d := map.drawn(Some(dataset=karat.datasets.from_array(X), metric=m))).metric == 'x' else d.X for m in ('cosine', 'cityblock', 'euclidean')]",
    "[map.object_map(F(k).study, np.asarray(F(k).chosen.labels)).rows for k in ('votes', 'one', 'graph')]", "map.object_map(F('one').study, np.asarray(F('one').chosen.labels)).near",
    # candidates
    "[candidates._slots(flows, k) for flows, k in (([[0, 0, 5], [0, 1, 3], [1, 1, 2]], 2), ([[0, 1, 5], [1, 0, 5], [-1, 2, 3]], 3), ([], 2), ([[0, 0, 1], [0, 1, 4], [0, 2, 2]], 3), ([[-1, 0, 1], [1, -1, 2]], 1))]",
    "[candidates._flows(np.array(a), np.array(b)) for a, b in (([0, 0, 1], [1, 0, 0]), ([0, -1, 1], [-1, 0, 2]), ([2, 2, 2], [0, 0, 0]))]",
    "[candidates._silhouettes(F('votes').chosen)(np.array(y)) for y in (Y, np.zeros(12, int), np.where(Y == 0, -1, Y))]",
    *(f"[columns.columns(F({kind!r}).chosen)]" for kind in ("votes", "sparse", "distances", "classes")),
    # cards
    "[cards.strength(v) for v in (-9, -1.5, -.3, 0, .75, 1.4, 2)]", "[cards._classes(v) for v in ([], [None], ['b', 'a', 'b', None, 3], list('aabbccdd'))]",
    "[cards.object_titles(Some(texts=t, ids=['a', 'b'])) for t in (None, ['one', 'two ' * 40])]",
    # drawings
    "drawing.heat([[.123456, np.nan], [1, 0]], ['a', 'b'], ['c', 'd'], text=[['1']], x='x', y='y')", "drawing.heat([[1]], None, None)", "drawing.bars(['a'], {'b': [.123456]})",
    "drawing.lines([], 'x', 'y')", "drawing.lines([1], 'x', 'y', ring=(2, .123456), percent=True)", "drawing.rounded([1.23456, np.inf, None, 12345.6], 3)",
    *(f"pictures._tree(Z, {k}, [f'r{{i}}' for i in range(50)], (1.0, 2.5))" for k in (2, 5)),
    # watched clusters
    "[[p.id, p.alt, p.caption, p.drawing] for p in (watched._picture(watch, i) for i in range(4))]",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write(EXPRESSIONS)
