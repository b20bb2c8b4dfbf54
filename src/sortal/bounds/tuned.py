"""The constants of guarantees that were tuned."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TunedBounds:
    """Constants on which the size of a guarantee depends, and not its premises.

    Each line says where it was tuned: on generated tables (``sortal reproduce
    guarantee-tightness``), or by eye.
    """

    #: inverse penalty of the logistic regression on memberships; generated tables
    penalty: float = 100.0
    #: sum of the scaled memberships of an object; generated tables
    membership_scale: float = 10.0
    #: extremely randomised trees; generated tables, more change little
    n_trees: int = 60
    #: clusterings that vote on the class of a cluster without labels; generated tables
    n_voters: int = 12
    #: weight of their vote relative to one label; generated tables
    vote_weight: float = 0.1
    #: expected error rate of a classifier as a share of the best clustering's; generated tables
    likely: float = 0.8
    #: a test of a target begins if it is expected to take at most this multiple of the labels so
    #: far; generated tables
    patience: float = 1.5
    #: share of predictions that must differ for a second test of a target; generated tables
    changed: float = 0.02
    #: first number of labels at which a test of a target may begin, and growth to the next; by eye
    first_check: int = 10
    check_growth: float = 1.25
    #: error rate below which the prior of a test does not follow the estimate; generated tables
    least_rate: float = 0.02
    #: share of the target against which the slope of its boundary is Wald's; generated tables
    alternative: float = 0.35
    #: labels for which the share of all objects stands in the confidence of a cluster; by eye
    prior_labels: float = 2.0
    #: share of the smaller of two sets of labels, and number, that makes them one set; by eye
    alike: float = 0.8
    fewest_shared: int = 5
    #: multiples of the labels so far for which the bound is forecast; by eye
    growth: tuple[float, ...] = (2.0, 3.5)


TUNED = TunedBounds()
