"""Estimates from samples of objects and of pairs: right on average, covered by their intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import sortal
from sortal.distances import as_distances
from sortal.labelings import as_labelings
from sortal.measures import catalogue
from sortal.measures.passes import samples
from sortal.measures.passes.pairs import sampled_silhouettes
from sortal.measures.passes.samples import PairSample, SilhouetteSample
from sortal.runtime.executors import Workers

KEYS = ["baker_hubert_gamma", "aucc", "g_plus_index", "kendall_tau_index"]


MEASURES = [catalogue[key] for key in KEYS]


SILHOUETTE = ["silhouette"]


def objects_of(X, labelings, seed=0, values=None):
    batch = as_labelings(labelings)
    if values is None:
        values = np.stack([sortal.silhouette_samples(X, row) for row in batch.codes])
    rng = np.random.default_rng(seed)
    chosen = [catalogue[key] for key in SILHOUETTE]
    return SilhouetteSample(X, batch, chosen, rng, lambda rows: values[:, rows])


def test_silhouettes_of_a_sample_are_theirs_among_all(monkeypatch):
    monkeypatch.setattr("sortal.measures.passes.pairs.SAMPLE_BLOCK_ROWS", 300)
    X, labels = make_blobs(700, 5, centers=4, cluster_std=4, random_state=2)
    labels[::9] = -1
    batch = as_labelings({"a": labels, "b": np.arange(700) % 7}, noise="drop")
    sample = np.random.default_rng(0).permutation(700)[:200]
    found = sampled_silhouettes(X, "euclidean", batch, sample, Workers())
    for row, codes in zip(found, batch.codes, strict=True):
        all_ = sortal.silhouette_samples(X, codes, noise="drop")
        assert_allclose(row, all_[sample], rtol=1e-10, equal_nan=True)


@pytest.mark.parametrize("several", [False, True])
def test_intervals_of_silhouettes_cover_the_exact_value(several):
    rng = np.random.default_rng(0)
    X, labels = make_blobs(3000, 8, centers=5, cluster_std=5.0, random_state=3)
    labelings = {"a": labels}
    if several:
        labelings["b"] = np.where(rng.random(3000) < 0.7, labels, 5)
        labelings["c"] = np.where(np.arange(3000) < 2950, labels, 5 + np.arange(3000) // 25)
    exact = sortal.evaluate(X, labelings, measures=SILHOUETTE).table.to_numpy()
    covered, seen = np.zeros(exact.shape), []
    rows = as_labelings(labelings).codes
    of_all = np.stack([sortal.silhouette_samples(X, row) for row in rows])
    for seed in range(40):
        sample = objects_of(X, labelings, seed, of_all)
        sample.grow(512)
        values, errors, _ = sample.estimates()
        covered += np.abs(values - exact) <= 1.96 * errors
        seen.append(values)
    # 95 % of 40 is 38; below 32 has probability 0.0006
    assert covered.min() >= 32
    spread = np.std(seen, axis=0)
    assert (np.abs(np.mean(seen, axis=0) - exact) < 5 * spread / np.sqrt(40)).all()


def test_the_error_is_the_stratified_one():
    X, labels = make_blobs(1500, 3, centers=3, cluster_std=4.0, random_state=3)
    sample = objects_of(X, labels)
    sample.grow(400)
    own, values = sample.judged_by(0)
    sizes, variance = np.bincount(labels), 0.0
    for c, size in enumerate(sizes):
        mine = values[own == c]
        variance += (size / 1500) ** 2 * mine.var(ddof=1) / len(mine) * (1 - len(mine) / size)
    assert_allclose(sample.estimates()[1][0, 0], np.sqrt(variance), rtol=1e-9)


def test_ten_of_each_cluster_are_drawn():
    labels = np.repeat([0, 1, 2, 3], [2000, 30, 1, 10])
    X = np.random.default_rng(0).normal(size=(len(labels), 3))
    sample = objects_of(X, {"a": labels, "b": np.arange(len(labels)) % 11})
    sample.grow(20)
    assert np.bincount(sample.judged_by(0)[0]).tolist()[1:] == [10, 1, 10]
    assert np.bincount(sample.judged_by(1)[0]).min() == 10
    # what one clustering draws extra is not of the other's sample
    assert sample.n_drawn > 100


@pytest.mark.parametrize("size", [20, 100, 399])
def test_rule_of_three(size):
    """All alike in m of n: 1.96 errors are 3/m of the range, times what is unseen."""
    X = np.repeat([[0.0], [1.0]], 200, axis=0)
    sample = objects_of(X, np.repeat([0, 1], 200))
    sample.grow(size)
    values, errors, reasons = sample.estimates()
    assert not reasons
    assert_allclose(values, 1)
    # a silhouette of -1 where all others are 1
    assert_allclose(1.96 * errors[0, 0], 2 * 3 / size * (1 - size / 400))


def sample_of(X, labels, seed=0, metric="euclidean", noise="error"):
    batch = as_labelings(labels, noise=noise)
    distances = as_distances(np.asarray(X, dtype=float), metric, exact=True)
    return PairSample(X, distances, batch, MEASURES, np.random.default_rng(seed))


@pytest.fixture
def small(monkeypatch):
    """A first sample that is a small part of what the tests can compute exactly."""
    monkeypatch.setattr(samples, "FIRST_PAIRS", 2000)


def test_all_pairs_are_listed_once():
    labels = np.array([2, 0, 1, 0, 2, 2, 0, 3])
    sample = sample_of(np.zeros((8, 1)), labels)
    for side, same in ((0, True), (1, False)):
        blocks = [np.concatenate(sides) for sides in zip(*sample._all(side), strict=True)]
        first, second = (sample.order[at] for at in blocks)
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
        drawn = sample._draw(side, 100_000)
        first, second = map(np.concatenate, zip(*drawn, strict=True))
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
    exact = sortal.evaluate(X, labels, measures=KEYS)
    covered = 0
    for seed in range(40):
        scores = sortal.evaluate(X, labels, measures=KEYS, precision=0.3, random_state=seed)
        assert scores.sample_size["pairs"] == 2001
        errors = scores.standard_errors
        covered += ((scores.table - exact.table).abs() <= 1.96 * errors).to_numpy()
    assert covered.min() >= 33


def test_undefined_clusterings_say_why(small):
    X = np.random.default_rng(0).normal(size=(500, 2))
    labelings = {"one": np.zeros(500), "alone": np.arange(500), "two": np.arange(500) % 2}
    scores = sortal.evaluate(X, labelings, measures=KEYS, precision=0.2, random_state=0)
    for key in KEYS:
        assert "1 cluster" in scores.reasons["one"][key]
        assert "singleton" in scores.reasons["alone"][key]
    assert scores.table.loc["two"].notna().all()
    equal = sortal.evaluate(np.zeros((500, 1)), np.arange(500) % 2, measures=KEYS, precision=0.2)
    assert "equal" in equal.reasons["0"]["baker_hubert_gamma"]
    assert equal.table.loc["0", "aucc"] == 0.5


def coverage(X, labelings, repetitions=60, precision=0.05, **options):
    """Shares covered, mean errors in standard errors of the mean, and spread over mean SE."""
    exact = sortal.evaluate(X, labelings, measures=KEYS, **options)
    values, errors = [], []
    for seed in range(repetitions):
        scores = sortal.evaluate(
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
    assert np.abs(bias).max() < 4.5  # unbiased, or nearly
    assert 0.7 < ratio.min() <= ratio.max() < 1.3


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
    for _ in range(150):
        sample.sides = type(drawn)(*(np.sort(rng.choice(side, len(side))) for side in drawn))
        values.append(sample.estimates()[0][0])
    assert_allclose(errors[0], np.std(values, axis=0), rtol=0.2)


def test_perfect_separation_is_not_certain():
    # one pair within is wider than one in a million between; no sample of 4,000 pairs shows it
    X, labels = make_blobs(1000, 2, centers=[[0, 0], [20, 0]], random_state=0)
    X[0, 0] += 9
    exact = sortal.evaluate(X, labels, measures=KEYS).table.to_numpy()
    assert 0.9999 < exact[0, 1] < 1
    sample = sample_of(X, labels)
    sample.grow(2000)
    values, errors, _ = sample.estimates()
    assert values[0, 1] == 1
    assert (errors > 1e-4).all()
    assert (np.abs(values - exact) <= 1.96 * errors).all()


@pytest.mark.parametrize("form", ["drop", "precomputed", "sparse", "callable", "cityblock", "wide"])
def test_other_input(form, small, monkeypatch):
    rng = np.random.default_rng(0)
    n, repetitions = 600, 20
    if form in ("sparse", "callable"):  # a pair of these takes long
        n, repetitions = 120, 8
        monkeypatch.setattr(samples, "FIRST_PAIRS", 300)
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
    covered, bias, _ = coverage(X, labels, repetitions=repetitions, precision=0.1, **options)
    assert covered.min() >= 3 / 4
    assert np.abs(bias).max() < 5
