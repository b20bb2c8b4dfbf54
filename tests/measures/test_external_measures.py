"""Every external measure against its definition, check values, laws and peers."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from numpy.testing import assert_allclose

import naive_external as naive
import sortal
from example_counts import examples
from sortal import ContingencyTable, InputError, UndefinedMeasureError
from sortal.measures import catalogue

EXTERNAL = [m for m in catalogue.values() if m.kind == "external"]
KEYS = [m.key for m in EXTERNAL]
# manning2008 figure 16.4: the classes and clusters of 17 points
MANNING_TRUE = list("xxxxxo" + "xoooo◇" + "xx◇◇◇")
MANNING_PRED = [1] * 6 + [2] * 6 + [3] * 5


@st.composite
def two_labelings(draw, most=9, labels=4):
    n = draw(st.integers(1, most))
    side = st.lists(st.integers(0, labels - 1), min_size=n, max_size=n)
    return draw(side), draw(side)


def needs_shuffles(key):
    return key in ("adjusted_mutual_information", "standardized_mutual_information")


@pytest.mark.parametrize(
    "key", [k for k in KEYS if not needs_shuffles(k) and k not in naive.OWN_TEST]
)
@examples(60)
@given(sides=two_labelings())
def test_equals_its_definition(key, sides):
    assert hasattr(naive, key), naive.MISSING.format(key)
    true, pred = sides
    assert_allclose(getattr(sortal, key)(true, pred), getattr(naive, key)(true, pred), atol=1e-12)


@examples(40)
@given(sides=two_labelings(most=6, labels=3))
@example(sides=([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 1, 1]))
def test_chance_moments_equal_all_permutations(sides):
    true, pred = sides
    assert_allclose(
        sortal.adjusted_mutual_information(true, pred),
        naive.adjusted_mutual_information(true, pred),
        atol=1e-9,
    )
    assert_allclose(
        sortal.standardized_mutual_information(true, pred),
        naive.standardized_mutual_information(true, pred),
        atol=1e-6,
    )


def test_no_variance_of_chance_in_a_large_table():
    classes = np.arange(100_000) % 20_000
    one_and_the_rest = np.zeros(100_000, dtype=int)
    one_and_the_rest[7] = 1
    assert sortal.standardized_mutual_information(classes, one_and_the_rest) == 0


@pytest.mark.parametrize("normalizer", ["arithmetic", "geometric", "max", "min", "joint"])
@examples(30)
@given(sides=two_labelings(most=6, labels=3))
def test_normalizers(normalizer, sides):
    true, pred = sides
    assert_allclose(
        sortal.normalized_mutual_information(true, pred, normalizer=normalizer),
        naive.normalized_mutual_information(true, pred, normalizer),
        atol=1e-12,
    )
    if normalizer != "joint":
        assert_allclose(
            sortal.adjusted_mutual_information(true, pred, normalizer=normalizer),
            naive.adjusted_mutual_information(true, pred, normalizer),
            atol=1e-9,
        )


@pytest.mark.parametrize("beta", [0.0, 0.5, 2.0, 5.0])
@examples(25)
@given(sides=two_labelings())
def test_beta(beta, sides):
    for key in ("v_measure", "pair_f_measure", "f_quality", "bcubed_f_measure"):
        computed = getattr(sortal, key)(*sides, beta=beta)
        assert_allclose(computed, getattr(naive, key)(*sides, beta=beta), atol=1e-12)


def test_manning2008_figure_16_4():
    table = ContingencyTable(MANNING_TRUE, MANNING_PRED)
    assert sortal.purity(table) == 12 / 17
    assert round(sortal.normalized_mutual_information(table, normalizer="arithmetic"), 2) == 0.36
    pairs = sortal.pair_counts(table)
    assert (pairs.both, pairs.only_pred, pairs.only_true, pairs.neither) == (20, 20, 24, 72)
    assert round(sortal.rand_index(table), 2) == 0.68
    assert round(sortal.pair_f_measure(table, beta=5), 3) == 0.456
    assert sortal.pair_f_measure(table) == 10 / 21


def test_manning2008_exercise_doubling_every_point():
    once = ContingencyTable(MANNING_TRUE, MANNING_PRED)
    twice = ContingencyTable(MANNING_TRUE * 2, MANNING_PRED * 2)
    for key in KEYS:
        record = catalogue[key]
        one, two = record.function(once), record.function(twice)
        if key in naive.COUNTED - {"adjusted_mutual_information"} or key == "mirkin_distance":
            assert one != two, key
        elif record.family == "pair counting" or key == "adjusted_mutual_information":
            assert two > one, key
        else:
            assert_allclose(two, one, atol=1e-14, err_msg=key)


def test_literature_values():
    # Gates et al. 2019: two equal halves against one cluster; Chacón & Rastrojo's worst case
    assert sortal.element_centric_similarity([0, 0, 1, 1], [0, 0, 0, 0]) == 0.5
    assert sortal.adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == -0.5
    # Hubert & Arabie 1985, §4: a 4 × 3 table of 13 objects, every step by hand
    table = ContingencyTable.from_counts([[2, 1, 0], [2, 0, 0], [0, 2, 3], [0, 3, 0]])
    together, rows, columns, total = 1 + 1 + 1 + 3 + 3, 3 + 1 + 10 + 3, 6 + 15 + 3, 78
    expected = Fraction(rows * columns, total)
    ari = (together - expected) / (Fraction(rows + columns, 2) - expected)
    assert_allclose(sortal.adjusted_rand_index(table), float(ari), rtol=1e-15)


@examples(60)
@given(sides=two_labelings(most=40, labels=6))
def test_agrees_with_scikit_learn(sides):
    metrics = pytest.importorskip("sklearn.metrics")
    true, pred = sides
    table = ContingencyTable(true, pred)
    h, c, v = metrics.homogeneity_completeness_v_measure(true, pred)
    assert_allclose(sortal.homogeneity(table), h, atol=1e-12)
    assert_allclose(sortal.completeness(table), c, atol=1e-12)
    assert_allclose(sortal.v_measure(table), v, atol=1e-12)
    assert_allclose(
        sortal.mutual_information(table), metrics.mutual_info_score(true, pred), atol=1e-12
    )
    assert_allclose(sortal.rand_index(table), metrics.rand_score(true, pred), atol=1e-12)
    ari = metrics.adjusted_rand_score(true, pred)
    assert_allclose(sortal.adjusted_rand_index(table), ari, atol=1e-12)
    for mean in ("arithmetic", "geometric", "max", "min"):
        nmi = metrics.normalized_mutual_info_score(true, pred, average_method=mean)
        # with a single class scikit-learn calls NMI 1 or 0 as sortal does, but not for singletons
        if min(table.shape) > 1:
            assert_allclose(
                sortal.normalized_mutual_information(table, normalizer=mean), nmi, atol=1e-12
            )
        # where chance has no variance scikit-learn divides rounding errors
        if {1, table.n}.isdisjoint(table.shape):
            ami = metrics.adjusted_mutual_info_score(true, pred, average_method=mean)
            assert_allclose(
                sortal.adjusted_mutual_information(table, normalizer=mean), ami, atol=1e-11
            )
    if sortal.pair_counts(table).both:
        fmi = metrics.fowlkes_mallows_score(true, pred)
        assert_allclose(sortal.fowlkes_mallows_index(table), fmi, atol=1e-12)


def test_agrees_with_genieclust():
    peer = pytest.importorskip("genieclust").compare_partitions
    rng = np.random.default_rng(5)
    true, pred = rng.integers(0, 6, 500), rng.integers(0, 6, 500)
    pred[:250] = true[:250]
    table = ContingencyTable(true, pred)
    assert_allclose(sortal.adjusted_rand_index(table), peer.adjusted_rand_score(true, pred))
    assert_allclose(sortal.fowlkes_mallows_index(table), peer.fm_score(true, pred))
    mi = peer.mi_score(true, pred)
    assert_allclose(sortal.mutual_information(table), mi, rtol=1e-12)


@pytest.mark.parametrize("key", KEYS)
@examples(30)
@given(sides=two_labelings(most=12))
def test_laws(key, sides):
    """Symmetry, names, order of objects, range, and the optimum of equal partitions."""
    record, (true, pred) = catalogue[key], sides
    function = record.function
    value = function(true, pred)
    assert record.range[0] <= value <= record.range[1]
    if record.symmetric:
        assert_allclose(function(pred, true), value, atol=1e-9)
    renamed = [("a", "z", "q", 3.5)[v] for v in pred]
    assert_allclose(function(true, renamed), value, atol=1e-12)
    assert_allclose(function(true[::-1], pred[::-1]), value, atol=1e-12)
    itself = function(true, true)
    if math.isfinite(record.optimum) and key != "dom_q0":
        assert itself == record.optimum
    if key != "standardized_mutual_information":
        assert record.sign * itself >= record.sign * value - 1e-12


REFINEMENT_IS_PERFECT = {
    "homogeneity", "purity", "entropy_quality", "bcubed_precision", "pair_precision",
    "conditional_entropy",
}  # fmt: skip
COARSENING_IS_PERFECT = {"completeness", "inverse_purity", "bcubed_recall", "pair_recall"}


@pytest.mark.parametrize("key", [k for k in KEYS if math.isfinite(catalogue[k].optimum)])
def test_which_measures_call_any_refinement_perfect(key):
    """whissell2012 §4.6 and table 4.1: k >= t for EQ and PQ, k = t for the others."""
    true = [0] * 6 + [1] * 6
    finer = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    optimum = catalogue[key].optimum
    assert (catalogue[key].function(true, finer) == optimum) == (key in REFINEMENT_IS_PERFECT)
    assert (catalogue[key].function(finer, true) == optimum) == (key in COARSENING_IS_PERFECT)


def test_nmi_min_calls_refinements_perfect():
    assert sortal.normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3], normalizer="min") == 1


@pytest.mark.parametrize("key", KEYS)
def test_degenerate_partitions(key):
    n = 6
    one, all_alone, two = [0] * n, list(range(n)), [0, 0, 0, 1, 1, 1]
    for true in (one, all_alone, two):
        for pred in (one, all_alone, two):
            value = catalogue[key].function(true, pred)
            assert math.isfinite(value)
    assert math.isfinite(catalogue[key].function([0], [0]))


def test_degenerate_values():
    one, alone, two = [0] * 4, [0, 1, 2, 3], [0, 0, 1, 1]
    assert sortal.homogeneity(one, two) == 1
    assert sortal.completeness(two, one) == 1
    assert sortal.adjusted_rand_index(one, one) == sortal.adjusted_rand_index(alone, alone) == 1
    assert sortal.adjusted_rand_index(one, alone) == 0
    for pred in (one, alone):
        for mean in ("max", "arithmetic", "geometric", "min"):
            assert sortal.adjusted_mutual_information(two, pred, normalizer=mean) == 0
            assert sortal.adjusted_mutual_information(pred, pred, normalizer=mean) == 1
    assert sortal.normalized_mutual_information(one, one) == 1
    assert sortal.normalized_mutual_information(one, two) == 0
    assert sortal.jaccard_index(alone, alone) == sortal.fowlkes_mallows_index(alone, alone) == 1


def test_ami_of_identical_partitions_of_any_size():
    labels = np.repeat(np.arange(300), np.arange(1, 301))
    for mean in ("max", "arithmetic", "geometric", "min"):
        assert sortal.adjusted_mutual_information(labels, labels[::1], normalizer=mean) == 1.0
        assert sortal.normalized_mutual_information(labels, labels, normalizer=mean) == 1.0


def test_near_independence_loses_no_digits():
    # MI = D(joint || product): second order in the departure from independence
    table = ContingencyTable.from_counts([[10**9 + 1, 10**9 - 1], [10**9 - 1, 10**9 + 1]])
    d = 1e-9
    assert_allclose(sortal.mutual_information(table), d * d / 2, rtol=1e-6)


def test_ten_billion_objects_exactly():
    counts = [[4 * 10**9, 10**9, 3], [7, 5 * 10**9 - 11, 1]]
    table = ContingencyTable.from_counts(counts)
    flat = [c for row in counts for c in row]
    n = sum(flat)
    assert table.n == n > 2**33

    def pairs(values):
        return sum(v * (v - 1) // 2 for v in values)

    both = pairs(flat)
    true, pred = pairs(map(sum, counts)), pairs(map(sum, zip(*counts, strict=True)))
    got = sortal.pair_counts(table)
    assert (got.both, got.only_true, got.only_pred) == (both, true - both, pred - both)
    assert got.total == n * (n - 1) // 2 > 2**63
    expected = Fraction(true * pred, got.total)
    ari = (both - expected) / (Fraction(true + pred, 2) - expected)
    assert sortal.adjusted_rand_index(table) == float(ari)
    assert sortal.rand_index(table) == float(Fraction(got.both + got.neither, got.total))
    for key in KEYS:
        if key != "standardized_mutual_information":
            value = catalogue[key].compute(table)
            assert math.isfinite(value), key
            assert catalogue[key].range[0] <= value <= catalogue[key].range[1]


@pytest.mark.parametrize("n", [10**5, 10**8])
def test_standardized_is_chi_squared_in_the_limit(n):
    # 2n MI has (k - 1)(t - 1) degrees of freedom: mean df, variance 2 df
    table = ContingencyTable.from_counts(
        (np.array([[20, 11, 9], [10, 20, 10], [11, 9, 20], [9, 10, 11]]) * n / 150).astype(int)
        + np.arange(12).reshape(4, 3)
    )
    df = 3 * 2
    limit = (2 * table.n * sortal.mutual_information(table) - df) / math.sqrt(2 * df)
    assert_allclose(sortal.standardized_mutual_information(table), limit, rtol=30 / n)


def test_standardized_rejects_to_take_minutes_in_a_table_of_many():
    rng = np.random.default_rng(0)
    a = np.repeat(np.arange(300), np.arange(300, 600))
    table = ContingencyTable(a, rng.permutation(a))
    with pytest.raises(UndefinedMeasureError, match="permutation_test"):
        catalogue["standardized_mutual_information"].compute(table)


@pytest.mark.parametrize("key", KEYS)
def test_one_table_or_two_arrays(key):
    function = catalogue[key].function
    table = ContingencyTable([0, 0, 1], [0, 1, 1])
    assert function(table) == function([0, 0, 1], [0, 1, 1])
    with pytest.raises(InputError, match="alone"):
        function(table, [0, 0, 1])
    with pytest.raises(InputError, match="missing"):
        function([0, 0, 1])
    with pytest.raises(InputError, match='noise="cluster"'):
        function([0, 0, 1], [0, -1, 1])
    assert function([0, 0, 1], [0, -1, 1], noise="drop") == function([0, 1], [0, 1])
    assert function([0, 0, 1, 2], [0, -1, 1, -1], noise="singletons") == pytest.approx(
        function([0, 0, 1, 2], [0, 7, 1, 8])
    )


@pytest.mark.parametrize("key", KEYS)
def test_weights(key):
    true, pred = [0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 2, 0]
    function = catalogue[key].function
    weights = np.array([1, 2, 3, 1, 2, 1, 4])
    weighted = ContingencyTable(true, pred, sample_weight=weights)
    repeated = function(np.repeat(true, weights), np.repeat(pred, weights))
    assert_allclose(function(weighted), repeated, rtol=1e-12)
    almost = ContingencyTable(true, pred, sample_weight=weights * (1 + 1e-9))
    if key in naive.COUNTED:
        with pytest.raises(UndefinedMeasureError, match="sample_weight"):
            function(almost)
        return
    assert_allclose(function(almost), repeated, rtol=1e-6)
    # an object of next to no weight might as well be absent
    faint = ContingencyTable([*true, 0], [*pred, 2], sample_weight=[1] * 7 + [1e-9])
    if key != "hamming_distance":
        assert_allclose(function(faint), function(true, pred), atol=1e-6)


def test_bad_options():
    with pytest.raises(InputError, match="normalizer"):
        sortal.normalized_mutual_information([0], [0], normalizer="mean")
    with pytest.raises(InputError, match="normalizer"):
        sortal.adjusted_mutual_information([0], [0], normalizer="joint")
    with pytest.raises(InputError, match="beta"):
        sortal.v_measure([0], [0], beta=-1)
    with pytest.raises(InputError, match="alpha"):
        sortal.element_centric_similarity([0], [0], alpha=1)
