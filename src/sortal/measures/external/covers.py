"""Normalised mutual information of clusterings whose clusters may overlap."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sortal.measures.docstrings import cite
from sortal.measures.external.soft import ClusteringLike, as_sets, require_same_objects
from sortal.runtime.validation import InputError, check_choice
from sortal.typing import Floats

__all__ = ["overlapping_normalized_mutual_information"]


@cite("mcdaid2011", "lancichinetti2009")
def overlapping_normalized_mutual_information(
    labels_true: ClusteringLike,
    labels_pred: ClusteringLike,
    *,
    normalizer: Literal["max", "cluster"] = "max",
) -> float:
    """Normalised mutual information of two covers, whose clusters may overlap.

    It is not the NMI of partitions where nothing overlaps. Between 0 and 1, greater is better.

    Parameters
    ----------
    labels_true, labels_pred : OverlappingPartition, or array-like of labels, shape (n,)
        The two clusterings.
    normalizer : {"max", "cluster"}
        ``"max"``: McDaid, Greene & Hurley, by the larger entropy of the two covers.
        ``"cluster"``: Lancichinetti, Fortunato & Kertész, cluster by cluster. It rates covers
        that share nothing too highly. clusim's ``onmi`` differs: it puts 1 − P(1, 1) for P(0, 0).

    Notes
    -----
    Each cluster is a yes or no for every object. H(X_i|Y) is the least H(X_i|Y_j) over clusters Y_j
    that agree with X_i more than they contradict it, and H(X_i) without any. Y_j agrees if h(yes,
    yes) + h(no, no) > h(yes, no) + h(no, yes), for h(p) = −p ln p. Equal covers have 1. A cluster
    of all objects has no entropy; its term is 1 with ``"cluster"``. O(n k t) for k and t clusters.

    Examples
    --------
    >>> from sortal import overlapping_normalized_mutual_information
    >>> from sortal.labelings.partitions import OverlappingPartition
    >>> U = OverlappingPartition([[1, 0], [1, 1], [0, 1], [0, 1]])
    >>> round(overlapping_normalized_mutual_information([0, 0, 1, 1], U), 6)
    0.655639
    """
    check_choice(normalizer, ("max", "cluster"), "normalizer")
    U, V = as_sets(labels_true, "labels_true"), as_sets(labels_pred, "labels_pred")
    require_same_objects(U, V)
    X, Y = (S[:, S.any(axis=0)].astype(np.float64) for S in (U, V))
    if X.shape[1] == 0 or Y.shape[1] == 0:
        raise InputError("no object is in any cluster, so there is nothing to compare")
    if _columns(X) == _columns(Y):
        return 1.0
    n = len(X)
    x, y, both = X.mean(axis=0), Y.mean(axis=0), X.T @ Y / n
    whole_x, whole_y = _entropies(x), _entropies(y)
    x_given, y_given = _least_conditional(x, y, both), _least_conditional(y, x, both.T)
    if normalizer == "max":
        shared = (whole_x.sum() - x_given.sum() + whole_y.sum() - y_given.sum()) / 2
        largest = max(whole_x.sum(), whole_y.sum())
        value = shared / largest if largest > 0 else 0.0
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            terms = [
                np.where(entropies > 0, conditional / entropies, 1.0).mean()
                for entropies, conditional in ((whole_x, x_given), (whole_y, y_given))
            ]
        value = 1 - sum(terms) / 2
    return float(min(max(value, 0.0), 1.0))


def _columns(sets: Floats) -> list[bytes]:
    """The clusters of a cover, sorted, to compare covers in any order."""
    return sorted(column.tobytes() for column in np.ascontiguousarray(sets.T))


def _part(p: Floats) -> Floats:
    """Part −p ln p of an entropy; 0 for 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(p > 0, -p * np.log(p), 0.0)


def _entropies(shares: Floats) -> Floats:
    """Entropies of being in clusters with these shares of the objects."""
    return _part(shares) + _part(1 - shares)


def _least_conditional(x: Floats, y: Floats, both: Floats) -> Floats:
    """H(X_i|Y) of each cluster of one side, from the shares that it has with the other's."""
    yes_no, no_yes = np.maximum(x[:, None] - both, 0), np.maximum(y - both, 0)
    neither = np.maximum(1 - both - yes_no - no_yes, 0)
    agree, differ = _part(both) + _part(neither), _part(yes_no) + _part(no_yes)
    conditional = np.where(agree > differ, agree + differ - _entropies(y), np.inf)
    return np.minimum(_entropies(x), conditional.min(axis=1)).clip(min=0)
