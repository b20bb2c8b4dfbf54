"""Totals over objects from a sample: right on average, covered by their intervals, or rejected."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

import karat
from karat.distances import as_distances
from karat.labelings.partitions import as_labelings
from karat.measures import catalogue
from karat.measures.computation import compute
from karat.measures.inputs import Inputs
from karat.measures.internal.batch import of_each_object
from karat.measures.passes import sampled_objects as _sampled_objects
from karat.measures.passes.sampled_objects import ObjectSample, _rao_wu_sums, first_of_each

KEYS = ["silhouette", "point_wise_margin", "between_within_ratio", "within_cluster_scatter"]
CUTS = ["ratio_cut", "normalized_cut"]


def sample_of(X, labelings, keys, seed=0, noise="error"):
    measures = [catalogue[key] for key in keys]
    batch = as_labelings(labelings, noise=noise)
    rng = np.random.default_rng(seed)
    return ObjectSample(X, as_distances(X), batch, measures, rng)


def test_errors_of_the_decisive_measures_are_those_of_all():
    X, labels = make_blobs(900, centers=4, random_state=2)
    sample = sample_of(X, {"a": labels, "b": np.arange(900) % 7}, [*KEYS, *CUTS])
    sample.grow(200)
    values, errors, _ = sample.estimates()
    assert (errors > 0).all()
    decisive = np.array([True, True, False, False, False, True])
    again, some, _ = sample.estimates(decisive)
    assert_allclose(again, values, rtol=1e-12)
    assert_allclose(some[:, decisive], errors[:, decisive], rtol=1e-12)
    assert (some[:, ~decisive] == 0).all()


def test_errors_of_unbounded_measures_are_there_where_bounded_ones_decide():
    X, labels = make_blobs(3000, centers=4, cluster_std=3, random_state=2)
    measures = [catalogue[key] for key in KEYS if key != "point_wise_margin"]
    found = compute(Inputs.read(X, labels), measures, precision=0.02, bounded_only=True)
    assert found.sample_size["objects"] < 3000
    assert (found.standard_errors.to_numpy() > 0).all()


@pytest.mark.parametrize("several", [False, True])
def test_a_sample_of_everything_is_exact(several):
    X, labels = make_blobs(300, centers=4, random_state=2)
    labelings = {"a": labels, "b": np.arange(300) % 7} if several else labels
    exact = karat.evaluate(X, labelings, measures=KEYS + CUTS)
    scores = karat.evaluate(X, labelings, measures=KEYS + CUTS, precision=1e-9, random_state=0)
    assert_allclose(scores.table, exact.table, rtol=1e-10)
    assert (scores.standard_errors == 0).all().all()
    assert scores.sample_size == {"objects": 300}


@pytest.mark.parametrize("several", [False, True])
def test_intervals_cover_the_exact_value(several):
    rng = np.random.default_rng(0)
    X, labels = make_blobs(4000, 8, centers=5, cluster_std=5.0, random_state=3)
    labelings = {"a": labels}
    if several:
        labelings["b"] = np.where(rng.random(4000) < 0.7, labels, 5)
        labelings["c"] = np.where(np.arange(4000) < 3950, labels, 5 + np.arange(4000) // 5)
    exact = karat.evaluate(X, labelings, measures=KEYS + CUTS)
    covered, seen = np.zeros(exact.table.shape), []
    for seed in range(40):
        scores = karat.evaluate(
            X, labelings, measures=KEYS + CUTS, precision=0.05, random_state=seed
        )
        assert scores.sample_size["objects"] < 4000
        covered += (scores.table - exact.table).abs() <= 1.96 * scores.standard_errors
        seen.append(scores.table.to_numpy())
    # 95 % of 40 is 38; below 32 has probability 0.0006
    assert covered.to_numpy().min() >= 32
    spread = np.std(seen, axis=0) / np.sqrt(40)
    assert (np.abs(np.mean(seen, axis=0) - exact.table) < 5 * spread).all().all()


def test_totals_are_unbiased_over_all_samples(monkeypatch):
    monkeypatch.setattr(_sampled_objects, "OF_EACH", 2)
    # all 5! orders of 5 objects, 3 drawn: the mean over them is the exact total
    X = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])
    labels = [0, 0, 0, 1, 1]
    exact = karat.within_cluster_scatter(X, labels)
    values = []
    for order in itertools.permutations(range(5)):
        sample = sample_of(X, labels, ["within_cluster_scatter"])
        sample.order = np.array(order)
        sample.codes = sample.labelings.codes[:, sample.order]
        sample.of_each_cluster = np.stack(
            [first_of_each(2, row, sample.order) for row in sample.labelings.codes]
        )
        sample.grow(1)
        assert sample.n_drawn == 4 + (not sample.of_each_cluster[0, 0])
        values.append(sample.estimates()[0][0, 0])
    assert_allclose(np.mean(values), exact)
    assert np.std(values) > 0


@pytest.fixture
def none_far(monkeypatch):
    """No object is drawn in any case for being far out."""
    monkeypatch.setattr(_sampled_objects, "FAR_OUT", 10**6)


def test_ten_of_each_cluster_are_drawn(none_far):
    labels = np.repeat([0, 1, 2, 3], [5000, 30, 1, 10])
    X = np.random.default_rng(0).normal(size=(len(labels), 3))
    sample = sample_of(X, {"a": labels, "b": np.arange(len(labels)) % 11}, ["silhouette"])
    sample.grow(20)
    assert sample.strata[0].counts.tolist() == [20, 10, 1, 10]
    assert (sample.strata[1].counts == 10).all()
    # what one clustering draws extra is not of the other's sample
    assert sample.n_drawn > 100


def test_a_cluster_that_random_objects_miss_counts():
    # WWCS2 gives every cluster one vote, also 30 small and wide ones
    labels = np.concatenate([np.zeros(20_000, dtype=int), 1 + np.arange(90) // 3])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(labels), 2)) * np.where(labels > 0, 100, 1)[:, None]
    labelings = {"a": labels, "b": labels % 3}
    key = "weighted_within_cluster_scatter_2"
    exact = karat.evaluate(X, labelings, measures=[key])
    scores = karat.evaluate(X, labelings, measures=[key], precision=0.5, random_state=0)
    assert scores.sample_size["objects"] < 1000
    error = float(scores.standard_errors.loc["a", key])
    assert abs(scores.table.loc["a", key] - exact.table.loc["a", key]) < 4 * error
    assert error < 0.2 * exact.table.loc["a", key]


def test_bootstrap_weights():
    rng = np.random.default_rng(0)
    own = np.array([0, 0, 0, 1, 1, 2, 3, 3])
    counts, sizes = np.bincount(own), np.array([30, 2, 1, 4])
    each = np.eye(len(own))
    sums = np.stack([each[own == c].sum(axis=0) for c in range(4)])[None]
    draws = np.concatenate([_rao_wu_sums(each, sums, counts, sizes, rng) for _ in range(800)])
    draws = draws.sum(axis=1)
    assert draws.min() >= 0
    assert_allclose(draws.mean(axis=0), 1, atol=0.03)
    # clusters that were drawn whole do not vary
    assert (draws[:, 3:6] == 1).all()
    # the variance of a cluster's mean: (1 - f) s² / c
    values = np.array([1.0, 2, 6, 0, 0, 0, 0, 1])
    for c in (0, 3):
        mine = own == c
        means = (draws[:, mine] * values[mine]).mean(axis=1)
        s2 = values[mine].var(ddof=1)
        wanted = (1 - counts[c] / sizes[c]) * s2 / counts[c]
        assert_allclose(means.var(), wanted, rtol=0.05)


@pytest.mark.parametrize("size", [20, 100, 399])
def test_rule_of_three(size):
    """All alike in m of n: 1.96 errors are 3/m of the range, times what is unseen."""
    X = np.repeat([[0.0], [1.0]], 200, axis=0)
    sample = sample_of(X, np.repeat([0, 1], 200), ["silhouette"])
    sample.grow(size)
    values, errors, reasons = sample.estimates()
    assert not reasons
    assert_allclose(values, 1)
    # a silhouette of -1 where all others are 1
    assert_allclose(1.96 * errors[0, 0], 2 * 3 / size * (1 - size / 400))


def test_a_sample_all_alike_has_an_error():
    # two far points, 10,000 times each: silhouettes are 1 but for one object
    X = np.repeat([[0.0], [1.0]], 10_000, axis=0)
    labels = np.repeat([0, 1], 10_000)
    labels[0] = 1
    scores = karat.evaluate(X, labels, measures=["silhouette"], precision=0.01, random_state=0)
    error = float(scores.standard_errors.iloc[0, 0])
    assert 0 < error <= 0.01
    assert abs(karat.silhouette(X, labels) - scores.table.iloc[0, 0]) <= 1.96 * error


def heavy(d, n=4000):
    return np.random.default_rng(0).random((n, d)), np.arange(n) % 2


def test_sums_without_a_variance_are_rejected():
    for d in (1, 2):
        X, labels = heavy(d)
        keys = ["ratio_cut", "normalized_cut", "silhouette", "between_within_ratio"]
        scores = karat.evaluate(X, labels, measures=keys, precision=0.1, random_state=0)
        assert np.isnan(scores.table[["ratio_cut", "normalized_cut"]]).all().all()
        assert np.isfinite(scores.table[["silhouette", "between_within_ratio"]]).all().all()
        why = scores.reasons["0"]["ratio_cut"]
        assert "variance is infinite" in why
        assert "omit precision" in why


def test_a_cut_is_not_rejected_for_a_column_that_it_does_not_read():
    # far clusters: 1/d² is heavy within them and not between them
    X, labels = heavy(2)
    X[labels == 1] += 3
    scores = karat.evaluate(X, labels, measures=CUTS, precision=0.1, random_state=0)
    assert np.isfinite(scores.table.loc["0", "ratio_cut"])
    assert np.isnan(scores.table.loc["0", "normalized_cut"])


def test_what_is_heavy_is_exact_where_all_is_drawn():
    X, labels = heavy(1, n=400)
    exact = karat.evaluate(X, labels, measures=CUTS)
    scores = karat.evaluate(X, labels, measures=CUTS, precision=0.1, random_state=0)
    assert_allclose(scores.table, exact.table, rtol=1e-9)


def test_coincident_objects_make_a_cut_infinite_for_certain(none_far):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(2000, 6)), 2, axis=0)
    labels = np.arange(4000) % 2
    scores = karat.evaluate(X, labels, measures=["ratio_cut"], precision=0.1, random_state=0)
    assert np.isposinf(scores.table.iloc[0, 0])
    assert scores.standard_errors.iloc[0, 0] == 0
    assert scores.sample_size["objects"] == 512


def test_infinite_parts_of_a_finite_value(none_far):
    # coincident objects within a cluster: its term of N-Cut is 0
    X, labels = np.random.default_rng(0).normal(size=(3000, 8)), np.arange(3000) % 3
    X[labels == 0] = np.repeat(X[labels == 0][:500], 2, axis=0)
    exact = karat.evaluate(X, labels, measures=CUTS)
    scores = karat.evaluate(X, labels, measures=CUTS, precision=0.1, random_state=0)
    errors = scores.standard_errors
    assert scores.sample_size["objects"] == 512
    assert ((scores.table - exact.table).abs() <= 3 * errors).all().all()
    assert (errors > 0).all().all()


@pytest.mark.parametrize("form", ["drop", "precomputed", "sparse", "float32"])
def test_other_input(form):
    rng = np.random.default_rng(0)
    X, labels = make_blobs(2400, 5, centers=3, cluster_std=4.0, random_state=1)
    options: dict = {"measures": KEYS}
    given = X
    if form == "drop":
        labels = np.where(rng.random(2400) < 0.2, -1, labels)
        options["noise"] = "drop"
    elif form == "precomputed":
        given, options["metric"] = cdist(X, X), "precomputed"
    elif form == "sparse":
        given = sparse.csr_array(X)
    else:
        given = X.astype(np.float32)
    exact = karat.evaluate(given, labels, **options)
    hits = 0
    for seed in range(20):
        scores = karat.evaluate(given, labels, precision=0.1, random_state=seed, **options)
        assert scores.sample_size["objects"] < 1500
        hits += ((scores.table - exact.table).abs() <= 3 * scores.standard_errors).to_numpy()
    assert hits.min() >= 17


def test_degenerate_clusterings_say_why():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    labelings = {"one": np.zeros(2000), "alone": np.arange(2000), "two": np.arange(2000) % 2}
    keys = ["silhouette", "between_within_ratio"]
    scores = karat.evaluate(X, labelings, measures=keys, precision=0.1, random_state=0)
    assert "1 cluster" in scores.reasons["one"]["silhouette"]
    assert "singleton" in scores.reasons["alone"]["between_within_ratio"]
    assert scores.table.loc["alone", "silhouette"] == 0
    assert scores.table.loc["two"].notna().all()


def test_bounded_values_have_a_variance():
    """Most silhouettes of good clusters are alike, and a few are not: that is no heavy tail."""
    rng = np.random.default_rng(0)
    labels = np.arange(6000) % 3
    X = rng.normal(size=(6000, 2)) + labels[:, None] * 100.0
    X[rng.random(6000) < 0.02] *= 3
    exact = karat.silhouette(X, labels)
    scores = karat.evaluate(X, labels, measures=["silhouette"], precision=0.01, random_state=0)
    error = float(scores.standard_errors.iloc[0, 0])
    assert 0 < error <= 0.01
    assert abs(scores.table.iloc[0, 0] - exact) <= 3 * error


@pytest.mark.parametrize("form", ["dense", "sparse", "precomputed"])
def test_coincident_objects_that_a_sample_misses(form):
    """One pair at distance 0 in every cluster: N-Cut is 0, Ratio-Cut is not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    labels = np.arange(3000) % 3
    X[3:6] = X[:3]
    given = {"dense": X, "sparse": sparse.csr_array(X), "precomputed": None}[form]
    options = {"measures": CUTS}
    if form == "precomputed":
        given, options["metric"] = cdist(X, X), "precomputed"
    for seed in range(3):
        scores = karat.evaluate(given, labels, precision=0.3, random_state=seed, **options)
        assert scores.sample_size["objects"] < 3000
        assert scores.table.loc["0", "normalized_cut"] == 0
        assert scores.standard_errors.loc["0", "normalized_cut"] == 0
    # and one pair in two clusters
    labels[3] = 1
    scores = karat.evaluate(given, labels, precision=0.3, random_state=0, **options)
    assert scores.table.loc["0", "ratio_cut"] == np.inf


