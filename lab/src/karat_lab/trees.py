"""scikit-learn's extremely randomised trees, grown for a judge and exported to its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.judge.judgements import Forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.runtime.types import Floats

    Table = NDArray[np.float32]

BINS = 255


@dataclass(frozen=True)
class Bins:
    """Columns cut into at most 255 bins of about as many rows each.

    Thresholds are drawn among bins, so that they fall where there are rows.

    Attributes
    ----------
    edges : tuple of ndarray of float32
        The greatest value of each bin but the last, by column.
    """

    edges: tuple[NDArray[np.float32], ...]

    @classmethod
    def of(cls, F: Table) -> Bins:
        """Bins of the columns of F (rows, columns)."""
        shares = np.linspace(0, 1, BINS + 1)[1:-1]
        return cls(tuple(np.unique(np.quantile(column, shares, method="lower")) for column in F.T))

    def __call__(self, F: Table) -> Table:
        """The bin of each value (rows, columns)."""
        places = [np.searchsorted(e, column) for e, column in zip(self.edges, F.T, strict=True)]
        return np.column_stack(places).astype(np.float32)


def fit(
    table: Table, target: Floats, weight: Floats, *, n_trees: int, leaves: int, least: int,
    share: float = 0.2, random_state: int = 0, n_jobs: int = 1,
) -> Any:  # fmt: skip
    """Fit extremely randomised trees (Geurts, Ernst & Wehenkel 2006).

    Parameters
    ----------
    table : ndarray, shape (rows, columns)
        Bins.
    n_trees, leaves, least : int
        Trees, leaves of each at most, rows of a leaf at least.
    share : float
        Of the columns that are tried at a node.
    n_jobs : int
        Threads; the result does not depend on it.
    """
    from sklearn.ensemble import ExtraTreesRegressor

    model = ExtraTreesRegressor(
        n_trees,
        max_leaf_nodes=leaves,
        min_samples_leaf=least,
        max_features=share,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return model.fit(table, target, sample_weight=weight)


def export(model: Any, bins: Bins) -> Forest:
    """The trees as arrays that ask for values in place of bins."""
    parts = [_in_order(estimator.tree_) for estimator in model.estimators_]
    starts = np.cumsum([0] + [len(feature) for feature, *_ in parts])
    shift = np.repeat(starts[:-1], np.diff(starts))
    feature, split, left, value = (np.concatenate(each) for each in zip(*parts, strict=True))
    inner = feature >= 0
    threshold = np.zeros(len(feature), dtype=np.float32)
    # a bin is at most the threshold where its values are at most the greatest of that bin
    threshold[inner] = [
        bins.edges[column][int(at)] for column, at in zip(feature[inner], split[inner], strict=True)
    ]
    return Forest(
        starts[:-1].astype(np.int32),
        feature.astype(np.int16),
        threshold,
        np.where(inner, left + shift, 0).astype(np.int32),
        # half precision is what is stored
        value.astype(np.float16).astype(np.float32),
    )


def _in_order(tree: Any) -> tuple[NDArray[Any], ...]:
    """Feature (-1 at a leaf), threshold, left child and value of each node, siblings together."""
    order, left = [0], []
    for node in order:
        child = int(tree.children_left[node])
        left.append(len(order) if child >= 0 else 0)
        if child >= 0:
            order += [child, int(tree.children_right[node])]
    feature = np.maximum(tree.feature[order], -1)
    return feature, tree.threshold[order], np.array(left), tree.value[order, 0, 0]
