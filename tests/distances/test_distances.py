"""Distances: names against SciPy, whole matrices, matrices that were given."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.spatial.distance import cdist, pdist, squareform

import sortal
from sortal import InputError
from sortal.distances import (
    FORMS,
    METRICS,
    as_distances,
    as_graph,
    as_square,
    check_metric,
    condensed,
    distance_matrix,
    embed,
    neighbor_lists,
    object_distances,
    triangle_violations,
)

X = np.random.default_rng(0).gamma(1.0, size=(30, 5)).round(1) + 0.1
NAMES = sorted({*METRICS} - {"precomputed", "minkowski:P", "kl", "graph"}) + [
    "minkowski:3",
    "minkowski:0.5",
]


def _pairwise(value):
    return np.array([[value(x, y) for y in X] for x in X])


REFERENCES = {
    "minkowski:3": lambda: cdist(X, X, "minkowski", p=3),
    "minkowski:0.5": lambda: cdist(X, X, "minkowski", p=0.5),
    "spearman": lambda: _pairwise(lambda x, y: 1 - stats.spearmanr(x, y).statistic),
    "js_divergence": lambda: cdist(X, X, "jensenshannon") ** 2,
    "cosine": lambda: cdist(X, X, "cosine"),
    "mahalanobis": lambda: cdist(X, X, "mahalanobis", VI=np.linalg.inv(np.cov(X.T))),
    "braycurtis": lambda: cdist(X, X, "braycurtis"),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_matrix_is_that_of_scipy(name):
    np.testing.assert_allclose(distance_matrix(X, name), REFERENCES[name](), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_matrix_and_condensed_form_agree_and_are_exactly_symmetric(name):
    many = np.random.default_rng(1).gamma(1.0, size=(600, 4)).round(1) + 0.1
    D = distance_matrix(many, name)
    assert not np.diagonal(D).any()
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(squareform(condensed(many, name)), D)
    np.testing.assert_array_equal(condensed(D, "precomputed"), squareform(D))


@pytest.mark.parametrize("name", FORMS)
def test_an_embedding_has_the_distance(name):
    Z, D = embed(X, name), distance_matrix(X, name)
    apart = cdist(Z, Z)
    if name in ("cosine", "correlation", "spearman"):
        apart = apart**2 / 2
    elif name == "sqeuclidean":
        apart = apart**2
    np.testing.assert_allclose(apart, D, atol=1e-9)


def test_an_embedding_of_sparse_rows_stays_sparse():
    S = sparse.csr_array(X)
    assert sparse.issparse(embed(S, "cosine"))
    np.testing.assert_allclose(embed(S, "cosine").toarray(), embed(X, "cosine"))
    with pytest.raises(InputError, match="needs dense data"):
        embed(S, "spearman")


@pytest.mark.parametrize("density", [0.04, 0.6])
@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean"])
def test_sparse_rows_by_lists_of_their_columns_or_by_dense_ones(density, metric):
    rng = np.random.default_rng(3)
    S = sparse.random_array((400, 60), density=density, rng=rng, format="csr")
    S.data += 0.1
    dense = S.toarray()
    dense[[7, 399]] = dense[3]  # coincident, and near to one another
    dense[8] = dense[3] * (1 + 1e-9)
    dense[dense.sum(axis=1) == 0, 5] = 1.0
    S = sparse.csr_array(dense)
    assert as_distances(S, metric).lists == (density < 0.1)
    # no tolerance for what coincides; the cosine's own formula has lost its digits there
    far = cdist(embed(dense, metric), embed(dense, metric), "euclidean")
    expected = {"cosine": far**2 / 2, "euclidean": far, "sqeuclidean": far**2}[metric]
    np.testing.assert_allclose(distance_matrix(S, metric), expected, rtol=1e-9, atol=1e-20)
    lists = neighbor_lists(S, 5, metric=metric)
    nearest = np.sort(expected + np.diag(np.full(400, np.inf)), axis=1)[:, :5]
    np.testing.assert_allclose(lists.distances, nearest, rtol=1e-7, atol=1e-15)


@pytest.mark.parametrize("metric", ["jaccard", "extended_jaccard"])
@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
def test_two_rows_of_zeros_are_equal(metric, form):
    D = as_distances(form([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]]), metric).block(
        slice(0, 1), slice(1, 3)
    )
    assert D.tolist() == [[0.0, 1.0]]


def test_special_exponents_are_what_they_are_called():
    given = {"minkowski": "euclidean", "minkowski:1": "cityblock", "minkowski:inf": "chebyshev"}
    assert {name: check_metric(name) for name in given} == given
    for wrong in ("minkowski:-1", "minkowski:x", "minkowski:nan"):
        with pytest.raises(InputError, match="above 0"):
            check_metric(wrong)


def test_a_matrix_that_is_right_is_not_copied():
    D = cdist(X, X, "cityblock")
    assert as_square(D) is D


def test_rounding_of_a_matrix_is_taken_out():
    D = cdist(X, X)
    rough = D * (1 + 1e-15 * np.random.default_rng(0).normal(size=D.shape))
    np.fill_diagonal(rough, -1e-16)
    clean = as_square(rough)
    np.testing.assert_array_equal(clean, clean.T)
    assert clean.min() == 0
    assert not np.diagonal(clean).any()
    np.testing.assert_allclose(clean, D, rtol=1e-14)
    assert rough[0, 0] == -1e-16


def test_the_distances_above_the_diagonal_are_enough(tmp_path):
    labels = np.arange(30) % 3
    expected = sortal.evaluate(cdist(X, X), labels, metric="precomputed", measures=["silhouette"])
    np.save(tmp_path / "D.npy", cdist(X, X))
    for given in (pdist(X), tmp_path / "D.npy", str(tmp_path / "D.npy")):
        found = sortal.evaluate(given, labels, metric="precomputed", measures=["silhouette"])
        np.testing.assert_allclose(found.table, expected.table)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda D: D[:, :-1], "n×n"),
        (lambda D: D.ravel()[:7], "7 distances are those of no number of objects"),
        (lambda D: np.where(D.max() == D, np.nan, D), "distances are not finite"),
        (lambda D: -D, "must not be negative"),
        (lambda D: D + np.eye(len(D)), "itself must be 0; that of object 0"),
        (sparse.csr_array, "no value for missing entries"),
    ],
)
def test_a_matrix_that_is_wrong_is_rejected(spoil, message):
    with pytest.raises(InputError, match=message):
        as_square(spoil(cdist(X, X)))


def test_what_is_no_file_of_distances_is_rejected(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        as_square(tmp_path / "none.npy")
    (tmp_path / "text.npy").write_text("0 1\n1 0\n")
    with pytest.raises(InputError, match="no arrays; save numbers"):
        as_square(tmp_path / "text.npy")


def test_a_direction_that_matters_is_named():
    D = cdist(X, X)
    D[7, 3] *= 2
    assert as_square(D) is D
    with pytest.raises(InputError, match="not symmetric: from 3 to 7"):
        as_square(D, symmetric=True)
    with pytest.raises(InputError, match="kl depends on the direction"):
        distance_matrix(X, "kl")


def test_triangles_that_do_not_close_are_counted():
    assert triangle_violations(cdist(X, X)) == 0
    assert triangle_violations(cdist(X, X) ** 2) > 0.1


EUCLIDEAN = ["calinski_harabasz_index", "davies_bouldin_index", "simplified_silhouette"]


def test_measures_of_means_are_judged_on_rows_that_have_the_distance():
    labels = np.arange(30) % 3
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    for form in (X, sparse.csr_array(X)):
        found = sortal.evaluate(form, labels, metric="cosine", measures=["silhouette", *EUCLIDEAN])
        expected = sortal.evaluate(Z, labels, measures=EUCLIDEAN)
        np.testing.assert_allclose(found[EUCLIDEAN], expected.table)
        alone = sortal.silhouette(X, labels, metric="cosine")
        np.testing.assert_allclose(found["silhouette"], alone)
    scaled = sortal.evaluate(X / X.std(axis=0, ddof=1), labels, measures=EUCLIDEAN)
    found = sortal.evaluate(X, labels, metric="seuclidean", measures=EUCLIDEAN)
    np.testing.assert_allclose(found.table, scaled.table)


@pytest.mark.parametrize("metric", ["cityblock", "braycurtis", lambda x, y: abs(x - y).max()])
def test_measures_of_means_have_no_value_under_another_distance(metric):
    labels = np.arange(30) % 3
    assert not {*EUCLIDEAN} & {*sortal.evaluate(X, labels, metric=metric)}
    with pytest.raises(InputError, match="needs Euclidean distance; it has no value for"):
        sortal.evaluate(X, labels, metric=metric, measures=EUCLIDEAN)


# -- objects of any kind ---------------------------------------------------------------------


def _warped(x, y):
    cost = np.full((len(x) + 1, len(y) + 1), np.inf)
    cost[0, 0] = 0
    for i, a in enumerate(x, 1):
        for j, b in enumerate(y, 1):
            least = min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
            cost[i, j] = (a - b) ** 2 + least
    return np.sqrt(cost[-1, -1])


def test_time_warping_is_the_best_path():
    pytest.importorskip("tslearn")
    rng = np.random.default_rng(1)
    series = [rng.normal(size=length) for length in (3, 9, 5, 9)]
    expected = [[_warped(x, y) for y in series] for x in series]
    np.testing.assert_allclose(object_distances(series, "dtw"), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("objects", "metric", "message"),
    [
        (["a", "b"], lambda x, y: -1, "distance of objects 0 and 1 is -1"),
        (["a", "b"], lambda x, y: float("nan"), "0 and 1 is nan"),
        (["a", "b"], lambda x, y: None, "0 and 1 is None"),
        (["a"], lambda x, y: 0, "at least two objects"),
        (["a", "b"], "edits", "did you mean 'edit'"),
        ([[0.0], ["x"]], "dtw", "series 1 must be finite numbers"),
    ],
)
def test_objects_that_have_no_distance_are_rejected(objects, metric, message):
    if metric == "dtw":
        pytest.importorskip("tslearn")
    with pytest.raises(InputError, match=message):
        object_distances(objects, metric)


def test_a_function_with_the_name_of_a_distance_of_scipy_is_itself():
    def euclidean(x, y):
        return float(abs(x - y).max())

    X = np.arange(8.0).reshape(4, 2) ** 2
    everything = slice(0, 4)
    D = as_distances(X, euclidean).block(everything, everything)
    np.testing.assert_array_equal(D, cdist(X, X, "chebyshev"))


@pytest.mark.parametrize("metric", ["precomputed", lambda x, y: abs(x - y)])
def test_the_condensed_form_of_a_matrix_and_of_a_function(metric):
    points = np.array([0.0, 1.0, 3.0, 7.0, 15.0])
    D = abs(points[:, None] - points)
    given = D if metric == "precomputed" else points
    np.testing.assert_array_equal(condensed(given, metric), squareform(D))


def test_a_direction_that_matters_is_found_among_many_objects():
    def later(x, y):
        return 2.0 * abs(x - y) if x > y else abs(x - y)

    with pytest.raises(InputError, match="depends on the direction"):
        object_distances(list(range(60)), later)


def test_a_graph_has_no_edges_of_weight_zero():
    A = sparse.csr_array(([1.0, 1.0, 0.0, 0.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert as_graph(A).nnz == 2


def _levenshtein(x, y):
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(y, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def test_a_function_is_called_once_for_each_pair_in_any_order_of_workers():
    rng = np.random.default_rng(0)
    words = [
        "".join(rng.choice(list("abc"), rng.integers(1, 9))) for _ in range(110)
    ]  # enough pairs for processes
    calls = []

    def counted(x, y):
        calls.append((x, y))
        return _levenshtein(x, y)

    D = object_distances(words, counted, workers=1)
    assert len(calls) == 110 * 109 // 2 + 20  # some both ways
    np.testing.assert_array_equal(object_distances(words, _levenshtein, workers=2), D)
    np.testing.assert_array_equal(as_square(D), D)
    if find_spec("rapidfuzz"):
        np.testing.assert_array_equal(object_distances(words, "edit"), D)
        tuples = [tuple(word) for word in words]
        np.testing.assert_array_equal(object_distances(tuples, "edit"), D)
