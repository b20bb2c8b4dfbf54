"""Import and export of answers: Label Studio, tables, other files of answers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import Dataset, read_cells
from sortal.datasets.labels.drawn_rows import Draw, checks, listing, number_text
from sortal.datasets.labels.label_columns import studio_columns, studio_labels
from sortal.datasets.prepared.dataset import rows_of
from sortal.labeling.session import UNKNOWN, line_of
from sortal.labelings.labels import is_unreadable
from sortal.labelings.row_join import Rows, join_rows
from sortal.runtime.output import write_output
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from sortal.labeling.session import LabelSession

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def check_export(path: str | Path) -> None:
    """Raise for a path that labels cannot be exported to, before anyone labels."""
    if Path(path).suffix.lower() not in (".json", ".csv"):
        raise InputError(f"labels are exported to .json (Label Studio) or .csv; got {path}")


def export_labels(session: LabelSession, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the answers, and the next 200 unanswered objects of the draw.

    Parameters
    ----------
    session : LabelSession
    path : str or path
        ``sortal bound`` and ``run --truth`` read both formats:

        - ``.json``: tasks of Label Studio with the annotations of each labeller. The interface is
          ``<Text name="text" value="$text"/>`` with ``<Choices name="label" toName="text">``. The
          data have ``draw``, ``check`` and ``row``.
        - ``.csv``: the columns ``draw`` (``7 of 60``, empty for objects that teach), ``row``,
          ``label`` (what counts), ``check`` (as ``sortal sample`` writes it) and ``object``.
          Several labellers have a column each, and ``settled`` has the classes that a review
          decided.
    overwrite : bool, default False
        Whether an existing file may be replaced.

    Raises
    ------
    InputError
        For another suffix, or an existing file.
    """
    by = session.by_labeller()
    labelled = session.order[
        [any(labels[i] is not None for labels in by.values()) for i in session.order]
    ]
    check_export(path)
    is_labelled = np.isin(session.order, labelled)
    last = int(np.flatnonzero(is_labelled).max(initial=-1))
    n_before = int((~is_labelled[: last + 1]).sum())
    ahead = session.order[~is_labelled][: n_before + 200]  # enough for a while elsewhere
    exported = [int(i) for i in (*labelled, *ahead)]
    marks = _marks(session, exported)
    if Path(path).suffix.lower() == ".json":
        tasks = [_task(session, i, by, marks.get(i)) for i in exported]
        content = json.dumps(tasks, ensure_ascii=False, indent=1)
    else:
        content = _csv(session, exported, by, marks)
    write_output(path, content, overwrite=overwrite, private=True)


def import_labels(
    session: LabelSession,
    path: str | Path,
    rows: Dataset | Rows | None = None,
    *,
    id_column: str | None = None,
    read: Callable[[], pd.DataFrame] | None = None,
) -> int:
    """Take labels from another file of answers, Label Studio or a table.

    What ``sortal sample`` and ``sortal label --export`` wrote is verified by its column ``check``.

    Parameters
    ----------
    session : LabelSession
    path : str or path
        ``.jsonl`` has answers of the same draw, as :class:`sortal.labeling.AnswerFile`. ``.json``
        is an export of Label Studio (JSON). Otherwise a table with the column ``label``, and
        ``row`` or any column that names the objects in the data too. Answers without a labeller
        belong to the session's labeller. The label ``unreadable`` is *don't know*.
    rows : Dataset or Rows, optional
        The rows of the data, with the columns that name them.
    id_column : str, optional
        The column that names the objects, if several do.
    read : callable, optional
        Returns the rows of the data, to verify that the drawn ones are unchanged there.

    Returns
    -------
    int
        How many labels are new.

    Raises
    ------
    InputError
        If the file has no such columns, a drawn row was changed, or an object is not among the
        session's.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".jsonl":
        return session.merge(file)
    if suffix != ".json":
        left = Rows("the data", len(session.rows)) if rows is None else rows_of(rows)
        left = replace(left, numbers=np.asarray(session.rows))
        return session.take(_joined(file, left, session.by, id_column, read))
    _verify_tasks(file)
    at = {str(row): i for i, row in enumerate(session.rows.tolist())}
    lines: dict[str, int | None] = {}
    for key, i in ((key, i) for i, text in enumerate(session.texts) for key in _keys(text)):
        lines[key] = None if lines.get(key, i) != i else i  # two alike name no object
    labels = []
    for row, line, label, labeller in _studio(file, session.by):
        place = at.get(row) if row else next(filter(_is_place, map(lines.get, _keys(line))), None)
        if place is None:
            named = f"row {row}" if row else f"the object {line[:60]!r}"
            raise InputError(f"{file}: {named} is not one object of these data")
        labels.append((place, label, labeller))
    return session.take(labels)


def _keys(text: str) -> tuple[str, str]:
    """Keys of an object: its whole text without surplus blanks, and its beginning."""
    return " ".join(text.split()), line_of(text)


def _is_place(place: int | None) -> bool:
    """Whether there is such an object."""
    return place is not None


def _marks(session: LabelSession, shown: list[int]) -> dict[int, tuple[str, str]]:
    """Number in the draw and check of each shown object that was drawn."""
    import pandas as pd

    exported = set(shown)
    draw_numbers = [int(i) for i in session.order[session.taught :] if int(i) in exported]
    texts = pd.DataFrame({"object": [_plain(session.texts[i]) for i in draw_numbers]})
    digests = checks(texts, session.rows[draw_numbers], ["object"], is_data=False)
    numbers = (number_text(number, len(draw_numbers)) for number in range(1, len(draw_numbers) + 1))
    return dict(zip(draw_numbers, zip(numbers, digests, strict=True), strict=True))


def _plain(cell: str) -> str:
    """A cell in which a spreadsheet runs no formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _csv(
    session: LabelSession,
    exported: list[int],
    by: dict[str, Any],
    marks: dict[int, tuple[str, str]],
) -> str:
    """A table in which a spreadsheet runs no formula."""
    several = list(by) if len(by) > 1 else []
    counts = session.y if several or not by else next(iter(by.values()))
    settled = session.settled
    columns = [f"label by {name}" for name in several] + ["settled"] * bool(settled)
    rows = [["draw", "row", "label", "check", "object", *columns]]
    for i in exported:
        labels = [by[name][i] or "" for name in several] + [settled.get(i, "")] * bool(settled)
        number, check = marks.get(i, ("", ""))
        named = [number, str(session.rows[i]), counts[i] or "", check]
        rows.append([*named, session.texts[i], *labels])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_plain(cell) for cell in row] for row in rows)
    return text.getvalue()


