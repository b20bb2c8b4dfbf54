"""Parsing of a reader's answers."""

from __future__ import annotations

import json
import re

#: an object that fits none of the names
NONE = -1
#: characters of a name, and of a name with its line
MAX_NAME, MAX_LINE = 80, 400
_OBJECT = re.compile(r"\{[^{}]*\}")
_NONE = re.compile(r"\b(none|neither|no group)\b", re.IGNORECASE)


def parse_name(answer: str) -> str | None:
    r"""Read a name, and after a colon the line about it; None without a name.

    >>> parse_name('```json\n{"name": "Sport", "line": "Matches: and players"}\n```')
    'Sport: Matches: and players'
    >>> parse_name("Name: Sport\nabout matches"), parse_name("??")
    ('Sport: about matches', None)
    """
    record = _json(answer)
    name, line = record.get("name"), record.get("line", "")
    if not isinstance(name, str):
        if record:
            return None
        lines = [
            re.sub(r"^[\s*#]*name\s*:\s*", "", part, flags=re.I) for part in answer.split("\n")
        ]
        lines = [" ".join(part.split()) for part in lines if part.strip()]
        if not lines:
            return None
        name, _, rest = lines[0].partition(":")
        line = " ".join([rest, *lines[1:]])
    name = " ".join(name.replace(":", ",").split()).strip("*\"' ")
    if len(name) > MAX_NAME or not any(map(str.isalnum, name)) or not name.isprintable():
        return None
    line = "".join(c for c in " ".join(str(line).split()) if c.isprintable())
    return f"{name}: {line}"[:MAX_LINE] if line else name


def parse_choice(answer: str, names: list[str], key: str = "group") -> int | None:
    """Read the option that was chosen, from 0, or :data:`NONE`; None where that is unclear.

    The answer may be a number or a name: alone, in JSON, or as the only one in a sentence.

    >>> parse_choice('{"group": 2}', ["a", "b"])
    1
    >>> parse_choice("It is none of them.", ["a", "b"])
    -1
    >>> parse_choice("1 or 2", ["a", "b"]) is None
    True
    """
    record = _json(answer)
    if record and key not in record and len(record) > 1:
        return None
    value = record.get(key, next(iter(record.values()))) if record else answer
    text = " ".join(str(value).split())
    folded = [name.casefold() for name in names]
    if text.casefold() in folded and folded.count(text.casefold()) == 1:
        return folded.index(text.casefold())
    numbers = [int(number) - 1 for number in re.findall(r"(?<![\w.,-])\d+(?![\w]|[.,]\d)", text)]
    valid = {number for number in numbers if 0 <= number < len(names)}
    if numbers:
        # a number without an option, or a second number, makes the answer unclear
        return valid.pop() if len(valid) == 1 and len(set(numbers)) == 1 else None
    matches = [i for i, name in enumerate(folded) if name and _says(text.casefold(), name)]
    if len(matches) == 1:
        return matches[0]
    return NONE if not matches and _NONE.search(text) else None


def _says(text: str, name: str) -> bool:
    """Whether a name stands in a text as whole words."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _json(answer: str) -> dict[str, object]:
    """The last JSON object of an answer, empty without one."""
    for text in reversed(_OBJECT.findall(answer)):
        try:
            record = json.loads(text)
        except ValueError:
            continue
        if isinstance(record, dict):
            return {str(key).casefold(): value for key, value in record.items()}
    return {}
