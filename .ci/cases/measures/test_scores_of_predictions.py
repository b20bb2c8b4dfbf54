"""Scores of predictions: the published example, the definition, and what cannot change them."""

from __future__ import annotations

import numpy as np
import pytest

from sortal.measures.clarity import recognition_of_predictions
from sortal.measures.clarity.scores import standard_error


def test_standard_error_is_that_of_repeated_draws() -> None:
    # the classifier is right on 80 %, so only the draw of objects moves the value
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], [150, 50]).astype(np.int32)
    values, errors = [], []
    for _ in range(400):
        right = rng.random(200) < 0.8
        predicted = np.where(right, labels, 1 - labels).astype(np.int32)
        seen = recognition_of_predictions(labels, predicted)
        values.append(seen.informativeness())
        errors.append(standard_error(labels, predicted, seen, None))
    assert np.mean(errors) / np.std(values) == pytest.approx(1.0, abs=0.1)
