"""What the answers of a session guarantee so far, in words that hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bounds import LabelSequence, b_always, percent_up
from karat.bounds.wording import chance, percent_down, premises
from karat.labeling.agreement import Agreement, agreement_of
from karat.labeling.session import UNKNOWN, LabelSession

if TYPE_CHECKING:
    from karat.bounds import Guarantee

#: share of delta that the labellers' own errors get, where an expert's labels are there
NOISE_SHARE = 0.2


@dataclass(frozen=True)
class Standing:
    """What the labels of a session guarantee so far.

    Attributes
    ----------
    found : Guarantee
        It holds at every number of labels at once.
    noise : int
        Bound on the labellers' own errors among the other objects; 0 without an expert.
    common, differ : int
        Objects that the expert labelled too, and how many of them differently.
    team : Agreement or None
        Of two labellers about the objects that both labelled.
    unknown : int
        Labelled objects whose class the labeller did not know.
    """

    found: Guarantee
    noise: int = 0
    common: int = 0
    differ: int = 0
    team: Agreement | None = None
    unknown: int = 0

    @property
    def bound(self) -> int:
        """Of the unlabelled objects so many are mislabelled at most."""
        return min(self.found.bound + self.noise, self.found.n)

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unlabelled objects."""
        return self.bound / self.found.n if self.found.n else 0.0

    @property
    def delta(self) -> float:
        """The chance that it fails."""
        return self.found.delta / (1 - NOISE_SHARE) if self.common else self.found.delta

    @property
    def sentence(self) -> str:
        """The guarantee in words."""
        found, told = self.found, []
        if not self.common or found.refused or found.n == 0:
            told.append(found.sentence)
        else:
            told.append(
                f"At most {percent_up(self.bound_rate)} of the {found.n:,} objects you did not "
                f"label have another class than the expert would give them: {found.bound:,} by "
                f"the classifier, and {self.noise:,} by your labels, of which {self.differ:,} of "
                f"{self.common:,} are not the expert's. {chance(self.delta)} "
                f"{premises((*found.premises, 'the objects that the expert labelled were drawn'))}"
            )
        if self.unknown:
            told.append(
                f"{self.unknown:,} labelled object{'s' * (self.unknown != 1)} got the answer "
                f"{UNKNOWN!r}, which counts as a class of its own: where you would give it, any "
                "other class is wrong."
            )
        if self.team is not None:
            told.append(
                f"Labellers differed on {self.team.common - self.team.same:,} of the "
                f"{self.team.common:,} drawn objects that two of them labelled, so they would "
                f"differ on between {percent_down(self.team.low)} and "
                f"{percent_up(self.team.high)} of all; the guarantee is about agreement with who "
                f"labels first. {chance(self.team.delta)}"
            )
        return " ".join(told)


class Watch:
    """The standing of a session, brought up to date with every answer.

    Parameters
    ----------
    session : LabelSession
    labelings : array-like (n,) or (M, n), mapping, DataFrame
        The clusterings; made without the labels.
    delta : float, default 0.1
        Allowed chance that the guarantee fails.
    target : float, optional
        The rate at which you mean to stop.
    X, classes, prior, noise
        As for :func:`karat.guarantee`; with a list of classes, one is added for objects whose
        class the labeller does not know.
    expert : array-like, shape (n,), optional
        Labels of somebody who is right, missing elsewhere, for objects that were drawn at random
        too. The guarantee is then about the expert's classes: the labellers' own errors are
        bounded from the objects that both labelled, and added.

    Notes
    -----
    The predictions differ from the expert's classes at most where they differ from the labeller's
    or where those differ from the expert's. Each part holds at every number of labels at once,
    the second at 0.2 delta (:func:`karat.bounds.b_always`).
    """

    def __init__(
        self,
        session: LabelSession,
        labelings: Any,
        delta: float = 0.1,
        *,
        target: float | None = None,
        expert: Any = None,
        classes: Any = None,
        noise: Any = "cluster",
        **options: Any,
    ) -> None:
        self.session, self.target, self.delta = session, target, delta
        self._expert = None
        if expert is not None:
            self._expert = [None if v is None else str(v) for v in expert]
        if classes is not None and not isinstance(classes, (str, int)):
            classes = [*(str(name) for name in classes), UNKNOWN]
        share = delta if expert is None else (1 - NOISE_SHARE) * delta
        self._sequence = LabelSequence(
            labelings,
            share,
            target if target is not None and 0 < target < 1 else None,
            taught=session.order[: session.taught],
            classes=classes,
            noise=noise,
            **options,
        )

    def update(self) -> Standing | None:
        """The standing now.

        Returns
        -------
        Standing or None
            None before the first drawn label, or before the first object that the expert labelled
            too.
        """
        session = self.session
        drawn = session.labelled[session.taught :]
        if not len(drawn):
            return None
        y = session.y
        n = len(session.order) - session.taught
        m = e = b = 0
        if self._expert is not None:
            both = [(y[i], self._expert[i]) for i in drawn if self._expert[i] is not None]
            m, e = len(both), sum(one != other for one, other in both)
            if not m:
                return None
            b = int(b_always(m, n - m, e, NOISE_SHARE * self.delta))
        found = self._sequence.update(y, drawn)
        pairs = session.twice
        team = agreement_of(pairs, n, self.delta) if pairs else None
        return Standing(found, b, m, e, team, int(np.sum(y == UNKNOWN)))


def standing(
    session: LabelSession, labelings: Any, delta: float = 0.1, **options: Any
) -> Standing | None:
    """What the labels of a session guarantee so far; you may stop by what it says.

    Parameters
    ----------
    session, labelings, delta, **options
        As for :class:`karat.labeling.Watch`, which is faster where labels keep coming.

    Returns
    -------
    Standing or None
        As from :meth:`karat.labeling.Watch.update`.
    """
    return Watch(session, labelings, delta, **options).update()
