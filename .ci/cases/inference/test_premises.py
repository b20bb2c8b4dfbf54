"""Mixtures, families and shapes inside of the tests of premises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from sortal.inference.premises import _Members, _mixture_of, _shape, _transformed

N = 120


HALVES = np.arange(N)[:, None] < N // 2


def test_a_mixture_of_unit_variance_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) + 6 * (np.arange(400)[:, None] % 2)
    _, means, shares = _Members("normal", np.ones(2)).best_fit(X, rng)
    mixture = GaussianMixture(2, covariance_type="spherical", random_state=0).fit(X)
    assert np.allclose(sorted(means.tolist()), sorted(mixture.means_.tolist()), atol=0.05)
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("family", ["poisson", "negative binomial", "binomial", "normal"])
def test_natural_parameters_give_the_mean_and_variance(family):
    members = _Members(family, np.array([7.0]))
    mean, step = np.array([2.5]), 1e-4
    theta, partition = zip(*(members.natural(mean + s * step) for s in (-1, 0, 1)), strict=True)
    slope = (partition[2] - partition[0]) / (theta[2] - theta[0])
    assert slope == pytest.approx(mean, rel=1e-6)
    assert 2 * step / (theta[2] - theta[0]) == pytest.approx(members.variance(mean), rel=1e-6)


def test_a_normal_feature_needs_no_transformation():
    x = np.random.default_rng(0).normal(3, 2, size=500)
    scores, likelihood = _transformed(x)
    normal = -len(x) * (np.log(x.std()) + np.log(2 * np.pi) / 2 + 0.5)
    assert normal <= likelihood < normal + 8
    assert np.corrcoef(scores, x)[0, 1] > 0.99


def test_the_criterion_of_a_known_covariance_is_that_of_its_mixture():
    rng = np.random.default_rng(1)
    within = np.array([[1.0, 0.4], [0.4, 0.5]])
    Z = rng.multivariate_normal([0, 0], within, N) + 6 * HALVES
    mixture = _mixture_of(within, Z, rng)
    densities = [multivariate_normal(mean, within).pdf(Z) for mean in mixture.means]
    likelihood = np.log(mixture.shares.mean(axis=0) @ densities).sum()
    k, d = mixture.means.shape
    assert k == 2
    assert mixture.criterion == pytest.approx(k * (d + 1) * np.log(N) - 2 * likelihood, rel=1e-3)


def test_lengths_of_normal_deviations_are_rarely_refuted():
    rng = np.random.default_rng(2)
    whys = [_shape(rng.normal(size=(40, 4)), list("abcd"), joint=True) for _ in range(150)]
    assert sum(why is not None for why in whys) <= 5  # 1.5 are expected
