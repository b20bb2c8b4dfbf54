"""One labeller's part of a team's labelling: which object is next, and what counts so far."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labeling.answers import Answer, AnswerFile, check_name, now
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: what an object is labelled with whose class the labeller does not know
UNKNOWN = "don't know"
#: every so many objects one is labelled by two labellers, where there are two
TWICE = 5
#: an object that was left for later comes back after so many others
LATER = 10
#: how long nobody else is asked about an object that is on somebody's screen
OPEN = timedelta(minutes=10)


class LabelSession:
    """The answers of all labellers about the objects of a drawn order, and one's own next object.

    Parameters
    ----------
    path : str or path
        The file of answers (:class:`karat.labeling.AnswerFile`); it is made with the first one,
        and resumed where it exists.
    order : array-like of int, shape (n,)
        Positions of all objects: first those that teach, then the others in the order of the draw
        (:func:`karat.bounds.sample`).
    objects : sequence of str
        A line about each object, by which a resumed file is known to be about the same data.
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
    Of several answers about an object the first counts. Every fifth object is labelled by two
    where there are two labellers; which ones does not depend on any label, so that they are a
    random draw too. An object that is left for later must be answered before those behind it
    count, for a draw with holes is no random draw.

    Examples
    --------
    >>> import karat.labeling, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     session = karat.labeling.LabelSession(f"{folder}/a.jsonl", [2, 0, 1], list("abc"))
    ...     session.add("ham")
    ...     again = karat.labeling.LabelSession(f"{folder}/a.jsonl", [2, 0, 1], list("abc"))
    >>> again.labels, again.next
    (['ham'], 0)
    """

    def __init__(
        self,
        path: Any,
        order: Any,
        objects: Sequence[str],
        rows: Any = None,
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
        self.objects = [" ".join(text.split())[:80] for text in objects]
        self.rows = np.arange(len(objects)) if rows is None else np.asarray(rows)
        self.file = AnswerFile(
            path, self.order, self.objects, self.rows[self.order[:taught]].tolist()
        )
        self._place = {int(self.rows[at]): place for place, at in enumerate(self.order)}
        self._said: list[dict[str, Answer]] = []
        self._replay()

    def __len__(self) -> int:
        return len(self.labels)

    def refresh(self) -> None:
        """Take in what other processes wrote."""
        if self.file.refresh():
            self._replay()

    def _replay(self) -> None:
        """Who said what of each place in the order, the first answer first, without void ones."""
        said: dict[int, dict[str, Answer]] = {}
        self._left: dict[int, int] = {}
        self._open: dict[int, Answer] = {}
        self._spelled: dict[str, str] = {}
        self._own: list[Answer] = []
        given = 0
        for one in sorted(self.file.answers):
            if one.kind == "same":
                self._spelled[one.label] = one.about
                continue
            place = self._place.get(one.row)
            if place is None:
                raise InputError(f"{self.file.path} has an answer about row {one.row}, not drawn")
            here = said.setdefault(place, {})
            mine = one.by == self.by
            if one.kind == "open":
                self._open[place] = one
            elif one.kind == "undo":
                here.pop(one.by, None)
                self._own = [own for own in self._own if not mine or own.row != one.row]
            elif one.kind == "skip":
                self._left.update({place: given} if mine else {})
            else:
                here.setdefault(one.by, one)
                given += mine
                self._own += [one] if mine and here[one.by] is one else []
        self._given = given
        self._said = [said.get(place, {}) for place in range(max(said, default=-1) + 1)]

    def _name(self, one: Answer) -> str:
        if one.kind == "unknown":
            return UNKNOWN
        name = one.label
        for _ in self._spelled:
            name = self._spelled.get(name, name)
        return name

    @property
    def labels(self) -> list[str]:
        """What counts: the first answers about the first objects of the order, up to a hole."""
        first = takewhile(bool, self._said)
        return [self._name(next(iter(here.values()))) for here in first]

    @property
    def waiting(self) -> int:
        """Answered objects that do not count yet, since one before them has no answer."""
        return sum(map(bool, self._said)) - len(self)

    @property
    def labelled(self) -> NDArray[np.intp]:
        """Positions of the objects that count, in the order of the draw."""
        return self.order[: len(self)]

    @property
    def y(self) -> NDArray[np.object_]:
        """The label of every object that counts, None elsewhere."""
        values = np.full(len(self.order), None, dtype=object)
        values[self.labelled] = self.labels
        return values

    def by_labeller(self) -> dict[str, NDArray[np.object_]]:
        """The label of every object by each labeller, None where there is none."""
        found: dict[str, NDArray[np.object_]] = {}
        for place, here in enumerate(self._said):
            for by, one in here.items():
                own = found.setdefault(by, np.full(len(self.order), None, dtype=object))
                own[self.order[place]] = self._name(one)
        return found

    @property
    def names(self) -> list[str]:
        """The classes so far, in the order in which they came up."""
        said = (self._name(one) for here in self._said for one in here.values())
        return list(dict.fromkeys(name for name in said if name != UNKNOWN))

    @property
    def twice(self) -> list[tuple[str, str]]:
        """What two labellers said of each object of a random draw that both labelled."""
        drawn = self._said[self.taught :]
        fifth = drawn[TWICE - 1 :: TWICE]
        # a whole beginning of all objects, or of every fifth: whichever is longer
        both = [list(takewhile(lambda here: len(here) > 1, some)) for some in (drawn, fifth)]
        pairs = [[self._name(one) for one in here.values()] for here in max(both, key=len)]
        return [(first, second) for first, second, *_ in pairs]

    @property
    def disagreements(self) -> list[tuple[int, dict[str, str]]]:
        """Objects about which labellers differ, with what each said."""
        found = []
        for place, here in enumerate(self._said):
            told = {by: self._name(one) for by, one in here.items()}
            if len(set(told.values())) > 1:
                found.append((int(self.order[place]), told))
        return found

    @property
    def next(self) -> int | None:
        """Position of the object to label now; None where there is none for this labeller."""
        others = {by for here in self._said for by in here} - {self.by}
        before = (datetime.now(UTC) - OPEN).isoformat(timespec="microseconds")
        later: int | None = None
        for place, at in enumerate(self.order):
            here = self._said[place] if place < len(self._said) else {}
            wanted = 2 if others and self._is_doubled(place) else 1
            if self.by in here or len(here) >= wanted:
                continue
            screen = self._open.get(place)
            if screen is not None and screen.by != self.by and screen.at > before:
                continue
            if place in self._left and self._given - self._left[place] < LATER:
                later = place if later is None else later
                continue
            return int(at)
        return None if later is None else int(self.order[later])

    def _is_doubled(self, place: int) -> bool:
        return place >= self.taught and (place - self.taught) % TWICE == TWICE - 1

    def open(self, at: int) -> None:
        """Say that an object is on this labeller's screen, so that nobody else is asked."""
        self._write(at, "open")

    def add(self, label: str, at: int | None = None) -> None:
        """Label the next object, or the one at a position; it is on disk at once.

        Raises
        ------
        InputError
            For a name without visible letters, or if all objects are labelled.
        """
        name = check_name(label)
        self._write(at, "unknown" if name == UNKNOWN else "label", name)

    def skip(self, at: int | None = None) -> None:
        """Leave the next object for later; those behind it do not count until it is answered."""
        self._write(at, "skip")

    @property
    def can_undo(self) -> bool:
        """Whether this labeller has an answer to take back."""
        return bool(self._own)

    def undo(self) -> int | None:
        """Take this labeller's last answer back; its object's position, None if there is none."""
        if not self._own:
            return None
        at = int(self.order[self._place[self._own[-1].row]])
        self._write(at, "undo")
        return at

    def take(self, given: Iterable[tuple[int, str, str]]) -> int:
        """Write labels from elsewhere (position, label, labeller) that are new; how many."""
        known = {by: own.copy() for by, own in self.by_labeller().items()}
        new = []
        for at, label, by in given:
            name = check_name(label)
            own = known.setdefault(check_name(by), np.full(len(self.order), None, dtype=object))
            if own[at] is None:
                own[at] = name
                kind = "unknown" if name == UNKNOWN else "label"
                new.append(self._answer(at, kind, name, by))
        if new:
            self.file.add(new)
            self._replay()
        return len(new)

    def merge(self, path: Any) -> int:
        """Take the answers of another file of the same draw; how many are new."""
        count = self.file.merge(path)
        self._replay()
        return count

    def spell(self, name: str, right: str) -> None:
        """Say that two names are one class."""
        wrong, right = check_name(name), check_name(right)
        if wrong != right:
            self.file.add([Answer(now(), self.by, -1, "same", wrong, right)])
            self._replay()

    def _answer(self, at: int, kind: str, label: str, by: str) -> Answer:
        about = "" if kind in ("open", "undo") else self.objects[at]
        return Answer(now(), by, int(self.rows[at]), kind, label, about)

    def _write(self, at: int | None, kind: str, label: str = "") -> None:
        place = self.next if at is None else at
        if place is None:
            raise InputError("all objects are labelled")
        label = "" if kind == "unknown" else label
        self.file.add([self._answer(place, kind, label, self.by)])
        self._replay()


def variant_of(name: str, names: Iterable[str]) -> str | None:
    """One of the names that differs from this one only in case, accents, blanks or dashes.

    Parameters
    ----------
    name : str
    names : iterable of str

    Returns
    -------
    str or None

    Examples
    --------
    >>> from karat.labeling import variant_of
    >>> variant_of("BAROLO ", ["Chianti", "Barolo"]), variant_of("Asti", ["Barolo"])
    ('Barolo', None)
    """
    plain = _plain(name)
    return next((one for one in names if one != name and _plain(one) == plain), None)


def _plain(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in apart if c.isalnum()) or name
