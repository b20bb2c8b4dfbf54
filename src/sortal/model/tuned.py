"""The constants of models that were tuned."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TunedModel:
    """Constants of the confidence, of changes, of rare groups and of what is watched."""

    #: rows of lower confidence are unsure, and not placed; by eye
    sure: float = 0.8
    #: objects of a group with similar margins, and most groups; by eye
    group_size: int = 20
    most_groups: int = 50
    #: one training object in so many may be nearer to another cluster's centre; by eye
    centers_allow: int = 1_000
    #: least overlap of a cluster that came back, and of a part of a split one; by eye
    overlap: float = 0.5
    part: float = 0.25
    #: least ratio of a cluster's shares today and before; below it the cluster vanished; by eye
    remainder: float = 0.1
    #: least rows of a rare group among those that are looked at; Student's t, 2 to 1,000 degrees
    members: int = 10
    #: least separation of a rare group from the clusters: one minus the mean distance to its rows
    #: over that to the nearest object of a cluster. Tails, of the same data, have negative values
    separation: float = 0.25
    #: share of a cluster's objects in the model that are nearer than its far rows; by eye
    near: float = 0.75
    #: a period of fewer rows can hardly raise an alarm by itself; by eye
    few_rows: int = 30


TUNED = TunedModel()
