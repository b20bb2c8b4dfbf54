"""Pinned parts of tests of differences: thinning, mixtures and premises."""

from __future__ import annotations

from typing import Any

import numpy as np
from pinning import Pins
from scipy import sparse


def names() -> dict[str, Any]:
    """Two and three groups, counts, and clusterers that only read them."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    three = rng.normal(size=(90, 2)) + 9.0 * np.eye(3)[y][:, :2]
    one = rng.normal(size=(90, 3))
    counts = rng.poisson(4.0 + 20.0 * (y == 1)[:, None], size=(90, 2)).astype(float)
    trials = rng.binomial(10, 0.3, size=(90, 2)).astype(float)

    wild = np.round(np.exp(rng.normal(3, 1.2, size=(60, 2))))
    near = np.arange(8.0)[:, None] * [1.0, 0.5] + rng.normal(size=(8, 2)) / 9

    def by_first(X: Any) -> Any:
        """Clusters by the first column."""
        return (np.asarray(X)[:, 0] > 4).astype(int)

    def told(found: Any) -> Any:
        """Everything that is told of differences."""
        tables = found.pairs.round(9).to_dict("list"), found.features.round(9).to_dict("list")
        return tables, found.p_value, found.premises, len(str(found))

    class Estimator:
        """One that has fit_predict."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {}

        def fit_predict(self, X: Any) -> Any:
            return by_first(X)

    return locals() | {"sparse": sparse}


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
