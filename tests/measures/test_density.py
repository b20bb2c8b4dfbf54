"""DISCO, CDbw and the densities of Hennig 2019 against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_moons

import karat
import naive_internal as naive
from karat.measures.passes import ranks
from karat.measures.passes.densities import quantile
from karat.measures.passes.over_pairs import OverPairs
from karat.runtime.executors import Workers
from karat.runtime.validation import InputError, UndefinedMeasureError

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
OF_DENSITY = ["density_cut", "density_decrease", "high_density_gap"]
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


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "sqeuclidean"])
@pytest.mark.parametrize("seed", range(1, 12, 2))
def test_densities_are_their_definitions(seed, metric):
    X, labels = case(seed)
    labels = np.abs(labels)
    D = naive.matrix(X, metric)
    expected = naive.of_densities(D, labels)
    for data, name in ((X, metric), (D, "precomputed")):
        scores = karat.evaluate(data, labels, measures=OF_DENSITY, metric=name)
        for key in OF_DENSITY:
            value = getattr(karat, key)(data, labels, metric=name)
            assert value == pytest.approx(expected[key], abs=1e-12)
            assert float(scores[key].iloc[0]) == value
        for number in (1, 2, 3):
            value = karat.neighbor_distance_variation(data, labels, n_neighbors=number, metric=name)
            assert value == pytest.approx(naive.neighbor_distance_variation(D, labels, number))


def test_outliers_are_left_out_of_densities():
    X, labels = case(3)
    kept = labels >= 0
    for key in [*OF_DENSITY, "neighbor_distance_variation", "cdbw_index"]:
        function = getattr(karat, key)
        alone = function(X[kept], labels[kept])
        assert function(X, labels, noise="drop") == pytest.approx(alone, rel=1e-9)
    both = karat.evaluate(
        X, {"all": np.abs(labels), "some": labels}, measures=OF_DENSITY, noise="drop"
    )
    for key in OF_DENSITY:
        alone = getattr(karat, key)(X[kept], labels[kept])
        assert float(both[key].loc["some"]) == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("number", [1, 3, 10])
@pytest.mark.parametrize("seed", range(1, 16, 2))
def test_cdbw_is_its_definition(seed, number):
    X, labels = case(seed)
    labels = np.abs(labels)
    X = X + (100 if seed % 3 else 0)
    expected = naive.cdbw(X, labels, number)
    found = karat.cdbw_index(X, labels, n_representatives=number)
    assert found == pytest.approx(expected, rel=1e-9)
    rows = sparse.csr_array(X)
    assert karat.cdbw_index(rows, labels, n_representatives=number) == pytest.approx(expected)


def test_cdbw_of_singletons_and_coincident_objects():
    X = [[0.0], [0.0], [3.0], [10.0], [11.0]]
    for labels in ([0, 0, 1, 2, 2], [0, 0, 1, 1, 2]):
        assert karat.cdbw_index(X, labels) == pytest.approx(naive.cdbw(X, labels))


@pytest.mark.parametrize("key", ["disco", *OF_DENSITY, "neighbor_distance_variation"])
def test_scale_and_place_do_not_matter(key):
    function = getattr(karat, key)
    X, labels = case(5, n=60)  # without equal distances, which rounding would order
    one = function(X, np.abs(labels))
    moved = function(8 * X + 1024, np.abs(labels))
    assert moved == pytest.approx(one * (8 if key == "high_density_gap" else 1), rel=1e-6)


@pytest.mark.parametrize("key", ["disco", "density_cut", "cdbw_index"])
def test_clusters_that_touch_are_worse(key):
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(60, 2)), np.arange(60) % 2
    apart = [
        karat.measures.catalogue[key].sign
        * getattr(karat, key)(X + 12 * shift * labels[:, None], labels)
        for shift in (0.0, 0.2, 1.0)
    ]
    assert apart == sorted(apart)
    assert apart[0] < apart[-1]


def test_a_bridge_and_a_stray_object():
    """A wide gap counts only where many are beyond it."""
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 20])
    halves = np.repeat([0, 1], 40)
    stray = np.concatenate([X, [[0.0, 20.0], [300.0, 300.0]]])
    right, merged = np.append(halves, [0, 2]), np.append(halves * 0, [0, 2])
    assert karat.widest_within_gap(stray, right) > 10
    assert karat.high_density_gap(stray, right) < 3
    assert karat.high_density_gap(stray, merged) > 10


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: karat.density_cut([[0.0]] * 4 + [[1.0]], [0, 0, 1, 1, 1]), "no radius"),
        (lambda: karat.high_density_gap(X_IRIS, Y_IRIS * 0), "needs at least 2"),
        (lambda: karat.neighbor_distance_variation([[0.0]] * 4, [0] * 4), "coincide"),
        (
            lambda: karat.neighbor_distance_variation(X_IRIS, Y_IRIS, n_neighbors=50),
            "no cluster has more than 50",
        ),
        (lambda: karat.cdbw_index([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]), "coincide"),
        (lambda: karat.cdbw_index(X_IRIS, Y_IRIS * 0), "needs at least 2"),
    ],
)
def test_what_has_no_value(call, why):
    with pytest.raises(UndefinedMeasureError, match=why):
        call()


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
        (lambda: karat.density_cut(X_IRIS, Y_IRIS, metric="kl"), "symmetric"),
        (lambda: karat.cdbw_index(X_IRIS, Y_IRIS, n_representatives=0), "at least 1"),
        (lambda: karat.neighbor_distance_variation(X_IRIS, Y_IRIS, n_neighbors=0), "at least 1"),
    ],
)
def test_what_cannot_be_asked(call, why):
    with pytest.raises(InputError, match=why):
        call()


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_order_statistics(seed, crowded, monkeypatch):
    if crowded:
        monkeypatch.setattr(ranks, "CAPACITY", 64)
    X, _ = case(seed, n=40)
    pairs = OverPairs(X, "euclidean", Workers())
    D = naive.matrix(X)
    sorted_distances = np.sort(D[np.triu_indices(40, 1)])
    wanted = [1, 2, 78, 390, 780, 5]
    found = ranks.order_statistics(pairs, wanted)
    np.testing.assert_allclose(found, [sorted_distances[rank - 1] for rank in wanted], rtol=1e-12)
    for share in (0.0, 0.1, 0.5, 1.0):
        assert quantile(pairs, share) == pytest.approx(np.quantile(sorted_distances, share))
