"""Mixture for columns of different kinds: recovers its own model, and is its own likelihood."""

import numpy as np

from sortal.clusterers import MixedMixture
from sortal.measures import adjusted_rand_index


def classes(n=400, seed=0):
    """Objects of three latent classes: one normal column, one flag, one category of three."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    number = np.array([0, 0, 6])[y] + rng.normal(size=n)
    flag = rng.random(n) < np.array([0.05, 0.95, 0.5])[y]
    category = np.where(rng.random(n) < 0.8, y, rng.integers(3, size=n))
    return np.column_stack([number, flag, np.eye(3)[category]]), y


def test_latent_classes_are_found_in_any_units():
    X, y = classes()
    labels = MixedMixture(3, n_init=3, random_state=0).fit(X).labels_
    assert adjusted_rand_index(y, labels) > 0.75
    rescaled = MixedMixture(3, n_init=3, random_state=0).fit(X * [1000, 0.1, 5, 5, 5] + 3).labels_
    assert adjusted_rand_index(labels, rescaled) > 0.99


def test_memberships_go_with_labels():
    X, _ = classes()
    model = MixedMixture(3, random_state=0).fit(X)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1)
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)


def test_constant_and_repeated_rows():
    X = np.column_stack([np.repeat([0.0, 5.0], 10), np.ones(20), np.tile([0, 1], 10)])
    assert np.isfinite(MixedMixture(2, random_state=0).fit(X).log_likelihood_)
