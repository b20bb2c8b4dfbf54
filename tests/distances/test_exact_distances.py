"""Distances and neighbours of small whole numbers, which are exact: all blocks, kinds and ends."""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from sortal import InputError, distances

RNG = np.random.default_rng(0)
#: more rows than any block of a matrix has, with copies and a row of zeros
MANY = RNG.integers(-3, 4, (530, 3)).astype(float)
MANY[7], MANY[400] = 0.0, MANY[3]
WIDE = RNG.integers(-3, 4, (40, 70)).astype(float)


def squares(X):
    return ((X[:, None] - X) ** 2).sum(axis=2)


EXACT = {
    "sqeuclidean": squares,
    "euclidean": lambda X: np.sqrt(squares(X)),
    "cityblock": lambda X: abs(X[:, None] - X).sum(axis=2),
    "chebyshev": lambda X: abs(X[:, None] - X).max(axis=2),
}


@pytest.mark.parametrize("metric", EXACT)
@pytest.mark.parametrize("X", [MANY, WIDE], ids=["many", "wide"])
def test_matrices_of_whole_numbers_are_exact(metric, X):
    D = EXACT[metric](X)
    assert np.array_equal(distances.square(X, metric), D)
    assert np.array_equal(distances.distance_matrix(X, metric), D)
    above = D[np.triu_indices(len(X), 1)]
    assert np.array_equal(distances.condensed(X, metric), above)
    assert np.array_equal(distances.condensed(D, "precomputed"), above)
    assert np.array_equal(distances.as_square(above), D)


@pytest.mark.parametrize("kind", ["direct", "product", "sparse", "few", "given", "function", "l1"])
def test_pairs_and_blocks_are_those_of_the_matrix(kind):
    X = WIDE if kind in ("product", "few") else MANY
    metric = {"given": "precomputed", "function": "euclidean", "l1": "cityblock"}.get(kind, "l2")
    D = EXACT["cityblock" if kind == "l1" else "euclidean"](X)
    if kind == "sparse":
        found = distances.as_distances(sparse.csr_array(X), metric)
    elif kind == "given":
        found = distances.as_distances(D, metric)
    elif kind == "function":
        found = distances.as_distances(X, lambda x, y: math.sqrt(((x - y) ** 2).sum()))
    elif kind == "few":
        found = distances.OfRows(X, metric, exact=True)
    else:
        found = distances.as_distances(X, metric)
    first, second = np.random.default_rng(1).integers(
        len(X), size=(2, 9000 if kind == "l1" else 23)
    )
    second[::5] = first[::5]
    pairs = distances.pair_distances(found, first, second)
    np.testing.assert_allclose(pairs, D[first, second], atol=1e-12)
    assert found.n == len(X)
    assert found.symmetric
    order = np.array([5, 30, 2, 7, 7])
    part = found.take(order)
    assert part.n == 5
    np.testing.assert_allclose(
        part.block(slice(1, 4), slice(0, 9)), D[np.ix_(order[1:4], order)], atol=1e-12
    )
    if kind != "few":
        np.testing.assert_allclose(found.block(slice(2, 9), slice(4, 30)), D[2:9, 4:30], atol=1e-12)


def test_pairs_of_more_objects_than_are_copied_at_a_time():
    X = np.arange(9000.0)[:, None] % 97
    first, second = np.arange(9000), np.arange(9000)[::-1]
    for metric in ("euclidean", "chebyshev"):
        found = distances.pair_distances(distances.as_distances(X, metric), first, second)
        assert np.array_equal(found, abs(X[first] - X[second])[:, 0])


def test_who_uses_the_threads_of_matrix_products():
    assert not distances.Distances.uses_blas
    assert not distances.Direct.uses_blas
    assert distances.Product.uses_blas
    assert (distances.Distances.squared, distances.Distances.symmetric) == (False, True)


def test_names_of_distances():
    names = {
        "manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean", "minkowski": "euclidean",
        "minkowski:1.0": "cityblock", "minkowski:2": "euclidean", "minkowski:inf": "chebyshev",
        "minkowski:2.50": "minkowski:2.5", "minkowski:0.5": "minkowski:0.5", "yule": "yule",
    }  # fmt: skip
    assert {name: distances.check_metric(name) for name in names} == names
    for wrong in ("minkowski:0", "minkowski:", "minkowski:nan", "minkowski:P", "what", 3, None):
        with pytest.raises(ValueError, match=r"minkowski:3|distance"):
            distances.check_metric(wrong)
    assert distances.check_metric(max) is max
    assert distances.metric_name("yule") == "yule"
    assert distances.metric_name(max) == "max"
    assert "partial" in distances.metric_name(partial(max, 1))


