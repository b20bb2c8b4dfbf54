"""Figures of a comparison as SVG and HTML, without a network or a script."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.bench.diagram import framed

if TYPE_CHECKING:
    import pandas as pd

_LINE = 'stroke="currentColor" fill="none"'
#: curves of more methods than these are grey
_DRAWN = 6
#: tables of more columns are set smaller
_FEW = 9


def profile_plot(
    profile: pd.DataFrame, order: list[str], axis: str, *, ratios: bool = False, width: int = 860
) -> str:
    """Performance profiles (Dolan & Moré 2002) as SVG; the first methods of ``order`` coloured."""
    from karat.plot import style

    steps = profile.index.to_numpy(dtype=float)
    at = np.log10(steps) if ratios else steps
    most = max(float(at.max()), 1e-9) * 1.02
    left, top, height, right = 50, 12, 260, 200
    across, down = width - left - right, height

    def x(value: float) -> float:
        return left + value / most * across

    def y(share: float) -> float:
        return top + (1 - share) * down

    out = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        out.append(f'<path d="M{left} {y(share):.1f}h{across}" {_LINE} stroke-opacity=".15"/>')
        out.append(
            f'<text x="{left - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        )
    for tick in _ticks(most, ratios):
        text = f"{10**tick:g}×" if ratios else f"{tick:g}"
        out.append(f'<path d="M{x(tick):.1f} {top + down}v5" {_LINE}/>')
        out.append(
            f'<text x="{x(tick):.1f}" y="{top + down + 19}" text-anchor="middle">{text}</text>'
        )
    out.append(
        f'<text x="{left + across / 2}" y="{top + down + 40}" text-anchor="middle">'
        f"{html.escape(axis)}</text>"
    )
    dashes = {"solid": "", "dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3", "longdash": "12 4"}
    # the best last, so that they lie on top
    for i, name in reversed(list(enumerate(order))):
        shares = profile[name].to_numpy(dtype=float)
        path = f"M{x(0):.1f} {y(shares[0]):.1f}" + "".join(
            f"H{x(value):.1f}V{y(share):.1f}"
            for value, share in zip(at[1:], shares[1:], strict=True)
        )
        path += f"H{left + across}"
        drawn = i < _DRAWN
        color = style.color(i) if drawn else style.NOISE_COLOR
        stroke = f'stroke="{color}" fill="none" stroke-width="{2 if drawn else 1}"'
        dash = dashes[style.dash(i)] if drawn else ""
        out.append(f'<path d="{path}" {stroke} stroke-dasharray="{dash}"/>')
        if drawn:
            level = top + 8 + 20 * i
            out.append(f'<path d="M{left + across + 14} {level}h22" {stroke}/>')
            out.append(
                f'<text x="{left + across + 42}" y="{level + 4}">{html.escape(_short(name))}</text>'
            )
    if len(order) > _DRAWN:
        level = top + 8 + 20 * _DRAWN
        out.append(f'<text x="{left + across + 14}" y="{level + 4}">grey: the others</text>')
    return framed(width, top + down + 50, f"Performance profiles: {axis}", out)


def _short(name: str, most: int = 21) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _ticks(most: float, ratios: bool) -> list[float]:
    if ratios:
        values = [v for p in range(-1, 12) for v in (10.0**p, 2 * 10.0**p, 5 * 10.0**p)]
        found = [math.log10(v) for v in values if 0 <= math.log10(v) <= most]
        return found if len(found) < 9 else [tick for tick in found if tick == round(tick)]
    step = 10.0 ** math.floor(math.log10(most))
    step = next(s for s in (step / 5, step / 2, step, 2 * step) if most / s <= 8)
    return [round(i * step, 12) for i in range(int(most / step) + 1)]


def heat_table(
    values: pd.DataFrame,
    corner: str,
    text: Callable[[Any, Any, float], str],
    *,
    low: float,
    high: float,
    foot: str = "",
) -> str:
    """A table whose cells are shaded from ``low`` (not at all) to ``high``.

    ``text(row, column, value)`` is the content of a cell, as HTML.
    """
    heads = "".join(f"<th>{html.escape(str(name))}</th>" for name in values.columns)
    kind = "heat many" if values.shape[1] > _FEW else "heat"
    body = []
    for name, row in values.iterrows():
        cells = []
        for column, value in row.items():
            cells.append(f"<td{_shade(value, low, high)}>{text(name, column, value)}</td>")
        body.append(f"<tr><th>{html.escape(str(name))}</th>{''.join(cells)}</tr>")
    return (
        f'<div class="wide"><table class="{kind}"><thead><tr><th>{html.escape(corner)}</th>{heads}'
        f"</tr></thead><tbody>{''.join(body)}</tbody>{foot}</table></div>"
    )


def _shade(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return ""
    strength = 0.6 * min(max((value - low) / max(high - low, 1e-12), 0.0), 1.0)
    return f' style="background:rgba(0,114,178,{strength:.2f})"'
