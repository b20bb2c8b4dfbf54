"""Rows of a random draw in a file: their numbers, and digests that show what was changed since.

A spreadsheet may sort the file, drop its header lines, or rewrite numbers. So each row carries its
number (``07 of 60``: ``7/60`` would become a date) and a check of letters alone. The check has
digests: of the draw, the number, the data, and each column that names the row.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets.values.names_and_ids import first_few
from sortal.labelings.labels import is_unreadable
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Ints

#: columns with the number of each row in the draw, and with its digests
DRAW, CHECK = "draw", "check"
#: columns that a table of a draw has beside the data
MARKS = (DRAW, "row", "label", CHECK)
#: hexadecimal digits as consonants: no word, number, date or boolean of a spreadsheet
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
#: derived: 20 bits, so that one of a million changed cells has the digest of the former
_DIGEST = 5
_CHECK = re.compile(
    rf"[{'bcdfghjkmnpqrstv'}]{{{_DIGEST}}}(?:-[bcdfghjkmnpqrstv]{{{_DIGEST}}}){{3,}}"
)
_NUMBER = re.compile(r"(\d+)(?:\.0*)?(?:\s*(?:of|/)\s*(\d+))?", re.IGNORECASE)
_DECIMAL = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")
#: texts of missing values, in lower case
_MISSING = {"", "nan", "na", "n/a", "#n/a", "null", "none", "<na>", "nat"}
#: derived: five different rows are in ascending or descending order with the chance 2 / 5! = 1/60
SORTED_ROWS = 1 / 59
#: derived: nine different values are in order with the chance 2 / 9!, eight with a larger one
SORTED_COLUMN = 1e-5


# -- digests -------------------------------------------------------------------------------------


def normal(value: Any) -> str:
    """A cell as text that survives a spreadsheet, whatever the form of blanks and numbers."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number_text(float(value))
    text = " ".join(unicodedata.normalize("NFC", str(value)).split())
    if text.lower() in _MISSING:
        return ""
    if text.lower() in ("true", "false"):
        return text.lower()
    if _DECIMAL.fullmatch(text):
        if text.isascii() and text.isdigit():
            return text.lstrip("0") or "0"
        return _number_text(float(text.replace(",", ".")))
    return text


def _number_text(number: float) -> str:
    """A number as text, whole ones exactly; empty for NaN."""
    if math.isnan(number):
        return ""
    if number.is_integer() and abs(number) < 10**sys.float_info.dig:
        return str(int(number))
    return f"{number:.6g}"  # spreadsheets round


def _digest(*values: Any) -> str:
    """A few letters for some values."""
    text = "\x1f".join(map(normal, values))
    return (
        hashlib.sha256(text.encode("utf-8", "surrogatepass"))
        .hexdigest()[:_DIGEST]
        .translate(_LETTERS)
    )


#: the digest of a row whose data were not at hand
NO_DATA = _digest("")


def data_digests(cells: pd.DataFrame) -> list[str]:
    """A digest of each row over all its columns, whatever their order."""
    names = sorted(map(str, cells.columns))
    columns = {str(name): cells.iloc[:, j].tolist() for j, name in enumerate(cells.columns)}
    values = zip(*(columns[name] for name in names), strict=True)
    return [_digest(*itertools.chain(names, row)) for row in values] if names else []


def key_columns(cells: pd.DataFrame, names: Iterable[str]) -> list[str]:
    """The columns that name each row: no number with decimals, never missing, never repeated."""
    keys = []
    for name in names:
        values = [normal(value) for value in cells[name]]
        decimals = any("." in value and _DECIMAL.fullmatch(value) for value in values)
        if not decimals and "" not in values and len(set(values)) == len(values):
            keys.append(name)
    return keys[:2]  # the check stays short


