"""A report as its reader has it: elements, their texts, and what the page's program is given."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "img", "circle", "line", "polyline"}


class Page(HTMLParser):
    """The elements of a page, with their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.text = ""
        self._open: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open, f"</{tag}> closes nothing"
            assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for _, name in self._open:
            if name is not None:
                self.texts[name] = self.texts.get(name, "") + data
        if not any(tag in ("script", "style") for tag, _ in self._open):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.elements if name == tag]

    @property
    def payload(self) -> Any:
        return json.loads(self.texts["payload"])

    @property
    def sections(self) -> list[str | None]:
        return [attrs["id"] for attrs in self.all("section")]