def test_totals_stay_unbiased_where_the_farthest_are_always_drawn(monkeypatch):
    monkeypatch.setattr(_sampled_objects, "FAR_OUT", 4)
    monkeypatch.setattr(_sampled_objects, "LEAST", 40)
    monkeypatch.setattr(_sampled_objects, "PILOT", 100)
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    X[:5] *= 100
    exact = karat.evaluate(X, labels, measures=["within_cluster_scatter"]).table.iloc[0, 0]
    far = _sampled_objects.far_out(X, as_labelings(labels))
    assert far.sum() == 4
    assert far[:5].sum() == 4
    found = [
        karat.evaluate(
            X, labels, measures=["within_cluster_scatter"], precision=0.99, random_state=seed
        ).table.iloc[0, 0]
        for seed in range(150)
    ]
    found = np.array(found)[~np.isnan(found)]
    assert len(found) > 100
    assert abs(found.mean() - exact) < 4 * found.std() / np.sqrt(len(found))


def test_margins_that_are_all_0_in_the_sample_are_not_exact():
    """Objects drawn several times each: few margins are not 0, and a sample may have none."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1000, 3))
    labels = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 1)
    i = rng.integers(0, 1000, 5000)
    exact = karat.point_wise_margin(X[i], labels[i])
    assert exact > 0
    sample = sample_of(X[i], labels[i], ["point_wise_margin"], seed=6)
    for seed in range(6, 9):
        scores = karat.evaluate(
            X[i], labels[i], measures=["point_wise_margin"], precision=0.02, random_state=seed
        )
        error, value = scores.standard_errors.iloc[0, 0], scores.table.iloc[0, 0]
        assert bool(scores.exact.iloc[0, 0]) == (scores.sample_size["objects"] == 5000)
        assert np.isnan(value) or abs(value - exact) <= 1e-12 + 3 * error
    margins = of_each_object("Point-wise margin", 1, X[i], labels[i])
    sample.order = np.roll(np.argsort(margins, kind="stable"), -2000)  # neither has one above 0
    sample.certain[:] = False
    sample.grow(512)
    values, errors, _ = sample.estimates()
    assert values[0, 0] == 0
    assert errors[0, 0] == np.inf


def test_unbounded_measures_of_equal_objects_are_computed_or_rejected():
    X = np.repeat([[0.0], [1.0]], 2000, axis=0)
    labels = np.arange(4000) % 2
    key = "within_cluster_scatter"
    scores = karat.evaluate(X, labels, measures=[key], precision=0.1, random_state=0)
    assert scores.sample_size["objects"] == 4000
    assert_allclose(scores.table.iloc[0, 0], karat.within_cluster_scatter(X, labels))
    found = compute(Inputs.read(X, labels), [catalogue[key]], precision=0.1, bounded_only=True)
    assert np.isnan(found.table.iloc[0, 0])
    assert "all alike" in found.reasons["0"][key]


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_heavy_tails_are_drawn_or_rejected(form):
    """t with 1.6 degrees of freedom has a mean and no variance."""
    rng = np.random.default_rng(0)
    X, labels = rng.standard_t(1.6, size=(6000, 2)), rng.integers(0, 3, 6000)
    data = sparse.csr_array(X) if form == "sparse" else X
    keys = ["within_cluster_scatter", "average_between_cluster_scatter", "mcclain_rao_index"]
    exact = karat.evaluate(data, labels, measures=keys).table
    covered = seen = 0
    for seed in range(30):
        scores = karat.evaluate(data, labels, measures=keys, precision=0.05, random_state=seed)
        seen += scores.table.notna().to_numpy()
        covered += ((scores.table - exact).abs() <= 1.96 * scores.standard_errors).to_numpy()
    # the farthest objects are all drawn where they can be told from the features
    assert seen.min() == 30 if form == "dense" else seen.max() <= 6
    assert (covered >= 0.8 * seen - 1).all()


def test_the_tail_is_not_judged_on_the_sample_of_the_estimate(none_far):
    """Whatever the sample has or lacks, the decision is the same."""
    rng = np.random.default_rng(1)
    X, labels = rng.standard_t(1.6, size=(6000, 2)), rng.integers(0, 3, 6000)
    sample = sample_of(X, labels, ["within_cluster_scatter"])
    sample.grow(512)
    first = sample._tail_index(0, 4)
    sample.objects[:] = 1.0
    sample.strata = [sample._stratum(0)]
    assert sample._tail_index(0, 4) == first
    assert not np.isin(sample.pilot[0], sample.positions).any()
