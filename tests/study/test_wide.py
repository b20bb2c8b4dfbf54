"""Tables of very many columns."""

import numpy as np
import pytest

import sortal


@pytest.mark.parametrize(("n_features", "mixtures"), [(999, True), (1000, False)])
def test_covariances_of_a_thousand_features_are_not_fitted_by_default(n_features, mixtures):
    X = np.random.default_rng(0).normal(size=(30, n_features))
    study = sortal.Study(X, column_weights="equal")
    names = study.state.fits.default_clusterers
    assert ("gaussian-mixture" in names) is mixtures
    assert {"kmeans", "ward", "genie"} <= set(names)
