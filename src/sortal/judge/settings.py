"""Tuned constants of the judge: one table, with a part for the evidence that it reads.

``sortal reproduce constants`` changes each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EvidenceSettings", "JudgeSettings"]


@dataclass(frozen=True)
class EvidenceSettings:
    """Constants of the evidence. The packaged judge was trained on evidence with the defaults."""

    #: tuned: generated tasks; nearest neighbours
    n_neighbors: int = 10
    #: tuned: generated tasks; neighbours of the wider view, at most a sixth of the objects
    n_wide: int = 30
    #: tuned: by eye; neighbour whose distance is that of an object
    core_neighbor: int = 5
    #: tuned: by eye; most intervals of a column whose distribution is compared
    max_intervals: int = 8
    #: tuned: generated tasks; principal coordinates of the "leading" models
    leading_axes: int = 5
    #: tuned: by eye; degrees of freedom of the heavy-tailed model
    t_freedom: float = 4.0
    #: tuned: by eye; added to variances, in units of the mean variance of a coordinate
    variance_ridge: float = 1e-3
    #: tuned: by eye; the same for the shrunk model
    shrinking_ridge: float = 0.05
    #: tuned: by eye; limit of differences of log-likelihoods per object
    max_difference: float = 20.0


@dataclass(frozen=True)
class JudgeSettings:
    """Tuned constants of :func:`sortal.judge.gather` and :class:`sortal.judge.Judge`.

    ``dataclasses.replace`` makes a table with another value of one of them.
    """

    evidence: EvidenceSettings = EvidenceSettings()
    #: tuned: by eye; share of the probability divided evenly among all candidates
    even_share: float = 0.02
    #: tuned: generated tasks; lower limit of the factor of the temperatures
    min_doubt: float = 0.1
    #: tuned: generated tasks; adjusted Rand index from which a partition is a near copy of another
    near_copy: float = 0.9
    #: tuned: generated tasks; temperature of the prior, in units of the predicted agreement
    temperature: float = 0.3


EVIDENCE, JUDGE = EvidenceSettings(), JudgeSettings()
