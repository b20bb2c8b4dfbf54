"""Answers to and from Label Studio and spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import read_cells
from karat.labeling.session import UNKNOWN
from karat.runtime.extras import require
from karat.runtime.output import write_output
from karat.runtime.validation import InputError, StorageError

if TYPE_CHECKING:
    from karat.labeling.session import LabelSession

#: so many unlabelled objects follow the labelled ones in an export, to be labelled elsewhere
AHEAD = 200
#: the column of a spreadsheet with what one labeller said
_OF = "label by "
_ROWS = ("row", "label", "object")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_labels(session: LabelSession, path: Any, *, overwrite: bool = False) -> None:
    """Write the answers, and the next 200 objects of the draw without one.

    Parameters
    ----------
    session : LabelSession
    path : str or path
        ``.json``: tasks of Label Studio with their annotations, each by its labeller; the labelling
        interface is ``<Text name="text" value="$text"/>`` with ``<Choices name="label"
        toName="text">``. ``.csv`` and ``.xlsx``: the columns ``row``, ``label`` (what counts) and
        ``object``, and one for each labeller where there are more; as ``karat bound`` reads it.
    overwrite : bool, default False
        Whether a file that is there may be replaced.

    Raises
    ------
    InputError
        For another suffix, or a file that is there.
    """
    by = session.by_labeller()
    told = session.order[[any(own[i] is not None for own in by.values()) for i in session.order]]
    ahead = [i for i in session.order if i not in set(told.tolist())][:AHEAD]
    shown = [int(i) for i in (*told, *ahead)]
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        tasks = [_task(session, i, by) for i in shown]
        content: str | bytes = json.dumps(tasks, ensure_ascii=False, indent=1)
    elif suffix in (".csv", ".xlsx"):
        rows = list(_table(session, shown, by))
        content = _xlsx(rows) if suffix == ".xlsx" else _csv(rows)
    else:
        raise InputError(f"labels are exported to .json (Label Studio), .csv or .xlsx; got {path}")
    write_output(path, content, overwrite=overwrite)


def import_labels(session: LabelSession, path: Any, *, by: str | None = None) -> int:
    """Take labels from another file of answers, Label Studio or a spreadsheet.

    Parameters
    ----------
    session : LabelSession
    path : str or path
        ``.jsonl``: answers of the same draw, as :class:`karat.labeling.AnswerFile` has them;
        ``.json``: what Label Studio exports (JSON or JSON-MIN); otherwise a table with the columns
        ``row`` and ``label``, or ``label by NAME`` for several labellers.
    by : str, optional
        Who labelled, where the file does not say; the session's labeller by default.

    Returns
    -------
    int
        How many labels are new.

    Raises
    ------
    InputError
        If the file has no such columns, or an object that is not among the session's.
    """
    file = Path(path)
    if file.suffix.lower() == ".jsonl":
        return session.merge(file)
    who = by or session.by
    read = _studio(file, who) if file.suffix.lower() == ".json" else _cells(file, who)
    at = {str(row): i for i, row in enumerate(session.rows.tolist())}
    lines: dict[str, int | None] = {}
    for i, line in enumerate(session.objects):
        lines[line] = None if line in lines else i  # two alike name no object
    given = []
    for row, line, label, labeller in read:
        place = at.get(row) if row else lines.get(" ".join(line.split())[:80])
        if place is None:
            named = f"row {row}" if row else f"the object {line[:60]!r}"
            raise InputError(f"{file}: {named} is not one object of these data")
        given.append((place, label, labeller))
    return session.take(given)


def _table(session: LabelSession, shown: list[int], by: dict[str, Any]) -> Iterator[list[str]]:
    """The rows of a spreadsheet, the names first."""
    several = list(by) if len(by) > 1 else []
    yield [*_ROWS, *(f"{_OF}{name}" for name in several)]
    counts, only = session.y, next(iter(by.values()), None)
    for i in shown:
        own = only[i] if only is not None and not several else counts[i]
        said = [by[name][i] or "" for name in several]
        yield [str(session.rows[i]), own or "", session.objects[i], *said]


def _task(session: LabelSession, i: int, by: dict[str, Any]) -> dict[str, Any]:
    """An object as Label Studio has it."""
    notes: list[dict[str, Any]] = []
    for name, own in by.items():
        if own[i] is not None:
            choice = {
                "from_name": "label",
                "to_name": "text",
                "type": "choices",
                "value": {"choices": [own[i]]},
            }
            note = {"completed_by": {"email": name}, "was_cancelled": False}
            notes.append({**note, "result": [] if own[i] == UNKNOWN else [choice]})
    data = {"row": int(session.rows[i]), "text": session.objects[i]}
    return {"data": data, "annotations": notes}


def _studio(path: Path, by: str) -> Iterator[tuple[str, str, str, str]]:
    """Row, text, label and labeller of each annotation; one without a choice is *don't know*."""
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise ValueError
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{path} is no list of tasks, as Label Studio exports them") from None
    for number, task in enumerate(tasks, 1):
        try:
            yield from list(_annotations(task, by))
        except (AttributeError, KeyError, TypeError):
            raise InputError(f"{path}: task {number} is not as Label Studio exports it") from None


