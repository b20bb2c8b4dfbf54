"""The user's rows with the cluster of each, written in blocks as CSV, Parquet or a spreadsheet."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from sortal.cli._output import class_table, to_csv
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.cli._input import InputOptions
    from sortal.datasets import Dataset
    from sortal.datasets.partitioned.partitions import LabelFolder
    from sortal.model import AssignedRows, Assignment, Changes, Model
    from sortal.runtime.output import OutputPlan
    from sortal.study import Answer, Study
    from sortal.typing import Ints

ROW_SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".xlsx")
#: names of columns about clusters beside classes
OF_CLUSTERS = {"name": "cluster_name", "confidence": "cluster_confidence"}
LABELS_WRITTEN = "sortal: interrupted; all labels are in {}"
#: derived: rows of a sheet in Office Open XML, with the header
SHEET_ROWS = 2**20


def load_any_model(path: Path) -> Model:
    """The model in a model file, or of the answer in a study file."""
    from sortal.model import load_model
    from sortal.study import load_study

    if not path.is_file():
        return load_model(path)  # raises with the reason
    with path.open("rb") as file:
        is_study = file.read(15) == b"SQLite format 3"
    if not is_study:
        return load_model(path)
    with load_study(path) as study:
        return study.best().model


def label_folder(path: str, *, force: bool, append: bool = False) -> LabelFolder | None:
    """The folder for the labels of a table in parts; None for a path of a file."""
    from sortal.datasets.partitioned.partitions import LabelFolder

    if "://" not in path and Path(path).suffix:
        return None
    return LabelFolder(path, overwrite=force, append=append)


def print_rest(assigned: AssignedRows, source: str, model: Path, target: str) -> None:
    """Print how to label the rows that an interruption left."""
    command = shlex.join(["sortal", "assign", source, "--model", str(model), "-o", target])
    typer.echo(
        f"sortal: interrupted; {assigned.n_rows:,} of {assigned.n_rows + assigned.left:,} rows "
        f"have labels in {target}; {command} --append adds the others",
        err=True,
    )


def plan_labels(
    plan: OutputPlan,
    path: str | None,
    option: str,
    *,
    force: bool,
    append: bool = False,
    remedy: str = "",
) -> LabelFolder | None:
    """Add the file or folder of labels to the outputs of a command; the folder, if it is one."""
    if path is None:
        return None
    folder = label_folder(path, force=force, append=append)
    if folder is None:
        plan.file(path, option=option, overwrite=force)
        check_suffix(Path(path), option)
    else:
        plan.folder(folder, option=option, remedy=remedy)
    return folder


def print_stopped(folder: LabelFolder | None) -> None:
    """Print whether the labels were written, when the second pass was stopped."""
    if folder is not None and folder.is_written:
        typer.echo(LABELS_WRITTEN.format(folder.target), err=True)
    elif folder is not None:
        typer.echo("sortal: interrupted; no labels were written", err=True)
    else:
        typer.echo("sortal: interrupted; not all rows were assigned", err=True)


def check_form(dataset: Dataset, path: str | None, option: str) -> None:
    """Raise where labels of a sampled table would go to a file, or those of a file to a folder."""
    if path is None:
        return
    in_folder = label_folder(path, force=False) is not None
    n_rows = dataset.n_objects if dataset.whole is None else dataset.whole.n_rows
    if in_folder and dataset.whole is None:
        check_suffix(Path(path), option)  # raises
    if not in_folder and n_rows > dataset.n_objects:
        raise InputError(
            f"{option}: {path} is a file, and the labels of {n_rows:,} rows are Parquet files in "
            f"a folder or at an address; name one without a suffix, such as {Path(path).stem}"
        )


def check_suffix(path: Path | None, option: str) -> None:
    """Raise unless rows can be written in the format of the path's suffix."""
    from sortal.runtime.extras import require

    if path is None:
        return
    if path.suffix.lower() not in ROW_SUFFIXES:
        raise InputError(f"{option}: {path} ends in none of {', '.join(ROW_SUFFIXES)}")
    if path.suffix.lower() == ".xlsx":
        require("xlsxwriter", "writing a spreadsheet", "write .csv or .parquet")


