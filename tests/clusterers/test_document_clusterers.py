"""Clusterers of sparse rows: against brute force, naive versions of the papers, and mpmath."""

from __future__ import annotations

import itertools
import math
import tracemalloc
import warnings

import mpmath
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.clusterers import (
    FrequencySensitiveSphericalKMeans,
    InformationTheoreticKMeans,
    SphericalKMeans,
    VonMisesFisherMixture,
)

EVERY = [
    SphericalKMeans(refine=False),
    SphericalKMeans(),
    FrequencySensitiveSphericalKMeans(),
    VonMisesFisherMixture(),
    VonMisesFisherMixture(assignment="hard"),
    InformationTheoreticKMeans(),
]


def not_for(estimator):
    if isinstance(estimator, InformationTheoreticKMeans):
        # its rows are distributions: with two features, blobs are no clusters of theirs
        return {"check_clustering": "blobs in two features, of which only the share counts"}
    return {}


@pytest.mark.quick(33)
@parametrize_with_checks(EVERY, expected_failed_checks=not_for)
def test_estimator_contract(estimator, check):
    check(estimator)


def counts(n=60, d=25, seed=0, rate=0.4):
    X = np.random.default_rng(seed).poisson(rate, size=(n, d)).astype(float)
    X[:, 0] += 1
    # weights without ties
    return X * np.random.default_rng(seed + 1000).uniform(0.5, 1.5, size=(n, d))


def fresh(model, **parameters):
    return type(model)(**{**model.get_params(), **parameters})


# -- the objectives, from their definitions --------------------------------------------------


def spherical_objective(X, labels, k):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    return sum(np.linalg.norm(U[labels == h].sum(axis=0)) for h in range(k))


def balanced_objective(X, labels, k):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    n, total = len(X), 0.0
    for h in range(k):
        own = U[labels == h]
        center = own.sum(axis=0) / np.linalg.norm(own.sum(axis=0))
        m = len(own)
        for x in own:
            total += -(n / (k * m)) * (1 - x @ center) - math.log(m * k / n)
    return total + n  # so that it is the sum of (n/k) r - m log(m k/n)


def information_objective(X, labels, k, smoothing):
    P = X / X.sum(axis=1, keepdims=True)
    overall = P.mean(axis=0)
    total = 0.0
    for h in range(k):
        own = P[labels == h]
        q = (own.sum(axis=0) + smoothing * overall) / (len(own) + smoothing)
        for p, weight in [*((p, 1.0) for p in own), *[(overall, smoothing)] * (smoothing > 0)]:
            there = p > 0
            total -= weight * (p[there] * np.log(p[there] / q[there])).sum()
    return total


def partitions(n, k):
    for labels in itertools.product(range(k), repeat=n - 1):
        found = np.array((0, *labels))
        if len(set(found.tolist())) == k:
            yield found


@pytest.mark.quick(2)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_best_of_many_starts_is_the_best_of_all_partitions(k, seed):
    X = counts(7, 6, seed, 1.0)
    for model, objective in [
        (SphericalKMeans(), spherical_objective),
        (FrequencySensitiveSphericalKMeans(), balanced_objective),
        (InformationTheoreticKMeans(smoothing=0.5), None),
    ]:
        by = objective or (lambda X, labels, k: information_objective(X, labels, k, 0.5))
        model = fresh(model, n_clusters=k, n_init=100, init="random", random_state=1).fit(X)
        best = max(by(X, labels, k) for labels in partitions(7, k))
        assert by(X, model.labels_, k) == pytest.approx(model.objective_)
        assert model.objective_ == pytest.approx(best)


# -- the papers' algorithms, step by step ----------------------------------------------------


def naive_spherical(X, centers):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    C = centers / np.linalg.norm(centers, axis=1, keepdims=True)
    labels, path = (U @ C.T).argmax(axis=1), []
    while True:
        sums = np.array([U[labels == h].sum(axis=0) for h in range(len(C))])
        path.append(np.linalg.norm(sums, axis=1).sum())
        C = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        new = (U @ C.T).argmax(axis=1)
        if (new == labels).all():
            return labels, C, path
        labels = new


@pytest.mark.parametrize("seed", range(5))
def test_spherical_k_means_step_by_step(seed):
    X = counts(300, 40, seed)
    start = X[np.random.default_rng(seed).choice(300, 6, replace=False)]
    labels, centers, path = naive_spherical(X, start)
    model = SphericalKMeans(6, refine=False, init=start).fit(sparse.csr_array(X))
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.cluster_centers_, centers, atol=1e-12)
    np.testing.assert_allclose(model.objective_path_, path)
    single = SphericalKMeans(6, refine=False, init=start).fit(sparse.csr_array(X, dtype=np.float32))
    assert single.cluster_centers_.dtype == np.float32
    assert single.objective_ == pytest.approx(model.objective_, rel=0.01)


