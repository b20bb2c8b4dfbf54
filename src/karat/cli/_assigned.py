"""The user's rows with the cluster of each, written in blocks as CSV, Parquet or a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from karat.cli._input import Reading
    from karat.model import Assignment, Changes, Model
    from karat.study import Answer, Study

ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx")
#: confidence below which a row is counted as unsure
UNSURE = 0.8
#: of one sheet
SHEET_ROWS = 1_048_576


def load(path: Path) -> Model:
    """A model, or that of the answer of a study file."""
    from karat.model import load_model
    from karat.study import load_study

    if not path.is_file():
        return load_model(path)  # says so
    with path.open("rb") as file:
        is_study = file.read(15) == b"SQLite format 3"
    if not is_study:
        return load_model(path)
    with load_study(path) as study:
        return study.best().model


def check_ending(path: Path | None, option: str) -> None:
    """Raise for a file of rows of no known format."""
    from karat.runtime.extras import require

    if path is None:
        return
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{option}: {path} ends in none of {', '.join(ENDINGS)}")
    if path.suffix.lower() == ".xlsx":
        require("xlsxwriter", "writing a spreadsheet", "write .csv or .parquet")


def beside(cells: pd.DataFrame, found: Assignment, rows: Any, ids: Any = None) -> pd.DataFrame:
    """The columns of what was found, then the user's own."""
    import pandas as pd

    table = found.table
    table.insert(0, "row", rows)
    if ids is not None:
        table.insert(1, "id", ids)
    own = {name: f"{name} (data)" if name in table else name for name in cells.columns}
    return pd.concat([table, cells.rename(columns=own).reset_index(drop=True)], axis=1)


def write_labels(study: Study, answer: Answer, path: Path, reading: Reading) -> None:
    """The rows that were clustered, with their clusters."""
    import numpy as np

    dataset, cells = study.dataset, cells_of(study, reading)
    rows = np.arange(study.n_objects) if dataset.rows is None else dataset.rows
    own = cells.iloc[rows] if len(cells.columns) else cells
    with row_writer(path, overwrite=True) as write:
        write(beside(own, _of_training(study, answer), rows, dataset.ids))


def _of_training(study: Study, answer: Answer) -> Assignment:
    """The objects of the data in their own clusters."""
    import numpy as np

    from karat.model import Assignment

    try:
        return answer.assignment
    except InputError as error:  # distances, graphs: neither margins nor centres
        n, none = study.n_objects, np.full(study.n_objects, np.nan)
        typer.echo(f"Note: no confidence or distance is written: {error}", err=True)
        called = () if answer.fitted is None else answer.fitted.names
        names = np.array([*called, "outlier"], dtype=object)
        return Assignment(answer.labels, names[answer.labels], none, np.zeros(n, bool), none)


def cells_of(study: Study, reading: Reading) -> pd.DataFrame:
    """The rows of the source as they are written; no columns where they cannot be had again."""
    import pandas as pd

    from karat.distances import RELATIONS
    from karat.runtime.resources import is_large

    none = pd.DataFrame(index=range(study.n_objects))
    if study.dataset.metric in RELATIONS or is_large(study.X):
        return none
    try:
        cells = reading.cells()
    except InputError:
        return none
    rows = study.dataset.rows
    least = study.n_objects if rows is None else int(rows.max()) + 1
    return cells if len(cells) >= least else none


def changes_of(study: Study, answer: Answer, old: Model, reading: Reading) -> Changes:
    """What became of the clusters of an older model in the rows of the data file."""
    import numpy as np

    from karat.datasets.preparation import Prepared
    from karat.datasets.row_blocks import row_blocks
    from karat.model.rule import stacked

    blocks = row_blocks(reading.data, wanted=old.preparation.needed, **reading.layout)
    parts = [old.prepare(block.features) for block in blocks]
    X = parts[0].X
    for part in parts[1:]:
        X = stacked(X, part.X)
    filled = np.concatenate([part.filled for part in parts])
    rows = study.dataset.rows
    if rows is not None:
        X, filled = X[rows], filled[rows]
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return answer.against(old, Prepared(X, filled, notes))


@contextmanager
def row_writer(path: Path, *, overwrite: bool) -> Iterator[Callable[[pd.DataFrame], None]]:
    """Writes blocks of rows to a file, whole or not at all; its name tells the format."""
    from karat.runtime.output import draft

    suffix = path.suffix.lower()
    with draft(path, overwrite=overwrite) as file:
        if suffix in (".parquet", ".pq"):
            with _parquet(file) as write:
                yield write
        elif suffix == ".xlsx":
            with _spreadsheet(file) as write:
                yield write
        else:
            yield _text(file, "\t" if suffix == ".tsv" else ",")


def _text(file: Any, delimiter: str) -> Callable[[pd.DataFrame], None]:
    from karat.cli._output import to_csv

    first = True

    def write(table: pd.DataFrame) -> None:
        nonlocal first
        file.write(to_csv(table, header=first, sep=delimiter).encode())
        first = False

    return write


@contextmanager
def _parquet(file: Any) -> Iterator[Callable[[pd.DataFrame], None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    opened: list[pq.ParquetWriter] = []

    def write(table: pd.DataFrame) -> None:
        if not opened:
            made = pa.Table.from_pandas(table, preserve_index=False)
            opened.append(pq.ParquetWriter(file, made.schema))
        schema = opened[0].schema
        opened[0].write_table(pa.Table.from_pandas(table, schema=schema, preserve_index=False))

    try:
        yield write
    finally:
        for one in opened:
            one.close()


@contextmanager
def _spreadsheet(file: Any) -> Iterator[Callable[[pd.DataFrame], None]]:
    import pandas as pd

    blocks: list[pd.DataFrame] = []

    def write(table: pd.DataFrame) -> None:
        blocks.append(table)
        if sum(map(len, blocks)) >= SHEET_ROWS:
            raise InputError(
                f"a sheet has at most {SHEET_ROWS - 1:,} rows; write .csv or .parquet instead"
            )

    yield write
    options = {"strings_to_formulas": False, "strings_to_urls": False}
    with pd.ExcelWriter(file, "xlsxwriter", engine_kwargs={"options": options}) as book:
        pd.concat(blocks).to_excel(book, sheet_name="clusters", index=False)
