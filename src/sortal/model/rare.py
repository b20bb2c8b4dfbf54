"""Rare clusters: groups among the rows that are unlike all clusters of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sortal.model.tuned import TUNED, TunedModel

if TYPE_CHECKING:
    from sortal.model.model import Model
    from sortal.typing import Floats, Ints


@dataclass(frozen=True)
class RareGroup:
    """A group among the rows that are unlike all clusters.

    Attributes
    ----------
    rows : int
        Estimated number of rows in the table.
    seen : int
        Rows of the group among those that were looked at.
    separation : float
        One minus the mean distance within the group over that to the nearest object of a cluster.
    center : dict of str to float
        The mean of each feature, in original units.
    examples : tuple of int
        Numbers of some of its rows.
    """

    rows: int
    seen: int
    separation: float
    center: dict[str, float]
    examples: tuple[int, ...]


def rare_groups(
    model: Model, rows: Floats, numbers: Ints, n_unlike: int, tuned: TunedModel = TUNED
) -> tuple[RareGroup, ...]:
    """Groups among a uniform sample of the rows that are unlike all clusters, the largest first."""
    if len(rows) < tuned.members or not rows.shape[1] or model.rule.metric != "euclidean":
        return ()
    from scipy.spatial.distance import cdist
    from sklearn.cluster import HDBSCAN

    labels = HDBSCAN(
        min_cluster_size=tuned.members, allow_single_cluster=True, copy=True
    ).fit_predict(rows)
    members = np.asarray(model.rule.X, dtype=np.float64)[model.rule.labels >= 0]
    names = model.preparation.feature_names
    groups = []
    for label in range(int(labels.max()) + 1):
        of_group = np.flatnonzero(labels == label)
        inside = cdist(rows[of_group], rows[of_group]).sum(axis=1) / max(len(of_group) - 1, 1)
        outside = cdist(rows[of_group], members).min(axis=1)
        separation = float(np.mean(1 - inside / np.maximum(outside, 1e-300)))
        if separation < tuned.separation:
            continue
        center = model.preparation.original(rows[of_group].mean(axis=0, keepdims=True))[0]
        groups.append(
            RareGroup(
                round(n_unlike * len(of_group) / len(rows)), len(of_group), separation,
                dict(zip(names, center.tolist(), strict=True)),
                tuple(sorted(numbers[of_group].tolist())[:5]),
            )
        )  # fmt: skip
    return tuple(sorted(groups, key=lambda group: -group.rows))
