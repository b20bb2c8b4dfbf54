"""Numbers of the measures that were tuned."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasureSettings:
    """Tuned numbers; functions that use them take a table as an argument."""

    #: tuned: by eye, on the packaged map; mean ρ above which measures count as the same
    same_correlation: float = 0.98
    #: tuned: by eye; least adjusted Rand index of two fits to the same objects
    same_fit_ari: float = 0.8
    #: tuned: by eye; least number of sampled objects of each cluster, as small ones may weigh much
    min_per_cluster: int = 10
    #: tuned: by eye; groups of pairs of the jackknife
    jackknife_groups: int = 40
    #: tuned: by eye; starts with the best value after which a local search of a margin ends
    enough_hits: int = 8


TUNING = MeasureSettings()
