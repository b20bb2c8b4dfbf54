"""What was assumed about columns and rows, in a few words; :mod:`sortal.datasets` has sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortal.study.wording.phrases import LIMITS

if TYPE_CHECKING:
    from typing import Any

    from sortal.study.facts import AnswerFacts

#: a few words for each kind of finding; ``{}`` are the columns, ``{far}`` values
PHRASES = {
    "distances": "taken for features, not distances",
    "edges": "taken for rows, not edges of a graph",
    "long-format": "taken row by row, not in long format",
    "series": "taken row by row, not as series",
    "repeated-ids": "{} repeats: rows, not objects, are clustered",
    "stacked": "possibly several tables in one file",
    "unlike-part": "parts unlike the others used as they are ({})",
    "header": "first line possibly data",
    "unit-change": "a change of unit in {} undone",
    "shifted": "shifted rows moved back",
    "lone": "likely typing errors in {} read as missing",
    "rows": "rows that are no objects excluded",
    "outcome": "{} excluded (an outcome)",
    "label": "{} excluded (named like classes)",
    "reproduced": "the groups repeat the values of {}",
    "successive": "rows are independent, though each is like the next",
    "sentinel": "{far} in {} read as missing",
    "order": "rows are sorted by {}: labels are no random sample",
    "magnitude": "columns scaled to standard deviation 1",
    "units": "columns scaled to standard deviation 1, since their units differ",
    "mixed": "numbers scaled, categories as columns of 0 and 1",
    "code": "{} read as categories",
    "date": "{} read as days",
    "id": "{} excluded (names)",
    "text": "{} excluded (free text)",
    "sparse": "{} excluded (mostly missing)",
    "not-numbers": "cells of {} that are not numbers read as missing",
    "missing": "missing values filled from similar rows",
    "format": "{} read as formatted numbers",
    "duplicate-rows": "repeated rows count as often as they occur",
    "duplicate-columns": "repeated columns count once",
    "exclusive": "{} read as one category",
    "weight": "{} excluded (a weight)",
    "independent": "{} ignored (unrelated to the other columns)",
    "repeated": "{} ignored (repeats another column)",
}


def assumptions(answer: AnswerFacts) -> str:
    """What was assumed, the most harmful first; else how the data were prepared."""
    phrases = [_phrase(finding) for finding in answer.findings]
    if not phrases:
        notes = (note for note in answer.notes if not note.startswith("The classes ("))
        return next(notes, "").removesuffix(".")
    listed = phrases[:1]
    while (
        len(listed) < len(phrases) and len("; ".join(phrases[: len(listed) + 1])) <= LIMITS.length
    ):
        listed.append(phrases[len(listed)])
    if len(listed) < len(phrases):
        listed.append(f"{len(phrases) - len(listed)} more (sortal check)")
    return "; ".join(listed)


def _phrase(finding: Any) -> str:
    """A few words on a finding, and the option that changes it where there is just one."""
    names = [*map(repr, finding.columns[: LIMITS.few])]
    if len(finding.columns) > LIMITS.few:
        names[LIMITS.few - 1 :] = [f"{len(finding.columns) - LIMITS.few + 1} more"]
    phrase = PHRASES.get(finding.key)
    if phrase is None:
        return str(finding.to_dict()["sentence"]).removesuffix(".")
    far: set[float] = set()
    if finding.key == "sentinel":
        far = far.union(*finding.facts["values"].values())
    return phrase.format(", ".join(names), far=" and ".join(f"{value:g}" for value in sorted(far)))
