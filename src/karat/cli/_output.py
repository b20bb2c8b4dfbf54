"""Files that commands write: never over another without --force, never a formula."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


def check_target(path: Path | None, option: str, force: bool) -> None:
    """Reject an output file before hours of work, not after."""
    from karat.runtime.output import check_output

    if path is not None:
        check_output(path, overwrite=force, option=option)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, whole or not at all; the path has been checked."""
    from karat.runtime.output import write_output

    write_output(path, to_csv(table), overwrite=True)


def printable(text: str) -> str:
    r"""The text without characters that move a terminal's cursor or colour it.

    >>> printable("a\x1b[31mb\n")
    'a\ufffd[31mb\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def to_csv(table: pd.DataFrame, *, header: bool = True, sep: str = ",") -> str:
    """CSV text without row names, in which no cell is a formula to a spreadsheet."""
    import pandas as pd

    # made anew: to set a column takes time that grows with the number of columns
    columns = {
        j: column if column.dtype.kind in "iufb" else [escaped(value) for value in column]
        for j, (_, column) in enumerate(table.items())
    }
    plain = pd.DataFrame(columns, index=table.index)
    names = [escaped(name) for name in table.columns]
    return plain.to_csv(index=False, header=names if header else False, sep=sep)


def escaped(value: Any) -> Any:
    """Text that a spreadsheet would run, with an apostrophe before it; numbers stay.

    >>> escaped("=HYPERLINK(1)"), escaped("-1.5"), escaped("plain")
    ("'=HYPERLINK(1)", '-1.5', 'plain')
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
