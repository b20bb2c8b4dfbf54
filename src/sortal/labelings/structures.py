"""Clusterings that are more than one label for each object: memberships and dendrograms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.partitions import (
    OverlappingPartition,
    SoftPartition,
    as_linkage,
    cut_dendrogram,
)
from sortal.runtime.validation import InputError

Memberships: TypeAlias = "SoftPartition | OverlappingPartition"

#: numbers of clusters that a dendrogram is cut at unless it says which
USUAL_CUTS = range(2, 11)


@dataclass(frozen=True)
class Dendrogram:
    """A tree of clusters: a candidate by its cuts, or to be judged whole.

    Attributes
    ----------
    linkage : ndarray of float64, shape (n-1, 4)
        Linkage matrix in SciPy's form.
    cuts : int, iterable of int or None
        The numbers of clusters that are candidates; by default 2 to 10.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from sortal import Dendrogram, f_quality
    >>> Z = linkage([[0.0], [1.0], [5.0], [9.5]], "single")
    >>> round(f_quality(["a", "a", "b", "b"], Dendrogram(Z)), 4)
    0.8333
    >>> {k: labels.tolist() for k, labels in Dendrogram(Z, cuts=3).labelings().items()}
    {3: [0, 0, 1, 2]}
    """

    linkage: NDArray[np.float64]
    cuts: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "linkage", as_linkage(self.linkage, "linkage"))
        object.__setattr__(self, "cuts", self._numbers())

    @property
    def n_objects(self) -> int:
        """Number of leaves."""
        return len(self.linkage) + 1

    def _numbers(self) -> tuple[int, ...]:
        """The numbers of clusters to cut at, checked."""
        n, cuts = self.n_objects, self.cuts
        if cuts is None:
            return tuple(k for k in USUAL_CUTS if k < n) or (n,)
        numbers = tuple(cuts) if isinstance(cuts, Iterable) else (cuts,)
        for k in numbers:
            if not isinstance(k, (int, np.integer)) or not 1 <= k <= n:
                raise InputError(f"a dendrogram of {n} objects has no cut into {k!r} clusters")
        if not numbers:
            raise InputError("cuts names no number of clusters; give one at least")
        return tuple(int(k) for k in dict.fromkeys(numbers))

    def labelings(self) -> dict[int, NDArray[np.int32]]:
        """The labels of each cut, by its number of clusters."""
        return {k: cut_dendrogram(self.linkage, n_clusters=k) for k in self.cuts}


def by_appearance(memberships: NDArray[Any]) -> NDArray[Any]:
    """Columns in the order of ``canonical_codes`` of the hard labels; empty clusters come last."""
    labels = memberships.argmax(axis=1)[memberships.any(axis=1)]
    _, first = np.unique(labels, return_index=True)
    used = labels[np.sort(first)]
    unused = np.setdiff1d(np.arange(memberships.shape[1]), used)
    return np.ascontiguousarray(memberships[:, np.concatenate([used, unused])])


def as_kept(memberships: Memberships) -> NDArray[Any]:
    """Memberships as a study keeps them, by appearance: float32 of soft, bool of overlapping."""
    dtype = np.float32 if isinstance(memberships, SoftPartition) else np.bool_
    return by_appearance(memberships.memberships).astype(dtype)


def as_given(stored: NDArray[Any]) -> Memberships:
    """The memberships that :func:`as_kept` stored; rows sum to 1 again."""
    if stored.dtype == bool:
        return OverlappingPartition(stored)
    U = stored.astype(np.float64)
    return SoftPartition(U / U.sum(axis=1, keepdims=True))


def kind_of(memberships: Memberships) -> Literal["soft", "overlapping"]:
    """The name of a membership type among a measure's ``structures``."""
    return "soft" if isinstance(memberships, SoftPartition) else "overlapping"


@dataclass(frozen=True)
class Hardened:
    """How well hard labels represent the memberships of n objects.

    ``largest`` is the mean of the largest memberships, and None where clusters overlap.
    """

    n: int
    largest: float | None
    below_half: int = 0
    several: int = 0
    none: int = 0

    @classmethod
    def of(cls, memberships: Memberships) -> Hardened:
        """Summary of a soft or an overlapping partition."""
        U = memberships.memberships
        if isinstance(memberships, OverlappingPartition):
            counts = U.sum(axis=1)
            return cls(len(U), None, 0, int((counts > 1).sum()), int((counts == 0).sum()))
        largest = U.max(axis=1)
        return cls(len(U), float(largest.mean()), int((largest < 0.5).sum()))

    def __str__(self) -> str:
        n = f"{self.n:,}"
        if self.largest is None:
            return (
                f"Its clusters overlap: {self.several:,} of {n} objects are in several and "
                f"{self.none:,} in none; measures of hard clusterings take the first of an "
                "object's clusters."
            )
        return (
            "It is soft; measures of hard clusterings take the cluster of an object's largest "
            f"membership, which is {self.largest:.2f} on average and below one half for "
            f"{self.below_half:,} of {n} objects."
        )