def naive_single_moves(X, labels, k, objective):
    labels = labels.copy()
    path = [objective(X, labels, k)]
    while True:
        moved = False
        for i in range(len(X)):
            if (labels == labels[i]).sum() == 1:
                continue
            values = np.empty(k)
            for h in range(k):
                tried = labels.copy()
                tried[i] = h
                values[h] = objective(X, tried, k)
            if values.max() > values[labels[i]] + 1e-9:
                labels[i], moved = values.argmax(), True
        if not moved:
            return labels, path
        path.append(objective(X, labels, k))


@pytest.mark.parametrize("seed", range(3))
def test_single_moves_step_by_step(seed):
    X = counts(40, 15, seed)
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    start = X[np.random.default_rng(seed).choice(40, 4, replace=False)]
    nearest = (U @ (start / np.linalg.norm(start, axis=1, keepdims=True)).T).argmax(axis=1)
    batch = SphericalKMeans(4, refine=False, init=start).fit(X)
    refined = SphericalKMeans(4, init=start).fit(X)
    labels, path = naive_single_moves(X, batch.labels_, 4, spherical_objective)
    np.testing.assert_array_equal(refined.labels_, labels)
    np.testing.assert_allclose(refined.objective_path_, [*batch.objective_path_, *path])
    balanced = FrequencySensitiveSphericalKMeans(4, init=start).fit(X)
    labels, path = naive_single_moves(X, nearest, 4, balanced_objective)
    np.testing.assert_array_equal(balanced.labels_, labels)
    np.testing.assert_allclose(balanced.objective_path_, path)


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_a_cluster_that_attracts_nothing_gets_the_worst_row(model):
    X = counts(30, 8, 6)
    start = np.vstack([X[0], X[0], X[0], X[9]])  # ties go to the first: two are empty
    labels = fresh(model, n_clusters=4, init=start).fit(X).labels_
    assert len(set(labels.tolist())) == 4


def naive_mixture(X, centers, hard, steps):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    C = centers / np.linalg.norm(centers, axis=1, keepdims=True)
    d, k = U.shape[1], len(C)
    R = np.eye(k)[(U @ C.T).argmax(axis=1)]
    path = []
    for _ in range(steps):
        weights, S = R.mean(axis=0), R.T @ U
        C = S / np.linalg.norm(S, axis=1, keepdims=True)
        means = np.linalg.norm(S, axis=1) / R.sum(axis=0)
        kappa = np.array([naive_kappa(r, d) for r in means])
        log = np.log(weights) + [naive_log_constant(q, d) for q in kappa] + U @ (C.T * kappa)
        most = log.max(axis=1, keepdims=True)
        if hard:
            path.append(most.sum())
            R = np.eye(k)[log.argmax(axis=1)]
        else:
            path.append((most.ravel() + np.log(np.exp(log - most).sum(axis=1))).sum())
            R = np.exp(log - most)
            R /= R.sum(axis=1, keepdims=True)
    return R.argmax(axis=1), kappa, path


def naive_kappa(r, d):
    ratio = lambda q: mpmath.besseli(d / 2, q) / mpmath.besseli(d / 2 - 1, q)  # noqa: E731
    return float(mpmath.findroot(lambda q: ratio(q) - r, r * (d - r**2) / (1 - r**2)))


def naive_log_constant(kappa, d):
    nu = mpmath.mpf(d) / 2 - 1
    log = nu * mpmath.log(kappa) - d / 2 * mpmath.log(2 * mpmath.pi)
    return float(log - mpmath.log(mpmath.besseli(nu, kappa)))


@pytest.mark.parametrize("assignment", ["soft", "hard"])
def test_mixtures_step_by_step(assignment):
    X = counts(80, 12, 3)
    start = X[[0, 20, 60]]
    model = VonMisesFisherMixture(3, assignment=assignment, init=start, max_iter=6, tol=0)
    with pytest.warns(ConvergenceWarning) if assignment == "soft" else _nothing():
        model.fit(X)
    labels, kappa, path = naive_mixture(X, start, assignment == "hard", model.n_iter_)
    np.testing.assert_allclose(model.objective_path_, path, rtol=1e-10)
    np.testing.assert_allclose(model.concentrations_, kappa, rtol=1e-8)
    np.testing.assert_array_equal(model.labels_, labels)


