"""One join for all that takes two things about the same objects: by a key, else row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.labelings.row_values import (
    FORMS,
    MIN_NAMED,
    VALUE_COLUMNS,
    KeyColumn,
    Values,
    as_list,
    plain,
    plain_text,
    text_of,
)
from sortal.runtime.validation import InputError, unknown_name

#: which sides must be complete: both, the left, the right, or none (the common rows are taken)
JoinedSides: TypeAlias = Literal["both", "left", "right", "inner"]

#: what an index is called among keys
INDEX = "index"
#: the column with the number of a row in the data, from 0
ROW = "row"
#: tuned: by eye; rows, names and values that a sentence shows
MAX_EXAMPLES = 3
_TAKE_COMMON = 'take the common ones with --on inner (on="inner")'


@dataclass(frozen=True)
class Rows:
    """The rows of one input, and what may name them."""

    name: str  # what messages call the input
    n: int  # number of rows
    #: columns that may be a key, as written
    columns: Mapping[str, Values] = field(default_factory=dict)
    #: ids of an index other than 0 to n - 1; it decides before the columns
    index: Values | None = None
    #: number of each row in its source, where some rows of the source are no objects
    numbers: NDArray[np.intp] | None = None
    n_source: int | None = None  # rows of the source
    #: values of the columns in rows of the source that are no objects
    aside: Mapping[str, Values] = field(default_factory=dict)
    is_counted: bool = False  # whether there is an index, and it only counts the rows
    is_data: bool = False  # whether these are the objects of a data set

    @cached_property
    def keys(self) -> dict[str, KeyColumn]:
        """The columns as keys."""
        return {name: KeyColumn(name, values) for name, values in self.columns.items()}

    @cached_property
    def row_key(self) -> KeyColumn:
        """The numbers of the rows, as a key."""
        return KeyColumn(ROW, np.arange(self.n) if self.numbers is None else self.numbers)

    def without(self, names: Iterable[str]) -> Rows:
        """The same without some columns."""
        excluded = set(names)
        remaining = {name: self.columns[name] for name in self.columns if name not in excluded}
        return replace(self, columns=remaining)


@dataclass(frozen=True)
class RowJoin:
    """Which row of the right input belongs to each row of the left one."""

    places: NDArray[np.intp]  # shape (n_left,): row of the right input; -1 where it has none
    n_right: int  # rows of the right input
    #: the column that decided; None for an index and where the rows were taken in order
    key: str | None
    #: columns of the right and of the left input that name the rows, and so are no values
    keys: frozenset[str]
    left_keys: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()  # how the rows were joined, in sentences
    by_position: bool = False

    @property
    def is_in_order(self) -> bool:
        """Whether the rows of both are the same in the same order."""
        return bool(np.array_equal(self.places, np.arange(self.n_right)))

    @property
    def left_rows(self) -> NDArray[np.intp]:
        """Rows of the left input that have one on the right."""
        return np.flatnonzero(self.places >= 0)

    @property
    def right_rows(self) -> NDArray[np.intp]:
        """The row on the right of each of ``left_rows``."""
        return self.places[self.places >= 0]


@dataclass(frozen=True)
class _Match:
    """Rows of both inputs with the same value of a key."""

    left: KeyColumn
    right: KeyColumn
    places: NDArray[np.intp]
    form: str = ""

    @cached_property
    def n_common(self) -> int:
        """Number of rows that both have."""
        return int((self.places >= 0).sum())

    @property
    def name(self) -> str:
        """The key's name, or both."""
        left, right = self.left.name, self.right.name
        if left == right == INDEX:
            return "the index"
        return repr(left) if left == right else f"{left!r} and {right!r}"

    def is_complete(self, on: JoinedSides) -> bool:
        """Whether every row of the sides that must be complete has a partner."""
        left = self.n_common == len(self.places)
        right = self.n_common == len(self.right.values)
        return {"both": left and right, "left": left, "right": right, "inner": left or right}[on]

    def agrees(self, match: _Match) -> bool:
        """Whether another key leads to the same partners wherever both have one."""
        both = (self.places >= 0) & (match.places >= 0)
        return bool((self.places[both] == match.places[both]).all())


