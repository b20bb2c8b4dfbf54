"""Parts of the page: pictures and what is drawn in them, sections, and folds of sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class PageLimits:
    """How much the page shows, so that it opens at once; all tuned by eye."""

    #: objects on the map, and its places along the longer side
    objects: int = 3_000
    places: int = 2_000
    #: eigenvectors of a graph whose distance gives the neighbours of its nodes
    eigenvectors: int = 8
    #: candidates that can be opened, and labels that are read for it
    opened: int = 300
    labels: int = 300_000_000
    #: objects that the cards of other candidates and clarity rest on, and rows of a download
    rows: int = 20_000
    #: objects with silhouettes
    profiled: int = 500
    #: columns of the objects on the map, and their values
    columns: int = 40
    values: int = 120_000
    #: clusters with a card
    cards: int = 60
    #: features, classes or documents of a card, and pairs of clusters that are confused
    few: int = 3
    confused: int = 5
    #: difference from the other objects, in standard deviations, that fills half of a bar
    full: float = 1.5
    #: measures that come first, and objects that change their cluster
    listed: int = 12
    #: cells of a table of classes
    cells: int = 10_000
    #: objects of the elbow, and their values
    elbow_objects: int = 600
    elbow_values: int = 12_000


LIMITS = PageLimits()


@dataclass(frozen=True)
class Picture:
    """A figure with its caption, and a description for readers who cannot see it."""

    id: str
    #: what to draw, made by one of the functions below
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


def series(
    name: str, x: npt.ArrayLike, y: npt.ArrayLike, *, error: npt.ArrayLike | None = None,
    dots: bool = False, grey: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """One line, or one cloud of dots, of a drawing of lines."""
    values = {"x": rounded(x), "y": rounded(y)}
    if error is not None:
        values["error"] = rounded(error)
    return {"name": name, "dots": dots, "grey": grey, **values}


def lines(
    curves: Sequence[dict[str, Any]], x: str, y: str, *, ring: tuple[float, float] | None = None,
    percent: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Lines over a number of clusters, with a ring around one point."""
    at = None if ring is None else rounded(ring)
    return {
        "kind": "lines",
        "series": list(curves),
        "x": x,
        "y": y,
        "ring": at,
        "percent": percent,
    }


def heat(
    values: npt.ArrayLike, rows: Sequence[str] | None, columns: Sequence[str] | None, *,
    text: Sequence[Sequence[str]] | None = None, x: str = "", y: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Shaded cells from 0 to 1, with their row and column names."""
    cells = np.asarray(values, dtype=np.float64)
    return {
        "kind": "heat", "z": [rounded(line, 2) for line in cells], "rows": rows,
        "columns": columns, "text": text, "x": x, "y": y,
    }  # fmt: skip


def bars(rows: Sequence[str], parts: dict[str, npt.ArrayLike]) -> dict[str, Any]:
    """Stacked horizontal bars of shares."""
    stacked = [{"name": name, "values": rounded(values)} for name, values in parts.items()]
    return {"kind": "bars", "rows": list(rows), "parts": stacked}


def rounded(values: Any, digits: int = 4) -> list[float | None]:
    """Numbers to some significant digits; None where there is none."""
    numbers = np.asarray(values, dtype=np.float64).ravel()
    return [float(f"{v:.{digits}g}") if np.isfinite(v) else None for v in numbers.tolist()]
