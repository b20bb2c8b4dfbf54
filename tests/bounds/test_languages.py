"""Every code keeps Kraft's inequality, proved by adding up all its words."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from karat._kernels.pac_mdl import _lead_of, mixed_label_bits
from karat.bounds import CountedPruning, Pruning, Searched, codes
from karat.bounds import languages as lang
from karat.bounds.codes import log2_factorials, log2_spreads
from karat.runtime.validation import InputError

SHAPES = [(c, classes) for c in range(1, 6) for classes in range(1, 5)]
CODES = (
    codes.UniformLabels,
    codes.HistogramLabels,
    codes.SpreadLabels,
    codes.DefaultLabels,
    codes.LeadingLabels,
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("code", CODES)
def test_label_codes_waste_nothing(code: type, shape: tuple[int, int]) -> None:
    words = code(*shape)
    assert words.kraft() == 1
    longest = max(words.bits(message) for message in words.messages() if words.probability(message))
    assert math.isfinite(longest)


@pytest.mark.parametrize("shape", SHAPES)
def test_mixture_sums_to_one_and_costs_its_count(shape: tuple[int, int]) -> None:
    mixture = codes.mixed_labels(*shape)
    assert mixture.kraft() == 1
    for message in mixture.messages():
        best = min(code(*shape).bits(message) for code in CODES)
        assert mixture.bits(message) <= best + math.log2(len(CODES)) + 1e-12


def test_integers_telescope() -> None:
    for first in (1, 2, 7):
        code = codes.Integer(first)
        for last in (first, first + 1, first + 50):
            total = sum(code.probability(i) for i in range(first, last + 1))
            assert total == 1 - Fraction(1, last - first + 2)
        assert code.probability(first - 1) == 0
        assert code.bits(first - 1) == math.inf
    with pytest.raises(InputError, match="infinitely many"):
        codes.Integer().kraft()


def test_choices_and_sequences() -> None:
    assert codes.Choice(7).kraft() == 1
    weighted = codes.Choice({"a": 5, "b": 0.25, "c": 1})
    assert weighted.kraft() == 1
    assert weighted.probability("a") == Fraction(4, 5)
    assert weighted.probability("d") == 0
    both = codes.Sequence(weighted, codes.HistogramLabels(3, 2))
    assert both.kraft() == 1
    assert both.bits(("a", (0, 0, 1))) == pytest.approx(
        weighted.bits("a") + codes.HistogramLabels(3, 2).bits((0, 0, 1))
    )
    with pytest.raises(ValueError, match="shorter"):
        both.probability(("a",))
    for bad in ({}, {"a": 0}, {"a": -1}, {"a": math.inf}):
        with pytest.raises(InputError):
            codes.Choice(bad)
    with pytest.raises(InputError, match="at least one code"):
        codes.Mixture()


def test_a_pruning_has_a_bit_for_each_split_and_stop() -> None:
    code = Pruning(np.array([[0, 1, 1.0, 2], [2, 3, 1.5, 2], [4, 5, 2.0, 4]]))
    bits = {len(message): code.bits(message) for message in code.messages()}
    assert bits == {1: 1, 2: 3, 3: 5, 4: 7}


@pytest.mark.parametrize("code", [Pruning, CountedPruning])
def test_prunings_sum_to_at_most_one(code: type) -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 4, 7, 9):
        tree = code(random_linkage(n, rng))
        assert tree.kraft() <= 1
        assert len(set(tree.messages())) == len(list(tree.messages()))


def random_linkage(n: int, rng: np.random.Generator) -> np.ndarray:
    alive = dict.fromkeys(range(n), 1)
    rows = []
    for t in range(n - 1):
        a, b = rng.choice(sorted(alive), 2, replace=False)
        size = alive.pop(a) + alive.pop(b)
        alive[n + t] = size
        rows.append([min(a, b), max(a, b), t + 1.0, size])
    return np.array(rows, dtype=float)


@examples(200)
@given(st.integers(1, 8), st.data())
def test_kernel_writes_labels_as_the_codes_do(n_classes: int, data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=1, max_size=25))
    c = len(labels)
    array = np.array(labels, dtype=np.int32)
    got = mixed_label_bits(
        np.bincount(array, minlength=n_classes),
        _lead_of(array, np.arange(c)),
        log2_factorials(c + n_classes),
        log2_spreads(c, n_classes),
    )
    assert got == pytest.approx(codes.mixed_labels(c, n_classes).bits(tuple(labels)), abs=1e-9)


def test_published_languages() -> None:
    assert lang.Simple().bits(3, 3) == pytest.approx(3 * math.log2(3))
    assert lang.Init(10).bits(3, 3) == pytest.approx(3 * math.log2(3) + math.log2(10))
    assert lang.Cluster(10).bits(3, 3) == pytest.approx(math.log2(27 * 10 * 6))
    assert lang.Algo(10, 6).bits(3, 3) == pytest.approx(math.log2(27 * 10 * 6 * 6))
    with pytest.raises(InputError, match="no word for one cluster"):
        lang.Cluster().bits(1, 3)
    with pytest.raises(InputError, match="n_starts"):
        lang.Init(0).bits(2, 2)


def test_cluster_is_a_code_over_all_numbers_of_clusters() -> None:
    bits = lang.Algo(4, 3).choice_bits(("",) * 998, np.arange(2, 1000))
    assert 12 * np.exp2(-bits).sum() == pytest.approx(1 - 1 / 999)


def test_kraft_is_checked() -> None:
    assert codes.check_kraft([1, 2, 3]) == 0.875
    with pytest.raises(InputError, match=r"Add log2\(1\.5\)"):
        codes.check_kraft([1, 1, 1])
    with pytest.raises(InputError, match="at least 0"):
        codes.check_kraft([-1.0, 3.0])
    with pytest.raises(InputError, match="Kraft"):
        lang.Prior({"a": 0.7, "b": 0.7})
    with pytest.raises(InputError, match="no share"):
        lang.Prior({"a": 0.7}).choice_bits(("b",), [2])
    with pytest.raises(InputError, match="in \\(0, 1\\]"):
        lang.Prior({"a": 0.0})


@pytest.mark.parametrize(
    "searched",
    [
        Searched.grid(["a", "b"], k=range(2, 21), starts={"a": 10}),
        Searched.grid(["a", "b"], k=range(1, 5), starts=3),
        Searched({"a": {2: 3, 5: 1}, "b": {"eps=1": 1, "eps=2": 4}}, n_user=7),
        Searched({"a": {2: 3, 5: 1}}, n_user=2, clusterer_prior={"a": 5, "user": 1}),
        Searched.grid(["a"], k=[2, 3], setting_prior={2: 1.0, 3: 9.0, 4: 1.0}),
        Searched.from_origins([("a", 2), ("a", 2), ("b", 9), None]),
    ],
)
def test_a_search_is_a_code(searched: Searched) -> None:
    origins = [
        (name, setting)
        for name, settings_ in searched.tried.items()
        for setting, starts in settings_.items()
        for _ in range(starts)
    ] + [None] * searched.n_user
    total = sum(2.0 ** -searched.bits(origin) for origin in origins)
    assert total == pytest.approx(1, abs=1e-12) or searched.setting_prior is not None
    assert total <= 1 + 1e-12


def test_search_is_never_longer_than_the_published_language() -> None:
    searched = Searched.grid(["a", "b", "c"], k=range(2, 31), starts=10)
    algo = lang.Algo(10, 3)
    for name, k in itertools.product("abc", range(2, 31)):
        published = algo.choice_bits(("",), np.array([k]))[0]
        assert searched.bits((name, k)) <= published


def test_search_rejects_what_it_did_not_try() -> None:
    searched = Searched.grid(["a"], k=[2, 3])
    for origin in [("b", 2), ("a", 4), None]:
        with pytest.raises(InputError):
            searched.bits(origin)
    for wrong in [
        {"tried": {"a": {}}},
        {"tried": {"a": {2: 0}}},
        {"tried": {"user": {2: 1}}},
        {"tried": {"a": {2: 1}}, "clusterer_prior": {"b": 1.0}},
        {"tried": {"a": {2: 1}}, "setting_prior": {3: 1.0}},
        {"tried": {}},
    ]:
        with pytest.raises(InputError):
            Searched(**wrong)
