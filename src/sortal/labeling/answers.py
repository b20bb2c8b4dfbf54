"""The file of a team's answers: one line each, appended under a lock, never changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortal.runtime.output import appending
from sortal.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: kinds of answers: a class; a class that the page had predicted; an unknown class; postponed; the
#: object is on the labeller's screen; the labeller's last answer about it is void; two names are
#: one class; the class that a review decided, empty where that is withdrawn
ANSWER_KINDS = ("label", "confirm", "unknown", "skip", "open", "undo", "same", "settle")
_FORM = "sortal answers"
#: first bytes of the first line
_BEGINS = b'{"form"'


@dataclass(frozen=True, order=True)
class LabelAnswer:
    """One labeller's answer about one object, or about a name.

    Attributes
    ----------
    at : str
        When, in UTC, as ISO 8601.
    by : str
        The labeller.
    row : int
        The row of the object in the data file; -1 where it is about a name.
    kind : str
        One of :data:`ANSWER_KINDS`.
    label : str
        The class; the wrong spelling of one with ``"same"``; else empty.
    about : str
        A line about the object; the right spelling with ``"same"``.
    """

    at: str
    by: str
    row: int
    kind: str
    label: str = ""
    about: str = ""


class AnswerFile:
    """The answers in a file of JSON lines, including those that other processes append.

    Parameters
    ----------
    path : str or path
        The first answer creates it.
    order : ndarray of int, shape (n,)
        Positions of the objects in the order of the draw.
    objects : sequence of str
        A line about each object.
    taught : sequence of int
        Rows of the teaching objects, stored for processes that open the file without them.

    Raises
    ------
    StorageError
        If the file is not such a file, or of another draw or other data.

    Notes
    -----
    A line is written whole, under a lock, and is on disk before the answer counts. So concurrent
    writers lose nothing, and a line that a killed process left unfinished is dropped.
    """

    def __init__(
        self,
        path: str | Path,
        order: NDArray[Any],
        objects: Sequence[str],
        taught: Sequence[int] = (),
    ) -> None:
        self.path = Path(path)
        self.answers: list[LabelAnswer] = []
        self._head = {
            "form": _FORM,
            "objects": len(objects),
            "data": _digest(objects),
            "draw": hashlib.sha256(order.astype("<i8").tobytes()).hexdigest()[:16],
            "taught": [int(row) for row in taught],
        }
        self._read_to = 0
        self.refresh()

    def refresh(self) -> bool:
        """Read what was appended since; returns whether there was anything."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read_to)
                text = file.read()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageError(f"{self.path} cannot be read: {error.strerror}") from None
        complete = text[: text.rfind(b"\n") + 1]
        if text and not complete and self._read_to == 0 and not text.startswith(_BEGINS):
            raise _foreign(self.path, 1)
        self._take(complete)
        self._read_to += len(complete)
        return bool(complete)

    def add(self, answers: Iterable[LabelAnswer]) -> None:
        """Append answers, and read those that other processes appended before them."""
        lines = "".join(json.dumps(asdict(answer), ensure_ascii=False) + "\n" for answer in answers)
        try:
            with appending(self.path) as file:
                if not file.has_line():
                    lines = json.dumps(self._head) + "\n" + lines
                file.append(lines.encode())
        except OSError as error:
            self.refresh()
            stored = sum(answer.kind in ("label", "confirm") for answer in self.answers)
            raise StorageError(
                f"{self.path} cannot be written: {error.strerror}; it has the first {stored} labels"
            ) from None
        self.refresh()

    def merge(self, path: str | Path) -> int:
        """Append the answers of another file of the same draw; returns how many are new."""
        second = AnswerFile.__new__(AnswerFile)
        second.path, second.answers, second._head, second._read_to = Path(path), [], self._head, 0
        if not second.refresh():
            raise StorageError(f"there is no file {path}")
        present = set(self.answers)
        new = [answer for answer in second.answers if answer not in present]
        if new:
            self.add(new)
        return len(new)

    def _take(self, text: bytes) -> None:
        """Add the answers in complete lines of the file."""
        lines = text.split(b"\n")[:-1]
        start = 0
        if lines and self._read_to == 0:
            self._check_head(lines[0])
            start = 1
        for number, line in enumerate(lines[start:], start + 1):
            try:
                record = json.loads(line)
                answer = LabelAnswer(**record)
                if answer.kind not in ANSWER_KINDS or not isinstance(answer.row, int):
                    raise ValueError
            except (ValueError, TypeError):
                raise _foreign(self.path, number) from None
            self.answers.append(answer)

    def _check_head(self, line: bytes) -> None:
        """Raise for a first line of other data or another draw."""
        try:
            head = json.loads(line)
            if head["form"] != _FORM:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise _foreign(self.path, 1) from None
        for key, difference in (("data", "other data"), ("draw", "another --seed or --teach")):
            if head.get(key) != self._head[key]:
                raise StorageError(
                    f"{self.path} has answers about {head.get('objects')} objects, made with "
                    f"{difference}. Use the same, or give --output another name"
                )


def taught_rows(path: str | Path) -> list[int] | None:
    """Rows of the teaching objects, by the first line of a file; None without one."""
    try:
        with Path(path).open("rb") as file:
            line = file.readline()
        if not line or (line.startswith(_BEGINS) and not line.endswith(b"\n")):
            return None  # the disk was full, or the process was killed
        return [int(row) for row in json.loads(line)["taught"]]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise _foreign(Path(path), 1) from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from None


def now() -> str:
    """The current time in UTC, as answers store it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def check_name(label: object) -> str:
    """A class's name, without surrounding blanks."""
    name = str(label).strip()
    if not name or not name.isprintable():
        raise InputError(f"{label!r} cannot be the name of a class: it must have visible letters")
    return name


def _digest(objects: Sequence[str]) -> str:
    """Digest of the lines about the objects."""
    digest = hashlib.sha256()
    for line in objects:
        digest.update(line.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:16]


def _foreign(path: Path, number: int) -> StorageError:
    """Error for a line that is no answer."""
    return StorageError(
        f"{path}, line {number} is not an answer of sortal label; give --output another "
        "name, or --import to take labels from a table"
    )
