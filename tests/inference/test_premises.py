"""Premises of thinning: data that refute a family are rejected, data of the family are not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

from sortal import InputError
from sortal.inference import check_premises, differences, premises_of

N = 120
HALVES = np.arange(N)[:, None] < N // 2
REFUTED = {
    "log-normal": (lambda r: np.exp(r.normal(size=(N, 3))), "gaussian", None, "not normal"),
    "log-normal mixture": (
        lambda r: np.exp(r.normal(size=(N, 3))), "gaussian", "mixture", "not normal|one group"
    ),
    "copied rows": (
        lambda r: np.repeat(r.normal(size=(N // 5, 3)), 5, axis=0), "gaussian", None, "copies"
    ),
    "copied counts": (
        lambda r: np.repeat(r.poisson(9, size=(N // 5, 4)), 5, axis=0), "poisson", None, "copies"
    ),
    "negative binomial": (
        lambda r: r.negative_binomial(2, 2 / 7, (N, 10)), "poisson", None, "times as much"
    ),
    "larger negative binomial": (
        lambda r: r.negative_binomial(2, 2 / 7, (N, 10)), "negative binomial", 9.0, "smaller size"
    ),
    "known but not normal": (lambda r: r.exponential(size=(N, 2)), "gaussian", 1.0, "normal|group"),
}  # fmt: skip
HOLDS = {
    "normal": (lambda r: r.normal(size=(N, 4)), "gaussian", None),
    "normal, rounded": (lambda r: r.normal(size=(N, 3)).round(1), "gaussian", None),
    "normal groups": (lambda r: r.normal(size=(N, 3)) + 5 * HALVES, "gaussian", "mixture"),
    "near groups": (lambda r: r.normal(size=(N, 2)) + 2.5 * HALVES, "gaussian", 1.0),
    "Poisson": (lambda r: r.poisson(3, size=(N, 5)), "poisson", None),
    "rare": (lambda r: r.poisson(0.2, size=(N, 5)), "poisson", None),
    "Poisson groups": (
        lambda r: r.poisson(np.where(HALVES, [4, 30, 9], [25, 8, 9])), "poisson", None
    ),
    "negative binomial": (
        lambda r: r.negative_binomial(2, 2 / 7, (N, 10)), "negative binomial", 2.0
    ),
    "binomial": (lambda r: r.binomial(10, 0.3, (N, 6)), "binomial", 10),
    "constant column": (
        lambda r: np.column_stack([r.normal(size=(N, 2)), np.ones(N)]), "gaussian", None
    ),
}  # fmt: skip


def check(draw, family, scale, seed):
    X = np.asarray(draw(np.random.default_rng(seed)), dtype=float)
    check_premises(X, family, scale, [f"x{j}" for j in range(X.shape[1])])


@pytest.mark.parametrize("kind", REFUTED)
def test_data_that_refute_the_family_are_rejected_with_the_reason(kind):
    draw, family, scale, why = REFUTED[kind]
    for seed in range(3):
        with pytest.raises(InputError, match=why):
            check(draw, family, scale, seed)


@pytest.mark.parametrize("kind", HOLDS)
def test_data_of_the_family_are_not(kind):
    draw, family, scale = HOLDS[kind]
    refused = 0
    for seed in range(5):
        try:
            check(draw, family, scale, seed)
        except InputError:
            refused += 1
    assert refused <= 1


def test_differences_test_their_premises_first():
    X = np.exp(np.random.default_rng(0).normal(size=(N, 3)))
    with pytest.raises(InputError, match=r"values of 'height' are not normal|values of"):
        differences(X, AgglomerativeClustering(3), feature_names=["height", "width", "depth"])


def test_few_objects_with_many_features_are_judged_by_each_feature():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="not normal"):
        check_premises(rng.exponential(size=(24, 30)), "gaussian", None, [*map(str, range(30))])
    check_premises(rng.normal(size=(24, 30)), "gaussian", None, [*map(str, range(30))])


def test_copies_are_counted():
    X = np.random.default_rng(0).normal(size=(100, 3))
    X[90:] = X[:10]
    with pytest.raises(InputError, match=r"10 of 100 rows are copies of others"):
        check_premises(X, "gaussian", None, ["a", "b", "c"])


@pytest.mark.parametrize(("scale", "said"), [(None, True), (1.0, False), ("clusters", False)])
def test_a_covariance_of_all_objects_is_said_to_be_too_large(scale, said):
    assert any("is that of all objects" in one for one in premises_of("gaussian", scale)) == said
    assert not any("is that of all objects" in one for one in premises_of("poisson", scale))
