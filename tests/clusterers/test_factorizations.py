"""k-means on principal components and NMF with weights: by their definitions, and odd input."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import NormalizedCutNMF, PCAKMeans


def not_for(estimator):
    if isinstance(estimator, NormalizedCutNMF):
        return {"check_clustering": "blobs around 0, which have negative values"}
    return {}


@pytest.mark.quick(18)
@parametrize_with_checks(
    [PCAKMeans(3, n_init=2), NormalizedCutNMF(3, max_iter=2000)], expected_failed_checks=not_for
)
def test_the_estimator_contract(estimator, check):
    check(estimator)


def topics(seed=0, each=30, terms=60):
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(terms, 0.1), 4)
    truth = np.repeat(np.arange(4), each)
    X = np.array([rng.multinomial(80, words[t]) for t in truth], dtype=float)
    return sparse.csr_array(X), truth


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_components_are_those_of_a_singular_value_decomposition(form):
    X = np.random.default_rng(0).normal(size=(80, 30)) * np.arange(1, 31) + 5
    model = PCAKMeans(4, n_components=6, random_state=0).fit(form(X))
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    wanted = U[:, :6] * s[:6]
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(wanted), rtol=1e-6, atol=1e-7)
    other = KMeans(4, n_init=50, random_state=1).fit(wanted)
    assert model.inertia_ <= other.inertia_ * 1.02


def test_all_components_together_only_turn_the_rows():
    X = np.random.default_rng(1).normal(size=(40, 5))
    few = PCAKMeans(3, random_state=0).fit(X)
    assert few.embedding_.shape == X.shape
    direct = KMeans(3, n_init=20, random_state=5).fit(X)
    assert few.inertia_ == pytest.approx(direct.inertia_, rel=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        alike = PCAKMeans(2, n_components=2, random_state=0)
        for form in (np.asarray, sparse.csr_array):
            assert set(alike.fit_predict(form(np.ones((6, 4))))) == {0}


def weighted_error(X, model):
    """Of the unit rows, with the weights of the paper."""
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    weights = 1 / (U @ U.T).sum(axis=1)
    return 0.5 * (weights[:, None] * (U - model.coefficients_ @ model.components_) ** 2).sum()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_objective_is_the_weighted_error_and_never_rises(form):
    X = np.random.default_rng(2).poisson(1.0, (40, 12)) + 0.1
    last = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for passes in (1, 2, 3, 5, 10, 30, 100):
            model = NormalizedCutNMF(3, max_iter=passes, random_state=0).fit(form(X))
            error = weighted_error(X, model)
            assert -model.objective_ == pytest.approx(error, rel=1e-9)
            assert error <= last
            last = error
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    np.testing.assert_array_equal(model.labels_, model.coefficients_.argmax(axis=1))
    assert (model.coefficients_ >= 0).all()
    assert (model.components_ >= 0).all()


def test_coordinate_descent_ends_below_the_multiplicative_updates_of_the_paper():
    X, _ = topics(3)
    A = X.toarray()
    U = A / np.linalg.norm(A, axis=1, keepdims=True)
    B = U / np.sqrt((U @ U.T).sum(axis=1))[:, None]
    ends = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        V, H = rng.random((len(A), 4)), rng.random((4, A.shape[1]))
        for _ in range(500):
            H *= (V.T @ B) / (V.T @ V @ H + 1e-12)
            V *= (B @ H.T) / (V @ H @ H.T + 1e-12)
        ends.append(-0.5 * ((B - V @ H) ** 2).sum())
    model = NormalizedCutNMF(4, n_init=5, random_state=0).fit(X)
    assert model.objective_ >= max(ends) - 1e-4 * abs(max(ends))


@pytest.mark.parametrize("model", [PCAKMeans(4, random_state=0), NormalizedCutNMF(4, n_init=3)])
def test_topics_are_found(model):
    X, truth = topics()
    unit = X / sparse.linalg.norm(X, axis=1)[:, None]
    assert adjusted_rand_score(truth, model.fit_predict(sparse.csr_array(unit))) > 0.95


def test_more_starts_are_no_worse_and_empty_rows_go_to_the_largest():
    X, _ = topics(4)
    one = NormalizedCutNMF(6, max_iter=2000, random_state=0).fit(X)
    ten = NormalizedCutNMF(6, n_init=10, max_iter=2000, random_state=0).fit(X)
    assert ten.objective_ >= one.objective_
    empty = sparse.vstack([X, sparse.csr_array((3, X.shape[1]))], format="csr")
    labels = NormalizedCutNMF(6, max_iter=2000, random_state=0).fit_predict(empty)
    np.testing.assert_array_equal(labels[:-3], one.labels_)
    assert set(labels[-3:]) == {np.bincount(one.labels_).argmax()}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (PCAKMeans(9), "between 1 and the 8"),
        (PCAKMeans(2, n_components=0), "n_components"),
        (NormalizedCutNMF(9), "between 1 and the 8"),
        (NormalizedCutNMF(2, n_init=0), "n_init"),
    ],
)
def test_settings_that_cannot_work(model, message):
    with pytest.raises(InputError, match=message):
        model.fit(np.eye(8))


def test_negative_values_have_no_factors():
    with pytest.raises(InputError, match="spherical k-means"):
        NormalizedCutNMF(2).fit(np.eye(4) - 0.1)


def test_rows_that_are_all_empty_are_one_cluster():
    assert NormalizedCutNMF(2, random_state=0).fit(np.zeros((4, 3))).labels_.tolist() == [0] * 4
