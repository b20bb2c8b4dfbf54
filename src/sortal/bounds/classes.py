"""Classes of a bound: the labels read, the list of classes, and the cost of an open list."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sortal.bounds.wording import BLIND, CLASSES_LISTED, DRAWN, RIGHT_LABEL
from sortal.labelings.labels import alike_names, count_labels, encode, known_labels, none_note
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.labelings.partitions import Labelings
    from sortal.typing import Ints, Labels

Classes: TypeAlias = Iterable[Any] | int | Literal["open"] | None
"""What ``classes=`` takes: the list, its length, or ``"open"`` (None) where nobody knows it."""

Clusterings: TypeAlias = "Labels | Mapping[str, Labels] | Labelings"
"""One clustering of all objects or several: one an element, a column or a row."""


@dataclass(frozen=True)
class KnownClasses:
    """Labels of the objects that a bound is about.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Class of each object, an index into ``names``; -1 where unknown.
    labelled : ndarray of int, shape (m,)
        Positions of the labelled objects.
    names : tuple
        The classes that a cluster may be given.
    nameless : int
        Number of placeholders at the end, for classes that nobody named.
    bits : float
        Bits that name the list of classes; 0 for a user-supplied list.
    read : str
        Number of labels read, by class.
    premises, doubts : tuple of str
        Premises of the guarantee, and reasons to doubt it.
    """

    codes: Ints
    labelled: Ints
    names: tuple[Any, ...]
    nameless: int
    bits: float
    read: str
    premises: tuple[str, ...]
    doubts: tuple[str, ...]

    def bits_once(self, delta: float) -> float:
        """Bits that name the list of classes where the number of labels was fixed beforehand.

        A tenth of delta bounds the number n_t of objects of each class from below. P(n_t) is the
        chance that at least m_t of them are among the m labelled. P(n_t) is below s with a chance
        of at most s. With s = delta/10 · n_t/n for each class these sum to delta/10. Otherwise n_t
        is at least the smallest k with P(k) ≥ delta/10 · m_t/n. A smaller one would have P(n_t) <
        delta/10 · m_t/n ≤ s. :func:`naming_bits` takes these k for the m_t; the other nine tenths
        of delta are log2(10/9) more bits.
        """
        from scipy.stats import hypergeom

        if self.bits == 0:
            return 0.0
        n, m = len(self.codes), len(self.labelled)
        least = []
        for count in np.bincount(self.codes[self.labelled]).tolist():
            level = 0.1 * delta * count / n * (1 - 1e-9)
            low, high = count - 1, n - (m - count)
            while high - low > 1:
                middle = (low + high) // 2
                if hypergeom.sf(count - 1, n, middle, m) >= level:
                    high = middle
                else:
                    low = middle
            least.append(high)
        return naming_bits(n, np.array(least)) + math.log2(10 / 9)


def listed_classes(classes: Classes) -> Any:
    """``classes`` as a list, a number, ``"open"`` or None; the class -1 becomes the text."""
    if classes is None or isinstance(classes, bool):
        listing: Any = classes
    elif isinstance(classes, (int, np.integer)):
        listing = int(classes)
    elif isinstance(classes, str):
        listing = classes
    else:
        plain = (v.item() if isinstance(v, np.generic) else v for v in classes)
        listing = list(dict.fromkeys("-1" if v == -1 else v for v in plain))
    if isinstance(listing, bool) or (isinstance(listing, str) and listing != "open"):
        raise InputError(f"classes must be a list, a number or 'open'; got {classes!r}")
    if listing == [] or (isinstance(listing, int) and listing < 1):
        raise InputError(f"classes must name at least one class; got {classes!r}")
    return listing


def known_classes(y: Labels, n: int, classes: Classes = None) -> KnownClasses:
    """Known classes of ``n`` objects, and the list of classes that the bound covers."""
    classes = listed_classes(classes)
    listed = classes if isinstance(classes, list) else None
    truth = known_labels(y, n, name="y", classes=listed or ())
    labelled = np.flatnonzero(truth != np.array(None, dtype=object))
    encoded = encode(truth[labelled], name="y")
    seen = list(encoded.names)
    codes = np.full(n, -1, dtype=np.int64)
    codes[labelled] = encoded.codes
    names, nameless, bits = seen, 0, 0.0
    premises: tuple[str, ...] = (DRAWN, BLIND, RIGHT_LABEL)
    if classes is not None and classes != "open":
        premises = (*premises, CLASSES_LISTED)
    if listed is not None:
        missing = [name for name in seen if name not in listed]
        if missing:
            raise InputError(f"y has {missing[0]!r}, which is not among the classes given")
        codes[labelled] = np.array([listed.index(name) for name in seen], dtype=np.int64)[
            encoded.codes
        ]
        names = listed
    elif isinstance(classes, int):
        if classes < len(seen):
            raise InputError(f"y has {len(seen)} classes, but classes says {classes}")
        nameless = int(classes) - len(seen)
        names = [*seen, *(f"unseen class {i + 1}" for i in range(nameless))]
    else:
        bits = naming_bits(n, np.bincount(encoded.codes))
    alike = alike_names(seen)
    return KnownClasses(
        codes=codes,
        labelled=labelled,
        names=tuple(names),
        nameless=nameless,
        bits=bits,
        read=count_labels(truth),
        premises=premises,
        doubts=(
            *(() if alike is None else (alike,)),
            *([] if listed else (note.rstrip(".") for note in none_note(seen))),
        ),
    )


def classes_of(labelled: Ints, classes: Ints, n: int) -> KnownClasses:
    """The same of objects whose classes are codes from 0, with an open list."""
    codes = np.full(n, -1, dtype=np.int64)
    codes[labelled] = classes
    counts = np.bincount(classes)
    bits = naming_bits(n, counts)
    return KnownClasses(
        codes, np.flatnonzero(codes >= 0), tuple(range(len(counts))), 0, bits, "", (), ()
    )


def naming_bits(n: int, counts: Ints) -> float:
    """Bits that name the classes seen among ``n`` objects, where the list is open.

    Each of the n objects has a class, labelled or not. So ℓ objects can name a list of ℓ classes.
    Each ℓ has a share of 1/(ℓ(ℓ+1)), and each set of ℓ objects 1/C(n, ℓ). A list has the sum of the
    shares of the sets with its classes: ∏ n_t / C(n, ℓ) with n_t objects of class t. None of this
    depends on which objects were labelled, so it is a share in the sense of the theorem. n_t is at
    least the number m_t of labelled objects of the class. So ∏ m_t / C(n, ℓ) is at most the share,
    and its bound is not lower.
    """
    seen = len(counts)
    log2_sets = (math.lgamma(n + 1) - math.lgamma(seen + 1) - math.lgamma(n - seen + 1)) / math.log(
        2
    )
    return float(log2_sets - np.log2(counts).sum() + math.log2(seen * (seen + 1)))
