"""What a reader's answer says, if it can be read."""

from __future__ import annotations

import json
import re

#: an object that fits none of the names
NONE = -1
#: characters of a name, and of a name with its line
MOST_NAME, MOST_LINE = 80, 400
_OBJECT = re.compile(r"\{[^{}]*\}")
_NONE = re.compile(r"\b(none|neither|no group)\b", re.IGNORECASE)


def parse_name(answer: str) -> str | None:
    r"""A name, and after a colon the line about it; None where there is no name.

    >>> parse_name('```json\n{"name": "Sport", "line": "Matches: and players"}\n```')
    'Sport: Matches: and players'
    >>> parse_name("Name: Sport\nabout matches"), parse_name("??")
    ('Sport: about matches', None)
    """
    given = _json(answer)
    name, line = given.get("name"), given.get("line", "")
    if not isinstance(name, str):
        if given:
            return None
        lines = [re.sub(r"^[\s*#]*name\s*:\s*", "", one, flags=re.I) for one in answer.split("\n")]
        lines = [" ".join(one.split()) for one in lines if one.strip()]
        if not lines:
            return None
        name, _, rest = lines[0].partition(":")
        line = " ".join([rest, *lines[1:]])
    name = " ".join(name.replace(":", ",").split()).strip("*\"' ")
    if len(name) > MOST_NAME or not any(map(str.isalnum, name)) or not name.isprintable():
        return None
    line = "".join(c for c in " ".join(str(line).split()) if c.isprintable())
    return f"{name}: {line}"[:MOST_LINE] if line else name


def parse_choice(answer: str, names: list[str], key: str = "group") -> int | None:
    """Which of several things was chosen, from 0, or :data:`NONE`; None where that is unclear.

    A number or a name will do, alone, in JSON, or as the only one in a sentence.

    >>> parse_choice('{"group": 2}', ["a", "b"])
    1
    >>> parse_choice("It is none of them.", ["a", "b"])
    -1
    >>> parse_choice("1 or 2", ["a", "b"]) is None
    True
    """
    given = _json(answer)
    if given and key not in given and len(given) > 1:
        return None
    value = given.get(key, next(iter(given.values()))) if given else answer
    text = " ".join(str(value).split())
    folded = [name.casefold() for name in names]
    if text.casefold() in folded and folded.count(text.casefold()) == 1:
        return folded.index(text.casefold())
    said = [int(number) - 1 for number in re.findall(r"(?<![\w.,-])\d+(?![\w]|[.,]\d)", text)]
    found = {number for number in said if 0 <= number < len(names)}
    if said:
        # a number that nothing has, or a second one, makes the answer unclear
        return found.pop() if len(found) == 1 and len(set(said)) == 1 else None
    named = [i for i, name in enumerate(folded) if name and _says(text.casefold(), name)]
    if len(named) == 1:
        return named[0]
    return NONE if not named and _NONE.search(text) else None


def _says(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _json(answer: str) -> dict[str, object]:
    """The last JSON object of an answer; empty where there is none."""
    for text in reversed(_OBJECT.findall(answer)):
        try:
            found = json.loads(text)
        except ValueError:
            continue
        if isinstance(found, dict):
            return {str(key).casefold(): value for key, value in found.items()}
    return {}