def checks(
    cells: pd.DataFrame, rows: Ints, keys: Sequence[str], *, is_data: bool = True
) -> list[str]:
    """Cells of the column ``check``; ``is_data`` says that the cells can be compared later."""
    of_data = (data_digests(cells) if is_data else None) or [NO_DATA] * len(rows)
    named = [("row", rows.tolist()), *((name, cells[name].tolist()) for name in keys)]
    of_names = [[_digest(name, value) for value in values] for name, values in named]
    draw = _digest(*of_data, *itertools.chain.from_iterable(of_names))
    size = len(rows)
    return [
        "-".join([draw, _digest(draw, number, size), of_row, *names])
        for number, (of_row, *names) in enumerate(zip(of_data, *of_names, strict=True), 1)
    ]


def number_text(number: int, size: int) -> str:
    """Number of a row in the draw, which sorts as text and is no date: ``07 of 60``."""
    return f"{number:0{len(str(size))}d} of {size}"


def table_of_draw(cells: pd.DataFrame, rows: Ints, keys: Sequence[str] = ()) -> pd.DataFrame:
    """The drawn rows with the columns ``draw``, ``row``, ``label`` (empty) and ``check``.

    Parameters
    ----------
    cells : DataFrame
        The data of the drawn rows, in the order of the draw.
    rows : ndarray of int
        Their numbers in the data, from 0.
    keys : sequence of str
        Columns that name a row.

    Returns
    -------
    DataFrame
        A file of labels to be, as ``sortal sample`` writes it; :func:`read_labels` verifies it.
    """
    marks = checks(cells, rows, keys)
    table = cells.rename(columns={name: f"{name} (data)" for name in MARKS})
    size = len(rows)
    table.insert(0, DRAW, [number_text(number, size) for number in range(1, size + 1)])
    table.insert(1, "row", rows)
    table.insert(2, "label", "")
    table.insert(3, CHECK, marks)
    return table


# -- a file of labels ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Listing:
    """The rows of a file of labels, the drawn ones first and in the order of the draw."""

    columns: dict[str, NDArray[Any]]  # the columns of the file but ``draw`` and ``check``
    order: Ints  # where each of these rows is in the file
    #: number of each row in the draw, infinite for one that was not drawn; None without a column
    #: ``draw``
    numbers: Floats | None = None
    size: int | None = None  # number of rows drawn, where the file says it
    digests: tuple[str, ...] = ()  # digest of each row's data; empty where the file has none
    verified: tuple[str, ...] = ()  # columns whose cells are as they were drawn

    @property
    def is_drawn(self) -> Bools | None:
        """The rows with a number in the draw; None without a column ``draw``."""
        return None if self.numbers is None else np.isfinite(self.numbers)


