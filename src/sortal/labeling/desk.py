"""A labeller at work: the object to label, the possible answers, and the progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sortal.bounds import forecast_bounds, forecast_labels, percent_up, wording
from sortal.labeling.doubts import LabelDoubt, doubts_of
from sortal.labeling.session import TUNED, UNKNOWN, variant_of
from sortal.runtime.numerals import percent, percent_digits
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from sortal.labeling.session import LabelSession
    from sortal.labeling.watch import Standing, Watch

IMAGES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp"}


@dataclass(frozen=True)
class Shown:
    """An object as a labeller sees it.

    Attributes
    ----------
    text : str
        A document; empty for a row of a table.
    cells : tuple of (str, str)
        Names and values of a row.
    images : tuple of Path
        Files that the cells name.
    """

    text: str = ""
    cells: tuple[tuple[str, str], ...] = ()
    images: tuple[Path, ...] = ()


class ShownObjects:
    """The objects of a data set as labellers see them.

    Parameters
    ----------
    texts : sequence of str or None
        The objects, where they are documents.
    cells : DataFrame, optional
        Otherwise the rows as they are in the file.
    folder : path, optional
        Folder of the images that the cells name.
    """

    def __init__(
        self, texts: Sequence[str] | None, cells: pd.DataFrame | None, folder: Path | None = None
    ) -> None:
        self._texts, self._cells = texts, cells
        self._folder = None if folder is None else folder.resolve()

    def lines(self) -> list[str]:
        """A line about each object."""
        if self._cells is None:
            return list(self._texts or ())
        return [", ".join(map(str, row)) for row in self._cells.itertuples(index=False)]

    def __call__(self, at: int) -> Shown:
        """The object at a position."""
        if self._cells is None:
            return Shown((self._texts or ())[at])
        cells = tuple((str(name), str(value)) for name, value in self._cells.iloc[at].items())
        return Shown("", cells, tuple(filter(None, (self._image(value) for _, value in cells))))

    def _image(self, value: str) -> Path | None:
        """The file that a cell names, if it is an image below the folder of the data."""
        if self._folder is None or Path(value).suffix.lower() not in IMAGES:
            return None
        path = (self._folder / value).resolve()
        return path if path.is_relative_to(self._folder) and path.is_file() else None


class Desk:
    """One labeller's answers, on the terminal or on a page, until the target is met.

    Parameters
    ----------
    session : LabelSession
    watch : Watch
    objects : ShownObjects
    classes : list of str, optional
        The only possible classes.
    suggest : float, optional
        Offer the predicted class of an object where it is at least this certain. Objects that two
        labellers label come without.
    review : bool, default False
        Begin with the labels to look at again.

    Attributes
    ----------
    standing : Standing or None
        The current guarantee.
    """

    #: labels of the page's controls
    words: ClassVar = {"title": "sortal label", "other": "Another class", "unknown": "don't know"}
    #: answers that the page may send
    kinds: ClassVar = ("label", "confirm", "unknown", "skip", "undo", "review", "stop")

    def __init__(
        self,
        session: LabelSession,
        watch: Watch,
        objects: ShownObjects,
        classes: Sequence[str] | str | int | None = None,
        *,
        suggest: float | None = None,
        review: bool = False,
    ) -> None:
        self.session, self.objects, self._watch = session, objects, watch
        self.fixed = list(classes) if isinstance(classes, list) else None
        self.standing: Standing | None = watch.update()
        self._counted = len(session)
        self._opened: int | None = None
        self._suggest = suggest
        self._learned: tuple[int, Any, Any] | None = None
        self._queue: list[LabelDoubt] = []
        self._reviewed: list[LabelDoubt] = []
        if review:
            self._begin_review()

    @property
    def names(self) -> list[str]:
        """The classes so far, listed ones first."""
        return list(dict.fromkeys([*(self.fixed or ()), *self.session.names]))

    def __len__(self) -> int:
        return len(self.session.order)

    @property
    def keys(self) -> dict[str, str]:
        """A key for each class."""
        return keys_of(self.names)

    @property
    def ending(self) -> str:
        """The closing sentence: what is guaranteed."""
        return "Nothing is guaranteed yet." if self.standing is None else self.standing.sentence

    @property
    def reviewing(self) -> bool:
        """Whether labels are looked at again; answers then settle them."""
        return bool(self._queue)

    @property
    def met(self) -> bool:
        """Whether the guarantee has come down to the target."""
        target, now = self._watch.target, self.standing
        return target is not None and now is not None and now.found.bound_rate <= target

    @property
    def at(self) -> int | None:
        """Position of the object to label; None once the target is met or none is left."""
        self.refresh()
        if self._queue:
            return self._queue[0].at
        at = None if self.met else self.session.next
        if at is not None and at != self._opened:
            self.session.open(at)
            self._opened = at
        return at

    def refresh(self) -> None:
        """Read the answers of other labellers."""
        self.session.refresh()
        if self._counted != len(self.session):
            self._update()

    def variant(self, name: str) -> str | None:
        """An existing class that a new name probably means."""
        return None if name in self.names else variant_of(name, self.names)

    def give(self, kind: str, label: str = "", at: int | None = None) -> None:
        """Take an answer: ``label``, ``confirm``, ``unknown``, ``skip``, ``undo`` or ``review``.

        In a review, ``label`` and ``unknown`` settle the object, and ``review`` ends it.
        """
        if kind == "review":
            if self.reviewing:
                self._queue, self._reviewed = [], []
            elif not self._begin_review():
                raise InputError("no label is to be looked at again")
        elif kind == "undo" and self._reviewed:
            self._unsettle()
        elif self.reviewing:
            self._settle(kind, label, at)
        elif kind == "undo":
            if self.session.undo() is None:
                raise InputError("there is no label to take back")
        elif kind == "skip":
            self.session.skip(at)
        elif kind == "confirm" and (at is None or self.suggestion(at) != label):
            raise InputError("the prediction has changed; look again")
        else:
            name = UNKNOWN if kind == "unknown" else label
            self.session.add(name, at, confirmed=kind == "confirm")
            self._reviewed = []
        self._opened = None
        self._update()

    def suggestion(self, at: int) -> str | None:
        """Class to confirm for an object; None where none is offered or certain enough."""
        session = self.session
        if self._suggest is None or self.reviewing or session.is_blind(at) or len(session) < 10:
            return None
        if self._learned is None or len(session) >= 1.1 * self._learned[0]:
            self._learned = (len(session), *self._watch.teacher.predict(session.y))
        _, names, certainty = self._learned
        name = names[at]
        certain = name not in (None, UNKNOWN) and certainty[at] >= self._suggest
        return str(name) if certain else None

    def doubts(self) -> list[LabelDoubt]:
        """Labels to look at again: disagreements, and what the other labels contradict."""
        return doubts_of(self.session, self._watch.teacher)

    def _begin_review(self) -> bool:
        """Put the labels to look at again into the queue; returns whether there are any."""
        self._queue, self._reviewed = self.doubts(), []
        return self.reviewing

    def _settle(self, action: str, label: str, at: int | None) -> None:
        """Take an answer about the first of the queue."""
        if at != self._queue[0].at:
            raise InputError("this object is not the one to look at again; reload the page")
        doubt = self._queue.pop(0)
        if action in ("label", "unknown"):
            self.session.settle(doubt.at, UNKNOWN if action == "unknown" else label)
            self._reviewed.append(doubt)

    def _unsettle(self) -> None:
        """Withdraw what the review decided last, and ask again."""
        doubt = self._reviewed.pop()
        self.session.settle(doubt.at, "")
        self._queue.insert(0, doubt)

    def _update(self) -> None:
        """Bring the guarantee up to date with the session."""
        self.standing, self._counted = self._watch.update(), len(self.session)

    @property
    def goal(self) -> str:
        """The target, and how many more labels it would take."""
        target, now = self._watch.target, self.standing
        if self.reviewing:
            return (
                "A label is suspected if the other labels predict another class with a certainty "
                f"of at least {percent(TUNED.certain, 0)}. What you decide here goes into "
                "exports and predicted classes. The guarantee still counts the first answers."
            )
        aim = "" if target is None else f"Target: at most {percent_digits(target, 4)} mislabelled. "
        if now is None:
            return aim and f"{aim}The forecast begins with the first drawn label."
        return f"{aim}{forecast_labels(now.found, target if target and target < 1 else None)}"

    @property
    def advice(self) -> str:
        """What more labels would buy."""
        if self.standing is None:
            return "Label some first."
        guarantee, target = self.standing.found, self._watch.target
        futures = forecast_bounds(guarantee)
        outlook = (
            wording.outlook(guarantee.m, guarantee.bound_rate, futures) + "." if futures else ""
        )
        aim = str(forecast_labels(guarantee)) if target is not None or not futures else ""
        return " ".join(filter(None, [outlook, aim]))

    def beside(self, at: int) -> dict[str, Any]:
        """What the page shows beside an object: the goal, a suggestion, the review."""
        return {
            "goal": self.goal,
            "suggestion": self.suggestion(at),
            "reviewing": self.reviewing,
        }

    @property
    def status(self) -> str:
        """Progress in one line."""
        if self.reviewing:
            left = len(self._queue)
            return f"{left:,} label{'s' * (left != 1)} to look at again. {self._queue[0]}"
        session, now = self.session, self.standing
        wait = f"; {session.waiting:,} more count after a skipped one" if session.waiting else ""
        count = f"{len(session):,} label{'s' * (len(session) != 1)}{wait}"
        if len(session) < session.taught:
            return f"{count}; a guarantee needs the first {session.taught}, then a random draw."
        if now is None:
            return f"{count}; nothing is guaranteed yet."
        return (
            f"{count}: at most {percent_up(now.found.bound_rate)} of the other {now.found.n:,} "
            f"mislabelled, by {now.found.carried_by}."
        )


def keys_of(names: list[str]) -> dict[str, str]:
    """A key for each class: its first free letter, or a digit."""
    keys: dict[str, str] = {}
    for name in names:
        letters = [c for c in name.lower() if c.isalnum() and c not in "uqnsdr"]
        free = [c for c in (*letters, *"123456789") if c not in keys]
        if free:
            keys[free[0]] = name
    return keys
