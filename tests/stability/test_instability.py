"""Fang & Wang, Wang, PAC and RCSI against their definitions, pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from karat.runtime.validation import InputError
from karat.stability import consensus_matrix, draw_reference, fang_wang, pac, rcsi, wang
from karat.stability.engine import prepare
from karat.stability.instability import LEAST_AMBIGUOUS


def three(n=20, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(c, 0.4, (n, 2)) for c in ((0, 0), (2, 0), (0, 2))])


def by_nearest_mean(X, rows, labels):
    means = [X[rows][labels == c].mean(axis=0) for c in range(labels.max() + 1)]
    return np.array([np.argmin([np.sum((x - m) ** 2) for m in means]) for x in X])


def disagreement(a, b):
    pairs = list(itertools.combinations(range(len(a)), 2))
    return np.mean([(a[i] == a[j]) != (b[i] == b[j]) for i, j in pairs])


def test_fang_and_wang():
    X = three(8)
    found = fang_wang(X, k=[2, 3], n_resamples=3, random_state=4)
    engine = prepare(X, "kmeans", random_state=4)
    for b in range(3):
        rng = engine.generator(b)
        rows = [np.sort(rng.integers(0, 24, 24)) for _ in range(2)]
        fits = [engine.fit(part, [2, 3], rng) for part in rows]
        for i, k in enumerate((2, 3)):
            carried = [by_nearest_mean(X, r, f[i]) for r, f in zip(rows, fits, strict=True)]
            assert found.samples[k][b] == pytest.approx(disagreement(*carried))
    assert found.selected == min((2, 3), key=lambda k: found.table.loc[k, "value"])


def test_wang():
    X = three(8)
    found = wang(X, k=[2, 3, 4], n_splits=6, random_state=1)
    engine = prepare(X, "kmeans", random_state=1)
    least = []
    for b in range(6):
        rng = engine.generator(b)
        order = rng.permutation(24)
        one, other, left = np.sort(order[:8]), np.sort(order[8:16]), np.sort(order[16:])
        fits = [engine.fit(part, [2, 3, 4], rng) for part in (one, other)]
        values = []
        for i, k in enumerate((2, 3, 4)):
            a, c = by_nearest_mean(X, one, fits[0][i]), by_nearest_mean(X, other, fits[1][i])
            values.append(disagreement(a[left], c[left]))
            assert found.samples[k][b] == pytest.approx(values[-1])
        least.append((2, 3, 4)[int(np.argmin(values))])
    assert found.details["votes"] == {k: least.count(k) for k in (2, 3, 4)}
    assert found.selected == max((2, 3, 4), key=lambda k: (least.count(k), -k))


def ambiguous(X, k, seed):
    C = consensus_matrix(X, k=k, n_resamples=10, random_state=seed).matrix(k)
    values = C[np.triu_indices(len(C), 1)]
    values = values[~np.isnan(values)]
    return np.mean((values >= 0.1) & (values < 0.9))


def test_pac():
    X = three(12, 3)
    found = pac(X, k=[2, 3, 4], n_resamples=10, random_state=2)
    own = {k: ambiguous(X, k, 2) for k in (2, 3, 4)}
    for k, value in own.items():
        assert found.table.loc[k, "value"] == pytest.approx(value, abs=0.02)
    assert found.selected == 3


def test_rcsi():
    X = three(12, 3)
    found = rcsi(X, k=[2, 3], n_resamples=10, n_references=19, random_state=2)
    engine = prepare(X, "kmeans", random_state=2)
    sets = [draw_reference(X, random_state=engine.generator(2**31, r)) for r in range(19)]
    for k in (2, 3):
        own = pac(X, k=k, n_resamples=10, random_state=2).table.loc[k, "value"]
        null = [pac(Z, k=k, n_resamples=10, random_state=2).table.loc[k, "value"] for Z in sets]
        ratio = max(np.mean(null), LEAST_AMBIGUOUS) / max(own, LEAST_AMBIGUOUS)
        assert found.table.loc[k, "value"] == pytest.approx(np.log10(ratio), abs=1e-2)
        assert found.details["p"][k] == (sum(value <= own for value in null) + 1) / 20
    assert found.selected == 3
    one = np.random.default_rng(0).normal(size=(60, 2))
    assert rcsi(one, k=[2, 3], n_resamples=10, n_references=19).selected == 1


def test_what_they_cannot_do():
    X = three(4)
    for method in (fang_wang, wang, pac, rcsi):
        with pytest.raises(InputError, match="at least 2 clusters"):
            method(X, k=1)
    with pytest.raises(InputError, match=r"choose less than 0\.5"):
        wang(X, fraction=0.6)


def test_more_starts_are_less_instable():
    X = load_iris().data
    few = fang_wang(X, KMeans(n_init=1), k=5, n_resamples=30)
    many = fang_wang(X, k=5, n_resamples=30)
    apart = few.samples[5].mean() - many.samples[5].mean()
    error = np.hypot(few.samples[5].std(), many.samples[5].std()) / np.sqrt(30)
    assert apart > 2 * error
