"""Values that may name the rows of a table, in forms that can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = Sequence[object] | NDArray[Any]

#: columns that sortal writes beside classes and clusters
SCORES = frozenset(
    {
        "draw", "settled", "class_guaranteed", "confidence", "labelled", "label_next",
        "cluster_name", "cluster_confidence", "unlike", "distance",
    }
)  # fmt: skip
#: columns that sortal writes as values; they name no row
VALUE_COLUMNS = SCORES | {"label", "class", "cluster"}
#: tuned: by eye; rows from which on different words, or numbers beyond the range of clusters, name
#: the rows
MIN_NAMED = 10
#: limit of cost: rows in which a repeated value is looked for first
HEAD_ROWS = 1000
_TYPICAL_NAME = re.compile(r"^(?:row ?)?id$|^row$|^key$|[_ .]id$|[a-z]I[dD]$", re.IGNORECASE)
_INTEGER = re.compile(r"^(?:0|-?[1-9][0-9]{0,17})$")
_WHOLE = re.compile(r"^([+-]?\d+)\.0*$")
_LEADING_ZEROS = re.compile(r"^([+-]?)0+(?=\d)")


def is_typical_name(name: str) -> bool:
    """Whether a column is called as columns of ids often are; a hint, which decides nothing."""
    return _TYPICAL_NAME.search(name.strip()) is not None


def names_rows(name: str, values: Values) -> bool:
    """Whether a column names the rows rather than groups of them: it differs in each."""
    key = KeyColumn(name, values)
    return key.may_join and (key.is_typical or len(key) >= MIN_NAMED)


class KeyColumn:
    """Values of a column that may name the rows, in comparable forms."""

    def __init__(self, name: str, values: Any) -> None:
        self.name = name
        self.values = np.arange(values.start, values.stop) if isinstance(values, range) else values

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def texts(self) -> list[str | None]:
        """Values as text; None for blanks."""
        return [text_of(value) for value in as_list(self.values)]

    @cached_property
    def head(self) -> list[str | None]:
        """The first values as text."""
        return [text_of(value) for value in as_list(self.values[:HEAD_ROWS])]

    @cached_property
    def is_distinct(self) -> bool:
        """Whether every row has a value, and another one."""
        if None in self.head or len(set(self.head)) < len(self.head):
            return False
        if getattr(self.values, "dtype", np.dtype(object)).kind in "iu":
            return len(np.unique(self.values)) == len(self)
        return None not in self.texts and len(set(self.texts)) == len(self)

    @cached_property
    def is_measured(self) -> bool:
        """Whether the values are numbers with decimals."""
        return are_decimals(self.head)

    @property
    def may_join(self) -> bool:
        """Whether the column can be a key."""
        return not self.is_measured and self.name not in VALUE_COLUMNS and self.is_distinct

    @cached_property
    def numbers(self) -> NDArray[np.int64] | None:
        """Values as integers; None for anything else."""
        if getattr(self.values, "dtype", np.dtype(object)).kind in "iu":
            return np.asarray(self.values, dtype=np.int64)
        if not all(text is not None and _INTEGER.match(text) for text in self.head):
            return None
        if not all(text is not None and _INTEGER.match(text) for text in self.texts):
            return None
        return np.array([int(text) for text in self.texts if text is not None], dtype=np.int64)

    @cached_property
    def is_counter(self) -> bool:
        """Whether the values only count the rows, from 0 or from 1."""
        numbers = self.numbers
        if numbers is None or not len(numbers) or numbers[0] not in (0, 1):
            return False
        return bool(np.array_equal(numbers, numbers[0] + np.arange(len(numbers))))

    @property
    def is_typical(self) -> bool:
        """Whether the name is that of a column of ids."""
        return is_typical_name(self.name)

    @cached_property
    def names_rows(self) -> bool:
        """Whether the values name the rows without another input that has them too."""
        if not self.may_join:
            return False
        numbers = self.numbers
        if self.is_typical or len(self) < MIN_NAMED or numbers is None:
            return self.is_typical or len(self) >= MIN_NAMED
        return bool(numbers.min() < -1 or numbers.max() > 2 * len(self))

    def form(self, level: int) -> list[str | None]:
        """Values as text: as written, as plain Unicode and numbers, without leading zeros."""
        return [value if value is None else FORMS[level](value) for value in self.texts]


def as_list(values: Any) -> list[Any]:
    """Values of a sequence, an array or an Arrow column as Python objects."""
    for method in ("to_pylist", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def text_of(value: Any) -> str | None:
    """A value as text; None for a blank."""
    if value is None or value != value:
        return None
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    text = str(value)
    return text if text.strip() else None


def plain(text: str) -> str:
    """Text in one Unicode form without blanks around it; whole numbers without a point."""
    text = unicodedata.normalize("NFC", text.strip())
    match = _WHOLE.match(text)
    return text if match is None else match[1]


def plain_text(value: object) -> str:
    """A value as plain text; empty for a blank."""
    text = text_of(value)
    return "" if text is None else plain(text)


def _without_zeros(text: str) -> str:
    """Plain text without leading zeros."""
    return _LEADING_ZEROS.sub(r"\1", plain(text))


#: forms in which values are compared, one after the other
FORMS: tuple[Callable[[str], str], ...] = (str, plain, _without_zeros)


def are_decimals(texts: Iterable[str | None]) -> bool:
    """Whether all values are numbers, some of them with decimals: these are measured."""
    try:
        numbers = [float(text) for text in texts if text is not None]
    except ValueError:
        return False
    return not all(number.is_integer() for number in numbers)
