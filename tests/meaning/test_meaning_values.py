"""Values of the meaning of clusters: rules, names, effects, places, carriers, and words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from sortal import meaning
from values import table_test


def fixtures() -> dict[str, Any]:
    """Customers of three groups with categories, dates and gaps; documents and distances."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    age = 20.0 + 20 * y + rng.integers(0, 9, 120)
    frame = pd.DataFrame({
        "age": age, "high_income": 1000.0 * rng.integers(10, 90, 120) + 50_000 * (y == 1),
        "plan": np.array(["monthly", "yearly", "single"])[(y + (rng.random(120) < 0.2)) % 3],
        "member": y == 0, "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(30 * y + 5, "D"),
    })  # fmt: skip
    X = np.column_stack([age, frame["high_income"] / 1000, y == 0, rng.normal(size=120)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    D = abs(np.subtract.outer(age, age)) + 0.001 * abs(np.subtract.outer(X[:, 3], X[:, 3]))
    graph = sparse.csr_array(np.where((D < 3) & (D > 0), 1.0, 0.0))

    def told(*arguments: Any, **options: Any) -> Any:
        """Everything that is told of clusters."""
        found = meaning.describe_clusters(*arguments, **options)
        return [(str(one), one.to_dict(), [vars(t) for t in one.telling]) for one in found]

    return {"told": told, "X": X, "y": y, "D": D, "graph": graph}


# fmt: off
CASES = {
    "told": [
        lambda told, X, y: told(X, y, kind="objects"),
        lambda told, D, y: told(D, y, metric="precomputed"),
        lambda told, graph, y: told(graph, y, metric="graph"),
        lambda told, X, y: told(X[:, 3:], y),
        lambda told, X, y: told(X, y * 0),
    ],
    "describe_clusters": [
        lambda X, y: meaning.describe_clusters(X, y[:5]),
        lambda X: meaning.describe_clusters(X, np.full(120, -1)),
        lambda X, y: meaning.describe_clusters(X, y, names=["p"]),
        lambda X, y: meaning.describe_clusters(X, y, kind="what"),
        lambda X, y: meaning.describe_clusters(X, y, feature_names=["p"]),
        lambda X, y: meaning.describe_clusters(X, y, original=X[:5]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
