"""The smallest distance of several tiles, the number of its pairs, and squares of limits."""

from __future__ import annotations

import numpy as np

import sortal


def test_clusterings_without_a_link_are_not_further_apart_than_one():
    # without a limit, rounding gives 1 + 2.2e-16
    true, pred = np.repeat([0, 1, 2], 3), np.tile([0, 1, 1], 3)
    assert sortal.normalized_variation_of_information(true, pred) == 1.0
