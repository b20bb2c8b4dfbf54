"""Held-out objects: agreement of a rule with clustering them, and the rule's confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortal.labeling.doubts import FOLDS
from sortal.labelings.matching import heaviest_matching
from sortal.measures.external.pairs import adjusted_rand_index
from sortal.model.rule import PlacementRule
from sortal.model.tuned import TUNED
from sortal.runtime.numerals import percent
from sortal.runtime.validation import InputError
from sortal.typing import Bools, Floats, Metric, Rows

#: clusters rows anew: their labels, None after a failure
Refit = Callable[[Any], "NDArray[Any] | None"]


@dataclass(frozen=True)
class ExtensionAgreement:
    """Agreement of the rule with clustering the objects themselves.

    Attributes
    ----------
    value, standard_error : float or None
        Mean adjusted Rand index between the clusters by the rule and by the clustering of all
        objects, over folds of held-out objects. Outliers count as one cluster.
    share : float or None
        The share of the held-out objects that are in the same cluster, after matching.
    n_objects : int
        Number of held-out objects.
    refitted : bool
        Whether the other objects were clustered anew; otherwise they kept their clusters.
    reason : str or None
        Reason for no value, or for clustering nothing anew.
    """

    value: float | None
    standard_error: float | None
    share: float | None
    n_objects: int
    refitted: bool
    reason: str | None = None

    def __str__(self) -> str:
        if self.value is None or self.share is None:
            return f"How far predictions agree with clustering anew is not known: {self.reason}."
        clusters = "clustering all objects" if self.refitted else "their own clusters"
        error = "" if self.standard_error is None else f" ± {self.standard_error:.2f}"
        text = (
            f"Of {self.n_objects:,} held-out objects {percent(self.share, 0)} are predicted to be "
            f"where {clusters} puts them (adjusted Rand index {self.value:.2f}{error})."
        )
        return text if self.reason is None else f"{text} Nothing was refitted: {self.reason}."


@dataclass(frozen=True)
class Confidence:
    """The share of held-out objects in the right cluster, linear between knots of their margin."""

    margins: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, margins: Floats, agree: Bools) -> Confidence:
        """Shares that grow with the margin: isotonic regression of groups of 20 objects or more.

        If a of b objects agree, the share is (a + 1)/(b + 2), so none is 0 or 1.
        """
        from sklearn.isotonic import isotonic_regression

        n = len(margins)
        if n == 0:
            return cls((0.0, 1.0), (0.5, 0.5))
        order = np.argsort(margins, kind="stable")
        groups = np.array_split(order, min(max(n // TUNED.group_size, 1), TUNED.most_groups))
        middle = np.array([margins[group].mean() for group in groups])
        count = np.array([len(group) for group in groups])
        right = np.array([agree[group].sum() for group in groups])
        rising = isotonic_regression(right / count, sample_weight=count.astype(np.float64))
        _, block = np.unique(rising, return_inverse=True)
        share = (np.bincount(block, right) + 1) / (np.bincount(block, count) + 2)
        share = np.maximum.accumulate(share)[block]
        return cls(tuple(middle.tolist()), tuple(share.tolist()))

    def __call__(self, margins: Floats) -> Floats:
        """The share of objects with these margins."""
        return np.asarray(np.interp(margins, self.margins, self.shares))


def hold_out(
    X: Rows,
    labels: NDArray[np.int32],
    metric: Metric,
    *,
    by_centers: bool,
    refit: Refit | None = None,
    reason: str | None = None,
    random_state: int = 0,
) -> tuple[ExtensionAgreement, Confidence]:
    """Hold out each fifth of the objects in turn, and predict their clusters from the others.

    ``refit`` clusters some of the objects anew; without it (``reason``) they keep their clusters.
    """
    n = X.shape[0]
    if n < 2 * FOLDS:
        reason_for_none = (
            f"there are {n} objects, and at least {2 * FOLDS} are needed to hold some out"
        )
        no_margins = np.empty(0)
        nothing = ExtensionAgreement(None, None, None, 0, False, reason_for_none)
        return nothing, Confidence.of(no_margins, no_margins.astype(bool))
    order = np.random.default_rng(random_state).permutation(n)
    values: list[float] = []
    margins, agree = np.empty(n), np.zeros(n, dtype=bool)
    for tested in np.array_split(order, FOLDS):
        training = np.setdiff1d(order, tested)
        refitted = None if refit is None else refit(X[training])
        if refit is not None and not _is_clustering(refitted, len(training)):
            failure = "a fit to a part of the objects failed"
            return hold_out(
                X, labels, metric, by_centers=by_centers, reason=failure, random_state=random_state
            )
        codes = labels[training] if refitted is None else np.asarray(refitted, dtype=np.int32)
        if not (codes >= 0).any():
            continue
        codes, names = without_gaps(codes)
        placed = PlacementRule.of(X[training], codes, metric, by_centers=by_centers).place(
            X[tested]
        )
        values.append(float(adjusted_rand_index(labels[tested], placed.labels, noise="cluster")))
        same = names if refitted is None else matched(codes, labels[training], len(names))
        agree[tested] = np.append(same, -1)[placed.labels] == labels[tested]
        margins[tested] = placed.margins
    if not values:
        raise InputError("the clustering has no cluster, every object is an outlier")
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    agreement = ExtensionAgreement(
        float(np.mean(values)), error, float(agree.mean()), n, refit is not None, reason
    )
    return agreement, Confidence.of(margins, agree)


def _is_clustering(labels: NDArray[Any] | None, n: int) -> bool:
    """Whether the labels are those of n objects and have a cluster."""
    return labels is not None and len(labels) == n and bool((np.asarray(labels) >= 0).any())


def without_gaps(codes: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes from 0 without gaps, and the code that each was before."""
    names, at = np.unique(codes, return_inverse=True)
    noise = int((names < 0).sum())
    return (at - noise).astype(np.int32), names[noise:].astype(np.int64)


def matched(codes: NDArray[Any], others: NDArray[Any], k: int) -> NDArray[np.intp]:
    """The matching cluster of another clustering for each of k clusters, -2 without one."""
    in_both = (codes >= 0) & (others >= 0)
    if not in_both.any():
        return np.full(k, -2)
    cells, counts = np.unique(
        np.stack([codes[in_both], others[in_both]]), axis=1, return_counts=True
    )
    shape = (k, int(others.max()) + 1)
    matches = heaviest_matching(cells[0].astype(np.intp), cells[1].astype(np.intp), counts, shape)
    return np.where(matches < 0, -2, matches)
