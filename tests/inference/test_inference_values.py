"""Values of tests of differences: thinning, mixtures and premises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sortal import inference
from values import table_test


def fixtures() -> dict[str, Any]:
    """Two and three groups, counts, and clusterers that only read them."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    three = rng.normal(size=(90, 2)) + 9.0 * np.eye(3)[y][:, :2]
    one = rng.normal(size=(90, 3))
    counts = rng.poisson(4.0 + 20.0 * (y == 1)[:, None], size=(90, 2)).astype(float)
    trials = rng.binomial(10, 0.3, size=(90, 2)).astype(float)

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

    return {
        "told": told, "three": three, "by_first": by_first, "Estimator": Estimator, "y": y,
        "counts": counts, "trials": trials, "one": one,
    }  # fmt: skip


# fmt: off
CASES = {
    "differences": [
        lambda told, three, by_first: told(inference.differences(three, by_first, scale=1.0)),
        lambda told, three, Estimator: told(inference.differences(three, Estimator(), scale=[1.0,
            2.0], share=.3, feature_names=["p", "q"])),
        lambda told, three, y: told(inference.differences(three, lambda X: np.where(np.arange(90) %
            9 == 0, -1, y), scale=[[1.0, .1], [.1, 1]])),
        lambda told, three, y: told(inference.differences(pd.DataFrame(three, columns=["u", "v"]),
            lambda X: y, scale="mixture")),
        lambda told, counts: told(inference.differences(counts, lambda X: (X[:, 0] >
            5).astype(int), family="poisson")),
        lambda told, trials, y: told(inference.differences(trials, lambda X: y, family="binomial",
            scale=10)),
        lambda told, counts, y: told(inference.differences(counts, lambda X: y,
            family="negative binomial", scale=50)),
        lambda told, one, y: told(inference.differences(one, lambda X: y * 0)),
        lambda told, one: told(inference.differences(one, lambda X: np.minimum(np.arange(90), 2))),
        lambda told, one, y: told(inference.differences(one, lambda X: np.array(list("abc"))[y])),
        lambda one, y: inference.differences(np.exp(3 * one), lambda X: y,
            feature_names=list("pqr")),
        lambda counts, y: inference.differences(counts * 9, lambda X: y, family="poisson"),
        lambda counts, y: inference.differences(counts * 9, lambda X: y,
            family="negative binomial", scale=1000),
        lambda counts, y: inference.differences(counts[:, :1] * 0 + np.where(y == 0, 10, 0)[:,
            None], lambda X: y, family="binomial", scale=10),
    ],
    "premises_of": [
        lambda: [inference.premises_of(f, s) for f, s in (("gaussian", None), ("gaussian",
            "mixture"), ("gaussian", 1.0), ("poisson", None), ("binomial", 9))],
        lambda: [inference.premises_of(f, s) for f, s in (("poisson", "mixture"), ("gaussian", [1,
            2]), ("negative binomial", 3))],
    ],
    "thin": [
        lambda three: inference.thin(three, "what"),
        lambda three: inference.thin(three, share=0),
        lambda three: inference.thin(three, share=1),
        lambda three: inference.thin(three, "poisson"),
        lambda counts: inference.thin(counts, "poisson", scale=1),
        lambda counts: inference.thin(counts, "negative binomial"),
        lambda counts: inference.thin(counts, "negative binomial", scale=[1, 2, 3]),
        lambda trials: inference.thin(trials, "binomial", scale=9),
        lambda trials: inference.thin(trials, "binomial", scale=4, share=.5),
        lambda trials: inference.thin(trials + .5, "binomial", scale=10),
        lambda trials: inference.thin(-trials - 1, "poisson"),
        lambda three: inference.thin(three, scale=-1),
        lambda three: inference.thin(three, scale=[1, 2, 3]),
        lambda three: inference.thin(three, scale=[[1, 2], [3, 1]]),
        lambda three: inference.thin(three, scale=[[1, 2], [2, 1]]),
        lambda three: inference.thin(three[:1]),
        lambda three: inference.thin(three, scale="what"),
        lambda three: [p.sum() for p in inference.thin(three, scale=0.0)],
    ],
    "mixture_covariance": [
        lambda three: inference.mixture_covariance(three),
        lambda three: inference.mixture_covariance(np.column_stack([three, np.ones(90)])),
        lambda one: inference.mixture_covariance(one),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
