"""CLUTO's criteria: by their formulas, by brute force, and what every move must do."""

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import CriterionClustering, SphericalKMeans

CRITERIA = ("I1", "I2", "E1", "G1", "G1'", "H1", "H2")
STARTED = ("direct", "bisection", "refined-bisection")
METHODS = (*STARTED, "agglomerative")
LESS = ("E1", "G1", "G1'")


@pytest.mark.quick(17)
@parametrize_with_checks(
    [
        CriterionClustering(3, method="refined-bisection", n_init=2, random_state=0),
        CriterionClustering(3, criterion="H1", method="agglomerative"),
    ]
)
def test_the_estimator_contract(estimator, check):
    check(estimator)


def by_formulas(X, labels):
    """Each criterion as its definition has it."""
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    D = U.sum(axis=0)
    sums = dict.fromkeys(CRITERIA, 0.0)
    for r in set(labels):
        own = U[np.asarray(labels) == r]
        d, n = own.sum(axis=0), len(own)
        length = np.sqrt(d @ d)
        sums["I1"] += n * np.mean(own @ own.T)  # n times the mean similarity of pairs
        sums["I2"] += np.sum(own @ d / length)  # similarity to the centroid
        sums["E1"] += n * (d @ D) / length
        sums["G1"] += d @ (D - d) / (d @ d)
        sums["G1'"] += n**2 * (d @ (D - d)) / (d @ d)
    sums["H1"], sums["H2"] = sums["I1"] / sums["E1"], sums["I2"] / sums["E1"]
    return sums


def by_formula(criterion, X, labels):
    return by_formulas(X, labels)[criterion]


def documents(seed, n=8, d=6):
    return np.random.default_rng(seed).poisson(0.8, (n, d)) + 1e-3


@pytest.fixture(scope="module")
def of_every_partition():
    """The criteria of eight documents for each way to make three clusters of them."""
    ways = itertools.product(range(3), repeat=8)
    return [by_formulas(documents(1), labels) for labels in ways if len(set(labels)) == 3]


@pytest.mark.quick(8)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("method", METHODS)
def test_the_optimum_of_eight_documents(criterion, method, of_every_partition):
    X = documents(1)
    model = CriterionClustering(3, criterion=criterion, method=method, n_init=20, random_state=0)
    model.fit(X)
    values = [sums[criterion] for sums in of_every_partition]
    best = min(values) if criterion in LESS else max(values)
    assert model.criterion_ == pytest.approx(by_formula(criterion, X, model.labels_), rel=1e-10)
    if method == "direct":  # bisections are greedy
        assert model.criterion_ == pytest.approx(best, rel=1e-10)


