"""One number: the tightest guarantee that a few labels give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import _always, _pac_bayes
from karat.bounds._bound import METHODS, PacMdlBounds, _levels, bounds_of
from karat.bounds._choosing import Chooser
from karat.bounds._halves import Part, described, half
from karat.bounds._sequence import b_always
from karat.bounds._tails import b_max
from karat.bounds._words import conditions_of, html_of, sentence_of, text_of
from karat.bounds.classes import BLIND, DRAWN, Classes, KnownClasses, known_classes
from karat.bounds.languages import Language, Mixed, Prior
from karat.labelings.labels import NOISE, NoisePolicy
from karat.labelings.partitions import Labelings, as_labelings
from karat.runtime.validation import InputError, check_random_state

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

#: shares of delta of the three parts, where the test of half of the labels is expected to win and
#: where the shortest description is
SPLITS = {
    "half": {"half": 0.9, "pac-mdl": 0.08, "pac-bayes": 0.02},
    "pac-mdl": {"half": 0.18, "pac-mdl": 0.8, "pac-bayes": 0.02},
}
#: parts that need no list of classes
BY_HALF = ("half", "looks", "sequence")


@dataclass(frozen=True)
class Guarantee:
    """What a few labels guarantee about the best of some clusterings.

    Attributes
    ----------
    name : str
        The clustering.
    n_clusters : int
    bound : int
        With probability at least ``1 - delta`` no more unlabelled objects are mislabelled.
    m, n : int
        Labelled and unlabelled objects that the clustering holds.
    delta : float
        Allowed chance that the guarantee fails.
    method : str
        The part that made it: ``"half"``, ``"pac-mdl"`` or ``"pac-bayes"``; with ``anytime``
        ``"looks"``, ``"sequence"`` or ``"mdl-sequence"``.
    anytime : bool
        Whether it holds at every number of labels at once.
    parts : tuple of Part
        The best bound of each part, the lowest first; they all hold together.
    labels : ndarray of object, shape (objects,)
        Class given to each object; None where the clustering excludes it.
    cluster_labels : dict
        Class given to each cluster, by the user's cluster names.
    errors, tested : int
        Errors on the labels that were the test, and how many those were.
    constant_class : object
        The most common class among the labelled objects.
    constant_bound : int
        Bound at the same ``delta`` of the classifier that always says so.
    n_compared : int
        Of how many clusterings it is one.
    mdl : PacMdlBounds
        The PAC-MDL bounds of all clusterings at their share of ``delta``: they hold together
        with the guarantee.
    warnings, premises : tuple of str
        Reasons to doubt the guarantee, and what it rests on.
    labels_read : str
        How many labels of which classes were read.
    """

    name: str
    n_clusters: int
    bound: int
    m: int
    n: int
    delta: float
    method: str
    anytime: bool
    errors: int
    tested: int
    constant_class: Any
    constant_bound: int
    n_compared: int
    parts: tuple[Part, ...]
    labels: NDArray[np.object_] = field(repr=False, compare=False)
    cluster_labels: dict[Any, Any] = field(repr=False)
    mdl: PacMdlBounds = field(repr=False, compare=False)
    warnings: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    labels_read: str = ""

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unlabelled objects; 0 where there are none."""
        return self.bound / self.n if self.n else 0.0

    @property
    def constant_bound_rate(self) -> float:
        """Bound of the constant classifier as a share of the unlabelled objects."""
        return self.constant_bound / self.n if self.n else 0.0

    @property
    def table(self) -> pd.DataFrame:
        """``mdl.table`` with the guarantee in the row of its clustering; all of it holds."""
        table = self.mdl.table.copy()
        table.insert(list(table).index("bits"), "tested", table["labelled"])
        row = (self.errors, self.tested, self.bound, self.bound_rate)
        columns = ["errors", "tested", "bound", "bound_rate"]
        table.loc[self.name, columns] = row
        table["constant_bound_rate"] = self.constant_bound_rate
        return table.astype(dict.fromkeys(columns[:3], np.int64))

    @property
    def predicted(self) -> NDArray[np.object_]:
        """``labels`` under the name that :class:`PacMdlBound` has for it."""
        return self.labels

    @property
    def sentence(self) -> str:
        """The guarantee in words."""
        return sentence_of(self)

    @property
    def how(self) -> str:
        """What the method is, in words."""
        return METHODS[self.method]

    @property
    def reason(self) -> str:
        """What the guarantee is made of, in words."""
        chosen = f", one of {self.n_compared:,} compared" if self.n_compared > 1 else ""
        held = " It holds at every number of labels at once." if self.anytime else ""
        return (
            f"{self.name!r}{chosen}: {self.n_clusters} clusters, {self.errors:,} "
            f"error{'s' * (self.errors != 1)} on {self.tested:,} labelled objects; "
            f"{self.method}: {self.how}.{held}"
        )

    @property
    def conditions(self) -> str:
        """What was read and what the guarantee rests on, in words."""
        return conditions_of(self)

    def __str__(self) -> str:
        return text_of(self)

    def _repr_html_(self) -> str:
        return html_of(self)


