"""E-mails and Usenet articles: their text without headers and markup."""

from __future__ import annotations

import email
import html.parser
import re
from collections.abc import Iterable
from email import policy
from typing import Any

_HEADER = re.compile(r"(?:From |[!-9;-~]+:[ \t\r\n])")
_ENCODED = re.compile(r"^content-(?:type: *(?:multipart|text/html)|transfer-encoding: *[bq])", re.M)


def are_messages(texts: Iterable[str]) -> bool:
    """Whether nearly all texts begin with header lines and an empty line."""
    with_headers = [_has_headers(text) for text in texts if text.strip()]
    return len(with_headers) > 0 and sum(with_headers) >= 0.95 * len(with_headers)


def _has_headers(text: str) -> bool:
    """Whether a text begins with header lines and an empty line."""
    head, blank, _ = text.partition("\n\n")
    lines = head.split("\n")
    return (
        bool(blank)
        and len(lines) > 1
        and all(line[:1] in " \t" or _HEADER.match(line + "\n") for line in lines)
    )


def body(text: str) -> str:
    """A message without its headers: its plain text, or its HTML without tags."""
    head, _, content_lines = text.replace("\r\n", "\n").partition("\n\n")
    if not _ENCODED.search(head.lower()):
        return content_lines
    message: Any = email.message_from_string(text, policy=policy.default).get_body(
        ("plain", "html")
    )
    data = None if message is None else message.get_payload(decode=True)
    if not isinstance(data, bytes):
        return content_lines
    try:
        content = data.decode(message.get_content_charset() or "utf-8", "replace")
    except LookupError:
        content = data.decode("latin-1")
    return without_tags(content) if message.get_content_subtype() == "html" else content


class _TextParser(html.parser.HTMLParser):
    """Parser that collects the visible text of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Separate words at a tag, and hide scripts and styles."""
        self._hidden += tag in ("script", "style")
        self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Show text again after a script or style."""
        self._hidden -= tag in ("script", "style") and self._hidden > 0

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if not self._hidden:
            self.parts.append(data)


def without_tags(text: str) -> str:
    """The visible text of HTML."""
    parser = _TextParser()
    parser.feed(text)
    parser.close()
    return "".join(parser.parts)