@pytest.mark.parametrize(
    ("metric", "is_product"),
    [("euclidean", True), ("sqeuclidean", True), ("seuclidean", True), ("cosine", True),
     ("cityblock", False), ("chebyshev", False), ("canberra", False), ("kl", False)],
)  # fmt: skip
def test_wide_rows_are_multiplied_unless_ties_count(metric, is_product):
    X = abs(np.random.default_rng(0).normal(size=(9, 64))) + 0.1
    wide = distances.as_distances(X, metric)
    assert isinstance(wide, distances.Product) == wide.uses_blas == is_product
    assert wide.squared == (metric in ("euclidean", "seuclidean"))
    assert wide.symmetric == (metric != "kl")
    for found in (distances.as_distances(X[:, :63], metric),
                  distances.as_distances(X, metric, exact=True)):  # fmt: skip
        assert not found.uses_blas
        assert found.squared == wide.squared
    assert distances.OfRows(X, metric, exact=False).symmetric == wide.symmetric


def test_a_function_is_probed_among_the_first_ten():
    X = np.arange(30.0)[:, None]

    def later(x, y, limit=10.0):
        """A distance whose direction matters from some object on."""
        return abs(x[0] - y[0]) * (1 + (max(x[0], y[0]) >= limit and x[0] > y[0]))

    with pytest.raises(InputError, match="not symmetric"):
        distances.as_distances(X, partial(later, limit=9.0))
    assert distances.as_distances(X, later).n == 30
    for value in (math.nan, math.inf, -1.0, -1e-8):
        with pytest.raises(InputError, match="finite number of at least 0"):
            distances.as_distances(X, lambda x, y, value=value: value)
    with pytest.raises(InputError, match="itself must be 0"):
        distances.as_distances(X, lambda x, y: 1.0)


def test_stored_distances_are_looked_up_by_the_bytes_of_rows():
    calls = []

    def function(x, y):
        calls.append((x[0], y[0]))
        return 9.0

    X = np.array([[0.0], [1e-20], [2.0]])
    D = np.array([[0.0, 5, 6], [5, 0, 7], [6, 7, 0]])
    stored = distances.StoredDistances(function, X, D)
    assert np.array_equal(stored.between(X, X), D)
    assert stored(np.array([-0.0]), X[1]) == 5
    assert np.array_equal(distances.square(X, stored), D)
    assert np.array_equal(distances.square(sparse.csr_array(X), stored), D)
    assert distances.as_distances(X, stored).block(slice(0, 1), slice(1, 3)).tolist() == [[5, 6]]
    assert not calls
    assert stored.between(X[:2], np.array([[2.0], [3.0]])).tolist() == [[6, 9], [7, 9]]
    assert calls == [(0.0, 3.0), (1e-20, 3.0)]
    assert "function" in stored.__qualname__


def test_rows_of_one_length():
    X = np.zeros((4100, 3))
    X[[0, 4099]] = [[3.0, 4, 0], [0, 0, -2]]
    form = distances.embed(X, "cosine", length=10.0)
    expected = np.zeros((4100, 4))
    expected[0, :2], expected[4099, 2], expected[1:4099, 3] = [6, 8], -10, 10
    assert np.array_equal(form, expected)
    assert np.array_equal(distances.embed(sparse.csr_array(X), "cosine", length=10).toarray(), form)
    assert distances.embed(X[:1] * 0.0 + [3, 4, 0], "cosine", length=5).tolist() == [[3, 4, 0]]
    ranked = distances.embed(np.array([[9.0, 1, 1, 5]]), "spearman")
    np.testing.assert_allclose(ranked, [[0.7071067812, -0.4714045208, -0.4714045208, 0.2357022604]])
    centred = distances.embed(np.array([[1.0, 2, 6], [4, 4, 4]]), "correlation", length=2.0)
    root = math.sqrt(14)
    np.testing.assert_allclose(
        centred, [[-4 / root, -2 / root, 6 / root, 0], [0, 0, 0, 2]], atol=1e-15
    )
    assert distances.embed(X, "sqeuclidean") is distances.embed(X, "euclidean") is X


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_weights_of_rows_are_copies_of_them(metric):
    rng = np.random.default_rng(2)
    X, weights = rng.normal(size=(8, 2)), np.array([1, 2, 1, 3, 1, 1, 4, 1])
    copies = np.repeat(X, weights, axis=0)
    Z = distances.embed(X, metric, weights.astype(float))
    np.testing.assert_allclose(squares(Z), squares(distances.embed(copies, metric))[
        np.ix_(*[np.cumsum(weights) - 1] * 2)])  # fmt: skip
    # the spread of n objects is of n - 1, of light ones of what is left of their weight
    one = distances.embed(np.array([[0.0], [2.0]]), metric)
    assert abs(one[1] - one[0])[0] == pytest.approx(math.sqrt(2))
    light = distances.embed(np.array([[0.0], [2.0]]), metric, np.array([0.5, 0.5]))
    assert abs(light[1] - light[0])[0] == pytest.approx(2 / math.sqrt(1 / (1 - 0.5)))
    assert np.array_equal(distances.embed(X[:1], metric), X[:1])