@pytest.mark.quick(6)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_merge_is_the_best_of_all_pairs(criterion, seed):
    """Against all pairs tried by the formula, also where similarities are negative."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 5)) if seed == 2 else documents(seed, 14, 8) * rng.random((14, 8))
    model = CriterionClustering(14, criterion=criterion, method="agglomerative").fit(X)
    labels = np.arange(14)
    for k in range(13, 0, -1):
        tried = []
        for a, b in itertools.combinations(np.unique(labels), 2):
            merged = np.where(labels == b, a, labels)
            value = by_formula(criterion, X, merged.tolist())
            tried.append((-value if criterion in LESS else value, a, b))
        _, a, b = max(tried)
        labels[labels == b] = a
        assert adjusted_rand_score(labels, model.cut(k)) == 1.0, k


def test_the_tree_of_empty_alike_and_single_rows():
    X = np.array([[1.0, 0], [0, 0], [2, 0], [1, 1], [0, 3]])
    model = CriterionClustering(2, method="agglomerative").fit(X)
    np.testing.assert_array_equal(model.labels_, model.cut(2))
    assert len(model.linkage_) == 3
    assert model.cut(4).tolist() == [0, 0, 1, 2, 3]
    three = model.cut(3)
    assert three[0] == three[1] == three[2] != three[3] != three[4]
    one = CriterionClustering(1, method="agglomerative").fit(X[:1])
    assert one.cut(1).tolist() == [0]
    with pytest.raises(InputError, match="between 1 and the 4"):
        model.cut(5)
    with pytest.raises(InputError, match="makes no tree"):
        CriterionClustering(2).fit(X[[0, 3, 4]]).cut(2)


def test_merged_sums_need_no_matrix_of_pairs():
    """Rows that share no term: nothing but their own entries is ever multiplied."""
    n = 3000
    X = sparse.csr_array(sparse.block_diag([np.ones((2, 3))] * (n // 2), format="csr"))
    model = CriterionClustering(3, method="agglomerative").fit(X[:9])  # what is compiled is free
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(model.cut(n // 2), np.arange(n) // 2)
    assert peak < n * n


@pytest.mark.quick(2)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_objective_never_falls(criterion):
    X = documents(3, 200, 40)
    model = CriterionClustering(6, criterion=criterion, n_init=2, random_state=0).fit(X)
    assert (np.diff(model.objective_path_) > 0).all()
    sign = -1 if criterion in LESS else 1
    assert model.objective_ == sign * model.criterion_


def test_single_moves_beat_the_batch_steps_of_spherical_kmeans():
    X = documents(4, 400, 60)
    batch = SphericalKMeans(15, refine=False, init="random", n_init=5, random_state=0).fit(X)
    moved = CriterionClustering(15, n_init=5, random_state=0).fit(X)
    assert moved.criterion_ > batch.objective_


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("criterion", ["I2", "H2"])
def test_topics_are_found(method, criterion):
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(60, 0.1), 4)
    truth = np.repeat(np.arange(4), 40)
    X = sparse.csr_array(np.array([rng.multinomial(60, topics[t]) for t in truth], dtype=float))
    labels = CriterionClustering(
        4, criterion=criterion, method=method, n_init=5, random_state=0
    ).fit_predict(X)
    assert adjusted_rand_score(truth, labels) > 0.95


def test_bisections_are_nested_and_refined_ones_no_worse():
    X = documents(6, 150, 30)
    few = CriterionClustering(4, method="bisection", random_state=0).fit(X)
    more = CriterionClustering(5, method="bisection", random_state=0).fit(X)
    assert all(len(set(few.labels_[more.labels_ == c])) == 1 for c in range(5))
    refined = CriterionClustering(5, method="refined-bisection", random_state=0).fit(X)
    assert refined.criterion_ >= more.criterion_


@pytest.mark.parametrize("method", METHODS)
def test_odd_documents(method):
    X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 0], [2, 0]])
    with pytest.warns(UserWarning, match="2 distinct rows"):
        labels = CriterionClustering(4, method=method, random_state=0).fit_predict(X)
    assert labels[0] == labels[1] == labels[3] == labels[4] != labels[2]
    one = CriterionClustering(1, method=method, random_state=0).fit_predict(X)
    assert set(one) == {0}
    term = CriterionClustering(1, method=method).fit_predict(np.ones((5, 1)))
    assert set(term) == {0}


def test_float32_and_sparse_agree_with_dense():
    X = documents(7, 60, 12)
    wanted = CriterionClustering(3, random_state=0).fit(X).criterion_
    for other in (sparse.csr_array(X), X.astype(np.float32)):
        assert CriterionClustering(3, random_state=0).fit(other).criterion_ == pytest.approx(
            wanted, rel=1e-5
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"criterion": "I3"}, "criterion"),
        ({"method": "divisive"}, "method"),
        ({"method": "bisection", "init": np.ones((8, 6))}, "init"),
        ({"n_clusters": 9}, "between 1 and the 8"),
    ],
)
def test_settings_that_cannot_work(given, message):
    with pytest.raises((InputError, ValueError), match=message):
        CriterionClustering(**given).fit(documents(0))
