"""A scale of 0 is rejected, and copies are counted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sortal import InputError
from sortal.inference import check_premises, differences


@pytest.mark.parametrize("family", ["negative binomial", "binomial"])
@pytest.mark.parametrize("scale", [0, -1.0, [1.0, 0.0]])
def test_a_scale_that_is_not_positive_is_rejected(family, scale):
    X = np.random.default_rng(0).poisson(3.0, size=(40, 2))
    with pytest.raises(InputError, match="positive number"):
        differences(X, KMeans(2, n_init=1), family=family, scale=scale)


@pytest.mark.parametrize("unit", [0.001, 1.0, 1000.0])
def test_rounding_makes_copies_in_any_unit(unit):
    rng = np.random.default_rng(0)
    check_premises((rng.normal(size=(150, 2)).round(1)) * unit, "gaussian", None, ["a", "b"])
    few = np.repeat(rng.normal(size=(75, 2)).round(3), 2, axis=0) * unit
    with pytest.raises(InputError, match="75 of 150 rows are copies"):
        check_premises(few, "gaussian", None, ["a", "b"])
