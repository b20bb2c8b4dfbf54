"""The guarantee from a session's answers so far, and its exact wording."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bounds import LabelSequence
from sortal.bounds.tuned import TUNED
from sortal.bounds.wording import chance, of_counted
from sortal.labeling.agreement import Agreement, agreement
from sortal.labeling.doubts import LabelTeacher
from sortal.labeling.session import UNKNOWN, LabelSession
from sortal.runtime.numerals import percent_down, percent_up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sortal.bounds import Guarantee
    from sortal.bounds.classes import Classes
    from sortal.bounds.ledger import Asked
    from sortal.typing import ArrayLike, Labels


@dataclass(frozen=True)
class Standing:
    """The guarantee from a session's labels so far.

    Attributes
    ----------
    found : Guarantee
        The guarantee; it holds at every number of labels at once.
    team : Agreement or None
        Agreement of two labellers about the objects that both labelled.
    unknown : int
        Labelled objects whose class the labeller did not know.
    confirmed : int
        Labels that confirmed a prediction.
    settled : int
        Labelled objects to which a review gave another class than the first answer.
    """

    found: Guarantee
    team: Agreement | None = None
    unknown: int = 0
    confirmed: int = 0
    settled: int = 0

    @property
    def sentence(self) -> str:
        """The guarantee in words."""
        sentences = [self.found.sentence]
        if self.unknown:
            sentences.append(
                f"{self.unknown:,} labelled object{'s' * (self.unknown != 1)} got the answer "
                f"{UNKNOWN!r}, which counts as a class of its own: where you would give it, any "
                "other class is wrong."
            )
        if self.confirmed:
            sentences.append(
                f"{self.confirmed:,} label{'s' * (self.confirmed != 1)} confirmed a prediction. "
                "Further premise: the labeller would have given the same class without "
                "seeing it."
            )
        if self.settled:
            sentences.append(
                f"A review changed {self.settled:,} label{'s' * (self.settled != 1)}. The "
                "guarantee counts the first answers: the labels of the other objects were not "
                "reviewed."
            )
        if self.team is not None:
            team = self.team
            limits = (
                f", which says nothing about the others: {team.refused}."
                if team.refused
                else f", so they would differ on between {percent_down(team.low)} and "
                f"{percent_up(team.high)} of all; the guarantee is about agreement with who "
                f"labels first. {chance(team.delta)}"
            )
            sentences.append(
                f"Labellers differed on {team.common - team.same:,} of the {team.common:,} drawn "
                f"objects that two of them labelled{limits}"
            )
        return " ".join([*sentences, *([self.found.question] if self.found.question else [])])


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
        The rate at which you want to stop.
    asked : Asked, optional
        The counted question (:meth:`sortal.bounds.Ledger.ask`), which has a share of delta.
    X, classes, prior
        As for :func:`sortal.guarantee`; a list of classes is extended by one for objects whose
        class the labeller does not know.

    Attributes
    ----------
    teacher : LabelTeacher
        Predictions from all labels so far, for suggestions and suspected labels.
    """

    def __init__(
        self,
        session: LabelSession,
        labelings: ArrayLike | Mapping[str, Labels],
        delta: float = 0.1,
        *,
        target: float | None = None,
        classes: Classes = None,
        asked: Asked | None = None,
        **options: Any,
    ) -> None:
        self._asked = asked
        self.session, self.target, self.delta = session, target, delta
        self.teacher = LabelTeacher(labelings, options.get("X"), options.get("prior"))
        if classes is not None and not isinstance(classes, (str, int)):
            classes = [*(str(name) for name in classes), UNKNOWN]
        self._sequence = LabelSequence(
            labelings,
            delta if asked is None else delta * asked.share,
            target if target is not None and 0 < target < 1 else None,
            taught=session.order[: session.taught],
            classes=classes,
            noise="cluster",
            **options,
        )

    def update(self) -> Standing | None:
        """The standing now, None before the first drawn label."""
        session = self.session
        draw = session.labelled[session.taught :]
        if not len(draw):
            return None
        y = session.y
        n_drawn = len(session.order) - session.taught
        team = agreement(session.twice, n_drawn, self.delta, ordered=True)
        guarantee = self._sequence.update(y, draw)
        if self._asked is not None:
            if len(draw) >= TUNED.fewest_shared:
                self._asked.keep(drawn_labels(session))
            guarantee = replace(
                guarantee, delta=self.delta, question=self._asked.sentence,
                premises=of_counted(guarantee.premises),
            )  # fmt: skip
        changed = sum(y[at] not in (None, label) for at, label in session.settled.items())
        return Standing(
            guarantee,
            team,
            int(np.sum(y == UNKNOWN)),
            session.n_confirmed,
            changed,
        )


def drawn_labels(session: LabelSession) -> list[tuple[int, Any]]:
    """Row and label of each drawn object that counts, in the order of the draw."""
    draw = session.labelled[session.taught :]
    labels = session.labels[session.taught :]
    return [(int(session.rows[i]), label) for i, label in zip(draw, labels, strict=True)]