def _matched(left: KeyColumn, right: KeyColumn) -> _Match:
    """Match of two keys with distinct values, in the first form that matches the most."""
    import pandas as pd

    if left.numbers is not None and right.numbers is not None:
        return _Match(left, right, pd.Index(right.numbers).get_indexer(pd.Index(left.numbers)))
    best = None
    for level in range(len(FORMS)):
        forms = [key.form(level) for key in (left, right)]
        if any(len(set(form)) < len(form) for form in forms):
            break  # different values would become one
        at = pd.Index(forms[1], dtype=object).get_indexer(pd.Index(forms[0], dtype=object))
        match = _Match(left, right, at, _form_note(left, right, at))
        if best is None or match.n_common > best.n_common:
            best = match
        if match.n_common == min(len(left.values), len(right.values)):
            break
    assert best is not None
    return best


def _form_note(left: KeyColumn, right: KeyColumn, places: NDArray[np.intp]) -> str:
    """The first value that the two inputs write differently, in words; empty without one."""
    for i, place in enumerate(places.tolist()):
        if place >= 0 and left.texts[i] != right.texts[place]:
            return f"{right.texts[place]!r} is read as {left.texts[i]!r}"
    return ""


def join_rows(
    left: Rows, right: Rows, *, key: str | None = None, on: JoinedSides = "both",
    mend: str = _TAKE_COMMON,
) -> RowJoin:  # fmt: skip
    """Match the rows of two inputs about the same objects.

    The first of these decides: ``key``, an index, all columns of one name with distinct values
    that match (names that are typical of ids may differ). Then comes the column ``row`` of one
    input, which numbers the rows of the other. If nothing names the rows of the right input, rows
    are taken in order, and their numbers must agree.

    ``on`` says on which sides every row needs a partner, ``mend`` what a user can do about rows
    without one. Keys that are repeated, blank or disagree are errors, too.

    Examples
    --------
    >>> left = Rows("a.csv", 3, {"ticket": ["t1", "t2", "t3"]})
    >>> right = Rows("b.csv", 3, {"ticket": ["t3", "t1", "t2"]})
    >>> join_rows(left, right).places.tolist()
    [1, 2, 0]
    """
    if key is not None:
        sides = [check_key(side, key) for side in (left, right)]
        return _by_key(left, right, [_matched(*sides)], on, mend)
    if left.index is not None and right.index is not None:
        match = _matched(*(_whole_key(side, _index_key(side)) for side in (left, right)))
        return _by_key(left, right, [match], on, mend)
    indexed = _index_to_columns(left, right)
    if indexed is not None:
        return _by_key(left, right, [indexed], on, mend)
    matches = _column_matches(left, right)
    full = [match for match in matches if match.is_complete(on)]
    # two files that both only count their rows say nothing about the objects
    naming = [m for m in full if not (m.left.is_counter and m.right.is_counter)]
    if naming:
        return _by_key(left, right, naming, on, mend)
    by_number = _by_number(left, right)
    if by_number is not None:
        claims = [m for m in matches if not (m.left.is_counter and m.right.is_counter)]
        _check_agreement([by_number, *claims], left, right)
        return _by_key(left, right, [by_number], on, mend)
    partial = [m for m in matches if _is_partial(m)]
    if partial:
        return _by_key(left, right, sorted(partial, key=lambda m: -m.n_common)[:1], on, mend)
    _check_broken(left, right)
    return _by_position(left, right)


def check_key(side: Rows, key: str) -> KeyColumn:
    """The key of an input that the user names; raises if it is absent, repeated or blank."""
    if key not in side.columns:
        raise InputError(f"{side.name}: {unknown_name(key, side.columns, 'column')}")
    return _whole_key(side, side.keys[key])


def _whole_key(side: Rows, key: KeyColumn) -> KeyColumn:
    """The key itself if its values are distinct; raises otherwise."""
    if not key.is_distinct:
        raise _broken(side, key)
    return key


