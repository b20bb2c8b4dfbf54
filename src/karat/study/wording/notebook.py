"""The answer and the study in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from karat.study import wording

if TYPE_CHECKING:
    from karat.study.answer import Answer
    from karat.study.study import Study


def html(answer: Answer) -> str:
    """The answer for a notebook: the sentences, and what to mind behind them."""
    first, *rest = map(escape, wording.sentences(answer))
    found = "".join(f"<li>{escape(one)}</li>" for one in wording.findings(answer.findings))
    found = f"<p>About the data:</p><ul>{found}</ul>" * bool(found)
    minded = "".join(f"<li>{escape(one)}</li>" for one in wording.remarks(answer))
    minded = f"<details><summary>What to mind</summary><ul>{minded}</ul></details>" * bool(minded)
    return (
        f"{found}<p><strong>{first}</strong> {' '.join(rest)}</p>{minded}"
        f"<p><small>{escape(wording.footer(answer))}</small></p>"
    )


def study_html(study: Study, answer: Answer | None) -> str:
    """What a notebook shows of a study; nothing is computed for it."""
    data = study.dataset
    rows = []
    for clusterer, group in study.candidates.groupby("clusterer", sort=False):
        statuses = group["status"].value_counts(sort=False).items()
        told = ", ".join(f"{count:,} {status}" for status, count in statuses)
        rows.append(f"<li>{escape(str(clusterer))}: {told}</li>")
    if unfinished := len(study.storage.planned()):
        rows.append(f"<li>{unfinished:,} planned candidates are not finished</li>")
    shown = "<p>Not judged yet: <code>best()</code> judges and chooses.</p>"
    return (
        f"<p><strong>{escape(str(data.name))}</strong>: {study.n_objects:,} objects, "
        f"{data.X.shape[1]:,} features</p><ul>{''.join(rows) or '<li>nothing was tried</li>'}</ul>"
        f"{shown if answer is None else html(answer)}"
    )
