"""Measures of ranks from a sample of the pairs: right on average, covered by their intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import karat
import naive_internal as naive
from example_counts import examples
from karat.distances import as_distances
from karat.labelings.partitions import as_labelings
from karat.measures import catalogue
from karat.measures.passes import sampled_pairs as _sampled_pairs
from karat.measures.passes.sampled_pairs import PairSample, pair_distances

KEYS = ["c_index", "baker_hubert_gamma", "aucc", "g_plus_index", "kendall_tau_index"]
MEASURES = [catalogue[key] for key in KEYS]


def sample_of(X, labels, seed=0, metric="euclidean", noise="error"):
    batch = as_labelings(labels, noise=noise)
    distances = as_distances(np.asarray(X, dtype=float), metric, exact=True)
    return PairSample(X, distances, batch, MEASURES, np.random.default_rng(seed))


@pytest.fixture
def small(monkeypatch):
    """A first sample that is a small part of what the tests can compute exactly."""
    monkeypatch.setattr(PairSample, "least", 2000)


# -- exact where everything is taken --------------------------------------------------------


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning:naive_internal")
@examples(150)
@given(
    st.integers(3, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=n, max_size=n),
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
        )
    )
)
def test_all_pairs_give_the_definition(data):
    # integer points: many ties and duplicates; some labels make singletons, some one cluster only
    X, labels = np.array(data[0], dtype=float), np.array(data[1])
    scores = karat.evaluate(X, labels, measures=KEYS, precision=0.1, random_state=0)
    exact = karat.evaluate(X, labels, measures=KEYS)
    assert_allclose(scores.table, exact.table, rtol=1e-9, atol=1e-12)
    assert scores.standard_errors.equals(0.0 * scores.table)
    assert scores.reasons == exact.reasons
    if scores.table.notna().all().all():
        found = naive.of_distances(naive.matrix(X), labels)
        assert_allclose(scores.table.iloc[0], [found[key] for key in KEYS], atol=1e-9)


def test_all_pairs_are_listed_once():
    labels = np.array([2, 0, 1, 0, 2, 2, 0, 3])
    sample = sample_of(np.zeros((8, 1)), labels)
    for side, same in ((0, True), (1, False)):
        first, second = (sample.order[at] for at in sample._all(side))
        found = {tuple(sorted(pair)) for pair in zip(first.tolist(), second.tolist(), strict=True)}
        wanted = {
            (i, j)
            for i, j in itertools.combinations(range(8), 2)
            if (labels[i] == labels[j]) == same
        }
        assert found == wanted
        assert len(first) == len(wanted) == sample.population[side]


def test_pairs_are_drawn_evenly():
    labels = np.array([2, 0, 1, 0, 2, 2, 0, 3])
    sample = sample_of(np.zeros((8, 1)), labels)
    for side in (0, 1):
        first, second = sample._draw(side, 100_000, sample.rng)
        pairs = np.minimum(first, second) * 8 + np.maximum(first, second)
        counts = np.bincount(pairs, minlength=64)
        assert (counts > 0).sum() == sample.population[side]
        expected = 100_000 / sample.population[side]
        assert np.abs(counts[counts > 0] - expected).max() < 5 * np.sqrt(expected)


def test_one_pair_within_is_taken_whole(small):
    # the 11,174 pairs between are sampled, the only one within is not
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(150, 2)), np.arange(150)
    labels[1] = 0
    exact = karat.evaluate(X, labels, measures=KEYS[1:])
    covered = 0
    for seed in range(40):
        scores = karat.evaluate(X, labels, measures=KEYS[1:], precision=0.3, random_state=seed)
        assert scores.sample_size["pairs"] == 2001
        errors = scores.standard_errors
        covered += ((scores.table - exact.table).abs() <= 1.96 * errors).to_numpy()
    assert covered.min() >= 33
    # C-Index rests on the one smallest and the one largest distance: all pairs are needed
    scores = karat.evaluate(X, labels, measures=["c_index"], precision=0.3, random_state=0)
    assert scores.sample_size["pairs"] >= 11_175
    assert_allclose(scores.table.iloc[0, 0], karat.c_index(X, labels))


def test_a_c_index_of_few_pairs_within_takes_a_larger_sample(small, monkeypatch):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(3000, 2)), np.arange(3000) // 10
    exact = karat.c_index(X, labels)
    covered = 0
    for seed in range(30):
        scores = karat.evaluate(X, labels, measures=["c_index"], precision=0.1, random_state=seed)
        assert 60_000 < scores.sample_size["pairs"] < 1_000_000
        covered += abs(scores.table.iloc[0, 0] - exact) <= 1.96 * scores.standard_errors.iloc[0, 0]
    assert covered >= 24
    monkeypatch.setattr(_sampled_pairs, "MOST", 20_000)
    scores = karat.evaluate(X, labels, measures=KEYS, precision=0.1, random_state=0)
    assert "20,000 pairs" in scores.reasons["0"]["c_index"]
    assert scores.table.loc["0", KEYS[1:]].notna().all()


def test_undefined_clusterings_say_why(small):
    X = np.random.default_rng(0).normal(size=(500, 2))
    labelings = {"one": np.zeros(500), "alone": np.arange(500), "two": np.arange(500) % 2}
    scores = karat.evaluate(X, labelings, measures=KEYS, precision=0.2, random_state=0)
    for key in KEYS:
        assert "1 cluster" in scores.reasons["one"][key]
        assert "singleton" in scores.reasons["alone"][key]
    assert scores.table.loc["two"].notna().all()
    equal = karat.evaluate(np.zeros((500, 1)), np.arange(500) % 2, measures=KEYS, precision=0.2)
    assert "equal" in equal.reasons["0"]["c_index"]
    assert "equal" in equal.reasons["0"]["baker_hubert_gamma"]
    assert equal.table.loc["0", "aucc"] == 0.5


# -- estimates ------------------------------------------------------------------------------


def coverage(X, labelings, repetitions=60, precision=0.05, **options):
    """Shares covered, mean errors in standard errors of the mean, and spread over mean SE."""
    exact = karat.evaluate(X, labelings, measures=KEYS, **options)
    values, errors = [], []
    for seed in range(repetitions):
        scores = karat.evaluate(
            X, labelings, measures=KEYS, precision=precision, random_state=seed, **options
        )
        values.append(scores.table.to_numpy())
        errors.append(scores.standard_errors.to_numpy())
    values, errors = np.array(values), np.array(errors)
    assert (errors > 0).all()
    covered = (np.abs(values - exact.table.to_numpy()) <= 1.96 * errors).mean(axis=0)
    bias = (values.mean(axis=0) - exact.table.to_numpy()) / (
        values.std(axis=0) / np.sqrt(repetitions)
    )
    return covered, bias, values.std(axis=0) / errors.mean(axis=0)


@pytest.mark.parametrize("kind", ["overlapping", "integers", "uneven"])
def test_intervals_cover_the_exact_value(kind, small):
    rng = np.random.default_rng(0)
    X, labels = make_blobs(1500, 3, centers=5, cluster_std=3.0, random_state=3)
    if kind == "integers":
        X = np.round(X / 2)
    elif kind == "uneven":
        labels = np.repeat([0, 1, 2, 3, 4], [1200, 250, 40, 9, 1])
        X = rng.normal(size=(5, 3))[labels] * 2 + rng.normal(size=(1500, 3))
    labelings = {"a": labels, "b": np.where(rng.random(1500) < 0.7, labels, 5)}
    covered, bias, ratio = coverage(X, labelings)
    # 95 % of 60 is 57; below 50 has probability 0.001
    assert covered.min() >= 50 / 60
    assert np.abs(bias[:, 1:]).max() < 4.5  # unbiased, or nearly
    assert np.abs(bias[:, 0]).max() < 6  # C-Index is only consistent
    assert ratio.max() < 1.3
    assert ratio[:, 1:].min() > 0.7


def test_errors_agree_with_each_other():
    # without ties Gamma is 2 AUCC - 1, and G+ and tau are multiples of AUCC's distance from 1
    X, labels = make_blobs(3000, 3, centers=5, cluster_std=3.0, random_state=3)
    sample = sample_of(X, labels)
    sample.grow(3000)
    values, errors, _ = sample.estimates()
    found = dict(zip(KEYS, values[0], strict=True))
    spread = dict(zip(KEYS, errors[0], strict=True))
    assert_allclose(found["baker_hubert_gamma"], 2 * found["aucc"] - 1)
    assert_allclose(spread["baker_hubert_gamma"], 2 * spread["aucc"], rtol=1e-4)
    assert_allclose(
        spread["g_plus_index"] / found["g_plus_index"], spread["aucc"] / (1 - found["aucc"]),
        rtol=1e-4,
    )  # fmt: skip
    assert_allclose(
        spread["kendall_tau_index"] / found["kendall_tau_index"],
        spread["baker_hubert_gamma"] / found["baker_hubert_gamma"], rtol=1e-4,
    )  # fmt: skip


def test_the_linearised_error_is_the_bootstraps():
    X, labels = make_blobs(3000, 3, centers=5, cluster_std=3.0, random_state=3)
    sample = sample_of(X, labels)
    sample.grow(4000)
    _, errors, _ = sample.estimates()
    rng, values = np.random.default_rng(1), []
    drawn = sample.sides
    for _ in range(400):
        sample.sides = type(drawn)(*(np.sort(rng.choice(side, len(side))) for side in drawn))
        values.append(sample.estimates()[0][0])
    assert_allclose(errors[0], np.std(values, axis=0), rtol=0.15)


def test_the_c_index_of_a_sample_is_that_of_its_quantiles():
    # with equal shares of both kinds the sample's own C-Index is the estimate
    rng = np.random.default_rng(0)
    sample = sample_of(rng.normal(size=(4, 1)), [0, 0, 1, 1])
    w, b = np.sort(rng.random(30)), np.sort(rng.random(60) + 0.3)
    sample.sides, sample.population = type(sample.sides)(w, b), (30_000, 60_000)
    sample.stats.pairs_within = lambda m: 30_000
    sample.stats.pairs_between = lambda m: 60_000
    value = sample.estimates()[0][0, 0]
    both = np.sort(np.concatenate([w, b]))
    low, high = both[:30].sum(), both[-30:].sum()
    assert_allclose(value, (w.sum() - low) / (high - low))


def test_perfect_separation_is_not_certain():
    # one pair within is wider than one in a million between; no sample of 4,000 pairs shows it
    X, labels = make_blobs(1000, 2, centers=[[0, 0], [20, 0]], random_state=0)
    X[0, 0] += 9
    exact = karat.evaluate(X, labels, measures=KEYS).table.to_numpy()
    assert 0.9999 < exact[0, 2] < 1
    sample = sample_of(X, labels)
    sample.grow(2000)
    values, errors, _ = sample.estimates()
    assert values[0, 2] == 1
    assert np.isnan(values[0, 0])  # the pilot has found the far object, which makes up the sums
    assert (errors[:, 1:] > 1e-4).all()
    assert (np.abs(values - exact)[:, 1:] <= 1.96 * errors[:, 1:]).all()


def test_equal_distances_are_not_certain():
    X, labels = np.zeros((3000, 1)), np.arange(3000) % 2
    scores = karat.evaluate(X, labels, measures=["aucc"], precision=0.1, random_state=0)
    assert scores.sample_size["pairs"] == 2**17
    assert scores.table.iloc[0, 0] == 0.5
    assert not scores.exact.iloc[0, 0]
    assert 0 < scores.standard_errors.iloc[0, 0] < 1e-4


def test_distances_without_a_variance_are_rejected(small):
    rng = np.random.default_rng(0)
    X, labels = rng.standard_cauchy((3000, 1)), np.arange(3000) % 2
    scores = karat.evaluate(X, labels, measures=KEYS, precision=0.1, random_state=0)
    assert "variance is infinite" in scores.reasons["0"]["c_index"]
    assert scores.table.loc["0", KEYS[1:]].notna().all()  # ranks do not mind


@pytest.mark.parametrize("form", ["drop", "precomputed", "sparse", "callable", "cityblock", "wide"])
def test_other_input(form, small):
    rng = np.random.default_rng(0)
    n = 300 if form in ("sparse", "callable") else 600  # a pair of these takes long
    X, labels = make_blobs(n, 4, centers=3, cluster_std=4.0, random_state=1)
    options: dict = {}
    if form == "drop":
        labels = np.where(rng.random(600) < 0.2, -1, labels)
        options["noise"] = "drop"
    elif form == "precomputed":
        X, options["metric"] = cdist(X, X, "cityblock"), "precomputed"
    elif form == "sparse":
        X = sparse.csr_array(np.round(X))
    elif form == "callable":
        options["metric"] = lambda x, y: float(np.abs(x - y).max())
    elif form == "cityblock":
        options["metric"] = "cityblock"
    else:
        X = np.hstack([X, rng.normal(size=(600, 80))]).astype(np.float32)
    covered, bias, _ = coverage(X, labels, repetitions=20, precision=0.1, **options)
    assert covered.min() >= 15 / 20
    assert np.abs(bias[:, 1:]).max() < 5


@pytest.mark.parametrize(
    "metric",
    ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra",
     "extended_jaccard", "jaccard", "symmetric_kl", "mahalanobis"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["dense", "wide", "sparse"])
def test_distances_of_pairs(metric, form):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (30, 70 if form == "wide" else 6)).astype(float)
    X[:, 0] += 1  # no row is empty
    if form == "sparse":
        if metric in ("correlation", "mahalanobis"):
            return
        X = sparse.csr_array(X)
    elif metric == "mahalanobis" and form == "wide":
        return
    distances = as_distances(X, metric, exact=True)
    first, second = rng.integers(0, 30, 50), rng.integers(0, 30, 50)
    full = distances.block(slice(0, 30), slice(0, 30))
    found = pair_distances(distances, first, second)
    if metric in ("euclidean", "sqeuclidean", "cityblock", "chebyshev") and form != "sparse":
        assert (found == full[first, second]).all()  # ties stay ties
    assert_allclose(found, full[first, second], atol=1e-7)


def test_asymmetric_and_infinite_distances_are_rejected():
    rng = np.random.default_rng(0)
    X, labels = rng.random((50, 3)), np.arange(50) % 2
    scores = karat.evaluate(X, labels, measures=KEYS, metric="kl", precision=0.1)
    assert "symmetric" in scores.reasons["0"]["aucc"]
    X[:, 0] *= np.arange(50) % 3 > 0
    scores = karat.evaluate(X, labels, measures=KEYS, metric="symmetric_kl", precision=0.1)
    assert "finite" in scores.reasons["0"]["aucc"]