def guarantee(
    labelings: Any,
    y_few: Any,
    delta: float = 0.1,
    anytime: bool = False,
    *,
    order: Any = None,
    prior: Any = None,
    classes: Classes = None,
    noise: NoisePolicy = "error",
    random_state: Any = 0,
) -> Guarantee:
    """The tightest guarantee that a few labels give about one or many clusterings.

    Several bounds share ``delta``, by a split that is fixed without the labels, so that all of
    them hold together and the lowest may be reported.

    Parameters
    ----------
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        The clusterings of all objects, labelled and not. They must have been made without the
        labels.
    y_few : array-like, shape (n,)
        The known classes; None, NaN or ``-1`` elsewhere. Which objects are labelled must have
        been drawn uniformly at random (:func:`karat.bounds.sample`).
    delta : float, default 0.1
        Allowed chance that the guarantee fails, in (0, 1].
    anytime : bool, default False
        Whether it must hold at every number of labels at once, so that labelling may stop as soon
        as the guarantee is low enough. Otherwise the number was fixed beforehand.
    order : array-like of int, optional
        Positions of the labelled objects in the order in which they were drawn. With ``anytime``
        it gives much lower bounds; otherwise it says which half chooses.
    prior : mapping of str to float or array-like (M,), optional
        Shares of the clusterings, decided without the labels, with a sum of at most 1: likely
        clusterings are chosen with fewer labels. Even by default.
    classes : iterable, int or "open", optional
        As for :func:`karat.pac_mdl_bound`; only the parts that use all labels need them.
    noise : {"error", "cluster", "singletons", "drop"}
        What the cluster label ``-1`` means; with ``"drop"`` the bound is about the objects that
        the clustering holds.
    random_state : int, Generator or None
        Seed of the halves, where no ``order`` is given, and of ties.

    Returns
    -------
    Guarantee
        ``.name``, ``.bound_rate``, ``.method``, ``.labels``; it prints as sentences.

    Raises
    ------
    InputError
        If no object is labelled, ``order`` does not name the labelled objects, the prior breaks
        Kraft's inequality, or as for :func:`karat.pac_mdl_bound`.

    See Also
    --------
    karat.pac_mdl_bound : One of the parts, for every clustering.
    karat.bounds.b_always : The confidence sequence.

    Notes
    -----
    For a fixed number of labels: *half* chooses a clustering and the classes of its clusters on
    half of the labels, where anything is allowed, and tests that one classifier exactly on the
    other half (:func:`karat.bounds.b_max`). *pac-mdl* uses all labels for both and pays for the
    choice. *pac-bayes* uses all labels for an average of classifiers (derbeko2004) and turns its
    bound into one for the most probable classifier. Half of the labels has 0.9 of delta, unless
    there is so little to choose that the description is shorter than the test.

    With ``anytime``: *looks* tests half of the labels at planned numbers of labels and carries
    each result to the later ones; *sequence* chooses at planned numbers and follows each choice
    with a confidence sequence; *mdl-sequence* does so for all classifiers from the first label on.

    Proofs are on the page about the guarantee. O(M·(n + m + ℓ·c²)).

    Examples
    --------
    >>> import karat
    >>> labelings = {"two": [0] * 500 + [1] * 500, "one": [0] * 1000}
    >>> y = [None] * 1000
    >>> for i in karat.bounds.sample(1000, 100, random_state=3):
    ...     y[i] = "ham" if i < 500 else "spam"
    >>> found = karat.guarantee(labelings, y)
    >>> found.name, found.method, found.bound
    ('two', 'pac-mdl', 42)
    """
    if not 0 < delta <= 1:
        raise InputError(f"delta must be in (0, 1]; got {delta!r}")
    batch = as_labelings(labelings, noise=noise)
    truth = known_classes(y_few, batch.n_objects, classes)
    if anytime and classes is None:
        # where labels keep coming, the list of classes is not what was seen so far
        truth = known_classes(y_few, batch.n_objects, "open")
    language = _language(prior, batch)
    bits = language.choice_bits(batch.names, batch.n_clusters)
    return guarantee_of(batch, truth, delta, language, bits, anytime, order, random_state)


