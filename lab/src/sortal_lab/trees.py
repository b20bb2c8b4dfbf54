"""scikit-learn's boosted regression trees, grown for a judge and exported to its arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import Forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats

    Table = NDArray[np.float32]
    Model = Any  # HistGradientBoostingRegressor
    Rows = tuple[Table, Floats, Floats]


@dataclass(frozen=True)
class Boosting:
    """Sizes of boosted trees: their number and that of their leaves, by bag.

    Attributes
    ----------
    bags : int
        Models whose mean is predicted, each fitted to a part of the tasks.
    trees, leaves, least : int
        Trees of a model, leaves of a tree at most, rows of a leaf at least.
    rate, share : float
        Learning rate, and share of the columns that are tried at a node.
    """

    bags: int = 1
    trees: int = 200
    leaves: int = 31
    least: int = 40
    rate: float = 0.06
    share: float = 0.3


def fit(
    parts: Iterable[Rows],
    boosting: Boosting,
    *,
    signs: NDArray[np.int8] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> list[Model]:
    """Fit a model to each part of the rows: tables, targets and weights.

    Predictions may not fall as a column with ``signs`` of 1 grows, nor rise with one of -1.

    Notes
    -----
    Gradient boosting of histograms (Friedman 2001, Ke et al. 2017). The result does not depend on
    the number of threads ``n_jobs``.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    models = []
    with threadpool_limits(n_jobs):
        for bag, (table, target, weight) in enumerate(parts):
            model = HistGradientBoostingRegressor(
                max_iter=boosting.trees,
                learning_rate=boosting.rate,
                max_leaf_nodes=boosting.leaves,
                min_samples_leaf=boosting.least,
                l2_regularization=1.0,
                max_features=boosting.share,
                early_stopping=False,
                monotonic_cst=signs,
                random_state=random_state + bag,
            )
            models.append(model.fit(table, target, sample_weight=weight))
    return models


def export(models: Sequence[Model]) -> Forest:
    """The mean of the models as a mean of trees, whose values sum up in scikit-learn's."""
    parts, values = [], []
    for model in models:
        base = float(np.ravel(model._baseline_prediction)[0])
        for (predictor,) in model._predictors:
            feature, threshold, left, value = _in_order(predictor.nodes)
            parts.append((feature, threshold, left))
            values.append(base + len(model._predictors) * value)
    starts = np.cumsum([0] + [len(feature) for feature, *_ in parts])
    shift = np.repeat(starts[:-1], np.diff(starts))
    feature, threshold, left = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Forest(
        starts[:-1].astype(np.int32),
        feature.astype(np.int16),
        threshold.astype(np.float32),
        np.where(feature >= 0, left + shift, 0).astype(np.int32),
        # half precision is what is stored
        np.concatenate(values).astype(np.float16).astype(np.float32),
    )


def _in_order(nodes: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Feature (-1 at a leaf), threshold, left child and value of each node, siblings together."""
    value = nodes["value"].copy()
    for node in range(len(nodes) - 1, -1, -1):  # children come after their parents
        if not nodes["is_leaf"][node]:
            pair = [int(nodes["left"][node]), int(nodes["right"][node])]
            value[node] = np.average(value[pair], weights=nodes["count"][pair])
    order, left = [0], []
    for node in order:
        if nodes["is_leaf"][node]:
            left.append(0)
        else:
            left.append(len(order))
            order += [int(nodes["left"][node]), int(nodes["right"][node])]
    leaf = nodes["is_leaf"][order].astype(bool)
    feature = np.where(leaf, -1, nodes["feature_idx"][order].astype(np.int64))
    threshold = np.where(leaf, 0.0, _below(nodes["num_threshold"][order]))
    return feature, threshold, np.array(left), value[order]


def _below(threshold: Floats) -> NDArray[np.float32]:
    """The greatest single-precision numbers that are not above the thresholds."""
    with np.errstate(over="ignore"):
        single = np.clip(threshold, -3.4e38, 3.4e38).astype(np.float32)
    above = single > threshold
    return np.where(above, np.nextafter(single, np.float32(-np.inf)), single)
