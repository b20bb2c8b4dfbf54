"""Where ``sortal run`` counts questions about the labels, and the order of their draw."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer

from sortal.runtime.user_folder import state_folder
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.cli._input import LabelledInputOptions
    from sortal.datasets import KnownLabels
    from sortal.datasets.labels.drawn_rows import MarkedRows
    from sortal.study import Study


def apart_from_draw(
    reading: LabelledInputOptions,
) -> tuple[LabelledInputOptions, MarkedRows | None]:
    """Reading without the columns of a draw beside the labels, and these; None without them."""
    from sortal.datasets.labels.drawn_rows import DRAW, MarkedRows

    path = Path(reading.data.partition("#")[0])
    if reading.label_column is None or not path.is_file():
        return reading, None
    with path.open("rb") as file:
        is_named = DRAW.encode() in file.read(2**16)  # the names of columns are at the beginning
    if not is_named and path.suffix.lower() not in (".parquet", ".xlsx"):
        return reading, None
    marked = MarkedRows.of(reading.cells(), reading.label_column, path)
    if marked is None:
        return reading, None
    typer.echo("Note: the column 'draw' is the order in which rows were labelled.", err=True)
    return replace(reading, drop=[*(reading.drop or ()), *marked.marks]), marked


def _read_labels(path: Path, study: Study, reading: LabelledInputOptions) -> KnownLabels:
    """Labels of the objects of a study; rows that the reader excluded were not skipped."""
    from sortal.datasets import read_labels

    return read_labels(
        path, study.state.dataset, id_column=reading.id_column, on=reading.on,
        is_subset=_is_subset(study),
    )  # fmt: skip


def _is_subset(study: Study) -> bool:
    """Whether the reader excluded rows, which were not skipped by a labeller."""
    dataset = study.state.dataset
    return dataset.rows is not None and not np.array_equal(
        dataset.rows, np.arange(dataset.n_objects)
    )


def _verify(labels: KnownLabels, reading: LabelledInputOptions, study: Study) -> None:
    """Raise where rows of the data were changed since the draw; say that they were not."""
    cells, rows = reading.cells(), study.state.dataset.rows
    if rows is None and len(cells) != study.state.n_objects:
        return  # an object is no row of the file
    for note in labels.draw.verified_in(cells, rows):
        typer.echo(f"Note: {note}", err=True)


def count_questions(
    study: Study, reading: LabelledInputOptions, marked: MarkedRows | None = None
) -> None:
    """Count the study's guarantee with the other questions about the labels of a part.

    The count is beside the file of the labels, or of the data that have them as a column.
    ``marked`` has the columns of a draw, as far as the data have them.
    """
    state = study.state
    if not state.objects.is_partly_labelled:
        return
    path = Path(reading.data.partition("#")[0] if reading.truth is None else reading.truth)
    state.ledger = path if path.exists() else state_folder()
    draw_order: tuple[int, ...] | None = None
    undrawn = 0
    skipped: tuple[int, ...] = ()
    if reading.truth is not None and path.is_file():
        labels = None
        with contextlib.suppress(InputError):  # read by another column of ids: no order
            labels = _read_labels(path, study, reading)
        if labels is not None:
            draw_order, undrawn, skipped = labels.order, len(labels.taught), labels.skipped
            state.unreadable = len(labels.draw.unreadable)
            if labels.draw.digests:
                _verify(labels, reading, study)
    elif marked is not None:
        assert state.y is not None
        rows = state.dataset.rows
        draw = marked.draw(rows)
        labelled = [i for i, label in enumerate(state.y) if label is not None]
        draw_order = tuple(sorted((i for i in labelled if i in draw.numbers), key=draw.numbers.get))  # type: ignore[arg-type]
        undrawn = len(labelled) - len(draw_order)
        skipped = draw.skipped(draw_order, is_subset=_is_subset(study))
        state.unreadable = len(draw.unreadable)
        for note in draw.verified_in(marked.cells, rows):
            typer.echo(f"Note: {note}", err=True)
    state.draw, state.undrawn = None if undrawn else draw_order, undrawn
    state.skipped = () if undrawn else skipped
    if undrawn:
        typer.echo(
            f"Note: {undrawn:,} labels have no number in the column 'draw'. The order of the draw "
            "is unknown, and the guarantee needs all labelled rows to be drawn at random, these "
            "too. sortal bound counts them as rows that teach.",
            err=True,
        )
