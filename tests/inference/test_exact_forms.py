"""The conditional test by Monte Carlo against exact forms, and these against published values."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import naive_inference as exact
from karat.inference import conditional_test

PENGUINS = Path(__file__).with_name("penguins.csv")


def penguins() -> tuple[np.ndarray, float]:
    """Bill and flipper of 165 female penguins (Horst, Hill & Gorman 2020, CC0), and sigma."""
    with PENGUINS.open() as file:
        rows = list(csv.DictReader(file))
    X = np.array([[float(r["bill_length_mm"]), float(r["flipper_length_mm"])] for r in rows])
    return X, float(np.sqrt(((X - X.mean(0)) ** 2).sum() / (X.size - X.shape[1])))


def averaged(X: np.ndarray) -> np.ndarray:
    return exact.linkage_labels(X, 6, "average")


#: tutorial of the R package clusterpval: sizes of the two clusters, statistic, p, truncation set
PUBLISHED = [
    (64, 14, 10.41961, 0.8667368, [(10.3122059802435, 16.3904453676166), (131.758884280402, 1e9)]),
    (57, 28, 18.86523, 0.0004528178, [(16.8300111004978, 21.6868651391918), (63.4548051, 1e9)]),
]


@pytest.mark.parametrize(("first", "second", "statistic", "p", "truncation"), PUBLISHED)
def test_average_linkage_of_penguins_is_as_published(first, second, statistic, p, truncation):  # type: ignore[no-untyped-def]
    X, sigma = penguins()
    labels = averaged(X)
    sizes = np.bincount(labels)
    a, b = int(np.flatnonzero(sizes == first)[0]), int(np.flatnonzero(sizes == second)[0])
    good = exact.linkage_truncation(X, 6, "average", labels == a, labels == b)
    line = exact.Line(X, labels == a, labels == b)
    assert line.statistic == pytest.approx(statistic, abs=1e-5)
    assert np.allclose(np.minimum(good, 1e9), truncation, rtol=1e-9)
    assert line.p_value(good, sigma, exact.log_tail_of_canal) == pytest.approx(p, rel=1e-3)
    p = line.p_value(good, sigma)
    simulated = conditional_test(X, labels, a, b, averaged, scale=sigma**2, n_draws=100)
    assert simulated.statistic == pytest.approx(statistic / sigma, rel=1e-5)
    assert simulated.p_value == pytest.approx(p, abs=max(4 * simulated.standard_error, 0.02))


def test_complete_linkage_of_penguins_is_as_published() -> None:
    """Published as .004396524 with a standard error of .00045, of 10,000 draws."""
    X, sigma = penguins()

    def run(Y: np.ndarray) -> np.ndarray:
        return exact.linkage_labels(Y, 3, "complete")

    labels = run(X)
    a, b = (int(np.flatnonzero(np.bincount(labels) == size)[0]) for size in (21, 57))
    result = conditional_test(X, labels, a, b, run, scale=sigma**2, n_draws=1000)
    assert result.statistic == pytest.approx(15.36703 / sigma, rel=1e-5)
    assert result.p_value == pytest.approx(0.0044, abs=4 * (result.standard_error + 0.00045))


@pytest.mark.parametrize("method", ["average", "single", "ward"])
def test_conditional_test_is_the_exact_one_of_linkage(method: str) -> None:
    def run(Y: np.ndarray) -> np.ndarray:
        return exact.linkage_labels(Y, 3, method)

    for seed in (1, 2):
        X = np.random.default_rng(seed).normal(size=(18, 2))
        labels = run(X)
        a, b = np.argsort(-np.bincount(labels))[:2]
        good = exact.linkage_truncation(X, 3, method, labels == a, labels == b)
        p = exact.Line(X, labels == a, labels == b).p_value(good, 1.0)
        agree_with_refits(X, labels, a, b, run, good)
        result = conditional_test(X, labels, a, b, run, scale=1.0, n_draws=1000)
        assert result.p_value == pytest.approx(p, abs=4 * result.standard_error + 0.01)


def agree_with_refits(
    X: np.ndarray, labels: np.ndarray, a: int, b: int, run: Callable, good: list
) -> None:
    """Refitted, the two clusters are found where the truncation set says so."""
    line = exact.Line(X, labels == a, labels == b)
    for phi in np.linspace(0.03, 3, 60) * line.statistic:
        again = run(line.at(phi))
        same = all(
            np.array_equal(again == again[np.argmax(m)], m) for m in (line.first, line.second)
        )
        near = min(abs(phi - end) for interval in good for end in interval)
        assert near < 1e-6 or same == any(low < phi < high for low, high in good)


def test_conditional_test_is_the_exact_one_of_kmeans() -> None:
    """Given all steps of k-means, as Chen & Witten condition on."""
    first = [0, 1, 2]
    for seed in (0, 1, 2):
        X = np.random.default_rng(seed).normal(size=(20, 2))
        path = exact.lloyd(X, first)

        def same_way(Y: np.ndarray, path: list = path) -> np.ndarray:
            again = exact.lloyd(Y, first)
            same = len(again) == len(path) and np.array_equal(again, path)
            return path[-1] if same else np.arange(len(Y))

        good = exact.kmeans_truncation(X, first, 0, 1)
        p = exact.Line(X, path[-1] == 0, path[-1] == 1).p_value(good, 1.0)
        result = conditional_test(X, path[-1], 0, 1, same_way, scale=1.0, n_draws=1000)
        assert result.p_value == pytest.approx(p, abs=4 * result.standard_error + 0.01)


def test_random_numbers_are_those_of_r() -> None:
    """``set.seed(42); runif(2)`` and ``rnorm(2)``, as in R's documentation and countless pages."""
    stream = exact.RStream(42)
    assert [stream.uniform(), stream.uniform()] == pytest.approx([0.914806, 0.9370754], abs=1e-6)
    assert exact.RStream(42).normal(2) == pytest.approx([1.37095845, -0.56469817], abs=1e-7)


@pytest.mark.parametrize(
    ("k", "pair", "statistic", "p"),
    [(3, (1, 3), 10.44088, 4.473563e-15), (4, (1, 4), 1.581161, 0.7223823)],
)
def test_kmeans_is_as_published(k: int, pair: tuple[int, int], statistic: float, p: float) -> None:
    """Tutorial of the R package KmeansInference, on its own data."""
    corners = np.array([[5, 0], [0, 5 * np.sqrt(3)], [-5, 0]])
    X = exact.RStream(2022).normal(300).reshape(2, 150).T + np.repeat(corners, 50, axis=0)
    first = exact.RStream(2021).sample(150, k)
    a, b = pair[0] - 1, pair[1] - 1
    labels = exact.lloyd(X, first)[-1]
    line = exact.Line(X, labels == a, labels == b)
    assert line.statistic == pytest.approx(statistic, abs=1e-5)
    good = exact.kmeans_truncation(X, first, a, b)
    assert line.p_value(good, 1.0, exact.log_tail_of_canal) == pytest.approx(p, rel=1e-3)
