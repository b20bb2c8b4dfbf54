"""One labeller's part of a team's labelling: the next object, and the labels that count."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sortal.datasets.labels.label_columns import UNKNOWN as UNKNOWN
from sortal.labeling.answers import AnswerFile, LabelAnswer, check_name, now
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import ArrayLike


@dataclass(frozen=True)
class TunedLabeling:
    """Constants of labelling that were tuned."""

    #: certainty from which a contradicted label is suspected; generated tables
    certain: float = 0.7
    #: one of so many objects is labelled by two labellers, where there are two; by eye
    twice: int = 5
    #: a postponed object comes back after so many others; by eye
    later: int = 10


TUNED = TunedLabeling()
#: how long an object on a labeller's screen is reserved
OPEN = timedelta(minutes=10)


class LabelSession:
    """The answers of all labellers in the order of a draw, and one labeller's next object.

    Parameters
    ----------
    path : str or path
        The file of answers (:class:`sortal.labeling.AnswerFile`); the first answer creates it, and
        an existing one is resumed.
    order : array-like of int, shape (n,)
        Positions of all objects: first the teaching ones, then the others in the order of the draw
        (:func:`sortal.bounds.sample`).
    objects : sequence of str
        A line about each object, by which a resumed file is checked to be about the same data.
    rows : array-like of int, shape (n,), optional
        The row of each object in the data file; its position by default.
    by : str
        The labeller.
    taught : int
        How many of the first teach.

    Attributes
    ----------
    file : AnswerFile

    Raises
    ------
    StorageError
        If the file is not such a file, or of another order or other data.

    Notes
    -----
    Of several answers about an object the first counts. With two labellers, both label every fifth
    object; which ones does not depend on any label, so they are a random draw too. A postponed
    object must be answered before those behind it count, since a draw with holes is no random draw.

    Examples
    --------
    >>> import sortal.labeling, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     session = sortal.labeling.LabelSession(f"{folder}/a.jsonl", [2, 0, 1], list("abc"))
    ...     session.add("ham")
    ...     again = sortal.labeling.LabelSession(f"{folder}/a.jsonl", [2, 0, 1], list("abc"))
    >>> again.labels, again.next
    (['ham'], 0)
    """

    def __init__(
        self,
        path: str | Path,
        order: ArrayLike,
        objects: Sequence[str],
        rows: ArrayLike | None = None,
        *,
        by: str = "me",
        taught: int = 0,
    ) -> None:
        self.order = np.asarray(order, dtype=np.intp)
        if sorted(self.order.tolist()) != list(range(len(objects))):
            raise InputError(
                f"order must have each of the {len(objects)} objects once, in the order of the draw"
            )
        self.by, self.taught = check_name(by), taught
        self.texts, self.objects = list(objects), [line_of(text) for text in objects]
        self.rows = np.arange(len(objects)) if rows is None else np.asarray(rows)
        self.file = AnswerFile(
            path, self.order, self.objects, self.rows[self.order[:taught]].tolist()
        )
        self._place = {int(self.rows[at]): place for place, at in enumerate(self.order)}
        self._answers_at: list[dict[str, LabelAnswer]] = []
        self._replay()

    def __len__(self) -> int:
        return len(self.labels)

    def refresh(self) -> None:
        """Read what other processes wrote."""
        if self.file.refresh():
            self._replay()

    def _replay(self) -> None:
        """Collect each place's valid answers, by labeller, the first answer first."""
        answers_at: dict[int, dict[str, LabelAnswer]] = {}
        self._postponed: dict[int, int] = {}
        self._open: dict[int, LabelAnswer] = {}
        self._spelled: dict[str, str] = {}
        self._settled: dict[int, LabelAnswer] = {}
        self._my_answers: list[LabelAnswer] = []
        count = 0
        for answer in sorted(self.file.answers):
            if answer.kind == "same":
                self._spelled[answer.label] = answer.about
                continue
            place = self._place.get(answer.row)
            if place is None:
                raise InputError(
                    f"{self.file.path} has an answer about row {answer.row}, not drawn"
                )
            answers = answers_at.setdefault(place, {})
            is_mine = answer.by == self.by
            if answer.kind == "open":
                self._open[place] = answer
            elif answer.kind == "undo":
                answers.pop(answer.by, None)
                self._my_answers = [
                    counted
                    for counted in self._my_answers
                    if not is_mine or counted.row != answer.row
                ]
            elif answer.kind == "settle":
                self._settled[place] = answer
            elif answer.kind == "skip":
                self._postponed.update({place: count} if is_mine else {})
            else:
                answers.setdefault(answer.by, answer)
                count += is_mine
                self._my_answers += [answer] if is_mine and answers[answer.by] is answer else []
        self._answer_count = count
        self._answers_at = [
            answers_at.get(place, {}) for place in range(max(answers_at, default=-1) + 1)
        ]

    def _name(self, answer: LabelAnswer) -> str:
        """The class that an answer names, in its right spelling."""
        if answer.kind == "unknown":
            return UNKNOWN
        name = answer.label
        for _ in self._spelled:
            name = self._spelled.get(name, name)
        return name

    @property
    def labels(self) -> list[str]:
        """Labels that count: of the first objects of the order, up to an unanswered one."""
        first = takewhile(bool, self._answers_at)
        return [self._name(next(iter(answers.values()))) for answers in first]

    @property
    def n_confirmed(self) -> int:
        """Labels that count and that confirmed a prediction."""
        first = takewhile(bool, self._answers_at)
        return sum(next(iter(answers.values())).kind == "confirm" for answers in first)

    @property
    def settled(self) -> dict[int, str]:
        """Classes that a review decided, by position.

        They are what the answers come to; a guarantee is about the first answers, which stay.
        """
        return {
            int(self.order[place]): self._name(answer)
            for place, answer in self._settled.items()
            if answer.label
        }

    @property
    def waiting(self) -> int:
        """Number of answered objects behind an unanswered one, which do not count yet."""
        return sum(map(bool, self._answers_at)) - len(self)

    @property
    def labelled(self) -> NDArray[np.intp]:
        """Positions of the objects that count, in the order of the draw."""
        return self.order[: len(self)]

    @property
    def y(self) -> NDArray[np.object_]:
        """The label of every object that counts, None for the others."""
        values = np.full(len(self.order), None, dtype=object)
        values[self.labelled] = self.labels
        return values

    def by_labeller(self) -> dict[str, NDArray[np.object_]]:
        """Every labeller's label of every object, None where missing."""
        labels: dict[str, NDArray[np.object_]] = {}
        for place, answers in enumerate(self._answers_at):
            for by, answer in answers.items():
                column = labels.setdefault(by, np.full(len(self.order), None, dtype=object))
                column[self.order[place]] = self._name(answer)
        return labels

    @property
    def names(self) -> list[str]:
        """The classes so far, in the order of their first use."""
        names = (self._name(answer) for answers in self._answers_at for answer in answers.values())
        return list(dict.fromkeys(name for name in names if name != UNKNOWN))

    @property
    def twice(self) -> list[tuple[str, str]]:
        """Both labels of the drawn objects that two labellers labelled; a random draw."""
        draw = self._answers_at[self.taught :]
        fifth = draw[TUNED.twice - 1 :: TUNED.twice]
        # a whole beginning of all objects, or of every fifth: whichever is longer
        beginnings = [
            list(takewhile(lambda answers: len(answers) > 1, places)) for places in (draw, fifth)
        ]
        pairs = [
            [self._name(answer) for answer in answers.values()]
            for answers in max(beginnings, key=len)
        ]
        return [(first, second) for first, second, *_ in pairs]

    @property
    def disagreements(self) -> list[tuple[int, dict[str, str]]]:
        """Objects with different labels, by labeller, that no review has settled."""
        disagreements, settled = [], self.settled
        for place, answers in enumerate(self._answers_at):
            names = {by: self._name(answer) for by, answer in answers.items()}
            if len(set(names.values())) > 1 and int(self.order[place]) not in settled:
                disagreements.append((int(self.order[place]), names))
        return disagreements

    @property
    def next(self) -> int | None:
        """Position of the object to label now; None without one for this labeller."""
        others = {by for answers in self._answers_at for by in answers} - {self.by}
        before = (datetime.now(UTC) - OPEN).isoformat(timespec="microseconds")
        later: int | None = None
        for place, at in enumerate(self.order):
            answers = self._answers_at[place] if place < len(self._answers_at) else {}
            wanted = 2 if others and self._is_doubled(place) else 1
            if self.by in answers or len(answers) >= wanted:
                continue
            screen = self._open.get(place)
            if screen is not None and screen.by != self.by and screen.at > before:
                continue
            if (
                place in self._postponed
                and self._answer_count - self._postponed[place] < TUNED.later
            ):
                later = place if later is None else later
                continue
            return int(at)
        return None if later is None else int(self.order[later])

    def _is_doubled(self, place: int) -> bool:
        """Whether a second labeller is to label the object at a place."""
        return place >= self.taught and (place - self.taught + 1) % TUNED.twice == 0

    def open(self, at: int) -> None:
        """Store that an object is on this labeller's screen, so that nobody else gets it."""
        self._write(at, "open")

    def is_blind(self, at: int) -> bool:
        """Whether two labellers are to label an object, each without a hint."""
        return self._is_doubled(int(self._place[int(self.rows[at])]))

    def settle(self, at: int, label: str) -> None:
        """Store the class that a review decides for an object; an empty one withdraws it."""
        self._write(at, "settle", check_name(label) if label else "")

    def add(self, label: str, at: int | None = None, *, confirmed: bool = False) -> None:
        """Label the next object, or the one at a position; it is on disk at once.

        ``confirmed`` says that the label was offered as a prediction.

        Raises
        ------
        InputError
            For a name without visible letters, or if all objects are labelled.
        """
        name = check_name(label)
        kind = "confirm" if confirmed else "label"
        self._write(at, "unknown" if name == UNKNOWN else kind, name)

    def skip(self, at: int | None = None) -> None:
        """Postpone the next object; those behind it do not count until it is answered."""
        self._write(at, "skip")

    def undo(self) -> int | None:
        """Void this labeller's last answer; returns its object's position, None without one."""
        if not self._my_answers:
            return None
        at = int(self.order[self._place[self._my_answers[-1].row]])
        self._write(at, "undo")
        return at

    def take(self, labels: Iterable[tuple[int, str, str]]) -> int:
        """Store new labels from elsewhere (position, label, labeller); returns how many."""
        columns = {by: column.copy() for by, column in self.by_labeller().items()}
        new = []
        for at, label, by in labels:
            name = check_name(label)
            column = columns.setdefault(
                check_name(by), np.full(len(self.order), None, dtype=object)
            )
            if column[at] is None:
                column[at] = name
                kind = "unknown" if name == UNKNOWN else "label"
                new.append(self._answer(at, kind, name, by))
        if new:
            self.file.add(new)
            self._replay()
        return len(new)

    def merge(self, path: str | Path) -> int:
        """Store the answers of another file of the same draw; returns how many are new."""
        count = self.file.merge(path)
        self._replay()
        return count

    def spell(self, name: str, right: str) -> None:
        """Store that two names are one class."""
        wrong, right = check_name(name), check_name(right)
        if wrong != right:
            self.file.add([LabelAnswer(now(), self.by, -1, "same", wrong, right)])
            self._replay()

    def _answer(self, at: int, action: str, label: str, by: str) -> LabelAnswer:
        """An answer to be stored."""
        about = "" if action in ("open", "undo") else self.objects[at]
        return LabelAnswer(now(), by, int(self.rows[at]), action, label, about)

    def _write(self, at: int | None, action: str, label: str = "") -> None:
        """Store this labeller's answer about the object at a position, or the next one."""
        place = self.next if at is None else at
        if place is None:
            raise InputError("all objects are labelled")
        label = "" if action == "unknown" else label
        self.file.add([self._answer(place, action, label, self.by)])
        self._replay()


def line_of(text: str) -> str:
    """The beginning of an object, by which a file of answers knows it."""
    return " ".join(text.split())[:80]


def variant_of(name: str, names: Iterable[str]) -> str | None:
    """Find a name that differs from this one only in case, accents, blanks or dashes.

    Parameters
    ----------
    name : str
    names : iterable of str

    Examples
    --------
    >>> from sortal.labeling import variant_of
    >>> variant_of("BAROLO ", ["Chianti", "Barolo"]), variant_of("Asti", ["Barolo"])
    ('Barolo', None)
    """
    plain = _plain(name)
    return next(
        (candidate for candidate in names if candidate != name and _plain(candidate) == plain), None
    )


def _plain(name: str) -> str:
    """A name without case, accents, blanks and dashes."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in decomposed if c.isalnum()) or name
