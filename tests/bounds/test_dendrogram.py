"""The best pruning, against going through all of them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import naive_bounds as naive
from karat import Dendrogram
from karat._kernels.prunings import (
    class_counts,
    cut_errors,
    fewest_errors,
    log2_prunings,
    pruned_labels,
)
from karat.bounds import b_max, prune_dendrogram, sample
from karat.labelings.partitions import cut_dendrogram
from karat.runtime.validation import InputError


def every_pruning(Z: np.ndarray) -> list[list[list[int]]]:
    n = len(Z) + 1
    return naive.prunings([(int(a), int(b)) for a, b in Z[:, :2]], 2 * n - 2, n)


def partition(clusters: list[list[int]]) -> frozenset[frozenset[int]]:
    return frozenset(map(frozenset, clusters))


def members(labels: np.ndarray) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(np.flatnonzero(labels == v).tolist()) for v in np.unique(labels))


def shares(Z: np.ndarray) -> dict[frozenset[frozenset[int]], float]:
    """Share of every pruning in the language, from its definition."""
    n = len(Z) + 1
    every = [partition(pruning) for pruning in every_pruning(Z)]
    count = Counter(map(len, every))
    total = {}
    for pruning in every:
        c = len(pruning)
        total[pruning] = (2.0 ** (1 - 2 * c) / 2 + 1 / (c * (c + 1)) / count[c] / 2) / 2
    for c in range(1, n + 1):
        total[members(cut_dendrogram(Z, n_clusters=c))] += 1 / (c * (c + 1)) / 2
    return total


def errors_of(clusters: frozenset[frozenset[int]], y: list) -> int:
    labels = [0] * len(y)
    for c, objects in enumerate(clusters):
        for i in objects:
            labels[i] = c
    return naive.errors(labels, y)


def case(seed: int) -> tuple[np.ndarray, list, float]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    Z = linkage(rng.random((n, 2)), ["single", "average", "complete"][seed % 3])
    truth = rng.integers(0, 1 + seed % 3, n, endpoint=True)
    y = [int(v) if rng.random() < 0.6 else None for v in truth]
    y[int(rng.integers(n))] = 0
    return Z, y, float(rng.choice([0.1, 0.5, 1.0]))


@pytest.mark.parametrize("seed", range(40))
def test_fewest_errors_and_its_pruning(seed: int) -> None:
    Z, y, _ = case(seed)
    n = len(y)
    left, right = Z[:, 0].astype(np.int64), Z[:, 1].astype(np.int64)
    codes = np.array([-1 if v is None else v for v in y])
    counts = class_counts(left, right, codes, 4)
    stop = counts.sum(axis=1, dtype=np.int32) - counts.max(axis=1)
    got, splits = fewest_errors(left, right, stop, n)
    want: dict[int, int] = {}
    for pruning in map(partition, every_pruning(Z)):
        errors = errors_of(pruning, y)
        want[len(pruning)] = min(errors, want.get(len(pruning), errors))
    for c in range(1, n + 1):
        fewest = min(want[k] for k in range(1, c + 1))
        at = min(c, len(got))
        assert got[at - 1] == fewest
        chosen = members(pruned_labels(left, right, splits, at))
        assert errors_of(chosen, y) == fewest
        assert len(chosen) <= c
        assert chosen in set(map(partition, every_pruning(Z)))
    assert cut_errors(left, right, stop, n).tolist() == [
        errors_of(members(cut_dendrogram(Z, n_clusters=c)), y) for c in range(1, n + 1)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_best_pruning_is_found_and_fully_charged(seed: int) -> None:
    Z, y, delta = case(seed)
    share = shares(Z)
    assert sum(share.values()) <= 1
    seen = sorted({v for v in y if v is not None})
    pruning = prune_dendrogram(Z, y, delta, classes=seen)
    m, classes = pruning.m, len(seen)
    # never more than the mixture's log2(5) bits from the best there is with plain labels
    best = min(
        b_max(m, len(y) - m, errors_of(p, y), log_delta=level(s / classes ** len(p) / 5, delta))
        for p, s in share.items()
    )
    assert pruning.bound <= best
    # the pruning that it returns costs at least what its share says
    wrong = sum(p != v for p, v in zip(pruning.predicted, y, strict=True) if v is not None)
    assert wrong == pruning.errors
    cheapest = min(-math.log2(s) for p, s in share.items() if len(p) == pruning.n_clusters)
    assert pruning.choice_bits >= cheapest - 1e-9
    assert pruning.bound == b_max(m, len(y) - m, wrong, log_delta=level(2**-pruning.bits, delta))


def level(share: float, delta: float) -> float:
    return math.log(delta) + math.log(share) - 1e-10


def test_prunings_are_counted() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 6, 10):
        Z = linkage(rng.random((n, 2)), "average")
        children = [(int(a), int(b)) for a, b in Z[:, :2]]
        sizes = [len(p) for p in naive.prunings(children, 2 * n - 2, n)]
        want = np.bincount(sizes, minlength=n + 1)[1:]
        left, right = Z[:, 0].astype(np.int64), Z[:, 1].astype(np.int64)
        assert np.exp2(log2_prunings(left, right, n)) == pytest.approx(want)
        assert np.exp2(log2_prunings(left, right, 3)) == pytest.approx(want[:3])


def test_unequal_depths_beat_every_cut() -> None:
    rng = np.random.default_rng(1)
    # one wide class, and a tight group that holds six small ones
    wide = rng.normal(0, 30, (600, 2))
    tight = [rng.normal((400 + 3 * i, 0), 0.3, (60, 2)) for i in range(6)]
    X = np.concatenate([wide, *tight])
    truth = np.array(["wide"] * 600 + [f"tight {i}" for i in range(6) for _ in range(60)])
    y = np.where(rng.random(len(X)) < 0.3, truth, None)
    Z = linkage(X, "average")
    pruning = prune_dendrogram(Z, y)
    hidden = np.array([v is None for v in y])
    assert (pruning.predicted[hidden] != truth[hidden]).sum() <= pruning.bound
    from karat import pac_mdl_bound
    from karat.bounds.languages import Cluster

    cuts = pac_mdl_bound(cut_dendrogram(Z, n_clusters=range(2, 60)), y, language=Cluster())
    assert pruning.bound < cuts.best.bound
    assert pruning.n_clusters < 12


def test_degenerate_trees() -> None:
    Z = linkage([[0.0], [1.0], [5.0]], "single")
    assert prune_dendrogram(Dendrogram(Z), [0, -1, 1]) == prune_dendrogram(Z, [0, -1, 1])
    one_class = prune_dendrogram(linkage([[0.0], [1.0], [5.0]], "single"), ["a", None, "a"])
    assert (one_class.n_clusters, one_class.errors) == (1, 0)
    two = prune_dendrogram(linkage([[0.0], [1.0]], "single"), ["a", "b"])
    assert two.n == two.bound == 0
    with pytest.raises(InputError, match="linkage matrix"):
        prune_dendrogram([[0, 1, 1.0]], ["a", None])
    with pytest.raises(InputError, match="delta"):
        prune_dendrogram(linkage([[0.0], [1.0]], "single"), ["a", "b"], 0.0)


def test_the_draw_is_tested_over_cuts_that_no_label_chose(monkeypatch):
    from karat.bounds import dendrogram

    X = np.random.default_rng(0).normal(size=(120, 2))
    Z, seen = linkage(X, "average"), []
    test = dendrogram.doubted_draw
    monkeypatch.setattr(
        dendrogram, "doubted_draw", lambda codes, rows: (seen.append(codes), test(codes, rows))[1]
    )
    for classes in (X[:, 0] > 0, X[:, 1] > 0):
        y = np.full(120, None, dtype=object)
        drawn = sample(120, 40, random_state=1)
        y[drawn] = classes[drawn]
        assert not prune_dendrogram(Z, y).refused
    assert (seen[0] == seen[1]).all()
    side = cut_dendrogram(Z, n_clusters=8)
    y = np.full(120, None, dtype=object)
    y[np.flatnonzero(side == np.bincount(side).argmax())[:25]] = "a"
    picked = prune_dendrogram(Z, y)
    assert "of '" in picked.refused
    assert picked.bound == picked.n