def _joined(
    path: Path,
    rows: Rows,
    by: str,
    id_column: str | None,
    read: Callable[[], pd.DataFrame] | None,
) -> list[tuple[int, str, str]]:
    """Object, label and labeller of each label of a table."""
    cells, _ = read_cells(path, header=True)
    if "label" not in cells.columns or len(cells.columns) < 2:
        raise InputError(
            f"{path} has the columns {', '.join(map(str, cells.columns))}; labels need 'label', "
            "and 'row' or another column that names the objects, as an export of sortal label has"
        )
    written = {
        str(name): np.array([None if v == "" else v for v in cells[name]], dtype=object)
        for name in cells.columns
    }
    table = listing(written, path)
    labels = [_label(value) for value in table.columns["label"]]
    labelled = [i for i, label in enumerate(labels) if label]
    names = [name for name in table.columns if name not in ("label", "object")]
    columns = {name: [_text(table.columns[name][i]) for i in labelled] for name in names}
    right = Rows(str(path), len(labelled), columns)
    join = join_rows(rows, right, key=id_column, on="right", mend="drop the others")
    pairs = [
        (i, labelled[place])
        for i, place in zip(join.left_rows.tolist(), join.right_rows.tolist(), strict=True)
    ]
    if read is not None and table.digests:
        Draw.of(table, dict(pairs), (), ()).verified_in(read(), rows.numbers)
    in_file = table.order.tolist()
    return [(i, labels[place], by) for i, place in sorted(pairs, key=lambda p: in_file[p[1]])]


def _verify_tasks(path: Path) -> None:
    """Raise for tasks of a draw that were changed; those of other sources have no check."""
    notes = list(studio_labels(path))
    if any(note.check for note in notes) and all(note.row.isdigit() for note in notes):
        listing(studio_columns(path), path)


def _label(value: Any) -> str:
    """A label of a table; rows that nobody can read have the answer *don't know*."""
    return UNKNOWN if is_unreadable(value) else _text(value)


def _text(value: Any) -> str:
    """A cell's text, without the mark that :func:`_csv` adds against formulas."""
    if value is None or value != value:
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    text = str(value)
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _studio(path: Path, by: str) -> Iterator[tuple[str, str, str, str]]:
    """Row, text, label and labeller of each annotation of Label Studio."""
    for note in studio_labels(path):
        yield note.row, note.text, note.label, by if note.by is None else note.by


def _task(
    session: LabelSession, i: int, by: dict[str, Any], mark: tuple[str, str] | None
) -> dict[str, Any]:
    """An object as a task of Label Studio."""
    notes: list[dict[str, Any]] = []
    for name, labels in by.items():
        if labels[i] is not None:
            choice = {
                "from_name": "label",
                "to_name": "text",
                "type": "choices",
                "value": {"choices": [labels[i]]},
            }
            note = {"completed_by": {"email": name}, "was_cancelled": False}
            notes.append({**note, "result": [] if labels[i] == UNKNOWN else [choice]})
    data = {"row": int(session.rows[i]), "text": session.texts[i]}
    if mark is not None:
        data = {"draw": mark[0], "check": mark[1], **data}
    if i in (settled := session.settled):
        data["settled"] = settled[i]
    return {"data": data, "annotations": notes}