def test_features_without_spread():
    X = np.array([[1.0, 0], [1.0, 2], [1.0, 4]])
    assert distances.distance_matrix(X, "seuclidean")[0].tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="singular"):
        distances.embed(X, "mahalanobis")
    with pytest.raises(InputError, match="dense"):
        distances.embed(sparse.csr_array(X), "seuclidean")


def test_rows_of_zeros_coincide():
    X = np.array([[0.0, 0], [0, 0], [0, 3]])
    for metric in ("braycurtis", "dice", "jaccard", "canberra", "yule", "extended_jaccard"):
        for rows in (X, sparse.csr_array(X)):
            D = distances.as_distances(rows, metric).block(slice(0, 3), slice(0, 3))
            assert D[0].tolist() == [0, 0, float(metric != "yule")], metric
            assert np.array_equal(D, D.T)


def test_rows_of_shares():
    P = np.array([[1.0, 3], [2, 2], [0, 5]])
    D = distances.as_distances(P, "kl").block(slice(0, 3), slice(0, 3))
    # column: from; row: to
    assert D[1, 0] == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    assert D[0, 1] == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert D[0, 2] == pytest.approx(math.log(4 / 3))
    assert D[2, 0] == math.inf
    assert not np.diagonal(D).any()
    both = distances.as_distances(P, "symmetric_kl").block(slice(0, 2), slice(0, 2))
    assert both[0, 1] == both[1, 0] == pytest.approx(D[0, 1] + D[1, 0])
    for wrong in ([[1.0, -1], [1, 1]], [[0.0, 0], [1, 1]]):
        with pytest.raises(InputError, match="kl needs"):
            distances.as_distances(np.array(wrong), "kl")


@pytest.mark.parametrize("place", [(290, 5), (5, 290), (300, 290), (1, 2)])
def test_the_largest_asymmetry_of_any_block_is_named(place):
    D = abs(np.arange(310.0)[:, None] - np.arange(310))
    D[200, 100] += 1
    D[place] += 3
    low, high = sorted(place)
    with pytest.raises(InputError, match=rf"not symmetric: from {low} to {high} "):
        distances.as_square(D, symmetric=True)
    assert not distances.Precomputed(D).symmetric
    D[place] -= 3
    D[200, 100] -= 1 + 1e-8
    assert distances.Precomputed(D).symmetric
    assert np.array_equal(distances.as_square(D, symmetric=True), D)


def test_triangles_that_are_open():
    line = abs(np.arange(5.0)[:, None] - np.arange(5))
    assert distances.triangle_violations(line) == 0
    assert distances.triangle_violations(line[:2, :2] ** 2) == 0
    # of three points 0, 1, 2 with squared distances, the six orders of 27 triples are open
    share = distances.triangle_violations(line[:3, :3] ** 2)
    assert abs(share - 6 / 27) < 0.02


# -- neighbours ------------------------------------------------------------------------------


def nearest(X, k):
    """Places and distances of the nearest others, ties by their places."""
    D = squares(X)
    D[np.diag_indices(len(X))] = -1
    order = np.lexsort((np.broadcast_to(np.arange(len(X)), D.shape), D), axis=1)[:, 1 : k + 1]
    return order, np.sqrt(np.take_along_axis(D, order, axis=1))


@pytest.mark.parametrize(
    ("n", "d", "k"), [(2, 1, 1), (2, 1, 9), (40, 2, 39), (40, 2, 80), (1001, 1, 3), (1001, 2, 5),
                      (1001, 2, 1000),
                      (1001, 9, 4), (1000, 9, 4)],
)  # fmt: skip
def test_neighbours_of_whole_numbers_full_of_ties(n, d, k):
    X = np.random.default_rng(d).integers(0, 4 + 60 * (d == 1), (n, d)).astype(float)
    order, expected = nearest(X, k)
    lists = distances.neighbor_lists(X, k)
    assert np.array_equal(lists.indices, order)
    assert np.array_equal(lists.distances, expected)
    assert lists.n_neighbors == min(k, n - 1)
    assert lists.indices.dtype == np.int32


