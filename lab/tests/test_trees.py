"""Trees exported from scikit-learn predict what scikit-learn predicts."""

from __future__ import annotations

import numpy as np
import pytest

from sortal_lab.trees import Boosting, export, fit

BOOSTING = Boosting(bags=2, trees=20, leaves=8, least=5)


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(900, 6)).astype(np.float32)
    F[:, 3] = F[:, 3].round(1)  # ties
    F[:, 4] = 1.0  # one bin
    F[:, 5] = np.exp(9 * F[:, 5])  # heavy tail
    F[::50, 5] = np.inf
    y = np.sin(F[:, 0]) + F[:, 1] * F[:, 3]
    w = rng.uniform(0.5, 2, 900)
    parts = [(F[:500], y[:500], w[:500]), (F[100:600], y[100:600], w[100:600])]
    return F, y, parts, fit(parts, BOOSTING, random_state=1)


def test_predictions_are_those_of_scikit_learn_to_half_precision(made):
    F, y, _, models = made
    forest = export(models)
    expected = np.mean([model.predict(F) for model in models], axis=0)
    np.testing.assert_allclose(forest.predict(F), expected, atol=5e-3)
    assert ((forest.predict(F[600:]) - y[600:]) ** 2).mean() < 0.7 * y.var()


def test_values_at_thresholds_go_where_scikit_learn_sends_them(made):
    _, _, _, models = made
    forest = export(models)
    at = np.repeat(np.zeros((1, 6), dtype=np.float32), 200, axis=0)
    at[:, 3] = np.linspace(-2, 2, 200).round(1)  # values that thresholds lie between
    expected = np.mean([model.predict(at) for model in models], axis=0)
    np.testing.assert_allclose(forest.predict(at), expected, atol=5e-3)


def test_contributions_sum_to_the_prediction(made):
    F, _, _, models = made
    forest = export(models)
    prediction, parts, average = forest.paths(F[:50])
    np.testing.assert_allclose(average + parts.sum(axis=1), prediction, atol=1e-4)
    np.testing.assert_allclose(prediction, forest.predict(F[:50]), atol=1e-6)
    assert (parts[:, 4] == 0).all()


def test_the_number_of_threads_changes_nothing(made):
    _, _, parts, models = made
    one = export(models).arrays("")
    two = export(fit(parts, BOOSTING, random_state=1, n_jobs=2)).arrays("")
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name])
