"""What is said of the structure of small data of many kinds, by each of the settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

import sortal
from sortal.nulls import (
    GapSettings,
    Null,
    Structure,
    StructureSearch,
    StructureSettings,
    ValleySettings,
    draw_reference,
    find_gaps,
    predictors,
)
from values import fails, table_test

#: no group is large enough for a gap, so that valleys alone are evidence; four searches
VALLEYS = StructureSettings(gaps=GapSettings(min_share=0.6), confidence=0.0)
#: no cluster is large enough for a valley
GAPS = StructureSettings(valleys=ValleySettings(objects_per_cluster=10_000))


def said(X: Any, settings: StructureSettings = VALLEYS, **options: Any) -> list[Any]:
    """The numbers of a structure."""
    found = sortal.assess_structure(X, settings=settings, **options)
    return [
        found.evidence, found.error, found.probability, found.linearity, found.n_clusters,
        found.n_objects,
    ]  # fmt: skip


def of_valleys(X: Any, base: dict[str, Any], changes: dict[str, float]) -> Any:
    """Evidence with each of some changed settings of valleys."""
    search = StructureSearch(X, "euclidean", np.random.default_rng(0), VALLEYS)
    first = ValleySettings(**base)
    tables = [first, *(replace(first, **{name: value}) for name, value in changes.items())]
    found = [search.structure(replace(VALLEYS, valleys=table)) for table in tables]
    return [[one.evidence, one.error, one.n_clusters] for one in found]


def ways(X: Any, candidates: dict[str, Any]) -> Any:
    """Alternatives to the best of some clusterings, with the evidence of each."""
    study = sortal.Study(X)
    study.add(candidates)
    study.by = "silhouette"
    return [[one.name, one.n_clusters, one.evidence] for one in study.alternatives()]


def fixtures() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    y = np.arange(96) % 3
    turn = np.linspace(0, 4, 96) + 0.3 * (np.arange(96) > 40)
    noise = rng.normal(size=(96, 2))
    few = sparse.csr_array((rng.random((12, 90)) < 0.09).astype(float))
    some = rng.poisson([0.1] * 8 + [2.0] * 4, size=(15, 12)).astype(float)
    some[4] = 0
    return {
        "near": noise + 2.6 * np.column_stack([y, y == 1]),
        "deep": rng.normal(size=(96, 5)) + 3.5 * np.eye(3, 5)[y],
        "cloud": rng.normal(size=(96, 3)) * [3, 2, 1],
        "arc": 7 * np.column_stack([np.cos(turn), np.sin(turn)]) + noise / 3,
        "grid": rng.integers(0, 5, size=(90, 2)) + 7.0 * (np.arange(90) % 2)[:, None],
        "wide": rng.normal(size=(70, 44)) + 2.5 * np.eye(2, 44)[np.arange(70) % 2],
        "column": np.r_[rng.normal(size=50), 4 + rng.normal(size=40)][:, None],
        "counts": sparse.csr_array(rng.poisson(1 + 4.0 * np.eye(2)[np.arange(70) % 2].repeat(4, 1))
                                   .astype(float)),
        "few": few, "some": sparse.csr_array(some), "y": y, "rng": np.random.default_rng,
    }  # fmt: skip


# fmt: off
CASES = {
    "valleys": [
        lambda near, deep: [said(near[:64]), said(deep[:64])],
    ],
    "valleys of large data": [
        lambda near, deep, cloud, arc: [said(X) for X in (near, deep, cloud, arc)],
    ],
    "valleys of few objects": [
        lambda near: said(near[:, :1]),
        lambda near: [said(near[:n]) for n in (31, 32, 47, 48)],
        # searches are repeated, since the probability is near a limit
        lambda near: said(near[:48] * 1.5, replace(VALLEYS, confidence=.99, clusters_from=.95)),
    ],
    "metrics": [
        lambda grid, column, wide: [said(X) for X in (grid, column, wide, np.round(column))],
        lambda near: [said(cdist(near, near), metric="precomputed"), said(near, metric="manhattan"),
            said(near, metric=lambda a, b: np.abs(a - b).max()), said(near, metric="cosine"),
            said(near - 3, metric="correlation")],
        lambda counts: [said(counts), said(counts, metric="cosine")],
        lambda near: [said(near, random_state=seed) for seed in (1, np.random.default_rng(2))],
    ],
    "settings of fits": [
        lambda near, deep: [of_valleys(X[:48], {"close_look": 0.0}, {"max_fitted": 2}) for X in
            (near, deep)],
    ],
    "settings of valleys": [
        lambda near: of_valleys(near[:60], {"close_look": 0.0}, {"objects_per_cluster": 48,
            "usual_size": 24, "folds": 3, "covariance_ridge": .5, "valley_limit": .5, "max_fitted":
            1, "max_evidence": 2.0}),
    ],
    "settings of borders": [
        lambda near: of_valleys(near[:60], {"close_look": 0.0}, {"border": .4, "min_border_objects": 25,
            "path_neighbours": 4, "density_neighbour": 3, "cross_axes": 0, "variance_inflation": 1.0,
            "curve_limit": .1, "curve_deduction": 1.0, "straight_factor": 1.0}),
    ],
    "settings of many clusters": [
        lambda deep: of_valleys(deep, {"close_look": 0.0, "max_fitted": 0}, {"cross_axes": 1,
            "folds": 5, "path_neighbours": 5, "density_neighbour": 7, "close_look": 3.0}),
        lambda arc: of_valleys(arc, {"close_look": 0.0, "objects_per_cluster": 30}, {"max_fitted":
            0, "curve_limit": 99.0, "curve_deduction": .2, "border": .15}),
    ],
    "settings of a closer look": [
        lambda cloud: of_valleys(cloud, {"close_look": -1.0, "objects_per_cluster": 19}, {"border":
            .1, "max_fitted": 9, "straight_factor": .5, "objects_per_cluster": 14}),
    ],
    "gaps": [
        lambda near, deep, cloud, arc, grid, column: [find_gaps(np.ascontiguousarray(X, float)) for
            X in (near, deep, cloud, arc, grid, column, near[:19], near[:20], near[:21])],
        lambda arc: [find_gaps(arc, replace(GapSettings(), **change)) for change in
            ({"core_neighbour": 1}, {"core_neighbour": 8}, {"dimension_neighbours": 6}, {"min_share":
            .2}, {"min_share": .49}, {"min_objects": 3}, {"min_objects": 48}, {"min_objects": 49},
            {"enough_contrast": .01}, {"free_contrast": 0.0})],
        lambda near: [find_gaps(near * 9 ** np.arange(p), GapSettings(min_objects=4)) for p in
            (1, 2)],
        lambda near, deep, arc, grid, wide: [said(X, GAPS) for X in (near, deep, arc, grid, wide)],
        lambda arc: [said(arc, replace(GAPS, gaps=GapSettings(free_contrast=f, enough_contrast=e)))
            for f, e in ((0.0, 1.25), (.1, .2), (.1, .4))],
        lambda near: [said(near, replace(GAPS, valleys=replace(GAPS.valleys, usual_size=9)))],
    ],
    "coordinates": [
        # equal objects count once, and those with a distance of 1 do not
        lambda: said(cdist(*[np.repeat(np.arange(24.0), 2)[:, None]] * 2), metric="precomputed"),
        lambda column: said(np.abs(np.round(column, 1) - np.round(column.T, 1)),
            metric="precomputed"),
        lambda near: [said(np.repeat(near[:40], 2, axis=0)), said(np.c_[near, np.ones(96)])],
    ],
    "ties": [
        # of a hundred features, ties are spread
        lambda: said(np.random.default_rng(0).integers(0, 3, (40, 100)).astype(float)),
        lambda: said(np.random.default_rng(0).integers(0, 3, (40, 101)).astype(float)),
        lambda grid: [said(grid[:, :1]), said(np.repeat(grid, 2, axis=0)), said(np.c_[grid, grid[:,
            ::-1] ** 2, np.arange(90) % 2])],
        lambda near: [said(np.round(near, 2), replace(VALLEYS, jitter=j)) for j in (0.0, 1e-3, .01)],
    ],
    "components": [
        lambda wide: [said(wide, replace(VALLEYS, min_components=m)) for m in (1, 3, 12, 99)],
        lambda wide: [said(wide[:24]), said(np.c_[wide, wide * 2 + 1, wide[::-1]]),
            said(sparse.csr_array(np.maximum(np.c_[wide, wide[:, ::-1]], 0)))],
    ],
    "neighbourhoods": [
        lambda near: [said(near, replace(VALLEYS, neighbourhood=h, min_neighbourhood=m)) for h, m in
            ((.05, 3), (.5, 3), (.05, 50), (.05, 500))],
    ],
    "alternatives": [
        lambda near, y: ways(near[:60], {"a": y[:60], "b": y[:60] % 2}),
        lambda deep, y: ways(deep[:60], {"a": y[:60], "c": y[:60] // 2, "d": np.arange(60) % 5}),
    ],
    "probabilities": [
        lambda: [predictors(e, n, s) for e in (0.0, 1.0, 2.8, 4.0, 9.0) for n, s in ((10, .2), (20,
            .5), (400, .35), (900, .9))],
        lambda: predictors(3.0, 50, .1, StructureSettings(min_linearity=.2, certain_evidence=20.0,
            enough_evidence=30.0, min_size=99, valleys=ValleySettings(usual_size=500))),
    ],
    "settings of probabilities": [
        lambda near: [said(near, replace(VALLEYS, **change)) for change in ({"intercept": -9.0},
            {"evidence_slope": .3}, {"size_slope": -3.0}, {"min_size": 200}, {"enough_evidence":
            20.0}, {"certain_evidence": 1.0}, {"min_linearity": 1.0}, {"clusters_from": .2},
            {"no_clusters_below": .9, "clusters_from": .999}, {"confidence": .5})],
        lambda column: [said(column, replace(VALLEYS, **change)) for change in
            ({"column_linearity": .9}, {"column_linearity": .1}, {"intercept": -14.0})],
    ],
    "smallest": [
        lambda: [Structure(.5, "no", 4.0, 2, n).smallest for n in (1, 99, 100, 101, 400, 401, 999)],
    ],
    "references": [
        lambda few: [draw_reference(few, "shuffled", random_state=s).toarray().nonzero() for s in
            (0, 1, 2)],
        lambda some: [draw_reference(some, "shuffled", random_state=s).toarray() for s in (0, 1)],
        lambda deep, y, rng: [Null(deep).draw("within", rng(0), np.where(np.arange(96) % 5, y, -1))
            .std(axis=0), Null(deep[:, :2]).draw("within", rng(0), np.arange(96) * 2).std(axis=0)],
        lambda deep, rng: [Null(cdist(deep, deep, m), "precomputed").draw(k, rng(0)).mean(axis=0)[
            :4].mean() for m in ("euclidean", "cityblock") for k in ("gaussian", "uniform")],
        lambda rng: [np.square(Null(cdist(*[rng(4).normal(size=(n, 60))] * 2), "precomputed").draw(
            "gaussian", rng(0))).mean() for n in (70, 510)],
        lambda: Null(np.zeros((4, 4)), "precomputed").draw("uniform", np.random.default_rng(0)),
        lambda: fails(sortal.assess_structure, np.eye(3), metric="odd"),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)


def test_as_many_clusters_are_sought_as_there_are_up_to_six():
    """Sixteen objects for each cluster, so that no search for more is made."""
    rng = np.random.default_rng(0)
    for k in (2, 3, 4, 5, 6):
        X = rng.normal(size=(16 * k, 2)) + 30 * np.eye(k)[np.arange(16 * k) % k] @ rng.normal(
            size=(k, 2)
        )
        assert sortal.assess_structure(X, settings=VALLEYS).n_clusters == k, k
