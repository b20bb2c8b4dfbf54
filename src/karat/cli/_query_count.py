"""How often a file of labels was asked, in a file beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any


def share_of(look: int) -> float:
    """Share of delta of the look-th question; all of them sum to 1."""
    return 0.8 if look == 1 else 0.2 / (look * (look - 1))


def count_look(
    path_of_labels: Path, question: Any, labels: list[tuple[int, Any]], ordered: bool, once: bool
) -> tuple[int | None, str, Callable[[], None]]:
    """The number of this question about the labels, None with ``once``; and what to tell about it.

    The third value counts it, which is due before the answer is told.

    The same question with more labels is the same question where the order of the draw is known,
    for its answer holds at every number of labels at once. Other clusterings or options, labels
    that were changed, and more labels in no order are another.
    """
    from karat.runtime.output import write_output
    from karat.runtime.validation import InputError

    path = path_of_labels.with_name(f"{path_of_labels.name}.looks")
    asked = _digest([question, ordered])
    looks = _read(path)
    number = None
    for i, entry in enumerate(looks):
        count = entry["labels"]
        grown = ordered and not entry["once"] and count <= len(labels)
        if (
            entry["question"] == asked
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
        "question": asked,
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
        told = (
            "One look at a number of labels that was fixed beforehand (--once): all of delta is "
            "spent, and no further question is covered."
        )
        return None, told, keep
    share = share_of(number + 1)
    later = 0.2 / (number + 1)
    held = (
        "It holds at every number of labels at once: go on labelling from the top and ask again, "
        "and stop whenever you like."
        if ordered
        else "More labels are another question, since this file does not say in which order the "
        "objects were drawn; a file of karat sample does."
    )
    told = (
        f"Question {number + 1} about these labels ({path.name} counts them): of 100 chances to "
        f"fail that you allow, this answer takes {100 * share:.3g}; {100 * later:.3g} are kept for "
        f"later questions, so that all answers hold together. {held}"
    )
    return number + 1, told, keep


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _plain(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _read(path: Path) -> list[dict[str, Any]]:
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