@dataclass(frozen=True)
class Draw:
    """What a file of labels says about the draw of its objects."""

    size: int | None = None  # number of rows drawn, where the file says it
    #: number in the draw of each object that was drawn, in the file or by its place there
    numbers: dict[int, float] = field(default_factory=dict)
    #: digest of the data of these objects; empty where the file has none
    digests: dict[int, str] = field(default_factory=dict)
    n_lost: int = 0  # number of drawn rows that are not in the file any more
    unreadable: tuple[int, ...] = ()  # numbers of rows that could not be read
    outside: tuple[float, ...] = ()  # numbers of rows of the file that are no objects
    notes: tuple[str, ...] = ()  # what was verified without the data
    has_rows: bool = False  # whether the file numbers the rows of the data

    @classmethod
    def of(
        cls,
        listing: Listing,
        file_rows: Mapping[int, int | None],
        unreadable: Sequence[int],
        excused: Sequence[int],
    ) -> Draw:
        """The draw of objects with these rows in the file; rows ``excused`` are unreadable."""
        numbers = listing.numbers
        if numbers is None:
            rows = len(next(iter(listing.columns.values())))
            numbers = np.arange(1.0, rows + 1)
        listed = {i: row for i, row in file_rows.items() if row is not None}
        places = {i: float(numbers[row]) for i, row in listed.items() if np.isfinite(numbers[row])}
        words = [int(number) for number in _numbers_of(excused, numbers)]
        outside = _numbers_of(sorted(set(range(len(numbers))) - set(listed.values())), numbers)
        of_rows = listing.digests
        digests = {
            i: of_rows[listed[i]] for i in places if of_rows and of_rows[listed[i]] != NO_DATA
        }
        size, n_in_file = listing.size, int(np.isfinite(numbers).sum())
        for number in unreadable:
            if not 1 <= number <= (size or max(places.values(), default=0)):
                raise InputError(
                    f"unreadable {number} is no number of a draw; the column 'draw' has 1 to "
                    f"{size or n_in_file}"
                )
        return cls(
            size, places, digests, 0 if size is None else size - n_in_file,
            tuple(sorted({*unreadable, *words})), tuple(outside), _notes(listing, n_in_file),
            "row" in listing.columns and "label" in listing.columns,
        )  # fmt: skip

    def is_readable(self, place: int) -> bool:
        """Whether an object was not declared unreadable."""
        return self.numbers.get(place) not in self.unreadable

    def skipped(self, order: Sequence[int], *, is_subset: bool = False) -> tuple[int, ...]:
        """How many objects without a label were drawn before each of ``order``; empty if none."""
        numbers = np.array([self.numbers[i] for i in order], dtype=np.float64)
        excused = (*self.unreadable, *(self.outside if is_subset else ()))
        before = skipped_before(numbers, excused)
        return before if any(before) else ()

    def verified_in(self, cells: pd.DataFrame, rows: Ints | None) -> list[str]:
        """A note that the drawn rows are unchanged in the data; raises where they are not."""
        objects = list(self.digests)
        if not objects:
            return []
        places = objects if rows is None else [int(rows[i]) for i in objects]
        digests = data_digests(cells.iloc[places])
        changed = [
            place
            for i, place, digest in zip(objects, places, digests, strict=True)
            if digest != self.digests[i]
        ]
        if 2 * len(changed) > len(objects):
            raise InputError(
                f"{len(changed):,} of {len(objects):,} drawn rows are not as sortal sample drew "
                "them: the data have other columns, other cells, or another order. Give the data "
                "of the draw, or draw again"
            )
        if changed:
            raise InputError(
                f"{len(changed):,} of {len(objects):,} drawn rows were changed since sortal sample "
                f"drew them (row {first_few(changed, 3)} of the data, from 0). Restore them; or "
                "delete them from the labels, where deleted rows count as errors"
            )
        return [f"Verified: the {len(objects):,} drawn rows are unchanged in the data."]


def _numbers_of(rows: Sequence[int], numbers: Floats) -> list[float]:
    """Numbers in the draw of some rows of a file."""
    return [float(numbers[row]) for row in rows if np.isfinite(numbers[row])]


def _notes(listing: Listing, n: int) -> tuple[str, ...]:
    """What was verified in a file of labels without the data."""
    if listing.digests:
        lost = (listing.size or n) - n
        note = f"Verified without the data: the draw of {listing.size or n:,} rows"
        note += f", {lost:,} of which are missing" * (lost > 0)
        if listing.verified:
            note += f", and {' and '.join(map(repr, listing.verified))}"
        more = " sortal run --truth also verifies the other columns." * (
            NO_DATA not in listing.digests
        )
        return (f"{note}.{more}",)
    if listing.size is not None:
        return ("The labels have no column 'check' any more, so changed rows cannot be seen.",)
    return ()


def listing(columns: dict[str, NDArray[Any]], path: Path) -> Listing:
    """Rows of a file of labels by their number in the draw; raises where they were changed."""
    if DRAW not in columns or len(columns) < 3:
        n = len(next(iter(columns.values())))
        plain = {name: values for name, values in columns.items() if name != CHECK}
        return Listing(plain or columns, np.arange(n))
    numbers, sizes = _numbers(columns[DRAW], path)
    size = next(iter(sizes)) if sizes else None
    order = np.argsort(numbers, kind="stable")
    columns = {name: values[order] for name, values in columns.items() if name != DRAW}
    numbers, marks = numbers[order], columns.pop(CHECK, None)
    if marks is None or not has_checks(marks):
        return Listing(columns, order, numbers, size)
    verified = _verified(columns, numbers, size, [_mark(value) for value in marks], path)
    digests = tuple(_mark(value).split("-")[2] if _mark(value) else "" for value in marks)
    return Listing(columns, order, numbers, size, digests, verified)


