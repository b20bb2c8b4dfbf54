"""Mixture for columns of different kinds: recovers its own model, and is its own likelihood."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from sortal.clusterers import MixedMixture
from sortal.clusterers.mixed_mixture import PRIOR_OBJECTS, columns_by_kind


def classes(n=400, seed=0):
    """Objects of three latent classes: one normal column, one flag, one category of three."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    number = np.array([0, 0, 6])[y] + rng.normal(size=n)
    flag = rng.random(n) < np.array([0.05, 0.95, 0.5])[y]
    category = np.where(rng.random(n) < 0.8, y, rng.integers(3, size=n))
    return np.column_stack([number, flag, np.eye(3)[category]]), y


def test_kinds_of_columns_are_recognised():
    X, _ = classes()
    numbers, categories = columns_by_kind(X * [10, 0.5, 2, 2, 2])
    assert numbers.shape[1] == 1
    assert [indicators.shape[1] for indicators in categories] == [2, 3]
    np.testing.assert_array_equal(categories[1], X[:, 2:])


def test_likelihood_is_that_of_the_definition():
    X, _ = classes(60)
    model = MixedMixture(2, max_iter=1, random_state=0).fit(X)
    other = MixedMixture(2, max_iter=2, random_state=0).fit(X)
    numbers, categories = columns_by_kind(X)
    weight = model.memberships_.sum(axis=0) + PRIOR_OBJECTS
    terms = np.tile(np.log(weight / weight.sum()), (60, 1))
    for c, share in enumerate(model.memberships_.T):
        mean = share @ numbers[:, 0] / weight[c]
        variance = (share @ numbers[:, 0] ** 2 + PRIOR_OBJECTS) / weight[c] - mean**2
        terms[:, c] += norm.logpdf(numbers[:, 0], mean, np.sqrt(variance))
        for indicators in categories:
            p = (share @ indicators + PRIOR_OBJECTS * indicators.mean(axis=0)) / weight[c]
            terms[:, c] += np.log((indicators * p).sum(axis=1))
    assert logsumexp(terms, axis=1).sum() == pytest.approx(other.log_likelihood_)
    assert other.log_likelihood_ >= model.log_likelihood_
