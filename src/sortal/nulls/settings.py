"""Tuned constants of the assessment of structure: one table with a section for each reader.

Chosen on the generated kinds of ``sortal reproduce structure`` that are not excluded there, where
a comment does not say by eye. ``sortal reproduce constants`` changes each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GapSettings", "OverlapSettings", "StructureSettings", "ValleySettings"]


@dataclass(frozen=True)
class ValleySettings:
    """Constants of the search for valleys between the clusters of k-means."""

    #: tuned: by eye; objects required for each cluster
    objects_per_cluster: int = 16
    #: tuned: generated kinds; objects above which random gaps have more evidence, by the root of
    #: their number
    usual_size: int = 400
    #: tuned: by eye; folds of which each is excluded once from fitting the clusters
    folds: int = 4
    #: tuned: by eye; share of the mean variance in the covariance within clusters
    covariance_ridge: float = 0.1
    #: tuned: generated kinds; evidence (-log p) that is worth a closer look
    close_look: float = 1.5
    #: tuned: generated kinds; evidence that separates two clusters
    valley_limit: float = 3.5
    #: tuned: generated kinds; most clusters for which distributions are fitted between each two
    max_fitted: int = 3
    #: tuned: by eye; upper limit of the evidence
    max_evidence: float = 50.0
    #: tuned: generated kinds; half of the border's width between centres at -1 and 1
    border: float = 0.25
    #: tuned: by eye; objects below which a border is empty
    min_border_objects: int = 5
    #: tuned: by eye; neighbours that paths go by
    path_neighbours: int = 8
    #: tuned: by eye; neighbour whose distance estimates the density near a border
    density_neighbour: int = 5
    #: tuned: generated kinds; axes across the line of the centres
    cross_axes: int = 3
    #: tuned: generated kinds; inflation of the variance of a mean density, since neighbours share
    #: neighbours
    variance_inflation: float = 2.5
    #: tuned: generated kinds; standard errors above which two clusters are pieces of a curve
    curve_limit: float = 3.2
    #: tuned: generated kinds; evidence subtracted from a curve, which k-means may cut where it is
    #: thin
    curve_deduction: float = 2.0
    #: tuned: generated kinds; factor of the evidence of a straight border
    straight_factor: float = 2.0


@dataclass(frozen=True)
class GapSettings:
    """Constants of the search for gaps along a tree of neighbours."""

    #: tuned: by eye; neighbour whose distance is that of an object
    core_neighbour: int = 5
    #: tuned: by eye; neighbours by which the dimension is estimated
    dimension_neighbours: int = 10
    #: tuned: generated kinds; least share of the objects in a group
    min_share: float = 0.03
    #: tuned: generated kinds; fewest objects of a group
    min_objects: int = 10
    #: tuned: generated kinds; contrast that clouds without groups often have
    free_contrast: float = 0.5
    #: tuned: generated kinds; contrast that separates two groups
    enough_contrast: float = 1.25


@dataclass(frozen=True)
class OverlapSettings:
    """Constants of the evidence of groups that overlap."""

    #: tuned: by eye; neighbours in the narrow graph; the wide one has twice as many
    neighbors: int = 25
    #: tuned: by eye; resolution of the largest communities, beside 1, that of modularity
    coarse_resolution: float = 0.3
    #: tuned: by eye; what is added to the standard deviation of the twins, of which there are few
    least_spread: float = 0.01
    #: tuned: by eye; evidence above which more does not matter
    certain_evidence: float = 8.0
    #: tuned: by eye; linearity up to which no cloud is bent
    straight: float = 0.3
    #: tuned: generated kinds, so that a twentieth of the straight clouds are called groups; the
    #: intercept of a logistic curve
    intercept: float = -2.92
    #: tuned: the same kinds; its slope by the evidence
    evidence_slope: float = 1.46
    #: tuned: the same kinds; its slope by linearity above ``straight``, since bent clouds have
    #: evidence, too
    linearity_slope: float = -25.0


@dataclass(frozen=True)
class StructureSettings:
    """Tuned constants of :func:`sortal.assess_structure`, with their defaults.

    ``dataclasses.replace`` makes a table with another value of one of them.
    """

    valleys: ValleySettings = ValleySettings()
    gaps: GapSettings = GapSettings()
    overlap: OverlapSettings = OverlapSettings()
    #: tuned: by eye; share of a feature's range below which a step is jitter
    jitter: float = 1e-5
    #: tuned: by eye; fewest principal components of many features
    min_components: int = 3
    #: tuned: seeds 0 to 2 and 1,000 to 1,002 of the generated kinds, as the next two; intercept of
    #: the logistic regression of 0 and 1 (clusters)
    intercept: float = -4.01
    #: tuned: the same seeds; its slope by relative evidence
    evidence_slope: float = 0.83
    #: tuned: the same seeds; its slope by the logarithm of the number of objects
    size_slope: float = -1.38
    #: tuned: generated kinds; number of objects that counts where there are fewer
    min_size: int = 20
    #: tuned: generated kinds; relative evidence from which the number of objects does not matter
    enough_evidence: float = 8.0
    #: tuned: generated kinds; relative evidence above which more does not matter
    certain_evidence: float = 10.0
    #: tuned: generated kinds; least linearity by which evidence is divided
    min_linearity: float = 0.35
    #: tuned: generated kinds; linearity of a column, whose dip has a known distribution
    column_linearity: float = 0.5
    #: tuned: by eye; share of the objects in a neighbourhood
    neighbourhood: float = 0.2
    #: tuned: by eye; fewest objects of a neighbourhood
    min_neighbourhood: int = 12
    #: tuned: by eye, few kinds without clusters reach it; probability from which there are clusters
    clusters_from: float = 0.9
    #: tuned: by eye; probability below which there are none
    no_clusters_below: float = 0.2
    #: tuned: by eye; confidence that the probability is not near a limit
    confidence: float = 0.99


VALLEYS, GAPS, OVERLAP = ValleySettings(), GapSettings(), OverlapSettings()
STRUCTURE = StructureSettings()
