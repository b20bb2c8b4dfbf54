"""What an answer says of the part that made its guarantee."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

import sortal
from sortal.bounds.wording import METHODS

CLUSTERERS = ["kmeans", "ward", "average", "genie", "gaussian-mixture", "hdbscan"]


def swept(X, **options):
    study = sortal.Study(X, **options)
    study.sweep(CLUSTERERS, k=range(2, 6), n_init=1, workers=1)
    return study


def test_the_part_that_made_the_guarantee_is_named():
    X, y = load_iris(return_X_y=True)
    few = np.full(len(y), None, dtype=object)
    few[::6] = y[::6]
    best = swept(X, y=few).best(stability=False)
    assert best.guarantee.reason in best.reasons
    assert METHODS[best.guarantee.method] in best.guarantee.reason
