"""Whether there is more than one cluster: level on one, power on several, laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat import InputError
from karat.inference import more_than_one
from karat.inference.unimodality import _combined
from karat.nulls.dips import dip_p_value

ONE = {
    "uniform": lambda rng: rng.uniform(size=(60, 1)),
    "normal": lambda rng: rng.normal(size=(60, 3)),
    "heavy tails": lambda rng: rng.standard_t(2, size=(60, 2)),
    "skewed": lambda rng: rng.exponential(size=(60, 2)),
    "grid": lambda rng: rng.integers(1, 6, size=(60, 4)),
}


@pytest.mark.parametrize("kind", ONE)
def test_level_on_one_cluster(kind: str) -> None:
    rng = np.random.default_rng(4)
    rejected = sum(
        more_than_one(ONE[kind](rng), n_splits=5, random_state=s).p_value <= 0.05 for s in range(40)
    )
    assert stats.binomtest(rejected, 40, 0.05, alternative="greater").pvalue > 0.01


def two(apart: float, n: int = 200, d: int = 3, seed: int = 0) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[: n // 2, 0] += apart
    return X


def test_two_clusters_are_told() -> None:
    assert more_than_one(two(5)).p_value < 0.01


def test_it_does_not_depend_on_units_or_on_where_zero_is() -> None:
    X = two(4)
    assert more_than_one(X * [1e-6, 1, 1e6] + 7).p_value == pytest.approx(
        more_than_one(X).p_value, abs=0.02
    )


@pytest.mark.parametrize("X", [np.ones((50, 2)), np.arange(6.0)[:, None]])
def test_too_few_different_objects_say_nothing(X: np.ndarray) -> None:
    assert more_than_one(X).p_value == 1.0


def test_no_split_is_an_error() -> None:
    with pytest.raises(InputError, match="n_splits"):
        more_than_one(two(5), n_splits=0)


def test_combination_of_equal_p_values_is_their_value() -> None:
    assert _combined(np.full(5, 0.03)) == pytest.approx(0.03)
    # the mean of cot(π p) is cot(π P)
    expected = np.arctan2(1, np.mean(1 / np.tan(np.pi * np.array([0.01, 0.2, 0.6])))) / np.pi
    assert _combined(np.array([0.01, 0.2, 0.6])) == pytest.approx(expected)


def test_p_values_of_uniform_samples_are_uniform() -> None:
    rng = np.random.default_rng(1)
    p = [dip_p_value(rng.random(40)) for _ in range(400)]
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert dip_p_value(np.r_[rng.random(40), 5 + rng.random(40)]) == 1 / 2000