def _mark(value: Any) -> str:
    """A cell of the column ``check`` as it was written."""
    return "" if value is None else normal(value).lower()


def _numbers(values: NDArray[Any], path: Path) -> tuple[Floats, set[int]]:
    """Number of each row in the draw, infinite where the cell is empty, and the sizes stated."""
    numbers, sizes = np.full(len(values), math.inf), set()
    for i, value in enumerate(values):
        text = "" if value is None or value != value else str(value).strip()
        if not text:
            continue
        match = _NUMBER.fullmatch(text)
        number, size = (int(match[1]), match[2] and int(match[2])) if match else (0, None)
        if not 1 <= number <= (size or math.inf):
            raise InputError(
                f"{path}: draw {value} is no number of a draw; sortal sample writes 1 of 60, 2 of "
                "60, ... to the column 'draw', and empty cells for objects that were not drawn"
            )
        numbers[i] = number
        sizes |= {size} if size else set()
    if len(sizes) > 1:
        raise InputError(
            f"{path}: its rows come from draws of {first_few(sorted(sizes), 3)} rows; one file has "
            "one draw"
        )
    counts = Counter(numbers[np.isfinite(numbers)].tolist())
    number, count = max(counts.items(), key=lambda item: item[1], default=(0, 1))
    if count > 1:
        raise InputError(
            f"{path} has {count} objects with draw {number:g}; restore the column 'draw' as sortal "
            "sample wrote it, or delete it"
        )
    return numbers, sizes


def _verified(
    columns: Mapping[str, NDArray[Any]],
    numbers: Floats,
    size: int | None,
    marks: Sequence[str],
    path: Path,
) -> tuple[str, ...]:
    """Names of the columns that the digests prove unchanged; raises for rows changed or added."""
    rows = np.flatnonzero(np.isfinite(numbers)).tolist()
    added = [i for i in rows if not _CHECK.fullmatch(marks[i])]
    draws = Counter(marks[i][:_DIGEST] for i in rows if i not in set(added))
    draw = draws.most_common(1)[0][0] if draws else ""
    added += [i for i in rows if marks[i][:_DIGEST] != draw and i not in set(added)]
    if added:
        raise InputError(
            f"{path}: {_named(added, numbers)} of this draw as sortal sample wrote it; their cells "
            "'check' are empty, changed, or of another draw. Delete what was added: its numbers "
            "may stay missing, and then count as errors"
        )
    moved = [i for i in rows if marks[i].split("-")[1] != _digest(draw, int(numbers[i]), size)]
    if moved:
        raise InputError(
            f"{path}: {_named(moved, numbers)} where the draw had them; the column 'draw' was "
            "changed, or sorted apart from 'check'. Restore it as sortal sample wrote it"
        )
    verified = []
    for slot in range(3, min((marks[i].count("-") for i in rows), default=2) + 1):
        digests = {i: marks[i].split("-")[slot] for i in rows}
        for name, values in columns.items():
            right = [i for i in rows if _digest(name, values[i]) == digests[i]]
            if 2 * len(right) > len(rows) or (right and name == "row" and slot == 3):
                _require_all(name, values, right, rows, numbers, path)
                verified.append(name)
    if "row" in columns and "row" not in verified and rows:
        _require_all("row", columns["row"], [], rows, numbers, path)
    return tuple(verified)


def _require_all(
    name: str, values: NDArray[Any], right: list[int], rows: list[int], numbers: Floats, path: Path
) -> None:
    """Raise where a column's cells are not those of the draw."""
    changed = [i for i in rows if i not in set(right)]
    if changed:
        cell = values[changed[0]]
        raise InputError(
            f"{path}: {name!r} was changed in {len(changed):,} of {len(rows):,} drawn rows (draw "
            f"{numbers[changed[0]]:g} has {cell!r} now). Restore the column as sortal sample wrote "
            "it, or delete these rows: deleted rows count as errors"
        )


def _named(rows: list[int], numbers: Floats) -> str:
    """Rows by their numbers in the draw, and that they are not."""
    listed = first_few([f"{numbers[i]:g}" for i in rows], 3)
    return f"draw {listed} {'are not rows' if len(rows) > 1 else 'is no row'}"


