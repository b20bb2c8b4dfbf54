"""The critical-difference diagram (Demšar 2006) as SVG and TikZ."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field

from sortal.bench.comparison import Comparison

#: tuned: by eye, font size of a drawing
_FONT_SIZE = 13
#: derived: points of a paper for each unit of a drawing, of which 640 fill a line of 384 points
_SCALE = 0.6
#: tuned: by eye, width of a letter as a share of the font size
_LETTER_WIDTH = 0.62


@dataclass
class Drawing:
    """Lines and texts of a diagram; y increases downwards.

    Attributes
    ----------
    lines : list of (points, width)
        Lines wider than 3 are bars.
    texts : list of (x, y, text, anchor)
        The anchor is SVG's: ``"start"``, ``"middle"`` or ``"end"``; y is the baseline.
    """

    width: float
    height: float
    lines: list[tuple[list[tuple[float, float]], float]] = field(default_factory=list)
    texts: list[tuple[float, float, str, str]] = field(default_factory=list)


def rank_drawing(comparison: Comparison, width: float = 860) -> Drawing:
    """Average ranks on a line, and bars over methods that do not differ."""
    ranks, k = comparison.ranks, len(comparison.ranks)
    labels = [f"{name} {rank:.2f}" for name, rank in ranks.items()]
    rows = (k + 1) // 2
    sides = [
        _LETTER_WIDTH * _FONT_SIZE * max(map(len, side)) + 26
        for side in (labels[:rows], labels[rows:])
    ]
    left, right = min(sides[0], width / 3), width - min(sides[1], width / 3)
    bars, top = comparison.cliques, 46
    first = top + 22 + 12 * len(bars)
    drawing = Drawing(width, first + 20 * rows + 10)

    def x(rank: float) -> float:
        return left + (rank - 1) / max(k - 1, 1) * (right - left)

    drawing.lines.append(([(x(1), top), (x(k), top)], 1))
    for rank in range(1, k + 1):
        drawing.lines.append(([(x(rank), top), (x(rank), top - 6)], 1))
        drawing.texts.append((x(rank), top - 10, str(rank), "middle"))
    if math.isinf(comparison.critical_difference):
        drawing.texts.append((left, 16, "no difference could be significant", "start"))
    else:
        end = left + min(comparison.critical_difference / max(k - 1, 1), 1.0) * (right - left)
        drawing.lines.append(([(left, 12), (end, 12)], 2))
        critical = f"critical difference {comparison.critical_difference:.2f}"
        drawing.texts.append((end + 6, 16, critical, "start"))
    for i, names in enumerate(bars):
        low, high = x(float(ranks[names[0]])) - 4, x(float(ranks[names[-1]])) + 4
        drawing.lines.append(([(low, top + 14 + 12 * i), (high, top + 14 + 12 * i)], 4))
    for i, (rank, text) in enumerate(zip(ranks, labels, strict=True)):
        best = i < rows
        y = first + 20 * (i if best else k - 1 - i)
        end, anchor, at = (left - 10, "end", -4) if best else (right + 10, "start", 4)
        drawing.lines.append(([(x(rank), top), (x(rank), y - 4), (end, y - 4)], 0.8))
        drawing.texts.append((end + at, y, text, anchor))
    return drawing


def bar_caption(comparison: Comparison) -> str:
    """Caption that explains the bars of a drawing."""
    if math.isinf(comparison.critical_difference):
        return "on so few data sets no difference could be significant."
    return (
        "bars join those that do not differ: by less than the critical difference of Nemenyi's "
        f"test at {comparison.alpha:g}, {comparison.critical_difference:.2f}."
    )


def svg(drawing: Drawing, title: str) -> str:
    """The drawing as SVG, in the colour of the surrounding text."""
    body = []
    for points, width in drawing.lines:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        stroke = 'stroke="#0072B2" stroke-linecap="round"' if width > 3 else 'stroke="currentColor"'
        body.append(f'<path d="{path}" fill="none" {stroke} stroke-width="{width:g}"/>')
    for x, y, text, anchor in drawing.texts:
        shown = html.escape(text)
        body.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{shown}</text>')
    return (
        f'<svg viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}" role="img" '
        f'font-size="{_FONT_SIZE}" fill="currentColor" '
        f'style="max-width:100%;width:{drawing.width:.0f}px">'
        f"<title>{html.escape(title)}</title>{''.join(body)}</svg>"
    )


def tikz(drawing: Drawing) -> str:
    """The drawing for a LaTeX document with the package ``tikz``, in the document's font."""
    out = [
        r"\definecolor{rankbar}{rgb}{0,0.447,0.698}",
        f"\\begin{{tikzpicture}}[x={_SCALE:g}pt,y=-{_SCALE:g}pt,font=\\footnotesize]",
    ]
    for points, width in drawing.lines:
        style = "rankbar,line cap=round," if width > 3 else ""
        path = " -- ".join(f"({x:.1f},{y:.1f})" for x, y in points)
        out.append(f"\\draw[{style}line width={width * _SCALE:.2f}pt] {path};")
    anchors = {"start": "base west", "middle": "base", "end": "base east"}
    for x, y, text, anchor in drawing.texts:
        place = f"anchor={anchors[anchor]},inner sep=0pt"
        out.append(f"\\node[{place}] at ({x:.1f},{y:.1f}) {{{escape(text)}}};")
    return "\n".join([*out, r"\end{tikzpicture}", ""])


def escape(value: object) -> str:
    """Text with LaTeX's special characters escaped."""
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
    return "".join(signs.get(sign, sign) for sign in str(value))
