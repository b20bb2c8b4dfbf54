"""Languages keep Kraft's inequality, proved by adding up all their words."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from naive_bounds import label_shares
from sortal import InputError
from sortal.bounds import Searched
from sortal.bounds import languages as lang


def grid(names, *, k, starts=1) -> Searched:
    """Every clusterer with every k; starts for all of them, or by clusterer (else 1)."""
    times = starts if isinstance(starts, dict) else dict.fromkeys(names, starts)
    return Searched({name: dict.fromkeys(k, times.get(name, 1)) for name in names})


@pytest.mark.parametrize("c", range(1, 6))
@pytest.mark.parametrize("n_classes", range(1, 5))
def test_each_code_of_labels_sums_to_one(c: int, n_classes: int) -> None:
    every = itertools.product(range(n_classes), repeat=c)
    sums = [sum(code) for code in zip(*(label_shares(v, n_classes) for v in every), strict=True)]
    assert sums == [1] * 5


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
    with pytest.raises(InputError, match="Kraft"):
        lang.Prior({"a": 0.7, "b": 0.7})
    with pytest.raises(InputError, match="no share"):
        lang.Prior({"a": 0.7}).choice_bits(("b",), [2])
    with pytest.raises(InputError, match="in \\(0, 1\\]"):
        lang.Prior({"a": 0.0})


@pytest.mark.parametrize(
    "searched",
    [
        grid(["a", "b"], k=range(2, 21), starts={"a": 10}),
        grid(["a", "b"], k=range(1, 5), starts=3),
        Searched({"a": {2: 3, 5: 1}, "b": {"eps=1": 1, "eps=2": 4}}, n_user=7),
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
    assert total == pytest.approx(1, abs=1e-12)


def test_search_is_never_longer_than_the_published_language() -> None:
    searched = grid(["a", "b", "c"], k=range(2, 31), starts=10)
    algo = lang.Algo(10, 3)
    for name, k in itertools.product("abc", range(2, 31)):
        published = algo.choice_bits(("",), np.array([k]))[0]
        assert searched.bits((name, k)) <= published


def test_search_rejects_what_it_did_not_try() -> None:
    searched = grid(["a"], k=[2, 3])
    for origin in [("b", 2), ("a", 4), None]:
        with pytest.raises(InputError):
            searched.bits(origin)
    for wrong in [
        {"tried": {"a": {}}},
        {"tried": {"a": {2: 0}}},
        {"tried": {"user": {2: 1}}},
        {"tried": {}},
    ]:
        with pytest.raises(InputError):
            Searched(**wrong)
