"""Description languages: the bits that name a clustering.

In a PAC-MDL bound each classifier has a share ``p`` of the allowed risk. The bound holds for all at
once if the shares sum to at most 1 (Kraft's inequality). ``-log2(p)`` is the length in bits. Shares
may depend on anything but the labels. A language has the cost of naming a clustering and the code
of its cluster labels.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sortal.runtime.validation import InputError

__all__ = ["Algo", "Cluster", "Init", "Language", "Lengths", "Mixed", "Prior", "Simple"]

if TYPE_CHECKING:
    import numpy.typing as npt

    from sortal.typing import Floats


class Language(ABC):
    """Description language: the bits that name a clustering, and the code of its cluster labels.

    To write one of your own, give :meth:`choice_bits`. sortal checks Kraft's inequality over the
    clusterings at hand before it calls one of them the best.

    Attributes
    ----------
    mixed : bool
        Whether cluster labels use the five codes of :class:`Mixed` rather than c·log2(ℓ) bits.
    """

    mixed: bool = False

    @property
    def name(self) -> str:
        """Name in the results."""
        return type(self).__name__

    @abstractmethod
    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits that name each of the clusterings, without the labels of their clusters."""

    def bits(self, n_clusters: int, n_classes: int) -> float:
        """Bits of a clustering with all its cluster labels written out, c·log2(ℓ) for them."""
        choice = float(self.choice_bits(("0",), np.array([n_clusters]))[0])
        return choice + n_clusters * math.log2(n_classes)


@dataclass(frozen=True)
class Simple(Language):
    """One clustering, fixed beforehand: c·log2(ℓ) bits (banerjee2004, eq. 1).

    Examples
    --------
    >>> from sortal.bounds.languages import Simple
    >>> Simple().bits(3, 4)
    6.0
    """

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Zero bits for each clustering."""
        return np.zeros(len(names))


@dataclass(frozen=True)
class Init(Language):
    """The best of ``n_starts`` initialisations: log2(r) more (banerjee2004, eq. 2)."""

    n_starts: int

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits log2(r) for each clustering."""
        return np.full(len(names), _log2_count(self.n_starts, "n_starts"))


@dataclass(frozen=True)
class Cluster(Language):
    """Also the best number of clusters: log2(c(c−1)) more (banerjee2004, eq. 3).

    There is no word for one cluster: c starts at 2.
    """

    n_starts: int = 1

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits log2(r) + log2(c(c−1)) for each clustering."""
        c = np.asarray(n_clusters, dtype=np.float64)
        if (c < 2).any():
            raise InputError(
                "the language Cluster has no word for one cluster; exclude that clustering, or "
                "use the language Mixed"
            )
        return _log2_count(self.n_starts, "n_starts") + np.log2(c) + np.log2(c - 1)


@dataclass(frozen=True)
class Algo(Language):
    """Also the best of ``n_algorithms`` algorithms: log2(s) more (banerjee2004, eq. 4)."""

    n_starts: int = 1
    n_algorithms: int = 1

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits log2(r) + log2(c(c−1)) + log2(s) for each clustering."""
        of_cluster = Cluster(self.n_starts).choice_bits(names, n_clusters)
        return of_cluster + _log2_count(self.n_algorithms, "n_algorithms")


@dataclass(frozen=True)
class Prior(Language):
    """User-supplied share of each clustering, by name.

    Parameters
    ----------
    shares : mapping of str to float
        Positive, with a sum of at most 1. They must have been fixed without the labels.

    Raises
    ------
    InputError
        If the shares break Kraft's inequality, or a clustering has none.

    Examples
    --------
    >>> from sortal.bounds.languages import Prior
    >>> Prior({"kmeans-3": 0.5, "kmeans-4": 0.25}).choice_bits(("kmeans-4",), [4])
    array([2.])
    """

    shares: Mapping[str, float]

    def __post_init__(self) -> None:
        shares = np.array(list(self.shares.values()), dtype=np.float64)
        if not ((shares > 0) & (shares <= 1)).all():
            raise InputError("each share must be in (0, 1]")
        total = math.fsum(shares)
        if total > 1 + 1e-9:
            raise InputError(
                f"the shares break Kraft's inequality: they sum to {total:.6g}, and must sum to at "
                f"most 1. Divide each by {total:.6g}"
            )

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits -log2(share) for each clustering."""
        for name in names:
            if name not in self.shares:
                raise InputError(f"the prior gives no share to the clustering {name!r}")
        return np.array([-math.log2(self.shares[name]) for name in names])


@dataclass(frozen=True)
class Lengths(Language):
    """User-supplied length of each clustering, in their order, fixed without the labels."""

    lengths: tuple[float, ...]
    called: str = "Lengths"

    @property
    def name(self) -> str:
        """Name in the results."""
        return self.called

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits supplied for each clustering."""
        return np.array(self.lengths)


@dataclass(frozen=True)
class Mixed(Language):
    """Cluster labels by the mixture of five codes, on top of another language's choice.

    Parameters
    ----------
    choice : Language, optional
        What naming the clustering costs. By default one of the M clusterings given, log2(M)
        bits, where equal partitions share theirs.

    Notes
    -----
    A vector has c labels of ℓ classes, in order of cluster size. Its share is the mean of its
    shares in five codes. The shares of each code sum to exactly 1:

    - every vector alike
    - the histogram of the classes, then one of its c!/(h_1!···h_ℓ!) vectors
    - a default class, the number j of exceptions, one of C(c, j)·(ℓ−1)^j
    - the labels of the j largest clusters, and one class for the others
    - one of the vectors with min(c, ℓ) different classes

    That is at most log2(5) = 2.3 bits above c·log2(ℓ), and far below it if many clusters share a
    class, or each class has one.
    """

    choice: Language | None = None
    mixed: bool = field(default=True, init=False, repr=False)

    @property
    def name(self) -> str:
        """Name in the results: ``Mixed``, with the language of the choice."""
        return "Mixed" if self.choice is None else f"Mixed({self.choice.name})"

    def choice_bits(self, names: tuple[str, ...], n_clusters: npt.ArrayLike) -> Floats:
        """Bits of ``choice``, by default log2(M) for each clustering."""
        if self.choice is None:
            return np.full(len(names), math.log2(len(names)))
        return self.choice.choice_bits(names, n_clusters)


def _log2_count(count: int, name: str) -> float:
    """Bits log2(count) of one of ``count`` alternatives, after input validation."""
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise InputError(f"{name} must be a whole number of at least 1; got {count!r}")
    return math.log2(count)


def log2_factorials(largest: int) -> Floats:
    """Array of log2 of 0!, 1!, ..., largest!."""
    steps = np.log2(np.maximum(np.arange(largest + 1), 1).astype(np.longdouble))
    return np.cumsum(steps).astype(np.float64)


def log2_spreads(most: int, n_classes: int) -> Floats:
    """Array of log2 of the ways to label c = 0..most clusters with min(c, ℓ) different classes."""
    u = np.arange(n_classes + 1, dtype=np.float64)
    # onto[u]: log2 of the number of maps from c clusters onto u classes
    onto = np.full(n_classes + 1, -np.inf)
    onto[0] = 0.0
    chosen = log2_factorials(n_classes)
    chosen = chosen[-1] - chosen - chosen[::-1]
    out = np.zeros(most + 1)
    with np.errstate(divide="ignore"):
        log2_u = np.log2(u)
    for c in range(1, most + 1):
        onto[1:] = log2_u[1:] + np.logaddexp2(onto[1:], onto[:-1])
        onto[0] = -np.inf
        used = min(c, n_classes)
        out[c] = onto[used] + chosen[used]
    return out