def test_neighbours_by_an_executor_and_of_every_object_at_one_place():
    X = np.random.default_rng(0).integers(0, 9, (75, 2)).astype(float)
    order, expected = nearest(X, 4)
    with ThreadPoolExecutor(2) as executor:
        lists = distances.neighbor_lists(X, 4, executor=executor)
    assert np.array_equal(lists.indices, order)
    assert np.array_equal(lists.distances, expected)
    same = distances.neighbor_lists(np.zeros((1200, 2)), 2)
    assert same.indices[[0, 1, 2, 9]].tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert not same.distances.any()


@pytest.mark.parametrize("scale", [2.0**-400, 2.0**-333, 2.0**400])
def test_neighbours_in_any_unit(scale):
    X = np.random.default_rng(0).integers(0, 9, (30, 2)).astype(float)
    order, expected = nearest(X, 3)
    lists = distances.neighbor_lists(X * scale, 3)
    assert np.array_equal(lists.indices, order)
    np.testing.assert_allclose(lists.distances, expected * scale, rtol=1e-15)


def test_neighbours_of_some_objects_among_some():
    X = (np.arange(140_000.0) % 70_000)[:, None]
    objects = np.array([139_999, 0, 35_000])
    found = distances.neighbors_of_some(X, objects, 3)
    assert found.tolist() == [[69_999, 69_998, 139_998], [70_000, 1, 70_001],
                              [105_000, 34_999, 35_001]]  # fmt: skip
    among = np.arange(len(X)) % 7 == 0
    found = distances.neighbors_of_some(X, objects, 2, among=among)
    assert found.tolist() == [[69_993, 139_993], [70_000, 7], [105_000, 34_993]]
    many = np.arange(0, 1400, 2)
    found = distances.neighbors_of_some(X[:1500], many, 1, metric="cityblock")
    assert found[:, 0].tolist() == [1, *range(1, 1399, 2)]


# -- objects of any kind ---------------------------------------------------------------------


def test_distances_of_objects_in_this_process():
    calls = []

    def gap(x, y):
        calls.append((x, y))
        return abs(x - y)

    D = distances.object_distances(iter([4, 1, 9]), gap, workers=2)
    assert D.tolist() == [[0, 3, 5], [3, 0, 8], [5, 8, 0]]
    assert calls[:3] == [(4, 1), (4, 9), (1, 9)]
    assert sorted(calls[3:]) == [(1, 4), (9, 1), (9, 4)]
    for value in (-1e-300, math.inf, "x", None, [1, 2]):
        with pytest.raises(InputError, match=r"objects 0 and 1 is .*at least 0"):
            distances.object_distances([1, 2], lambda x, y, value=value: value)
    with pytest.raises(InputError, match="from object 0 to 1 it is 1, from 1 to 0 2"):
        distances.object_distances([1, 2], lambda x, y: 1 + (x > y))
    assert distances.object_distances([1, 2], lambda x, y: 1 + 1e-10 * (x > y))[1, 0] == 1
    assert not distances.object_distances([1, 2], lambda x, y: 0).any()


def package(monkeypatch, name, **members):
    """A package that is not needed here, with some functions."""
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        module = ModuleType(".".join(parts[:i]))
        module.__spec__ = object()
        module.__path__ = []
        monkeypatch.setitem(sys.modules, module.__name__, module)
    vars(module).update(members)


def test_texts_and_series_are_what_the_packages_get(monkeypatch):
    class Levenshtein:
        @staticmethod
        def distance(x, y):
            return abs(len(x) - len(y))

    def cdist(one, other, *, scorer, dtype, workers):
        assert workers == -1
        return np.array([[scorer(x, y) for y in other] for x in one], dtype)

    package(monkeypatch, "rapidfuzz.distance", Levenshtein=Levenshtein)
    package(monkeypatch, "rapidfuzz.process", cdist=cdist)
    D = distances.object_distances(["a", b"abc", (1, 2), [1], np.arange(4)], "edit")
    assert D[0].tolist() == [0, 2, 1, 0, 3]
    assert D.dtype == np.float64
    with pytest.raises(InputError, match="object 1 is 5"):
        distances.object_distances(["a", 5], "edit")

    def cdist_dtw(series):
        assert all(one.ndim == 2 for one in series)
        ends = np.array([one[-1, -1] for one in series])
        return abs(ends[:, None] - ends)

    package(monkeypatch, "tslearn.metrics", cdist_dtw=cdist_dtw)
    D = distances.object_distances([[1.0, 2], [[3.0, 4], [5, 7]], [9]], "dtw")
    assert D[0].tolist() == [0, 5, 7]
    for wrong in ([], 3.0, [math.inf], ["x"], [[[1.0]]]):
        with pytest.raises(InputError, match="series 1 must be finite numbers"):
            distances.object_distances([[1.0], wrong], "dtw")
    with pytest.raises(InputError, match="at least two objects; got 1"):
        distances.object_distances(["a"], "edit")
