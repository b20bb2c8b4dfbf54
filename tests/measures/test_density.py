"""DISCO against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

import karat
import naive_internal as naive
from karat.runtime.validation import InputError

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
BLOBS = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [9, 9], [9, 10], [10, 9], [10, 10]], dtype=float)


def case(seed, n=26):
    """Objects on a grid, many of them coincident, for even seeds; three clusters and outliers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) if seed % 2 else rng.integers(1, 6, (n, 2)).astype(float)
    return X, np.concatenate([[0, 1, 2, -1], rng.integers(-1, 3, n - 4)])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine"])
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))]
)
def test_disco_is_its_definition(seed, metric):
    X, labels = case(seed)
    D = naive.matrix(X, metric)
    for min_points in (1, 2, 5, 40):
        for some in (labels, np.abs(labels), np.minimum(labels, 0), labels * 0 - 1, labels * 0):
            expected = naive.disco_samples(D, some, min_points)
            options = {"min_points": min_points}
            found = karat.disco_samples(X, some, metric=metric, **options)
            np.testing.assert_allclose(found, expected, atol=1e-9)
            given = karat.disco(D, some, metric="precomputed", **options)
            assert given == pytest.approx(expected.mean(), abs=1e-9)


def test_disco_of_many_clusters_and_of_singletons():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(70, 3)), np.arange(70) % 35
    expected = naive.disco_samples(naive.matrix(X), labels, 5)
    np.testing.assert_allclose(karat.disco_samples(X, labels), expected, atol=1e-12)
    assert karat.disco(X, np.arange(70)) == 0.0
    assert karat.disco([[1.0]], [0]) == 0.0


def test_disco_has_the_values_of_its_authors():
    """Of the tests of ClustPy and the docstring of the authors' code."""
    found = karat.disco_samples(BLOBS, [0] * 4 + [1] * 4, min_points=2)
    np.testing.assert_allclose(found, 0.91161165, atol=5e-9)
    cluster = pytest.importorskip("sklearn.cluster")
    X, _ = make_moons(random_state=42)
    assert 0.71 <= karat.disco(X, cluster.HDBSCAN(copy=True).fit_predict(X)) < 0.72


def test_disco_judges_outliers():
    X = np.concatenate([BLOBS, [[50.0, 50.0], [0.5, 0.5]]])
    far, inside = karat.disco_samples(X, [0] * 4 + [1] * 4 + [-1, -1])[-2:]
    assert far > 0 > inside
    assert karat.disco(X, [0] * 4 + [1] * 4 + [-1, 0]) > karat.disco(X, [0] * 4 + [1] * 4 + [1, -1])


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: karat.disco(X_IRIS, Y_IRIS, min_points=0), "min_points must be at least 1"),
        (lambda: karat.disco(X_IRIS, Y_IRIS, metric="kl"), "symmetric"),
        (
            lambda: karat.disco(
                [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 0, 1], metric="symmetric_kl"
            ),
            "finite",
        ),
    ],
)
def test_what_cannot_be_asked(call, why):
    with pytest.raises(InputError, match=why):
        call()


def test_scale_and_place_do_not_matter():
    X, labels = case(5, n=60)  # without equal distances, which rounding would order
    one = karat.disco(X, np.abs(labels))
    assert karat.disco(8 * X + 1024, np.abs(labels)) == pytest.approx(one, rel=1e-6)


def test_clusters_that_touch_are_worse():
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(60, 2)), np.arange(60) % 2
    apart = [karat.disco(X + 12 * shift * labels[:, None], labels) for shift in (0.0, 0.2, 1.0)]
    assert apart == sorted(apart)
    assert apart[0] < apart[-1]
