"""Measures of soft clusterings; hard labels are memberships 0 and 1."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from sortal.labelings.labels import NoisePolicy
from sortal.labelings.partitions import SoftPartition
from sortal.measures.catalogue import define
from sortal.measures.docstrings import cite
from sortal.measures.internal.batch import SINGLETONS_ONLY, batch_form, compute_one
from sortal.measures.internal.nearest import between_centroids
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.validation import (
    InputError,
    UndefinedMeasureError,
    check_choice,
    check_data,
    check_sample_weight,
)
from sortal.typing import ArrayLike, Floats, Labels

__all__ = ["partition_coefficient", "partition_entropy", "xie_beni_index"]


def _memberships(memberships: Any) -> Floats:
    """Memberships (n, k), validated."""
    if isinstance(memberships, SoftPartition):
        return memberships.memberships
    return SoftPartition(memberships).memberships


def has_memberships(labels: Any) -> bool:
    """Whether ``labels`` are memberships (n, k) instead of hard labels."""
    return isinstance(labels, SoftPartition) or np.ndim(labels) == 2


def _centers(
    X: Floats, U: Floats, fuzzifier: float, sample_weight: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Centres, weights u^m and squared distances (n, k) to the centres."""
    from scipy.spatial.distance import cdist

    if len(U) != len(X):
        raise InputError(f"memberships has {len(U)} objects, but X has {len(X)}")
    weights = U**fuzzifier
    if sample_weight is not None:
        weights *= sample_weight[:, None]
    shift = X.mean(axis=0)
    totals = weights.sum(axis=0)
    if (totals == 0).any():
        raise UndefinedMeasureError("a cluster has no members, so it has no centre")
    centers = weights.T @ (X - shift) / totals[:, None]
    return centers, weights, cdist(X - shift, centers, "sqeuclidean")


def xie_beni_index(
    X: ArrayLike,
    labels: Labels | SoftPartition,
    *,
    fuzzifier: float = 2.0,
    separation: Literal["centroid", "single"] = "centroid",
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Xie–Beni index: mean u^m-weighted squared distance to the centres over their separation.

    Σ_i Σ_c u_ic^m ∣x_i − v_c∣² / (n · min ∣v_a − v_b∣²). Not negative, lower is better.

    Parameters
    ----------
    X : array-like, shape (n, d)
    labels : array-like (n,), or memberships (n, k) or SoftPartition
        A hard clustering has memberships 0 and 1.
    fuzzifier : float, at least 1
        The exponent m; the centres are the u^m-weighted means.
    separation : {"centroid", "single"}
        Squared distance of the nearest centres (the paper's form), or, for hard clusterings, of
        the nearest objects of different clusters (clusterCrit's form).
    noise : {"error", "cluster", "singletons", "drop"}
        Meaning of the label ``-1`` in hard clusterings.

    Notes
    -----
    Xie & Beni 1991. Packages differ: iris gives 0.227 or 11.9 for the species. O(n k d) time,
    O(n² d) for ``"single"``.

    Examples
    --------
    >>> xie_beni_index([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.0025
    """
    check_choice(separation, ("centroid", "single"), "separation")
    if fuzzifier < 1:
        raise InputError(f"fuzzifier must be at least 1; got {fuzzifier}")
    if has_memberships(labels):
        if separation == "single":
            raise InputError("separation='single' is for hard clusterings")
        from scipy.spatial.distance import pdist

        U = _memberships(labels)
        w = np.ones(len(U)) if sample_weight is None else check_sample_weight(sample_weight, len(U))
        centers, weights, squares = _centers(_dense(X), U, fuzzifier, w)
        if len(centers) < 2:
            raise UndefinedMeasureError("Xie–Beni index is undefined: there is one cluster")
        nearest = float(pdist(centers, "sqeuclidean").min())
        if nearest == 0:
            raise UndefinedMeasureError("Xie–Beni index is undefined: two centres are the same")
        return float((weights * squares).sum()) / float(w.sum()) / nearest
    needs = ["centroids"] + ["nearest"] * (separation == "single")

    @batch_form
    def compute(stats: Statistics, m: int) -> float | str:
        return _xie_beni(stats, m, separation)

    return compute_one(
        "Xie–Beni index", compute, needs, X, labels, noise=noise, sample_weight=sample_weight
    )


def _xie_beni(stats: Statistics, m: int, separation: str) -> float | str:
    """Xie–Beni index of hard clustering m, or the reason of a missing value."""
    if stats.pairs_within(m) == 0:
        return SINGLETONS_ONLY
    if separation == "single":
        nearest = float(stats.nearest_between[m].min())
    else:
        nearest = between_centroids(stats, m).nearest
    if nearest == 0:
        return "the separation of two clusters is 0"
    return float(stats.squares[m].sum()) / stats.n_judged(m) / nearest**2


def _dense(X: ArrayLike) -> Floats:
    """Validated data as a dense array."""
    data: Any = check_data(X)
    return data.toarray() if hasattr(data, "toarray") else data


def soft_pbm(X: Any, memberships: Labels | SoftPartition, fuzzifier: float) -> float:
    """(E_1/J_m · D/k)², with distances to the u^m-weighted centres in J_m."""
    from scipy.spatial.distance import pdist

    data = _dense(X)
    centers, weights, squares = _centers(data, _memberships(memberships), fuzzifier)
    inner = float((weights * np.sqrt(squares)).sum())
    if len(centers) < 2 or inner == 0:
        why = "there is one cluster" if len(centers) < 2 else "every object is at its centre"
        raise UndefinedMeasureError(f"PBM index is undefined: {why}")
    outer = float(np.linalg.norm(data - data.mean(axis=0), axis=1).sum())
    return (outer / inner * float(pdist(centers).max()) / len(centers)) ** 2


@cite("bezdek1974")
def partition_coefficient(memberships: Labels | SoftPartition) -> float:
    """Mean over objects of Σ u²: 1 for a hard clustering, 1/k for equal memberships.

    Greater is better. O(n k).

    Parameters
    ----------
    memberships : array-like (n, k) or SoftPartition

    Examples
    --------
    >>> partition_coefficient([[0.5, 0.5], [1.0, 0.0]])
    0.75
    """
    U = _memberships(memberships)
    return float((U**2).sum() / len(U))


@cite("bezdek1974")
def partition_entropy(memberships: Labels | SoftPartition) -> float:
    """Mean over objects of −Σ u log u: 0 for a hard clustering, log k at most.

    Lower is better. O(n k).

    Parameters
    ----------
    memberships : array-like (n, k) or SoftPartition

    Examples
    --------
    >>> round(partition_entropy([[0.5, 0.5], [1.0, 0.0]]), 6)
    0.346574
    """
    U = _memberships(memberships)
    positive = U[U > 0]
    return float(-(positive * np.log(positive)).sum() / len(U)) + 0.0


define(
    xie_beni_index,
    "Xie–Beni index",
    family="centroid separation",
    references=["xie1991"],
    compute=batch_form(lambda stats, m: _xie_beni(stats, m, "centroid")),
    needs=["centroids"],
    greater_is_better=False,
    range=(0.0, math.inf),
    cost="O(n d + k² d)",
    takes="features",
    structures={"soft"},
)