def _broken(side: Rows, key: KeyColumn) -> InputError:
    """The error for a key with blanks or repeated values."""
    column = f"{side.name}: {key.name!r}"
    blank = [i + 1 for i, value in enumerate(key.texts) if value is None]
    if blank:
        return InputError(
            f"{column} is blank in row{'s' * (len(blank) > 1)} {_few(blank)}; a key needs a value "
            "in every row. Fill it in, or exclude the column"
        )
    (value, count), *_ = Counter(key.texts).most_common(1)
    rows = [i + 1 for i, text in enumerate(key.texts) if text == value]
    return InputError(
        f"{column} must differ from row to row to be a key, but {_shown(key, rows[0] - 1)} occurs "
        f"{count} times (rows {_few(rows)}). Keep one row of each, or exclude the column"
    )


def _index_key(side: Rows) -> KeyColumn:
    """The index of an input as a key."""
    assert side.index is not None
    return KeyColumn(INDEX, side.index)


def _index_to_columns(left: Rows, right: Rows) -> _Match | None:
    """Match of the index of one input with a column of the other, if only one has an index."""
    if right.index is None and (left.index is None or (left.is_data and not right.is_counted)):
        return None  # the ids of a data set are among its columns
    for side, opposite in ((left, right), (right, left)):
        if side.index is None:
            continue
        key = _index_key(side)
        for column in opposite.keys.values():
            if key.is_distinct and column.may_join:
                match = _matched(key, column) if side is left else _matched(column, key)
                if match.is_complete("inner"):
                    return match
        if opposite.is_counted:
            raise InputError(
                f"{left.name} and {right.name} have different indexes ({_of_index(left)} and "
                f"{_of_index(right)}), so their objects cannot be joined one to one. Give both the "
                f"same ids, or pass {right.name}.to_numpy() if its rows are those of {left.name} "
                "in the same order"
            )
    return None


def _of_index(side: Rows) -> str:
    """The first ids of an index."""
    return _first(KeyColumn(INDEX, range(side.n) if side.index is None else side.index))


def _column_matches(left: Rows, right: Rows) -> list[_Match]:
    """Matches of columns with distinct values, those with typical names first."""
    matches = []
    for mine in left.keys.values():
        for theirs in right.keys.values():
            is_same = mine.name == theirs.name
            if not (is_same or (mine.is_typical and theirs.is_typical)):
                continue
            if not is_same and ROW in (mine.name, theirs.name):
                continue
            if not (mine.may_join and theirs.may_join):
                continue
            match = _matched(mine, theirs)
            if is_same or match.is_complete("inner"):
                matches.append(match)
    return sorted(matches, key=lambda match: not match.left.is_typical)


def _is_partial(match: _Match) -> bool:
    """Whether values match so far that the rows can only be joined by them."""
    is_counter = match.left.is_counter and match.right.is_counter
    if match.n_common == 0 or (is_counter and len(match.places) == len(match.right.values)):
        return False
    least = min(len(match.places), len(match.right.values))
    is_text = match.left.numbers is None or match.right.numbers is None
    return match.left.is_typical or is_text or 2 * match.n_common >= max(least, MIN_NAMED)


def _by_number(left: Rows, right: Rows) -> _Match | None:
    """Match of the column ``row`` of one input with the numbers of the other's rows."""
    if (ROW in left.columns) == (ROW in right.columns):
        return None
    if ROW in right.columns:
        key = _row_column(right)
        return _matched(left.row_key, key)
    key = left.keys[ROW]
    if key.is_counter or not key.is_distinct or right.n != left.n:
        return None
    match = _matched(key, right.row_key)
    return match if match.is_complete("both") else None


def _row_column(side: Rows) -> KeyColumn:
    """The column ``row``; raises unless it has the number of a row, from 0, in each row."""
    key = side.keys[ROW]
    for text in key.texts:
        if text is not None and not plain(text).isdecimal():
            raise InputError(f"{side.name}: row {text} is not the number of a row, counted from 0")
    return _whole_key(
        side, KeyColumn(ROW, [None if t is None else int(plain(t)) for t in key.texts])
    )


