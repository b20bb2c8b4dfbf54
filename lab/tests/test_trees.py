"""Trees exported from scikit-learn predict what scikit-learn predicts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from karat.judge.judgements import Forest
from karat_lab.trees import Bins, export, fit


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
    bins = Bins.of(F)
    options = {"n_trees": 20, "leaves": 80, "least": 3, "random_state": 1}
    model = fit(bins(F[:600]), y[:600], w[:600], **options)
    return F, y, w, bins, model, options


def leaves(forest: Forest, F: np.ndarray) -> np.ndarray:
    """Where each row ends in each tree, by walking."""
    out = np.empty((len(F), len(forest.roots)), dtype=int)
    for i, row in enumerate(F):
        for t, node in enumerate(forest.roots):
            while forest.feature[node] >= 0:
                right = row[forest.feature[node]] > forest.threshold[node]
                node = forest.left[node] + int(right)
            out[i, t] = node
    return out


def test_every_row_ends_in_the_same_leaf(made):
    F, *_, bins, model, _ = made
    forest = export(model, bins)
    theirs = model.apply(bins(F))
    ours = leaves(forest, F)
    for t in range(ours.shape[1]):
        pairs = set(zip(ours[:, t], theirs[:, t], strict=True))
        assert len(pairs) == len(set(ours[:, t])) == len(set(theirs[:, t]))


def test_predictions_are_those_of_scikit_learn_to_half_precision(made):
    F, y, *_, bins, model, _ = made
    forest = export(model, bins)
    np.testing.assert_allclose(forest.predict(F), model.predict(bins(F)), atol=1e-3)
    # in bins nothing is lost: as good as on the values
    plain = ExtraTreesRegressor(
        20, max_leaf_nodes=80, min_samples_leaf=3, max_features=0.3, random_state=0
    ).fit(np.minimum(F[:600], 1e30), y[:600])
    error, other = (
        ((found[600:] - y[600:]) ** 2).mean()
        for found in (forest.predict(F), plain.predict(np.minimum(F, 1e30)))
    )
    assert error < 1.25 * other < y.var()


def test_a_value_is_the_weighted_mean_of_three_rows_or_more(made):
    F, y, w, bins, _, options = made
    one = export(fit(bins(F[:600]), y[:600], w[:600], **options | {"n_trees": 1}), bins)
    assert (one.feature < 0).sum() == 80
    at = leaves(one, F[:600])[:, 0]
    for leaf in np.unique(at):
        here = at == leaf
        assert here.sum() >= 3
        mean = np.average(y[:600][here], weights=w[:600][here])
        np.testing.assert_allclose(one.value[leaf], mean, atol=2e-3)


def test_the_number_of_threads_changes_nothing(made):
    F, y, w, bins, _, options = made
    one, two = (
        export(fit(bins(F[:600]), y[:600], w[:600], n_jobs=n, **options), bins) for n in (1, 2)
    )
    for name, array in one.arrays("").items():
        np.testing.assert_array_equal(array, two.arrays("")[name])
