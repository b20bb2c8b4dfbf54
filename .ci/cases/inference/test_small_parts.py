"""Copies by chance, and the number of components."""

from __future__ import annotations

import numpy as np

from sortal.inference.premises import _copies, _Members


def test_three_times_the_expected_copies_are_allowed():
    """Three pairs expected: seven or more have a chance of 3 %, nine or more of 0.4 %."""
    distinct = np.arange(200.0)

    def with_pairs(count):
        return np.concatenate([distinct, distinct[:count]])[:, None]

    assert _copies(with_pairs(7), 1.0) is None
    assert "9 of 209 rows are copies" in _copies(with_pairs(9), 1.0)


def test_a_second_number_of_components_may_gain_where_the_next_does_not():
    likelihoods = {1: -100.0, 2: -99.0, 3: -80.0}

    class Known(_Members):
        def fit(self, X, k, rng):
            return likelihoods.get(k, -80.0), k, k

    found = Known("poisson", np.ones(1)).best_fit(np.zeros((40, 1)), np.random.default_rng(0))
    assert found[1] == 3