def skipped_before(
    labelled: NDArray[np.floating[Any]], unreadable: Collection[float] = ()
) -> tuple[int, ...]:
    """Number of objects without a label, and not excused, drawn before each labelled one."""
    excused = np.sort(np.array(sorted(set(unreadable) - set(labelled.tolist())), dtype=np.float64))
    before = labelled - 1 - np.arange(len(labelled)) - np.searchsorted(excused, labelled)
    return tuple(before.astype(np.int64).tolist())


def has_checks(values: Iterable[Any]) -> bool:
    """Whether any cell of a column is one of the column ``check``."""
    return any(_CHECK.fullmatch(_mark(value)) for value in values)


# -- order without numbers -----------------------------------------------------------------------


def row_numbers_of_draw(values: Iterable[Any]) -> Floats | None:
    """Number of each row in the draw, NaN where it has none; None for any other column."""
    try:
        numbers, _ = _numbers(np.array(list(values), dtype=object), Path(DRAW))
    except InputError:
        return None
    return np.where(np.isfinite(numbers), numbers, np.nan) if np.isfinite(numbers).any() else None


def sorted_by(columns: Mapping[str, NDArray[Any]]) -> str:
    """Name of a column by which the rows were sorted on purpose; empty without one."""
    for name, values in columns.items():
        level = SORTED_ROWS if name == "row" else SORTED_COLUMN
        if _is_monotone(values) and _chance_sorted(values) < level:
            return name
    return ""


def _is_monotone(values: NDArray[Any]) -> bool:
    """Whether the values that are there rise or fall throughout."""
    plain = [value for value in values if value is not None]
    try:
        pairs = list(itertools.pairwise(plain))
        return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)
    except TypeError:
        return False


def _chance_sorted(values: NDArray[Any]) -> float:
    """Chance that a random order of these values rises or falls throughout."""
    counts = Counter(value for value in values if value is not None)
    if len(counts) < 2:
        return 1.0
    ties = sum(math.lgamma(count + 1) for count in counts.values())
    return 2 * math.exp(ties - math.lgamma(counts.total() + 1))


def unknown_order(name: str) -> str:
    """Note that the order of the draw is not known, and how to restore it."""
    return (
        f"The rows are sorted by {name!r} and there is no column 'draw', so the order of the draw "
        "is not known. Restore the order in which sortal sample wrote them to stop at any number."
    )


@dataclass(frozen=True)
class MarkedRows:
    """Rows of a data file that has the columns of a draw beside its own."""

    listing: Listing  # the rows by their number in the draw, after a look at their digests
    cells: pd.DataFrame  # the cells of the data alone
    marks: tuple[str, ...]  # columns that are no data, beside the labels
    excused: tuple[int, ...]  # rows of the listing that nobody can read

    @classmethod
    def of(cls, cells: pd.DataFrame, label: str, path: Path) -> MarkedRows | None:
        """None for rows without a draw; raises where a row was changed since, or added."""
        if DRAW not in cells or label not in cells:
            return None
        checked = CHECK in cells and has_checks(cells[CHECK])
        if not checked and row_numbers_of_draw(cells[DRAW]) is None:
            return None  # a column of the data has this name
        written = {
            str(name): cells.iloc[:, j].to_numpy(dtype=object)
            for j, name in enumerate(cells.columns)
        }
        table = listing(written, path)
        marks = [DRAW, *([CHECK] if checked else ()), *(["row"] if "row" in table.verified else ())]
        data = cells.drop(columns=[*marks, label])
        data = data.rename(columns={f"{name} (data)": name for name in MARKS})
        excused = [i for i, value in enumerate(table.columns[label]) if is_unreadable(value)]
        return cls(table, data, tuple(marks), tuple(excused))

    def draw(self, rows: Ints | None) -> Draw:
        """The draw of the objects with these rows of the file; by default of all."""
        places = np.argsort(self.listing.order)
        of_object = places if rows is None else places[rows]
        return Draw.of(self.listing, dict(enumerate(of_object.tolist())), (), self.excused)