def _annotations(task: dict[str, Any], by: str) -> Iterator[tuple[str, str, str, str]]:
    """The same of one task."""
    data = task.get("data", task)
    row, text = data.get("row", ""), str(data.get("text", data.get("image", "")))
    notes = task.get("annotations")
    if notes is None:  # JSON-MIN
        label = _choice(task.get("label"))
        notes = [{"completed_by": task.get("annotator"), "result": label}] if label else []
    for note in notes:
        if note.get("was_cancelled"):
            continue
        found = note.get("result") or []
        if not isinstance(found, str):
            chosen = [one for one in found if one.get("type") == "choices"]
            found = _choice(chosen[0]["value"]["choices"]) if chosen else UNKNOWN
        yield str(row), text, found, _labeller(note.get("completed_by"), by)


def _choice(given: Any) -> str:
    """The one class chosen; empty for none."""
    if isinstance(given, dict):
        given = given.get("choices")
    if isinstance(given, list):
        if len(given) > 1:
            raise InputError(f"an object has one class; got {', '.join(map(str, given))}")
        given = given[0] if given else None
    return "" if given is None else str(given)


def _labeller(given: Any, default: str) -> str:
    if isinstance(given, dict):
        given = given.get("email") or given.get("username") or given.get("id")
    return default if given is None else str(given)


def _cells(path: Path, by: str) -> Iterator[tuple[str, str, str, str]]:
    """The same of a table."""
    cells, _ = read_cells(path, header=True)
    names = [str(name) for name in cells.columns]
    several = {name: name[len(_OF) :] for name in names if name.startswith(_OF)}
    columns = several or {"label": by}
    if ("row" not in names and "object" not in names) or any(c not in names for c in columns):
        raise InputError(
            f"{path} has the columns {', '.join(names)}; labels need 'row' (or 'object') and "
            "'label', as an export of karat label has them"
        )
    for record in cells.to_dict("records"):
        for column, who in columns.items():
            label = _text(record[column])
            if label:
                yield _text(record.get("row", "")), _text(record.get("object", "")), label, who


def _text(value: Any) -> str:
    """A cell as it was before :func:`_csv` kept it from being run."""
    if value is None or value != value:
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    text = str(value)
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _csv(rows: list[list[str]]) -> str:
    """Text of which a spreadsheet runs nothing."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([f"'{c}" if c.startswith(_FORMULA) else c for c in row] for row in rows)
    return text.getvalue()


def _xlsx(rows: list[list[str]]) -> bytes:
    """A workbook of one sheet in which every cell but the row numbers is text."""
    require("xlsxwriter", "writing a spreadsheet", "write .csv")
    import xlsxwriter

    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        sheet = book.add_worksheet("labels")
        for r, row in enumerate(rows):
            for c, text in enumerate(row):
                if r and c == 0:
                    sheet.write_number(r, c, int(text))
                else:
                    sheet.write_string(r, c, text)
    return file.getvalue()