def guarantee_of(
    batch: Labelings,
    truth: KnownClasses,
    delta: float,
    language: Language,
    bits: Any,
    anytime: bool = False,
    order: Any = None,
    random_state: Any = 0,
    by_language: bool = False,
    chooser: Chooser | None = None,
) -> Guarantee:
    """:func:`guarantee` of validated clusterings and labels.

    ``language`` says what naming a clustering costs where all labels are the test, ``bits`` which
    clusterings are likely where a half chooses; with ``by_language`` the language chooses there,
    and a ``chooser`` goes before both.
    """
    drawn = _order(order, truth.known, random_state)
    bits = np.asarray(bits, dtype=np.float64)
    if anytime:
        share = 1.0 if order is None else _always.SHARES["mdl-sequence"]
    else:
        shares = _split(batch, len(truth.known), delta)
        share = shares["pac-mdl"]
    mdl = bounds_of(batch, truth, delta * share, language, random_state)
    if mdl.kraft > 1 + 1e-9:
        raise InputError(f"the shares of the prior sum to {mdl.kraft:.6g}, more than 1")
    if anytime:
        mdl = _always.at_every_number(mdl)
        parts = [described(mdl, "mdl-sequence")]
        if order is not None:
            parts += _always.parts(batch, truth, drawn, bits, delta)
    else:
        naming = np.asarray(language.choice_bits(batch.names, batch.n_clusters), dtype=np.float64)
        parts = [
            half(
                batch,
                truth,
                drawn,
                bits,
                delta * shares["half"],
                language if by_language else None,
                chooser,
            ),
            described(mdl, "pac-mdl"),
            *_pac_bayes.parts(batch, truth, naming, delta * shares["pac-bayes"], mdl),
        ]
    parts = sorted(parts, key=lambda part: part.wrong)
    return _finish(batch, truth, tuple(parts), mdl, delta, anytime, order is not None)


def _finish(
    batch: Labelings,
    truth: KnownClasses,
    parts: tuple[Part, ...],
    mdl: PacMdlBounds,
    delta: float,
    anytime: bool,
    ordered: bool,
) -> Guarantee:
    best = parts[0]
    names = np.empty(len(truth.names) + 1, dtype=object)
    names[:-1] = truth.names
    codes = batch.codes[best.row]
    shown = np.append(best.labels, len(truth.names))
    per_class = np.bincount(truth.codes[truth.known], minlength=len(truth.names))
    m = len(truth.known)
    constant = int(per_class.argmax())
    naming = np.log2(len(truth.names)) + truth.bits
    of_constant = b_always if anytime else b_max
    constant_bound = of_constant(
        m, best.n, m - int(per_class[constant]), log_delta=float(_levels(delta, naming))
    )
    premises = mdl.premises if best.method not in BY_HALF else (DRAWN, BLIND)
    if anytime and ordered:
        premises = (*premises, "the order given is that of the draw, and no label was skipped")
    return Guarantee(
        name=batch.names[best.row],
        n_clusters=int(batch.n_clusters[best.row]),
        bound=best.bound,
        m=int((codes[truth.known] >= 0).sum()),
        n=best.n,
        delta=float(delta),
        method=best.method,
        anytime=anytime,
        errors=best.errors,
        tested=best.tested,
        constant_class=truth.names[constant],
        constant_bound=int(constant_bound),
        n_compared=len(batch),
        parts=tuple(replace(part, name=batch.names[part.row]) for part in parts),
        labels=names[np.where(codes == NOISE, len(truth.names), shown[codes])],
        cluster_labels=dict(zip(batch.cluster_names[best.row], names[best.labels], strict=True)),
        mdl=mdl,
        warnings=mdl.warnings,
        premises=premises,
        labels_read=truth.read,
    )


def _language(prior: Any, batch: Labelings) -> Language:
    if prior is None:
        return Mixed()
    if not isinstance(prior, Mapping):
        shares = np.asarray(prior, dtype=np.float64)
        if shares.shape != (len(batch),):
            raise InputError(
                f"prior must have a share for each of the {len(batch)} clusterings; its shape is "
                f"{shares.shape}"
            )
        prior = dict(zip(batch.names, shares.tolist(), strict=True))
    return Mixed(Prior({str(name): float(share) for name, share in prior.items()}))


def _order(order: Any, known: NDArray[np.intp], random_state: Any) -> NDArray[np.intp]:
    """The labelled objects in the order of the draw, or in any random order."""
    if order is None:
        shuffled: NDArray[np.intp] = check_random_state(random_state).permutation(known)
        return shuffled
    given = np.asarray(order)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise InputError("order must be positions of objects: whole numbers from 0")
    if not np.array_equal(np.sort(given), known):
        raise InputError(
            f"order must have each labelled object once: {len(known)} are labelled, and it has "
            f"{len(given)} positions, {len(np.setdiff1d(given, known))} of them unlabelled"
        )
    return given.astype(np.intp)


def _split(batch: Labelings, m: int, delta: float) -> dict[str, float]:
    """Shares of delta, fixed without the labels: a tenth wrong is what the plan is made for."""
    n = batch.n_objects - m
    half = m - m // 2
    bits = np.log2(len(batch)) + int(batch.n_clusters.min())
    described = b_max(m, n, m // 10, log_delta=float(_levels(delta / 2, bits)))
    tested = b_max(half, n, half // 10, log_delta=float(_levels(delta / 2, 0.0)))
    return SPLITS["pac-mdl" if described < tested else "half"]
