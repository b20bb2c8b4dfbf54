"""The answer in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from karat.study import wording

if TYPE_CHECKING:
    from karat.study.answer import Answer


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
