"""What the laws give to measures and clusterers, and what they say of broken ones."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace as Some
from typing import Any

import numpy as np

import sortal
from sortal import measures, testing
from values import fails, table_test


def given(key: str, **options: Any) -> list[Any]:
    """Everything that a measure gets while its laws are checked."""
    calls: list[Any] = []
    record = measures.catalogue[key]

    def noted(first: Any, labels: Any, **more: Any) -> Any:
        dense = first.toarray() if hasattr(first, "toarray") else np.asarray(first)
        numbers = dense.round(3).sum(axis=0) if dense.dtype.kind == "f" else dense
        calls.append(
            [
                numbers,
                list(map(str, np.asarray(labels).tolist())),
                getattr(first, "flags", Some(writeable=None)).writeable,
            ]
        )
        return record.function(first, labels, **more)

    testing.check_measure(replace(record, function=noted), **options)
    return calls


def broken(key: str, function: Any) -> str:
    """What the laws say of a measure with another function, without further digits."""
    changed = replace(measures.catalogue[key], function=function, compute=None)
    return re.sub(r"(\.\d{6})\d+", r"\1", fails(testing.check_measure, changed))


# fmt: off
CASES = {
    "given": [
        lambda: given("silhouette", random_state=3, order_matters=True),
    ],
    "broken": [
        lambda: broken("silhouette", lambda X, y: 3.0),
        lambda: broken("adjusted_rand_index", lambda t, y: 0.0),
    ],
    "silhouette": [
        lambda: broken("silhouette", lambda X, y: -sortal.silhouette(X, y)),
        lambda: broken("silhouette", lambda X, y: 5 * sortal.silhouette(X, y)),
        lambda: broken("silhouette", lambda X, y: sortal.silhouette(X, y) + 1e-6 *
            (str(np.asarray(y)[0]) > "9")),
        lambda: broken("silhouette", lambda X, y: sortal.silhouette(X, y) - .01 * (X[0, 0] > 1)),
        lambda: broken("silhouette", lambda X, y: sortal.silhouette(X, y) - .01 * isinstance(y,
            list)),
    ],
    "adjusted_rand_index": [
        lambda: broken("adjusted_rand_index", lambda t, y: sortal.adjusted_rand_index(t, y) - .01 *
            isinstance(y, list)),
        lambda: broken("adjusted_rand_index", lambda t, y: sortal.adjusted_rand_index(t, y) ** 2),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES)
