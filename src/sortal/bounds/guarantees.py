"""Tightest guarantee that a few labels give, as one number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import wording
from sortal.bounds.classes import Classes
from sortal.bounds.classifiers import ComponentBound, of_clusters
from sortal.bounds.components import half, largest_class, learners
from sortal.bounds.confidence_sequence import b_always
from sortal.bounds.contradictions import contradiction, unordered
from sortal.bounds.ledger import Asked, ask_about
from sortal.bounds.pac_mdl import PacMdlBounds, bounds_of
from sortal.bounds.population import LabelledPopulation, population_of
from sortal.bounds.row_classes import RowClasses, row_classes
from sortal.bounds.sampling import PREFIXES, doubted_draw
from sortal.bounds.sequential import Starts
from sortal.bounds.skipped import Skipped
from sortal.bounds.tails import b_max, check_delta, log_level
from sortal.datasets import KnownLabels
from sortal.labelings.labels import NoisePolicy
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.bounds.classes import Clusterings
    from sortal.labelings.partitions import Labelings
    from sortal.typing import ArrayLike, Ints, Labels, RandomState

#: shares of delta of the components, by the one expected to give the lowest bound
SPLITS = {
    "half": {"half": 0.9, "pac-mdl": 0.08, "largest class": 0.02},
    "pac-mdl": {"half": 0.16, "pac-mdl": 0.82, "largest class": 0.02},
}


@dataclass(frozen=True)
class Guarantee(wording.Worded):
    """Guarantee that a few labels give about the best of several clusterings.

    Attributes
    ----------
    name : str
        Clustering chosen by the labels.
    n_clusters : int
    carrier : str
        Source of the predictions: ``"clustering"`` (each cluster has one class),
        ``"clusterings"`` (a classifier on the clusters of all of them), ``"clusterings and
        features"``, or ``"largest class"`` (the same class for all objects).
    bound : int
        Guaranteed maximum number of errors among the unlabelled objects, with probability at
        least ``1 - delta``.
    m, n : int
        Labelled and unlabelled objects with a predicted class.
    delta : float
        Allowed chance that the guarantee fails.
    method : str
        Component that gives the bound, a key of :data:`sortal.bounds.wording.METHODS`.
    anytime : bool
        Whether the bound holds at every number of labels at once.
    target : float or None
        The rate at which you mean to stop.
    parts : tuple of ComponentBound
        Bounds that hold together, the lowest first.
    row_classes : RowClasses
        Class of every object, with what is guaranteed of each class, and the confidence.
    cluster_labels : dict
        Class of each cluster of the clustering, by the user's cluster names. ``labels`` may differ
        from these classes if the guarantee has another carrier.
    errors, tested : int
        Errors on the test labels, and the number of test labels.
    constant_class : object
        The most common class among the labelled objects.
    constant_error_rate : float
        Share of the labelled objects of other classes.
    n_compared : int
        Number of clusterings compared.
    mdl : PacMdlBounds
        PAC-MDL bounds of all clusterings at their share of ``delta``; they hold together with the
        guarantee.
    warnings, premises : tuple of str
        Reasons to doubt the guarantee, and its premises.
    labels_read : str
        Number of labels read, by class.
    refused : str
        Reason why nothing is guaranteed if the labelled objects are no random draw, else empty.
    question : str
        Number of the question about these labels and its share of delta, where they are counted.
    skipped : int
        Objects of the draw without a label that were drawn before labelled ones. They count as
        errors.
    if_right : float or None
        What ``bound_rate`` would be if all of these were labelled, and right.
    """

    name: str
    n_clusters: int
    carrier: str
    bound: int
    m: int
    n: int
    delta: float
    method: str
    anytime: bool
    errors: int
    tested: int
    constant_class: Any
    constant_error_rate: float
    n_compared: int
    parts: tuple[ComponentBound, ...]
    row_classes: RowClasses = field(repr=False, compare=False)
    cluster_labels: dict[Any, Any] = field(repr=False)
    mdl: PacMdlBounds = field(repr=False, compare=False)
    warnings: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    labels_read: str = ""
    refused: str = ""
    target: float | None = None
    question: str = ""
    skipped: int = 0
    if_right: float | None = None

    @property
    def table(self) -> pd.DataFrame:
        """``mdl.table``, with the guarantee in the row of a clustering that carries it alone."""
        table = self.mdl.table.copy()
        table.insert(list(table).index("bits"), "tested", table["labelled"])
        columns = ["errors", "tested", "bound", "bound_rate"]
        if self.carrier == "clustering":
            table.loc[self.name, columns] = (self.errors, self.tested, self.bound, self.bound_rate)
        return table.astype(dict.fromkeys(columns[:3], np.int64))

    @property
    def sentence(self) -> str:
        """The guarantee in words, how surely it holds, and its premises."""
        if not self.skipped or self.refused or not self.n:
            return super().sentence
        return f"{super().sentence} {wording.skipped(self.skipped, self.if_right)}"

    @property
    def labels(self) -> NDArray[np.object_]:
        """Class of each object: its label, or the prediction; None where it is excluded."""
        return self.row_classes.labels

    @property
    def predicted(self) -> NDArray[np.object_]:
        """``labels`` under the name that :class:`PacMdlBound` has for it."""
        return self.labels

    @property
    def carried_by(self) -> str:
        """Source of the predictions, in words."""
        return wording.carrier_of(self)

    @property
    def reason(self) -> str:
        """Composition of the guarantee, in words."""
        return wording.reason_of(self)

    def counted(self, question: Asked, delta: float) -> Guarantee:
        """The same as the answer to a counted question, which is stored; ``delta`` is the whole."""
        if not self.refused:
            question.keep()
        premises = self.premises if question.number is None else wording.of_counted(self.premises)
        return replace(self, delta=float(delta), question=question.sentence, premises=premises)

    def refusing(self, reason: str) -> Guarantee:
        """The same without content, for this reason."""
        return replace(self, bound=self.n, refused=reason, mdl=self.mdl.refusing(reason))

    def __str__(self) -> str:
        return super().__str__() + (f"\n{self.question}" if self.question else "")


def guarantee(
    labelings: Clusterings,
    y: Labels | KnownLabels,
    delta: float = 0.1,
    *,
    anytime: bool | float = False,
    X: ArrayLike | None = None,
    order: npt.ArrayLike | None = None,
    taught: npt.ArrayLike | None = None,
    skipped: npt.ArrayLike | None = None,
    classes: Classes = None,
    noise: NoisePolicy = "error",
    random_state: RandomState = 0,
    ledger: str | Path | None = None,
) -> Guarantee:
    """Tightest guarantee that a few labels give about one or many clusterings.

    Several bounds share ``delta`` by a split fixed without the labels. All of them hold together,
    so the lowest may be reported.

    Parameters
    ----------
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        The clusterings of all objects, labelled and not. They must have been made without the
        labels.
    y : array-like, shape (n,), or KnownLabels
        The known classes; None, NaN or ``-1`` elsewhere. A series is joined to the clusterings by
        its index, and may have the labelled objects only. Which objects are labelled must have
        been drawn uniformly at random (:func:`sortal.bounds.sample`). What
        :func:`sortal.datasets.read_labels` returns has ``order``, ``taught`` and ``skipped`` too.
    delta : float, default 0.1
        Allowed chance that the guarantee fails, in (0, 1].
    anytime : bool or float, default False
        Whether the guarantee must hold at every number of labels at once, so that labelling may
        stop as soon as the guarantee is low enough. A number in (0, 1) is the rate at which you
        mean to stop; it takes fewer labels to get there. By default the number of labels was fixed
        beforehand.
    X : array-like or sparse matrix, shape (n, d), optional
        Features, for a classifier that uses them beside the clusters.
    order : array-like of int, optional
        Positions of the labelled objects in the order in which they were drawn. With ``anytime``
        the order gives much lower bounds; otherwise it decides which half chooses, unless the
        labels show that it is no random order.
    taught : array-like of int, optional
        Positions of labelled objects that were chosen without a label, to teach the classifier
        (:func:`sortal.labeling.teaching_objects`). The guarantee is about the others, from which
        the other labelled objects must have been drawn.
    skipped : array-like of int, optional
        For each object of ``order``, how many objects without a label were drawn before it. They
        count as errors of every clustering.
    classes : iterable, int or "open", optional
        As for :func:`sortal.pac_mdl_bound`; only the parts that use all labels need them.
    noise : {"error", "cluster", "singletons", "drop"}
        What the cluster label ``-1`` means; with ``"drop"`` an object that a clustering excludes
        gets its class from the others.
    random_state : int, Generator or None
        Seed of the halves, where no ``order`` is given, and of ties.
    ledger : path, optional
        The file of the labels, or its folder. The question is counted there, with those of ``sortal
        bound``, ``label`` and ``run`` (:class:`sortal.bounds.Ledger`), and has a share of delta. By
        default nothing is counted: you promise that this is the only question about these labels,
        and the printed sentence says so.

    Returns
    -------
    Guarantee
        ``.bound_rate``, ``.labels``, ``.row_classes.table`` (class, what is guaranteed of it, and
        confidence of every object), ``.carrier``, ``.name``; it prints as sentences.

    Raises
    ------
    InputError
        If no object is labelled, ``order`` does not name the labelled objects, or as for
        :func:`sortal.pac_mdl_bound`.

    See Also
    --------
    sortal.bounds.claims : About each cluster, each class, or answers that abstain.
    sortal.bounds.LabelSequence : The same for labels that keep coming, without starting anew.

    Notes
    -----
    For a fixed number of labels: *half* learns a classifier on half of the labels by any method
    (:class:`sortal.bounds.Learner`) and tests it exactly on the other half
    (:func:`sortal.bounds.b_max`). *pac-mdl* uses all labels for both and pays for the choice of one
    clustering. Half of the labels has 0.9 of delta, unless there is so little to choose that the
    description is shorter than the test.

    With ``anytime``: *start* learns at some numbers of labels and tests with every later one, by a
    confidence sequence (:class:`sortal.bounds.Starts`); *mdl-sequence* is *pac-mdl* by one.

    Labels are rejected if no random draw would spread them so over the clusters
    (:func:`sortal.bounds.doubted_draw`), and an order if it is no random one or the errors on test
    labels contradict a bound: the bound is then all objects, and ``refused`` has the reason.

    Proofs are on the page about the guarantee. O(M·(n + m + ℓ·c²)).

    Examples
    --------
    >>> import sortal
    >>> labelings = {"two": [0] * 500 + [1] * 500, "one": [0] * 1000}
    >>> y = [None] * 1000
    >>> for i in sortal.bounds.sample(1000, 100, random_state=3):
    ...     y[i] = "ham" if i < 500 else "spam"
    >>> best = sortal.guarantee(labelings, y)
    >>> best.name, best.method, best.bound
    ('two', 'pac-mdl', 72)
    """
    unreadable = 0
    if isinstance(y, KnownLabels):
        order, taught, skipped, unreadable = y.order, y.taught, y.skipped, len(y.draw.unreadable)
        y = y.values
    labelled = population_of(labelings, X, None, noise, taught).read(y, classes)
    question, share = None, delta
    if ledger is not None:
        options = {"anytime": anytime, "X": X is not None, "classes": classes, "delta": delta}
        question = ask_about(labelled, order, ledger, options)
        anytime, share = anytime or question.anytime, delta * question.share
    blank = Skipped.of(skipped, order)
    if anytime is False:
        answer = fixed_guarantee(labelled, share, order, blank, random_state)
    else:
        tests = Sequence(share, None if anytime is True else float(anytime))
        answer = tests.guarantee(labelled, order, blank, random_state)
    if question is not None:
        answer = answer.counted(question, delta)
    excused = (wording.unreadable(unreadable),) * bool(unreadable)
    return replace(answer, premises=(*answer.premises, *excused))


class LabelSequence:
    """Guarantee that holds at every number of labels while labels keep coming.

    Parameters
    ----------
    labelings, delta, X, taught, classes, noise
        As for :func:`sortal.guarantee`.
    target : float, optional
        The rate at which you mean to stop, in (0, 1).
    prior : mapping of str to float or array-like (M,), optional
        Shares of the clusterings, decided without the labels, with a sum of at most 1: likely
        clusterings are chosen with fewer labels. Even by default.

    Examples
    --------
    >>> import sortal
    >>> sequence = sortal.bounds.LabelSequence([0] * 500 + [1] * 500, target=0.1)
    >>> order, y = sortal.bounds.sample(1000, 100, random_state=3), [None] * 1000
    >>> for m, i in enumerate(order):
    ...     y[i] = int(i < 500)
    ...     if sequence.update(y, order[: m + 1]).bound_rate <= 0.1: break
    >>> m + 1
    59
    """

    def __init__(
        self,
        labelings: Clusterings,
        delta: float = 0.1,
        target: float | None = None,
        *,
        X: ArrayLike | None = None,
        taught: npt.ArrayLike | None = None,
        prior: Mapping[str, float] | npt.ArrayLike | None = None,
        classes: Classes = None,
        noise: NoisePolicy = "error",
    ) -> None:
        self._tests = Sequence(delta, target)
        self._population = population_of(labelings, X, prior, noise, taught)
        self._classes = classes

    def update(
        self,
        y: Labels,
        order: npt.ArrayLike | None = None,
        skipped: npt.ArrayLike | None = None,
        *,
        random_state: RandomState = 0,
    ) -> Guarantee:
        """Guarantee of these labels; ``order`` starts with the labels of the previous call.

        Parameters
        ----------
        y, order, skipped, random_state
            As for :func:`sortal.guarantee`.

        Returns
        -------
        Guarantee
            Its ``bound`` never rises while labels are only added, unless the draw is refused.
            As a share of the fewer unlabelled objects it may.
        """
        labelled = self._population.read(y, self._classes)
        return self._tests.guarantee(labelled, order, Skipped.of(skipped, order), random_state)


class Sequence:
    """The tests of a guarantee that holds at every number of labels, of validated input."""

    def __init__(self, delta: float, target: float | None) -> None:
        check_delta(delta)
        if target is not None and not 0 < target < 1:
            raise InputError(f"the target is a rate between 0 and 1; got {target!r}")
        self._delta = delta
        self._starts = Starts(delta, target)
        #: lowest bound of the previous call, with its class names, objects and their classes
        self._lowest: tuple[ComponentBound, tuple[Any, ...], Ints, list[Any]] | None = None

    def guarantee(
        self,
        labelled: LabelledPopulation,
        order: npt.ArrayLike | None,
        skipped: Skipped,
        random_state: RandomState,
    ) -> Guarantee:
        """Guarantee of these labels; ``order`` starts with the labels of the previous call."""
        guaranteed = self._updated(labelled, order, skipped, random_state)
        if skipped.count and not guaranteed.refused:
            blank = replace(skipped, are_errors=False)
            right = self._updated(labelled, order, blank, random_state)
            return _beside(guaranteed, right, skipped)
        return guaranteed

    def _updated(
        self,
        labelled: LabelledPopulation,
        order: npt.ArrayLike | None,
        skipped: Skipped,
        random_state: RandomState,
    ) -> Guarantee:
        """Guarantee of these labels and of the objects without one."""
        population = labelled.population
        batch, truth = population.batch, labelled.truth
        shares = self._starts.shares
        share = 1 - shares.largest_class if order is None else shares.mdl
        mdl = bounds_of(
            batch, truth, self._delta * share, population.language, random_state, once=False
        ).at_every_number(skipped)
        parts = [
            _described(mdl, "mdl-sequence", truth.labelled, skipped),
            largest_class(batch, truth, self._delta * shares.largest_class, b_always, skipped),
        ]
        doubt = None
        if order is not None:
            draw = population.drawn(order, truth.labelled, random_state)
            parts += self._starts.parts(labelled.learner, draw, truth.codes[draw], skipped)
            if not skipped.count:
                parts += self._earlier(labelled, draw, min(component.wrong for component in parts))
                drawn_classes = [labelled.names[code] for code in truth.codes[draw]]
                lowest = min(parts, key=lambda p: p.wrong)
                self._lowest = (lowest, labelled.names, draw, drawn_classes)
            sizes = [m for m in PREFIXES if m <= len(draw)]
            doubts = [doubted_draw(batch.codes, draw[:m], len(PREFIXES)) for m in sizes]
            doubt = min((d for d in doubts if d), key=lambda d: d.p, default=None)
            mdl = mdl.refusing(unordered(draw, truth.codes[draw]))
        guaranteed = _guarantee_of(
            labelled, parts, mdl.after(doubt), self._delta, (True, order is not None)
        )
        return replace(guaranteed, target=None if order is None else self._starts.target)

    def _earlier(
        self, labelled: LabelledPopulation, draw: Ints, lowest: int
    ) -> list[ComponentBound]:
        """Lowest bound of the previous call, if it is still below the current ones.

        What its classifier got wrong since is no longer hidden.
        """
        if self._lowest is None:
            return []
        component, names, drawn_before, classes_before = self._lowest
        codes, since = labelled.truth.codes, draw[len(drawn_before) :]
        same = np.array_equal(drawn_before, draw[: len(drawn_before)])
        if not same or [labelled.names[code] for code in codes[drawn_before]] != classes_before:
            return []
        number = {name: i for i, name in enumerate(labelled.names)}
        if any(name not in number for name in names):
            return []
        renumbered = np.array([*(number[name] for name in names), -1])
        classifier = component.classifier
        classifier = replace(
            classifier,
            predicted=renumbered[classifier.predicted],
            labels=renumbered[classifier.labels],
        )
        errors, n_predicted = classifier.wrong(since, codes[since])
        updated = replace(
            component,
            classifier=classifier,
            bound=component.bound - errors,
            n=component.n - n_predicted,
            errors=component.errors + errors,
            tested=component.tested + n_predicted,
            excluded=component.excluded - (len(since) - n_predicted),
            test=None if component.test is None else np.append(component.test, since),
        )
        return [updated] if updated.wrong < lowest else []


def fixed_guarantee(
    labelled: LabelledPopulation,
    delta: float,
    order: npt.ArrayLike | None,
    skipped: Skipped,
    random_state: RandomState,
) -> Guarantee:
    """Guarantee for a number of labels fixed beforehand, of validated input."""
    check_delta(delta)
    draw = (
        labelled.population.drawn(order, labelled.truth.labelled, random_state)
        if skipped.count
        else labelled.halved(order, random_state)
    )
    guaranteed = _fixed(labelled, delta, draw, skipped, random_state)
    if skipped.count and not guaranteed.refused:
        right = _fixed(labelled, delta, draw, replace(skipped, are_errors=False), random_state)
        return _beside(guaranteed, right, skipped)
    return guaranteed


def _beside(guaranteed: Guarantee, right: Guarantee, skipped: Skipped) -> Guarantee:
    """Guarantee with objects without a label, beside what it were if these were right."""
    rate = min(1.0, right.bound / max(1, right.n - skipped.count))
    premises = tuple(wording.ORDER if p == wording.IN_ORDER else p for p in guaranteed.premises)
    return replace(guaranteed, skipped=skipped.count, if_right=rate, premises=premises)


def _fixed(
    labelled: LabelledPopulation,
    delta: float,
    draw: Ints,
    skipped: Skipped,
    random_state: RandomState,
) -> Guarantee:
    """Guarantee of labels, the half that chooses first, and of the objects without one."""
    learner, truth = labelled.learner, labelled.truth
    batch, language = labelled.population.batch, labelled.population.language
    # without an order it is not known whether an object without a label helped to choose
    doubt = unordered(draw, truth.codes[draw]) if skipped.count else ""
    n_drawn = len(draw) + skipped.count
    shares = _split(batch, n_drawn, n_drawn - learners(learner, n_drawn), delta)
    share = delta * shares["pac-mdl"]
    mdl = bounds_of(batch, truth, share, language, random_state, skipped=skipped)
    parts = [
        half(learner, truth, draw, delta * shares["half"], skipped),
        _described(mdl, "pac-mdl", truth.labelled, skipped),
        largest_class(batch, truth, delta * shares["largest class"], b_max, skipped),
    ]
    mdl = mdl.after(doubted_draw(batch.codes, truth.labelled)).refusing(doubt)
    return _guarantee_of(labelled, parts, mdl, delta, (False, False))


def _described(mdl: PacMdlBounds, method: str, labelled: Ints, skipped: Skipped) -> ComponentBound:
    """Lowest PAC-MDL bound as a component of the guarantee."""
    best, row = mdl.best, mdl.lowest
    excluded = int(mdl.table["excluded"].iloc[row])
    chosen = of_clusters(mdl.labelings, row, mdl.cluster_classes[row])
    return ComponentBound(
        method, chosen, best.bound, best.n, best.errors, best.m, mdl.delta, excluded,
        test=None if skipped.count else labelled, bits=best.bits,
    )  # fmt: skip


def _guarantee_of(
    labelled: LabelledPopulation,
    parts: list[ComponentBound],
    mdl: PacMdlBounds,
    delta: float,
    anytime: tuple[bool, bool],
) -> Guarantee:
    """Guarantee made from the lowest of its component bounds."""
    batch, truth = mdl.labelings, labelled.truth
    mdl = mdl.refusing(contradiction(parts))
    if mdl.refused:
        parts = [replace(component, bound=component.n) for component in parts]
    parts = sorted(parts, key=lambda component: component.wrong)
    best = parts[0]
    classifier = best.classifier
    names = np.array([*labelled.names, None], dtype=object)
    per_class = np.bincount(truth.codes[truth.labelled], minlength=len(truth.names))
    premises = mdl.premises
    if "mdl" not in best.method:
        premises = tuple(premise for premise in premises if premise != wording.CLASSES_LISTED)
    only = (wording.ONLY_QUESTION,) if anytime[0] else ()
    return Guarantee(
        name=batch.names[classifier.row],
        n_clusters=int(batch.n_clusters[classifier.row]),
        carrier=classifier.carrier,
        bound=best.bound,
        m=int((classifier.predicted[truth.labelled] >= 0).sum()),
        n=best.n,
        delta=float(delta),
        method=best.method,
        anytime=anytime[0],
        errors=best.errors,
        tested=best.tested,
        constant_class=truth.names[int(per_class.argmax())],
        constant_error_rate=float(1 - per_class.max() / per_class.sum()),
        n_compared=len(batch),
        parts=tuple(parts),
        row_classes=row_classes(best, labelled),
        cluster_labels=dict(
            zip(batch.cluster_names[classifier.row], names[classifier.labels], strict=True)
        ),
        mdl=mdl,
        warnings=mdl.warnings,
        premises=(*premises, *(wording.IN_ORDER,) * all(anytime), *only),
        labels_read=truth.read,
        refused=mdl.refused,
    )


def _split(batch: Labelings, m: int, half: int, delta: float) -> dict[str, float]:
    """Shares of delta, fixed without the labels for an expected error rate of a tenth."""
    n = batch.n_objects - m
    bits = np.log2(len(batch)) + int(batch.n_clusters.min())
    described = b_max(m, n, m // 10, log_delta=log_level(delta / 2, bits))
    tested = b_max(half, n, half // 10, log_delta=log_level(delta / 2))
    return SPLITS["pac-mdl" if described < tested else "half"]
