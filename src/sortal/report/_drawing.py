"""Descriptions of the page's drawings, which its program turns into pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


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
    drawn: Sequence[dict[str, Any]], x: str, y: str, *, ring: tuple[float, float] | None = None,
    percent: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Lines over a number of clusters, with a ring around one point."""
    at = None if ring is None else rounded(ring)
    return {"kind": "lines", "series": list(drawn), "x": x, "y": y, "ring": at, "percent": percent}


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
