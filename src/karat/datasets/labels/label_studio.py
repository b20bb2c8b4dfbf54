"""Labels in an export of Label Studio (JSON)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from karat.runtime.validation import InputError, StorageError

#: label of an object whose class the labeller does not know
UNKNOWN = "don't know"


class StudioLabel(NamedTuple):
    """An annotation: draw, check, row and text of its object, the label, the labeller or None."""

    draw: str
    check: str
    row: str
    text: str
    label: str
    by: str | None


def studio_labels(path: Path) -> Iterator[StudioLabel]:
    """Annotations in their order; without a choice *don't know*."""
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
            raise ValueError
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not a list of tasks, as Label Studio exports it") from None
    for number, task in enumerate(tasks, 1):
        try:
            yield from list(_annotations(task))
        except (AttributeError, KeyError, TypeError):
            raise InputError(f"{path}: task {number} is not as Label Studio exports it") from None


def studio_columns(path: Path) -> dict[str, Any]:
    """Columns ``draw``, ``check``, ``row`` and ``label`` of the objects, by first annotations."""
    first: dict[str, StudioLabel] = {}
    for note in studio_labels(path):
        if not note.row.isdigit():
            raise InputError(
                f"{path} has an annotation without the 'row' of its object; karat label --import "
                "finds objects by their text"
            )
        first.setdefault(note.row, note)
    if not first:
        raise InputError(f"{path} has no annotation")
    notes = list(first.values())
    is_whole = all(note.label.isascii() and note.label.isdigit() for note in notes)
    columns: dict[str, list[Any]] = {
        "draw": [note.draw or None for note in notes],
        "check": [note.check or None for note in notes],
        "row": [int(note.row) for note in notes],
        "label": [int(note.label) if is_whole else note.label for note in notes],
    }
    for name in ("draw", "check"):
        if not any(columns[name]):
            del columns[name]
    return {name: np.array(values, dtype=object) for name, values in columns.items()}


def _annotations(task: dict[str, Any]) -> Iterator[StudioLabel]:
    """Annotations of a task."""
    data = task.get("data", task)
    text = str(data.get("text", data.get("image", "")))
    draw, check, row = (str(data.get(name, "")) for name in ("draw", "check", "row"))
    for note in task.get("annotations", []):
        if note.get("was_cancelled"):
            continue
        chosen = [result for result in note.get("result") or [] if result.get("type") == "choices"]
        classes = chosen[0]["value"]["choices"] if chosen else [UNKNOWN]
        if len(classes) > 1:
            raise InputError(f"an object has one class; got {', '.join(map(str, classes))}")
        labeller = note.get("completed_by")
        if isinstance(labeller, dict):
            labeller = labeller.get("email") or labeller.get("username") or labeller.get("id")
        labeller = None if labeller is None else str(labeller)
        yield StudioLabel(draw, check, row, text, str(*classes), labeller)