def more_or_less_on_a_topic():
    """320 documents of 3,000 terms, of which a share that differs is from one of four topics."""
    rng = np.random.default_rng(4)
    common, *topics = rng.dirichlet(np.full(3000, 0.02), size=5)
    shares = np.linspace(0.1, 0.9, 80) * [[1.0], [1.0], [0.5], [0.5]]
    return np.array(
        [
            rng.multinomial(60, share * topic + (1 - share) * common)
            for topic, own in zip(topics, shares, strict=True)
            for share in own
        ]
    )


def test_soft_mixtures_settle_by_what_a_row_gains():
    # the constants of the density, of which there are more with more terms, say nothing of a gain
    model = VonMisesFisherMixture(6, n_init=1, init="random", tol=0.1, random_state=0)
    gains = np.diff(model.fit(more_or_less_on_a_topic()).objective_path_) / 320
    assert len(gains) > 3
    assert gains[-1] <= 0.1 < gains[:-1].min()


@pytest.mark.parametrize("assignment", ["hard", "soft"])
def test_mixtures_say_whether_they_settled(assignment):
    X = np.repeat(np.eye(3), 10, axis=0) + 0.1 * np.random.default_rng(0).random((30, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        VonMisesFisherMixture(3, assignment=assignment, random_state=0).fit(X)
    with pytest.warns(ConvergenceWarning, match="not settled after max_iter=1"):
        VonMisesFisherMixture(3, assignment=assignment, max_iter=1, random_state=0).fit(
            np.random.default_rng(1).random((60, 8))
        )


def test_rows_that_cancel_have_finite_centers():
    model = VonMisesFisherMixture(1, random_state=0).fit([[1.0, 0.0], [-1.0, 0.0]])
    assert np.isfinite(model.cluster_centers_).all()


@pytest.mark.parametrize("assignment", ["soft", "hard"])
def test_with_many_terms_components_are_gaussians_around_means(assignment):
    X = more_or_less_on_a_topic()
    model = VonMisesFisherMixture(4, assignment=assignment, n_init=1, random_state=0).fit(X)
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    means = np.array([U[model.labels_ == c].mean(axis=0) for c in range(4)])
    variance = (1 - (means**2).sum(axis=1)) / X.shape[1]
    squared = ((U[:, None] - means) ** 2).sum(axis=2)
    log = np.log(model.weights_) - X.shape[1] / 2 * np.log(variance) - squared / (2 * variance)
    np.testing.assert_array_equal(log.argmax(axis=1), model.labels_)
    # which are not the rows nearest to their direction
    directions = means / np.linalg.norm(means, axis=1, keepdims=True)
    assert ((U @ directions.T).argmax(axis=1) != model.labels_).any()


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_information_theoretic_k_means_step_by_step():
    X = counts(90, 10, 5, 1.0)
    start = X[[3, 40, 77]]
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    P, labels = X / X.sum(axis=1, keepdims=True), None
    labels = (U @ (start / np.linalg.norm(start, axis=1, keepdims=True)).T).argmax(axis=1)
    path = []
    for _ in range(100):
        Q = np.array(
            [
                (P[labels == h].sum(axis=0) + 2 * P.mean(axis=0)) / ((labels == h).sum() + 2)
                for h in range(3)
            ]
        )
        cost = np.array([[(p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum() for q in Q] for p in P])
        new = cost.argmin(axis=1)
        path.append(information_objective_of(P, cost.min(axis=1), Q))
        if (new == labels).all():
            break
        labels = new
    model = InformationTheoreticKMeans(3, init=start, smoothing=2.0, refine=False).fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.objective_path_, path)
    assert model.objective_ == pytest.approx(information_objective(X, labels, 3, 2.0))


@pytest.mark.parametrize("smoothing", [0, 0.5, 2.0])
def test_no_single_move_raises_the_information(smoothing):
    X = counts(60, 40, 3, 0.3)
    model = InformationTheoreticKMeans(4, smoothing=smoothing, n_init=2, random_state=0).fit(X)
    reached = information_objective(X, model.labels_, 4, smoothing)
    assert reached == pytest.approx(model.objective_)
    for i, own in enumerate(model.labels_):
        for h in set(range(4)) - {own} if (model.labels_ == own).sum() > 1 else ():
            labels = np.where(np.arange(60) == i, h, model.labels_)
            assert information_objective(X, labels, 4, smoothing) <= reached + 1e-8


def test_single_moves_leave_where_batch_steps_are_caught():
    """Rare features: batch steps stop at the first partition that they see."""
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    weights = 1 / np.arange(1, 2001) + 0.008 * (rng.integers(0, 3, 2000) == np.arange(3)[:, None])
    X = np.array([rng.multinomial(80, w / w.sum()) for w in weights[truth]]).astype(float)
    options = {"n_init": 5, "random_state": 0}
    batch = InformationTheoreticKMeans(3, init="k-means++", refine=False, **options).fit(X)
    model = InformationTheoreticKMeans(3, **options).fit(X)
    classes = -information_objective(X, truth, 3, 1.0)
    assert -model.objective_ <= classes + 1e-9 < 0.99 * -batch.objective_
    pairs = len(set(zip(model.labels_.tolist(), truth.tolist(), strict=True)))
    assert pairs == 3


def information_objective_of(P, costs, Q):
    g = P.mean(axis=0)
    return -costs.sum() - 2 * sum((g * np.log(g / q)).sum() for q in Q)


@pytest.mark.parametrize("model", EVERY, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_objective_never_falls(model, dtype):
    for seed in range(4):
        X = sparse.csr_array(counts(200, 60, seed), dtype=dtype)
        path = fresh(model, n_clusters=9, n_init=1, random_state=seed).fit(X).objective_path_
        room = 1e-9 if dtype == np.float64 else 1e-4
        assert (np.diff(path) >= -room * np.abs(path[1:])).all()


# -- Bessel functions, concentrations --------------------------------------------------------


# -- structure made by the clusterers' own models --------------------------------------------


def directions_around(centers, spread, sizes, seed):
    rng = np.random.default_rng(seed)
    X = [c + spread * rng.normal(size=(n, len(c))) for c, n in zip(centers, sizes, strict=True)]
    return np.vstack(X), np.repeat(range(len(sizes)), sizes)


@pytest.mark.parametrize("model", EVERY[:5], ids=str)
def test_directions_are_found(model):
    centers = np.random.default_rng(1).normal(size=(4, 30))
    X, truth = directions_around(centers, 0.5, (60, 60, 60, 60), 2)
    X *= np.random.default_rng(3).uniform(0.1, 10, size=(len(X), 1))  # lengths say nothing
    labels = fresh(model, n_clusters=4, random_state=0).fit(X).labels_
    assert adjusted_rand_score(truth, labels) == 1


def test_topics_are_found():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(200, 0.1), size=5)
    truth = np.repeat(range(5), 40)
    X = sparse.csr_array(np.array([rng.multinomial(80, topics[t]) for t in truth], dtype=float))
    for model in EVERY:
        labels = fresh(model, n_clusters=5, random_state=0).fit(X).labels_
        assert adjusted_rand_score(truth, labels) > 0.98


def test_concentrations_are_estimated():
    rng = np.random.default_rng(4)
    d, kappas = 20, (20.0, 200.0)
    X = []
    for axis, kappa in enumerate(kappas):
        # a large kappa in d dimensions is nearly a Gaussian of variance 1/kappa around the axis
        G = rng.normal(size=(4000, d)) / math.sqrt(kappa)
        G[:, axis] += 1
        X.append(G / np.linalg.norm(G, axis=1, keepdims=True))
    model = VonMisesFisherMixture(2, random_state=0).fit(np.vstack(X))
    means = [np.linalg.norm(part.mean(axis=0)) for part in X]
    expected = sorted(naive_kappa(r, d) for r in means)
    np.testing.assert_allclose(sorted(model.concentrations_), expected, rtol=0.05)


def test_sizes_are_balanced():
    centers = np.eye(6)[:2]
    X, _ = directions_around(centers, 0.6, (190, 10), 0)
    plain = np.bincount(SphericalKMeans(5, refine=False, random_state=0).fit(np.abs(X)).labels_)
    even = FrequencySensitiveSphericalKMeans(5, random_state=0).fit(np.abs(X))
    assert np.bincount(even.labels_).std() < 0.8 * plain.std()
    agree = (even.predict(np.abs(X)) == even.labels_).mean()
    assert agree > 0.9


# -- edges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_empty_rows_belong_to_the_largest_cluster(model):
    X = np.vstack([[[5, 1, 0, 0]] * 3, [[0, 0, 1, 6]] * 5, np.zeros((2, 4))])
    X[:8] += np.random.default_rng(0).uniform(0, 0.3, size=(8, 4))
    fitted = fresh(model, n_clusters=2, random_state=0).fit(sparse.csr_array(X))
    assert fitted.labels_[8] == fitted.labels_[9] == fitted.labels_[5]
    assert fitted.predict(np.zeros((1, 4)))[0] == fitted.labels_[5]
    without = fresh(model, n_clusters=2, random_state=0).fit(X[:8])
    np.testing.assert_array_equal(without.labels_, fitted.labels_[:8])


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_fewer_distinct_rows_than_clusters(model):
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 1.0], [0.0, 0.0], [6.0, 2.0]])
    with pytest.warns(ConvergenceWarning, match="2 distinct rows"):
        labels = fresh(model, n_clusters=4).fit(X).labels_
    assert labels[0] == labels[1] != labels[2] == labels[4]
    with pytest.warns(ConvergenceWarning, match="0 distinct rows"):
        labels = fresh(model, n_clusters=2).fit(np.zeros((3, 2))).labels_
    assert labels.tolist() == [0, 0, 0]
    with pytest.warns(ConvergenceWarning, match="1 distinct"):
        labels = fresh(model, n_clusters=2).fit([[1.0], [4.0], [0.0]]).labels_
    assert labels.tolist() == [0, 0, 0]


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_as_many_clusters_as_rows(model):
    X = counts(7, 9, 1, 2.0)
    labels = fresh(model, n_clusters=7, init="random", random_state=0).fit(X).labels_
    assert len(set(labels.tolist())) == 7


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", EVERY, ids=str)
def test_seeds_forms_and_explicit_zeros(model):
    X = counts(70, 15, 8)
    model = fresh(model, n_clusters=4, random_state=3)
    labels = model.fit(X).labels_
    S = sparse.csr_matrix(X)
    S.data[5] = 0.0
    kept = S.copy()
    np.testing.assert_array_equal(
        fresh(model).fit(S).labels_, fresh(model).fit(S.toarray()).labels_
    )
    np.testing.assert_array_equal(S.data, kept.data)
    np.testing.assert_array_equal(fresh(model).fit(sparse.csc_array(X)).labels_, labels)
    assert model.predict(X).shape == (70,)


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_sparse_rows_are_never_made_dense(model):
    X = sparse.random_array((400, 100_000), density=2e-4, rng=1, format="csr")
    model = fresh(model, n_clusters=3, n_init=1, random_state=0, max_iter=5)
    fresh(model).fit(X[:50])  # compiled and imported
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.1 * 8 * 400 * 100_000


