"""Values of reading data: small files of every fault and form, and what is said about them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse

from sortal import datasets
from values import fails, table_test

# fmt: off
CASES = {
    "from_table": [
        lambda: datasets.from_table(5),
        lambda: datasets.from_table({"a": [1, 2], "b": [1]}),
    ],
    "from_array": [
        lambda: datasets.from_array(sparse.csr_array(np.eye(4)), scale="robust"),
        lambda: datasets.from_array([[1, np.nan], [2, 3]]),
        lambda: datasets.from_array([[1], [2]], ids=["a", "a"]),
        lambda: datasets.from_array([[1], [2]], y=[1]),
        lambda: [fails(datasets.from_array, np.where(np.arange(k) == np.arange(8)[:, None] % k,
            np.nan, 2.0 + np.arange(8)[:, None])) for k in (4, 5, 6)],
    ],
    "from_distances": [
        lambda: datasets.from_distances([[0, 1], [2, 0]]),
    ],
    "with_relation": [
        lambda: datasets.with_relation(datasets.from_array([[1], [2]]), [[0]], "precomputed"),
        lambda: datasets.with_relation(datasets.from_array([[1], [2]], ids=["a", "b"]),
            pd.DataFrame([[0, 1], [1, 0]], index=["b", "a"]), "precomputed"),
        lambda: datasets.with_relation(datasets.from_array([[1], [2]]), [[0, 1, 2], [1, 0, 3], [2,
            3, 0]], "precomputed"),
        lambda: datasets.with_relation(datasets.from_array([[1], [2]]), [[0, 1, 2], [1, 0, 3], [2,
            3, 0]], "graph"),
    ],
    "compares_objects": [
        lambda: [datasets.compares_objects(X, m) for X, m in (([[1]], "edit"), (["a"], len),
            ([[1.0]], len), ([[1]], "euclidean"), ([[1], [1, 2]], len))],
        lambda: [datasets.compares_objects(X, m) for X, m in ((sparse.eye(2), len),
            (pd.DataFrame([[1]]), len), ([["a"]], len), ("ab", "edit"))],
    ],
    "as_dataset": [
        lambda: datasets.as_dataset(datasets.from_distances([1.0]), "euclidean"),
    ],
    "Finding": [
        lambda: datasets.Finding("units", "harmful", {"ratio": 2, "scale": "none", "x": {1:
            (np.int64(3),)}}, ("u", "v"), assumed=False).to_dict(),
    ],
    "available": [
        lambda: datasets.available(),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES)