def _check_agreement(matches: Sequence[_Match], left: Rows, right: Rows) -> None:
    """Raise for two keys that lead to different partners."""
    first = matches[0]
    for match in matches[1:]:
        if first.agrees(match):
            continue
        differing = (first.places >= 0) & (match.places >= 0) & (first.places != match.places)
        i = int(np.argmax(differing))
        raise InputError(
            f"{left.name} and {right.name} share {first.name} and {match.name}, which disagree in "
            f"{int(differing.sum()):,} rows: for {first.left.name} {_shown(first.left, i)} "
            f"{right.name} has the {match.right.name} "
            f"{_shown(match.right, int(first.places[i]))}, and {left.name} has "
            f"{_shown(match.left, i)}. Say which counts (--id-column, id_column=)"
        )


def _by_key(left: Rows, right: Rows, matches: list[_Match], on: JoinedSides, mend: str) -> RowJoin:
    """The join by keys that agree; raises where a row of a side that must be complete has none."""
    _check_agreement(matches, left, right)
    match = matches[0]
    ignored = _rows_aside(left, match)
    alone = np.setdiff1d(np.arange(right.n), match.places[match.places >= 0])
    foreign = np.setdiff1d(alone, ignored)
    lacks = on in ("both", "left") and match.n_common < left.n
    adds = on in ("both", "right") and len(foreign) > 0
    if lacks or adds or match.n_common == 0:
        raise _partly(left, right, match, foreign, mend)
    notes = [f"{right.name} is joined to {left.name} by {match.name}."]
    if match.form:
        notes.append(f"In {match.name}, {match.form} ({right.name}).")
    if len(alone):
        what = "which are of other objects" if len(foreign) else "whose rows are no objects"
        notes.append(f"Ignored {len(alone):,} rows of {right.name}, {what}.")
    if on == "inner" and match.n_common < left.n:
        notes.append(
            f"Ignored {left.n - match.n_common:,} rows of {left.name}, not in {right.name}."
        )
    is_index = match.right.name == INDEX
    names = frozenset(m.right.name for m in matches)
    left_names = frozenset(m.left.name for m in matches)
    key = None if is_index else match.right.name
    return RowJoin(match.places, right.n, key, names, left_names, tuple(notes))


def _rows_aside(left: Rows, match: _Match) -> NDArray[np.intp]:
    """Rows of the right input about rows of the left source that are no objects."""
    aside: Values | None = left.aside.get(match.left.name)
    if match.left is left.row_key and left.n_source is not None and left.numbers is not None:
        aside = np.setdiff1d(np.arange(left.n_source), left.numbers)
    if aside is None or not len(aside):
        return np.array([], dtype=np.intp)
    excluded = set(filter(None, map(text_of, aside)))
    excluded |= set(map(plain, excluded))
    rows = [i for i, text in enumerate(match.right.texts) if text and plain(text) in excluded]
    return np.array(rows, dtype=np.intp)


def _partly(
    left: Rows, right: Rows, match: _Match, foreign: NDArray[np.intp], mend: str
) -> InputError:
    """The error for rows without a partner, with counts and examples."""
    alone = np.flatnonzero(match.places < 0)
    sides = []
    for side, key, rows in ((left, match.left, alone), (right, match.right, foreign)):
        values = ", ".join(_shown(key, int(row)) for row in rows[:MAX_EXAMPLES])
        examples = f" ({values}{', ...' * (len(rows) > MAX_EXAMPLES)})" if len(rows) else ""
        sides.append(f"{len(rows):,} of {side.n:,} objects only in {side.name}{examples}")
    return InputError(
        f"{left.name} and {right.name} are not about the same objects by {match.name}: "
        f"{match.n_common:,} in both, {sides[0]}, {sides[1]}. Give both the same objects"
        f"{f', or {mend}' if mend and match.n_common else ''}"
    )


