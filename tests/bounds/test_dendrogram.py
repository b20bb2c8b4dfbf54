"""The best pruning, against going through all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import naive_bounds as naive
from karat._kernels.pruning import log2_prunings
from karat.bounds import b_max, prune_dendrogram
from karat.partition import cut_dendrogram
from karat.validation import InputError


def best_by_trying_all(Z: np.ndarray, y: list, delta: float) -> int:
    n_objects = len(Z) + 1
    children = [(int(a), int(b)) for a, b in Z[:, :2]]
    every = naive.prunings(children, 2 * n_objects - 2, n_objects)
    count: dict[int, int] = {}
    for pruning in every:
        count[len(pruning)] = count.get(len(pruning), 0) + 1
    known = [i for i, v in enumerate(y) if v is not None]
    m, n = len(known), n_objects - len(known)
    classes = len({y[i] for i in known})

    def bound(clusters: list[list[int]], share: float) -> int:
        labels = [0] * n_objects
        for c, members in enumerate(clusters):
            for i in members:
                labels[i] = c
        share /= classes ** len(clusters)
        return b_max(m, n, naive.errors(labels, y), log_delta=math.log(delta * share) - 1e-11)

    def prior(c: int) -> float:
        return 1 / (c * (c + 1))

    best = n
    for pruning in every:
        c = len(pruning)
        share = (2.0 ** (1 - 2 * c) / 2 + prior(c) / count[c] / 2) / 2
        best = min(best, bound(pruning, share))
    for c in range(1, n_objects + 1):
        cut = cut_dendrogram(Z, n_clusters=c)
        members = [np.flatnonzero(cut == v).tolist() for v in range(c)]
        best = min(best, bound(members, prior(c) / 2))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_dynamic_program_finds_the_best_pruning(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    Z = linkage(rng.random((n, 2)), ["single", "average", "complete"][seed % 3])
    truth = rng.integers(0, 1 + seed % 3, n, endpoint=True)
    y = [int(v) if rng.random() < 0.6 else None for v in truth]
    y[int(rng.integers(n))] = 0
    delta = float(rng.choice([0.1, 0.5, 1.0]))
    found = prune_dendrogram(Z, y, delta)
    assert found.bound == best_by_trying_all(Z, y, delta)
    wrong = sum(p != v for p, v in zip(found.predicted, y, strict=True) if v is not None)
    assert wrong == found.errors


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
    found = prune_dendrogram(Z, y)
    hidden = np.array([v is None for v in y])
    assert (found.predicted[hidden] != truth[hidden]).sum() <= found.bound
    from karat import pac_mdl_bound
    from karat.bounds.languages import Cluster

    cuts = pac_mdl_bound(cut_dendrogram(Z, n_clusters=range(2, 60)), y, language=Cluster())
    assert found.bound < cuts.best.bound
    assert found.n_clusters < 12


def test_degenerate_trees() -> None:
    one_class = prune_dendrogram(linkage([[0.0], [1.0], [5.0]], "single"), ["a", None, "a"])
    assert (one_class.n_clusters, one_class.errors) == (1, 0)
    two = prune_dendrogram(linkage([[0.0], [1.0]], "single"), ["a", "b"])
    assert two.n == two.bound == 0
    with pytest.raises(InputError, match="linkage matrix"):
        prune_dendrogram([[0, 1, 1.0]], ["a", None])
    with pytest.raises(InputError, match="extra_bits"):
        prune_dendrogram(linkage([[0.0], [1.0]], "single"), ["a", "b"], extra_bits=-1)
    with pytest.raises(InputError, match="delta"):
        prune_dendrogram(linkage([[0.0], [1.0]], "single"), ["a", "b"], 0.0)


def test_choosing_the_dendrogram_is_paid_for() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(c, 1, (200, 2)) for c in (0, 8)])
    y = [i // 200 if rng.random() < 0.2 else None for i in range(400)]
    Z = linkage(X, "average")
    free, paid = prune_dendrogram(Z, y), prune_dendrogram(Z, y, extra_bits=5)
    assert paid.bits == pytest.approx(free.bits + 5)
    assert paid.bound > free.bound
