"""A scale of 0 is rejected, and draws as far as the statistic count as beyond it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from karat.inference import differences
from karat.inference.conditional import _of_draws
from karat.runtime.validation import InputError


@pytest.mark.parametrize("family", ["negative binomial", "binomial"])
@pytest.mark.parametrize("scale", [0, -1.0, [1.0, 0.0]])
def test_a_scale_that_is_not_positive_is_rejected(family, scale):
    X = np.random.default_rng(0).poisson(3.0, size=(40, 2))
    with pytest.raises(InputError, match="positive number"):
        differences(X, KMeans(2, n_init=1), family=family, scale=scale)


def test_the_weighted_share_of_the_draws_beyond():
    logs = np.log([0.5, 0.25, 0.25])
    found = _of_draws(1.0, np.array([True, False, True]), logs)
    assert found.p_value == pytest.approx(0.75)
