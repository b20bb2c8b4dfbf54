"""Output of commands: tables, notes, JSON, and files that are overwritten only on request."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sortal.runtime.csv_text import escape_formula as escape_formula
from sortal.runtime.csv_text import to_csv as to_csv

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from rich.console import Console

    from sortal.typing import Ints


@dataclass(frozen=True)
class Layout:
    """Sizes of what is printed, chosen by eye."""

    #: characters of a terminal without room for headings beside the text, and with room for all
    narrow: int = 60
    wide: int = 100
    #: characters of a word from which a table may break it
    long_word: int = 24
    #: columns, parts and clusters in a table, and columns of a block of a wide table
    columns: int = 60
    parts: int = 30
    clusters: int = 20
    block: int = 6
    #: characters of a text to label
    text: int = 1_500


LAYOUT = Layout()


def write_csv(table: pd.DataFrame, path: Path, *, force: bool) -> None:
    """Write a table as CSV to a checked path; the file is complete or absent."""
    from sortal.runtime.output import write_output

    write_output(path, to_csv(table), overwrite=force, private=True)


def class_table(
    classes: pd.DataFrame, rows: Ints | Sequence[int] | None, ids: NDArray[Any] | None
) -> pd.DataFrame:
    """Table of the class of every row, after its number and its id."""
    table = classes.copy()
    table.insert(0, "row", range(len(table)) if rows is None else rows)
    if ids is not None:
        table.insert(1, "id", ids)
    return table


def print_json(answer: object) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(answer))


def print_notes(notes: Iterable[str], *, err: bool) -> None:
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
    cells = [[printable(str(cell)) for cell in row] for row in rows]
    if title:
        console.print(Text(printable(title), style="italic"))
    widths = []
    for i, head in enumerate(heads):
        # headings and texts break between words, numbers nowhere
        unbroken = i in numbers or i < whole
        parts = [word for row in cells for word in ([row[i]] if unbroken else row[i].split())]
        widest = max(map(len, [*printable(head).split(), *parts, ""]))
        widths.append(widest if unbroken else min(widest, LAYOUT.long_word))
        table.add_column(
            Text(printable(head)), justify="right" if i in numbers else "left",
            no_wrap=i < whole, overflow="fold", min_width=widths[i],
        )  # fmt: skip
    if sum(widths) + 2 * len(widths) > console.width:
        for row in cells:
            named = zip(map(printable, heads), row, strict=True)
            print_wrapped(console, ", ".join(f"{head} {cell}".strip() for head, cell in named))
        return
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def print_wrapped(
    console: Console, text: str, *, head: str = "", width: int = 13, style: str | None = None
) -> None:
    """Print a text that wraps between words, below one another after a heading of this width."""
    from textwrap import wrap

    from rich.text import Text

    hanging = (width if console.width >= LAYOUT.narrow else 2) if head else 0
    first = " " * max(hanging, len(head) + 1) if head else ""
    lines = wrap(
        printable(text), console.width, initial_indent=first, subsequent_indent=" " * hanging,
        break_on_hyphens=False,
    )  # fmt: skip
    for i, line in enumerate(lines or [""]):
        content = Text(line, style or "")
        if head and i == 0:
            content = Text(head, "dim").append(line[len(head) :] or "", style="not dim")
        console.print(content)


def printable(text: str) -> str:
    r"""The text without control characters, which move a terminal's cursor or change its colour.

    >>> printable("a\x1b[31mb\n")
    'a\ufffd[31mb\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)
