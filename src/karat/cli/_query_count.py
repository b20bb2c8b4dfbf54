"""The count of questions about a file of labels, in a file beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any


def share_of(look: int) -> float:
    """Share of delta for the look-th question; the shares sum to 1."""
    return 0.8 if look == 1 else 0.2 / (look * (look - 1))


def count_look(
    path_of_labels: Path,
    question: list[Any],
    labels: list[tuple[int, Any]],
    ordered: bool,
    once: bool,
) -> tuple[int | None, str, Callable[[], None]]:
    """The number of this question about the labels, a sentence on it, and a function to store it.

    The number is None with ``once``. Call the function before the answer is printed.

    If the order of the draw is known, more labels do not make a new question: its answer holds at
    every number of labels at once. Other clusterings or options, changed labels, and more labels
    in no order are a new question.
    """
    from karat.runtime.output import write_output
    from karat.runtime.validation import InputError

    path = path_of_labels.with_name(f"{path_of_labels.name}.looks")
    digest = _digest([question, ordered])
    looks = _read(path)
    number = None
    for i, entry in enumerate(looks):
        count = entry["labels"]
        grown = ordered and not entry["once"] and count <= len(labels)
        if (
            entry["question"] == digest
            and (grown or count == len(labels))
            and _digest(labels[:count]) == entry["digest"]
        ):
            number = i
            break
    if number is None and looks and (once or looks[0]["once"]):
        raise InputError(
            f"{path} counts {len(looks)} earlier look{'s' if len(looks) > 1 else ''} at these "
            "labels with another question, and --once is for a single one: all of delta is "
            "spent. Draw and label new objects, or begin without --once"
        )
    entry = {
        "question": digest,
        "labels": len(labels),
        "digest": _digest(labels),
        "once": once if number is None else looks[number]["once"],
    }
    if number is None:
        number = len(looks)
        looks.append(entry)
    elif looks[number] != entry:
        looks[number] = entry
    lines = "".join(json.dumps(entry) + "\n" for entry in looks)
    keep = partial(write_output, path, lines, overwrite=True)
    if looks[number]["once"]:
        sentence = (
            "One look at a number of labels that was fixed beforehand (--once): all of delta is "
            "spent, and no further question is covered."
        )
        return None, sentence, keep
    share = share_of(number + 1)
    later = 0.2 / (number + 1)
    validity = (
        "It holds at every number of labels at once: go on labelling from the top and ask again, "
        "and stop whenever you like."
        if ordered
        else "More labels are another question, since this file does not say in which order the "
        "objects were drawn; a file of karat sample does."
    )
    sentence = (
        f"Question {number + 1} about these labels ({path.name} counts them): of 100 chances to "
        f"fail that you allow, this answer takes {100 * share:.3g}; {100 * later:.3g} are kept for "
        f"later questions, so that all answers hold together. {validity}"
    )
    return number + 1, sentence, keep


def _digest(value: object) -> str:
    """Hash of nested lists, dicts and arrays."""
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()


def _plain(value: object) -> object:
    """Nested lists without dicts, tuples and arrays."""
    if isinstance(value, dict):
        return [(key, _plain(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _read(path: Path) -> list[dict[str, Any]]:
    """Stored looks; empty without a file, raises for an invalid one."""
    from karat.runtime.validation import InputError

    if not path.exists():
        return []
    try:
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        kinds = {"question": str, "digest": str, "labels": int, "once": bool}
        if not all(isinstance(e[key], kind) for e in entries for key, kind in kinds.items()):
            raise ValueError
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise InputError(
            f"{path} does not count looks as karat writes them; it is needed for the guarantee of "
            "the labels beside it. Restore it, or draw and label new objects"
        ) from None
    return entries
