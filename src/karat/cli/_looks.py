"""How often a file of labels was asked, in a file beside it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any


def count_look(labels: Path, question: Any, once: bool) -> tuple[int | None, str]:
    """The number of this look at the labels, None with ``once``; and what to tell about it.

    The same question again is the same look. Different labels, clusterings or options are another.
    """
    from karat.validation import InputError

    path = labels.with_name(f"{labels.name}.looks")
    digest = hashlib.sha256(repr(_plain(question)).encode()).hexdigest()
    looks = _read(path)
    seen = [entry["question"] for entry in looks]
    if digest not in seen:
        if looks and (once or looks[0]["once"]):
            raise InputError(
                f"{path} counts {len(looks)} earlier look{'s' if len(looks) > 1 else ''} at these "
                "labels with another question, and --once is for a single one: all of delta is "
                "spent. Draw and label new objects, or begin without --once"
            )
        looks.append({"question": digest, "once": once})
        try:
            path.write_text("".join(json.dumps(entry) + "\n" for entry in looks))
        except OSError as error:
            raise InputError(
                f"the look at these labels cannot be counted in {path}: {error.strerror}; copy the "
                "labels to a folder that may be written to"
            ) from None
    number = looks.index(next(entry for entry in looks if entry["question"] == digest)) + 1
    if looks[number - 1]["once"]:
        return None, (
            "One look at a number of labels that was fixed beforehand (--once): all of delta is "
            "spent, and no further question is covered."
        )
    return number, (
        f"Look {number} at these labels ({path.name} counts them): its share of delta is "
        f"1/{number * (number + 1)}, so that the bounds of all looks hold together and you may go "
        "on labelling and ask again."
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _plain(item)) for key, item in value.items()]
    return value.tolist() if hasattr(value, "tolist") else value


def _read(path: Path) -> list[dict[str, Any]]:
    from karat.validation import InputError

    if not path.exists():
        return []
    try:
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        if not all(isinstance(e["question"], str) and isinstance(e["once"], bool) for e in entries):
            raise ValueError
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise InputError(
            f"{path} does not count looks as karat writes them; it is needed for the guarantee of "
            "the labels beside it. Restore it, or draw and label new objects"
        ) from None
    return entries
