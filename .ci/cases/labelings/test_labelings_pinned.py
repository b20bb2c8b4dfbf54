"""Parts of clusterings as data: names, outliers, tables, matchings, memberships, trees, pairs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from pinning import Pins
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import sortal
from sortal.labelings import cells, labels, matching


class Fitted:
    """An estimator that has labels, or predicts."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def fit(self, X: Any) -> Any:
        """Nothing."""

    def fit_predict(self, X: Any) -> Any:
        """Nothing."""


class Predicts(Fitted):
    """An estimator that only predicts."""

    def predict(self, X: Any) -> Any:
        """The sign of the first column."""
        from sklearn.exceptions import NotFittedError

        if vars(self):
            raise NotFittedError
        return np.asarray(X)[:, 0] > 0


def names() -> dict[str, Any]:
    """Labels with outliers, a table with weights, memberships and a tree."""
    rng = np.random.default_rng(0)
    X = np.array([[0.0], [1.0], [5.0], [5.5], [9.0], [20.0]])
    Z = linkage(X, "average")
    a, b = list("xxyyz"), [1, -1, 0, 0, 2]
    big = rng.integers(-1, 5, 300), rng.integers(-1, 4, 300)
    weights = np.round(rng.random(300) + 0.1, 1)
    soft = sortal.labelings.SoftPartition([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]])
    thirds = sortal.labelings.SoftPartition([[0.4, 0.3, 0.3], [0.1, 0.1, 0.8]])
    loose = sortal.labelings.OverlappingPartition([[0, 1, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0]])
    groups = np.repeat(np.arange(3), 30)
    cloud = 8.0 * np.eye(3)[groups] + rng.normal(size=(90, 3))
    counts = rng.integers(0, 9, (7, 5))

    def told(table: Any) -> Any:
        """Everything that a table tells."""
        return (
            repr(table), table.rows, table.columns, table.counts, table.row_names.tolist(),
            table.column_names.tolist(), table.coverage, table.is_counted, table.n, table.shape,
            table.row_sums, table.column_sums, table.pair_counts, table.pair_counts.total,
            table.matching(), table.by_cluster().to_dict("list"), table.by_class().to_dict("list"),
            table.to_frame().to_dict("split"), table.transposed.to_array(),
        )  # fmt: skip

    def encoded(values: Any, **options: Any) -> Any:
        """Codes and names."""
        one = labels.encode(values, **options)
        return one.codes, one.names.tolist(), one.n_clusters

    def batch(given: Any, **options: Any) -> Any:
        """A batch of clusterings."""
        found = sortal.labelings.as_labelings(given, **options)
        sizes = [found.sizes(m) for m in range(len(found))]
        names = [labels.tolist() for labels in found.cluster_names]
        counts = len(found), found.n_objects, found.coverage
        return found.codes, found.names, found.n_clusters, names, counts, sizes

    def hard(given: Any, X: Any = None) -> Any:
        """Labels of whatever has them."""
        found, soft = sortal.labelings.hard_labelings(given, X)
        return {k: np.asarray(v) for k, v in found.items()}, list(soft)

    def best(table: Any) -> Any:
        """The heaviest matching of a dense table, and its weight against all others."""
        table = np.asarray(table)
        rows, columns, weights = cells.cells_of(table)
        found = matching.heaviest_matching(rows, columns, weights, table.shape)
        return found, int(sum(table[i, j] for i, j in enumerate(found) if j >= 0))

    return locals() | {
        "Table": sortal.ContingencyTable, "Fitted": Fitted, "Predicts": Predicts, "sparse": sparse,
        "SimpleNamespace": SimpleNamespace, "linkage": linkage,
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
