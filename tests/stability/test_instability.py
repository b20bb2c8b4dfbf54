"""Fang and Wang against their definition, pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from sortal import InputError
from sortal.stability import fang_wang, prepare


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


def test_what_it_cannot_do():
    with pytest.raises(InputError, match="at least 2 clusters"):
        fang_wang(three(4), k=1)


def test_more_starts_are_less_instable():
    X = load_iris().data
    few = fang_wang(X, KMeans(n_init=1), k=5, n_resamples=30)
    many = fang_wang(X, k=5, n_resamples=30)
    apart = few.samples[5].mean() - many.samples[5].mean()
    error = np.hypot(few.samples[5].std(), many.samples[5].std()) / np.sqrt(30)
    assert apart > 2 * error
