"""Calibrated stability: its figures, its rule, and planted numbers of clusters found by it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from sortal import InputError
from sortal.stability import ESTIMATORS, calibrated_stability, prepare, subsample


def planted(k: int, d: int, seed: int, *, n: int = 30, row: bool = False):
    """Gaussians whose nearest centres are 6 standard deviations apart."""
    rng = np.random.default_rng([seed, k, d])
    centers = rng.normal(size=(k, d))
    gap = min(np.linalg.norm(a - b) for a, b in itertools.combinations(centers, 2))
    centers *= 6 / gap
    if row:
        centers[:] = 0
        centers[:, 0] = 6 * np.arange(k)
    return np.repeat(centers, n, axis=0) + rng.normal(size=(k * n, d))


def one_cluster(kind: str, seed: int, n: int = 150):
    rng = np.random.default_rng([seed, n])
    return {
        "square": lambda: rng.uniform(size=(n, 2)),
        "box": lambda: rng.uniform(size=(n, 10)),
        "gaussian": lambda: rng.normal(size=(n, 3)),
        "long": lambda: rng.normal(size=(n, 3)) * [3, 1, 1],
        "skewed": lambda: rng.exponential(size=(n, 2)),
    }[kind]()


def least_kept(first, second):
    """Mean of both directions: the least share of a cluster that one of the other holds."""
    return np.mean([
        min(np.bincount(b[a == c]).max() / (a == c).sum() for c in np.unique(a))
        for a, b in ((first, second), (second, first))
    ])  # fmt: skip


def answer(X, seed: int, most: int = 10) -> int:
    estimate, _ = ESTIMATORS["stability"]
    return estimate(X, "kmeans", list(range(1, most + 1)), seed)


def test_values_are_the_definition():
    X = planted(3, 2, 0, n=12)
    curve = calibrated_stability(X, "average", k=[2, 3, 4], n_resamples=5, n_references=2)
    engine = prepare(X, "average")
    for b in range(5):
        rng = engine.generator(b)
        # halves would share 9 objects, fewer than eight for each of four clusters
        one, other = (subsample(36, 0.7, rng) for _ in range(2))
        both = sorted(set(one.tolist()) & set(other.tolist()))
        fits = [engine.fit(rows, [2, 3, 4], rng) for rows in (one, other)]
        for i, k in enumerate((2, 3, 4)):
            labels = [
                np.array([fit[i][rows.tolist().index(o)] for o in both], dtype=np.int32)
                for rows, fit in zip((one, other), fits, strict=True)
            ]
            assert curve.samples[k][b] == pytest.approx(least_kept(*labels))
    table = curve.table
    assert (table["null"] <= 1).all()
    np.testing.assert_allclose(table["ratio"], (1 - table["value"]) / (1 - table["null"]))
    small = table.index[table["ratio"] + 2 * table["ratio_error"] <= 1 / 3]
    assert curve.selected == (small.max() if len(small) else 1)


def test_leaving_out_hopeless_numbers_changes_no_answer():
    for X in (planted(3, 2, 1), one_cluster("long", 1), planted(2, 10, 1)):
        whole = calibrated_stability(X, k=range(2, 6), n_resamples=8, n_references=4)
        part = calibrated_stability(
            X, k=range(2, 6), n_resamples=8, n_references=4, everywhere=False
        )
        assert part.selected == whole.selected
        there = part.table["null"].notna()
        hopeful = part.table["value"] >= 1 - 1 / 3
        assert (there == (hopeful & (part.table.index >= whole.selected))).all()
        assert part.table[there].equals(whole.table[there])


def test_more_noise_means_less_confidence():
    values = [
        calibrated_stability(planted(3, 2, 3) * 1.0 + noise, k=3, n_references=2).table
        for noise in (0.0, np.random.default_rng(0).normal(scale=3, size=(90, 2)))
    ]
    assert values[0]["value"].item() > values[1]["value"].item() + 0.1
    assert values[0]["ratio"].item() < values[1]["ratio"].item()


def test_no_null_means_no_answer():
    X = planted(2, 2, 0)
    assert calibrated_stability(X, k=[2, 3], n_references=0).selected is None
    assert calibrated_stability(cdist(X, X), "average", k=2, metric="precomputed").selected == 2
    with pytest.raises(InputError, match="only 1"):
        calibrated_stability(X, k=1)


@pytest.mark.parametrize(("k", "d"), [(2, 2), (3, 10), (8, 2)])
def test_planted_numbers_are_found(k, d):
    assert answer(planted(k, d, 100), 100) == k


@pytest.mark.parametrize("kind", ["square", "box", "gaussian", "skewed"])
def test_one_is_answered(kind):
    assert answer(one_cluster(kind, 100), 100, 4) == 1


@pytest.mark.parametrize(
    ("apart", "seeds"), [(4, 1), (5, 1), pytest.param(4, 3, marks=pytest.mark.long)]
)
def test_two_gaussians_are_told_apart(apart, seeds):
    for seed in range(seeds):
        X = np.random.default_rng([seed, apart]).normal(size=(200, 2))
        X[::2, 0] += apart
        found = calibrated_stability(X, k=range(2, 5), everywhere=False, random_state=seed)
        assert found.selected == 2
        assert found.details["structure"].decision == "yes"


def test_heavy_tails_are_no_clusters():
    X = np.random.default_rng(2).normal(size=(200, 2)) ** 3
    assert calibrated_stability(X, k=range(2, 5), everywhere=False).selected == 1


@pytest.mark.long
def test_the_seed_does_not_decide_on_iris():
    X = load_iris().data
    found = [
        calibrated_stability(X, k=range(2, 8), everywhere=False, random_state=seed).selected
        for seed in range(12)
    ]
    assert max(map(found.count, found)) >= 11


@pytest.mark.long
def test_planted_numbers_are_found_in_95_of_100():
    """204 trials: 17 seeds of 2, 3, 5 and 8 clusters in 2, 10 and 50 dimensions."""
    hits = [
        answer(planted(k, d, seed), seed) == k
        for k in (2, 3, 5, 8)
        for d in (2, 10, 50)
        for seed in range(200, 217)
    ]
    assert np.mean(hits) >= 0.95


@pytest.mark.long
def test_one_is_answered_in_90_of_100():
    kinds = ("square", "box", "gaussian", "long", "skewed")
    hits = [
        answer(one_cluster(kind, seed), seed) == 1 for kind in kinds for seed in range(200, 240)
    ]
    assert np.mean(hits) >= 0.9