def test_input_validation():
    with pytest.raises(InputError, match="between 1 and the 3 objects; got 5"):
        SphericalKMeans(5).fit(np.ones((3, 2)))
    with pytest.raises(InputError, match="n_init must be a whole number"):
        SphericalKMeans(2, n_init=0).fit(np.ones((3, 2)))
    with pytest.raises(InputError, match="init must be"):
        SphericalKMeans(2, init="kmeans").fit(counts())
    with pytest.raises(InputError, match=r"shape \(1, 2\)"):
        SphericalKMeans(2, init=[[1, 2]]).fit(counts())
    with pytest.raises(InputError, match="soft"):
        VonMisesFisherMixture(2, assignment="fuzzy").fit(counts())
    with pytest.raises(InputError, match="smoothing"):
        InformationTheoreticKMeans(2, smoothing=-1).fit(counts())


def test_predictions_are_those_of_the_model():
    X = counts(100, 30, 2)
    model = VonMisesFisherMixture(3, random_state=0).fit(X)
    shares = model.posterior(np.vstack([X[:5], np.zeros((1, 30))]))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(shares[-1], model.weights_)
    np.testing.assert_array_equal(shares[:5].argmax(axis=1), model.predict(X[:5]))
    assert model.score(X) == pytest.approx(model.objective_ / 100, rel=1e-4)


def test_a_soft_mixture_keeps_few_arrays_as_large_as_the_centers():
    n, d, k = 300, 20_000, 10
    X = sparse.random_array((n, d), density=0.002, rng=np.random.default_rng(0), format="csr")
    model = VonMisesFisherMixture(k, init="random", n_init=1, random_state=0)
    model.fit(X)  # what is compiled does not count
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 8 * d * k


def test_a_new_row_goes_to_a_small_cluster_that_is_as_near():
    # of cos/(1.5) - 1/1.5 - log 6 and 2 cos - 2 - log 2, with equal cosines, the second is greater
    X = np.array([[1.0, 0.0]] * 6 + [[0.0, 1.0]] * 2)
    start = np.array([[1.0, 0.0], [0.0, 1.0]])
    model = FrequencySensitiveSphericalKMeans(2, init=start).fit(X)
    assert model.labels_.tolist() == [0] * 6 + [1] * 2
    assert model.predict([[5.0, 0.0], [4.0, 4.0]]).tolist() == [0, 1]
