"""Parts of the page: pictures, sections, and folds of sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Picture:
    """A figure with its caption, and a description for readers who cannot see it."""

    id: str
    #: what to draw, see :mod:`sortal.report._drawing`
    drawing: Mapping[str, Any]
    alt: str
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page: ``template`` is rendered with ``values`` and the pictures."""

    id: str
    title: str
    template: str = "plain.html"
    values: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()

    @property
    def picture(self) -> dict[str, Picture]:
        """The pictures by their id."""
        return {picture.id: picture for picture in self.pictures}


@dataclass(frozen=True)
class Fold:
    """Sections behind one heading."""

    id: str
    title: str
    sections: tuple[Section, ...]


def plain(id: str, title: str, sentences: list[str], *pictures: Picture) -> Section:
    """A section of sentences, then pictures."""
    return Section(id, title, values={"sentences": sentences}, pictures=pictures)
