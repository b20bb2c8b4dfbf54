"""CSV text of a table, in which no cell is a formula to a spreadsheet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def to_csv(table: pd.DataFrame, *, header: bool = True, sep: str = ",") -> str:
    """CSV text without row names; no cell is a formula in a spreadsheet."""
    import pandas as pd

    # a new table: setting a column takes time that grows with the number of columns
    columns = {
        j: column if column.dtype.kind in "iufb" else [escape_formula(value) for value in column]
        for j, (_, column) in enumerate(table.items())
    }
    plain = pd.DataFrame(columns, index=table.index)
    names = [escape_formula(name) for name in table.columns]
    return plain.to_csv(index=False, header=names if header else False, sep=sep)


def escape_formula(value: Any) -> Any:
    """The value; formulas of a spreadsheet get an apostrophe and become text.

    >>> [escape_formula(text) for text in ("=HYPERLINK(1)", "-1.5", "-1.200,5 %", "plain")]
    ["'=HYPERLINK(1)", '-1.5', '-1.200,5 %', 'plain']
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    number = re.fullmatch(r"[+-][\d.,\s%€$£]*(e[+-]?\d+|inf|nan)?", value, re.IGNORECASE)
    return value if number else f"'{value}"
