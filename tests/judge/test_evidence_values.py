"""Columns that the judge reads of small data of many kinds, and what follows from stored trees."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from sortal.judge import (
    EvidenceSettings,
    Forest,
    JudgeSettings,
    columns,
    degenerate,
    doubt_of,
    gather,
    interval_around,
    kind_of,
    load_judge,
    log_likelihood,
    nearly_alike,
    set_back,
    shares,
)
from values import fails, table_test

#: the arrays of evidence as they are
PARTS = ("agreement", "to_anchors", "among_anchors", "found_by")


def means(X: Any, codes: Any, **options: Any) -> dict[str, list[float]]:
    """Mean of each column over partitions, columns by the first word of their names.

    Places are not among them: rounding decides between near ones.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for name, values in sorted(columns(gather(X, codes[:, : X.shape[0]], **options)).items()):
        if not name.endswith(" place"):
            found[name.split()[0]].append(float(values.mean()))
    return found


def places(X: Any, codes: Any) -> list[float]:
    """The mean place of each column."""
    found = columns(gather(X, codes[:, : len(X)]))
    return [float(values.mean()) for name, values in sorted(found.items()) if "place" in name]


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    four = np.arange(72) % 4
    X = rng.normal(size=(72, 3)) + 3.0 * rng.normal(size=(4, 3))[four]
    out = np.where(np.arange(72) % 9 == 4, -1, four)
    codes = np.array([four, out, np.arange(72) % 5, np.arange(72) // 24], dtype=np.int32)
    forest = Forest(
        np.array([0, 3], dtype=np.int32), np.array([0, -1, -1, 1, -1, 0, -1, -1], dtype=np.int16),
        np.array([0.5, 0, 0, 2.0, 0, -1.0, 0, 0], dtype=np.float32),
        np.array([1, 0, 0, 4, 0, 6, 0, 0], dtype=np.int32),
        np.array([0.3, 0.1, 0.6, 0.2, 0.0, 0.5, 0.4, 0.7], dtype=np.float32),
    )  # fmt: skip
    return {
        "X": X, "codes": codes, "forest": forest,
        "wide": rng.normal(size=(50, 40)) + 2.0 * rng.normal(size=(3, 40))[np.arange(50) % 3],
        "long": rng.normal(size=(36, 60)) * np.linspace(5, 1, 60),
        "whole": rng.integers(0, 9, (72, 5)) + rng.normal(size=(72, 5)) / 99,
        "few": np.c_[rng.normal(size=(72, 2)), rng.integers(0, 3, (72, 60))],
        "counts": sparse.csr_array(rng.poisson(0.6, (60, 12)) + np.eye(60, 12) * rng.random(60)[:, None]),
        "column": rng.normal(size=(60, 1)) + 1.5 * (np.arange(60) % 4)[:, None],
        "huge": rng.normal(size=(24, 1001)) + rng.normal(size=(4, 1001))[np.arange(24) % 4],
        "F": np.array([[0.5, 2.0], [0.6, 2.1], [-1.0, 3.0], [-0.5, 0.0]]),
    }  # fmt: skip


# fmt: off
CASES = {
    "four groups": [
        lambda X, codes: means(X, codes),
        lambda X, codes: places(X, codes),
        lambda X, codes: {name: np.mean(getattr(gather(X, codes), name), axis=0) for name in PARTS},
        # far from every anchor's number of clusters
        lambda X: means(X[:36], np.arange(36, dtype=np.int32)[None] % 30),
    ],
    "outliers": [
        lambda X, codes: means(X, codes[[1]]),
        lambda X: means(X, np.where(np.arange(72) % 5 < 2, np.arange(72) % 5, -1).astype(np.int32)[
            None]),
    ],
    "wide": [lambda wide, codes: means(wide, codes)],
    "long": [lambda long, codes: means(long, codes)],
    "huge": [
        lambda huge, codes: means(huge, codes)["own"],
    ],
    "few values": [lambda few, codes: means(few, codes), lambda whole, codes: means(whole, codes)],
    "counts": [
        lambda counts, codes: [means(counts, codes, metric=m)[k] for m, k in (("euclidean", "own"),
            ("euclidean", "likely"), ("cosine", "own"), ("cosine", "column"))],
    ],
    "one column": [
        lambda column, codes: means(column, codes),
        lambda column, codes: means(sparse.csr_array(column), codes)["own"],
    ],
    "metrics": [
        lambda wide, codes: [means(wide[:, :4] + 3, codes, metric=m)["own"] for m in ("cosine",
            "correlation", "manhattan", "chebyshev")],
    ],
    "degenerate": [
        lambda codes: means(np.eye(30)[:, :2], codes),
        lambda X, codes: means(np.repeat(X[:24], 3, axis=0) + np.arange(72)[:, None] % 3 * 1e-9,
            codes)["data"],
        lambda X, codes: [means(X[:n], codes)["own"] for n in (20, 61)],
    ],
    "settings": [
        lambda X, codes: {f"{name} {value}": means(X, codes, settings=replace(EvidenceSettings(),
            **{name: value}))[kind][:12] for name, value, kind in (("n_neighbors", 6, "own"),
            ("n_wide", 11, "own"), ("core_neighbor", 2, "own"), ("max_intervals", 3, "column"),
            ("leading_axes", 2, "likely"), ("t_freedom", 7.0, "likely"), ("variance_ridge", .1,
            "likely"), ("shrinking_ridge", .5, "likely"), ("max_difference", .5, "likely"))},
    ],
    "judgements": [
        lambda X, codes: vars(load_judge()(gather(X, codes))),
        lambda X, codes: [vars(load_judge()(gather(X, codes[:2]), replace(JudgeSettings(),
            **change)))[key] for change, key in (({"even_share": .5}, "probability"), ({"even_share":
            .5}, "prior"), ({"min_doubt": 5.0}, "probability"), ({"near_copy": .2}, "near_best"),
            ({"temperature": .05}, "prior"))],
    ],
    "trees": [
        lambda forest, F: [forest.paths(F), forest.predict(F), forest.arrays("a_")],
        lambda forest, F: Forest.from_arrays(forest.arrays("b_"), "b_"),
        lambda forest: [forest.paths(np.zeros((1, 3))), forest.predict(np.full((2, 2), 9.0))],
    ],
    "shares": [
        lambda: [shares(np.array(a), np.array(k), b, w) for a, k, b, w in (([.5, .4, .1], [2, 2, 3],
            .1, .2), ([.5, .4, .1], [2, 3, 3], 1.0, .05), ([1.0], [4], .1, .1))],
        lambda: interval_around(np.array([-.1, 0.0, .3, .95]), np.array([0.0, .5, 1.0]),
            np.array([.1, .2, .05]), np.array([.3, .1, .1])),
        lambda: [doubt_of(p) for p in (-.1, 0.0, .5, .9, .95, 1.0)],
        lambda: [nearly_alike(np.array([.5, .3, .2]), np.array(a)) for a in ([1, .9, .89], [1, .91,
            1], [.1, .2, .3])],
        lambda: [kind_of(name) for name in ("agree k", "best own gap", "median own valley",
            "own neighbour purity place", "own gap", "own between share", "null valley", "size tiny",
            "data tails", "likely full behind", "column likelihood", "own filled middle place",
            "own bimodal within", "best column likelihood", "median agree top20", "stab stability")],
        lambda: [log_likelihood(np.array(c), np.array(y)) for c, y in (([[0, 0, 1, -1]], [0, 1, 1,
            0]), ([[0, 1, 2, 2], [-1, -1, -1, -1]], [0, 0, 0, 0]), ([[0, 0, 1]], [0, 2, 4]))],
        lambda: fails(load_judge, "no such file"),
    ],
    "one against the rest": [
        # clusters, outliers, k * smallest, largest, evenness, tiny, log(n / k)
        lambda: [degenerate(np.array([[2, out, 0, largest, 0, 0, np.log(n / 2)] for out, largest, n
            in rows] + [[2, 0, 0, .5, 0, 0, np.log(50)]])) for rows in ([(0, .98, 100), (0, .97,
            100)], [(0, .995, 1000), (0, .9901, 1000), (0, .989, 1000)], [(.91, .5, 100), (.9, .5,
            1000), (.5, .96, 100), (.5, .94, 100)])],
        lambda: [degenerate(np.array([[2, 0, 0, .99, 0, 0, np.log(50)]] * m)) for m in (1, 2)],
        lambda X, codes: set_back(np.arange(3.0), gather(X, np.array([codes[0], np.arange(72) == 5,
            np.arange(72) < 3], dtype=np.int32))),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)


def test_no_column_is_undefined_far_from_the_anchors():
    """A partition of 30 clusters, where the anchors have at most 6."""
    X = np.random.default_rng(0).normal(size=(36, 2))
    found = columns(gather(X, np.arange(36, dtype=np.int32)[None] % 30))
    assert all(np.isfinite(values).all() for values in found.values())
    assert found["agree k"][0] == 0


def test_duplicates_are_objects_with_five_equal_ones():
    X = np.random.default_rng(0).normal(size=(40, 2))
    X[:8] = X[0]
    X[8:13] = X[8]  # only four others
    found = columns(gather(X, np.arange(40, dtype=np.int32)[None] % 2))
    assert found["data duplicates"][0] == 8 / 40
    assert found["data repeated values"][0] == pytest.approx(1 - 29 / 40)
    Z = X + np.random.default_rng(1).normal(size=X.shape) * 1e-3
    assert columns(gather(Z, np.arange(40, dtype=np.int32)[None] % 2))["data duplicates"][0] == 0