def _check_broken(left: Rows, right: Rows) -> None:
    """Raise for a column that would be the key but for blanks or repeated values."""
    for name in left.keys.keys() & right.keys.keys() - VALUE_COLUMNS:
        mine, theirs = left.keys[name], right.keys[name]
        both = mine.is_distinct and theirs.is_distinct
        neither = not mine.is_distinct and not theirs.is_distinct
        if both or (neither and (not mine.is_typical or mine.texts == theirs.texts)):
            continue
        side, broken, key = (right, theirs, mine) if mine.is_distinct else (left, mine, theirs)
        if not (key.is_typical or key.names_rows):
            continue
        values = set(map(plain, filter(None, key.texts)))
        written = [plain(text) for text in broken.texts if text is not None]
        if written and 2 * sum(text in values for text in written) >= len(written):
            raise _broken(side, broken)


def check_unnamed(side: Rows, opposite: Rows) -> None:
    """Raise if an input names its rows, but not by values that the other one has."""
    keys = [key for key in side.keys.values() if key.names_rows and not key.is_counter]
    if side.index is not None and opposite.columns:
        keys.insert(0, _index_key(side))  # an array has nothing that an index could be compared to
    if keys:
        named = opposite.keys.get(keys[0].name)
        instead = "" if named is None else f" (its {named.name!r} has {_first(named)})"
        raise InputError(
            f"{side.name} names its rows by {keys[0].name!r} ({_first(keys[0])}), and "
            f"{opposite.name} has no column with these values{instead}. Give both the same ids, "
            "name it (--id-column, id_column=), or drop it if the rows are in the same order"
        )


def _by_position(left: Rows, right: Rows) -> RowJoin:
    """The rows in order; raises if only the right input names them, or the numbers differ."""
    check_unnamed(right, left)
    note = f"{right.name} is taken row by row: no column of it names the rows of {left.name}."
    places = np.arange(left.n) if right.n == left.n else left.numbers
    if places is not None and right.n in (left.n, left.n_source):
        places = places.astype(np.intp)
        return RowJoin(places, right.n, None, frozenset(), notes=(note,), by_position=True)
    source = "" if left.n_source in (None, left.n) else f" (of {left.n_source:,} rows)"
    raise InputError(
        f"{right.name} has {right.n:,} rows for the {left.n:,} objects of {left.name}{source}, and "
        "no column names the rows of both. Give both the same rows, or a column with the same ids; "
        "name it with --id-column (id_column=)"
    )


def naming_column(rows: Rows, wanted: Iterable[object]) -> Values | None:
    """Column that has most of these values, or None; raises where two lead to other rows."""
    texts = set(map(plain_text, wanted))
    columns = [key for key in rows.keys.values() if key.may_join]
    if rows.index is not None:
        columns.insert(0, _index_key(rows))
    places: dict[str, dict[str, int]] = {}
    for key in columns:
        at = {plain_text(text): i for i, text in enumerate(key.texts) if plain_text(text) in texts}
        if at:
            places[key.name] = at
    most = max(map(len, places.values()), default=0)
    places = {name: at for name, at in places.items() if len(at) == most}
    if any(at != next(iter(places.values())) for at in places.values()):
        raise InputError(
            f"the objects are named by {' and by '.join(map(repr, places))} of {rows.name}, which "
            "lead to different rows. Exclude one of these columns"
        )
    return next((key.values for key in columns if key.name in places), None)


def _first(key: KeyColumn) -> str:
    """The first values of a key."""
    values = ", ".join(_shown(key, i) for i in range(min(MAX_EXAMPLES, len(key))))
    return f"{values}, ..." if len(key) > MAX_EXAMPLES else values


def _shown(key: KeyColumn, row: int) -> str:
    """A value of a key as messages show it."""
    (value,) = as_list(key.values[row : row + 1])
    return repr(value.item() if isinstance(value, np.generic) else value)


def _few(rows: list[int]) -> str:
    """The first few numbers."""
    return ", ".join(map(str, rows[:MAX_EXAMPLES])) + ", ..." * (len(rows) > MAX_EXAMPLES)
