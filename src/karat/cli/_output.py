"""Output of commands: tables, notes, JSON, and files that are overwritten only on request."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import pandas as pd


def check_target(path: Path | None, option: str, force: bool) -> None:
    """Raise before any work if the output file cannot be written."""
    from karat.runtime.output import check_output

    if path is not None:
        check_output(path, overwrite=force, option=option)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV to a checked path; the file is complete or absent."""
    from karat.runtime.output import write_output

    write_output(path, to_csv(table), overwrite=True)


def print_json(answer: object) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(answer))


def print_notes(notes: Iterable[str], *, err: bool = True) -> None:
    """Print notes on what was done to the data."""
    for note in notes:
        typer.echo(f"Note: {printable(note)}", err=err)


def records(table: pd.DataFrame) -> Any:
    """The rows of a table as JSON objects, which include the index."""
    return json.loads(table.reset_index().to_json(orient="records", double_precision=15))


def show_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    whole: int = 0,
    numbers: Container[int] = (),
) -> None:
    """Print a table; the first ``whole`` columns never wrap, ``numbers`` are right-aligned."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console, table = Console(), Table(box=None, pad_edge=False)
    for i, head in enumerate(heads):
        table.add_column(
            Text(printable(head)), justify="right" if i in numbers else "left",
            no_wrap=i < whole, overflow="fold",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    if title:
        console.print(Text(printable(title), style="italic"))
    console.print(table)


def printable(text: str) -> str:
    r"""The text without control characters, which move a terminal's cursor or change its colour.

    >>> printable("a\x1b[31mb\n")
    'a\ufffd[31mb\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


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
    """The value, with an apostrophe before text that a spreadsheet would run as a formula.

    >>> [escape_formula(text) for text in ("=HYPERLINK(1)", "-1.5", "-1.200,5 %", "plain")]
    ["'=HYPERLINK(1)", '-1.5', '-1.200,5 %', 'plain']
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    number = re.fullmatch(r"[+-][\d.,\s%€$£]*(e[+-]?\d+|inf|nan)?", value, re.IGNORECASE)
    return value if number else f"'{value}"
