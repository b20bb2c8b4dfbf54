"""Parts of thinned data are independent, and have the shares that were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sortal import InputError
from sortal.inference import thin

COUNTS = {
    "poisson": (lambda rng, n: rng.poisson(6.0, n), None),
    "negative binomial": (lambda rng, n: rng.negative_binomial(3, 3 / 9, n), 3.0),
    "binomial": (lambda rng, n: rng.binomial(10, 0.4, n), 10),
}


@pytest.mark.parametrize("family", COUNTS)
def test_parts_of_counts_are_independent(family: str) -> None:
    draw, scale = COUNTS[family]
    X = draw(np.random.default_rng(0), 40_000)[:, None]
    first, second = thin(X, family, share=0.3, scale=scale, random_state=1)
    assert np.array_equal(first + second, X)
    assert first.mean() == pytest.approx(0.3 * X.mean(), rel=0.02)
    low, high = np.minimum(first, 4).ravel(), np.minimum(second, 6).ravel()
    table = stats.contingency.crosstab(low, high).count
    assert stats.chi2_contingency(table).pvalue > 0.01


def test_first_part_of_a_negative_binomial_is_one() -> None:
    X = np.random.default_rng(0).negative_binomial(3, 3 / 9, 40_000)[:, None]
    first, _ = thin(X, "negative binomial", share=0.5, scale=3.0)
    mean = 3.0  # of size 1.5: variance μ + μ²/1.5
    assert first.mean() == pytest.approx(mean, rel=0.02)
    assert first.var() == pytest.approx(mean + mean**2 / 1.5, rel=0.05)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_parts_of_gaussians_are_uncorrelated_where_the_covariance_is_right(share: float) -> None:
    S = np.array([[2.0, 0.8], [0.8, 1.0]])
    X = np.random.default_rng(0).multivariate_normal([5, -1], S, 40_000)
    first, second = thin(X, share=share, scale=S, random_state=1)
    assert np.allclose(first + second, X)
    C = np.cov(np.hstack([first, second]), rowvar=False)
    assert np.abs(C[:2, 2:]).max() < 0.02
    assert np.allclose(C[:2, :2], share * S, atol=0.05)
    assert np.allclose(C[2:, 2:], (1 - share) * S, atol=0.05)


def test_a_variance_that_is_too_large_makes_parts_negatively_correlated() -> None:
    X = np.random.default_rng(0).normal(size=(40_000, 1))
    first, second = thin(X, scale=4.0)
    # share (1 − share) (σ² − scale)
    assert np.cov(first.ravel(), second.ravel())[0, 1] == pytest.approx(-0.75, abs=0.03)


def test_without_a_scale_the_sample_covariance_is_used() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 10, 0]
    first, second = thin(X)
    explicit = thin(X, scale=np.cov(X, rowvar=False))
    assert np.array_equal(first, explicit[0])
    assert np.allclose(second[:, 2], 0)


@pytest.mark.parametrize(
    ("family", "X", "scale", "share", "why"),
    [
        ("poisson", [[1.5]], None, 0.5, "X[0, 0] is 1.5"),
        ("poisson", [[-1]], None, 0.5, "counts"),
        ("poisson", [[1]], 2.0, 0.5, "no scale"),
        ("negative binomial", [[1]], None, 0.5, "size"),
        ("binomial", [[1]], 5, 0.5, "must be whole"),
        ("binomial", [[9]], 4, 0.5, "exceeds"),
        ("gaussian", [[1.0]], None, 0.5, "covariance"),
        ("gaussian", [[1.0, 2.0]], [[1, 2], [2, 1]], 0.5, "negative eigenvalue"),
        ("gaussian", [[1.0, 2.0]], [1, 2, 3], 0.5, "variance"),
        ("gaussian", [[1.0]], 1.0, 1.0, "share"),
        ("cauchy", [[1.0]], 1.0, 0.5, "family"),
    ],
)
def test_what_cannot_be_thinned(family, X, scale, share, why) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as error:
        thin(X, family, scale=scale, share=share)
    assert why in str(error.value)


def test_data_drawn_from_the_same_seed_are_thinned_all_the_same() -> None:
    X = np.random.default_rng(0).normal(size=(2_000, 1))
    first, second = thin(X, scale=1.0, random_state=0)
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.08
    assert second.std() > 0.5
