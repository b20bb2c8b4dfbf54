"""Prefix codes: a share of the allowed risk for each of a set of messages.

A message is a number, a choice, the labels of c clusters, a pruning of a tree. A share ``p`` is a
length of ``-log2(p)`` bits, and the shares of a code sum to at most 1 (Kraft's inequality). Codes
combine by :class:`Sequence` and :class:`Mixture`.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Code(ABC):
    """A share of the risk for each message; the shares sum to at most 1.

    Subclasses give :meth:`probability`, exactly, and :meth:`messages` where there are finitely
    many. Everything else follows.
    """

    @abstractmethod
    def probability(self, message: Any) -> Fraction:
        """Share of ``message``, exactly."""

    def messages(self) -> Iterator[Any]:
        """Every message once; only where there are finitely many."""
        raise InputError(f"{type(self).__name__} has infinitely many messages")

    def bits(self, message: Any) -> float:
        """Length of ``message``; infinite where the code has no word for it."""
        p = self.probability(message)
        return math.inf if p == 0 else math.log2(p.denominator) - math.log2(p.numerator)

    def kraft(self) -> Fraction:
        """Sum of all shares, exactly, by going through the messages of a finite code."""
        return sum((self.probability(message) for message in self.messages()), Fraction(0))


@dataclass(frozen=True)
class Integer(Code):
    """A whole number i ≥ ``first``, with share 1/(j(j+1)), j = i − first + 1.

    The shares sum to 1, for 1/(j(j+1)) = 1/j − 1/(j+1) (banerjee2004, section 3.2; there with
    ``first=2``, which gives the number of clusters c the length log2(c(c−1))).

    Examples
    --------
    >>> from karat.bounds.codes import Integer
    >>> round(Integer(first=2).bits(3), 3)
    2.585
    """

    first: int = 1

    def probability(self, message: int) -> Fraction:
        """Share of a number; 0 below ``first``."""
        j = int(message) - self.first + 1
        return Fraction(1, j * (j + 1)) if j >= 1 else Fraction(0)


class Choice(Code):
    """One of several alternatives, with even or given shares.

    Parameters
    ----------
    alternatives : int, iterable of hashable, or mapping
        How many, or which; a mapping gives each its weight. Weights are normalised to sum to 1.

    Raises
    ------
    InputError
        If there is none, or a weight is not positive and finite.

    Examples
    --------
    >>> from karat.bounds.codes import Choice
    >>> Choice(8).bits(0), Choice({"kmeans": 3, "average": 1}).bits("average")
    (3.0, 2.0)
    """

    def __init__(self, alternatives: Any) -> None:
        if isinstance(alternatives, Mapping):
            weights = {key: _weight(value) for key, value in alternatives.items()}
        elif isinstance(alternatives, int):
            weights = {key: Fraction(1) for key in range(alternatives)}
        else:
            weights = {key: Fraction(1) for key in alternatives}
        if not weights:
            raise InputError("a choice needs at least one alternative")
        total = sum(weights.values(), Fraction(0))
        self._shares: dict[Hashable, Fraction] = {k: w / total for k, w in weights.items()}

    def probability(self, message: Hashable) -> Fraction:
        """Share of an alternative; 0 for what is none."""
        return self._shares.get(message, Fraction(0))

    def messages(self) -> Iterator[Hashable]:
        """The alternatives."""
        return iter(self._shares)


def _weight(value: Any) -> Fraction:
    if not (value > 0 and math.isfinite(value)):
        raise InputError(f"weights must be positive and finite; got {value!r}")
    return Fraction(value)


@dataclass(frozen=True)
class _Labels(Code):
    """Labels 0..n_classes−1 of clusters; clusters are ordered from large to small."""

    n_clusters: int
    n_classes: int

    def messages(self) -> Iterator[tuple[int, ...]]:
        """Every vector of cluster labels."""
        return itertools.product(range(self.n_classes), repeat=self.n_clusters)


class UniformLabels(_Labels):
    """Every vector of cluster labels alike: c·log2(ℓ) bits (banerjee2004, eq. 1)."""

    def probability(self, message: tuple[int, ...]) -> Fraction:
        """Share of a label vector."""
        return Fraction(1, self.n_classes**self.n_clusters)


class HistogramLabels(_Labels):
    """First how many clusters each class has, then which: short where most share a class.

    There are C(c+ℓ−1, ℓ−1) histograms, each with the same share, and c!/(h_1!···h_ℓ!) label
    vectors to a histogram, each with the same share of it; so the shares sum to exactly 1.
    """

    def probability(self, message: tuple[int, ...]) -> Fraction:
        """Share of a label vector."""
        c, classes = self.n_clusters, self.n_classes
        vectors = math.factorial(c)
        for h in Counter(message).values():
            vectors //= math.factorial(h)
        return Fraction(1, math.comb(c + classes - 1, classes - 1) * vectors)


class DefaultLabels(_Labels):
    """A default class, and the clusters that deviate from it.

    A class in log2(ℓ) bits, the number j of exceptions to it in log2(c+1), which ones in log2
    C(c, j), their classes in j·log2(ℓ−1). A vector has a word for each class as the default, and
    the sum of their shares; so the shares of all vectors sum to exactly 1.
    """

    def probability(self, message: tuple[int, ...]) -> Fraction:
        """Share of a label vector."""
        c, classes = self.n_clusters, self.n_classes
        if classes == 1:
            return Fraction(1)
        counts = Counter(message)
        odd = (c - counts[default] for default in range(classes))
        words = (math.comb(c, j) * (classes - 1) ** j for j in odd)
        return sum((Fraction(1, w) for w in words), Fraction(0)) / (classes * (c + 1))


class LeadingLabels(_Labels):
    """Labels for the j largest clusters, and one class for all the smaller ones.

    j in 0..c−1 takes log2(c) bits, the class of the smaller ones log2(ℓ), that of the last of the
    j larger ones, which is another, log2(ℓ−1), and those before it log2(ℓ) each. Every vector has
    one word, so the shares sum to exactly 1.
    """

    def probability(self, message: tuple[int, ...]) -> Fraction:
        """Share of a label vector, the largest cluster's label first."""
        c, classes = self.n_clusters, self.n_classes
        if classes == 1:
            return Fraction(1)
        lead = c - 1
        while lead > 0 and message[lead - 1] == message[-1]:
            lead -= 1
        last = classes - 1 if lead else 1
        return Fraction(1, c * classes ** max(lead, 1) * last)