def assignment_table(
    cells: pd.DataFrame,
    assignment: Assignment,
    rows: Ints | range,
    ids: NDArray[Any] | None = None,
    classes: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Table of the rows' clusters, after their classes if these are guaranteed.

    The user's columns follow. Beside classes, columns about the clusters are called so, for the
    guarantee is not about them.
    """
    import pandas as pd

    table = assignment.table
    if classes is not None:
        table = table.rename(columns=OF_CLUSTERS)
        table = pd.concat([classes.reset_index(drop=True), table], axis=1)
    table = class_table(table, rows, ids)
    names = {name: f"{name} (data)" if name in table else name for name in cells.columns}
    return pd.concat([table, cells.rename(columns=names).reset_index(drop=True)], axis=1)


def write_labels(
    study: Study, answer: Answer, path: Path, reading: InputOptions, *, force: bool
) -> None:
    """Write the rows with their clusters, and their classes where these are guaranteed."""
    import numpy as np

    dataset, cells = study.dataset, source_cells(study, reading)
    rows = np.arange(study.n_objects) if dataset.rows is None else dataset.rows
    clustered_cells = cells.iloc[rows] if len(cells.columns) else cells
    assignment, classes = _training_assignment(study, answer), None
    if answer.guarantee is not None and answer.guarantee.refused:
        typer.echo("Note: no column `class` is written, for nothing is guaranteed.", err=True)
    elif answer.guarantee is not None:
        classes = answer.classes
    table = assignment_table(clustered_cells, assignment, rows, dataset.ids, classes)
    write_rows(path, [table], overwrite=force)


def _training_assignment(study: Study, answer: Answer) -> Assignment:
    """Assignment of the study's objects to their clusters."""
    import numpy as np

    from sortal.model import Assignment

    try:
        return answer.assignment
    except InputError as error:  # distances and graphs have neither margins nor centres
        n, none = study.n_objects, np.full(study.n_objects, np.nan)
        typer.echo(f"Note: no confidence or distance is written: {error}", err=True)
        cluster_names = () if answer.fitted is None else answer.fitted.names
        names = np.array([*cluster_names, "outlier"], dtype=object)
        return Assignment(answer.labels, names[answer.labels], none, np.zeros(n, bool), none)


def source_cells(study: Study, reading: InputOptions) -> pd.DataFrame:
    """The source's rows as written in the file; without columns if they cannot be read again."""
    import numpy as np
    import pandas as pd

    from sortal.distances import RELATIONS
    from sortal.runtime.resources import is_large

    none = pd.DataFrame(index=range(study.n_objects))
    table = study.dataset.whole
    if table is not None:
        return table.partitions.rows(np.arange(table.n_rows)).to_pandas()
    preparation = study.dataset.preparation
    is_reshaped = preparation is not None and bool(preparation.reshaping)
    if study.dataset.metric in RELATIONS or is_large(study.X) or is_reshaped:
        return none
    try:
        cells = reading.cells()
    except InputError:
        return none
    rows = study.dataset.rows
    least = study.n_objects if rows is None else int(rows.max()) + 1
    return cells if len(cells) >= least else none


def cluster_changes(study: Study, answer: Answer, old: Model, reading: InputOptions) -> Changes:
    """Changes of an older model's clusters in the rows of the data file."""
    import numpy as np

    from sortal.datasets.prepared.preparation import Prepared
    from sortal.datasets.row_blocks import object_blocks
    from sortal.model.rule import stacked

    table, rows = study.dataset.whole, study.dataset.rows
    if table is not None and rows is not None:
        return answer.against(old, old.prepare(table.partitions.drawn(rows)))
    blocks = object_blocks(reading.data, old.preparation, **reading.layout)
    parts = [old.prepare(block.features) for block in blocks]
    X = parts[0].X
    for prepared in parts[1:]:
        X = stacked(X, prepared.X)
    filled = np.concatenate([prepared.filled for prepared in parts])
    if rows is not None and not old.preparation.reshaping:
        X, filled = X[rows], filled[rows]
    notes = tuple(dict.fromkeys(note for prepared in parts for note in prepared.notes))
    return answer.against(old, Prepared(X, filled, notes))


def write_rows(path: Path, tables: Iterable[pd.DataFrame], *, overwrite: bool) -> None:
    """Write blocks of rows to a file in the format of its suffix; it is complete or absent."""
    from sortal.runtime.output import draft

    suffix = path.suffix.lower()
    with draft(path, overwrite=overwrite) as file:
        if suffix in (".parquet", ".pq"):
            _write_parquet(file, tables)
        elif suffix == ".xlsx":
            _write_spreadsheet(file, tables)
        else:
            for number, table in enumerate(tables):
                text = to_csv(table, header=number == 0, sep="\t" if suffix == ".tsv" else ",")
                file.write(text.encode())


def _write_parquet(file: BinaryIO, tables: Iterable[pd.DataFrame]) -> None:
    """Write blocks of rows as Parquet."""
    from contextlib import ExitStack

    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: pq.ParquetWriter | None = None
    with ExitStack() as stack:
        for table in tables:
            if writer is None:
                schema = pa.Table.from_pandas(table, preserve_index=False).schema
                writer = stack.enter_context(pq.ParquetWriter(file, schema))
            writer.write_table(pa.Table.from_pandas(table, schema=schema, preserve_index=False))


def _write_spreadsheet(file: BinaryIO, tables: Iterable[pd.DataFrame]) -> None:
    """Write blocks of rows as one sheet."""
    import pandas as pd

    blocks: list[pd.DataFrame] = []
    for table in tables:
        blocks.append(table)
        if sum(map(len, blocks)) >= SHEET_ROWS:
            raise InputError(
                f"a sheet has at most {SHEET_ROWS - 1:,} rows; write .csv or .parquet instead"
            )
    options = {"strings_to_formulas": False, "strings_to_urls": False}
    with pd.ExcelWriter(file, "xlsxwriter", engine_kwargs={"options": options}) as book:
        pd.concat(blocks).to_excel(book, sheet_name="clusters", index=False)