class SpreadLabels(_Labels):
    """Labels that use as many different classes as they can, min(c, ℓ) of them, all alike.

    C(ℓ, u) choices of the u classes times the u!·S(c, u) maps onto them (S: Stirling numbers of
    the second kind). The shares of these vectors sum to exactly 1; others have no word.
    """

    def probability(self, message: tuple[int, ...]) -> Fraction:
        """Share of a label vector; 0 where it uses fewer classes."""
        c, classes = self.n_clusters, self.n_classes
        used = min(c, classes)
        if len(set(message)) < used:
            return Fraction(0)
        onto = sum((-1) ** i * math.comb(used, i) * (used - i) ** c for i in range(used + 1))
        return Fraction(1, math.comb(classes, used) * onto)


class Sequence(Code):
    """Several messages one after the other: lengths add, Kraft sums multiply.

    Examples
    --------
    >>> from karat.bounds.codes import Choice, Sequence
    >>> Sequence(Choice(4), Choice("ab")).bits((3, "a"))
    3.0
    """

    def __init__(self, *codes: Code) -> None:
        self._codes = codes

    def probability(self, message: Any) -> Fraction:
        """Product of the shares of the parts."""
        return math.prod(
            (code.probability(part) for code, part in zip(self._codes, message, strict=True)),
            start=Fraction(1),
        )

    def messages(self) -> Iterator[Any]:
        """Every combination of the parts' messages."""
        return itertools.product(*(code.messages() for code in self._codes))


class Mixture(Code):
    """Several codes for the same messages: never more than log2(number) bits above the best.

    The share of a message is the mean of its shares, Σ p_i/N ≥ max p_i/N. So a mixture costs at
    most log2(N) bits more than whichever code turns out best, and no choice need be made.

    Parameters
    ----------
    *codes : Code
        They agree on what the messages are.
    """

    def __init__(self, *codes: Code) -> None:
        if not codes:
            raise InputError("a mixture needs at least one code")
        self._codes = codes

    def probability(self, message: Any) -> Fraction:
        """Mean of the shares."""
        shares = (code.probability(message) for code in self._codes)
        return sum(shares, Fraction(0)) / len(self._codes)

    def messages(self) -> Iterator[Any]:
        """Every message that some code has a word for."""
        seen = set()
        for code in self._codes:
            for message in code.messages():
                if message not in seen:
                    seen.add(message)
                    yield message


def mixed_labels(n_clusters: int, n_classes: int) -> Mixture:
    """The even mixture of the five label codes, which :class:`Mixed` uses; its shares sum to 1.

    Parameters
    ----------
    n_clusters, n_classes : int
        At least 1 each.

    Returns
    -------
    Mixture
    """
    codes = (UniformLabels, HistogramLabels, DefaultLabels, LeadingLabels, SpreadLabels)
    return Mixture(*(code(n_clusters, n_classes) for code in codes))


def check_kraft(bits: Any, *, what: str = "lengths") -> float:
    """The Kraft sum Σ 2^-bits, which must not exceed 1.

    Parameters
    ----------
    bits : array-like of float
        Lengths of all the words of a code.
    what : str
        What they are, for the message.

    Returns
    -------
    float
        The sum, in [0, 1 + 1e-9].

    Raises
    ------
    InputError
        If it exceeds 1: such a code promises more than it can keep.

    Examples
    --------
    >>> from karat.bounds.codes import check_kraft
    >>> check_kraft([1, 2, 2])
    1.0
    """
    lengths = np.asarray(bits, dtype=np.float64)
    if np.isnan(lengths).any() or (lengths < 0).any():
        raise InputError(f"{what} must be lengths in bits, at least 0")
    total = math.fsum(np.exp2(-lengths))
    if total > 1 + 1e-9:
        raise InputError(
            f"{what} break Kraft's inequality: the sum of 2^-bits is {total:.6g}, and it must be "
            f"at most 1. Add log2({total:.6g}) = {math.log2(total):.4g} bits to each"
        )
    return total


def log2_factorials(largest: int) -> NDArray[np.float64]:
    """log2 of 0!, 1!, ..., largest!."""
    steps = np.log2(np.maximum(np.arange(largest + 1), 1).astype(np.longdouble))
    return np.cumsum(steps).astype(np.float64)


def log2_spreads(most: int, n_classes: int) -> NDArray[np.float64]:
    """log2 of the number of ways to label c = 0..most clusters with min(c, ℓ) different classes."""
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
